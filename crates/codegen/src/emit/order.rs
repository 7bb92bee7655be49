//! Places of the code that LLVM's scheduler for AMD lets only some kinds of instructions pass; nothing elsewhere.
//!
//! It weighs registers against latencies without knowing how long memory takes, and where local memory leaves room for one wave it takes all registers
//! there are. Source: LLVM's `AMDGPUUsage`, `llvm.amdgcn.sched.barrier`.
//!
//! Worked example, a block of a product: loads of the next block; `loads_first`; multiplications; `in_order`; the loads' values to local memory.

use fornax_targets::Backend;

use super::emitter::Emitter;

/// Scalar instructions, stores to memory, all of local memory.
const BEFORE_OR_AFTER_LOADS: u32 = 0x4 | 0x40 | 0x80 | 0x100 | 0x200;

/// Begins what was loaded from memory before the arithmetic that follows: LLVM would begin it just before its value is used, to have the
/// registers until then.
pub fn loads_first(e: &mut Emitter<'_>) {
    barrier(e, BEFORE_OR_AFTER_LOADS);
}

/// Leaves what follows behind everything before.
pub fn in_order(e: &mut Emitter<'_>) {
    barrier(e, 0);
}

fn barrier(e: &mut Emitter<'_>, may_pass: u32) {
    if e.target.backend == Backend::Rocm {
        e.code.line(&format!("rocdl.sched.barrier {may_pass}"));
    }
}

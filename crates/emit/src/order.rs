//! Places of the code that LLVM's scheduler for AMD lets only some kinds of instructions pass, and waits for all of a
//! kind (chips with MFMA); nothing elsewhere.
//!
//! It weighs registers against latencies without knowing how long memory takes, and where local memory leaves room for
//! one wave it takes all registers there are. Source: LLVM's `AMDGPUUsage`, `llvm.amdgcn.sched.barrier`.
//!
//! Worked example, a block of a product: loads of the next block; `loads_first`; multiplications; `in_order`; the
//! loads' values to local memory.

use fornax_targets::{Backend, Feature};

use crate::emitter::Emitter;
use crate::text::{Scalar, Ty};

/// Scalar instructions, stores to memory, all of local memory.
const BEFORE_OR_AFTER_LOADS: u32 = 0x4 | 0x40 | 0x80 | 0x100 | 0x200;

/// Begins what was loaded from memory before the arithmetic that follows: LLVM would begin it just before its value is
/// used, to have the registers until then.
pub fn loads_first(e: &mut Emitter<'_>) {
    barrier(e, BEFORE_OR_AFTER_LOADS);
}

/// Leaves what follows behind everything before.
pub fn in_order(e: &mut Emitter<'_>) {
    barrier(e, 0);
}

/// `s_waitcnt vmcnt(0)` of gfx9, the other counters as they are; `lgkmcnt(0)`.
const NO_LOADS: i64 = 0x0f70;
const NO_LOCAL: i64 = 0xc07f;

/// Waits once until all loads from memory are done, where LLVM would wait for each before its value is used.
pub fn loads_done(e: &mut Emitter<'_>) {
    wait(e, NO_LOADS);
}

/// Waits once for all that was read from local memory; what follows stays behind.
pub fn local_reads_done(e: &mut Emitter<'_>) {
    wait(e, NO_LOCAL);
    in_order(e);
}

fn wait(e: &mut Emitter<'_>, counters: i64) {
    if e.target.has(Feature::Mfma) {
        let counters = e.code.int(Ty::scalar(Scalar::I32), counters);
        e.code.line(&format!("llvm.call_intrinsic \"llvm.amdgcn.s.waitcnt\"({counters}) : (i32) -> ()"));
    }
}

fn barrier(e: &mut Emitter<'_>, may_pass: u32) {
    if e.target.backend == Backend::Rocm {
        e.code.line(&format!("rocdl.sched.barrier {may_pass}"));
    }
}

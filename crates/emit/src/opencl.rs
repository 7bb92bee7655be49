//! OpenCL's side of a kernel: built-in functions by their mangled names, which LLVM's SPIR-V back end turns into
//! instructions.
//!
//! | what | function | SPIR-V |
//! | --- | --- | --- |
//! | thread in its workgroup | `get_local_id(uint)` | `LocalInvocationId` |
//! | workgroup in the grid | `get_group_id(uint)` | `WorkgroupId` |
//! | barrier | `barrier(CLK_LOCAL_MEM_FENCE)` | `OpControlBarrier` |
//! | barrier, of global memory too | `barrier(CLK_LOCAL_MEM_FENCE \| CLK_GLOBAL_MEM_FENCE)` | `OpControlBarrier` |
//! | lane exchange | `sub_group_shuffle_xor(int, uint)` | `OpGroupNonUniformShuffleXor` |
//!
//! Lanes are exchanged so only where the target fixes the size of subgroups.
//!
//! Worked example: `get_local_id(0)` is `llvm.call spir_funccc @_Z12get_local_idj(%0) : (i32) -> i64`.

use std::fmt::Write;

use crate::text::{Code, Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);
const I64: Ty = Ty::scalar(Scalar::I64);

/// `(name, type, attributes)` of the functions; all are declared in every module, and LLVM drops those that nothing
/// calls.
const FUNCTIONS: &[(&str, &str, &str)] = &[
    (LOCAL_ID, "(i32) -> i64", "no_unwind, will_return"),
    (GROUP_ID, "(i32) -> i64", "no_unwind, will_return"),
    (BARRIER, "(i32)", "convergent, no_unwind, will_return"),
    (SHUFFLE_XOR, "(i32, i32) -> i32", "convergent, no_unwind, will_return"),
];
const LOCAL_ID: &str = "_Z12get_local_idj";
const GROUP_ID: &str = "_Z12get_group_idj";
const BARRIER: &str = "_Z7barrierj";
const SHUFFLE_XOR: &str = "_Z21sub_group_shuffle_xorij";
/// `CLK_LOCAL_MEM_FENCE`.
const LOCAL_FENCE: i64 = 1;
/// `CLK_GLOBAL_MEM_FENCE`.
const GLOBAL_FENCE: i64 = 2;

/// Declarations that go before the kernel.
pub fn declarations(text: &mut String) {
    for (name, ty, attributes) in FUNCTIONS {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  llvm.func spir_funccc @{name}{ty} attributes {{{attributes}}}");
    }
}

/// Attributes of the kernel's function.
pub fn attributes(threads: u32, subgroup: Option<u32>) -> String {
    let subgroup = subgroup.map_or(String::new(), |size| format!(", intel_reqd_sub_group_size = {size} : i32"));
    format!("reqd_work_group_size = array<i32: {threads}, 1, 1>{subgroup}")
}

/// The workgroup's number along an axis, i32.
pub fn workgroup_axis(code: &mut Code, axis: usize) -> Value {
    id(code, GROUP_ID, axis)
}

/// The thread's number in its workgroup, i32.
pub fn thread_id(code: &mut Code) -> Value {
    id(code, LOCAL_ID, 0)
}

fn id(code: &mut Code, function: &str, axis: usize) -> Value {
    let axis = code.int(I32, axis as i64);
    let wide = code.pure(I64, format!("llvm.call spir_funccc @{function}({axis}) : (i32) -> i64"));
    code.resize_u(wide, Scalar::I32)
}

pub fn barrier(code: &mut Code) {
    fence(code, LOCAL_FENCE);
}

/// A barrier behind which global memory that the workgroup wrote is seen as well.
pub fn barrier_of_all(code: &mut Code) {
    fence(code, LOCAL_FENCE | GLOBAL_FENCE);
}

fn fence(code: &mut Code, memory: i64) {
    let fence = code.int(I32, memory);
    code.line(&format!("llvm.call spir_funccc @{BARRIER}({fence}) : (i32) -> ()"));
}

/// `word` (i32) of the lane that differs in the bits of `mask`.
pub fn exchange(code: &mut Code, word: Value, mask: u32) -> Value {
    let mask = code.int(I32, i64::from(mask));
    code.effect(I32, &format!("llvm.call spir_funccc @{SHUFFLE_XOR}({word}, {mask}) : (i32, i32) -> i32"))
}

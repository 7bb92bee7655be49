//! Roles of warpgroups: who am I, how many registers may I have.
//!
//! A warpgroup is 4 consecutive warps. The numbers of warp and warpgroup are taken through a shuffle, which tells the
//! assembler that they are the same in all lanes of a warp: what is computed from them stays in uniform registers.

use crate::text::{Code, Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);
/// Threads of a warpgroup.
pub const WARPGROUP_THREADS: u32 = 128;

/// Where a thread is, all i32.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub thread: Value,
    pub lane: Value,
    pub warp: Value,
    pub warpgroup: Value,
    /// The warp's number in its warpgroup, 0…3.
    pub warp_in_group: Value,
}

/// Where this thread is.
pub fn place(code: &mut Code, thread: Value) -> Place {
    let warp = code.shr_uk(thread, 5);
    let warp = uniform(code, warp);
    let warpgroup = code.shr_uk(warp, 2);
    let lane = code.and_k(thread, 31);
    Place { thread, lane, warp, warpgroup, warp_in_group: code.and_k(warp, 3) }
}

/// An i32 that all lanes of a warp have, taken through a shuffle. The compiler sees no constant in it: a loop up to it
/// stays a loop, where unrolled multiplies would have moves between them and would be serialised by the assembler.
pub fn uniform(code: &mut Code, value: Value) -> Value {
    let (all, zero, clamp) = (code.int(I32, -1), code.int(I32, 0), code.int(I32, 31));
    code.effect(I32, &format!("nvvm.shfl.sync idx {all}, {value}, {zero}, {clamp} : i32 -> i32"))
}

/// Registers of a producing and of a consuming thread, by the number of consuming warpgroups: what the producer gives
/// up the others get.
pub const REGISTERS: &[(u32, u32, u32)] = &[(1, 40, 240), (2, 40, 232), (3, 24, 160)];

/// This warpgroup gives up registers above `count`.
pub fn give_registers(code: &mut Code, count: u32) {
    code.line(&format!("nvvm.setmaxregister decrease {count}"));
}

/// This warpgroup takes registers up to `count`, when they have been given up.
pub fn take_registers(code: &mut Code, count: u32) {
    code.line(&format!("nvvm.setmaxregister increase {count}"));
}

//! Copies from memory straight to shared memory (`global_load_lds_dwordx4` of gfx950): no registers, no writes.
//!
//! An instruction of a wave writes 16 bytes a lane, lane after lane, from where M0 says: so the block lies in shared
//! memory row by row, without padding, and what is permuted is where lanes read: place p of row r gets chunk `p xor
//! swizzle(r)`. Lanes of a row read one piece of memory, whatever their order. A lane's offset is the same for all
//! blocks, 32 bits behind a scalar address that moves.
//!
//! LLVM waits for all such copies before any read of shared memory that follows, which would be the next block's; so
//! they are statements of their own, and the wait is said before all meet.
//!
//! Limits: plain loads of whole chunks, no masks; steps are one variable of which blocks leave nothing over; less than
//! 2³¹ bytes; sizes are known.
//!
//! Worked example, rows of 64 f16 (8 chunks), 256 threads: instruction i of wave w brings rows 32·i + 8·w … + 7; lane
//! 10 brings chunk (10 mod 8) xor 1 = 3 of the second of them.

use crate::gemm_mma::schedule::MmaSchedule;
use fornax_plan::{DirectLoad, NodeId};
use fornax_targets::Feature;

use super::axes::Axes;
use super::layout::{CHUNK_BYTES, I32};
use fornax_emit::advance::Moves;
use fornax_emit::emitter::Emitter;
use fornax_emit::text::Value;

/// Lanes of a wave.
const WAVE: i64 = 64;

/// Can blocks of an operand come so? `width` is that of pieces along the steps.
pub fn fits(e: &Emitter<'_>, schedule: &MmaSchedule, node: NodeId, load: DirectLoad, steps: &Axes, width: i64) -> bool {
    let [(var, _)] = steps.vars[..] else { return false };
    let bytes = i64::from(schedule.atom.bytes());
    let small = e.plan.buffers.get(load.buffer as usize).is_some_and(|b| b.elements < i64::from(i32::MAX) / bytes);
    e.target.has(Feature::LdsDma16)
        && small
        && e.plan.has_static_loops()
        && load.mask.is_none()
        && width * bytes == CHUNK_BYTES
        && !steps.is_sized()
        && steps.inner_extent() % i64::from(schedule.steps) == 0
        && Moves::of(e, node, var).is_some()
}

/// The byte of shared memory that a thread's wave begins at, `start` bytes behind the stage: the same in all its lanes.
pub fn wave_start(e: &mut Emitter<'_>, shared: Value, thread: Value, start: i64) -> Value {
    let base = e.code.pure(I32, format!("llvm.ptrtoint {shared} : {} to i32", shared.ty));
    let wave = e.code.shr_uk(thread, i64::from(WAVE.ilog2()));
    let wave = e.code.int_k("arith.muli", wave, WAVE * CHUNK_BYTES);
    let place = e.code.add_i(base, wave);
    let place = e.code.add_ik(place, start);
    e.code.intrinsic("llvm.amdgcn.readfirstlane.i32", &[place], I32)
}

/// Starts the copy of a chunk a lane, from `offset` bytes behind `base`, to the wave's place.
pub fn start(e: &mut Emitter<'_>, place: Value, base: Value, offset: Value) {
    // A write of M0 has to settle.
    const TEXT: &str = "s_mov_b32 m0, $0\\0As_nop 0\\0Aglobal_load_lds_dwordx4 $1, $2";
    e.code.line(&format!(
        "llvm.inline_asm has_side_effects asm_dialect = att \"{TEXT}\", \"s,v,s\" {place}, {offset}, {base} : \
         ({}, {}, {}) -> ()",
        place.ty, offset.ty, base.ty
    ));
}

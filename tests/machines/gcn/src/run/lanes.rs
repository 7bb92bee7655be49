//! Values that cross lanes: reads of one lane, permutations, swizzles, counts below a lane.
//!
//! Worked example: `ds_bpermute_b32 v0, v1, v2` gives lane i the value of v2 in lane `v1[i] / 4`; a lane that EXEC
//! leaves out gives 0.

use super::malformed;
use super::vector::ZERO;
use crate::environment::Environment;
use crate::errors::FaultKind;
use crate::inst::{Inst, Slot, Step, Trap};
use crate::value::Lanes;
use crate::waits::Counter;
use crate::wave::Wave;

/// `v_readfirstlane_b32`; lane 0 where none is active.
pub fn read_first(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let lane = if wave.exec == 0 { 0 } else { wave.exec.trailing_zeros() };
    read(wave, inst, lane)
}

/// `v_readlane_b32`.
pub fn read_lane(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let lane = selector(wave, inst, 1)?;
    read(wave, inst, lane)
}

/// The lane that a scalar names.
fn selector(wave: &Wave, inst: &Inst, at: usize) -> Step<u32> {
    let Some(src) = inst.src.get(at) else { return malformed(inst) };
    let (lane, def) = wave.uniform(src);
    if def as u32 != u32::MAX {
        return Err(Trap::new(FaultKind::Uninitialised, "the number of a lane from a register that nothing wrote"));
    }
    Ok(lane as u32 & (wave.lanes - 1))
}

fn read(wave: &mut Wave, inst: &Inst, lane: u32) -> Step {
    let (Some(src), Some(dst)) = (inst.src.first(), &inst.dst) else { return malformed(inst) };
    let mut space = ZERO;
    let (lanes, def) = wave.raw(src, 0, &mut space);
    let value = lanes[lane as usize];
    let def = if def >> lane & 1 == 1 { u64::MAX } else { 0 };
    wave.set_scalar(dst.slot, 1, u64::from(value), def)
}

/// `v_writelane_b32`: one lane, whatever EXEC says.
pub fn write_lane(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let lane = selector(wave, inst, 1)?;
    let (Some(src), Some(Slot::Vector(register))) = (inst.src.first(), inst.dst.map(|dst| dst.slot)) else {
        return malformed(inst);
    };
    let (value, def) = wave.uniform(src);
    wave.v[register as usize][lane as usize] = value as u32;
    let known = &mut wave.vdef[register as usize];
    *known = *known & !(1 << lane) | u64::from(def as u32 == u32::MAX) << lane;
    Ok(())
}

/// `v_mbcnt_lo` and `_hi` (`imm[0]` = 32): bits of the mask below the lane, added to the second source.
pub fn count_below(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let ([mask, addend], Some(dst)) = (&inst.src[..], &inst.dst) else { return malformed(inst) };
    let [mut s0, mut s1] = [ZERO; 2];
    let (mask, d0) = wave.narrow(mask, &mut s0);
    let (addend, d1) = wave.narrow(addend, &mut s1);
    let first = inst.imm[0];
    let mut result: Lanes = std::array::from_fn(|lane| {
        let below = (lane as i64 - first).clamp(0, 32);
        let low = ((1u64 << below) - 1) as u32;
        (mask[lane] & low).count_ones().wrapping_add(addend[lane])
    });
    wave.set_narrow(dst, &mut result, d0 & d1, u64::MAX);
    Ok(())
}

/// Each lane takes the value of another one: `from` gives its number, or none.
fn take(
    wave: &mut Wave,
    inst: &Inst,
    value: &Lanes,
    def: u64,
    from: impl Fn(usize) -> Option<usize>,
    keep: bool,
) -> Step {
    let Some(dst) = &inst.dst else { return malformed(inst) };
    let (mut result, mut known, mut lanes) = (ZERO, 0u64, 0u64);
    for (lane, out) in result.iter_mut().enumerate() {
        match from(lane).filter(|&from| from < 64) {
            Some(from) => {
                *out = value[from];
                known |= (def >> from & 1) << lane;
            }
            None if keep => continue,
            None => known |= 1 << lane,
        }
        lanes |= 1 << lane;
    }
    wave.set_narrow(dst, &mut result, known, lanes);
    Ok(())
}

/// Results of LDS instructions that touch no memory still come by the counter.
fn mark(wave: &mut Wave, inst: &Inst) {
    let mark = wave.waits.issue(Counter::Lds, false);
    if let Some(Slot::Vector(register)) = inst.dst.map(|dst| dst.slot) {
        wave.vmarks[register as usize] = mark;
    }
}

/// Lanes that one permutation reaches: all, or each half of a wave of 64 on chips with waves of 32.
fn group(environment: &Environment<'_>, wave: &Wave) -> usize {
    if environment.chip.rdna() { 32 } else { wave.lanes as usize }
}

/// Two vector sources of a permutation, and the addresses' definedness checked.
fn permutation(wave: &Wave, inst: &Inst) -> Step<(Lanes, Lanes, u64)> {
    let [address, value] = &inst.src[..] else { return malformed(inst) };
    let [mut s0, mut s1] = [ZERO; 2];
    let (address, known) = wave.narrow(address, &mut s0);
    let unknown = !known & wave.exec;
    if unknown != 0 {
        return Err(Trap::lane(
            FaultKind::Uninitialised,
            unknown.trailing_zeros(),
            "the number of a lane from a register that nothing wrote",
        ));
    }
    let (value, def) = wave.narrow(value, &mut s1);
    Ok((*address, *value, def))
}

pub fn bpermute(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst) -> Step {
    let (address, value, def) = permutation(wave, inst)?;
    let (group, exec, offset) = (group(environment, wave), wave.exec, inst.imm[0] as u32);
    let from = |lane: usize| {
        let other = address[lane].wrapping_add(offset) as usize / 4 % group + lane / group * group;
        (exec >> other & 1 == 1).then_some(other)
    };
    take(wave, inst, &value, def, from, false)?;
    mark(wave, inst);
    Ok(())
}

pub fn permute(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst) -> Step {
    let (address, value, def) = permutation(wave, inst)?;
    let (group, offset) = (group(environment, wave), inst.imm[0] as u32);
    let mut from = [None; 64];
    for lane in (0..wave.lanes as usize).filter(|lane| wave.exec >> lane & 1 == 1) {
        from[address[lane].wrapping_add(offset) as usize / 4 % group + lane / group * group] = Some(lane);
    }
    take(wave, inst, &value, def, |lane| from[lane], false)?;
    mark(wave, inst);
    Ok(())
}

/// `ds_swizzle_b32`: `imm[0]` is the pattern as the hardware has it.
pub fn swizzle(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let Some(src) = inst.src.first() else { return malformed(inst) };
    let mut space = ZERO;
    let (value, def) = wave.narrow(src, &mut space);
    let (value, exec, pattern) = (*value, wave.exec, inst.imm[0] as usize);
    let from = |lane: usize| {
        let other = swizzled(lane, pattern);
        (exec >> other & 1 == 1).then_some(other)
    };
    take(wave, inst, &value, def, from, false)?;
    mark(wave, inst);
    Ok(())
}

/// The source lane of a swizzle: quads, or and-or-xor masks in groups of 32, or a rotation.
pub fn swizzled(lane: usize, pattern: usize) -> usize {
    if pattern & 0x8000 == 0 {
        let (and, or, xor) = (pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31);
        return lane & !31 | (((lane & and) | or) ^ xor) & 31;
    }
    if pattern & 0xff00 == 0x8000 {
        return lane & !3 | pattern >> (2 * (lane & 3)) & 3;
    }
    // Rotation: bit 10 the direction, bits 5 … 9 by how much, bits 0 … 4 which lane bits stay.
    let (keep, by) = (pattern & 31, pattern >> 5 & 31);
    let turned = if pattern >> 10 & 1 == 0 { lane + by } else { lane + 32 - by } & 31;
    lane & !31 | (lane & keep) | (turned & !keep & 31)
}

/// `v_permlane16_b32` and `v_permlanex16_b32` (`imm[0]` = 16): a lane of the same row, or of the row next to it.
/// `flags`: bit 0 reads inactive lanes, bit 1 gives 0 for them.
pub fn permlane(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let [src, low, high] = &inst.src[..] else { return malformed(inst) };
    let ((low, d0), (high, d1)) = (wave.uniform(low), wave.uniform(high));
    if (d0 & d1) as u32 != u32::MAX {
        return Err(Trap::new(FaultKind::Uninitialised, "numbers of lanes from a register that nothing wrote"));
    }
    let select = u64::from(low as u32) | u64::from(high as u32) << 32;
    let mut space = ZERO;
    let (value, def) = wave.narrow(src, &mut space);
    let (value, exec, flags, other) = (*value, wave.exec, inst.flags, inst.imm[0] as usize);
    let from = |lane: usize| {
        let from = ((lane & !15) ^ other) | (select >> (4 * (lane & 15)) & 15) as usize;
        (flags & 1 == 1 || exec >> from & 1 == 1).then_some(from)
    };
    take(wave, inst, &value, def, from, flags & 2 == 0)
}

/// `v_permlane64_b32`: the other half of a wave of 64.
pub fn permlane64(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let Some(src) = inst.src.first() else { return malformed(inst) };
    let mut space = ZERO;
    let (value, def) = wave.narrow(src, &mut space);
    let (value, half) = (*value, wave.lanes as usize / 2);
    take(wave, inst, &value, def, |lane| Some(if half == 32 { lane ^ 32 } else { lane }), false)
}

/// `v_swap_b32`, and `v_permlane16_swap_b32`, `v_permlane32_swap_b32` (`imm[0]` = 16, 32): rows of the first register
/// change places with rows of the second one.
pub fn swap(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let (Some(Slot::Vector(a)), Some(Slot::Vector(b))) =
        (inst.dst.map(|dst| dst.slot), inst.src.first().map(|src| src.slot))
    else {
        return malformed(inst);
    };
    let (first, second) = (wave.v[a as usize], wave.v[b as usize]);
    let (da, db) = (wave.vdef[a as usize], wave.vdef[b as usize]);
    let by = inst.imm[0] as usize;
    if by == 0 {
        wave.set_word(a, &second, db, u64::MAX);
        wave.set_word(b, &first, da, u64::MAX);
        return Ok(());
    }
    // The odd groups of the first register and the even groups of the second one.
    let (mut x, mut y, mut dx, mut dy) = (first, second, da, db);
    for lane in (0..64).filter(|lane| lane & by != 0) {
        let other = lane ^ by;
        x[lane] = second[other];
        y[other] = first[lane];
        dx = dx & !(1 << lane) | (db >> other & 1) << lane;
        dy = dy & !(1 << other) | (da >> lane & 1) << other;
    }
    wave.set_word(a, &x, dx, u64::MAX);
    wave.set_word(b, &y, dy, u64::MAX);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::swizzled;

    #[test]
    fn swizzles() {
        assert_eq!(swizzled(5, 0x041f), 4, "xor 1");
        assert_eq!(swizzled(37, 0x401f), 53, "xor 16 stays in its half");
        assert_eq!(swizzled(6, 0x8000 | 0b00_01_10_11), 5, "a quad turned around");
        assert_eq!(swizzled(31, 0xc000 | 1 << 5), 0, "rotated by one");
    }
}

//! Vector instructions that compute each lane by itself, and comparisons.
//!
//! Input: sources of 32 or 64 bits with parts, signs and DPP. Output: the result where EXEC allows. Worked example:
//! `v_add_f32 v0, v1, 1.0 clamp` fetches v1, splats 1.0, adds 64 lanes, holds them in [0, 1] and writes the active
//! ones.

use super::malformed;
use crate::environment::Environment;
use crate::inst::{Alu, Dst, Inst, Slot, Src, Step};
use crate::text::{EXEC, VCC};
use crate::value::{Lanes, Type, Value, Wide, flush};
use crate::wave::{Wave, shape};

pub const ZERO: Lanes = [0; 64];
const ZERO_WIDE: Wide = [0; 64];

/// Bits of MODE: whether f32 denormals are kept.
const KEEP_DENORMALS: u32 = 3 << 4;

impl Wave {
    fn flushes(&self) -> bool {
        self.mode & KEEP_DENORMALS != KEEP_DENORMALS
    }
}

/// Source `at` of an instruction: lanes, which are defined. Zeros where there is none.
#[inline(always)]
fn source<'a>(wave: &'a Wave, inst: &Inst, at: usize, space: &'a mut Lanes) -> (&'a Lanes, u64) {
    match inst.src.get(at) {
        Some(src) => wave.narrow(src, space),
        None => (&ZERO, u64::MAX),
    }
}

/// The first source moved by DPP: lanes that take part, which are defined.
pub fn moved(wave: &Wave, inst: &Inst, src: &Src, space: &mut Lanes) -> (u64, u64) {
    let Some(dpp) = &inst.dpp else { return (u64::MAX, 0) };
    let mut other = ZERO;
    let (raw, def) = wave.raw(src, 0, &mut other);
    let (lanes, def) = wave.dpp(dpp, raw, def, space);
    if !src.plain {
        shape(src, space);
    }
    (lanes, def)
}

/// Rows on operands of at most 32 bits.
pub fn narrow(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let Some(dst) = &inst.dst else { return malformed(inst) };
    let mut result = ZERO;
    let (def, lanes) = compute(wave, inst, &mut result)?;
    wave.set_narrow(dst, &mut result, def, lanes);
    Ok(())
}

/// The result of a narrow row, not yet written: which lanes are defined, which take part.
#[inline(always)]
pub fn compute(wave: &Wave, inst: &Inst, result: &mut Lanes) -> Step<(u64, u64)> {
    let (Alu::Narrow(f), Some(dst)) = (inst.alu, &inst.dst) else { return malformed(inst) };
    let [mut s0, mut s1, mut s2] = [ZERO; 3];
    let mut lanes = u64::MAX;
    let (a, d0) = match (&inst.dpp, inst.src.first()) {
        (Some(_), Some(src)) => {
            let (taking, def) = moved(wave, inst, src, &mut s0);
            lanes = taking;
            (&s0, def)
        }
        _ => source(wave, inst, 0, &mut s0),
    };
    let (b, d1) = source(wave, inst, 1, &mut s1);
    let (c, d2) = source(wave, inst, 2, &mut s2);
    if wave.flushes() && inst.src.iter().any(|src| src.ty == Type::F32) {
        let mut copies = [*a, *b, *c];
        for (copy, src) in copies.iter_mut().zip(&inst.src) {
            flush_lanes(copy, src.ty);
        }
        let [a, b, c] = &copies;
        f(&[a, b, c], result);
        finish(inst, dst, result);
        flush_lanes(result, dst.ty);
    } else {
        f(&[a, b, c], result);
        finish(inst, dst, result);
    }
    Ok((d0 & d1 & d2, lanes))
}

fn flush_lanes(lanes: &mut Lanes, ty: Type) {
    if ty == Type::F32 {
        lanes.iter_mut().for_each(|lane| *lane = flush(f32::from_bits(*lane)).to_bits());
    }
}

/// Output modifiers: a power of two, the clamp.
#[inline(always)]
fn finish(inst: &Inst, dst: &Dst, result: &mut Lanes) {
    if inst.omod == 0 && !inst.clamp {
        return;
    }
    let factor = f32::from_bits(((127 + i32::from(inst.omod)) as u32) << 23);
    for lane in result.iter_mut() {
        *lane = match dst.ty {
            Type::F32 => clamped(f32::from_bits(*lane) * factor, inst.clamp).to_bits(),
            Type::F16 => {
                let value = crate::value::Half::get(u64::from(*lane)).0 * factor;
                crate::value::Half(clamped(value, inst.clamp)).put() as u32
            }
            _ => *lane,
        };
    }
}

/// Held in [0, 1]; NaN becomes 0.
fn clamped(value: f32, clamp: bool) -> f32 {
    match clamp {
        true if value > 0.0 => value.min(1.0),
        true => 0.0,
        false => value,
    }
}

/// `flags` of rows whose low word depends on the low words of their sources alone.
pub const LOW_FIRST: u32 = 1;

/// Rows with a 64-bit operand.
pub fn wide(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let (Alu::Wide(f), Some(dst)) = (inst.alu, &inst.dst) else { return malformed(inst) };
    let mut spaces = [ZERO_WIDE; 3];
    let (mut def, mut low, mut lanes) = (u64::MAX, u64::MAX, u64::MAX);
    for (at, (space, src)) in spaces.iter_mut().zip(&inst.src).enumerate() {
        if at == 0 && inst.dpp.is_some() {
            let (taking, known) = moved_wide(wave, inst, src, space);
            lanes = taking;
            def &= known;
            low &= known;
            continue;
        }
        low &= wave.low_word(src);
        def &= wave.wide(src, space);
    }
    let mut result = ZERO_WIDE;
    let [a, b, c] = &spaces;
    f(&[a, b, c], &mut result);
    if inst.clamp || inst.omod != 0 {
        finish_wide(inst, dst, &mut result);
    }
    let low = if inst.flags == LOW_FIRST { low } else { def };
    wave.set_wide_words(dst, &result, [low, def], lanes);
    Ok(())
}

fn moved_wide(wave: &Wave, inst: &Inst, src: &Src, space: &mut Wide) -> (u64, u64) {
    let (mut low, mut high) = (ZERO, ZERO);
    let one = Src { words: 1, plain: true, ..*src };
    let (lanes, mut def) = moved(wave, inst, &one, &mut low);
    if let (2, Slot::Vector(first)) = (src.words, src.slot) {
        def &= moved(wave, inst, &Src { slot: Slot::Vector(first + 1), ..one }, &mut high).1;
    }
    for ((wide, low), high) in space.iter_mut().zip(low).zip(high) {
        *wide = u64::from(low) | u64::from(high) << 32;
    }
    (lanes, def)
}

fn finish_wide(inst: &Inst, dst: &Dst, result: &mut Wide) {
    let factor = 2f64.powi(i32::from(inst.omod));
    for lane in result.iter_mut() {
        *lane = match dst.ty {
            Type::F64 => {
                let value = f64::from_bits(*lane) * factor;
                (if !inst.clamp {
                    value
                } else if value > 0.0 {
                    value.min(1.0)
                } else {
                    0.0
                })
                .to_bits()
            }
            Type::F32 => u64::from(clamped(f32::from_bits(*lane as u32) * factor as f32, inst.clamp).to_bits()),
            _ => *lane,
        };
    }
}

/// Comparisons: a lane mask, into a scalar pair, VCC or EXEC.
pub fn compare(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let [first, second] = &inst.src[..] else { return malformed(inst) };
    let mut lanes = u64::MAX;
    let (mask, def) = match inst.alu {
        Alu::Compare(f) => {
            let [mut s0, mut s1] = [ZERO; 2];
            let (a, d0) = if inst.dpp.is_some() {
                let (taking, def) = moved(wave, inst, first, &mut s0);
                lanes = taking;
                (&s0, def)
            } else {
                wave.narrow(first, &mut s0)
            };
            let (b, d1) = wave.narrow(second, &mut s1);
            (if wave.flushes() { flushed(f, first.ty, a, b) } else { f(&[a, b]) }, d0 & d1)
        }
        Alu::CompareWide(f) => {
            let [mut a, mut b] = [ZERO_WIDE; 2];
            let def = wave.wide(first, &mut a) & wave.wide(second, &mut b);
            (f(&[&a, &b]), def)
        }
        _ => return malformed(inst),
    };
    for dst in [&inst.dst, &inst.dst2].into_iter().flatten() {
        match dst.slot {
            Slot::Scalar(EXEC) => {
                let words = if wave.lanes == 64 { 2 } else { 1 };
                wave.set_scalar(dst.slot, words, mask & lanes & wave.exec, def | !wave.exec)?;
            }
            Slot::Scalar(register) if lanes != u64::MAX => {
                let (old, _) = wave.scalar(register, if wave.lanes == 64 { 2 } else { 1 });
                wave.set_mask(dst.slot, mask & lanes | old & !lanes, def)?;
            }
            slot => wave.set_mask(slot, mask, def)?,
        }
    }
    Ok(())
}

fn flushed(f: fn(&[&Lanes; 2]) -> u64, ty: Type, a: &Lanes, b: &Lanes) -> u64 {
    let (mut a, mut b) = (*a, *b);
    flush_lanes(&mut a, ty);
    flush_lanes(&mut b, ty);
    f(&[&a, &b])
}

/// `v_cndmask`: the second source where the mask is set.
pub fn choose(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let Some(dst) = &inst.dst else { return malformed(inst) };
    let mut result = ZERO;
    let (def, lanes) = chosen(wave, inst, &mut result)?;
    wave.set_narrow(dst, &mut result, def, lanes);
    Ok(())
}

pub fn chosen(wave: &Wave, inst: &Inst, result: &mut Lanes) -> Step<(u64, u64)> {
    let [first, second, rest @ ..] = &inst.src[..] else { return malformed(inst) };
    let (mask, known) = match rest.first() {
        Some(mask) => wave.mask(mask),
        None => wave.scalar(VCC, if wave.lanes == 64 { 2 } else { 1 }),
    };
    let [mut s0, mut s1] = [ZERO; 2];
    let mut lanes = u64::MAX;
    let (a, d0) = if inst.dpp.is_some() {
        let (taking, def) = moved(wave, inst, first, &mut s0);
        lanes = taking;
        (&s0, def)
    } else {
        wave.narrow(first, &mut s0)
    };
    let (b, d1) = wave.narrow(second, &mut s1);
    for lane in 0..64 {
        result[lane] = if mask >> lane & 1 == 1 { b[lane] } else { a[lane] };
    }
    Ok(((d0 & !mask | d1 & mask) & known, lanes))
}

/// Two instructions in one: both read before either writes.
pub fn dual(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst) -> Step {
    let Some(other) = &inst.dual else { return malformed(inst) };
    let mut results = [ZERO; 2];
    let mut known = [0; 2];
    for (inst, (result, def)) in [inst, &**other].into_iter().zip(results.iter_mut().zip(&mut known)) {
        *def = match inst.alu {
            Alu::Narrow(_) => compute(wave, inst, result)?.0,
            _ => chosen(wave, inst, result)?.0,
        };
    }
    let _ = environment;
    for (inst, (result, def)) in [inst, &**other].into_iter().zip(results.iter_mut().zip(known)) {
        if let Some(dst) = &inst.dst {
            wave.set_narrow(dst, result, def, u64::MAX);
        }
    }
    Ok(())
}

/// A row on one scalar (`v_s_rcp_f32`): lane 0 of a splat.
pub fn uniform(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let Some(dst) = &inst.dst else { return malformed(inst) };
    let mut result = ZERO;
    let (def, _) = compute(wave, inst, &mut result)?;
    wave.set_scalar(dst.slot, 1, u64::from(result[0]), if def == u64::MAX { u64::MAX } else { 0 })
}

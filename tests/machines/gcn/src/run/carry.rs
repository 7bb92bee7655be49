//! Vector instructions with a lane mask besides their numbers: sums with carry, the scaling of divisions, products of
//! 64 bits.
//!
//! Worked example: `v_add_co_u32 v0, vcc, v1, v2` then `v_addc_co_u32 v3, vcc, v4, v5, vcc` add 64-bit numbers; a lane
//! of VCC carries.

use super::malformed;
use super::vector::{ZERO, moved};
use crate::environment::Environment;
use crate::inst::{Inst, Slot, Step, Touched};
use crate::table::division::{F32, F64, Scaling};
use crate::table::float::scale;
use crate::text::VCC;
use crate::value::{Type, Wide};
use crate::wave::Wave;

/// What `imm[0]` of a sum says.
pub const ADD: i64 = 0;
pub const SUB: i64 = 1;
pub const SUBREV: i64 = 2;

/// Sums and differences of 32 bits with a carry out, and with one in where there is a third source.
pub fn sum(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let ([first, second, rest @ ..], Some(dst)) = (&inst.src[..], &inst.dst) else { return malformed(inst) };
    let (carry, known) = match rest.first() {
        Some(mask) => wave.mask(mask),
        None => (0, u64::MAX),
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
    let (mut result, mut out) = (ZERO, 0u64);
    for lane in 0..64 {
        let (a, b, c) = (u64::from(a[lane]), u64::from(b[lane]), carry >> lane & 1);
        let (value, over) = match inst.imm[0] {
            ADD => (a + b + c, a + b + c > 0xffff_ffff),
            SUB => (a.wrapping_sub(b + c), b + c > a),
            _ => (b.wrapping_sub(a + c), a + c > b),
        };
        out |= u64::from(over) << lane;
        result[lane] = match (inst.clamp && over, inst.imm[0]) {
            (true, ADD) => u32::MAX,
            (true, _) => 0,
            _ => value as u32,
        };
    }
    let def = d0 & d1 & known;
    wave.set_narrow(dst, &mut result, def, lanes);
    match &inst.dst2 {
        Some(mask) => wave.set_mask(mask.slot, out, def),
        None => Ok(()),
    }
}

/// `v_mad_u64_u32`, `v_mad_i64_i32` (`imm[0]` = 1): a product of 32-bit numbers added to 64 bits.
pub fn product(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let ([first, second, third], Some(dst)) = (&inst.src[..], &inst.dst) else { return malformed(inst) };
    let [mut a, mut b, mut c]: [Wide; 3] = [[0; 64]; 3];
    let factors = wave.wide(first, &mut a) & wave.wide(second, &mut b);
    // The low word of the sum does not depend on the high one of the addend.
    let low = factors & wave.low_word(third);
    let def = factors & wave.wide(third, &mut c);
    let mut over = 0;
    for lane in 0..64 {
        let (sum, carry) = if inst.imm[0] == 1 {
            let product = i64::from(a[lane] as i32) * i64::from(b[lane] as i32);
            let (sum, carry) = product.overflowing_add(c[lane] as i64);
            (sum as u64, carry)
        } else {
            (a[lane] * b[lane]).overflowing_add(c[lane])
        };
        c[lane] = sum;
        over |= u64::from(carry) << lane;
    }
    wave.set_wide_words(dst, &c, [low, def], u64::MAX);
    match &inst.dst2 {
        Some(mask) => wave.set_mask(mask.slot, over, def),
        None => Ok(()),
    }
}

fn limits(ty: Type) -> Scaling {
    if ty == Type::F64 { F64 } else { F32 }
}

fn number(bits: u64, ty: Type) -> f64 {
    if ty == Type::F64 { f64::from_bits(bits) } else { f64::from(f32::from_bits(bits as u32)) }
}

fn bits(value: f64, ty: Type) -> u64 {
    if ty == Type::F64 { value.to_bits() } else { u64::from((value as f32).to_bits()) }
}

/// `v_div_scale`: one operand of a division scaled, and the lanes whose result must be scaled back.
pub fn div_scale(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let ([value, below, above], Some(dst), Some(mask)) = (&inst.src[..], &inst.dst, &inst.dst2) else {
        return malformed(inst);
    };
    let [mut v, mut b, mut a]: [Wide; 3] = [[0; 64]; 3];
    let def = wave.wide(value, &mut v) & wave.wide(below, &mut b) & wave.wide(above, &mut a);
    let mut back = 0;
    for lane in 0..64 {
        let of = |bits: u64| number(bits, dst.ty);
        let (scaled, lane_back) = limits(dst.ty).scale(of(v[lane]), of(b[lane]), of(a[lane]));
        // What is not scaled keeps its bits.
        if scaled != of(v[lane]) {
            v[lane] = bits(scaled, dst.ty);
        }
        back |= u64::from(lane_back) << lane;
    }
    wave.set_wide(dst, &v, def, u64::MAX);
    wave.set_mask(mask.slot, back, def)
}

/// `v_div_fmas`: a product and a sum, scaled back where VCC says so.
pub fn div_fmas(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let ([first, second, third], Some(dst)) = (&inst.src[..], &inst.dst) else { return malformed(inst) };
    let [mut a, mut b, mut c]: [Wide; 3] = [[0; 64]; 3];
    let def = wave.wide(first, &mut a) & wave.wide(second, &mut b) & wave.wide(third, &mut c);
    let (mask, known) = wave.vcc();
    for lane in 0..64 {
        let addend = number(c[lane], dst.ty);
        let power = if mask >> lane & 1 == 1 { limits(dst.ty).back(addend) } else { 0 };
        c[lane] = if dst.ty == Type::F64 {
            let sum = f64::from_bits(a[lane]).mul_add(f64::from_bits(b[lane]), addend);
            if power == 0 { sum.to_bits() } else { scale(sum, power).to_bits() }
        } else {
            let of = |bits: u64| f32::from_bits(bits as u32);
            let sum = of(a[lane]).mul_add(of(b[lane]), of(c[lane]));
            u64::from(if power == 0 { sum } else { scale(f64::from(sum), power) as f32 }.to_bits())
        };
    }
    wave.set_wide(dst, &c, def & known, u64::MAX);
    Ok(())
}

/// Registers that `v_div_fmas` reads besides its operands.
pub const IMPLICIT: Touched = Touched { slot: Slot::Scalar(VCC), count: 2, by: None };

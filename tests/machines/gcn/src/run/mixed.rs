//! Packed halves and pairs, sums of mixed types, eight-bit floats, free logic of three operands.
//!
//! Packed instructions run the row of one half twice; `op_sel` chooses the halves that the low result is made of,
//! `op_sel_hi` those of the high one. Worked example: `v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]` adds the
//! halves of v1 crosswise.

use super::malformed;
use super::vector::ZERO;
use crate::environment::Environment;
use crate::inst::{Alu, Inst, Part, Src, Step};
use crate::table::small::Small;
use crate::value::{Half, Lanes, Type, Value, Wide, nearest_f16, sum_to_odd};
use crate::wave::Wave;

/// Fields of `flags`: four bits each.
pub const OP_SEL: u32 = 0;
pub const OP_SEL_HI: u32 = 4;
pub const NEG_LO: u32 = 8;
pub const NEG_HI: u32 = 12;

fn bit(inst: &Inst, field: u32, at: usize) -> bool {
    inst.flags >> (field + at as u32) & 1 == 1
}

/// One half of a source, with its sign.
fn half(wave: &Wave, inst: &Inst, at: usize, high: bool, space: &mut Lanes) -> u64 {
    let src = &inst.src[at];
    let (select, neg) = if high { (OP_SEL_HI, NEG_HI) } else { (OP_SEL, NEG_LO) };
    let part = if bit(inst, select, at) { Part::High } else { Part::Low };
    let src = Src {
        part,
        ty: if src.ty.is_half() { src.ty } else { Type::F16 },
        neg: bit(inst, neg, at),
        plain: false,
        ..*src
    };
    let mut other = ZERO;
    let (lanes, def) = wave.narrow(&src, &mut other);
    *space = *lanes;
    def
}

/// Packed instructions of 16-bit halves: the row of one half, twice.
pub fn packed(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let (Alu::Narrow(f), Some(dst)) = (inst.alu, &inst.dst) else { return malformed(inst) };
    let (mut result, mut def) = (ZERO, u64::MAX);
    for high in [false, true] {
        let mut spaces = [ZERO; 3];
        for (at, space) in spaces.iter_mut().enumerate().take(inst.src.len()) {
            def &= half(wave, inst, at, high, space);
        }
        let mut part = ZERO;
        let [a, b, c] = &spaces;
        f(&[a, b, c], &mut part);
        for (out, part) in result.iter_mut().zip(part) {
            let part = if inst.clamp { Half(Half::get(u64::from(part)).0.clamp(0.0, 1.0)).put() as u32 } else { part };
            *out |= (part & 0xffff) << if high { 16 } else { 0 };
        }
    }
    wave.set_narrow(dst, &mut result, def, u64::MAX);
    Ok(())
}

/// `v_dot2`: words put together from the chosen halves, then the row.
pub fn dot(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let (Alu::Narrow(f), Some(dst)) = (inst.alu, &inst.dst) else { return malformed(inst) };
    let (mut words, mut def) = ([ZERO; 3], u64::MAX);
    for (at, word) in words.iter_mut().enumerate().take(inst.src.len()) {
        if at == 2 {
            let mut space = ZERO;
            let (lanes, known) = wave.narrow(&inst.src[at], &mut space);
            *word = *lanes;
            def &= known;
            continue;
        }
        let [mut low, mut high] = [ZERO; 2];
        def &= half(wave, inst, at, false, &mut low) & half(wave, inst, at, true, &mut high);
        *word = std::array::from_fn(|lane| low[lane] & 0xffff | high[lane] << 16);
    }
    let mut result = ZERO;
    let [a, b, c] = &words;
    f(&[a, b, c], &mut result);
    wave.set_narrow(dst, &mut result, def, u64::MAX);
    Ok(())
}

/// Packed instructions of two 32-bit numbers: the row of one, twice.
pub fn pair(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let (Alu::Narrow(f), Some(dst)) = (inst.alu, &inst.dst) else { return malformed(inst) };
    let (mut both, mut defs) = ([ZERO; 2], [u64::MAX; 2]);
    for ((high, out), def) in [false, true].into_iter().zip(&mut both).zip(&mut defs) {
        let mut spaces = [ZERO; 3];
        for (at, (space, src)) in spaces.iter_mut().zip(&inst.src).enumerate() {
            let (select, neg) = if high { (OP_SEL_HI, NEG_HI) } else { (OP_SEL, NEG_LO) };
            let mut other = ZERO;
            let (lanes, known) = wave.raw(src, u16::from(bit(inst, select, at)), &mut other);
            *space = *lanes;
            *def &= known;
            if bit(inst, neg, at) {
                space.iter_mut().for_each(|lane| *lane ^= 1 << 31);
            }
        }
        let [a, b, c] = &spaces;
        f(&[a, b, c], out);
    }
    let result: Wide = std::array::from_fn(|lane| u64::from(both[0][lane]) | u64::from(both[1][lane]) << 32);
    wave.set_wide_words(dst, &result, defs, u64::MAX);
    Ok(())
}

/// `v_pk_mov_b32`: one word of the first source, one of the second.
pub fn pair_move(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let ([first, second], Some(dst)) = (&inst.src[..], &inst.dst) else { return malformed(inst) };
    let [mut s0, mut s1] = [ZERO; 2];
    let (low, d0) = wave.raw(first, u16::from(bit(inst, OP_SEL, 0)), &mut s0);
    let (high, d1) = wave.raw(second, u16::from(bit(inst, OP_SEL, 1)), &mut s1);
    let result: Wide = std::array::from_fn(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32);
    wave.set_wide_words(dst, &result, [d0, d1], u64::MAX);
    Ok(())
}

/// `v_fma_mix`: each source an f32, or a half of one where `op_sel_hi` says so. The result's type is the destination's.
/// `imm[0]` = 1: the product is rounded before it is added (`v_mad_mix`).
pub fn mix(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let Some(dst) = &inst.dst else { return malformed(inst) };
    if inst.src.len() != 3 {
        return malformed(inst);
    }
    let (mut spaces, mut def) = ([ZERO; 3], u64::MAX);
    for (at, (space, src)) in spaces.iter_mut().zip(&inst.src).enumerate() {
        let is_half = bit(inst, OP_SEL_HI, at);
        let part = match (is_half, bit(inst, OP_SEL, at)) {
            (false, _) => Part::Whole,
            (true, false) => Part::Low,
            (true, true) => Part::High,
        };
        let ty = if is_half { Type::F16 } else { Type::F32 };
        let mut other = ZERO;
        let (lanes, known) = wave.narrow(&Src { part, ty, plain: false, ..*src }, &mut other);
        def &= known;
        for (out, lane) in space.iter_mut().zip(lanes) {
            *out = if is_half { Half::get(u64::from(*lane)).0.to_bits() } else { *lane };
        }
    }
    let [a, b, c] = spaces;
    let mut result: Lanes = std::array::from_fn(|lane| {
        let (a, b, c) = (f32::from_bits(a[lane]), f32::from_bits(b[lane]), f32::from_bits(c[lane]));
        let single = |value: f32| if inst.clamp { value.clamp(0.0, 1.0) } else { value };
        match (dst.ty, inst.imm[0]) {
            (Type::F32, 1) => single(a * b + c).to_bits(),
            (Type::F32, _) => single(a.mul_add(b, c)).to_bits(),
            (_, 1) => Half(single(a * b + c)).put() as u32,
            _ if inst.clamp => Half(single(a.mul_add(b, c))).put() as u32,
            // One rounding: the product is exact in f64.
            _ => nearest_f16(sum_to_odd(f64::from(a) * f64::from(b), f64::from(c))).into(),
        }
    });
    wave.set_narrow(dst, &mut result, def, u64::MAX);
    Ok(())
}

/// `v_bitop3`: any function of three bits; `imm[0]` is its truth table.
pub fn free_logic(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let ([first, second, third], Some(dst)) = (&inst.src[..], &inst.dst) else { return malformed(inst) };
    let [mut s0, mut s1, mut s2] = [ZERO; 3];
    let ((a, d0), (b, d1), (c, d2)) =
        (wave.narrow(first, &mut s0), wave.narrow(second, &mut s1), wave.narrow(third, &mut s2));
    let mut result = ZERO;
    for row in (0..8).filter(|row| inst.imm[0] >> row & 1 == 1) {
        let turned = |word: u32, at: i64| if row >> at & 1 == 1 { word } else { !word };
        for lane in 0..64 {
            result[lane] |= turned(a[lane], 2) & turned(b[lane], 1) & turned(c[lane], 0);
        }
    }
    wave.set_narrow(dst, &mut result, d0 & d1 & d2, u64::MAX);
    Ok(())
}

/// Which eight-bit format: `imm[0]` 0 is fp8, 1 is bf8.
fn small(inst: &Inst, environment: &Environment<'_>) -> Small {
    let fnuz = environment.chip.fnuz;
    if inst.imm[0] == 1 { Small::bf8(fnuz) } else { Small::fp8(fnuz) }
}

/// `v_cvt_f32_fp8`: one byte (the source's part) as f32.
pub fn from_small(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst) -> Step {
    let ([src], Some(dst)) = (&inst.src[..], &inst.dst) else { return malformed(inst) };
    let mut space = ZERO;
    let (lanes, def) = wave.narrow(src, &mut space);
    let small = small(inst, environment);
    let mut result = lanes.map(|lane| small.value(lane as u8).to_bits());
    wave.set_narrow(dst, &mut result, def, u64::MAX);
    Ok(())
}

/// `v_cvt_pk_f32_fp8`: two bytes, of the low or high half, as two f32.
pub fn pair_from_small(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst) -> Step {
    let ([src], Some(dst)) = (&inst.src[..], &inst.dst) else { return malformed(inst) };
    let mut space = ZERO;
    let (lanes, def) = wave.narrow(src, &mut space);
    let small = small(inst, environment);
    let of = |byte: u32| u64::from(small.value(byte as u8).to_bits());
    let result: Wide = std::array::from_fn(|lane| of(lanes[lane]) | of(lanes[lane] >> 8) << 32);
    wave.set_wide(dst, &result, def, u64::MAX);
    Ok(())
}

/// `v_cvt_pk_fp8_f32`: two f32 as two bytes of one half.
pub fn pair_to_small(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst) -> Step {
    let ([first, second], Some(dst)) = (&inst.src[..], &inst.dst) else { return malformed(inst) };
    let [mut s0, mut s1] = [ZERO; 2];
    let ((a, d0), (b, d1)) = (wave.narrow(first, &mut s0), wave.narrow(second, &mut s1));
    let small = small(inst, environment);
    // Without the mode bit for overflow the conversion does not saturate on gfx950; FNUZ chips by default saturate only
    // with clamp.
    let byte = |bits: u32| u32::from(small.nearest(f32::from_bits(bits), inst.clamp));
    let mut result: Lanes = std::array::from_fn(|lane| byte(a[lane]) | byte(b[lane]) << 8);
    wave.set_narrow(dst, &mut result, d0 & d1, u64::MAX);
    Ok(())
}

//! Float instructions of the scalar unit (gfx11.5, gfx12): sums, products, comparisons, conversions.
//!
//! Worked example: `s_fmac_f32` adds the product of its sources to its destination with one rounding.

use half::f16;

use super::convert::toward_zero;
use super::float::{maximum, minimum};
use super::scalar::{ScalarRow, float_row, float_sum_row};
use crate::inst::{ScalarIn, ScalarOut};
use crate::value::{Half, Value, max32, min32};

fn one(i: ScalarIn, f: impl Fn(f32) -> f32) -> ScalarOut {
    ScalarOut { d: u64::from(f(f32::from_bits(i.a as u32)).to_bits()), scc: None }
}

fn two(i: ScalarIn, f: impl Fn(f32, f32) -> f32) -> ScalarOut {
    let (a, b) = (f32::from_bits(i.a as u32), f32::from_bits(i.b as u32));
    ScalarOut { d: u64::from(f(a, b).to_bits()), scc: None }
}

fn half(i: ScalarIn, f: impl Fn(f32, f32) -> f32) -> ScalarOut {
    let (a, b) = (f16::from_bits(i.a as u16).to_f32(), f16::from_bits(i.b as u16).to_f32());
    ScalarOut { d: u64::from(f16::from_f32(f(a, b)).to_bits()), scc: None }
}

fn fma(a: u64, b: u64, addend: u64) -> ScalarOut {
    let of = |bits: u64| f32::from_bits(bits as u32);
    ScalarOut { d: u64::from(of(a).mul_add(of(b), of(addend)).to_bits()), scc: None }
}

fn relation([a, b]: [f32; 2], f: impl Fn(f32, f32) -> bool) -> ScalarOut {
    ScalarOut { d: 0, scc: Some(f(a, b)) }
}

fn fma_half(i: ScalarIn) -> ScalarOut {
    let of = |bits: u64| Half::get(bits);
    bits(u32::from(crate::value::fma_half(of(i.a), of(i.b), of(i.c))))
}

fn bits(d: u32) -> ScalarOut {
    ScalarOut { d: u64::from(d), scc: None }
}

pub const ROWS: &[ScalarRow] = &[
    float_row("s_add_f32", 1, &[1, 1], |i| two(i, |a, b| a + b)),
    float_row("s_sub_f32", 1, &[1, 1], |i| two(i, |a, b| a - b)),
    float_row("s_mul_f32", 1, &[1, 1], |i| two(i, |a, b| a * b)),
    float_row("s_max_f32", 1, &[1, 1], |i| two(i, max32)),
    float_row("s_min_f32", 1, &[1, 1], |i| two(i, min32)),
    float_row("s_maximum_f32", 1, &[1, 1], |i| two(i, maximum)),
    float_row("s_minimum_f32", 1, &[1, 1], |i| two(i, minimum)),
    float_row("s_add_f16", 1, &[1, 1], |i| half(i, |a, b| a + b)),
    float_row("s_sub_f16", 1, &[1, 1], |i| half(i, |a, b| a - b)),
    float_row("s_mul_f16", 1, &[1, 1], |i| half(i, |a, b| a * b)),
    float_row("s_max_f16", 1, &[1, 1], |i| half(i, max32)),
    float_row("s_min_f16", 1, &[1, 1], |i| half(i, min32)),
    float_sum_row("s_fmac_f32", |i| fma(i.a, i.b, i.c)),
    float_row("s_fmaak_f32", 1, &[1, 1, 1], |i| fma(i.a, i.b, i.c)),
    float_row("s_fmamk_f32", 1, &[1, 1, 1], |i| fma(i.a, i.b, i.c)),
    float_sum_row("s_fmac_f16", fma_half),
    float_row("s_ceil_f16", 1, &[1], |i| half(i, |a, _| a.ceil())),
    float_row("s_floor_f16", 1, &[1], |i| half(i, |a, _| a.floor())),
    float_row("s_trunc_f16", 1, &[1], |i| half(i, |a, _| a.trunc())),
    float_row("s_rndne_f16", 1, &[1], |i| half(i, |a, _| a.round_ties_even())),
    float_row("s_maximum_f16", 1, &[1, 1], |i| half(i, maximum)),
    float_row("s_minimum_f16", 1, &[1, 1], |i| half(i, minimum)),
    float_row("s_cvt_pk_rtz_f16_f32", 1, &[1, 1], |i| {
        let of = |bits: u64| u32::from(toward_zero(f32::from_bits(bits as u32)));
        bits(of(i.a) | of(i.b) << 16)
    }),
    float_row("s_ceil_f32", 1, &[1], |i| one(i, f32::ceil)),
    float_row("s_floor_f32", 1, &[1], |i| one(i, f32::floor)),
    float_row("s_trunc_f32", 1, &[1], |i| one(i, f32::trunc)),
    float_row("s_rndne_f32", 1, &[1], |i| one(i, f32::round_ties_even)),
    float_row("s_cvt_f32_i32", 1, &[1], |i| bits((i.a as i32 as f32).to_bits())),
    float_row("s_cvt_f32_u32", 1, &[1], |i| bits((i.a as u32 as f32).to_bits())),
    float_row("s_cvt_i32_f32", 1, &[1], |i| bits(f32::from_bits(i.a as u32) as i32 as u32)),
    float_row("s_cvt_u32_f32", 1, &[1], |i| bits(f32::from_bits(i.a as u32) as u32)),
    float_row("s_cvt_f16_f32", 1, &[1], |i| bits(u32::from(f16::from_f32(f32::from_bits(i.a as u32)).to_bits()))),
    float_row("s_cvt_f32_f16", 1, &[1], |i| bits(f16::from_bits(i.a as u16).to_f32().to_bits())),
    float_row("s_cvt_hi_f32_f16", 1, &[1], |i| bits(f16::from_bits((i.a >> 16) as u16).to_f32().to_bits())),
];

/// A comparison of f32 and of f16.
macro_rules! related {
    ($single:literal, $half:literal, |$a:ident, $b:ident| $e:expr) => {
        [
            float_row($single, 0, &[1, 1], |i| {
                relation([f32::from_bits(i.a as u32), f32::from_bits(i.b as u32)], |$a, $b| $e)
            }),
            float_row($half, 0, &[1, 1], |i| {
                relation([i.a, i.b].map(|bits| f16::from_bits(bits as u16).to_f32()), |$a, $b| $e)
            }),
        ]
    };
}

pub const RELATIONS: &[[ScalarRow; 2]] = &[
    related!("s_cmp_lt_f32", "s_cmp_lt_f16", |a, b| a < b),
    related!("s_cmp_eq_f32", "s_cmp_eq_f16", |a, b| a == b),
    related!("s_cmp_le_f32", "s_cmp_le_f16", |a, b| a <= b),
    related!("s_cmp_gt_f32", "s_cmp_gt_f16", |a, b| a > b),
    related!("s_cmp_ge_f32", "s_cmp_ge_f16", |a, b| a >= b),
    related!("s_cmp_lg_f32", "s_cmp_lg_f16", |a, b| a != b && !a.is_nan() && !b.is_nan()),
    related!("s_cmp_neq_f32", "s_cmp_neq_f16", |a, b| a != b),
    related!("s_cmp_nlg_f32", "s_cmp_nlg_f16", |a, b| a == b || a.is_nan() || b.is_nan()),
    related!("s_cmp_nge_f32", "s_cmp_nge_f16", |a, b| a < b || a.is_nan() || b.is_nan()),
    related!("s_cmp_ngt_f32", "s_cmp_ngt_f16", |a, b| a <= b || a.is_nan() || b.is_nan()),
    related!("s_cmp_nle_f32", "s_cmp_nle_f16", |a, b| a > b || a.is_nan() || b.is_nan()),
    related!("s_cmp_nlt_f32", "s_cmp_nlt_f16", |a, b| a >= b || a.is_nan() || b.is_nan()),
    related!("s_cmp_o_f32", "s_cmp_o_f16", |a, b| !a.is_nan() && !b.is_nan()),
    related!("s_cmp_u_f32", "s_cmp_u_f16", |a, b| a.is_nan() || b.is_nan()),
];

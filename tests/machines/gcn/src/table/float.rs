//! Float arithmetic of f16, f32, f64: what each mnemonic computes in a lane.
//!
//! f16 is computed in f32 and rounded once (exact for sums, products, quotients and roots; products that are added go
//! through f64). Approximations (`v_rcp`, `v_exp`, …) are computed in f64 and rounded; f32 ones flush denormals on both
//! sides, as hardware may. Worked example: `v_fract_f32` of -0.25 is 0.75.

use super::{Row, narrow, wide};
use crate::value::{Half, flush, fma_half, max32, max64, min32, min64};

/// One argument, the same expression for f16, f32 and f64.
macro_rules! one {
    ($half:literal, $single:literal, $double:literal, |$a:ident| $e:expr) => {
        [
            narrow!($half, (h: Half) -> Half, { let $a = h.0; Half($e) }),
            narrow!($single, ($a: f32) -> f32, $e),
            wide!($double, ($a: f64) -> f64, $e),
        ]
    };
}

/// `2^e`, for exponents that a product of two such numbers needs at most.
fn power(e: i32) -> f64 {
    f64::from_bits(((1023 + e.clamp(-1022, 1023)) as u64) << 52)
}

/// `value * 2^e` with one rounding.
pub fn scale(value: f64, e: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let (mantissa, exponent) = split(value);
    let exponent = exponent.saturating_add(e);
    match exponent {
        1025.. => f64::INFINITY.copysign(value),
        -1020..=1024 => mantissa * 2.0 * power(exponent - 1),
        -1200..=-1021 => mantissa * power(exponent + 200) * power(-200),
        _ => 0f64.copysign(value),
    }
}

/// Mantissa in [0.5, 1) and exponent of a number that is finite and not zero.
pub fn split(value: f64) -> (f64, i32) {
    let (value, less) = if value.abs() < f64::MIN_POSITIVE { (value * power(64), 64) } else { (value, 0) };
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1022;
    (f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52), exponent - less)
}

pub fn mantissa(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() { value } else { split(value).0 }
}

pub fn exponent(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() { 0 } else { split(value).1 }
}

/// Sine of so many turns; hardware takes 256 at most.
fn sine(turns: f64) -> f64 {
    (turns.fract() * std::f64::consts::TAU).sin()
}

fn cosine(turns: f64) -> f64 {
    (turns.fract() * std::f64::consts::TAU).cos()
}

/// An approximation in f32: denormals are flushed before and after.
fn near(value: f32, f: impl Fn(f64) -> f64) -> f32 {
    flush(f(f64::from(flush(value))) as f32)
}

fn fract32(a: f32) -> f32 {
    let part = a - a.floor();
    if part >= 1.0 { f32::from_bits(0x3f7f_ffff) } else { part }
}

fn fract64(a: f64) -> f64 {
    let part = a - a.floor();
    if part >= 1.0 { f64::from_bits(0x3fef_ffff_ffff_ffff) } else { part }
}

/// The middle one; with a NaN the smallest of the three.
fn median(a: f32, b: f32, c: f32) -> f32 {
    if a.is_nan() || b.is_nan() || c.is_nan() {
        return min32(min32(a, b), c);
    }
    max32(min32(a, b), min32(max32(a, b), c))
}

/// The larger one; NaN where one is NaN.
pub fn maximum(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() { f32::NAN } else { max32(a, b) }
}

pub fn minimum(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() { f32::NAN } else { min32(a, b) }
}

/// A product that is rounded before it is added; denormals are flushed everywhere.
fn mad(a: f32, b: f32, c: f32) -> f32 {
    flush(flush(flush(a) * flush(b)) + flush(c))
}

/// The product of the old shader languages: zero times anything is zero.
fn legacy(a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

const SUMS: [Row; 9] = [
    narrow!("v_add_f16", (a: Half, b: Half) -> Half, Half(a.0 + b.0)),
    narrow!("v_add_f32", (a: f32, b: f32) -> f32, a + b),
    wide!("v_add_f64", (a: f64, b: f64) -> f64, a + b),
    narrow!("v_sub_f16", (a: Half, b: Half) -> Half, Half(a.0 - b.0)),
    narrow!("v_sub_f32", (a: f32, b: f32) -> f32, a - b),
    narrow!("v_subrev_f16", (a: Half, b: Half) -> Half, Half(b.0 - a.0)),
    narrow!("v_subrev_f32", (a: f32, b: f32) -> f32, b - a),
    narrow!("v_mul_f16", (a: Half, b: Half) -> Half, Half(a.0 * b.0)),
    narrow!("v_mul_f32", (a: f32, b: f32) -> f32, a * b),
];

const PRODUCTS: [Row; 22] = [
    wide!("v_mul_f64", (a: f64, b: f64) -> f64, a * b),
    narrow!("v_mul_legacy_f32", (a: f32, b: f32) -> f32, legacy(a, b)),
    narrow!("v_mul_dx9_zero_f32", (a: f32, b: f32) -> f32, legacy(a, b)),
    narrow!("v_fma_f16", (a: Half, b: Half, c: Half) -> u16, fma_half(a, b, c)),
    narrow!("v_fma_f32", (a: f32, b: f32, c: f32) -> f32, a.mul_add(b, c)),
    wide!("v_fma_f64", (a: f64, b: f64, c: f64) -> f64, a.mul_add(b, c)),
    narrow!("v_fmac_f16", (a: Half, b: Half, c: Half) -> u16, fma_half(a, b, c)),
    narrow!("v_fmac_f32", (a: f32, b: f32, c: f32) -> f32, a.mul_add(b, c)),
    wide!("v_fmac_f64", (a: f64, b: f64, c: f64) -> f64, a.mul_add(b, c)),
    narrow!("v_fmaak_f16", (a: Half, b: Half, c: Half) -> u16, fma_half(a, b, c)),
    narrow!("v_fmaak_f32", (a: f32, b: f32, c: f32) -> f32, a.mul_add(b, c)),
    narrow!("v_fmamk_f16", (a: Half, b: Half, c: Half) -> u16, fma_half(a, b, c)),
    narrow!("v_fmamk_f32", (a: f32, b: f32, c: f32) -> f32, a.mul_add(b, c)),
    narrow!("v_mad_f32", (a: f32, b: f32, c: f32) -> f32, mad(a, b, c)),
    narrow!("v_mac_f32", (a: f32, b: f32, c: f32) -> f32, mad(a, b, c)),
    narrow!("v_madak_f32", (a: f32, b: f32, c: f32) -> f32, mad(a, b, c)),
    narrow!("v_madmk_f32", (a: f32, b: f32, c: f32) -> f32, mad(a, b, c)),
    narrow!("v_mad_f16", (a: Half, b: Half, c: Half) -> Half, Half(half::f16::from_f32(a.0 * b.0).to_f32() + c.0)),
    narrow!("v_mac_f16", (a: Half, b: Half, c: Half) -> Half, Half(half::f16::from_f32(a.0 * b.0).to_f32() + c.0)),
    narrow!("v_madak_f16", (a: Half, b: Half, c: Half) -> Half, Half(half::f16::from_f32(a.0 * b.0).to_f32() + c.0)),
    narrow!("v_madmk_f16", (a: Half, b: Half, c: Half) -> Half, Half(half::f16::from_f32(a.0 * b.0).to_f32() + c.0)),
    narrow!("v_mad_legacy_f16", (a: Half, b: Half, c: Half) -> Half,
        Half(half::f16::from_f32(a.0 * b.0).to_f32() + c.0)),
];

const ROUND: [[Row; 3]; 4] = [
    one!("v_ceil_f16", "v_ceil_f32", "v_ceil_f64", |a| a.ceil()),
    one!("v_floor_f16", "v_floor_f32", "v_floor_f64", |a| a.floor()),
    one!("v_trunc_f16", "v_trunc_f32", "v_trunc_f64", |a| a.trunc()),
    one!("v_rndne_f16", "v_rndne_f32", "v_rndne_f64", |a| a.round_ties_even()),
];

const SELECT: [Row; 26] = [
    narrow!("v_max_f16", (a: Half, b: Half) -> Half, Half(max32(a.0, b.0))),
    narrow!("v_max_f32", (a: f32, b: f32) -> f32, max32(a, b)),
    wide!("v_max_f64", (a: f64, b: f64) -> f64, max64(a, b)),
    narrow!("v_min_f16", (a: Half, b: Half) -> Half, Half(min32(a.0, b.0))),
    narrow!("v_min_f32", (a: f32, b: f32) -> f32, min32(a, b)),
    wide!("v_min_f64", (a: f64, b: f64) -> f64, min64(a, b)),
    narrow!("v_max3_f32", (a: f32, b: f32, c: f32) -> f32, max32(max32(a, b), c)),
    narrow!("v_min3_f32", (a: f32, b: f32, c: f32) -> f32, min32(min32(a, b), c)),
    narrow!("v_med3_f32", (a: f32, b: f32, c: f32) -> f32, median(a, b, c)),
    narrow!("v_max3_f16", (a: Half, b: Half, c: Half) -> Half, Half(max32(max32(a.0, b.0), c.0))),
    narrow!("v_min3_f16", (a: Half, b: Half, c: Half) -> Half, Half(min32(min32(a.0, b.0), c.0))),
    narrow!("v_med3_f16", (a: Half, b: Half, c: Half) -> Half, Half(median(a.0, b.0, c.0))),
    narrow!("v_maximum_f32", (a: f32, b: f32) -> f32, maximum(a, b)),
    narrow!("v_minimum_f32", (a: f32, b: f32) -> f32, minimum(a, b)),
    narrow!("v_maximum_f16", (a: Half, b: Half) -> Half, Half(maximum(a.0, b.0))),
    narrow!("v_minimum_f16", (a: Half, b: Half) -> Half, Half(minimum(a.0, b.0))),
    wide!("v_maximum_f64", (a: f64, b: f64) -> f64, if a.is_nan() || b.is_nan() { f64::NAN } else { max64(a, b) }),
    wide!("v_minimum_f64", (a: f64, b: f64) -> f64, if a.is_nan() || b.is_nan() { f64::NAN } else { min64(a, b) }),
    narrow!("v_maximum3_f32", (a: f32, b: f32, c: f32) -> f32, maximum(maximum(a, b), c)),
    narrow!("v_minimum3_f32", (a: f32, b: f32, c: f32) -> f32, minimum(minimum(a, b), c)),
    narrow!("v_maxmin_f32", (a: f32, b: f32, c: f32) -> f32, min32(max32(a, b), c)),
    narrow!("v_minmax_f32", (a: f32, b: f32, c: f32) -> f32, max32(min32(a, b), c)),
    narrow!("v_maxmin_f16", (a: Half, b: Half, c: Half) -> Half, Half(min32(max32(a.0, b.0), c.0))),
    narrow!("v_minmax_f16", (a: Half, b: Half, c: Half) -> Half, Half(max32(min32(a.0, b.0), c.0))),
    narrow!("v_maximumminimum_f32", (a: f32, b: f32, c: f32) -> f32, minimum(maximum(a, b), c)),
    narrow!("v_minimummaximum_f32", (a: f32, b: f32, c: f32) -> f32, maximum(minimum(a, b), c)),
];

const NEAR: [Row; 21] = [
    narrow!("v_rcp_f16", (a: Half) -> Half, Half(1.0 / a.0)),
    narrow!("v_rcp_f32", (a: f32) -> f32, near(a, |x| 1.0 / x)),
    narrow!("v_rcp_iflag_f32", (a: f32) -> f32, near(a, |x| 1.0 / x)),
    wide!("v_rcp_f64", (a: f64) -> f64, 1.0 / a),
    narrow!("v_rsq_f16", (a: Half) -> Half, Half((1.0 / f64::from(a.0).sqrt()) as f32)),
    narrow!("v_rsq_f32", (a: f32) -> f32, near(a, |x| 1.0 / x.sqrt())),
    wide!("v_rsq_f64", (a: f64) -> f64, 1.0 / a.sqrt()),
    narrow!("v_sqrt_f16", (a: Half) -> Half, Half(a.0.sqrt())),
    narrow!("v_sqrt_f32", (a: f32) -> f32, near(a, f64::sqrt)),
    wide!("v_sqrt_f64", (a: f64) -> f64, a.sqrt()),
    narrow!("v_exp_f16", (a: Half) -> Half, Half(f64::from(a.0).exp2() as f32)),
    narrow!("v_exp_f32", (a: f32) -> f32, near(a, f64::exp2)),
    narrow!("v_log_f16", (a: Half) -> Half, Half(f64::from(a.0).log2() as f32)),
    narrow!("v_log_f32", (a: f32) -> f32, near(a, f64::log2)),
    narrow!("v_sin_f16", (a: Half) -> Half, Half(sine(f64::from(a.0)) as f32)),
    narrow!("v_sin_f32", (a: f32) -> f32, near(a, sine)),
    narrow!("v_cos_f16", (a: Half) -> Half, Half(cosine(f64::from(a.0)) as f32)),
    narrow!("v_cos_f32", (a: f32) -> f32, near(a, cosine)),
    narrow!("v_fract_f16", (a: Half) -> Half, Half(fract32(a.0).min(0.999_511_7))),
    narrow!("v_fract_f32", (a: f32) -> f32, fract32(a)),
    wide!("v_fract_f64", (a: f64) -> f64, fract64(a)),
];

const PARTS: [Row; 9] = [
    narrow!("v_ldexp_f16", (a: Half, b: i16) -> u16,
        half::f16::from_f64(scale(f64::from(a.0), i32::from(b))).to_bits()),
    narrow!("v_ldexp_f32", (a: f32, b: i32) -> f32, scale(f64::from(a), b) as f32),
    wide!("v_ldexp_f64", (a: f64, b: i32) -> f64, scale(a, b)),
    narrow!("v_frexp_mant_f16", (a: Half) -> Half, Half(mantissa(f64::from(a.0)) as f32)),
    narrow!("v_frexp_mant_f32", (a: f32) -> f32, mantissa(f64::from(a)) as f32),
    wide!("v_frexp_mant_f64", (a: f64) -> f64, mantissa(a)),
    narrow!("v_frexp_exp_i16_f16", (a: Half) -> i16, exponent(f64::from(a.0)) as i16),
    narrow!("v_frexp_exp_i32_f32", (a: f32) -> i32, exponent(f64::from(a))),
    wide!("v_frexp_exp_i32_f64", (a: f64) -> i32, exponent(a)),
];

pub const ROWS: &[&[Row]] = &[&SUMS, &PRODUCTS, &ROUND[0], &ROUND[1], &ROUND[2], &ROUND[3], &SELECT, &NEAR, &PARTS];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_scaled_with_one_rounding() {
        assert_eq!(scale(1.5, -1074), f64::from_bits(2), "a tie goes to the even neighbour");
        assert_eq!(scale(f64::from_bits(3), 1074), 3.0);
        assert_eq!(scale(1.0, 1024), f64::INFINITY);
        assert_eq!(scale(-1.0, -3000).to_bits(), 1 << 63);
        assert_eq!((mantissa(-6.0), exponent(-6.0)), (-0.75, 3));
        assert_eq!(exponent(f64::from_bits(1)), -1073);
        assert_eq!(median(3.0, 1.0, 2.0), 2.0);
        assert_eq!(fract32(-1e-20), f32::from_bits(0x3f7f_ffff));
    }
}

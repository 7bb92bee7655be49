//! The three steps of a division: `v_div_fixup` as rows; `v_div_scale` and `v_div_fmas`, which have a lane mask
//! besides, as functions.
//!
//! Worked example: 1/3 in f32: `v_div_scale` leaves both as they are and VCC 0, the quotient is refined, `v_div_fixup`
//! keeps it and sets its sign. Division by 2^-140, a denormal: the denominator is scaled by 2^64 first.

use super::float::{scale, split};
use super::{Row, narrow, wide};
use crate::value::Half;

/// Quotient, denominator, numerator: the quotient with the special cases put right. `least`: exponents so far apart
/// give zero.
fn fixup(quotient: f64, below: f64, above: f64, least: i32) -> f64 {
    let negative = below.is_sign_negative() != above.is_sign_negative();
    let signed = |value: f64| if negative { -value } else { value };
    if above.is_nan() {
        return above;
    }
    if below.is_nan() {
        return below;
    }
    if (below == 0.0 && above == 0.0) || (below.is_infinite() && above.is_infinite()) {
        return f64::NAN;
    }
    if below == 0.0 || above.is_infinite() {
        return signed(f64::INFINITY);
    }
    if below.is_infinite() || above == 0.0 || split(above).1 - split(below).1 < least {
        return signed(0.0);
    }
    signed(quotient.abs())
}

pub const ROWS: &[&[Row]] = &[&[
    narrow!("v_div_fixup_f16", (q: Half, b: Half, a: Half) -> Half,
        Half(fixup(f64::from(q.0), f64::from(b.0), f64::from(a.0), -1000) as f32)),
    narrow!("v_div_fixup_f32", (q: f32, b: f32, a: f32) -> f32,
        fixup(f64::from(q), f64::from(b), f64::from(a), -150) as f32),
    wide!("v_div_fixup_f64", (q: f64, b: f64, a: f64) -> f64, fixup(q, b, a, -1075)),
]];

/// Limits of a type's scaling.
#[derive(Clone, Copy)]
pub struct Scaling {
    /// Exponents of numerator and denominator so far apart: the quotient is near the largest number.
    apart: i32,
    /// Power of two by which an operand is scaled.
    by: i32,
    /// A biased exponent of the numerator up to which it is tiny.
    tiny: i32,
    bias: i32,
    /// The smallest normal number.
    normal: f64,
}

pub const F32: Scaling = Scaling { apart: 96, by: 64, tiny: 23, bias: 127, normal: f32::MIN_POSITIVE as f64 };
pub const F64: Scaling = Scaling { apart: 768, by: 128, tiny: 53, bias: 1023, normal: f64::MIN_POSITIVE };

impl Scaling {
    /// The biased exponent as it stands in the number's bits.
    fn exponent(self, value: f64) -> i32 {
        if value.is_nan() || value.is_infinite() {
            return 2 * self.bias + 1;
        }
        if value == 0.0 || value.abs() < self.normal { 0 } else { split(value).1 - 1 + self.bias }
    }

    /// `v_div_scale`: the first operand (a copy of one of the others) scaled, and whether the result must be scaled
    /// back.
    pub fn scale(self, value: f64, below: f64, above: f64) -> (f64, bool) {
        let denormal = |value: f64| value != 0.0 && value.abs() < self.normal;
        if above == 0.0 || below == 0.0 {
            return (f64::NAN, false);
        }
        let up = scale(value, self.by);
        let of = |operand: f64| if value == operand { up } else { value };
        let (inverse, quotient) = (denormal(1.0 / below), denormal_quotient(above, below, self.normal));
        if self.exponent(above) - self.exponent(below) >= self.apart {
            (of(below), true)
        } else if denormal(below) {
            (up, false)
        } else if inverse && quotient {
            // The documents' text scales the denominator up here, which would overflow for the largest numbers; the
            // quotient that `v_div_fmas` scales back must be too large, so the denominator goes down.
            (if value == below { scale(value, -self.by) } else { value }, true)
        } else if inverse {
            (scale(value, -self.by), false)
        } else if quotient {
            (of(above), true)
        } else if self.exponent(above) <= self.tiny {
            (up, false)
        } else {
            (value, false)
        }
    }

    /// `v_div_fmas`: the scale of the result where VCC asks for it.
    pub fn back(self, addend: f64) -> i32 {
        if self.exponent(addend) > self.bias { self.by } else { -self.by }
    }
}

/// Whether the quotient is a denormal, or smaller, and not zero by its operands.
fn denormal_quotient(above: f64, below: f64, normal: f64) -> bool {
    if !above.is_finite() || !below.is_finite() {
        return false;
    }
    let ((m, e), (n, f)) = (split(above), split(below));
    let quotient = (m / n).abs();
    let exponent = e - f + split(quotient).1;
    let least = split(normal).1;
    exponent < least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_scaled_where_needed() {
        assert_eq!(F32.scale(1.0, 1.0, 3.0), (1.0, false));
        let tiny = f64::from(1e-40f32);
        assert_eq!(F32.scale(tiny, tiny, 1.0).0, tiny * 2f64.powi(64));
        assert!(F32.scale(1.0, 0.0, 1.0).0.is_nan());
        let (value, back) = F32.scale(1e-30, 1e-30, 1e30);
        assert!(back && value == 1e-30 * 2f64.powi(64));
        assert_eq!(F32.scale(1e30, 1e-30, 1e30), (1e30, true));
        let largest = f64::from(f32::MAX);
        assert_eq!(F32.scale(largest, largest, 1.0), (largest * 2f64.powi(-64), true));
        assert_eq!(F32.back(1.5), -64);
        assert_eq!(F32.back(4.0), 64);
    }

    #[test]
    fn special_quotients() {
        assert!(fixup(5.0, 0.0, 0.0, -150).is_nan());
        assert_eq!(fixup(5.0, -0.0, 1.0, -150), f64::NEG_INFINITY);
        assert_eq!(fixup(5.0, f64::INFINITY, -1.0, -150).to_bits(), 1 << 63);
        assert_eq!(fixup(5.0, -2.0, 1.0, -150), -5.0);
    }
}

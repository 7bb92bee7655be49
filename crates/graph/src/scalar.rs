//! Numbers ↔ bits of every float format: what constants in text, the printer and the constant folder agree on.
//!
//! `encode_float` rounds to nearest even. Formats without infinities turn an overflow into NaN (`FN`, `FNUZ`), formats
//! without NaN either (f4, f6) into their largest value and NaN into a zero of the other sign; f8E8M0FNU has no sign and no
//! zero, and its ties go up.

use crate::element::ElementType;

/// What the all-ones exponent means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// Infinities and NaNs as in IEEE 754.
    Ieee,
    /// No infinity; NaN is all ones below the sign.
    NanAllOnes,
    /// No infinity, no −0; NaN is the pattern of −0.
    NanNegativeZero,
    /// Neither infinity nor NaN.
    None,
}

/// Layout of a float format: sign bit, exponent bits, mantissa bits from high to low.
#[derive(Clone, Copy, Debug)]
pub struct FloatFormat {
    pub element: ElementType,
    pub exponent_bits: u32,
    pub mantissa_bits: u32,
    pub bias: i32,
    pub specials: Specials,
}

const fn format(
    element: ElementType,
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    specials: Specials,
) -> FloatFormat {
    FloatFormat { element, exponent_bits, mantissa_bits, bias, specials }
}

/// Every binary float format with a sign; f8E8M0FNU, a bare exponent, is apart.
pub const FLOAT_FORMATS: &[FloatFormat] = &[
    format(ElementType::F4E2M1FN, 2, 1, 1, Specials::None),
    format(ElementType::F6E2M3FN, 2, 3, 1, Specials::None),
    format(ElementType::F6E3M2FN, 3, 2, 3, Specials::None),
    format(ElementType::F8E3M4, 3, 4, 3, Specials::Ieee),
    format(ElementType::F8E4M3, 4, 3, 7, Specials::Ieee),
    format(ElementType::F8E4M3FN, 4, 3, 7, Specials::NanAllOnes),
    format(ElementType::F8E4M3FNUZ, 4, 3, 8, Specials::NanNegativeZero),
    format(ElementType::F8E4M3B11FNUZ, 4, 3, 11, Specials::NanNegativeZero),
    format(ElementType::F8E5M2, 5, 2, 15, Specials::Ieee),
    format(ElementType::F8E5M2FNUZ, 5, 2, 16, Specials::NanNegativeZero),
    format(ElementType::Bf16, 8, 7, 127, Specials::Ieee),
    format(ElementType::F16, 5, 10, 15, Specials::Ieee),
    format(ElementType::F32, 8, 23, 127, Specials::Ieee),
    format(ElementType::F64, 11, 52, 1023, Specials::Ieee),
];

impl FloatFormat {
    /// The pattern of the sign alone.
    pub fn sign_bit(&self) -> u64 {
        1 << (self.exponent_bits + self.mantissa_bits)
    }

    /// All bits below the sign.
    pub fn magnitude_mask(&self) -> u64 {
        self.sign_bit() - 1
    }

    /// All exponent bits and no mantissa: infinity where the format has one.
    pub fn top_exponent(&self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.mantissa_bits
    }
}

/// Layout of a float element type.
pub fn float_format(element: ElementType) -> Option<&'static FloatFormat> {
    FLOAT_FORMATS.iter().find(|f| f.element == element)
}

/// The value of a bit pattern of a float type; NaN for other types.
pub fn decode_float(element: ElementType, bits: u64) -> f64 {
    match element {
        ElementType::F64 => return f64::from_bits(bits),
        ElementType::F32 => return f64::from(f32::from_bits(bits as u32)),
        ElementType::F8E8M0FNU if bits & 0xff == 0xff => return f64::NAN,
        ElementType::F8E8M0FNU => return 2f64.powi((bits & 0xff) as i32 - 127),
        _ => {}
    }
    let Some(f) = float_format(element) else { return f64::NAN };
    let (e, m) = (f.exponent_bits, f.mantissa_bits);
    let negative = bits >> (e + m) & 1 == 1;
    let exponent = (bits >> m) & ((1 << e) - 1);
    let mantissa = bits & ((1 << m) - 1);
    let top = exponent == (1 << e) - 1;
    let magnitude = match f.specials {
        Specials::Ieee if top && mantissa == 0 => f64::INFINITY,
        Specials::Ieee if top => f64::NAN,
        Specials::NanAllOnes if top && mantissa == (1 << m) - 1 => f64::NAN,
        Specials::NanNegativeZero if negative && exponent == 0 && mantissa == 0 => f64::NAN,
        _ if exponent == 0 => mantissa as f64 * 2f64.powi(1 - f.bias - m as i32),
        _ => ((1u64 << m) + mantissa) as f64 * 2f64.powi(exponent as i32 - f.bias - m as i32),
    };
    if negative { -magnitude } else { magnitude }
}

/// The bit pattern nearest to a value (ties to even); 0 for types that are not floats.
pub fn encode_float(element: ElementType, value: f64) -> u64 {
    match element {
        ElementType::F64 => value.to_bits(),
        ElementType::F32 => u64::from((value as f32).to_bits()),
        ElementType::F8E8M0FNU => encode_exponent(value),
        _ => float_format(element).map_or(0, |f| encode(f, value)),
    }
}

fn encode_exponent(value: f64) -> u64 {
    if value.is_nan() || value <= 0.0 {
        return 0xff;
    }
    let bits = value.to_bits();
    let exponent = (bits >> 52) as i64 - 1023;
    let fraction = bits & ((1 << 52) - 1);
    let up = fraction >= 1u64 << 51;
    let biased = exponent + 127 + i64::from(up);
    if biased > 254 { 0xff } else { biased.max(0) as u64 }
}

fn encode(f: &FloatFormat, value: f64) -> u64 {
    let (e, m) = (f.exponent_bits, f.mantissa_bits);
    let sign = u64::from(value.is_sign_negative()) << (e + m);
    let all_ones = (1u64 << (e + m)) - 1;
    let infinity = ((1u64 << e) - 1) << m;
    let (nan, overflow, largest) = match f.specials {
        Specials::Ieee => (infinity | 1 << (m - 1), sign | infinity, infinity - 1),
        Specials::NanAllOnes => (sign | all_ones, sign | all_ones, all_ones - 1),
        Specials::NanNegativeZero => (1 << (e + m), 1 << (e + m), all_ones),
        Specials::None => (sign ^ f.sign_bit(), sign | all_ones, all_ones),
    };
    if value.is_nan() {
        return if f.specials == Specials::Ieee { sign | nan } else { nan };
    }
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        return overflow;
    }
    // Scale so that one unit is the spacing of the format at this magnitude, then round.
    let exponent = if magnitude == 0.0 { i32::MIN } else { exponent_of(magnitude) };
    let exponent = exponent.max(1 - f.bias);
    let units = scale(magnitude, m as i32 - exponent).round_ties_even() as u64;
    let bits = ((exponent + f.bias - 1) as u64 * (1 << m)) + units;
    if bits > largest {
        return overflow;
    }
    if bits == 0 && f.specials == Specials::NanNegativeZero {
        return 0;
    }
    sign | bits
}

/// floor(log2(x)) of a positive finite number.
fn exponent_of(x: f64) -> i32 {
    let biased = (x.to_bits() >> 52) as i32;
    if biased == 0 { -1022 - (x.to_bits().leading_zeros() as i32 - 11) } else { biased - 1023 }
}

/// x · 2^n in two exact steps.
fn scale(x: f64, n: i32) -> f64 {
    let half = n / 2;
    x * 2f64.powi(half) * 2f64.powi(n - half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_of_small_formats_round_trips() {
        for f in FLOAT_FORMATS.iter().filter(|f| f.element.bits() <= 16) {
            for bits in 0..1u64 << f.element.bits() {
                let value = decode_float(f.element, bits);
                if value.is_nan() {
                    assert!(decode_float(f.element, encode_float(f.element, value)).is_nan(), "{:?}", f.element);
                } else {
                    assert_eq!(encode_float(f.element, value), bits, "{:?} {bits:#x} = {value}", f.element);
                }
            }
        }
    }

    #[test]
    fn halves_agree_with_the_half_crate() {
        for i in -4000..4000 {
            let x = f64::from(i) * 17.123456789e-3 * 2f64.powi(i % 20);
            assert_eq!(encode_float(ElementType::F16, x), u64::from(half::f16::from_f64(x).to_bits()), "{x}");
            assert_eq!(encode_float(ElementType::Bf16, x), u64::from(half::bf16::from_f64(x).to_bits()), "{x}");
        }
        assert_eq!(encode_float(ElementType::F16, 65520.0), 0x7c00);
        assert_eq!(encode_float(ElementType::F8E4M3FN, 448.0), 0x7e);
        assert_eq!(encode_float(ElementType::F8E4M3FN, 1e9), 0x7f);
        assert_eq!(encode_float(ElementType::F8E5M2FNUZ, -0.0), 0);
        assert_eq!(encode_float(ElementType::F8E8M0FNU, 4.0), 129);
        assert_eq!(encode_float(ElementType::F8E8M0FNU, 1.5), 128);
        assert_eq!(encode_float(ElementType::F4E2M1FN, f64::NAN), 8);
    }
}

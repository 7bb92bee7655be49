//! Float formats: numbers ↔ bits, as constants in text, the printer, kernels and files on the host agree on.
//!
//! Rounding is to nearest even, straight from f64 (no second rounding).
//! - What is too large becomes infinity where the format has one, else NaN where it has one, else the largest value.
//! - NaN becomes the format's one quiet NaN with the sign of the operand; in formats without NaN a zero of the other
//!   sign.
//! - f8E8M0FNU, a bare exponent, rounds ties up; zero and negative numbers are NaN there.
//!
//! The reference evaluator has its own rounding: it is the oracle, and a test there compares the two.

use crate::element::ElementType;

/// Which bit patterns are not finite numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// Infinities and NaNs at the largest exponent, as in IEEE 754.
    Ieee,
    /// No infinity; NaN is all ones below the sign.
    NanAllOnes,
    /// No infinity, no −0; NaN is the pattern of −0.
    NanNegativeZero,
    /// Neither infinity nor NaN.
    None,
    /// Only an exponent: no sign, no zero; NaN is all ones.
    ExponentOnly,
}

/// Layout of a float: sign bit, exponent bits, mantissa bits from high to low.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    pub exponent_bits: u32,
    pub mantissa_bits: u32,
    pub bias: i32,
    pub specials: Specials,
}

/// The value of a bit pattern of a real float type; NaN for other types.
pub fn decode_float(element: ElementType, bits: u64) -> f64 {
    element.format().filter(|_| element.is_float()).map_or(f64::NAN, |format| format.decode(bits))
}

/// The bit pattern of a real float type nearest to a value; 0 for types that are not floats.
pub fn encode_float(element: ElementType, value: f64) -> u64 {
    element.format().filter(|_| element.is_float()).map_or(0, |format| format.encode(value))
}

impl FloatFormat {
    /// The pattern of the sign alone; 0 where there is none.
    pub fn sign_bit(&self) -> u64 {
        match self.specials {
            Specials::ExponentOnly => 0,
            _ => 1 << (self.exponent_bits + self.mantissa_bits),
        }
    }

    /// All bits below the sign.
    pub fn magnitude_mask(&self) -> u64 {
        (1 << (self.exponent_bits + self.mantissa_bits)) - 1
    }

    /// All exponent bits and no mantissa: infinity where the format has one.
    pub fn top_exponent(&self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.mantissa_bits
    }

    fn is_f32(&self) -> bool {
        self.mantissa_bits == 23
    }

    fn is_f64(&self) -> bool {
        self.mantissa_bits == 52
    }

    /// Largest finite magnitude, as bits.
    fn largest(&self) -> u64 {
        match self.specials {
            Specials::Ieee => self.top_exponent() - 1,
            Specials::NanAllOnes | Specials::ExponentOnly => self.magnitude_mask() - 1,
            Specials::NanNegativeZero | Specials::None => self.magnitude_mask(),
        }
    }

    /// The quiet NaN for an operand with this sign bit; in formats without NaN the zero of the other sign.
    fn nan(&self, sign: u64) -> u64 {
        match self.specials {
            Specials::Ieee => sign | self.top_exponent() | 1 << (self.mantissa_bits - 1),
            Specials::NanAllOnes | Specials::ExponentOnly => sign | self.magnitude_mask(),
            Specials::NanNegativeZero => self.sign_bit(),
            Specials::None => sign ^ self.sign_bit(),
        }
    }

    /// The bit pattern nearest to a value.
    pub fn encode(&self, value: f64) -> u64 {
        if self.is_f64() {
            return value.to_bits();
        }
        if self.is_f32() {
            return u64::from((value as f32).to_bits());
        }
        let sign = if value.is_sign_negative() { self.sign_bit() } else { 0 };
        let is_negative_or_zero = value.is_sign_negative() || value == 0.0;
        if value.is_nan() || self.specials == Specials::ExponentOnly && is_negative_or_zero {
            return self.nan(sign);
        }
        let magnitude = if value.is_infinite() { u64::MAX } else { self.round(value.abs()) };
        match self.specials {
            Specials::Ieee if magnitude > self.largest() => sign | self.top_exponent(),
            Specials::None if magnitude > self.largest() => sign | self.largest(),
            _ if magnitude > self.largest() => self.nan(sign),
            Specials::NanNegativeZero if magnitude == 0 => 0,
            _ => sign | magnitude,
        }
    }

    /// Bits of the nearest magnitude, exponent field and mantissa together; may exceed the largest.
    fn round(&self, value: f64) -> u64 {
        let bits = value.to_bits();
        let field = (bits >> 52) as i64;
        let fraction = bits & ((1 << 52) - 1);
        // value = significand × 2^(exponent - 52)
        let (significand, exponent) = if field == 0 { (fraction, -1022) } else { (fraction | 1 << 52, field - 1023) };
        let target_field = exponent + i64::from(self.bias);
        // A type of an exponent alone has no subnormal numbers: its smallest field is zero.
        let lowest_field = i64::from(self.specials != Specials::ExponentOnly);
        let subnormal_by = (lowest_field - target_field).max(0);
        let drop = 52 - i64::from(self.mantissa_bits) + subnormal_by;
        let kept = match drop {
            0 => significand,
            1..=63 => {
                let (kept, dropped) = (significand >> drop, significand & ((1 << drop) - 1));
                let half = 1u64 << (drop - 1);
                // An exponent alone rounds ties up, as ml_dtypes does; the others to even.
                let up = kept & 1 == 1 || self.mantissa_bits == 0;
                kept + u64::from(dropped > half || (dropped == half && up))
            }
            _ => 0,
        };
        if self.mantissa_bits == 0 {
            // Rounding up doubles the number: kept is 0, 1 or 2.
            return match (subnormal_by, kept) {
                (0, kept) => (target_field as u64) + (kept - 1),
                _ => 0,
            };
        }
        if subnormal_by > 0 {
            return kept;
        }
        // The hidden bit of `kept` adds one to the field below it; a carry adds one more.
        ((target_field as u64 - 1) << self.mantissa_bits) + kept
    }

    /// The exact value of a bit pattern.
    pub fn decode(&self, bits: u64) -> f64 {
        if self.is_f64() {
            return f64::from_bits(bits);
        }
        if self.is_f32() {
            return f64::from(f32::from_bits(bits as u32));
        }
        let magnitude = bits & self.magnitude_mask();
        let negative = bits & self.sign_bit() != 0;
        let mantissa = magnitude & ((1 << self.mantissa_bits) - 1);
        let field = (magnitude >> self.mantissa_bits) as i32;
        let sign = if negative { -1.0 } else { 1.0 };
        let top = (1 << self.exponent_bits) - 1;
        match self.specials {
            Specials::Ieee if field == top && mantissa == 0 => return sign * f64::INFINITY,
            Specials::Ieee if field == top => return f64::NAN.copysign(sign),
            Specials::NanAllOnes | Specials::ExponentOnly if magnitude == self.magnitude_mask() => {
                return f64::NAN.copysign(sign);
            }
            Specials::NanNegativeZero if negative && magnitude == 0 => return -f64::NAN,
            _ => {}
        }
        if field == 0 && self.specials != Specials::ExponentOnly {
            return sign * mantissa as f64 * exp2(1 - self.bias - self.mantissa_bits as i32);
        }
        // Every value is a normal number of f64: both fields move to where f64 has them.
        let exponent = (field - self.bias + 1023) as u64;
        f64::from_bits(u64::from(negative) << 63 | exponent << 52 | mantissa << (52 - self.mantissa_bits))
    }
}

/// 2^exponent for exponents of normal f64 numbers.
fn exp2(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_of_small_formats_round_trips() {
        for element in ElementType::all().filter(|e| e.is_narrow_float()) {
            for bits in 0..1u64 << element.bits() {
                let value = decode_float(element, bits);
                let back = encode_float(element, value);
                if value.is_nan() {
                    assert!(decode_float(element, back).is_nan(), "{element} {bits:#x}");
                } else {
                    assert_eq!(back, bits, "{element} {bits:#x} {value}");
                }
            }
        }
    }

    #[test]
    fn sixteen_bit_floats_agree_with_the_half_crate() {
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let single = f32::from_bits((state >> 32) as u32);
            // half rounds f64 through its upper bits only; from f32 it is exact.
            for single in [single, single % 70000.0].into_iter().filter(|x| !x.is_nan()) {
                let value = f64::from(single);
                let (f16, bf16) = (half::f16::from_f32(single).to_bits(), half::bf16::from_f32(single).to_bits());
                assert_eq!(encode_float(ElementType::F16, value) as u16, f16, "{value:e}");
                assert_eq!(encode_float(ElementType::Bf16, value) as u16, bf16, "{value:e}");
            }
        }
    }

    #[test]
    fn known_values() {
        use ElementType as E;
        let cases = [
            (E::F16, 65520.0, 0x7c00),
            (E::Bf16, 1.0, 0x3f80),
            (E::F8E4M3FN, 448.0, 0x7e),
            (E::F8E4M3FN, 1e9, 0x7f),
            (E::F8E5M2, 1e9, 0x7c),
            (E::F8E4M3FNUZ, -0.0, 0),
            (E::F8E5M2FNUZ, -0.0, 0),
            (E::F8E4M3FNUZ, f64::NAN, 0x80),
            (E::F4E2M1FN, 100.0, 7),
            (E::F4E2M1FN, 2.5, 4),
            (E::F4E2M1FN, f64::NAN, 8),
            (E::F8E8M0FNU, 1.0, 127),
            (E::F8E8M0FNU, 1.5, 128),
            (E::F8E8M0FNU, 2.9, 128),
            (E::F8E8M0FNU, 3.0, 129),
            (E::F8E8M0FNU, 4.0, 129),
            (E::F8E8M0FNU, 2f64.powi(-128), 0),
            (E::F8E8M0FNU, 0.0, 255),
        ];
        for (element, value, bits) in cases {
            assert_eq!(encode_float(element, value), bits, "{element} {value}");
        }
    }
}

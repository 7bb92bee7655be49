//! Bit patterns of floating-point element types narrower than 32 bits: value ↔ pattern, round to nearest even.
//!
//! Every such value is exactly an `f64`. Patterns that a type lacks follow the usual conversions of the ML frameworks:
//! no infinity but NaN → NaN; neither → the largest finite value; the types without NaN turn NaN into a zero.

use fornax_graph::ElementType;

/// What the patterns at the edge of the range stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    /// Largest exponent is infinity and NaN.
    Ieee,
    /// Only the all-ones magnitude is NaN; no infinity.
    FiniteNan,
    /// Negative zero's pattern is NaN; no infinity, no negative zero.
    UnsignedZero,
    /// Neither NaN nor infinity.
    Finite,
    /// Exponent only: unsigned powers of two, 255 is NaN, no zero.
    ExponentOnly,
}

/// Layout of a float type: sign, `exponent_bits`, `mantissa_bits` from high to low.
#[derive(Clone, Copy, Debug)]
pub struct FloatFormat {
    element: ElementType,
    pub exponent_bits: u32,
    pub mantissa_bits: u32,
    bias: i32,
    special: Special,
}

const fn row(element: ElementType, exponent_bits: u32, mantissa_bits: u32, bias: i32, special: Special) -> FloatFormat {
    FloatFormat { element, exponent_bits, mantissa_bits, bias, special }
}

const FORMATS: &[FloatFormat] = &[
    row(ElementType::F16, 5, 10, 15, Special::Ieee),
    row(ElementType::Bf16, 8, 7, 127, Special::Ieee),
    row(ElementType::F32, 8, 23, 127, Special::Ieee),
    row(ElementType::F64, 11, 52, 1023, Special::Ieee),
    row(ElementType::F8E5M2, 5, 2, 15, Special::Ieee),
    row(ElementType::F8E4M3, 4, 3, 7, Special::Ieee),
    row(ElementType::F8E3M4, 3, 4, 3, Special::Ieee),
    row(ElementType::F8E4M3FN, 4, 3, 7, Special::FiniteNan),
    row(ElementType::F8E4M3FNUZ, 4, 3, 8, Special::UnsignedZero),
    row(ElementType::F8E4M3B11FNUZ, 4, 3, 11, Special::UnsignedZero),
    row(ElementType::F8E5M2FNUZ, 5, 2, 16, Special::UnsignedZero),
    row(ElementType::F8E8M0FNU, 8, 0, 127, Special::ExponentOnly),
    row(ElementType::F6E2M3FN, 2, 3, 1, Special::Finite),
    row(ElementType::F6E3M2FN, 3, 2, 3, Special::Finite),
    row(ElementType::F4E2M1FN, 2, 1, 1, Special::Finite),
];

/// 2^k as f64, for |k| within the normal range.
fn power_of_two(k: i32) -> f64 {
    f64::from_bits(((1023 + k.clamp(-1022, 1023)) as u64) << 52)
}

impl FloatFormat {
    /// Format of a float element type, f32 and f64 included.
    pub fn of(element: ElementType) -> Option<&'static FloatFormat> {
        FORMATS.iter().find(|f| f.element == element)
    }

    fn sign_bit(&self) -> u64 {
        match self.special {
            Special::ExponentOnly => 0,
            _ => 1 << (self.exponent_bits + self.mantissa_bits),
        }
    }

    fn largest_exponent(&self) -> u64 {
        (1 << self.exponent_bits) - 1
    }

    fn mantissa_mask(&self) -> u64 {
        (1 << self.mantissa_bits) - 1
    }

    /// Value of a bit pattern.
    pub fn decode(&self, bits: u64) -> f64 {
        if self.element == ElementType::F64 {
            return f64::from_bits(bits);
        }
        let m = self.mantissa_bits;
        let negative = bits & self.sign_bit() != 0;
        let exponent = (bits >> m) & self.largest_exponent();
        let mantissa = bits & self.mantissa_mask();
        let sign = if negative { -1.0 } else { 1.0 };
        let nan = f64::from_bits(f64::NAN.to_bits() | (u64::from(negative) << 63) | (mantissa << (52 - m)));
        let topmost = exponent == self.largest_exponent();
        match self.special {
            Special::Ieee if topmost && mantissa == 0 => return sign * f64::INFINITY,
            Special::Ieee if topmost => return nan,
            Special::FiniteNan if topmost && mantissa == self.mantissa_mask() => return nan,
            Special::UnsignedZero if bits & (self.sign_bit() * 2 - 1) == self.sign_bit() => return f64::NAN,
            Special::ExponentOnly if topmost => return f64::NAN,
            Special::ExponentOnly => return power_of_two(exponent as i32 - self.bias),
            _ => {}
        }
        match exponent {
            0 => sign * mantissa as f64 * power_of_two(1 - self.bias - m as i32),
            e => sign * (mantissa | 1 << m) as f64 * power_of_two(e as i32 - self.bias - m as i32),
        }
    }

    /// The nearest pattern, ties to even.
    pub fn encode(&self, value: f64) -> u64 {
        match self.element {
            ElementType::F64 => return value.to_bits(),
            ElementType::F32 => return u64::from((value as f32).to_bits()),
            _ => {}
        }
        let sign = if value.is_sign_negative() { self.sign_bit() } else { 0 };
        if value.is_nan() {
            return self.encode_nan(value, sign);
        }
        if self.special == Special::ExponentOnly {
            return self.encode_power(value);
        }
        let magnitude = value.abs();
        if magnitude.is_infinite() {
            return self.overflow(sign);
        }
        let m = self.mantissa_bits as i32;
        // Spacing of the representable values around `magnitude` is 2^quantum.
        let floor_log2 = ((magnitude.to_bits() >> 52) as i32) - 1023;
        let quantum = floor_log2.max(1 - self.bias) - m;
        let count = (magnitude * power_of_two(-quantum)).round_ties_even() as u64;
        if count == 0 && self.special == Special::UnsignedZero {
            return 0;
        }
        // Adding the count to the exponent field carries a rounded-up mantissa into the exponent.
        let fields = (((quantum + m + self.bias - 1) as u64) << m) + count;
        let limit = match self.special {
            Special::Ieee => self.largest_exponent() << m,
            Special::FiniteNan => (self.largest_exponent() << m) | self.mantissa_mask(),
            _ => (self.largest_exponent() + 1) << m,
        };
        if fields >= limit { self.overflow(sign) } else { sign | fields }
    }

    fn encode_nan(&self, value: f64, sign: u64) -> u64 {
        let m = self.mantissa_bits;
        let top = self.largest_exponent() << m;
        match self.special {
            // The types of eight bits know one NaN, as ml_dtypes does.
            Special::Ieee if self.element.bits() <= 8 => sign | top | (1 << (m - 1)),
            Special::Ieee => {
                let payload = (value.to_bits() >> (52 - m)) & self.mantissa_mask();
                sign | top | payload | (1 << (m - 1))
            }
            Special::FiniteNan => sign | top | self.mantissa_mask(),
            Special::UnsignedZero => self.sign_bit(),
            Special::Finite => sign ^ self.sign_bit(),
            Special::ExponentOnly => top,
        }
    }

    fn overflow(&self, sign: u64) -> u64 {
        let top = self.largest_exponent() << self.mantissa_bits;
        match self.special {
            Special::Ieee => sign | top,
            Special::UnsignedZero => self.sign_bit(),
            Special::FiniteNan | Special::Finite | Special::ExponentOnly => sign | top | self.mantissa_mask(),
        }
    }

    /// Powers of two only: ties go up; zero, negative and too large values are NaN.
    fn encode_power(&self, value: f64) -> u64 {
        let nan = self.largest_exponent();
        if value <= 0.0 || value.is_infinite() {
            return nan;
        }
        let bits = value.to_bits();
        let round_up = u64::from(bits & (1 << 51) != 0);
        let exponent = (bits >> 52) as i64 - 1023 + i64::from(self.bias) + round_up as i64;
        exponent.clamp(0, nan as i64) as u64
    }

    /// Rounds to a format of fewer bits and back, as `reduce_precision` does: denormals of the narrow range become
    /// zero, overflow becomes infinity, NaN stays where a mantissa bit is left for it. Types of eight bits and less,
    /// whose own denormals are normal numbers of the other type, do it as f32.
    pub fn reduce(&self, value: f64, exponent_bits: u32, mantissa_bits: u32) -> f64 {
        if self.element.bits() <= 8 {
            let exponent_bits = if exponent_bits < self.exponent_bits { exponent_bits } else { 8 };
            let wide =
                FloatFormat::of(ElementType::F32).map_or(value, |f| f.reduce(value, exponent_bits, mantissa_bits));
            return self.decode(self.encode(wide));
        }
        if value.is_nan() && mantissa_bits == 0 {
            return f64::INFINITY.copysign(value);
        }
        if !value.is_finite() {
            return value;
        }
        let m = self.mantissa_bits;
        let bits = self.encode(value);
        let sign = bits & self.sign_bit();
        let mut magnitude = bits & !self.sign_bit();
        if mantissa_bits < m {
            let dropped = m - mantissa_bits;
            let odd = (magnitude >> dropped) & 1;
            magnitude = (magnitude + (1 << (dropped - 1)) - 1 + odd) >> dropped << dropped;
        }
        let exponent = (magnitude >> m) as i64;
        if exponent_bits < self.exponent_bits {
            let reach = (1i64 << (exponent_bits.max(1) - 1)) - 1;
            let bias = i64::from(self.bias);
            if exponent > bias + reach {
                magnitude = self.largest_exponent() << m;
            } else if exponent <= bias - reach {
                magnitude = 0;
            }
        }
        self.decode(sign | magnitude)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(element: ElementType) -> &'static FloatFormat {
        FloatFormat::of(element).unwrap()
    }

    #[test]
    fn every_pattern_survives_a_round_trip() {
        for f in FORMATS.iter().filter(|f| f.element.bits() <= 16) {
            for bits in 0..1u64 << f.element.bits() {
                let value = f.decode(bits);
                if !value.is_nan() {
                    assert_eq!(f.encode(value), bits, "{:?} {bits:#x} {value}", f.element);
                }
            }
        }
    }

    /// The rest of Fornax rounds by `fornax-types`, which was written apart from this file.
    #[test]
    fn every_float_type_rounds_as_in_the_rest_of_fornax() {
        let mut state = 7u64;
        for element in ElementType::all().filter(|e| e.is_float()) {
            let f = format(element);
            for n in 0..40_000 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let any = f64::from_bits(state ^ state >> 32);
                // Any number, numbers of f32's range, and small ones with many ties.
                let value = match n % 3 {
                    0 => any,
                    1 => f64::from(f32::from_bits((state >> 32) as u32)),
                    _ => ((state >> 40) as f64 - 8_388_608.0) / 1_048_576.0,
                };
                if value.is_nan() {
                    continue;
                }
                let bits = f.encode(value);
                assert_eq!(fornax_types::encode_float(element, value), bits, "{element} {value:e}");
                let (ours, theirs) = (f.decode(bits), fornax_types::decode_float(element, bits));
                assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(), "{element} {bits:#x}");
            }
        }
    }

    #[test]
    fn known_patterns() {
        assert_eq!(format(ElementType::Bf16).encode(1.0), 0x3f80);
        assert_eq!(format(ElementType::F16).encode(65504.0), 0x7bff);
        assert_eq!(format(ElementType::F16).encode(65520.0), 0x7c00);
        assert_eq!(format(ElementType::F16).decode(1), 2f64.powi(-24));
        assert_eq!(format(ElementType::F8E4M3FN).encode(448.0), 0x7e);
        assert_eq!(format(ElementType::F8E4M3FN).encode(500.0), 0x7f);
        assert_eq!(format(ElementType::F8E4M3FNUZ).encode(f64::NAN), 0x80);
        assert_eq!(format(ElementType::F8E4M3B11FNUZ).encode(30.0), 0x7f);
        assert_eq!(format(ElementType::F8E5M2).encode(1e30), 0x7c);
        assert_eq!(format(ElementType::F4E2M1FN).encode(-100.0), 15);
        assert_eq!(format(ElementType::F8E8M0FNU).encode(3.0), 129);
    }

    #[test]
    fn ties_go_to_even() {
        let bf16 = format(ElementType::Bf16);
        assert_eq!(bf16.encode(1.0 + 1.0 / 256.0), 0x3f80);
        assert_eq!(bf16.encode(1.0 + 3.0 / 256.0), 0x3f82);
    }

    #[test]
    fn reduce_precision_to_bf16_and_half_range() {
        let f32s = format(ElementType::F32);
        assert_eq!(f32s.reduce(1.0 + 1.0 / 256.0, 8, 7), 1.0);
        assert_eq!(f32s.reduce(70000.0, 5, 10), f64::INFINITY);
        assert_eq!(f32s.reduce(1e-6, 5, 10), 0.0);
    }
}

//! Element types as MLIR spells them, and exact conversion of single values to and from their bytes.
//!
//! On the host every element takes whole bytes, little endian: i1 is one byte (0 or 1), types of less than eight
//! bits take one byte each (signed integers sign-extended, floats in the low bits), complex is two floats.
//! Rounding is to nearest, ties to even (f8E8M0FNU: ties up), directly from f64 (no second rounding). Values too large become infinity
//! where the type has one, else NaN where it has one, else the largest value.

use std::fmt;

/// An element type. The numbers of each are in [`ELEMENT_TYPES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[rustfmt::skip]
pub enum ElementType {
    I1, I2, I4, I8, I16, I32, I64,
    Si2, Si4, Si8, Si16, Si32, Si64,
    Ui2, Ui4, Ui8, Ui16, Ui32, Ui64,
    F16, Bf16, F32, F64,
    F8E5M2, F8E4M3, F8E3M4, F8E4M3Fn, F8E4M3B11Fnuz, F8E4M3Fnuz, F8E5M2Fnuz, F8E8M0Fnu,
    F6E2M3Fn, F6E3M2Fn, F4E2M1Fn,
    Index, ComplexF32, ComplexF64,
}

/// What the bits of a type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Bool,
    /// Two's complement. Signless types read and print as signed and accept unsigned literals.
    Int {
        signless: bool,
    },
    Uint,
    Float(FloatFormat),
    Complex(FloatFormat),
}

/// A binary float: `exponent_bits` and `mantissa_bits` with `bias`; a sign bit where `signed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    pub exponent_bits: u32,
    pub mantissa_bits: u32,
    pub bias: i32,
    pub specials: Specials,
}

/// Which bit patterns are not finite numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// Infinities and NaNs at the largest exponent.
    Ieee,
    /// No infinity; NaN is all ones (with either sign).
    NanAllOnes,
    /// No infinity, no negative zero; NaN is the pattern of negative zero.
    NanNegativeZero,
    /// Neither infinity nor NaN.
    None,
    /// Only an exponent: no sign, no zero; NaN is all ones.
    ExponentOnly,
}

/// One row of the table.
pub struct ElementTypeRow {
    pub element_type: ElementType,
    /// MLIR's spelling.
    pub name: &'static str,
    /// Width in packed storage, bits.
    pub bits: u32,
    /// Width on the host, bytes.
    pub bytes: usize,
    pub encoding: Encoding,
}

const fn float(exponent_bits: u32, mantissa_bits: u32, bias: i32, specials: Specials) -> FloatFormat {
    FloatFormat { exponent_bits, mantissa_bits, bias, specials }
}

const F32: FloatFormat = float(8, 23, 127, Specials::Ieee);
const F64: FloatFormat = float(11, 52, 1023, Specials::Ieee);

const fn row(element_type: ElementType, name: &'static str, bits: u32, encoding: Encoding) -> ElementTypeRow {
    let bytes = bits.div_ceil(8) as usize;
    ElementTypeRow { element_type, name, bits, bytes, encoding }
}

const SIGNLESS: Encoding = Encoding::Int { signless: true };
const SIGNED: Encoding = Encoding::Int { signless: false };

/// All element types, in the order of the enum.
#[rustfmt::skip]
pub const ELEMENT_TYPES: &[ElementTypeRow] = &[
    row(ElementType::I1, "i1", 1, Encoding::Bool),
    row(ElementType::I2, "i2", 2, SIGNLESS),
    row(ElementType::I4, "i4", 4, SIGNLESS),
    row(ElementType::I8, "i8", 8, SIGNLESS),
    row(ElementType::I16, "i16", 16, SIGNLESS),
    row(ElementType::I32, "i32", 32, SIGNLESS),
    row(ElementType::I64, "i64", 64, SIGNLESS),
    row(ElementType::Si2, "si2", 2, SIGNED),
    row(ElementType::Si4, "si4", 4, SIGNED),
    row(ElementType::Si8, "si8", 8, SIGNED),
    row(ElementType::Si16, "si16", 16, SIGNED),
    row(ElementType::Si32, "si32", 32, SIGNED),
    row(ElementType::Si64, "si64", 64, SIGNED),
    row(ElementType::Ui2, "ui2", 2, Encoding::Uint),
    row(ElementType::Ui4, "ui4", 4, Encoding::Uint),
    row(ElementType::Ui8, "ui8", 8, Encoding::Uint),
    row(ElementType::Ui16, "ui16", 16, Encoding::Uint),
    row(ElementType::Ui32, "ui32", 32, Encoding::Uint),
    row(ElementType::Ui64, "ui64", 64, Encoding::Uint),
    row(ElementType::F16, "f16", 16, Encoding::Float(float(5, 10, 15, Specials::Ieee))),
    row(ElementType::Bf16, "bf16", 16, Encoding::Float(float(8, 7, 127, Specials::Ieee))),
    row(ElementType::F32, "f32", 32, Encoding::Float(F32)),
    row(ElementType::F64, "f64", 64, Encoding::Float(F64)),
    row(ElementType::F8E5M2, "f8E5M2", 8, Encoding::Float(float(5, 2, 15, Specials::Ieee))),
    row(ElementType::F8E4M3, "f8E4M3", 8, Encoding::Float(float(4, 3, 7, Specials::Ieee))),
    row(ElementType::F8E3M4, "f8E3M4", 8, Encoding::Float(float(3, 4, 3, Specials::Ieee))),
    row(ElementType::F8E4M3Fn, "f8E4M3FN", 8, Encoding::Float(float(4, 3, 7, Specials::NanAllOnes))),
    row(ElementType::F8E4M3B11Fnuz, "f8E4M3B11FNUZ", 8, Encoding::Float(float(4, 3, 11, Specials::NanNegativeZero))),
    row(ElementType::F8E4M3Fnuz, "f8E4M3FNUZ", 8, Encoding::Float(float(4, 3, 8, Specials::NanNegativeZero))),
    row(ElementType::F8E5M2Fnuz, "f8E5M2FNUZ", 8, Encoding::Float(float(5, 2, 16, Specials::NanNegativeZero))),
    row(ElementType::F8E8M0Fnu, "f8E8M0FNU", 8, Encoding::Float(float(8, 0, 127, Specials::ExponentOnly))),
    row(ElementType::F6E2M3Fn, "f6E2M3FN", 6, Encoding::Float(float(2, 3, 1, Specials::None))),
    row(ElementType::F6E3M2Fn, "f6E3M2FN", 6, Encoding::Float(float(3, 2, 3, Specials::None))),
    row(ElementType::F4E2M1Fn, "f4E2M1FN", 4, Encoding::Float(float(2, 1, 1, Specials::None))),
    row(ElementType::Index, "index", 64, SIGNLESS),
    row(ElementType::ComplexF32, "complex<f32>", 64, Encoding::Complex(F32)),
    row(ElementType::ComplexF64, "complex<f64>", 128, Encoding::Complex(F64)),
];

/// One element, in a type wide enough for every element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

impl ElementType {
    /// The type's row.
    pub fn row(self) -> &'static ElementTypeRow {
        // The table is in the order of the enum; a test holds it.
        &ELEMENT_TYPES[self as usize]
    }

    /// MLIR's spelling.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Bytes of one element on the host.
    pub fn bytes(self) -> usize {
        self.row().bytes
    }

    /// Holds numbers with a fraction, real or complex.
    pub fn is_float(self) -> bool {
        matches!(self.row().encoding, Encoding::Float(_) | Encoding::Complex(_))
    }

    /// Bits of one element in packed device storage.
    pub fn bits(self) -> u32 {
        self.row().bits
    }

    /// Elements of less than a byte.
    pub fn is_sub_byte(self) -> bool {
        self.bits() < 8 && self != ElementType::I1
    }

    /// From MLIR's spelling; case counts, except that IREE's `cf32`, `cf64` and `c64`, `c128` are known too.
    pub fn parse(name: &str) -> Option<ElementType> {
        let name = match name {
            "cf32" | "c64" => "complex<f32>",
            "cf64" | "c128" => "complex<f64>",
            other => other,
        };
        ELEMENT_TYPES.iter().find(|row| row.name == name).map(|row| row.element_type)
    }

    /// Whether a file that says this type may mean `other`. Files without a name for a type hold its bits: ui8 and
    /// ui16 stand for the float and sub-byte types of their width, i8 for signed sub-byte types, and signless integers
    /// for signed ones and index.
    pub fn stands_for(self, other: ElementType) -> bool {
        use ElementType as E;
        match self {
            _ if self == other => true,
            E::Ui8 => other.bytes() == 1 && (other.is_sub_byte() || matches!(other.row().encoding, Encoding::Float(_))),
            E::I8 => matches!(other, E::I2 | E::I4 | E::Si2 | E::Si4 | E::Si8),
            E::Ui16 => matches!(other, E::Bf16 | E::F16),
            E::Bf16 => other == E::F16,
            E::I16 => other == E::Si16,
            E::I32 => other == E::Si32,
            E::I64 => matches!(other, E::Index | E::Si64),
            E::Ui64 => other == E::Index,
            _ => false,
        }
    }

    /// Smallest and largest integer that a literal of this type may have.
    pub(crate) fn integer_range(self) -> Option<(i128, i128)> {
        let bits = self.bits();
        match self.row().encoding {
            Encoding::Bool => Some((0, 1)),
            Encoding::Int { signless: true } => Some((-(1 << (bits - 1)), (1 << bits) - 1)),
            Encoding::Int { signless: false } => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            Encoding::Uint => Some((0, (1 << bits) - 1)),
            Encoding::Float(_) | Encoding::Complex(_) => None,
        }
    }

    /// Appends one element. Integers wrap, floats round; a number of another kind is converted as by `as`.
    pub fn encode(self, value: Scalar, out: &mut Vec<u8>) {
        let row = self.row();
        let (re, im) = match value {
            Scalar::Int(v) => (v as f64, 0.0),
            Scalar::Float(v) => (v, 0.0),
            Scalar::Complex(re, im) => (re, im),
        };
        let integer = match value {
            Scalar::Int(v) => v,
            _ => re as i128,
        };
        match row.encoding {
            Encoding::Bool => out.push(u8::from(integer != 0)),
            Encoding::Int { .. } if row.bits < 8 => {
                let unused = 8 - row.bits;
                out.push((((integer as u8) << unused) as i8 >> unused) as u8);
            }
            Encoding::Uint if row.bits < 8 => out.push(integer as u8 & ((1 << row.bits) - 1)),
            Encoding::Int { .. } | Encoding::Uint => out.extend(integer.to_le_bytes().iter().take(row.bytes)),
            Encoding::Float(format) => out.extend(format.encode(re).to_le_bytes().iter().take(row.bytes)),
            Encoding::Complex(format) => {
                out.extend(format.encode(re).to_le_bytes().iter().take(row.bytes / 2));
                out.extend(format.encode(im).to_le_bytes().iter().take(row.bytes / 2));
            }
        }
    }

    /// Reads one element from its host bytes (`bytes()` of them; missing ones count as zero).
    pub fn decode(self, bytes: &[u8]) -> Scalar {
        let row = self.row();
        match row.encoding {
            Encoding::Bool => Scalar::Int(i128::from(little_endian(bytes) & 0xff != 0)),
            Encoding::Int { .. } => {
                let unused = 64 - row.bits;
                Scalar::Int(i128::from((little_endian(bytes) << unused) as i64 >> unused))
            }
            Encoding::Uint => {
                let unused = 64 - row.bits;
                Scalar::Int(i128::from(little_endian(bytes) << unused >> unused))
            }
            Encoding::Float(format) => Scalar::Float(format.decode(little_endian(bytes))),
            Encoding::Complex(format) => {
                let (re, im) = bytes.split_at(bytes.len().min(row.bytes / 2));
                Scalar::Complex(format.decode(little_endian(re)), format.decode(little_endian(im)))
            }
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The first eight bytes as a number.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).enumerate().fold(0, |sum, (at, byte)| sum | u64::from(*byte) << (8 * at))
}

impl FloatFormat {
    fn sign_mask(&self) -> u64 {
        match self.specials {
            Specials::ExponentOnly => 0,
            _ => 1 << (self.exponent_bits + self.mantissa_bits),
        }
    }

    fn all_ones(&self) -> u64 {
        (1 << (self.exponent_bits + self.mantissa_bits)) - 1
    }

    /// Largest finite magnitude, as bits.
    fn largest(&self) -> u64 {
        match self.specials {
            Specials::Ieee => self.all_ones() - (1 << self.mantissa_bits),
            Specials::NanAllOnes | Specials::ExponentOnly => self.all_ones() - 1,
            Specials::NanNegativeZero | Specials::None => self.all_ones(),
        }
    }

    fn nan(&self) -> u64 {
        match self.specials {
            Specials::Ieee => (self.largest() + 1) | 1 << (self.mantissa_bits - 1),
            Specials::NanAllOnes | Specials::ExponentOnly => self.all_ones(),
            Specials::NanNegativeZero => self.sign_mask(),
            Specials::None => self.sign_mask(),
        }
    }

    /// Rounds to nearest, ties to even.
    pub fn encode(&self, value: f64) -> u64 {
        if *self == F64 {
            return value.to_bits();
        }
        if *self == F32 && !value.is_nan() {
            return u64::from((value as f32).to_bits());
        }
        let negative = value.is_sign_negative();
        let exponent_only = self.specials == Specials::ExponentOnly;
        if value.is_nan() || (exponent_only && (negative || value == 0.0)) {
            return self.nan();
        }
        let sign = if negative { self.sign_mask() } else { 0 };
        let magnitude = if value.is_infinite() { u64::MAX } else { self.round(value.abs()) };
        let largest = self.largest();
        if magnitude > largest {
            return match self.specials {
                Specials::Ieee => sign | (largest + 1),
                Specials::None => sign | largest,
                Specials::NanAllOnes => sign | self.nan(),
                Specials::NanNegativeZero | Specials::ExponentOnly => self.nan(),
            };
        }
        if magnitude == 0 && self.specials == Specials::NanNegativeZero {
            return 0;
        }
        sign | magnitude
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
                let (kept, rest) = (significand >> drop, significand & ((1 << drop) - 1));
                let half = 1u64 << (drop - 1);
                // An exponent alone rounds ties up, as ml_dtypes does; the others to even.
                let up = kept & 1 == 1 || self.mantissa_bits == 0;
                kept + u64::from(rest > half || (rest == half && up))
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
        if *self == F64 {
            return f64::from_bits(bits);
        }
        if *self == F32 {
            return f64::from(f32::from_bits(bits as u32));
        }
        let magnitude = bits & self.all_ones();
        let negative = bits & self.sign_mask() != 0;
        let mantissa = magnitude & ((1 << self.mantissa_bits) - 1);
        let field = (magnitude >> self.mantissa_bits) as i32;
        let sign = if negative { -1.0 } else { 1.0 };
        let top = (1 << self.exponent_bits) - 1;
        match self.specials {
            Specials::Ieee if field == top && mantissa == 0 => return sign * f64::INFINITY,
            Specials::Ieee if field == top => return f64::NAN,
            Specials::NanAllOnes | Specials::ExponentOnly if magnitude == self.all_ones() => return f64::NAN,
            Specials::NanNegativeZero if negative && magnitude == 0 => return f64::NAN,
            _ => {}
        }
        let fraction = mantissa as f64 / (1u64 << self.mantissa_bits) as f64;
        if field == 0 && self.specials != Specials::ExponentOnly {
            return sign * fraction * exp2(1 - self.bias);
        }
        sign * (1.0 + fraction) * exp2(field - self.bias)
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
    fn the_table_is_in_the_order_of_the_enum_and_names_parse() {
        for (at, row) in ELEMENT_TYPES.iter().enumerate() {
            assert_eq!(row.element_type as usize, at, "{}", row.name);
            assert_eq!(ElementType::parse(row.name), Some(row.element_type));
        }
        assert_eq!(ElementType::parse("f8E4M3fn"), None);
        assert_eq!(ElementType::ComplexF32.bytes(), 8);
        assert_eq!(ElementType::F6E2M3Fn.bytes(), 1);
    }

    #[test]
    fn small_floats_decode_and_encode_every_pattern() {
        for row in ELEMENT_TYPES {
            let Encoding::Float(format) = row.encoding else { continue };
            if row.bits > 16 {
                continue;
            }
            for bits in 0..1u64 << row.bits {
                let value = format.decode(bits);
                let back = format.encode(value);
                if value.is_nan() {
                    assert!(format.decode(back).is_nan(), "{} {bits:#x}", row.name);
                } else {
                    assert_eq!(back, bits, "{} {bits:#x} {value}", row.name);
                }
            }
        }
    }

    #[test]
    fn sixteen_bit_floats_agree_with_the_half_crate() {
        let ElementTypeRow { encoding: Encoding::Float(f16), .. } = ElementType::F16.row() else { panic!() };
        let ElementTypeRow { encoding: Encoding::Float(bf16), .. } = ElementType::Bf16.row() else { panic!() };
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let single = f32::from_bits((state >> 32) as u32);
            // half rounds f64 through its upper bits only; from f32 it is exact.
            for single in [single, single % 70000.0] {
                let value = f64::from(single);
                if value.is_nan() {
                    continue;
                }
                assert_eq!(f16.encode(value) as u16, half::f16::from_f32(single).to_bits(), "{value:e}");
                assert_eq!(bf16.encode(value) as u16, half::bf16::from_f32(single).to_bits(), "{value:e}");
            }
        }
    }

    #[test]
    fn known_values() {
        let bits = |name: &str, value: f64| {
            let mut out = Vec::new();
            ElementType::parse(name).unwrap().encode(Scalar::Float(value), &mut out);
            out
        };
        assert_eq!(bits("f8E4M3FN", 448.0), [0x7e]);
        assert_eq!(bits("f8E4M3FN", 1e9), [0x7f]);
        assert_eq!(bits("f8E5M2", 1e9), [0x7c]);
        assert_eq!(bits("f8E4M3FNUZ", -0.0), [0x00]);
        assert_eq!(bits("f8E4M3FNUZ", f64::NAN), [0x80]);
        assert_eq!(bits("f4E2M1FN", 100.0), [0x07]);
        assert_eq!(bits("f4E2M1FN", 2.5), [0x04]);
        assert_eq!(bits("f8E8M0FNU", 1.0), [127]);
        assert_eq!(bits("f8E8M0FNU", 3.0), [129]);
        assert_eq!(bits("f8E8M0FNU", 2.9), [128]);
        assert_eq!(bits("f8E8M0FNU", 2f64.powi(-128)), [0]);
        assert_eq!(bits("f8E8M0FNU", 0.0), [255]);
        assert_eq!(bits("bf16", 1.0), [0x80, 0x3f]);
        assert_eq!(bits("i4", -1.0), [0xff]);
        assert_eq!(bits("ui4", 15.0), [0x0f]);
    }

    #[test]
    fn integers_wrap_into_their_width_and_come_back() {
        let mut out = Vec::new();
        ElementType::I16.encode(Scalar::Int(65535), &mut out);
        assert_eq!(out, [0xff, 0xff]);
        assert_eq!(ElementType::I16.decode(&out), Scalar::Int(-1));
        assert_eq!(ElementType::Ui16.decode(&out), Scalar::Int(65535));
        assert_eq!(ElementType::Ui64.decode(&[0xff; 8]), Scalar::Int(u64::MAX.into()));
    }
}

//! Floats of eight bits and less, and integers of less than a byte, between their memory and register forms.
//!
//! A small float (f8, f6, f4) is one byte in memory and an f32 in registers, which represents every one of its values;
//! an op computes in f32 and rounds once. Twenty-four bits are more than twice the bits of any small float plus two, so
//! the f32 rounding before never decides a tie. An integer of two or four bits is one byte, sign- or zero-extended;
//! what leaves its range wraps.
//!
//! Rounding is to nearest even. What is too large becomes what the format has: infinity, else NaN, else the largest
//! value. NaN becomes the format's one quiet NaN with the sign of the operand; in formats without NaN the zero of the
//! other sign. Formats whose NaN is the pattern of −0 have no −0. f8E8M0FNU, a bare exponent, rounds ties up; zero and
//! negative numbers are NaN there.
//!
//! Worked example, f8E4M3FN (three mantissa bits, bias 7): 0.3 is 0x3E99999A; its unit is bit 20. Adding the unit's
//! parity 1 and 0x7FFFF gives 0x3EA1999A, without the other bias (120 « 23) 0x02A1999A, shifted by 20 0x2A: 1.25 · 2^−2
//! = 0.3125. 0.01 lies below 2^−6, where the unit is 2^−9: 0.01 + 2^14 is 16384.009765625, its bits are 5 more than
//! those of 2^14: the pattern 5, 5 · 2^−9 = 0.009765625.

use fornax_graph::ElementType;
use fornax_targets::{Backend, Feature, Target};
use fornax_types::{FloatFormat, Specials, decode_float};

use crate::text::{Code, Scalar, Ty, Value};

const MAGNITUDE: i64 = 0x7FFF_FFFF;
const INFINITY: i64 = 0x7F80_0000;
const QUIET_NAN: i64 = 0x7FC0_0000;
/// 2^−127 as f32.
const LEAST_POWER: i64 = 0x40_0000;

/// What rounding does with the bits of a NaN.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Nan {
    /// The format's quiet NaN: of a computed value.
    Quiet,
    /// The bits that the format has: of a value that came from it.
    Kept,
}

/// Bits of a float format's units in f32 below its mantissa.
fn dropped(f: &FloatFormat) -> i64 {
    23 - i64::from(f.mantissa_bits)
}

/// Exponent field in f32 of the smallest normal number, 2^(1 − bias).
fn least_field(f: &FloatFormat) -> i64 {
    128 - i64::from(f.bias)
}

fn splat(code: &mut Code, like: Value, bits: i64) -> Value {
    code.int(like.ty, bits)
}

/// The f32 of a small float's byte.
pub fn decode(code: &mut Code, element: ElementType, raw: Value) -> Value {
    let wide = code.resize_u(raw, Scalar::I32);
    let Some(f) = element.signed_format() else { return decode_power(code, wide) };
    let (sign, all) = (f.sign_bit() as i64, f.magnitude_mask() as i64);
    let magnitude = code.and_k(wide, all);
    let moved = code.shl_k(magnitude, dropped(f));
    let normal = code.add_ik(moved, (least_field(f) - 1) << 23);
    // A subnormal number is what a number with its mantissa has more than a power of two.
    let lifted = code.add_ik(moved, least_field(f) << 23);
    let lifted = code.bitcast(lifted, Scalar::F32);
    let subnormal = code.add_k(lifted, -2f64.powi(1 - f.bias));
    let subnormal = code.to_bits(subnormal);
    let small = code.cmp_ik("ult", magnitude, 1 << f.mantissa_bits);
    let mut bits = code.select(small, subnormal, normal);
    match f.specials {
        Specials::Ieee => {
            let special = code.cmp_ik("uge", magnitude, f.top_exponent() as i64);
            let infinite = code.or_k(moved, INFINITY);
            bits = code.select(special, infinite, bits);
        }
        Specials::NanAllOnes => {
            let nan = code.cmp_ik("eq", magnitude, all);
            let quiet = splat(code, bits, QUIET_NAN);
            bits = code.select(nan, quiet, bits);
        }
        Specials::NanNegativeZero | Specials::None | Specials::ExponentOnly => {}
    }
    let negative = code.and_k(wide, sign);
    let negative = code.shl_k(negative, 31 - i64::from(f.exponent_bits + f.mantissa_bits));
    bits = code.or(bits, negative);
    if f.specials == Specials::NanNegativeZero {
        let nan = code.cmp_ik("eq", wide, sign);
        let quiet = splat(code, bits, QUIET_NAN);
        bits = code.select(nan, quiet, bits);
    }
    code.bitcast(bits, Scalar::F32)
}

/// NVIDIA's instructions that make f16 pairs of f8 pairs. Every value is exact; NaN becomes one positive NaN.
const NVIDIA: &[(ElementType, &str)] =
    &[(ElementType::F8E4M3FN, "llvm.nvvm.e4m3x2.to.f16x2.rn"), (ElementType::F8E5M2, "llvm.nvvm.e5m2x2.to.f16x2.rn")];

/// AMD's that make f32 of one or two bytes of a register, in the encoding of the chip: whether it is FNUZ.
const AMD: &[(ElementType, bool, &str)] = &[
    (ElementType::F8E4M3FNUZ, true, "fp8"),
    (ElementType::F8E5M2FNUZ, true, "bf8"),
    (ElementType::F8E4M3FN, false, "fp8"),
    (ElementType::F8E5M2, false, "bf8"),
];

/// [`decode`] by the machine's own conversion, where it has one for the format.
pub fn decode_native(code: &mut Code, target: &Target, element: ElementType, raw: Value) -> Option<Value> {
    if !target.has(Feature::CvtFp8) || !matches!(target.backend, Backend::Cuda | Backend::Rocm) {
        return None;
    }
    if target.backend == Backend::Rocm {
        let fnuz = target.has(Feature::MfmaFp8Fnuz);
        let format = AMD.iter().find(|row| (row.0, row.1) == (element, fnuz))?.2;
        return Some(decode_amd(code, format, raw));
    }
    let name = NVIDIA.iter().find(|row| row.0 == element)?.1;
    let pair = Ty::vector(Scalar::F16, 2);
    let mut halves = Vec::new();
    if raw.ty.lanes.is_multiple_of(2) {
        let words = words_of(code, raw, Scalar::I16);
        for at in 0..words.ty.lanes {
            let word = code.extract(words, at);
            let two = code.intrinsic(name, &[word], pair);
            halves.extend([code.extract(two, 0), code.extract(two, 1)]);
        }
    } else {
        for at in 0..raw.ty.lanes {
            let byte = code.extract(raw, at);
            let word = code.resize_u(byte, Scalar::I16);
            let two = code.intrinsic(name, &[word], pair);
            halves.push(code.extract(two, 0));
        }
    }
    let half = code.assemble(&halves);
    Some(code.cast("arith.extf", half, Scalar::F32))
}

fn decode_amd(code: &mut Code, format: &str, raw: Value) -> Value {
    let mut values = Vec::new();
    if raw.ty.lanes.is_multiple_of(4) {
        let words = words_of(code, raw, Scalar::I32);
        for at in 0..words.ty.lanes {
            let word = code.extract(words, at);
            for high in [0, 1] {
                let high = code.bits(Ty::scalar(Scalar::I1), high);
                let two = code.intrinsic(
                    &format!("llvm.amdgcn.cvt.pk.f32.{format}"),
                    &[word, high],
                    Ty::vector(Scalar::F32, 2),
                );
                values.extend([code.extract(two, 0), code.extract(two, 1)]);
            }
        }
    } else {
        for at in 0..raw.ty.lanes {
            let byte = code.extract(raw, at);
            let word = code.resize_u(byte, Scalar::I32);
            let first = code.int(Ty::scalar(Scalar::I32), 0);
            values.push(code.intrinsic(
                &format!("llvm.amdgcn.cvt.f32.{format}"),
                &[word, first],
                Ty::scalar(Scalar::F32),
            ));
        }
    }
    code.assemble(&values)
}

/// Neighbouring bytes as wider integers.
fn words_of(code: &mut Code, raw: Value, word: Scalar) -> Value {
    let words = Ty::vector(word, raw.ty.lanes * 8 / word.bits());
    code.pure(words, format!("llvm.bitcast {raw} : {} to {words}", raw.ty))
}

fn decode_power(code: &mut Code, wide: Value) -> Value {
    let bits = code.shl_k(wide, 23);
    let least = splat(code, bits, LEAST_POWER);
    let zero = code.cmp_ik("eq", wide, 0);
    let bits = code.select(zero, least, bits);
    let quiet = splat(code, bits, QUIET_NAN);
    let nan = code.cmp_ik("eq", wide, 0xFF);
    let bits = code.select(nan, quiet, bits);
    code.bitcast(bits, Scalar::F32)
}

/// The byte of the small float nearest to an f32.
pub fn encode(code: &mut Code, element: ElementType, value: Value, nans: Nan) -> Value {
    let Some(f) = element.signed_format() else { return encode_power(code, value) };
    let bits = code.to_bits(value);
    let magnitude = code.and_k(bits, MAGNITUDE);
    let sign = code.shr_uk(bits, 31 - i64::from(f.exponent_bits + f.mantissa_bits));
    let sign = code.and_k(sign, f.sign_bit() as i64);
    let drop = dropped(f);
    let unit = code.shr_uk(magnitude, drop);
    let unit = code.and_k(unit, 1);
    let sum = code.add_i(magnitude, unit);
    let sum = code.add_ik(sum, (1 << (drop - 1)) - 1 - ((least_field(f) - 1) << 23));
    let normal = code.shr_uk(sum, drop);
    // Next to 2^23 units an f32 counts units.
    let count = 2f64.powi(24 - f.bias - f.mantissa_bits as i32);
    let float = code.bitcast(magnitude, Scalar::F32);
    let lifted = code.add_k(float, count);
    let lifted = code.to_bits(lifted);
    let subnormal = code.add_ik(lifted, -i64::from((count as f32).to_bits()));
    let small = code.cmp_ik("ult", magnitude, least_field(f) << 23);
    let rounded = code.select(small, subnormal, normal);
    let result = with_specials(code, f, nans, [rounded, magnitude, sign]);
    code.resize_u(result, Scalar::I8)
}

/// A rounded pattern, which may be past the largest, with the format's way to say so, NaN and sign.
fn with_specials(code: &mut Code, f: &FloatFormat, nans: Nan, [rounded, magnitude, sign]: [Value; 3]) -> Value {
    let all = f.magnitude_mask() as i64;
    match f.specials {
        Specials::Ieee => {
            let top = splat(code, rounded, f.top_exponent() as i64);
            let clamped = code.binary("arith.minui", rounded, top);
            let nan = code.cmp_ik("ugt", magnitude, INFINITY);
            let quiet = splat(code, rounded, f.top_exponent() as i64 | 1 << (f.mantissa_bits - 1));
            let pattern = if nans == Nan::Kept {
                let payload = code.shr_uk(magnitude, dropped(f));
                code.and_k(payload, all)
            } else {
                quiet
            };
            let result = code.select(nan, pattern, clamped);
            code.or(result, sign)
        }
        Specials::NanAllOnes => {
            let last = splat(code, rounded, all);
            let clamped = code.binary("arith.minui", rounded, last);
            code.or(clamped, sign)
        }
        Specials::None => {
            let last = splat(code, rounded, all);
            let clamped = code.binary("arith.minui", rounded, last);
            let signed = code.or(clamped, sign);
            let nan = code.cmp_ik("ugt", magnitude, INFINITY);
            let flip = splat_sign(code, f, rounded);
            let other = code.xor(sign, flip);
            code.select(nan, other, signed)
        }
        Specials::NanNegativeZero | Specials::ExponentOnly => {
            let signed = code.or(rounded, sign);
            let zero = code.cmp_ik("eq", rounded, 0);
            let unsigned = code.select(zero, rounded, signed);
            let large = code.cmp_ik("ugt", rounded, all);
            let nan = splat_sign(code, f, rounded);
            code.select(large, nan, unsigned)
        }
    }
}

fn splat_sign(code: &mut Code, f: &FloatFormat, like: Value) -> Value {
    splat(code, like, f.sign_bit() as i64)
}

fn encode_power(code: &mut Code, value: Value) -> Value {
    let bits = code.to_bits(value);
    // Ties go up: half a unit of the exponent, where the mantissa has no leading one half of it.
    let (half, quarter) = (splat(code, bits, LEAST_POWER), splat(code, bits, LEAST_POWER / 2));
    let subnormal = code.cmp_ik("ult", bits, 1 << 23);
    let more = code.select(subnormal, quarter, half);
    let sum = code.add_i(bits, more);
    let exponent = code.shr_uk(sum, 23);
    let nan = splat(code, exponent, 0xFF);
    let clamped = code.binary("arith.minui", exponent, nan);
    let not_positive = code.cmp_ik("sle", bits, 0);
    let result = code.select(not_positive, nan, clamped);
    code.resize_u(result, Scalar::I8)
}

/// Bits of the f32 that [`decode`] makes of a pattern.
pub fn constant_bits(element: ElementType, bits: u64) -> u64 {
    let value = decode_float(element, bits);
    if !value.is_nan() {
        return u64::from((value as f32).to_bits());
    }
    match element.signed_format() {
        Some(f) if f.specials != Specials::NanNegativeZero => {
            let sign = u64::from(bits & f.sign_bit() != 0) << 31;
            let payload = bits & ((1 << f.mantissa_bits) - 1);
            let quiet = if f.specials == Specials::Ieee { payload << dropped(f) } else { 1 << 22 };
            sign | INFINITY as u64 | quiet
        }
        _ => QUIET_NAN as u64,
    }
}

/// The low bits of a byte as a value of an integer type of less than a byte.
pub fn wrap(code: &mut Code, element: ElementType, value: Value) -> Value {
    let bits = i64::from(element.bits());
    if element.is_unsigned() {
        return code.and_k(value, (1 << bits) - 1);
    }
    let high = code.shl_k(value, 8 - bits);
    code.shr_sk(high, 8 - bits)
}

/// An integer of less than a byte?
pub fn is_sub_byte(element: ElementType) -> bool {
    element.is_integer() && element.bits() < 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_their_values_and_nan_keeps_its_sign() {
        assert_eq!(constant_bits(ElementType::F8E4M3FN, 0x38), u64::from(1f32.to_bits()));
        assert_eq!(constant_bits(ElementType::F8E4M3FN, 0xFF), 0xFFC0_0000);
        assert_eq!(constant_bits(ElementType::F8E5M2, 0x7D), 0x7FA0_0000);
        assert_eq!(constant_bits(ElementType::F8E4M3FNUZ, 0x80), 0x7FC0_0000);
        assert_eq!(constant_bits(ElementType::F8E8M0FNU, 0), LEAST_POWER as u64);
        assert_eq!(constant_bits(ElementType::F4E2M1FN, 8), 0x8000_0000);
    }
}

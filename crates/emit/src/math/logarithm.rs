//! log, log1p, asinh, acosh, atanh.
//!
//! x = m·2ᵉ with m near 1, split by integer arithmetic on the bits; ln m by a polynomial in f = m − 1 (f32) or in
//! s = f/(2 + f) (f64, as ln((1 + s)/(1 − s))); e·ln 2 is added last. Subnormal arguments are scaled up first.
//!
//! Worked example, f32: ln 10: 10 = 1.25·2³, ln 1.25 = 0.25 − 0.25²·0.4296 = 0.22314355, + 3·0.6931472 = 2.3025851.

use super::coefficients::{LOG_F32, LOG_F64};
use super::exponential::LN2_F64;
use super::{choose, is_double, polynomial};
use crate::text::{Code, Value};

/// Bits of the smallest m: 2/3 and √½.
const TWO_THIRDS_F32: i64 = 0x3F2A_AAAB;
const SQRT_HALF_F32: i64 = 0x3F35_04F3;
const SQRT_HALF_F64: i64 = 0x3FE6_A09E_667F_3BCD;

/// x = m·2ᵉ with m from √½ to √2; e as a float. x must be positive and finite, else both are arbitrary.
pub fn split(code: &mut Code, x: Value) -> (Value, Value) {
    split_from(code, x, choose(x, SQRT_HALF_F32, SQRT_HALF_F64))
}

/// m is at least the number with the bits `lowest`, and below twice that.
fn split_from(code: &mut Code, x: Value, lowest: i64) -> (Value, Value) {
    let (normal, up, bits) = choose(
        x,
        (f64::from(f32::MIN_POSITIVE), 8_388_608.0, 23.0),
        (f64::MIN_POSITIVE, 18_014_398_509_481_984.0, 54.0),
    );
    let subnormal = code.cmp_fk("olt", x, normal);
    let raised = code.mul_k(x, up);
    let x = code.select(subnormal, raised, x);
    let (less, none) = (code.float(x.ty, bits), code.float(x.ty, 0.0));
    let less = code.select(subnormal, less, none);
    let bits = code.to_bits(x);
    let (in_place, e) = exponent(code, bits, lowest, x);
    let m = code.sub_i(bits, in_place);
    (code.bitcast(m, x.ty.scalar), code.sub_f(e, less))
}

/// The exponent e of bits = m·2ᵉ, in its place in the bits and as a number of the type of `like`.
fn exponent(code: &mut Code, bits: Value, lowest: i64, like: Value) -> (Value, Value) {
    // 2^23 (2^52) has its ones at the end of its bits: an integer or-ed to it is added to it.
    let (mantissa, half_range, one) = choose(like, (23, 256.0, 8_388_608.0), (52, 2048.0, 4_503_599_627_370_496.0));
    let above = code.add_ik(bits, -lowest);
    let in_place = code.and_k(above, -1 << mantissa);
    // e + 256 (2048) is not negative.
    let sign = if mantissa == 23 { 1 << 31 } else { i64::MIN };
    let field = code.int_k("arith.xori", above, sign);
    let field = code.shr_uk(field, mantissa);
    let base = code.float(like.ty, one);
    let base = code.to_bits(base);
    let number = code.or(field, base);
    let number = code.bitcast(number, like.ty.scalar);
    (in_place, code.add_k(number, -(one + half_range)))
}

/// ln(1 + f) + e·ln 2.
fn combine(code: &mut Code, f: Value, e: Value) -> Value {
    let square = code.mul_f(f, f);
    if !is_double(f) {
        let series = polynomial(code, f, &LOG_F32);
        let value = code.fma(square, series, f);
        return code.fma_k(e, std::f64::consts::LN_2, value);
    }
    // ln(1 + f) = f − f²/2 + s·(f²/2 + R), s = f/(2 + f), R = s³·series / s.
    let sum = code.add_k(f, 2.0);
    let s = code.div_f(f, sum);
    let z = code.mul_f(s, s);
    let series = polynomial(code, z, &LOG_F64);
    let r = code.mul_f(series, z);
    let half = code.mul_k(square, 0.5);
    let inner = code.add_f(half, r);
    let low = code.mul_k(e, LN2_F64[1]);
    let inner = code.fma(s, inner, low);
    let inner = code.sub_f(half, inner);
    let inner = code.sub_f(inner, f);
    let high = code.mul_k(e, LN2_F64[0]);
    code.sub_f(high, inner)
}

/// ln x for positive finite x.
pub fn log_positive(code: &mut Code, x: Value) -> Value {
    let (m, e) = split_from(code, x, choose(x, TWO_THIRDS_F32, SQRT_HALF_F64));
    let f = code.add_k(m, -1.0);
    combine(code, f, e)
}

/// Puts −∞ at `pole`, NaN below it, and +∞ and NaN through.
fn with_pole(code: &mut Code, x: Value, pole: f64, value: Value) -> Value {
    let below = code.cmp_fk("olt", x, pole);
    let value = code.select_k(below, f64::NAN, value);
    let at = code.cmp_fk("oeq", x, pole);
    let value = code.select_k(at, f64::NEG_INFINITY, value);
    let beyond = code.cmp_fk("uge", x, f64::INFINITY);
    code.select(beyond, x, value)
}

pub fn log(code: &mut Code, x: Value) -> Value {
    let value = log_positive(code, x);
    with_pole(code, x, 0.0, value)
}

/// 1 + x = m·2ᵉ; f = x·2^−e + (2^−e − 1) has one rounding, none for e = 0.
pub fn log1p(code: &mut Code, x: Value) -> Value {
    let u = code.add_k(x, 1.0);
    let bits = code.to_bits(u);
    let (in_place, e) = exponent(code, bits, choose(x, TWO_THIRDS_F32, SQRT_HALF_F64), x);
    // 4·2^−e and x·2^−e by subtraction in the exponent field: 2^−e alone can be subnormal.
    let four = code.float(x.ty, 4.0);
    let four = code.to_bits(four);
    let four = code.sub_i(four, in_place);
    let four = code.bitcast(four, x.ty.scalar);
    let quarter = code.mul_k(four, 0.25);
    let less = code.add_k(quarter, -1.0);
    let bits = code.to_bits(x);
    let scaled = code.sub_i(bits, in_place);
    let scaled = code.bitcast(scaled, x.ty.scalar);
    let f = code.add_f(scaled, less);
    let value = combine(code, f, e);
    let value = with_pole(code, x, -1.0, value);
    // The sign of zero.
    code.copy_sign(value, x)
}

/// ln(1 + a + a²/(1 + √(1 + a²))) with a = |x|; ln a + ln 2 where a² could overflow.
pub fn asinh(code: &mut Code, x: Value) -> Value {
    let a = code.abs_f(x);
    let large = code.cmp_fk("ogt", a, choose(x, 1_073_741_824.0, 1_152_921_504_606_846_976.0));
    let square = code.mul_f(a, a);
    let sum = code.add_k(square, 1.0);
    let root = code.sqrt_f(sum);
    let divisor = code.add_k(root, 1.0);
    let quotient = code.div_f(square, divisor);
    let argument = code.add_f(a, quotient);
    let argument = code.select(large, a, argument);
    let value = log1p(code, argument);
    let more = code.add_k(value, std::f64::consts::LN_2);
    let value = code.select(large, more, value);
    code.copy_sign(value, x)
}

/// ln(1 + t + √(t·(t + 2))) with t = x − 1; ln x + ln 2 where the product could overflow.
pub fn acosh(code: &mut Code, x: Value) -> Value {
    let large = code.cmp_fk("ogt", x, choose(x, 1_073_741_824.0, 1_152_921_504_606_846_976.0));
    let t = code.add_k(x, -1.0);
    let sum = code.add_k(t, 2.0);
    let product = code.mul_f(t, sum);
    let root = code.sqrt_f(product);
    let argument = code.add_f(t, root);
    let argument = code.select(large, x, argument);
    let value = log1p(code, argument);
    let more = code.add_k(value, std::f64::consts::LN_2);
    let value = code.select(large, more, value);
    let outside = code.cmp_fk("olt", x, 1.0);
    code.select_k(outside, f64::NAN, value)
}

/// ln(1 + 2a/(1 − a))/2 with a = |x|; beyond 1 the logarithm is NaN.
pub fn atanh(code: &mut Code, x: Value) -> Value {
    let a = code.abs_f(x);
    let one = code.float(x.ty, 1.0);
    let rest = code.sub_f(one, a);
    let double = code.add_f(a, a);
    let quotient = code.div_f(double, rest);
    let small = code.cmp_fk("olt", a, 0.5);
    // 2a + 2a·a/(1 − a): the rounding of 1 − a matters less.
    let product = code.mul_f(double, a);
    let correction = code.div_f(product, rest);
    let sum = code.add_f(double, correction);
    let argument = code.select(small, sum, quotient);
    let value = log1p(code, argument);
    let value = code.mul_k(value, 0.5);
    code.copy_sign(value, x)
}

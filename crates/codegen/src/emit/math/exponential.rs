//! exp, expm1, logistic, tanh, sinh, cosh.
//!
//! x = n·ln 2 + r with |r| ≤ ln 2 / 2; e^r = 1 + r + r²·q(r), q a minimax polynomial; 2^n multiplied in two steps, so that
//! subnormal results are rounded once and large ones overflow by themselves.
//!
//! Worked example, f32: x = 10: n = 14, r = 10 − 14·0.6931472 = 0.2959394; 1.3443833 · 2^14 = 22026.47.

use super::{exp2_integer, is_double, polynomial};
use crate::emit::text::{Code, Value};

const Q_F32: [f64; 5] = [0.00138142717, 0.00836885162, 0.0416684039, 0.166665196, 0.49999994];
const Q_F64: [f64; 10] = [
    2.4999485420089914e-08,
    2.763051806556764e-07,
    2.7557589762923994e-06,
    2.480149240919714e-05,
    0.00019841269500998535,
    0.0013888888944221162,
    0.00833333333349787,
    0.041666666666528254,
    0.16666666666666405,
    0.5000000000000011,
];

/// e^x = (1 + small) · 2^n, with n as a float and as an integer.
struct Parts {
    small: Value,
    n: Value,
    integer: Value,
}

/// Splits `x + tail`; |x| must be below 2^22 (NaN gives NaN).
fn parts(code: &mut Code, x: Value, tail: Option<Value>) -> Parts {
    let double = is_double(x);
    let shift = if double { 6_755_399_441_055_744.0 } else { 12_582_912.0 };
    // Short high parts: n·high is exact with or without fma.
    let (high, low) =
        if double { (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10) } else { (0.693145752, 1.42860677e-6) };
    let magic = code.float(x.ty, shift);
    let shifted = code.fma_k(x, std::f64::consts::LOG2_E, magic);
    let n = code.sub_f(shifted, magic);
    let bits = code.to_bits(shifted);
    let zero = code.to_bits(magic);
    let integer = code.sub_i(bits, zero);
    let r = code.fma_k(n, -high, x);
    let mut r = code.fma_k(n, -low, r);
    if let Some(tail) = tail {
        r = code.add_f(r, tail);
    }
    let q = if double { polynomial(code, r, &Q_F64) } else { polynomial(code, r, &Q_F32) };
    let square = code.mul_f(r, r);
    let small = code.fma(square, q, r);
    Parts { small, n, integer }
}

/// `value · 2^n` for |n| up to twice the exponent range.
fn scale(code: &mut Code, value: Value, parts: &Parts) -> Value {
    let shift = if is_double(value) { 6_755_399_441_055_744.0 } else { 12_582_912.0 };
    let magic = code.float(value.ty, shift);
    let half = code.float(value.ty, 0.5);
    let shifted = code.fma(parts.n, half, magic);
    let bits = code.to_bits(shifted);
    let zero = code.to_bits(magic);
    let first = code.sub_i(bits, zero);
    let second = code.sub_i(parts.integer, first);
    let first = exp2_integer(code, first, value.ty.scalar);
    let second = exp2_integer(code, second, value.ty.scalar);
    let partly = code.mul_f(value, first);
    code.mul_f(partly, second)
}

/// x limited to `low..high`; NaN stays.
fn clamp(code: &mut Code, x: Value, low: f64, high: f64) -> Value {
    let above = code.cmp_fk("ogt", x, high);
    let x = code.select_k(above, high, x);
    let below = code.cmp_fk("olt", x, low);
    code.select_k(below, low, x)
}

/// e^(x + tail), |tail| below one unit of the last place of x.
pub fn exp_with_tail(code: &mut Code, x: Value, tail: Option<Value>) -> Value {
    let (low, high) = if is_double(x) { (-746.0, 710.0) } else { (-104.0, 89.0) };
    let x = clamp(code, x, low, high);
    let parts = parts(code, x, tail);
    let mantissa = code.add_k(parts.small, 1.0);
    scale(code, mantissa, &parts)
}

pub fn exp(code: &mut Code, x: Value) -> Value {
    exp_with_tail(code, x, None)
}

pub fn expm1(code: &mut Code, x: Value) -> Value {
    let (low, high, tiny) = if is_double(x) { (-60.0, 710.0, 2f64.powi(-54)) } else { (-30.0, 89.0, 2f64.powi(-25)) };
    let limited = clamp(code, x, low, high);
    let parts = parts(code, limited, None);
    // Half of the result, which cannot overflow before it must: small·2^(n−1) + (2^(n−1) − 1/2).
    let before = code.add_ik(parts.integer, -1);
    let scale = exp2_integer(code, before, x.ty.scalar);
    let rest = code.add_k(scale, -0.5);
    let half = code.fma(parts.small, scale, rest);
    let result = code.add_f(half, half);
    let magnitude = code.abs_f(x);
    let is_tiny = code.cmp_fk("olt", magnitude, tiny);
    code.select(is_tiny, x, result)
}

/// 1 / (1 + e^−x), as e^x / (1 + e^x) for negative x.
pub fn logistic(code: &mut Code, x: Value) -> Value {
    let magnitude = code.abs_f(x);
    let opposite = code.neg_f(magnitude);
    let e = exp(code, opposite);
    let denominator = code.add_k(e, 1.0);
    let negative = code.cmp_fk("olt", x, 0.0);
    let one = code.float(x.ty, 1.0);
    let numerator = code.select(negative, e, one);
    code.div_f(numerator, denominator)
}

/// t / (t + 2) with t = e^2|x| − 1.
pub fn tanh(code: &mut Code, x: Value) -> Value {
    let magnitude = code.abs_f(x);
    let limit = if is_double(x) { 22.0 } else { 10.0 };
    let above = code.cmp_fk("ogt", magnitude, limit);
    let limited = code.select_k(above, limit, magnitude);
    let doubled = code.add_f(limited, limited);
    let t = expm1(code, doubled);
    let denominator = code.add_k(t, 2.0);
    let value = code.div_f(t, denominator);
    code.copy_sign(value, x)
}

/// (e^(a/2))² / 2 where e^a would overflow first.
fn half_exp_of_large(code: &mut Code, a: Value) -> (Value, Value) {
    let limit = if is_double(a) { 709.0 } else { 88.0 };
    let large = code.cmp_fk("ogt", a, limit);
    let half = code.mul_k(a, 0.5);
    let e = exp(code, half);
    let partly = code.mul_k(e, 0.5);
    (large, code.mul_f(partly, e))
}

/// (t + t/(t + 1)) / 2 with t = e^|x| − 1.
pub fn sinh(code: &mut Code, x: Value) -> Value {
    let a = code.abs_f(x);
    let t = expm1(code, a);
    let above = code.add_k(t, 1.0);
    let ratio = code.div_f(t, above);
    let sum = code.add_f(t, ratio);
    let value = code.mul_k(sum, 0.5);
    let (large, huge) = half_exp_of_large(code, a);
    let value = code.select(large, huge, value);
    code.copy_sign(value, x)
}

/// (e^|x| + e^−|x|) / 2.
pub fn cosh(code: &mut Code, x: Value) -> Value {
    let a = code.abs_f(x);
    let e = exp(code, a);
    let half = code.mul_k(e, 0.5);
    let numerator = code.float(x.ty, 0.5);
    let inverse = code.div_f(numerator, e);
    let value = code.add_f(half, inverse);
    let (large, huge) = half_exp_of_large(code, a);
    code.select(large, huge, value)
}

//! log, log1p, asinh, acosh, atanh, and the logarithm in two words that pow needs.
//!
//! x = 2^k·m with m in √½ … √2, f = m − 1. f32: log m = f − f²/2 + f³·q(f). f64: log m = f − (f²/2 − s·(f²/2 + R(s²))),
//! s = f / (2 + f). The logarithm of 1 + x takes what rounding lost of x along.
//!
//! Worked example: log 10: k = 3, m = 1.25, f = 0.25: 3·0.6931472 + 0.2231436 = 2.3025851.

use super::{fast_two_sum, is_double, polynomial, two_product};
use crate::emit::text::{Code, Value};

const Q_F32: [f64; 9] = [
    0.0674608797,
    -0.116751947,
    0.118882,
    -0.124056987,
    0.142195642,
    -0.166679874,
    0.200021178,
    -0.250000089,
    0.333333135,
];
const R_F64: [f64; 7] = [
    1.479819860511658591e-01,
    1.531383769920937332e-01,
    1.818357216161805012e-01,
    2.222219843214978396e-01,
    2.857142874366239149e-01,
    3.999999999940941908e-01,
    6.666666666666735130e-01,
];

/// ln 2 in two parts; k·high is exact.
fn ln2(x: Value) -> (f64, f64) {
    if is_double(x) {
        (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10)
    } else {
        (6.9313812256e-1, 9.0580006145e-6)
    }
}

/// x = 2^k·m for a positive normal x: (m, k as a float).
fn split(code: &mut Code, x: Value) -> (Value, Value) {
    let (offset, mask, shift, magic) = if is_double(x) {
        (0x3FE6_A09E_0000_0000, 0x000F_FFFF_FFFF_FFFF, 52, 6_755_399_441_055_744.0)
    } else {
        (0x3F35_04F3, 0x007F_FFFF, 23, 12_582_912.0)
    };
    let bits = code.to_bits(x);
    let moved = code.add_ik(bits, -offset);
    let k = code.shr_sk(moved, shift);
    let mantissa = code.and_k(moved, mask);
    let mantissa = code.add_ik(mantissa, offset);
    let m = code.bitcast(mantissa, x.ty.scalar);
    // A small integer becomes a float by riding on a large one.
    let magic_value = code.float(x.ty, magic);
    let base = code.to_bits(magic_value);
    let ridden = code.add_i(k, base);
    let ridden = code.bitcast(ridden, x.ty.scalar);
    (m, code.sub_f(ridden, magic_value))
}

/// Makes a subnormal number normal: (number, what to add to its exponent).
fn normalise(code: &mut Code, x: Value) -> (Value, Value) {
    let (least, lift) = if is_double(x) { (f64::MIN_POSITIVE, 54) } else { (f64::from(f32::MIN_POSITIVE), 25) };
    let subnormal = code.cmp_fk("olt", x, least);
    let lifted = code.mul_k(x, 2f64.powi(lift));
    let x = code.select(subnormal, lifted, x);
    let (correction, zero) = (code.float(x.ty, -f64::from(lift)), code.float(x.ty, 0.0));
    (x, code.select(subnormal, correction, zero))
}

/// k·ln 2 + log(1 + f) + c.
fn assemble(code: &mut Code, f: Value, k: Value, c: Option<Value>) -> Value {
    let (high, low) = ln2(f);
    let square = code.mul_f(f, f);
    let half = code.mul_k(square, 0.5);
    let inner = if is_double(f) {
        let denominator = code.add_k(f, 2.0);
        let s = code.div_f(f, denominator);
        let z = code.mul_f(s, s);
        let r = polynomial(code, z, &R_F64);
        let sum = code.fma(z, r, half);
        code.mul_f(s, sum)
    } else {
        let q = polynomial(code, f, &Q_F32);
        let cube = code.mul_f(f, square);
        code.mul_f(cube, q)
    };
    let inner = match c {
        Some(c) => code.add_f(inner, c),
        None => inner,
    };
    let inner = code.fma_k(k, low, inner);
    let rest = code.sub_f(half, inner);
    let rest = code.sub_f(f, rest);
    code.fma_k(k, high, rest)
}

/// The special values of a logarithm whose argument (x or 1 + x) is compared with 0.
fn special(code: &mut Code, argument: Value, value: Value) -> Value {
    let infinite = code.cmp_fk("oeq", argument, f64::INFINITY);
    let value = code.select(infinite, argument, value);
    let zero = code.cmp_fk("oeq", argument, 0.0);
    let value = code.select_k(zero, f64::NEG_INFINITY, value);
    // Unordered too: NaN stays NaN.
    let negative = code.cmp_fk("uge", argument, 0.0);
    let nan = code.is_nan(argument);
    let negative = code.not(negative);
    let undefined = code.or(negative, nan);
    code.select_k(undefined, f64::NAN, value)
}

pub fn log(code: &mut Code, x: Value) -> Value {
    let (normal, correction) = normalise(code, x);
    let (m, k) = split(code, normal);
    let k = code.add_f(k, correction);
    let f = code.add_k(m, -1.0);
    let value = assemble(code, f, k, None);
    special(code, x, value)
}

pub fn log1p(code: &mut Code, x: Value) -> Value {
    let sum = code.add_k(x, 1.0);
    let (m, k) = split(code, sum);
    let f = code.add_k(m, -1.0);
    // What the sum lost: x − (sum − 1), or for large x 1 − (sum − x).
    let back = code.add_k(sum, -1.0);
    let lost_small = code.sub_f(x, back);
    let back = code.sub_f(sum, x);
    let one = code.float(x.ty, 1.0);
    let lost_large = code.sub_f(one, back);
    let large = code.cmp_fk("oge", k, 1.0);
    let lost = code.select(large, lost_large, lost_small);
    let c = code.div_f(lost, sum);
    // Near 0 the argument is f itself.
    let above = code.cmp_fk("ogt", x, -0.29289);
    let below = code.cmp_fk("olt", x, 0.41421);
    let near = code.and(above, below);
    let f = code.select(near, x, f);
    let k = code.select_k(near, 0.0, k);
    let c = code.select_k(near, 0.0, c);
    let value = assemble(code, f, k, Some(c));
    let value = special(code, sum, value);
    let tiny = if is_double(x) { 2f64.powi(-54) } else { 2f64.powi(-25) };
    let magnitude = code.abs_f(x);
    let is_tiny = code.cmp_fk("olt", magnitude, tiny);
    code.select(is_tiny, x, value)
}

/// From here on a + 1 is a to the precision that log(2a) needs, and a² does not overflow before.
fn large_limit(x: Value) -> f64 {
    if is_double(x) { 2f64.powi(56) } else { 2f64.powi(28) }
}

/// log1p(w), plus ln 2 where the argument is large.
fn log1p_scaled(code: &mut Code, w: Value, large: Value) -> Value {
    let value = log1p(code, w);
    let more = code.add_k(value, std::f64::consts::LN_2);
    code.select(large, more, value)
}

/// log1p(a + a² / (1 + √(1 + a²))).
pub fn asinh(code: &mut Code, x: Value) -> Value {
    let a = code.abs_f(x);
    let large = code.cmp_fk("ogt", a, large_limit(x));
    let bounded = code.select_k(large, 1.0, a);
    let square = code.mul_f(bounded, bounded);
    let above = code.add_k(square, 1.0);
    let root = code.sqrt_f(above);
    let denominator = code.add_k(root, 1.0);
    let ratio = code.div_f(square, denominator);
    let w = code.add_f(bounded, ratio);
    let w = code.select(large, a, w);
    let value = log1p_scaled(code, w, large);
    code.copy_sign(value, x)
}

/// log1p(t + √(2t + t²)), t = x − 1.
pub fn acosh(code: &mut Code, x: Value) -> Value {
    let large = code.cmp_fk("ogt", x, large_limit(x));
    let t = code.add_k(x, -1.0);
    let bounded = code.select_k(large, 1.0, t);
    let doubled = code.add_f(bounded, bounded);
    let sum = code.fma(bounded, bounded, doubled);
    let root = code.sqrt_f(sum);
    let w = code.add_f(bounded, root);
    let w = code.select(large, x, w);
    let value = log1p_scaled(code, w, large);
    let undefined = code.cmp_fk("olt", x, 1.0);
    code.select_k(undefined, f64::NAN, value)
}

/// log1p(2a / (1 − a)) / 2.
pub fn atanh(code: &mut Code, x: Value) -> Value {
    let a = code.abs_f(x);
    let doubled = code.add_f(a, a);
    let one = code.float(x.ty, 1.0);
    let rest = code.sub_f(one, a);
    let w = code.div_f(doubled, rest);
    let value = log1p(code, w);
    let value = code.mul_k(value, 0.5);
    // The halving loses a bit of subnormal arguments.
    let tiny = if is_double(x) { 2f64.powi(-28) } else { 2f64.powi(-13) };
    let is_tiny = code.cmp_fk("olt", a, tiny);
    let value = code.select(is_tiny, a, value);
    code.copy_sign(value, x)
}

/// log x as head and tail, for positive x (subnormal too), to about twice the precision.
pub fn log_in_two(code: &mut Code, x: Value) -> (Value, Value) {
    let (normal, correction) = normalise(code, x);
    let (m, k) = split(code, normal);
    let k = code.add_f(k, correction);
    // q = 2(m − 1)/(m + 1) with its error.
    let f = code.add_k(m, -1.0);
    let numerator = code.add_f(f, f);
    let sum = code.add_k(m, 1.0);
    let back = code.add_k(sum, -1.0);
    let sum_lost = code.sub_f(m, back);
    let q = code.div_f(numerator, sum);
    let (product, error) = two_product(code, q, sum);
    let rest = code.sub_f(numerator, product);
    let rest = code.sub_f(rest, error);
    let more = code.mul_f(q, sum_lost);
    let rest = code.sub_f(rest, more);
    let q_low = code.div_f(rest, sum);
    // q³/12 in two words.
    let (square, square_low) = two_product(code, q, q);
    let cross = code.mul_f(q, q_low);
    let cross = code.add_f(cross, cross);
    let square_low = code.add_f(square_low, cross);
    let (cube, cube_low) = two_product(code, square, q);
    let a = code.mul_f(square_low, q);
    let b = code.mul_f(square, q_low);
    let cube_low = code.add_f(cube_low, a);
    let cube_low = code.add_f(cube_low, b);
    let twelfth = 1.0 / 12.0;
    let twelfth_high = if is_double(x) { twelfth } else { f64::from(twelfth as f32) };
    let twelfth_low = if is_double(x) { 4.625929269271485e-18 } else { twelfth - twelfth_high };
    let twelfth_value = code.float(x.ty, twelfth_high);
    let (term, term_low) = two_product(code, cube, twelfth_value);
    let a = code.mul_k(cube_low, twelfth_high);
    let b = code.mul_k(cube, twelfth_low);
    let term_low = code.add_f(term_low, a);
    let term_low = code.add_f(term_low, b);
    // q⁵/80 + q⁷/448 + …
    let last = if is_double(x) { 12 } else { 7 };
    let series: Vec<f64> = (2..=last).rev().map(|n| 1.0 / (f64::from(2 * n + 1) * 4f64.powi(n))).collect();
    let series = polynomial(code, square, &series);
    let fifth = code.mul_f(cube, square);
    let tail = code.fma(fifth, series, term_low);
    let tail = code.add_f(tail, q_low);
    let (high, low) = ln2(x);
    let tail = code.fma_k(k, low, tail);
    let whole = code.mul_k(k, high);
    let (head, e1) = fast_two_sum(code, whole, q);
    let (head, e2) = fast_two_sum(code, head, term);
    let lost = code.add_f(e1, e2);
    let tail = code.add_f(lost, tail);
    fast_two_sum(code, head, tail)
}

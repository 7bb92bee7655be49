//! Argument reduction of sin, cos and tan: x = q·π/2 + r, |r| ≤ π/4, over the whole range.
//!
//! Up to a threshold by Cody and Waite: q = x·2/π rounded, r = x − q·(π/2 in pieces). Above it by Payne and Hanek: the
//! significand times the 192 (f32: 96) bits of 2/π that matter for this exponent, in integers. The second way is
//! written under a branch that is taken where any lane needs it.
//!
//! Worked example, f32: x = 10: q = 6 (6.37 rounded), r = 10 − 6·1.5707963 = 0.57522206; sin 10 has q mod 4 = 2, so it
//! is −sin r.

use super::{is_double, two_product};
use crate::text::{Code, Scalar, Value};

/// A reduced argument: the quadrant as an integer of the float's width, and r as head and tail.
pub struct Reduced {
    pub quadrant: Value,
    pub head: Value,
    pub tail: Option<Value>,
}

/// Bits of 2/π after the binary point, by 64.
const TWO_OVER_PI: [u64; 20] = [
    0xA2F9836E4E441529,
    0xFC2757D1F534DDC0,
    0xDB6295993C439041,
    0xFE5163ABDEBBC561,
    0xB7246E3A424DD2E0,
    0x06492EEA09D1921C,
    0xFE1DEB1CB129A73E,
    0xE88235F52EBB4484,
    0xE99C7026B45F7E41,
    0x3991D639835339F4,
    0x9C845F8BBDF9283B,
    0x1FF897FFDE05980F,
    0xEF2F118B5A0A6D1F,
    0x6D367ECF27CB09B7,
    0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B,
    0x3D0739F78A5292EA,
    0x6BFB5FB11F8D5D08,
    0x56033046FC7B6BAB,
    0xF0CFBC209AF4361D,
];

/// π/2 in pieces, for targets with fma (full words) and without (short words whose products with q are exact).
const F64_FMA: [f64; 3] = [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591833e-33];
const F64_SHORT: [f64; 3] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21];
const F32_FMA: &[f64] = &[1.570_796_01, 3.139_164_73e-7, 5.390_302_53e-15];
const F32_SHORT: &[f64] = &[1.5703125, 0.0004837512969970703, 7.549533620476723e-08, 2.563344151594519e-12];

/// Reduces an argument. Infinities and NaN give r = NaN.
pub fn reduce(code: &mut Code, x: Value) -> Reduced {
    let limit = match (is_double(x), code.has_fma) {
        (true, _) => 1_647_099.0,
        (false, true) => 105_615.0,
        (false, false) => 8192.0,
    };
    let near = if is_double(x) { cody_waite_f64(code, x) } else { cody_waite_f32(code, x) };
    let magnitude = code.abs_f(x);
    // Not `ugt`: NaN and infinities need no slow path, r = x − x is NaN for them below.
    let large = code.cmp_fk("ogt", magnitude, limit);
    let finite = code.cmp_fk("olt", magnitude, f64::INFINITY);
    let far = code.and(large, finite);
    let any = code.any(far);
    let nothing = near.tail.unwrap_or(near.head);
    let results = code.begin_if(any, &[near.quadrant.ty, near.head.ty, nothing.ty]);
    let slow = if is_double(x) { payne_hanek_f64(code, x) } else { payne_hanek_f32(code, x) };
    let quadrant = code.select(far, slow.quadrant, near.quadrant);
    let head = code.select(far, slow.head, near.head);
    let tail = match (slow.tail, near.tail) {
        (Some(slow), Some(near)) => code.select(far, slow, near),
        _ => head,
    };
    code.begin_else(&[quadrant, head, tail]);
    code.end_if(&[near.quadrant, near.head, nothing]);
    let tail = near.tail.map(|_| results[2]);
    let undefined = code.sub_f(x, x);
    let undefined = code.is_nan(undefined);
    let head = code.select_k(undefined, f64::NAN, results[1]);
    Reduced { quadrant: results[0], head, tail }
}

/// Nearest integer to x·2/π as a float, and as the low bits of an integer.
fn nearest_quarter(code: &mut Code, x: Value) -> (Value, Value) {
    let shift = if is_double(x) { 6_755_399_441_055_744.0 } else { 12_582_912.0 };
    let scaled = code.mul_k(x, std::f64::consts::FRAC_2_PI);
    let shifted = code.add_k(scaled, shift);
    let quadrant = code.to_bits(shifted);
    (code.add_k(shifted, -shift), quadrant)
}

fn cody_waite_f32(code: &mut Code, x: Value) -> Reduced {
    let (q, quadrant) = nearest_quarter(code, x);
    let pieces = if code.has_fma { F32_FMA } else { F32_SHORT };
    let mut r = x;
    for piece in pieces {
        r = code.fma_k(q, -piece, r);
    }
    Reduced { quadrant, head: r, tail: None }
}

fn cody_waite_f64(code: &mut Code, x: Value) -> Reduced {
    let (q, quadrant) = nearest_quarter(code, x);
    let pieces = if code.has_fma { F64_FMA } else { F64_SHORT };
    let first = code.fma_k(q, -pieces[0], x);
    let second = code.float(x.ty, pieces[1]);
    let (product, error) = two_product(code, q, second);
    let head = code.sub_f(first, product);
    let lost = code.sub_f(first, head);
    let lost = code.sub_f(lost, product);
    let tail = code.sub_f(lost, error);
    let tail = code.fma_k(q, -pieces[2], tail);
    Reduced { quadrant, head, tail: Some(tail) }
}

/// The word of a table at a position that differs by lane: a chain of selects.
fn table(code: &mut Code, position: Value, scalar: Scalar, words: &[u64]) -> Value {
    let ty = position.ty.with(scalar);
    let mut word = code.bits(ty, *words.last().unwrap_or(&0));
    for (at, &candidate) in words.iter().enumerate().rev().skip(1) {
        let here = code.cmp_ik("eq", position, at as i64);
        let candidate = code.bits(ty, candidate);
        word = code.select(here, candidate, word);
    }
    word
}

/// `high:low << by`, upper word, 0 ≤ by < width.
fn funnel(code: &mut Code, high: Value, low: Value, by: Value) -> Value {
    let width = i64::from(high.ty.scalar.bits());
    let upper = code.shl(high, by);
    let half = code.shr_uk(low, 1);
    let rest = code.int(by.ty, width - 1);
    let rest = code.sub_i(rest, by);
    let lower = code.shr_u(half, rest);
    code.or(upper, lower)
}

/// |x| = significand · 2^(e − 31) with the top bit of the 32-bit significand set; e ≥ 12 here.
fn payne_hanek_f32(code: &mut Code, x: Value) -> Reduced {
    let bits = code.to_bits(x);
    let significand = code.shl_k(bits, 8);
    let significand = code.or_k(significand, 1 << 31);
    let exponent = code.shr_uk(bits, 23);
    let exponent = code.and_k(exponent, 0xFF);
    // A window of 96 bits whose first bit has weight 2^33 in 2/π · 2^(e+1): from bit e + 1 − 34 on, 32 zero bits
    // before.
    let start = code.add_ik(exponent, -127 + 1 - 34 + 64);
    let words: Vec<u64> =
        [0, 0].into_iter().chain(TWO_OVER_PI.iter().flat_map(|w| [w >> 32, w & 0xFFFF_FFFF])).collect();
    let word = code.shr_uk(start, 5);
    let by = code.and_k(start, 31);
    let parts: Vec<Value> = (0..4).map(|k| table(code, word, Scalar::I32, &words[k..k + 7])).collect();
    let window: Vec<Value> = (0..3).map(|k| funnel(code, parts[k], parts[k + 1], by)).collect();
    let wide: Vec<Value> = window.iter().map(|&w| code.resize_u(w, Scalar::I64)).collect();
    let significand = code.resize_u(significand, Scalar::I64);
    // significand · window · 2^-32, modulo 4: fixed point with 62 bits after the point.
    let top = code.mul_i(significand, wide[0]);
    let top = code.shl_k(top, 32);
    let middle = code.mul_i(significand, wide[1]);
    let bottom = code.mul_i(significand, wide[2]);
    let bottom = code.shr_uk(bottom, 32);
    let product = code.add_i(top, middle);
    let product = code.add_i(product, bottom);
    // Quadrant of |x|, rounded to nearest; the rest is signed.
    let half = code.int(product.ty, 1 << 61);
    let rounded = code.add_i(product, half);
    let quadrant = code.shr_uk(rounded, 62);
    let rest = code.shl_k(product, 2);
    let r = if code.has_double {
        let rest = code.cast("arith.sitofp", rest, Scalar::F64);
        let r = code.mul_k(rest, std::f64::consts::FRAC_PI_2 / 2f64.powi(64));
        code.cast("arith.truncf", r, Scalar::F32)
    } else {
        radians_in_pairs(code, rest)
    };
    let quadrant = code.resize_u(quadrant, Scalar::I32);
    with_sign(code, x, quadrant, r, None)
}

/// rest · π/2 · 2^-64 without f64: both factors as pairs of f32.
fn radians_in_pairs(code: &mut Code, rest: Value) -> Value {
    // Halved, so that the nearest f32 is within the integers.
    let rest = code.shr_sk(rest, 1);
    let high = code.cast("arith.sitofp", rest, Scalar::F32);
    let back = code.cast("arith.fptosi", high, Scalar::I64);
    let low = code.sub_i(rest, back);
    let low = code.cast("arith.sitofp", low, Scalar::F32);
    let factor = std::f64::consts::FRAC_PI_2 / 2f64.powi(63);
    let upper = f64::from(factor as f32);
    let product = code.mul_k(high, upper);
    let negated = code.neg_f(product);
    let tail = code.fma_k(high, upper, negated);
    let tail = code.fma_k(high, factor - upper, tail);
    let tail = code.fma_k(low, upper, tail);
    code.add_f(product, tail)
}

/// |x| = significand · 2^(e − 63) with the top bit of the 64-bit significand set; e ≥ 20 here.
fn payne_hanek_f64(code: &mut Code, x: Value) -> Reduced {
    let bits = code.to_bits(x);
    let significand = code.shl_k(bits, 11);
    let significand = code.or_k(significand, i64::MIN);
    let exponent = code.shr_uk(bits, 52);
    let exponent = code.and_k(exponent, 0x7FF);
    // A window of 192 bits whose first bit has weight 2^65 in 2/π · 2^(e+1): from bit e + 1 − 66 on, 64 zero bits
    // before.
    let start = code.add_ik(exponent, -1023 + 1 - 66 + 64);
    let words: Vec<u64> = std::iter::once(0).chain(TWO_OVER_PI).collect();
    let word = code.shr_uk(start, 6);
    let by = code.and_k(start, 63);
    let parts: Vec<Value> = (0..4).map(|k| table(code, word, Scalar::I64, &words[k..k + 17])).collect();
    let window: Vec<Value> = (0..3).map(|k| funnel(code, parts[k], parts[k + 1], by)).collect();
    let top = code.mul_i(significand, window[0]);
    let (middle_low, middle_high) = wide_product(code, significand, window[1]);
    let (_, bottom_high) = wide_product(code, significand, window[2]);
    let low = code.add_i(middle_low, bottom_high);
    let carry = code.cmp_i("ult", low, middle_low);
    let carry = code.resize_u(carry, Scalar::I64);
    let high = code.add_i(top, middle_high);
    let high = code.add_i(high, carry);
    // high:low is |x|·2/π modulo 4 with 126 bits after the point.
    let half = code.int(high.ty, 1 << 61);
    let rounded = code.add_i(high, half);
    let quadrant = code.shr_uk(rounded, 62);
    let two = code.int(high.ty, 2);
    let fraction_high = funnel(code, high, low, two);
    let fraction_low = code.shl_k(low, 2);
    // Magnitude of the signed 128-bit fraction, normalised to 64 bits.
    let sign = code.shr_sk(fraction_high, 63);
    let high = code.xor(fraction_high, sign);
    let low = code.xor(fraction_low, sign);
    let zeros = code.unary("math.ctlz", high);
    let zeros = code.and_k(zeros, 63);
    let normal = funnel(code, high, low, zeros);
    let upper = code.and_k(normal, !0x7FF);
    let lower = code.and_k(normal, 0x7FF);
    let upper = code.cast("arith.uitofp", upper, Scalar::F64);
    let lower = code.cast("arith.uitofp", lower, Scalar::F64);
    // 2^-(128 − 64 + zeros), with the sign.
    let exponent = code.int(zeros.ty, 1023 - 64);
    let exponent = code.sub_i(exponent, zeros);
    let scale = code.shl_k(exponent, 52);
    let sign = code.shl_k(sign, 63);
    let scale = code.or(scale, sign);
    let scale = code.bitcast(scale, Scalar::F64);
    let upper = code.mul_f(upper, scale);
    let lower = code.mul_f(lower, scale);
    let quarter = code.float(x.ty, std::f64::consts::FRAC_PI_2);
    let (head, error) = two_product(code, upper, quarter);
    let tail = code.fma_k(upper, F64_FMA[1], error);
    let tail = code.fma(lower, quarter, tail);
    with_sign(code, x, quadrant, head, Some(tail))
}

/// Low and high word of the unsigned product.
fn wide_product(code: &mut Code, a: Value, b: Value) -> (Value, Value) {
    let low = code.mul_i(a, b);
    let mask = 0xFFFF_FFFF;
    let (al, ah) = (code.and_k(a, mask), code.shr_uk(a, 32));
    let (bl, bh) = (code.and_k(b, mask), code.shr_uk(b, 32));
    let ll = code.mul_i(al, bl);
    let lh = code.mul_i(al, bh);
    let hl = code.mul_i(ah, bl);
    let hh = code.mul_i(ah, bh);
    let carry = code.shr_uk(ll, 32);
    let middle = code.add_i(hl, carry);
    let middle_low = code.and_k(middle, mask);
    let other = code.add_i(lh, middle_low);
    let high = code.shr_uk(middle, 32);
    let high = code.add_i(hh, high);
    let rest = code.shr_uk(other, 32);
    (low, code.add_i(high, rest))
}

/// From the reduction of |x| to that of x.
fn with_sign(code: &mut Code, x: Value, quadrant: Value, head: Value, tail: Option<Value>) -> Reduced {
    let negative = code.cmp_fk("olt", x, 0.0);
    let zero = code.int(quadrant.ty, 0);
    let opposite = code.sub_i(zero, quadrant);
    let quadrant = code.select(negative, opposite, quadrant);
    let flipped = code.neg_f(head);
    let head = code.select(negative, flipped, head);
    let tail = tail.map(|tail| {
        let flipped = code.neg_f(tail);
        code.select(negative, flipped, tail)
    });
    Reduced { quadrant, head, tail }
}

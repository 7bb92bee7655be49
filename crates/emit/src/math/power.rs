//! pow, with the special values of IEEE 754.
//!
//! The power of a magnitude is e^(y·ln |x|) with the logarithm and the product as unevaluated sums of two numbers.
//! y·ln |x| reaches 745 (f32: 104), so that a relative error of 2⁻⁶⁴ (2⁻³²) in the logarithm costs 0.2 units of the
//! result. With
//! |x| = m·2ᵉ and s = (m − 1)/(m + 1), ln m = 2s + s³·(2/3 + s²·P(s²)).
//!
//! | x | y | result |
//! | --- | --- | --- |
//! | anything, NaN too | ±0 | 1 |
//! | 1 | anything, NaN too | 1 |
//! | −1 | ±∞ | 1 |
//! | negative, finite | not an integer | NaN |
//! | ±0, ±∞ | | ±0 or ±∞, negative for odd y |
//!
//! Worked example: 2¹⁰: m = 1, e = 1, ln = 0.6931472, product 6.931472, e^ of that 1024.

use super::coefficients::{POWER_F32, POWER_F64};
use super::exponential::{LN2_F32, LN2_F64, clamp, reduce};
use super::logarithm::split;
use super::{Pair, choose, fast_two_sum, polynomial, quotient, two_product};
use crate::text::{Code, Value};

/// 2/3 in two pieces.
const TWO_THIRDS_F32: [f64; 2] = [0.666_666_686_534_881_6, -1.986_821_551_724_915_5e-8];
const TWO_THIRDS_F64: [f64; 2] = [0.666_666_666_666_666_6, 3.700_743_415_417_188e-17];

pub fn power(code: &mut Code, x: Value, y: Value) -> Value {
    let a = code.abs_f(x);
    let logarithm = log_pair(code, a);
    let (head, tail) = two_product(code, y, logarithm.0);
    let tail = code.fma(y, logarithm.1, tail);
    // Of an overflowing product the tail is NaN.
    let size = code.abs_f(head);
    let moderate = code.cmp_fk("olt", size, 1000.0);
    let none = code.float(x.ty, 0.0);
    let tail = code.select(moderate, tail, none);
    let head = clamp(code, head);
    let reduced = reduce(code, head, Some(tail));
    let magnitude = reduced.power(code);
    let magnitude = reduced.scale(code, magnitude, 0);
    special(code, x, y, a, magnitude)
}

/// The sign, and the arguments for which the formula does not hold.
fn special(code: &mut Code, x: Value, y: Value, a: Value, magnitude: Value) -> Value {
    let unordered = code.cmp_f("uno", x, y);
    let value = code.select_k(unordered, f64::NAN, magnitude);
    // |x| = 1: also for infinite y, where the product was 0·∞.
    let unit = code.cmp_fk("oeq", a, 1.0);
    let not_nan = code.cmp_f("ord", y, y);
    let unit = code.and(unit, not_nan);
    let value = code.select_k(unit, 1.0, value);
    let whole = code.round_even(y);
    let whole = code.cmp_f("oeq", whole, y);
    let half = code.mul_k(y, 0.5);
    let half_whole = code.round_even(half);
    let odd = code.cmp_f("one", half_whole, half);
    let odd = code.and(odd, whole);
    let signed = code.copy_sign(value, x);
    let value = code.select(odd, signed, value);
    let fractional = code.not(whole);
    let negative = code.cmp_fk("olt", x, 0.0);
    let finite = code.cmp_fk("ogt", x, f64::NEG_INFINITY);
    let undefined = code.and(negative, finite);
    let undefined = code.and(undefined, fractional);
    let value = code.select_k(undefined, f64::NAN, value);
    let one = code.cmp_fk("oeq", x, 1.0);
    let zero = code.cmp_fk("oeq", y, 0.0);
    let always = code.or(one, zero);
    code.select_k(always, 1.0, value)
}

/// ln a as head and tail; −∞ for 0, +∞ for +∞.
fn log_pair(code: &mut Code, a: Value) -> Pair {
    let (m, e) = split(code, a);
    let mantissa = log_mantissa(code, m);
    let ln2 = choose(a, LN2_F32, LN2_F64);
    let exponent = code.mul_k(e, ln2[0]);
    let (head, tail) = fast_two_sum(code, exponent, mantissa.0);
    let tail = code.fma_k(e, ln2[1], tail);
    let tail = code.add_f(tail, mantissa.1);
    let (head, tail) = fast_two_sum(code, head, tail);
    let zero = code.cmp_fk("oeq", a, 0.0);
    let head = code.select_k(zero, f64::NEG_INFINITY, head);
    let infinite = code.cmp_fk("oeq", a, f64::INFINITY);
    let head = code.select_k(infinite, f64::INFINITY, head);
    (head, tail)
}

/// ln m for m from √½ to √2.
fn log_mantissa(code: &mut Code, m: Value) -> Pair {
    let one = code.float(m.ty, 1.0);
    let numerator = code.sub_f(m, one);
    let (sum, sum_error) = fast_two_sum(code, one, m);
    let inverse = quotient(code, one, sum);
    let s = code.mul_f(numerator, inverse);
    // The quotient's error from its exact remainder.
    let (product, product_error) = two_product(code, s, sum);
    let rest = code.sub_f(numerator, product);
    let rest = code.sub_f(rest, product_error);
    let lost = code.mul_f(s, sum_error);
    let rest = code.sub_f(rest, lost);
    let s_tail = code.mul_f(rest, inverse);
    // s² and s³.
    let double = code.add_f(s, s);
    let (square, square_error) = two_product(code, s, s);
    let square_tail = code.fma(double, s_tail, square_error);
    let (cube, cube_error) = two_product(code, square, s);
    let cube_tail = code.fma(square, s_tail, cube_error);
    let cube_tail = code.fma(square_tail, s, cube_tail);
    // 2/3 + s²·P.
    let two_thirds = choose(m, TWO_THIRDS_F32, TWO_THIRDS_F64);
    let series = polynomial(code, square, choose(m, &POWER_F32, &POWER_F64));
    let series = code.mul_f(series, square);
    let head = code.float(m.ty, two_thirds[0]);
    let (factor, factor_tail) = fast_two_sum(code, head, series);
    let factor_tail = code.add_k(factor_tail, two_thirds[1]);
    // 2s + cube·factor.
    let (term, term_error) = two_product(code, cube, factor);
    let term_tail = code.fma(cube, factor_tail, term_error);
    let term_tail = code.fma(cube_tail, factor, term_tail);
    let (head, tail) = fast_two_sum(code, double, term);
    let tail = code.add_f(tail, term_tail);
    (head, code.fma_k(s_tail, 2.0, tail))
}

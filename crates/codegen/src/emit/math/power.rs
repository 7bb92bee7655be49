//! pow.
//!
//! |x|^y = e^(y·log |x|), the logarithm and the product in two words; then the sign, and the special values of C's `pow`.
//!
//! Worked example: 3^2.5: log 3 = 1.0986123 − 2.2e−8, times 2.5 is 2.7465307 + …, e to it 15.588457.

use super::exponential::exp_with_tail;
use super::logarithm::log_in_two;
use super::{is_double, two_product};
use crate::emit::text::{Code, Value};

pub fn pow(code: &mut Code, x: Value, y: Value) -> Value {
    let a = code.abs_f(x);
    let (log_high, log_low) = log_in_two(code, a);
    // A huge y would make the product's error undefined; beyond this bound every power is 0, 1 or infinite anyway.
    let bound = if is_double(x) { 2f64.powi(75) } else { 2f64.powi(40) };
    let magnitude = code.abs_f(y);
    let huge = code.cmp_fk("ogt", magnitude, bound);
    let large = code.float(y.ty, bound);
    let large = code.copy_sign(large, y);
    let bounded = code.select(huge, large, y);
    let (product, error) = two_product(code, bounded, log_high);
    let tail = code.fma(bounded, log_low, error);
    // Where the exponent is out of range the tail may be anything.
    let (limit, zero) = (if is_double(x) { 800.0 } else { 120.0 }, code.float(x.ty, 0.0));
    let size = code.abs_f(product);
    let sane = code.cmp_fk("olt", size, limit);
    let tail = code.select(sane, tail, zero);
    let value = exp_with_tail(code, product, Some(tail));
    special(code, x, y, value)
}

fn special(code: &mut Code, x: Value, y: Value, value: Value) -> Value {
    let a = code.abs_f(x);
    let (zero, one) = (code.float(x.ty, 0.0), code.float(x.ty, 1.0));
    let infinity = code.float(x.ty, f64::INFINITY);
    let y_magnitude = code.abs_f(y);
    let positive = code.cmp_fk("ogt", y, 0.0);
    // |x| of 0 or ∞, then |y| of ∞.
    let grows = code.select(positive, infinity, zero);
    let shrinks = code.select(positive, zero, infinity);
    let is_zero = code.cmp_fk("oeq", a, 0.0);
    let value = code.select(is_zero, shrinks, value);
    let is_infinite = code.cmp_fk("oeq", a, f64::INFINITY);
    let value = code.select(is_infinite, grows, value);
    let y_infinite = code.cmp_fk("oeq", y_magnitude, f64::INFINITY);
    let above_one = code.cmp_fk("ogt", a, 1.0);
    let limit = code.select(above_one, grows, shrinks);
    let unit = code.cmp_fk("oeq", a, 1.0);
    let limit = code.select(unit, one, limit);
    let value = code.select(y_infinite, limit, value);
    // Negative bases: odd exponents turn the sign, fractional ones have no result.
    let whole = code.trunc(y);
    let is_whole = code.cmp_f("oeq", whole, y);
    let half = code.mul_k(y, 0.5);
    let half_whole = code.trunc(half);
    let is_odd = code.cmp_f("one", half_whole, half);
    let y_finite = code.cmp_fk("olt", y_magnitude, f64::INFINITY);
    let is_odd = code.and(is_odd, is_whole);
    let is_odd = code.and(is_odd, y_finite);
    let bits = code.to_bits(x);
    let negative = code.cmp_ik("slt", bits, 0);
    let turned = code.neg_f(value);
    let turns = code.and(negative, is_odd);
    let value = code.select(turns, turned, value);
    let below = code.cmp_fk("olt", x, 0.0);
    let x_finite = code.cmp_fk("olt", a, f64::INFINITY);
    let fractional = code.not(is_whole);
    let undefined = code.and(below, x_finite);
    let undefined = code.and(undefined, fractional);
    let unordered = code.cmp_f("uno", x, y);
    let undefined = code.or(undefined, unordered);
    let value = code.select_k(undefined, f64::NAN, value);
    let y_zero = code.cmp_fk("oeq", y, 0.0);
    let x_one = code.cmp_fk("oeq", x, 1.0);
    let trivial = code.or(y_zero, x_one);
    code.select(trivial, one, value)
}

//! erf, erfc, erf_inv.
//!
//! erf is x + x·P(x²) up to 1; beyond it 1 − e^(−Q(x)) (f32) or 1 − erfc x (f64). erfc is 1 − erf x up to 3/4; beyond
//! it e^(−x²) times R(q)/(1 + x) with q = (x − 1)/(x + 1) = 1 − 2/(x + 1) (f64: R(q)/(1 + 2x), q = (x − 4)/(x + 4)) and
//! x² to twice the precision, mirrored to 2 − erfc |x| for negative arguments. What is computed of the other piece is
//! thrown away. erf⁻¹ is x times a polynomial in w = −ln(1 − x²) or, near ±1, in √w (Giles).
//!
//! Worked example: erfc 2, f32: q = 1/3, R = 0.7661870, by 3 0.2553957, e⁻⁴ = 0.01831564, result 0.01831564·0.2553957 =
//! 0.004677735.

use super::coefficients::{
    ERF_F32, ERF_F64, ERF_INV_END_F64, ERF_INV_FAR_F32, ERF_INV_FAR_F64, ERF_INV_NEAR_F32, ERF_INV_NEAR_F64,
    ERF_TAIL_F32, ERFC_F32, ERFC_F64, ERFC_NEAR_F32,
};
use super::exponential::{at_most, reduce, reduce_square};
use super::logarithm::log_positive;
use super::{choose, is_double, polynomial, quotient};
use crate::text::{Code, Value};

/// erf x up to |x| = 1.
fn erf_near(code: &mut Code, x: Value) -> Value {
    let square = code.mul_f(x, x);
    let series = polynomial(code, square, choose(x, &ERF_F32, &ERF_F64));
    code.fma(x, series, x)
}

pub fn erf(code: &mut Code, x: Value) -> Value {
    let magnitude = code.abs_f(x);
    let near = erf_near(code, magnitude);
    let one = code.float(x.ty, 1.0);
    let rest = if is_double(x) {
        let a = at_most(code, magnitude, 6.0);
        erfc_far(code, a)
    } else {
        let a = at_most(code, magnitude, 4.0);
        let logarithm = polynomial(code, a, &ERF_TAIL_F32);
        let logarithm = code.neg_f(logarithm);
        let reduced = reduce(code, logarithm, None);
        let power = reduced.power(code);
        reduced.scale_normal(code, power)
    };
    let far = code.sub_f(one, rest);
    let small = code.cmp_fk("olt", magnitude, 1.0);
    let value = code.select(small, near, far);
    code.copy_sign(value, x)
}

/// erfc a for a ≥ 0.74 and a bound above which it is 0, down to the smallest subnormal result; elsewhere anything. NaN
/// stays.
fn erfc_far(code: &mut Code, a: Value) -> Value {
    let reduced = reduce_square(code, a);
    let power = reduced.power(code);
    let product = if is_double(a) {
        let scaled = scaled_f64(code, a);
        code.mul_f(scaled, power)
    } else {
        let (series, inverse) = scaled_f32(code, a);
        let power = code.mul_f(power, inverse);
        code.mul_f(series, power)
    };
    reduced.scale(code, product, 0)
}

/// Factors of e^(a²)·erfc a, by one division.
fn scaled_f32(code: &mut Code, a: Value) -> (Value, Value) {
    let one = code.float(a.ty, 1.0);
    let above = code.add_f(a, one);
    let inverse = quotient(code, one, above);
    let q = code.fma_k(inverse, -2.0, one);
    (polynomial(code, q, &ERFC_F32), inverse)
}

/// e^(a²)·erfc a.
fn scaled_f64(code: &mut Code, a: Value) -> Value {
    let below = code.add_k(a, -4.0);
    let above = code.add_k(a, 4.0);
    let q = code.div_f(below, above);
    let series = polynomial(code, q, &ERFC_F64);
    let one = code.float(a.ty, 1.0);
    let divisor = code.fma_k(a, 2.0, one);
    code.div_f(series, divisor)
}

pub fn erfc(code: &mut Code, x: Value) -> Value {
    let magnitude = code.abs_f(x);
    let a = at_most(code, magnitude, choose(x, 10.1, 27.5));
    let one = code.float(x.ty, 1.0);
    let near = if is_double(x) {
        let near = erf_near(code, x);
        code.sub_f(one, near)
    } else {
        let square = code.mul_f(a, a);
        let slope = polynomial(code, square, &ERFC_NEAR_F32);
        let opposite = code.neg_f(x);
        code.fma(opposite, slope, one)
    };
    let far = erfc_far(code, a);
    let two = code.float(x.ty, 2.0);
    let mirrored = code.sub_f(two, far);
    let negative = code.cmp_fk("olt", x, 0.0);
    let far = code.select(negative, mirrored, far);
    let small = code.cmp_fk("olt", magnitude, 0.75);
    code.select(small, near, far)
}

pub fn erf_inv(code: &mut Code, x: Value) -> Value {
    let one = code.float(x.ty, 1.0);
    let rest = if code.has_fma {
        let opposite = code.neg_f(x);
        code.fma(opposite, x, one)
    } else {
        let (less, more) = (code.sub_f(one, x), code.add_f(one, x));
        code.mul_f(less, more)
    };
    let logarithm = log_positive(code, rest);
    let w = code.neg_f(logarithm);
    let none = code.float(x.ty, 0.0);
    // ln 1 may be −0 or +0 and 1 − x² below 0: √ needs w ≥ 0.
    let w = code.maximum(w, none);
    let root = code.sqrt_f(w);
    let factor = if is_double(x) { factor_f64(code, w, root) } else { factor_f32(code, w, root) };
    let value = code.mul_f(x, factor);
    let magnitude = code.abs_f(x);
    let end = code.cmp_fk("oeq", magnitude, 1.0);
    let infinity = code.float(x.ty, f64::INFINITY);
    let infinity = code.copy_sign(infinity, x);
    let value = code.select(end, infinity, value);
    let inside = code.cmp_fk("ole", magnitude, 1.0);
    let undefined = code.float(x.ty, f64::NAN);
    code.select(inside, value, undefined)
}

/// erf⁻¹ x / x.
fn factor_f32(code: &mut Code, w: Value, root: Value) -> Value {
    let t = code.add_k(w, -2.5);
    let near = polynomial(code, t, &ERF_INV_NEAR_F32);
    let t = code.add_k(root, -3.0);
    let far = polynomial(code, t, &ERF_INV_FAR_F32);
    let small = code.cmp_fk("olt", w, 5.0);
    code.select(small, near, far)
}

fn factor_f64(code: &mut Code, w: Value, root: Value) -> Value {
    let t = code.add_k(w, -3.125);
    let near = polynomial(code, t, &ERF_INV_NEAR_F64);
    let t = code.add_k(root, -3.25);
    let far = polynomial(code, t, &ERF_INV_FAR_F64);
    let t = code.add_k(root, -5.0);
    let end = polynomial(code, t, &ERF_INV_END_F64);
    let small = code.cmp_fk("olt", w, 16.0);
    let far = code.select(small, far, end);
    let small = code.cmp_fk("olt", w, 6.25);
    code.select(small, near, far)
}

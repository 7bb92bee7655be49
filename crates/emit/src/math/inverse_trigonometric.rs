//! asin, acos, atan, atan2.
//!
//! asin x = x + x³·P(x²) up to 1/2; beyond it π/2 − 2·asin √((1 − x)/2). atan2 divides the smaller magnitude by the
//! larger, atan t = t + t³·Q(t²) up to 1, and puts the angle into its octant; atan x is atan2 of x and 1.
//!
//! Worked example: atan2(1, −2): t = 1/2, atan t = 0.4636476, second quadrant: π − 0.4636476 = 2.677945.

use std::f64::consts::{FRAC_PI_2, PI};

use super::coefficients::{ASIN_F32, ASIN_F64, ATAN_F32, ATAN_F64};
use super::{choose, polynomial};
use crate::text::{Code, Value};

/// π/2 less its rounding to the type.
fn pi_half_tail(x: Value) -> f64 {
    choose(x, FRAC_PI_2 - f64::from(std::f32::consts::FRAC_PI_2), 6.123_233_995_736_766e-17)
}

/// asin t − t for |t| ≤ 1/2.
fn asin_series(code: &mut Code, t: Value, square: Value) -> Value {
    let series = polynomial(code, square, choose(t, &ASIN_F32, &ASIN_F64));
    let series = code.mul_f(series, square);
    code.mul_f(series, t)
}

/// √((1 − a)/2); NaN for a > 1.
fn half_root(code: &mut Code, a: Value) -> (Value, Value) {
    let one = code.float(a.ty, 1.0);
    let rest = code.sub_f(one, a);
    let square = code.mul_k(rest, 0.5);
    (code.sqrt_f(square), square)
}

pub fn asin(code: &mut Code, x: Value) -> Value {
    let a = code.abs_f(x);
    let small = code.cmp_fk("olt", a, 0.5);
    let (root, halved) = half_root(code, a);
    let own = code.mul_f(a, a);
    let t = code.select(small, a, root);
    let square = code.select(small, own, halved);
    let series = asin_series(code, t, square);
    let near = code.add_f(t, series);
    let double = code.add_f(series, series);
    let tail = code.float(x.ty, pi_half_tail(x));
    let rest = code.sub_f(tail, double);
    let head = code.float(x.ty, FRAC_PI_2);
    let far = code.fma_k(t, -2.0, head);
    // The rounding of π/2 − 2t, exactly.
    let back = code.sub_f(head, far);
    let lost = code.fma_k(t, -2.0, back);
    let rest = code.add_f(rest, lost);
    let far = code.add_f(far, rest);
    let value = code.select(small, near, far);
    code.copy_sign(value, x)
}

/// π/2 − asin x; 2·asin √((1 − x)/2) for x ≥ 1/2; π less that of −x for x ≤ −1/2.
pub fn acos(code: &mut Code, x: Value) -> Value {
    let a = code.abs_f(x);
    let small = code.cmp_fk("olt", a, 0.5);
    let (root, halved) = half_root(code, a);
    let own = code.mul_f(a, a);
    let t = code.select(small, x, root);
    let square = code.select(small, own, halved);
    let series = asin_series(code, t, square);
    // Small: head − t with the rounding of the difference. Else 2·(t + series), from π for negative arguments.
    let tail = code.float(x.ty, pi_half_tail(x));
    let head = code.float(x.ty, FRAC_PI_2);
    let difference = code.sub_f(head, t);
    let back = code.sub_f(head, difference);
    let lost = code.sub_f(back, t);
    let rest = code.sub_f(tail, series);
    let rest = code.add_f(rest, lost);
    let near = code.add_f(difference, rest);
    let sum = code.add_f(t, series);
    let far = code.add_f(sum, sum);
    let tails = code.float(x.ty, 2.0 * pi_half_tail(x));
    let mirrored = code.sub_f(far, tails);
    let pi = code.float(x.ty, PI);
    let mirrored = code.sub_f(pi, mirrored);
    let negative = code.cmp_fk("olt", x, 0.0);
    let far = code.select(negative, mirrored, far);
    code.select(small, near, far)
}

pub fn atan(code: &mut Code, x: Value) -> Value {
    let a = code.abs_f(x);
    let one = code.float(x.ty, 1.0);
    let inverse = code.div_f(one, a);
    let large = code.cmp_fk("ogt", a, 1.0);
    let t = code.select(large, inverse, a);
    let angle = atan_near(code, t);
    let complement = from_right_angle(code, angle);
    let value = code.select(large, complement, angle);
    code.copy_sign(value, x)
}

/// atan t for 0 ≤ t ≤ 1.
fn atan_near(code: &mut Code, t: Value) -> Value {
    let square = code.mul_f(t, t);
    let series = polynomial(code, square, choose(t, &ATAN_F32, &ATAN_F64));
    let series = code.mul_f(series, square);
    code.fma(series, t, t)
}

/// π/2 − angle.
fn from_right_angle(code: &mut Code, angle: Value) -> Value {
    let tail = code.float(angle.ty, pi_half_tail(angle));
    let rest = code.sub_f(angle, tail);
    let head = code.float(angle.ty, FRAC_PI_2);
    code.sub_f(head, rest)
}

/// The angle of the point (x, y), from −π to π.
pub fn atan2(code: &mut Code, y: Value, x: Value) -> Value {
    let (ax, ay) = (code.abs_f(x), code.abs_f(y));
    let steep = code.cmp_f("ogt", ay, ax);
    let large = code.select(steep, ay, ax);
    let small = code.select(steep, ax, ay);
    let t = code.div_f(small, large);
    // 0/0 is 0 and ∞/∞ is 1.
    let equal = code.cmp_f("oeq", ax, ay);
    let zero = code.cmp_fk("oeq", large, 0.0);
    let t = code.select_k(equal, 1.0, t);
    let t = code.select_k(zero, 0.0, t);
    let angle = atan_near(code, t);
    let complement = from_right_angle(code, angle);
    let angle = code.select(steep, complement, angle);
    // Left of the y axis, −0 included: π − angle.
    let tail = code.float(x.ty, 2.0 * pi_half_tail(x));
    let rest = code.sub_f(angle, tail);
    let pi = code.float(x.ty, PI);
    let left = code.sub_f(pi, rest);
    let bits = code.to_bits(x);
    let negative = code.cmp_ik("slt", bits, 0);
    let angle = code.select(negative, left, angle);
    let value = code.copy_sign(angle, y);
    let unordered = code.cmp_f("uno", x, y);
    code.select_k(unordered, f64::NAN, value)
}

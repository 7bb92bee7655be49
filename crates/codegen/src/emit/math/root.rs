//! sqrt, rsqrt, cbrt.
//!
//! sqrt is the machine's, correctly rounded. cbrt starts from a third of the exponent and refines; its last step uses the exact
//! residual.
//!
//! Worked example: cbrt 27 starts from 3.05, two Halley steps give 3.0000002, the last correction 3.0.

use super::{is_double, two_product};
use crate::emit::text::{Code, Scalar, Value};

pub fn sqrt(code: &mut Code, x: Value) -> Value {
    code.sqrt_f(x)
}

pub fn rsqrt(code: &mut Code, x: Value) -> Value {
    let root = code.sqrt_f(x);
    let one = code.float(x.ty, 1.0);
    code.div_f(one, root)
}

pub fn cbrt(code: &mut Code, x: Value) -> Value {
    let double = is_double(x);
    // Subnormal and huge arguments are scaled by a cube of a power of two.
    let (least, most, lift) = if double {
        (f64::MIN_POSITIVE, 2f64.powi(1000), 54)
    } else {
        (f64::from(f32::MIN_POSITIVE), 2f64.powi(120), 24)
    };
    let magnitude = code.abs_f(x);
    let subnormal = code.cmp_fk("olt", magnitude, least);
    let huge = code.cmp_fk("ogt", magnitude, most);
    let one = code.float(x.ty, 1.0);
    let factor = |code: &mut Code, lift: i32| {
        let up = code.select_k(subnormal, 2f64.powi(lift), one);
        code.select_k(huge, 2f64.powi(-lift), up)
    };
    let scale = factor(code, lift);
    let a = code.mul_f(magnitude, scale);
    // A third of the bits, as a 32-bit division.
    let bits = code.to_bits(a);
    let high = if double { code.shr_uk(bits, 32) } else { bits };
    let high = code.resize_u(high, Scalar::I32);
    let third = code.int_k("arith.divui", high, 3);
    let start = code.add_ik(third, if double { 715_094_163 } else { 709_958_130 });
    let start = code.resize_u(start, bits.ty.scalar);
    let start = if double { code.shl_k(start, 32) } else { start };
    let mut t = code.bitcast(start, x.ty.scalar);
    for _ in 0..if double { 3 } else { 2 } {
        // t·(t³ + 2a)/(2t³ + a)
        let square = code.mul_f(t, t);
        let cube = code.mul_f(square, t);
        let twice = code.add_f(a, a);
        let numerator = code.add_f(cube, twice);
        let doubled = code.add_f(cube, cube);
        let denominator = code.add_f(doubled, a);
        let ratio = code.div_f(numerator, denominator);
        t = code.mul_f(t, ratio);
    }
    // t − (t³ − a)/(3t²), the residual in two words.
    let (square, square_low) = two_product(code, t, t);
    let (cube, cube_low) = two_product(code, square, t);
    let residual = code.sub_f(cube, a);
    let residual = code.add_f(residual, cube_low);
    let residual = code.fma(square_low, t, residual);
    let slope = code.mul_k(square, 3.0);
    let step = code.div_f(residual, slope);
    let t = code.sub_f(t, step);
    let scale = factor(code, -lift / 3);
    let value = code.mul_f(t, scale);
    let value = code.copy_sign(value, x);
    // Zero, infinities and NaN are themselves.
    let finite = code.cmp_fk("olt", magnitude, f64::INFINITY);
    let nonzero = code.cmp_fk("one", x, 0.0);
    let ordinary = code.and(finite, nonzero);
    code.select(ordinary, value, x)
}

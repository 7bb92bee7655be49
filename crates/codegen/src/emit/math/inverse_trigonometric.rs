//! asin, acos, atan, atan2.
//!
//! atan of a ratio in 0 … 1 is r + r³·p(r²); larger ratios are inverted. asin and acos use the series up to ½ and the half-angle
//! formula above: asin x = π/2 − 2·asin √((1 − x)/2).
//!
//! Worked example: atan2(3, −4): ratio ¾, atan 0.6435011, x is negative: π − 0.6435011 = 2.4980915.

use super::{is_double, polynomial};
use crate::emit::text::{Code, Value};

const ATAN_F32: [f64; 9] = [
    -0.00179358153,
    0.0109144188,
    -0.0311774779,
    0.0579571985,
    -0.0840342492,
    0.109521762,
    -0.142642394,
    0.199985474,
    -0.333332986,
];
const ATAN_F64: [f64; 20] = [
    1.3224392517786428e-05,
    -0.00015215427642834437,
    0.0008312926281808376,
    -0.0028848395446538135,
    0.007196358293567841,
    -0.013900368900179792,
    0.021984666602969053,
    -0.029903721564761315,
    0.03664183541363481,
    -0.04219175860836245,
    0.047223213042691274,
    -0.05253518375250574,
    0.05880527798433084,
    -0.06666404059488737,
    0.07692279840185424,
    -0.0909090700313304,
    0.11111111007038359,
    -0.1428571428257568,
    0.19999999999951473,
    -0.3333333333333307,
];
const ASIN_F32: [f64; 6] = [0.0375279449, 0.0144312708, 0.0318094082, 0.0445167869, 0.075005047, 0.166666597];
const ASIN_F64: [f64; 13] = [
    0.03265450326174652,
    -0.02103947069448135,
    0.021735298502351424,
    0.003695257009486097,
    0.010783125000310603,
    0.01139841449636412,
    0.013980879518560549,
    0.01735160725630791,
    0.022372215242996242,
    0.03038194269907881,
    0.04464285717478529,
    0.07499999999970627,
    0.1666666666666676,
];

/// π/2 in two parts.
fn quarter(x: Value) -> (f64, f64) {
    if is_double(x) {
        (std::f64::consts::FRAC_PI_2, 6.123233995736766e-17)
    } else {
        let high = f64::from(std::f32::consts::FRAC_PI_2);
        (high, std::f64::consts::FRAC_PI_2 - high)
    }
}

/// π/2·n − r for n of 1 or 2.
fn complement(code: &mut Code, n: f64, r: Value) -> Value {
    let (high, low) = quarter(r);
    let low = code.float(r.ty, n * low);
    let high = code.float(r.ty, n * high);
    let rest = code.sub_f(r, low);
    code.sub_f(high, rest)
}

pub fn atan2(code: &mut Code, y: Value, x: Value) -> Value {
    let (a, b) = (code.abs_f(y), code.abs_f(x));
    let steep = code.cmp_f("ogt", a, b);
    let (small, large) = (code.select(steep, b, a), code.select(steep, a, b));
    let ratio = code.div_f(small, large);
    // 0/0 is 0 here, ∞/∞ is 1.
    let both_zero = code.cmp_fk("oeq", large, 0.0);
    let ratio = code.select_k(both_zero, 0.0, ratio);
    let both_infinite = code.cmp_fk("oeq", small, f64::INFINITY);
    let ratio = code.select_k(both_infinite, 1.0, ratio);
    let square = code.mul_f(ratio, ratio);
    let series = if is_double(x) { polynomial(code, square, &ATAN_F64) } else { polynomial(code, square, &ATAN_F32) };
    let cube = code.mul_f(ratio, square);
    let r = code.fma(cube, series, ratio);
    let turned = complement(code, 1.0, r);
    let r = code.select(steep, turned, r);
    let bits = code.to_bits(x);
    let negative = code.cmp_ik("slt", bits, 0);
    let opposite = complement(code, 2.0, r);
    let r = code.select(negative, opposite, r);
    let value = code.copy_sign(r, y);
    let unordered = code.cmp_f("uno", y, x);
    code.select_k(unordered, f64::NAN, value)
}

pub fn atan(code: &mut Code, x: Value) -> Value {
    let one = code.float(x.ty, 1.0);
    atan2(code, x, one)
}

/// asin of a small argument r, given r²: r + r³·p(r²).
fn series(code: &mut Code, r: Value, square: Value) -> Value {
    let p = if is_double(r) { polynomial(code, square, &ASIN_F64) } else { polynomial(code, square, &ASIN_F32) };
    let cube = code.mul_f(r, square);
    code.fma(cube, p, r)
}

/// |x|, whether it is above ½, and asin of |x| or of √((1 − |x|)/2).
fn arc(code: &mut Code, x: Value) -> (Value, Value) {
    let a = code.abs_f(x);
    let outer = code.cmp_fk("ogt", a, 0.5);
    let half = code.float(x.ty, 0.5);
    let minus = code.float(x.ty, -0.5);
    let halved = code.fma(a, minus, half);
    let root = code.sqrt_f(halved);
    let square = code.mul_f(a, a);
    let argument = code.select(outer, root, a);
    let square = code.select(outer, halved, square);
    (outer, series(code, argument, square))
}

pub fn asin(code: &mut Code, x: Value) -> Value {
    let (outer, r) = arc(code, x);
    let doubled = code.add_f(r, r);
    let turned = complement(code, 1.0, doubled);
    let value = code.select(outer, turned, r);
    code.copy_sign(value, x)
}

pub fn acos(code: &mut Code, x: Value) -> Value {
    let (outer, r) = arc(code, x);
    let doubled = code.add_f(r, r);
    let negative = code.cmp_fk("olt", x, 0.0);
    let far = complement(code, 2.0, doubled);
    let outside = code.select(negative, far, doubled);
    let signed = code.copy_sign(r, x);
    let inside = complement(code, 1.0, signed);
    code.select(outer, outside, inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::text::{Scalar, Ty};

    #[test]
    fn a_function_of_a_scalar_stays_scalar() {
        let mut code = Code::new(true, true, false);
        let x = code.fresh(Ty::scalar(Scalar::F32));
        let y = atan(&mut code, x);
        assert_eq!(y.ty, x.ty);
        assert!(!code.finish().contains("vector<"));
    }
}

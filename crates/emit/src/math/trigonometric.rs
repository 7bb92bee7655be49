//! sin, cos, tan.
//!
//! After the reduction (see `reduction`) sin r and cos r are polynomials; the quadrant chooses between them and the
//! sign. For f64 the tail of r enters to first order.
//!
//! Worked example: sin 10 = −sin 0.57522206 = −0.54402111: quadrant 6, bit 0 clear (sine polynomial), bit 1 set
//! (negative).

use super::polynomial;
use super::reduction::{Reduced, reduce};
use crate::text::{Code, Value};

const SIN_F32: [f64; 4] = [2.86567956e-6, -1.98559923e-4, 8.33338592e-3, -1.66666672e-1];
const COS_F32: [f64; 4] = [2.44677067e-5, -1.38877297e-3, 4.16666567e-2, -0.5];
const SIN_F64: [f64; 6] = [
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
];
const COS_F64: [f64; 6] = [
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
];

pub fn sin(code: &mut Code, x: Value) -> Value {
    let reduced = reduce(code, x);
    let value = quadrant_sin(code, &reduced, 0);
    // The reduction may lose the sign of a zero.
    let zero = code.cmp_fk("oeq", x, 0.0);
    code.select(zero, x, value)
}

pub fn cos(code: &mut Code, x: Value) -> Value {
    let reduced = reduce(code, x);
    quadrant_sin(code, &reduced, 1)
}

pub fn tan(code: &mut Code, x: Value) -> Value {
    let reduced = reduce(code, x);
    let (sine, cosine) = (sin_kernel(code, &reduced), cos_kernel(code, &reduced));
    let bit = code.and_k(reduced.quadrant, 1);
    let odd = code.cmp_ik("ne", bit, 0);
    let negated = code.neg_f(cosine);
    let numerator = code.select(odd, negated, sine);
    let denominator = code.select(odd, sine, cosine);
    let value = code.div_f(numerator, denominator);
    let zero = code.cmp_fk("oeq", x, 0.0);
    code.select(zero, x, value)
}

/// sin(r + (quadrant + ahead)·π/2).
fn quadrant_sin(code: &mut Code, reduced: &Reduced, ahead: i64) -> Value {
    let quadrant = code.add_ik(reduced.quadrant, ahead);
    let (sine, cosine) = (sin_kernel(code, reduced), cos_kernel(code, reduced));
    let bit = code.and_k(quadrant, 1);
    let odd = code.cmp_ik("ne", bit, 0);
    let value = code.select(odd, cosine, sine);
    let second = code.and_k(quadrant, 2);
    let sign = code.shl_k(second, i64::from(quadrant.ty.scalar.bits()) - 2);
    let bits = code.to_bits(value);
    let bits = code.xor(bits, sign);
    code.bitcast(bits, value.ty.scalar)
}

fn sin_kernel(code: &mut Code, reduced: &Reduced) -> Value {
    let r = reduced.head;
    let square = code.mul_f(r, r);
    let cube = code.mul_f(r, square);
    let Some(tail) = reduced.tail else {
        let series = polynomial(code, square, &SIN_F32);
        return code.fma(series, cube, r);
    };
    // r − ((r²·(tail/2 − r³·p) − tail) − r³·S1), p the series without its first term.
    let series = polynomial(code, square, &SIN_F64[..5]);
    let half = code.mul_k(tail, 0.5);
    let cubic = code.mul_f(cube, series);
    let inner = code.sub_f(half, cubic);
    let inner = code.mul_f(square, inner);
    let inner = code.sub_f(inner, tail);
    let first = code.mul_k(cube, SIN_F64[5]);
    let inner = code.sub_f(inner, first);
    code.sub_f(r, inner)
}

fn cos_kernel(code: &mut Code, reduced: &Reduced) -> Value {
    let r = reduced.head;
    let square = code.mul_f(r, r);
    let one = code.float(r.ty, 1.0);
    let Some(tail) = reduced.tail else {
        let series = polynomial(code, square, &COS_F32);
        return code.fma(series, square, one);
    };
    let series = polynomial(code, square, &COS_F64);
    let half = code.mul_k(square, 0.5);
    let head = code.sub_f(one, half);
    let lost = code.sub_f(one, head);
    let lost = code.sub_f(lost, half);
    let series = code.mul_f(square, series);
    let cross = code.mul_f(r, tail);
    let negated = code.neg_f(cross);
    let rest = code.fma(square, series, negated);
    let rest = code.add_f(lost, rest);
    code.add_f(head, rest)
}

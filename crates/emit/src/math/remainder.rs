//! The exact remainder of a division rounded towards zero, with the sign of the dividend (C's `fmod`).
//!
//! While |x| ≥ |y|: take y·2^k with the quotient below 2^20 (2^50 for f64), subtract the whole multiples. Every step is
//! exact.
//!
//! An infinite dividend, NaN and a division by zero give NaN; a finite dividend by infinity is itself.
//!
//! Worked example: 10 mod 3: one step, quotient 3, rest 1. 1e10 mod 7 in f32: k = 10, quotient 1395089, then quotient
//! 11, rest 4 (1e10 is 10000000000 exactly in f32).

use super::{exp2_integer, is_double, two_product};
use crate::text::{Code, Value};

pub fn remainder(code: &mut Code, x: Value, y: Value) -> Value {
    let (a, b) = (code.abs_f(x), code.abs_f(y));
    let finite = code.cmp_fk("olt", a, f64::INFINITY);
    let positive = code.cmp_fk("ogt", b, 0.0);
    let defined = code.and(finite, positive);
    let (nan, one) = (code.float(x.ty, f64::NAN), code.float(x.ty, 1.0));
    // Where the result is NaN or the dividend (the divisor is infinite, or just larger), the loop has nothing to do,
    // and what it starts with is the result: no condition has to be kept for later.
    let start = code.select(defined, a, nan);
    let divisor = code.select(defined, b, one);
    let divisor_exponent = exponent(code, divisor);
    let open = code.begin_while(&[start]);
    let more = code.cmp_f("oge", open.carried[0], divisor);
    let more = code.any(more);
    let body = code.do_while(open, more);
    let rest = body.carried[0];
    let step = step(code, rest, divisor, divisor_exponent);
    let active = code.cmp_f("oge", rest, divisor);
    let next = code.select(active, step, rest);
    let results = code.end_for(body, &[next]);
    code.copy_sign(results[0], x)
}

/// Exponent of a positive number, subnormal ones too, as an integer.
fn exponent(code: &mut Code, x: Value) -> Value {
    let (least, lift, shift) =
        if is_double(x) { (f64::MIN_POSITIVE, 54, 52) } else { (f64::from(f32::MIN_POSITIVE), 25, 23) };
    let subnormal = code.cmp_fk("olt", x, least);
    let lifted = code.mul_k(x, 2f64.powi(lift));
    let normal = code.select(subnormal, lifted, x);
    let bits = code.to_bits(normal);
    let field = code.shr_uk(bits, shift);
    let (correction, zero) = (code.int(bits.ty, -i64::from(lift)), code.int(bits.ty, 0));
    let correction = code.select(subnormal, correction, zero);
    code.add_i(field, correction)
}

/// rest − q·divisor·2^k.
fn step(code: &mut Code, rest: Value, divisor: Value, divisor_exponent: Value) -> Value {
    let (quotient_bits, part) = if is_double(rest) { (50, 700) } else { (20, 100) };
    let exponent = exponent(code, rest);
    let k = code.sub_i(exponent, divisor_exponent);
    let k = code.add_ik(k, -quotient_bits);
    let zero = code.int(k.ty, 0);
    let mut k = code.binary("arith.maxsi", k, zero);
    let mut scaled = divisor;
    for _ in 0..3 {
        let limit = code.int(k.ty, part);
        let now = code.binary("arith.minsi", k, limit);
        let factor = exp2_integer(code, now, rest.ty.scalar);
        scaled = code.mul_f(scaled, factor);
        k = code.sub_i(k, now);
    }
    let ratio = code.div_f(rest, scaled);
    let quotient = code.trunc(ratio);
    // A product near the largest number could overflow: both are quartered there.
    let large = code.cmp_fk("ogt", rest, if is_double(rest) { 2f64.powi(1000) } else { 2f64.powi(120) });
    let one = code.float(rest.ty, 1.0);
    let down = code.select_k(large, 0.25, one);
    let up = code.select_k(large, 4.0, one);
    let (rest, scaled) = (code.mul_f(rest, down), code.mul_f(scaled, down));
    let (product, error) = two_product(code, quotient, scaled);
    let less = code.sub_f(rest, product);
    let less = code.sub_f(less, error);
    // The ratio may have been rounded up to a whole number.
    let negative = code.cmp_fk("olt", less, 0.0);
    let corrected = code.add_f(less, scaled);
    let less = code.select(negative, corrected, less);
    code.mul_f(less, up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Scalar, Ty};

    #[test]
    fn lanes_share_one_loop() {
        let mut code = Code::new(true, true, false);
        let x = code.fresh(Ty::vector(Scalar::F32, 4));
        let y = code.fresh(Ty::vector(Scalar::F32, 4));
        remainder(&mut code, x, y);
        assert_eq!(code.finish().matches("scf.while").count(), 1);
    }
}

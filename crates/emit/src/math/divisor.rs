//! Quotients of many dividends and one divisor, such as the last step of a softmax.
//!
//! All begin with the reciprocal in two pieces, head h ≤ 1/d and tail l = 1/d − h. GPUs, whose division is a dozen
//! instructions, give the correctly rounded quotient. CPUs, whose division keeps its unit for several times as long as
//! a multiply-add, take a·h + a·l as it is.

use super::fma_saturated;
use crate::text::{Code, Scalar, Value};

/// a/d in f32, for many a and one d: correctly rounded, or on CPUs within 0.51 units, and one unit of a subnormal
/// result.
pub fn divided_by_one(code: &mut Code, a: Value, d: Value) -> Value {
    if code.max_by_select { corrected(code, a, d) } else { by_pieces(code, a, d) }
}

/// a·h + a·l, by two operations, where no step under- or overflows, else by division.
///
/// h is below 1/d, l above 0 (all of d's sign), also where 1/d is a float: so both products have one sign, infinities
/// and zeros stay what they are, and nothing that the quotient is not becomes infinite or NaN.
///
/// Worked example: d = 2: h = 0.5 − 2⁻²⁵, l = 2⁻²⁵: a = ∞ gives ∞ + ∞, a = −0 gives −0 − 0, a = 3 gives 1.5.
fn by_pieces(code: &mut Code, a: Value, d: Value) -> Value {
    let (least, most) = (2f64.powi(-126), 2f64.powi(100));
    if let Some(bits) = code.constant_bits(d) {
        let d32 = f32::from_bits(bits as u32);
        if !(least..=most).contains(&f64::from(d32.abs())) {
            return code.div_f(a, d);
        }
        let inverse = 1.0 / d32;
        let rest = |head: f32| (-d32).mul_add(head, 1.0);
        let head = if rest(inverse) <= 0.0 { f32::from_bits(inverse.to_bits() - 1) } else { inverse };
        let tail = code.float(d.ty, f64::from(rest(head) * inverse));
        let head = code.float(d.ty, f64::from(head));
        return product(code, a, head, tail);
    }
    let one = code.float(d.ty, 1.0);
    let magnitude = code.abs_f(d);
    let (above, below) = (code.cmp_fk("oge", magnitude, least), code.cmp_fk("ole", magnitude, most));
    let fits = code.and(above, below);
    let results = code.begin_if(fits, &[a.ty]);
    let inverse = code.div_f(one, d);
    let opposite = code.neg_f(d);
    let (head, tail) = pieces(code, (opposite, inverse, one), "ole");
    let near = product(code, a, head, tail);
    code.begin_else(&[near]);
    let divided = code.div_f(a, d);
    code.end_if(&[divided]);
    results[0]
}

/// Head and tail of 1/d, from −d and its rounded reciprocal: the float before that one where it is larger than 1/d
/// (`olt`), or equal too (`ole`).
fn pieces(code: &mut Code, (opposite, inverse, one): (Value, Value, Value), comparison: &str) -> (Value, Value) {
    let rest = code.fma(opposite, inverse, one);
    let too_large = code.cmp_fk(comparison, rest, 0.0);
    let bits = code.to_bits(inverse);
    let before = code.add_ik(bits, -1);
    let before = code.bitcast(before, Scalar::F32);
    let head = code.select(too_large, before, inverse);
    let rest = code.fma(opposite, head, one);
    (head, code.mul_f(rest, inverse))
}

/// a·(head + tail).
fn product(code: &mut Code, a: Value, head: Value, tail: Value) -> Value {
    let small = code.mul_f(a, tail);
    code.fma(a, head, small)
}

/// a/d, correctly rounded, on GPUs: by a reciprocal of d in two pieces and one correction by the exact remainder,
/// where no step under- or overflows; else by division.
///
/// With h ≤ 1/d and l = 1/d − h ≥ 0, both rounded, a·h + a·l rounded once is within one unit of a/d. Its remainder is
/// exact, and by Markstein's theorem one step with the *rounded* reciprocal gives the rounded quotient. l is not
/// negative, so that ±0 keeps its sign. Only 0 < |a| < 2^−100 can lose digits; a quotient that overflows becomes NaN on
/// the way. Both are summed up over the lanes by multiply-adds: what the comparisons would take of other units is what
/// rows of f16 and bf16 are short of.
fn corrected(code: &mut Code, a: Value, d: Value) -> Value {
    let one = code.float(d.ty, 1.0);
    let inverse = code.div_f(one, d);
    let (low, high) = (2f64.powi(-24), 2f64.powi(24));
    let (above, below) = (code.cmp_fk("oge", d, low), code.cmp_fk("ole", d, high));
    let divisor_fits = code.and(above, below);
    let opposite = code.neg_f(d);
    let (head, tail) = pieces(code, (opposite, inverse, one), "olt");
    let zero = code.float(d.ty, 0.0);
    let mut doubt = zero;
    let mut quotients = Vec::with_capacity(a.ty.lanes as usize);
    for lane in 0..a.ty.lanes {
        let a = code.extract(a, lane);
        let magnitude = code.abs_f(a);
        // 0 for 0, 1 from 2^−100 on, else between.
        let whole = fma_saturated(code, magnitude, 2f64.powi(100), 0.0);
        let less = code.neg_f(whole);
        let between = code.fma(less, whole, whole);
        doubt = code.add_f(doubt, between);
        let small = code.mul_f(a, tail);
        let near = code.fma(a, head, small);
        let negated = code.neg_f(a);
        let excess = code.fma(d, near, negated);
        let less = code.neg_f(excess);
        let quotient = code.fma(less, inverse, near);
        doubt = code.fma(quotient, zero, doubt);
        quotients.push(quotient);
    }
    let quotient = code.assemble(&quotients);
    let sure = code.cmp_fk("oeq", doubt, 0.0);
    let fits = code.and(divisor_fits, sure);
    let results = code.begin_if(fits, &[a.ty]);
    code.begin_else(&[quotient]);
    let divided = code.div_f(a, d);
    code.end_if(&[divided]);
    results[0]
}

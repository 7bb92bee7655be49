//! Integer operations with StableHLO's corner cases.
//!
//! | operation | corner | result |
//! | --- | --- | --- |
//! | divide | by 0 | −1 (all ones) |
//! | divide | smallest ÷ −1 | smallest (x86's `idiv` would trap) |
//! | remainder | by 0 | the dividend |
//! | remainder | smallest mod −1 | 0 |
//! | shifts | by the width or more, or negative | 0, or the sign |
//! | power | negative exponent | ±1 for bases ±1, else 0 |
//!
//! Worked example: i32 `−7 ÷ −1` divides −7 by the harmless 1, and the select takes `0 − (−7)` = 7.

use crate::text::{Code, Value};

/// Quotient, rounded towards zero.
pub fn divide(code: &mut Code, a: Value, b: Value, unsigned: bool) -> Value {
    let divisor = Divisor::new(code, b, unsigned);
    let name = if unsigned { "arith.divui" } else { "arith.divsi" };
    let quotient = code.binary(name, a, divisor.safe);
    let quotient = match divisor.minus_one {
        Some(condition) => {
            let zero = code.int(a.ty, 0);
            let negated = code.sub_i(zero, a);
            code.select(condition, negated, quotient)
        }
        None => quotient,
    };
    match divisor.zero {
        Some(condition) => {
            let ones = code.int(quotient.ty, -1);
            code.select(condition, ones, quotient)
        }
        None => quotient,
    }
}

/// Remainder with the sign of the dividend.
pub fn remainder(code: &mut Code, a: Value, b: Value, unsigned: bool) -> Value {
    let divisor = Divisor::new(code, b, unsigned);
    let name = if unsigned { "arith.remui" } else { "arith.remsi" };
    let rest = code.binary(name, a, divisor.safe);
    // By −1 the safe divisor is 1, and the remainder 0 is right.
    match divisor.zero {
        Some(condition) => code.select(condition, a, rest),
        None => rest,
    }
}

/// A divisor that never traps, and the conditions under which it is not the one asked for.
struct Divisor {
    safe: Value,
    zero: Option<Value>,
    minus_one: Option<Value>,
}

impl Divisor {
    fn new(code: &mut Code, b: Value, unsigned: bool) -> Divisor {
        let ones = if b.ty.scalar.bits() == 64 { u64::MAX } else { (1 << b.ty.scalar.bits()) - 1 };
        if code.constant_bits(b).is_some_and(|bits| bits != 0 && (unsigned || bits != ones)) {
            return Divisor { safe: b, zero: None, minus_one: None };
        }
        let zero = code.cmp_ik("eq", b, 0);
        let minus_one = (!unsigned).then(|| code.cmp_ik("eq", b, -1));
        let unsafe_divisor = match minus_one {
            Some(condition) => code.or(zero, condition),
            None => zero,
        };
        let one = code.int(b.ty, 1);
        Divisor { safe: code.select(unsafe_divisor, one, b), zero: Some(zero), minus_one }
    }
}

/// Shift by any amount; `name` is the MLIR operation, `past` what amounts of the width or more give.
///
/// The amount is masked, not selected: of `select(b < 64, shift a by b, 0)` LLVM makes for NVPTX a shift by the low
/// half of b, which is wrong for amounts like 2^62.
fn shift(code: &mut Code, name: &str, a: Value, b: Value, past: Value) -> Value {
    let width = i64::from(a.ty.scalar.bits());
    let in_range = code.cmp_ik("ult", b, width);
    let amount = code.and_k(b, width - 1);
    let shifted = code.binary(name, a, amount);
    code.select(in_range, shifted, past)
}

pub fn shift_left(code: &mut Code, a: Value, b: Value) -> Value {
    let zero = code.int(a.ty, 0);
    shift(code, "arith.shli", a, b, zero)
}

pub fn shift_right_logical(code: &mut Code, a: Value, b: Value) -> Value {
    let zero = code.int(a.ty, 0);
    shift(code, "arith.shrui", a, b, zero)
}

pub fn shift_right_arithmetic(code: &mut Code, a: Value, b: Value) -> Value {
    let sign = code.shr_sk(a, i64::from(a.ty.scalar.bits()) - 1);
    shift(code, "arith.shrsi", a, b, sign)
}

/// Power by squaring.
pub fn power(code: &mut Code, a: Value, b: Value, unsigned: bool) -> Value {
    let lanes = a.ty.lanes.max(b.ty.lanes);
    let (a, b) = (code.spread(a, lanes), code.spread(b, lanes));
    let one = code.int(a.ty, 1);
    let zero = code.int(a.ty, 0);
    let open = code.begin_while(&[b, a, one]);
    let more = code.cmp_i("ne", open.carried[0], zero);
    let more = code.any(more);
    let body = code.do_while(open, more);
    let (rest, square, result) = (body.carried[0], body.carried[1], body.carried[2]);
    let bit = code.and_k(rest, 1);
    let odd = code.cmp_i("ne", bit, zero);
    let product = code.mul_i(result, square);
    let result = code.select(odd, product, result);
    let square = code.mul_i(square, square);
    let rest = code.shr_uk(rest, 1);
    let results = code.end_for(body, &[rest, square, result]);
    let result = results[2];
    if unsigned {
        return result;
    }
    // A negative exponent: 1 stays, −1 alternates, everything else truncates to 0.
    let negative = code.cmp_i("slt", b, zero);
    let is_one = code.cmp_ik("eq", a, 1);
    let is_minus_one = code.cmp_ik("eq", a, -1);
    let low = code.and_k(b, 1);
    let odd = code.cmp_i("ne", low, zero);
    let alternating = code.select(odd, a, one);
    let inverse = code.select(is_minus_one, alternating, zero);
    let inverse = code.select(is_one, one, inverse);
    code.select(negative, inverse, result)
}

/// −1, 0 or 1.
pub fn sign(code: &mut Code, a: Value, unsigned: bool) -> Value {
    let (zero, one, minus_one) = (code.int(a.ty, 0), code.int(a.ty, 1), code.int(a.ty, -1));
    let positive = code.cmp_i(if unsigned { "ne" } else { "sgt" }, a, zero);
    let result = code.select(positive, one, zero);
    if unsigned {
        return result;
    }
    let negative = code.cmp_i("slt", a, zero);
    code.select(negative, minus_one, result)
}

/// Magnitude; the smallest value is its own.
pub fn abs(code: &mut Code, a: Value) -> Value {
    let zero = code.int(a.ty, 0);
    let negative = code.cmp_i("slt", a, zero);
    let negated = code.sub_i(zero, a);
    code.select(negative, negated, a)
}

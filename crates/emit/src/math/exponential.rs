//! exp, expm1, logistic, sinh, cosh, tanh.
//!
//! x = n·ln 2 + r with |r| ≤ ln 2 / 2 (Cody and Waite: ln 2 in two pieces, the first short enough for an exact
//! product), eʳ by a polynomial, 2ⁿ by integer arithmetic on the exponent. The power is applied in two factors, so that
//! the last product is the only rounding of a subnormal result and an overflow gives the infinity.
//!
//! Worked example: e¹⁰: n = 14 (14.43 rounded), r = 10 − 14·0.69314718 = 0.29593946, eʳ = 1.3443983, times 2¹⁴ =
//! 22026.466.

use super::coefficients::{EXP_F32, EXP_F64, SINH_F32, SINH_F64, TANH_F32};
use super::{choose, exp2_integer, fma_saturated, is_double, polynomial, quotient, two_product};
use crate::text::{Code, Scalar, Value};

/// ln 2: 15 (f64: 32) bits, and the rest.
pub const LN2_F32: [f64; 2] = [0.693_359_375, -2.121_944_417_012_855_4e-4];
pub const LN2_F64: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];

/// x = n·ln 2 + r.
pub struct Reduced {
    /// n, an integer of the float's width.
    n: Value,
    /// n as a float.
    whole: Value,
    r: Value,
}

/// Reduces x + tail; |x| must be below 2^20.
pub fn reduce(code: &mut Code, x: Value, tail: Option<Value>) -> Reduced {
    let (shift, ln2) = choose(x, (12_582_912.0, LN2_F32), (6_755_399_441_055_744.0, LN2_F64));
    let shift = code.float(x.ty, shift);
    let shifted = code.fma_k(x, std::f64::consts::LOG2_E, shift);
    let n = code.sub_f(shifted, shift);
    let r = code.fma_k(n, -ln2[0], x);
    let r = match tail {
        Some(tail) => code.add_f(r, tail),
        None => r,
    };
    let r = code.fma_k(n, -ln2[1], r);
    let (shifted, shift) = (code.to_bits(shifted), code.to_bits(shift));
    Reduced { n: code.sub_i(shifted, shift), whole: n, r }
}

/// Reduces −a², exactly where multiply-adds are: n·ln 2 has no rounding in its first piece, and what a² leaves of it
/// has one.
pub fn reduce_square(code: &mut Code, a: Value) -> Reduced {
    let opposite = code.neg_f(a);
    if is_double(a) || !code.has_fma {
        let (square, error) = two_product(code, opposite, a);
        return reduce(code, square, Some(error));
    }
    let square = code.mul_f(opposite, a);
    let near = reduce(code, square, None);
    let head = code.mul_k(near.whole, -LN2_F32[0]);
    let r = code.fma(opposite, a, head);
    let r = code.fma_k(near.whole, -LN2_F32[1], r);
    Reduced { r, ..near }
}

impl Reduced {
    /// (eʳ − 1 − r)/r².
    fn quadratic(&self, code: &mut Code) -> Value {
        polynomial(code, self.r, choose(self.r, &EXP_F32, &EXP_F64))
    }

    /// eʳ − 1, relative to eʳ.
    pub fn series(&self, code: &mut Code) -> Value {
        let q = self.quadratic(code);
        let square = code.mul_f(self.r, self.r);
        code.fma(square, q, self.r)
    }

    /// eʳ, to be scaled by 2ⁿ: within 0.9 units and one operation less than the series and 1.
    pub fn power(&self, code: &mut Code) -> Value {
        let q = self.quadratic(code);
        let one = code.float(q.ty, 1.0);
        let slope = code.fma(q, self.r, one);
        code.fma(slope, self.r, one)
    }

    /// `value`·2^(n + more), rounded once, for n down to −150 (f64: −1076) and beyond the largest exponent.
    pub fn scale(&self, code: &mut Code, value: Value, more: i64) -> Value {
        if more == 0
            && let Some(scaled) = code.scale_by_power(value, self.whole, None)
        {
            return scaled;
        }
        let (bias, mantissa) = choose(value, (127, 23), (1023, 52));
        let both = code.add_ik(self.n, 2 * bias + more);
        let low = code.shr_uk(both, 1);
        let high = code.sub_i(both, low);
        let mut scaled = value;
        for biased in [high, low] {
            let bits = code.shl_k(biased, mantissa);
            let factor = code.bitcast(bits, value.ty.scalar);
            scaled = code.mul_f(scaled, factor);
        }
        scaled
    }

    /// `value`·2ⁿ where that is a normal number.
    pub fn scale_normal(&self, code: &mut Code, value: Value) -> Value {
        let factor = exp2_integer(code, self.n, value.ty.scalar);
        code.mul_f(value, factor)
    }
}

/// NaN stays.
pub fn at_most(code: &mut Code, x: Value, high: f64) -> Value {
    let above = code.cmp_fk("ogt", x, high);
    code.select_k(above, high, x)
}

/// NaN stays.
pub fn at_least(code: &mut Code, x: Value, low: f64) -> Value {
    let below = code.cmp_fk("olt", x, low);
    code.select_k(below, low, x)
}

/// Arguments outside have the result of the nearer end: 0 or infinity.
pub fn clamp(code: &mut Code, x: Value) -> Value {
    let (low, high) = choose(x, (-104.0, 89.0), (-746.0, 710.0));
    let x = at_most(code, x, high);
    at_least(code, x, low)
}

pub fn exp(code: &mut Code, x: Value) -> Value {
    if code.exp2_approx && !is_double(x) {
        return exp_by_exp2(code, x);
    }
    let high = choose(x, 89.0, 710.0);
    let x = at_most(code, x, high);
    exp_below_one(code, x)
}

/// eˣ of an x that is not above 0 (or little), or NaN.
pub fn exp_below_one(code: &mut Code, x: Value) -> Value {
    let low = choose(x, -104.0, -746.0);
    if code.scales_by_power(x.ty) {
        // Results that are 0, of what a mask sets to −∞ for example, are not computed: an underflow takes long.
        let kept = code.cmp_fk("uge", x, low);
        let reduced = reduce(code, x, None);
        let power = reduced.power(code);
        if let Some(scaled) = code.scale_by_power(power, reduced.whole, Some(kept)) {
            return scaled;
        }
    }
    let x = at_least(code, x, low);
    let reduced = reduce(code, x, None);
    let power = reduced.power(code);
    reduced.scale(code, power, 0)
}

/// x·log₂e = n + r, n an integer of −126 … 126, so that 2ⁿ is normal and its bits are one shift away; r beyond ±0.5
/// only where the result is subnormal, zero or infinite. The saturated (n + 126)/252 keeps n in its bounds. log₂e in
/// two pieces. Eight instructions.
fn exp_by_exp2(code: &mut Code, x: Value) -> Value {
    // NaN becomes 0 here and stays NaN in r.
    let share = fma_saturated(code, x, std::f64::consts::LOG2_E / 252.0, 0.5);
    // 1.5·2^23 rounds to an integer; 127 more make n the exponent's bits, of which 126 are in the share.
    let shift = 12_582_912.0 + 127.0;
    let shifted = {
        let (range, start) = (code.float(x.ty, 252.0), code.float(x.ty, shift - 126.0));
        code.fma(share, range, start)
    };
    let log2e = code.float(x.ty, std::f64::consts::LOG2_E);
    let shift = code.float(x.ty, shift);
    let opposite = code.sub_f(shift, shifted);
    let r = code.fma(x, log2e, opposite);
    let r = code.fma_k(x, 1.925_963_033_500_011e-8, r);
    let power = exp2_approx(code, r);
    let bits = code.to_bits(shifted);
    let bits = code.shl_k(bits, 23);
    let scale = code.bitcast(bits, Scalar::F32);
    code.mul_f(power, scale)
}

/// 2ˣ, lane by lane, by the instruction: results below 2^−126 are 0.
fn exp2_approx(code: &mut Code, x: Value) -> Value {
    let powers: Vec<Value> = (0..x.ty.lanes)
        .map(|lane| {
            let x = code.extract(x, lane);
            code.intrinsic("llvm.nvvm.ex2.approx.ftz", &[x], x.ty)
        })
        .collect();
    code.assemble(&powers)
}

/// eˣ of an f32 that is not above 0, within 2⁻¹⁸ of it (and 2⁻¹⁴⁹): 2^(x·log₂e + 24)·2⁻²⁴, so that subnormal results
/// are none where the instruction gives 0. The multiply-add rounds a number below 128; near 0, where it would show, one
/// of 24.
pub fn exp_of_difference(code: &mut Code, x: Value) -> Value {
    let shift = code.float(x.ty, 24.0);
    let raised = code.fma_k(x, std::f64::consts::LOG2_E, shift);
    let power = exp2_approx(code, raised);
    code.mul_k(power, 2f64.powi(-24))
}

/// 2ⁿ·(eʳ − 1) + (2ⁿ − 1), all at half size, so that 2ⁿ does not overflow first.
pub fn expm1(code: &mut Code, x: Value) -> Value {
    let (low, high, tiny) = choose(x, (-20.0, 89.0, 1e-8), (-40.0, 710.0, 1e-17));
    let clamped = at_most(code, x, high);
    let clamped = at_least(code, clamped, low);
    let reduced = reduce(code, clamped, None);
    let series = reduced.series(code);
    let less = code.add_ik(reduced.n, -1);
    let half = exp2_integer(code, less, x.ty.scalar);
    let whole = code.add_k(half, -0.5);
    let sum = code.fma(series, half, whole);
    let value = code.add_f(sum, sum);
    // Also keeps the sign of zero and the last bit of subnormal numbers.
    let magnitude = code.abs_f(x);
    let small = code.cmp_fk("olt", magnitude, tiny);
    code.select(small, x, value)
}

/// 1/(1 + e^−|x|) for x ≥ 0, e^−|x|/(1 + e^−|x|) for x < 0.
pub fn logistic(code: &mut Code, x: Value) -> Value {
    let magnitude = code.abs_f(x);
    let opposite = code.neg_f(magnitude);
    let power = exp(code, opposite);
    let sum = code.add_k(power, 1.0);
    let negative = code.cmp_fk("olt", x, 0.0);
    let one = code.float(x.ty, 1.0);
    let numerator = code.select(negative, power, one);
    quotient(code, numerator, sum)
}

pub fn tanh(code: &mut Code, x: Value) -> Value {
    let magnitude = code.abs_f(x);
    let value = if is_double(x) { tanh_f64(code, magnitude) } else { tanh_f32(code, magnitude) };
    code.copy_sign(value, x)
}

/// x + x³·P(x²) up to 0.6, then 1 − 2/(e^2x + 1), where an error of the power counts a third at most.
fn tanh_f32(code: &mut Code, x: Value) -> Value {
    let double = code.add_f(x, x);
    let double = at_most(code, double, 20.0);
    let power = if code.exp2_approx {
        let power = code.mul_k(double, std::f64::consts::LOG2_E);
        exp2_approx(code, power)
    } else {
        let reduced = reduce(code, double, None);
        let power = reduced.power(code);
        reduced.scale_normal(code, power)
    };
    let sum = code.add_k(power, 1.0);
    let two = code.float(x.ty, 2.0);
    let rest = quotient(code, two, sum);
    let one = code.float(x.ty, 1.0);
    let far = code.sub_f(one, rest);
    let square = code.mul_f(x, x);
    let series = polynomial(code, square, &TANH_F32);
    let cubic = code.mul_f(series, square);
    let near = code.fma(cubic, x, x);
    let small = code.cmp_fk("olt", x, 0.6);
    code.select(small, near, far)
}

/// t/(t + 2) with t = e^2x − 1 up to 0.6, then 1 − 2/(t + 2).
fn tanh_f64(code: &mut Code, x: Value) -> Value {
    let double = code.add_f(x, x);
    let double = at_most(code, double, 44.0);
    let t = expm1(code, double);
    let sum = code.add_k(t, 2.0);
    let small = code.cmp_fk("olt", x, 0.6);
    let two = code.float(x.ty, 2.0);
    let numerator = code.select(small, t, two);
    let quotient = code.div_f(numerator, sum);
    let one = code.float(x.ty, 1.0);
    let far = code.sub_f(one, quotient);
    code.select(small, quotient, far)
}

/// e^|x|/2: no overflow before the result's.
fn half_power(code: &mut Code, magnitude: Value) -> Value {
    let high = choose(magnitude, 90.0, 711.0);
    let clamped = at_most(code, magnitude, high);
    let reduced = reduce(code, clamped, None);
    let power = reduced.power(code);
    reduced.scale(code, power, -1)
}

/// x + x³·P(x²) up to 1, then h − 1/(4h) with h = e^|x|/2.
pub fn sinh(code: &mut Code, x: Value) -> Value {
    let magnitude = code.abs_f(x);
    let half = half_power(code, magnitude);
    let quarter = code.float(x.ty, 0.25);
    let inverse = code.div_f(quarter, half);
    let far = code.sub_f(half, inverse);
    let square = code.mul_f(x, x);
    let series = polynomial(code, square, choose(x, &SINH_F32, &SINH_F64));
    let cubic = code.mul_f(series, square);
    let near = code.fma(cubic, magnitude, magnitude);
    let small = code.cmp_fk("olt", magnitude, 1.0);
    let value = code.select(small, near, far);
    code.copy_sign(value, x)
}

/// h + 1/(4h) with h = e^|x|/2.
pub fn cosh(code: &mut Code, x: Value) -> Value {
    let magnitude = code.abs_f(x);
    let half = half_power(code, magnitude);
    let quarter = code.float(x.ty, 0.25);
    let inverse = code.div_f(quarter, half);
    code.add_f(half, inverse)
}

//! Functions whose result is rounded to 16 bits at once, as in a gelu of f16 or bf16: half a dozen to a dozen
//! instructions instead of forty.
//!
//! Input: the argument in f32. Output: a value that is at most `relative` of itself from the function's, before the
//! caller rounds it to the element type; that costs a result of bf16 an eighth of a unit more than half of one at most,
//! of f16 a sixteenth. Zeros keep their sign, infinities and NaN are right, results near one end as exactly ±1.
//!
//! | function | rounded to | form | relative |
//! | --- | --- | --- | --- |
//! | tanh | bf16 | `tanh.approx.f32` (NVIDIA from sm_75 on; bound of the PTX manual) | 2⁻¹¹ |
//! | tanh | f16 | x − x³/3 below 2⁻⁴, then 1 − 2/(e^2x + 1) by `ex2.approx` and `rcp.approx` (NVIDIA) | 2⁻¹⁸ |
//! | erf | bf16, f16 | x·P(x²) up to 2.75, where erf is 1 − 2⁻¹³·⁰ and rounds to 1 | 2⁻¹⁶ |
//! | exponential | bf16, f16 | `ex2.approx` of x·log₂e / 2, squared (NVIDIA); that is at most 67, so 2⁻¹⁸ off | 2⁻¹⁶ |
//! | erfc | bf16, f16 | e^(−x²) as above, times P(q)/(1 + |x|), q = 1 − 2/(1 + |x|), mirrored (NVIDIA) | 2⁻¹⁶ |
//! | logistic | bf16, f16 | 1 or e⁻|x|, times `rcp.approx` of 1 + e⁻|x| (NVIDIA) | 2⁻¹⁶ |
//!
//! A division of two values of 16 bits is exact: [`divide`] gives what IEEE 754 says.
//!
//! Worked example: erf 0.5: s = 0.25, P = 1.0410, 0.5205; bf16 0.51953125.

use fornax_graph::ElementType;
use fornax_plan::Unary;

use super::exponential::{at_least, at_most};
use super::polynomial;
use crate::text::{Code, Scalar, Ty, Value, list};

type Emit = fn(&mut Code, Value) -> Value;

/// Below this x − x³/3 is tanh x to 2⁻¹⁸ of it.
const TANH_NEAR: f64 = 0.0625;
/// Where erf is rounded to 1 by 16 bits.
const ERF_END: f64 = 2.75;
/// erf x / x in x² up to [`ERF_END`], least largest relative error (2⁻¹⁷·⁰ before f32 rounds), highest power first.
const ERF: [f64; 9] = [
    7.530_380_230_491_573e-8,
    -3.070_980_255_870_381_4e-6,
    5.614_738_620_352e-5,
    -6.180_810_742_080_212e-4,
    4.667_026_456_445_456e-3,
    -2.608_764_544_129_371_6e-2,
    0.112_268_306_314_945_22,
    -0.375_958_889_722_824_1,
    1.128_370_642_662_048_3,
];

/// e^(x²)·erfc x·(1 + x) in q = 1 − 2/(1 + x) for x ≥ 0, least largest relative error (2⁻¹⁷·¹), highest power first.
const ERFC: [f64; 8] = [
    -0.003_171_400_971_348_366_8,
    -0.003_992_452_000_720_681,
    0.008_817_968_012_538_176,
    0.026_687_597_710_831_29,
    0.014_145_293_382_921_252,
    -0.095_767_733_248_174_04,
    -0.237_698_596_862_615,
    0.855_172_797_320_678_1,
];

/// The form of a function that is enough for results rounded to `element`, where there is a shorter one than that of
/// the library.
pub fn of(code: &Code, op: Unary, element: ElementType) -> Option<Emit> {
    match (op, element) {
        (Unary::Tanh, ElementType::Bf16) if code.tanh_approx => Some(tanh_approx),
        (Unary::Tanh, ElementType::F16) if code.exp2_approx => Some(tanh_by_exp2),
        (Unary::Erf, ElementType::Bf16 | ElementType::F16) => Some(erf),
        (Unary::Exponential, ElementType::Bf16 | ElementType::F16) if code.exp2_approx => Some(exp),
        (Unary::Erfc, ElementType::Bf16 | ElementType::F16) if code.exp2_approx => Some(erfc),
        (Unary::Logistic, ElementType::Bf16 | ElementType::F16) if code.exp2_approx => Some(logistic),
        _ => None,
    }
}

/// A quotient of values of 16 bits, before it is rounded to their type: what it rounds to is the quotient rounded
/// once. `None` where the target divides as fast or the type has no such form.
///
/// A quotient of p-bit values that is no tie lies at least 2^−(2p + 1) of itself from the nearest tie, and a normal one
/// is never a tie (its divisor times p + 1 bits would have to fit in p). So bf16 may be 2⁻¹⁷ off, f16 2⁻²³.
///
/// * bf16: `div.full` is within 2 units of f32 and has the whole range. Where the result is subnormal there are ties:
///   below 2⁻¹²⁷, where f32 has too few bits for the error to show.
/// * f16: a reciprocal and a step of Newton, within 0.51 units. Where an infinity makes the residual NaN, or it is 0,
///   the product is right, also in its sign.
///
/// Worked example: 1/3 in bf16: 0.33333331 or 0.33333334, both 0x3EAB.
pub fn divide(code: &mut Code, element: ElementType, a: Value, b: Value) -> Option<Value> {
    if !code.exp2_approx {
        return None;
    }
    match element {
        ElementType::Bf16 if code.constant_bits(a) == Some(u64::from(1f32.to_bits())) => {
            Some(by_lanes(code, "rcp.approx.f32", &[b]))
        }
        ElementType::Bf16 => Some(by_lanes(code, "div.full.f32", &[a, b])),
        ElementType::F16 => {
            let inverse = by_lanes(code, "rcp.approx.ftz.f32", &[b]);
            let near = code.mul_f(a, inverse);
            let opposite = code.neg_f(b);
            let residual = code.fma(opposite, near, a);
            let corrected = code.fma(residual, inverse, near);
            let differs = code.cmp_fk("one", residual, 0.0);
            Some(code.select(differs, corrected, near))
        }
        _ => None,
    }
}

/// An instruction of f32, lane by lane.
fn by_lanes(code: &mut Code, instruction: &str, operands: &[Value]) -> Value {
    let count = operands.iter().map(|o| o.ty.lanes).max().unwrap_or(1);
    let places: Vec<String> = (0..=operands.len()).map(|at| format!("${at}")).collect();
    let constraints = ",f".repeat(operands.len());
    let types = vec!["f32"; operands.len()].join(", ");
    let text = format!("\"{instruction} {};\", \"=f{constraints}\"", places.join(", "));
    let lanes: Vec<Value> = (0..count)
        .map(|lane| {
            let own: Vec<Value> = operands.iter().map(|&operand| code.extract(operand, lane)).collect();
            let line = format!("llvm.inline_asm asm_dialect = att {text} {} : ({types}) -> f32", list(&own));
            code.pure(Ty::scalar(Scalar::F32), line)
        })
        .collect();
    code.assemble(&lanes)
}

fn tanh_approx(code: &mut Code, x: Value) -> Value {
    by_lanes(code, "tanh.approx.f32", &[x])
}

fn tanh_by_exp2(code: &mut Code, x: Value) -> Value {
    let power = code.mul_k(x, 2.0 * std::f64::consts::LOG2_E);
    let power = by_lanes(code, "ex2.approx.ftz.f32", &[power]);
    let sum = code.add_k(power, 1.0);
    let inverse = by_lanes(code, "rcp.approx.ftz.f32", &[sum]);
    let one = code.float(x.ty, 1.0);
    let far = code.fma_k(inverse, -2.0, one);
    let square = code.mul_f(x, x);
    let ratio = code.fma_k(square, -1.0 / 3.0, one);
    let near = code.mul_f(x, ratio);
    let magnitude = code.abs_f(x);
    let small = code.cmp_fk("olt", magnitude, TANH_NEAR);
    code.select(small, near, far)
}

/// The square of 2^(x·log₂e / 2): results below 2⁻¹²⁶ would else be 0, which of bf16 are not.
fn exp(code: &mut Code, x: Value) -> Value {
    let half = code.mul_k(x, std::f64::consts::LOG2_E / 2.0);
    let root = by_lanes(code, "ex2.approx.ftz.f32", &[half]);
    code.mul_f(root, root)
}

fn erfc(code: &mut Code, x: Value) -> Value {
    let magnitude = code.abs_f(x);
    let sum = code.add_k(magnitude, 1.0);
    let inverse = by_lanes(code, "rcp.approx.ftz.f32", &[sum]);
    let one = code.float(x.ty, 1.0);
    let q = code.fma_k(inverse, -2.0, one);
    let series = polynomial(code, q, &ERFC);
    let scaled = code.mul_f(series, inverse);
    let square = code.mul_f(x, x);
    let opposite = code.neg_f(square);
    let power = exp(code, opposite);
    let far = code.mul_f(power, scaled);
    let two = code.float(x.ty, 2.0);
    let mirrored = code.sub_f(two, far);
    let negative = code.cmp_fk("olt", x, 0.0);
    code.select(negative, mirrored, far)
}

fn logistic(code: &mut Code, x: Value) -> Value {
    let magnitude = code.abs_f(x);
    let opposite = code.neg_f(magnitude);
    let power = exp(code, opposite);
    let sum = code.add_k(power, 1.0);
    let inverse = by_lanes(code, "rcp.approx.ftz.f32", &[sum]);
    let negative = code.cmp_fk("olt", x, 0.0);
    let one = code.float(x.ty, 1.0);
    let numerator = code.select(negative, power, one);
    code.mul_f(numerator, inverse)
}

fn erf(code: &mut Code, x: Value) -> Value {
    let x = if code.nan_extrema {
        let (low, high) = (code.float(x.ty, -ERF_END), code.float(x.ty, ERF_END));
        let x = code.maximum(x, low);
        code.minimum(x, high)
    } else {
        let x = at_least(code, x, -ERF_END);
        at_most(code, x, ERF_END)
    };
    let square = code.mul_f(x, x);
    let ratio = polynomial(code, square, &ERF);
    code.mul_f(x, ratio)
}

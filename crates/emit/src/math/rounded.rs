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
//! | erf | bf16, f16 | x·P(x²) up to 2.75, where erf is 1 − 2⁻¹³·⁰ and rounds to 1 | 2⁻¹⁶ |
//!
//! Worked example: erf 0.5: s = 0.25, P = 1.0410, 0.5205; bf16 0.51953125.

use fornax_graph::ElementType;
use fornax_plan::Unary;

use super::exponential::{at_least, at_most};
use super::polynomial;
use crate::text::{Code, Scalar, Ty, Value};

type Emit = fn(&mut Code, Value) -> Value;

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

/// The form of a function that is enough for results rounded to `element`, where there is a shorter one than that of
/// the library.
pub fn of(code: &Code, op: Unary, element: ElementType) -> Option<Emit> {
    match (op, element) {
        (Unary::Tanh, ElementType::Bf16) if code.tanh_approx => Some(tanh_approx),
        (Unary::Erf, ElementType::Bf16 | ElementType::F16) => Some(erf),
        _ => None,
    }
}

fn tanh_approx(code: &mut Code, x: Value) -> Value {
    let lanes: Vec<Value> = (0..x.ty.lanes)
        .map(|lane| {
            let x = code.extract(x, lane);
            let text = "llvm.inline_asm asm_dialect = att \"tanh.approx.f32 $0, $1;\", \"=f,f\"";
            code.pure(Ty::scalar(Scalar::F32), format!("{text} {x} : (f32) -> f32"))
        })
        .collect();
    code.assemble(&lanes)
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

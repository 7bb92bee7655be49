//! The error function written as a ratio of polynomials becomes erf again.
//!
//! Eigen's formula for f32, which exporters print where a dialect has no erf (torch-mlir, older XLA): erf x =
//! c·A(c²)/B(c²) with c = x cut off at ±4, A of degree 6 and B of degree 4. Kernels then compute erf in their own way,
//! which is shorter where the result is rounded to 16 bits (a gelu), and is nearer to erf (1.25 units; the ratio is
//! several units off): results may change in their last bits. A cut at ±1 behind it goes.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
//!   %cst = stablehlo.constant dense<-4.000000e+00> : tensor<f32>
//!   %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
//!   %cst_1 = stablehlo.constant dense<-2.72614237E-10> : tensor<f32>
//!   %cst_2 = stablehlo.constant dense<2.77068146E-8> : tensor<f32>
//!   %cst_3 = stablehlo.constant dense<-2.10102394E-6> : tensor<f32>
//!   %cst_4 = stablehlo.constant dense<-5.69250624E-5> : tensor<f32>
//!   %cst_5 = stablehlo.constant dense<-7.34990637E-4> : tensor<f32>
//!   %cst_6 = stablehlo.constant dense<-2.954600e-03> : tensor<f32>
//!   %cst_7 = stablehlo.constant dense<-0.0160960332> : tensor<f32>
//!   %cst_8 = stablehlo.constant dense<-1.45660715E-5> : tensor<f32>
//!   %cst_9 = stablehlo.constant dense<-2.13374049E-4> : tensor<f32>
//!   %cst_10 = stablehlo.constant dense<-0.00168282702> : tensor<f32>
//!   %cst_11 = stablehlo.constant dense<-0.00737332925> : tensor<f32>
//!   %cst_12 = stablehlo.constant dense<-0.0142647391> : tensor<f32>
//!   %0 = stablehlo.maximum %arg0, %cst : tensor<f32>
//!   %1 = stablehlo.minimum %0, %cst_0 : tensor<f32>
//!   %2 = stablehlo.multiply %1, %1 : tensor<f32>
//!   %3 = stablehlo.multiply %2, %cst_1 : tensor<f32>
//!   %4 = stablehlo.add %3, %cst_2 : tensor<f32>
//!   %5 = stablehlo.multiply %4, %2 : tensor<f32>
//!   %6 = stablehlo.add %5, %cst_3 : tensor<f32>
//!   %7 = stablehlo.multiply %6, %2 : tensor<f32>
//!   %8 = stablehlo.add %7, %cst_4 : tensor<f32>
//!   %9 = stablehlo.multiply %8, %2 : tensor<f32>
//!   %10 = stablehlo.add %9, %cst_5 : tensor<f32>
//!   %11 = stablehlo.multiply %10, %2 : tensor<f32>
//!   %12 = stablehlo.add %11, %cst_6 : tensor<f32>
//!   %13 = stablehlo.multiply %12, %2 : tensor<f32>
//!   %14 = stablehlo.add %13, %cst_7 : tensor<f32>
//!   %15 = stablehlo.multiply %1, %14 : tensor<f32>
//!   %16 = stablehlo.multiply %2, %cst_8 : tensor<f32>
//!   %17 = stablehlo.add %16, %cst_9 : tensor<f32>
//!   %18 = stablehlo.multiply %17, %2 : tensor<f32>
//!   %19 = stablehlo.add %18, %cst_10 : tensor<f32>
//!   %20 = stablehlo.multiply %19, %2 : tensor<f32>
//!   %21 = stablehlo.add %20, %cst_11 : tensor<f32>
//!   %22 = stablehlo.multiply %21, %2 : tensor<f32>
//!   %23 = stablehlo.add %22, %cst_12 : tensor<f32>
//!   %24 = stablehlo.divide %15, %23 : tensor<f32>
//!   return %24 : tensor<f32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
//!   %0 = chlo.erf %arg0 : tensor<f32> -> tensor<f32>
//!   return %0 : tensor<f32>
//! }
//! ```

use fornax_graph::{ElementType, Graph, OpId, OpKind, ValueId};

use super::Options;
use super::constants::splat_of;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

/// A and B, highest power first.
const NUMERATOR: &[f32] =
    &[-2.726_142_4e-10, 2.770_681_4e-8, -2.101_024e-6, -5.692_506_2e-5, -7.349_906_4e-4, -2.9546e-3, -1.609_603_3e-2];
const DENOMINATOR: &[f32] = &[-1.456_607_1e-5, -2.133_740_5e-4, -1.682_827e-3, -7.373_329_2e-3, -1.426_473_9e-2];
/// The argument is cut off here.
const END: f64 = 4.0;
/// Printed constants may be a unit off.
const TOLERANCE: f64 = 4e-7;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        let rewrite = match rw.kind(id) {
            OpKind::Divide => ratio(rw, id),
            OpKind::Maximum | OpKind::Minimum => cut(rw, id),
            _ => None,
        };
        Ok(rewrite.unwrap_or(Rewrite::Keep))
    })
}

fn ratio(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (numerator, denominator) = (rw.operand(id, 0)?, rw.operand(id, 1)?);
    if rw.tensor(numerator)?.element != ElementType::F32 {
        return None;
    }
    let (a, b) = factors(rw, numerator)?;
    let (c, series) = if bounded(rw, a).is_some() { (a, b) } else { (b, a) };
    let x = bounded(rw, c)?;
    let square = square_in(rw, denominator, c)?;
    let fits = horner(rw, series, square, NUMERATOR) && horner(rw, denominator, square, DENOMINATOR);
    fits.then(|| Rewrite::with(rw.unary(OpKind::ChloErf, x)))
}

/// max(erf x, −1), min(erf x, 1).
fn cut(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (value, bound) = (rw.operand(id, 0)?, rw.operand(id, 1)?);
    rw.made_by(value, OpKind::ChloErf)?;
    let bound = splat_of(rw.graph, bound)?.as_f64();
    let outside = if rw.kind(id) == OpKind::Maximum { bound <= -1.0 } else { bound >= 1.0 };
    outside.then(|| Rewrite::with(value))
}

/// The two factors of a product.
fn factors(rw: &Rewriter, value: ValueId) -> Option<(ValueId, ValueId)> {
    let op = rw.made_by(value, OpKind::Multiply)?;
    Some((rw.operand(op, 0)?, rw.operand(op, 1)?))
}

/// x of a value that is x cut off at ±[`END`], in either order.
fn bounded(rw: &Rewriter, value: ValueId) -> Option<ValueId> {
    let outer = rw.graph.producer(value)?;
    let (first, last) = match rw.kind(outer) {
        OpKind::Minimum => (-END, END),
        OpKind::Maximum => (END, -END),
        _ => return None,
    };
    let inner_kind = if rw.kind(outer) == OpKind::Minimum { OpKind::Maximum } else { OpKind::Minimum };
    let inner = rw.made_by(rw.operand(outer, 0)?, inner_kind)?;
    let at = |op: OpId| Some(splat_of(rw.graph, rw.operand(op, 1)?)?.as_f64());
    (at(inner)? == first && at(outer)? == last).then(|| rw.operand(inner, 0)).flatten()
}

/// The square of `c` that the last step of a Horner scheme multiplies by.
fn square_in(rw: &Rewriter, series: ValueId, c: ValueId) -> Option<ValueId> {
    let sum = rw.made_by(series, OpKind::Add)?;
    let (a, b) = factors(rw, rw.operand(sum, 0)?)?;
    [a, b].into_iter().find(|&v| factors(rw, v) == Some((c, c)))
}

/// Is the value ((k₀·s + k₁)·s + …) + kₙ?
fn horner(rw: &Rewriter, value: ValueId, square: ValueId, coefficients: &[f32]) -> bool {
    let Some((&last, before)) = coefficients.split_last() else { return false };
    let near = |v: ValueId, k: f32| {
        let found = splat_of(rw.graph, v).map(|s| s.as_f64());
        found.is_some_and(|found| (found - f64::from(k)).abs() <= TOLERANCE * f64::from(k).abs())
    };
    if before.is_empty() {
        return near(value, last);
    }
    let step = || {
        let sum = rw.made_by(value, OpKind::Add)?;
        let (a, b) = factors(rw, rw.operand(sum, 0)?)?;
        let rest = if b == square { a } else { b };
        Some((a == square || b == square, rest, rw.operand(sum, 1)?))
    };
    step().is_some_and(|(scaled, rest, constant)| scaled && near(constant, last) && horner(rw, rest, square, before))
}

//! Powers by small whole constants become products: an exponential and a logarithm less (x³ of tanh's gelu, cubes of a
//! cost).
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<4xbf16>, %arg1: tensor<4xi32>) -> (tensor<4xbf16>, tensor<4xi32>) {
//!   %cst = stablehlo.constant dense<3.000000e+00> : tensor<4xbf16>
//!   %c = stablehlo.constant dense<5> : tensor<4xi32>
//!   %0 = stablehlo.power %arg0, %cst : tensor<4xbf16>
//!   %1 = stablehlo.power %arg1, %c : tensor<4xi32>
//!   return %0, %1 : tensor<4xbf16>, tensor<4xi32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<4xbf16>, %arg1: tensor<4xi32>) -> (tensor<4xbf16>, tensor<4xi32>) {
//!   %0 = stablehlo.convert %arg0 : (tensor<4xbf16>) -> tensor<4xf32>
//!   %1 = stablehlo.multiply %0, %0 : tensor<4xf32>
//!   %2 = stablehlo.multiply %1, %0 : tensor<4xf32>
//!   %3 = stablehlo.convert %2 : (tensor<4xf32>) -> tensor<4xbf16>
//!   %4 = stablehlo.multiply %arg1, %arg1 : tensor<4xi32>
//!   %5 = stablehlo.multiply %4, %4 : tensor<4xi32>
//!   %6 = stablehlo.multiply %5, %arg1 : tensor<4xi32>
//!   return %3, %6 : tensor<4xbf16>, tensor<4xi32>
//! }
//! ```
//!
//! Accuracy: x² is rounded once. x³ of f32 and f64 is rounded twice, which is 1.5 units at most, the bound of `power`
//! (`docs/understand/math.md`); higher powers of them would exceed it and stay. f16 and bf16 are multiplied in f32 and
//! rounded once more. Integers wrap in any order. No product overflows, or is subnormal, where the power is neither:
//! factors above 1 only grow, others only shrink, and a subnormal product times what it was made of is 0 in the
//! narrower type.

use fornax_graph::{Class, ElementType, Graph, OpId, OpKind, ValueId};

use super::Options;
use super::constants::splat_of;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

/// Exponents of integers and of 16-bit floats, at most: three products.
const MOST: i64 = 8;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        let rewrite = (rw.kind(id) == OpKind::Power).then(|| power(rw, id)).flatten();
        Ok(rewrite.unwrap_or(Rewrite::Keep))
    })
}

fn power(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (x, exponent) = (rw.operand(id, 0)?, rw.operand(id, 1)?);
    let element = rw.tensor(x)?.element;
    let constant = splat_of(rw.graph, exponent)?;
    let (n, most) = match (element.class(), element) {
        (Class::SignedInteger | Class::UnsignedInteger, _) => (i64::try_from(constant.as_int()).ok()?, MOST),
        (_, ElementType::F16 | ElementType::Bf16) => (whole(constant.as_f64())?, MOST),
        (_, ElementType::F32 | ElementType::F64) => (whole(constant.as_f64())?, 3),
        _ => return None,
    };
    if !(2..=most).contains(&n) {
        return None;
    }
    let wide = if matches!(element, ElementType::F16 | ElementType::Bf16) { ElementType::F32 } else { element };
    let base = rw.convert(x, wide);
    let product = product(rw, base, n);
    Some(Rewrite::with(rw.convert(product, element)))
}

fn whole(exponent: f64) -> Option<i64> {
    (exponent.fract() == 0.0 && exponent.abs() <= MOST as f64).then_some(exponent as i64)
}

/// xⁿ by squaring, for n ≥ 1.
fn product(rw: &mut Rewriter, x: ValueId, n: i64) -> ValueId {
    if n == 1 {
        return x;
    }
    let half = product(rw, x, n / 2);
    let even = rw.binary(OpKind::Multiply, half, half);
    if n % 2 == 0 { even } else { rw.binary(OpKind::Multiply, even, x) }
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print};
    use super::*;

    /// The body after the pass, of `%x` to the power of a constant.
    fn after(exponent: &str, element: &str) -> String {
        let ty = format!("tensor<3x{element}>");
        let mut graph = import(&format!(
            "func.func @main(%x: {ty}) -> {ty} {{
               %c = stablehlo.constant dense<{exponent}> : {ty}
               %0 = stablehlo.power %x, %c : {ty}
               return %0 : {ty}
             }}"
        ));
        run(&mut graph, &Options::default()).unwrap();
        print(&graph)
    }

    #[test]
    fn only_what_stays_within_the_bound_becomes_a_product() {
        let table = [
            ("2.0", "f32", 1),
            ("3.0", "f32", 2),
            ("3.0", "f64", 2),
            ("4.0", "f32", 0),
            ("2.5", "bf16", 0),
            ("-1.0", "f16", 0),
            ("8.0", "f16", 3),
            ("9.0", "bf16", 0),
            ("7", "ui8", 4),
            ("-3", "i32", 0),
            ("3.0", "f8E5M2", 0),
        ];
        for (exponent, element, products) in table {
            let text = after(exponent, element);
            assert_eq!(text.matches("stablehlo.multiply").count(), products, "{exponent} {element}: {text}");
            assert_eq!(text.contains("stablehlo.power"), products == 0, "{exponent} {element}: {text}");
        }
    }
}

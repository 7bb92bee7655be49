//! Arithmetic whose result is one of its operands, or a cheaper op on them, to the last bit.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
//!   %cst = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
//!   %0 = stablehlo.maximum %cst, %arg0 : tensor<4xf32>
//!   %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
//!   %1 = stablehlo.multiply %0, %cst_0 : tensor<4xf32>
//!   %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<4xf32>
//!   %2 = stablehlo.divide %1, %cst_1 : tensor<4xf32>
//!   %3 = stablehlo.negate %2 : tensor<4xf32>
//!   %4 = stablehlo.negate %3 : tensor<4xf32>
//!   return %4 : tensor<4xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
//!   %cst = stablehlo.constant dense<1.250000e-01> : tensor<4xf32>
//!   %0 = stablehlo.multiply %arg0, %cst : tensor<4xf32>
//!   return %0 : tensor<4xf32>
//! }
//! ```
//!
//! Kept, because a bit could change: `x + 0.0` (−0), `x * 0.0` and `x − x` (NaN, infinity) of floats, anything
//! of complex numbers. Constants move to the right of commutative ops, so that equal ops look equal.

use fornax_graph::ops::{self, Trait};
use fornax_graph::{Class, ElementType, Graph, OpId, OpKind, ValueId};
use fornax_reference::Scalar;

use super::Options;
use super::constants::{constant_of, splat_of};
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        if !ops::row(rw.kind(id)).has(Trait::Elementwise) {
            return Ok(Rewrite::Keep);
        }
        let swapped = constant_right(rw, id);
        let folded = match rw.graph.op(id).operands.len() {
            1 => unary(rw, id),
            2 => binary(rw, id),
            _ => None,
        };
        let otherwise = if swapped { Rewrite::Edited } else { Rewrite::Keep };
        Ok(folded.unwrap_or(otherwise))
    })
}

/// Swaps the operands of a commutative op when only the left one is constant.
fn constant_right(rw: &mut Rewriter, id: OpId) -> bool {
    let op = rw.graph.op(id);
    let &[a, b] = &op.operands[..] else { return false };
    let constant = |v| constant_of(rw.graph, v).is_some();
    let swap = ops::row(op.kind).has(Trait::Commutative) && constant(a) && !constant(b);
    if swap {
        rw.graph.op_mut(id).operands.swap(0, 1);
    }
    swap
}

fn unary(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (kind, x) = (rw.kind(id), rw.operand(id, 0)?);
    let inner = rw.graph.producer(x)?;
    let inner_kind = rw.kind(inner);
    match (kind, inner_kind) {
        (OpKind::Negate, OpKind::Negate) | (OpKind::Not, OpKind::Not) => rw.operand(inner, 0).map(Rewrite::with),
        // |−x| of complex numbers too.
        (OpKind::Abs, OpKind::Negate) => {
            let y = rw.operand(inner, 0)?;
            rw.graph.op_mut(id).operands = vec![y];
            Some(Rewrite::Edited)
        }
        (OpKind::Abs, OpKind::Abs)
        | (OpKind::Floor, OpKind::Floor)
        | (OpKind::Ceil, OpKind::Ceil)
        | (OpKind::RoundNearestEven, OpKind::RoundNearestEven)
        | (OpKind::RoundNearestAfz, OpKind::RoundNearestAfz)
        | (OpKind::Sign, OpKind::Sign) => Some(Rewrite::with(x)),
        _ => None,
    }
}

fn binary(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (kind, a, b) = (rw.kind(id), rw.operand(id, 0)?, rw.operand(id, 1)?);
    let element = rw.tensor(a)?.element;
    if a == b
        && let Some(rewrite) = with_itself(rw, kind, a, element)
    {
        return Some(rewrite);
    }
    let constant = splat_of(rw.graph, b)?;
    match element.class() {
        Class::Float => with_float(rw, kind, a, constant.as_f64(), element),
        Class::SignedInteger | Class::UnsignedInteger | Class::Boolean => {
            with_integer(rw, kind, [a, b], constant.as_int(), element)
        }
        Class::Complex | Class::Quantized => None,
    }
}

fn with_itself(rw: &mut Rewriter, kind: OpKind, x: ValueId, element: ElementType) -> Option<Rewrite> {
    let whole = element.is_integer();
    match kind {
        OpKind::And | OpKind::Or => Some(Rewrite::with(x)),
        OpKind::Maximum | OpKind::Minimum if !element.is_quantized() => Some(Rewrite::with(x)),
        OpKind::Subtract | OpKind::Xor if whole || element == ElementType::I1 && kind == OpKind::Xor => {
            rw.sizes(x)?;
            Some(Rewrite::with(rw.int_like(x, 0)))
        }
        _ => None,
    }
}

/// `x op c` of floats.
fn with_float(rw: &mut Rewriter, kind: OpKind, x: ValueId, c: f64, element: ElementType) -> Option<Rewrite> {
    let same = match kind {
        OpKind::Add => c == 0.0 && c.is_sign_negative(),
        OpKind::Subtract => c == 0.0 && c.is_sign_positive(),
        OpKind::Multiply | OpKind::Divide | OpKind::Power => c == 1.0,
        OpKind::Maximum => c == f64::NEG_INFINITY,
        OpKind::Minimum => c == f64::INFINITY,
        _ => false,
    };
    if same {
        return Some(Rewrite::with(x));
    }
    match kind {
        OpKind::Multiply if c == -1.0 => Some(Rewrite::with(rw.unary(OpKind::Negate, x))),
        OpKind::Divide => {
            let inverse = exact_inverse(c, element)?;
            let inverse = rw.float_like(x, inverse);
            Some(Rewrite::with(rw.binary(OpKind::Multiply, x, inverse)))
        }
        _ => None,
    }
}

/// `1/c` when both are powers of two that the type holds exactly: then the product rounds as the quotient does.
fn exact_inverse(c: f64, element: ElementType) -> Option<f64> {
    const MANTISSA: u64 = (1 << 52) - 1;
    let inverse = 1.0 / c;
    let power = c.is_normal() && inverse.is_normal() && c.to_bits() & MANTISSA == 0;
    (power && Scalar::Float(inverse).convert(element) == Scalar::Float(inverse)).then_some(inverse)
}

/// `x op c` of integers and truth values.
fn with_integer(
    rw: &mut Rewriter,
    kind: OpKind,
    [x, b]: [ValueId; 2],
    c: i128,
    element: ElementType,
) -> Option<Rewrite> {
    let bits = element.bits();
    let (least, most, all_ones) = match element.class() {
        Class::SignedInteger => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1, -1),
        _ => (0, (1i128 << bits) - 1, (1i128 << bits) - 1),
    };
    let same = match kind {
        OpKind::Add if element == ElementType::I1 => c == 0,
        OpKind::Add
        | OpKind::Subtract
        | OpKind::Or
        | OpKind::Xor
        | OpKind::ShiftLeft
        | OpKind::ShiftRightArithmetic
        | OpKind::ShiftRightLogical => c == 0,
        OpKind::Multiply | OpKind::Divide | OpKind::Power => c == 1,
        OpKind::And => c == all_ones,
        OpKind::Maximum => c == least,
        OpKind::Minimum => c == most,
        _ => false,
    };
    if same {
        return Some(Rewrite::with(x));
    }
    let constant = match kind {
        OpKind::Multiply | OpKind::And => c == 0,
        OpKind::Or => c == all_ones,
        OpKind::Maximum => c == most,
        OpKind::Minimum => c == least,
        _ => false,
    };
    if constant {
        return Some(Rewrite::with(b));
    }
    match kind {
        OpKind::Xor if c == all_ones => Some(Rewrite::with(rw.unary(OpKind::Not, x))),
        OpKind::Remainder if c == 1 && element.is_integer() => {
            rw.sizes(x)?;
            Some(Rewrite::with(rw.int_like(x, 0)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print};
    use super::*;

    /// The body after the pass and without unused ops, for `%0 = stablehlo.<op> %x, <constant>`.
    fn after(op: &str, constant: &str, ty: &str) -> String {
        let mut graph = import(&format!(
            "func.func @main(%x: {ty}) -> {ty} {{
               %c = stablehlo.constant dense<{constant}> : {ty}
               %0 = stablehlo.{op} %x, %c : {ty}
               return %0 : {ty}
             }}"
        ));
        run(&mut graph, &Options::default()).unwrap();
        super::super::erase_unused::run(&mut graph, &Options::default()).unwrap();
        print(&graph)
    }

    #[test]
    fn only_what_keeps_every_bit_folds() {
        const F: &str = "tensor<4xf32>";
        const I: &str = "tensor<4xi32>";
        let table = [
            ("add", "0.0", F, true),
            ("add", "-0.0", F, false),
            ("subtract", "0.0", F, false),
            ("subtract", "-0.0", F, true),
            ("multiply", "0.0", F, true),
            ("multiply", "1.0", F, false),
            ("divide", "3.0", F, true),
            ("maximum", "0xFF800000", F, false),
            ("minimum", "0xFF800000", F, true),
            ("add", "0", I, false),
            ("multiply", "0", I, false),
            ("remainder", "1", I, false),
            ("maximum", "-2147483648", I, false),
            ("and", "-1", I, false),
            ("and", "1", I, true),
        ];
        for (op, constant, ty, stays) in table {
            let text = after(op, constant, ty);
            assert_eq!(text.contains(&format!("stablehlo.{op}")), stays, "{op} {constant}: {text}");
        }
    }

    #[test]
    fn a_quotient_by_a_power_of_two_is_a_product() {
        assert!(after("divide", "4.0", "tensor<4xf32>").contains("2.500000e-01"));
        assert!(after("divide", "65536.0", "tensor<4xf32>").contains("multiply"));
        // 2^-126 has an inverse in f32, 2^-128 has none.
        assert!(after("divide", "0x00200000", "tensor<4xf32>").contains("divide"));
    }
}

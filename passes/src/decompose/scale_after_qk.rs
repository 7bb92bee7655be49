//! Factors of queries and keys go behind the product: kernels multiply 16-bit elements as they lie, and scale scores.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<9x8xbf16>, %arg1: tensor<9x8xbf16>, %arg2: tensor<9x8xbf16>) -> tensor<9x8xf32> {
//!   %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
//!   %1 = stablehlo.constant dense<0.0> : tensor<f32>
//!   %2 = stablehlo.constant dense<0.5> : tensor<9x8xf32>
//!   %3 = stablehlo.convert %arg0 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!   %4 = stablehlo.multiply %3, %2 : tensor<9x8xf32>
//!   %5 = stablehlo.convert %arg1 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!   %6 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [1] :
//!     (tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<9x9xf32>
//!   %7 = stablehlo.reduce(%6 init: %0) applies stablehlo.maximum across dimensions = [1] :
//!     (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!   %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!   %9 = stablehlo.subtract %6, %8 : tensor<9x9xf32>
//!   %10 = stablehlo.exponential %9 : tensor<9x9xf32>
//!   %11 = stablehlo.reduce(%10 init: %1) applies stablehlo.add across dimensions = [1] :
//!     (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!   %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!   %13 = stablehlo.divide %10, %12 : tensor<9x9xf32>
//!   %14 = stablehlo.convert %arg2 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!   %15 = stablehlo.dot_general %13, %14, contracting_dims = [1] x [0] :
//!     (tensor<9x9xf32>, tensor<9x8xf32>) -> tensor<9x8xf32>
//!   return %15 : tensor<9x8xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<9x8xbf16>, %arg1: tensor<9x8xbf16>, %arg2: tensor<9x8xbf16>) -> tensor<9x8xf32> {
//!   %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
//!   %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!   %2 = stablehlo.constant dense<5.000000e-01> : tensor<9x8xf32>
//!   %3 = stablehlo.convert %arg0 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!   %4 = stablehlo.multiply %3, %2 : tensor<9x8xf32>
//!   %5 = stablehlo.convert %arg1 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!   %6 = stablehlo.dot_general %3, %5, contracting_dims = [1] x [1] :
//!       (tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<9x9xf32>
//!   %7 = stablehlo.constant dense<5.000000e-01> : tensor<9x9xf32>
//!   %8 = stablehlo.multiply %6, %7 : tensor<9x9xf32>
//!   %9 = stablehlo.reduce(%8 init: %0) applies stablehlo.maximum across dimensions = [1] :
//!       (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!   %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!   %11 = stablehlo.subtract %8, %10 : tensor<9x9xf32>
//!   %12 = stablehlo.exponential %11 : tensor<9x9xf32>
//!   %13 = stablehlo.reduce(%12 init: %1) applies stablehlo.add across dimensions = [1] :
//!       (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!   %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!   %15 = stablehlo.divide %12, %14 : tensor<9x9xf32>
//!   %16 = stablehlo.convert %arg2 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!   %17 = stablehlo.dot_general %15, %16, contracting_dims = [1] x [0] :
//!       (tensor<9x9xf32>, tensor<9x8xf32>) -> tensor<9x8xf32>
//!   return %17 : tensor<9x8xf32>
//! }
//! ```
//!
//! Input: an attention that was found (`facts::attention`), whose queries or keys are multiplied or divided by a
//! constant before the product (`scaled_dot_product_attention` as torch.export decomposes it: both by the square root
//! of the scale; Keras and Flax: queries by all of it). Output: the product of the elements as they are, in f32,
//! multiplied by the constants there. A score is rounded no more often than before, and the kernel of the product reads
//! what is stored instead of a scaled copy.
//!
//! Worked example: `dot(convert(q) * 0.25, transpose(convert(k)) / 2)` is `dot(convert(q), transpose(convert(k)))`, by
//! 0.25, by 0.5. `dot(q * 0.125, k)` of bf16 is `convert(dot(q, k) * 0.125)`, dot and multiplication being of f32.

use fornax_graph::{ElementType, Graph, OpId, OpKind, TensorType, Type, ValueId};
use fornax_reference::Scalar;

use super::Site;
use super::insert::{copy_of, replace_op};
use crate::rewrite::Rewriter;
use crate::errors::PassError;
use crate::facts::ops::{splat_bits, tensor};
use crate::facts::pattern::{is_narrow, is_taken, splat_source};
use crate::facts::scalar::float_of;

/// Factors that are moved are at least this, and at most its inverse: products must not leave the range of f32 for it.
const SMALLEST: f64 = 1e-4;

/// Moves the factors of `product`, if it is the score product of an attention.
pub(super) fn run(graph: &mut Graph, product: OpId, site: &Site) -> Result<(), PassError> {
    if !site.attention.iter().any(|found| found.claimed.contains(&product) && product != found.hero) {
        return Ok(());
    }
    let score = graph.op(product).results[0];
    let ty = tensor(graph, score)?.clone();
    if !is_taken(ty.element) {
        return Ok(());
    }
    let mut factors = Vec::new();
    for at in 0..2 {
        let Some((moves, scaling)) = behind_moves(graph, graph.op(product).operands[at]) else { continue };
        let Some((mut value, factor)) = value_and_factor(graph, scaling) else { continue };
        for &op in moves.iter().rev() {
            let mut copy = copy_of(graph, op);
            copy.operands[0] = value;
            value = Rewriter::before(graph, product).put(copy);
        }
        graph.op_mut(product).operands[at] = value;
        factors.push(factor);
    }
    if factors.is_empty() {
        return Ok(());
    }
    let wide = TensorType { element: ElementType::F32, ..ty.clone() };
    let mut rewriter = Rewriter::before(graph, product);
    let mut new = copy_of(rewriter.graph, product);
    new.result_types = vec![Type::Tensor(wide.clone())];
    let mut value = rewriter.put(new);
    for factor in factors {
        let factor = rewriter.splat(&wide, Scalar::Float(factor));
        value = rewriter.binary(OpKind::Multiply, value, factor);
    }
    if ty.element != ElementType::F32 {
        value = rewriter.convert(value, ty.element);
    }
    replace_op(graph, site.entry, product, &[value]);
    Ok(())
}

/// The moves and widenings before an operand of a product, last first, and the multiplication or division before them.
fn behind_moves(graph: &Graph, mut value: ValueId) -> Option<(Vec<OpId>, OpId)> {
    let mut moves = Vec::new();
    loop {
        let op = graph.producer(value)?;
        let from = *graph.op(op).operands.first()?;
        match graph.op(op).kind {
            OpKind::Multiply | OpKind::Divide => return Some((moves, op)),
            OpKind::Transpose | OpKind::Reshape | OpKind::BroadcastInDim => moves.push(op),
            OpKind::Convert if is_narrow(graph.ty(from).as_tensor()?.element) => moves.push(op),
            _ => return None,
        }
        value = from;
    }
}

/// What is scaled by a constant that f32 holds with ease, and by which factor.
fn value_and_factor(graph: &Graph, scaling: OpId) -> Option<(ValueId, f64)> {
    let data = graph.op(scaling);
    let &[a, b] = data.operands.as_slice() else { return None };
    let constant = |v: ValueId| {
        let constant = splat_source(graph, v)?;
        float_of(graph.ty(constant).as_tensor()?.element, splat_bits(graph, constant)?)
    };
    let (value, factor) = match (constant(a), constant(b)) {
        (None, Some(divisor)) if data.kind == OpKind::Divide => (a, 1.0 / divisor),
        (None, Some(factor)) => (a, factor),
        (Some(factor), None) if data.kind == OpKind::Multiply => (b, factor),
        _ => return None,
    };
    let usable = is_taken(graph.ty(value).as_tensor()?.element) && (SMALLEST..1.0 / SMALLEST).contains(&factor.abs());
    usable.then_some((value, factor))
}

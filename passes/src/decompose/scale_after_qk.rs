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
//! Input: an attention that was found (`facts::attention`), whose queries or keys are 16-bit floats, widened to f32 and
//! multiplied by a constant before the product (`scaled_dot_product_attention` as torch.export decomposes it: both by
//! the square root of the scale). Output: the product of the widened elements, multiplied by the constants. Products of
//! 16-bit elements are exact in f32, so a score is rounded less often than before; products of f32 operands, which
//! would cost six times as much, are left alone, for their factors are rounded once either way.
//!
//! Worked example: `dot(convert(q) * 0.25, transpose(convert(k)) * 0.5)` is `dot(convert(q), transpose(convert(k))) *
//! 0.25 * 0.5`.

use fornax_graph::{Constant, ElementType, Graph, NewOp, OpId, OpKind, Type, ValueId};

use super::Site;
use super::insert::replace;
use crate::rewrite::Rewriter;
use crate::errors::PassError;
use crate::facts::ops::{splat_bits, tensor};
use crate::facts::pattern::{is_narrow, splat_source};

/// Moves the factors of `product`, if it is the score product of an attention.
pub(super) fn run(graph: &mut Graph, product: OpId, site: &Site) -> Result<(), PassError> {
    if !site.attention.iter().any(|found| found.claimed.contains(&product) && product != found.hero) {
        return Ok(());
    }
    let score = graph.op(product).results[0];
    if tensor(graph, score)?.element != ElementType::F32 {
        return Ok(());
    }
    let mut factors = Vec::new();
    for at in 0..2 {
        let Some((moves, multiply)) = behind_moves(graph, graph.op(product).operands[at]) else { continue };
        let Some((mut value, factor)) = widened_and_factor(graph, multiply) else { continue };
        for &op in moves.iter().rev() {
            let mut copy = copy_of(graph, op);
            copy.operands[0] = value;
            value = Rewriter::before(graph, product).put(copy);
        }
        graph.op_mut(product).operands[at] = value;
        factors.push(factor);
    }
    // Behind the product: what read it reads the last multiplication.
    let (ty, location) = (tensor(graph, score)?.clone(), graph.op(product).location);
    let block = graph.op(product).block;
    let mut place = graph.block(block).ops.iter().position(|&o| o == product).unwrap_or(0) + 1;
    let mut scaled = Vec::new();
    for bits in factors {
        let constant = graph.add_constant(Constant::splat(ty.clone(), bits.to_le_bytes()[..4].to_vec()));
        let constant = NewOp::new(OpKind::Constant, Vec::new(), vec![Type::Tensor(ty.clone())], location)
            .attr("value", fornax_graph::Attr::Dense(constant));
        let constant = graph.insert_op(block, place, constant);
        let factor = graph.op(constant).results[0];
        let multiply = NewOp::new(OpKind::Multiply, vec![factor, factor], vec![Type::Tensor(ty.clone())], location);
        scaled.push((graph.insert_op(block, place + 1, multiply), factor));
        place += 2;
    }
    let Some(&(last, _)) = scaled.last() else { return Ok(()) };
    replace(graph, site.entry, &[(score, graph.op(last).results[0])]);
    let mut value = score;
    for (multiply, factor) in scaled {
        graph.op_mut(multiply).operands = vec![value, factor];
        value = graph.op(multiply).results[0];
    }
    Ok(())
}

/// The moves before an operand of a product, last first, and the multiplication before them.
fn behind_moves(graph: &Graph, mut value: ValueId) -> Option<(Vec<OpId>, OpId)> {
    let mut moves = Vec::new();
    loop {
        let op = graph.producer(value)?;
        match graph.op(op).kind {
            OpKind::Multiply => return Some((moves, op)),
            OpKind::Transpose | OpKind::Reshape | OpKind::BroadcastInDim => moves.push(op),
            _ => return None,
        }
        value = *graph.op(op).operands.first()?;
    }
}

/// What a multiplication scales, if that is 16-bit floats widened to f32, and the constant's bits.
fn widened_and_factor(graph: &Graph, multiply: OpId) -> Option<(ValueId, u64)> {
    let &[a, b] = graph.op(multiply).operands.as_slice() else { return None };
    let factor = |v: ValueId| splat_source(graph, v).and_then(|v| splat_bits(graph, v));
    let (value, bits) = match (factor(a), factor(b)) {
        (None, Some(bits)) => (a, bits),
        (Some(bits), None) => (b, bits),
        _ => return None,
    };
    let mut at = value;
    loop {
        let data = graph.op(graph.producer(at)?);
        let from = *data.operands.first()?;
        match data.kind {
            OpKind::Transpose | OpKind::Reshape | OpKind::BroadcastInDim => at = from,
            OpKind::Convert => {
                let narrow = graph.ty(from).as_tensor().is_some_and(|ty| is_narrow(ty.element));
                return narrow.then_some((value, bits));
            }
            _ => return None,
        }
    }
}

fn copy_of(graph: &Graph, op: OpId) -> NewOp {
    let data = graph.op(op).clone();
    let types = data.results.iter().map(|&r| graph.ty(r).clone()).collect();
    let mut new = NewOp::new(data.kind, data.operands, types, data.location);
    new.attrs = data.attrs;
    new
}

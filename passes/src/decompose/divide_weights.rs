//! Weights are divided by their sum before they meet the values, where the ops divide after: attention as it is found.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<9x8xf32>, %arg1: tensor<9x8xf32>, %arg2: tensor<9x8xf32>) -> tensor<9x8xf32> {
//!   %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
//!   %1 = stablehlo.constant dense<0.0> : tensor<f32>
//!   %2 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1] :
//!     (tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<9x9xf32>
//!   %3 = stablehlo.reduce(%2 init: %0) applies stablehlo.maximum across dimensions = [1] :
//!     (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!   %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!   %5 = stablehlo.subtract %2, %4 : tensor<9x9xf32>
//!   %6 = stablehlo.exponential %5 : tensor<9x9xf32>
//!   %7 = stablehlo.reduce(%6 init: %1) applies stablehlo.add across dimensions = [1] :
//!     (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!   %8 = stablehlo.dot_general %6, %arg2, contracting_dims = [1] x [0] :
//!     (tensor<9x9xf32>, tensor<9x8xf32>) -> tensor<9x8xf32>
//!   %9 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<9xf32>) -> tensor<9x8xf32>
//!   %10 = stablehlo.divide %8, %9 : tensor<9x8xf32>
//!   return %10 : tensor<9x8xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<9x8xf32>, %arg1: tensor<9x8xf32>, %arg2: tensor<9x8xf32>) -> tensor<9x8xf32> {
//!   %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
//!   %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!   %2 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1] :
//!       (tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<9x9xf32>
//!   %3 = stablehlo.reduce(%2 init: %0) applies stablehlo.maximum across dimensions = [1] :
//!       (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!   %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!   %5 = stablehlo.subtract %2, %4 : tensor<9x9xf32>
//!   %6 = stablehlo.exponential %5 : tensor<9x9xf32>
//!   %7 = stablehlo.reduce(%6 init: %1) applies stablehlo.add across dimensions = [1] :
//!       (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!   %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!   %9 = stablehlo.divide %6, %8 : tensor<9x9xf32>
//!   %10 = stablehlo.dot_general %9, %arg2, contracting_dims = [1] x [0] :
//!       (tensor<9x9xf32>, tensor<9x8xf32>) -> tensor<9x8xf32>
//!   return %10 : tensor<9x8xf32>
//! }
//! ```
//!
//! Input: a product of exponentials of a product with values, whose result, perhaps converted, is read by one division
//! by the sum of those exponentials. Output: the product of the quotients. A sum of 0 gives NaN either way.
//!
//! Worked example: the above, of 9 queries, keys and values.

use fornax_graph::{Graph, OpId, OpKind, ValueId};
use fornax_plan::Binary;
use fornax_plan::index::Indices;

use super::Site;
use super::insert::{copy_of, replace_op};
use crate::errors::PassError;
use crate::facts::ops::tensor;
use crate::facts::pattern::{folded, operand_indices, operands_of, score_product, source};
use crate::facts::sizes::sizes;
use crate::rewrite::Rewriter;

/// Divides before `product` what is divided after it.
pub(super) fn run(graph: &mut Graph, product: OpId, site: &Site) -> Result<(), PassError> {
    let Some(division) = division_after(graph, product, site) else { return Ok(()) };
    for at in 0..2 {
        let Some((exponential, sum)) = sum_of_weights(graph, (product, at), division)? else { continue };
        let Some(&[dimension]) = graph.producer(sum).map(|op| dims_of(graph, op)).as_deref() else { continue };
        let operand = graph.op(product).operands[at];
        let Some(moves) = moves_from(graph, operand, exponential) else { continue };
        let (ty, divisor) = (tensor(graph, exponential)?.clone(), tensor(graph, sum)?.element);
        let wide = tensor(graph, graph.op(division).results[0])?.element;
        let mut rewriter = Rewriter::before(graph, division);
        let kept: Vec<usize> = (0..ty.shape.len()).filter(|d| *d != dimension).collect();
        let all = rewriter.broadcast(sum, &kept, &ty.shape);
        let above = rewriter.convert(exponential, divisor);
        let quotient = rewriter.binary(OpKind::Divide, above, all);
        let mut value = rewriter.convert(quotient, ty.element);
        for &op in moves.iter().rev() {
            let mut copy = copy_of(rewriter.graph, op);
            copy.operands[0] = value;
            value = rewriter.put(copy);
        }
        // The sum may be behind the product, and is before the division.
        let mut new = copy_of(rewriter.graph, product);
        new.operands[at] = value;
        let mean = rewriter.put(new);
        let widened = rewriter.convert(mean, wide);
        let [undivided, below] = [0, 1].map(|at| graph.op(division).operands[at]);
        replace_op(graph, site.entry, division, &[widened]);
        drop_round_trips(graph, (mean, widened), site);
        // What nobody reads any more would read exponentials and sum besides the attention.
        let ends = [exponential, sum, mean];
        for value in [undivided, below, operand, widened] {
            erase_unused(graph, value, &ends, site);
        }
        return Ok(());
    }
    Ok(())
}

/// What is widened for the division alone is read as the product gives it.
fn drop_round_trips(graph: &mut Graph, (mean, widened): (ValueId, ValueId), site: &Site) {
    let mut back = Vec::new();
    graph.walk(site.entry, &mut |op| {
        let data = graph.op(op);
        let same = data.results.first().is_some_and(|r| graph.ty(*r) == graph.ty(mean));
        if data.kind == OpKind::Convert && data.operands.first() == Some(&widened) && mean != widened && same {
            back.push(op);
        }
    });
    for op in back {
        replace_op(graph, site.entry, op, &[mean]);
    }
}

/// Erases what makes a value that nobody reads, back to one of `ends` or a product.
fn erase_unused(graph: &mut Graph, mut value: ValueId, ends: &[ValueId], site: &Site) {
    while !ends.contains(&value) && readers(graph, value, site).is_empty() {
        let Some(op) = graph.producer(value) else { return };
        graph.erase_op(op);
        if graph.op(op).kind == OpKind::DotGeneral {
            return;
        }
        value = graph.op(op).operands[0];
    }
}

/// Every read of a value.
fn readers(graph: &Graph, value: ValueId, site: &Site) -> Vec<OpId> {
    let mut readers = Vec::new();
    graph.walk(site.entry, &mut |op| {
        readers.extend(graph.op(op).operands.iter().filter(|v| **v == value).map(|_| op));
    });
    readers
}

/// The division that alone reads the result of a product, perhaps converted.
fn division_after(graph: &Graph, product: OpId, site: &Site) -> Option<OpId> {
    let mut value = *graph.op(product).results.first()?;
    loop {
        let [reader] = readers(graph, value, site)[..] else { return None };
        let data = graph.op(reader);
        match data.kind {
            OpKind::Divide if data.operands.first() == Some(&value) => {
                return (data.block == graph.op(product).block).then_some(reader);
            }
            OpKind::Convert => value = *data.results.first()?,
            _ => return None,
        }
    }
}

/// The exponentials of operand `at` of the product, and their sum, if that divides.
fn sum_of_weights(
    graph: &Graph,
    (product, at): (OpId, usize),
    division: OpId,
) -> Result<Option<(ValueId, ValueId)>, PassError> {
    let mut indices = Indices::default();
    let mut index = Vec::new();
    for n in sizes(graph, graph.op(product).results[0], &mut indices)? {
        let var = indices.add_sized_var(n);
        index.push(indices.var(var));
    }
    let mut reduction = Vec::new();
    let (left, right) = operand_indices(graph, product, &index, &mut indices, &mut reduction)?;
    let [column] = reduction[..] else { return Ok(None) };
    let place = if at == 0 { left } else { right };
    let weights = source(graph, (graph.op(product).operands[at], place), &mut indices)?;
    if operands_of::<1>(graph, weights.0, OpKind::Exponential).is_none() || score_product(graph, weights.0).is_none() {
        return Ok(None);
    }
    let sum = source(graph, (graph.op(division).operands[1], index), &mut indices)?;
    let of = folded(graph, sum.clone(), Binary::Add, column, &mut indices)?;
    let direct = graph.producer(sum.0).is_some_and(|op| {
        let mut at = graph.op(op).operands[0];
        while let Some([from]) = operands_of(graph, at, OpKind::Convert) {
            at = from;
        }
        at == weights.0
    });
    Ok((direct && of.as_ref() == Some(&weights)).then_some((weights.0, sum.0)))
}

fn dims_of(graph: &Graph, op: OpId) -> Vec<usize> {
    fornax_graph::views::dim_list(graph.op(op), "dimensions")
}

/// The moves and conversions from one value to another, last first.
fn moves_from(graph: &Graph, mut value: ValueId, from: ValueId) -> Option<Vec<OpId>> {
    let mut moves = Vec::new();
    while value != from {
        let op = graph.producer(value)?;
        moves.push(op);
        value = *graph.op(op).operands.first()?;
    }
    Some(moves)
}

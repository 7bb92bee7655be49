//! One update a row into a constant: a select by the column's number, which fuses with what reads it.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<8x1xi32>, %arg1: tensor<8xf32>) -> tensor<8x100xf32> {
//!   %0 = stablehlo.constant dense<0.000000e+00> : tensor<8x100xf32>
//!   %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{scatter_dimension_numbers =
//!       #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0],
//!       scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
//!   ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
//!     %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
//!     stablehlo.return %2 : tensor<f32>
//!   }) : (tensor<8x100xf32>, tensor<8x1xi32>, tensor<8xf32>) -> tensor<8x100xf32>
//!   return %1 : tensor<8x100xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<8x1xi32>, %arg1: tensor<8xf32>) -> tensor<8x100xf32> {
//!   %0 = stablehlo.constant dense<0.000000e+00> : tensor<8x100xf32>
//!   %1 = stablehlo.reshape %arg0 : (tensor<8x1xi32>) -> tensor<8xi32>
//!   %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<8xi32>) -> tensor<8x100xi32>
//!   %3 = stablehlo.iota dim = 1 : tensor<8x100xi32>
//!   %4 = stablehlo.compare EQ, %3, %2, SIGNED : (tensor<8x100xi32>, tensor<8x100xi32>) -> tensor<8x100xi1>
//!   %5 = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
//!   %6 = stablehlo.add %5, %arg1 : tensor<8xf32>
//!   %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<8xf32>) -> tensor<8x100xf32>
//!   %8 = stablehlo.select %4, %7, %0 : tensor<8x100xi1>, tensor<8x100xf32>
//!   return %8 : tensor<8x100xf32>
//! }
//! ```
//!
//! The gradient of a loss that takes one logit a row is such a scatter: sorted, it would be 412 MB of zeros for GPT-2's
//! 2048 × 50,257 logits, which took 973 µs to write (H200). An index outside of the dimension is equal to no column and
//! goes nowhere, as in the scatter.
//!
//! Worked example: `[4, 512, 50257]` zeros, indices `[4, 512, 1, 1]`, updates `[4, 512, 1]`: batching dimensions 0 and
//! 1, column 2.
//!
//! Limits: batching dimensions, not indices that count rows; one operand; a constant, since a value that is not read
//! again is better written where it is.

use fornax_graph::views::scatter_dims;
use fornax_graph::{Dim, ElementType, Graph, OpId, OpKind, TensorType, Type, ValueId};

use super::Site;
use super::insert::replace_op;
use crate::errors::PassError;
use crate::facts::combiner;
use crate::facts::ops::{shape, splat_bits, tensor};
use crate::facts::scalar;
use crate::rewrite::Rewriter;

/// A scatter of one update a row.
struct OneEach {
    /// The operand's dimension that indices count.
    column: usize,
    /// The operand's other dimensions, in the order of the indices'.
    rows: Vec<usize>,
    /// What folds an update into the operand; `None` where it takes its place.
    combine: Option<OpKind>,
}

/// Puts a select in the place of `op`, a `scatter`.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let Some(found) = one_each(graph, op)? else { return Ok(()) };
    let (operand, indices, updates) = {
        let operands = &graph.op(op).operands;
        (operands[0], operands[1], operands[2])
    };
    let Some(bits) = splat_bits(graph, operand) else { return Ok(()) };
    let (sizes, element) = (shape(graph, operand)?, tensor(graph, operand)?.element);
    let rows: Vec<i64> = found.rows.iter().map(|&d| sizes[d]).collect();
    let counted = counted_as(tensor(graph, indices)?.element);
    let whole: Vec<Dim> = sizes.iter().map(|&n| n.into()).collect();
    let mut at = Rewriter::before(graph, op);
    let at_row = |at: &mut Rewriter, value: ValueId| {
        let value = at.reshape(value, &rows);
        at.broadcast(value, &found.rows, &whole)
    };
    let indices = at.convert(indices, counted);
    let indices = at_row(&mut at, indices);
    let columns = at.iota(&TensorType::new(&sizes, counted), found.column);
    let here = at.compare("EQ", columns, indices);
    let mut new = at.reshape(updates, &rows);
    if let Some(kind) = found.combine {
        let old = at.bits(bits, (&rows, element));
        new = at.emit(kind, &[old, new], Type::tensor(&rows, element), &[]);
    }
    let new = at_row(&mut at, new);
    let selected = at.select(here, new, operand);
    replace_op(graph, site.entry, op, &[selected]);
    Ok(())
}

/// The type in which columns are counted: it holds every index, those below zero too.
fn counted_as(index: ElementType) -> ElementType {
    match (index.bits(), index.is_unsigned()) {
        (0..32, _) | (32, false) => ElementType::I32,
        _ => ElementType::I64,
    }
}

fn one_each(graph: &Graph, op: OpId) -> Result<Option<OneEach>, PassError> {
    let data = graph.op(op);
    let [operand, indices, _] = data.operands[..] else { return Ok(None) };
    let (dims, rank) = (scatter_dims(data), shape(graph, operand)?.len());
    let ([column], [inserted]) = (&dims.scatter_dims_to_operand_dims[..], &dims.inserted_window_dims[..]) else {
        return Ok(None);
    };
    if column != inserted || dims.input_batching_dims.len() + 1 != rank || !dims.update_window_dims.is_empty() {
        return Ok(None);
    }
    let mut rows = Vec::with_capacity(rank);
    for (at, &size) in shape(graph, indices)?.iter().enumerate() {
        match dims.scatter_indices_batching_dims.iter().position(|&d| d == at) {
            Some(k) => rows.push(dims.input_batching_dims[k]),
            None if size == 1 => {}
            None => return Ok(None),
        }
    }
    if !rows.is_sorted() {
        return Ok(None);
    }
    let block = scalar::body(graph, op)?;
    let (arguments, ops) = (&graph.block(block).arguments, &graph.block(block).ops);
    let combine = match (combiner::simple(graph, block), ops.as_slice(), arguments.as_slice()) {
        (Some(_), &[inner, _], _) => Some(graph.op(inner).kind),
        (None, &[end], &[_, new]) if graph.op(end).operands == [new] => None,
        _ => return Ok(None),
    };
    Ok(Some(OneEach { column: *column, rows, combine }))
}

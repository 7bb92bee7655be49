//! A choice between two small computations becomes both of them and a select, so that the host need not read the
//! condition.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<i1>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
//!   %0 = "stablehlo.if"(%arg0) ({
//!     %1 = stablehlo.negate %arg1 : tensor<3xf32>
//!     stablehlo.return %1 : tensor<3xf32>
//!   }, {
//!     stablehlo.return %arg1 : tensor<3xf32>
//!   }) : (tensor<i1>) -> tensor<3xf32>
//!   return %0 : tensor<3xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<i1>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
//!   %0 = stablehlo.negate %arg1 : tensor<3xf32>
//!   %1 = stablehlo.select %arg0, %0, %arg1 : tensor<i1>, tensor<3xf32>
//!   return %1 : tensor<3xf32>
//! }
//! ```
//!
//! Reading a condition costs a round trip to the device, some ten microseconds, and keeps a function from being one
//! command list. Branches of at most [`OPS_MAX`] ops that move or compute elements, over at most [`ELEMENTS_MAX`]
//! elements together, cost less. No op of StableHLO traps, so the branch that is not taken does no harm. Limits: static
//! shapes; branches with loops, products, sorts, scatters or further branches that stay are left alone.

use fornax_graph::ops::{Trait, row};
use fornax_graph::{BlockId, Graph, OpId, OpKind};

use super::Options;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

const OPS_MAX: usize = 96;
const ELEMENTS_MAX: i64 = 1 << 18;

/// Ops that move elements at little cost.
const MOVES: &[OpKind] = &[
    OpKind::Constant,
    OpKind::Iota,
    OpKind::Reshape,
    OpKind::BroadcastInDim,
    OpKind::Transpose,
    OpKind::Slice,
    OpKind::Pad,
    OpKind::Concatenate,
    OpKind::Reverse,
    OpKind::BitcastConvert,
    OpKind::DynamicSlice,
    OpKind::DynamicUpdateSlice,
    OpKind::Gather,
    OpKind::Reduce,
];

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::If => Ok(flatten(rw, id).unwrap_or(Rewrite::Keep)),
        _ => Ok(Rewrite::Keep),
    })
}

fn flatten(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let op = rw.graph.op(id).clone();
    let condition = *op.operands.first()?;
    let blocks: Vec<BlockId> =
        op.regions.iter().map(|&r| rw.graph.region(r).blocks.first().copied()).collect::<Option<_>>()?;
    let &[then_block, else_block] = &blocks[..] else { return None };
    let shapes = op.results.iter().map(|&r| rw.tensor(r)?.static_shape().map(|_| ())).collect::<Option<Vec<_>>>();
    let (ops, elements) = blocks.iter().try_fold((0, 0i64), |(ops, elements), &block| {
        let (own_ops, own_elements) = size(rw.graph, block)?;
        Some((ops + own_ops, elements.saturating_add(own_elements)))
    })?;
    let returns = |block: BlockId| {
        let end = rw.graph.block(block).ops.last();
        end.is_some_and(|&end| rw.graph.op(end).operands.len() == op.results.len())
    };
    let fits = shapes.is_some() && !op.results.is_empty() && returns(then_block) && returns(else_block);
    if !fits || ops > OPS_MAX || elements > ELEMENTS_MAX {
        return None;
    }
    let (first, second) = (rw.splice(then_block), rw.splice(else_block));
    let pairs = first.into_iter().zip(second);
    Some(Rewrite::Replace(pairs.map(|(a, b)| if a == b { a } else { rw.select(condition, a, b) }).collect()))
}

/// Ops and elements of a block, if all its ops are cheap.
fn size(graph: &Graph, block: BlockId) -> Option<(usize, i64)> {
    let (_, body) = graph.block(block).ops.split_last()?;
    let mut elements = 0i64;
    for &id in body {
        let op = graph.op(id);
        let cheap = row(op.kind).has(Trait::Elementwise) && op.regions.is_empty() || MOVES.contains(&op.kind);
        if !cheap {
            return None;
        }
        let reads = if op.kind == OpKind::Reduce { &op.operands } else { &op.results };
        for &value in reads {
            elements = elements.saturating_add(graph.ty(value).as_tensor()?.elements()?);
        }
    }
    Some((body.len(), elements))
}

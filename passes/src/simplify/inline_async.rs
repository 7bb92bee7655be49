//! What is started is done where it starts: the region takes the place of `async_start`, its values that of
//! `async_done`'s.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = "stablehlo.async_start"(%arg0) ({
//!   ^bb0(%arg1: tensor<2xf32>):
//!     %3 = stablehlo.sine %arg1 : tensor<2xf32>
//!     stablehlo.return %3 : tensor<2xf32>
//!   }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
//!   %1 = stablehlo.exponential %arg0 : tensor<2xf32>
//!   %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
//!   %4 = stablehlo.add %1, %2 : tensor<2xf32>
//!   return %4 : tensor<2xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = stablehlo.sine %arg0 : tensor<2xf32>
//!   %1 = stablehlo.exponential %arg0 : tensor<2xf32>
//!   %2 = stablehlo.add %1, %0 : tensor<2xf32>
//!   return %2 : tensor<2xf32>
//! }
//! ```
//!
//! Programs start collectives so. When one runs is decided where buffers are known, for every collective alike
//! (`decompose/late_collectives`).
//! Limits: a future that anything but `async_done` takes, such as a loop that carries it, stays and is refused.

use std::collections::HashMap;

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};

use super::{Options, each_op};
use crate::errors::PassError;
use crate::rewrite::{Rewrite, sweep};

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    let starts = starts(graph);
    if starts.is_empty() {
        return Ok(false);
    }
    let mut taken: HashMap<ValueId, ValueId> = HashMap::new();
    for &(id, block) in starts.values() {
        taken.extend(graph.block(block).arguments.iter().copied().zip(graph.op(id).operands.iter().copied()));
    }
    for operand in graph.ops.iter_mut().flat_map(|op| &mut op.operands) {
        // A start in another one's region takes that one's arguments.
        while let Some(&value) = taken.get(operand) {
            *operand = value;
        }
    }
    let mut values: HashMap<ValueId, Vec<ValueId>> = HashMap::new();
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::AsyncStart => {
            let Some(future) = rw.result(id, 0) else { return Ok(Rewrite::Keep) };
            let Some(&(_, block)) = starts.get(&future) else { return Ok(Rewrite::Keep) };
            values.insert(future, rw.splice(block));
            Ok(Rewrite::Erase)
        }
        OpKind::AsyncDone => {
            let made = rw.operand(id, 0).and_then(|future| values.get(&future));
            Ok(made.map_or(Rewrite::Keep, |made| Rewrite::Replace(made.clone())))
        }
        _ => Ok(Rewrite::Keep),
    })
}

/// By its future, each start whose region can take its place, and the region's block.
fn starts(graph: &Graph) -> HashMap<ValueId, (OpId, BlockId)> {
    let mut starts = HashMap::new();
    each_op(graph, &mut |id| {
        let op = graph.op(id);
        if let (OpKind::AsyncStart, &[region], &[future]) = (op.kind, &op.regions[..], &op.results[..])
            && let &[block] = &graph.region(region).blocks[..]
            && same_types(graph, &graph.block(block).arguments, &op.operands)
        {
            starts.insert(future, (id, block));
        }
    });
    each_op(graph, &mut |id| {
        let op = graph.op(id);
        for future in &op.operands {
            let Some(&(_, block)) = starts.get(future) else { continue };
            let made = graph.block(block).ops.last().map_or(&[][..], |&end| &graph.op(end).operands);
            if op.kind != OpKind::AsyncDone || !same_types(graph, &op.results, made) {
                starts.remove(future);
            }
        }
    });
    starts
}

fn same_types(graph: &Graph, some: &[ValueId], others: &[ValueId]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(&a, &b)| graph.ty(a) == graph.ty(b))
}

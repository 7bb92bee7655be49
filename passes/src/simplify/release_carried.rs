//! What a loop carries unchanged is read from outside.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<8x3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1:3 = stablehlo.while(%w = %arg0, %i = %0, %x = %arg1) : tensor<8x3xf32>, tensor<i32>, tensor<3xf32>
//!   cond {
//!     %2 = stablehlo.constant dense<8> : tensor<i32>
//!     %3 = stablehlo.compare LT, %i, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   } do {
//!     %2 = stablehlo.constant dense<0> : tensor<i32>
//!     %3 = stablehlo.dynamic_slice %w, %i, %2, sizes = [1, 3] :
//!       (tensor<8x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
//!     %4 = stablehlo.reshape %3 : (tensor<1x3xf32>) -> tensor<3xf32>
//!     %5 = stablehlo.add %x, %4 : tensor<3xf32>
//!     %6 = stablehlo.constant dense<1> : tensor<i32>
//!     %7 = stablehlo.add %i, %6 : tensor<i32>
//!     stablehlo.return %w, %7, %5 : tensor<8x3xf32>, tensor<i32>, tensor<3xf32>
//!   }
//!   return %1#2 : tensor<3xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<8x3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1:2 = stablehlo.while(%i = %0, %x = %arg1) : tensor<i32>, tensor<3xf32>
//!   cond {
//!     %2 = stablehlo.constant dense<8> : tensor<i32>
//!     %3 = stablehlo.compare LT, %i, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   } do {
//!     %2 = stablehlo.constant dense<0> : tensor<i32>
//!     %3 = stablehlo.dynamic_slice %arg0, %i, %2, sizes = [1, 3] :
//!       (tensor<8x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
//!     %4 = stablehlo.reshape %3 : (tensor<1x3xf32>) -> tensor<3xf32>
//!     %5 = stablehlo.add %x, %4 : tensor<3xf32>
//!     %6 = stablehlo.constant dense<1> : tensor<i32>
//!     %7 = stablehlo.add %i, %6 : tensor<i32>
//!     stablehlo.return %7, %5 : tensor<i32>, tensor<3xf32>
//!   }
//!   return %1#1 : tensor<3xf32>
//! }
//! ```
//!
//! A carried value has a buffer of the loop's own, into which it is copied when the loop begins. `scan` of JAX carries
//! all that its body reads, weights first of all. Limits: one carried value stays, even of a loop that changes none.

use fornax_graph::{BlockId, Graph, NewOp, OpId, OpKind, Type, ValueId};

use super::Options;
use crate::errors::PassError;
use crate::rewrite::{Rewrite, Rewriter, sweep};

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::While => Ok(release(rw, id).unwrap_or(Rewrite::Keep)),
        _ => Ok(Rewrite::Keep),
    })
}

fn release(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let op = rw.graph.op(id).clone();
    let first = |at: usize| rw.graph.region(*op.regions.get(at)?).blocks.first().copied();
    let (condition, body) = (first(0)?, first(1)?);
    let arguments = &rw.graph.block(body).arguments;
    let given = &rw.graph.op(*rw.graph.block(body).ops.last()?).operands;
    let unchanged = |at: usize| {
        let (argument, operand, result) = (arguments[at], op.operands[at], op.results[at]);
        let ty = rw.graph.ty(argument);
        given[at] == argument && ty == rw.graph.ty(operand) && ty == rw.graph.ty(result)
    };
    let count = op.operands.len();
    if [arguments.len(), given.len(), op.results.len()] != [count; 3] {
        return None;
    }
    let (gone, kept): (Vec<usize>, Vec<usize>) = (0..count).partition(|&at| unchanged(at));
    if gone.is_empty() || kept.is_empty() {
        return None;
    }
    let end = *rw.graph.block(body).ops.last()?;
    let returned = kept.iter().map(|&at| given[at]).collect();
    rw.graph.op_mut(end).operands = returned;
    let regions = [condition, body].map(|block| {
        let region = rw.graph.add_region();
        let types: Vec<Type> = kept.iter().map(|&at| rw.graph.ty(op.operands[at]).clone()).collect();
        let new = rw.graph.add_block(region, &types);
        move_ops(rw, (block, new), &kept, &op.operands);
        region
    });
    let types = kept.iter().map(|&at| rw.graph.ty(op.results[at]).clone()).collect();
    let operands = kept.iter().map(|&at| op.operands[at]).collect();
    let mut new = NewOp::new(OpKind::While, operands, types, op.location);
    (new.attrs, new.regions) = (op.attrs, regions.to_vec());
    let results = rw.insert(new);
    let mut values = op.operands.clone();
    kept.iter().zip(results).for_each(|(&at, result)| values[at] = result);
    Some(Rewrite::Replace(values))
}

/// Moves the ops of a block to one that has the kept arguments only; `outside` stands for the others.
fn move_ops(rw: &mut Rewriter, (from, to): (BlockId, BlockId), kept: &[usize], outside: &[ValueId]) {
    let old = rw.graph.block(from).arguments.clone();
    let mut new = outside.to_vec();
    kept.iter().zip(rw.graph.block(to).arguments.clone()).for_each(|(&at, argument)| new[at] = argument);
    old.iter().zip(&new).for_each(|(&old, &new)| rw.replace(old, new));
    let ops = std::mem::take(&mut rw.graph.blocks[from.index()].ops);
    ops.iter().for_each(|&op| rw.graph.op_mut(op).block = to);
    rw.graph.blocks[to.index()].ops = ops;
    let mut inside = Vec::new();
    rw.graph.walk(to, &mut |op| inside.push(op));
    for op in inside {
        for operand in &mut rw.graph.op_mut(op).operands {
            if let Some(at) = old.iter().position(|value| value == operand) {
                *operand = new[at];
            }
        }
    }
}

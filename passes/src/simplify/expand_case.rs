//! `case` becomes a tree of `if`: each asks whether the index lies below the middle of what is left.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<i32>, %arg1: tensor<f32>) -> tensor<f32> {
//!   %0 = "stablehlo.case"(%arg0) ({
//!     %1 = stablehlo.negate %arg1 : tensor<f32>
//!     stablehlo.return %1 : tensor<f32>
//!   }, {
//!     stablehlo.return %arg1 : tensor<f32>
//!   }) : (tensor<i32>) -> tensor<f32>
//!   return %0 : tensor<f32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<i32>, %arg1: tensor<f32>) -> tensor<f32> {
//!   %c = stablehlo.constant dense<0> : tensor<i32>
//!   %c_0 = stablehlo.constant dense<1> : tensor<i32>
//!   %0 = stablehlo.compare LT, %arg0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!   %1 = stablehlo.compare GT, %arg0, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!   %2 = stablehlo.or %0, %1 : tensor<i1>
//!   %3 = stablehlo.select %2, %c_0, %arg0 : tensor<i1>, tensor<i32>
//!   %c_1 = stablehlo.constant dense<1> : tensor<i32>
//!   %4 = stablehlo.compare LT, %3, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!   %5 = "stablehlo.if"(%4) ({
//!     %6 = stablehlo.negate %arg1 : tensor<f32>
//!     stablehlo.return %6 : tensor<f32>
//!   }, {
//!     stablehlo.return %arg1 : tensor<f32>
//!   }) : (tensor<i1>) -> tensor<f32>
//!   return %5 : tensor<f32>
//! }
//! ```
//!
//! An index outside of the branches takes the last one.

use fornax_graph::{Graph, NewOp, OpId, OpKind, RegionId, Type, ValueId};

use super::ops::Ops;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use super::Options;
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::Case => Ok(expand(rw, id).map_or(Rewrite::Keep, Rewrite::Replace)),
        _ => Ok(Rewrite::Keep),
    })
}

fn expand(rw: &mut Rewriter, id: OpId) -> Option<Vec<ValueId>> {
    let op = rw.graph.op(id).clone();
    let index = *op.operands.first()?;
    rw.tensor(index).filter(|ty| ty.rank() == 0)?;
    let types: Vec<Type> = op.results.iter().map(|&r| rw.graph.ty(r).clone()).collect();
    if let &[only] = &op.regions[..] {
        let block = rw.graph.region(only).blocks.first().copied()?;
        return Some(rw.splice(block));
    }
    let last = i64::try_from(op.regions.len()).ok()?.checked_sub(1)?;
    let o = &Ops::new(rw);
    let (first, end) = (o.int(index, 0), o.int(index, last));
    let outside = o.or(o.compare("LT", index, first), o.compare("GT", index, end));
    let index = o.select(outside, end, index);
    Some(branch(o, index, &op.regions, 0, &types))
}

/// Runs one of `regions`, the first of which has number `first`; there are two at least.
fn branch(o: &Ops, index: ValueId, regions: &[RegionId], first: i64, types: &[Type]) -> Vec<ValueId> {
    let (low, high) = regions.split_at(regions.len() / 2);
    let middle = first + low.len() as i64;
    let below = o.compare("LT", index, o.int(index, middle));
    let side = |regions: &[RegionId], first: i64| match regions {
        &[only] => only,
        _ => o.region(&[], |o, _| branch(o, index, regions, first, types)),
    };
    let regions = vec![side(low, first), side(high, middle)];
    o.with(|rw| {
        let mut op = NewOp::new(OpKind::If, vec![below], types.to_vec(), rw.location());
        op.regions = regions;
        rw.insert(op)
    })
}

//! Long sorts that are no radix sorts: blocks are sorted, then merged to runs twice as long each.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<5000xf32>) -> tensor<5000xf32> {
//!   %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
//!   ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
//!     %1 = stablehlo.compare LT, %arg1, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!     stablehlo.return %1 : tensor<i1>
//!   }) : (tensor<5000xf32>) -> tensor<5000xf32>
//!   return %0 : tensor<5000xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<5000xf32>) -> tensor<5000xf32> {
//!   %0 = "fornax.sort_runs"(%arg0) <{dimension = 0 : i64, is_stable = true, runs = 2048 : i64}> ({
//!   ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
//!     %1 = stablehlo.compare LT, %arg1, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!     stablehlo.return %1 : tensor<i1>
//!   }) : (tensor<5000xf32>) -> tensor<5000xf32>
//!   %2 = "fornax.merge_runs"(%0) <{dimension = 0 : i64, is_stable = true, sorted_runs = 2048 : i64, runs = 4096 :
//!       i64}> ({
//!   ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
//!     %3 = stablehlo.compare LT, %arg3, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   }) : (tensor<5000xf32>) -> tensor<5000xf32>
//!   %4 = "fornax.merge_runs"(%2) <{dimension = 0 : i64, is_stable = true, sorted_runs = 4096 : i64, runs = 8192 :
//!       i64}> ({
//!   ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
//!     %5 = stablehlo.compare LT, %arg5, %arg6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!     stablehlo.return %5 : tensor<i1>
//!   }) : (tensor<5000xf32>) -> tensor<5000xf32>
//!   return %4 : tensor<5000xf32>
//! }
//! ```
//!
//! Worked example: 100,000 f32 are sorted in blocks of 2048, then merged to runs of 4096, …, 131,072: 7 ops.

use fornax_graph::{Graph, OpId, OpKind};

use super::Site;
use super::insert::replace_op;
use super::sort_parts::{Extent, Line, part};
use crate::errors::PassError;

/// Splits `op`, a `sort`, where its lines are longer than a block.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let Some(line) = Line::of(graph, op)?.filter(|line| !line.is_short()) else { return Ok(()) };
    let extent = Extent { along: line.along, length: line.length };
    let operands = graph.op(op).operands.clone();
    let mut values = part(graph, op, OpKind::SortRuns, &operands, extent, &[("runs", line.block)])?;
    let mut run = line.block;
    while run < line.length {
        values = part(graph, op, OpKind::MergeRuns, &values, extent, &[("sorted_runs", run), ("runs", 2 * run)])?;
        run *= 2;
    }
    replace_op(graph, site.entry, op, &values);
    Ok(())
}

//! A long sort of which only the first elements are read: every block keeps those of its own, until one block is left.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<5000xf32>) -> tensor<5xf32> {
//!   %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
//!   ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
//!     %1 = stablehlo.compare GT, %arg1, %arg2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!     stablehlo.return %1 : tensor<i1>
//!   }) : (tensor<5000xf32>) -> tensor<5000xf32>
//!   %2 = stablehlo.slice %0 [0:5] : (tensor<5000xf32>) -> tensor<5xf32>
//!   return %2 : tensor<5xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<5000xf32>) -> tensor<5xf32> {
//!   %0 = "fornax.sort_runs"(%arg0) <{dimension = 0 : i64, is_stable = true, runs = 2048 : i64, keep = 5 : i64}> ({
//!   ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
//!     %1 = stablehlo.compare GT, %arg1, %arg2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!     stablehlo.return %1 : tensor<i1>
//!   }) : (tensor<5000xf32>) -> tensor<15xf32>
//!   %2 = "fornax.sort_runs"(%0) <{dimension = 0 : i64, is_stable = true, runs = 15 : i64}> ({
//!   ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
//!     %3 = stablehlo.compare GT, %arg3, %arg4, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   }) : (tensor<15xf32>) -> tensor<15xf32>
//!   %4 = stablehlo.slice %2 [0:5] : (tensor<15xf32>) -> tensor<5xf32>
//!   return %4 : tensor<5xf32>
//! }
//! ```
//!
//! Worked example: the first 5 of 100,000 (`top_k`): 49 blocks of 2048 keep 5 each, which leaves 245 to sort.

use fornax_graph::{Graph, OpId, OpKind};

use super::Site;
use super::insert::replace_op;
use super::sort_parts::{Extent, part, selection};
use crate::errors::PassError;

/// Splits `op`, a `sort` of lines longer than a block, where slices are all that reads its results.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let Some((line, keep)) = selection(graph, op, site)? else { return Ok(()) };
    let (block, mut n) = (line.block, line.length);
    let mut values = graph.op(op).operands.clone();
    while n > block {
        let kept = n / block * keep + keep.min(n % block);
        let extent = Extent { along: line.along, length: kept };
        values = part(graph, op, OpKind::SortRuns, &values, extent, &[("runs", block), ("keep", keep)])?;
        n = kept;
    }
    let extent = Extent { along: line.along, length: n };
    values = part(graph, op, OpKind::SortRuns, &values, extent, &[("runs", n)])?;
    replace_op(graph, site.entry, op, &values);
    Ok(())
}

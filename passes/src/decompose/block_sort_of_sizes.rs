//! Sorts of lines as long as a size known only at run time: runs of 64 in order, then merges of four runs each, then
//! one of all that are left.
//!
//! Before:
//! ```mlir
//! module attributes {fornax.dims = ["b: argument 0 axis 0, 0..1000"]} {
//!   func.func @main(%arg0: tensor<?xf32, #fornax.dims<b>>) -> tensor<?xf32, #fornax.dims<b>> {
//!     %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
//!     ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
//!       %1 = stablehlo.compare LT, %arg1, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!       stablehlo.return %1 : tensor<i1>
//!     }) : (tensor<?xf32, #fornax.dims<b>>) -> tensor<?xf32, #fornax.dims<b>>
//!     return %0 : tensor<?xf32, #fornax.dims<b>>
//!   }
//! }
//! ```
//! After:
//! ```mlir
//! module attributes {fornax.dims = ["b: argument 0 axis 0, 0..1000"]} {
//!   func.func @main(%arg0: tensor<?xf32, #fornax.dims<b>>) -> tensor<?xf32, #fornax.dims<b>> {
//!     %0 = "fornax.sort_runs"(%arg0) <{dimension = 0 : i64, is_stable = true, runs = 64 : i64}> ({
//!     ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
//!       %1 = stablehlo.compare LT, %arg1, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!       stablehlo.return %1 : tensor<i1>
//!     }) : (tensor<?xf32, #fornax.dims<b>>) -> tensor<?xf32, #fornax.dims<b>>
//!     %2 = "fornax.merge_runs"(%0) <{dimension = 0 : i64, is_stable = true, sorted_runs = 64 : i64, runs = 256 :
//!         i64}> ({
//!     ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
//!       %3 = stablehlo.compare LT, %arg3, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!       stablehlo.return %3 : tensor<i1>
//!     }) : (tensor<?xf32, #fornax.dims<b>>) -> tensor<?xf32, #fornax.dims<b>>
//!     %4 = "fornax.merge_runs"(%2) <{dimension = 0 : i64, is_stable = true, sorted_runs = 256 : i64}> ({
//!     ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
//!       %5 = stablehlo.compare LT, %arg5, %arg6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!       stablehlo.return %5 : tensor<i1>
//!     }) : (tensor<?xf32, #fornax.dims<b>>) -> tensor<?xf32, #fornax.dims<b>>
//!     return %4 : tensor<?xf32, #fornax.dims<b>>
//!   }
//! }
//! ```
//!
//! How often runs must be merged depends on the call; what is merged already is copied. A merge finds the place of an
//! element by a binary search in each of the other runs (`emit/sized.rs`), so a line of n elements takes about
//! 3·log₂(n)²/4 steps an element and n log²(n) in all, while it has no more than 2²⁰; the last merge looks into n / 2²⁰
//! runs.
//!
//! Worked example: 1..100,000 elements: runs of 64, 256, 1024, 4096, 16,384, 65,536 and then all: 7 ops, where 100
//! elements take two and five copies.

use fornax_graph::{Dim, Graph, OpId, OpKind, Type};

use super::Site;
use super::insert::replace_op;
use super::sort_parts::part_of;
use crate::errors::PassError;
use crate::facts::ops::tensor;
use crate::facts::sorting::dimension;

/// Elements of the first runs, of which every one is compared with every other.
const FIRST: i64 = 64;
/// Runs that a merge makes one of.
const MERGED: i64 = 4;
/// Elements of the runs that the last merge finds at most.
const LAST: i64 = 1 << 20;

/// Splits `op`, a `sort`, where the length of its lines is known only at run time.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let data = graph.op(op).clone();
    let Some(&first) = data.operands.first() else { return Ok(()) };
    let along = dimension(graph, op)?;
    let size = tensor(graph, first)?.shape[along];
    let most = graph.dim_bounds(size).1;
    if matches!(size, Dim::Static(_)) {
        return Ok(());
    }
    let types: Vec<Type> = data.operands.iter().map(|&v| graph.ty(v).clone()).collect();
    let mut values = data.operands.clone();
    let merge = (op, OpKind::MergeRuns);
    let mut run = FIRST;
    if most > run {
        values = part_of(graph, (op, OpKind::SortRuns), &values, types.clone(), &[("runs", run)]);
        while run < LAST && run * MERGED < most {
            values = part_of(graph, merge, &values, types.clone(), &[("sorted_runs", run), ("runs", run * MERGED)]);
            run *= MERGED;
        }
        values = part_of(graph, merge, &values, types.clone(), &[("sorted_runs", run)]);
        replace_op(graph, site.entry, op, &values);
    }
    Ok(())
}

//! Slices written where the value is that they are written into: the stacked results of a scan, a cache that the caller
//! gives away, a chain of updates.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<1000x64xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<1x64xf32>, %arg2:
//!     tensor<i32>) -> tensor<1000x64xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %0 :
//!     (tensor<1000x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1000x64xf32>
//!   return %1 : tensor<1000x64xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<1000x64xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<1x64xf32>, %arg2:
//!     tensor<i32>) -> tensor<1000x64xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1 = stablehlo.constant dense<0> : tensor<i32>
//!   %2 = stablehlo.constant dense<999> : tensor<i32>
//!   %3 = stablehlo.clamp %1, %arg2, %2 : tensor<i32>
//!   %4 = stablehlo.reshape %3 : (tensor<i32>) -> tensor<1xi32>
//!   %5 = "fornax.update_in_place"(%arg0, %4, %arg1) <{scatter_dimension_numbers =
//!       #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>, indices_are_sorted =
//!       true, unique_indices = true}> ({
//!   ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
//!     stablehlo.return %arg4 : tensor<f32>
//!   }) : (tensor<1000x64xf32>, tensor<1xi32>, tensor<1x64xf32>) -> tensor<1000x64xf32>
//!   return %5 : tensor<1000x64xf32>
//! }
//! ```
//!
//! `dynamic_update_slice` of a value that may be written (`updates`) becomes a scatter of one window at a clamped
//! place, marked as done in place (`schedule::update`). Its copy of the operand is not made where operand and result
//! are one buffer (`program::in_place`, `program::donate`), so it costs what it writes, not the whole value.
//!
//! Worked example: ys: `[1000, 64]` carried, `dynamic_update_slice %ys, %y, %i, 0`, given back as ys: 64 elements are
//! stored a round.
//!
//! Limits: static shapes; small values stay as they are.

use fornax_graph::{ElementType, Graph, OpId, OpKind};

use super::Site;
use super::insert::replace_op;
use super::updates::{self, Window};
use crate::errors::PassError;
use crate::facts::donated;
use crate::facts::ops::{shape, tensor};
use crate::rewrite::Rewriter;

/// Bits of a start from which every place is a number of its type.
const START_BITS: u32 = 32;

/// Rewrites `op`, a `dynamic_update_slice`, where that pays.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let data = graph.op(op).clone();
    let &[operand, slice, ref starts @ ..] = data.operands.as_slice() else { return Ok(()) };
    let (sizes, window) = (shape(graph, operand)?, shape(graph, slice)?);
    let dims: Vec<usize> = (0..sizes.len()).filter(|&d| window[d] != sizes[d]).collect();
    if dims.is_empty() || !donated::pays(sizes.iter().product(), window.iter().product()) {
        return Ok(());
    }
    if !updates::may_write(graph, op, operand, site) {
        return Ok(());
    }
    let mut at = Rewriter::before(graph, op);
    let mut places = Vec::with_capacity(dims.len());
    for &d in &dims {
        let mut start = starts[d];
        if tensor(at.graph, start)?.element.bits() < START_BITS {
            start = at.convert(start, ElementType::I32);
        }
        let element = tensor(at.graph, start)?.element;
        let (zero, last) = (at.number(0, (&[], element)), at.number(sizes[d] - window[d], (&[], element)));
        places.push(at.op(OpKind::Clamp, &[zero, start, last], (&[], element)));
    }
    let window = Window { operand, update: slice, dims: &dims, starts: &places, batch: &[] };
    let updated = updates::update(graph, op, &window)?;
    replace_op(graph, site.entry, op, &[updated]);
    Ok(())
}

//! Slices that a loop writes into a value that it carries, or a function into an argument that the caller gives away,
//! written where that value is: the stacked results of a scan, a cache.
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
//! `dynamic_update_slice` of such a value that nothing of the body reads later becomes a scatter of one window at a
//! clamped place, marked as done in place (`schedule::update`). Its copy of the operand is not made where operand and
//! result are one buffer (`program::in_place`, `program::donate`), so it costs what it writes, not the whole value.
//!
//! Worked example: ys: `[1000, 64]` carried, `dynamic_update_slice %ys, %y, %i, 0`, given back as ys: 64 elements are
//! stored a round.
//!
//! Limits: static shapes; small values stay as they are.

use fornax_graph::{Attr, AttrMap, ElementType, Graph, NewOp, OpId, OpKind, Type, ValueId};

use super::Site;
use super::insert::replace_op;
use crate::rewrite::build::ints;
use crate::rewrite::Rewriter;
use crate::errors::PassError;
use crate::facts::donated::{is_read_before, reads};
use crate::facts::ops::{shape, tensor};

/// Elements below which a carried value is written as a whole.
const ELEMENTS_MIN: i64 = 1024;
/// How much smaller than the value the slice must be.
const SHARE: i64 = 2;

/// Rewrites `op`, a `dynamic_update_slice`, where that pays.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let data = graph.op(op).clone();
    let &[operand, update, ref starts @ ..] = data.operands.as_slice() else { return Ok(()) };
    let free = site.given.contains(&operand) && data.block == site.entry;
    let carried = site.bodies.contains(&data.block) && is_given_back(graph, op, operand);
    let alone = reads(graph, data.block, operand) == 1;
    if !(free && alone || carried && (alone || is_read_before(graph, op, operand))) {
        return Ok(());
    }
    let (sizes, window) = (shape(graph, operand)?, shape(graph, update)?);
    let elements: i64 = sizes.iter().product();
    let partial: Vec<usize> = (0..sizes.len()).filter(|&d| window[d] != sizes[d]).collect();
    let Some(&first) = partial.first().and_then(|&d| starts.get(d)) else { return Ok(()) };
    let element = tensor(graph, first)?.element;
    if element.bits() < 32 {
        return Ok(());
    }
    if elements < ELEMENTS_MIN || window.iter().product::<i64>() * SHARE > elements {
        return Ok(());
    }
    let count = partial.len() as i64;
    let mut at = Rewriter::before(graph, op);
    let zero = at.number(0, (&[], element));
    let mut places = Vec::with_capacity(partial.len());
    for &d in &partial {
        let last = at.number(sizes[d] - window[d], (&[], element));
        let place = at.op(OpKind::Clamp, &[zero, starts[d], last], (&[], element));
        places.push(at.op(OpKind::Reshape, &[place], (&[1], element)));
    }
    let indices = match places.as_slice() {
        &[only] => only,
        _ => {
            let ty = vec![Type::tensor(&[count], element)];
            let new = NewOp::new(OpKind::Concatenate, places, ty, data.location);
            at.put(new.attr("dimension", Attr::Int(0, Type::Scalar(ElementType::I64))))
        }
    };
    let scalar = Type::tensor(&[], tensor(graph, operand)?.element);
    let region = graph.add_region();
    let body = graph.add_block(region, &[scalar.clone(), scalar]);
    let new_value = graph.block(body).arguments[1];
    graph.push_op(body, NewOp::new(OpKind::Return, vec![new_value], Vec::new(), data.location));
    let mut numbers = AttrMap::default();
    let list = |dims: &mut dyn Iterator<Item = usize>| ints(dims.map(|d| d as i64).collect::<Vec<_>>());
    numbers.set("update_window_dims", list(&mut (0..sizes.len())));
    numbers.set("scatter_dims_to_operand_dims", list(&mut partial.iter().copied()));
    numbers.set("index_vector_dim", Attr::Int(0, Type::Scalar(ElementType::I64)));
    let types = vec![graph.ty(data.results[0]).clone()];
    let mut scatter = NewOp::new(OpKind::UpdateInPlace, vec![operand, indices, update], types, data.location)
        .attr("scatter_dimension_numbers", Attr::Struct("stablehlo.scatter".into(), numbers))
        .attr("indices_are_sorted", Attr::Bool(true))
        .attr("unique_indices", Attr::Bool(true));
    scatter.regions.push(region);
    let results = Rewriter::before(graph, op).insert(scatter);
    replace_op(graph, site.entry, op, &results);
    Ok(())
}

/// Whether the body gives the result back in the place of its argument `operand`.
fn is_given_back(graph: &Graph, op: OpId, operand: ValueId) -> bool {
    let data = graph.op(op);
    let block = graph.block(data.block);
    let place = block.arguments.iter().position(|&argument| argument == operand);
    let given = block.ops.last().map(|&end| graph.op(end).operands.as_slice()).unwrap_or_default();
    place.is_some_and(|at| given.get(at) == data.results.first())
}

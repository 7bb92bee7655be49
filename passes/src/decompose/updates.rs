//! Which values an update may write where they are, and the update itself.
//!
//! A value may be written in place where nothing reads its buffer behind the update, and where that saves a copy: the
//! buffer is the caller's, and given away; or a loop carries it and gets the result back; or it is there anyway, since
//! an update in place or a loop made it, or since others read it too.
//!
//! Worked example, a cache of three layers that is given away: update 0 of the argument, a product that reads its
//! layer, update 1 of the result of update 0, and so on. Each update is the last reader of what it updates: all write
//! the caller's buffer.

use fornax_graph::{Attr, AttrMap, Graph, NewOp, OpId, OpKind, Type, ValueId};

use super::Site;
use crate::errors::PassError;
use crate::facts::donated::{buffer_of, is_read_before, reads};
use crate::facts::ops::{shape, tensor};
use crate::rewrite::Rewriter;
use crate::rewrite::build::{dims, int};

/// Whether `op`, whose first result is `operand` with some elements changed, may change them where they are.
pub(super) fn may_write(graph: &Graph, op: OpId, operand: ValueId, site: &Site) -> bool {
    if !is_read_before(graph, op, operand) {
        return false;
    }
    let block = graph.op(op).block;
    let buffer = buffer_of(graph, operand);
    let Some(maker) = graph.producer(buffer) else {
        let given = site.given.contains(&buffer) && block == site.entry;
        return given || site.bodies.contains(&block) && is_given_back(graph, op, buffer);
    };
    let made = graph.op(maker);
    let is_kept = match made.kind {
        OpKind::UpdateInPlace | OpKind::While => true,
        OpKind::Constant => false,
        _ => reads(graph, block, buffer) > 1,
    };
    made.block == block && is_kept
}

/// Whether the loop body of `op` gives what becomes of its argument `operand`, by this update and those behind it, back
/// in the argument's place.
fn is_given_back(graph: &Graph, op: OpId, operand: ValueId) -> bool {
    let block = graph.block(graph.op(op).block);
    let place = block.arguments.iter().position(|&argument| argument == operand);
    let given = block.ops.last().map(|&end| graph.op(end).operands.as_slice()).unwrap_or_default();
    let Some(&wanted) = place.and_then(|at| given.get(at)) else { return false };
    let mut value = graph.op(op).results.first().copied();
    // Each step goes to the last reader, as long as that is an update too.
    for _ in 0..block.ops.len() {
        if value == Some(wanted) {
            return true;
        }
        let mut readers = block.ops.iter().rev().map(|&reader| graph.op(reader));
        let last = readers.find(|data| value.is_some_and(|v| data.operands.contains(&v)));
        value = last.filter(|data| is_link(data.kind)).and_then(|data| data.results.first().copied());
    }
    false
}

/// Ops that give a value with some elements changed, or its buffer another name.
fn is_link(kind: OpKind) -> bool {
    matches!(kind, OpKind::UpdateInPlace | OpKind::DynamicUpdateSlice | OpKind::Select | OpKind::Reshape)
}

/// Where the windows of an update begin.
pub(super) struct Window<'a> {
    pub operand: ValueId,
    /// As the operand, of the window's extents in `dims`.
    pub update: ValueId,
    /// The dims of the operand whose start is given, and the start in each: a scalar, or one a batch.
    pub dims: &'a [usize],
    pub starts: &'a [ValueId],
    /// The dims of the operand over which the starts differ, ascending, as those of the starts.
    pub batch: &'a [usize],
}

/// The operand of a window of its rank updated in place, before `op`. A window that is not inside goes nowhere.
pub(super) fn update(graph: &mut Graph, op: OpId, window: &Window) -> Result<ValueId, PassError> {
    let location = graph.op(op).location;
    let ty = graph.ty(window.operand).clone();
    let sizes = shape(graph, window.operand)?;
    let scalar = Type::tensor(&[], tensor(graph, window.operand)?.element);
    let batch: Vec<i64> = window.batch.iter().map(|&d| sizes[d]).collect();
    let component: Vec<i64> = batch.iter().copied().chain([1]).collect();
    let mut at = Rewriter::before(graph, op);
    let mut places = Vec::with_capacity(window.starts.len());
    for &start in window.starts {
        let element = tensor(at.graph, start)?.element;
        places.push(at.op(OpKind::Reshape, &[start], (&component, element)));
    }
    let indices = match places.as_slice() {
        &[only] => only,
        _ => {
            let element = tensor(at.graph, window.starts[0])?.element;
            let all: Vec<i64> = batch.iter().copied().chain([places.len() as i64]).collect();
            let new = NewOp::new(OpKind::Concatenate, places, vec![Type::tensor(&all, element)], location);
            at.put(new.attr("dimension", int(batch.len() as i64)))
        }
    };
    let region = graph.add_region();
    let body = graph.add_block(region, &[scalar.clone(), scalar]);
    let new_value = graph.block(body).arguments[1];
    graph.push_op(body, NewOp::new(OpKind::Return, vec![new_value], Vec::new(), location));
    let mut numbers = AttrMap::default();
    numbers
        .set("update_window_dims", dims(&(0..sizes.len()).filter(|d| !window.batch.contains(d)).collect::<Vec<_>>()));
    numbers.set("scatter_dims_to_operand_dims", dims(window.dims));
    if !batch.is_empty() {
        numbers.set("input_batching_dims", dims(window.batch));
        numbers.set("scatter_indices_batching_dims", dims(&(0..batch.len()).collect::<Vec<_>>()));
    }
    numbers.set("index_vector_dim", int(batch.len() as i64));
    let mut scatter =
        NewOp::new(OpKind::UpdateInPlace, vec![window.operand, indices, window.update], vec![ty], location)
            .attr("scatter_dimension_numbers", Attr::Struct("stablehlo.scatter".into(), numbers))
            .attr("indices_are_sorted", Attr::Bool(batch.is_empty()))
            .attr("unique_indices", Attr::Bool(true));
    scatter.regions.push(region);
    Ok(Rewriter::before(graph, op).insert(scatter)[0])
}

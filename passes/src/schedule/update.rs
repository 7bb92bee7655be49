//! A scatter that changes its result where it is (`decompose::update_in_place` says which): the operand is copied into
//! the result, then every element of the updates goes to its place.
//!
//! Integers are combined by atomic instructions, whose order does not matter; where the op promises that no two updates
//! go to the same place, anything is combined by a plain store.
//!
//! Worked example: x = [1, 1, 1] i32, indices [2, 0, 2, 9], updates [1, 2, 3, 4], add: the copy [1, 1, 1]; points 0, 1,
//! 2 add 1 at 2, 2 at 0, 3 at 2; point 3 goes nowhere.

use fornax_graph::views::scatter_dims;
use fornax_graph::{Graph, OpId};
use fornax_plan::Unscheduled;
use fornax_plan::{Access, Binary, Body, Exprs, IndexId, KernelPlan, Node, NodeId, Store, VarId};

use super::lower::{Lowered, Lowering, summary};
use super::scatter::{Component, start};
use crate::errors::PassError;
use crate::facts::combiner::simple;
use crate::facts::parts::is_update;
use crate::facts::scalar;
use fornax_kernels::scheduled::{Bound, Prepare};

/// The scatter of a fusion that is one and changes its result where it is.
pub fn hero(graph: &Graph, fusion: OpId) -> Result<Option<OpId>, PassError> {
    let ops = &graph.block(scalar::body(graph, fusion)?).ops;
    Ok(ops.iter().copied().find(|&op| is_update(graph, op)))
}

/// Lowers a fusion whose results are those of the scatter `op`.
pub(super) fn lower(graph: &Graph, fusion: OpId, op: OpId, options: &super::Options) -> Result<Lowered, PassError> {
    let block = scalar::body(graph, fusion)?;
    let ops = &graph.block(block).ops;
    let yielded = ops.last().map(|&end| graph.op(end).operands.clone()).unwrap_or_default();
    if yielded != graph.op(op).results {
        return Err(PassError::internal(graph, fusion, "a scatter in place with something after it"));
    }
    let mut l = Lowering::new(graph, fusion, false, options)?;
    let copy = copy(&l, op, options, fusion)?;
    l.prepare.push(copy);
    let data = graph.op(op);
    let n = data.results.len();
    let update_sizes = l.sizes(data.operands[n + 1])?;
    let mut domain = Vec::new();
    let point: Vec<IndexId> = update_sizes.iter().map(|&size| l.variable(size, &mut domain)).collect();
    let (condition, place) = place(&mut l, op, &point)?;
    let sizes = l.sizes(data.operands[0])?;
    let offset = l.exprs.indices.linearize_sized(&place, &sizes);
    let mut updates = Vec::with_capacity(n);
    for &update in &data.operands[n + 1..] {
        updates.push(l.value_at(update, &point, None)?);
    }
    let region = scalar::body(graph, op)?;
    let combine = simple(graph, region).filter(|_| data.attrs.bool("unique_indices") != Some(true));
    let mut buffers = Vec::with_capacity(n);
    for (at, &result) in data.results.iter().enumerate() {
        buffers.push(l.buffer(result, Access::Update, Bound::Result(at))?);
    }
    let values = match combine {
        Some(_) => updates,
        None => {
            let old = |(&buffer, &update): (&u32, &NodeId)| {
                let element = l.exprs.element(update);
                l.exprs.add(Node::Load { buffer, element, offset, mask: None })
            };
            let olds: Vec<NodeId> = buffers.iter().zip(&updates).map(old).collect();
            let arguments: Vec<NodeId> = olds.into_iter().chain(updates).collect();
            scalar::region(graph, op, region, &arguments, &mut l.exprs)?
        }
    };
    let stores = buffers.into_iter().zip(values).map(|(buffer, value)| Store { buffer, offset, value }).collect();
    if domain.is_empty() {
        domain.push(l.exprs.indices.add_var(1));
    }
    let body = Body::Update { condition, combine, stores };
    let summary = summary(graph, ops);
    let Lowering { exprs, buffers, bound, prepare, .. } = l;
    Ok(Lowered { exprs, buffers, bound, prepare, domain, body, ordered: false, summary })
}

/// The kernel that fills the results with the operands.
pub(super) fn copy(l: &Lowering<'_>, op: OpId, options: &super::Options, fusion: OpId) -> Result<Prepare, PassError> {
    let graph = l.graph;
    let data = graph.op(op);
    let mut copy = Lowering::new(graph, fusion, false, options)?;
    let sizes = copy.sizes(data.operands[0])?;
    let mut domain: Vec<VarId> = Vec::new();
    let index: Vec<IndexId> = sizes.iter().map(|&size| copy.variable(size, &mut domain)).collect();
    let offset = copy.exprs.indices.linearize_sized(&index, &sizes);
    let mut stores = Vec::with_capacity(data.results.len());
    for (at, (&operand, &result)) in data.operands.iter().zip(&data.results).enumerate() {
        let value = copy.value_at(operand, &index, None)?;
        let buffer = copy.buffer(result, Access::Update, Bound::Result(at))?;
        stores.push(Store { buffer, offset, value });
    }
    if domain.is_empty() {
        domain.push(copy.exprs.indices.add_var(1));
    }
    let none = Unscheduled;
    let plan = KernelPlan::new(copy.exprs, copy.buffers, domain, Body::Loop { stores }, none, "copy".to_string());
    Ok(Prepare { plan, bound: copy.bound })
}

/// Whether every element of the updates goes to a place inside of the operand, as far as clamped numbers show.
pub(super) fn is_inside(l: &mut Lowering<'_>, op: OpId) -> Result<bool, PassError> {
    let data = l.graph.op(op);
    let dims = scatter_dims(data);
    let n = data.results.len();
    let sizes = l.sizes(data.operands[0])?;
    let (indices, updates) = (data.operands[n], l.sizes(data.operands[n + 1])?);
    let zero = l.constant(0);
    let rank = l.sizes(indices)?.len();
    let is_listed = dims.index_vector_dim < rank;
    let batch: Vec<IndexId> = vec![zero; rank - usize::from(is_listed)];
    let mut window = dims.update_window_dims.iter().map(|&d| updates.get(d).copied());
    for (d, &size) in sizes.iter().enumerate() {
        let inserted = dims.inserted_window_dims.contains(&d);
        let extent = if inserted { l.constant(1) } else { window.next().flatten().unwrap_or(size) };
        let number = |id| l.exprs.indices.as_constant(id);
        let (Some(size), Some(extent)) = (number(size), number(extent)) else { return Ok(false) };
        let Some(k) = dims.scatter_dims_to_operand_dims.iter().position(|&o| o == d) else { continue };
        let mut at = batch.clone();
        if is_listed {
            at.insert(dims.index_vector_dim, l.constant(k as i64));
        }
        let node = l.value_at(indices, &at, None)?;
        if bounds(&l.exprs, node).is_none_or(|(low, high)| low < 0 || high > size - extent) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The least and the largest value of an integer that is clamped between constants.
fn bounds(exprs: &Exprs, node: NodeId) -> Option<(i64, i64)> {
    let constant = |node| match *exprs.node(node) {
        Node::Constant { element, bits } if element.is_unsigned() => i64::try_from(bits).ok(),
        Node::Constant { element, bits } if element.is_integer() => {
            let unused = u64::BITS - element.bits().min(u64::BITS);
            Some((bits << unused) as i64 >> unused)
        }
        _ => None,
    };
    match *exprs.node(node) {
        Node::Constant { .. } => constant(node).map(|value| (value, value)),
        Node::Binary { op: op @ (Binary::Minimum | Binary::Maximum), a, b } => {
            let (of, bound) = match (constant(a), constant(b)) {
                (_, Some(bound)) => (a, bound),
                (Some(bound), None) => (b, bound),
                (None, None) => return None,
            };
            let (low, high) = bounds(exprs, of).unwrap_or((i64::MIN, i64::MAX));
            Some(match op {
                Binary::Minimum => (low.min(bound), high.min(bound)),
                _ => (low.max(bound), high.max(bound)),
            })
        }
        _ => None,
    }
}

/// Where the update element `point` goes, and whether that is inside.
pub(super) fn place(l: &mut Lowering<'_>, op: OpId, point: &[IndexId]) -> Result<(NodeId, Vec<IndexId>), PassError> {
    let graph = l.graph;
    let data = graph.op(op);
    let n = data.results.len();
    let dims = scatter_dims(data);
    let indices = data.operands[n];
    let broken = || PassError::internal(graph, op, "dimension numbers do not fit the shapes");
    let sizes = l.sizes(data.operands[0])?;
    let rank = l.sizes(indices)?.len();
    let batch: Vec<IndexId> =
        (0..point.len()).filter(|d| !dims.update_window_dims.contains(d)).map(|d| point[d]).collect();
    let mut window = dims.update_window_dims.iter().map(|&d| point.get(d).copied());
    // Which dimension of the batch each dimension of the indices is.
    let batch_dims: Vec<usize> = (0..rank).filter(|&d| d != dims.index_vector_dim).collect();
    let zero = l.constant(0);
    let mut condition = l.exprs.boolean(true);
    let mut there = Vec::with_capacity(sizes.len());
    for (d, &size) in sizes.iter().enumerate() {
        if let Some(at) = dims.input_batching_dims.iter().position(|&b| b == d) {
            let of = dims.scatter_indices_batching_dims.get(at).ok_or_else(broken)?;
            let at = batch_dims.iter().position(|b| b == of).ok_or_else(broken)?;
            there.push(*batch.get(at).ok_or_else(broken)?);
            continue;
        }
        let inserted = dims.inserted_window_dims.contains(&d);
        let inside = if inserted { zero } else { window.next().flatten().ok_or_else(broken)? };
        let place = match dims.scatter_dims_to_operand_dims.iter().position(|&o| o == d) {
            Some(k) => {
                let extent = l.exprs.indices.range(inside).1 + 1;
                let extent = l.constant(extent);
                let start = start(l, &dims, indices, &batch, Component { k, size, window: extent })?;
                l.exprs.indices.add(start, inside)
            }
            None => inside,
        };
        let holds = l.in_range(place, zero, size);
        condition = l.exprs.binary(Binary::And, condition, holds);
        there.push(place);
    }
    Ok((condition, there))
}

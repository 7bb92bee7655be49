//! `scatter` as a reduction: slow for large inputs, but the same on every run and without atomics.
//!
//! A scatter asks, for every element of its result, which updates hit it: a fold over all scatter indices, the updates
//! that miss masked. Sums and their kin fold from the identity in any order and meet the operand at the end; any other
//! region folds from the operand in the order of the updates.
//!
//! Worked example: x = [0, 0, 0], indices [2, 0, 2], updates [1, 2, 3], add: element 2 is 0 + (1 + 3), element 0 is 0 +
//! 2.

use fornax_graph::views::{ScatterDims, scatter_dims};
use fornax_graph::{ElementType, OpId};
use fornax_plan::{Binary, Body, Combiner, IndexId, Node, NodeId, VarId};

use super::lower::{HeroBody, Lowering};
use super::reduction::{Fold, build_simple};
use crate::errors::PassError;
use crate::facts::combiner::simple;
use crate::facts::ops::tensor;
use crate::facts::scalar::{self, bits_of, identity_bits, mask};

/// Where one scatter index sends the updates of a result element.
struct Hit {
    condition: NodeId,
    update: Vec<IndexId>,
}

/// Builds the body of a scatter; `index` is the index of the results.
pub(super) fn scatter(l: &mut Lowering<'_>, op: OpId, index: &[IndexId]) -> Result<HeroBody, PassError> {
    let data = l.graph.op(op);
    let n = data.results.len();
    if data.operands.len() != 2 * n + 1 || n == 0 {
        return Err(PassError::internal(l.graph, op, "needs as many updates as operands"));
    }
    let block = scalar::body(l.graph, op)?;
    let mut reduction = Vec::new();
    let hit = hit(l, op, index, &mut reduction)?;
    let mut olds = Vec::with_capacity(n);
    for &operand in &data.operands[..n] {
        olds.push(l.value_at(operand, index, None)?);
    }
    if reduction.iter().any(|&v| l.exprs.indices.is_empty(v)) {
        return Ok(HeroBody::computed(olds));
    }
    if n == 1
        && let Some(combiner) = simple(l.graph, block)
        && let element = l.exprs.element(olds[0])
        && let Some(identity) = identity_bits(combiner, element)
    {
        let identity = l.exprs.add(Node::Constant { element, bits: identity });
        let update = l.guarded(hit.condition, (data.operands[2], &hit.update), None, identity)?;
        let fold = Fold { reduction, inputs: vec![update], inits: olds, first: 0 };
        return Ok(build_simple(l, combiner, fold, element));
    }
    // Operand n of the fold says whether the update hits; its running value is unused.
    let mut inputs = Vec::with_capacity(n + 1);
    for (&update, &old) in data.operands[n + 1..].iter().zip(&olds) {
        inputs.push(l.guarded(hit.condition, (update, &hit.update), None, old)?);
    }
    inputs.push(hit.condition);
    let mut inits = olds;
    inits.push(l.exprs.boolean(false));
    let types: Vec<ElementType> = inits.iter().map(|&i| l.exprs.element(i)).collect();
    let mut arguments: Vec<NodeId> = Vec::with_capacity(2 * n);
    for (index, &element) in (0u32..).zip(&types[..n]) {
        arguments.push(l.exprs.add(Node::Running { index, element }));
    }
    for (index, &element) in (0u32..).zip(&types[..n]) {
        arguments.push(l.exprs.add(Node::Incoming { index, element }));
    }
    let hits = l.exprs.add(Node::Incoming { index: n as u32, element: ElementType::I1 });
    let combined = scalar::region(l.graph, op, block, &arguments, &mut l.exprs)?;
    let mut nodes = Vec::with_capacity(n + 1);
    for (&new, &running) in combined.iter().zip(&arguments) {
        nodes.push(l.exprs.select(hits, new, running));
    }
    nodes.push(l.exprs.add(Node::Running { index: n as u32, element: ElementType::I1 }));
    let mut results = Vec::with_capacity(n);
    for (index, &element) in (0u32..).zip(&types[..n]) {
        results.push(l.exprs.add(Node::Reduced { index, element }));
    }
    if reduction.is_empty() {
        reduction.push(l.exprs.indices.add_var(1));
    }
    let body = Body::Reduce { reduction, inputs, inits, combiner: Combiner::General(nodes), stores: Vec::new() };
    Ok(HeroBody { body, results, ordered: true })
}

/// The condition that the update of the scatter index given by the reduction variables hits result element `index`, and
/// the index of that update.
fn hit(l: &mut Lowering<'_>, op: OpId, index: &[IndexId], reduction: &mut Vec<VarId>) -> Result<Hit, PassError> {
    let data = l.graph.op(op);
    let n = data.results.len();
    let dims = scatter_dims(data);
    let (indices, updates) = (data.operands[n], data.operands[n + 1]);
    let (index_shape, update_shape) = (l.sizes(indices)?, l.sizes(updates)?);
    let sizes = l.sizes(data.operands[0])?;
    let broken = || PassError::internal(l.graph, op, "dimension numbers do not fit the shapes");
    // The batch of scatter indices: the dimensions of the indices but the index vector. Batching dimensions are those
    // of the result element, the others are folded over.
    let mut batch = Vec::new();
    for d in (0..index_shape.len()).filter(|&d| d != dims.index_vector_dim) {
        let bound = dims.scatter_indices_batching_dims.iter().position(|&b| b == d);
        batch.push(match bound {
            Some(at) => {
                let of = *dims.input_batching_dims.get(at).ok_or_else(broken)?;
                *index.get(of).ok_or_else(broken)?
            }
            None => l.variable(index_shape[d], reduction),
        });
    }
    let mut windows = dims.update_window_dims.iter().map(|&d| update_shape.get(d).copied());
    let mut condition = l.exprs.boolean(true);
    let mut window = Vec::new();
    for d in 0..sizes.len() {
        if dims.input_batching_dims.contains(&d) {
            continue;
        }
        let inserted = dims.inserted_window_dims.contains(&d);
        let extent = if inserted { l.constant(1) } else { windows.next().flatten().ok_or_else(broken)? };
        let place = match dims.scatter_dims_to_operand_dims.iter().position(|&o| o == d) {
            Some(k) => {
                let start = start(l, &dims, indices, &batch, Component { k, size: sizes[d], window: extent })?;
                l.exprs.indices.sub(index[d], start)
            }
            None => index[d],
        };
        let zero = l.constant(0);
        let inside = l.in_range(place, zero, extent);
        condition = l.exprs.binary(Binary::And, condition, inside);
        if !inserted {
            window.push(place);
        }
    }
    let (mut batch, mut window) = (batch.into_iter(), window.into_iter());
    let mut update = Vec::with_capacity(update_shape.len());
    for d in 0..update_shape.len() {
        let next = if dims.update_window_dims.contains(&d) { window.next() } else { batch.next() };
        update.push(next.ok_or_else(broken)?);
    }
    Ok(Hit { condition, update })
}

/// A component of a scatter index.
pub(super) struct Component {
    /// Its place in the index.
    pub k: usize,
    /// The size of the operand's dimension that it says.
    pub size: IndexId,
    /// The extent of the window there.
    pub window: IndexId,
}

/// Component `k` of a scatter index, clamped so that it fits an index and still misses what it missed.
pub(super) fn start(
    l: &mut Lowering<'_>,
    dims: &ScatterDims,
    indices: fornax_graph::ValueId,
    batch: &[IndexId],
    component: Component,
) -> Result<IndexId, PassError> {
    let Component { k, size, window } = component;
    let mut at = batch.to_vec();
    if dims.index_vector_dim < tensor(l.graph, indices)?.rank() {
        let k = l.exprs.indices.constant(k as i64);
        at.insert(dims.index_vector_dim.min(at.len()), k);
    }
    let mut node = l.value_at(indices, &at, None)?;
    let (Some(size), Some(window)) = (l.exprs.indices.as_constant(size), l.exprs.indices.as_constant(window)) else {
        return Ok(sized_start(l, node, size, window));
    };
    let element = l.exprs.element(node);
    let unsigned = element.is_unsigned();
    let most = (if unsigned { mask(element) } else { mask(element) >> 1 }).min(i64::MAX as u64) as i64;
    let least = if unsigned { 0 } else { -most - 1 };
    let (low, high) = (least.max(-window), most.min(size));
    if low > least {
        let bound = l.exprs.add(Node::Constant { element, bits: low as u64 & mask(element) });
        node = l.exprs.binary(Binary::Maximum, node, bound);
    }
    if high < most || element == ElementType::Ui64 {
        let bound = l.exprs.add(Node::Constant { element, bits: bits_of(element, high) });
        node = l.exprs.binary(Binary::Minimum, node, bound);
    }
    let wide = if size.max(window) <= i64::from(i32::MAX) { ElementType::I32 } else { ElementType::I64 };
    let node = l.exprs.convert(wide, node);
    Ok(l.exprs.indices.value(node, low, high))
}

/// The same for sizes known at run time.
fn sized_start(l: &mut Lowering<'_>, node: NodeId, size: IndexId, window: IndexId) -> IndexId {
    let wide = if l.exprs.element(node) == ElementType::Ui64 { ElementType::Ui64 } else { ElementType::I64 };
    let top = l.exprs.add(Node::FromIndex { element: wide, index: size });
    let node = l.exprs.convert(wide, node);
    let mut node = l.exprs.binary(Binary::Minimum, node, top);
    let (high, low) = (l.exprs.indices.range(size).1.max(0), l.exprs.indices.range(window).1.max(0));
    if wide == ElementType::Ui64 {
        return l.exprs.indices.value(node, 0, high);
    }
    let least = l.exprs.indices.scale(window, -1);
    let least = l.exprs.add(Node::FromIndex { element: wide, index: least });
    node = l.exprs.binary(Binary::Maximum, node, least);
    l.exprs.indices.value(node, -low, high)
}

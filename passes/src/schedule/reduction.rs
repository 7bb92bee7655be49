//! `reduce` and `reduce_window` as a [`Body::Reduce`].
//!
//! A region that is one add, multiply, maximum, … over its two arguments becomes `Combiner::Simple`; its accumulator is
//! f32 for narrow floats, it starts from the combiner's identity, and an initial value that is something else is
//! combined once at the end. Any other scalar region (argmax, several operands) becomes `Combiner::General` in the
//! region's own types, starting from the given initial values.

use fornax_graph::views::{dim_list, window_dims};
use fornax_graph::{BlockId, ElementType, Graph, OpId, OpKind, ValueId};
use fornax_plan::{Binary, Body, Combiner, IndexId, Node, NodeId, VarId};

use super::lower::{HeroBody, Lowering};
use crate::errors::PassError;
use crate::facts::combiner::simple;
use crate::facts::ops::tensor;
use crate::facts::prefix::{self, Prefix};
use crate::facts::scalar::{body, identity_bits, region};
use crate::facts::sizes::{list, low_padding};

/// What is folded.
pub(super) struct Fold {
    /// The variables that it goes over.
    pub reduction: Vec<VarId>,
    /// An element of each operand.
    pub inputs: Vec<NodeId>,
    /// Their initial values.
    pub inits: Vec<NodeId>,
    /// The results are `Node::Reduced(first)` and those after it.
    pub first: u32,
}

/// Builds the body; `index` is the index of the results.
pub(super) fn build(l: &mut Lowering<'_>, op: OpId, index: &[IndexId]) -> Result<HeroBody, PassError> {
    let data = l.graph.op(op);
    let inits = initial_values(l, op)?;
    if let Some(prefix) = prefix::of(l.graph, op)? {
        return build_scan(l, op, &prefix, index, inits[0]);
    }
    let mut reduction = Vec::new();
    let inputs = match data.kind {
        OpKind::ReduceWindow => window_inputs(l, op, index, &inits, &mut reduction)?,
        _ => plain_inputs(l, op, index, &mut reduction)?,
    };
    let built = fold(l, op, reduction, (inputs, inits), 0)?;
    // Windows select the first of equal elements by a region that does not commute
    // (`simplify/expand_select_and_scatter.rs`).
    let general = matches!(&built.body, Body::Reduce { combiner: Combiner::General(_), .. });
    Ok(HeroBody { ordered: general && data.kind == OpKind::ReduceWindow, ..built })
}

/// Initial values of a reduction, as many as it has operands.
pub(super) fn initial_values(l: &mut Lowering<'_>, op: OpId) -> Result<Vec<NodeId>, PassError> {
    let data = l.graph.op(op);
    let n = data.results.len();
    if data.operands.len() != 2 * n || n == 0 {
        return Err(PassError::internal(l.graph, op, "needs as many operands as initial values"));
    }
    data.operands[n..].iter().map(|&init| l.value_at(init, &[], None)).collect()
}

/// The body of a fold of `inputs` from `inits`, whose results are `Node::Reduced(first)` and those after it.
pub(super) fn fold(
    l: &mut Lowering<'_>,
    op: OpId,
    reduction: Vec<VarId>,
    (inputs, inits): (Vec<NodeId>, Vec<NodeId>),
    first: u32,
) -> Result<HeroBody, PassError> {
    let data = l.graph.op(op);
    let n = data.results.len();
    let block = body(l.graph, op)?;
    // The region's arguments say in which types to accumulate.
    let types: Vec<ElementType> = graph_types(l.graph, &l.graph.block(block).arguments)?;
    let typed = |l: &mut Lowering<'_>, nodes: &[NodeId]| -> Vec<NodeId> {
        nodes.iter().zip(&types).map(|(&node, &element)| l.exprs.convert(element, node)).collect()
    };
    let (inputs, inits) = (typed(l, &inputs), typed(l, &inits));
    let empty = reduction.iter().any(|&v| l.exprs.indices.is_empty(v));
    let results = graph_types(l.graph, &data.results)?;
    if empty {
        let nodes = inits.iter().zip(&results).map(|(&node, &element)| l.exprs.convert(element, node)).collect();
        return Ok(HeroBody::computed(nodes));
    }
    match simple(l.graph, block) {
        Some(combiner) if n == 1 => Ok(build_simple(l, combiner, Fold { reduction, inputs, inits, first }, results[0])),
        _ => build_general(l, op, block, Fold { reduction, inputs, inits, first }, &results),
    }
}

fn graph_types(graph: &Graph, values: &[ValueId]) -> Result<Vec<ElementType>, PassError> {
    values.iter().map(|&v| Ok(tensor(graph, v)?.element)).collect()
}

/// A window that grows from one end of a line is a prefix fold.
fn build_scan(
    l: &mut Lowering<'_>,
    op: OpId,
    prefix: &Prefix,
    index: &[IndexId],
    init: NodeId,
) -> Result<HeroBody, PassError> {
    let data = l.graph.op(op);
    let block = body(l.graph, op)?;
    let element = graph_types(l.graph, &l.graph.block(block).arguments)?[0];
    let result = tensor(l.graph, data.results[0])?.element;
    let accumulator = element.accumulator();
    let input = l.value_at(data.operands[0], index, None)?;
    let input = l.exprs.convert(element, input);
    let input = l.exprs.convert(accumulator, input);
    let Some(along) = l.exprs.indices.as_var(index[prefix.dimension]) else {
        return Err(PassError::internal(l.graph, op, "its line is no loop"));
    };
    let mut node = l.exprs.add(Node::Reduced { index: 0, element: accumulator });
    let init = l.exprs.convert(element, init);
    if !is_identity(l, prefix.combiner, init) {
        let init = l.exprs.convert(accumulator, init);
        node = l.exprs.binary(prefix.combiner, init, node);
    }
    let node = l.exprs.convert(element, node);
    let node = l.exprs.convert(result, node);
    let (reverse, combiner) = (prefix.reverse, prefix.combiner);
    Ok(HeroBody::of(Body::Scan { along, reverse, input, combiner, stores: Vec::new() }, vec![node]))
}

/// The body of a fold of one operand by a simple combiner, with elements `result`.
pub(super) fn build_simple(l: &mut Lowering<'_>, combiner: Binary, fold: Fold, result: ElementType) -> HeroBody {
    let Fold { reduction, inputs, inits, first: index } = fold;
    let (input, init) = (inputs[0], inits[0]);
    let own = l.exprs.element(input);
    let accumulator = own.accumulator();
    let input = l.exprs.convert(accumulator, input);
    let bits = identity_bits(combiner, accumulator).unwrap_or(0);
    let identity = l.exprs.add(Node::Constant { element: accumulator, bits });
    let single = reduction.is_empty();
    let mut node = if single { input } else { l.exprs.add(Node::Reduced { index, element: accumulator }) };
    if !is_identity(l, combiner, init) {
        let init = l.exprs.convert(accumulator, init);
        node = l.exprs.binary(combiner, init, node);
    }
    let node = l.exprs.convert(result, node);
    if single {
        return HeroBody::computed(vec![node]);
    }
    let body = Body::Reduce {
        reduction,
        inputs: vec![input],
        inits: vec![identity],
        combiner: Combiner::Simple(combiner),
        stores: Vec::new(),
    };
    HeroBody::of(body, vec![node])
}

/// Is a node the constant that changes nothing when combined?
pub(super) fn is_identity(l: &Lowering<'_>, combiner: Binary, init: NodeId) -> bool {
    match l.exprs.node(init) {
        Node::Constant { element, bits } => {
            let signed = element.has_negation();
            let negative_zero =
                combiner == Binary::Add && signed && *bits == 1u64.checked_shl(element.bits() - 1).unwrap_or(0);
            identity_bits(combiner, *element) == Some(*bits) || negative_zero
        }
        _ => false,
    }
}

fn build_general(
    l: &mut Lowering<'_>,
    op: OpId,
    block: BlockId,
    fold: Fold,
    results: &[ElementType],
) -> Result<HeroBody, PassError> {
    let Fold { reduction, inputs, inits, first } = fold;
    let types: Vec<ElementType> = inits.iter().map(|&i| l.exprs.element(i)).collect();
    let convert = |l: &mut Lowering<'_>, nodes: &[NodeId]| -> Vec<NodeId> {
        nodes.iter().zip(results).map(|(&node, &element)| l.exprs.convert(element, node)).collect()
    };
    if reduction.is_empty() {
        let arguments: Vec<NodeId> = inits.iter().chain(&inputs).copied().collect();
        let combined = region(l.graph, op, block, &arguments, &mut l.exprs)?;
        return Ok(HeroBody::computed(convert(l, &combined)));
    }
    let mut arguments = Vec::with_capacity(2 * types.len());
    for (index, &element) in (0u32..).zip(&types) {
        arguments.push(l.exprs.add(Node::Running { index, element }));
    }
    for (index, &element) in (0u32..).zip(&types) {
        arguments.push(l.exprs.add(Node::Incoming { index, element }));
    }
    let combined = region(l.graph, op, block, &arguments, &mut l.exprs)?;
    if combined.len() != types.len() {
        return Err(PassError::internal(l.graph, op, "its region returns another number of values"));
    }
    let mut nodes = Vec::with_capacity(types.len());
    for (index, &element) in (first..).zip(&types) {
        nodes.push(l.exprs.add(Node::Reduced { index, element }));
    }
    let nodes = convert(l, &nodes);
    let combiner = Combiner::General(combined);
    Ok(HeroBody::of(Body::Reduce { reduction, inputs, inits, combiner, stores: Vec::new() }, nodes))
}

fn plain_inputs(
    l: &mut Lowering<'_>,
    op: OpId,
    index: &[IndexId],
    reduction: &mut Vec<VarId>,
) -> Result<Vec<NodeId>, PassError> {
    let data = l.graph.op(op);
    let reduced = dim_list(data, "dimensions");
    let sizes = l.sizes(data.operands[0])?;
    let mut kept = index.iter();
    let mut full = Vec::with_capacity(sizes.len());
    for (d, &n) in sizes.iter().enumerate() {
        full.push(if reduced.contains(&d) {
            l.variable(n, reduction)
        } else {
            *kept.next().ok_or_else(|| PassError::internal(l.graph, op, "dimensions do not fit the result"))?
        });
    }
    data.operands[..data.results.len()].iter().map(|&v| l.value_at(v, &full, None)).collect()
}

/// Elements of the window of a result element; what the window sees outside the operand is the initial value.
fn window_inputs(
    l: &mut Lowering<'_>,
    op: OpId,
    index: &[IndexId],
    inits: &[NodeId],
    reduction: &mut Vec<VarId>,
) -> Result<Vec<NodeId>, PassError> {
    let data = l.graph.op(op);
    let sizes = l.sizes(data.operands[0])?;
    let w = window_dims(data, sizes.len());
    let windows = list(l.graph, op, "window_dimensions", (sizes.len(), 1), &mut l.exprs.indices);
    let low = low_padding(l.graph, op, "padding", sizes.len(), &mut l.exprs.indices);
    let mut full = Vec::with_capacity(sizes.len());
    let mut condition = None;
    for d in 0..sizes.len() {
        let inside = l.variable(windows[d], reduction);
        let inside = l.exprs.indices.scale(inside, w.window_dilation[d]);
        let start = l.exprs.indices.scale(index[d], w.strides[d]);
        let place = l.exprs.indices.add(start, inside);
        let dilation = l.constant(w.base_dilation[d]);
        let (place, so_far) = l.strided(place, low[d], dilation, sizes[d], condition);
        condition = so_far;
        full.push(place);
    }
    let mut inputs = Vec::with_capacity(inits.len());
    for (&operand, &init) in data.operands.iter().zip(inits) {
        inputs.push(match condition {
            None => l.value_at(operand, &full, None)?,
            Some(condition) => l.guarded(condition, (operand, &full), None, init)?,
        });
    }
    Ok(inputs)
}

//! Attention as plain ops spell it: a product whose one operand is a softmax of a product.
//!
//! Input: a `dot_general`, the index of its result, index tables. Output: where the softmax is taken, and of what.
//! Chains of conversions, transposes, reshapes and broadcasts are followed with the index, so that it is checked,
//! element by element, that maximum and sum run over exactly the elements that are exponentiated and divided.
//!
//! Worked example: `p = exp(x − max x) / Σ exp(x − max x)` over the last dimension of [2, 8, 64, 64] and
//! `dot_general(p, v)`: the contracted variable c is the column; sum and maximum are `reduce`s whose operand, read at
//! (b, h, r, c), is the numerator and x.

use fornax_graph::views::{DotDims, dim_list, dot_dims};
use fornax_graph::{Attr, ElementType, Graph, OpId, OpKind, ValueId};
use fornax_plan::index::Indices;
use fornax_plan::{Binary, IndexId, VarId};

use super::combiner::simple;
use super::index_maps::operand_index;
use super::ops::{Class, row, splat_bits, tensor};
use super::scalar::body;
use super::sizes::sizes;
use crate::errors::PassError;

/// A product of softmax weights with values.
#[derive(Clone, Debug)]
pub struct Softmax {
    /// Which operand holds the weights: 0 or 1.
    pub weights: usize,
    /// The contracted variable.
    pub column: VarId,
    /// Index of the value operand.
    pub value_index: Vec<IndexId>,
    /// What the softmax is taken of, and at which index.
    pub scores: ValueId,
    pub scores_index: Vec<IndexId>,
    /// Rows of which all scores are −inf have the weight 0, not NaN.
    pub empty_is_zero: bool,
}

/// Index of a value: the value, and where it is read.
type Place = (ValueId, Vec<IndexId>);

/// Elements of queries, keys, values and weights that kernels take.
pub fn is_taken(element: ElementType) -> bool {
    is_narrow(element) || element == ElementType::F32
}

/// 16-bit floats.
pub fn is_narrow(element: ElementType) -> bool {
    matches!(element, ElementType::F16 | ElementType::Bf16)
}

/// Indices of the operands of a `dot` or `dot_general` for an element of its result; contracted variables are added to
/// `reduction` (those of extent 1 are not).
pub fn operand_indices(
    graph: &Graph,
    op: OpId,
    index: &[IndexId],
    indices: &mut Indices,
    reduction: &mut Vec<VarId>,
) -> Result<(Vec<IndexId>, Vec<IndexId>), PassError> {
    let data = graph.op(op);
    let (left, right) = (sizes(graph, data.operands[0], indices)?, sizes(graph, data.operands[1], indices)?);
    let dims = match data.kind {
        OpKind::Dot => DotDims {
            lhs_contract: left.len().checked_sub(1).into_iter().collect(),
            rhs_contract: if right.is_empty() { Vec::new() } else { vec![0] },
            ..DotDims::default()
        },
        _ => dot_dims(data),
    };
    let mut lhs: Vec<Option<IndexId>> = vec![None; left.len()];
    let mut rhs: Vec<Option<IndexId>> = vec![None; right.len()];
    let broken = || PassError::internal(graph, op, "dimension numbers do not fit the shapes");
    let mut next = index.iter().copied();
    for (&a, &b) in dims.lhs_batch.iter().zip(&dims.rhs_batch) {
        let at = next.next().ok_or_else(broken)?;
        *lhs.get_mut(a).ok_or_else(broken)? = Some(at);
        *rhs.get_mut(b).ok_or_else(broken)? = Some(at);
    }
    let free = |n: usize, contract: &[usize], batch: &[usize]| -> Vec<usize> {
        (0..n).filter(|d| !contract.contains(d) && !batch.contains(d)).collect()
    };
    for d in free(left.len(), &dims.lhs_contract, &dims.lhs_batch) {
        lhs[d] = Some(next.next().ok_or_else(broken)?);
    }
    for d in free(right.len(), &dims.rhs_contract, &dims.rhs_batch) {
        rhs[d] = Some(next.next().ok_or_else(broken)?);
    }
    for (&a, &b) in dims.lhs_contract.iter().zip(&dims.rhs_contract) {
        let n = *left.get(a).ok_or_else(broken)?;
        let var = indices.add_sized_var(n);
        if indices.as_constant(n) != Some(1) {
            reduction.push(var);
        }
        let at = indices.var(var);
        lhs[a] = Some(at);
        *rhs.get_mut(b).ok_or_else(broken)? = Some(at);
    }
    let whole = |index: Vec<Option<IndexId>>| index.into_iter().collect::<Option<Vec<_>>>().ok_or_else(broken);
    Ok((whole(lhs)?, whole(rhs)?))
}

/// The softmax behind one operand of the product `op`, whose result is read at `index`.
pub fn softmax_product(
    graph: &Graph,
    op: OpId,
    index: &[IndexId],
    indices: &mut Indices,
) -> Result<Option<Softmax>, PassError> {
    if graph.op(op).kind != OpKind::DotGeneral {
        return Ok(None);
    }
    let mut reduction = Vec::new();
    let (left, right) = operand_indices(graph, op, index, indices, &mut reduction)?;
    let [column] = reduction[..] else { return Ok(None) };
    let operands = &graph.op(op).operands;
    for (weights, place, value_index) in [(0, &left, &right), (1, &right, &left)] {
        let place = (operands[weights], place.clone());
        let guarded = guarded_weights(graph, place.clone(), column, indices)?;
        let (place, empty_of) = guarded.map_or((place, None), |(place, scores)| (place, Some(scores)));
        let Some(scores) = weights_of(graph, place, column, indices)? else { continue };
        let empty_is_zero = empty_of.is_some();
        if let Some(empty_of) = empty_of
            && empty_of != source(graph, scores.clone(), indices)?
        {
            return Ok(None);
        }
        let (scores, scores_index) = scores;
        return Ok(Some(Softmax {
            weights,
            column,
            value_index: value_index.clone(),
            scores,
            scores_index,
            empty_is_zero,
        }));
    }
    Ok(None)
}

/// The weights in `select(all scores of the row are −inf, 0, weights)`, as torch guards masked rows, and the scores
/// that are looked at.
fn guarded_weights(
    graph: &Graph,
    place: Place,
    column: VarId,
    indices: &mut Indices,
) -> Result<Option<(Place, Place)>, PassError> {
    let (value, at) = source(graph, place, indices)?;
    let Some([condition, zero, weights]) = operands_of(graph, value, OpKind::Select) else { return Ok(None) };
    let zero = splat_source(graph, zero).and_then(|v| splat_bits(graph, v));
    let (mut all, mut wanted) = (source(graph, (condition, at.clone()), indices)?, true);
    while let Some([inner]) = operands_of(graph, all.0, OpKind::Not) {
        (all, wanted) = (source(graph, (inner, all.1), indices)?, !wanted);
    }
    let combiner = if wanted { Binary::And } else { Binary::Or };
    let Some(mut each) = folded(graph, all, combiner, column, indices)? else { return Ok(None) };
    while let Some([inner]) = operands_of(graph, each.0, OpKind::Not) {
        (each, wanted) = (source(graph, (inner, each.1), indices)?, !wanted);
    }
    let Some([scores, low]) = operands_of(graph, each.0, OpKind::Compare) else { return Ok(None) };
    let compare = graph.producer(each.0).and_then(|op| graph.op(op).attrs.get("comparison_direction"));
    let direction = if wanted { "EQ" } else { "NE" };
    let fits = matches!(compare, Some(Attr::Enum(_, d)) if d == direction) && least(graph, low)? && zero == Some(0);
    if !fits {
        return Ok(None);
    }
    let scores = source(graph, (scores, each.1), indices)?;
    Ok(Some(((weights, at), scores)))
}

/// The argument of the softmax whose weights are read at a place, as a function of `column`.
fn weights_of(graph: &Graph, weights: Place, column: VarId, indices: &mut Indices) -> Result<Option<Place>, PassError> {
    let (quotient, at) = source(graph, weights, indices)?;
    let Some([numerator, denominator]) = operands_of(graph, quotient, OpKind::Divide) else { return Ok(None) };
    let exponential = source(graph, (numerator, at.clone()), indices)?;
    let Some([argument]) = operands_of(graph, exponential.0, OpKind::Exponential) else { return Ok(None) };
    let sum = source(graph, (denominator, at), indices)?;
    if folded(graph, sum, Binary::Add, column, indices)?.as_ref() != Some(&exponential) {
        return Ok(None);
    }
    let (difference, at) = source(graph, (argument, exponential.1), indices)?;
    let Some([scores, maximum]) = operands_of(graph, difference, OpKind::Subtract) else { return Ok(None) };
    let maximum = guarded_maximum(graph, (maximum, at.clone()), indices)?;
    let of = folded(graph, maximum, Binary::Maximum, column, indices)?;
    let same = of.is_some() && of == Some(source(graph, (scores, at.clone()), indices)?);
    Ok(same.then_some((scores, at)))
}

/// Follows conversions between floats and ops that only move elements.
fn source(graph: &Graph, (mut value, mut index): Place, indices: &mut Indices) -> Result<Place, PassError> {
    while let Some(op) = graph.producer(value) {
        let data = graph.op(op);
        match data.kind {
            OpKind::Convert if converts_floats(graph, op) => {}
            OpKind::Transpose | OpKind::Reshape | OpKind::BroadcastInDim => {
                match operand_index(graph, op, &index, indices)? {
                    Some(mapped) => index = mapped,
                    None => break,
                }
            }
            _ => break,
        }
        value = data.operands[0];
    }
    Ok((value, index))
}

fn converts_floats(graph: &Graph, op: OpId) -> bool {
    let data = graph.op(op);
    let mut both = data.operands.iter().chain(&data.results);
    both.all(|&v| graph.ty(v).as_tensor().is_some_and(|t| t.element.is_float() && t.element.bits() >= 16))
}

/// Operands of the op that makes a value, where it is of this kind and has as many.
fn operands_of<const N: usize>(graph: &Graph, value: ValueId, kind: OpKind) -> Option<[ValueId; N]> {
    let op = graph.op(graph.producer(value)?);
    if op.kind == kind { op.operands.as_slice().try_into().ok() } else { None }
}

/// What a `reduce` folds over one dimension, read at `column` there.
fn folded(
    graph: &Graph,
    (value, index): Place,
    combiner: Binary,
    column: VarId,
    indices: &mut Indices,
) -> Result<Option<Place>, PassError> {
    let Some(op) = graph.producer(value).filter(|&op| graph.op(op).kind == OpKind::Reduce) else { return Ok(None) };
    let data = graph.op(op);
    let (&[operand, init], &[dimension]) = (data.operands.as_slice(), dim_list(data, "dimensions").as_slice()) else {
        return Ok(None);
    };
    let sizes = sizes(graph, operand, indices)?;
    let whole = sizes.get(dimension) == Some(&indices.extent_index(column)) && dimension <= index.len();
    if !whole || simple(graph, body(graph, op)?) != Some(combiner) || !is_neutral(graph, init, combiner)? {
        return Ok(None);
    }
    let mut full = index;
    full.insert(dimension, indices.var(column));
    source(graph, (operand, full), indices).map(Some)
}

/// Zero for a sum, true for all, false for any; for a maximum the least value there is.
fn is_neutral(graph: &Graph, init: ValueId, combiner: Binary) -> Result<bool, PassError> {
    let Some(bits) = splat_bits(graph, init) else { return Ok(false) };
    let element = tensor(graph, init)?.element;
    let sign = 1u64 << (element.bits() - 1);
    Ok(match combiner {
        Binary::Add => bits & !sign == 0,
        Binary::And => bits & 1 == 1,
        Binary::Or => bits == 0,
        _ => super::scalar::float_of(element, bits).is_some_and(|v| v == f64::NEG_INFINITY),
    })
}

/// Past guards of the maximum: `maximum(−inf, m)`, `select(is_finite(m), m, 0)`. Which number is subtracted changes
/// nothing but for overflow, and neither guard changes it where a weight is not NaN anyway.
fn guarded_maximum(graph: &Graph, place: Place, indices: &mut Indices) -> Result<Place, PassError> {
    let (value, at) = source(graph, place, indices)?;
    let constant = |v: ValueId| splat_source(graph, v).is_some();
    let inner = match graph.producer(value).map(|op| graph.op(op)) {
        Some(op) if op.kind == OpKind::Maximum => match op.operands[..] {
            [a, b] if least(graph, a)? => Some(b),
            [a, b] if least(graph, b)? => Some(a),
            _ => None,
        },
        Some(op) if op.kind == OpKind::Select => match op.operands[..] {
            [c, a, b] if constant(b) && operands_of::<1>(graph, c, OpKind::IsFinite) == Some([a]) => Some(a),
            _ => None,
        },
        _ => None,
    };
    match inner {
        Some(inner) => source(graph, (inner, at), indices),
        None => Ok((value, at)),
    }
}

fn least(graph: &Graph, value: ValueId) -> Result<bool, PassError> {
    match splat_source(graph, value) {
        Some(constant) => is_neutral(graph, constant, Binary::Maximum),
        None => Ok(false),
    }
}

/// The splat constant that a value repeats.
pub fn splat_source(graph: &Graph, mut value: ValueId) -> Option<ValueId> {
    while splat_bits(graph, value).is_none() {
        let op = graph.op(graph.producer(value)?);
        if !matches!(op.kind, OpKind::BroadcastInDim | OpKind::Reshape | OpKind::Transpose) {
            return None;
        }
        value = *op.operands.first()?;
    }
    Some(value)
}

/// The product of query and key behind scores: the first product that elementwise ops and moves lead to.
pub fn score_product(graph: &Graph, scores: ValueId) -> Option<OpId> {
    let mut open = vec![scores];
    let mut seen = std::collections::HashSet::new();
    while let Some(value) = open.pop() {
        let Some(op) = graph.producer(value).filter(|op| seen.insert(*op)) else { continue };
        let data = graph.op(op);
        if data.kind == OpKind::DotGeneral && dot_dims(data).lhs_contract.len() == 1 {
            return Some(op);
        }
        if matches!(row(data.kind).map(|r| r.class), Some(Class::Elementwise | Class::Index)) {
            open.extend(data.operands.iter().rev());
        }
    }
    None
}

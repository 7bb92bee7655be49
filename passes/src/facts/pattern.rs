//! What the ops of attention are matched by: where a value is read, what stands behind moves and conversions, what a
//! reduction folds.
//!
//! Input: values and the index at which they are read. Output: the same of what they are made from. Chains of
//! conversions, transposes, reshapes and broadcasts are followed with the index, so that it can be checked, element by
//! element, that a maximum and a sum run over exactly the elements that are exponentiated and divided (`softmax`).
//!
//! Worked example: `broadcast(reduce(x))` read at (b, h, r, c) is the `reduce` at (b, h, r), which folds x at (b, h, r,
//! c) for the column c.

use fornax_graph::views::{DotDims, dim_list, dot_dims};
use fornax_graph::{ElementType, Graph, OpId, OpKind, ValueId};
use fornax_plan::index::Indices;
use fornax_plan::{Binary, IndexId, VarId};

use super::combiner::simple;
use super::index_maps::operand_index;
use super::ops::{Class, row, splat_bits, tensor};
use super::scalar::body;
use super::sizes::sizes;
use crate::errors::PassError;

/// A value, and where it is read.
pub type Place = (ValueId, Vec<IndexId>);

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

/// Follows conversions between floats and ops that only move elements.
pub fn source(graph: &Graph, (mut value, mut index): Place, indices: &mut Indices) -> Result<Place, PassError> {
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
pub fn operands_of<const N: usize>(graph: &Graph, value: ValueId, kind: OpKind) -> Option<[ValueId; N]> {
    let op = graph.op(graph.producer(value)?);
    if op.kind == kind { op.operands.as_slice().try_into().ok() } else { None }
}

/// What a `reduce` folds over one dimension, read at `column` there.
pub fn folded(
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

pub(super) fn least(graph: &Graph, value: ValueId) -> Result<bool, PassError> {
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

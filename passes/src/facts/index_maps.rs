//! Index maps of ops that only move elements: from the index of a result element to the index of the operand element.
//!
//! Worked example: `transpose dims = [1, 0]` of [3, 5] → [5, 3]: result index (i, j) reads operand index (j, i).

use fornax_graph::views::dim_list;
use fornax_graph::{Graph, OpId, OpKind};
use fornax_plan::IndexId;
use fornax_plan::index::Indices;

use super::sizes::{list, sizes};
use crate::errors::PassError;

/// Index of operand 0 for result index `index`, for ops whose map is total and needs no loaded value: broadcast,
/// reshape, transpose, slice, reverse. `None` for every other op.
pub fn operand_index(
    graph: &Graph,
    op: OpId,
    index: &[IndexId],
    indices: &mut Indices,
) -> Result<Option<Vec<IndexId>>, PassError> {
    let data = graph.op(op);
    let (Some(&operand), Some(&result)) = (data.operands.first(), data.results.first()) else { return Ok(None) };
    let source = sizes(graph, operand, indices)?;
    let pick = |d: usize| {
        index.get(d).copied().ok_or_else(|| PassError::internal(graph, op, format!("dimension {d} is out of range")))
    };
    Ok(Some(match data.kind {
        OpKind::Reshape => {
            let target = sizes(graph, result, indices)?;
            relinearize(indices, index, &target, &source)
        }
        OpKind::BroadcastInDim => {
            let dims = dim_list(data, "broadcast_dimensions");
            let mut mapped = Vec::with_capacity(source.len());
            for (&n, &d) in source.iter().zip(&dims) {
                mapped.push(if indices.as_constant(n) == Some(1) { indices.constant(0) } else { pick(d)? });
            }
            mapped
        }
        OpKind::Transpose => {
            let mut mapped = vec![indices.constant(0); source.len()];
            for (at, &d) in dim_list(data, "permutation").iter().enumerate() {
                if let Some(slot) = mapped.get_mut(d) {
                    *slot = pick(at)?;
                }
            }
            mapped
        }
        OpKind::Slice => {
            let starts = list(graph, op, "start_indices", (source.len(), 0), indices);
            let strides = list(graph, op, "strides", (source.len(), 1), indices);
            let mut mapped = Vec::with_capacity(source.len());
            for d in 0..source.len() {
                let scaled = indices.multiply(pick(d)?, strides[d]);
                mapped.push(indices.add(scaled, starts[d]));
            }
            mapped
        }
        OpKind::Reverse => {
            let mut mapped = index.to_vec();
            for d in dim_list(data, "dimensions") {
                let negated = indices.scale(pick(d)?, -1);
                let last = indices.offset(source[d], -1);
                mapped[d] = indices.add(negated, last);
            }
            mapped
        }
        _ => return Ok(None),
    }))
}

/// Inverse of [`operand_index`] for the bijective ops: result index for operand index `index`.
pub fn result_index(
    graph: &Graph,
    op: OpId,
    index: &[IndexId],
    indices: &mut Indices,
) -> Result<Option<Vec<IndexId>>, PassError> {
    let data = graph.op(op);
    if !is_bijective(graph, op)? {
        return Ok(None);
    }
    let source = sizes(graph, data.operands[0], indices)?;
    let target = sizes(graph, data.results[0], indices)?;
    Ok(match data.kind {
        OpKind::Reshape | OpKind::BroadcastInDim => Some(relinearize(indices, index, &source, &target)),
        OpKind::Transpose => {
            let permutation = dim_list(data, "permutation");
            permutation.iter().map(|&d| index.get(d).copied()).collect()
        }
        // A reversal is its own inverse.
        OpKind::Reverse => operand_index(graph, op, index, indices)?,
        _ => None,
    })
}

/// Does the op only rename elements: reshape, transpose, reverse, a broadcast that adds dimensions of size 1?
pub fn is_bijective(graph: &Graph, op: OpId) -> Result<bool, PassError> {
    Ok(matches!(graph.op(op).kind, OpKind::Transpose | OpKind::Reverse) || is_renaming(graph, op)?)
}

/// Does the op keep the row-major order of elements, so that its result is its operand under another shape?
pub fn is_renaming(graph: &Graph, op: OpId) -> Result<bool, PassError> {
    let data = graph.op(op);
    match data.kind {
        OpKind::Reshape => Ok(true),
        OpKind::BroadcastInDim => {
            let mut indices = Indices::default();
            let source = sizes(graph, data.operands[0], &mut indices)?;
            let target = sizes(graph, data.results[0], &mut indices)?;
            let dims = dim_list(data, "broadcast_dimensions");
            // Dimensions of size 1 may move freely.
            let one = indices.constant(1);
            let moved: Vec<usize> = source.iter().zip(&dims).filter(|p| *p.0 != one).map(|p| *p.1).collect();
            let same = indices.product_of(&source) == indices.product_of(&target);
            Ok(same && moved.windows(2).all(|w| w[0] < w[1]))
        }
        _ => Ok(false),
    }
}

/// Index in shape `to` of the element that `index` names in shape `from`, both row-major.
pub fn relinearize(indices: &mut Indices, index: &[IndexId], from: &[IndexId], to: &[IndexId]) -> Vec<IndexId> {
    if from == to {
        return index.to_vec();
    }
    let flat = indices.linearize_sized(index, from);
    indices.delinearize_sized(flat, to)
}

//! Shapes as index expressions: constants where sizes are static, else polynomials in the kernel's size parameters.
//!
//! Sums and products of sizes are spelled out, so that a reshape of `[b, 4]` to `[4*b]` cancels; every other size (an
//! argument's, one read from data, a quotient, a minimum, an opaque sum) is a parameter that the host computes.
//!
//! Worked example: with b = size 0 of argument 0, `[2*b + 1, 3]` is `[2·s0 + 1, 3]` with parameter s0 = b.

use fornax_graph::{Dim, DimDef, DimExpr, Graph, OpId, ValueId};
use fornax_plan::IndexId;
use fornax_plan::index::Indices;

use super::ops::tensor;
use crate::errors::PassError;

/// A size.
pub fn size(graph: &Graph, dim: Dim, indices: &mut Indices) -> IndexId {
    let at = match dim {
        Dim::Static(n) => return indices.constant(n),
        Dim::Symbolic(at) => at,
    };
    let Some(entry) = graph.dims.get(at as usize) else { return indices.size(at, 0, i64::MAX) };
    match entry.def {
        _ if entry.is_opaque => indices.size(at, entry.min, entry.max),
        DimDef::Expr(DimExpr::Add(a, b)) => {
            let (a, b) = (size(graph, a, indices), size(graph, b, indices));
            indices.add(a, b)
        }
        DimDef::Expr(DimExpr::Sub(a, b)) => {
            let (a, b) = (size(graph, a, indices), size(graph, b, indices));
            indices.sub(a, b)
        }
        DimDef::Expr(DimExpr::Mul(a, b)) => {
            let (a, b) = (size(graph, a, indices), size(graph, b, indices));
            indices.multiply(a, b)
        }
        _ => indices.size(at, entry.min, entry.max),
    }
}

/// The shape of a value of a checked op.
pub fn sizes(graph: &Graph, value: ValueId, indices: &mut Indices) -> Result<Vec<IndexId>, PassError> {
    Ok(tensor(graph, value)?.shape.iter().map(|&dim| size(graph, dim, indices)).collect())
}

/// A list attribute with `n` sizes, or `n` times the default.
pub fn list(graph: &Graph, op: OpId, name: &str, (n, default): (usize, i64), indices: &mut Indices) -> Vec<IndexId> {
    match graph.op(op).attrs.dims(name) {
        Some(dims) if dims.len() == n => dims.into_iter().map(|dim| size(graph, dim, indices)).collect(),
        _ => vec![indices.constant(default); n],
    }
}

/// The low padding of each dimension from a flattened `[n, 2]` table.
pub fn low_padding(graph: &Graph, op: OpId, name: &str, n: usize, indices: &mut Indices) -> Vec<IndexId> {
    list(graph, op, name, (2 * n, 0), indices).into_iter().step_by(2).collect()
}

/// The sizes as numbers, where all are static.
pub fn constants(sizes: &[IndexId], indices: &Indices) -> Option<Vec<i64>> {
    sizes.iter().map(|&n| indices.as_constant(n)).collect()
}

/// Largest number of elements of a shape.
pub fn most_elements(sizes: &[IndexId], indices: &Indices) -> i64 {
    let each = sizes.iter().map(|&n| indices.range(n).1.max(0));
    if sizes.iter().any(|&n| indices.as_constant(n) == Some(0)) { 0 } else { each.fold(1, i64::saturating_mul) }
}

/// Have two values the same shape in every call?
pub fn same_shape(graph: &Graph, a: ValueId, b: ValueId) -> Result<bool, PassError> {
    Ok(tensor(graph, a)?.shape == tensor(graph, b)?.shape)
}

/// Do two values have equally many elements in every call?
pub fn same_count(graph: &Graph, a: ValueId, b: ValueId) -> Result<bool, PassError> {
    let (x, y) = (tensor(graph, a)?, tensor(graph, b)?);
    if x.shape == y.shape {
        return Ok(true);
    }
    if let (Some(m), Some(n)) = (x.elements(), y.elements()) {
        return Ok(m == n);
    }
    let mut indices = Indices::default();
    let mut count = |value| -> Result<_, PassError> {
        let sizes = sizes(graph, value, &mut indices)?;
        let one = indices.constant(1);
        Ok(sizes.into_iter().fold(one, |n, size| indices.multiply(n, size)))
    };
    Ok(count(a)? == count(b)?)
}

//! Sizes of values as fusion weighs them: exact comparisons by symbols, amounts by estimates.
//!
//! `[b, 4]` and `[4*b]` have equally many elements whatever b is; where b may be anything a tensor `[b, 1000]` is weighed as
//! `[64, 1000]`.

use fornax_graph::{Dim, DimDef, Graph, SymbolicDim, ValueId};
use fornax_plan::index::Indices;

use crate::errors::PassError;
use crate::facts::ops::tensor;
use crate::facts::sizes::sizes;

/// Scalars that the host reads as sizes, as far as something has such a size: they are stored though no kernel reads them.
pub fn read_sizes(graph: &Graph) -> Vec<ValueId> {
    let read = |dim: &SymbolicDim| if let DimDef::Value { value } = dim.def { Some(value) } else { None };
    if graph.dims.iter().all(|dim| read(dim).is_none()) {
        return Vec::new();
    }
    graph.dims.iter().zip(graph.used_dims()).filter(|(_, used)| *used).filter_map(|(dim, _)| read(dim)).collect()
}

/// The shape of a value of a checked op.
pub fn shape(graph: &Graph, value: ValueId) -> Result<Vec<Dim>, PassError> {
    Ok(tensor(graph, value)?.shape.clone())
}

/// The shape without dimensions of size 1.
pub fn long_shape(graph: &Graph, value: ValueId) -> Result<Vec<Dim>, PassError> {
    Ok(tensor(graph, value)?.shape.iter().copied().filter(|&n| n != Dim::Static(1)).collect())
}

/// About how many elements there are along some dimensions.
pub fn product(graph: &Graph, dims: impl IntoIterator<Item = Dim>) -> i64 {
    dims.into_iter().fold(1, |n, dim| n.saturating_mul(graph.dim_estimate(dim)))
}

/// About how many elements a value of a checked op has.
pub fn elements(graph: &Graph, value: ValueId) -> Result<i64, PassError> {
    Ok(product(graph, shape(graph, value)?))
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

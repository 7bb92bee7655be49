//! Sizes of values as fusion weighs them: exact comparisons by symbols, amounts by estimates.
//!
//! `[b, 4]` and `[4*b]` have equally many elements whatever b is; where b may be anything a tensor `[b, 1000]` is
//! weighed as `[64, 1000]`.

use fornax_graph::{Dim, DimDef, Graph, SymbolicDim, ValueId};

use crate::errors::PassError;
use crate::facts::ops::tensor;

/// Scalars that the host reads as sizes, as far as something has such a size: they are stored though no kernel reads
/// them.
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

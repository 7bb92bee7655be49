//! Which `reduce_window` is a prefix fold: a cumulative sum, product, maximum, … as JAX writes it.
//!
//! Worked example: [4, 1000] with window [1, 1000] and padding [[0, 0], [999, 0]]: element (i, j) is the fold over j' ≤
//! j. Padding [[0, 0], [0, 999]]: the fold over j' ≥ j.

use fornax_graph::views::{padding_dims, window_dims, window_sizes};
use fornax_graph::{Dim, Graph, OpId, OpKind};
use fornax_plan::Binary;

use super::combiner::simple;
use super::ops::tensor;
use super::scalar::body;
use crate::errors::PassError;

/// A prefix fold along a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    pub dimension: usize,
    /// From the end on.
    pub reverse: bool,
    pub combiner: Binary,
}

/// The prefix fold that an op is, if it is one over more than one element.
///
/// # Errors
/// FX0316 for ops that the verifier should have refused.
pub fn of(graph: &Graph, op: OpId) -> Result<Option<Prefix>, PassError> {
    let data = graph.op(op);
    if data.kind != OpKind::ReduceWindow || data.results.len() != 1 || data.operands.len() != 2 {
        return Ok(None);
    }
    let Some(combiner) = simple(graph, body(graph, op)?) else { return Ok(None) };
    let sizes = &tensor(graph, data.operands[0])?.shape;
    let w = window_dims(data, sizes.len());
    let ones = |list: &[i64]| list.iter().all(|&n| n == 1);
    if !ones(&w.strides) || !ones(&w.base_dilation) || !ones(&w.window_dilation) {
        return Ok(None);
    }
    let (windows, padding) = (window_sizes(data, sizes.len()), padding_dims(data, "padding", sizes.len()));
    let zero = Dim::Static(0);
    let mut found = None;
    for (dimension, &n) in sizes.iter().enumerate() {
        if (windows[dimension], padding[dimension]) == (Dim::Static(1), (zero, zero)) {
            continue;
        }
        let rest = before(graph, n);
        let reverse = match padding[dimension] {
            (low, high) if windows[dimension] == n && low == rest && high == zero => false,
            (low, high) if windows[dimension] == n && low == zero && high == rest => true,
            _ => return Ok(None),
        };
        if found.replace(Prefix { dimension, reverse, combiner }).is_some() {
            return Ok(None);
        }
    }
    Ok(found)
}

/// `n - 1`, as the graph's table has it.
fn before(graph: &Graph, n: Dim) -> Dim {
    let mut table = Graph { dims: graph.dims.clone(), ..Graph::default() };
    table.dim_sub(n, Dim::Static(1))
}

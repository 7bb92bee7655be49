//! Sorts of lines as long as a size known only at run time: runs of 64 in order, then merges of four runs each, then one of all that are
//! left.
//!
//! How often runs must be merged depends on the call; what is merged already is copied. A merge finds the place of an element by a binary
//! search in each of the other runs (`emit/sized.rs`), so a line of n elements takes about 3·log₂(n)²/4 steps an element and
//! n log²(n) in all, while it has no more than 2²⁰; the last merge looks into n / 2²⁰ runs.
//!
//! Worked example: 1..100,000 elements: runs of 64, 256, 1024, 4096, 16,384, 65,536 and then all: 7 ops, where 100 elements take
//! two and five copies.

use fornax_graph::{BlockId, Dim, Graph, OpId, Type, ValueId};

use super::prepare::replace;
use super::split_sort::sort_like;
use crate::errors::PassError;
use crate::facts::marks::DIGIT_SHIFT;
use crate::facts::marks::{RUNS, SORTED_RUNS};
use crate::facts::ops::tensor;
use crate::facts::sorting::dimension;

/// Elements of the first runs, of which every one is compared with every other.
const FIRST: i64 = 64;
/// Runs that a merge makes one of.
const MERGED: i64 = 4;
/// Elements of the runs that the last merge finds at most.
const LAST: i64 = 1 << 20;

/// Splits `op`, a `sort` in the function body `entry`, where the length of its lines is known only at run time.
pub fn split(graph: &mut Graph, op: OpId, entry: BlockId) -> Result<(), PassError> {
    let data = graph.op(op).clone();
    let Some(&first) = data.operands.first() else { return Ok(()) };
    let along = dimension(graph, op)?;
    let size = tensor(graph, first)?.shape[along];
    let most = graph.dim_bounds(size).1;
    if matches!(size, Dim::Static(_)) || data.attrs.int(RUNS).is_some() || data.attrs.int(DIGIT_SHIFT).is_some() {
        return Ok(());
    }
    let types: Vec<Type> = data.operands.iter().map(|&v| graph.ty(v).clone()).collect();
    let mut values = data.operands.clone();
    let mut run = FIRST;
    if most > run {
        values = sort_like(graph, op, &values, types.clone(), &[(RUNS, run)]);
        while run < LAST && run * MERGED < most {
            values = sort_like(graph, op, &values, types.clone(), &[(SORTED_RUNS, run), (RUNS, run * MERGED)]);
            run *= MERGED;
        }
        values = sort_like(graph, op, &values, types.clone(), &[(SORTED_RUNS, run)]);
        let pairs: Vec<(ValueId, ValueId)> = data.results.iter().copied().zip(values).collect();
        replace(graph, entry, &pairs);
        graph.erase_op(op);
    }
    Ok(())
}

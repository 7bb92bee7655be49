//! Sorts of lines as long as a size known only at run time: runs of 64 in order, then merges of four runs each, then one of all that are
//! left.
//!
//! How often runs must be merged depends on the call; what is merged already is copied. A merge finds the place of an element by a binary
//! search in each of the other runs (`emit/sized.rs`), so a line of n elements takes about 3·log₂(n)²/4 steps an element and
//! n log²(n) in all, while it has no more than 2²⁰; the last merge looks into n / 2²⁰ runs.
//!
//! Worked example: 1..100,000 elements: runs of 64, 256, 1024, 4096, 16,384, 65,536 and then all: 7 ops, where 100 elements take
//! two and five copies.

use fornax_graph::{Attr, BlockId, Dim, ElementType, Graph, NewOp, OpId, OpKind, Type, ValueId};

use super::prepare::replace;
use super::split_sort::copy_region;
use crate::errors::PassError;
use crate::schedule::ops::tensor;
use crate::schedule::radix::DIGIT_SHIFT;
use crate::schedule::sort::{RUNS, SORTED_RUNS, dimension};

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
    let mut values = data.operands.clone();
    let mut run = FIRST;
    if most > run {
        values = part(graph, op, &values, &[(RUNS, run)]);
        while run < LAST && run * MERGED < most {
            values = part(graph, op, &values, &[(SORTED_RUNS, run), (RUNS, run * MERGED)]);
            run *= MERGED;
        }
        values = part(graph, op, &values, &[(SORTED_RUNS, run)]);
        let pairs: Vec<(ValueId, ValueId)> = data.results.iter().copied().zip(values).collect();
        replace(graph, entry, &pairs);
        graph.erase_op(op);
    }
    Ok(())
}

/// A sort like `op` of other operands, with attributes.
fn part(graph: &mut Graph, op: OpId, operands: &[ValueId], attributes: &[(&str, i64)]) -> Vec<ValueId> {
    let data = graph.op(op).clone();
    let types: Vec<Type> = data.operands.iter().map(|&v| graph.ty(v).clone()).collect();
    let mut new = NewOp::new(OpKind::Sort, operands.to_vec(), types, data.location);
    for name in ["dimension", "is_stable"] {
        if let Some(value) = data.attrs.get(name) {
            new = new.attr(name, value.clone());
        }
    }
    for &(name, value) in attributes {
        new = new.attr(name, Attr::Int(i128::from(value), Type::Scalar(ElementType::I64)));
    }
    for &region in &data.regions {
        new.regions.push(copy_region(graph, region));
    }
    let at = graph.block(data.block).ops.iter().position(|&o| o == op).unwrap_or(0);
    let new = graph.insert_op(data.block, at, new);
    graph.op(new).results.clone()
}

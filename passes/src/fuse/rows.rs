//! Rows: when several reductions share one group.
//!
//! A group whose domain is a tensor, or whose hero reduces one, has a *space*: the shape of that tensor and the
//! dimensions that are reduced. A further `reduce` over the same dimensions of the same shape may join when the group
//! reads its result once a row: through a broadcast of the kept dimensions back to the space, or at the index of the
//! first reduction's result. What stands between, such as `rsqrt(variance + ε)`, is then evaluated once a row, and what
//! is reduced once an element.
//!
//! Worked example, softmax of [64, 1000]: the division's group has elements (i, j). It reads the sum through `broadcast
//! dims = [0]`, which keeps dimension 0 and drops 1, the one that is reduced: the sum joins, then the maximum.
//!
//! Fusion walks backwards, so the values between are decided before the reduction they come from. They are left in the
//! group as a *claim* that this reduction will join it; when one does not, fusion decides again without that reduction.

use std::collections::{BTreeSet, HashMap};

use fornax_graph::views::dim_list;
use fornax_graph::{BlockId, Dim, Graph, OpId, OpKind, ValueId};

use super::extents::{long_shape, product, shape};
use super::maps::MapId;
use crate::errors::PassError;
use crate::facts::index_maps::is_renaming;
use crate::facts::ops::{Class, row};

/// Elements of a row up to which one workgroup a row is good enough, however few rows there are.
const ROW_ELEMENTS_ALONE: i64 = 32 * 1024;
/// Rows from which longer ones may be fused too, and how long these may be.
const ROWS_MANY: i64 = 128;
const ROW_ELEMENTS_MAX: i64 = 1024 * 1024;

/// Columns, of which a workgroup has some dozens, from which they may be fused, and how long they may be.
const COLUMNS_MANY: i64 = 4096;
const COLUMN_ELEMENTS_MAX: i64 = 64 * 1024;
/// Values that are looked at for what two reductions both read, at most.
const VALUES_MAX: usize = 32;
/// Elements that are done in about the time of a launch.
const ELEMENTS_FEW: i64 = 1024 * 1024;

/// Which dimensions of a shape an index keeps; those of size 1 are not listed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kept {
    pub sizes: Vec<Dim>,
    pub dims: Vec<usize>,
}

/// What a group folds: elements and rows.
#[derive(Clone, Debug)]
pub struct Space {
    pub kept: Kept,
    /// How the group reads an element, and the result of a reduction.
    pub element: MapId,
    pub row: MapId,
}

/// The rows of a `reduce`: `None` for other ops, and where a kernel a row would not pay.
pub fn of_reduce(graph: &Graph, op: OpId) -> Result<Option<Kept>, PassError> {
    let Some(kept) = folded(graph, op)? else { return Ok(None) };
    let reduced = dim_list(graph.op(op), "dimensions");
    let length = product(graph, reduced.iter().filter_map(|&d| kept.sizes.get(d).copied()));
    let rows = product(graph, kept.dims.iter().map(|&d| kept.sizes[d]));
    let inner = (0..kept.sizes.len()).rev().find(|&d| kept.sizes[d] != Dim::Static(1)).unwrap_or(0);
    let pays = if length.saturating_mul(rows) <= ELEMENTS_FEW {
        true
    } else if reduced.contains(&inner) {
        length <= ROW_ELEMENTS_ALONE || rows >= ROWS_MANY && length <= ROW_ELEMENTS_MAX
    } else {
        rows >= COLUMNS_MANY && length <= COLUMN_ELEMENTS_MAX
    };
    Ok(pays.then_some(kept))
}

/// The rows of a `reduce`, whether or not a kernel a row would pay.
pub fn folded(graph: &Graph, op: OpId) -> Result<Option<Kept>, PassError> {
    let data = graph.op(op);
    let n = data.results.len();
    if data.kind != OpKind::Reduce || n == 0 || data.operands.len() != 2 * n {
        return Ok(None);
    }
    let sizes = shape(graph, data.operands[0])?;
    let reduced = dim_list(data, "dimensions");
    for &operand in &data.operands[..n] {
        if shape(graph, operand)? != sizes {
            return Ok(None);
        }
    }
    let length = product(graph, reduced.iter().filter_map(|&d| sizes.get(d).copied()));
    let long = |d: &usize| sizes[*d] != Dim::Static(1);
    let dims: Vec<usize> = (0..sizes.len()).filter(|d| !reduced.contains(d) && long(d)).collect();
    let rows = product(graph, dims.iter().map(|&d| sizes[d]));
    Ok((length > 1 && rows > 0).then_some(Kept { sizes, dims }))
}

/// Do two reductions fold operands of one shape over the very same dimensions? [`Kept`] does not tell dimensions of
/// size 1 apart, a kernel's results do.
pub fn same(graph: &Graph, a: OpId, b: OpId) -> Result<bool, PassError> {
    let (first, second) = (graph.op(a), graph.op(b));
    let (Some(&x), Some(&y)) = (first.operands.first(), second.operands.first()) else { return Ok(false) };
    Ok(shape(graph, x)? == shape(graph, y)? && dim_list(first, "dimensions") == dim_list(second, "dimensions"))
}

/// Values that a reduction reads once an element, by elementwise ops from its first operand on: what they are computed
/// from, too, but for what repeats values of fewer elements.
pub fn read_by_element(graph: &Graph, op: OpId) -> Result<Vec<ValueId>, PassError> {
    let Some(&operand) = graph.op(op).operands.first() else { return Ok(Vec::new()) };
    let sizes = shape(graph, operand)?;
    let (mut found, mut at) = (vec![operand], 0);
    while at < found.len().min(VALUES_MAX) {
        let producer = graph.producer(found[at]);
        at += 1;
        let Some(data) = producer.map(|p| graph.op(p)) else { continue };
        if row(data.kind).map(|r| r.class) != Some(Class::Elementwise) {
            continue;
        }
        for &value in &data.operands {
            let kind = graph.producer(value).map(|p| graph.op(p).kind);
            let repeats = matches!(kind, Some(OpKind::BroadcastInDim | OpKind::Iota | OpKind::Constant));
            if !repeats && !found.contains(&value) && shape(graph, value)? == sizes {
                found.push(value);
            }
        }
    }
    Ok(found)
}

/// What the operand's index keeps of the result's in a `broadcast_in_dim` that repeats something.
pub fn of_broadcast(graph: &Graph, op: OpId) -> Result<Option<Kept>, PassError> {
    let data = graph.op(op);
    if data.kind != OpKind::BroadcastInDim || is_renaming(graph, op)? {
        return Ok(None);
    }
    let (source, sizes) = (shape(graph, data.operands[0])?, shape(graph, data.results[0])?);
    let dims = dim_list(data, "broadcast_dimensions");
    let dims: Vec<usize> = source.iter().zip(&dims).filter(|p| *p.0 != Dim::Static(1)).map(|p| *p.1).collect();
    let ascending = dims.windows(2).all(|w| w[0] < w[1]);
    let whole = source.iter().filter(|&&n| n != Dim::Static(1)).zip(&dims).all(|(&n, &d)| sizes.get(d) == Some(&n));
    Ok((ascending && whole).then_some(Kept { sizes, dims }))
}

/// By value: a reduction from which it follows row by row, through elementwise ops and other names of its rows.
/// Reductions that were `refused` do not count.
pub fn followers(graph: &Graph, block: BlockId, refused: &BTreeSet<OpId>) -> Result<HashMap<ValueId, OpId>, PassError> {
    let mut from: HashMap<ValueId, OpId> = HashMap::new();
    for &op in &graph.block(block).ops {
        let data = graph.op(op);
        let source = match row(data.kind).map(|r| r.class) {
            Some(Class::Reduction) if !refused.contains(&op) => of_reduce(graph, op)?.map(|_| op),
            Some(Class::Elementwise) => {
                let Some(&result) = data.results.first() else { continue };
                let sizes = shape(graph, result)?;
                let same = |v: &&ValueId| shape(graph, **v).is_ok_and(|s| s == sizes);
                data.operands.iter().filter(same).find_map(|v| from.get(v).copied())
            }
            Some(Class::Index) if renames_rows(graph, op)? => data.operands.first().and_then(|v| from.get(v).copied()),
            _ => None,
        };
        for &result in &data.results {
            match source {
                Some(source) => _ = from.insert(result, source),
                None => _ = from.remove(&result),
            }
        }
    }
    Ok(from)
}

/// Does the op give rows another shape only by dimensions of size 1?
pub fn renames_rows(graph: &Graph, op: OpId) -> Result<bool, PassError> {
    let data = graph.op(op);
    if !is_renaming(graph, op)? {
        return Ok(false);
    }
    Ok(long_shape(graph, data.operands[0])? == long_shape(graph, data.results[0])?)
}

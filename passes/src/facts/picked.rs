//! Picked rows: whole rows of a table, by numbers that are known only at run time.
//!
//! Input: a `gather`. Output: its table, if each number stands for one whole row of it. The result's dimensions but
//! the first are those of the table.
//!
//! Worked example: the matrices of two experts of eight, `[8, 64, 32]` by `[2]` numbers: `[2, 64, 32]`, a quarter of
//! the table. A product that has the first dimension as a batch reads them where they lie.

use fornax_graph::views::{dot_dims, gather_dims};
use fornax_graph::{Graph, OpId, OpKind, ValueId};
use fornax_kernels::sizing::SHORT_MAX;

use super::products::rows_and_long_operand;

/// The table of which an op picks rows.
pub fn table(graph: &Graph, op: OpId) -> Option<ValueId> {
    let data = graph.op(op);
    let (OpKind::Gather, &[table, numbers], &[result]) = (data.kind, &data.operands[..], &data.results[..]) else {
        return None;
    };
    let shape = |value| graph.ty(value).as_tensor()?.static_shape();
    let (whole, numbers, picked): (Vec<i64>, Vec<i64>, Vec<i64>) = (shape(table)?, shape(numbers)?, shape(result)?);
    let dims = gather_dims(data);
    let (_, row) = whole.split_first()?;
    let one_each = match numbers[..] {
        [_] => dims.index_vector_dim == 1,
        [_, 1] => dims.index_vector_dim == 1,
        _ => false,
    };
    let fits = one_each
        && dims.offset_dims.iter().copied().eq(1..picked.len())
        && dims.collapsed_slice_dims[..] == [0]
        && dims.start_index_map[..] == [0]
        && dims.operand_batching_dims.is_empty()
        && dims.slice_sizes.first() == Some(&1)
        && dims.slice_sizes.get(1..) == Some(row);
    fits.then_some(table)
}

/// The part of a table's rows that an op picks, those picked twice counted twice.
pub fn share(graph: &Graph, op: OpId) -> Option<f64> {
    let rows = |value| graph.ty(value).as_tensor()?.static_shape()?.first().copied();
    let all = rows(table(graph, op)?)?;
    Some(rows(*graph.op(op).results.first()?)? as f64 / all.max(1) as f64)
}

/// What picks the matrices of a batched product with few rows, one for each of the batch.
pub fn matrices(graph: &Graph, product: OpId) -> Option<OpId> {
    let (rows, mut value) = rows_and_long_operand(graph, product)?;
    let data = graph.op(product);
    if rows > SHORT_MAX || data.kind != OpKind::DotGeneral {
        return None;
    }
    let numbers = dot_dims(data);
    let batch = if data.operands.first() == Some(&value) { &numbers.lhs_batch } else { &numbers.rhs_batch };
    let first = |value| graph.ty(value).as_tensor().and_then(|ty| ty.shape.first().copied());
    let count = first(value).filter(|_| batch[..] == [0])?;
    loop {
        let op = graph.producer(value)?;
        let data = graph.op(op);
        if table(graph, op).is_some() {
            return (first(value) == Some(count)).then_some(op);
        }
        value = *data.operands.first().filter(|_| matches!(data.kind, OpKind::Convert | OpKind::Reshape))?;
    }
}

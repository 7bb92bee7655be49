//! Picked rows: whole rows of a table, by numbers that are known only at run time.
//!
//! Input: a `gather`. Output: its table, if each number stands for one whole row of it. The result's dimensions but
//! the first are those of the table.
//!
//! Worked example: the matrices of two experts of eight, `[8, 64, 32]` by `[2]` numbers: `[2, 64, 32]`, a quarter of
//! the table. A product that has the first dimension as a batch reads them where they lie.

use fornax_graph::views::{dot_dims, gather_dims};
use fornax_graph::{Graph, OpId, OpKind, ValueId};

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

/// Rows of a product up to which its matrices are read where they lie: to copy them costs more than to multiply
/// without tensor maps, which want one place for all. Derived: a copy of 16-bit elements moves 4 bytes each, 1 ps at
/// 4 TB/s; a row's products of `mma.sync` take 3 fs longer than those of `wgmma` (350 and 700 TFLOP/s).
const ROWS_MAX: i64 = 256;

/// What picks the matrices of a batched product, one for each of the batch, where these have more columns than it has
/// rows.
pub fn matrices(graph: &Graph, product: OpId) -> Option<OpId> {
    let (rows, mut value) = rows_and_long_operand(graph, product)?;
    let data = graph.op(product);
    if rows > ROWS_MAX || data.kind != OpKind::DotGeneral {
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

#[cfg(test)]
mod tests {
    use crate::example::import;
    use crate::program::Options;
    use fornax_targets::Target;

    /// Kernels of `rows` rows for each of two of eight matrices, bf16 as f32.
    fn kernels(rows: u32, target: &str) -> usize {
        let text = format!(
            "func.func @main(%x: tensor<2x{rows}x64xf32>, %w: tensor<8x96x64xbf16>, %n: tensor<2x1xi32>)
                 -> tensor<2x{rows}x96xf32> {{
               %0 = \"stablehlo.gather\"(%w, %n) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2],
                 collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false,
                 slice_sizes = array<i64: 1, 96, 64>}}>
                 : (tensor<8x96x64xbf16>, tensor<2x1xi32>) -> tensor<2x96x64xbf16>
               %1 = stablehlo.convert %0 : (tensor<2x96x64xbf16>) -> tensor<2x96x64xf32>
               %2 = stablehlo.dot_general %x, %1, batching_dims = [0] x [0], contracting_dims = [2] x [2]
                 : (tensor<2x{rows}x64xf32>, tensor<2x96x64xf32>) -> tensor<2x{rows}x96xf32>
               return %2 : tensor<2x{rows}x96xf32>
             }}\n"
        );
        let graph = crate::fuse(&import(&text)).unwrap();
        let target = Target::from_spec(target).unwrap();
        crate::plan(&graph, &target, &Options::default()).unwrap().kernels.len()
    }

    #[test]
    fn what_is_picked_is_read_where_it_lies() {
        for target in ["cpu:x86-64-v3", "cuda:sm_90a", "rocm:gfx942"] {
            for rows in [1, 8, 64] {
                assert_eq!(kernels(rows, target), 1, "{rows} rows, {target}");
            }
        }
        // Many rows read what a kernel has copied.
        assert_eq!(kernels(300, "cuda:sm_80"), 2);
    }
}

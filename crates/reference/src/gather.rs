//! `gather` and `scatter` with batching dimensions, `dynamic_gather`, `torch_index_select`.

use fornax_graph::views::{GatherDims, ScatterDims, gather_dims, scatter_dims};
use fornax_graph::{ElementType, OpKind};

use crate::errors::EvalError;
use crate::interpreter::Call;
use crate::region::ScalarRegion;
use crate::scalar::Scalar;
use crate::tensor::{Indices, Tensor, offset, strides};

type Results = Result<Vec<Tensor>, EvalError>;

/// How an index vector of the indices tensor is found: the shared half of gather and scatter.
struct IndexVectors {
    values: Vec<i64>,
    strides: Vec<isize>,
    /// Shape without the index vector dimension.
    batch_shape: Vec<usize>,
    vector_dim: usize,
    vector_length: usize,
}

impl IndexVectors {
    fn new(call: &Call, indices: &Tensor, vector_dim: usize) -> Result<IndexVectors, EvalError> {
        let shape = indices.shape();
        call.check(vector_dim <= shape.len(), "index_vector_dim out of range")?;
        let mut batch_shape = shape.clone();
        let vector_length = if vector_dim < shape.len() { batch_shape.remove(vector_dim) } else { 1 };
        Ok(IndexVectors { values: indices.ints(), strides: strides(&shape), batch_shape, vector_dim, vector_length })
    }

    /// Component `k` of the index vector at a batch index.
    fn component(&self, batch: &[usize], k: usize) -> i64 {
        let mut at = 0;
        for (d, &i) in batch.iter().enumerate() {
            let dim = if d < self.vector_dim { d } else { d + 1 };
            at += i as isize * self.strides[dim];
        }
        if let Some(stride) = self.strides.get(self.vector_dim) {
            at += k as isize * stride;
        }
        self.values.get(at as usize).copied().unwrap_or(0)
    }

    /// Position in a batch index of dimension `d` of the indices tensor.
    fn batch_position(&self, d: usize) -> usize {
        if d > self.vector_dim { d - 1 } else { d }
    }
}

/// Dimensions of `0..rank` that are in neither list.
fn remaining(rank: usize, a: &[usize], b: &[usize]) -> Vec<usize> {
    (0..rank).filter(|d| !a.contains(d) && !b.contains(d)).collect()
}

/// Windows of the operand at start indices, clamped into it.
pub(crate) fn gather(call: &mut Call) -> Results {
    let dims = gather_dims(call.op);
    gather_with(call, dims)
}

/// `gather` with the slice sizes as operand.
pub(crate) fn dynamic_gather(call: &mut Call) -> Results {
    let mut dims = gather_dims(call.op);
    dims.slice_sizes = call.operand(2)?.ints();
    gather_with(call, dims)
}

fn gather_with(call: &Call, dims: GatherDims) -> Results {
    let (operand, indices) = (call.operand(0)?, call.operand(1)?);
    let from = operand.shape();
    let rank = from.len();
    let vectors = IndexVectors::new(call, &indices, dims.index_vector_dim)?;
    let sizes = call.sizes(&dims.slice_sizes)?;
    call.check(sizes.len() == rank, "slice sizes of another rank")?;
    call.check(sizes.iter().zip(&from).all(|(s, n)| s <= n), "slice sizes larger than the operand")?;
    call.check(dims.start_index_map.len() == vectors.vector_length, "start_index_map of another length")?;
    call.check_dims(&dims.start_index_map, rank)?;
    call.check_dims(&dims.operand_batching_dims, rank)?;
    check_batching(call, &vectors, &dims.operand_batching_dims, &dims.start_indices_batching_dims)?;
    let window_dims = remaining(rank, &dims.collapsed_slice_dims, &dims.operand_batching_dims);
    call.check(window_dims.len() == dims.offset_dims.len(), "offset_dims of another length")?;

    let out_rank = vectors.batch_shape.len() + window_dims.len();
    call.check_dims(&dims.offset_dims, out_rank)?;
    let batch_dims = remaining(out_rank, &dims.offset_dims, &[]);
    let mut shape = vec![0; out_rank];
    batch_dims.iter().zip(&vectors.batch_shape).for_each(|(&d, &n)| shape[d] = n);
    dims.offset_dims.iter().zip(&window_dims).for_each(|(&d, &w)| shape[d] = sizes[w]);

    let mut out = call.alloc(&shape, operand.element())?;
    let width = operand.element().storage_bytes();
    let natural = strides(&from);
    let mut walk = Indices::new(&shape);
    let mut cells = out.bytes.chunks_exact_mut(width);
    let mut batch = vec![0; batch_dims.len()];
    let mut at = vec![0usize; rank];
    while let (Some(index), Some(cell)) = (walk.advance(), cells.next()) {
        batch.iter_mut().zip(&batch_dims).for_each(|(b, &d)| *b = index[d]);
        at.fill(0);
        for (k, &d) in dims.start_index_map.iter().enumerate() {
            at[d] = vectors.component(&batch, k).clamp(0, (from[d] - sizes[d]) as i64) as usize;
        }
        for (&d, &s) in dims.operand_batching_dims.iter().zip(&dims.start_indices_batching_dims) {
            at[d] += batch[vectors.batch_position(s)];
        }
        for (&o, &d) in dims.offset_dims.iter().zip(&window_dims) {
            at[d] += index[o];
        }
        let inside = at.iter().zip(&from).all(|(i, n)| i < n);
        call.check(inside, "reads outside of its operand")?;
        let start = offset(&at, &natural) as usize * width;
        cell.copy_from_slice(&operand.bytes[start..start + width]);
    }
    Ok(vec![out])
}

fn check_batching(call: &Call, vectors: &IndexVectors, operand: &[usize], indices: &[usize]) -> Result<(), EvalError> {
    let fits =
        indices.iter().all(|&d| d != vectors.vector_dim && vectors.batch_position(d) < vectors.batch_shape.len());
    call.check(fits && operand.len() == indices.len(), "batching dimensions that do not fit")
}

/// Combines updates into the inputs with the region; an update element outside of the input is dropped.
pub(crate) fn scatter(call: &mut Call) -> Results {
    let dims = scatter_dims(call.op);
    let n = call.op.results.len();
    let sorted = call.op.kind == OpKind::SortedScatter;
    call.check(n > 0 && call.operands.len() == 2 * n + 1 + usize::from(sorted), "as many updates as inputs")?;
    let from = call.operand(0)?.shape();
    let updates_shape = call.operand(n + 1)?.shape();
    let indices = if sorted { rows_in_order(call, &dims, &updates_shape)? } else { (*call.operand(n)?).clone() };
    let vectors = IndexVectors::new(call, &indices, dims.index_vector_dim)?;
    let rank = from.len();
    let window_dims = remaining(rank, &dims.inserted_window_dims, &dims.input_batching_dims);
    let batch_dims = remaining(updates_shape.len(), &dims.update_window_dims, &[]);
    check_scatter(call, &dims, &vectors, rank, &updates_shape)?;
    call.check(window_dims.len() == dims.update_window_dims.len(), "update_window_dims of another length")?;
    call.check(batch_dims.len() == vectors.batch_shape.len(), "updates of another rank than the indices")?;

    let mut outputs: Vec<Tensor> = call.operands[..n].iter().map(|t| (**t).clone()).collect();
    let region = call.region(0)?;
    let mut body = ScalarRegion::new(call.interp, region)?;
    call.check(body.arguments.len() == 2 * n, "a region of 2N arguments")?;
    let natural = strides(&from);
    let mut walk = Indices::new(&updates_shape);
    let mut position = 0;
    let (mut batch, mut at) = (vec![0; batch_dims.len()], vec![0i64; rank]);
    let (mut args, mut results) = (vec![Scalar::Bool(false); 2 * n], Vec::new());
    while let Some(index) = walk.advance() {
        batch.iter_mut().zip(&batch_dims).for_each(|(b, &d)| *b = index[d]);
        at.fill(0);
        for (k, &d) in dims.scatter_dims_to_operand_dims.iter().enumerate() {
            at[d] = vectors.component(&batch, k);
        }
        for (&d, &s) in dims.input_batching_dims.iter().zip(&dims.scatter_indices_batching_dims) {
            at[d] = at[d].saturating_add(batch[vectors.batch_position(s)] as i64);
        }
        for (&u, &d) in dims.update_window_dims.iter().zip(&window_dims) {
            at[d] = at[d].saturating_add(index[u] as i64);
        }
        if at.iter().zip(&from).all(|(&i, &n)| 0 <= i && i < n as i64) {
            let place = at.iter().zip(&natural).map(|(&i, &s)| i as isize * s).sum::<isize>() as usize;
            for k in 0..n {
                args[k] = outputs[k].get(place).convert(body.arguments[k]);
                args[n + k] = call.operands[n + 1 + k].get(position).convert(body.arguments[n + k]);
            }
            body.call(call.interp, &args, &mut results)?;
            for (output, &value) in outputs.iter_mut().zip(&results) {
                output.set(place, value.convert(output.element()));
            }
        }
        position += 1;
    }
    Ok(outputs)
}

/// The index vectors of a scatter whose updates fusion has sorted: operand N are the numbers of their rows (all
/// scattered dimensions as one, row-major; behind the last one: nowhere) in ascending order, the last operand whose
/// they are.
fn rows_in_order(call: &Call, dims: &ScatterDims, updates: &[usize]) -> Result<Tensor, EvalError> {
    let (from, n) = (call.operand(0)?.shape(), call.op.results.len());
    call.check_dims(&dims.scatter_dims_to_operand_dims, from.len())?;
    let (rows, numbers) = (call.operand(n)?.ints(), call.operand(2 * n + 1)?.ints());
    let mut shape: Vec<usize> =
        remaining(updates.len(), &dims.update_window_dims, &[]).iter().map(|&d| updates[d]).collect();
    let whole = rows.len() == numbers.len() && rows.len() == shape.iter().product::<usize>();
    call.check(whole && dims.index_vector_dim <= shape.len(), "sorted rows of another number than updates")?;
    let vector = dims.scatter_dims_to_operand_dims.len();
    let mut batches = Indices::new(&shape);
    shape.insert(dims.index_vector_dim, vector);
    let mut out = call.alloc(&shape, ElementType::I64)?;
    let natural = strides(&shape);
    let mut row_of = vec![i64::MAX; rows.len()];
    for (&row, &number) in rows.iter().zip(&numbers) {
        let place = usize::try_from(number).ok().and_then(|at| row_of.get_mut(at));
        *place.ok_or_else(|| call.malformed("an update that is not there"))? = row;
    }
    let mut update = 0;
    while let Some(batch) = batches.advance() {
        let mut rest = row_of[update];
        update += 1;
        for (k, &d) in dims.scatter_dims_to_operand_dims.iter().enumerate().rev() {
            let extent = from[d].max(1) as i64;
            // The first dimension is not wrapped: rows behind the last one stay outside.
            let component = if k == 0 { rest } else { rest % extent };
            rest /= extent;
            let mut at = batch.to_vec();
            at.insert(dims.index_vector_dim, k);
            out.set(offset(&at, &natural) as usize, Scalar::Int(component.into()));
        }
    }
    Ok(out)
}

fn check_scatter(
    call: &Call,
    dims: &ScatterDims,
    vectors: &IndexVectors,
    rank: usize,
    updates_shape: &[usize],
) -> Result<(), EvalError> {
    call.check_dims(&dims.scatter_dims_to_operand_dims, rank)?;
    call.check_dims(&dims.input_batching_dims, rank)?;
    call.check_dims(&dims.update_window_dims, updates_shape.len())?;
    call.check(dims.scatter_dims_to_operand_dims.len() == vectors.vector_length, "index vectors of another length")?;
    check_batching(call, vectors, &dims.input_batching_dims, &dims.scatter_indices_batching_dims)
}

/// Slices of operand 0 along `dim` at the indices of operand 1, with `batch_dims` leading dimensions shared.
pub(crate) fn torch_index_select(call: &mut Call) -> Results {
    let (operand, indices) = (call.operand(0)?, call.operand(1)?);
    let attr = |name: &str| call.op.attrs.int(name).and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
    let (dim, batch) = (attr("dim"), attr("batch_dims"));
    let (from, index_shape) = (operand.shape(), indices.shape());
    call.check(dim < from.len() && batch <= dim && batch <= index_shape.len(), "dimensions out of range")?;
    let mut shape = from[..dim].to_vec();
    shape.extend(&index_shape[batch..]);
    shape.extend(&from[dim + 1..]);
    let mut out = call.alloc(&shape, operand.element())?;
    let (index_strides, natural) = (strides(&index_shape), strides(&from));
    let picks = index_shape.len() - batch;
    let mut walk = Indices::new(&shape);
    let mut position = 0;
    while let Some(index) = walk.advance() {
        let mut which = index[..batch].to_vec();
        which.extend(&index[dim..dim + picks]);
        let picked = indices.get(offset(&which, &index_strides) as usize).as_int();
        call.check(0 <= picked && picked < from[dim] as i128, "an index outside of the operand")?;
        let mut at = index[..dim].to_vec();
        at.push(picked as usize);
        at.extend(&index[dim + picks..]);
        out.set(position, operand.get(offset(&at, &natural) as usize));
        position += 1;
    }
    Ok(vec![out])
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use fornax_graph::OpKind;

    #[test]
    fn gather_rows_clamps_indices() {
        let table = ints(&[3, 2], I32, &[0, 1, 10, 11, 20, 21]);
        let numbers = fields(&[
            ("offset_dims", dims(&[1])),
            ("collapsed_slice_dims", dims(&[0])),
            ("start_index_map", dims(&[0])),
            ("index_vector_dim", int(1)),
        ]);
        let attrs = [("dimension_numbers", numbers), ("slice_sizes", dims(&[1, 2]))];
        let out = op(OpKind::Gather, &attrs, &[table, ints(&[2, 1], I64, &[2, 99])], &[ty(&[2, 2], I32)]);
        assert_eq!(out[0].ints(), [20, 21, 20, 21]);
    }

    #[test]
    fn gather_with_batching_dims() {
        let operand = ints(&[2, 3], I32, &[0, 1, 2, 10, 11, 12]);
        let numbers = fields(&[
            ("collapsed_slice_dims", dims(&[1])),
            ("operand_batching_dims", dims(&[0])),
            ("start_indices_batching_dims", dims(&[0])),
            ("start_index_map", dims(&[1])),
            ("index_vector_dim", int(2)),
        ]);
        let attrs = [("dimension_numbers", numbers), ("slice_sizes", dims(&[1, 1]))];
        let out = op(OpKind::Gather, &attrs, &[operand, ints(&[2, 2, 1], I64, &[2, 0, 1, 1])], &[ty(&[2, 2], I32)]);
        assert_eq!(out[0].ints(), [2, 0, 11, 11]);
    }

    #[test]
    fn sorted_updates_go_where_their_rows_say() {
        let numbers = fields(&[
            ("inserted_window_dims", dims(&[0, 1])),
            ("scatter_dims_to_operand_dims", dims(&[0, 1])),
            ("index_vector_dim", int(1)),
        ]);
        let attrs = [("scatter_dimension_numbers", numbers)];
        // Updates 0 … 3 go to [1, 0], nowhere, [0, 1] and [1, 0].
        let operands = [
            ints(&[2, 2], I32, &[0, 0, 0, 0]),
            ints(&[4], I32, &[1, 2, 2, 4]),
            ints(&[4], I32, &[10, 20, 30, 40]),
            ints(&[4], I32, &[2, 0, 3, 1]),
        ];
        let body = [Body::binary(OpKind::Add, I32)];
        let out = try_op(OpKind::SortedScatter, &attrs, &operands, &[ty(&[2, 2], I32)], &body).unwrap();
        assert_eq!(out[0].ints(), [0, 30, 50, 0]);
    }

    #[test]
    fn scatter_adds_and_drops_what_is_outside() {
        let numbers = fields(&[
            ("inserted_window_dims", dims(&[0])),
            ("scatter_dims_to_operand_dims", dims(&[0])),
            ("index_vector_dim", int(1)),
        ]);
        let operands =
            [f32s(&[3], &[1.0, 2.0, 3.0]), ints(&[4, 1], I32, &[0, 2, 0, 7]), f32s(&[4], &[10.0, 20.0, 30.0, 40.0])];
        let attrs = [("scatter_dimension_numbers", numbers)];
        let out =
            try_op(OpKind::Scatter, &attrs, &operands, &[ty(&[3], F32)], &[Body::binary(OpKind::Add, F32)]).unwrap();
        assert_eq!(values(&out[0]), [41.0, 2.0, 23.0]);
    }
}

//! Gathers and scatters: where windows are whole along a dimension its cut stays (they begin at 0, or nowhere). Rows of
//! a table that devices have in parts are looked up by each in its own, and added.
//!
//! Worked example of the latter: the table is `[8, 4]`, two devices have 4 rows each, the numbers are 1 and 6. The
//! second device looks for -3 and 2: it finds its row 2 for the second number, and puts zeros for the first. The first
//! one has the other row, so the sum is what one device would find, to the bit.

use fornax_graph::views::{GatherDims, gather_dims, scatter_dims};
use fornax_graph::{ElementType, NewOp, Op, OpKind, TensorType, Type, ValueId};
use fornax_reference::Scalar;

use super::rules::Factors;
use super::{Part, Pass};
use crate::rewrite::Rewriter;
use crate::rewrite::build::ints;

/// The factors of a gather from `sizes[0]` by `sizes[1]`.
pub(super) fn gathered(f: &mut Factors, op: &Op, sizes: &[Vec<i64>], result: &[i64]) -> Option<()> {
    let dims = gather_dims(op);
    let [operand, indices] = sizes else { return None };
    let is_within = |d: &usize| dims.collapsed_slice_dims.contains(d) || dims.operand_batching_dims.contains(d);
    let mut of_indices: Vec<usize> = indices.iter().map(|_| f.fresh()).collect();
    if let Some(vector) = of_indices.get_mut(dims.index_vector_dim) {
        *vector = f.fresh_whole();
    }
    let mut of_result = vec![usize::MAX; result.len()];
    let mut windows = dims.offset_dims.iter();
    let mut of_operand = Vec::with_capacity(operand.len());
    for (d, size) in operand.iter().enumerate() {
        let batch = dims.operand_batching_dims.iter().position(|b| *b == d);
        let batch = batch.and_then(|at| dims.start_indices_batching_dims.get(at));
        of_operand.push(match batch {
            Some(&at) => *of_indices.get(at)?,
            None if is_within(&d) => f.fresh_whole(),
            None => {
                let factor = if dims.slice_sizes.get(d) == Some(size) { f.fresh() } else { f.fresh_whole() };
                *of_result.get_mut(*windows.next()?)? = factor;
                factor
            }
        });
    }
    let batches = of_indices.iter().enumerate().filter(|(d, _)| *d != dims.index_vector_dim);
    for (place, (_, factor)) in of_result.iter_mut().filter(|place| **place == usize::MAX).zip(batches) {
        *place = *factor;
    }
    f.operands = vec![of_operand, of_indices];
    f.results.push(of_result);
    Some(())
}

/// The factors of a scatter of one tensor.
pub(super) fn scattered(f: &mut Factors, op: &Op, sizes: &[Vec<i64>]) -> Option<()> {
    let dims = scatter_dims(op);
    let [operand, indices, updates] = sizes else { return None };
    let mut of_indices: Vec<usize> = indices.iter().map(|_| f.fresh_whole()).collect();
    let mut of_updates = vec![usize::MAX; updates.len()];
    let mut windows = dims.update_window_dims.iter();
    let mut of_operand = Vec::with_capacity(operand.len());
    for (d, size) in operand.iter().enumerate() {
        let batch = dims.input_batching_dims.iter().position(|b| *b == d);
        let batch = batch.and_then(|at| dims.scatter_indices_batching_dims.get(at));
        of_operand.push(match batch {
            Some(&at) => {
                let factor = f.fresh();
                *of_indices.get_mut(at)? = factor;
                factor
            }
            None if dims.inserted_window_dims.contains(&d) => f.fresh_whole(),
            None => {
                let &at = windows.next()?;
                let factor = if updates.get(at) == Some(size) { f.fresh() } else { f.fresh_whole() };
                *of_updates.get_mut(at)? = factor;
                factor
            }
        });
    }
    // Several updates may go to one place: all of them are needed.
    let batches = of_indices.iter().enumerate().filter(|(d, _)| *d != dims.index_vector_dim);
    for (place, (_, factor)) in of_updates.iter_mut().filter(|place| **place == usize::MAX).zip(batches) {
        *place = *factor;
    }
    f.results.push(of_operand.clone());
    f.operands = vec![of_operand, of_indices, of_updates];
    Some(())
}

/// Windows of a gather as wide as the parts.
pub(super) fn adapt(op: &mut NewOp, dims: &GatherDims, local: &[i64]) {
    let mut sizes = dims.slice_sizes.clone();
    let is_within = |d: &usize| dims.collapsed_slice_dims.contains(d) || dims.operand_batching_dims.contains(d);
    let kept: Vec<usize> = (0..sizes.len()).filter(|d| !is_within(d)).collect();
    for (d, at) in kept.into_iter().zip(&dims.offset_dims) {
        if let (Some(size), Some(own)) = (sizes.get_mut(d), local.get(*at)) {
            *size = *own;
        }
    }
    op.attrs.set("slice_sizes", ints(&sizes));
}

impl Pass {
    /// Rows of a table that is cut along them; `None` for any other op.
    pub(super) fn looked_up(&mut self, rw: &mut Rewriter, op: &Op, parts: &[Part]) -> Option<ValueId> {
        if op.kind != OpKind::Gather {
            return None;
        }
        let dims = gather_dims(op);
        let ([table, numbers], &[along]) = (parts, dims.start_index_map.as_slice()) else { return None };
        let axes = table.layout.0.get(along).filter(|axes| !axes.is_empty())?.clone();
        let others = table.layout.0.iter().enumerate().any(|(d, axes)| d != along && !axes.is_empty());
        let is_row = dims.collapsed_slice_dims.contains(&along) && dims.operand_batching_dims.is_empty();
        if others || !is_row || !numbers.layout.is_whole() {
            return None;
        }
        let element = table.whole.element;
        if element == ElementType::I1 || element.is_complex() {
            return None;
        }
        let &[operand, indices] = op.operands.as_slice() else { return None };
        let all = table.whole.static_shape()?.get(along).copied()?;
        let rows = self.machine.share(all, &axes);
        let ty = rw.tensor(indices)?.clone();
        let result = rw.tensor(*op.results.first()?)?.clone();
        // Numbers outside of the table stand for its first or last row.
        let [zero, last] = [0, all - 1].map(|n| rw.splat(&ty, Scalar::Int(n.into())));
        let number = rw.binary(OpKind::Maximum, indices, zero);
        let number = rw.binary(OpKind::Minimum, number, last);
        let start = self.start(rw, &axes, rows);
        let start = rw.convert(start, ty.element);
        let start = rw.broadcast(start, &[], &ty.shape);
        let own = rw.binary(OpKind::Subtract, number, start);
        let types = vec![Type::Tensor(result.clone())];
        let mut new = NewOp::new(OpKind::Gather, vec![operand, own], types, op.location);
        new.attrs = op.attrs.clone();
        let found = rw.insert(new)[0];
        let end = rw.splat(&ty, Scalar::Int(rows.into()));
        let [above, below] = [("GE", zero), ("LT", end)].map(|(how, bound)| rw.compare(how, own, bound));
        let is_own = rw.binary(OpKind::And, above, below);
        let is_own = self.of_rows(rw, is_own, (&dims, &result))?;
        let nothing = rw.splat(&result, if element.is_float() { Scalar::Float(0.0) } else { Scalar::Int(0) });
        let found = rw.select(is_own, found, nothing);
        Some(self.all_reduce(rw, found, &axes, OpKind::Add))
    }

    /// What each number says, for each element of its row.
    fn of_rows(
        &self,
        rw: &mut Rewriter,
        mask: ValueId,
        (dims, result): (&GatherDims, &TensorType),
    ) -> Option<ValueId> {
        let mut shape = rw.shape(mask)?;
        if dims.index_vector_dim < shape.len() {
            shape.remove(dims.index_vector_dim);
        }
        let mask = rw.reshape(mask, &shape);
        let batches: Vec<usize> = (0..result.rank()).filter(|d| !dims.offset_dims.contains(d)).collect();
        Some(rw.broadcast(mask, &batches, &result.shape))
    }
}

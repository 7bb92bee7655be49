//! Scatters of windows, and of batches, as scatters of rows: what sorting by row number (`sorted_scatter`) can do.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<50000x4xf32>, %arg1: tensor<900x1xi32>, %arg2: tensor<900x3x4xf32>) ->
//!     tensor<50000x4xf32> {
//!   %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims
//!       = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
//!   ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
//!     %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
//!     stablehlo.return %1 : tensor<f32>
//!   }) : (tensor<50000x4xf32>, tensor<900x1xi32>, tensor<900x3x4xf32>) -> tensor<50000x4xf32>
//!   return %0 : tensor<50000x4xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<50000x4xf32>, %arg1: tensor<900x1xi32>, %arg2: tensor<900x3x4xf32>) ->
//!     tensor<50000x4xf32> {
//!   %0 = stablehlo.reshape %arg1 : (tensor<900x1xi32>) -> tensor<900xi32>
//!   %1 = stablehlo.convert %0 : (tensor<900xi32>) -> tensor<900xi64>
//!   %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<900xi64>) -> tensor<900x3xi64>
//!   %3 = stablehlo.iota dim = 1 : tensor<900x3xi64>
//!   %4 = stablehlo.add %2, %3 : tensor<900x3xi64>
//!   %5 = stablehlo.reshape %4 : (tensor<900x3xi64>) -> tensor<900x3x1xi64>
//!   %6 = "stablehlo.scatter"(%arg0, %5, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims =
//!       [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>,
//!       indices_are_sorted = false, unique_indices = false}> ({
//!   ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
//!     %7 = stablehlo.add %arg3, %arg4 : tensor<f32>
//!     stablehlo.return %7 : tensor<f32>
//!   }) : (tensor<50000x4xf32>, tensor<900x3x1xi64>, tensor<900x3x4xf32>) -> tensor<50000x4xf32>
//!   return %6 : tensor<50000x4xf32>
//! }
//! ```
//!
//! A dimension of a window that is neither one element of a scattered dimension nor a whole other one becomes part of
//! the updates' numbers: update (i, w) goes to index i + w. A batching dimension becomes a scattered one whose index is
//! the number of the batch. Updates are folded in the order of their numbers, as before; an element outside is left out
//! alone, as the specification says.
//!
//! Worked example: windows of 3 added into `[b]` at `[n, 1]`: updates `[n, 3]`, indices `[n, 3, 1]` which are index +
//! 0, 1, 2, and each update is of one element. Limits: indices become i64, so that index + w does not wrap.

use fornax_graph::views::{ScatterDims, scatter_dims};
use fornax_graph::{Attr, AttrMap, BlockId, Dim, ElementType, Graph, NewOp, OpId, OpKind, TensorType, Type, ValueId};

use super::insert::replace_op;
use super::{Site, is_static, sorted_scatter, sorted_scatter_of_sizes};
use crate::rewrite::build::{dims, int, ints};
use crate::rewrite::copy::{ValueMap, copy_region};
use crate::rewrite::Rewriter;
use crate::errors::PassError;
use crate::facts::ops::tensor;

const INDEX: ElementType = ElementType::I64;

/// Puts a scatter of rows in the place of `op` where these are sorted then.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let Some(windows) = Windows::of(graph, op)?.filter(|windows| !windows.are_rows()) else { return Ok(()) };
    let pays = match is_static(graph, op) {
        true => sorted_scatter::pays(graph, op, &windows)?,
        false => sorted_scatter_of_sizes::pays(graph, op, &windows)?,
    };
    if pays { windows.split(graph, op, site.entry) } else { Ok(()) }
}

/// Which dimensions of a scatter keep its updates from being rows.
pub struct Windows {
    dims: ScatterDims,
    sizes: Vec<Dim>,
    updates: Vec<Dim>,
    indices: Vec<Dim>,
    /// (dimension of the updates, dimension scattered into) of partial windows.
    partial: Vec<(usize, usize)>,
}

impl Windows {
    /// `None` for a scatter whose parts do not fit.
    pub fn of(graph: &Graph, op: OpId) -> Result<Option<Windows>, PassError> {
        let data = graph.op(op);
        let n = data.results.len();
        if data.operands.len() != 2 * n + 1 || n == 0 {
            return Ok(None);
        }
        let dims = scatter_dims(data);
        let sizes = tensor(graph, data.operands[0])?.shape.clone();
        let (indices, updates) =
            (tensor(graph, data.operands[n])?.shape.clone(), tensor(graph, data.operands[n + 1])?.shape.clone());
        let mut windows = dims.update_window_dims.iter().copied();
        let mut partial = Vec::new();
        for (d, &size) in sizes.iter().enumerate() {
            if dims.inserted_window_dims.contains(&d) || dims.input_batching_dims.contains(&d) {
                continue;
            }
            let Some(at) = windows.next().filter(|&at| at < updates.len()) else { return Ok(None) };
            let wanted = if dims.scatter_dims_to_operand_dims.contains(&d) { Dim::Static(1) } else { size };
            if updates[at] != wanted {
                partial.push((at, d));
            }
        }
        Ok(Some(Windows { dims, sizes, updates, indices, partial }))
    }

    /// Whether every update is a row.
    pub fn are_rows(&self) -> bool {
        self.partial.is_empty() && self.dims.input_batching_dims.is_empty()
    }

    /// Sizes that number the updates.
    pub fn batch(&self) -> Vec<Dim> {
        let vector = self.dims.index_vector_dim;
        (0..self.indices.len()).filter(|&d| d != vector).map(|d| self.indices[d]).collect()
    }

    /// Sizes of the dimensions that rows will be numbered in.
    pub fn rows(&self) -> Vec<Dim> {
        let mut rows = self.dims.scatter_dims_to_operand_dims.clone();
        rows.extend(&self.dims.input_batching_dims);
        rows.extend(self.partial.iter().map(|p| p.1).filter(|d| !self.dims.scatter_dims_to_operand_dims.contains(d)));
        rows.iter().filter_map(|&d| self.sizes.get(d).copied()).collect()
    }

    /// Puts a scatter of rows in the place of `op`.
    fn split(self, graph: &mut Graph, op: OpId, entry: BlockId) -> Result<(), PassError> {
        let data = graph.op(op).clone();
        let n = data.results.len();
        let is_partial = |d: &usize| self.partial.iter().any(|p| p.0 == *d);
        let kept: Vec<usize> = self.dims.update_window_dims.iter().copied().filter(|d| !is_partial(d)).collect();
        // Dimensions of the updates that number them: those that the indices number, and the partial ones.
        let numbering: Vec<usize> = (0..self.updates.len()).filter(|d| !kept.contains(d)).collect();
        let numbered: Vec<usize> =
            numbering.iter().enumerate().filter(|(_, d)| !is_partial(d)).map(|(place, _)| place).collect();
        let shape: Vec<Dim> = numbering.iter().map(|&d| self.updates[d]).collect();
        let place_of = |d: usize| numbering.iter().position(|&e| e == d).unwrap_or(0);

        let mut maker = Maker { at: Rewriter::before(graph, op), shape };
        let mut scattered = self.dims.scatter_dims_to_operand_dims.clone();
        let mut parts = Vec::new();
        for k in 0..scattered.len() {
            let component = maker.component(data.operands[n], (&self.indices, self.dims.index_vector_dim), k as i64);
            parts.push(maker.spread(component, &numbered));
        }
        for &(from, d) in &self.partial {
            let along = maker.counter(place_of(from));
            match scattered.iter().position(|&e| e == d) {
                Some(k) => parts[k] = maker.op(OpKind::Add, &[parts[k], along], maker.shape.clone(), &[]),
                None => {
                    scattered.push(d);
                    parts.push(along);
                }
            }
        }
        let mut inserted = self.dims.inserted_window_dims.clone();
        inserted.extend(self.partial.iter().map(|p| p.1));
        for (&d, &batch) in self.dims.input_batching_dims.iter().zip(&self.dims.scatter_indices_batching_dims) {
            // Among the dimensions of the indices without the vector's.
            let at = batch - usize::from(batch > self.dims.index_vector_dim);
            let Some(&place) = numbered.get(at) else { continue };
            parts.push(maker.counter(place));
            scattered.push(d);
            inserted.push(d);
        }
        inserted.sort_unstable();
        let vector = maker.shape.len();
        let indices = maker.vectors(&parts);

        let mut operands = data.operands.clone();
        operands[n] = indices;
        let types = data.results.iter().map(|&r| graph.ty(r).clone()).collect();
        let mut new = NewOp::new(OpKind::Scatter, operands, types, data.location);
        new.attrs = data.attrs.clone();
        let mut fields = AttrMap::default();
        for (name, list) in [
            ("update_window_dims", &kept),
            ("inserted_window_dims", &inserted),
            ("input_batching_dims", &Vec::new()),
            ("scatter_indices_batching_dims", &Vec::new()),
            ("scatter_dims_to_operand_dims", &scattered),
        ] {
            fields.set(name, dims(list));
        }
        fields.set("index_vector_dim", int(vector as i64));
        new.attrs.set("scatter_dimension_numbers", Attr::Struct("stablehlo.scatter".into(), fields));
        new.attrs.set("indices_are_sorted", Attr::Bool(false));
        // Windows of different indices may overlap.
        new.attrs.set("unique_indices", Attr::Bool(false));
        new.regions = data.regions.iter().map(|&r| copy_region(graph, r, &mut ValueMap::new())).collect();
        let results = Rewriter::before(graph, op).insert(new);
        replace_op(graph, entry, op, &results);
        Ok(())
    }
}

/// Makes the new indices, one component a time, in the shape of the updates' numbers.
struct Maker<'a> {
    at: Rewriter<'a>,
    shape: Vec<Dim>,
}

impl Maker<'_> {
    fn op(&mut self, kind: OpKind, operands: &[ValueId], shape: Vec<Dim>, attrs: &[(&str, Attr)]) -> ValueId {
        let element = match kind {
            OpKind::Slice | OpKind::Reshape => self.at.graph.ty(operands[0]).as_tensor().map_or(INDEX, |t| t.element),
            _ => INDEX,
        };
        let location = self.at.location();
        let ty = Type::Tensor(TensorType { shape, element, encoding: None });
        let mut new = NewOp::new(kind, operands.to_vec(), vec![ty], location);
        for (name, attr) in attrs {
            new = new.attr(name, attr.clone());
        }
        self.at.put(new)
    }

    /// Component `k` of the indices, without the vector's dimension.
    fn component(&mut self, indices: ValueId, (shape, vector): (&[Dim], usize), k: i64) -> ValueId {
        let mut value = indices;
        if vector < shape.len() {
            let (mut start, mut limit, mut cut) = (vec![Dim::Static(0); shape.len()], shape.to_vec(), shape.to_vec());
            (start[vector], limit[vector], cut[vector]) = (k.into(), (k + 1).into(), Dim::Static(1));
            if shape[vector] != Dim::Static(1) {
                let attrs = [
                    ("start_indices", Attr::of_dims(&start)),
                    ("limit_indices", Attr::of_dims(&limit)),
                    ("strides", ints(vec![1; shape.len()])),
                ];
                value = self.op(OpKind::Slice, &[value], cut.clone(), &attrs);
            }
            cut.remove(vector);
            value = self.op(OpKind::Reshape, &[value], cut, &[]);
        }
        match self.at.graph.ty(value).as_tensor() {
            Some(ty) if ty.element != INDEX => {
                let shape = ty.shape.clone();
                self.op(OpKind::Convert, &[value], shape, &[])
            }
            _ => value,
        }
    }

    fn spread(&mut self, value: ValueId, to: &[usize]) -> ValueId {
        let list = dims(to);
        self.op(OpKind::BroadcastInDim, &[value], self.shape.clone(), &[("broadcast_dimensions", list)])
    }

    /// 0, 1, … along a dimension.
    fn counter(&mut self, along: usize) -> ValueId {
        self.op(OpKind::Iota, &[], self.shape.clone(), &[("iota_dimension", int(along as i64))])
    }

    /// The components next to each other in a last dimension.
    fn vectors(&mut self, parts: &[ValueId]) -> ValueId {
        let mut shape = self.shape.clone();
        shape.push(Dim::Static(1));
        let columns: Vec<ValueId> =
            parts.iter().map(|&part| self.op(OpKind::Reshape, &[part], shape.clone(), &[])).collect();
        if let [one] = columns[..] {
            return one;
        }
        if let Some(last) = shape.last_mut() {
            *last = Dim::Static(columns.len() as i64);
        }
        let along = int(self.shape.len() as i64);
        self.op(OpKind::Concatenate, &columns, shape, &[("dimension", along)])
    }
}

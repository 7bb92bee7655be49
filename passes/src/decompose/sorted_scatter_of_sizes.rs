//! Scatters whose updates or elements are as many as a size known only at run time: the updates are sorted by where
//! they go, as `sorted_scatter` does with known sizes, so that no call takes a time that is quadratic in its sizes.
//!
//! Before:
//! ```mlir
//! module attributes {fornax.dims = ["b: argument 1 axis 0, 0.."]} {
//!   func.func @main(%arg0: tensor<1000x64xf32>, %arg1: tensor<?x1xi32, #fornax.dims<b>>, %arg2: tensor<?x64xf32,
//!       #fornax.dims<b>>) -> tensor<1000x64xf32> {
//!     %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers =
//!         #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims =
//!         [0], index_vector_dim = 1>}> ({
//!     ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
//!       %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
//!       stablehlo.return %1 : tensor<f32>
//!     }) : (tensor<1000x64xf32>, tensor<?x1xi32, #fornax.dims<b>>, tensor<?x64xf32, #fornax.dims<b>>) ->
//!         tensor<1000x64xf32>
//!     return %0 : tensor<1000x64xf32>
//!   }
//! }
//! ```
//! After:
//! ```mlir
//! module attributes {fornax.dims = ["b: argument 1 axis 0, 0.."]} {
//!   func.func @main(%arg0: tensor<1000x64xf32>, %arg1: tensor<?x1xi32, #fornax.dims<b>>, %arg2: tensor<?x64xf32,
//!       #fornax.dims<b>>) -> tensor<1000x64xf32> {
//!     %0 = stablehlo.constant dense<0> : tensor<i64>
//!     %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<?xi64, #fornax.dims<b>>
//!     %2 = stablehlo.reshape %arg1 : (tensor<?x1xi32, #fornax.dims<b>>) -> tensor<?xi32, #fornax.dims<b>>
//!     %3 = stablehlo.convert %2 : (tensor<?xi32, #fornax.dims<b>>) -> tensor<?xi64, #fornax.dims<b>>
//!     %4 = stablehlo.constant dense<1000> : tensor<i64>
//!     %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<?xi64, #fornax.dims<b>>
//!     %6 = stablehlo.compare GE, %3, %1, SIGNED : (tensor<?xi64, #fornax.dims<b>>, tensor<?xi64, #fornax.dims<b>>) ->
//!         tensor<?xi1, #fornax.dims<b>>
//!     %7 = stablehlo.compare LT, %3, %5, SIGNED : (tensor<?xi64, #fornax.dims<b>>, tensor<?xi64, #fornax.dims<b>>) ->
//!         tensor<?xi1, #fornax.dims<b>>
//!     %8 = stablehlo.and %6, %7 : tensor<?xi1, #fornax.dims<b>>
//!     %9 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
//!     %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i64>) -> tensor<?xi64, #fornax.dims<b>>
//!     %11 = stablehlo.select %8, %3, %10 : tensor<?xi1, #fornax.dims<b>>, tensor<?xi64, #fornax.dims<b>>
//!     %12 = stablehlo.iota dim = 0 : tensor<?xi64, #fornax.dims<b>>
//!     %13:2 = "stablehlo.sort"(%11, %12) <{dimension = 0 : i64, is_stable = true}> ({
//!     ^bb0(%arg3: tensor<i64>, %arg4: tensor<i64>, %arg5: tensor<i64>, %arg6: tensor<i64>):
//!       %14 = stablehlo.compare LT, %arg3, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
//!       stablehlo.return %14 : tensor<i1>
//!     }) : (tensor<?xi64, #fornax.dims<b>>, tensor<?xi64, #fornax.dims<b>>) -> (tensor<?xi64, #fornax.dims<b>>,
//!         tensor<?xi64, #fornax.dims<b>>)
//!     %15 = "fornax.sorted_scatter"(%arg0, %13#0, %arg2, %13#1) <{scatter_dimension_numbers =
//!         #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims =
//!         [0], index_vector_dim = 1>}> ({
//!     ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
//!       %16 = stablehlo.add %arg7, %arg8 : tensor<f32>
//!       stablehlo.return %16 : tensor<f32>
//!     }) : (tensor<1000x64xf32>, tensor<?xi64, #fornax.dims<b>>, tensor<?x64xf32, #fornax.dims<b>>, tensor<?xi64,
//!         #fornax.dims<b>>) -> tensor<1000x64xf32>
//!     return %15 : tensor<1000x64xf32>
//!   }
//! }
//! ```
//!
//! Row numbers are 64 bits wide, since nothing bounds them; updates outside have the largest number there is. A sort of
//! unknown length is one of runs and merges (`block_sort_of_sizes`). Windows that are not one element, or all, of a
//! dimension, and batches become more updates first (`single_updates`).
//!
//! Worked example: b rows of 64 added into `[1000, 64]`: numbers `[b]` i64 sorted together with 0, 1, …; then each of
//! 64,000 elements finds its row's updates by binary searches.

use fornax_graph::views::scatter_dims;
use fornax_graph::{Attr, Constant, Dim, ElementType, Graph, NewOp, OpId, OpKind, TensorType, Type, ValueId};
use fornax_plan::LIKELY_SIZE;

use super::single_updates::Windows;
use super::{Site, sorted_scatter};
use crate::rewrite::build::{int, ints};
use crate::rewrite::Rewriter;
use crate::errors::PassError;
use crate::facts::ops::tensor;

/// The type of row numbers, and of the numbers of updates.
const KEY: ElementType = ElementType::I64;
/// Windows at which every element may look.
const FEW: i64 = 64;
/// The row number of updates that go nowhere.
const NOWHERE: i64 = i64::MAX;

/// Whether sorting pays for a scatter of which a size is known only at run time.
pub(super) fn pays(graph: &Graph, op: OpId, windows: &Windows) -> Result<bool, PassError> {
    let (batch, rows) = (windows.batch(), windows.rows());
    let sizes = &tensor(graph, graph.op(op).operands[0])?.shape;
    let few = |dims: &[Dim]| dims.iter().try_fold(1i64, |n, d| n.checked_mul(d.as_static()?)).is_some_and(|n| n < FEW);
    Ok(grows(graph, &batch, &rows, sizes) && (windows.are_rows() || !few(&batch)))
}

/// Sorts the updates of `op`, a scatter of rows, where that pays.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let Some(windows) = Windows::of(graph, op)?.filter(Windows::are_rows) else { return Ok(()) };
    if !pays(graph, op, &windows)? {
        return Ok(());
    }
    let sizes = tensor(graph, graph.op(op).operands[0])?.shape.clone();
    let data = graph.op(op).clone();
    let n = data.results.len();
    let dims = scatter_dims(&data);
    let indices = data.operands[n];
    let index_shape = tensor(graph, indices)?.shape.clone();
    let batch: Vec<Dim> =
        (0..index_shape.len()).filter(|&d| d != dims.index_vector_dim).map(|d| index_shape[d]).collect();
    let scattered: Vec<usize> =
        dims.scatter_dims_to_operand_dims.iter().copied().filter(|&d| d < sizes.len()).collect();
    let count = graph.dim_product(&batch);
    let mut keys = Keys { at: Rewriter::before(graph, op), operand: data.operands[0], count };
    let numbers = keys.rows(indices, (&index_shape, dims.index_vector_dim), &scattered);
    let places = keys.counter();
    let sorted = keys.sorted(numbers, places);
    sorted_scatter::sort_updates(graph, (op, site.entry), sorted);
    Ok(())
}

/// Both may grow; else as many visits as make a sort of known sizes pay, with likely sizes.
fn grows(graph: &Graph, batch: &[Dim], rows: &[Dim], sizes: &[Dim]) -> bool {
    let known = |dims: &[Dim]| dims.iter().all(|d| d.as_static().is_some());
    let most = |dims: &[Dim]| dims.iter().map(|&d| graph.dim_bounds(d).1).fold(1, i64::saturating_mul);
    let likely = |dims: &[Dim]| dims.iter().map(|d| d.as_static().unwrap_or(LIKELY_SIZE)).fold(1, i64::saturating_mul);
    let visits = most(sizes).saturating_mul(most(batch));
    if visits < sorted_scatter::VISITS_MIN || known(rows) && likely(rows) < sorted_scatter::ROWS_MIN {
        return false;
    }
    !known(batch) && !known(rows) || likely(sizes).saturating_mul(likely(batch)) >= sorted_scatter::VISITS_MIN
}

/// Makes the row number of every update.
struct Keys<'a> {
    at: Rewriter<'a>,
    /// What is scattered into.
    operand: ValueId,
    /// Updates.
    count: Dim,
}

impl Keys<'_> {
    fn line(&self, element: ElementType) -> TensorType {
        TensorType { shape: vec![self.count], element, encoding: None }
    }

    fn op(&mut self, kind: OpKind, operands: &[ValueId], ty: TensorType, attrs: &[(&str, Attr)]) -> ValueId {
        let location = self.at.location();
        let mut new = NewOp::new(kind, operands.to_vec(), vec![Type::Tensor(ty)], location);
        for (name, attr) in attrs {
            new = new.attr(name, attr.clone());
        }
        self.at.put(new)
    }

    /// A scalar for every update.
    fn spread(&mut self, scalar: ValueId) -> ValueId {
        let ty = self.line(KEY);
        self.op(OpKind::BroadcastInDim, &[scalar], ty, &[("broadcast_dimensions", ints(Vec::new()))])
    }

    fn number(&mut self, value: i64) -> ValueId {
        let ty = TensorType::new(&[], KEY);
        let constant = self.at.graph.add_constant(Constant::splat(ty.clone(), value.to_le_bytes().to_vec()));
        let scalar = self.op(OpKind::Constant, &[], ty, &[("value", Attr::Dense(constant))]);
        self.spread(scalar)
    }

    /// Size `d` of what is scattered into.
    fn extent(&mut self, d: usize) -> ValueId {
        let size = self.at.graph.ty(self.operand).as_tensor().and_then(|t| t.shape.get(d).copied());
        if let Some(Dim::Static(size)) = size {
            return self.number(size);
        }
        let (ty, operand) = (TensorType::new(&[], ElementType::I32), self.operand);
        let size = self.op(OpKind::GetDimensionSize, &[operand], ty, &[("dimension", int(d as i64))]);
        let size = self.op(OpKind::Convert, &[size], TensorType::new(&[], KEY), &[]);
        self.spread(size)
    }

    /// Row numbers, one an update.
    fn rows(&mut self, indices: ValueId, (shape, vector): (&[Dim], usize), scattered: &[usize]) -> ValueId {
        let (zero, truth, line) = (self.number(0), self.line(ElementType::I1), self.line(KEY));
        let mut number: Option<ValueId> = None;
        let mut inside: Option<ValueId> = None;
        for (k, &d) in scattered.iter().enumerate() {
            let component = self.component(indices, (shape, vector), k as i64);
            let extent = self.extent(d);
            for (direction, bound) in [("GE", zero), ("LT", extent)] {
                let holds = self.compare(direction, component, bound);
                inside = Some(match inside {
                    None => holds,
                    Some(before) => self.op(OpKind::And, &[before, holds], truth.clone(), &[]),
                });
            }
            number = Some(match number {
                None => component,
                Some(outer) => {
                    let scaled = self.op(OpKind::Multiply, &[outer, extent], line.clone(), &[]);
                    self.op(OpKind::Add, &[scaled, component], line.clone(), &[])
                }
            });
        }
        match (inside, number) {
            (Some(inside), Some(number)) => {
                let nowhere = self.number(NOWHERE);
                self.op(OpKind::Select, &[inside, number, nowhere], line, &[])
            }
            _ => zero,
        }
    }

    /// Component `k` of every index.
    fn component(&mut self, indices: ValueId, (shape, vector): (&[Dim], usize), k: i64) -> ValueId {
        let element = self.at.graph.ty(indices).as_tensor().map_or(KEY, |t| t.element);
        let mut value = indices;
        if let Some(&Dim::Static(n)) = shape.get(vector).filter(|&&n| n != Dim::Static(1)) {
            let (mut start, mut limit, mut kept) = (vec![Dim::Static(0); shape.len()], shape.to_vec(), shape.to_vec());
            (start[vector], limit[vector], kept[vector]) = (k.into(), (k + 1).min(n).into(), Dim::Static(1));
            let ty = TensorType { shape: kept, element, encoding: None };
            let attrs = [
                ("start_indices", Attr::of_dims(&start)),
                ("limit_indices", Attr::of_dims(&limit)),
                ("strides", ints(vec![1; shape.len()])),
            ];
            value = self.op(OpKind::Slice, &[value], ty, &attrs);
        }
        let flat = self.line(element);
        let flat = self.op(OpKind::Reshape, &[value], flat, &[]);
        let line = self.line(KEY);
        if element == KEY { flat } else { self.op(OpKind::Convert, &[flat], line, &[]) }
    }

    fn compare(&mut self, direction: &str, a: ValueId, b: ValueId) -> ValueId {
        let ty = self.line(ElementType::I1);
        self.op(OpKind::Compare, &[a, b], ty, &comparison(direction))
    }

    fn counter(&mut self) -> ValueId {
        let ty = self.line(KEY);
        self.op(OpKind::Iota, &[], ty, &[("iota_dimension", int(0))])
    }

    /// Numbers in order, with their partners.
    fn sorted(&mut self, numbers: ValueId, partners: ValueId) -> [ValueId; 2] {
        let (scalar, line) = (Type::tensor(&[], KEY), Type::Tensor(self.line(KEY)));
        let location = self.at.location();
        let graph = &mut *self.at.graph;
        let region = graph.add_region();
        let block = graph.add_block(region, &[scalar.clone(), scalar.clone(), scalar.clone(), scalar]);
        let arguments = graph.block(block).arguments[..2].to_vec();
        let mut compare = NewOp::new(OpKind::Compare, arguments, vec![Type::tensor(&[], ElementType::I1)], location);
        for (name, attr) in comparison("LT") {
            compare = compare.attr(name, attr);
        }
        let compare = graph.push_op(block, compare);
        let outcome = graph.op(compare).results.clone();
        graph.push_op(block, NewOp::new(OpKind::Return, outcome, Vec::new(), location));
        let mut sort = NewOp::new(OpKind::Sort, vec![numbers, partners], vec![line.clone(), line], location)
            .attr("dimension", int(0))
            .attr("is_stable", Attr::Bool(true));
        sort.regions = vec![region];
        let results = self.at.insert(sort);
        [results[0], results[1]]
    }
}

fn comparison(direction: &str) -> [(&'static str, Attr); 2] {
    [
        ("comparison_direction", Attr::Enum("comparison_direction".into(), direction.into())),
        ("compare_type", Attr::Enum("comparison_type".into(), "SIGNED".into())),
    ]
}

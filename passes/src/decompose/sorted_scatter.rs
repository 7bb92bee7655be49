//! Scatters of many updates into many elements: the updates are sorted by where they go, stably, and every element
//! folds its own.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<4000xf32>, %arg1: tensor<2000x1xi32>, %arg2: tensor<2000xf32>) -> tensor<4000xf32> {
//!   %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers =
//!       #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
//!   ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
//!     %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
//!     stablehlo.return %1 : tensor<f32>
//!   }) : (tensor<4000xf32>, tensor<2000x1xi32>, tensor<2000xf32>) -> tensor<4000xf32>
//!   return %0 : tensor<4000xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<4000xf32>, %arg1: tensor<2000x1xi32>, %arg2: tensor<2000xf32>) -> tensor<4000xf32> {
//!   %0 = stablehlo.slice %arg1 [0:2000, 0:1] : (tensor<2000x1xi32>) -> tensor<2000x1xi32>
//!   %1 = stablehlo.reshape %0 : (tensor<2000x1xi32>) -> tensor<2000xi32>
//!   %2 = stablehlo.constant dense<0> : tensor<2000xi32>
//!   %3 = stablehlo.compare GE, %1, %2, SIGNED : (tensor<2000xi32>, tensor<2000xi32>) -> tensor<2000xi1>
//!   %4 = stablehlo.constant dense<4000> : tensor<2000xi32>
//!   %5 = stablehlo.compare LT, %1, %4, SIGNED : (tensor<2000xi32>, tensor<2000xi32>) -> tensor<2000xi1>
//!   %6 = stablehlo.and %3, %5 : tensor<2000xi1>
//!   %7 = stablehlo.constant dense<4000> : tensor<2000xi32>
//!   %8 = stablehlo.select %6, %1, %7 : tensor<2000xi1>, tensor<2000xi32>
//!   %9 = stablehlo.iota dim = 0 : tensor<2000xi32>
//!   %10:2 = "stablehlo.sort"(%8, %9) <{dimension = 0 : i64, is_stable = true}> ({
//!   ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i32>):
//!     %11 = stablehlo.compare LT, %arg3, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %11 : tensor<i1>
//!   }) {fornax.key_bits = 12 : i64} : (tensor<2000xi32>, tensor<2000xi32>) -> (tensor<2000xi32>, tensor<2000xi32>)
//!   %12 = "fornax.sorted_scatter"(%arg0, %10#0, %arg2, %10#1) <{scatter_dimension_numbers =
//!       #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
//!   ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
//!     %13 = stablehlo.add %arg7, %arg8 : tensor<f32>
//!     stablehlo.return %13 : tensor<f32>
//!   }) : (tensor<4000xf32>, tensor<2000xi32>, tensor<2000xf32>, tensor<2000xi32>) -> tensor<4000xf32>
//!   return %12 : tensor<4000xf32>
//! }
//! ```
//!
//! Otherwise every element would look at every update (`schedule::scatter`), which is faster only while there are few.
//! No float atomics: updates of one element are folded in their order.
//!
//! Row numbers are small: the sort looks at as many of their bits as there are (a histogram of 100 bins is sorted in
//! one pass of eight).
//!
//! Worked example: 4096 rows of 768 added into `[50257, 768]`: row numbers `[4096]` i32, 50257 for those outside;
//! sorted together with 0, 1, …, 4095; then each of 38.6 million elements finds its row's updates by a binary search.

use fornax_graph::views::scatter_dims;
use fornax_graph::{Attr, BlockId, Class, Dim, ElementType, Graph, NewOp, OpId, OpKind, Type, ValueId};

use super::Site;
use super::insert::replace_op;
use super::single_updates::Windows;
use crate::rewrite::copy::{ValueMap, copy_region};
use crate::rewrite::Rewriter;
use crate::errors::PassError;
use crate::facts::parts::KEY_BITS;
use crate::facts::ops::{shape, tensor};
use crate::facts::scalar::mask;

/// Elements times updates from which sorting pays.
pub(super) const VISITS_MIN: i64 = 1 << 22;
/// Rows below which every element looks at all updates: segments would be long, and few.
pub(super) const ROWS_MIN: i64 = 16;

/// Windows of several elements below which every element looks at all of them.
const WINDOWS_MIN: i64 = 64;

/// Whether sorting pays for a scatter of static shapes.
pub(super) fn pays(graph: &Graph, op: OpId, windows: &Windows) -> Result<bool, PassError> {
    let data = graph.op(op);
    let of = |dims: &[Dim]| dims.iter().map(|d| d.as_static().unwrap_or(0)).fold(1, i64::saturating_mul);
    let (count, rows) = (of(&windows.batch()), of(&windows.rows()));
    let elements = of(&tensor(graph, data.operands[0])?.shape);
    let updates = of(&tensor(graph, data.operands[data.results.len() + 1])?.shape);
    let most = i64::from(i32::MAX);
    let few = elements.saturating_mul(count) < VISITS_MIN || rows < ROWS_MIN;
    // Windows cost a sort of all their elements.
    let dear = !windows.are_rows() && (count < WINDOWS_MIN || updates >= most);
    Ok(!few && !dear && rows < most && count < most)
}

/// Sorts the updates of `op`, a scatter of rows, where that pays.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let Some(windows) = Windows::of(graph, op)?.filter(Windows::are_rows) else { return Ok(()) };
    if !pays(graph, op, &windows)? {
        return Ok(());
    }
    let data = graph.op(op).clone();
    let n = data.results.len();
    let dims = scatter_dims(&data);
    let indices = data.operands[n];
    let (sizes, index_shape) = (shape(graph, data.operands[0])?, shape(graph, indices)?);
    let extents: Vec<i64> = dims.scatter_dims_to_operand_dims.iter().filter_map(|&d| sizes.get(d).copied()).collect();
    let rows: i64 = extents.iter().product();
    let batch: Vec<i64> =
        (0..index_shape.len()).filter(|&d| d != dims.index_vector_dim).map(|d| index_shape[d]).collect();
    let count: i64 = batch.iter().product();
    let mut at = Keys { at: Rewriter::before(graph, op), count, shape: index_shape, vector: dims.index_vector_dim };
    let keys = at.rows(indices, &extents, rows)?;
    let numbers = at.at.counter(0, (&[count], ElementType::I32));
    let [keys, numbers] = at.at.sort((keys, numbers), "LT", (&[count], ElementType::I32));
    if let Some(sort) = graph.producer(keys) {
        let bits = i128::from(64 - rows.leading_zeros());
        graph.op_mut(sort).attrs.set(KEY_BITS, Attr::Int(bits, Type::Scalar(ElementType::I64)));
    }
    sort_updates(graph, (op, site.entry), [keys, numbers]);
    Ok(())
}

/// Puts a scatter of sorted updates, whose row numbers are `keys` and whose places among the updates are `numbers`, in
/// the place of `op`.
pub(super) fn sort_updates(graph: &mut Graph, (op, entry): (OpId, BlockId), [keys, numbers]: [ValueId; 2]) {
    let data = graph.op(op).clone();
    let mut kept = data.operands;
    kept[data.results.len()] = keys;
    kept.push(numbers);
    let types = data.results.iter().map(|&r| graph.ty(r).clone()).collect();
    let mut new = NewOp::new(OpKind::SortedScatter, kept, types, data.location);
    new.attrs = data.attrs;
    new.regions = data.regions.iter().map(|&r| copy_region(graph, r, &mut ValueMap::new())).collect();
    let results = Rewriter::before(graph, op).insert(new);
    replace_op(graph, entry, op, &results);
}

/// Makes the row number of every update.
struct Keys<'a> {
    at: Rewriter<'a>,
    count: i64,
    /// Shape of the indices, and the dimension of their components.
    shape: Vec<i64>,
    vector: usize,
}

impl Keys<'_> {
    /// Row numbers `[N]` i32, `rows` for updates that go nowhere.
    fn rows(&mut self, indices: ValueId, extents: &[i64], rows: i64) -> Result<ValueId, PassError> {
        let element = tensor(self.at.graph, indices)?.element;
        let line = [self.count];
        let mut inside = None;
        let mut number = None;
        for (k, &extent) in extents.iter().enumerate() {
            let component = self.component(indices, element, k);
            for condition in self.conditions(component, element, extent) {
                inside = Some(match inside {
                    None => condition,
                    Some(before) => self.at.op(OpKind::And, &[before, condition], (&line, ElementType::I1)),
                });
            }
            let component = self.at.convert(component, ElementType::I32);
            number = Some(match number {
                None => component,
                Some(outer) => {
                    let extent = self.at.number(extent, (&line, ElementType::I32));
                    let scaled = self.at.op(OpKind::Multiply, &[outer, extent], (&line, ElementType::I32));
                    self.at.op(OpKind::Add, &[scaled, component], (&line, ElementType::I32))
                }
            });
        }
        let number = match number {
            Some(number) => number,
            None => self.at.number(0, (&line, ElementType::I32)),
        };
        Ok(match inside {
            None => number,
            Some(inside) => {
                let none = self.at.number(rows, (&line, ElementType::I32));
                self.at.op(OpKind::Select, &[inside, number, none], (&line, ElementType::I32))
            }
        })
    }

    /// Component `k` of every index, `[N]`.
    fn component(&mut self, indices: ValueId, element: ElementType, k: usize) -> ValueId {
        let mut value = indices;
        if self.vector < self.shape.len() {
            value = self.at.part(indices, (self.vector, k as i64, k as i64 + 1), &self.shape);
        }
        self.at.op(OpKind::Reshape, &[value], (&[self.count], element))
    }

    /// What must hold for a component to lie in `0..extent`, besides what its type says.
    fn conditions(&mut self, component: ValueId, element: ElementType, extent: i64) -> Vec<ValueId> {
        let signed = element.class() == Class::SignedInteger;
        let most = if signed { mask(element) >> 1 } else { mask(element) };
        let mut conditions = Vec::new();
        if signed {
            let zero = self.at.number(0, (&[self.count], element));
            conditions.push(self.at.compare("GE", component, zero));
        }
        if extent as u64 <= most {
            let end = self.at.number(extent, (&[self.count], element));
            conditions.push(self.at.compare("LT", component, end));
        }
        conditions
    }
}

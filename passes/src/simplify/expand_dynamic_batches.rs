//! Ops that need static sizes but for their batch run once for each element of a batch of unknown size.
//!
//! Before:
//! ```mlir
//! module attributes {fornax.dims = ["b: argument 0 axis 0, 0.."]} {
//!   func.func @main(%arg0: tensor<?x4x4xf32, #fornax.dims<b>>) -> tensor<?x4x4xf32, #fornax.dims<b>> {
//!     %0 = stablehlo.cholesky %arg0, lower = true : tensor<?x4x4xf32, #fornax.dims<b>>
//!     return %0 : tensor<?x4x4xf32, #fornax.dims<b>>
//!   }
//! }
//! ```
//! After:
//! ```mlir
//! module attributes {fornax.dims = ["b: argument 0 axis 0, 0.."]} {
//!   func.func @main(%arg0: tensor<?x4x4xf32, #fornax.dims<b>>) -> tensor<?x4x4xf32, #fornax.dims<b>> {
//!     %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x4x4xf32, #fornax.dims<b>>) -> tensor<i32>
//!     %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!     %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<?x4x4xf32, #fornax.dims<b>>
//!     %c = stablehlo.constant dense<0> : tensor<i32>
//!     %2:2 = stablehlo.while(%i = %c, %acc = %1) : tensor<i32>, tensor<?x4x4xf32, #fornax.dims<b>>
//!     cond {
//!       %3 = stablehlo.compare LT, %i, %0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!       stablehlo.return %3 : tensor<i1>
//!     } do {
//!       %c1 = stablehlo.constant dense<0> : tensor<i32>
//!       %c2 = stablehlo.constant dense<0> : tensor<i32>
//!       %3 = stablehlo.dynamic_slice %arg0, %i, %c1, %c2, sizes = [1, 4, 4]
//!           : (tensor<?x4x4xf32, #fornax.dims<b>>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
//!       %4 = stablehlo.cholesky %3, lower = true : tensor<1x4x4xf32>
//!       %c3 = stablehlo.constant dense<0> : tensor<i32>
//!       %c4 = stablehlo.constant dense<0> : tensor<i32>
//!       %c5 = stablehlo.constant dense<1> : tensor<i32>
//!       %5 = stablehlo.add %i, %c5 : tensor<i32>
//!       %6 = stablehlo.dynamic_update_slice %acc, %4, %i, %c3, %c4 : (tensor<?x4x4xf32, #fornax.dims<b>>,
//!           tensor<1x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?x4x4xf32, #fornax.dims<b>>
//!       stablehlo.return %5, %6 : tensor<i32>, tensor<?x4x4xf32, #fornax.dims<b>>
//!     }
//!     return %2#1 : tensor<?x4x4xf32, #fornax.dims<b>>
//!   }
//! }
//! ```
//!
//! The op in the loop has size 1 there; a further dimension of unknown size gives a loop in the loop. What has an
//! expansion for static shapes has one for any batch this way: calls of libraries (`expand_custom_calls`) too. Limits:
//! one element after the other.

use fornax_graph::views::{ints_or, padding_or_zero};
use fornax_graph::{Attr, Dim, ElementType, Graph, OpId, OpKind, TensorType, Type, ValueId};
use fornax_reference::Scalar;

use super::{Options, expand_custom_calls};
use crate::rewrite::build::int;
use crate::rewrite::copy::ValueMap;
use super::ops::Ops;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        let found = if rw.kind(id) == OpKind::CustomCall { batch_of_call(rw, id) } else { batch(rw, id) };
        let Some((d, operands)) = found else { return Ok(Rewrite::Keep) };
        Ok(each(rw, id, d, operands).map_or(Rewrite::Keep, Rewrite::Replace))
    })
}

/// A dimension of unknown size over which the op does one thing after another, and how many operands have it.
fn batch(rw: &Rewriter, id: OpId) -> Option<(usize, usize)> {
    let shape = rw.sizes(rw.operand(id, 0)?)?;
    let op = rw.graph.op(id);
    let (dims, operands) = match op.kind {
        OpKind::Cholesky => (shape.len().checked_sub(2)?, 1),
        OpKind::TriangularSolve => (shape.len().checked_sub(2)?, 2),
        OpKind::SelectAndScatter => (shape.len(), 2),
        _ => return None,
    };
    let (window, strides) =
        (ints_or(op, "window_dimensions", shape.len(), 1), ints_or(op, "window_strides", shape.len(), 1));
    let padding = padding_or_zero(op, "padding", shape.len());
    let plain = |d: &usize| {
        op.kind != OpKind::SelectAndScatter || (window[*d], strides[*d], padding[*d]) == (1, 1, (0, 0))
    };
    let unknown = |d: &usize| matches!(shape[*d], Dim::Symbolic(_));
    Some(((0..dims).filter(plain).find(unknown)?, operands))
}

/// Which operands of a call hold the shapes of its results.
const SHAPE_OPERANDS: &str = "indices_of_shape_operands";

/// How many operands of a call, the last ones, hold shapes.
fn shape_operands(graph: &Graph, id: OpId) -> usize {
    match graph.op(id).attrs.get(SHAPE_OPERANDS) {
        Some(Attr::Dense(constant)) => graph.constant(*constant).ty.elements().unwrap_or(0) as usize,
        _ => 0,
    }
}

/// The same for a call that has an expansion. Operands that hold shapes go.
fn batch_of_call(rw: &mut Rewriter, id: OpId) -> Option<(usize, usize)> {
    if !expand_custom_calls::is_expanded(rw.graph, id) {
        return None;
    }
    let (op, shapes) = (rw.graph.op(id), shape_operands(rw.graph, id));
    let operands = op.operands.len().checked_sub(shapes)?;
    let shape = rw.sizes(*op.operands.first()?)?;
    let d = shape.iter().position(|size| matches!(size, Dim::Symbolic(_)))?;
    let along = |&value: &ValueId| rw.sizes(value).is_some_and(|s| s.get(d) == shape.get(d));
    // A result of rank 0 is none: what a call was not asked for.
    let unwanted = |&value: &ValueId| rw.sizes(value).is_some_and(|s| s.is_empty());
    let all = op.operands[..operands].iter().all(along) && op.results.iter().all(|v| along(v) || unwanted(v));
    (all && d + 2 < shape.len()).then_some((d, operands))
}

/// The loop over dimension `d`.
fn each(rw: &mut Rewriter, id: OpId, d: usize, operands: usize) -> Option<Vec<ValueId>> {
    let op = rw.graph.op(id).clone();
    let (x, shapes) = (*op.operands.first()?, shape_operands(rw.graph, id));
    let results: Vec<TensorType> = op.results.iter().map(|&r| rw.tensor(r).cloned()).collect::<Option<_>>()?;
    let scalar = TensorType::new(&[], ElementType::I32);
    let count = rw.emit(OpKind::GetDimensionSize, &[x], Type::Tensor(scalar), &[("dimension", int(d as i64))]);
    let mut carried: Vec<ValueId> = results.iter().map(|ty| rw.splat(ty, Scalar::zero(ty.element))).collect();
    let o = &Ops::new(rw);
    carried.insert(0, o.index(0));
    let made = o.repeat_while(
        &carried,
        |o, carried| o.compare("LT", carried[0], count),
        |o, carried| {
            let starts = |o: &Ops, v: ValueId| -> Vec<ValueId> {
                (0..o.ty(v).rank()).map(|at| if at == d { carried[0] } else { o.index(0) }).collect()
            };
            let mut map = ValueMap::new();
            for &operand in op.operands.iter().take(operands) {
                let ty = one_of(&o.ty(operand), d);
                let inputs: Vec<ValueId> = [operand].into_iter().chain(starts(o, operand)).collect();
                let sizes = Attr::of_dims(&ty.shape);
                map.insert(operand, o.emit(OpKind::DynamicSlice, &inputs, ty, &[("slice_sizes", sizes)]));
            }
            let parts = o.with(|rw| {
                let mut inner = rw.copy_op(id, &mut map);
                inner.operands.truncate(op.operands.len().saturating_sub(shapes));
                inner.attrs.0.retain(|(name, _)| name != SHAPE_OPERANDS);
                inner.result_types = results.iter().map(|ty| Type::Tensor(one_of(ty, d))).collect();
                rw.insert(inner)
            });
            let places: Vec<Vec<ValueId>> = carried[1..].iter().map(|&whole| starts(o, whole)).collect();
            let mut next = vec![o.add(carried[0], o.index(1))];
            for ((&whole, part), places) in carried[1..].iter().zip(parts).zip(places) {
                next.push(if places.is_empty() { part } else { o.put_at(whole, part, &places) });
            }
            next
        },
    );
    Some(made.get(1..)?.to_vec())
}

/// The type with size 1 in dimension `d`.
fn one_of(ty: &TensorType, d: usize) -> TensorType {
    let mut one = ty.clone();
    if let Some(size) = one.shape.get_mut(d) {
        *size = Dim::Static(1);
    }
    one
}

//! Dynamic ops whose sizes or positions are constants become their static forms.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<3xf32>)
//!     -> (tensor<32xf32>, tensor<2x3xf32>, tensor<2x8xf32>) {
//!   %c = stablehlo.constant dense<32> : tensor<1xi32>
//!   %0 = stablehlo.dynamic_reshape %arg0, %c : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<32xf32>
//!   %c_0 = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
//!   %1 = stablehlo.dynamic_broadcast_in_dim %arg1, %c_0, dims = [1]
//!       : (tensor<3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
//!   %c_1 = stablehlo.constant dense<7> : tensor<i32>
//!   %c_2 = stablehlo.constant dense<0> : tensor<i32>
//!   %2 = stablehlo.dynamic_slice %arg0, %c_1, %c_2, sizes = [2, 8]
//!       : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
//!   return %0, %1, %2 : tensor<32xf32>, tensor<2x3xf32>, tensor<2x8xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<3xf32>)
//!     -> (tensor<32xf32>, tensor<2x3xf32>, tensor<2x8xf32>) {
//!   %0 = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<32xf32>
//!   %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
//!   %2 = stablehlo.slice %arg0 [2:4, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
//!   return %0, %1, %2 : tensor<32xf32>, tensor<2x3xf32>, tensor<2x8xf32>
//! }
//! ```
//!
//! Limits: the result's type must be static already; types are not refined.

use fornax_graph::{Attr, Graph, OpId, OpKind, ValueId};
use fornax_reference::Scalar;

use super::Options;
use crate::rewrite::build::ints;
use super::constants::ints_of;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| Ok(make_static(rw, id).unwrap_or(Rewrite::Keep)))
}

fn make_static(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let kind = rw.kind(id);
    match kind {
        OpKind::GetDimensionSize => dimension_size(rw, id),
        OpKind::SetDimensionSize => {
            let (x, at) = (rw.operand(id, 0)?, dimension(rw, id)?);
            let size = rw.tensor(x)?.shape.get(at)?.as_static()?;
            (ints_of(rw.graph, rw.operand(id, 1)?)? == [size]).then_some(Rewrite::with(x))
        }
        OpKind::DynamicReshape | OpKind::ChloDynamicReshape => keep_first(rw, id, OpKind::Reshape, 1, &[], &[]),
        OpKind::DynamicBroadcastInDim => {
            let hints = ["known_expanding_dimensions", "known_nonexpanding_dimensions"];
            keep_first(rw, id, OpKind::BroadcastInDim, 1, &hints, &[])
        }
        OpKind::DynamicIota => keep_first(rw, id, OpKind::Iota, 0, &[], &[]),
        OpKind::DynamicPad => {
            let list = |at| rw.operand(id, at).and_then(|v| ints_of(rw.graph, v)).map(|v| ints(&v));
            let padding =
                [("edge_padding_low", list(2)?), ("edge_padding_high", list(3)?), ("interior_padding", list(4)?)];
            keep_first(rw, id, OpKind::Pad, 2, &[], &padding)
        }
        OpKind::DynamicGather => {
            let sizes = ints(&ints_of(rw.graph, rw.operand(id, 2)?)?);
            keep_first(rw, id, OpKind::Gather, 2, &[], &[("slice_sizes", sizes)])
        }
        OpKind::DynamicConv => {
            let padding = ints(&ints_of(rw.graph, rw.operand(id, 2)?)?);
            keep_first(rw, id, OpKind::Convolution, 2, &[], &[("padding", padding)])
        }
        OpKind::RealDynamicSlice => real_dynamic_slice(rw, id),
        OpKind::DynamicSlice => dynamic_slice(rw, id),
        _ => None,
    }
}

/// The op becomes `kind` with its first `operands` operands, without the attributes `drop`, with the attributes `set`.
fn keep_first(
    rw: &mut Rewriter,
    id: OpId,
    kind: OpKind,
    operands: usize,
    drop: &[&str],
    set: &[(&str, Attr)],
) -> Option<Rewrite> {
    rw.sizes(rw.result(id, 0)?)?;
    for at in 0..operands {
        rw.sizes(rw.operand(id, at)?)?;
    }
    let op = rw.graph.op_mut(id);
    op.kind = kind;
    op.operands.truncate(operands);
    op.attrs.0.retain(|(name, _)| !drop.contains(&name.as_str()));
    set.iter().for_each(|(name, value)| op.attrs.set(name, value.clone()));
    Some(Rewrite::Edited)
}

fn dimension(rw: &Rewriter, id: OpId) -> Option<usize> {
    usize::try_from(rw.graph.op(id).attrs.int("dimension")?).ok()
}

fn dimension_size(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let at = dimension(rw, id)?;
    let size = rw.tensor(rw.operand(id, 0)?)?.shape.get(at)?.as_static()?;
    let ty = rw.tensor(rw.result(id, 0)?)?.clone();
    Some(Rewrite::with(rw.splat(&ty, Scalar::Int(size.into()))))
}

/// With constant bounds a `slice`; with stride 1 and only the start unknown a `dynamic_slice`.
fn real_dynamic_slice(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (x, start) = (rw.operand(id, 0)?, rw.operand(id, 1)?);
    let result = rw.result(id, 0)?;
    let sizes = rw.shape(result)?;
    let rank = rw.sizes(x)?.len();
    let strides = ints_of(rw.graph, rw.operand(id, 3)?)?;
    let limit = rw.operand(id, 2).and_then(|v| ints_of(rw.graph, v));
    if let (Some(start), Some(limit), Some(from)) = (ints_of(rw.graph, start), limit, rw.shape(x)) {
        let inside =
            |d: usize| Some(start.get(d)? >= &0 && limit.get(d)? >= start.get(d)? && limit.get(d)? <= from.get(d)?);
        let sound = strides.len() == from.len() && strides.iter().all(|&s| s > 0);
        if !sound || !(0..from.len()).all(|d| inside(d) == Some(true)) {
            return None;
        }
        return Some(Rewrite::with(rw.slice(x, &start, &limit, &strides)));
    }
    if strides.iter().any(|&s| s != 1) {
        return None;
    }
    let mut operands = vec![x];
    for d in 0..rank as i64 {
        let one = rw.slice(start, &[d], &[d + 1], &[1]);
        operands.push(rw.reshape::<i64>(one, &[]));
    }
    let ty = rw.graph.ty(result).clone();
    Some(Rewrite::with(rw.emit(OpKind::DynamicSlice, &operands, ty, &[("slice_sizes", ints(&sizes))])))
}

/// Starts are clamped so that the slice lies inside.
fn dynamic_slice(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let operands: Vec<ValueId> = rw.graph.op(id).operands.clone();
    let (&x, starts) = operands.split_first()?;
    let from = rw.shape(x)?;
    let sizes = rw.graph.op(id).attrs.ints("slice_sizes")?;
    if starts.len() != from.len() || sizes.len() != from.len() {
        return None;
    }
    let mut start = Vec::with_capacity(from.len());
    for (d, &value) in starts.iter().enumerate() {
        let room = from[d].checked_sub(sizes[d]).filter(|&room| room >= 0)?;
        let known = match room {
            0 => 0,
            _ => *ints_of(rw.graph, value)?.first()?,
        };
        start.push(known.clamp(0, room));
    }
    let limit: Vec<i64> = start.iter().zip(&sizes).map(|(s, n)| s + n).collect();
    Some(Rewrite::with(rw.slice(x, &start, &limit, &vec![1; from.len()])))
}

//! `chlo.scan` becomes a counted loop, `chlo.ragged_dot` products with the matrix of each group.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<0xf32>, %arg1: tensor<f32>) -> (tensor<0xf32>, tensor<f32>) {
//!   %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0 {
//!   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//!     %1 = stablehlo.add %a, %b : tensor<f32>
//!     stablehlo.return %1, %1 : tensor<f32>, tensor<f32>
//!   } : (tensor<0xf32>, tensor<f32>) -> (tensor<0xf32>, tensor<f32>)
//!   return %0#0, %0#1 : tensor<0xf32>, tensor<f32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<0xf32>, %arg1: tensor<f32>) -> (tensor<0xf32>, tensor<f32>) {
//!   %0 = stablehlo.constant dense<0.000000e+00> : tensor<0xf32>
//!   return %0, %arg1 : tensor<0xf32>, tensor<f32>
//! }
//! ```
//!
//! A round of the scan's loop takes a slice of each input and puts one into each output. Of a ragged product, rows from
//! the sum of the sizes of the groups before up to that with its own size belong to a group; rows after the last group
//! are zero. A round of its loop multiplies with the matrix of one group and keeps the group's rows. Limits: static
//! shapes. A ragged product costs as much as all rows with every matrix.

mod ragged;

use fornax_graph::{Graph, OpId, OpKind, TensorType, ValueId};
use fornax_reference::Scalar;

use super::Options;
use super::ops::Ops;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::ChloScan => Ok(scan(rw, id).map_or(Rewrite::Keep, Rewrite::Replace)),
        OpKind::ChloRaggedDot => Ok(ragged::dot(rw, id).map_or(Rewrite::Keep, Rewrite::with)),
        _ => Ok(Rewrite::Keep),
    })
}

fn scan(rw: &mut Rewriter, id: OpId) -> Option<Vec<ValueId>> {
    let op = rw.graph.op(id).clone();
    let segments = op.attrs.ints("operandSegmentSizes").unwrap_or_default();
    let count = segments.first().and_then(|&n| usize::try_from(n).ok()).unwrap_or(op.operands.len() / 2);
    let (inputs, carries) = op.operands.split_at_checked(count).filter(|parts| !parts.0.is_empty())?;
    let outputs = op.results.len().checked_sub(carries.len())?;
    let dimension = usize::try_from(op.attrs.int("dimension")?).ok()?;
    let backwards = op.attrs.bool("is_reverse").unwrap_or(false);
    let shapes = inputs.iter().map(|&v| rw.shape(v).filter(|s| dimension < s.len())).collect::<Option<Vec<_>>>()?;
    let results = op.results.iter().map(|&r| rw.tensor(r).cloned()).collect::<Option<Vec<TensorType>>>()?;
    let length = shapes[0][dimension];
    let outputs = &results[..outputs];
    if shapes.iter().any(|s| s[dimension] != length)
        || outputs.iter().any(|ty| ty.static_shape().is_none_or(|s| s.get(dimension) != Some(&length)))
    {
        return None;
    }
    let body = rw.graph.region(*op.regions.first()?).blocks.first().copied()?;
    let o = &Ops::new(rw);
    let empty = |ty: &TensorType| o.splat(&ty.static_shape().unwrap_or_default(), ty.element, Scalar::zero(ty.element));
    let stacks: Vec<ValueId> = outputs.iter().map(empty).collect();
    let start = [&stacks[..], carries].concat();
    if length == 0 {
        return Some(start);
    }
    let at = |rank: usize, i: ValueId| -> Vec<ValueId> {
        (0..rank).map(|d| if d == dimension { i } else { o.index(0) }).collect()
    };
    Some(o.counted(length, &start, |o, i, carried| {
        let i = if backwards { o.sub(o.index(length - 1), i) } else { i };
        let (stacks, carries) = carried.split_at(outputs.len());
        let mut arguments: Vec<ValueId> = Vec::new();
        for (&input, shape) in inputs.iter().zip(&shapes) {
            let mut one = shape.clone();
            one[dimension] = 1;
            let slice = o.slice_at(input, &at(shape.len(), i), &one);
            one.remove(dimension);
            arguments.push(o.reshape(slice, &one));
        }
        arguments.extend(carries);
        let made = o.with(|rw| {
            let formal = rw.graph.block(body).arguments.clone();
            rw.copy_body(body, &mut formal.into_iter().zip(arguments).collect())
        });
        let mut next = Vec::new();
        for ((&stack, &value), ty) in stacks.iter().zip(&made).zip(outputs) {
            let mut one = ty.static_shape().unwrap_or_default();
            one[dimension] = 1;
            next.push(o.put_at(stack, o.reshape(value, &one), &at(one.len(), i)));
        }
        next.extend(&made[stacks.len().min(made.len())..]);
        next
    }))
}

//! A constant a, a + 1, a + 2, … along one dimension is made from positions.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<4xi32>) -> tensor<4xi1> {
//!   %0 = stablehlo.constant dense<[3, 4, 5, 6]> : tensor<4xi32>
//!   %1 = stablehlo.compare LT, %0, %arg0, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
//!   return %1 : tensor<4xi1>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<4xi32>) -> tensor<4xi1> {
//!   %0 = stablehlo.iota dim = 0 : tensor<4xi32>
//!   %1 = stablehlo.constant dense<3> : tensor<4xi32>
//!   %2 = stablehlo.add %0, %1 : tensor<4xi32>
//!   %3 = stablehlo.compare LT, %2, %arg0, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
//!   return %3 : tensor<4xi1>
//! }
//! ```
//!
//! What compares it with positions is then a bound (masks of attention), and nothing is loaded.

use fornax_graph::{Attr, AttrMap, Constant, ElementType, Graph, NewOp, OpId, OpKind, Storage, Type};

use super::Site;
use super::insert::replace;
use crate::errors::PassError;
use crate::facts::ops::constant_of;

/// Rewrites `op`, a `constant` of 32 or 64-bit integers, if it counts.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let (block, result) = (graph.op(op).block, graph.op(op).results[0]);
    let Some(constant) = constant_of(graph, result).map(|id| graph.constant(id)) else { return Ok(()) };
    let ty = constant.ty.clone();
    let Some(sizes) = ty.static_shape() else { return Ok(()) };
    let long: Vec<usize> = (0..sizes.len()).filter(|&d| sizes[d] != 1).collect();
    let (&[dimension], true) = (long.as_slice(), matches!(ty.element, ElementType::I32 | ElementType::I64)) else {
        return Ok(());
    };
    let Storage::Dense(data) = &constant.storage else { return Ok(()) };
    let width = ty.element.storage_bytes();
    let mut chunks = data.bytes().chunks_exact(width).map(|chunk| {
        let mut word = [if chunk[width - 1] & 0x80 == 0 { 0 } else { 0xff }; 8];
        word[..width].copy_from_slice(chunk);
        i64::from_le_bytes(word)
    });
    let Some(first) = chunks.next().filter(|v| v.abs() < 1 << 30) else { return Ok(()) };
    if sizes[dimension] < 2 || !chunks.zip(1..).all(|(value, at)| value == first + at) {
        return Ok(());
    }
    let data = graph.op_mut(op);
    data.kind = OpKind::Iota;
    data.attrs = AttrMap::default();
    data.attrs.set("iota_dimension", Attr::Int(dimension as i128, Type::Scalar(ElementType::I64)));
    if first == 0 {
        return Ok(());
    }
    let location = graph.op(op).location;
    let at = graph.block(block).ops.iter().position(|&o| o == op).unwrap_or(0) + 1;
    let splat = graph.add_constant(Constant::splat(ty.clone(), first.to_le_bytes()[..width].to_vec()));
    let start = NewOp::new(OpKind::Constant, Vec::new(), vec![Type::Tensor(ty.clone())], location);
    let start = graph.insert_op(block, at, start.attr("value", Attr::Dense(splat)));
    let start = graph.op(start).results[0];
    let sum =
        graph.insert_op(block, at + 1, NewOp::new(OpKind::Add, vec![start, start], vec![Type::Tensor(ty)], location));
    let whole = graph.op(sum).results[0];
    replace(graph, site.entry, &[(result, whole)]);
    graph.op_mut(sum).operands = vec![result, start];
    Ok(())
}

//! Ops that StableHLO keeps for older exporters become the ops that replaced them; `clamp` and `map` become elementwise
//! ops, so that everything after this sees one form.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<f32>) -> tensor<5x2x4xf32> {
//!   %0 = stablehlo.dot %arg0, %arg1 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
//!   %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!   %1 = stablehlo.clamp %cst, %0, %arg2 : (tensor<f32>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
//!   %2 = stablehlo.broadcast %1, sizes = [5] : (tensor<2x4xf32>) -> tensor<5x2x4xf32>
//!   return %2 : tensor<5x2x4xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<f32>) -> tensor<5x2x4xf32> {
//!   %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
//!       : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
//!   %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!   %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
//!   %2 = stablehlo.maximum %0, %1 : tensor<2x4xf32>
//!   %3 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
//!   %4 = stablehlo.minimum %2, %3 : tensor<2x4xf32>
//!   %5 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<2x4xf32>) -> tensor<5x2x4xf32>
//!   return %5 : tensor<5x2x4xf32>
//! }
//! ```
//!
//! `clamp` is a maximum and then a minimum: a NaN anywhere gives NaN, and the upper bound wins over the lower one. A
//! `map` whose computation is more than elementwise runs element by element (`expand_legacy/each_element.rs`).

mod each_element;

use std::collections::HashMap;

use fornax_graph::ops::{self, Trait};
use fornax_graph::views::DotDims;
use fornax_graph::{Attr, AttrMap, Block, Constant, Dim, Graph, NewOp, OpId, OpKind, TensorType, Type, ValueId};
use fornax_reference::Scalar;

use super::Options;
use crate::rewrite::build::{dims, int};
use super::constants::constant_of;
use crate::rewrite::{Outcome, Rewrite, Rewriter, sweep};
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::Dot => Ok(dot(rw, id).unwrap_or(Rewrite::Keep)),
        OpKind::Broadcast => Ok(broadcast(rw, id).unwrap_or(Rewrite::Keep)),
        OpKind::Clamp => Ok(clamp(rw, id).unwrap_or(Rewrite::Keep)),
        OpKind::TorchIndexSelect => Ok(index_select(rw, id).unwrap_or(Rewrite::Keep)),
        OpKind::Einsum | OpKind::UnaryEinsum => einsum(rw, id),
        OpKind::Map => map(rw, id),
        _ => Ok(Rewrite::Keep),
    })
}

/// The last dimension of the left operand with the first of the right one.
fn dot(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let last = rw.tensor(rw.operand(id, 0)?)?.rank().checked_sub(1)?;
    let numbers = DotDims { lhs_contract: vec![last], rhs_contract: vec![0], ..DotDims::default() };
    let op = rw.graph.op_mut(id);
    op.kind = OpKind::DotGeneral;
    op.attrs.set("dot_dimension_numbers", numbers.attr());
    Some(Rewrite::Edited)
}

fn broadcast(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let rank = rw.tensor(rw.operand(id, 0)?)?.rank();
    let op = rw.graph.op_mut(id);
    let new = op.attrs.ints("broadcast_sizes")?.len();
    op.kind = OpKind::BroadcastInDim;
    op.attrs.remove("broadcast_sizes");
    op.attrs.set("broadcast_dimensions", dims(&(new..new + rank).collect::<Vec<_>>()));
    Some(Rewrite::Edited)
}

fn clamp(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (low, x, high) = (rw.operand(id, 0)?, rw.operand(id, 1)?, rw.operand(id, 2)?);
    let ty = rw.tensor(x)?.clone();
    let element = |v| rw.tensor(v).map(|t| t.element);
    if element(low) != Some(ty.element) || element(high) != Some(ty.element) || ty.element.is_quantized() {
        return None;
    }
    rw.sizes(x)?;
    let low = full(rw, low, &ty.shape);
    let raised = rw.binary(OpKind::Maximum, x, low);
    let high = full(rw, high, &ty.shape);
    Some(Rewrite::with(rw.binary(OpKind::Minimum, raised, high)))
}

/// A scalar as a tensor of the shape; a tensor as it is.
fn full(rw: &mut Rewriter, value: ValueId, shape: &[Dim]) -> ValueId {
    let scalar = rw.tensor(value).is_some_and(|t| t.rank() == 0);
    if scalar && !shape.is_empty() { rw.broadcast(value, &[], shape) } else { value }
}

/// `result[b…, d…, k…, e…] = operand[b…, d…, index[b…, k…], e…]`, the selected dimension between d and e.
fn index_select(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (operand, index, result) = (rw.operand(id, 0)?, rw.operand(id, 1)?, rw.result(id, 0)?);
    let sizes = rw.sizes(operand)?;
    let index_rank = rw.tensor(index)?.rank();
    let attrs = &rw.graph.op(id).attrs;
    let dim = usize::try_from(attrs.int("dim")?).ok().filter(|&d| d < sizes.len())?;
    let batch = usize::try_from(attrs.int("batch_dims")?).ok().filter(|&b| b <= dim && b <= index_rank)?;
    let index_dims = dim..dim + index_rank - batch;
    let result_rank = sizes.len() - 1 + index_rank - batch;
    let offset: Vec<usize> = (batch..result_rank).filter(|d| !index_dims.contains(d)).collect();
    let batching: Vec<usize> = (0..batch).collect();
    let mut numbers = AttrMap::default();
    numbers.set("offset_dims", dims(&offset));
    numbers.set("collapsed_slice_dims", dims(&[dim]));
    numbers.set("operand_batching_dims", dims(&batching));
    numbers.set("start_indices_batching_dims", dims(&batching));
    numbers.set("start_index_map", dims(&[dim]));
    numbers.set("index_vector_dim", int(index_rank as i64));
    let one = |d: usize| d == dim || d < batch;
    let slice: Vec<Dim> = sizes.iter().enumerate().map(|(d, &n)| if one(d) { Dim::Static(1) } else { n }).collect();
    let attrs = [
        ("dimension_numbers", fornax_graph::Attr::Struct("stablehlo.gather".into(), numbers)),
        ("slice_sizes", Attr::of_dims(&slice)),
        ("indices_are_sorted", fornax_graph::Attr::Bool(false)),
    ];
    let ty = rw.graph.ty(result).clone();
    Some(Rewrite::with(rw.emit(OpKind::Gather, &[operand, index], ty, &attrs)))
}

/// One operand of an einsum: the value and the label of each dimension.
struct Labelled {
    value: ValueId,
    labels: Vec<char>,
}

fn einsum(rw: &mut Rewriter, id: OpId) -> Outcome {
    let config: String = rw.graph.op(id).attrs.str("einsum_config").unwrap_or_default().split_whitespace().collect();
    let refuse = |rw: &Rewriter, why: &str| Err(PassError::unsupported(rw.graph, id, format!("`{config}`: {why}")));
    let Some((inputs, output)) = config.split_once("->") else { return refuse(rw, "it has no `->`") };
    let output: Vec<char> = output.chars().collect();
    let inputs: Vec<Vec<char>> = inputs.split(',').map(|labels| labels.chars().collect()).collect();
    let operands = rw.graph.op(id).operands.clone();
    if inputs.iter().chain([&output]).any(|labels| labels.iter().enumerate().any(|(i, c)| labels[..i].contains(c))) {
        return refuse(rw, "a label is there twice in one operand, or there is an ellipsis");
    }
    let ranks_fit = |(labels, &value): (&Vec<char>, &ValueId)| {
        rw.tensor(value).is_some_and(|t| t.rank() == labels.len() && t.is_sized())
    };
    if inputs.len() != operands.len() || !inputs.iter().zip(&operands).all(ranks_fit) {
        return refuse(rw, "the labels do not fit the operands, whose sizes must be known");
    }
    let known = inputs.concat();
    if output.iter().any(|c| !c.is_alphabetic() || !known.contains(c)) {
        return refuse(rw, "the result has a label that no operand has");
    }
    let mut terms = Vec::new();
    for (at, &value) in operands.iter().enumerate() {
        let others: Vec<char> = (0..inputs.len()).filter(|&o| o != at).flat_map(|o| inputs[o].clone()).collect();
        terms.push(sum_out(rw, value, &inputs[at], |c| output.contains(&c) || others.contains(&c)));
    }
    let product = match &terms[..] {
        [left, right] => contract(rw, left, right, &output),
        _ => terms.remove(0),
    };
    let order: Vec<usize> = output.iter().filter_map(|c| product.labels.iter().position(|l| l == c)).collect();
    Ok(Rewrite::with(rw.transpose(product.value, &order)))
}

/// Sums over the dimensions whose labels are not kept.
fn sum_out(rw: &mut Rewriter, value: ValueId, labels: &[char], keep: impl Fn(char) -> bool) -> Labelled {
    let over: Vec<usize> = (0..labels.len()).filter(|&d| !keep(labels[d])).collect();
    let labels = labels.iter().copied().filter(|&c| keep(c)).collect();
    if over.is_empty() {
        return Labelled { value, labels };
    }
    let element = rw.tensor(value).map_or(fornax_graph::ElementType::F32, |t| t.element);
    let zero = rw.splat(&TensorType::new(&[], element), Scalar::zero(element));
    Labelled { value: rw.reduce(value, zero, &over, OpKind::Add), labels }
}

fn contract(rw: &mut Rewriter, left: &Labelled, right: &Labelled, output: &[char]) -> Labelled {
    let mut numbers = DotDims::default();
    let (mut labels, mut free) = (Vec::new(), Vec::new());
    for (d, c) in left.labels.iter().enumerate() {
        match right.labels.iter().position(|r| r == c) {
            Some(r) if output.contains(c) => {
                numbers.lhs_batch.push(d);
                numbers.rhs_batch.push(r);
                labels.push(*c);
            }
            Some(r) => {
                numbers.lhs_contract.push(d);
                numbers.rhs_contract.push(r);
            }
            None => free.push(*c),
        }
    }
    free.extend(right.labels.iter().filter(|c| !left.labels.contains(c)));
    labels.extend(free);
    Labelled { value: rw.dot(left.value, right.value, &numbers, &AttrMap::default()), labels }
}

/// Whether all ops of a computation are those on scalars that [`map`] knows for tensors.
fn is_elementwise(rw: &Rewriter, body: &Block) -> bool {
    body.ops.iter().all(|&inner| {
        let op = rw.graph.op(inner);
        let scalars = op.operands.iter().chain(&op.results).all(|&v| rw.tensor(v).is_some_and(|t| t.rank() == 0));
        let known = matches!(op.kind, OpKind::Constant | OpKind::Reshape | OpKind::BroadcastInDim)
            || ops::row(op.kind).has(Trait::Terminator)
            || ops::row(op.kind).has(Trait::Elementwise) && op.kind != OpKind::Map;
        scalars && known && op.regions.is_empty()
    })
}

/// The computation's scalar ops become ops on whole tensors.
fn map(rw: &mut Rewriter, id: OpId) -> Outcome {
    let op = rw.graph.op(id).clone();
    let shape = op.results.first().and_then(|&r| rw.tensor(r)).map(|t| t.shape.clone()).unwrap_or_default();
    let Some(&block) = op.regions.first().and_then(|&r| rw.graph.region(r).blocks.first()) else {
        return Err(PassError::malformed(rw.graph, id, "it has no computation"));
    };
    let body = rw.graph.block(block).clone();
    if !is_elementwise(rw, &body) {
        let refused =
            || PassError::unsupported(rw.graph, id, "its computation is not elementwise, and its sizes are not known");
        let refused = refused();
        return each_element::expand(rw, id, block).map(Rewrite::with).ok_or(refused);
    }
    let mut tensors: HashMap<ValueId, ValueId> = body.arguments.iter().copied().zip(op.operands).collect();
    for &inner in &body.ops {
        let scalar_op = rw.graph.op(inner).clone();
        let mut operands = Vec::with_capacity(scalar_op.operands.len());
        for operand in &scalar_op.operands {
            let value = tensors.get(operand).copied();
            operands.push(value.unwrap_or_else(|| full(rw, *operand, &shape)));
        }
        let kind = scalar_op.kind;
        if ops::row(kind).has(Trait::Terminator) {
            return Ok(Rewrite::Replace(operands));
        }
        let &[result] = &scalar_op.results[..] else {
            return Err(PassError::unsupported(rw.graph, inner, "it has several results inside `stablehlo.map`"));
        };
        let Some(element) = rw.tensor(result).map(|t| t.element) else {
            return Err(PassError::unsupported(rw.graph, inner, "it gives no tensor inside `stablehlo.map`"));
        };
        let ty = TensorType { shape: shape.clone(), element, encoding: None };
        let value = match constant_of(rw.graph, result).and_then(Constant::splat_bytes) {
            Some(bytes) if ty.is_sized() => {
                let scalar = TensorType::new(&[], element);
                let value = Constant::splat(if ty.static_shape().is_some() { ty } else { scalar }, bytes.to_vec());
                let value = rw.constant(value);
                full(rw, value, &shape)
            }
            _ if matches!(kind, OpKind::Reshape | OpKind::BroadcastInDim) && operands.len() == 1 => operands[0],
            _ if ops::row(kind).has(Trait::Elementwise) && kind != OpKind::Map => {
                let mut whole = NewOp::new(kind, operands, vec![Type::Tensor(ty)], scalar_op.location);
                whole.attrs = scalar_op.attrs;
                rw.insert(whole)[0]
            }
            _ => return Err(PassError::unsupported(rw.graph, inner, "it is not elementwise, inside `stablehlo.map`")),
        };
        tensors.insert(result, value);
    }
    Err(PassError::malformed(rw.graph, id, "its computation returns nothing"))
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print, reimport};
    use super::*;

    fn after(text: &str) -> String {
        let mut graph = import(text);
        run(&mut graph, &Options::default()).unwrap();
        reimport(&graph);
        print(&graph)
    }

    #[test]
    fn einsum_with_batch_sum_and_transpose() {
        let text = after(
            "func.func @main(%a: tensor<2x3x4x5xf32>, %b: tensor<2x4x6xf32>) -> tensor<6x2x3xf32> {
               %0 = \"stablehlo.einsum\"(%a, %b) {einsum_config = \"bikz,bkj->jbi\"} \
                   : (tensor<2x3x4x5xf32>, tensor<2x4x6xf32>) -> tensor<6x2x3xf32>
               return %0 : tensor<6x2x3xf32>
             }",
        );
        assert!(text.contains("stablehlo.reduce"), "{text}");
        assert!(text.contains("batching_dims = [0] x [0], contracting_dims = [2] x [1]"), "{text}");
        assert!(text.contains("dims = [2, 0, 1]"), "{text}");
    }

    #[test]
    fn map_with_a_constant_and_two_operands() {
        let text = after(
            "func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
               %0 = \"stablehlo.map\"(%a, %b) ({
               ^bb0(%x: tensor<f32>, %y: tensor<f32>):
                 %c = stablehlo.constant dense<2.0> : tensor<f32>
                 %1 = stablehlo.multiply %x, %c : tensor<f32>
                 %2 = stablehlo.add %1, %y : tensor<f32>
                 stablehlo.return %2 : tensor<f32>
               }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
               return %0 : tensor<4xf32>
             }",
        );
        assert!(
            text.contains("stablehlo.multiply") && text.contains(": tensor<4xf32>") && !text.contains("map"),
            "{text}"
        );
    }

    #[test]
    fn index_select_is_a_gather() {
        let text = after(
            "func.func @main(%a: tensor<2x5x7xf32>, %i: tensor<2x3xi32>) -> tensor<2x3x7xf32> {
               %0 = \"stablehlo.torch_index_select\"(%a, %i) {dim = 1 : i64, batch_dims = 1 : i64} \
                   : (tensor<2x5x7xf32>, tensor<2x3xi32>) -> tensor<2x3x7xf32>
               return %0 : tensor<2x3x7xf32>
             }",
        );
        assert!(text.contains("slice_sizes = array<i64: 1, 1, 7>"), "{text}");
    }
}

//! Reshapes, transposes and broadcasts that change nothing go; of one another they merge into one.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4xf32>)
//!     -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x8x4xf32>) {
//!   %0 = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<32xf32>
//!   %1 = stablehlo.reshape %0 : (tensor<32xf32>) -> tensor<4x8xf32>
//!   %2 = stablehlo.reshape %arg1 : (tensor<4xf32>) -> tensor<4x1xf32>
//!   %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
//!   %4 = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<1x4x8xf32>
//!   %5 = stablehlo.transpose %4, dims = [1, 0, 2] : (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>
//!   %6 = stablehlo.transpose %5, dims = [1, 2, 0] : (tensor<4x1x8xf32>) -> tensor<1x8x4xf32>
//!   return %1, %3, %6 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x8x4xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4xf32>)
//!     -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x8x4xf32>) {
//!   %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
//!   %1 = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<4x1x8xf32>
//!   %2 = stablehlo.transpose %1, dims = [1, 2, 0] : (tensor<4x1x8xf32>) -> tensor<1x8x4xf32>
//!   return %arg0, %0, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x8x4xf32>
//! }
//! ```
//!
//! A transpose or broadcast that leaves the row-major order of the elements alone becomes a reshape, and so does a
//! reduction over dimensions of size 1 whose start value is neutral. Sizes known at run time are equal where they are
//! one symbol.

use fornax_graph::{Dim, Graph, OpId, OpKind, ValueId, views};
use fornax_reference::Scalar;

use super::Options;
use crate::rewrite::build::dims;
use super::constants::splat_of;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        let rewrite = match rw.kind(id) {
            OpKind::Reshape => reshape(rw, id),
            OpKind::Transpose => transpose(rw, id),
            OpKind::BroadcastInDim => broadcast(rw, id),
            OpKind::Reduce => reduce(rw, id),
            _ => None,
        };
        Ok(rewrite.unwrap_or(Rewrite::Keep))
    })
}

fn reshape(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (x, result) = (rw.operand(id, 0)?, rw.result(id, 0)?);
    if rw.graph.ty(x) == rw.graph.ty(result) {
        return Some(Rewrite::with(x));
    }
    let source = rw.operand(rw.made_by(x, OpKind::Reshape)?, 0)?;
    if rw.graph.ty(source) == rw.graph.ty(result) {
        return Some(Rewrite::with(source));
    }
    rw.graph.op_mut(id).operands = vec![source];
    Some(Rewrite::Edited)
}

fn transpose(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let x = rw.operand(id, 0)?;
    let from = rw.sizes(x)?;
    let permutation = views::dim_list(rw.graph.op(id), "permutation");
    if permutation.len() != from.len() {
        return None;
    }
    if let Some(inner) = rw.made_by(x, OpKind::Transpose) {
        let source = rw.operand(inner, 0)?;
        let first = views::dim_list(rw.graph.op(inner), "permutation");
        let both: Vec<usize> = permutation.iter().map(|&d| first.get(d).copied()).collect::<Option<_>>()?;
        return Some(Rewrite::with(rw.transpose(source, &both)));
    }
    if let Some(inner) = rw.made_by(x, OpKind::BroadcastInDim) {
        let source = rw.operand(inner, 0)?;
        let shape = rw.tensor(rw.result(id, 0)?)?.shape.clone();
        let to: Option<Vec<usize>> = views::dim_list(rw.graph.op(inner), "broadcast_dimensions")
            .iter()
            .map(|d| permutation.iter().position(|p| p == d))
            .collect();
        return Some(Rewrite::with(rw.broadcast(source, &to?, &shape)));
    }
    let moved: Vec<usize> = permutation.iter().copied().filter(|&d| from.get(d) != Some(&Dim::Static(1))).collect();
    if !moved.is_sorted() {
        return None;
    }
    let shape: Vec<Dim> = permutation.iter().filter_map(|&d| from.get(d).copied()).collect();
    Some(Rewrite::with(rw.reshape(x, &shape)))
}

fn broadcast(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (x, result) = (rw.operand(id, 0)?, rw.result(id, 0)?);
    let (from, shape) = (rw.sizes(x)?, rw.sizes(result)?);
    let to = views::dim_list(rw.graph.op(id), "broadcast_dimensions");
    if to.len() != from.len() {
        return None;
    }
    let counts = [&from, &shape].map(|sizes| rw.graph.dim_product(sizes));
    if counts[0] == counts[1] && counts[0] != Dim::Static(0) {
        let many = |n: &Dim| *n != Dim::Static(1);
        let placed: Vec<usize> = to.iter().zip(&from).filter(|(_, n)| many(n)).map(|(d, _)| *d).collect();
        if placed.is_sorted() {
            return Some(Rewrite::with(rw.reshape(x, &shape)));
        }
    }
    let (source, to) = through(rw, x, &to)?;
    let op = rw.graph.op_mut(id);
    op.operands = vec![source];
    op.attrs.set("broadcast_dimensions", dims(&to));
    Some(Rewrite::Edited)
}

/// The operand behind `x` and where its dimensions go, when `x` only moves or adds dimensions.
fn through(rw: &Rewriter, x: ValueId, to: &[usize]) -> Option<(ValueId, Vec<usize>)> {
    let made = rw.graph.producer(x)?;
    let inner = rw.graph.op(made);
    let source = *inner.operands.first()?;
    let go = |d: usize| to.get(d).copied();
    match inner.kind {
        OpKind::BroadcastInDim => {
            let first = views::dim_list(inner, "broadcast_dimensions");
            Some((source, first.into_iter().map(go).collect::<Option<_>>()?))
        }
        OpKind::Transpose => {
            let permutation = views::dim_list(inner, "permutation");
            let place = |d: usize| permutation.iter().position(|&p| p == d).and_then(go);
            Some((source, (0..permutation.len()).map(place).collect::<Option<_>>()?))
        }
        OpKind::Reshape => {
            let (from, shape) = (rw.sizes(source)?, rw.sizes(x)?);
            let kept: Vec<usize> = (0..shape.len()).filter(|&d| shape[d] != Dim::Static(1)).collect();
            let same = kept.len() == from.len() && kept.iter().zip(&from).all(|(&d, &n)| shape[d] == n);
            same.then(|| kept.into_iter().map(go).collect::<Option<_>>()).flatten().map(|to| (source, to))
        }
        _ => None,
    }
}

/// A reduction of one element at a time, from a neutral start: a reshape.
fn reduce(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let op = rw.graph.op(id);
    let (&[x, init], &[result]) = (&op.operands[..], &op.results[..]) else { return None };
    let from = rw.sizes(x)?;
    let over = views::dim_list(op, "dimensions");
    if !over.iter().all(|&d| from.get(d) == Some(&Dim::Static(1))) {
        return None;
    }
    let combine = single_op(rw.graph, id)?;
    let element = rw.tensor(x)?.element;
    let start = splat_of(rw.graph, init)?;
    let neutral = match combine {
        OpKind::Add | OpKind::Or => start == Scalar::zero(element),
        OpKind::Multiply => start == Scalar::Int(1).convert(element),
        OpKind::And => element == fornax_graph::ElementType::I1 && start.as_bool(),
        OpKind::Maximum => element.is_float() && start == Scalar::Float(f64::NEG_INFINITY),
        OpKind::Minimum => element.is_float() && start == Scalar::Float(f64::INFINITY),
        _ => false,
    };
    let shape = rw.sizes(result)?;
    neutral.then(|| Rewrite::with(rw.reshape(x, &shape)))
}

/// The op of a region that combines its two arguments with one op.
pub(super) fn single_op(graph: &Graph, id: OpId) -> Option<OpKind> {
    let &[block] = &graph.region(*graph.op(id).regions.first()?).blocks[..] else { return None };
    let block = graph.block(block);
    let &[combine, end] = &block.ops[..] else { return None };
    let (combine, end) = (graph.op(combine), graph.op(end));
    let mut operands = combine.operands.clone();
    operands.sort_unstable();
    (operands == block.arguments && end.operands == combine.results).then_some(combine.kind)
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print};
    use super::*;

    #[test]
    fn a_sum_over_one_element_is_a_reshape() {
        let mut graph = import(
            "func.func @main(%x: tensor<4x1xf32>) -> tensor<4xf32> {
               %z = stablehlo.constant dense<0.0> : tensor<f32>
               %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] \
                   : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
               return %0 : tensor<4xf32>
             }",
        );
        assert!(run(&mut graph, &Options::default()).unwrap());
        assert!(print(&graph).contains("stablehlo.reshape"));
    }

    #[test]
    fn a_transposed_broadcast_is_a_broadcast() {
        let mut graph = import(
            "func.func @main(%x: tensor<4x3xf32>) -> tensor<5x3x4xf32> {
               %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
               %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<3x4xf32>) -> tensor<3x5x4xf32>
               %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<3x5x4xf32>) -> tensor<5x3x4xf32>
               return %2 : tensor<5x3x4xf32>
             }",
        );
        while run(&mut graph, &Options::default()).unwrap() {}
        super::super::erase_unused::run(&mut graph, &Options::default()).unwrap();
        let text = print(&graph);
        assert!(text.contains("broadcast_in_dim %arg0, dims = [2, 1]") && !text.contains("transpose"), "{text}");
    }
}

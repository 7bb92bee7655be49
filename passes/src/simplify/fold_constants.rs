//! Ops on constants become constants, computed by the reference evaluator.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<1000x1000xf32>) -> (tensor<1000x1000xf32>, tensor<2xi32>) {
//!   %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
//!   %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1000x1000xf32>
//!   %1 = stablehlo.add %0, %0 : tensor<1000x1000xf32>
//!   %2 = stablehlo.multiply %arg0, %1 : tensor<1000x1000xf32>
//!   %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
//!   %3 = stablehlo.add %c, %c : tensor<2xi32>
//!   return %2, %3 : tensor<1000x1000xf32>, tensor<2xi32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<1000x1000xf32>) -> (tensor<1000x1000xf32>, tensor<2xi32>) {
//!   %cst = stablehlo.constant dense<4.000000e+00> : tensor<1000x1000xf32>
//!   %0 = stablehlo.multiply %arg0, %cst : tensor<1000x1000xf32>
//!   %c = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
//!   return %0, %c : tensor<1000x1000xf32>, tensor<2xi32>
//! }
//! ```
//!
//! A constant of one repeated element stays one element however large its type is. A reshape shares its operand's
//! bytes. Never folded: iota and broadcasts into many elements, loops, random numbers, anything that acts on the
//! outside, and what would be larger than both `max_folded_elements` and its operands. What the evaluator refuses stays
//! as it is. A pure op without a single element in its results becomes an empty constant whatever its operands are.

use fornax_graph::ops::{self, Trait};
use fornax_graph::{Constant, Dim, Graph, NewOp, Op, OpId, OpKind, Storage, TensorType, Type, ValueId};
use fornax_reference::{Limits, Tensor, evaluate_op};

use super::constants::{constant_of, tensor_of, to_constant};
use crate::rewrite::{Rewrite, Rewriter, sweep};
use super::{Options, has_side_effect};
use crate::errors::PassError;

/// Ops that are never evaluated here.
const KEPT: &[OpKind] = &[
    OpKind::Constant,
    OpKind::Iota,
    OpKind::Rng,
    OpKind::RngBitGenerator,
    OpKind::While,
    OpKind::If,
    OpKind::Case,
    OpKind::Composite,
    OpKind::CustomCall,
    OpKind::FuncCall,
    OpKind::Fusion,
    OpKind::Tuple,
    OpKind::GetTupleElement,
    OpKind::AsyncStart,
    OpKind::AsyncDone,
];

/// Ops whose result holds nothing but elements of operand 0.
const SELECTING: &[OpKind] = &[
    OpKind::BroadcastInDim,
    OpKind::Reshape,
    OpKind::Transpose,
    OpKind::Slice,
    OpKind::Reverse,
    OpKind::DynamicSlice,
    OpKind::Gather,
];

/// Folds over larger operands are left to run time.
const MOST_ELEMENTS: i64 = 1 << 22;

pub fn run(graph: &mut Graph, options: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| Ok(fold(rw, id, options).unwrap_or(Rewrite::Keep)))
}

/// Counting along a dimension of one element gives zeros.
fn single_count(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let op = rw.graph.op(id);
    let dimension = usize::try_from(op.attrs.int("iota_dimension")?).ok()?;
    let ty = plain(rw.tensor(*op.results.first()?)?)?;
    let zeros = vec![0; ty.element.storage_bytes()];
    (ty.shape.get(dimension) == Some(&Dim::Static(1))).then(|| Rewrite::with(rw.constant(Constant::splat(ty, zeros))))
}

fn fold(rw: &mut Rewriter, id: OpId, options: &Options) -> Option<Rewrite> {
    if rw.kind(id) == OpKind::Iota {
        return single_count(rw, id);
    }
    let op = rw.graph.op(id);
    if KEPT.contains(&op.kind) || op.results.is_empty() || ops::row(op.kind).has(Trait::Terminator) {
        return None;
    }
    let first = op.operands.first().copied();
    let known = first.is_some_and(|v| constant_of(rw.graph, v).is_some());
    let result = rw.tensor(*op.results.first()?)?;
    if !known && result.elements() != Some(0) {
        return None;
    }
    if has_side_effect(rw.graph, id) {
        return None;
    }
    let op = rw.graph.op(id).clone();
    let types: Vec<TensorType> = op.results.iter().map(|&r| plain(rw.tensor(r)?)).collect::<Option<_>>()?;
    let values = empty(&types).or_else(|| moved_splat(rw.graph, &op, &types)).or_else(|| {
        let all = op.operands.iter().all(|&v| constant_of(rw.graph, v).is_some());
        if !all || op.operands.is_empty() {
            return None;
        }
        reshaped(rw.graph, &op, &types)
            .or_else(|| elementwise_splat(rw.graph, &op, &types, options))
            .or_else(|| evaluated(rw.graph, id, &types, options))
    })?;
    Some(Rewrite::Replace(values.into_iter().map(|value| rw.constant(value)).collect()))
}

/// The type when it is static and of elements that the evaluator knows.
fn plain(ty: &TensorType) -> Option<TensorType> {
    (ty.static_shape().is_some() && !ty.element.is_quantized() && ty.encoding.is_none()).then(|| ty.clone())
}

fn empty(types: &[TensorType]) -> Option<Vec<Constant>> {
    let blank = |ty: &TensorType| Constant::splat(ty.clone(), vec![0; ty.element.storage_bytes()]);
    types.iter().all(|ty| ty.elements() == Some(0)).then(|| types.iter().map(blank).collect())
}

/// Moving equal elements about gives equal elements.
fn moved_splat(graph: &Graph, op: &Op, types: &[TensorType]) -> Option<Vec<Constant>> {
    let splat = |value: ValueId| constant_of(graph, value)?.splat_bytes();
    let element = splat(*op.operands.first()?)?;
    let same = match op.kind {
        kind if SELECTING.contains(&kind) => true,
        OpKind::Pad | OpKind::Concatenate | OpKind::DynamicUpdateSlice => {
            let moved = if op.kind == OpKind::Concatenate { op.operands.len() } else { 2 };
            op.operands.iter().take(moved).all(|&v| splat(v) == Some(element))
        }
        _ => false,
    };
    same.then(|| vec![Constant::splat(types[0].clone(), element.to_vec())])
}

/// A reshape shares the bytes.
fn reshaped(graph: &Graph, op: &Op, types: &[TensorType]) -> Option<Vec<Constant>> {
    let constant = constant_of(graph, *op.operands.first()?)?;
    match &constant.storage {
        Storage::Dense(bytes) if op.kind == OpKind::Reshape => {
            Some(vec![Constant { ty: types[0].clone(), storage: Storage::Dense(bytes.clone()) }])
        }
        _ => None,
    }
}

/// An elementwise op on repeated elements is evaluated on one element, in a graph of its own.
fn elementwise_splat(graph: &Graph, op: &Op, types: &[TensorType], options: &Options) -> Option<Vec<Constant>> {
    if !ops::row(op.kind).has(Trait::Elementwise) || !op.regions.is_empty() {
        return None;
    }
    let scalar = |ty: &TensorType| TensorType { shape: Vec::new(), element: ty.element, encoding: None };
    let mut inputs = Vec::with_capacity(op.operands.len());
    for &operand in &op.operands {
        let constant = constant_of(graph, operand)?;
        inputs.push(Tensor::new(scalar(&constant.ty), constant.splat_bytes()?.to_vec()).ok()?);
    }
    let mut scratch = Graph::default();
    let region = scratch.add_region();
    let arguments: Vec<Type> = inputs.iter().map(|t| Type::Tensor(t.ty.clone())).collect();
    let block = scratch.add_block(region, &arguments);
    let operands = scratch.block(block).arguments.clone();
    let result_types = types.iter().map(|ty| Type::Tensor(scalar(ty))).collect();
    let mut new = NewOp::new(op.kind, operands, result_types, Default::default());
    new.attrs = op.attrs.clone();
    let id = scratch.push_op(block, new);
    let results = evaluate_op(&scratch, id, &inputs, &limits(options)).ok()?;
    let constants = results.into_iter().zip(types).map(|(t, ty)| Constant::splat(ty.clone(), t.bytes));
    Some(constants.collect())
}

fn evaluated(graph: &Graph, id: OpId, types: &[TensorType], options: &Options) -> Option<Vec<Constant>> {
    let op = graph.op(id);
    let operands: Vec<&Constant> = op.operands.iter().map(|&v| constant_of(graph, v)).collect::<Option<_>>()?;
    let elements_in: i64 = operands.iter().filter_map(|c| c.ty.elements()).fold(0, i64::saturating_add);
    let dense = operands.iter().filter(|c| c.splat_bytes().is_none());
    let bytes_in: u64 = dense.filter_map(|c| c.ty.bytes()).fold(0, u64::saturating_add);
    let elements_out: i64 = types.iter().filter_map(TensorType::elements).fold(0, i64::saturating_add);
    let bytes_out: u64 = types.iter().filter_map(TensorType::bytes).fold(0, u64::saturating_add);
    let small = match op.kind {
        OpKind::BroadcastInDim => elements_out <= elements_in,
        _ => elements_out <= options.max_folded_elements,
    };
    if elements_in.max(elements_out) > MOST_ELEMENTS || !small && bytes_out > bytes_in {
        return None;
    }
    let inputs: Vec<Tensor> = op.operands.iter().map(|&v| tensor_of(graph, v)).collect::<Option<_>>()?;
    let results = evaluate_op(graph, id, &inputs, &limits(options)).ok()?;
    let fits = results.len() == types.len() && results.iter().zip(types).all(|(t, ty)| t.ty == *ty);
    fits.then(|| results.into_iter().map(to_constant).collect())
}

fn limits(options: &Options) -> Limits {
    Limits { max_elements: MOST_ELEMENTS as u64, max_steps: options.max_fold_work }
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print};
    use super::*;

    fn after(text: &str) -> String {
        let mut graph = import(text);
        run(&mut graph, &Options::default()).unwrap();
        super::super::erase_unused::run(&mut graph, &Options::default()).unwrap();
        print(&graph)
    }

    #[test]
    fn reductions_and_transposes_of_constants_fold() {
        let text = after(
            "func.func @main() -> (tensor<f32>, tensor<3x2xi32>) {
               %x = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
               %z = stablehlo.constant dense<0.0> : tensor<f32>
               %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] \
                   : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
               %c = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
               %1 = stablehlo.transpose %c, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
               return %0, %1 : tensor<f32>, tensor<3x2xi32>
             }",
        );
        assert!(text.contains("7.0") && text.contains("[1, 4], [2, 5], [3, 6]") && !text.contains("reduce"), "{text}");
    }

    #[test]
    fn a_dense_constant_is_not_blown_up() {
        let text = after(
            "func.func @main() -> (tensor<1000x3xf32>, tensor<100000xi32>) {
               %x = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
               %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<1000x3xf32>
               %1 = stablehlo.iota dim = 0 : tensor<100000xi32>
               return %0, %1 : tensor<1000x3xf32>, tensor<100000xi32>
             }",
        );
        assert!(text.contains("broadcast_in_dim") && text.contains("iota"), "{text}");
    }

    #[test]
    fn ops_without_elements_are_empty_constants() {
        let text = after(
            "func.func @main(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
               %0 = stablehlo.sine %x : tensor<0x4xf32>
               return %0 : tensor<0x4xf32>
             }",
        );
        assert!(!text.contains("sine"), "{text}");
    }
}

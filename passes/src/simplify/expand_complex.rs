//! Complex tensors become pairs of real tensors, ops on them real arithmetic on real and imaginary parts.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<3xcomplex<f32>>, %arg1: tensor<3xf32>) -> tensor<3xcomplex<f32>> {
//!   %0 = stablehlo.complex %arg1, %arg1 : tensor<3xcomplex<f32>>
//!   %1 = stablehlo.multiply %arg0, %0 : tensor<3xcomplex<f32>>
//!   return %1 : tensor<3xcomplex<f32>>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<3x2xf32> {fornax.type = tensor<3xcomplex<f32>>}, %arg1: tensor<3xf32>)
//!     -> (tensor<3x2xf32> {fornax.type = tensor<3xcomplex<f32>>}) {
//!   %0 = stablehlo.slice %arg0 [0:3, 0:1] : (tensor<3x2xf32>) -> tensor<3x1xf32>
//!   %1 = stablehlo.reshape %0 : (tensor<3x1xf32>) -> tensor<3xf32>
//!   %2 = stablehlo.slice %arg0 [0:3, 1:2] : (tensor<3x2xf32>) -> tensor<3x1xf32>
//!   %3 = stablehlo.reshape %2 : (tensor<3x1xf32>) -> tensor<3xf32>
//!   %4 = stablehlo.multiply %1, %arg1 : tensor<3xf32>
//!   %5 = stablehlo.multiply %3, %arg1 : tensor<3xf32>
//!   %6 = stablehlo.subtract %4, %5 : tensor<3xf32>
//!   %7 = stablehlo.add %4, %5 : tensor<3xf32>
//!   %8 = stablehlo.reshape %6 : (tensor<3xf32>) -> tensor<3x1xf32>
//!   %9 = stablehlo.reshape %7 : (tensor<3xf32>) -> tensor<3x1xf32>
//!   %10 = stablehlo.concatenate %8, %9, dim = 1 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
//!   return %10 : tensor<3x2xf32>
//! }
//! ```
//!
//! At function edges the parts stay interleaved, as the caller's buffers hold them; `fornax.type` keeps the declared
//! type. Ops with regions (reductions, sort, scatter, loops, branches) get two real operands, arguments and results for
//! each complex one. Functions that overflow or cancel early in f32 are computed in f64 and rounded once (`functions`).
//! All complex values go in one run, which waits until every size is known and calls are inlined.

mod data;
mod edges;
mod formula;
mod functions;
mod inverse;
mod regions;

#[cfg(test)]
mod tests;

use fornax_graph::{Graph, NewOp, Op, OpId, OpKind, TensorType, Type, ValueId};

use crate::rewrite::{Outcome, Rewrite, Rewriter, sweep};
use super::{Options, each_op, expand_custom_calls};
use crate::errors::PassError;

pub use edges::DECLARED_TYPE;

/// Real and imaginary part.
type Pair = [ValueId; 2];

/// Real and imaginary part of each complex value, by value id.
#[derive(Default)]
struct Parts(Vec<Option<Pair>>);

impl Parts {
    fn of(&self, value: ValueId) -> Option<Pair> {
        self.0.get(value.index()).copied().flatten()
    }

    fn set(&mut self, value: ValueId, parts: Pair) {
        if self.0.len() <= value.index() {
            self.0.resize(value.index() + 1, None);
        }
        self.0[value.index()] = Some(parts);
    }
}

/// Ops that move elements or treat both parts alike: one op a part.
const PARTWISE: &[OpKind] = &[
    OpKind::Add,
    OpKind::Subtract,
    OpKind::Negate,
    OpKind::Select,
    OpKind::Reshape,
    OpKind::Transpose,
    OpKind::BroadcastInDim,
    OpKind::Broadcast,
    OpKind::Slice,
    OpKind::Pad,
    OpKind::Concatenate,
    OpKind::Reverse,
    OpKind::Gather,
    OpKind::DynamicSlice,
    OpKind::DynamicUpdateSlice,
    OpKind::OptimizationBarrier,
];

pub fn run(graph: &mut Graph, options: &Options) -> Result<bool, PassError> {
    if !is_ready(graph) {
        return Ok(false);
    }
    if has_calls(graph) {
        // Those whose sizes have become known in this round have an expansion by now; others wait for a further batch
        // to be a loop.
        let changed = expand_custom_calls::run(graph, options)?;
        if has_calls(graph) {
            return Ok(changed);
        }
    }
    let mut parts = Parts::default();
    edges::split_functions(graph, &mut parts);
    regions::split_arguments(graph, &mut parts);
    sweep(graph, &mut |rw, id| expand(rw, id, &mut parts))?;
    Ok(true)
}

/// Whether there are calls of libraries on complex numbers.
fn has_calls(graph: &Graph) -> bool {
    let mut found = false;
    each_op(graph, &mut |id| found |= graph.op(id).kind == OpKind::CustomCall && is_complex_op(graph, id));
    found
}

/// Whether an op has operands or results of complex numbers.
pub fn is_complex_op(graph: &Graph, id: OpId) -> bool {
    let op = graph.op(id);
    op.operands.iter().chain(&op.results).any(|&value| mentions_complex(graph.ty(value)))
}

fn mentions_complex(ty: &Type) -> bool {
    match ty {
        Type::Tensor(tensor) => tensor.element.is_complex(),
        Type::Unranked(element) => element.is_complex(),
        Type::Tuple(items) => items.iter().any(mentions_complex),
        _ => false,
    }
}

/// Whether there are complex numbers, all of known size, in no tuple and handed to no function.
fn is_ready(graph: &Graph) -> bool {
    let is_static = |ty: &Type| ty.as_tensor().is_some_and(|tensor| tensor.is_sized());
    let (mut found, mut ready) = (false, true);
    let mut see = |ty: &Type| {
        if mentions_complex(ty) {
            found = true;
            ready &= is_static(ty);
        }
    };
    let mut calls = false;
    each_op(graph, &mut |id| {
        let op = graph.op(id);
        calls |= matches!(op.kind, OpKind::FuncCall | OpKind::Composite) && is_complex_op(graph, id);
        op.operands.iter().chain(&op.results).for_each(|&value| see(graph.ty(value)));
    });
    for function in graph.functions.iter() {
        let arguments = graph.entry(function).map(|entry| graph.block(entry).arguments.as_slice()).unwrap_or_default();
        arguments.iter().for_each(|&value| see(graph.ty(value)));
    }
    found && ready && !calls
}

/// The type of a part of a complex tensor; other types are their own.
fn part_type(ty: &Type) -> Type {
    match ty {
        Type::Tensor(tensor) => Type::Tensor(part_tensor(tensor)),
        other => other.clone(),
    }
}

fn part_tensor(ty: &TensorType) -> TensorType {
    ty.with_element(ty.element.complex_part())
}

/// A value in the terms of the graph after the pass.
#[derive(Clone, Copy)]
enum Number {
    Real(ValueId),
    Complex(Pair),
}

impl Number {
    /// The value's share in a partwise op: real values take part in both.
    fn part(self, at: usize) -> ValueId {
        match self {
            Number::Real(value) => value,
            Number::Complex(parts) => parts[at],
        }
    }

    fn complex(self) -> Option<Pair> {
        match self {
            Number::Real(_) => None,
            Number::Complex(parts) => Some(parts),
        }
    }
}

fn expand(rw: &mut Rewriter, id: OpId, parts: &mut Parts) -> Outcome {
    if !is_complex_op(rw.graph, id) {
        return Ok(Rewrite::Keep);
    }
    let op = rw.graph.op(id).clone();
    let operands: Vec<Number> = op
        .operands
        .iter()
        .map(|&value| parts.of(value).map_or(Number::Real(value), Number::Complex))
        .collect();
    if matches!(op.kind, OpKind::Return | OpKind::FuncReturn) {
        let returned = if rw.is_nested() {
            regions::flattened(&operands)
        } else {
            operands.iter().map(|&value| edges::interleaved(rw, value)).collect()
        };
        rw.graph.op_mut(id).operands = returned;
        return Ok(Rewrite::Edited);
    }
    let made = match op.kind {
        kind if PARTWISE.contains(&kind) => partwise(rw, &op, &operands).map(|made| vec![made]),
        kind if regions::VARIADIC.contains(&kind) => regions::expand(rw, &op, &operands),
        _ => data::expand(rw, &op, &operands).or_else(|| functions::expand(rw, &op, &operands)).map(|made| vec![made]),
    };
    let Some(made) = made.filter(|made| made.len() == op.results.len()) else {
        return Err(PassError::unsupported(rw.graph, id, "complex numbers have no expansion in this op"));
    };
    for (&result, number) in op.results.iter().zip(made) {
        match number {
            Number::Real(value) => rw.replace(result, value),
            Number::Complex(pair) => parts.set(result, pair),
        }
    }
    Ok(Rewrite::Erase)
}

/// The op once on real and once on imaginary parts.
fn partwise(rw: &mut Rewriter, op: &Op, operands: &[Number]) -> Option<Number> {
    let of_part = |rw: &mut Rewriter, at| {
        let values: Vec<ValueId> = operands.iter().map(|number| number.part(at)).collect();
        same_op(rw, op, values)
    };
    Some(Number::Complex([of_part(rw, 0)?, of_part(rw, 1)?]))
}

/// The op of one result on other operands; the result has the type of a part.
fn same_op(rw: &mut Rewriter, op: &Op, operands: Vec<ValueId>) -> Option<ValueId> {
    let ty = part_type(rw.graph.ty(*op.results.first()?));
    let mut new = NewOp::new(op.kind, operands, vec![ty], op.location);
    new.attrs = op.attrs.clone();
    rw.insert(new).first().copied()
}

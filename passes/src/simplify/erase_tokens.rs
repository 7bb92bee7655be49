//! Tokens become truth values that nobody looks at: what takes and gives them keeps its order, as any values do.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: !stablehlo.token, %arg1: tensor<2xf32>) -> !stablehlo.token {
//!   %0 = "fornax.host_call"(%arg0, %arg1) <{number = 1 : i64}> : (!stablehlo.token, tensor<2xf32>) -> !stablehlo.token
//!   %1 = stablehlo.create_token : !stablehlo.token
//!   %2 = stablehlo.after_all %0, %1 : !stablehlo.token
//!   %3 = "fornax.host_call"(%2) <{number = 2 : i64}> : (!stablehlo.token) -> !stablehlo.token
//!   return %3 : !stablehlo.token
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<0xi1>, %arg1: tensor<2xf32>) -> tensor<0xi1> {
//!   %0 = stablehlo.constant dense<false> : tensor<i1>
//!   %1 = "fornax.host_call"(%0, %arg1) <{number = 1 : i64}> : (tensor<i1>, tensor<2xf32>) -> tensor<i1>
//!   %2 = stablehlo.constant dense<false> : tensor<i1>
//!   %3 = stablehlo.or %1, %2 : tensor<i1>
//!   %4 = "fornax.host_call"(%3) <{number = 2 : i64}> : (tensor<i1>) -> tensor<i1>
//!   %5 = stablehlo.constant dense<false> : tensor<0xi1>
//!   return %5 : tensor<0xi1>
//! }
//! ```
//!
//! Callers of a function give and get an array without elements for a token, as JAX does: calls have their order by
//! themselves. Limits: a program with a `send` or `recv` stays as it is until those are gone (`expand_transfers`); one
//! with transfers from or to the host, or with a future, is refused.

use fornax_graph::{Attr, BlockId, Constant, ElementType, Graph, NewOp, OpKind, TensorType, Type};
use fornax_reference::Scalar;

use super::{Options, each_op};
use crate::errors::PassError;
use crate::rewrite::{Rewrite, sweep};

/// Ops that want tokens as they are.
const TRANSFERS: &[OpKind] = &[OpKind::Infeed, OpKind::Outfeed, OpKind::Recv, OpKind::Send, OpKind::AsyncStart];

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    if !graph.values.iter().any(|value| value.ty == Type::Token) {
        return Ok(false);
    }
    let mut transfers = false;
    each_op(graph, &mut |id| transfers |= TRANSFERS.contains(&graph.op(id).kind));
    if transfers {
        return Ok(false);
    }
    for at in 0..graph.functions.len() {
        if let Some(entry) = graph.entry(&graph.functions[at]) {
            edges(graph, at, entry);
        }
    }
    let truth = TensorType::new(&[], ElementType::I1);
    for value in graph.values.iter_mut().filter(|value| value.ty == Type::Token) {
        value.ty = Type::Tensor(truth.clone());
    }
    sweep(graph, &mut |rw, id| {
        let op = rw.graph.op(id).clone();
        if !matches!(op.kind, OpKind::CreateToken | OpKind::AfterAll) {
            return Ok(Rewrite::Keep);
        }
        let all = op.operands.into_iter().reduce(|all, next| rw.binary(OpKind::Or, all, next));
        Ok(Rewrite::with(all.unwrap_or_else(|| rw.splat(&truth, Scalar::Bool(false)))))
    })?;
    Ok(true)
}

/// The tokens that a function takes and gives become arrays without elements.
fn edges(graph: &mut Graph, function: usize, entry: BlockId) {
    let empty = TensorType::new(&[0], ElementType::I1);
    let location = graph.functions[function].location;
    let taken = graph.block(entry).arguments.clone().into_iter().filter(|&v| *graph.ty(v) == Type::Token);
    for (made, argument) in taken.collect::<Vec<_>>().into_iter().enumerate() {
        let token = NewOp::new(OpKind::CreateToken, Vec::new(), vec![Type::Token], location);
        let token = graph.insert_op(entry, made, token);
        let token = graph.op(token).results[0];
        let operands = graph.ops.iter_mut().flat_map(|op| &mut op.operands);
        operands.filter(|operand| **operand == argument).for_each(|operand| *operand = token);
        graph.values[argument.index()].ty = Type::Tensor(empty.clone());
    }
    let Some(end) = graph.block(entry).ops.last().copied() else { return };
    for at in 0..graph.op(end).operands.len() {
        if *graph.ty(graph.op(end).operands[at]) == Type::Token {
            let value = graph.add_constant(Constant::splat(empty.clone(), vec![0]));
            let ty = Type::Tensor(empty.clone());
            let constant = NewOp::new(OpKind::Constant, Vec::new(), vec![ty.clone()], location);
            let place = graph.block(entry).ops.len() - 1;
            let constant = graph.insert_op(entry, place, constant.attr("value", Attr::Dense(value)));
            graph.op_mut(end).operands[at] = graph.op(constant).results[0];
            graph.functions[function].result_types[at] = ty;
        }
    }
}

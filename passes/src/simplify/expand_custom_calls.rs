//! Custom calls that frameworks print for an op of StableHLO or CHLO become that op; annotations of placement go.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
//!   %1 = stablehlo.custom_call @mhlo.erf(%0) : (tensor<2xf32>) -> tensor<2xf32>
//!   return %1 : tensor<2xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = chlo.erf %arg0 : tensor<2xf32> -> tensor<2xf32>
//!   return %0 : tensor<2xf32>
//! }
//! ```
//!
//! Limits: a call of any other target stays, and a later phase refuses it by its name.

use fornax_graph::{Attr, AttrMap, Graph, OpId, OpKind};

use super::rewrite::{Outcome, Rewrite, Rewriter, sweep};
use super::{Options, symbol};
use crate::errors::PassError;

/// Targets that give back their operand: notes to a partitioner or a memory planner.
const ANNOTATIONS: &[&str] = &[
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
    "annotate_device_placement",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.PropagationBarrier",
];

/// Targets that are another name of an op.
const ALIASES: &[(&str, OpKind)] = &[
    ("mhlo.acos", OpKind::ChloAcos),
    ("mhlo.acosh", OpKind::ChloAcosh),
    ("mhlo.asin", OpKind::ChloAsin),
    ("mhlo.asinh", OpKind::ChloAsinh),
    ("mhlo.atanh", OpKind::ChloAtanh),
    ("mhlo.cosh", OpKind::ChloCosh),
    ("mhlo.erf", OpKind::ChloErf),
    ("mhlo.sinh", OpKind::ChloSinh),
    ("mhlo.tan", OpKind::Tan),
    ("mhlo.topk", OpKind::ChloTopK),
];

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::CustomCall => expand(rw, id),
        _ => Ok(Rewrite::Keep),
    })
}

fn expand(rw: &mut Rewriter, id: OpId) -> Outcome {
    let target = symbol(rw.graph, id, "call_target_name").unwrap_or_default();
    if ANNOTATIONS.contains(&target) {
        return Ok(Rewrite::Replace(rw.graph.op(id).operands.clone()));
    }
    let Some(&(_, kind)) = ALIASES.iter().find(|(name, _)| *name == target) else {
        return Ok(Rewrite::Keep);
    };
    let op = rw.graph.op_mut(id);
    let given = std::mem::take(&mut op.attrs);
    if kind == OpKind::ChloTopK {
        let fields = match given.get("mhlo.attributes") {
            Some(Attr::Dict(fields)) => fields.clone(),
            _ => AttrMap::default(),
        };
        let (Some(k), true) = (fields.get("k"), fields.bool("largest").unwrap_or(true)) else {
            op.attrs = given;
            return Ok(Rewrite::Keep);
        };
        op.attrs.set("k", k.clone());
    }
    op.kind = kind;
    Ok(Rewrite::Edited)
}

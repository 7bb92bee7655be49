//! Groups of attention that a target has no kernel for become plain groups again.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<9x8xbf16>, %arg1: tensor<9x8xbf16>, %arg2: tensor<9x8xbf16>) -> tensor<9x8xf32> {
//!   %0 = "fornax.fusion"(%arg0, %arg1, %arg2) ({
//!   ^bb0(%arg3: tensor<9x8xbf16>, %arg4: tensor<9x8xbf16>, %arg5: tensor<9x8xbf16>):
//!     %1 = stablehlo.convert %arg3 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!     %2 = stablehlo.convert %arg4 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!     %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [1] :
//!         (tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<9x9xf32>
//!     %4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
//!     %5 = stablehlo.reduce(%3 init: %4) applies stablehlo.maximum across dimensions = [1] :
//!         (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!     %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!     %7 = stablehlo.subtract %3, %6 : tensor<9x9xf32>
//!     %8 = stablehlo.exponential %7 : tensor<9x9xf32>
//!     %9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!     %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.add across dimensions = [1] :
//!         (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!     %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!     %12 = stablehlo.divide %8, %11 : tensor<9x9xf32>
//!     %13 = stablehlo.convert %arg5 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!     %14 = stablehlo.dot_general %12, %13, contracting_dims = [1] x [0] :
//!         (tensor<9x9xf32>, tensor<9x8xf32>) -> tensor<9x8xf32>
//!     fornax.yield %14 : tensor<9x8xf32>
//!   }) {hero = "attention"} : (tensor<9x8xbf16>, tensor<9x8xbf16>, tensor<9x8xbf16>) -> tensor<9x8xf32>
//!   return %0 : tensor<9x8xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<9x8xbf16>, %arg1: tensor<9x8xbf16>, %arg2: tensor<9x8xbf16>) -> tensor<9x8xf32> {
//!   %0 = "fornax.fusion"(%arg0, %arg1) ({
//!   ^bb0(%arg3: tensor<9x8xbf16>, %arg4: tensor<9x8xbf16>):
//!     %1 = stablehlo.convert %arg3 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!     %2 = stablehlo.convert %arg4 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!     %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [1] :
//!         (tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<9x9xf32>
//!     fornax.yield %3 : tensor<9x9xf32>
//!   }) {hero = "contraction"} : (tensor<9x8xbf16>, tensor<9x8xbf16>) -> tensor<9x9xf32>
//!   %4 = "fornax.fusion"(%0) ({
//!   ^bb0(%arg5: tensor<9x9xf32>):
//!     %5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
//!     %6 = stablehlo.reduce(%arg5 init: %5) applies stablehlo.maximum across dimensions = [1] :
//!         (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!     %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!     %8 = stablehlo.subtract %arg5, %7 : tensor<9x9xf32>
//!     %9 = stablehlo.exponential %8 : tensor<9x9xf32>
//!     %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!     %11 = stablehlo.reduce(%9 init: %10) applies stablehlo.add across dimensions = [1] :
//!         (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!     %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!     %13 = stablehlo.divide %9, %12 : tensor<9x9xf32>
//!     fornax.yield %13 : tensor<9x9xf32>
//!   }) {hero = "row"} : (tensor<9x9xf32>) -> tensor<9x9xf32>
//!   %14 = "fornax.fusion"(%arg2, %4) ({
//!   ^bb0(%arg6: tensor<9x8xbf16>, %arg7: tensor<9x9xf32>):
//!     %15 = stablehlo.convert %arg6 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!     %16 = stablehlo.dot_general %arg7, %15, contracting_dims = [1] x [0] :
//!         (tensor<9x9xf32>, tensor<9x8xf32>) -> tensor<9x8xf32>
//!     fornax.yield %16 : tensor<9x8xf32>
//!   }) {hero = "contraction"} : (tensor<9x8xbf16>, tensor<9x9xf32>) -> tensor<9x8xf32>
//!   return %14 : tensor<9x8xf32>
//! }
//! ```
//!
//! Input: a fused graph and a predicate that says which attention groups stay. Output: the graph with the ops of the
//! others grouped as if attention were not known: products, reductions, loops.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};

use super::alone::alone;
use super::build::Copy;
use super::{PHASE, fuse_plainly};
use crate::decompose::insert::replace;
use crate::errors::PassError;
use crate::facts::control;
use crate::observe::{Ir, Observer, Run, Turn, observed};
use crate::remarks::{Expanded, NO_ATTENTION_KERNEL, Pair};

/// The graph with every attention group for which `keep` is false expanded; `remarks` hears of each.
pub fn expand_attention<'a>(
    graph: &'a Graph,
    keep: &dyn Fn(&Graph, OpId) -> bool,
    mut remarks: Option<&mut Expanded>,
) -> Result<Cow<'a, Graph>, PassError> {
    let mut expanded = Cow::Borrowed(graph);
    for function in &graph.functions {
        let Some(entry) = graph.entry(function) else { continue };
        for block in control::all_blocks(graph, entry) {
            for &op in &graph.block(block).ops {
                let data = graph.op(op);
                let attention = data.kind == OpKind::Fusion && data.attrs.str("hero") == Some("attention");
                if attention && !keep(graph, op) {
                    expand(expanded.to_mut(), op, (block, entry), remarks.as_deref_mut())?;
                }
            }
        }
    }
    Ok(expanded)
}

/// The same before an observer, who hears of one run, for `target`.
pub fn observed_expansion<'a>(
    graph: &'a Graph,
    target: &str,
    keep: &dyn Fn(&Graph, OpId) -> bool,
    remarks: Option<&mut Expanded>,
    observer: &mut dyn Observer,
) -> Result<Cow<'a, Graph>, PassError> {
    if !observer.listens() {
        return expand_attention(graph, keep, remarks);
    }
    let run = Run { phase: PHASE, name: "expand_attention", turn: Turn::Target(target) };
    let mut expanded = graph.clone();
    observed(observer, &run, &mut expanded, |graph| {
        let new = match expand_attention(graph, keep, remarks)? {
            Cow::Owned(new) => Some(new),
            Cow::Borrowed(_) => None,
        };
        if let Some(new) = new {
            *graph = new;
        }
        Ok(())
    })?;
    Ok(Cow::Owned(expanded))
}

/// Keeps fusion's remarks and hears of nothing else.
struct Pairs {
    asked: bool,
    kept: Vec<Pair>,
}

impl Observer for Pairs {
    fn listens(&self) -> bool {
        false
    }

    fn shows(&self, _: &str) -> bool {
        false
    }

    fn before(&mut self, _: &Run, _: &dyn Ir) {}

    fn after(&mut self, _: &Run, _: &dyn Ir, _: bool) {}

    fn took(&mut self, _: &Run, _: Duration) {}

    fn remarks(&mut self) -> Option<&mut Vec<Pair>> {
        self.asked.then_some(&mut self.kept)
    }
}

/// Replaces a group by the groups of its ops.
fn expand(
    graph: &mut Graph,
    fusion: OpId,
    (block, entry): (BlockId, BlockId),
    remarks: Option<&mut Expanded>,
) -> Result<(), PassError> {
    let mut pairs = Pairs { asked: remarks.is_some(), kept: Vec::new() };
    let mini = fuse_plainly(&alone(graph, fusion)?, &mut pairs)?;
    let body = mini.functions.first().and_then(|f| mini.entry(f));
    let body = body.ok_or_else(|| PassError::broken("an attention group has no body"))?;
    graph.constants.clone_from(&mini.constants);
    let operands = graph.op(fusion).operands.clone();
    let values = mini.block(body).arguments.iter().copied().zip(operands).collect();
    let before = graph.block(block).ops.len();
    let mut copy = Copy { from: &mini, to: graph, values, attention: false, pairs: None };
    let (mut results, mut inner) = (Vec::new(), Vec::new());
    for &op in &mini.block(body).ops {
        if mini.op(op).kind == OpKind::FuncReturn {
            results = mini.op(op).operands.iter().map(|&v| copy.value(v)).collect::<Result<Vec<_>, _>>()?;
        } else {
            copy.op(op, block)?;
            inner.push(op);
        }
    }
    // What was added at the end of the block belongs where the group stood.
    let ops = &mut graph.blocks[block.index()].ops;
    let added = ops.split_off(before);
    if let Some(remarks) = remarks {
        let new: HashMap<OpId, OpId> = inner.into_iter().zip(added.iter().copied()).collect();
        for pair in &mut pairs.kept {
            if !pair.refused.is_empty() {
                pair.refused.insert(0, NO_ATTENTION_KERNEL.of([]));
            }
            for group in pair.producer.groups.iter_mut().chain(&mut pair.consumer.groups) {
                *group = new.get(group).copied().unwrap_or(*group);
            }
        }
        remarks.pairs.append(&mut pairs.kept);
        remarks.replaced.insert(fusion, added.clone());
    }
    let at = ops.iter().position(|&op| op == fusion).unwrap_or(ops.len());
    ops.splice(at..at, added);
    let pairs: Vec<(ValueId, ValueId)> = graph.op(fusion).results.iter().copied().zip(results).collect();
    replace(graph, entry, &pairs);
    graph.erase_op(fusion);
    Ok(())
}

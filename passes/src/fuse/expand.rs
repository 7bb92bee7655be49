//! Groups of attention that a target has no kernel for become plain groups again.
//!
//! Input: a fused graph and a predicate that says which attention groups stay. Output: the graph with the ops of the others grouped as if
//! attention were not known: products, reductions, loops.

use std::borrow::Cow;

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};

use super::alone::alone;
use super::build::Copy;
use super::{control, fuse_plainly, prepare};
use crate::errors::PassError;

/// The graph with every attention group for which `keep` is false expanded.
pub fn expand_attention<'a>(
    graph: &'a Graph,
    keep: &dyn Fn(&Graph, OpId) -> bool,
) -> Result<Cow<'a, Graph>, PassError> {
    let mut expanded = Cow::Borrowed(graph);
    for function in &graph.functions {
        let Some(entry) = graph.entry(function) else { continue };
        for block in control::all_blocks(graph, entry) {
            for &op in &graph.block(block).ops {
                let data = graph.op(op);
                let attention = data.kind == OpKind::Fusion && data.attrs.str("hero") == Some("attention");
                if attention && !keep(graph, op) {
                    expand(expanded.to_mut(), op, block, entry)?;
                }
            }
        }
    }
    Ok(expanded)
}

/// Replaces a group by the groups of its ops.
fn expand(graph: &mut Graph, fusion: OpId, block: BlockId, entry: BlockId) -> Result<(), PassError> {
    let mini = fuse_plainly(&alone(graph, fusion)?)?;
    let body = mini.functions.first().and_then(|f| mini.entry(f));
    let body = body.ok_or_else(|| PassError::broken("an attention group has no body"))?;
    graph.constants.clone_from(&mini.constants);
    let operands = graph.op(fusion).operands.clone();
    let values = mini.block(body).arguments.iter().copied().zip(operands).collect();
    let before = graph.block(block).ops.len();
    let mut copy = Copy { from: &mini, to: graph, values, attention: false };
    let mut results = Vec::new();
    for &op in &mini.block(body).ops {
        if mini.op(op).kind == OpKind::FuncReturn {
            results = mini.op(op).operands.iter().map(|&v| copy.value(v)).collect::<Result<Vec<_>, _>>()?;
        } else {
            copy.op(op, block)?;
        }
    }
    // What was added at the end of the block belongs where the group stood.
    let ops = &mut graph.blocks[block.index()].ops;
    let added = ops.split_off(before);
    let at = ops.iter().position(|&op| op == fusion).unwrap_or(ops.len());
    ops.splice(at..at, added);
    let pairs: Vec<(ValueId, ValueId)> = graph.op(fusion).results.iter().copied().zip(results).collect();
    prepare::replace(graph, entry, &pairs);
    graph.erase_op(fusion);
    Ok(())
}

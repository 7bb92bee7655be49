//! What runs when: entry points, and `while` and `if`, whose blocks are fused on their own; between them and the groups
//! around pass buffers.

use std::collections::{BTreeSet, HashSet};

use fornax_graph::{BlockId, Definition, Graph, OpId, OpKind, ValueId};

use super::ops::{Class, row};

/// Functions that become entry points.
pub fn entry_points(graph: &Graph) -> Vec<usize> {
    let with_body = || (0..graph.functions.len()).filter(|&f| graph.functions[f].body.is_some());
    let public: Vec<usize> = with_body().filter(|&f| !graph.functions[f].private).collect();
    if public.is_empty() { with_body().collect() } else { public }
}

/// Blocks that a control op runs; none for every other op.
pub fn blocks(graph: &Graph, op: OpId) -> Vec<BlockId> {
    if !is_control(graph, op) {
        return Vec::new();
    }
    graph.op(op).regions.iter().flat_map(|&r| graph.region(r).blocks.iter().copied()).collect()
}

pub fn is_control(graph: &Graph, op: OpId) -> bool {
    row(graph.op(op).kind).is_some_and(|r| r.class == Class::Control)
}

/// Whether an op, or one inside of it, calls a function of the host: it must run as often as the program says.
pub fn calls_host(graph: &Graph, op: OpId) -> bool {
    let data = graph.op(op);
    let inner = data.regions.iter().flat_map(|&region| &graph.region(region).blocks);
    data.kind == OpKind::HostCall
        || inner.flat_map(|&block| &graph.block(block).ops).any(|&inner| calls_host(graph, inner))
}

/// Values from outside that a control op uses: its operands and what its blocks capture.
pub fn inputs(graph: &Graph, op: OpId) -> BTreeSet<ValueId> {
    let mut inner: HashSet<BlockId> = HashSet::new();
    let mut stack: Vec<OpId> = vec![op];
    let mut used: BTreeSet<ValueId> = BTreeSet::new();
    while let Some(at) = stack.pop() {
        used.extend(graph.op(at).operands.iter().copied());
        for &region in &graph.op(at).regions {
            for &block in &graph.region(region).blocks {
                inner.insert(block);
                stack.extend(graph.block(block).ops.iter().copied());
            }
        }
    }
    used.retain(|&v| {
        let home = match graph.value(v).definition {
            Definition::Result { op, .. } => graph.op(op).block,
            Definition::Argument { block, .. } => block,
        };
        !inner.contains(&home)
    });
    used
}

/// All blocks of a function body in which ops are grouped: the entry and those of control ops, outer before inner.
pub fn all_blocks(graph: &Graph, entry: BlockId) -> Vec<BlockId> {
    let mut found = vec![entry];
    let mut at = 0;
    while let Some(&block) = found.get(at) {
        for &op in &graph.block(block).ops {
            found.extend(blocks(graph, op));
        }
        at += 1;
    }
    found
}

/// The bodies of the loops among blocks.
pub fn bodies(graph: &Graph, among: &[BlockId]) -> HashSet<BlockId> {
    let ops = among.iter().flat_map(|&block| &graph.block(block).ops);
    let loops = ops.filter(|&&op| graph.op(op).kind == OpKind::While);
    loops.filter_map(|&op| blocks(graph, op).get(1).copied()).collect()
}

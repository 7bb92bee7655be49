//! Copies of blocks under a value map: what inlining is made of.

use std::collections::HashMap;

use fornax_graph::{BlockId, Graph, NewOp, OpId, RegionId, Type, ValueId};

use super::Rewriter;

/// Old value → new value. Values that are not in it are used as they are.
pub type ValueMap = HashMap<ValueId, ValueId>;

impl Rewriter<'_> {
    /// Copies the ops of a block, all but its terminator, before the current op; returns the terminator's operands
    /// in the copy. `map` holds the values for the block's arguments.
    pub(crate) fn copy_body(&mut self, block: BlockId, map: &mut ValueMap) -> Vec<ValueId> {
        let ops = self.graph.block(block).ops.clone();
        let Some((&terminator, body)) = ops.split_last() else { return Vec::new() };
        for &op in body {
            let copy = self.copy_op(op, map);
            let results = self.insert(copy);
            map.extend(self.graph.op(op).results.iter().copied().zip(results));
        }
        let operands = &self.graph.op(terminator).operands;
        operands.iter().map(|v| map.get(v).copied().unwrap_or(*v)).collect()
    }

    /// A copy of an op and its regions, not yet in a block.
    pub(crate) fn copy_op(&mut self, id: OpId, map: &mut ValueMap) -> NewOp {
        copy_op(self.graph, id, map)
    }
}

/// A copy of an op and its regions, not yet in a block.
pub fn copy_op(graph: &mut Graph, id: OpId, map: &mut ValueMap) -> NewOp {
    let op = graph.op(id).clone();
    let regions = op.regions.iter().map(|&region| copy_region(graph, region, map)).collect();
    NewOp {
        kind: op.kind,
        name: op.name,
        operands: op.operands.iter().map(|v| map.get(v).copied().unwrap_or(*v)).collect(),
        result_types: op.results.iter().map(|&r| graph.ty(r).clone()).collect(),
        attrs: op.attrs,
        regions,
        location: op.location,
    }
}

/// A copy of a region; values from outside that are not in the map are used as they are.
pub fn copy_region(graph: &mut Graph, region: RegionId, map: &mut ValueMap) -> RegionId {
    let copy = graph.add_region();
    for block in graph.region(region).blocks.clone() {
        let arguments = graph.block(block).arguments.clone();
        let types: Vec<Type> = arguments.iter().map(|&a| graph.ty(a).clone()).collect();
        let new = graph.add_block(copy, &types);
        map.extend(arguments.into_iter().zip(graph.block(new).arguments.clone()));
        for op in graph.block(block).ops.clone() {
            let inner = copy_op(graph, op, map);
            let made = graph.push_op(new, inner);
            let results = graph.op(made).results.clone();
            map.extend(graph.op(op).results.iter().copied().zip(results));
        }
    }
    copy
}

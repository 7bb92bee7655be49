//! Ops whose results nobody uses go, unless they act on the outside.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = stablehlo.sine %arg0 : tensor<2xf32>
//!   %1 = stablehlo.add %0, %0 : tensor<2xf32>
//!   %2 = stablehlo.negate %arg0 : tensor<2xf32>
//!   return %2 : tensor<2xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = stablehlo.negate %arg0 : tensor<2xf32>
//!   return %0 : tensor<2xf32>
//! }
//! ```
//!
//! What the host reads as a size lives. An op with regions lives when one of its results is used or when something
//! inside it acts on the outside.

use fornax_graph::ops::{self, Trait};
use fornax_graph::{BlockId, DimDef, Graph, OpId};

use super::{Options, has_side_effect};
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    let mut marks = Marks { live: vec![false; graph.ops.len()], work: Vec::new() };
    let blocks: Vec<BlockId> =
        graph.functions.iter().filter_map(|f| f.body).flat_map(|region| graph.region(region).blocks.clone()).collect();
    for &block in &blocks {
        marks.roots(graph, block, true);
    }
    for (dim, used) in graph.dims.iter().zip(graph.used_dims()) {
        if let (true, DimDef::Value { value }) = (used, dim.def)
            && let Some(producer) = graph.producer(value)
        {
            marks.mark(producer);
        }
    }
    while let Some(id) = marks.work.pop() {
        let op = graph.op(id);
        for &operand in &op.operands {
            if let Some(producer) = graph.producer(operand) {
                marks.mark(producer);
            }
        }
        for &block in op.regions.iter().flat_map(|&region| &graph.region(region).blocks) {
            marks.terminator(graph, block);
        }
    }
    Ok(blocks.into_iter().fold(false, |changed, block| sweep_block(graph, block, &marks.live) | changed))
}

struct Marks {
    live: Vec<bool>,
    work: Vec<OpId>,
}

impl Marks {
    fn mark(&mut self, id: OpId) {
        if !std::mem::replace(&mut self.live[id.index()], true) {
            self.work.push(id);
        }
    }

    fn terminator(&mut self, graph: &Graph, block: BlockId) {
        if let Some(&last) = graph.block(block).ops.last() {
            self.mark(last);
        }
    }

    /// Marks what lives by itself; returns whether there is anything in the block that acts on the outside.
    fn roots(&mut self, graph: &Graph, block: BlockId, of_function: bool) -> bool {
        let mut acts = false;
        for &id in &graph.block(block).ops {
            let mut here = has_side_effect(graph, id);
            for &inner in graph.op(id).regions.iter().flat_map(|&region| &graph.region(region).blocks) {
                here |= self.roots(graph, inner, false);
            }
            if here || of_function && ops::row(graph.op(id).kind).has(Trait::Terminator) {
                self.mark(id);
            }
            acts |= here;
        }
        acts
    }
}

/// Takes dead ops out of a block and of the regions of those that stay.
fn sweep_block(graph: &mut Graph, block: BlockId, live: &[bool]) -> bool {
    let mut kept = std::mem::take(&mut graph.blocks[block.index()].ops);
    let before = kept.len();
    kept.retain(|id| live[id.index()]);
    let mut changed = kept.len() != before;
    for &id in &kept {
        for at in 0..graph.op(id).regions.len() {
            let region = graph.op(id).regions[at];
            for inner in graph.region(region).blocks.clone() {
                changed |= sweep_block(graph, inner, live);
            }
        }
    }
    graph.blocks[block.index()].ops = kept;
    changed
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print};
    use super::*;

    #[test]
    fn values_used_in_a_live_region_stay() {
        let text = "func.func @main(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
            %0 = stablehlo.sine %x : tensor<f32>
            %1 = \"stablehlo.if\"(%p) ({
              %2 = stablehlo.cosine %x : tensor<f32>
              stablehlo.return %0 : tensor<f32>
            }, {
              stablehlo.return %x : tensor<f32>
            }) : (tensor<i1>) -> tensor<f32>
            return %1 : tensor<f32>
          }";
        let mut graph = import(text);
        assert!(run(&mut graph, &Options::default()).unwrap());
        let after = print(&graph);
        assert!(after.contains("sine") && !after.contains("cosine"), "{after}");
        assert!(!run(&mut graph, &Options::default()).unwrap());
    }
}

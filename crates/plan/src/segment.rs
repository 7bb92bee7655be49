//! The schedule of segment folds: what a scatter becomes when its updates are sorted by where they go.

use crate::expr::NodeId;
use crate::kernel::{Body, Combiner, KernelPlan};

/// For `Body::Segment`.
///
/// Worked example: the rows of [50257, 768] f32 that 4096 updates hit, CUDA: 4 lanes along a row, 128 threads: 75,386
/// workgroups; a thread finds the updates of its row by a binary search of 12 steps and adds them up. A histogram of
/// 1,000,000 numbers in 100 bins: the 32 threads of a subgroup share a bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentSchedule {
    /// Lanes along the last domain variable; they divide it.
    pub lanes: u32,
    /// Threads that share a segment: 1, or a subgroup.
    pub share: u32,
    pub threads: u32,
    /// Points (or vectors of them) that a thread does one after another.
    pub items: u32,
}

impl KernelPlan {
    /// Points, or vectors of them, of the domain.
    pub fn segment_items(&self, s: &SegmentSchedule) -> u64 {
        self.loop_items(s.lanes.max(1))
    }

    /// Workgroups of a segment fold.
    pub(crate) fn segment_groups(&self, s: &SegmentSchedule) -> u64 {
        debug_assert!(matches!(self.body, Body::Segment { .. }));
        let each = u64::from(s.threads / s.share.max(1)).max(1) * u64::from(s.items.max(1));
        self.segment_items(s).div_ceil(each)
    }
}

impl Body {
    /// Nodes of a segment fold, without its stores; none of other bodies.
    pub fn segment_nodes(&self) -> Vec<NodeId> {
        let Body::Segment { key, row, inputs, inits, combiner, .. } = self else { return Vec::new() };
        let mut nodes = vec![*key, *row];
        nodes.extend(inputs.iter().chain(inits));
        if let Combiner::General(results) = combiner {
            nodes.extend(results);
        }
        nodes
    }

    /// The same, to be rewritten.
    pub fn segment_nodes_mut(&mut self) -> Vec<&mut NodeId> {
        let Body::Segment { key, row, inputs, inits, combiner, .. } = self else { return Vec::new() };
        let mut nodes = vec![key, row];
        nodes.extend(inputs.iter_mut().chain(inits));
        if let Combiner::General(results) = combiner {
            nodes.extend(results);
        }
        nodes
    }
}

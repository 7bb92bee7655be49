//! The schedule of segmented reductions.

use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{Body, KernelPlan};

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

impl SegmentSchedule {
    /// Points, or vectors of them, of the domain.
    pub fn points(&self, plan: &KernelPlan) -> u64 {
        plan.loop_items(self.lanes.max(1))
    }

    /// Workgroups of a segment fold.
    fn groups(&self, plan: &KernelPlan) -> u64 {
        debug_assert!(matches!(plan.body, Body::Segment { .. }));
        let each = u64::from(self.threads / self.share.max(1)).max(1) * u64::from(self.items.max(1));
        self.points(plan).div_ceil(each)
    }
}

impl Schedule for SegmentSchedule {
    fn way(&self, _: &KernelPlan) -> String {
        format!("segment lanes {} share {} threads {} items {}", self.lanes, self.share, self.threads, self.items)
    }

    fn text(&self, _: &dyn Names) -> String {
        let (lanes, share, threads, items) = (self.lanes, self.share, self.threads, self.items);
        format!("segment lanes {lanes} share {share} threads {threads} items {items}")
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        ([self.groups(plan).max(1), 1, 1], self.threads)
    }

    fn points_per_thread(&self, _: &KernelPlan) -> u64 {
        u64::from(self.items)
    }
}

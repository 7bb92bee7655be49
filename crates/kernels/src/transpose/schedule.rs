//! Loops whose loads and stores run along different variables: rectangles that pass through shared memory.
//!
//! Input: a `Body::Loop` whose stores step by one along the last domain variable and some of whose loads step by one
//! along another one. A workgroup reads its rectangle of those loads along their own variable, writes it to shared
//! memory, and computes and stores along the last variable: both sides move whole vectors of neighbours.
//!
//! Worked example, transpose of [4096, 8192] f32 to [8192, 4096]: domain i0 < 8192, i1 < 4096, load [8192·i1 + i0]
//! along i0, store [4096·i0 + i1]. Rectangles of 64 × 64, 4 lanes on both sides, 256 threads: each reads 4 vectors of
//! 16 bytes and stores 4; 128 · 64 workgroups.

use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{KernelPlan, VarId};

/// For `Body::Loop` on GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransposeSchedule {
    /// The variable that the crossing loads run along, and their lanes: a divisor of its extent.
    pub along: VarId,
    pub load_lanes: u32,
    /// Lanes of the stores: a divisor of the last variable's extent.
    pub store_lanes: u32,
    /// Elements of a rectangle along `along` and along the last variable; multiples of the lanes.
    pub height: u32,
    pub width: u32,
    pub threads: u32,
    /// Stored rows are shifted down to multiples of so many elements, and whole vectors are moved though no extent is a
    /// multiple of theirs; 1: nothing is shifted.
    pub phase: u32,
    /// Lanes of the loads, and of the stores, where that side's part of a rectangle is one run of memory: all of a
    /// short extent, of neighbouring rows. Vectors move it though they begin anywhere in rows; 1: row by row.
    pub load_run: u32,
    pub store_run: u32,
}

impl TransposeSchedule {
    /// Rectangles: the product over the other variables of their extents and of the rectangles along the two.
    pub fn rectangles(&self, plan: &KernelPlan) -> u64 {
        let last = plan.domain.last();
        let count = |v: &VarId| {
            let extent = plan.exprs.indices.extent(*v).max(0) as u64;
            match (*v == self.along, Some(v) == last) {
                (true, _) => extent.div_ceil(u64::from(self.height.max(1))),
                (_, true) => (extent + u64::from(self.phase.max(1)) - 1).div_ceil(u64::from(self.width.max(1))),
                _ => extent,
            }
        };
        plan.domain.iter().map(count).product()
    }
}

impl Schedule for TransposeSchedule {
    fn way(&self, _: &KernelPlan) -> String {
        let phase = if self.phase > 1 { format!(" phase {}", self.phase) } else { String::new() };
        format!(
            "transpose {}x{} lanes {} to {} threads {}{phase}",
            self.height, self.width, self.load_lanes, self.store_lanes, self.threads
        )
    }

    fn text(&self, names: &dyn Names) -> String {
        let (along, lanes, width) = (names.var(self.along), self.load_lanes, self.width);
        format!(
            "transpose {} x {width} along {along} lanes {lanes} to {} phase {} runs {} to {} threads {}",
            self.height, self.store_lanes, self.phase, self.load_run, self.store_run, self.threads
        )
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        ([self.rectangles(plan).max(1), 1, 1], self.threads)
    }
}

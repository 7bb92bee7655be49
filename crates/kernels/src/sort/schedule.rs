//! The schedules of sorts and of passes of a radix sort.

use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{Body, KernelPlan};

/// For `Body::Sort`: a workgroup works on `threads · items` slots.
///
/// Worked example: rows of 1000 f32 on CUDA, 256 threads × 4 items: 1024 slots, one row a workgroup; rows of 100: 128
/// slots a row, 8 rows a workgroup. Merging runs of 2048 in rows of 100,000: 2048 slots, 49 workgroups a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortSchedule {
    /// Threads of a workgroup (1 on CPU).
    pub threads: u32,
    /// Slots of a thread: a power of two.
    pub items: u32,
}

impl SortSchedule {
    pub fn slots(&self) -> i64 {
        i64::from(self.threads) * i64::from(self.items)
    }

    /// Workgroups of a sort.
    fn groups(&self, plan: &KernelPlan) -> u64 {
        let (Some(runs), Body::Sort { from, .. }) = (plan.runs(), &plan.body) else { return 1 };
        let slots = self.slots().max(1);
        let groups = if *from > 1 {
            runs.lines * ((runs.line + slots - 1) / slots)
        } else {
            let together = (slots / runs.padded()).max(1);
            (runs.lines * runs.count + together - 1) / together
        };
        groups.max(0) as u64
    }
}

impl Schedule for SortSchedule {
    fn way(&self, _: &KernelPlan) -> String {
        format!("sort threads {} items {}", self.threads, self.items)
    }

    fn text(&self, _: &dyn Names) -> String {
        format!("sort threads {} items {}", self.threads, self.items)
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        ([self.groups(plan).max(1), 1, 1], self.threads)
    }

    fn points_per_thread(&self, _: &KernelPlan) -> u64 {
        u64::from(self.items)
    }
}

/// For `Body::Count` and `Body::Distribute`: one workgroup a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadixSchedule {
    /// Threads of a workgroup: as many as there are digits, or 1 (no lanes that vote: one element after another).
    pub threads: u32,
}

impl RadixSchedule {
    /// Elements of a thread.
    fn items(&self, plan: &KernelPlan) -> u64 {
        plan.body.digits().map_or(1, |d| (d.tile.max(1) as u64).div_ceil(u64::from(self.threads.max(1))))
    }
}

impl Schedule for RadixSchedule {
    fn way(&self, _: &KernelPlan) -> String {
        format!("radix threads {}", self.threads)
    }

    fn text(&self, _: &dyn Names) -> String {
        format!("radix threads {}", self.threads)
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        ([plan.radix_groups().max(1), 1, 1], self.threads)
    }

    fn points_per_thread(&self, plan: &KernelPlan) -> u64 {
        self.items(plan)
    }
}

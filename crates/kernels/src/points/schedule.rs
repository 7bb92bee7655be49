//! The schedule that takes any body with sizes known only at run time.

use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{KernelPlan, LaunchFactor, LaunchFormula, VarId};

/// For every body: work items are the points of [`KernelPlan::item_vars`], numbered row-major, lanes along the last; a
/// thread does what a point needs alone, one step after another. GPU threads take items at distance `threads`, a CPU
/// workgroup a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizedSchedule {
    /// Lanes along the last item variable.
    pub lanes: u32,
    pub threads: u32,
    /// Items of a thread.
    pub items: u32,
}

impl SizedSchedule {
    /// Items of a sized schedule, of the largest sizes.
    fn all_items(&self, plan: &KernelPlan) -> u64 {
        let vars = plan.item_vars();
        let extent = |v: &VarId| plan.exprs.indices.extent(*v).max(0) as u64;
        let Some((last, outer)) = vars.split_last() else { return 1 };
        let outer = outer.iter().map(extent).fold(1, u64::saturating_mul);
        outer.saturating_mul(extent(last).div_ceil(u64::from(self.lanes.max(1))))
    }
}

impl Schedule for SizedSchedule {
    fn way(&self, _: &KernelPlan) -> String {
        format!("sized lanes {} threads {} items {}", self.lanes, self.threads, self.items)
    }

    fn text(&self, _: &dyn Names) -> String {
        format!("sized lanes {} threads {} items {}", self.lanes, self.threads, self.items)
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        let per_group = u64::from(self.threads) * u64::from(self.items);
        ([self.all_items(plan).div_ceil(per_group.max(1)).max(1), 1, 1], self.threads)
    }

    fn launch_formula(&self, plan: &KernelPlan) -> Option<LaunchFormula> {
        let factors = LaunchFactor::each(&plan.item_vars(), u64::from(self.lanes.max(1)));
        Some(LaunchFormula {
            factors,
            per_group: u64::from(self.threads.max(1)) * u64::from(self.items.max(1)),
            most: None,
        })
    }

    fn points_per_thread(&self, _: &KernelPlan) -> u64 {
        u64::from(self.items)
    }
}

//! Points that threads take one after another: of elementwise kernels and of updates in place.

use fornax_plan::KernelPlan;
use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_targets::Target;

use crate::access::work;
use crate::sizing::{GPU_THREADS, cpu_items};

/// For `Body::Loop`: work items are (all domain variables but the last) × ⌈last / vector⌉, numbered row-major; each
/// thread does `items_per_thread` items at distance `threads` (GPU) or in a row (CPU).
///
/// Worked example: 4001×3999 f32 collapsed to one variable of 15,999,999 on CUDA, vector 4, threads 256,
/// items_per_thread 2: 4,000,000 items, 7813 workgroups, the last item stores 3 elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopSchedule {
    /// Lanes along the last domain variable.
    pub vector: u32,
    pub threads: u32,
    pub items_per_thread: u32,
}

impl LoopSchedule {
    /// So many lanes along the last variable; threads and items that keep the target busy.
    pub fn with_lanes(plan: &KernelPlan, target: &Target, vector: u32) -> LoopSchedule {
        let items = plan.loop_items(vector);
        if target.is_gpu() {
            let threads = GPU_THREADS.min(target.max_threads_per_block);
            let resident = u64::from(target.compute_units.max(1)) * u64::from(target.max_threads_per_unit);
            // As many items a thread as leave eight waves of threads, four at most, more only to stay inside the grid.
            let wanted = (items / (8 * resident).max(1)).clamp(1, 4);
            let least = items.div_ceil(u64::from(threads)).div_ceil(u64::from(target.max_grid[0]).max(1));
            let items_per_thread = wanted.max(least).min(u64::from(u32::MAX)) as u32;
            return LoopSchedule { vector, threads, items_per_thread };
        }
        let item_work = work(plan, &plan.body.roots()) * u64::from(vector);
        LoopSchedule { vector, threads: 1, items_per_thread: cpu_items(items, item_work) }
    }
}

impl Schedule for LoopSchedule {
    fn way(&self, _: &KernelPlan) -> String {
        format!("loop vector {} threads {} items {}", self.vector, self.threads, self.items_per_thread)
    }

    fn text(&self, _: &dyn Names) -> String {
        let (v, t, n) = (self.vector, self.threads, self.items_per_thread);
        format!("loop vector {v} threads {t} items {n}")
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        let items = plan.loop_items(self.vector);
        let per_group = u64::from(self.threads) * u64::from(self.items_per_thread);
        ([items.div_ceil(per_group).max(1), 1, 1], self.threads)
    }

    fn points_per_thread(&self, _: &KernelPlan) -> u64 {
        u64::from(self.items_per_thread)
    }
}

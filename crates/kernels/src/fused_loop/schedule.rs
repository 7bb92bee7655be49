//! The schedule of a fused loop.

use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{FusedLoop, KernelPlan};

/// For `Body::FusedLoop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FusedLoopSchedule {
    pub threads: u32,
    /// Problems that a workgroup does in parallel (1 on CPUs).
    pub together: u32,
}

impl FusedLoopSchedule {
    /// Registers of a thread where a workgroup has all of a unit (NVIDIA: given out in eights, 255 at most).
    pub fn registers(&self, of_unit: u32) -> u32 {
        (of_unit / self.threads.max(1) / 8 * 8).min(255)
    }

    /// Workgroups of a launch.
    pub fn workgroups(&self, fused: &FusedLoop) -> u64 {
        (fused.problems.max(0) as u64).div_ceil(u64::from(self.together.max(1)))
    }
}

impl Schedule for FusedLoopSchedule {
    fn way(&self, _: &KernelPlan) -> String {
        format!("fused_loop threads {} together {}", self.threads, self.together)
    }

    fn text(&self, _: &dyn Names) -> String {
        format!("fused_loop threads {} together {}", self.threads, self.together)
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        ([plan.body.fused_loop().map_or(1, |fused| self.workgroups(fused)).max(1), 1, 1], self.threads)
    }
}

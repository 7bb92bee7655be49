//! The schedule of a fused loop.

use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{KernelPlan, Team};

/// For `Body::Team`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamSchedule {
    pub threads: u32,
    /// Problems that a workgroup does side by side (1 on CPUs).
    pub together: u32,
}

impl TeamSchedule {
    /// Registers of a thread where a workgroup has all of a unit (NVIDIA: given out in eights, 255 at most).
    pub fn registers(&self, of_unit: u32) -> u32 {
        (of_unit / self.threads.max(1) / 8 * 8).min(255)
    }

    /// Workgroups of a launch.
    pub fn workgroups(&self, team: &Team) -> u64 {
        (team.problems.max(0) as u64).div_ceil(u64::from(self.together.max(1)))
    }
}

impl Schedule for TeamSchedule {
    fn way(&self, _: &KernelPlan) -> String {
        format!("team threads {} together {}", self.threads, self.together)
    }

    fn text(&self, _: &dyn Names) -> String {
        format!("team threads {} together {}", self.threads, self.together)
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        ([plan.body.team().map_or(1, |team| self.workgroups(team)).max(1), 1, 1], self.threads)
    }
}

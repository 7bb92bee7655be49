//! The schedule of a led kernel: that of the kernel which is led.

use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{KernelPlan, LedPart, LedPlace};

/// For `Body::Led`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedSchedule {
    /// Workgroups of a cluster; 1 where there are none.
    pub cluster: u32,
}

fn then(plan: &KernelPlan) -> Option<&LedPart> {
    plan.body.led().map(|led| &led.then)
}

impl Schedule for LedSchedule {
    fn way(&self, plan: &KernelPlan) -> String {
        let ways = plan.body.led().map(|led| led.parts().map(|part| part.plan.way()));
        ways.map_or("led".to_string(), |[lead, then]| format!("led by {lead}; {then}"))
    }

    fn text(&self, _: &dyn Names) -> String {
        "led".to_string()
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        then(plan).map_or(([1, 1, 1], 1), |part| part.plan.launch())
    }

    fn points_per_thread(&self, plan: &KernelPlan) -> u64 {
        then(plan).map_or(1, |part| part.plan.points_per_thread())
    }

    fn computes(&self, plan: &KernelPlan) -> bool {
        then(plan).is_some_and(|part| part.plan.schedule.computes(&part.plan))
    }

    fn cluster(&self) -> u32 {
        self.cluster
    }

    /// What the kernel that is led starts to read before it waits; the lead is done behind the wait.
    fn early(&self, plan: &KernelPlan, given: &[bool]) -> Vec<u32> {
        let Some(part) = then(plan) else { return Vec::new() };
        let own = part.plan.schedule.early(&part.plan, &part.given(given));
        let place = |at: &u32| match part.places.get(*at as usize) {
            Some(LedPlace::Whole(whole)) => Some(*whole),
            _ => None,
        };
        own.iter().filter_map(place).collect()
    }

    fn dynamic_shared_bytes(&self, plan: &KernelPlan) -> u32 {
        then(plan).map_or(0, |part| part.plan.dynamic_shared_bytes())
    }
}

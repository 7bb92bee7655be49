//! The schedule of a bundle.

use fornax_plan::KernelPlan;
use fornax_plan::schedule::{Launch, Names, Schedule};

/// For `Body::Bundle`: what all of its parts have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundleSchedule {
    pub threads: u32,
    /// Workgroups of a cluster; 1 where there are none.
    pub cluster: u32,
}

impl Schedule for BundleSchedule {
    fn way(&self, plan: &KernelPlan) -> String {
        let (parts, launches) = plan.body.bundle().map_or((0, 0), |b| (b.parts.len(), b.launches()));
        format!("bundle threads {} parts {parts} launches {launches}", self.threads)
    }

    fn text(&self, _: &dyn Names) -> String {
        let cluster = if self.cluster > 1 { format!(" cluster {}", self.cluster) } else { String::new() };
        format!("bundle threads {}{cluster}", self.threads)
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        ([plan.body.bundle().map_or(1, |bundle| bundle.workgroups()).max(1), 1, 1], self.threads)
    }

    fn points_per_thread(&self, plan: &KernelPlan) -> u64 {
        let parts = plan.body.bundle().map_or(&[][..], |bundle| &bundle.parts);
        parts.iter().map(|part| part.plan.points_per_thread()).max().unwrap_or(1)
    }

    fn computes(&self, plan: &KernelPlan) -> bool {
        let parts = plan.body.bundle().map_or(&[][..], |bundle| &bundle.parts);
        parts.iter().any(|part| part.plan.schedule.computes(&part.plan))
    }

    fn cluster(&self) -> u32 {
        self.cluster
    }

    /// What its parts start to read so early.
    fn early(&self, plan: &KernelPlan, given: &[bool]) -> Vec<u32> {
        of_parts(plan, given, |part, own| part.schedule.early(part, own))
    }

    fn settled(&self, plan: &KernelPlan, there: &[bool]) -> Vec<u32> {
        of_parts(plan, there, |part, own| part.schedule.settled(part, own))
    }

    fn dynamic_shared_bytes(&self, plan: &KernelPlan) -> u32 {
        let parts = plan.body.bundle().map_or(&[][..], |bundle| &bundle.parts);
        parts.iter().map(|part| part.plan.dynamic_shared_bytes()).max().unwrap_or(0)
    }
}

/// The buffers that parts say of theirs, among those of the bundle.
fn of_parts(plan: &KernelPlan, whole: &[bool], said: fn(&KernelPlan, &[bool]) -> Vec<u32>) -> Vec<u32> {
    let mut all = Vec::new();
    for part in plan.body.bundle().map_or(&[][..], |bundle| &bundle.parts) {
        let own = said(&part.plan, &part.given(whole));
        let buffers = part.launches.iter().flat_map(|launch| own.iter().filter_map(|&at| launch.get(at as usize)));
        all.extend(buffers.copied());
    }
    all.sort_unstable();
    all.dedup();
    all
}

//! Schedules by which a kernel can lead another: one workgroup, of as many threads.
//!
//! Worked example: the norm of one token of 256 bf16 has 32 threads of 8 elements; before a product of 256 threads it
//! has places for 8 rows, of which 7 are empty. One of 8192 has 512 threads of 16; before such a product 256 of 32.

use fornax_plan::KernelPlan;
use fornax_targets::Target;

use crate::FAMILIES;

/// The kernel with such a schedule: its own, its rows in such a workgroup, or the first of its family's candidates.
pub fn alone(plan: &KernelPlan, threads: u32, target: &Target) -> Option<KernelPlan> {
    let fits = |plan: &KernelPlan| {
        plan.launch() == ([1, 1, 1], threads)
            && plan.cluster() == 1
            && plan.tensor_maps.is_empty()
            && plan.dynamic_shared_bytes() == 0
    };
    if fits(plan) {
        return Some(plan.clone());
    }
    if let Some(schedule) = plan.schedule.of_threads(threads) {
        return Some(KernelPlan { schedule, ..plan.clone() }).filter(fits);
    }
    let way = plan.way();
    let family = FAMILIES.iter().find(|family| way.split(' ').next() == Some(family.name))?;
    (family.candidates?)(plan, target).into_iter().find(fits)
}

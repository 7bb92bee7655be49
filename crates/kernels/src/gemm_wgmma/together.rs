//! What products take that are launched as one.
//!
//! Input: plans with [`WgmmaSchedule`]s. Output: predicted cycles of the device, their workgroups side by side.
//!
//! Worked example: queries, keys and values of 32 texts of Llama 3.1 8B: see [`shapes::together`].

use fornax_plan::KernelPlan;
use fornax_targets::Target;

use super::schedule::WgmmaSchedule;
use super::shapes::{self, Cost};

/// Cycles of all of them; `None` where one has another schedule, or computes an operand: how long that takes was not
/// measured. Queries, keys and values in E4M3 in one launch by fewer workgroups, 32 texts of 8 layers of Llama 3.1 8B:
/// 3.365 ms -> 3.467 (one H200, 2026-11-30).
pub fn predicted(plans: &[&KernelPlan], target: &Target) -> Option<f64> {
    let own = |plan: &&KernelPlan| plan.schedule_as::<WgmmaSchedule>().filter(|own| !own.expands()).map(|own| own.cost);
    let costs: Vec<Cost> = plans.iter().map(own).collect::<Option<_>>()?;
    Some(shapes::together(costs.into_iter(), target) as f64)
}

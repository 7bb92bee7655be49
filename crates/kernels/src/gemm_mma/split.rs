//! Products on matrix instructions whose tiles are too few: cut along the steps (split-K).

use super::schedule::MmaSchedule;
use fornax_plan::KernelPlan;
use fornax_targets::Target;

use super::candidates::choose;
use crate::parts::{self, Parts};
use crate::scheduled::{Bound, Prepare, drop_unused};

/// Where the schedule of a plan on matrix instructions wants parts: makes the plan their sum, and gives the kernel of
/// the parts, which writes what the plan then reads as `Bound::Prepared(number)`. The sum has no schedule yet.
pub fn split(plan: &mut KernelPlan, bound: &mut Vec<Bound>, target: &Target, number: usize) -> Option<Prepare> {
    plan.schedule_as::<MmaSchedule>()?;
    let choice = choose(plan, target).ok().filter(|c| c.parts > 1)?;
    let Parts { mut partial, whole } = parts::cut(plan, choice.parts)?;
    partial.set_schedule(choice.schedule);
    partial.note = format!("the steps in {} parts, for want of tiles", choice.parts);
    let mut all = std::mem::take(bound);
    all.push(Bound::Prepared(number));
    let mut before = Prepare { plan: partial, bound: all.clone() };
    before.bound = drop_unused(&mut before.plan, before.bound);
    *plan = whole;
    *bound = drop_unused(plan, all);
    Some(before)
}

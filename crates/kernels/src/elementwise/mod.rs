//! Elementwise kernels: every point of the domain computed on its own, `Body::Loop` in the loop schedule.
//!
//! `emit`: vectors of neighbouring elements, several items a thread. `squares`: on CPUs, loads that cross the stores, a
//! square of registers at a time.

pub mod candidates;
pub mod emit;
mod squares;

use crate::family::{Family, Offer, Try, is_static};
use crate::loop_schedule::LoopSchedule;
use crate::traffic::costs;
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "loop",
    demanded: false,
    tries: &[Try {
        name: "loop",
        applies: |plan| is_static(plan) && matches!(plan.body, Body::Loop { .. }),
        choose: |plan, asked| {
            let schedule = candidates::choose(plan, asked.target);
            Ok(Offer::new(schedule, candidates::cycles(plan, asked.target, &schedule)))
        },
        costs: |plan, target| costs(candidates::candidates(plan, target), target, candidates::cycles),
    }],
    candidates: Some(candidates::candidates),
    named: None,
    together: None,
    side_by_side: None,
    emit: write,
};

/// Writes a kernel that has one of the family's schedules.
fn write(e: &mut Emitter<'_>) -> Option<Result<(), EmitError>> {
    let plan = e.plan;
    let Body::Loop { stores } = &plan.body else { return None };
    Some(emit::emit(e, stores, *plan.schedule_as::<LoopSchedule>()?))
}

//! Depthwise convolutions and pooling: outputs next to each other share what they read of a sliding window.

pub mod candidates;
pub mod emit;
pub mod schedule;

use self::schedule::WindowSchedule;
use crate::family::{Family, Offer, Try, is_static};
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "window",
    demanded: true,
    tries: &[Try {
        name: "window",
        applies: |plan| is_static(plan) && matches!(plan.body, Body::Reduce { .. } | Body::Contraction { .. }),
        choose: |plan, asked| {
            let ordered = asked.ordered && matches!(plan.body, Body::Reduce { .. });
            let (schedule, cycles) = candidates::choose(plan, asked.target, ordered)?;
            Ok(Offer::new(schedule, cycles))
        },
        costs: candidates::costs,
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
    let (Body::Contraction { .. } | Body::Reduce { .. }) = &plan.body else { return None };
    Some(emit::emit(e, plan.schedule_as::<WindowSchedule>()?))
}

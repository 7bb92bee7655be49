//! Scatters: sorted updates as a segmented reduction (`segment`), updates in place by stores or atomic instructions
//! (`update`). The same input gives the same bits.

pub mod candidates;
pub mod schedule;
pub mod segment;
pub mod update;

use self::schedule::SegmentSchedule;
use crate::family::{Family, Offer, Try, is_static, no_costs};
use crate::loop_schedule::LoopSchedule;
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "segment",
    demanded: false,
    tries: &[
        Try {
            name: "points",
            applies: |plan| is_static(plan) && matches!(plan.body, Body::Update { .. }),
            choose: |plan, asked| Ok(Offer::new(candidates::points(plan, asked.target), None)),
            costs: no_costs,
        },
        Try {
            name: "segment",
            applies: |plan| is_static(plan) && matches!(plan.body, Body::Segment { .. }),
            choose: |plan, asked| Ok(Offer::new(candidates::segment(plan, asked.target), None)),
            costs: no_costs,
        },
    ],
    candidates: None,
    named: None,
    together: None,
    side_by_side: None,
    emit: write,
};

/// Writes a kernel that has one of the family's schedules.
fn write(e: &mut Emitter<'_>) -> Option<Result<(), EmitError>> {
    let plan = e.plan;
    match &plan.body {
        Body::Update { condition, combine, stores } => {
            let schedule = *plan.schedule_as::<LoopSchedule>()?;
            Some(update::emit(e, (*condition, *combine), stores, schedule))
        }
        Body::Segment { .. } => Some(segment::emit(e, plan.schedule_as::<SegmentSchedule>()?)),
        _ => None,
    }
}

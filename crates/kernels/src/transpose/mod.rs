//! Transposes and what is fused with them: `Body::Loop` whose loads run across its stores, through rectangles in shared
//! memory, so that loads and stores are coalesced both.
//!
//! `emit`: the rectangle; `runs`: loads and stores in vectors; `unaligned`: odd extents, rows shifted so that vectors
//! are aligned.

pub mod candidates;
pub mod emit;
mod runs;
pub mod schedule;
mod unaligned;

use self::schedule::TransposeSchedule;
use crate::family::{Family, Offer, Try, is_static};
use crate::traffic::costs;
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "transpose",
    demanded: false,
    tries: &[Try {
        name: "transpose",
        applies: |plan| is_static(plan) && matches!(plan.body, Body::Loop { .. }),
        choose: |plan, asked| {
            let schedule = candidates::choose(plan, asked.target)?;
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
    Some(emit::emit(e, stores, *plan.schedule_as::<TransposeSchedule>()?))
}

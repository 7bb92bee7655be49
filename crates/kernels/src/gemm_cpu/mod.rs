//! GEMM on CPUs in panels (schedule `panel`): packed operands, a register block of vectors, blocks for the caches.
//!
//! `emit`: the nest; `copies`: rows in scratch; `columns`: computed columns there, `squares`: of bytes; `scratch`: sums
//! there. Lines asked for early: `ahead`: of an operand as it lies; `panel_ahead`: of a packed one; `epilogue`: of what
//! follows.

mod ahead;
pub mod candidates;
mod columns;
mod copies;
pub mod emit;
mod epilogue;
mod pack;
mod panel_ahead;
pub mod schedule;
mod scratch;
mod squares;

use self::schedule::PanelSchedule;
use crate::family::Family;
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "panel",
    demanded: true,
    tries: &[],
    candidates: None,
    named: None,
    together: None,
    side_by_side: None,
    emit: write,
};

/// Writes a kernel that has one of the family's schedules.
fn write(e: &mut Emitter<'_>) -> Option<Result<(), EmitError>> {
    let plan = e.plan;
    let Body::Contraction { .. } = &plan.body else { return None };
    Some(emit::emit(e, plan.schedule_as::<PanelSchedule>()?))
}

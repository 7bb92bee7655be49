//! Fused loops (schedule `fused_loop`): the small kernels of a counted loop as one kernel, all rounds of a problem by
//! one workgroup.

pub mod emit;
pub mod schedule;

use self::schedule::FusedLoopSchedule;
use crate::family::Family;
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "fused_loop",
    demanded: false,
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
    let Body::FusedLoop(fused) = &plan.body else { return None };
    Some(emit::emit(e, fused, *plan.schedule_as::<FusedLoopSchedule>()?))
}

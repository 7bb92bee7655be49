//! Led kernels (schedule `led`): each workgroup does a small kernel for itself first, then its share of another.

pub mod candidates;
pub mod emit;
pub mod schedule;

use self::schedule::LedSchedule;
use crate::family::Family;
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "led",
    demanded: false,
    tries: &[],
    candidates: None,
    named: None,
    together: None,
    side_by_side: None,
    emit: write,
};

/// Writes a kernel that has the family's schedule.
fn write(e: &mut Emitter<'_>) -> Option<Result<(), EmitError>> {
    let plan = e.plan;
    let Body::Led(led) = &plan.body else { return None };
    plan.schedule_as::<LedSchedule>()?;
    Some(emit::emit(e, led))
}

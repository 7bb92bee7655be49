//! Any body with sizes known only at run time: a thread does all that a point needs. The family that always fits.

pub mod candidates;
pub mod emit;
pub mod schedule;

use self::schedule::SizedSchedule;
use crate::family::Family;
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "sized",
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
    Some(emit::emit(e, *plan.schedule_as::<SizedSchedule>()?))
}

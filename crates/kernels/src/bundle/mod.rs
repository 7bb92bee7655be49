//! Bundles (schedule `bundle`): kernels that do not depend on one another, next to each other in one launch.

pub mod candidates;
pub mod emit;
pub mod schedule;

use self::schedule::BundleSchedule;
use crate::family::Family;
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "bundle",
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
    let Body::Bundle(bundle) = &plan.body else { return None };
    plan.schedule_as::<BundleSchedule>()?;
    Some(emit::emit(e, bundle))
}

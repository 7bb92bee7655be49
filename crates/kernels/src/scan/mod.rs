//! Scans (prefix sums and the like): a thread, a workgroup or a subgroup a line (`emit`), lines in columns
//! (`columns`).

pub mod candidates;
mod columns;
pub mod emit;
pub mod schedule;

use self::schedule::ScanSchedule;
use crate::family::{Family, Offer, Try, is_static, no_costs};
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "scan",
    demanded: false,
    tries: &[Try {
        name: "scan",
        applies: |plan| is_static(plan) && matches!(plan.body, Body::Scan { .. }),
        choose: |plan, asked| Ok(Offer::new(candidates::scan(plan, asked.target), None)),
        costs: no_costs,
    }],
    candidates: None,
    named: None,
    together: None,
    side_by_side: None,
    emit: write,
};

/// Writes a kernel that has one of the family's schedules.
fn write(e: &mut Emitter<'_>) -> Option<Result<(), EmitError>> {
    let plan = e.plan;
    let Body::Scan { .. } = &plan.body else { return None };
    Some(emit::emit(e, plan.schedule_as::<ScanSchedule>()?))
}

//! Sorts: runs in shared memory and their merges (`emit`; `cpu` on processors), passes by digit (`radix`).

pub mod block;
pub mod candidates;
mod cpu;
pub mod emit;
pub mod radix;
pub mod schedule;

use self::schedule::{RadixSchedule, SortSchedule};
use crate::family::{Family, Offer, Try, is_static, no_costs};
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "sort",
    demanded: false,
    tries: &[
        Try {
            name: "sort",
            applies: |plan| is_static(plan) && matches!(plan.body, Body::Sort { .. }),
            choose: |plan, asked| Ok(Offer::new(candidates::sort(plan, asked.target), None)),
            costs: no_costs,
        },
        Try {
            name: "radix",
            applies: |plan| is_static(plan) && matches!(plan.body, Body::Count { .. } | Body::Distribute { .. }),
            choose: |_, asked| Ok(Offer::new(candidates::radix(asked.target), None)),
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
        Body::Sort { .. } => Some(emit::emit(e, plan.schedule_as::<SortSchedule>()?)),
        Body::Count { .. } | Body::Distribute { .. } => Some(radix::emit(e, *plan.schedule_as::<RadixSchedule>()?)),
        _ => None,
    }
}

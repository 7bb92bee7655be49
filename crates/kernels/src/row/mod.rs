//! Rows: one reduction or several of the same rows and what is stored of them (softmax, norms, sums along the fastest
//! variable), a workgroup, a subgroup or a cluster a row.
//!
//! `emit` holds the order of the passes over a row; the other files are one trick each: `kept` (elements stay in
//! registers), `cluster` (several workgroups a row), `stages` (several kernels a row), `ahead` (the next row is loaded
//! early), `early` (weights are asked for before the kernels before are over), `packed` (two 16-bit elements a
//! register), `joint` (online softmax: maximum and sum in one pass) and so on.

mod ahead;
pub mod candidates;
mod cluster;
mod count;
mod early;
pub mod emit;
mod extremum;
mod joint;
mod keep;
mod kept;
mod loose;
mod narrow;
mod packed;
mod prefetch;
pub mod schedule;
mod share;
pub mod stages;
#[cfg(test)]
mod stages_tests;
mod together;
mod walk;

use self::schedule::RowSchedule;
use crate::family::{Asked, Family, Offer, Try, is_static};
use crate::traffic::costs;
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::{Body, KernelPlan};

/// The family's row.
pub const FAMILY: Family = Family {
    name: "row",
    demanded: false,
    tries: &[
        Try {
            name: "row",
            applies: |plan| is_static(plan) && matches!(plan.body, Body::Reduce { .. }),
            choose: |plan, asked| Ok(offer(plan, asked, candidates::reduction(plan, asked.target, asked.ordered)?)),
            costs: |plan, target| costs(candidates::candidates(plan, target), target, candidates::cycles),
        },
        Try {
            name: "row",
            applies: |plan| is_static(plan) && matches!(plan.body, Body::Row { .. }),
            choose: |plan, asked| Ok(offer(plan, asked, candidates::choose(plan, asked.target))),
            costs: |plan, target| costs(candidates::candidates(plan, target), target, candidates::cycles),
        },
    ],
    candidates: Some(candidates::candidates),
    named: None,
    together: None,
    side_by_side: None,
    emit: write,
};

fn offer(plan: &KernelPlan, asked: &Asked<'_>, schedule: RowSchedule) -> Offer {
    Offer::new(schedule, candidates::cycles(plan, asked.target, &schedule))
}

/// Writes a kernel that has one of the family's schedules.
fn write(e: &mut Emitter<'_>) -> Option<Result<(), EmitError>> {
    let plan = e.plan;
    let (Body::Row { .. } | Body::Reduce { .. }) = &plan.body else { return None };
    Some(emit::emit(e, *plan.schedule_as::<RowSchedule>()?))
}

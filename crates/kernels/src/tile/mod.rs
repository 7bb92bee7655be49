//! Register tiles: reductions and contractions by plain multiply-add, a block of outputs a thread. Every target has it.
//!
//! `reduce`: reductions that are no rows. `contraction`: products and convolutions without matrix instructions (SIMT
//! GEMM); `staged` shares blocks of both operands in shared memory. The tile itself is `fornax_emit::blocks::tile`.

mod ahead;
pub mod candidates;
pub mod contraction;
mod gpu;
pub mod pack;
mod rectangle;
pub mod reduce;
mod staged;

use crate::family::{Family, Offer, Try, is_static, no_costs};
use crate::traffic::{costs, memory_cycles};
use fornax_emit::EmitError;
use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;
use fornax_targets::fitted::tile::MEMORY_BOUND_FACTOR;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "tile",
    demanded: true,
    tries: &[
        Try {
            name: "tile",
            applies: |plan| is_static(plan) && matches!(plan.body, Body::Reduce { .. }),
            choose: |plan, asked| {
                let schedule = candidates::reduction(plan, asked.target, asked.ordered);
                let cycles = candidates::cycles(plan, asked.target, &schedule);
                Ok(Offer::new(schedule, cycles))
            },
            costs: |plan, target| costs(candidates::candidates(plan, target), target, candidates::cycles),
        },
        Try {
            name: "tile",
            applies: |plan| is_static(plan) && matches!(plan.body, Body::Contraction { .. }),
            choose: |plan, asked| {
                let (schedule, cycles) = candidates::weighed_contraction(plan, asked.target);
                // Where memory holds the kernel, it matters how operands lie there, which the model leaves out.
                let memory = memory_cycles(plan, asked.target).unwrap_or(0.0);
                let times = if cycles.is_some_and(|cycles| cycles < 2.0 * memory) { MEMORY_BOUND_FACTOR } else { 1.0 };
                Ok(Offer::new(schedule, cycles).at_worst(times))
            },
            costs: no_costs,
        },
    ],
    candidates: Some(candidates::candidates),
    named: None,
    together: None,
    side_by_side: None,
    emit: write,
};

/// Writes a kernel that has one of the family's schedules.
fn write(e: &mut Emitter<'_>) -> Option<Result<(), EmitError>> {
    let plan = e.plan;
    let schedule = plan.schedule_as::<TileSchedule>()?;
    match &plan.body {
        Body::Reduce { .. } => Some(reduce::emit(e, schedule)),
        Body::Contraction { .. } => Some(contraction::emit(e, schedule)),
        _ => None,
    }
}

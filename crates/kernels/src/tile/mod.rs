//! Register tiles: reductions and contractions by plain multiply-add, a block of outputs a thread. Every target has it.
//!
//! `reduce`: reductions that are no rows. `contraction`: products and convolutions without matrix instructions (SIMT
//! GEMM); `staged` shares blocks of both operands in shared memory. The tile itself is `fornax_emit::blocks::tile`.

pub mod candidates;
pub mod contraction;
mod gpu;
pub mod pack;
mod rectangle;
pub mod reduce;
mod staged;

use crate::family::{Family, Try, is_static, no_costs};
use fornax_emit::EmitError;
use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;
use std::sync::Arc;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "tile",
    demanded: true,
    tries: &[
        Try {
            name: "tile",
            applies: |plan| is_static(plan) && matches!(plan.body, Body::Reduce { .. }),
            choose: |plan, asked| Ok(Arc::new(candidates::reduction(plan, asked.target, asked.ordered))),
            costs: no_costs,
        },
        Try {
            name: "tile",
            applies: |plan| is_static(plan) && matches!(plan.body, Body::Contraction { .. }),
            choose: |plan, asked| Ok(Arc::new(candidates::contraction(plan, asked.target))),
            costs: no_costs,
        },
    ],
    candidates: Some(candidates::candidates),
    named: None,
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

//! GEMV: products with few rows or columns (schedule `gemv`), bound by the bytes of the long operand.
//!
//! `emit`: threads share the steps of an output; `matrix`: on matrix instructions; `finish`: the sum of the threads'
//! and a cluster's shares.

pub mod candidates;
pub mod emit;
mod finish;
mod matrix;
pub mod schedule;

use self::schedule::GemvSchedule;
use crate::family::{Family, Offer, Try, is_static};
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "gemv",
    demanded: true,
    tries: &[Try {
        name: "gemv",
        applies: is_static,
        choose: |plan, asked| {
            let (schedule, cycles) = candidates::choose(plan, asked.target)?;
            Ok(Offer::new(schedule, cycles))
        },
        costs: candidates::costs,
    }],
    candidates: Some(candidates::candidates),
    named: Some(candidates::named),
    emit: write,
};

/// Writes a kernel that has one of the family's schedules.
fn write(e: &mut Emitter<'_>) -> Option<Result<(), EmitError>> {
    let plan = e.plan;
    let Body::Contraction { .. } = &plan.body else { return None };
    Some(emit::emit(e, plan.schedule_as::<GemvSchedule>()?))
}

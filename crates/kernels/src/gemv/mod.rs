//! GEMV: products with few rows or columns (schedule `gemv`), bound by the bytes of the long operand.
//!
//! Several products of one domain (`fornax_plan::products`) are computed at once: what they read in common is fetched
//! once, and what follows from all of them is computed where their sums are stored.
//!
//! `shape`: a GEMV in numbers, `candidates`: how schedules of it compare, `schedule`, `launch`; `emit`: threads share
//! the steps of an output; `steps`: how they fetch and multiply blocks; `products`: which are computed together;
//! `prefetch`: what they read, asked for at once; `early`: before the kernels before are over; `ring`: through shared
//! memory; `products_cost`: what they take; `computed`: long operands that are more than a load; `affine`: scales and
//! offsets that meet sums; `unpacked`: products by them; `quads`: the same on matrix instructions, `quads_shape`: of
//! which operands, `quads_cost`: what that takes, `turns`: with x in registers (`unpacked/turns`), `fixed`: x in fixed
//! point, `unpacked/pipeline`: a round while the next one comes; `interleave`: scales of several rows side by side;
//! `staged`: the short operand in shared memory; `matrix`: 16-bit floats on matrix instructions; `parts`: cut along the
//! steps; `share`: sums of the threads of a subgroup; `finish`: the sum of the threads' and a cluster's shares;
//! `epilogue`: what is made of the sums. On processors: `cpu`, `cpu_emit`.

mod affine;
pub mod candidates;
mod computed;
pub mod cpu;
mod cpu_ahead;
mod cpu_emit;
mod early;
pub mod emit;
mod epilogue;
mod finish;
mod fixed;
mod fixed_shape;
pub mod interleave;
mod launch;
mod matrix;
pub mod parts;
mod prefetch;
mod products;
mod products_cost;
mod quads;
mod quads_cost;
mod quads_shape;
mod registers;
mod ring;
pub mod schedule;
mod shape;
mod share;
mod staged;
mod steps;
pub mod turns;
mod unpacked;

use self::cpu::CpuGemvSchedule;
use self::schedule::GemvSchedule;
use crate::family::{Family, Offer, Try, is_static, no_costs};
use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::Body;

/// The family's row.
pub const FAMILY: Family = Family {
    name: "gemv",
    demanded: true,
    tries: &[
        Try {
            name: "gemv",
            applies: is_static,
            choose: |plan, asked| {
                let (schedule, cycles) = candidates::choose(plan, asked.target)?;
                Ok(Offer::new(schedule, cycles))
            },
            costs: candidates::costs,
        },
        Try {
            name: "gemv of a processor",
            applies: |plan| is_static(plan) && cpu::is_product(plan),
            choose: |plan, asked| Ok(Offer::new(cpu::choose(plan, asked.target)?, None)),
            costs: no_costs,
        },
    ],
    candidates: Some(candidates::candidates),
    named: Some(candidates::named),
    together: None,
    side_by_side: Some(turns::side_by_side),
    emit: write,
};

/// Writes a kernel that has one of the family's schedules.
fn write(e: &mut Emitter<'_>) -> Option<Result<(), EmitError>> {
    let plan = e.plan;
    let (Body::Contraction { .. } | Body::Products(_)) = &plan.body else { return None };
    if let Some(schedule) = plan.schedule_as::<CpuGemvSchedule>() {
        return Some(cpu_emit::emit(e, schedule));
    }
    Some(emit::emit(e, plan.schedule_as::<GemvSchedule>()?))
}

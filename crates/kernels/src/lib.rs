//! Kernel families, one folder each: which schedules a plan can have, what each costs, how it becomes code.
//!
//! A family is `mod.rs` (what it is, its row), `schedule.rs` (its schedule: name, launch, bytes), `candidates.rs` (when
//! it is legal, what it costs) and `emit.rs` with its parts (how it runs). [`FAMILIES`] lists them once; no match over
//! families stands anywhere. `chooser` asks them in order.
#![forbid(unsafe_code)]

pub mod access;
pub mod attention;
pub mod bundle;
pub mod chooser;
mod classes;
pub mod collapse;
pub mod demand;
pub mod elementwise;
pub mod family;
pub mod former_names;
pub mod fused_loop;
pub mod gemm_cpu;
pub mod gemm_mma;
pub mod gemm_wgmma;
pub mod gemv;
pub mod led;
pub mod loop_schedule;
mod parts;
pub mod points;
pub mod refusal;
pub mod row;
mod run_time;
pub mod scan;
pub mod scatter;
pub mod scheduled;
pub mod sizing;
pub mod sort;
pub mod tile;
pub mod traffic;
pub mod transpose;
pub mod tuning;
pub mod window;

use fornax_emit::emitter::Emitter;
use fornax_emit::{EmitError, KernelSource};
use fornax_plan::KernelPlan;
use fornax_targets::Target;

use family::Family;

/// Every family, in the order in which they are asked.
pub const FAMILIES: &[Family] = &[
    attention::FAMILY,
    gemv::FAMILY,
    gemm_wgmma::FAMILY,
    gemm_mma::FAMILY,
    transpose::FAMILY,
    elementwise::FAMILY,
    row::FAMILY,
    window::FAMILY,
    tile::FAMILY,
    sort::FAMILY,
    scan::FAMILY,
    scatter::FAMILY,
    gemm_cpu::FAMILY,
    fused_loop::FAMILY,
    bundle::FAMILY,
    led::FAMILY,
    points::FAMILY,
];

/// Writes the body of the plan that an emitter has.
pub(crate) fn emit_body(e: &mut Emitter<'_>) -> Result<(), EmitError> {
    let written = FAMILIES.iter().find_map(|family| (family.emit)(e));
    written.unwrap_or_else(|| Err(e.malformed("the schedule is not of the body's kind")))
}

/// Writes a kernel.
///
/// # Errors
/// `FX0401` for an element type without code generation, `FX0402` for an op that is not defined on a type, `FX0403` and
/// `FX0404` for plans and schedules that no pass should make.
pub fn emit(plan: &KernelPlan, name: &str, target: &Target) -> Result<KernelSource, EmitError> {
    let mut emitter = Emitter::new(plan, name, target);
    if plan.early.is_empty() {
        emitter.await_earlier()?;
    } else {
        emitter.begin_early();
    }
    if let Some(at) = plan.guard() {
        emitter.begin_if_allowed(at);
    }
    emit_body(&mut emitter)?;
    if plan.guard().is_some() {
        emitter.code.end_if(&[]);
    }
    Ok(KernelSource { name: name.to_string(), mlir: emitter.finish() })
}

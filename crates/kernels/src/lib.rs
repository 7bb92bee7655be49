//! Kernel families, one folder each: how a kernel plan of the family's kind becomes code.
#![forbid(unsafe_code)]

pub mod access;
pub mod attention;
pub mod chooser;
mod classes;
pub mod collapse;
pub mod demand;
pub mod elementwise;
pub mod fused_loop;
pub mod gemm_cpu;
pub mod gemm_mma;
pub mod gemm_wgmma;
pub mod gemv;
mod parts;
pub mod points;
pub mod refusal;
pub mod row;
mod run_time;
pub mod scan;
pub mod scatter;
pub mod scheduled;
mod sizing;
pub mod sort;
pub mod tile;
pub mod transpose;
pub mod tuning;
pub mod window;

use fornax_emit::emitter::Emitter;
use fornax_emit::{EmitError, KernelSource};
use fornax_plan::{Body, KernelPlan, Schedule};
use fornax_targets::Target;

/// Writes a kernel.
///
/// # Errors
/// `FX0401` for an element type without code generation, `FX0402` for an op that is not defined on a type, `FX0403` and `FX0404`
/// for plans and schedules that no pass should make.
pub fn emit(plan: &KernelPlan, name: &str, target: &Target) -> Result<KernelSource, EmitError> {
    let mut emitter = Emitter::new(plan, name, target);
    if let Some(at) = plan.guard() {
        emitter.begin_if_allowed(at);
    }
    match (&plan.body, &plan.schedule) {
        (Body::Team(team), Schedule::Team(schedule)) => fused_loop::emit::emit(&mut emitter, team, *schedule)?,
        (_, Schedule::Sized(schedule)) => points::emit::emit(&mut emitter, *schedule)?,
        (Body::Loop { stores }, Schedule::Loop(schedule)) => elementwise::emit::emit(&mut emitter, stores, *schedule)?,
        (Body::Update { condition, combine, stores }, Schedule::Loop(schedule)) => {
            scatter::update::emit(&mut emitter, (*condition, *combine), stores, *schedule)?
        }
        (Body::Loop { stores }, Schedule::Exchange(schedule)) => {
            transpose::emit::emit(&mut emitter, stores, *schedule)?
        }
        (Body::Reduce { .. }, Schedule::Tile(schedule)) => tile::reduce::emit(&mut emitter, schedule)?,
        (Body::Row { .. } | Body::Reduce { .. }, Schedule::Row(schedule)) => row::emit::emit(&mut emitter, *schedule)?,
        (Body::Contraction { .. }, Schedule::Tile(schedule)) => tile::contraction::emit(&mut emitter, schedule)?,
        (Body::Contraction { .. } | Body::Reduce { .. }, Schedule::Window(schedule)) => {
            window::emit::emit(&mut emitter, schedule)?
        }
        (Body::Contraction { .. }, Schedule::Warpgroup(schedule)) => gemm_wgmma::emit(&mut emitter, schedule)?,
        (Body::Sort { .. }, Schedule::Sort(schedule)) => sort::emit::emit(&mut emitter, schedule)?,
        (Body::Count { .. } | Body::Distribute { .. }, Schedule::Radix(schedule)) => {
            sort::radix::emit(&mut emitter, *schedule)?
        }
        (Body::Segment { .. }, Schedule::Segment(schedule)) => scatter::segment::emit(&mut emitter, schedule)?,
        (Body::Scan { .. }, Schedule::Scan(schedule)) => scan::emit::emit(&mut emitter, schedule)?,
        (Body::Contraction { .. }, Schedule::Skinny(schedule)) => gemv::emit::emit(&mut emitter, schedule)?,
        (Body::Contraction { .. }, Schedule::Panel(schedule)) => gemm_cpu::emit::emit(&mut emitter, schedule)?,
        (Body::Attention(_), Schedule::AttentionLanes(schedule)) => attention::lanes::emit(&mut emitter, schedule)?,
        (Body::Contraction { .. }, Schedule::Matrix(schedule)) => gemm_mma::emit(&mut emitter, schedule)?,
        (Body::Attention(_), Schedule::Attention(schedule)) => match (schedule.bulk.as_deref(), &schedule.stream) {
            (Some(bulk), _) => attention::warpgroups::emit(&mut emitter, schedule, bulk)?,
            (None, Some(stream)) => attention::stream::emit(&mut emitter, schedule, stream)?,
            (None, None) => match schedule.chunks {
                Some(chunks) => attention::chunks::emit(&mut emitter, schedule, chunks)?,
                None => attention::emit(&mut emitter, schedule)?,
            },
        },
        _ => return Err(emitter.malformed("the schedule is not of the body's kind")),
    }
    if plan.guard().is_some() {
        emitter.code.end_if(&[]);
    }
    Ok(KernelSource { name: name.to_string(), mlir: emitter.finish() })
}

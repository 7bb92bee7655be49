//! Emission: a kernel plan becomes the MLIR text of one module with one `llvm.func`.
//!
//! Input: a [`KernelPlan`], the kernel's name, the target. Output: text in scf, arith, math, vector and llvm, with nvvm or rocdl
//! operations on GPUs; no gpu, no memref. The same emitters serve all targets: what differs lives in `abi`.
//!
//! | file | what |
//! | --- | --- |
//! | `text`, `ops` | the text builder and its typed operations |
//! | `abi` | header, ids, barrier, lane exchange, shared memory |
//! | `emitter` | bindings of loop variables, the memo |
//! | `index`, `memory` | index expressions, loads and stores |
//! | `scalar`, `integer`, `convert`, `math` | the scalar DAG |
//! | `sized` | every body, where loops are as long as sizes known only at run time |
//! | `team` | the kernels of a loop, one after another, as one |
//! | `loop_kernel`, `exchange`, `skewed`, `transposed` | loops |
//! | `row`, `row_walk`, `row_kept`, `row_count`, `row_extremum`, `row_prefetch`, `row_share`, `row_cluster`, `row_ahead` | several reductions of a row, and what is stored of it |
//! | `sort`, `sort_cpu`, `radix`, `scan`, `scan_beside`, `segment`, `update` | sorts, prefix folds, scatters |
//! | `hopper` | contractions by warpgroups: bulk tensor copies, warpgroup multiply |
//! | `tile`, `combine`, `shared`, `reduce`, `contraction`, `staged`, `skinny`, `skinny_finish`, `skinny_matrix` | reductions and contractions |
//! | `window`, `guarded` | depthwise convolutions and pooling: windows that share what they read; loads under a condition |
//! | `panel`, `panel_ahead` | contractions on CPUs |
//! | `prefetch` | asking for lines of memory |
//! | `matrix` | contractions on matrix instructions (`mma.sync`) |
//! | `attention` | softmax(q·k)·v in one kernel |

pub mod abi;
mod advance;
mod attention;
mod combine;
pub mod contraction;
pub mod convert;
mod count;
mod dot;
pub mod emitter;
mod exchange;
mod exchange_lanes;
mod exchange_runs;
mod guarded;
pub mod hopper;
pub mod index;
pub mod integer;
mod kept;
pub mod loop_kernel;
pub mod math;
pub mod matrix;
pub mod memory;
mod narrow;
mod narrow_quotient;
pub mod opencl;
pub mod ops;
mod order;
pub mod panel;
mod panel_ahead;
mod prefetch;
mod radix;
pub mod reduce;
mod resource;
mod row;
mod row_ahead;
mod row_cluster;
mod row_count;
mod row_extremum;
mod row_joint;
mod row_kept;
mod row_loose;
mod row_narrow;
mod row_packed;
mod row_prefetch;
mod row_share;
mod row_walk;
pub mod scalar;
mod scan;
mod scan_beside;
mod segment;
mod shared;
mod sized;
mod sized_sort;
mod skewed;
mod skinny;
mod skinny_finish;
mod skinny_matrix;
mod sort;
mod sort_cpu;
pub mod staged;
mod team;
pub mod text;
pub mod tile;
mod tile_axis;
pub mod transposed;
mod update;
mod window;

use fornax_plan::{Body, KernelPlan, Schedule};
use fornax_targets::Target;

use crate::errors::EmitError;
use crate::source::KernelSource;
use emitter::Emitter;

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
        (Body::Team(team), Schedule::Team(schedule)) => team::emit(&mut emitter, team, *schedule)?,
        (_, Schedule::Sized(schedule)) => sized::emit(&mut emitter, *schedule)?,
        (Body::Loop { stores }, Schedule::Loop(schedule)) => loop_kernel::emit(&mut emitter, stores, *schedule)?,
        (Body::Update { condition, combine, stores }, Schedule::Loop(schedule)) => {
            update::emit(&mut emitter, (*condition, *combine), stores, *schedule)?
        }
        (Body::Loop { stores }, Schedule::Exchange(schedule)) => exchange::emit(&mut emitter, stores, *schedule)?,
        (Body::Reduce { .. }, Schedule::Tile(schedule)) => reduce::emit(&mut emitter, schedule)?,
        (Body::Row { .. } | Body::Reduce { .. }, Schedule::Row(schedule)) => row::emit(&mut emitter, *schedule)?,
        (Body::Contraction { .. }, Schedule::Tile(schedule)) => contraction::emit(&mut emitter, schedule)?,
        (Body::Contraction { .. } | Body::Reduce { .. }, Schedule::Window(schedule)) => {
            window::emit(&mut emitter, schedule)?
        }
        (Body::Contraction { .. }, Schedule::Warpgroup(schedule)) => hopper::emit(&mut emitter, schedule)?,
        (Body::Sort { .. }, Schedule::Sort(schedule)) => sort::emit(&mut emitter, schedule)?,
        (Body::Count { .. } | Body::Distribute { .. }, Schedule::Radix(schedule)) => {
            radix::emit(&mut emitter, *schedule)?
        }
        (Body::Segment { .. }, Schedule::Segment(schedule)) => segment::emit(&mut emitter, schedule)?,
        (Body::Scan { .. }, Schedule::Scan(schedule)) => scan::emit(&mut emitter, schedule)?,
        (Body::Contraction { .. }, Schedule::Skinny(schedule)) => skinny::emit(&mut emitter, schedule)?,
        (Body::Contraction { .. }, Schedule::Panel(schedule)) => panel::emit(&mut emitter, schedule)?,
        (Body::Attention(_), Schedule::AttentionLanes(schedule)) => attention::lanes::emit(&mut emitter, schedule)?,
        (Body::Contraction { .. }, Schedule::Matrix(schedule)) => matrix::emit(&mut emitter, schedule)?,
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

//! Schedules of attention: by warpgroups (`bulk`), as a stream of keys and values (`stream`), in tiles of matrix
//! instructions of NVIDIA (`tiles`) and AMD (`chunks`), with rows in lanes on CPUs (`lanes`); cut along the columns
//! (`split`).

mod bulk;
mod chunks;
mod lanes;
mod split;
mod stream;
mod tiles;

use crate::attention::schedule::AttentionSchedule;
use fornax_plan::{Attention, Body, KernelPlan, Schedule, VarId};
use fornax_targets::{Feature, Target};
use std::sync::Arc;

pub use split::split;

/// Does the target have a kernel for this attention?
pub fn fits(plan: &KernelPlan, target: &Target) -> bool {
    let Body::Attention(a) = &plan.body else { return false };
    if target.is_gpu() { fits_gpu(plan, a, target) } else { lanes::choose(plan, target).is_some() }
}

fn fits_gpu(plan: &KernelPlan, a: &Attention, target: &Target) -> bool {
    let element = plan.exprs.element(a.query);
    let one_type = [plan.exprs.element(a.key), plan.exprs.element(a.value), a.weight].iter().all(|&e| e == element);
    let sized = |var: VarId| plan.exprs.indices.run_extent(var).is_some();
    let Some(schedule) = plain(plan, a, target) else { return false };
    if plan.domain.iter().chain(&a.reduction).any(|&v| sized(v)) {
        return one_type && schedule.tiles.is_none() && !sized(a.depth()) && !sized(a.feature);
    }
    one_type && plan.buffers.iter().all(|b| b.elements < i64::from(i32::MAX / 4))
}

/// The schedule that needs nothing but matrix instructions and shared memory.
fn plain(plan: &KernelPlan, a: &Attention, target: &Target) -> Option<AttentionSchedule> {
    if has_kernel(target) { tiles::choose(plan, a, target) } else { chunks::choose(plan, a, target) }
}

/// `mma.sync` and what feeds it.
fn has_kernel(target: &Target) -> bool {
    let needs = [Feature::CpAsync, Feature::LdMatrix, Feature::MmaBf16, Feature::MmaF16];
    target.is_gpu() && needs.into_iter().all(|f| target.has(f))
}

/// The schedules that a tuner may try.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    if !has_kernel(target) {
        return Vec::new();
    }
    [bulk::candidates(plan, target), stream::candidates(plan, target)].concat()
}

/// How workgroups go through rows and columns. Warpgroups take rows of one variable only: the others become batch
/// variables.
pub fn choose(plan: &mut KernelPlan, target: &Target) -> Arc<dyn Schedule> {
    if let Some(lanes) = lanes::choose(plan, target) {
        return Arc::new(lanes);
    }
    Arc::new(choose_gpu(plan, target))
}

fn choose_gpu(plan: &mut KernelPlan, target: &Target) -> AttentionSchedule {
    let known = plan.has_static_loops() && has_kernel(target);
    let blocks = bulk::choose(plan, target).filter(|built| !split::beats(built, plan, target));
    if let Some(built) = blocks.or_else(|| stream::choose(plan, target)).filter(|_| known)
        && let Some(schedule) = built.schedule_as::<AttentionSchedule>().cloned()
    {
        *plan = built;
        return schedule;
    }
    let chosen = if let Body::Attention(a) = &plan.body { self::plain(plan, a, target) } else { None };
    let plain =
        AttentionSchedule { warps: 4, row_tiles: 1, columns: 64, bulk: None, stream: None, tiles: None, chunks: None };
    chosen.unwrap_or(plain)
}

//! The program that every body has, where sizes are known only at run time.
//!
//! Worked example: [b, 96] f32 on AVX2 is one variable of 96·b: 8 lanes, no tail since 8 divides 96.

use crate::points::schedule::SizedSchedule;
use fornax_plan::{Body, IndexId, KernelPlan};
use fornax_targets::Target;

use crate::access::{loads, step, widest_bytes, work};
use crate::sizing::{GPU_THREADS, cpu_items};

/// Items of a CPU kernel for which workgroups are cut: that many are likely.
const LIKELY_ITEMS: u64 = 1 << 14;
/// Steps of a reduction that are likely.
const LIKELY_STEPS: u64 = 64;

/// The program that every body has.
pub fn plain(plan: &KernelPlan, target: &Target) -> SizedSchedule {
    let lanes = lanes(plan, target);
    if target.is_gpu() {
        return SizedSchedule { lanes, threads: GPU_THREADS.min(target.max_threads_per_block), items: 1 };
    }
    let indices = &plan.exprs.indices;
    let steps = |var: &fornax_plan::VarId| match indices.run_extent(*var) {
        Some(_) => LIKELY_STEPS,
        None => indices.extent(*var).max(1) as u64,
    };
    let along = plan.body.along();
    let line = plan.body.reduction().iter().chain(plan.body.source()).chain(&along);
    let inside = line.map(steps).fold(1, u64::saturating_mul);
    let item_work = work(plan, &plan.body.roots()).saturating_mul(u64::from(lanes)).saturating_mul(inside);
    SizedSchedule { lanes, threads: 1, items: cpu_items(LIKELY_ITEMS, item_work) }
}

/// Lanes along the last item variable.
pub fn lanes(plan: &KernelPlan, target: &Target) -> u32 {
    if matches!(plan.body, Body::Sort { .. }) {
        return 1;
    }
    let vars = plan.item_vars();
    let Some(&last) = vars.last() else { return 1 };
    // All lanes fold the same segment.
    if matches!(plan.body, Body::Segment { row, .. } if plan.exprs.node_varies(row, last)) {
        return 1;
    }
    let indices = &plan.exprs.indices;
    let roots = plan.body.roots();
    let stored: Vec<IndexId> = plan.body.stores().iter().map(|s| s.offset).collect();
    let loaded: Vec<IndexId> = loads(&plan.exprs, &roots).iter().map(|l| l.offset).collect();
    let steps = |offsets: &[IndexId]| offsets.iter().filter(|&&o| step(&plan.exprs, o, last).is_one()).count();
    let neighbours = steps(&stored) == stored.len() && (loaded.is_empty() || steps(&loaded) > 0);
    let width = u64::from(target.vector_bytes / widest_bytes(plan)).clamp(1, 64);
    let width = if target.is_gpu() { width.min(4) } else { width };
    let even = match indices.run_extent(last) {
        Some(extent) => indices.alignment(extent, width as i64) == width as i64,
        None => indices.extent(last) >= width as i64 && (indices.extent(last) % width as i64 == 0 || !target.is_gpu()),
    };
    // GPU: without whole vectors neighbouring threads have neighbouring elements instead.
    let masked = loads(&plan.exprs, &roots).iter().any(|l| l.masked);
    let fits = if target.is_gpu() { even && !masked && matches!(plan.body, Body::Loop { .. }) } else { true };
    if neighbours && fits { width as u32 } else { 1 }
}

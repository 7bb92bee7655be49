//! Schedules of kernels whose loops are as long as sizes known only at run time.
//!
//! Input: a lowered plan with sizes in its loops. Output: where only the outermost extent (or the length of rows) is such a size, what
//! would be chosen for a likely one, rows shared by threads and register tiles; else the program that every body has
//! (`SizedSchedule`): lanes along the last item variable where accesses there are neighbours, on CPUs as many items as are worth a
//! workgroup.
//!
//! Worked example: [b, 96] f32 on AVX2 is one variable of 96·b: 8 lanes, no tail since 8 divides 96.

use fornax_plan::{Body, IndexId, KernelPlan, LIKELY_SIZE, RowSchedule, Schedule, SizedSchedule, VarId};
use fornax_targets::Target;

use super::access::{loads, step, widest_bytes, work};
use super::loop_schedule::cpu_items;
use super::{row_schedule, tile_schedule};

/// Threads of a GPU workgroup.
const GPU_THREADS: u32 = 256;
/// Items of a CPU kernel for which workgroups are cut: that many are likely.
const LIKELY_ITEMS: u64 = 1 << 14;
/// Steps of a reduction that are likely.
const LIKELY_STEPS: u64 = 64;

/// Vectors of a row of unknown length that a thread takes at a time.
const STREAMED_CHUNKS: u32 = 4;

/// The schedule of a plan; its domain may be put in another order.
pub fn choose(plan: &mut KernelPlan, target: &Target, ordered: bool) -> Schedule {
    shared_work(plan, target, ordered).unwrap_or_else(|| Schedule::Sized(plain(plan, target)))
}

/// Rows that threads share, and register tiles.
fn shared_work(plan: &mut KernelPlan, target: &Target, ordered: bool) -> Option<Schedule> {
    let mut likely = plan.clone();
    likely.exprs.indices = plan.exprs.indices.with_extents(|size| match plan.serves {
        Some(serves) if serves.size == size => serves.likely,
        _ => LIKELY_SIZE,
    });
    let rows = match &plan.body {
        Body::Reduce { .. } => row_schedule::reduction(&likely, target, ordered).ok(),
        Body::Row { .. } => Some(row_schedule::choose(&likely, target)),
        _ => None,
    };
    if let Some(row) = rows.and_then(|row| fitting_row(plan, row, target)) {
        return Some(Schedule::Row(row));
    }
    let tile = match &plan.body {
        Body::Reduce { .. } => tile_schedule::reduction(&likely, target, ordered),
        Body::Contraction { .. } => tile_schedule::contraction(&mut likely, target),
        _ => return None,
    };
    let sized = |&v: &VarId| plan.exprs.indices.run_extent(v).is_some();
    // CPU: in the order of the results; products that want another are in panels.
    if !target.is_gpu() {
        return Some(Schedule::Tile(tile));
    }
    // The size stays outside: then nothing is divided by it.
    let mut domain = likely.domain;
    domain.sort_by_key(|v| !sized(v));
    let vector = tile.vector.is_none_or(|(v, _)| !sized(&v));
    let before = std::mem::replace(&mut plan.domain, domain);
    if vector && plan.domain.first().is_some_and(sized) && plan.loops_inside_are_static() {
        return Some(Schedule::Tile(tile));
    }
    plan.domain = before;
    None
}

/// A row schedule for rows, or lengths of rows, known only at run time.
fn fitting_row(plan: &KernelPlan, mut row: RowSchedule, target: &Target) -> Option<RowSchedule> {
    let indices = &plan.exprs.indices;
    let sized = |&v: &VarId| indices.run_extent(v).is_some();
    let along = plan.body.reduction();
    if plan.domain.contains(&row.vector.0) && sized(&row.vector.0) {
        return None;
    }
    if row.ahead > 0 && plan.domain.iter().any(sized) {
        row.ahead = 0;
    }
    if !along.iter().any(sized) {
        return Some(row);
    }
    if along.len() > 1 {
        return None;
    }
    if !target.is_gpu() && sized(&row.vector.0) {
        // Shorter rows go one by one.
        row.vector.1 = row.vector.1.min((2 * target.vector_bytes / widest_bytes(plan)).max(1));
    }
    row.held &= row.holds(plan);
    row.ahead = 0;
    if !row.held {
        row.cluster = 1;
        row.chunks = row.chunks.clamp(1, STREAMED_CHUNKS);
    }
    Some(row)
}

/// The program that every body has.
fn plain(plan: &KernelPlan, target: &Target) -> SizedSchedule {
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
pub(crate) fn lanes(plan: &KernelPlan, target: &Target) -> u32 {
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

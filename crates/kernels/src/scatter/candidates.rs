//! Schedules of segmented reductions.

use crate::loop_schedule::LoopSchedule;
use crate::scatter::schedule::SegmentSchedule;
use fornax_plan::{Body, Combiner, KernelPlan};
use fornax_targets::{Feature, Target};

use crate::access::{loads, widest_bytes, work};
use crate::sizing::{LINE_THREADS, cpu_items, dividing, power_of_two_below};

/// Updates of a row from which a subgroup shares it, where rows are few.
const SHARED_UPDATES: u64 = 16;

/// Schedule of a `Body::Segment`.
pub fn segment(plan: &KernelPlan, target: &Target) -> SegmentSchedule {
    let none = SegmentSchedule { lanes: 1, share: 1, threads: 1, items: 1 };
    let Body::Segment { along, row, inputs, combiner, .. } = &plan.body else { return none };
    let last = plan.domain.last().copied().filter(|&v| {
        let read = loads(&plan.exprs, inputs).into_iter().map(|l| l.offset);
        let mut offsets = read.chain(plan.body.stores().iter().map(|s| s.offset));
        !plan.exprs.node_varies(*row, v) && offsets.all(|offset| plan.exprs.indices.stride(offset, v) == Some(1))
    });
    let extent = last.map_or(1, |v| plan.exprs.indices.extent(v).max(1) as u64);
    let width = u64::from(target.vector_bytes / widest_bytes(plan)).max(1);
    let lanes = dividing(power_of_two_below(width.min(if target.is_gpu() { 4 } else { 16 })), extent);
    let items = plan.loop_items(lanes as u32);
    let updates = plan.exprs.indices.extent(*along).max(1) as u64;
    let points: u64 = plan.domain.iter().map(|&v| plan.exprs.indices.extent(v).max(1) as u64).product();
    let rows = if last.is_some() { points / extent } else { points };
    let each = updates / rows.max(1);
    if !target.is_gpu() {
        let steps = each + u64::from(updates.ilog2());
        let items = cpu_items(items, work(plan, inputs) * steps * lanes);
        return SegmentSchedule { lanes: lanes as u32, items, ..none };
    }
    let resident = u64::from(target.compute_units) * u64::from(target.max_threads_per_unit);
    let simple = matches!(combiner, Combiner::Simple(_)) && target.has(Feature::ShuffleSync);
    let share = if simple && each >= SHARED_UPDATES && 2 * items < resident { target.subgroup_size } else { 1 };
    let threads = LINE_THREADS.min(target.max_threads_per_block);
    SegmentSchedule { lanes: lanes as u32, share, threads, items: 1 }
}

/// Schedule of a `Body::Update`: single points.
pub fn points(plan: &KernelPlan, target: &Target) -> LoopSchedule {
    LoopSchedule::with_lanes(plan, target, 1)
}

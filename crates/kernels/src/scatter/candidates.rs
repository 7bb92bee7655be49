//! Schedules of segmented reductions and of updates in place.

use crate::loop_schedule::LoopSchedule;
use crate::scatter::schedule::SegmentSchedule;
use fornax_plan::{Atom, Body, Combiner, IndexId, KernelPlan, VarId};
use fornax_targets::{Feature, Target};

use crate::access::{Step, loads, step, widest_bytes, work};
use crate::sizing::{LINE_THREADS, cpu_items, dividing, power_of_two_below};

/// Updates of a row from which a subgroup shares it, where rows are few.
const SHARED_UPDATES: u64 = 16;
/// Lanes of an update in place at most.
const UPDATE_LANES_MAX: u64 = 8;

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

/// Schedule of a `Body::Update`: single points; on GPUs vectors of them, where these are stored or left as a whole.
///
/// Worked example: 1024 rows of [8, 128] bf16, made of f32, into a cache where a position says: four lanes along the
/// 128, 262,144 items.
pub fn points(plan: &KernelPlan, target: &Target) -> LoopSchedule {
    LoopSchedule::with_lanes(plan, target, update_lanes(plan, target))
}

/// Lanes along the last variable: the condition does not depend on it, and vectors of places are aligned.
fn update_lanes(plan: &KernelPlan, target: &Target) -> u32 {
    let Body::Update { condition, combine: None, stores } = &plan.body else { return 1 };
    let (Some(&last), true) = (plan.domain.last(), target.is_gpu()) else { return 1 };
    if plan.exprs.node_varies(*condition, last) {
        return 1;
    }
    let read = loads(&plan.exprs, &stores.iter().map(|store| store.value).collect::<Vec<_>>());
    let steps: Vec<(Step, u64)> =
        read.iter().map(|load| (step(&plan.exprs, load.offset, last), load.element.storage_bytes() as u64)).collect();
    if steps.iter().any(|(step, _)| !step.is_one() && *step != Step::Same) {
        return 1;
    }
    let stored = stores.iter().map(|store| plan.exprs.element(store.value).storage_bytes() as u64);
    let loaded = steps.iter().filter(|(step, _)| step.is_one()).map(|(_, bytes)| *bytes);
    let widest = stored.chain(loaded).max().unwrap_or(1).max(1);
    let extent = plan.exprs.indices.extent(last).max(1) as u64;
    let width = (u64::from(target.vector_bytes) / widest).clamp(1, UPDATE_LANES_MAX);
    let lanes = dividing(power_of_two_below(width), extent);
    let is_even = |offset: IndexId| is_even(plan, (offset, last), lanes as i64);
    if stores.iter().all(|store| is_even(store.offset)) { lanes as u32 } else { 1 }
}

/// Whether places step by one along `last`, and begin at a multiple of `lanes` where it does.
fn is_even(plan: &KernelPlan, (offset, last): (IndexId, VarId), lanes: i64) -> bool {
    let indices = &plan.exprs.indices;
    let linear = indices.linear(offset);
    let mut others = linear.terms.iter().filter(|term| indices.atom(term.0) != Atom::Var(last));
    step(&plan.exprs, offset, last).is_one() && linear.constant % lanes == 0 && others.all(|term| term.1 % lanes == 0)
}

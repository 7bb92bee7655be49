//! Schedules of reductions and contractions: register tiles, and threads that share a reduction.
//!
//! Worked examples. Softmax row maximum of [4096, 1000] f32 on CUDA: lanes 4 along the row, reduce_threads 128,
//! tile_threads 2: 2048 workgroups. Matrix product [512, 768]·[768, 768] on AVX2: lanes 8 along the columns, 2 vectors and
//! 6 rows a tile: 12 accumulators of 16 registers. q·kᵀ (both contiguous along the contraction): lanes along it.

use fornax_plan::{Body, Combiner, KernelPlan, NodeId, TileSchedule, VarId};
use fornax_targets::Target;

use super::access::{Load, Step, loads, power_of_two_below, step, widest_bytes, work};
use super::loop_schedule::cpu_items;

/// Threads of a GPU workgroup that share tiles of a reduction or contraction.
const GPU_THREADS: u32 = 256;
/// Reduction elements that one thread should fold before more threads share the row.
const GPU_FOLD: u64 = 8;
/// Vectors that a CPU row reduction folds side by side: hides the latency of an addition.
const CPU_FOLD_VECTORS: u64 = 4;

/// Schedule of a `Body::Reduce`; an `ordered` one has no lanes along the reduction and one thread a tile.
pub fn reduction(plan: &KernelPlan, target: &Target, ordered: bool) -> TileSchedule {
    let Body::Reduce { reduction, inputs, combiner, .. } = &plan.body else { return plain() };
    let inner = reduction.last().copied();
    let contiguous = |var: Option<VarId>| var.filter(|&v| is_contiguous(plan, inputs, v));
    let row = contiguous(inner).filter(|_| !ordered);
    let column = contiguous(plan.domain.last().copied()).filter(|_| row.is_none());
    let mut schedule = plain();
    let width = u64::from(target.vector_bytes / widest_bytes(plan)).max(1);
    let simple = matches!(combiner, Combiner::Simple(_));
    if let Some(var) = row.or(column) {
        let extent = plan.exprs.indices.extent(var).max(1) as u64;
        let lanes = match (target.is_gpu(), row.is_some()) {
            (true, _) => dividing(width.min(8), extent),
            (false, true) if simple && extent >= 2 * CPU_FOLD_VECTORS * width => CPU_FOLD_VECTORS * width,
            (false, _) => width.min(power_of_two_below(extent)),
        };
        if lanes > 1 {
            schedule.vector = Some((var, lanes as u32));
        }
    }
    if target.is_gpu() && ordered {
        let tiles = plan.tiles(&schedule).max(1);
        schedule.tile_threads = GPU_THREADS.min(target.max_threads_per_block).min(tiles.next_power_of_two() as u32);
    } else if target.is_gpu() {
        share(plan, target, &mut schedule);
    } else {
        let tile_work = work(plan, inputs) * folded(plan) * lanes_of(&schedule, &plan.domain);
        schedule.tiles_per_workgroup = cpu_items(plan.tiles(&schedule), tile_work);
    }
    schedule
}

fn plain() -> TileSchedule {
    TileSchedule { vector: None, unroll: Vec::new(), reduce_threads: 1, tile_threads: 1, tiles_per_workgroup: 1 }
}

/// Elements that one tile folds.
fn folded(plan: &KernelPlan) -> u64 {
    plan.body.reduction().iter().map(|&v| plan.exprs.indices.extent(v).max(1) as u64).product()
}

/// Lanes of the vector when it lies along one of the variables, else 1.
fn lanes_of(schedule: &TileSchedule, vars: &[VarId]) -> u64 {
    schedule.vector.filter(|(v, _)| vars.contains(v)).map_or(1, |(_, n)| u64::from(n))
}

/// Most loads step by one element with the variable, none of the others unevenly.
fn is_contiguous(plan: &KernelPlan, roots: &[NodeId], var: VarId) -> bool {
    let steps: Vec<Step> = loads(&plan.exprs, roots).iter().map(|l| step(&plan.exprs, l.offset, var)).collect();
    let ones = steps.iter().filter(|s| s.is_one()).count();
    ones > 0 && steps.iter().all(|s| s.is_one() || *s == Step::Same)
}

/// Largest power of two up to `limit` that divides the extent.
fn dividing(limit: u64, extent: u64) -> u64 {
    let mut lanes = power_of_two_below(limit);
    while lanes > 1 && !extent.is_multiple_of(lanes) {
        lanes /= 2;
    }
    lanes
}

/// GPU threads: enough of them share one tile's reduction that the device is full and none folds a handful of elements.
fn share(plan: &KernelPlan, target: &Target, schedule: &mut TileSchedule) {
    let tiles = plan.tiles(schedule).max(1);
    let fold = folded(plan) / lanes_of(schedule, plan.body.reduction()).max(1);
    let row = schedule.vector.is_some_and(|(v, _)| plan.body.reduction().contains(&v))
        || plan.body.reduction().last().is_some_and(|&v| is_contiguous(plan, &plan.body.roots(), v));
    let resident = u64::from(target.compute_units.max(1)) * u64::from(target.max_threads_per_unit);
    // Rows are shared for contiguous access anyway; columns only where there are too few of them.
    let few = tiles * 2 < resident;
    let most = match (row, few) {
        (_, true) => power_of_two_below(fold.div_ceil(GPU_FOLD)).min((resident / tiles).max(1).next_power_of_two()),
        (true, false) => power_of_two_below(fold.div_ceil(GPU_FOLD / 4)).min(u64::from(GPU_THREADS)),
        (false, false) => 1,
    };
    let cap = if tiles < u64::from(target.compute_units) { 1024 } else { u64::from(GPU_THREADS) };
    let most = most.min(cap).min(power_of_two_below(u64::from(target.max_threads_per_block))).max(1);
    schedule.reduce_threads = most as u32;
    let threads = u64::from(GPU_THREADS.min(target.max_threads_per_block)).max(most);
    schedule.tile_threads = (threads / most).min(tiles.next_power_of_two()).max(1) as u32;
}

/// What the operands of a contraction do along a domain variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Along {
    var: VarId,
    extent: u64,
    lhs: Step,
    rhs: Step,
    store: Step,
}

impl Along {
    /// Only one operand changes with it.
    fn of_one(&self) -> bool {
        (self.lhs == Step::Same) != (self.rhs == Step::Same)
    }

    /// How good vectors along it are; 0 for not at all.
    fn vector_score(&self) -> u32 {
        let even = |s: Step| s.is_one() || s == Step::Same;
        if !even(self.lhs) || !even(self.rhs) || self.lhs == Step::Same && self.rhs == Step::Same {
            return 0;
        }
        // Output channels (rhs) before pixels (lhs) before both at once (depthwise); contiguous stores count most.
        let kind = match (self.lhs == Step::Same, self.rhs == Step::Same) {
            (true, _) => 3,
            (_, true) => 2,
            _ => 1,
        };
        kind + if self.store.is_one() { 4 } else { 0 }
    }
}

/// Schedule of a `Body::Contraction`.
pub fn contraction(plan: &KernelPlan, target: &Target) -> TileSchedule {
    let Body::Contraction { reduction, lhs, rhs, accumulator, stores } = &plan.body else { return plain() };
    let (left, right) = (loads(&plan.exprs, &[*lhs]), loads(&plan.exprs, &[*rhs]));
    let store = stores.first().map(|s| s.offset);
    let along: Vec<Along> = plan
        .domain
        .iter()
        .map(|&var| Along {
            var,
            extent: plan.exprs.indices.extent(var).max(1) as u64,
            lhs: common(plan, &left, var),
            rhs: common(plan, &right, var),
            store: store.map_or(Step::Irregular, |offset| step(&plan.exprs, offset, var)),
        })
        .collect();
    let width = u64::from(target.vector_bytes) / accumulator.storage_bytes().max(1) as u64;
    let width = width.max(1);
    let best = along.iter().filter(|a| a.vector_score() > 0 && (a.extent >= width || a.extent >= 4));
    let best = best.max_by_key(|a| (a.extent >= width, a.vector_score(), a.extent)).copied();
    let inner = reduction.last().copied().filter(|&v| {
        let steps = (common(plan, &left, v), common(plan, &right, v));
        steps.0.is_one() && steps.1.is_one() && plan.exprs.indices.extent(v) as u64 >= width
    });
    let mut schedule = plain();
    match (best, inner) {
        (Some(vector), _) => across(&mut schedule, target, &along, vector, width),
        (None, Some(inner)) => inside(&mut schedule, plan, target, &along, (inner, width)),
        (None, None) => scalar(&mut schedule, target, &along),
    }
    if target.is_gpu() {
        shrink(plan, target, &mut schedule);
        share(plan, target, &mut schedule);
    } else {
        let outputs: u64 = plan.domain.iter().map(|&v| plan.tile_extent(&schedule, v)).product();
        let lanes = lanes_of(&schedule, &plan.domain) * lanes_of(&schedule, plan.body.reduction());
        let tile_work = folded(plan) * outputs.div_ceil(lanes.max(1)) * 2;
        schedule.tiles_per_workgroup = cpu_items(plan.tiles(&schedule), tile_work * width / 2);
    }
    schedule
}

/// The step of all loads of an operand along a variable, if they agree.
fn common(plan: &KernelPlan, loads: &[Load], var: VarId) -> Step {
    let mut steps = loads.iter().map(|l| step(&plan.exprs, l.offset, var));
    let first = steps.next().unwrap_or(Step::Same);
    if steps.all(|s| s == first) { first } else { Step::Irregular }
}

/// Number of repetitions, at most `limit`, that cuts the extent in even parts: an exact divisor if a large one exists.
fn balanced(extent: u64, limit: u64) -> u64 {
    let limit = limit.clamp(1, extent.max(1));
    let exact = (limit.div_ceil(2)..=limit).rev().find(|n| extent.is_multiple_of(*n));
    exact.unwrap_or_else(|| extent.div_ceil(extent.div_ceil(limit)))
}

/// Accumulator registers (vectors) of a tile: (beside the vector, along the vector).
fn tile(target: &Target) -> (u64, u64) {
    match (target.is_gpu(), target.max_registers_per_thread) {
        (true, _) => (8, 2),
        (false, 32..) => (8, 3),
        (false, _) => (6, 2),
    }
}

/// Lanes along a domain variable; the largest variables of the other operand are unrolled.
fn across(schedule: &mut TileSchedule, target: &Target, along: &[Along], vector: Along, width: u64) {
    let lanes = if target.is_gpu() { width.min(4) } else { width }.min(power_of_two_below(vector.extent));
    schedule.vector = Some((vector.var, lanes as u32));
    let (rows, columns) = tile(target);
    let others = |a: &&Along| a.var != vector.var && a.of_one() && (a.lhs == Step::Same) != (vector.lhs == Step::Same);
    // Depthwise: both operands move with the vector, any other variable of one operand shares the other's loads.
    let depthwise = |a: &&Along| !vector.of_one() && a.var != vector.var && a.of_one();
    let main = along.iter().filter(|a| others(a) || depthwise(a)).max_by_key(|a| a.extent);
    let mut left = rows * columns;
    if let Some(main) = main {
        let count = balanced(main.extent, rows);
        if count > 1 {
            schedule.unroll.push((main.var, count as u32));
        }
        left /= count.max(1);
    }
    if !vector.of_one() {
        left = left.min(1);
    }
    let vectors = vector.extent / lanes;
    let count = balanced(vectors.max(1), left.min(if main.is_some() { columns.max(left.min(4)) } else { 4 }));
    if count > 1 {
        schedule.unroll.push((vector.var, count as u32));
    }
}

/// Lanes along the contraction; both operands' largest variables are unrolled.
fn inside(
    schedule: &mut TileSchedule,
    plan: &KernelPlan,
    target: &Target,
    along: &[Along],
    (inner, width): (VarId, u64),
) {
    let extent = plan.exprs.indices.extent(inner).max(1) as u64;
    let lanes = if target.is_gpu() { dividing(width.min(8), extent) } else { width };
    if lanes > 1 {
        schedule.vector = Some((inner, lanes as u32));
    }
    scalar(schedule, target, along);
}

/// Unrolls the largest variable of each operand by about four.
fn scalar(schedule: &mut TileSchedule, target: &Target, along: &[Along]) {
    let (rows, columns) = if !target.is_gpu() && target.max_registers_per_thread < 32 { (4, 2) } else { (4, 4) };
    let largest =
        |lhs: bool| along.iter().filter(|a| a.of_one() && (a.lhs == Step::Same) != lhs).max_by_key(|a| a.extent);
    for (of, limit) in [(largest(true), rows), (largest(false), columns)] {
        if let Some(a) = of {
            let count = balanced(a.extent, limit);
            if count > 1 {
                schedule.unroll.push((a.var, count as u32));
            }
        }
    }
}

/// GPU: smaller tiles while they are too few to give every multiprocessor its threads.
fn shrink(plan: &KernelPlan, target: &Target, schedule: &mut TileSchedule) {
    let wanted = u64::from(target.compute_units.max(1)) * 512;
    while plan.tiles(schedule) < wanted {
        let Some(at) = (0..schedule.unroll.len()).max_by_key(|&at| schedule.unroll[at].1) else { return };
        let count = schedule.unroll[at].1;
        schedule.unroll[at].1 = count.div_ceil(2);
        if schedule.unroll[at].1 <= 1 {
            schedule.unroll.remove(at);
        }
    }
}

/// GPU threads next to each other take neighbouring tiles: the vector variable becomes the last of the domain.
pub fn vector_last(plan: &mut KernelPlan, schedule: &TileSchedule) {
    if let Some((var, _)) = schedule.vector
        && let Some(at) = plan.domain.iter().position(|&v| v == var)
    {
        let var = plan.domain.remove(at);
        plan.domain.push(var);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_even() {
        assert_eq!(balanced(112, 8), 8);
        assert_eq!(balanced(7, 6), 4);
        assert_eq!(balanced(14, 8), 7);
        assert_eq!(balanced(1, 8), 1);
        assert_eq!(balanced(13, 6), 5);
        assert_eq!(dividing(4, 1000), 4);
        assert_eq!(dividing(4, 1002), 2);
        assert_eq!(dividing(4, 1001), 1);
    }
}

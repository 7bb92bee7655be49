//! Schedules of reductions and contractions: register tiles, and threads that share a reduction.
//!
//! Worked examples. Softmax row maximum of [4096, 1000] f32 on CUDA: lanes 4 along the row, reduce_threads 128,
//! tile_threads 2: 2048 workgroups. Matrix product [512, 768]·[768, 768] on AVX2: lanes 8 along the columns, 3 vectors
//! and 4 rows a tile: 12 accumulators of 16 registers. q·kᵀ (both contiguous along the contraction): lanes along it.

use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_plan::{Body, Combiner, KernelPlan, NodeId, VarId};
use fornax_targets::Target;
use fornax_targets::fitted::cpu::{FEW, FEW_OF_MANY};
use fornax_targets::fitted::tile::{COMBINE, WIDE_FACTOR};
use fornax_targets::fitted::traffic::EXCHANGE;

use super::gpu;
use crate::access::{Load, Step, loads, step, widest_bytes, work};
use crate::sizing::{GPU_THREADS, LANES_MAX, SHORT_MAX, cpu_items, dividing, power_of_two_below};
use crate::traffic::{Traffic, meetings, touched};

/// Reduction elements that one thread should fold before more threads share the row.
const GPU_FOLD: u64 = 8;
/// Vectors that a CPU row reduction folds in parallel: hides the latency of an addition.
const CPU_FOLD_VECTORS: u64 = 4;
/// Work of an element that is loaded and converted.
const PLAIN_WORK: u64 = 2;
/// Bytes that stay in the first-level cache from one tile to the next.
const CPU_NEAR_BYTES: u64 = 32 * 1024;
/// Bytes of one operand that a core's second-level cache keeps while the other streams by.
const CPU_CACHE_BYTES: u64 = 256 * 1024;

/// Schedule of a `Body::Reduce`; an `ordered` one has no lanes along the reduction and one thread a tile.
pub fn reduction(plan: &KernelPlan, target: &Target, ordered: bool) -> TileSchedule {
    let Body::Reduce { reduction, inputs, combiner, .. } = &plan.body else { return plain() };
    let inner = reduction.last().copied();
    let contiguous = |var: Option<VarId>| var.filter(|&v| is_contiguous(plan, inputs, v));
    let mut schedule = plain();
    let width = u64::from(target.vector_bytes / widest_bytes(plan)).clamp(1, LANES_MAX);
    // The few elements of a pooling window are no row.
    let long = |v: &VarId| plan.exprs.indices.extent(*v) as u64 >= 2 * width.min(8);
    let row = contiguous(inner).filter(|v| !ordered && long(v));
    let column = contiguous(plan.domain.last().copied()).filter(|_| row.is_none());
    let simple = matches!(combiner, Combiner::Simple(_));
    if let Some(var) = row.or(column) {
        let extent = plan.exprs.indices.extent(var).max(1) as u64;
        let wide = (CPU_FOLD_VECTORS * width).min(LANES_MAX);
        let lanes = match (target.is_gpu(), row.is_some()) {
            (true, _) => dividing(width.min(8), extent),
            (false, true) if simple && extent >= 2 * wide => wide,
            (false, _) => width.min(power_of_two_below(extent)),
        };
        if lanes > 1 {
            schedule.vector = Some((var, lanes as u32));
        }
        // Columns next to each other hide the latency of an addition.
        let adjacent = balanced(extent / lanes, CPU_FOLD_VECTORS);
        if !target.is_gpu() && row.is_none() && simple && adjacent > 1 {
            schedule.unroll.push((var, adjacent as u32));
        }
    }
    if target.is_gpu() && ordered {
        let tiles = schedule.tiles(plan).max(1);
        schedule.tile_threads = u64::from(GPU_THREADS.min(target.max_threads_per_block)).min(tiles) as u32;
    } else if target.is_gpu() {
        share(plan, target, &mut schedule, row.is_some());
    } else {
        let outputs: u64 = plan.domain.iter().map(|&v| schedule.tile_extent(v)).product();
        let tile_work = work(plan, inputs) * folded(plan) * outputs;
        schedule.tiles_per_workgroup = cpu_items(schedule.tiles(plan), tile_work);
    }
    schedule
}

/// Cycles of a reduction's schedule on a GPU.
pub fn cycles(plan: &KernelPlan, target: &Target, s: &TileSchedule) -> Option<f64> {
    let Body::Reduce { reduction, .. } = &plan.body else { return None };
    let roots = plan.body.roots();
    let shared = u64::from(s.reduce_threads.max(1));
    // Threads that share a tile are neighbours along the reduction, others along the last variable.
    let near = if shared > 1 { reduction.last() } else { plan.domain.last().or(reduction.last()) };
    let near = s.vector.map(|v| v.0).filter(|v| shared > 1 || plan.domain.contains(v)).or(near.copied())?;
    let inner = lanes_of(s, reduction).max(1);
    let each = folded(plan).div_ceil(inner * shared);
    let outputs: u64 = plan.domain.iter().map(|&v| s.tile_extent(v)).product();
    let subgroup = u64::from(target.subgroup_size.max(1));
    let traffic = Traffic {
        touched: touched(plan, &roots, near, &|_| false),
        threads: s.tiles(plan) as f64 * shared as f64,
        work: work(plan, &roots) as f64 * (each * inner * outputs) as f64,
        // An element is folded before the next one is asked for.
        trips: each as f64,
        met: f64::from(shared.min(subgroup).ilog2()) * EXCHANGE
            + if shared > 1 { COMBINE } else { 0.0 }
            + meetings(f64::from(u8::from(shared > subgroup))),
    };
    traffic.cycles(plan, target)
}

/// Schedules of a reduction that a tuner may try: its tile shared by fewer and by more threads; on CPUs other counts of
/// tiles.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    if !matches!(plan.body, Body::Reduce { .. }) || plan.ordered || !plan.has_static_loops() {
        return Vec::new();
    }
    let model = reduction(plan, target, false);
    let mut found = vec![model.clone()];
    if target.is_gpu() {
        let most = power_of_two_below(fold_max(plan, &model));
        for shared in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].into_iter().filter(|&n| n <= most) {
            let mut schedule = model.clone();
            workgroup(plan, target, &mut schedule, shared);
            found.push(schedule);
        }
    } else {
        let counts = [model.tiles_per_workgroup / 4, model.tiles_per_workgroup.saturating_mul(4)];
        let other = |tiles_per_workgroup| TileSchedule { tiles_per_workgroup, ..model.clone() };
        found.extend(counts.into_iter().filter(|&n| n > 0).map(other));
    }
    found.into_iter().map(|s| plan.with_schedule(s)).collect()
}

/// Threads that have something to fold.
fn fold_max(plan: &KernelPlan, schedule: &TileSchedule) -> u64 {
    (folded(plan) / lanes_of(schedule, plan.body.reduction()).max(1)).max(1)
}

fn plain() -> TileSchedule {
    TileSchedule { vector: None, unroll: Vec::new(), reduce_threads: 1, tile_threads: 1, tiles_per_workgroup: 1 }
}

/// Elements that one tile folds.
pub(super) fn folded(plan: &KernelPlan) -> u64 {
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

/// GPU threads: enough of them share one tile's reduction that the device is full and none folds a handful of elements.
/// Rows are shared for contiguous access anyway, columns only where there are too few of them.
fn share(plan: &KernelPlan, target: &Target, schedule: &mut TileSchedule, row: bool) {
    let tiles = schedule.tiles(plan).max(1);
    let fold = folded(plan) / lanes_of(schedule, plan.body.reduction()).max(1);
    let resident = u64::from(target.compute_units.max(1)) * u64::from(target.max_threads_per_unit);
    let few = tiles * 2 < resident;
    let most = match (row, few) {
        (_, true) => power_of_two_below(fold.div_ceil(GPU_FOLD)).min((resident / tiles).max(1).next_power_of_two()),
        (true, false) => power_of_two_below(fold.div_ceil(GPU_FOLD / 4)).min(u64::from(GPU_THREADS)),
        (false, false) => 1,
    };
    let cap = if tiles < u64::from(target.compute_units) { 1024 } else { u64::from(GPU_THREADS) };
    workgroup(plan, target, schedule, most.min(cap));
}

/// Threads of a workgroup when `shared` of them (a power of two) share a tile.
pub(super) fn workgroup(plan: &KernelPlan, target: &Target, schedule: &mut TileSchedule, shared: u64) {
    let shared = shared.min(power_of_two_below(u64::from(target.max_threads_per_block))).max(1);
    let tiles = schedule.tiles(plan).max(1).next_power_of_two();
    let threads = u64::from(GPU_THREADS.min(target.max_threads_per_block)).max(shared);
    schedule.reduce_threads = shared as u32;
    schedule.tile_threads = (threads / shared).min(tiles).max(1) as u32;
}

/// What the operands of a contraction do along a domain variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Along {
    pub var: VarId,
    pub extent: u64,
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

/// How a contraction can be cut into register tiles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Lanes along a domain variable, or along the innermost contraction variable.
    pub lanes: Option<(VarId, u64)>,
    /// Variable that the lanes of the domain lie along, with its vectors.
    pub columns: Option<Along>,
    /// The main variable of the other operand.
    pub rows: Option<Along>,
    /// The lanes lie along the contraction.
    pub inside: bool,
}

/// Schedule of a `Body::Contraction`; also puts the domain in the order in which tiles shall be numbered.
pub fn contraction(plan: &mut KernelPlan, target: &Target) -> TileSchedule {
    weighed_contraction(plan, target).0
}

/// The same with its cycles, where a model tells them.
pub fn weighed_contraction(plan: &mut KernelPlan, target: &Target) -> (TileSchedule, Option<f64>) {
    let cut = cut(plan, target);
    let mut schedule = plain();
    schedule.vector = cut.lanes.filter(|l| l.1 > 1).map(|(v, n)| (v, n as u32));
    let mut cycles = None;
    let last = if target.is_gpu() {
        let wide = if widest_bytes(plan) > 4 { WIDE_FACTOR } else { 1.0 };
        // The model is of operands that outputs share, not of depthwise convolutions.
        let shared = cut.columns.is_none_or(|columns| columns.of_one());
        let predicted = gpu::choose(plan, target, &cut, &mut schedule);
        cycles = predicted.filter(|_| shared).map(|cycles| wide * cycles);
        cut.columns
    } else {
        cpu_tile(plan, target, &cut, &mut schedule);
        if streams_columns(plan, &schedule, &cut) { cut.rows } else { cut.columns }
    };
    // Neighbouring tiles (GPU: neighbouring threads) are neighbours along the last variable.
    if let Some(at) = last.and_then(|a| plan.domain.iter().position(|&v| v == a.var)) {
        let var = plan.domain.remove(at);
        plan.domain.push(var);
    }
    (schedule, cycles)
}

/// Which variables the tile lies along.
pub(super) fn cut(plan: &KernelPlan, target: &Target) -> Cut {
    let none = Cut { lanes: None, columns: None, rows: None, inside: false };
    let Body::Contraction { reduction, lhs, rhs, accumulator, stores, .. } = &plan.body else { return none };
    let (left, right) = (loads(&plan.exprs, &[*lhs]), loads(&plan.exprs, &[*rhs]));
    let store = stores.first().map(|s| s.offset);
    let along = plan.domain.iter().map(|&var| Along {
        var,
        extent: plan.exprs.indices.extent(var).max(1) as u64,
        lhs: common(plan, &left, var),
        rhs: common(plan, &right, var),
        store: store.map_or(Step::Irregular, |offset| step(&plan.exprs, offset, var)),
    });
    let along: Vec<Along> = along.collect();
    let width = (u64::from(target.vector_bytes) / accumulator.storage_bytes().max(1) as u64).clamp(1, LANES_MAX);
    let best = along.iter().filter(|a| a.vector_score() > 0 && (a.extent >= width || a.extent >= 4));
    let best = best.max_by_key(|a| (a.extent >= width, a.vector_score(), a.extent)).copied();
    let largest = |lhs: bool| {
        let of = along.iter().filter(|a| a.of_one() && (a.lhs == Step::Same) != lhs);
        of.max_by_key(|a| a.extent).copied()
    };
    if let Some(columns) = best {
        let lanes = if target.is_gpu() { width.min(4) } else { width };
        let lanes = lanes.min(power_of_two_below(columns.extent));
        // Depthwise: both operands move with the lanes; any variable of one operand reuses the other's loads.
        let rows = match columns.of_one() {
            true => largest(columns.lhs == Step::Same),
            false => along.iter().filter(|a| a.of_one()).max_by_key(|a| a.extent).copied(),
        };
        return Cut { lanes: Some((columns.var, lanes)), columns: Some(columns), rows, inside: false };
    }
    let inner = reduction.last().copied().filter(|&v| {
        let steps = (common(plan, &left, v), common(plan, &right, v));
        steps.0.is_one() && steps.1.is_one() && plan.exprs.indices.extent(v) as u64 >= width
    });
    let lanes = inner.map(|v| {
        let extent = plan.exprs.indices.extent(v).max(1) as u64;
        (v, if target.is_gpu() { dividing(width.min(8), extent) } else { width })
    });
    Cut { lanes, columns: largest(false), rows: largest(true), inside: lanes.is_some() }
}

/// The step of all loads of an operand along a variable, if they agree; some may stay where others go on by one, as the
/// scale of a block of quantised elements does.
pub(super) fn common(plan: &KernelPlan, loads: &[Load], var: VarId) -> Step {
    let steps = || loads.iter().map(|l| step(&plan.exprs, l.offset, var));
    let first = steps().next().unwrap_or(Step::Same);
    if steps().all(|s| s == first) {
        first
    } else if steps().all(|s| s.is_one() || s == Step::Same) {
        Step::By(1)
    } else {
        Step::Irregular
    }
}

/// Number of repetitions, at most `limit`, that cuts the extent in even parts: an exact divisor if a large one exists.
pub(super) fn balanced(extent: u64, limit: u64) -> u64 {
    let limit = limit.clamp(1, extent.max(1));
    let exact = (limit.div_ceil(2)..=limit).rev().find(|n| extent.is_multiple_of(*n));
    exact.unwrap_or_else(|| extent.div_ceil(extent.div_ceil(limit)))
}

/// Repeats a variable in the tile.
pub(super) fn unroll(schedule: &mut TileSchedule, along: Option<Along>, count: u64) {
    if let Some(along) = along.filter(|_| count > 1) {
        schedule.unroll.push((along.var, count as u32));
    }
}

/// CPU: the tile of rows × vectors that fits the registers and takes the fewest cycles over the whole domain.
fn cpu_tile(plan: &KernelPlan, target: &Target, cut: &Cut, schedule: &mut TileSchedule) {
    let wide = target.max_registers_per_thread >= 32;
    let lanes = cut.lanes.map_or(1, |l| l.1);
    if cut.inside || cut.lanes.is_none() {
        // Lanes along the contraction, or none: a few of each operand.
        let (rows, columns) = cpu_few(plan, cut, if wide { FEW_OF_MANY } else { FEW });
        unroll(schedule, cut.rows, cut.rows.map_or(1, |a| balanced(a.extent, rows)));
        unroll(schedule, cut.columns, cut.columns.map_or(1, |a| balanced(a.extent, columns)));
    } else if let Some(columns) = cut.columns {
        let registers = u64::from(target.max_registers_per_thread);
        let panel = folded(plan) * lanes * u64::from(widest_bytes(plan));
        // Depthwise has nothing to reuse along the lanes.
        let vectors = if columns.of_one() { (columns.extent / lanes).max(1) } else { 1 };
        let (row, vector) = cpu_shape(cut.rows.map_or(1, |a| a.extent), vectors, registers, panel);
        unroll(schedule, cut.rows, row);
        unroll(schedule, cut.columns, vector);
    }
    let outputs: u64 = plan.domain.iter().map(|&v| schedule.tile_extent(v)).product();
    schedule.tiles_per_workgroup = cpu_items(schedule.tiles(plan), folded(plan) * outputs);
}

/// Rows and columns of a CPU tile, of which `usual` is the number of sums. A right operand that is computed where it is
/// multiplied, as quantised weights are, is computed again for every tile of rows: few rows are all in one.
///
/// Worked example: 8 rows, weights of 4 bits: 8 × 2 sums instead of 2 × 8, each weight is computed once.
fn cpu_few(plan: &KernelPlan, cut: &Cut, usual: (u64, u64)) -> (u64, u64) {
    let Body::Contraction { lhs, rhs, .. } = &plan.body else { return usual };
    let is_computed = |node: NodeId| work(plan, &[node]) > PLAIN_WORK;
    let rows = cut.rows.map_or(1, |along| along.extent).max(usual.0);
    if !cut.inside || rows > SHORT_MAX as u64 || is_computed(*lhs) || !is_computed(*rhs) {
        return usual;
    }
    (rows, (usual.0 * usual.1 / rows).max(1))
}

/// Rows and vectors of a CPU tile. A step of the contraction takes half a cycle for each multiply-add and each load,
/// one and a half for each vector that comes from the second-level cache, four at least for the latency of an addition,
/// and one for the loop itself; the fewest cycles for all tiles win, whole panels of columns before others, then the
/// fewest loads. `vector_panel` is the bytes of one vector at every step.
fn cpu_shape(rows: u64, vectors: u64, registers: u64, vector_panel: u64) -> (u64, u64) {
    let mut best = ((u64::MAX, true, 0), (1, 1));
    for row in 1..=rows.min(12) {
        // Besides the accumulators: one operand's vectors and a broadcast scalar of the other.
        for vector in (1..=vectors.min(6)).take_while(|v| row * v + v < registers) {
            let far = if vector * vector_panel > CPU_NEAR_BYTES { 3 * vector } else { vector };
            let half_cycles = (row * vector).max(row + vector).max(8).max(far) + 2;
            let tiles = rows.div_ceil(row) * vectors.div_ceil(vector);
            let key = (tiles * half_cycles, !vectors.is_multiple_of(vector), tiles * (row + vector));
            if key < best.0 {
                best = (key, (row, vector));
            }
        }
    }
    best.1
}

/// CPU: should consecutive tiles walk along the rows, keeping one column panel in the cache? Otherwise they walk along
/// the columns. Whichever moves fewer bytes; an operand that fits the cache is read once.
fn streams_columns(plan: &KernelPlan, schedule: &TileSchedule, cut: &Cut) -> bool {
    let (Some(rows), Some(columns)) = (cut.rows, cut.columns) else { return false };
    let element = u64::from(widest_bytes(plan));
    let bytes = |a: Along| a.extent * folded(plan) * element;
    let times = |a: Along| a.extent.div_ceil(schedule.tile_extent(a.var));
    let again = |bytes: u64, times: u64| if bytes > CPU_CACHE_BYTES { bytes.saturating_mul(times) } else { bytes };
    let along_columns = bytes(rows) + again(bytes(columns), times(rows));
    let along_rows = bytes(columns) + again(bytes(rows), times(columns));
    along_rows < along_columns
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

    #[test]
    fn shapes_fit_the_registers() {
        assert_eq!(cpu_shape(128, 96, 16, 24576), (4, 3));
        assert_eq!(cpu_shape(49, 40, 16, 30720), (5, 2));
        assert_eq!(cpu_shape(512, 64, 32, 1024), (6, 4));
        assert_eq!(cpu_shape(1, 125, 16, 1024), (1, 6));
        assert_eq!(cpu_shape(12544, 2, 16, 1024), (6, 2));
    }
}

//! GPU contractions with few outputs on one side (see `emit`): which they are, their loads and threads, and when
//! the contraction is cut into parts that workgroups of their own add up.
//!
//! The long operand must be one plain load, contiguous along its last variable or along the contraction. Candidates are
//! compared by cycles of the busiest multiprocessor: bytes streamed, round trips of the loads that its threads keep in
//! flight, shared-memory and multiply work; the cheapest wins, of equal ones the first. The rates are fitted to 550
//! measurements on an H200.
//!
//! Worked example, H200, [1, 8192]·[8192, 28672] bf16: 470 MB, 3.6 MB a multiprocessor.

use fornax_targets::fitted::gemv::computed::{OPERATIONS, UNPACKED_UNDER_WAY, UNPACKING_THREADS};
use fornax_targets::fitted::gemv::{
    CLUSTERS, FILL, FILL_RANGE, FINISH, LATER_FINISH, MATRIX_PRODUCTS, PART, PRODUCTS, SECOND_KERNEL, STAGED_BYTES,
    STREAM_BYTES, TRIP, UNEVEN,
};
use std::collections::BTreeMap;

use crate::gemv::computed::{self, Computed};
use crate::gemv::matrix;
use crate::gemv::products::{Space, Stages};
use crate::gemv::products_cost;
use crate::gemv::quads_cost;
use crate::gemv::quads_shape;
use crate::gemv::ring;
use crate::gemv::schedule::GemvSchedule;
use crate::gemv::shape::{OTHER_REGISTERS, REGISTERS_MAX, Shape, Steps, Way, block};
use crate::gemv::turns;
use fornax_plan::{Body, ContractionForm, KernelPlan, Operand, VarId};
use fornax_targets::{Feature, Target};

use crate::access::loads;
use crate::refusal::{
    Because, FEW_STEPS, MANY_OUTPUTS, NEEDS_GPU, NO_PRODUCT, NO_TILE, OPERAND_APART, OPERAND_COMPUTED, PRODUCTS_APART,
    READS_BESIDE,
};
use crate::scheduled::of_name;
use crate::sizing::{SHORT_MAX, dividing};

/// Bytes of the contraction for one output below which other schedules do.
const DEPTH_BYTES_MIN: i64 = 64;
/// Loads of a thread that are under way at the same time, at most.
const LOADS_UNDER_WAY: f64 = 3.2;
/// Share of the work, and of the shorter of work and trips, that does not overlap with the rest.
const OVERLAP: f64 = 0.12;
const OVERLAP_TRIPS: f64 = 0.19;
/// Registers that the assembler ends up with, about: it moves loads down.
const REGISTERS_USED: u64 = 37;
/// Loads of each matrix that a thread multiplies at a time where its elements have 8 bits and those of x more, at most:
/// many workgroups end more evenly than few. Source: 8 of Llama 3.1 8B's layers in E4M3, one H200: with 4 loads a step
/// takes 0.770 ms, with 2 0.764.
const NARROW_LOADS_MAX: u64 = 2;
/// Bytes of a 16-bit float.
const HALF_BYTES: u64 = 2;
/// Partial results of one contraction, at most.
const PARTS_MAX: i64 = 256;

/// The schedule of a contraction, if it is a GEMV, and its cycles by the model.
///
/// # Errors
/// Why it is none.
pub fn choose(plan: &KernelPlan, target: &Target) -> Result<(GemvSchedule, f64), Because> {
    let best = best(&Shape::of(plan, target)?, target, &[1]).ok_or_else(|| NO_TILE.of([]))?;
    Ok((best.schedule, best.cycles))
}

/// The least cycles of a plan whose long operands stay in the second-level cache; `None` where they do not.
pub fn cached(plan: &KernelPlan, target: &Target) -> Option<f64> {
    let shape = Shape::of(plan, target).ok()?;
    let fitting = ways(&shape, target, &[1]).into_iter().filter(|way| cost(&shape, target, way).is_some());
    fitting.filter_map(|way| products_cost::cycles(&shape, target, &way)).reduce(f64::min)
}

/// Names of [`candidates`] with their cycles by the model.
pub fn costs(plan: &KernelPlan, target: &Target) -> Vec<(String, u64)> {
    ranked(plan, target).into_iter().map(|(cost, plan)| (plan.way(), cost as u64)).collect()
}

/// The cheapest schedule of every kind (instruction, cluster, threads, columns of a workgroup, ring), the cheapest kind
/// first: what a tuner may try.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    ranked(plan, target).into_iter().map(|(_, plan)| plan).collect()
}

fn ranked(plan: &KernelPlan, target: &Target) -> Vec<(f64, KernelPlan)> {
    let Ok(shape) = Shape::of(plan, target) else { return Vec::new() };
    let mut kinds: BTreeMap<[u64; 7], (f64, Way)> = BTreeMap::new();
    for way in ways(&shape, target, &[1]) {
        let Some(cost) = cost(&shape, target, &way) else { continue };
        let (each, _) = block(&shape, way.matrix, way.lanes, way.tile);
        let (matrix, quads) = (u64::from(way.matrix), u64::from(way.quads));
        let kind = [matrix, way.cluster, way.threads(target), way.across * each, way.ring, quads, way.turns];
        if kinds.get(&kind).is_none_or(|known| cost < known.0) {
            kinds.insert(kind, (cost, way));
        }
    }
    let mut found: Vec<(f64, Way)> = kinds.into_values().collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let plan = |(cost, way): (f64, Way)| (cost, plan.with_schedule(shape.schedule(&way, target)));
    found.into_iter().map(plan).collect()
}

/// The way of a name, however the model ranks it.
pub fn named(plan: &KernelPlan, target: &Target, is_meant: &dyn Fn(&str) -> bool) -> Option<KernelPlan> {
    let shape = Shape::of(plan, target).ok()?;
    let fitting = ways(&shape, target, &[1]).into_iter().filter(|way| cost(&shape, target, way).is_some());
    of_name(plan, fitting.map(|way| shape.schedule(&way, target)), is_meant)
}

/// The schedule of a plan that is cut into several parts, and their number; `None` where it stays whole.
pub fn cut(plan: &KernelPlan, target: &Target) -> Option<(i64, GemvSchedule)> {
    let shape = Shape::of(plan, target).ok()?;
    let [Steps { inner, .. }] = shape.steps[..] else { return None };
    let parts: Vec<u64> = (1..=PARTS_MAX as u64).filter(|p| p.is_power_of_two() && inner.is_multiple_of(*p)).collect();
    let Best { parts, schedule, .. } = best(&shape, target, &parts).filter(|_| shape.sums == 1)?;
    (parts > 1).then_some((parts as i64, schedule))
}

impl Shape {
    pub(super) fn of(plan: &KernelPlan, target: &Target) -> Result<Shape, Because> {
        if !target.is_gpu() {
            return Err(NEEDS_GPU.of([]));
        }
        let forms = ContractionForm::all(plan);
        let (first, others) = forms.split_first().ok_or_else(|| NO_PRODUCT.of([]))?;
        let mut shape = Shape::of_form(plan, target, first)?;
        for form in others {
            let other = Shape::of_form(plan, target, form)?;
            if !shape.is_like(&other) {
                return Err(PRODUCTS_APART.of([]));
            }
            shape.matrix &= other.matrix;
            shape.copies &= other.copies;
        }
        let extent = |v: VarId| plan.exprs.indices.extent(v).max(1) as u64;
        let all = |form: &ContractionForm| form.steps.iter().map(|&v| extent(v) as i64).product::<i64>();
        let bytes = forms.iter().map(all).sum::<i64>() * shape.bytes as i64;
        if bytes < DEPTH_BYTES_MIN {
            return Err(FEW_STEPS.of([bytes, DEPTH_BYTES_MIN]));
        }
        let steps = |space: &Space| Steps {
            outer: space.reduction.split_last().map_or(1, |(_, outer)| outer.iter().map(|&v| extent(v)).product()),
            inner: extent(space.inner),
            long: space.long.len() as u64,
            streams: computed::streams(&plan.exprs, space, shape.last_long()),
            short: space.short.len() as u64,
        };
        let stages = Stages::of(plan, shape.long_is_lhs);
        shape.steps = stages.spaces().map(steps).collect();
        shape.sums = stages.places.len() as u64;
        shape.held = stages.stages.iter().map(|stage| stage.sums.len() as u64).max().unwrap_or(1);
        shape.quads = quads_shape::multiplies(plan, target, &shape, &stages);
        Ok(shape)
    }

    /// The shape of one product, without its steps.
    fn of_form(plan: &KernelPlan, target: &Target, form: &ContractionForm) -> Result<Shape, Because> {
        let exprs = &plan.exprs;
        let points = |vars: &[VarId]| vars.iter().map(|&v| exprs.indices.extent(v).max(0)).product::<i64>();
        let (rows, columns) = (points(&form.rows), points(&form.columns));
        let rows_short = rows <= SHORT_MAX;
        let wide = |o: &Operand| o.load.is_some_and(|l| l.mask.is_none());
        // With few outputs on both sides, the one that loads more easily is read as the long one.
        let row_long = !rows_short || columns <= rows && wide(&form.row_operand) && !wide(&form.column_operand);
        let (short, long) = if row_long { (&form.columns, &form.rows) } else { (&form.rows, &form.columns) };
        if points(short) > SHORT_MAX || points(long) == 0 || points(short) == 0 {
            return Err(MANY_OUTPUTS.of([points(short), SHORT_MAX]));
        }
        let operand = if row_long { &form.row_operand } else { &form.column_operand };
        let &inner = form.steps.last().ok_or_else(|| FEW_STEPS.of([0, DEPTH_BYTES_MIN]))?;
        let along = long.last().copied();
        let load = computed::streamed(exprs, operand, (inner, along)).ok_or_else(|| OPERAND_COMPUTED.of([]))?;
        let stride = |var: VarId| exprs.indices.stride(load.offset, var);
        let irregular = plan.domain.iter().chain(&form.steps).any(|&v| stride(v).is_none());
        let inside = stride(inner) == Some(1);
        if irregular || !inside && along.and_then(stride) != Some(1) {
            return Err(OPERAND_APART.of([]));
        }
        // Nothing else may be read for every element of the long operand.
        let single = operand.load.is_none() || loads(exprs, &[operand.node]).len() == 1;
        let bytes = load.element.storage_bytes() as i64;
        if !single {
            return Err(READS_BESIDE.of([]));
        }
        let other = if row_long { &form.column_operand } else { &form.row_operand };
        let lanes = if inside { inner } else { along.unwrap_or(inner) };
        let computed = operand.load.is_none().then(|| Computed::of(exprs, (operand, other), (lanes, inside), bytes));
        let wider = if bytes == 1 { other.element.storage_bytes() as f64 } else { 1.0 };
        Ok(Shape {
            copies: computed.is_none() && !inside && ring::copies(exprs, load.offset, lanes, bytes as u64),
            computed,
            inside,
            // The row operand is lhs unless the form swapped them.
            long_is_lhs: row_long != form.swapped,
            batches: points(&form.batch) as u64,
            rows: points(short) as u64,
            columns: points(long) as u64,
            steps: Vec::new(),
            sums: 1,
            held: 1,
            last: along.map_or(1, |v| exprs.indices.extent(v).max(1) as u64),
            bytes: bytes as u64,
            wider,
            accumulator_bytes: form.accumulator.storage_bytes() as u64,
            matrix: matrix::multiplies(plan, target, form, operand),
            quads: false,
            streamed: matches!(&plan.body, Body::Products(p) if p.streamed),
            batch: form.batch.clone(),
            short: short.clone(),
            long: long.clone(),
        })
    }
}

/// The cheapest schedule, its number of parts and its cycles.
struct Best {
    parts: u64,
    schedule: GemvSchedule,
    cycles: f64,
}

fn best(shape: &Shape, target: &Target, parts: &[u64]) -> Option<Best> {
    // The cheapest in registers, through a ring, and by quads.
    let mut best: [Option<(f64, Way)>; 3] = [None, None, None];
    for way in ways(shape, target, parts) {
        let known = &mut best[if way.quads { 2 } else { usize::from(way.ring > 0) }];
        if let Some(cost) = cost(shape, target, &way)
            && known.as_ref().is_none_or(|b| cost < b.0)
        {
            *known = Some((cost, way));
        }
    }
    let [registers, rings, quads] = best;
    let pays = |ring: &(f64, Way)| registers.as_ref().is_none_or(|other| ring.0 <= other.0 + shape.ring_margin());
    // Source: Llama 3.1 8B's shapes, one H200: by quads steps of Q4_0 and Q4_K, the last matrix apart, take 7 and 10 %
    // less; costs of the others are too low beside them.
    let (cycles, way) = quads.or(rings.filter(pays)).or(registers)?;
    Some(Best { parts: way.parts, schedule: shape.schedule(&way, target), cycles })
}

/// All ways: parts by a second kernel or by clusters, with matrix instructions or without.
fn ways(shape: &Shape, target: &Target, parts: &[u64]) -> Vec<Way> {
    let mut all = quads_cost::ways(shape, target);
    all.extend(turns::ways(shape, target));
    for &parts in parts {
        for matrix in [false, true] {
            let shared = parts == 1 && shape.sums == 1 && target.has(Feature::Cluster);
            let clusters = CLUSTERS.iter().filter(|c| c.0 == 1 || shared);
            for &(cluster, ..) in clusters {
                all.extend(configurations(shape, target, (parts, matrix, cluster)));
            }
        }
    }
    all
}

/// Ways whose blocks divide the contraction.
fn configurations(shape: &Shape, target: &Target, (parts, matrix, cluster): (u64, bool, u64)) -> Vec<Way> {
    let inner = || shape.steps.iter().map(|steps| steps.inner / parts);
    let most = (u64::from(target.vector_bytes) / shape.bytes).max(1);
    let lanes = if shape.inside { inner().fold(most, dividing) } else { dividing(most, shape.last) };
    let subgroup = u64::from(target.subgroup_size.max(1));
    let mut all = Vec::new();
    if matrix && (!shape.matrix || lanes != 8 || !inner().all(|n| n.is_multiple_of(if shape.inside { 32 } else { 16 })))
    {
        return all;
    }
    // Narrower tiles are more, and the sums of several products need not fit otherwise.
    let narrow = [lanes, lanes / 2, lanes / 4].into_iter().filter(|&lanes| lanes > 0);
    let widths: Vec<u64> = match (matrix, shape.inside) {
        (true, false) => vec![8, 4],
        (false, false) if shape.sums > 1 => narrow.collect(),
        _ => vec![lanes],
    };
    let tiles: &[u64] = match (matrix, shape.inside) {
        (true, true) => &[1, 2],
        (true, false) => &[1],
        _ => &[1, 2, 4, 8],
    };
    let divides = |tile: u64| inner().all(|n| n.is_multiple_of(tile));
    let fits = |tile: u64| matrix || if shape.inside { tile <= shape.columns } else { divides(tile) };
    let tiles = tiles.iter().filter(|&&t| fits(t));
    for (&tile, &lanes) in tiles.flat_map(|tile| widths.iter().map(move |lanes| (tile, lanes))) {
        for depth in [1u64, 2, 4, 8] {
            for threads in [128u64, 256, 512, 1024] {
                let units = if matrix { threads / subgroup } else { threads };
                let mut across = 1;
                while across <= subgroup.min(units) {
                    let down = units / across;
                    for ring in [0, ring::PARTS] {
                        let (quads, fixed, turns) = (false, false, 0);
                        let way =
                            Way { parts, matrix, lanes, tile, depth, across, down, cluster, ring, quads, fixed, turns };
                        all.push(way);
                    }
                    across *= 2;
                }
            }
        }
    }
    all
}

/// Cycles of a way; `None` where it does not fit.
fn cost(shape: &Shape, target: &Target, way: &Way) -> Option<f64> {
    let &Way { parts, matrix, lanes, tile, depth, across, down, cluster, ring, quads, turns, .. } = way;
    if turns > 0 {
        return turns::cycles(shape, target, way);
    }
    if quads {
        return quads_cost::cycles(shape, target, way);
    }
    let &(_, meeting, placed) = CLUSTERS.iter().find(|c| c.0 == cluster)?;
    let subgroup = u64::from(target.subgroup_size.max(1));
    let threads = way.threads(target);
    let (each, block) = block(shape, matrix, lanes, tile);
    let width = across * each;
    let blocks = |steps: &Steps| steps.blocks(block, parts);
    let fewest = shape.steps.iter().map(blocks).min().unwrap_or(0);
    let most = |count: fn(&Steps) -> u64| shape.steps.iter().map(count).max().unwrap_or(1);
    // Operands of the products that are fetched together.
    let (longs, streams) = (most(|steps| steps.long), most(|steps| steps.streams));
    let shorts = most(|steps| steps.short);
    let rows = if matrix { SHORT_MAX as u64 } else { shape.rows };
    let outputs = shape.sums * rows * width;
    let together = match (matrix, shape.inside) {
        (true, _) => 1,
        (_, true) => subgroup.min(down),
        (_, false) => (subgroup / across).max(1).min(down),
    };
    let sums = down / together;
    let gathered = if cluster > 1 { outputs.next_multiple_of(cluster) } else { 0 };
    let shared = (sums * outputs + gathered) * shape.accumulator_bytes.max(4);
    let words = |elements: u64, bytes: u64| (elements * bytes).div_ceil(4);
    // Loads in flight, the short elements of all blocks as they are multiplied, the converted ones of one load.
    let apart = OTHER_REGISTERS
        + match (matrix, shape.inside) {
            (true, true) => 4 * shape.held * tile + depth * (8 * streams * tile + 4 * shorts),
            (true, false) => 2 * shape.held * lanes + depth * (2 * streams * lanes + 2 * shorts),
            _ => {
                words(shape.held * rows * each, shape.accumulator_bytes.max(4))
                    + depth * (streams * tile * words(lanes, shape.bytes) + shorts * words(rows * block, shape.bytes))
                    + words(lanes, 4)
            }
        };
    let common = shape.computed.map_or(0, |computed| computed.common * longs * tile);
    let registers = shape.registers_ahead(target, way).unwrap_or(apart + common);
    // Products behind one another, of one row and plain loads along the steps: what was measured.
    let is_plain = shape.inside && !matrix && shape.computed.is_none() && shape.rows == 1;
    let is_chain = is_plain && target.has(Feature::DependentLaunch);
    let (chained, narrow) = (is_chain && shape.bytes == HALF_BYTES, is_chain && shape.wider > 1.0);
    let fits = shared <= u64::from(target.static_shared_bytes_max)
        && registers <= REGISTERS_MAX.min(u64::from(target.max_registers_per_thread))
        && registers * threads <= u64::from(target.registers_per_unit)
        && threads <= u64::from(target.max_threads_per_block)
        && fewest > 0
        && !(narrow && tile * depth > NARROW_LOADS_MAX)
        && (cluster == 1 || fewest >= down * cluster);
    let (ring_bytes, staged) = (shape.ring_bytes(target, way), shape.staged_bytes(target, way));
    // Source: Q8_0 and Q4_0, one H200: deeper or in clusters steps are 3 to 10 % longer; the last matrix of Q6_K in two
    // parts, whose loads have 8 bytes, takes 265 us, whole 137.
    let is_unpacked = shape.computed.is_some_and(|computed| computed.is_unpacked);
    if !fits || ring_bytes.is_none() || is_unpacked && depth * cluster * parts > 1 {
        return None;
    }
    if ring == 0
        && shape.sums > 1
        && !shape.streamed
        && let Some(cycles) = products_cost::cycles(shape, target, way)
    {
        return Some(cycles);
    }
    let units = f64::from(target.compute_units.max(1)) * placed / 100.0;
    let groups = (shape.batches * parts * cluster * shape.columns.div_ceil(width)) as f64;
    let used = shape.computed.map_or(registers.min(REGISTERS_USED), |_| Computed::registers_used(registers));
    let resident = (u64::from(target.max_threads_per_unit) / threads)
        .min(u64::from(target.registers_per_unit) / (used * threads))
        .min(u64::from(target.shared_bytes_per_unit) / (shared + ring_bytes.unwrap_or(0) + staged.unwrap_or(0)).max(1))
        .clamp(1, u64::from(target.max_blocks_per_unit.max(1))) as f64;
    // The busiest unit; with many workgroups each, the hardware evens them out.
    let whole = (groups / units).ceil();
    let share = if whole > 2.0 * resident { groups / units + 0.5 } else { whole };
    let read = |each: fn(&Steps) -> u64| -> u64 {
        shape.steps.iter().map(|steps| steps.outer * (steps.inner / parts) * each(steps)).sum()
    };
    let bytes = (width * read(|steps| steps.streams) * shape.bytes) as f64 / cluster as f64;
    let run = match (matrix, shape.inside) {
        (true, true) => 64.0,
        // Source: 128256 outputs of Q6_K, one H200: 512 bytes in a row 133 us, 128 bytes 155.
        (_, true) if staged.is_some() => (down.min(subgroup) * lanes * shape.bytes) as f64 / 4.0,
        (_, true) => (down.min(subgroup) * lanes * shape.bytes) as f64,
        (_, false) => (width * shape.bytes) as f64,
    };
    let held = f64::from(target.max_threads_per_unit) * f64::from(target.compute_units.max(1));
    // Products of 8 bits that have few threads are parts of a bundle, where others are beside them: keys and values.
    let spread = if chained { uneven(groups * threads as f64 / held) } else { 1.0 };
    let stream = share * bytes / STREAM_BYTES * segments(run) * spread;
    let short_loads = match (matrix, shape.inside) {
        (true, true) => 4.0 / (2.0 * tile as f64),
        (true, false) => 4.0 / lanes as f64,
        (false, true) => 4.0 * shape.rows as f64 / tile as f64,
        (false, false) => 2.0 * shape.rows as f64 / tile as f64,
    };
    let wider = shape.computed.map_or(shape.wider, |computed| computed.short);
    // Neighbours' loads of wider elements lie apart, so that several want the same banks.
    let wider = if is_unpacked && staged.is_none() { wider * wider.max(1.0) } else { wider };
    let cached = share * bytes / 512.0 * (4.0 + wider * short_loads * shorts as f64 / streams as f64);
    let rate = if matrix { MATRIX_PRODUCTS } else { PRODUCTS };
    let elements = share * (width * read(|steps| steps.long)) as f64 / cluster as f64;
    let own = shape.computed.map_or(0.0, |computed| elements * computed.cycles());
    let present = (threads as f64 * whole.min(resident) / UNPACKING_THREADS).min(1.0);
    // A short element is read, four at a time, and added up once for the rows of a tile.
    let added = 1.25 * (rows * shorts) as f64 / (tile * longs) as f64 * elements / OPERATIONS;
    let own = if is_unpacked { (own + added) / present } else { own };
    let products = (elements * rows as f64 / rate).max(own);
    // Workgroups are replaced one by one: what one of them ends with, others read meanwhile.
    let waves = if is_unpacked || chained || narrow { (whole / resident).max(1.0) } else { (whole / resident).ceil() };
    let finishes = if chained || narrow { 1.0 + (waves - 1.0) * LATER_FINISH } else { waves };
    let loads = match (matrix, shape.inside) {
        (true, true) => 2 * tile,
        (true, false) => 4,
        _ => tile,
    };
    let most_under_way = if is_unpacked { UNPACKED_UNDER_WAY } else { LOADS_UNDER_WAY };
    let under_way = ((loads * streams * depth) as f64).min(most_under_way);
    let fetched = |steps: &Steps| blocks(steps).div_ceil(down * cluster) * loads * steps.streams;
    let trips = (shape.steps.iter().map(fetched).sum::<u64>() as f64 / under_way).max(1.0);
    let rounds = outputs.div_ceil(threads) as f64;
    let gather = if cluster > 1 { meeting + cluster as f64 * PART } else { 0.0 };
    let finish =
        FINISH + gather + (rounds * sums as f64 + if matrix { 0.0 } else { (shape.sums * rows * each) as f64 }) * PART;
    let laid = staged.map_or(0.0, |bytes| whole * bytes as f64 / STAGED_BYTES);
    let second = if parts > 1 { SECOND_KERNEL } else { 0.0 };
    let busy = stream.max(cached).max(products) + OVERLAP * (stream + cached + products);
    let waiting = waves * trips * TRIP;
    Some(busy.max(waiting) + OVERLAP_TRIPS * busy.min(waiting) + finishes * finish + laid + second)
}

/// How much longer memory takes where the threads of all workgroups are such a share of what the device holds. Those
/// that start before the kernel before is over lie unevenly, unless they fill the device.
fn uneven(fill: f64) -> f64 {
    1.0 + UNEVEN * ((FILL - fill) / FILL_RANGE).clamp(0.0, 1.0)
}

/// How much longer memory takes for pieces of this many neighbouring bytes.
fn segments(run: f64) -> f64 {
    match run {
        r if r >= 128.0 => 1.0,
        r if r >= 64.0 => 1.04,
        r if r >= 32.0 => 1.25,
        r => 1.25 * 32.0 / r,
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use fornax_graph::ElementType;
    use fornax_graph::ElementType::{Bf16, F32};
    use fornax_plan::{Access, Buffer, Exprs, Node, Precision, Store, Unscheduled};

    /// [m, k]·[k, n], or [m, k]·[n, k]ᵀ.
    pub fn product(element: ElementType, (m, n, k): (i64, i64, i64), transposed: bool) -> KernelPlan {
        let mut x = Exprs::default();
        let [i, j, p] = [m, n, k].map(|extent| x.indices.add_var(extent));
        let [vi, vj, vp] = [i, j, p].map(|v| x.indices.var(v));
        let left = x.indices.linearize(&[vi, vp], &[m, k]);
        let right =
            if transposed { x.indices.linearize(&[vj, vp], &[n, k]) } else { x.indices.linearize(&[vp, vj], &[k, n]) };
        let lhs = x.add(Node::Load { buffer: 0, element, offset: left, mask: None });
        let rhs = x.add(Node::Load { buffer: 1, element, offset: right, mask: None });
        let (lhs, rhs) = (x.convert(F32, lhs), x.convert(F32, rhs));
        let value = x.add(Node::Reduced { index: 0, element: F32 });
        let offset = x.indices.linearize(&[vi, vj], &[m, n]);
        let stores = vec![Store { buffer: 2, offset, value }];
        let precision = Precision::Ieee;
        let body = Body::Contraction { reduction: vec![p], lhs, rhs, accumulator: F32, precision, stores };
        let buffer = |element, elements, access| Buffer { element, elements, access };
        let buffers = vec![
            buffer(element, m * k, Access::Read),
            buffer(element, n * k, Access::Read),
            buffer(F32, m * n, Access::Write),
        ];
        let domain = [(i, m), (j, n)].into_iter().filter(|d| d.1 > 1).map(|d| d.0).collect();
        let schedule = Unscheduled;
        KernelPlan::new(x, buffers, domain, body, schedule, "product".into())
    }

    pub fn target() -> Target {
        Target::from_spec("cuda:sm_90").expect("a target")
    }

    #[test]
    fn loads_are_as_wide_as_extents_allow() {
        let lanes = |element, shape, transposed| {
            choose(&product(element, shape, transposed), &target()).ok().map(|(s, _)| (s.lanes, s.inside))
        };
        assert_eq!(lanes(Bf16, (1, 28672, 8192), false), Some((8, false)));
        assert_eq!(lanes(Bf16, (8, 4096, 4096), true), Some((8, true)));
        assert_eq!(lanes(F32, (1, 4096, 4096), true), Some((4, true)));
        assert_eq!(lanes(Bf16, (3, 77, 1001), true), Some((1, true)));
        assert_eq!(lanes(Bf16, (3, 130, 1001), false), Some((2, false)));
        // Both operands are long, and one that is read along neither of its ends.
        assert_eq!(lanes(Bf16, (9, 4096, 4096), true), None);
        assert_eq!(lanes(Bf16, (1, 4096, 16), false), None);
        let host = Target::from_spec("cpu:x86-64-v3").unwrap();
        assert_eq!(choose(&product(Bf16, (1, 4096, 4096), true), &host).err(), Some(NEEDS_GPU.of([])));
    }

    #[test]
    fn products_behind_one_another_fill_the_device() {
        let target = Target::from_spec("cuda:sm_90a").expect("a target");
        let held = f64::from(target.max_threads_per_unit) * f64::from(target.compute_units);
        let share = |target: &Target, (n, k)| {
            let plan = product(Bf16, (1, n, k), true);
            let (s, _) = choose(&plan, target).expect("a schedule");
            (s.workgroups(&plan) * u64::from(s.threads())) as f64 / held
        };
        for shape in
            [(4096, 14336), (2048, 8192), (5120, 13824), (3584, 18944), (2048, 5632), (896, 4864), (1536, 8960)]
        {
            assert!(share(&target, shape) >= FILL - FILL_RANGE / 2.0, "{shape:?}: {:.2}", share(&target, shape));
        }
        // Where kernels start one after another, fewer threads do.
        let apart = Target::from_spec("cuda:sm_90a,-early-start").expect("a target");
        assert!(share(&apart, (4096, 14336)) < FILL);
    }
}

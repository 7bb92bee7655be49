//! GPU contractions with few outputs on one side (see `emit`): which they are, their loads and threads, and when
//! the contraction is cut into parts that workgroups of their own add up.
//!
//! The long operand must be one plain load, contiguous along its last variable or along the contraction. Candidates are
//! compared by cycles of the busiest multiprocessor: bytes streamed, round trips of the loads that its threads keep in
//! flight, shared-memory and multiply work; the cheapest wins, of equal ones the first. The rates are fitted to 550
//! measurements on an H200.
//!
//! Worked example, H200, [1, 8192]·[8192, 28672] bf16: 470 MB, 3.6 MB a multiprocessor. [1, 65536]·[65536, 8] f32 has
//! one workgroup of work: it is cut into 64 parts of 1024 steps, whose sums [64, 8] a second kernel adds up.

use fornax_plan::Unscheduled;
use fornax_targets::fitted::gemv::{
    CLUSTERS, FINISH, MATRIX_PRODUCTS, PART, PRODUCTS, SECOND_KERNEL, STREAM_BYTES, TRIP,
};
use std::collections::{BTreeMap, HashMap};

use fornax_graph::ElementType;

use crate::gemv::schedule::GemvSchedule;
use fornax_plan::substitute::Substitution;
use fornax_plan::{
    Access, Binary, Body, Buffer, Combiner, ContractionForm, DirectLoad, KernelPlan, Node, Operand, Store, VarId,
};
use fornax_targets::{Feature, Target};

use crate::access::loads;
use crate::refusal::{
    Because, FEW_STEPS, MANY_OUTPUTS, NEEDS_GPU, NO_PRODUCT, NO_TILE, OPERAND_APART, OPERAND_COMPUTED, READS_BESIDE,
};
use crate::scheduled::{Bound, Prepare, drop_unused, of_name};
use crate::sizing::dividing;
use fornax_plan::identity::identity_bits;

/// Outputs of the short side, at most.
const SHORT_MAX: i64 = 8;
/// Bytes of the contraction for one output below which other schedules do.
const DEPTH_BYTES_MIN: i64 = 64;
/// Loads of a thread that are under way at the same time, at most.
const LOADS_UNDER_WAY: f64 = 3.2;
/// Registers (32 bit) of a thread besides its loads and sums, and at most.
const OTHER_REGISTERS: u64 = 36;
const REGISTERS_MAX: u64 = 168;
/// Share of the work, and of the shorter of work and trips, that does not overlap with the rest.
const OVERLAP: f64 = 0.12;
const OVERLAP_TRIPS: f64 = 0.19;
/// Registers that the assembler ends up with, about: it moves loads down.
const REGISTERS_USED: u64 = 37;
/// Partial results of one contraction, at most.
const PARTS_MAX: i64 = 256;

/// a GEMV in numbers.
struct Shape {
    batch: Vec<VarId>,
    short: Vec<VarId>,
    long: Vec<VarId>,
    long_is_lhs: bool,
    inside: bool,
    /// Points of batch, short and long side; of the contraction but its last variable; of that variable.
    batches: u64,
    rows: u64,
    columns: u64,
    outer: u64,
    inner: u64,
    /// Extent of the last long variable.
    last: u64,
    bytes: u64,
    accumulator_bytes: u64,
    /// Matrix instructions can multiply the operands.
    matrix: bool,
}

/// The schedule of a contraction, if it is a GEMV, and its cycles by the model.
///
/// # Errors
/// Why it is none.
pub fn choose(plan: &KernelPlan, target: &Target) -> Result<(GemvSchedule, f64), Because> {
    let best = best(&Shape::of(plan, target)?, target, &[1]).ok_or_else(|| NO_TILE.of([]))?;
    Ok((best.schedule, best.cycles))
}

/// Names of [`candidates`] with their cycles by the model.
pub fn costs(plan: &KernelPlan, target: &Target) -> Vec<(String, u64)> {
    ranked(plan, target).into_iter().map(|(cost, plan)| (plan.way(), cost as u64)).collect()
}

/// The cheapest schedule of every kind (instruction, cluster, threads, columns of a workgroup), the cheapest kind
/// first: what a tuner may try.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    ranked(plan, target).into_iter().map(|(_, plan)| plan).collect()
}

fn ranked(plan: &KernelPlan, target: &Target) -> Vec<(f64, KernelPlan)> {
    let Ok(shape) = Shape::of(plan, target) else { return Vec::new() };
    let mut kinds: BTreeMap<[u64; 4], (f64, Way)> = BTreeMap::new();
    for way in ways(&shape, target, &[1]) {
        let Some(cost) = cost(&shape, target, &way) else { continue };
        let (each, _) = block(&shape, way.matrix, way.lanes, way.tile);
        let kind = [u64::from(way.matrix), way.cluster, way.threads(target), way.across * each];
        if kinds.get(&kind).is_none_or(|known| cost < known.0) {
            kinds.insert(kind, (cost, way));
        }
    }
    let mut found: Vec<(f64, Way)> = kinds.into_values().collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let plan = |(cost, way): (f64, Way)| (cost, plan.with_schedule(shape.schedule(&way)));
    found.into_iter().map(plan).collect()
}

/// The way of a name, however the model ranks it.
pub fn named(plan: &KernelPlan, target: &Target, is_meant: &dyn Fn(&str) -> bool) -> Option<KernelPlan> {
    let shape = Shape::of(plan, target).ok()?;
    let fitting = ways(&shape, target, &[1]).into_iter().filter(|way| cost(&shape, target, way).is_some());
    of_name(plan, fitting.map(|way| shape.schedule(&way)), is_meant)
}

/// Cuts a GEMV in parts where that pays: `plan` becomes the sum of the partial results that the returned
/// plan makes. `number` is that of the next prepared buffer.
pub fn split(plan: &mut KernelPlan, bound: &mut Vec<Bound>, target: &Target, number: usize) -> Option<Prepare> {
    let shape = Shape::of(plan, target).ok()?;
    let parts: Vec<u64> =
        (1..=PARTS_MAX as u64).filter(|p| p.is_power_of_two() && shape.inner.is_multiple_of(*p)).collect();
    let Best { parts, mut schedule, .. } = best(&shape, target, &parts)?;
    if parts == 1 {
        return None;
    }
    let before = partial(plan, parts as i64, &mut schedule)?;
    let elements = before.buffers.last()?.elements;
    let sources = before_bound(plan, bound, &before, number);
    whole(plan, parts as i64, elements)?;
    bound.push(Bound::Prepared(number));
    let kept = drop_unused(plan, std::mem::take(bound));
    *bound = kept;
    let mut before = Prepare { plan: before, bound: sources };
    before.bound = drop_unused(&mut before.plan, std::mem::take(&mut before.bound));
    Some(before)
}

/// Buffers of the partial kernel: the operands of the whole one, then the partial results.
fn before_bound(plan: &KernelPlan, bound: &[Bound], before: &KernelPlan, number: usize) -> Vec<Bound> {
    let mut sources: Vec<Bound> = bound.iter().take(plan.buffers.len()).copied().collect();
    sources.truncate(before.buffers.len() - 1);
    sources.push(Bound::Prepared(number));
    sources
}

impl Shape {
    fn of(plan: &KernelPlan, target: &Target) -> Result<Shape, Because> {
        if !target.is_gpu() {
            return Err(NEEDS_GPU.of([]));
        }
        let form = ContractionForm::of(plan).ok_or_else(|| NO_PRODUCT.of([]))?;
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
        let load = operand.load.filter(|l| l.mask.is_none()).ok_or_else(|| OPERAND_COMPUTED.of([]))?;
        let &inner = form.steps.last().ok_or_else(|| FEW_STEPS.of([0, DEPTH_BYTES_MIN]))?;
        let stride = |var: VarId| exprs.indices.stride(load.offset, var);
        let irregular = plan.domain.iter().chain(&form.steps).any(|&v| stride(v).is_none());
        let along = long.last().copied();
        let inside = stride(inner) == Some(1);
        if irregular || !inside && along.and_then(stride) != Some(1) {
            return Err(OPERAND_APART.of([]));
        }
        // Nothing else may be read for every element of the long operand.
        let single = loads(exprs, &[operand.node]).len() == 1;
        let steps = points(&form.steps);
        let bytes = operand.element.storage_bytes() as i64;
        if !single {
            return Err(READS_BESIDE.of([]));
        }
        if steps * bytes < DEPTH_BYTES_MIN {
            return Err(FEW_STEPS.of([steps * bytes, DEPTH_BYTES_MIN]));
        }
        Ok(Shape {
            inside,
            // The row operand is lhs unless the form swapped them.
            long_is_lhs: row_long != form.swapped,
            batches: points(&form.batch) as u64,
            rows: points(short) as u64,
            columns: points(long) as u64,
            inner: exprs.indices.extent(inner).max(1) as u64,
            outer: (steps / exprs.indices.extent(inner).max(1)) as u64,
            last: along.map_or(1, |v| exprs.indices.extent(v).max(1) as u64),
            bytes: bytes as u64,
            accumulator_bytes: form.accumulator.storage_bytes() as u64,
            matrix: matrix(plan, target, &form, operand),
            batch: form.batch.clone(),
            short: short.clone(),
            long: long.clone(),
        })
    }

    fn schedule(&self, way: &Way) -> GemvSchedule {
        GemvSchedule {
            batch: self.batch.clone(),
            short: self.short.clone(),
            long: self.long.clone(),
            long_is_lhs: self.long_is_lhs,
            lanes: way.lanes as u32,
            inside: self.inside,
            tile: way.tile as u32,
            depth: way.depth as u32,
            across: way.across as u32,
            down: way.down as u32,
            cluster: way.cluster as u32,
            matrix: way.matrix,
        }
    }
}

/// One way to do it: parts that a second kernel adds up, and the numbers of a [`GemvSchedule`].
#[derive(Clone, Copy, Debug)]
struct Way {
    parts: u64,
    matrix: bool,
    lanes: u64,
    tile: u64,
    depth: u64,
    across: u64,
    down: u64,
    cluster: u64,
}

impl Way {
    fn threads(&self, target: &Target) -> u64 {
        self.across * self.down * if self.matrix { u64::from(target.subgroup_size.max(1)) } else { 1 }
    }
}

/// Can matrix instructions multiply the operands? Both are plain loads of one 16-bit type, contiguous where they are
/// read.
fn matrix(plan: &KernelPlan, target: &Target, form: &ContractionForm, long: &Operand) -> bool {
    let short = if long.node == form.row_operand.node { &form.column_operand } else { &form.row_operand };
    let element = long.element;
    let feature = match element {
        ElementType::Bf16 => target.has(Feature::MmaBf16),
        ElementType::F16 => target.has(Feature::MmaF16),
        _ => false,
    };
    let along =
        |load: &DirectLoad| form.steps.last().and_then(|&v| plan.exprs.indices.stride(load.offset, v)) == Some(1);
    feature
        && form.accumulator == ElementType::F32
        && short.element == element
        && short.load.is_some_and(|load| load.mask.is_none() && along(&load))
}

/// The cheapest schedule, its number of parts and its cycles.
struct Best {
    parts: u64,
    schedule: GemvSchedule,
    cycles: f64,
}

fn best(shape: &Shape, target: &Target, parts: &[u64]) -> Option<Best> {
    let mut best: Option<(f64, Way)> = None;
    for way in ways(shape, target, parts) {
        if let Some(cost) = cost(shape, target, &way)
            && best.as_ref().is_none_or(|b| cost < b.0)
        {
            best = Some((cost, way));
        }
    }
    best.map(|(cycles, way)| Best { parts: way.parts, schedule: shape.schedule(&way), cycles })
}

/// All ways: parts by a second kernel or by clusters, with matrix instructions or without.
fn ways(shape: &Shape, target: &Target, parts: &[u64]) -> Vec<Way> {
    let mut all = Vec::new();
    for &parts in parts {
        for matrix in [false, true] {
            let clusters = CLUSTERS.iter().filter(|c| c.0 == 1 || parts == 1 && target.has(Feature::Cluster));
            for &(cluster, ..) in clusters {
                all.extend(configurations(shape, target, (parts, matrix, cluster)));
            }
        }
    }
    all
}

/// Ways whose blocks divide the contraction.
fn configurations(shape: &Shape, target: &Target, (parts, matrix, cluster): (u64, bool, u64)) -> Vec<Way> {
    let inner = shape.inner / parts;
    let most = (u64::from(target.vector_bytes) / shape.bytes).max(1);
    let lanes = dividing(most, if shape.inside { inner } else { shape.last });
    let subgroup = u64::from(target.subgroup_size.max(1));
    let mut all = Vec::new();
    if matrix && (!shape.matrix || lanes != 8 || !inner.is_multiple_of(if shape.inside { 32 } else { 16 })) {
        return all;
    }
    // Narrower tiles are more.
    let widths: &[u64] = if matrix && !shape.inside { &[8, 4] } else { &[lanes] };
    let tiles: &[u64] = match (matrix, shape.inside) {
        (true, true) => &[1, 2],
        (true, false) => &[1],
        _ => &[1, 2, 4, 8],
    };
    let fits = |tile: u64| matrix || if shape.inside { tile <= shape.columns } else { inner.is_multiple_of(tile) };
    let tiles = tiles.iter().filter(|&&t| fits(t));
    for (&tile, &lanes) in tiles.flat_map(|tile| widths.iter().map(move |lanes| (tile, lanes))) {
        for depth in [1u64, 2, 4, 8] {
            for threads in [128u64, 256, 512, 1024] {
                let units = if matrix { threads / subgroup } else { threads };
                let mut across = 1;
                while across <= subgroup.min(units) {
                    let down = units / across;
                    all.push(Way { parts, matrix, lanes, tile, depth, across, down, cluster });
                    across *= 2;
                }
            }
        }
    }
    all
}

/// Long outputs of a thread (of a subgroup's tile where `matrix`), and steps of a block.
fn block(shape: &Shape, matrix: bool, lanes: u64, tile: u64) -> (u64, u64) {
    match (matrix, shape.inside) {
        (false, true) => (tile, lanes),
        (false, false) => (lanes, tile),
        (true, true) => (16 * tile, 32),
        (true, false) => (8 * lanes, 16),
    }
}

/// Cycles of a way; `None` where it does not fit.
fn cost(shape: &Shape, target: &Target, way: &Way) -> Option<f64> {
    let &Way { parts, matrix, lanes, tile, depth, across, down, cluster } = way;
    let &(_, meeting, placed) = CLUSTERS.iter().find(|c| c.0 == cluster)?;
    let subgroup = u64::from(target.subgroup_size.max(1));
    let threads = way.threads(target);
    let (each, block) = block(shape, matrix, lanes, tile);
    let width = across * each;
    let blocks = shape.outer * (shape.inner / parts) / block;
    let rows = if matrix { SHORT_MAX as u64 } else { shape.rows };
    let outputs = rows * width;
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
    let registers = OTHER_REGISTERS
        + match (matrix, shape.inside) {
            (true, true) => 4 * tile + depth * (8 * tile + 4),
            (true, false) => 2 * lanes + depth * (2 * lanes + 2),
            _ => {
                words(rows * each, shape.accumulator_bytes.max(4))
                    + depth * (tile * words(lanes, shape.bytes) + words(rows * block, shape.bytes))
                    + words(lanes, 4)
            }
        };
    let fits = shared <= u64::from(target.static_shared_bytes_max)
        && registers <= REGISTERS_MAX.min(u64::from(target.max_registers_per_thread))
        && registers * threads <= u64::from(target.registers_per_unit)
        && threads <= u64::from(target.max_threads_per_block)
        && blocks > 0
        && (cluster == 1 || blocks >= down * cluster);
    if !fits {
        return None;
    }
    let units = f64::from(target.compute_units.max(1)) * placed / 100.0;
    let groups = (shape.batches * parts * cluster * shape.columns.div_ceil(width)) as f64;
    let resident = (u64::from(target.max_threads_per_unit) / threads)
        .min(u64::from(target.registers_per_unit) / (registers.min(REGISTERS_USED) * threads))
        .min(u64::from(target.shared_bytes_per_unit) / shared.max(1))
        .clamp(1, u64::from(target.max_blocks_per_unit.max(1))) as f64;
    // The busiest unit; with many workgroups each, the hardware evens them out.
    let whole = (groups / units).ceil();
    let share = if whole > 2.0 * resident { groups / units + 0.5 } else { whole };
    let bytes = (width * shape.outer * (shape.inner / parts) * shape.bytes) as f64 / cluster as f64;
    let run = match (matrix, shape.inside) {
        (true, true) => 64.0,
        (_, true) => (down.min(subgroup) * lanes * shape.bytes) as f64,
        (_, false) => (width * shape.bytes) as f64,
    };
    let stream = share * bytes / STREAM_BYTES * segments(run);
    let short_loads = match (matrix, shape.inside) {
        (true, true) => 4.0 / (2.0 * tile as f64),
        (true, false) => 4.0 / lanes as f64,
        (false, true) => 4.0 * shape.rows as f64 / tile as f64,
        (false, false) => 2.0 * shape.rows as f64 / tile as f64,
    };
    let cached = share * bytes / 512.0 * (4.0 + short_loads);
    let rate = if matrix { MATRIX_PRODUCTS } else { PRODUCTS };
    let products = share * bytes / shape.bytes as f64 * rows as f64 / rate;
    let waves = (whole / resident).ceil();
    let loads = match (matrix, shape.inside) {
        (true, true) => 2 * tile,
        (true, false) => 4,
        _ => tile,
    };
    let under_way = ((loads * depth) as f64).min(LOADS_UNDER_WAY);
    let trips = ((blocks.div_ceil(down * cluster) * loads) as f64 / under_way).max(1.0);
    let rounds = outputs.div_ceil(threads) as f64;
    let gather = if cluster > 1 { meeting + cluster as f64 * PART } else { 0.0 };
    let finish = FINISH + gather + (rounds * sums as f64 + if matrix { 0.0 } else { (rows * each) as f64 }) * PART;
    let second = if parts > 1 { SECOND_KERNEL } else { 0.0 };
    let busy = stream.max(cached).max(products) + OVERLAP * (stream + cached + products);
    let waiting = waves * trips * TRIP;
    Some(busy.max(waiting) + OVERLAP_TRIPS * busy.min(waiting) + waves * finish + second)
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

/// The kernel of the partial results: [parts, outputs of the domain] in the accumulator's type, in a buffer after all
/// others.
fn partial(plan: &KernelPlan, parts: i64, schedule: &mut GemvSchedule) -> Option<KernelPlan> {
    let mut before = plan.clone();
    let KernelPlan { exprs, buffers, domain, body, .. } = &mut before;
    let Body::Contraction { reduction, lhs, rhs, accumulator, stores, .. } = body else { return None };
    let last = reduction.last_mut()?;
    let steps = exprs.indices.extent(*last) / parts;
    let (part, step) = (exprs.indices.add_var(parts), exprs.indices.add_var(steps));
    let (part_index, step_index) = (exprs.indices.var(part), exprs.indices.var(step));
    let first = exprs.indices.scale(part_index, steps);
    let map = HashMap::from([(*last, exprs.indices.add(first, step_index))]);
    *last = step;
    let mut s = Substitution::new(exprs, &map);
    (*lhs, *rhs) = (s.node(*lhs), s.node(*rhs));
    domain.insert(0, part);
    let elements = domain.iter().map(|&v| exprs.indices.extent(v)).product();
    let offset = joint(exprs, domain);
    let value = exprs.add(Node::Reduced { index: 0, element: *accumulator });
    buffers.push(Buffer { element: *accumulator, elements, access: Access::Write });
    *stores = vec![Store { buffer: buffers.len() as u32 - 1, offset, value }];
    schedule.batch.insert(0, part);
    before.set_schedule(schedule.clone());
    before.summary = format!("{} in {parts} parts", plan.summary);
    Some(before)
}

/// Turns the contraction into the sum of its parts, which lie in a buffer after all others.
fn whole(plan: &mut KernelPlan, parts: i64, elements: i64) -> Option<()> {
    let KernelPlan { exprs, buffers, domain, body, .. } = plan;
    let Body::Contraction { accumulator, stores, .. } = body else { return None };
    let element = *accumulator;
    let part = exprs.indices.add_var(parts);
    let mut vars = vec![part];
    vars.extend(domain.iter());
    let offset = joint(exprs, &vars);
    let buffer = buffers.len() as u32;
    buffers.push(Buffer { element, elements, access: Access::Read });
    let input = exprs.add(Node::Load { buffer, element, offset, mask: None });
    let bits = identity_bits(Binary::Add, element)?;
    let init = exprs.add(Node::Constant { element, bits });
    let stores = std::mem::take(stores);
    let combiner = Combiner::Simple(Binary::Add);
    *body = Body::Reduce { reduction: vec![part], inputs: vec![input], inits: vec![init], combiner, stores };
    plan.set_schedule(Unscheduled);
    Some(())
}

/// Row-major joint index of variables.
fn joint(exprs: &mut fornax_plan::Exprs, vars: &[VarId]) -> fornax_plan::IndexId {
    let index: Vec<_> = vars.iter().map(|&v| exprs.indices.var(v)).collect();
    let sizes: Vec<i64> = vars.iter().map(|&v| exprs.indices.extent(v)).collect();
    exprs.indices.linearize(&index, &sizes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_graph::ElementType::{Bf16, F32};
    use fornax_plan::{Exprs, Precision};

    /// [m, k]·[k, n], or [m, k]·[n, k]ᵀ.
    fn product(element: ElementType, (m, n, k): (i64, i64, i64), transposed: bool) -> KernelPlan {
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

    fn target() -> Target {
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
    fn many_steps_for_few_outputs_are_cut() {
        let mut plan = product(F32, (1, 8, 65536), false);
        let mut bound = vec![Bound::Operand(0), Bound::Operand(1), Bound::Result(0)];
        let before = split(&mut plan, &mut bound, &target(), 0).expect("a split");
        assert_eq!(before.bound, [Bound::Operand(0), Bound::Operand(1), Bound::Prepared(0)]);
        assert_eq!(bound, [Bound::Result(0), Bound::Prepared(0)]);
        let Some(schedule) = before.plan.schedule_as::<GemvSchedule>() else { panic!("{:?}", before.plan.schedule) };
        assert!(schedule.workgroups(&before.plan) >= 16);
        let mut buffers: Vec<Vec<u8>> =
            [65536usize, 8 * 65536].map(|n| (0..n).flat_map(|i| ((i % 5) as f32).to_le_bytes()).collect()).into();
        buffers.push(vec![0; before.bytes() as usize]);
        fornax_plan::interpret::run(&before.plan, &mut buffers).expect("runs");
        let mut last = vec![vec![0; 32], buffers.pop().unwrap_or_default()];
        fornax_plan::interpret::run(&plan, &mut last).expect("runs");
        let expected: f32 = (0..65536i64).map(|k| ((k % 5) * (8 * k % 5)) as f32).sum();
        assert_eq!(last[0][..4], expected.to_le_bytes());
        assert!(split(&mut product(F32, (1, 4096, 1024), true), &mut bound, &target(), 0).is_none());
    }
}

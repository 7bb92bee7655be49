//! Schedules of rows: how many threads share a row, and how much of it each of them holds.
//!
//! Input: a `Body::Row`, or on GPUs a `Body::Reduce`. Output: a [`RowSchedule`]. Lanes lie along the row where its
//! elements are neighbours in memory, else along the last domain variable: then threads have neighbouring rows side by
//! side.
//!
//! Worked examples on an H200, f32. Softmax of [4096, 4096]: lanes 4, 1024 vectors a row, 256 threads with 4 vectors
//! each, one row a workgroup. [4096, 1000]: 250 vectors, one subgroup of 32 threads a row with 8 vectors each, no
//! barrier, 8 rows a workgroup. Softmax over dimension 1 of [64, 100, 4096]: lanes 4 along the last dimension, 16
//! threads a column with 7 rows each, 16 such columns of 4 next to each other.

use crate::row::schedule::RowSchedule;
use crate::row::{stages, together};
use fornax_plan::{Body, KernelPlan, NodeId, VarId};
use fornax_targets::fitted::traffic::EXCHANGE;
use fornax_targets::{Backend, Feature, Target};

use crate::access::{Load, Step, loads, step, work};
use crate::refusal::{Because, IN_ORDER, NEEDS_GPU, OPERAND_APART, ROWS_MASKED, SHORT_ROWS};
use crate::sizing::{LANES_MAX, cpu_items, dividing, power_of_two_below};
use crate::traffic::{Traffic, meetings, touched};

/// Threads of a GPU workgroup that has several rows.
const GPU_THREADS: u64 = 256;
/// Lanes of a GPU vector, at most.
const GPU_LANES: u64 = 8;
/// 32-bit registers of a row that a thread holds: as many as are wanted, more while a subgroup has the row for itself,
/// at most.
const HELD_WANTED: u64 = 16;
/// The same on AMD, whose waves are wider: a unit has enough under way with half of that.
const HELD_WANTED_AMD: u64 = 8;
const HELD_ALONE: u64 = 32;
const HELD_MAX: u64 = 40;
/// Vectors in flight where the row is gone through again.
const STREAMED_CHUNKS: u64 = 4;
/// Threads next to each other that have neighbouring columns: with 16 bytes each, whole cache lines.
const COLUMNS: u64 = 8;
/// Threads of a workgroup of columns that are held, so that registers suffice: fewer columns still make whole sectors.
const SIDE_THREADS_MAX: u64 = 512;
/// Workgroups of a cluster that shares a row which is too long for one, and their threads.
const CLUSTERS: &[u64] = &[2, 4, 8];
const CLUSTER_THREADS: u64 = 512;
/// Packed rows: threads and vectors of a thread; threads that a row would have otherwise, and the operations from which
/// so many want it.
const PACKED_THREADS: u64 = 256;
const PACKED_CHUNKS: u64 = 8;
const HALF_THREADS: u64 = 512;
const PACKED_WORK: u64 = 16;
/// Workgroups of packed rows for each unit, at least: fewer rows want more threads each.
const PACKED_PER_UNIT: u64 = 2;
/// Rows whose next one is read ahead: threads, elements of a thread and its registers, and the operations from which it
/// pays where a workgroup holds a row.
const AHEAD_THREADS: u64 = 512;
const AHEAD_HELD: u64 = 64;
const AHEAD_REGISTERS: u64 = 128;
const AHEAD_WORK: u64 = 16;
/// Rows for each group that goes through them, at least.
const AHEAD_ROWS: u64 = 4;
/// Bytes of a cache line.
const LINE_BYTES: u64 = 128;
/// Operations of an element up to which four vectors at a time fit a CPU's registers.
const CPU_LIGHT_WORK: u64 = 12;
/// The same where there are 32 of them.
const CPU_MANY_REGISTERS_WORK: u64 = 40;

/// Elements of a row from which threads share it. Not measured.
const ROW_ELEMENTS_MIN: u64 = 16;

/// Schedule of a `Body::Row`.
pub fn choose(plan: &KernelPlan, target: &Target) -> RowSchedule {
    let shape = Shape::of(plan, target);
    if target.is_gpu() { gpu(plan, target, &shape) } else { cpu(plan, &shape) }
}

/// Schedule of a `Body::Reduce` on a GPU, where its elements are neighbours along the row or across rows.
///
/// # Errors
/// Why it is none.
pub fn reduction(plan: &KernelPlan, target: &Target, ordered: bool) -> Result<RowSchedule, Because> {
    let Body::Reduce { reduction, inputs, .. } = &plan.body else { return Err(ROWS_MASKED.of([])) };
    let elements: u64 = reduction.iter().map(|&v| extent(plan, v)).product();
    let loads = loads(&plan.exprs, inputs);
    // Windows read with masks, and the few elements of one are no row.
    if !target.is_gpu() {
        return Err(NEEDS_GPU.of([]));
    }
    if ordered {
        return Err(IN_ORDER.of([]));
    }
    if elements < ROW_ELEMENTS_MIN {
        return Err(SHORT_ROWS.of([elements as i64, ROW_ELEMENTS_MIN as i64]));
    }
    if loads.is_empty() || loads.iter().any(|l| l.masked) {
        return Err(ROWS_MASKED.of([]));
    }
    let shape = Shape::of(plan, target);
    let even = |l: &Load| matches!(step(&plan.exprs, l.offset, shape.vector.0), Step::Same | Step::By(1));
    if loads.iter().all(even) { Ok(gpu(plan, target, &shape)) } else { Err(OPERAND_APART.of([])) }
}

fn extent(plan: &KernelPlan, var: VarId) -> u64 {
    plan.exprs.indices.extent(var).max(1) as u64
}

/// What a schedule is chosen by.
struct Shape {
    vector: (VarId, u64),
    vector_bytes: u64,
    /// Bytes of the narrowest element.
    narrow: u64,
    /// The lanes lie along the row.
    across: bool,
    /// Vectors of a row (elements, where the lanes lie across rows).
    positions: u64,
    /// Rows, or vectors of rows.
    rows: u64,
    /// 32-bit registers that one element of a row takes.
    registers: u64,
    /// Every value read or stored for each element of a row, so that there is something to hold.
    stores_elements: bool,
}

impl Shape {
    fn of(plan: &KernelPlan, target: &Target) -> Shape {
        let row = plan.body.reduction();
        let roots = element_roots(plan);
        let loads = loads(&plan.exprs, &roots);
        let stores: Vec<_> = plan.body.stores().iter().map(|s| (s.offset, plan.exprs.element(s.value))).collect();
        let varies = |offset| row.iter().any(|&v| plan.exprs.index_varies(offset, v));
        let ones = |var: VarId, of_rows: bool| {
            let offsets = loads.iter().map(|l| (l.offset, l.element)).chain(stores.iter().copied());
            let even = offsets.filter(|&(offset, _)| step(&plan.exprs, offset, var).is_one());
            let counted = even.filter(|&(offset, _)| of_rows || varies(offset));
            counted.map(|(_, element)| element.storage_bytes() as u64).collect::<Vec<u64>>()
        };
        let inner = row.last().copied().unwrap_or(VarId(0));
        let column = plan.domain.last().copied().filter(|&v| extent(plan, v) > 1);
        let both = |of_rows| (ones(inner, of_rows), column.map(|v| ones(v, of_rows)).unwrap_or_default());
        let (along, down) = both(true);
        // What is read or stored once a row, such as a mean, may lie elsewhere while no element does.
        let elements = both(false);
        let apart = target.is_gpu() && elements.1.is_empty() && !elements.0.is_empty();
        // Values of a row alone step by one along the domain too: they count less.
        let across = !along.is_empty() && 2 * along.len() > down.len() || down.is_empty() || apart;
        let (var, widths) = if across { (inner, along) } else { (column.unwrap_or(inner), down) };
        let elements = extent(plan, var);
        let narrow = widths.iter().copied().min().unwrap_or(u64::from(target.vector_bytes)).max(1);
        let wide = widths.iter().copied().max().unwrap_or(narrow).max(1);
        let lanes = if target.is_gpu() {
            dividing((u64::from(target.vector_bytes) / narrow).clamp(1, GPU_LANES), elements)
        } else {
            let width = (u64::from(target.vector_bytes) / wide).max(1);
            let most = if target.has(Feature::Avx512) { CPU_MANY_REGISTERS_WORK } else { CPU_LIGHT_WORK };
            let light = work(plan, &roots) <= most;
            (width * if light { 4 } else { 2 }).min(LANES_MAX).min(power_of_two_below(elements))
        };
        let product = |vars: &[VarId]| vars.iter().map(|&v| extent(plan, v)).product::<u64>();
        let registers =
            loads.iter().filter(|l| streams(plan, l)).map(|l| (l.element.storage_bytes() as u64).div_ceil(4)).sum();
        let (across_lanes, beside_lanes) = if across { (lanes, 1) } else { (1, lanes) };
        Shape {
            vector: (var, lanes),
            vector_bytes: (lanes * narrow).min(LINE_BYTES),
            narrow,
            across,
            positions: product(row).div_ceil(across_lanes).max(1),
            rows: product(&plan.domain).div_ceil(beside_lanes).max(1),
            registers: std::cmp::max(registers, 1),
            stores_elements: stores_elements(plan),
        }
    }

    fn lanes(&self) -> u64 {
        self.vector.1
    }

    /// Bytes of all rows, of their narrowest operand.
    fn bytes(&self) -> u64 {
        self.positions * self.rows * self.lanes() * self.narrow
    }

    /// Whether so many threads of so many workgroups hold a row in registers.
    fn holds(&self, (threads, cluster): (u64, u64), keeps: bool) -> bool {
        let cost = self.lanes() * self.registers;
        self.positions.div_ceil(threads * cluster) * cost <= if keeps { HELD_MAX } else { HELD_ALONE }.max(cost)
    }

    /// The schedule in which so many threads of so many workgroups share a row.
    fn shared_by(&self, (threads, cluster): (u64, u64), keeps: bool, most: u64) -> RowSchedule {
        let held = self.holds((threads, cluster), keeps);
        let chunks = match held {
            true => self.positions.div_ceil(threads * cluster),
            false => (STREAMED_CHUNKS * 4 / self.lanes().max(1)).clamp(2, 8),
        };
        let side = match (self.across, keeps) {
            (true, _) => 1,
            (false, true) => COLUMNS.min(SIDE_THREADS_MAX / threads).max(COLUMNS / 2),
            (false, false) => COLUMNS,
        };
        let rows = (GPU_THREADS / threads).max(side).min(most / threads).min(self.rows.next_power_of_two()).max(1);
        // Workgroups of a cluster have one row.
        let rows = if cluster > 1 { 1 } else { rows };
        RowSchedule {
            vector: (self.vector.0, self.lanes() as u32),
            threads: threads as u32,
            chunks: chunks as u32,
            held,
            rows: rows as u32,
            adjacent: true,
            cluster: cluster as u32,
            ahead: 0,
            packed: false,
        }
    }
}

/// A load that changes from row to row and along it.
fn streams(plan: &KernelPlan, l: &Load) -> bool {
    let varies = |vars: &[VarId]| vars.iter().any(|&v| plan.exprs.index_varies(l.offset, v));
    varies(plan.body.reduction()) && (varies(&plan.domain) || plan.domain.iter().all(|&v| extent(plan, v) == 1))
}

/// Nodes that are evaluated for elements.
fn element_roots(plan: &KernelPlan) -> Vec<NodeId> {
    let mut roots = plan.body.roots();
    roots.sort();
    roots.dedup();
    roots
}

fn gpu(plan: &KernelPlan, target: &Target, shape: &Shape) -> RowSchedule {
    let most = power_of_two_below(u64::from(target.max_threads_per_block));
    // Sums of several folds, and what they read, take the registers of fewer threads.
    let most = if together::are_independent(plan) { most.min(SIDE_THREADS_MAX) } else { most };
    let resident = u64::from(target.compute_units.max(1)) * u64::from(target.max_threads_per_unit);
    let subgroup = u64::from(target.subgroup_size.max(1));
    let keeps = keeps(plan, shape);
    let cost = shape.lanes() * shape.registers;
    // Threads whose vectors of the row fit what each shall hold.
    let alone = if shape.across { subgroup } else { 1 };
    let limit = if shape.across { most } else { most / COLUMNS };
    // Neighbouring threads read whole cache lines of a row where it has them.
    let line =
        if shape.across { (LINE_BYTES / shape.vector_bytes).min(power_of_two_below(shape.positions)) } else { 1 };
    let mut threads = line.max(1);
    let few = if target.backend == Backend::Rocm { HELD_WANTED_AMD } else { HELD_WANTED };
    while threads < limit {
        // Narrow elements are cheap to hold and take as many operations; half a multiprocessor's threads wait for one
        // another less.
        let many = threads <= alone || shape.narrow < 4 || 2 * threads >= most;
        let wanted = if many { HELD_ALONE } else { few };
        if shape.positions.div_ceil(threads) * cost <= wanted.max(cost) {
            break;
        }
        threads *= 2;
    }
    // Few rows: more threads for each.
    while threads < limit && 2 * threads <= shape.positions.next_power_of_two() && shape.rows * threads * 2 <= resident
    {
        threads *= 2;
    }
    let cost_of = |threads: u64, cluster: u64| shape.positions.div_ceil(threads * cluster) * cost;
    let mut cluster = 1;
    let units = u64::from(target.compute_units);
    let few = 2 * shape.rows < units && shape.bytes() > stages::ROWS_BYTES_MAX;
    if shape.across && keeps && target.has(Feature::AsyncStore) && (few || cost_of(threads, 1) > HELD_MAX.max(cost)) {
        // What a workgroup cannot hold, a cluster of smaller ones may; so may it where rows are too few for the units.
        let each = CLUSTER_THREADS.min(most);
        let fills = |c: u64| !few || 2 * shape.rows * c >= units;
        if let Some(&least) = CLUSTERS.iter().find(|&&c| fills(c) && cost_of(each, c) <= HELD_ALONE.max(cost)) {
            let part = shape.positions.div_ceil(least).next_power_of_two();
            (cluster, threads) = (least, each.min(part).max(subgroup));
        }
    }
    if !shape.holds((threads, cluster), keeps) && !keeps && shape.rows * threads > 2 * resident {
        // Nothing to hold: fewer threads with more each combine less.
        threads = threads.min(GPU_THREADS);
    }
    if let Some(packed) = packed(plan, target, shape, (threads, cluster)) {
        return packed;
    }
    if shape.holds((threads, cluster), keeps)
        && let Some(ahead) = ahead(plan, target, shape, (threads, cluster))
    {
        return ahead;
    }
    shape.shared_by((threads, cluster), keeps, most)
}

/// Cycles of a schedule on a GPU.
pub fn cycles(plan: &KernelPlan, target: &Target, s: &RowSchedule) -> Option<f64> {
    let folds = match &plan.body {
        Body::Row { folds, .. } => folds.len(),
        _ => 1,
    };
    let roots = element_roots(plan);
    let row: u64 = plan.body.reduction().iter().map(|&v| extent(plan, v)).product();
    let lanes = u64::from(s.vector.1.max(1));
    let across = plan.body.reduction().contains(&s.vector.0);
    let positions = if across { row.div_ceil(lanes) } else { row };
    let each = positions.div_ceil(u64::from(s.threads) * u64::from(s.cluster.max(1)));
    let passes = if s.held { 1 } else { passes(plan) as u64 + u64::from(stores_elements(plan)) };
    // Lanes of a subgroup exchange their sums, subgroups and workgroups meet.
    let subgroup = u64::from(target.subgroup_size.max(1));
    let lanes_met = f64::from(u64::from(s.threads).min(subgroup).ilog2()) * EXCHANGE;
    let groups = f64::from(u8::from(u64::from(s.threads) > subgroup) + 2 * u8::from(s.cluster > 1));
    let traffic = Traffic {
        touched: touched(plan, &roots, s.vector.0, &|_| false) * passes.max(1) as f64,
        threads: s.row_count(plan) as f64 * f64::from(s.threads) * f64::from(s.cluster.max(1)),
        work: work(plan, &roots) as f64 * (each * lanes) as f64,
        trips: each.div_ceil(u64::from(s.chunks.max(1))) as f64 * passes.max(1) as f64,
        met: folds as f64 * (lanes_met + meetings(groups)),
    };
    traffic.cycles(plan, target)
}

/// Whether something is stored for every element of a row.
fn stores_elements(plan: &KernelPlan) -> bool {
    let row = plan.body.reduction();
    plan.body.stores().iter().any(|s| row.iter().any(|&v| plan.exprs.index_varies(s.offset, v)))
}

/// Whether the elements of a row are looked at more than once, so that holding them pays.
fn keeps(plan: &KernelPlan, shape: &Shape) -> bool {
    shape.stores_elements || passes(plan) > 1
}

/// Passes over a row for its reductions.
fn passes(plan: &KernelPlan) -> usize {
    match &plan.body {
        Body::Row { folds, .. } if !together::are_independent(plan) => folds.len(),
        _ => 1,
    }
}

/// Schedules that a tuner may try: a row shared by fewer and by more threads and workgroups, fewer and more rows a
/// workgroup; on CPUs other counts of rows.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    if !plan.has_static_loops() {
        return Vec::new();
    }
    let model = match &plan.body {
        Body::Row { .. } => choose(plan, target),
        Body::Reduce { .. } if !plan.ordered => match reduction(plan, target, false) {
            Ok(model) => model,
            Err(_) => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let shape = Shape::of(plan, target);
    let found = if target.is_gpu() { gpu_candidates(plan, target, &shape, model) } else { cpu_candidates(model) };
    found.into_iter().map(|s| plan.with_schedule(s)).collect()
}

fn cpu_candidates(model: RowSchedule) -> Vec<RowSchedule> {
    let counts = [model.rows, model.rows / 4, model.rows.saturating_mul(4)];
    counts.into_iter().filter(|&rows| rows > 0).map(|rows| RowSchedule { rows, ..model }).collect()
}

fn gpu_candidates(plan: &KernelPlan, target: &Target, shape: &Shape, model: RowSchedule) -> Vec<RowSchedule> {
    let most = power_of_two_below(u64::from(target.max_threads_per_block));
    let keeps = keeps(plan, shape);
    let clusters = target.has(Feature::AsyncStore) && shape.across && keeps;
    let mut found = vec![model];
    for cluster in [1].into_iter().chain(CLUSTERS.iter().copied().filter(|_| clusters)) {
        for shift in 0..=most.ilog2() {
            let threads = 1 << shift;
            let far = threads > 4 * u64::from(model.threads) || 4 * threads < u64::from(model.threads);
            let idle = threads * cluster > shape.positions.next_power_of_two();
            let held = shape.holds((threads, cluster), keeps);
            // Workgroups of a cluster hold their part, in whole subgroups.
            let loose = cluster > 1 && (!held || threads < u64::from(target.subgroup_size));
            if far || idle || loose {
                continue;
            }
            let usual = shape.shared_by((threads, cluster), keeps, most);
            found.push(usual);
            for rows in [usual.rows / 2, usual.rows * 2] {
                let few = u64::from(rows) <= shape.rows.next_power_of_two();
                if cluster == 1 && rows > 0 && few && threads * u64::from(rows) <= most {
                    found.push(RowSchedule { rows, ..usual });
                }
            }
        }
    }
    found
}

/// Long rows of 16-bit elements, of which a multiprocessor would hold one: packed, four workgroups of 16,384 elements
/// each fit, so that some read or store while others compute; longer rows are shared by clusters of them. Rows that
/// half of a workgroup's most threads hold want it only for dear elements.
fn packed(plan: &KernelPlan, target: &Target, shape: &Shape, (threads, cluster): (u64, u64)) -> Option<RowSchedule> {
    let roots = element_roots(plan);
    let even = |l: &Load| !l.masked && step(&plan.exprs, l.offset, shape.vector.0).is_one();
    let halves = |l: &Load| l.element.storage_bytes() == 2;
    let read = loads(&plan.exprs, &roots);
    let known = plan.body.reduction().iter().all(|&v| plan.exprs.indices.run_extent(v).is_none());
    let suits = target.backend == Backend::Cuda
        && known
        && shape.across
        && shape.stores_elements
        && shape.registers <= 1
        && shape.lanes() == GPU_LANES
        && read.iter().filter(|l| streams(plan, l)).all(|l| even(l) && halves(l));
    let dear = threads >= HALF_THREADS && work(plan, &roots) >= PACKED_WORK;
    let long = cluster > 1 || threads > HALF_THREADS;
    if !suits || !dear && !long {
        return None;
    }
    let chunks = |cluster: u64| shape.positions.div_ceil(PACKED_THREADS * cluster);
    let mut sizes = [1].into_iter().chain(CLUSTERS.iter().copied().filter(|_| target.has(Feature::AsyncStore)));
    let cluster = sizes.find(|&c| chunks(c) <= PACKED_CHUNKS)?;
    if shape.rows * cluster < PACKED_PER_UNIT * u64::from(target.compute_units) {
        return None;
    }
    Some(RowSchedule {
        vector: (shape.vector.0, shape.lanes() as u32),
        threads: PACKED_THREADS as u32,
        chunks: chunks(cluster) as u32,
        held: true,
        rows: 1,
        adjacent: true,
        cluster: cluster as u32,
        ahead: 0,
        packed: true,
    })
}

/// Long rows of narrow elements that cannot be packed, of which a multiprocessor holds one, where `threads` hold it
/// otherwise: it would rest while a row is read; with the next row under way, fewer threads with more each hold one.
fn ahead(plan: &KernelPlan, target: &Target, shape: &Shape, (threads, cluster): (u64, u64)) -> Option<RowSchedule> {
    let roots = element_roots(plan);
    let even = |l: &Load| !l.masked && step(&plan.exprs, l.offset, shape.vector.0).is_one();
    let suits = shape.across && shape.narrow < 4 && shape.registers <= 1 && loads(&plan.exprs, &roots).iter().all(even);
    let folds = if let Body::Row { folds, .. } = &plan.body { folds.len() } else { 1 };
    let alone = cluster == 1 && threads > AHEAD_THREADS && folds > 1 && work(plan, &roots) >= AHEAD_WORK;
    let chunks = shape.positions.div_ceil(AHEAD_THREADS);
    let groups =
        u64::from(target.compute_units) * (u64::from(target.registers_per_unit) / (AHEAD_THREADS * AHEAD_REGISTERS));
    let fits = chunks * shape.lanes() <= AHEAD_HELD && groups > 0 && shape.rows >= AHEAD_ROWS * groups;
    (suits && alone && fits).then_some(RowSchedule {
        vector: (shape.vector.0, shape.lanes() as u32),
        threads: AHEAD_THREADS as u32,
        chunks: chunks as u32,
        held: true,
        rows: 1,
        adjacent: true,
        cluster: 1,
        ahead: groups as u32,
        packed: false,
    })
}

fn cpu(plan: &KernelPlan, shape: &Shape) -> RowSchedule {
    let row_work = work(plan, &plan.body.roots()) * shape.positions * shape.lanes();
    RowSchedule {
        vector: (shape.vector.0, shape.lanes() as u32),
        threads: 1,
        chunks: 1,
        held: false,
        rows: cpu_items(shape.rows, row_work),
        adjacent: false,
        cluster: 1,
        ahead: 0,
        packed: false,
    }
}

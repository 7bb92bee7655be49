//! Rectangles for loops on GPUs whose loads cross their stores: transposes and what is fused with them.
//!
//! Input: a `Body::Loop`. Output: an [`TransposeSchedule`], or nothing where no load crosses, or too little of it for a
//! rectangle. Lanes are as many elements as 16 bytes hold and the extents allow; a rectangle is a row of cache lines on
//! both sides.
//!
//! Worked examples: [8191, 8191] f32: nothing divides 8191, so single elements, 32 neighbours a subgroup, in rectangles
//! of 64 × 64. [8388608, 3] to [3, 8388608] f32: rectangles of 3 × 1024, whose part of the operand is one run of
//! memory: vectors of 4 in, anywhere in rows, and out.

use crate::transpose::schedule::TransposeSchedule;
use fornax_plan::{Atom, Body, IndexId, KernelPlan, Node, NodeId, VarId};
use fornax_targets::{Backend, Target};

use crate::access::{Step, loads, step, work};
use crate::refusal::{Because, MOSTLY_STRAIGHT, NEEDS_GPU, NONE_CROSSING, SHARED_FULL, SMALL_TRANSPOSE, STORES_APART};
use crate::sizing::dividing;
use crate::traffic::{Traffic, meetings, touched};

/// Threads of a workgroup.
const THREADS: u32 = 256;
/// CUDA: bytes that a thread of a large transpose stores. Two vectors of 16 bytes each way keep more loads in flight
/// than four to eight do: [16384, 16384] bf16 266 us instead of 281, with an operand added 98 instead of 127; [8192,
/// 8192] f32 131 instead of 134 (`fornax tune` and `bench`, H200, 2026-11-23).
const THREAD_BYTES: u64 = 32;
/// CUDA: threads of such a workgroup, at most.
const LARGE_THREADS_MAX: u64 = 512;
/// CUDA: bytes of such a rectangle, at most: 512 threads of those.
const LARGE_BYTES: u64 = 16 * 1024;
/// CUDA: rectangles for each unit, from which a transpose is large. [768, 3072] bf16 has two: 5.1 us became 5.5.
const LARGE_PER_UNIT: u64 = 4;
/// CUDA: operations of an element of four bytes or more, up to which it pays: smaller workgroups overlap copies and
/// arithmetic better. [4096, 4096] f32 with a tanh: 38 us became 40.
const LARGE_WORK_MAX: u64 = 8;
/// Bytes of a rectangle along both of its sides, and elements at most.
const SIDE_BYTES: u64 = 256;
const SIDE_MAX: u64 = 128;
/// Elements that both variables must have at least, and bytes of the longer one.
const EXTENT_MIN: u64 = 2;
const EXTENT_BYTES_MIN: u64 = 32;
/// Elements below which an extent is one side of a rectangle as it is; the other side then makes up for it.
const NARROW: u64 = 32;
const ELEMENTS: u64 = 4096;
/// Bytes along the long side of a rectangle whose short side is one run of memory.
const RUN_SIDE_BYTES: u64 = 4096;
/// Rectangles whose rows are shifted: elements along the loads, the most first, and along the stores at least, bytes of
/// a thread, extents from which they pay, bytes that memory writes at least.
const SHIFTED_HEIGHTS: [u64; 3] = [256, 128, 64];
const SHIFTED_WIDTH_MIN: u64 = 64;
const SHIFTED_THREAD_BYTES: u64 = 64;
const SHIFTED_EXTENT_MIN: u64 = 256;
const SECTOR_BYTES: u64 = 32;
/// Shared memory that rectangles may take.
const SHARED_BYTES_MAX: u64 = 40 * 1024;

/// The schedule of a loop that transposes.
///
/// # Errors
/// Why it has none.
pub fn choose(plan: &KernelPlan, target: &Target) -> Result<TransposeSchedule, Because> {
    let Body::Loop { stores } = &plan.body else { return Err(NONE_CROSSING.of([])) };
    let (&last, others) = plan.domain.split_last().ok_or_else(|| NONE_CROSSING.of([]))?;
    if !target.is_gpu() {
        return Err(NEEDS_GPU.of([]));
    }
    if !stores.iter().all(|s| step(&plan.exprs, s.offset, last).is_one()) {
        return Err(STORES_APART.of([]));
    }
    let extent = |v: VarId| plan.exprs.indices.extent(v).max(1) as u64;
    // The variable that most crossing loads run along.
    let crossing = |v: &VarId| plan.crossing_loads(*v).len();
    let along = others.iter().copied().filter(|v| crossing(v) > 0).max_by_key(|v| (crossing(v), extent(*v)));
    let along = along.ok_or_else(|| NONE_CROSSING.of([]))?;
    let crossed = plan.crossing_loads(along);
    let roots: Vec<_> = stores.iter().map(|s| s.value).collect();
    let straight =
        loads(&plan.exprs, &roots).iter().filter(|l| step(&plan.exprs, l.offset, last) == Step::By(1)).count();
    let bytes = |node: &NodeId| match plan.exprs.node(*node) {
        Node::Load { element, .. } => element.storage_bytes() as u64,
        _ => 1,
    };
    let loaded = crossed.iter().map(bytes).max().unwrap_or(1);
    let stored = stores.iter().map(|s| plan.exprs.element(s.value).storage_bytes() as u64).max().unwrap_or(1);
    let vector = u64::from(target.vector_bytes);
    // Slices and pads whose loads are merely wide apart have more straight accesses than crossing ones.
    let (tall, wide) = (extent(along), extent(last));
    if straight > crossed.len() * 4 {
        return Err(MOSTLY_STRAIGHT.of([straight as i64, crossed.len() as i64]));
    }
    if tall.min(wide) < EXTENT_MIN || (tall * loaded).max(wide * stored) < EXTENT_BYTES_MIN {
        return Err(SMALL_TRANSPOSE.of([tall as i64, wide as i64]));
    }
    let load_lanes = dividing(vector / loaded, tall).min(16);
    let store_lanes = dividing(vector / stored, wide).min(16);
    let runs = runs(plan, along, crossed.as_slice(), [vector / loaded, vector / stored]);
    let load_run = if load_lanes == 1 { runs[0] } else { 1 };
    let store_run = if store_lanes == 1 { runs[1] } else { 1 };
    let side = |bytes: u64, extent: u64, other: u64| {
        if extent < NARROW {
            return extent;
        }
        let wanted = match other < NARROW {
            true if load_run * store_run > 1 => RUN_SIDE_BYTES / bytes,
            true => (ELEMENTS / other).next_power_of_two(),
            false => (SIDE_BYTES / bytes).min(SIDE_MAX),
        };
        wanted.min(extent.next_power_of_two())
    };
    if load_lanes * store_lanes == 1
        && crossed.len() == 1
        && let Some(shifted) = shifted(plan, target, along, (loaded, stored))
    {
        return Ok(shifted);
    }
    let mut height = side(loaded, tall, wide).max(load_lanes);
    let mut width = side(stored, wide, tall).max(store_lanes);
    let padding = if store_run > 1 { 0 } else { 8 };
    let shared = |height: u64, width: u64| crossed.iter().map(bytes).sum::<u64>() * height * (width + padding);
    while load_run > 1 && shared(height, width) > SHARED_BYTES_MAX && width.is_multiple_of(2 * load_run * store_lanes) {
        width /= 2;
    }
    while shared(height, width) > SHARED_BYTES_MAX && height.is_multiple_of(2 * load_lanes * store_run) {
        height /= 2;
    }
    let light = stored < 4 || work(plan, &roots) <= LARGE_WORK_MAX;
    let mut threads = u64::from(THREADS);
    if target.backend == Backend::Cuda && light && load_lanes * store_lanes > 1 && load_run * store_run == 1 {
        let mut narrow = width;
        while height * narrow * stored > LARGE_BYTES && narrow.is_multiple_of(2 * store_lanes) {
            narrow /= 2;
        }
        let elements = plan.domain.iter().map(|&v| extent(v)).fold(1, u64::saturating_mul);
        if elements / (height * narrow).max(1) >= LARGE_PER_UNIT * u64::from(target.compute_units) {
            width = narrow;
            threads = (height * width * stored / THREAD_BYTES).next_power_of_two().clamp(threads, LARGE_THREADS_MAX);
        }
    }
    if shared(height, width) > SHARED_BYTES_MAX {
        return Err(SHARED_FULL.of([shared(height, width) as i64, SHARED_BYTES_MAX as i64]));
    }
    Ok(TransposeSchedule {
        along,
        load_lanes: load_lanes as u32,
        store_lanes: store_lanes as u32,
        height: height as u32,
        width: width as u32,
        threads: threads.min(u64::from(target.max_threads_per_block)) as u32,
        phase: 1,
        load_run: load_run as u32,
        store_run: store_run as u32,
    })
}

/// Cycles of a schedule: crossing loads pass through shared memory, whole sectors at a time, and all threads meet once.
pub fn cycles(plan: &KernelPlan, target: &Target, s: &TransposeSchedule) -> Option<f64> {
    let near = *plan.domain.last()?;
    let roots = plan.body.roots();
    let crosses = |offset: IndexId| step(&plan.exprs, offset, s.along).is_one() && s.along != near;
    let elements = f64::from(s.height) * f64::from(s.width);
    let threads = s.rectangles(plan) as f64 * f64::from(s.threads);
    let traffic = Traffic {
        touched: touched(plan, &roots, near, &crosses),
        threads,
        work: work(plan, &roots) as f64 * elements / f64::from(s.threads.max(1)),
        trips: 1.0,
        met: meetings(1.0),
    };
    traffic.cycles(plan, target)
}

/// Schedules that a tuner may try: the model's rectangle, those of half a side, and other counts of threads.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    let Some(model) = choose(plan, target).ok().filter(|_| plan.has_static_loops()) else { return Vec::new() };
    let whole = [(model.height, model.width)];
    // Runs and shifted rows are cut for exactly this rectangle.
    let plain = model.phase == 1 && model.load_run == 1 && model.store_run == 1;
    let halves =
        [(model.height / 2, model.width), (model.height, model.width / 2), (model.height / 2, model.width / 2)];
    let fits = |&(height, width): &(u32, u32)| {
        height > 0 && width > 0 && height.is_multiple_of(model.load_lanes) && width.is_multiple_of(model.store_lanes)
    };
    let sides = whole.into_iter().chain(halves.into_iter().filter(|side| plain && fits(side)));
    let mut found = Vec::new();
    for (height, width) in sides {
        for threads in [model.threads, model.threads / 2, model.threads * 2] {
            if threads >= target.subgroup_size && threads <= target.max_threads_per_block {
                found.push(TransposeSchedule { height, width, threads, ..model });
            }
        }
    }
    found.into_iter().map(|s| plan.with_schedule(s)).collect()
}

/// Lanes of the loads and of the stores where their part of a rectangle is one run, of vectors that lie evenly in
/// memory: 1 where it is not. Odd extents only: rows of the others have some vectors, and would meet few banks of
/// shared memory.
fn runs(plan: &KernelPlan, along: VarId, crossed: &[NodeId], vectors: [u64; 2]) -> [u64; 2] {
    let (Body::Loop { stores }, Some(&last), &[node]) = (&plan.body, plan.domain.last(), crossed) else {
        return [1; 2];
    };
    let ([store], Node::Load { offset, .. }) = (stores.as_slice(), plan.exprs.node(node)) else { return [1; 2] };
    if !plan.is_made_of(node) {
        return [1; 2];
    }
    let indices = &plan.exprs.indices;
    let run = |offset: IndexId, short: VarId, long: VarId, lanes: u64| {
        let (few, many, n) = (indices.extent(short), indices.extent(long), lanes as i64);
        let narrow = few > 1 && few < NARROW as i64 && few % 2 == 1 && many >= NARROW as i64;
        let linear = indices.linear(offset);
        let even = linear.terms.iter().all(|&(atom, stride)| match indices.atom(atom) {
            Atom::Var(var) if var == short => stride == 1,
            Atom::Var(var) if var == long => stride == few,
            Atom::Var(_) => stride % n == 0,
            _ => false,
        });
        let whole = linear.constant % n == 0 && few * many % n == 0;
        let dense = indices.stride(offset, short) == Some(1) && indices.stride(offset, long) == Some(few);
        if n > 1 && narrow && even && whole && dense { lanes } else { 1 }
    };
    [run(*offset, along, last, vectors[0]), run(store.offset, last, along, vectors[1])]
}

/// Where neither side has vectors: rectangles whose stored rows are shifted to whole sectors, so that both sides move
/// vectors all the same. For one load and one store of large, plain transposes.
fn shifted(
    plan: &KernelPlan,
    target: &Target,
    along: VarId,
    (loaded, stored): (u64, u64),
) -> Option<TransposeSchedule> {
    let Body::Loop { stores } = &plan.body else { return None };
    let [store] = stores.as_slice() else { return None };
    let &last = plan.domain.last()?;
    let vector = u64::from(target.vector_bytes);
    let extent = |v: VarId| plan.exprs.indices.extent(v).max(1) as u64;
    let lanes = [loaded, stored].map(|bytes| vector / bytes);
    let single = loads(&plan.exprs, &[store.value]).len() == 1;
    let linear = plan.exprs.indices.stride(store.offset, last) == Some(1);
    let large = extent(along).min(extent(last)) >= SHIFTED_EXTENT_MIN;
    if vector != 16 || lanes.contains(&1) || lanes.contains(&0) || !single || !linear || !large {
        return None;
    }
    let phase = (SECTOR_BYTES / stored).max(lanes[1]);
    let width = (SIDE_BYTES / stored).clamp(SHIFTED_WIDTH_MIN, SIDE_MAX);
    let most = u64::from(target.static_shared_bytes_max);
    let fits = |height: &u64| (width + phase) * (height + 3 * lanes[0]) * loaded <= most;
    let height = SHIFTED_HEIGHTS.into_iter().find(fits)?;
    let threads = (height * width * stored / SHIFTED_THREAD_BYTES).next_power_of_two();
    Some(TransposeSchedule {
        along,
        load_lanes: lanes[0] as u32,
        store_lanes: lanes[1] as u32,
        height: height as u32,
        width: width as u32,
        threads: threads.min(u64::from(target.max_threads_per_block)) as u32,
        phase: phase as u32,
        load_run: 1,
        store_run: 1,
    })
}

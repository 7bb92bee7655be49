//! Schedule of elementwise and data-moving kernels: lanes along the last variable, threads along the items.
//!
//! Worked example: sin(2·x + 1) over 16,000,000 f32. CUDA: 16-byte accesses are 4 lanes, 256 threads, 4,000,000 items,
//! and items_per_thread 4 because that still fills every multiprocessor several times over. AVX2: 8 lanes · 2,
//! 1,000,000 items; one item costs 16·14 operations, so 292 items make a workgroup of 64 Ki operations.

use crate::loop_schedule::LoopSchedule;
use fornax_plan::{Atom, Body, IndexId, KernelPlan, VarId};
use fornax_targets::{Feature, Target};

use crate::access::{Step, loads, step, step_within, widest_bytes, work};
use crate::sizing::{LANES_MAX, power_of_two_below};
use crate::traffic::{Traffic, touched};

/// Threads of a GPU workgroup that a tuner tries.
const TRIED_THREADS: &[u32] = &[128, 256, 512];
/// Lanes of a GPU's vector, at most.
const GPU_LANES: u64 = 8;
/// Items of a GPU thread that a tuner tries.
const TRIED_ITEMS: &[u32] = &[1, 2, 4, 8];
/// Nodes of an element up to which two vectors at a time fit the registers, or four where there are 32: what one waits
/// for others fill.
const CPU_TWO_VECTORS_WORK: u64 = 40;

pub fn choose(plan: &KernelPlan, target: &Target) -> LoopSchedule {
    LoopSchedule::with_lanes(plan, target, lanes(plan, target))
}

/// Cycles of a schedule: neighbouring threads are neighbours along the last variable.
pub fn cycles(plan: &KernelPlan, target: &Target, s: &LoopSchedule) -> Option<f64> {
    let near = *plan.domain.last()?;
    let roots = plan.body.roots();
    let items = plan.loop_items(s.vector) as f64;
    let threads = items / f64::from(s.items_per_thread.max(1));
    let traffic = Traffic {
        touched: touched(plan, &roots, near, &|_| false),
        threads,
        work: work(plan, &roots) as f64 * f64::from(s.vector * s.items_per_thread),
        trips: 1.0,
        met: 0.0,
    };
    traffic.cycles(plan, target)
}

/// Schedules that a tuner may try: fewer lanes, other counts of threads and items. The model's own is one of them.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    if !matches!(plan.body, Body::Loop { .. }) || !plan.has_static_loops() {
        return Vec::new();
    }
    let model = choose(plan, target);
    let mut found = Vec::new();
    for halvings in 0..=model.vector.ilog2() {
        let vector = model.vector >> halvings;
        let items = plan.loop_items(vector);
        let threads = if target.is_gpu() { TRIED_THREADS } else { &[1] };
        for &threads in threads.iter().filter(|&&t| t <= target.max_threads_per_block.max(1)) {
            let counts: Vec<u64> = match target.is_gpu() {
                true => TRIED_ITEMS.iter().map(|&n| u64::from(n)).collect(),
                false => {
                    let own = u64::from(LoopSchedule::with_lanes(plan, target, vector).items_per_thread);
                    vec![own, own / 4, own * 4]
                }
            };
            for items_per_thread in counts {
                let groups = items.div_ceil(u64::from(threads) * items_per_thread.max(1));
                if items_per_thread == 0 || target.is_gpu() && groups > u64::from(target.max_grid[0]) {
                    continue;
                }
                let Ok(items_per_thread) = u32::try_from(items_per_thread) else { continue };
                found.push(LoopSchedule { vector, threads, items_per_thread });
            }
        }
    }
    found.into_iter().map(|s| plan.with_schedule(s)).collect()
}

/// Lanes along the last domain variable.
fn lanes(plan: &KernelPlan, target: &Target) -> u32 {
    let Some(&last) = plan.domain.last() else { return 1 };
    let extent = plan.exprs.indices.extent(last).max(1) as u64;
    let roots = plan.body.roots();
    let offsets: Vec<IndexId> = loads(&plan.exprs, &roots)
        .iter()
        .map(|l| l.offset)
        .chain(plan.body.stores().iter().map(|s| s.offset))
        .collect();
    let width = u64::from(target.vector_bytes / widest_bytes(plan)).clamp(1, LANES_MAX);
    let mut lanes = width;
    // Vectors of a GPU begin at multiples of their lanes.
    let steps = |&offset: &IndexId| match target.is_gpu() {
        true => step_within(&plan.exprs, offset, last, lanes.min(GPU_LANES) as i64),
        false => step(&plan.exprs, offset, last),
    };
    let steps: Vec<Step> = offsets.iter().map(steps).collect();
    let even = steps.iter().filter(|s| s.is_one()).count();
    let uneven = steps.iter().filter(|s| !s.is_one() && **s != Step::Same).count();
    if target.is_gpu() {
        // A strided or scattered access is best spread over neighbouring threads.
        if uneven > 0 && uneven >= even || !extent.is_multiple_of(lanes) && plan.domain.len() > 1 && extent < 8 * lanes
        {
            return 1;
        }
        lanes = lanes.min(GPU_LANES);
        // Neither side in whole vectors: neighbouring threads have neighbouring elements instead.
        let starts_even = |offset: &&IndexId| starts_even(plan, **offset, last, lanes as i64);
        if offsets.iter().filter(starts_even).count() == 0 {
            return 1;
        }
    } else if work(plan, &roots) <= CPU_TWO_VECTORS_WORK && extent >= 4 * width && uneven == 0 {
        let four = target.has(Feature::Avx512) && extent >= 8 * width;
        lanes = (if four { 4 } else { 2 } * width).min(LANES_MAX);
    }
    lanes.min(power_of_two_below(extent)) as u32
}

/// Does an access that steps by one along `var` start at a multiple of `lanes` wherever that variable is one?
fn starts_even(plan: &KernelPlan, offset: IndexId, var: VarId, lanes: i64) -> bool {
    let indices = &plan.exprs.indices;
    let linear = indices.linear(offset);
    let others = linear.terms.iter().filter(|t| indices.atom(t.0) != Atom::Var(var));
    let even = linear.constant % lanes == 0 && others.clone().all(|t| t.1 % lanes == 0);
    even && step(&plan.exprs, offset, var).is_one()
}

//! Register tiles of contractions on GPUs, by a small cost model.
//!
//! A thread computes rows × vectors outputs and R threads split the contraction. For one step of the contraction a warp
//! issues rows · lanes · vectors multiply-adds and loads rows scalars (one wavefront each, all lanes read the same) and the
//! vectors (lanes wavefronts each). A multiprocessor does four warp multiply-adds or one wavefront a cycle, and a step
//! cannot be shorter than a load's latency spread over the resident warps. Combining R partial tiles costs log₂ R rounds of
//! exchange for every vector. The cheapest tile wins; of equal ones the first, smaller one.
//!
//! Worked example: [128, 768]·[768, 768] f32 on 132 multiprocessors: 98304 outputs are few, so a thread has 4 × 4 of them and
//! four threads split the contraction; [4096, 4096]·[4096, 4096]: 8 rows × 2 vectors of 4, no split.

use fornax_plan::{KernelPlan, TileSchedule};
use fornax_targets::Target;

use super::tile_schedule::{Cut, GPU_THREADS, balanced, folded, unroll, workgroup};

/// Rows of a tile, at most, and vectors.
const ROWS: &[u64] = &[1, 2, 4, 8];
const VECTORS: &[u64] = &[1, 2];
/// Warps of a multiprocessor that big tiles leave room for.
const RESIDENT_WARPS: f64 = 16.0;
/// Cycles from a load to its use, with what the first-level cache hides.
const LOAD_LATENCY: f64 = 120.0;
/// Cycles of one round of exchange of one vector.
const EXCHANGE: f64 = 50.0;
/// Steps that a thread has left when others share its tile.
const STEPS_MIN: u64 = 8;
/// Lanes along the contraction: threads that read one row together.
const INSIDE_THREADS: u64 = 8;

/// Fills in the schedule's unrolling and threads.
pub(super) fn choose(plan: &KernelPlan, target: &Target, cut: &Cut, schedule: &mut TileSchedule) {
    let lanes = cut.lanes.map_or(1, |l| l.1);
    let columns_lanes = if cut.inside { 1 } else { lanes };
    let steps = folded(plan) / if cut.inside { lanes } else { 1 };
    let mut best: Option<(f64, TileSchedule, u64)> = None;
    for &rows in ROWS {
        for &vectors in VECTORS {
            let mut candidate = schedule.clone();
            let extent = cut.columns.map_or(1, |a| (a.extent / columns_lanes).max(1));
            let vectors = if cut.inside { balanced(extent, rows.min(4)) } else { balanced(extent, vectors) };
            unroll(&mut candidate, cut.rows, cut.rows.map_or(1, |a| balanced(a.extent, rows)));
            unroll(&mut candidate, cut.columns, vectors);
            let mut shared = 1;
            while shared == 1 || shared <= 256 && shared * STEPS_MIN <= steps {
                let cost = cost(plan, target, &candidate, (columns_lanes, steps, shared), cut);
                if best.as_ref().is_none_or(|b| cost < b.0) {
                    best = Some((cost, candidate.clone(), shared));
                }
                shared *= 2;
            }
        }
    }
    if let Some((_, tile, shared)) = best {
        *schedule = tile;
        workgroup(plan, target, schedule, shared);
    }
}

/// Cycles of the kernel.
fn cost(
    plan: &KernelPlan,
    target: &Target,
    schedule: &TileSchedule,
    (lanes, steps, shared): (u64, u64, u64),
    cut: &Cut,
) -> f64 {
    let count = |along: Option<super::tile_schedule::Along>| {
        along.and_then(|a| schedule.unroll.iter().find(|u| u.0 == a.var)).map_or(1.0, |u| f64::from(u.1))
    };
    let (rows, vectors) = (count(cut.rows), count(cut.columns));
    let inner = cut.lanes.filter(|_| cut.inside).map_or(1.0, |l| l.1 as f64);
    let multiply_adds = rows * vectors * lanes as f64 * inner / 4.0;
    let wavefronts = if cut.inside {
        // Threads of a tile read a row together; with fewer of them, lines are read in parts.
        (rows + vectors) * 4.0 * (INSIDE_THREADS as f64 / shared as f64).max(1.0)
    } else {
        rows + vectors * lanes as f64
    };
    let warp = f64::from(target.subgroup_size.max(1));
    // Workgroups are not divided: the multiprocessor with the most of them decides.
    let threads = plan.tiles(schedule) as f64 * shared as f64;
    let groups = (threads / f64::from(GPU_THREADS)).ceil();
    let a_unit = (groups / f64::from(target.compute_units.max(1))).ceil() * f64::from(GPU_THREADS) / warp;
    let a_unit = a_unit.min(threads / warp).max(1.0 / warp);
    let trips = (steps as f64 / shared as f64).ceil();
    let throughput = a_unit * trips * multiply_adds.max(wavefronts);
    let waves = (a_unit / RESIDENT_WARPS).ceil().max(1.0);
    // Independent loads of one step overlap; the compiler keeps about two steps in flight.
    let latency = waves * trips * LOAD_LATENCY / 2.0;
    let rounds = (shared as f64).log2();
    throughput.max(latency) + waves * rounds * rows * vectors * EXCHANGE
}

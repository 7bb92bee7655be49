//! Register tiles of contractions on GPUs, by a small cost model.
//!
//! A thread computes rows × vectors outputs and R threads split the contraction. For one step of the contraction a warp
//! issues its multiply-adds, loads rows scalars (all lanes read the same) and the vectors. A multiprocessor does four
//! warp multiply-adds or about half a wavefront of loads a cycle, and a step takes a load's latency at least, however
//! few warps there are. Combining R partial tiles costs log₂ R rounds for every vector, through shared memory and
//! barriers, or by lane exchange where the R threads are neighbours. The cheapest tile wins; of equal ones the first,
//! smaller one.
//!
//! Worked example, H200, [128, 768]·[768, 768] f32: 4 rows, one vector of 4 and 16 threads a tile make 24 warps a
//! multiprocessor, 48 steps of 432 cycles and 4 rounds for 4 vectors: 26 thousand cycles, 15 µs (measured 12.7, and 143
//! with one thread a tile).
//!
//! Larger products have a workgroup compute a rectangle (`rectangle`), whose operands the emitter passes through shared
//! memory: [4096, 4096]·[4096, 4096] takes 8 rows × 2 vectors and 256 threads, 2.9 ms (47 TFLOP/s). The constants below
//! were fitted to about 300 measurements of single products and convolutions.

use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_plan::KernelPlan;
use fornax_targets::Target;
use fornax_targets::fitted::tile::{
    EXCHANGE_ROUND, FETCH_CYCLES, STAGE_LATENCY, STAGED_SLACK, START, STEP_LATENCY, TREE_ROUND,
};

use super::candidates::{Cut, balanced, folded, unroll, workgroup};
use super::rectangle::{self, Rectangle};
use crate::sizing::GPU_THREADS;

/// Rows of a tile, and vectors.
const ROWS: &[u64] = &[1, 2, 4, 8];
const VECTORS: &[u64] = &[1, 2];
/// Steps that a thread has left when others share its tile, through shared memory and by lane exchange.
const TREE_STEPS_MIN: u64 = 8;
const EXCHANGE_STEPS_MIN: u64 = 2;
/// Share of the cost by which each doubling of the threads of a tile must pay: the model is not that good.
const SHARING_MARGIN: f64 = 0.03;
/// Lanes along the contraction: memory lines of one load of a warp, at least.
const INSIDE_LINES: f64 = 4.0;
/// Registers (32 bit) of a thread besides its accumulators.
const OTHER_REGISTERS: f64 = 40.0;
/// Accumulators from which the compiler no longer keeps loads in flight.
const MANY_ACCUMULATORS: f64 = 64.0;

/// Workgroups that stage their operands in shared memory: threads.
const RECTANGLE_THREADS: &[u32] = &[256, 128, 64];

/// A candidate tile, in numbers.
struct Tile {
    rows: f64,
    vectors: f64,
    /// Lanes along the outputs and along the contraction; one of them is 1.
    lanes: f64,
    inner: f64,
    /// Threads that share the tile.
    shared: u64,
    /// Steps of the whole contraction.
    steps: u64,
}

/// Fills in the schedule's unrolling and threads, and says its cycles; emitters pass the operands of a rectangle
/// through shared memory.
pub(super) fn choose(plan: &KernelPlan, target: &Target, cut: &Cut, schedule: &mut TileSchedule) -> Option<f64> {
    let lanes = cut.lanes.map_or(1, |l| l.1);
    let (lanes, inner) = if cut.inside { (1, lanes) } else { (lanes, 1) };
    let steps = folded(plan) / inner;
    let steps_min = if cut.inside { EXCHANGE_STEPS_MIN } else { TREE_STEPS_MIN };
    let mut best: Option<(f64, TileSchedule, u64)> = None;
    let mut staged: Option<(f64, TileSchedule)> = None;
    for &rows in ROWS {
        for &vectors in VECTORS {
            let mut candidate = schedule.clone();
            let extent = cut.columns.map_or(1, |a| (a.extent / lanes).max(1));
            let rows = cut.rows.map_or(1, |a| balanced(a.extent, if cut.inside { rows.min(4) } else { rows }));
            let vectors = balanced(extent, if cut.inside { rows } else { vectors });
            unroll(&mut candidate, cut.rows, rows);
            unroll(&mut candidate, cut.columns, vectors);
            for &threads in RECTANGLE_THREADS {
                let (rows, vectors) = (rows as f64, vectors as f64);
                let tile = Tile { rows, vectors, lanes: lanes as f64, inner: inner as f64, shared: 1, steps };
                candidate.tile_threads = threads;
                let Some(rectangle) = rectangle::find(plan, target, &candidate) else { continue };
                let cost = staged_cost(target, candidate.tiles(plan), &tile, &rectangle, threads);
                if staged.as_ref().is_none_or(|b| cost < b.0) {
                    staged = Some((cost, candidate.clone()));
                }
            }
            let mut shared = 1;
            while shared == 1 || shared <= 256 && shared * steps_min <= steps {
                let (rows, vectors) = (rows as f64, vectors as f64);
                let tile = Tile { rows, vectors, lanes: lanes as f64, inner: inner as f64, shared, steps };
                let cost = cost(target, candidate.tiles(plan), &tile, cut.inside);
                let cost = cost * (1.0 + SHARING_MARGIN * (shared as f64).log2());
                if best.as_ref().is_none_or(|b| cost < b.0) {
                    best = Some((cost, candidate.clone(), shared));
                }
                shared *= 2;
            }
        }
    }
    match (best, staged) {
        (Some((cost, ..)), Some((staged_cost, tile))) if staged_cost < cost => {
            *schedule = tile;
            Some(START + staged_cost)
        }
        (Some((cost, tile, shared)), _) => {
            *schedule = tile;
            workgroup(plan, target, schedule, shared);
            Some(START + cost)
        }
        _ => None,
    }
}

/// Warps of the busiest multiprocessor, and how often it must be refilled with them.
fn occupancy(target: &Target, threads: f64, group: f64, accumulators: f64) -> (f64, f64) {
    let warp = f64::from(target.subgroup_size.max(1));
    // Workgroups are not divided: the multiprocessor with the most of them decides.
    let groups = (threads / group).ceil();
    let a_unit = (groups / f64::from(target.compute_units.max(1))).ceil() * group / warp;
    let warps = a_unit.min((threads / warp).ceil());
    let room = f64::from(target.registers_per_unit.max(1)) / (accumulators + OTHER_REGISTERS) / warp;
    let most = f64::from(target.max_threads_per_unit) / warp;
    let group = group / warp;
    let resident = ((room.min(most) / group).floor() * group).max(group);
    (warps, (warps / resident).ceil())
}

/// Cycles when the operands of a workgroup's rectangle pass through shared memory: a block of steps at a time, of which
/// the next is fetched while the present one is multiplied.
fn staged_cost(target: &Target, tiles: u64, tile: &Tile, rectangle: &Rectangle, threads: u32) -> f64 {
    let accumulators = tile.rows * tile.vectors * tile.lanes;
    let (warps, waves) = occupancy(target, tiles as f64, f64::from(threads), accumulators);
    // Four elements a load; neighbouring threads share rows.
    let step = (accumulators / 4.0).max(tile.rows / 2.0 + 2.0 * tile.vectors);
    let block = rectangle.block as f64;
    let fetched = (rectangle.rows + rectangle.columns) as f64 * block / f64::from(threads);
    let busy = warps * (block * step * STAGED_SLACK + fetched * FETCH_CYCLES);
    let blocks = (tile.steps as f64 / block).ceil();
    (blocks + 1.0) * busy.max(STAGE_LATENCY * waves)
}

/// Cycles of the kernel.
fn cost(target: &Target, tiles: u64, tile: &Tile, inside: bool) -> f64 {
    let warp = f64::from(target.subgroup_size.max(1));
    let shared = tile.shared as f64;
    let accumulators = tile.rows * tile.vectors * tile.lanes * tile.inner;
    let wavefronts = if inside {
        // Threads of a tile read a row together; with few of them a load touches many rows.
        (tile.rows + tile.vectors) * INSIDE_LINES.max(warp / shared)
    } else {
        let crowded = if accumulators >= MANY_ACCUMULATORS { 1.5 } else { 1.0 };
        2.0 * (tile.rows + 1.25 * tile.vectors * tile.lanes) * crowded
    };
    let step = wavefronts.max(accumulators / 4.0);
    let (warps, waves) = occupancy(target, tiles as f64 * shared, f64::from(GPU_THREADS), accumulators);
    let trips = (tile.steps as f64 / shared).ceil();
    let round = if inside && shared <= warp { EXCHANGE_ROUND } else { TREE_ROUND };
    let combine = shared.log2() * tile.rows * tile.vectors * round;
    trips * (STEP_LATENCY * waves).max(warps * step) + waves * combine
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost_of(outputs: u64, steps: u64, (rows, vectors, shared): (u64, u64, u64)) -> f64 {
        let target = Target::from_spec("cuda:sm_90").unwrap();
        let tile = Tile { rows: rows as f64, vectors: vectors as f64, lanes: 4.0, inner: 1.0, shared, steps };
        cost(&target, outputs / (rows * vectors * 4), &tile, false)
    }

    /// Orders that were measured on an H200: (outputs, steps, faster, slower).
    #[test]
    fn measured_orders_hold() {
        let (bert, wide, big) = (128 * 768, 128 * 3072, 4096 * 4096);
        assert!(cost_of(bert, 768, (4, 1, 16)) < cost_of(bert, 768, (8, 2, 16)));
        assert!(cost_of(bert, 768, (8, 2, 16)) < cost_of(bert, 768, (4, 1, 4)));
        assert!(cost_of(bert, 768, (4, 1, 4)) < cost_of(bert, 768, (1, 1, 1)));
        assert!(cost_of(wide, 768, (8, 1, 8)) < cost_of(wide, 768, (4, 1, 16)));
        assert!(cost_of(1024 * 1024, 1024, (8, 2, 4)) < cost_of(1024 * 1024, 1024, (8, 1, 1)));
        assert!(cost_of(big, 4096, (8, 1, 1)) < cost_of(big, 4096, (4, 1, 1)));
        assert!(cost_of(4096, 4096, (1, 1, 128)) < cost_of(4096, 4096, (1, 1, 16)));
    }
}

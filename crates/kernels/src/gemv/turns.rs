//! Weights in blocks by quads, tiles of outputs in turn: a workgroup keeps x in registers, and as many workgroups as
//! the device holds share the outputs.
//!
//! All threads of a workgroup together have all steps, one or two blocks each. So what they need of x is a few
//! registers, read and added up (Σ x) once, where a workgroup of one tile lays x down, meets, and reads it back for
//! each of its tile's blocks. Tiles that come are on their way while one is multiplied (`fixed::turns`).
//!
//! Worked example, H200: gate and up of 14336 outputs each by 4096 steps of Q4_0: 1792 tiles of 8 outputs for 132
//! multiprocessors, 14 turns of 128 workgroups of 512 threads, with two blocks a thread.

use fornax_plan::KernelPlan;
use fornax_targets::fitted::gemv::turns::{AHEAD, BLOCKS_MAX, OTHER_REGISTERS, STREAM_BYTES, TURNS_MAX, WORKGROUP};
use fornax_targets::{Feature, Target};

use super::fixed_shape;
use super::quads_cost::{common, lanes};
use super::schedule::{GemvSchedule, MATRIX_THREADS, QUAD_THREADS, QUADS};
use super::shape::{Shape, Steps, Way};

/// Outputs of a thread in a turn, of each sum.
const TILES: [u64; 2] = [1, 2];
/// Outputs of a thread that an instruction multiplies.
const POINTS: u64 = 2;
/// Registers are given to a thread by so many.
const REGISTERS_STEP: u64 = 8;
/// Bytes of a partial sum.
const SUM_BYTES: u64 = 4;

/// All ways of a shape of one space and one short output, whose blocks go to threads evenly: with as few turns as keep
/// all workgroups on the device at once.
pub(super) fn ways(shape: &Shape, target: &Target) -> Vec<Way> {
    let mut all = Vec::new();
    let ([steps], Some(lanes)) = (&shape.steps[..], lanes(shape, target)) else { return all };
    if shape.rows != 1 || !target.has(Feature::MmaI8) || !fixed_shape::fits(steps.short, lanes) {
        return all;
    }
    for tile in TILES.into_iter().filter(|tile| (tile * shape.held).is_multiple_of(POINTS)) {
        for depth in 1..=BLOCKS_MAX {
            let blocks = steps.blocks(lanes, 1);
            let (across, down) = (u64::from(QUADS), blocks / depth);
            let even = blocks.is_multiple_of(depth) && down.is_multiple_of(QUAD_THREADS.into());
            if !even || down == 0 || !shape.last.is_multiple_of(tile) {
                continue;
            }
            let (parts, matrix, cluster, ring) = (1, false, 1, 0);
            let way = Way {
                parts,
                matrix,
                lanes,
                tile,
                depth,
                across,
                down,
                cluster,
                ring,
                quads: true,
                fixed: true,
                turns: 1,
            };
            let at_once = resident(shape, target, &way) * u64::from(target.compute_units.max(1));
            let tiles = shape.batches * shape.columns.div_ceil(across * tile);
            let most = u64::from(target.static_shared_bytes_max) / sums_bytes(shape, &way).max(1);
            let turns = tiles.div_ceil(at_once.max(1)).min(most).min(TURNS_MAX);
            if at_once > 0 && turns > 0 {
                all.push(Way { turns, ..way });
            }
        }
    }
    all
}

/// Bytes of a turn's partial sums in shared memory.
fn sums_bytes(shape: &Shape, way: &Way) -> u64 {
    let parts = way.across * way.down / u64::from(MATRIX_THREADS);
    parts * shape.sums * way.across * way.tile * SUM_BYTES
}

/// Workgroups that a multiprocessor holds at once by their registers; 0 where one does not fit.
pub(super) fn resident(shape: &Shape, target: &Target, way: &Way) -> u64 {
    let threads = way.threads(target);
    let count = |of: fn(&Steps) -> u64| shape.steps.iter().map(of).sum::<u64>();
    let bytes = way.lanes * shape.bytes;
    let words = bytes.div_ceil(4);
    // What of x meets a block: a byte for each element, Σ x of each short operand, a scale.
    let held = way.depth * (count(|steps| steps.short) * (way.lanes / 4 + 1) + 1);
    let common = (common(shape) * count(|steps| steps.long)).div_ceil(2);
    let fetched = (AHEAD + 1) * way.depth * way.tile * (words * count(|steps| steps.streams) + common);
    let registers = (OTHER_REGISTERS + held + fetched).next_multiple_of(REGISTERS_STEP);
    let most = u64::from(target.max_registers_per_thread).min(u64::from(target.registers_per_unit) / threads);
    if registers > most || threads > u64::from(target.max_threads_per_block) {
        return 0;
    }
    (u64::from(target.max_threads_per_unit) / threads)
        .min(u64::from(target.registers_per_unit) / (registers * threads))
        .min(u64::from(target.max_blocks_per_unit.max(1)))
}

/// Cycles of a way; `None` where it does not fit.
pub(super) fn cycles(shape: &Shape, target: &Target, way: &Way) -> Option<f64> {
    let resident = resident(shape, target, way);
    if resident == 0 {
        return None;
    }
    let width = way.across * way.tile;
    let read = |steps: &Steps| steps.outer * steps.inner * steps.streams * shape.bytes;
    let bytes = shape.steps.iter().map(read).sum::<u64>() * width;
    let groups = shape.batches * shape.columns.div_ceil(width * way.turns);
    let waves = groups.div_ceil(resident * u64::from(target.compute_units.max(1)));
    let stream = (resident * way.turns * bytes) as f64 / STREAM_BYTES;
    Some(waves as f64 * (stream + WORKGROUP))
}

/// Kernels of one launch whose workgroups do tiles in turn: with as few turns as keep the workgroups of all on the
/// device at once. `None` where one has no turns.
///
/// Worked example, H200: queries, keys and values of 4096, 1024 and 1024 outputs are 256, 64 and 64 tiles of 16: alone
/// queries have 2 turns in 128 workgroups. With 3 turns all are 86 + 22 + 22 workgroups for 132 multiprocessors.
pub fn side_by_side(plans: &[&KernelPlan], target: &Target) -> Option<Vec<KernelPlan>> {
    let schedules: Option<Vec<&GemvSchedule>> =
        plans.iter().map(|plan| plan.schedule_as::<GemvSchedule>().filter(|schedule| schedule.turns > 0)).collect();
    let shapes: Option<Vec<Shape>> = plans.iter().map(|plan| Shape::of(plan, target).ok()).collect();
    let (schedules, shapes) = (schedules?, shapes?);
    let ways: Option<Vec<Way>> = schedules.iter().zip(&shapes).map(|(own, shape)| way(own, shape, target)).collect();
    let ways = ways?;
    let of_each = || shapes.iter().zip(&ways);
    let at_once = of_each().map(|(shape, way)| resident(shape, target, way)).min()?;
    let at_once = at_once * u64::from(target.compute_units.max(1));
    // Outputs of a turn by their bytes: who has fewer has more turns.
    let bytes = |shape: &Shape, way: &Way| {
        way.across * way.tile * shape.steps.iter().map(|steps| steps.outer * steps.inner * steps.streams).sum::<u64>()
    };
    let most = of_each().map(|(shape, way)| bytes(shape, way)).max()?.max(1);
    for turns in 1..=TURNS_MAX {
        let own = |shape: &Shape, way: &Way| (turns * most / bytes(shape, way).max(1)).max(1);
        let groups = |(shape, way): (&Shape, &Way)| {
            shape.batches * shape.columns.div_ceil(way.across * way.tile * own(shape, way))
        };
        if of_each().map(groups).sum::<u64>() > at_once {
            continue;
        }
        let fits = |(shape, way): (&Shape, &Way)| {
            own(shape, way) * sums_bytes(shape, way) <= u64::from(target.static_shared_bytes_max)
        };
        if !of_each().all(fits) {
            return None;
        }
        let again = plans.iter().zip(&schedules).zip(of_each()).map(|((plan, schedule), (shape, way))| {
            plan.with_schedule(GemvSchedule { turns: own(shape, way) as u32, ..(*schedule).clone() })
        });
        return Some(again.collect());
    }
    None
}

/// The way of a schedule, however many turns it has.
pub(super) fn way(schedule: &GemvSchedule, shape: &Shape, target: &Target) -> Option<Way> {
    let is_own = |way: &Way| GemvSchedule { turns: schedule.turns, ..shape.schedule(way, target) } == *schedule;
    ways(shape, target).into_iter().find(is_own)
}

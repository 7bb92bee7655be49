//! What weights in blocks take on matrix instructions, and their ways (`quads`).
//!
//! A workgroup is short: each of its threads has a few rounds of blocks, with a round trip to memory each, and lays x
//! down before them. Workgroups that a multiprocessor cannot hold at once come behind.

use fornax_targets::fitted::gemv::quads::{OTHER_REGISTERS, OVERLAP, STREAM_BYTES, TRIP, WORKGROUP};
use fornax_targets::{Feature, Target};

use super::fixed_shape;
use super::schedule::{QUAD_THREADS, QUADS};
use super::shape::{Shape, Steps, Way};

/// Rows of a thread.
const TILES: [u64; 3] = [2, 4, 8];
/// Threads of a workgroup.
const THREADS: [u64; 4] = [128, 256, 512, 1024];
/// Registers are given to a thread by so many.
const REGISTERS_STEP: u64 = 8;

/// Whether threads down the contraction, with so many blocks together, multiply one round while the next comes: where
/// all have as many, two at least, and fetch one at a time.
pub(super) fn overlaps(depth: u64, blocks: u64, threads: u64) -> bool {
    depth == 1 && blocks.is_multiple_of(threads.max(1)) && blocks / threads.max(1) > 1
}

/// Lanes of a load of a shape whose blocks go to quads evenly.
pub(super) fn lanes(shape: &Shape, target: &Target) -> Option<u64> {
    let most = (u64::from(target.vector_bytes) / shape.bytes).max(1);
    let lanes = shape.steps.iter().map(|steps| steps.inner).fold(most, crate::sizing::dividing);
    let even = |steps: &Steps| steps.blocks(lanes, 1).is_multiple_of(QUAD_THREADS.into());
    let fits = shape.quads && lanes.is_multiple_of(QUAD_THREADS.into()) && shape.steps.iter().all(even);
    fits.then_some(lanes)
}

/// All ways of a shape whose blocks go to quads evenly, a tile a workgroup.
pub(super) fn ways(shape: &Shape, target: &Target) -> Vec<Way> {
    let mut all = Vec::new();
    let Some(lanes) = lanes(shape, target) else { return all };
    // Source: Q6_K, whose bytes come by three loads, two layers and the last matrix of Llama 3.1 8B, one H200: two
    // blocks at a time 0.287 ms, one 0.252.
    let is_single = shape.steps.iter().all(|steps| steps.streams == 1);
    let depth = if common(shape) > 1 && is_single { 2 } else { 1 };
    let whole = |steps: &Steps| fixed_shape::fits(steps.short, lanes);
    let fits = shape.rows == 1 && target.has(Feature::MmaI8) && shape.steps.iter().all(whole);
    // Source: down of Llama 3.1 8B, one H200: Q4_K, whose blocks have four numbers, takes 11.8 us with x in fixed point
    // and 13.0 without, Q4_0, which has one, 11.1 and 10.5: x is laid down later.
    let fixed = fits && common(shape) > 1;
    for tile in TILES.into_iter().filter(|&tile| tile <= shape.columns) {
        for threads in THREADS {
            let (across, down) = (u64::from(QUADS), threads / u64::from(QUADS));
            let (parts, matrix, cluster, ring, turns) = (1, false, 1, 0, 0);
            all.push(Way { parts, matrix, lanes, tile, depth, across, down, cluster, ring, quads: true, fixed, turns });
        }
    }
    all
}

/// Loads of what the lanes of a load have in common. Where they are several, such as a scale and an offset of two parts
/// each, two neighbouring blocks are fetched at a time, which may have them in common: a warp's load of eight rows
/// takes the first-level cache as long as one of 16 bytes a thread.
pub(super) fn common(shape: &Shape) -> u64 {
    shape.computed.map_or(0, |computed| computed.common)
}

/// Workgroups that a multiprocessor holds at once; 0 where one does not fit.
pub(super) fn resident(shape: &Shape, target: &Target, way: &Way) -> u64 {
    let Some(staged) = shape.staged_bytes(target, way) else { return 0 };
    let threads = way.threads(target);
    let most = |count: fn(&Steps) -> u64| shape.steps.iter().map(count).max().unwrap_or(1);
    let words = (way.lanes * shape.bytes).div_ceil(4) + 1;
    let streamed = way.depth * most(|steps| steps.streams) * words;
    let fetched = way.tile * (streamed + most(|steps| steps.long) * common(shape));
    let twice = |steps: &Steps| overlaps(way.depth, steps.blocks(way.lanes, 1), way.down);
    let fetched = if shape.steps.iter().any(twice) { 2 * fetched } else { fetched };
    let held = way.tile * shape.held * (shape.rows - 1);
    let registers = (OTHER_REGISTERS + fetched + held).next_multiple_of(REGISTERS_STEP);
    let sums = threads / u64::from(QUADS * QUAD_THREADS) * way.across * way.tile * shape.sums * shape.rows;
    if registers > u64::from(target.max_registers_per_thread) || sums * 4 > u64::from(target.static_shared_bytes_max) {
        return 0;
    }
    (u64::from(target.max_threads_per_unit) / threads)
        .min(u64::from(target.registers_per_unit) / (registers * threads))
        .min(u64::from(target.shared_bytes_per_unit) / (staged + sums * 4).max(1))
        .min(u64::from(target.max_blocks_per_unit.max(1)))
}

/// Cycles of a way; `None` where it does not fit.
pub(super) fn cycles(shape: &Shape, target: &Target, way: &Way) -> Option<f64> {
    let resident = resident(shape, target, way);
    if resident == 0 || way.threads(target) > u64::from(target.max_threads_per_block) {
        return None;
    }
    let width = way.across * way.tile;
    let groups = shape.batches * shape.columns.div_ceil(width);
    let whole = groups.div_ceil(u64::from(target.compute_units.max(1)));
    let read = |steps: &Steps| steps.outer * steps.inner * steps.streams * shape.bytes;
    let bytes = shape.steps.iter().map(read).sum::<u64>() * width;
    let stream = (whole * bytes) as f64 / STREAM_BYTES;
    let rounds = |steps: &Steps| steps.blocks(way.lanes, 1).div_ceil(way.down * way.depth);
    let rounds: u64 = shape.steps.iter().map(rounds).sum();
    let waves = whole.div_ceil(resident) as f64;
    let waiting = waves * (rounds as f64 * TRIP + WORKGROUP);
    Some(stream.max(waiting) + OVERLAP * stream.min(waiting) + WORKGROUP)
}

//! What products take whose long operands stay in the second-level cache: a step of an LSTM reads the weights that the
//! step before it read.
//!
//! Nothing streams from memory: what counts are the bytes that the busiest unit, and all units, get from the cache,
//! which gives whole sectors, the unit's loads and exchanges, and what a thread does one thing after another.
//!
//! Worked example, H100, an LSTM of 256 units on [8, 128] in f32: 64 workgroups of 4 columns × 4 gates × 128 threads
//! fetch 16 bytes of every sector of 32: 49 KB a unit, 610 cycles, 3.1 MB in all, 790 cycles. A thread has 3 blocks
//! of 2 steps: 48 loads and 384 products, 650 cycles; its unit 4 warps, 420 for their loads.

use fornax_targets::Target;
use fornax_targets::fitted::gemv::cached;

use super::shape::{LOAD_BYTES, Shape, Way, block};

/// Cycles of a way; `None` where the operands do not stay in the cache.
pub fn cycles(shape: &Shape, target: &Target, way: &Way) -> Option<f64> {
    let read: u64 = shape.steps.iter().map(|steps| steps.outer * steps.inner * steps.long).sum();
    let whole = shape.batches * shape.columns * read * shape.bytes;
    if whole > target.l2_bytes / 2 {
        return None;
    }
    let (each, block) = block(shape, way.matrix, way.lanes, way.tile);
    let width = way.across * each;
    let groups = shape.batches * shape.columns.div_ceil(width);
    let share = groups.div_ceil(u64::from(target.compute_units.max(1)));
    let run = width * shape.bytes;
    let sectors = if shape.inside { run } else { run.max(cached::SECTOR) };
    let bytes = (read * sectors) as f64;
    let units = f64::from(target.compute_units.max(1));
    let all = groups as f64 * bytes / (cached::BYTES_OF_ALL * units);
    let fetched = (share as f64 * bytes / cached::BYTES).max(all);
    let (mut loads, mut products, mut trips) = (0, 0, 0);
    for steps in &shape.steps {
        let blocks = steps.blocks(block, 1).div_ceil(way.down);
        let short = match (way.matrix, shape.inside) {
            (true, _) => steps.short,
            (false, _) => steps.short * shape.rows * (block * shape.bytes).div_ceil(LOAD_BYTES),
        };
        let long = match (way.matrix, shape.inside) {
            (true, true) => 2 * way.tile,
            (true, false) => 4,
            (false, _) => way.tile,
        };
        // ptxas moves loads down again, whatever the depth.
        trips += blocks;
        loads += blocks * (steps.long * long + short);
        products += blocks
            * steps.long
            * match (way.matrix, shape.inside) {
                (true, true) => 2 * way.tile,
                (true, false) => way.lanes / 2,
                (false, _) => block * each * shape.rows,
            };
    }
    if shape.registers_ahead(target, way).is_some() {
        trips = 1;
    }
    let subgroup = u64::from(target.subgroup_size.max(1));
    let apart = if shape.inside { 1 } else { way.across };
    let together = (subgroup / apart).clamp(1, way.down);
    let sums = shape.sums * shape.rows * each;
    let given = if way.matrix { 0 } else { sums - sums / together };
    let product = if way.matrix { cached::OWN_INSTRUCTION } else { cached::OWN_PRODUCT };
    let own = loads as f64 * cached::OWN_LOAD + products as f64 * product + trips as f64 * cached::TRIP;
    let warps = way.threads(target).div_ceil(subgroup) as f64;
    let busiest = own + warps * (loads as f64 * cached::LOAD + given as f64 * cached::SHUFFLE);
    Some(cached::FIXED + fetched + share as f64 * busiest)
}

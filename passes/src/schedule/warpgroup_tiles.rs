//! Tile shapes of contractions by warpgroups, and what they cost: the choice between them.
//!
//! Cost is in cycles of the whole grid: waves of tiles, each the larger of multiplying and fetching its blocks, plus what a tile takes
//! besides. The rates are fitted to the prototypes' measurements on an H200 (tiles of 64×64 to 128×256 at 0.58 to 1.01 of cuBLAS).
//!
//! Worked example: 4096³ bf16, 132 units: tiles of 128 × 256 are 512, 4 waves of 64 blocks at 512 cycles (48 KiB at 76 bytes a cycle would be
//! 647: fetching decides); 128 × 128: 1024 tiles, 8 waves of 64 blocks at 431.

use fornax_graph::ElementType;
use fornax_targets::Target;

/// Outputs of a tile and the warpgroups that multiply it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub rows: u32,
    pub columns: u32,
    pub consumers: u32,
}

const fn shape(rows: u32, columns: u32, consumers: u32) -> Shape {
    Shape { rows, columns, consumers }
}

/// Shapes to choose from; the first of equal cost wins.
pub const SHAPES: &[Shape] = &[
    shape(128, 256, 2),
    shape(256, 128, 2),
    shape(128, 128, 2),
    shape(128, 64, 2),
    shape(64, 256, 1),
    shape(64, 128, 1),
    shape(64, 64, 1),
    shape(64, 32, 1),
    shape(64, 16, 1),
];

/// Tiles along the rows that are numbered together.
pub const GROUP: u32 = 8;

/// Stages of the ring, at most: more only cost barriers.
const STAGES_MAX: u64 = 8;
/// Stages without which copies do not hide their latency.
const STAGES_MIN: u64 = 3;
/// Multiplied 16-bit pairs a cycle and unit.
const PAIRS_PER_CYCLE: u64 = 2048;
/// Bytes a cycle that a unit fetches through the second-level cache.
const FETCHED_PER_CYCLE: u64 = 76;
/// Cycles of a tile besides its blocks: filling the ring, storing.
const TILE_CYCLES: u64 = 1500;
/// Cycles to store 1024 outputs along the columns, and across them.
const STORE_CYCLES: [u64; 2] = [24, 120];

/// What the cost depends on.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    pub tiles: u64,
    pub blocks: u64,
    pub stage_bytes: u64,
    pub element: ElementType,
    /// Results are contiguous along the columns.
    pub stores_across: bool,
}

/// Stages and cycles of a shape; `None` where it does not fit the target.
pub fn cost(shape: Shape, product: &Product, target: &Target) -> Option<(u32, u64)> {
    let staging = u64::from(shape.rows) * u64::from(shape.columns.min(128)) * 2;
    let left = u64::from(target.shared_bytes_max).checked_sub(staging + 1024)?;
    let stages = (left / product.stage_bytes.max(1)).min(STAGES_MAX);
    if stages < STAGES_MIN {
        return None;
    }
    let steps = 128 / product.element.storage_bytes().max(1) as u64;
    let rate = PAIRS_PER_CYCLE * 2 / product.element.storage_bytes().max(1) as u64;
    // Narrow instructions still read all rows.
    let columns = u64::from(shape.columns).max(32);
    let multiply = u64::from(shape.rows) * columns * steps / rate;
    let block = multiply.max(product.stage_bytes / FETCHED_PER_CYCLE);
    let outputs = u64::from(shape.rows) * u64::from(shape.columns) / 1024;
    let store = outputs * STORE_CYCLES[usize::from(!product.stores_across)];
    let units = u64::from(target.compute_units.max(1));
    let waves = product.tiles.div_ceil(units);
    Some((stages as u32, waves * (product.blocks * block + store) + TILE_CYCLES))
}

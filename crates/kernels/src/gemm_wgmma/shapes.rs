//! Tile shapes of contractions by warpgroups, and what they cost: the choice between them.
//!
//! Cost is in cycles of the whole grid: waves of tiles, each the larger of multiplying and fetching its blocks, plus
//! what a tile takes besides; or the time that operands and results take through memory. The rates are fitted to
//! measurements on an H200.
//!
//! Worked example: 4096³ bf16, 132 units: tiles of 128 × 256 are 512, 4 waves of 64 blocks at 1105 + 8 cycles; 128 ×
//! 128: 1024 tiles, 8 waves of 64 blocks at 552 + 8. [6304, 3072]·[3072, 768]: tiles of 192 × 192 are 132, one wave.

use super::expanded::{Asking, Needs, Teams};
use super::schedule::BOX_ROW_BYTES;
use fornax_graph::ElementType;
use fornax_targets::Target;
use fornax_targets::fitted::gemm_wgmma::{
    ABSENT_PER_CYCLE, ADDED_CYCLES, AGAIN_PART, BLOCK_CYCLES, BLOCK_CYCLES_MIN, CACHED_PER_CYCLE, CLUSTERED,
    COPIED_PER_CYCLE, EXCHANGE_CYCLES, EXPANDED_BLOCK_CYCLES, EXPANDED_PER_CYCLE, EXPANDING_FETCHED_PER_CYCLE,
    EXPANDING_WARPS, FETCHED_PER_CYCLE, IDLE_HUNDREDTHS, LAUNCH_CYCLES, MEMORY_PER_CYCLE, MULTIPLY_HUNDREDTHS,
    PAIRS_PER_CYCLE, ROUND_CYCLES, STORE_CYCLES, STORED_PER_CYCLE, THREAD_PAIRS_PER_CYCLE, TILE_CYCLES,
    UNSTAGED_CYCLES,
};

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
    shape(192, 192, 3),
    shape(128, 192, 2),
    shape(192, 128, 3),
    shape(128, 128, 2),
    shape(192, 64, 3),
    shape(128, 32, 2),
    shape(128, 16, 2),
    shape(64, 256, 1),
    shape(64, 192, 1),
    shape(64, 128, 1),
    shape(128, 64, 2),
    shape(64, 64, 1),
    shape(64, 32, 1),
    shape(64, 16, 1),
];

/// Shapes of two products' columns besides: 14336 gates and as many ups are 112 tiles of 256, 128 of 224. Results in
/// columns that are no multiple of 64 do not leave through shared memory ([`UNSTAGED_CYCLES`]). Two products have half
/// as many; of one product such tiles take 1.11 times as long as others do (mean of 22 shapes, one H200, 2026-11-30).
pub const PAIR_SHAPES: &[Shape] = &[shape(128, 224, 2), shape(64, 224, 1)];

/// Workgroups of a cluster that share a tile.
pub const SPLITS: &[u32] = &[1, 2, 4, 8];

/// Tiles along the rows that are numbered together.
pub const GROUP: u32 = 8;

/// Stages of the ring, at most: more only cost barriers.
const STAGES_MAX: u64 = 8;
/// The same where threads compute what is in them, several at a time.
const COMPUTED_STAGES_MAX: u64 = 12;
/// Stages without which copies do not hide their latency.
const STAGES_MIN: u64 = 3;
/// Outputs that leave through shared memory at a time: more would cost a stage.
const STAGED_OUTPUTS_MAX: u32 = 128 * 128;
/// Columns that leave through shared memory together, at least: a line of a swizzled box in 16 bits.
const STAGED_COLUMNS_MIN: u32 = 64;
/// The same for operands in terms: a block of theirs is multiplied several times.
const STAGES_MIN_IN_PLANES: u64 = 2;
/// Registers of a thread for sums, at most.
const REGISTERS_MAX: u64 = 128;
/// Tiles of this few columns by several warpgroups take an eighth longer than counted: of 1280×3584×4096 192 × 64 take
/// 76 µs, 64 × 192 55.
const NARROW_COLUMNS: u32 = 64;
const NARROW_EIGHTHS: u64 = 9;
/// Blocks that a workgroup of a cluster has at least.
const BLOCKS_MIN: u64 = 4;

/// What the cost depends on.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    pub tiles: u64,
    pub blocks: u64,
    pub stage_bytes: u64,
    /// Bytes of a block that are fetched, and elements that are computed of some of them.
    pub fetched: u64,
    pub expanded: u64,
    /// What these are computed of.
    pub needs: Needs,
    /// One step after another, no windows: what does not exist and units without a workgroup were measured of those.
    pub is_plain: bool,
    /// Bytes of a block's boxes behind the last row or column, which are zeros: the mean of all tiles.
    pub absent: u64,
    /// Bytes of operands and results, each once.
    pub bytes: u64,
    /// Bytes of the larger operand where several tiles read each of them, else 0.
    pub again: u64,
    pub element: ElementType,
    /// Products that a block takes and whose sums are added up in registers; 0 where the matrix unit keeps the sums.
    pub products: u64,
    /// Operands are sums of terms.
    pub in_terms: bool,
    /// Columns of a tile's results.
    pub stored_columns: u32,
    /// Results are contiguous along the columns.
    pub stores_across: bool,
}

/// Bytes of a block's boxes that do not exist, in the mean over tiles: of so many outputs along a side, in tiles of
/// `outputs`.
///
/// 32 rows in tiles of 64: half of 8 KiB.
pub fn absent(all: u64, tiles: u64, outputs: u32) -> u64 {
    let absent = tiles.saturating_mul(u64::from(outputs)).saturating_sub(all);
    absent.saturating_mul(u64::from(BOX_ROW_BYTES)) / tiles.max(1)
}

/// Bytes of the larger operand where several tiles read each of them, else 0. Of rows and of columns: bytes and tiles.
///
/// 128 rows by 4096 columns of weights, steps of 4096: in tiles of 64 rows of weights each weight is read by one
/// tile, and in those of 64 rows of the other operand by two. Both are 128 workgroups; 12.2 and 14.2 µs.
pub fn read_again(rows: (u64, u64), columns: (u64, u64)) -> u64 {
    let (larger, across) = if rows.0 > columns.0 { (rows.0, columns.1) } else { (columns.0, rows.1) };
    if across > 1 { larger } else { 0 }
}

/// Columns of a share that a warpgroup stages at a time, where results leave through shared memory.
pub fn staged_columns(shape: Shape, split: u32) -> Option<u32> {
    [128, STAGED_COLUMNS_MIN].into_iter().find(|n| {
        (shape.columns / split.max(1)).is_multiple_of(*n)
            && (*n == STAGED_COLUMNS_MIN || shape.rows * n <= STAGED_OUTPUTS_MAX)
    })
}

/// What a way of a product takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub stages: u32,
    pub asking: Asking,
    /// As many as there are tiles and parts of tiles, whether or not they run at the same time.
    pub workgroups: u64,
    /// Cycles of a workgroup's tile; of the whole grid for bytes of memory, and for exchanges within clusters.
    pub tile: u64,
    pub memory: u64,
    pub exchange: u64,
    /// As `is_plain` of a product.
    pub is_plain: bool,
    /// Cycles of all.
    pub cycles: u64,
}

/// Cycles of products whose workgroups are there at the same time. Tiles go in rounds of the longest of them.
///
/// Worked example, 132 units: 64 + 16 + 16 tiles of 64 rows of weights of 4096 steps in bf16, 32 columns each: one
/// round of 14,800 cycles, 52 MB in 20,600, 22,300 as 36 units have no tile: 28,500. Apart, by clusters of two and of
/// four, they take 19,650 and twice 9,160.
pub fn together(costs: impl Iterator<Item = Cost>, target: &Target) -> u64 {
    let (mut workgroups, mut tile, mut memory, mut exchange) = (0, 0, 0, 0);
    // Cycles for bytes that take longer where units have no workgroup.
    let mut slowed = 0;
    for cost in costs {
        workgroups += cost.workgroups;
        memory += cost.memory;
        slowed += if cost.is_plain { cost.memory } else { 0 };
        tile = cost.tile.max(tile);
        exchange = cost.exchange.max(exchange);
    }
    let units = u64::from(target.compute_units.max(1));
    let work = workgroups.div_ceil(units) * tile;
    let idle = units.saturating_sub(workgroups);
    let memory = memory + slowed * idle * IDLE_HUNDREDTHS / 100 / units;
    // What is shorter does not quite hide behind what is longer.
    work.max(memory) + work.min(memory) / 4 + exchange + TILE_CYCLES
}

/// What a shape takes whose tiles `split` workgroups share; `None` where it does not fit.
pub fn cost(shape: Shape, split: u32, product: &Product, target: &Target) -> Option<Cost> {
    let units = u64::from(target.compute_units.max(1));
    let parts = u64::from(split);
    let clustered = CLUSTERED.iter().find(|c| c.0 == split).map_or(0, |c| c.1);
    let stored = Shape { columns: product.stored_columns, ..shape };
    let staged = staged_columns(stored, split).filter(|_| !product.in_terms).unwrap_or(0);
    let staging = u64::from(shape.rows) * u64::from(staged) * 2;
    let asking = Asking::of(&product.needs, product.blocks, parts);
    let left = u64::from(target.shared_bytes_max).checked_sub(staging + asking.bytes(&product.needs) + 1024)?;
    let most = if product.expanded > 0 { COMPUTED_STAGES_MAX.min(asking.stages_max()) } else { STAGES_MAX };
    let stages = (left / product.stage_bytes.max(1)).min(most);
    let outputs = u64::from(shape.rows) * u64::from(shape.columns);
    let shared = split == 1
        || (shape.columns / split).is_multiple_of(8)
            && outputs * 4 <= stages * product.stage_bytes
            && product.blocks >= parts * BLOCKS_MIN
            && product.tiles * parts * 100 <= units * clustered;
    // Sums in registers are there besides those of the matrix unit.
    let registers = outputs / u64::from(shape.consumers) / 128 * if product.products > 0 { 2 } else { 1 };
    let fewest = if product.in_terms { STAGES_MIN_IN_PLANES } else { STAGES_MIN };
    if stages < fewest || !shared || registers > REGISTERS_MAX {
        return None;
    }
    let expand = match product.expanded {
        0 => 0,
        _ => expanding(product, Teams::of(&product.needs, shape.consumers, registers as u32)?),
    };
    let steps = 128 / product.element.storage_bytes().max(1) as u64;
    let rate = PAIRS_PER_CYCLE * 2 / product.element.storage_bytes().max(1) as u64;
    // Narrow instructions still read all rows.
    let columns = u64::from(shape.columns).max(32);
    let multiply = u64::from(shape.rows) * columns * steps / rate * product.products.max(1) * MULTIPLY_HUNDREDTHS / 100;
    let active = (product.tiles * parts).min(units);
    let fetch = (product.fetched / FETCHED_PER_CYCLE).max(product.fetched * active / CACHED_PER_CYCLE);
    let least = BLOCK_CYCLES_MIN[usize::from(shape.consumers > 1)];
    let narrow = shape.columns == NARROW_COLUMNS && shape.consumers > 1;
    let eighths = if narrow { NARROW_EIGHTHS } else { 8 };
    let absent = if product.is_plain { product.absent / ABSENT_PER_CYCLE } else { 0 };
    let block = multiply.max(fetch).max(least).max(expand) * eighths / 8 + absent + BLOCK_CYCLES;
    let share = product.stored_columns / split;
    let wide = share > STAGED_COLUMNS_MIN && !share.is_multiple_of(STAGED_COLUMNS_MIN);
    let each = if wide { UNSTAGED_CYCLES } else { STORE_CYCLES[usize::from(!product.stores_across)] };
    let store = u64::from(shape.rows) * u64::from(product.stored_columns) * each / 1024 / parts;
    let exchange = if split == 1 { 0 } else { EXCHANGE_CYCLES + outputs * ADDED_CYCLES * (parts - 1) / parts / 1024 };
    let tile = product.blocks.div_ceil(parts) * block + store + ROUND_CYCLES;
    let memory = (product.bytes + product.again / AGAIN_PART) / MEMORY_PER_CYCLE;
    let workgroups = product.tiles * parts;
    let alone = Cost {
        stages: stages as u32,
        asking,
        workgroups,
        tile,
        memory,
        exchange,
        is_plain: product.is_plain,
        cycles: 0,
    };
    Some(Cost { cycles: together([alone].into_iter(), target), ..alone })
}

/// Cycles of a block that teams of threads compute.
///
/// Worked example: 64 × 64 weights in E4M3 beside 32 rows, 24 warps: 70 cycles and 273 and 8 KiB in 51.
fn expanding(product: &Product, teams: Teams) -> u64 {
    let warps = u64::from(teams.count * teams.threads / 32).clamp(1, EXPANDING_WARPS);
    EXPANDED_BLOCK_CYCLES
        + product.expanded * EXPANDING_WARPS / (EXPANDED_PER_CYCLE * warps)
        + product.fetched / EXPANDING_FETCHED_PER_CYCLE
}

/// A product with copied operands.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    /// What it takes by [`cost`].
    pub cycles: u64,
    /// Bytes that are copied at every call, and of operands and results.
    pub copied: u64,
    pub operands: u64,
    pub results: u64,
    /// Pairs that are multiplied.
    pub pairs: u64,
}

/// Does it pay to copy operands first? Otherwise warps multiply by matrix instructions in `fed` cycles (by the model of
/// their tiles, and how far it errs), or threads do.
///
/// Worked examples. 100352 × 96 tf32 by 16 steps: 154 MB of results take 103,000 cycles, the warps' instructions 68,000
/// · 1.5: no. 197 × 3072 f32 by 768 steps in bf16 terms: 25,200 cycles and 15,400 for 25 MB of copies, by warps in tf32
/// terms 49,900: yes (H100: 25 us for 53).
pub fn copies_pay(product: &Copied, fed: Option<f64>, target: &Target) -> bool {
    let units = u64::from(target.compute_units.max(1));
    let copies = if product.copied == 0 { 0 } else { product.copied / COPIED_PER_CYCLE + LAUNCH_CYCLES };
    let moved = product.results / STORED_PER_CYCLE + product.operands / MEMORY_PER_CYCLE + TILE_CYCLES;
    match fed {
        Some(without) => product.cycles.max(moved) + copies < without as u64,
        None => product.cycles + copies < product.pairs / (THREAD_PAIRS_PER_CYCLE * units) + TILE_CYCLES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_targets::Backend;

    fn best(m: u64, n: u64, k: u64) -> (Shape, u32) {
        let target = fornax_targets::resolve(Backend::Cuda, "sm_90a").expect("sm_90a is known").target;
        let all = SHAPES.iter().flat_map(|&shape| SPLITS.iter().map(move |&split| (shape, split)));
        let costs = all.filter_map(|(shape, split)| {
            let product = Product {
                tiles: m.div_ceil(u64::from(shape.rows)) * n.div_ceil(u64::from(shape.columns)),
                blocks: k.div_ceil(64),
                stage_bytes: u64::from(shape.rows + shape.columns) * 128,
                fetched: u64::from(shape.rows + shape.columns) * 128,
                expanded: 0,
                needs: [None; 2],
                is_plain: true,
                absent: absent(m, m.div_ceil(u64::from(shape.rows)), shape.rows)
                    + absent(n, n.div_ceil(u64::from(shape.columns)), shape.columns),
                bytes: 2 * (m * k + n * k + m * n),
                again: read_again(
                    (2 * m * k, m.div_ceil(u64::from(shape.rows))),
                    (2 * n * k, n.div_ceil(u64::from(shape.columns))),
                ),
                element: ElementType::Bf16,
                products: 0,
                in_terms: false,
                stored_columns: shape.columns,
                stores_across: true,
            };
            Some((cost(shape, split, &product, &target)?.cycles, (shape, split)))
        });
        costs.min_by_key(|c| c.0).expect("a shape fits").1
    }

    #[test]
    fn large_products_take_large_tiles_and_few_tiles_are_shared() {
        for n in [2048, 4096, 8192] {
            let (large, split) = best(n, n, n);
            assert!(large.rows * large.columns >= 128 * 192 && split == 1, "{n}: {large:?}");
        }
        let (few, split) = best(64, 2048, 8192);
        assert!(split > 1 && few.columns < 256, "{few:?} by {split}");
        assert_eq!(best(6304, 768, 3072), (shape(192, 192, 3), 1), "one wave of 132");
        assert_eq!(best(128, 3072, 2048).1, 1);
        // Rows are those of the weights: 10.5 us by two workgroups a tile, 18.7 by one.
        assert_eq!(best(4096, 32, 4096), (shape(64, 32, 1), 2));
        assert_eq!(best(4096, 128, 4096), (shape(64, 128, 1), 2));
        // Columns that do not exist are none of a tile.
        assert_eq!(absent(32, 1, 64), 32 * 128);
        assert_eq!(absent(200, 2, 128), 28 * 128);
        for few in [16, 32, 64] {
            assert_eq!(best(6144, few, 4096).0.columns, few as u32);
        }
    }
}

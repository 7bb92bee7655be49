//! CPU: the schedule of attention with rows in lanes. See `lane_schedule`.
//!
//! A register tile of columns × vectors of rows takes, for a step of depth, half a cycle for each multiply-add and for
//! each load; the tile with the fewest cycles for all scores wins, and results have a tile as wide. Blocks hold as many
//! columns as keep the scores of a tile in the first-level cache. Few rows, as where a token is decoded, are left to
//! the plain ops, unless bounds say which columns they see: those compute all columns. So are rows and columns whose
//! number is known only at run time; a batch may be.
//!
//! Worked example: 128 rows and columns of 64 features on AVX-512: 4 vectors × 5 columns, two tiles of rows, one block
//! of 130 columns.

use crate::attention::lane_schedule::AttentionLanes;
use fornax_graph::ElementType;
use fornax_plan::{Attention, Body, Exprs, KernelPlan, Node, NodeId, VarId};
use fornax_targets::Target;
use fornax_targets::fitted::cpu::{CHAIN, GROUP_CYCLES, GROUPS, ROW_COST, STEP_COST, VECTOR_COST};

use crate::sizing::{LANES_MAX, power_of_two_below};

const F32_BYTES: u64 = 4;
/// Rows below which the plain ops do as well where every column is seen: lanes would be mostly empty.
const ROWS_MIN: i64 = 8;
/// Columns of a register tile, and vectors, at most.
const COLUMNS_MAX: u64 = 12;
const VECTORS_MAX: u64 = 6;
/// Bytes of a block's scores that stay in the first-level cache together with queries or results; half as many again
/// where that spares a block.
const BLOCK_BYTES: u64 = 24 * 1024;
/// What a number of heads or images that is known only at run time is taken for.
const LIKELY_BATCH: i64 = 16;

/// The schedule, if the CPU should compute the plan so.
pub fn choose(plan: &KernelPlan, target: &Target) -> Option<AttentionLanes> {
    let Body::Attention(a) = &plan.body else { return None };
    let sized = |v: VarId| plan.exprs.indices.run_extent(v).is_some();
    let has_parts = a.part.is_some() || a.stores_rows(&plan.exprs);
    if target.is_gpu() || has_parts || [a.column(), a.depth(), a.feature].into_iter().any(sized) {
        return None;
    }
    let extent = |v: VarId| plan.exprs.indices.extent(v);
    let row = a.rows.iter().copied().filter(|&v| !sized(v)).max_by_key(|&v| extent(v))?;
    let (rows, columns) = (extent(row), extent(a.column()));
    let (depth, features) = (extent(a.depth()), extent(a.feature));
    if (rows < ROWS_MIN && a.bands.is_empty()) || [columns, depth, features].iter().any(|&n| n < 1) {
        return None;
    }
    let width = (u64::from(target.vector_bytes) / F32_BYTES).clamp(1, LANES_MAX);
    let lanes = width.min(power_of_two_below(rows.min(depth).min(features) as u64));
    let registers = u64::from(target.max_registers_per_thread);
    let shape = shape((rows as u64).div_ceil(lanes), columns as u64, registers);
    let features_of_tile = (features as u64).min(even(features as u64, shape.columns));
    let block = block(columns as u64, shape, (rows as u64).div_ceil(lanes).min(shape.vectors) * lanes);
    let mut chosen = AttentionLanes {
        row,
        lanes: lanes as u32,
        vectors: shape.vectors as u32,
        columns: shape.columns as u32,
        block: block as u32,
        features: features_of_tile as u32,
        tiles: 1,
        copy_keys: !is_straight(&plan.exprs, a.key, a.depth()),
        copy_values: !is_straight(&plan.exprs, a.value, a.feature),
    };
    chosen.tiles = tiles(plan, a, &chosen);
    (chosen.scratch(plan).bytes <= i64::from(target.shared_bytes_max)).then_some(chosen)
}

/// Tiles that a workgroup takes.
fn tiles(plan: &KernelPlan, a: &Attention, s: &AttentionLanes) -> u32 {
    let points = |v: VarId| plan.exprs.indices.extent(v).max(1) as u64;
    let steps = points(a.column()).saturating_mul(points(a.depth()) + points(a.feature));
    let cycles = (steps.saturating_mul(u64::from(s.vectors)) / 2).max(1);
    let all = if plan.has_static_loops() {
        s.tiles_in_all(plan)
    } else {
        let mut likely = plan.clone();
        likely.exprs.indices = plan.exprs.indices.with_likely_extents(LIKELY_BATCH);
        s.tiles_in_all(&likely)
    };
    let all = all.max(1) as u64;
    GROUP_CYCLES.div_ceil(cycles).min(all.div_ceil(GROUPS)).clamp(1, 1 << 16) as u32
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    columns: u64,
    vectors: u64,
}

/// The register tile with the fewest cycles for all scores.
fn shape(rows: u64, columns: u64, registers: u64) -> Shape {
    let mut best = (u64::MAX, Shape { columns: 1, vectors: 1 });
    for vectors in 1..=rows.min(VECTORS_MAX) {
        // Besides the sums: the vectors of rows and a broadcast element.
        for count in (1..=columns.min(COLUMNS_MAX)).take_while(|c| c * vectors + vectors < registers) {
            let tiles = rows.div_ceil(vectors) * columns.div_ceil(count);
            let half_cycles = (count * vectors).max(count + vectors).max(CHAIN);
            let cost = tiles * (8 * half_cycles + STEP_COST + ROW_COST * count + VECTOR_COST * vectors);
            if cost < best.0 {
                best = (cost, Shape { columns: count, vectors });
            }
        }
    }
    best.1
}

/// The number up to `most` that cuts `total` in parts of nearly one size.
fn even(total: u64, most: u64) -> u64 {
    total.div_ceil(total.div_ceil(most.max(1)).max(1)).max(1)
}

/// Columns of a block.
fn block(columns: u64, shape: Shape, rows: u64) -> u64 {
    let most = (BLOCK_BYTES / (F32_BYTES * rows.max(1))).max(shape.columns);
    let wanted = if columns <= most + most / 2 { columns } else { even(columns, most) };
    wanted.next_multiple_of(shape.columns)
}

/// f32 elements along `inner` are contiguous.
fn is_straight(exprs: &Exprs, node: NodeId, inner: VarId) -> bool {
    match *exprs.node(node) {
        Node::Load { element: ElementType::F32, offset, mask: None, .. } => {
            exprs.indices.stride(offset, inner) == Some(1)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn register_tiles_fill_the_registers_and_divide_the_rows() {
        assert_eq!(shape(8, 768, 32), Shape { columns: 6, vectors: 4 });
        assert_eq!(shape(8, 128, 32), Shape { columns: 5, vectors: 4 });
        assert_eq!(shape(5, 77, 32), Shape { columns: 5, vectors: 5 });
        let narrow = shape(16, 128, 16);
        assert!(narrow.vectors * (narrow.columns + 1) < 16, "{narrow:?}");
    }

    #[test]
    fn blocks_are_whole_register_tiles_of_nearly_one_size() {
        let shape = Shape { columns: 6, vectors: 4 };
        assert_eq!(block(128, shape, 64), 132);
        assert_eq!(block(512, shape, 64), 90);
    }
}

//! Attention by `mma.sync`: how many warps, how wide the tiles of columns, and where the queries stay.
//!
//! Heads of up to 128 features of 16 bits keep their queries in registers. Longer ones, and f32, whose products are
//! split in three, leave them in shared memory: the tiles then take what the launch gives, and where that is too
//! little, fewer warps and columns.
//!
//! Worked example: 256 features of bf16: 64 rows, 32 columns: 2 · 32 · 528 bytes of keys and values, 64 · 528 of
//! queries: 66 KiB. 128 of f32: the same. Values of f32 have at most 128 features: more results and what split products
//! need do not fit the registers.

use crate::attention::schedule::{AttentionSchedule, AttentionTiles};
use fornax_graph::ElementType;
use fornax_plan::{Attention, KernelPlan};
use fornax_targets::{Feature, Target};

/// Elements of a vector of 16 bits whose queries fit the registers, and of any vector.
const HELD_MAX: i64 = 128;
const ELEMENTS_MAX: i64 = 256;
/// Features of f32 values, at most; those of 16 bits next to which only 32 columns of scores have room. Of f32 32 are
/// faster and spill nothing.
const WIDE_MAX: i64 = 128;
const MANY: i64 = 128;
/// Warps of a workgroup and columns of a tile, the best first.
const WAYS: &[(u32, u32)] = &[(4, 64), (4, 32), (4, 16), (2, 32), (2, 16), (1, 16)];

/// The schedule, if vectors are not too long.
pub fn choose(plan: &KernelPlan, a: &Attention, target: &Target) -> Option<AttentionSchedule> {
    let extent = |var| plan.exprs.indices.extent(var);
    let (depth, features, columns) = (extent(a.depth()), extent(a.feature), extent(a.column()));
    let longest = depth.max(features);
    let wide = plan.exprs.element(a.query) == ElementType::F32;
    if longest > ELEMENTS_MAX || wide && (features > WIDE_MAX || !target.has(Feature::MmaTf32)) {
        return None;
    }
    let warps = a.row_count(&plan.exprs).div_ceil(16).clamp(1, 4).next_power_of_two() as u32;
    if !wide && longest <= HELD_MAX {
        let columns = if columns <= 32 { 32 } else { 64 };
        return Some(AttentionSchedule {
            warps,
            row_tiles: 1,
            columns,
            bulk: None,
            stream: None,
            tiles: None,
            chunks: None,
        });
    }
    let tiles =
        AttentionTiles { element_bytes: if wide { 4 } else { 2 }, depth: depth as u32, features: features as u32 };
    let most = if wide || features > MANY || columns <= 32 { 32 } else { 64 };
    let ways = WAYS.iter().filter(|w| w.0 <= warps.max(1) && w.1 <= most);
    let schedule = |&(warps, columns): &(u32, u32)| AttentionSchedule {
        warps,
        row_tiles: 1,
        columns,
        bulk: None,
        stream: None,
        tiles: Some(tiles),
        chunks: None,
    };
    ways.map(schedule).find(|s| s.shared_bytes() <= target.shared_bytes_max)
}

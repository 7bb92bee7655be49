//! Which schedules of a contraction let a GPU workgroup compute one rectangle of outputs, so that the emitter stages
//! both operands in shared memory: every thread's tile divides the domain, a power of two of threads lies across, and a
//! block of contraction steps divides the innermost contraction variable.

use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_plan::{Body, KernelPlan};
use fornax_targets::Target;

/// Contraction steps of a block, best first.
const BLOCKS: &[u64] = &[16, 8];
/// Elements that a thread fetches of one operand for a block, at most.
const FETCHED_MAX: u64 = 32;
/// Elements between two steps in shared memory beyond those of a step.
const PADDING: u64 = 4;

/// Outputs of a workgroup along both operands, and the steps of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub rows: u64,
    pub columns: u64,
    pub block: u64,
}

/// Tiles and covered outputs of the variables of one operand.
#[derive(Clone, Copy, Default)]
struct Side {
    tiles: u64,
    covered: u64,
}

/// The squarest rectangle for `schedule.tile_threads` threads.
pub(super) fn find(plan: &KernelPlan, target: &Target, schedule: &TileSchedule) -> Option<Rectangle> {
    let Body::Contraction { reduction, lhs, rhs, accumulator, .. } = &plan.body else { return None };
    let (vector, _) = schedule.vector.filter(|(v, n)| *n > 1 && plan.domain.contains(v))?;
    let varies = |node, var| plan.exprs.node_varies(node, var);
    let (row_node, column_node) = match (varies(*lhs, vector), varies(*rhs, vector)) {
        (false, true) => (*lhs, *rhs),
        (true, false) => (*rhs, *lhs),
        _ => return None,
    };
    let start = Side { tiles: 1, covered: 1 };
    let (mut rows, mut columns) = (start, start);
    let mut any_rows = false;
    for &var in &plan.domain {
        let (extent, step) = (plan.exprs.indices.extent(var).max(1) as u64, schedule.tile_extent(var));
        if extent % step != 0 {
            return None;
        }
        let side = match (varies(row_node, var), varies(column_node, var)) {
            (true, false) => &mut rows,
            (false, true) => &mut columns,
            _ if step == 1 => continue,
            _ => return None,
        };
        any_rows |= varies(row_node, var);
        if step > 1 && side.covered > 1 {
            return None;
        }
        side.tiles *= extent / step;
        side.covered *= step;
    }
    let inner = plan.exprs.indices.extent(*reduction.last()?) as u64;
    let bytes = accumulator.storage_bytes().max(4) as u64;
    let threads = u64::from(schedule.tile_threads);
    let block = BLOCKS.iter().copied().find(|b| inner.is_multiple_of(*b) && inner >= 2 * b)?;
    let fits = |side: Side, tiles: u64| {
        let elements = tiles * side.covered * block;
        side.tiles.is_multiple_of(tiles) && elements.is_multiple_of(threads) && elements / threads <= FETCHED_MAX
    };
    let splits = (0..=threads.ilog2()).map(|power| (threads >> power, 1u64 << power));
    let found = splits
        .filter(|&(down, across)| any_rows && fits(rows, down) && fits(columns, across))
        .map(|(down, across)| Rectangle { rows: down * rows.covered, columns: across * columns.covered, block })
        .filter(|r| {
            2 * block * (r.rows + r.columns + 2 * PADDING) * bytes <= u64::from(target.static_shared_bytes_max)
        });
    found.min_by_key(|r| r.rows + r.columns)
}

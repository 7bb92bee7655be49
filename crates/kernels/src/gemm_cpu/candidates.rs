//! CPU: the schedule of a product in panels, and whether its column operand is packed. See `schedule`.
//!
//! A register tile of rows × vectors takes, for a step of the contraction, half a cycle for each multiply-add and for
//! each load, four cycles at least for the latency of an addition; an operand that is used only a few times comes from
//! the second-level cache. The tile with the fewest cycles for all outputs wins. Pieces are cut so that the panel of
//! the column operand fits the first-level cache. Depthwise convolutions (both operands move along the lanes) and
//! products without a packable column operand are left to register tiles (family `tile`).
//!
//! Worked example: [512, 768]·[768, 768] f32 on AVX-512: tiles of 14 rows × 2 vectors, 37 · 24 of them; three pieces of
//! 256 steps; the constant right operand is packed when the module is loaded.

use crate::gemm_cpu::schedule::PanelSchedule;
use fornax_graph::ElementType;
use fornax_plan::form::points;
use fornax_plan::{Body, ContractionForm, KernelPlan, NodeId, VarId};
use fornax_targets::Target;
use fornax_targets::fitted::cpu::{FAR_HALF_CYCLES, GROUP_CYCLES, GROUPS, ROW_COST, STEP_COST, VECTOR_COST};

use super::pack::{self, Source};
use crate::access::{Load, Step, loads, step, work};
use crate::sizing::{LANES_MAX, SHORT_MAX, power_of_two_below};

/// Bytes of a column panel that stay in the second-level cache while rows go by, and in the first-level cache.
const PANEL_BYTES: u64 = 384 * 1024;
const NEAR_BYTES: u64 = 32 * 1024;
/// Row tiles from which a cut contraction uses its panels often enough.
const CUT_TILES_MIN: u64 = 4;
/// Rows and column tiles of a workgroup, at most.
const BLOCK_ROWS: u64 = 128;
const BLOCK_ROW_BYTES: u64 = 512 * 1024;
const BLOCK_COLUMN_TILES: u64 = 8;
/// Column tiles that a workgroup has before it has more rows: rows are copied, or come from far, once for all of them.
const COLUMN_TILES_FIRST: u64 = 4;
/// Bytes of the column operand that a workgroup reads, where the next one reads them again: a part of a second-level
/// cache.
const AGAIN_BYTES: u64 = 512 * 1024;
/// Workgroups from which it matters little to which thread the last one falls, and numbers of threads that fewer are
/// cut for.
const FEW_GROUPS: u64 = 16;
const THREADS: [u64; 2] = [2, 4];
/// Rows of known number from which they lie along a tile rather than those of unknown number.
const KNOWN_ROWS_MIN: u64 = 6;
/// Rows of a tile, and vectors, at most.
const ROWS_MAX: u64 = 14;
const VECTORS_MAX: u64 = 6;
/// Bytes from which a constant operand is packed, and any other, and the row tiles that must use the copy.
const CONSTANT_BYTES: i64 = 32 * 1024;
const LARGE_BYTES: i64 = 256 * 1024;
const USES_MIN: u64 = 6;
/// Work of an element that is loaded and converted.
const PLAIN_WORK: u64 = 2;

/// Schedules a contraction in panels, if it can be: `None` leaves the plan as it is. The plan of the kernel that packs
/// the column operand, and the buffer it packs, where that pays. `is_constant` tells of a buffer whether it is the same
/// in every call.
pub fn schedule(
    plan: &mut KernelPlan,
    target: &Target,
    is_constant: &dyn Fn(u32) -> bool,
) -> Option<Option<(u32, KernelPlan)>> {
    if target.is_gpu() {
        return None;
    }
    let mut choice = choose(plan, target)?;
    let copy = packed(plan, target, &mut choice, is_constant)?;
    plan.set_schedule(choice.chosen);
    Some(copy)
}

/// A schedule that reads the column operand where it is.
struct Choice {
    chosen: PanelSchedule,
    form: ContractionForm,
    /// Row tiles, where their number is known.
    uses: Option<u64>,
}

/// The schedule, with likely numbers for extents known only at run time.
fn choose(plan: &KernelPlan, target: &Target) -> Option<Choice> {
    let likely = (!plan.has_static_loops()).then(|| {
        let mut likely = plan.clone();
        likely.exprs.indices = plan.exprs.indices.with_likely_extents(plan.likely_size());
        likely
    });
    let sized = |v: &VarId| plan.exprs.indices.run_extent(*v).is_some();
    let plan = likely.as_ref().unwrap_or(plan);
    let form = ContractionForm::of(plan)?;
    if form.steps.iter().any(sized) {
        return None;
    }
    if !matches!(form.accumulator, ElementType::F32 | ElementType::F64 | ElementType::I32) {
        return None;
    }
    let element_bytes = form.accumulator.storage_bytes() as u64;
    let column = column(plan, &form).filter(|v| !sized(v))?;
    let extent = |v: VarId| plan.exprs.indices.extent(v).max(1) as u64;
    let width = (u64::from(target.vector_bytes) / element_bytes).clamp(1, LANES_MAX);
    let lanes = width.min(power_of_two_below(extent(column)));
    if lanes < 4.min(width) || lanes < 2 {
        return None;
    }
    let row = row(&form, &extent, &sized);
    let outer_rows: Vec<VarId> = form.rows.iter().copied().filter(|&v| Some(v) != row).collect();
    let mut batch = form.batch.clone();
    batch.extend(form.columns.iter().copied().filter(|&v| v != column));
    let outer = points(&plan.exprs, &outer_rows).max(1) as u64;
    let registers = u64::from(target.max_registers_per_thread);
    let steps = points(&plan.exprs, &form.steps).max(1) as u64;
    let (height, vectors) = {
        let vector_bytes = lanes * element_bytes;
        let rows = (row.map_or(1, extent), outer);
        let vector = Vector { lanes, bytes: vector_bytes, panel_bytes: steps * vector_bytes };
        shape(rows, extent(column), vector, registers)
    };
    let mut chosen = PanelSchedule {
        batch,
        outer_rows,
        row: row.map(|v| (v, height as u32)),
        column,
        lanes: lanes as u32,
        vectors: vectors as u32,
        row_tiles: 1,
        column_tiles: 1,
        depth: None,
        panel: None,
        rows_are_lhs: !form.swapped,
        copy_rows: false,
        lays_columns: false,
    };
    let (row_tiles, column_tiles) = chosen.tiles(plan);
    let (row_tiles, column_tiles) = (row_tiles.max(1) as u64, column_tiles.max(1) as u64);
    if row_tiles >= CUT_TILES_MIN {
        let most = PANEL_BYTES / (chosen.width() as u64 * element_bytes);
        chosen.depth = cut(plan, &form.steps, most.max(1), lanes);
    }
    let tile_cycles = (steps * height * vectors / 2).max(1);
    let all = points(&plan.exprs, &chosen.batch).max(1) as u64 * row_tiles * column_tiles;
    let tiles = (all / GROUPS).max(GROUP_CYCLES.div_ceil(tile_cycles)).max(1);
    let piece = chosen.piece(plan).max(1) as u64;
    let rows_most = BLOCK_ROWS.min(BLOCK_ROW_BYTES / (piece * element_bytes)) / height;
    let rows_most = rows_most.max(1).min(row_tiles);
    // Of what the next workgroup reads again, with other rows, no more than stays near; rows that are copied are so for
    // several column tiles.
    let panel = steps * chosen.width() as u64 * element_bytes;
    let again = if is_plain(&form) { (AGAIN_BYTES / panel).max(1) } else { COLUMN_TILES_FIRST };
    let columns = column_tiles.min(COLUMN_TILES_FIRST).min(again).min(tiles);
    let rows = rows_most.min((tiles / columns).max(1));
    let columns = column_tiles.min(BLOCK_COLUMN_TILES).min((tiles / rows).max(columns));
    let most = (even(row_tiles, rows), even(column_tiles, columns));
    let block = shared((row_tiles, column_tiles), points(&plan.exprs, &chosen.batch).max(1) as u64, most);
    (chosen.row_tiles, chosen.column_tiles) = (block.0 as u32, block.1 as u32);
    chosen.copy_rows = copies_rows(plan, &chosen, &form);
    while chosen.scratch(plan).bytes > i64::from(target.shared_bytes_max) {
        if chosen.row_tiles == 1 {
            return None;
        }
        chosen.row_tiles = chosen.row_tiles.div_ceil(2);
    }
    let uses = likely.is_none().then_some(row_tiles);
    Some(Choice { chosen, form, uses })
}

/// The variable along the rows of a tile: the longest. One known only at run time, and then the innermost, where no
/// other is as long as a tile.
fn row(form: &ContractionForm, extent: &dyn Fn(VarId) -> u64, sized: &dyn Fn(&VarId) -> bool) -> Option<VarId> {
    let known = form.rows.iter().copied().filter(|v| !sized(v)).max_by_key(|&v| extent(v));
    let open = form.rows.iter().copied().rfind(sized);
    match known {
        Some(known) if open.is_none() || extent(known) >= KNOWN_ROWS_MIN => Some(known),
        _ => open,
    }
}

/// The variable that lanes lie along: of those of the column operand one along which results are contiguous, else its
/// operand.
fn column(plan: &KernelPlan, form: &ContractionForm) -> Option<VarId> {
    let Body::Contraction { stores, .. } = &plan.body else { return None };
    let offset = stores.first()?.offset;
    let stored = |v: &VarId| step(&plan.exprs, offset, *v).is_one();
    let loaded = |v: &VarId| unit_steps(plan, form.column_operand.node, *v);
    let by = |f: &dyn Fn(&VarId) -> bool| form.columns.iter().copied().find(|v| f(v));
    by(&stored).or_else(|| by(&loaded))
}

/// All loads of a node step by one or not at all with the variable, one of them at least by one.
fn unit_steps(plan: &KernelPlan, node: NodeId, var: VarId) -> bool {
    let steps: Vec<Step> = loads(&plan.exprs, &[node]).iter().map(|l| step(&plan.exprs, l.offset, var)).collect();
    steps.iter().any(|s| s.is_one()) && steps.iter().all(|s| s.is_one() || *s == Step::Same)
}

/// A vector of columns.
#[derive(Clone, Copy)]
struct Vector {
    lanes: u64,
    bytes: u64,
    /// Bytes of one vector at every step.
    panel_bytes: u64,
}

/// Rows and vectors of a register tile: the fewest cycles for all outputs, then the fewest loads. The first pair is
/// the extent of the variable along the rows and the rows outside of it.
fn shape((rows, outer): (u64, u64), columns: u64, width: Vector, registers: u64) -> (u64, u64) {
    let Vector { lanes, bytes, panel_bytes } = width;
    let all_vectors = columns.div_ceil(lanes);
    let far_vector = (FAR_HALF_CYCLES * bytes).div_ceil(64);
    let mut best = (u64::MAX, (1, 1));
    for row in 1..=rows.min(ROWS_MAX) {
        // Besides the sums: the vectors of one operand and a broadcast scalar of the other.
        for vector in (1..=all_vectors.min(VECTORS_MAX)).take_while(|v| row * v + v < registers) {
            let tiles = outer * rows.div_ceil(row) * all_vectors.div_ceil(vector);
            let far = if vector * panel_bytes > NEAR_BYTES { far_vector * vector } else { vector };
            let half_cycles = (row * vector).max(row + vector).max(8).max(far);
            let cost = tiles * (8 * half_cycles + STEP_COST + ROW_COST * row + VECTOR_COST * vector);
            if cost < best.0 {
                best = (cost, (row, vector));
            }
        }
    }
    best.1
}

/// Where a contraction of more than `most` steps is cut: pieces of even length.
fn cut(plan: &KernelPlan, steps: &[VarId], most: u64, lanes: u64) -> Option<(VarId, u32)> {
    let mut inner = 1u64;
    for &var in steps.iter().rev() {
        let extent = plan.exprs.indices.extent(var).max(1) as u64;
        // A quarter more than fits costs less than a cut.
        if inner.saturating_mul(extent) > most + most / 4 {
            let pieces = extent.div_ceil((most / inner).max(1));
            let length = extent.div_ceil(pieces);
            let length = if inner == 1 { length.next_multiple_of(lanes) } else { length };
            return Some((var, u32::try_from(length.min(extent)).ok()?));
        }
        inner *= extent;
    }
    None
}

/// The number up to `most` that cuts `total` in parts of nearly one size.
fn even(total: u64, most: u64) -> u64 {
    total.div_ceil(total.div_ceil(most.max(1)).max(1)).max(1)
}

/// Tiles of a workgroup, not above `most`, where there are few workgroups: those that keep the busiest of two and of
/// four threads the least busy.
///
/// Worked example: 16 column tiles, six a workgroup at most: threads that take six, six and four are done after ten at
/// best; with four workgroups of four tiles, two threads are done after eight, and four threads after four.
fn shared((rows, columns): (u64, u64), batch: u64, most: (u64, u64)) -> (u64, u64) {
    let groups = |(r, c): (u64, u64)| batch.saturating_mul(rows.div_ceil(r)).saturating_mul(columns.div_ceil(c));
    if groups(most) >= FEW_GROUPS || groups(most) < 2 {
        return most;
    }
    let busiest =
        |block: (u64, u64)| -> u64 { THREADS.iter().map(|n| n * groups(block).div_ceil(*n) * block.0 * block.1).sum() };
    let halves = |most: u64| most.div_ceil(2)..=most;
    let blocks = halves(most.0).flat_map(|r| halves(most.1).map(move |c| (r, c)));
    let large = blocks.filter(|(r, c)| 2 * r * c >= most.0 * most.1);
    large.min_by_key(|&block| (busiest(block), std::cmp::Reverse(block.0 * block.1))).unwrap_or(most)
}

/// Packs the column operand where that pays; `None` where the product cannot run in panels without, and it does not
/// pay.
fn packed(
    plan: &mut KernelPlan,
    target: &Target,
    Choice { chosen, form, uses }: &mut Choice,
    is_constant: &dyn Fn(u32) -> bool,
) -> Option<Option<(u32, KernelPlan)>> {
    let straight = unit_steps(plan, form.column_operand.node, chosen.column);
    if !straight && uses.is_some() && lays_columns(plan, target, (chosen, form)) {
        chosen.lays_columns = true;
        return Some(None);
    }
    let Some(source) = pack::source(plan, form.column_operand.node, chosen, target) else {
        return straight.then_some(None);
    };
    let often = uses.is_some_and(|uses| uses >= USES_MIN);
    let (constant, bytes) = (is_constant(source.buffer), source.bytes(plan, chosen)?);
    let pays = match (constant, straight) {
        (true, true) => bytes > CONSTANT_BYTES,
        (true, false) => true,
        (false, true) => bytes > LARGE_BYTES && often,
        // A call of few rows must not pay for a copy that only many use, but where they cannot do without.
        (false, false) => often || uses.is_none(),
    };
    // An operand of one panel that steps by one is as it would be packed.
    let one = chosen.tiles(plan).1 == 1 && straight;
    if !pays || one {
        return straight.then_some(None);
    }
    let Source { buffer, .. } = source;
    Some(Some((buffer, pack::rewrite(plan, &source, chosen)?)))
}

/// Are columns computed in scratch? Those that lie along the steps, in whole vectors, and are more than a load, where
/// more rows go by than a GEMV has.
fn lays_columns(plan: &KernelPlan, target: &Target, (chosen, form): (&PanelSchedule, &ContractionForm)) -> bool {
    let Some(&inner) = form.steps.last() else { return false };
    let node = form.column_operand.node;
    let (lanes, extent) = (u64::from(chosen.lanes), plan.exprs.indices.extent(inner).max(0) as u64);
    let lies_along = |load: &Load| matches!(step(&plan.exprs, load.offset, inner), Step::Same | Step::By(1));
    let laid = PanelSchedule { lays_columns: true, ..chosen.clone() };
    points(&plan.exprs, &form.rows) > SHORT_MAX
        && work(plan, &[node]) > PLAIN_WORK
        && loads(&plan.exprs, &[node]).iter().all(lies_along)
        && lanes.is_power_of_two()
        && extent.is_multiple_of(lanes)
        && extent > 0
        && laid.scratch(plan).bytes <= i64::from(target.shared_bytes_max)
}

/// Are rows copied to scratch? Where an element is computed, converted or masked, it is so once for all column tiles.
/// One that is masked is so a vector at a time then, which pays for one column tile too. (Plain rows are read where
/// they are: copies of them never paid, not even where rows lie a power of two apart.)
fn copies_rows(plan: &KernelPlan, chosen: &PanelSchedule, form: &ContractionForm) -> bool {
    let Some(&inner) = form.steps.last() else { return false };
    let is_wide = plan.exprs.indices.extent(inner) >= i64::from(chosen.lanes);
    let is_masked = form.row_operand.load.is_some_and(|l| l.mask.is_some()) && is_wide;
    if (chosen.column_tiles < 2 && !is_masked) || !unit_steps(plan, form.row_operand.node, inner) {
        return false;
    }
    !is_plain(form)
}

/// Elements of rows are used as they lie in memory.
fn is_plain(form: &ContractionForm) -> bool {
    form.row_operand.load.is_some_and(|l| l.mask.is_none() && form.row_operand.element == form.accumulator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_fit_registers_and_extents() {
        let vector = |lanes, panel_bytes| Vector { lanes, bytes: 4 * lanes, panel_bytes };
        assert_eq!(shape((512, 1), 768, vector(16, 49152), 32), (6, 4));
        assert_eq!(shape((128, 1), 768, vector(16, 49152), 32), (8, 3));
        assert_eq!(shape((512, 1), 768, vector(8, 24576), 16), (4, 3));
        assert_eq!(shape((7, 7), 512, vector(16, 32768), 32), (7, 3));
        assert_eq!(shape((1, 1), 768, vector(16, 49152), 32).0, 1);
    }

    #[test]
    fn blocks_are_even() {
        assert_eq!(even(10, 4), 4);
        assert_eq!(even(12, 9), 6);
        assert_eq!(even(5, 8), 5);
    }

    #[test]
    fn few_workgroups_are_of_one_load() {
        assert_eq!(shared((1, 16), 1, (1, 6)), (1, 4));
        assert_eq!(shared((1, 22), 1, (1, 6)), (1, 6));
        assert_eq!(shared((3, 5), 1, (3, 3)), (2, 3));
        // One workgroup stays one; many stay as large as they are.
        assert_eq!(shared((1, 6), 1, (1, 6)), (1, 6));
        assert_eq!(shared((16, 16), 8, (4, 6)), (4, 6));
    }
}

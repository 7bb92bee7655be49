//! The schedule of products on CPUs: blocks of outputs, register tiles, and a contraction cut into pieces that stay in
//! the caches.
//!
//! A workgroup computes `row_tiles × column_tiles` register tiles of `rows × (vectors · lanes)` outputs. The
//! contraction is cut into pieces; for each piece the workgroup walks its column tiles, and inside of them its row
//! tiles, so that one panel of the column operand (piece × tile) stays in the first-level cache and the rows of the
//! piece in the second. Sums wait in scratch between pieces. Tiles that would reach over the end of an extent start
//! earlier and compute some outputs twice.
//!
//! Worked example: [2048, 2048]·[2048, 2048] f32 on AVX-512: tiles of 14 rows × 2 vectors of 16, pieces of 256 steps: a
//! panel is 256 · 32 floats, 32 KiB. A workgroup has 9 × 4 tiles, 126 × 128 outputs, whose sums take 63 KiB of scratch.
//!
//! Rows, what is outside of them, and the batch may be known only at run time: their extents are values then.
//!
//! With `panel`, the column operand is read from a packed copy: [.., panels, steps.., width], `width` the columns of a
//! tile; the last panel starts where the last tile does. With `lays_columns` each workgroup computes such a panel in
//! scratch: of weights in blocks memory is read as few bytes as they have.

use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{Body, KernelPlan, LaunchFactor, LaunchFormula, VarId};

/// For `Body::Contraction` on CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanelSchedule {
    /// Domain variables that a workgroup has one value of.
    pub batch: Vec<VarId>,
    /// Domain variables that the row operand moves with and that are walked one by one, outside of `row`.
    pub outer_rows: Vec<VarId>,
    /// The variable along the rows of a register tile, and how many it has; `None` where the product has one row.
    pub row: Option<(VarId, u32)>,
    /// The variable along the columns.
    pub column: VarId,
    pub lanes: u32,
    /// Vectors of a register tile.
    pub vectors: u32,
    /// Register tiles of a workgroup.
    pub row_tiles: u32,
    pub column_tiles: u32,
    /// The reduction variable that is cut and the steps of it in a piece. Those before it have one value a piece, those
    /// after it all. `None`: one piece.
    pub depth: Option<(VarId, u32)>,
    /// The column operand is packed: the variables that stand for the column tile and the column in it.
    pub panel: Option<(VarId, VarId)>,
    /// The row operand is the body's lhs.
    pub rows_are_lhs: bool,
    /// Rows of a piece are copied to scratch, converted and masked, before they are used.
    pub copy_rows: bool,
    /// The column operand is computed: a column tile's part of a piece is laid in scratch, once for all row tiles.
    pub lays_columns: bool,
}

/// Where things lie in scratch, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PanelScratch {
    /// Elements from one copied row to the next.
    pub pitch: i64,
    /// Where the copied rows start; sums are before them.
    pub rows_at: i64,
    /// Where the columns that are laid down start.
    pub columns_at: i64,
    pub bytes: i64,
}

/// Elements between copied rows beyond those of a piece: spreads rows over the cache's sets.
const ROW_PADDING: i64 = 16;
const ALIGNMENT: i64 = 64;

impl PanelSchedule {
    /// Columns of a register tile, before the extent bounds them.
    pub fn width(&self) -> i64 {
        i64::from(self.lanes) * i64::from(self.vectors)
    }

    /// Rows of a register tile.
    pub fn height(&self) -> i64 {
        self.row.map_or(1, |r| i64::from(r.1))
    }

    /// Register tiles along the rows, and along the columns.
    pub fn tiles(&self, plan: &KernelPlan) -> (i64, i64) {
        let extent = |v: VarId| plan.exprs.indices.extent(v).max(0);
        let rows = self.row.map_or(1, |(v, n)| ceil(extent(v), i64::from(n)));
        let rows = self.outer_rows.iter().map(|&v| extent(v)).fold(rows, i64::saturating_mul);
        (rows, ceil(extent(self.column), self.width()))
    }

    /// Blocks of tiles along the rows, and along the columns.
    pub fn blocks(&self, plan: &KernelPlan) -> (i64, i64) {
        let (rows, columns) = self.tiles(plan);
        (ceil(rows, i64::from(self.row_tiles)), ceil(columns, i64::from(self.column_tiles)))
    }

    /// Workgroups.
    pub fn groups(&self, plan: &KernelPlan) -> u64 {
        let extent = |v: &VarId| plan.exprs.indices.extent(*v).max(0);
        let batch = self.batch.iter().map(extent).fold(1, i64::saturating_mul);
        let (rows, columns) = self.blocks(plan);
        [rows, columns].iter().fold(batch.max(0) as u64, |n, &b| n.saturating_mul(b.max(0) as u64))
    }

    /// Steps of the contraction in one piece, at most.
    pub fn piece(&self, plan: &KernelPlan) -> i64 {
        let reduction = plan.body.reduction();
        let extent = |v: &VarId| plan.exprs.indices.extent(*v).max(1);
        match self.depth {
            None => reduction.iter().map(extent).product(),
            Some((var, steps)) => {
                let inner = reduction.iter().skip_while(|&&v| v != var).skip(1);
                inner.map(extent).product::<i64>().saturating_mul(i64::from(steps))
            }
        }
    }

    /// What the kernel needs of its thread's scratch.
    pub fn scratch(&self, plan: &KernelPlan) -> PanelScratch {
        let Body::Contraction { accumulator, .. } = &plan.body else { return PanelScratch::default() };
        let element = accumulator.storage_bytes() as i64;
        let tile = self.height() * self.width() * element;
        let sums =
            if self.depth.is_some() { tile * i64::from(self.row_tiles) * i64::from(self.column_tiles) } else { 0 };
        let rows_at = ceil(sums, ALIGNMENT) * ALIGNMENT;
        let mut scratch = PanelScratch { pitch: 0, rows_at, columns_at: rows_at, bytes: rows_at };
        if self.copy_rows {
            scratch.pitch = ceil(self.piece(plan), ROW_PADDING) * ROW_PADDING + ROW_PADDING;
            let rows = self.height() * i64::from(self.row_tiles);
            let bytes = rows.saturating_mul(scratch.pitch).saturating_mul(element).saturating_add(rows_at);
            scratch.columns_at = ceil(bytes, ALIGNMENT).saturating_mul(ALIGNMENT);
            scratch.bytes = bytes;
        }
        if self.lays_columns {
            let columns = self.piece(plan).saturating_mul(self.width()).saturating_mul(element);
            scratch.bytes = scratch.columns_at.saturating_add(columns);
        }
        scratch
    }

    /// Where column `column` lies in the packed copy: its panel and its place in it.
    pub fn place(&self, extent: i64, column: i64) -> (i64, i64) {
        let width = self.width().clamp(1, extent.max(1));
        let panel = column / width;
        (panel, column - (panel * width).min(extent - width))
    }
}

fn ceil(a: i64, b: i64) -> i64 {
    let b = b.max(1);
    a / b + i64::from(a % b > 0)
}

impl Schedule for PanelSchedule {
    fn way(&self, _: &KernelPlan) -> String {
        let depth = self.depth.map_or("all".to_string(), |d| d.1.to_string());
        format!(
            "panel {}x{} tiles {}x{} depth {depth}{}{}{}",
            self.row.map_or(1, |r| r.1),
            self.lanes * self.vectors,
            self.row_tiles,
            self.column_tiles,
            if self.panel.is_some() { " packed" } else { "" },
            if self.copy_rows { " rows copied" } else { "" },
            if self.lays_columns { " columns laid" } else { "" }
        )
    }

    fn text(&self, names: &dyn Names) -> String {
        let row = self.row.map_or("one".to_string(), |(v, n)| format!("{} x {n}", names.var(v)));
        let depth = self.depth.map_or("whole".to_string(), |(v, n)| format!("{} x {n}", names.var(v)));
        let packed = self.panel.map_or(String::new(), |(p, i)| format!(" packed {}, {}", names.var(p), names.var(i)));
        let list = |vars: &[VarId]| vars.iter().map(|&v| names.var(v)).collect::<Vec<_>>().join(", ");
        let (batch, outer, column) = (list(&self.batch), list(&self.outer_rows), names.var(self.column));
        let (lanes, vectors, left) = (self.lanes, self.vectors, if self.rows_are_lhs { "lhs" } else { "rhs" });
        let copy = if self.copy_rows { " copied" } else { "" };
        let laid = if self.lays_columns { " laid" } else { "" };
        format!(
            "panel batch [{batch}] rows {left}{copy} [{outer}] {row} tiles {} columns{laid} {column} x {lanes} x \
             {vectors} tiles {} depth {depth}{packed}",
            self.row_tiles, self.column_tiles
        )
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        ([self.groups(plan).max(1), 1, 1], 1)
    }

    fn launch_formula(&self, _: &KernelPlan) -> Option<LaunchFormula> {
        let tiles = |n: i64, tiles: u32| n.max(1) as u64 * u64::from(tiles.max(1));
        let inner = self.row.map(|(var, height)| (var, u64::from(height.max(1))));
        let rows = LaunchFactor { vars: self.outer_rows.clone(), inner, step: tiles(1, self.row_tiles) };
        let columns = LaunchFactor::of(vec![self.column], tiles(self.width(), self.column_tiles));
        let batch = self.batch.iter().map(|&var| LaunchFactor::of(vec![var], 1));
        Some(LaunchFormula { factors: [rows, columns].into_iter().chain(batch).collect(), per_group: 1, most: None })
    }

    fn points_per_thread(&self, _: &KernelPlan) -> u64 {
        u64::from(self.row_tiles) * u64::from(self.column_tiles)
    }

    fn scratch_bytes(&self, plan: &KernelPlan) -> u32 {
        u32::try_from(self.scratch(plan).bytes).unwrap_or(u32::MAX)
    }

    fn own_vars(&self) -> Vec<VarId> {
        self.panel.map_or(Vec::new(), |(panel, inside)| vec![panel, inside])
    }

    fn own_values(&self, plan: &KernelPlan, value: &dyn Fn(VarId) -> i64) -> Vec<i64> {
        let (panel, inside) = self.place(plan.exprs.indices.extent(self.column), value(self.column));
        vec![panel, inside]
    }
}

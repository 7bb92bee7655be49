//! The schedule of contractions by warpgroups: bulk tensor copies into a ring of stages, warpgroup matrix multiplies, a
//! persistent grid.
//!
//! A workgroup has `consumers` warpgroups that multiply and one that copies. A tile is `rows` × `columns` outputs; a
//! stage holds what a block of contraction steps (128 bytes of them) takes of both operands. Copies name boxes of
//! tensor maps by coordinates, which are index expressions of the plan's variables: at a copy each variable has the
//! value of the tile's or the block's first point.
//!
//! Worked example: `[4096, 4096]·[4096, 4096]` bf16: tiles of 128 × 256, blocks of 64 steps, 4 stages of 16 + 32 KiB,
//! 32 KiB through which results leave, 2 consumers: 384 threads, 229,440 bytes, 512 tiles over 132 workgroups.

use fornax_emit::blocks::hopper::barrier::Ring;
use fornax_emit::blocks::hopper::wgmma::Major;
use fornax_graph::ElementType;

use super::expanded::{self, Asking, Computed, Needs, Teams};
use super::shapes::Cost;
use super::tiles::Tile;
use fornax_emit::text::Value;
use fornax_plan::index::Indices;
use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{IndexId, KernelPlan, LaunchFactor, LaunchFormula, VarId};

/// Bytes of a row of a swizzled box: the contraction steps of a block, or outputs (64 of 16 bits, 32 of 32 bits).
pub const BOX_ROW_BYTES: u32 = 128;
/// Alignment of boxes in shared memory.
const BOX_ALIGNMENT: u64 = 1024;
/// Threads of a warpgroup.
const WARPGROUP_THREADS: u32 = 128;

/// Elements of a variable that one tile or block covers (a power of two).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cover {
    pub var: VarId,
    pub count: u32,
}

/// An operand as boxes of a tensor map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TiledOperand {
    /// Position in the plan's tensor maps.
    pub map: u32,
    /// One a dimension of the map, innermost first.
    pub coordinates: Vec<IndexId>,
    pub major: Major,
    /// Element type that is multiplied; f32 stands for tf32.
    pub element: ElementType,
    /// Parts that a value is the sum of, each with a place along the map's last dimension; 1 where there is no such
    /// dimension.
    pub terms: u32,
    /// How the producers compute it (`expanded`); there is no map, nor coordinates.
    pub computed: Option<Computed>,
}

impl TiledOperand {
    /// Outputs of a row of a box, with [`Major::Outputs`].
    pub fn outputs_of_row(&self) -> u32 {
        BOX_ROW_BYTES / self.element.storage_bytes().max(1) as u32
    }
}

/// Products of parts of the operands that are summed together, and by which power of two that sum counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProductGroup {
    /// Term of the row operand and of the column operand.
    pub terms: Vec<(u32, u32)>,
    pub exponent: i32,
}

/// A store that leaves through shared memory and a bulk copy: dense along the columns, 16-bit elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedStore {
    /// Position in the body's stores.
    pub store: u32,
    pub map: u32,
    pub coordinates: Vec<IndexId>,
    /// Columns of a warpgroup that are staged at a time (a multiple of 64).
    pub columns: u32,
}

/// A load of the stores that reads a value an output, dense along the columns: a residual, a gate. Its boxes, 128 bytes
/// by the rows of a tile, come through the ring behind the blocks of the tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpilogueLoad {
    /// Its offset in the buffer of the map.
    pub offset: IndexId,
    pub element: ElementType,
    pub map: u32,
    pub coordinates: Vec<IndexId>,
}

impl EpilogueLoad {
    /// Columns of a box.
    pub fn columns(&self) -> u32 {
        BOX_ROW_BYTES / self.element.storage_bytes().max(1) as u32
    }
}

/// For `Body::Contraction`, and two products of `Body::Products`, on targets with warpgroup matrix multiply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WgmmaSchedule {
    /// Variables of a tile's rows, columns and of a block, outermost first; the tile numbers them row-major.
    pub rows: Vec<Cover>,
    pub columns: Vec<Cover>,
    pub steps: Vec<Cover>,
    /// Domain variables of which a tile has one value.
    pub batch: Vec<VarId>,
    pub row_operand: TiledOperand,
    pub column_operand: TiledOperand,
    /// The column operand of a second sum of the same rows: in a stage its columns follow the first's.
    pub second: Option<TiledOperand>,
    /// Empty: the operands' own products, summed in the matrix unit. Else the sums of blocks, group by group, are added
    /// to f32 sums in registers: products of terms, and of 8-bit floats, whose sums the matrix unit keeps to some 14
    /// bits.
    pub products: Vec<ProductGroup>,
    /// Stages of the ring.
    pub stages: u32,
    /// Warpgroups that multiply: each takes its share of a tile's rows, in blocks of 64.
    pub consumers: u32,
    /// Tiles along the rows that are numbered together, so that their columns' operand stays in the cache.
    pub group: u32,
    /// Workgroups of a cluster that share a tile, each a part of the blocks.
    pub split: u32,
    /// Clusters (workgroups where `split` is 1) that run at the same time, each tile after tile.
    pub clusters: u32,
    pub staged: Option<StagedStore>,
    pub loads: Vec<EpilogueLoad>,
    /// How what is computed is asked for.
    pub asking: Asking,
    /// What the model of costs says.
    pub cost: Cost,
}

/// Where things lie in a workgroup's shared memory, in bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedLayout {
    pub row_stage: u64,
    pub column_stage: u64,
    pub column_operand: u64,
    pub staging: u64,
    /// Of one consumer.
    pub staging_each: u64,
    /// What blocks are computed of, and a part of that.
    pub asked: u64,
    pub asked_part: u64,
    pub barriers: u64,
    pub asked_barriers: u64,
    pub total: u64,
}

fn covered(covers: &[Cover]) -> u32 {
    covers.iter().map(|c| c.count).product()
}

fn count(indices: &Indices, covers: &[Cover]) -> u64 {
    let each = |c: &Cover| (indices.extent(c.var).max(0) as u64).div_ceil(u64::from(c.count.max(1)));
    covers.iter().map(each).fold(1, u64::saturating_mul)
}

impl WgmmaSchedule {
    pub fn tile_rows(&self) -> u32 {
        covered(&self.rows)
    }

    pub fn tile_columns(&self) -> u32 {
        covered(&self.columns)
    }

    /// Columns of the instruction: those of all sums.
    pub fn multiplied_columns(&self) -> u32 {
        self.tile_columns() * self.sums()
    }

    /// Sums of an output.
    pub fn sums(&self) -> u32 {
        1 + u32::from(self.second.is_some())
    }

    /// Rows of a tile that one consumer multiplies.
    pub fn consumer_rows(&self) -> u32 {
        self.tile_rows() / self.consumers.max(1)
    }

    /// Contraction steps of a block.
    pub fn block(&self) -> u32 {
        covered(&self.steps)
    }

    pub fn row_tiles(&self, indices: &Indices) -> u64 {
        count(indices, &self.rows)
    }

    pub fn column_tiles(&self, indices: &Indices) -> u64 {
        count(indices, &self.columns)
    }

    /// Blocks of the whole contraction.
    pub fn blocks(&self, indices: &Indices) -> u64 {
        count(indices, &self.steps)
    }

    pub fn tiles(&self, indices: &Indices) -> u64 {
        let batch = self.batch.iter().map(|&v| indices.extent(v).max(0) as u64);
        let each = batch.fold(1, u64::saturating_mul);
        each.saturating_mul(self.row_tiles(indices)).saturating_mul(self.column_tiles(indices))
    }

    /// The operands that stages hold.
    pub fn operands(&self) -> impl Iterator<Item = &TiledOperand> {
        [&self.row_operand, &self.column_operand].into_iter().chain(&self.second)
    }

    /// Warpgroups that copy, or compute an operand.
    pub fn producers(&self) -> u32 {
        let some = || expanded::producers(self.consumers, self.thread_sums()).unwrap_or(1);
        if self.expands() { some() } else { 1 }
    }

    /// Sums of a thread that multiplies.
    fn thread_sums(&self) -> u32 {
        self.consumer_rows() * self.multiplied_columns() / WARPGROUP_THREADS
    }

    /// The teams that compute operands, no more than there are stages: a team with a stage of a round that another one
    /// has not filled yet would find its barrier as if it had. `None` where operands are not computed like that.
    pub fn teams(&self) -> Option<Teams> {
        let teams = Teams::of(&self.needs(), self.consumers, self.thread_sums())?;
        Some(Teams { count: teams.count.min(self.stages), ..teams })
    }

    /// Operands that are computed, those of one side, with their outputs of a tile.
    pub fn needs(&self) -> Needs {
        let columns = self.tile_columns();
        match self.row_operand.computed {
            Some(computed) => [Some((computed, self.tile_rows())), None],
            None => {
                [Some(&self.column_operand), self.second.as_ref()].map(|operand| Some((operand?.computed?, columns)))
            }
        }
    }

    /// The variables of that side, and their first values in a tile.
    pub fn computed_side<'a>(&'a self, tile: &'a Tile) -> (&'a [Cover], &'a [Value]) {
        match self.row_operand.computed {
            Some(_) => (&self.rows, &tile.rows),
            None => (&self.columns, &tile.columns),
        }
    }

    /// The producers compute an operand.
    pub fn expands(&self) -> bool {
        self.operands().any(|operand| operand.computed.is_some())
    }

    /// No workgroup has a second tile, whatever the call.
    pub fn has_one_tile(&self, plan: &KernelPlan) -> bool {
        plan.has_static_loops() && self.tiles(&plan.exprs.indices) <= u64::from(self.clusters)
    }

    pub fn threads(&self) -> u32 {
        (self.consumers + self.producers()) * WARPGROUP_THREADS
    }

    pub fn workgroups(&self) -> u64 {
        u64::from(self.clusters) * u64::from(self.split)
    }

    /// Operands are sums of terms: outputs that are not finite are computed again from the body's operands.
    pub fn in_terms(&self) -> bool {
        self.row_operand.terms > 1 || self.column_operand.terms > 1
    }

    /// The row operand goes through registers: outputs of 32 bits lie along its rows.
    pub fn rows_in_registers(&self) -> bool {
        self.row_operand.major == Major::Outputs && self.row_operand.element.storage_bytes() == 4
    }

    /// Bytes of a box of an operand with [`Major::Outputs`]: a row's outputs, all steps of a block.
    pub fn box_bytes(&self) -> u32 {
        self.block() * BOX_ROW_BYTES
    }

    /// Bytes of a box of an epilogue's load.
    pub fn load_box_bytes(&self) -> u64 {
        u64::from(self.tile_rows()) * u64::from(BOX_ROW_BYTES)
    }

    /// Boxes of the epilogue's loads that a stage has room for, in the row operand's part of it and in the column
    /// operand's.
    pub fn load_boxes(&self) -> [u64; 2] {
        let layout = self.layout();
        [layout.row_stage, layout.column_stage].map(|bytes| bytes / self.load_box_bytes().max(1))
    }

    pub fn layout(&self) -> SharedLayout {
        let block = u64::from(self.block());
        let aligned = |n: u64| n.next_multiple_of(BOX_ALIGNMENT);
        let bytes = |operand: &TiledOperand, outputs: u32| {
            let term = block * operand.element.storage_bytes() as u64 * u64::from(outputs);
            aligned(term) * u64::from(operand.terms)
        };
        let row_stage = bytes(&self.row_operand, self.tile_rows());
        let column_stage = bytes(&self.column_operand, self.multiplied_columns());
        let stages = u64::from(self.stages);
        let column_operand = stages * row_stage;
        let staging = column_operand + stages * column_stage;
        let rows_each = u64::from(self.consumer_rows());
        let staging_each = self.staged.as_ref().map_or(0, |s| aligned(rows_each * u64::from(s.columns) * 2));
        let asked = staging + staging_each * u64::from(self.consumers);
        let asked_part = expanded::part_bytes(&self.needs(), self.asking.together);
        let barriers = asked + asked_part * u64::from(self.asking.parts);
        let asked_barriers = barriers + Ring::bytes(self.stages) as u64;
        let total = asked_barriers + Ring::bytes(self.asking.parts) as u64;
        SharedLayout {
            row_stage,
            column_stage,
            column_operand,
            staging,
            staging_each,
            asked,
            asked_part,
            barriers,
            asked_barriers,
            total,
        }
    }
}

impl Schedule for WgmmaSchedule {
    fn way(&self, plan: &KernelPlan) -> String {
        let buffer = plan.tensor_maps.get(self.row_operand.map as usize).map_or(0, |map| map.buffer);
        format!(
            "wgmma {}x{}x{} rows of {buffer} consumers {} stages {} split {} group {}",
            self.tile_rows(),
            self.tile_columns(),
            self.block(),
            self.consumers,
            self.stages,
            self.split,
            self.group
        ) + if self.second.is_some() { " pair" } else { "" }
            + match (self.row_operand.computed, self.column_operand.computed) {
                (None, None) => "",
                (Some(_), _) => " expanded rows",
                (None, Some(_)) => " expanded columns",
            }
    }

    fn text(&self, names: &dyn Names) -> String {
        let covers = |covers: &[Cover]| {
            covers.iter().map(|c| format!("{} x {}", names.var(c.var), c.count)).collect::<Vec<_>>().join(", ")
        };
        let places = |of: &[IndexId]| of.iter().map(|&i| names.index(i)).collect::<Vec<_>>().join(", ");
        let operand = |o: &TiledOperand| {
            let major = if o.major == Major::Steps { "steps" } else { "outputs" };
            let terms = if o.terms > 1 { format!(" terms {}", o.terms) } else { String::new() };
            if o.computed.is_some() {
                return format!("expanded {} along {major}", o.element.spelling());
            }
            format!("map {} {} along {major} at [{}]{terms}", o.map, o.element.spelling(), places(&o.coordinates))
        };
        let staged = self.staged.as_ref().map_or(String::new(), |staged| {
            let (store, map, columns) = (staged.store, staged.map, staged.columns);
            format!(" store {store} by map {map} at [{}] columns {columns}", places(&staged.coordinates))
        });
        let loads = |load: &EpilogueLoad| format!(" load by map {} at [{}]", load.map, places(&load.coordinates));
        let second = self.second.as_ref().map_or(String::new(), |second| format!(" and {}", operand(second)));
        let loads: String = self.loads.iter().map(loads).collect();
        let products: String =
            self.products.iter().map(|g| format!(" products {:?} by 2^{}", g.terms, g.exponent)).collect();
        let (stages, consumers, group, split, clusters) =
            (self.stages, self.consumers, self.group, self.split, self.clusters);
        format!(
            "wgmma rows [{}] columns [{}] steps [{}] lhs {} rhs {}{second} stages {stages} consumers {consumers} \
             group {group} split {split} clusters {clusters}{products}{staged}{loads}",
            covers(&self.rows),
            covers(&self.columns),
            covers(&self.steps),
            operand(&self.row_operand),
            operand(&self.column_operand)
        )
    }

    fn launch(&self, _: &KernelPlan) -> Launch {
        ([self.workgroups(), 1, 1], self.threads())
    }

    fn launch_formula(&self, _: &KernelPlan) -> Option<LaunchFormula> {
        let covers = self.rows.iter().chain(&self.columns).map(|c| (c.var, c.count));
        let all = covers.chain(self.batch.iter().map(|&var| (var, 1)));
        let factors = all.map(|(var, count)| LaunchFactor::of(vec![var], u64::from(count)));
        Some(LaunchFormula { factors: factors.collect(), per_group: 1, most: Some(self.workgroups()) })
    }

    fn cluster(&self) -> u32 {
        self.split.max(1)
    }

    /// The operands, where each workgroup has one tile and none is computed: its first stages fill meanwhile.
    fn early(&self, plan: &KernelPlan, given: &[bool]) -> Vec<u32> {
        if !self.has_one_tile(plan) || self.expands() {
            return Vec::new();
        }
        let maps = self.operands().filter_map(|operand| plan.tensor_maps.get(operand.map as usize));
        maps.map(|map| map.buffer).filter(|&at| given.get(at as usize) == Some(&true)).collect()
    }

    fn dynamic_shared_bytes(&self, _: &KernelPlan) -> u32 {
        self.layout().total.min(u64::from(u32::MAX)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand(major: Major) -> TiledOperand {
        let (coordinates, element) = (Vec::new(), ElementType::Bf16);
        TiledOperand { map: 0, coordinates, major, element, terms: 1, computed: None }
    }

    #[test]
    fn the_large_tile_takes_four_stages_of_48_kib_and_32_to_leave_through() {
        let mut indices = Indices::default();
        let [m, n, k] = [4096, 4000, 4096].map(|extent| indices.add_var(extent));
        let schedule = WgmmaSchedule {
            rows: vec![Cover { var: m, count: 128 }],
            columns: vec![Cover { var: n, count: 256 }],
            steps: vec![Cover { var: k, count: 64 }],
            batch: Vec::new(),
            row_operand: operand(Major::Steps),
            column_operand: operand(Major::Outputs),
            second: None,
            products: Vec::new(),
            stages: 4,
            consumers: 2,
            group: 8,
            split: 1,
            clusters: 132,
            staged: Some(StagedStore { store: 0, map: 2, coordinates: Vec::new(), columns: 128 }),
            loads: Vec::new(),
            asking: Asking::default(),
            cost: Cost::default(),
        };
        let layout = schedule.layout();
        assert_eq!((layout.row_stage, layout.column_stage), (16384, 32768));
        assert_eq!((layout.staging, layout.staging_each, layout.total), (196_608, 16384, 229_440));
        let three =
            WgmmaSchedule { row_operand: TiledOperand { terms: 3, ..operand(Major::Steps) }, ..schedule.clone() };
        assert_eq!(three.layout().row_stage, 3 * 16384);
        assert_eq!((schedule.tiles(&indices), schedule.blocks(&indices), schedule.threads()), (32 * 16, 64, 384));
    }
}

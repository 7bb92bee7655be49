//! The schedule of attention on CPUs: rows of queries in the lanes of vectors, columns of keys walked in blocks.
//!
//! A workgroup computes `tiles` tiles of `vectors · lanes` rows, one after another. The queries of a tile lie
//! transposed in scratch, a vector of rows for each step of depth. For each block of columns: scores of `columns` keys
//! at a time are summed in registers (a key's element is broadcast, a vector of queries multiplied) and kept in
//! scratch; maxima and weights are computed lane by lane; then results of `features` features at a time take up the
//! block (a value's element is broadcast, a vector of weights multiplied). Nothing is exchanged between lanes until
//! results are transposed back to be stored. Tiles that would reach over the last row start earlier and compute some
//! rows twice.
//!
//! Worked example: 128 queries, keys and values of 64 features, AVX-512: two tiles of 4 vectors of 16 rows; scores 6
//! columns × 4 vectors at a time; blocks of 96 columns: 16 KiB of queries, 24 KiB of scores, 16 KiB of results.

use fornax_graph::ElementType;

use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::walk::Reached;
use fornax_plan::{Attention, Body, KernelPlan, LaunchFactor, LaunchFormula, Node, NodeId, VarId};

/// For `Body::Attention` on CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttentionLanes {
    /// The variable along the lanes, of the attention's rows.
    pub row: VarId,
    pub lanes: u32,
    /// Vectors of rows of a tile.
    pub vectors: u32,
    /// Columns of a register tile of scores, and of a block: a multiple of them.
    pub columns: u32,
    pub block: u32,
    /// Features of a register tile of results.
    pub features: u32,
    /// Tiles of a workgroup.
    pub tiles: u32,
    /// Keys, and values, of a block are copied to scratch as f32: unless they are contiguous f32.
    pub copy_keys: bool,
    pub copy_values: bool,
}

/// Where things lie in scratch, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LanesScratch {
    /// Rows of a tile: elements from one step, column or feature to the next.
    pub width: i64,
    /// Scores and weights, results, copied keys and values; queries lie at 0.
    pub scores: i64,
    pub results: i64,
    pub keys: i64,
    pub values: i64,
    /// Biases and masks of a block that are transposed, and bytes of each; lanes more rows before and after those of
    /// the block.
    pub masks: i64,
    pub mask_bytes: i64,
    pub bytes: i64,
}

const ALIGNMENT: i64 = 64;
const F32_BYTES: i64 = 4;
/// Loads that are transposed, at most.
const TURNED_MAX: usize = 3;

impl AttentionLanes {
    fn attention<'a>(&self, plan: &'a KernelPlan) -> Option<&'a Attention> {
        if let Body::Attention(a) = &plan.body { Some(a) } else { None }
    }

    /// Rows that a tile starts after the one before it.
    pub fn height(&self) -> i64 {
        i64::from(self.lanes) * i64::from(self.vectors)
    }

    /// Tiles of all rows of all points of the other variables.
    pub fn tiles_in_all(&self, plan: &KernelPlan) -> i64 {
        let Some(a) = self.attention(plan) else { return 0 };
        let extent = |v: VarId| plan.exprs.indices.extent(v).max(0);
        let outer = plan.domain.iter().copied().filter(|&v| v != self.row && v != a.feature);
        let tiles = ceil(extent(self.row), self.height().max(1));
        outer.map(extent).fold(tiles, i64::saturating_mul)
    }

    /// Workgroups.
    pub fn groups(&self, plan: &KernelPlan) -> u64 {
        ceil(self.tiles_in_all(plan), i64::from(self.tiles.max(1))).max(0) as u64
    }

    /// What the kernel needs of its thread's scratch.
    pub fn scratch(&self, plan: &KernelPlan) -> LanesScratch {
        let Some(a) = self.attention(plan) else { return LanesScratch::default() };
        let extent = |v: VarId| plan.exprs.indices.extent(v).max(0);
        let lanes = i64::from(self.lanes);
        let width = ceil(extent(self.row).min(self.height()), lanes) * lanes;
        let (depth, features, block) = (extent(a.depth()), extent(a.feature), i64::from(self.block));
        let mut end = 0i64;
        let mut take = |elements: i64| {
            let at = end;
            end = end.saturating_add(elements.saturating_mul(F32_BYTES));
            end = ceil(end, ALIGNMENT).saturating_mul(ALIGNMENT);
            at
        };
        take(depth.saturating_mul(width));
        let scores = take(block.saturating_mul(width));
        let results = take(features.saturating_mul(width));
        let keys = take(if self.copy_keys { block.saturating_mul(depth) } else { 0 });
        let values = take(if self.copy_values { block.saturating_mul(features) } else { 0 });
        let mask_bytes = (block + 2 * lanes).saturating_mul(width).saturating_mul(F32_BYTES);
        let transposed = self.transposed(plan).len() as i64;
        let masks = take((block + 2 * lanes).saturating_mul(width).saturating_mul(transposed));
        LanesScratch { width, scores, results, keys, values, masks, mask_bytes, bytes: end }
    }

    /// Loads of the score that step by one along the columns and by more along the lanes: read along the columns and
    /// transposed.
    pub fn transposed(&self, plan: &KernelPlan) -> Vec<NodeId> {
        let Some(a) = self.attention(plan) else { return Vec::new() };
        let exprs = &plan.exprs;
        let crosses = |node: &NodeId| match *exprs.node(*node) {
            Node::Load { element, offset, mask: None, .. } => {
                let plain =
                    matches!(element, ElementType::F32 | ElementType::Bf16 | ElementType::F16 | ElementType::I1);
                let steps = exprs.indices.stride(offset, self.row).is_some_and(|s| s.abs() > 1);
                plain && steps && exprs.indices.stride(offset, a.column()) == Some(1)
            }
            _ => false,
        };
        if exprs.indices.extent(a.column()) < i64::from(self.lanes) {
            return Vec::new();
        }
        let reached = Reached::from(exprs, [a.score, a.inside], &[]);
        reached.nodes.into_iter().filter(crosses).take(TURNED_MAX).collect()
    }
}

fn ceil(a: i64, b: i64) -> i64 {
    let b = b.max(1);
    a / b + i64::from(a % b > 0)
}

impl Schedule for AttentionLanes {
    fn way(&self, _: &KernelPlan) -> String {
        format!(
            "attention {}x{} columns {} of {} features {} tiles {}",
            self.vectors, self.lanes, self.columns, self.block, self.features, self.tiles
        )
    }

    fn text(&self, names: &dyn Names) -> String {
        let copied = match (self.copy_keys, self.copy_values) {
            (true, true) => " keys and values copied",
            (true, false) => " keys copied",
            (false, true) => " values copied",
            (false, false) => "",
        };
        format!(
            "attention {} x {} along {} columns {} of {} features {} tiles {}{copied}",
            self.vectors,
            self.lanes,
            names.var(self.row),
            self.columns,
            self.block,
            self.features,
            self.tiles
        )
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        ([self.groups(plan).max(1), 1, 1], 1)
    }

    fn launch_formula(&self, plan: &KernelPlan) -> Option<LaunchFormula> {
        let Body::Attention(a) = &plan.body else { return None };
        let rows = LaunchFactor::of(vec![self.row], self.height().max(1) as u64);
        let outer = plan.domain.iter().filter(|&&v| v != self.row && v != a.feature);
        let factors = std::iter::once(rows).chain(outer.map(|&v| LaunchFactor::of(vec![v], 1))).collect();
        Some(LaunchFormula { factors, per_group: u64::from(self.tiles.max(1)), most: None })
    }

    fn points_per_thread(&self, _: &KernelPlan) -> u64 {
        u64::from(self.tiles)
    }

    fn scratch_bytes(&self, plan: &KernelPlan) -> u32 {
        u32::try_from(self.scratch(plan).bytes).unwrap_or(u32::MAX)
    }
}

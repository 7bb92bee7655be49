//! The schedule of register tiles.

use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{KernelPlan, LaunchFactor, LaunchFormula, VarId};

/// For `Body::Reduce` and `Body::Contraction`: each thread holds a register tile of outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileSchedule {
    /// Variable whose lanes form vectors: a domain variable, or a reduction variable (lanes are combined at the end),
    /// with its lane count. `None`: scalars.
    pub vector: Option<(VarId, u32)>,
    /// Domain variables unrolled in registers: (variable, count). The vector variable may be listed too: then its
    /// tile is `count` vectors.
    pub unroll: Vec<(VarId, u32)>,
    /// Threads that share one output tile, splitting the reduction, combined through shuffles and shared memory
    /// (power of two; 1 on CPU).
    pub reduce_threads: u32,
    /// Output tiles a workgroup computes (`threads = reduce_threads · tile_threads`).
    pub tile_threads: u32,
    /// Tiles a CPU workgroup computes one after another (1 on GPU).
    pub tiles_per_workgroup: u32,
}

impl TileSchedule {
    /// Elements of a domain variable that one register tile covers.
    pub fn tile_extent(&self, var: VarId) -> u64 {
        let lanes = self.vector.map_or(1, |(v, n)| if v == var { u64::from(n) } else { 1 });
        let count = self.unroll.iter().find(|u| u.0 == var).map_or(1, |u| u64::from(u.1));
        lanes * count
    }

    /// Number of register tiles: the product over domain variables of ⌈extent / tile extent⌉.
    pub fn tiles(&self, plan: &KernelPlan) -> u64 {
        plan.domain
            .iter()
            .map(|&v| (plan.exprs.indices.extent(v).max(0) as u64).div_ceil(self.tile_extent(v)))
            .fold(1, u64::saturating_mul)
    }
}

impl Schedule for TileSchedule {
    fn computes(&self, _: &KernelPlan) -> bool {
        true
    }

    fn way(&self, _: &KernelPlan) -> String {
        let unroll: Vec<String> = self.unroll.iter().map(|(_, count)| count.to_string()).collect();
        format!(
            "tile vector {} unroll {} threads {} by {} tiles {}",
            self.vector.map_or(1, |v| v.1),
            if unroll.is_empty() { "1".to_string() } else { unroll.join("x") },
            self.reduce_threads,
            self.tile_threads,
            self.tiles_per_workgroup
        )
    }

    fn text(&self, names: &dyn Names) -> String {
        let vector = self.vector.map_or("none".to_string(), |(v, n)| format!("{} x {n}", names.var(v)));
        let unroll: Vec<String> = self.unroll.iter().map(|&(v, n)| format!("{} x {n}", names.var(v))).collect();
        format!(
            "tile vector {vector} unroll [{}] reduce_threads {} tile_threads {} tiles {}",
            unroll.join(", "),
            self.reduce_threads,
            self.tile_threads,
            self.tiles_per_workgroup
        )
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        let per_group = u64::from(self.tile_threads) * u64::from(self.tiles_per_workgroup);
        ([self.tiles(plan).div_ceil(per_group).max(1), 1, 1], self.reduce_threads * self.tile_threads)
    }

    fn launch_formula(&self, plan: &KernelPlan) -> Option<LaunchFormula> {
        let factor = |&var: &VarId| LaunchFactor::of(vec![var], self.tile_extent(var));
        let per_group = u64::from(self.tile_threads.max(1)) * u64::from(self.tiles_per_workgroup.max(1));
        Some(LaunchFormula { factors: plan.domain.iter().map(factor).collect(), per_group, most: None })
    }

    fn points_per_thread(&self, _: &KernelPlan) -> u64 {
        u64::from(self.tiles_per_workgroup)
    }
}

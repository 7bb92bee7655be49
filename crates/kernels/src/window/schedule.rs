//! The schedule of windows that slide.

use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{KernelPlan, VarId, WindowPair};

/// For `Body::Contraction` and `Body::Reduce` on GPUs: every thread has a block of outputs, and taps are written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowSchedule {
    /// Domain variable whose lanes form vectors, with a lane count that divides its extent.
    pub vector: Option<(VarId, u32)>,
    /// The pairs, outermost first, with the outputs of a thread along each.
    pub pairs: Vec<(WindowPair, u32)>,
    pub threads: u32,
}

impl WindowSchedule {
    /// The register tile of a thread.
    pub fn tile(&self) -> TileSchedule {
        TileSchedule {
            vector: self.vector,
            unroll: self.pairs.iter().filter(|p| p.1 > 1).map(|&(pair, count)| (pair.output, count)).collect(),
            reduce_threads: 1,
            tile_threads: self.threads,
            tiles_per_workgroup: 1,
        }
    }
}

impl Schedule for WindowSchedule {
    fn way(&self, _: &KernelPlan) -> String {
        let counts: Vec<String> = self.pairs.iter().map(|(_, count)| count.to_string()).collect();
        format!(
            "window vector {} outputs {} threads {}",
            self.vector.map_or(1, |v| v.1),
            counts.join("x"),
            self.threads
        )
    }

    fn text(&self, names: &dyn Names) -> String {
        let vector = self.vector.map_or("none".to_string(), |(v, n)| format!("{} x {n}", names.var(v)));
        let pair = |(p, count): &(WindowPair, u32)| {
            format!("{}*{} + {}*{} x {count}", p.stride, names.var(p.output), p.dilation, names.var(p.tap))
        };
        let pairs: Vec<String> = self.pairs.iter().map(pair).collect();
        format!("window vector {vector} [{}] threads {}", pairs.join(", "), self.threads)
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        let groups = self.tile().tiles(plan).div_ceil(u64::from(self.threads.max(1)));
        ([groups.max(1), 1, 1], self.threads)
    }
}

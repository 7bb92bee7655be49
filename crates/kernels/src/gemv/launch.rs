//! What launching a GEMV takes, and how its schedule is written.

use fornax_plan::KernelPlan;
use fornax_plan::schedule::{Launch, Names, Schedule};

use super::early;
use super::epilogue;
use super::products::Stages;
use super::ring;
use super::schedule::GemvSchedule;
use super::staged;

impl GemvSchedule {
    fn turns_text(&self) -> String {
        let fixed = if self.fixed { " fixed" } else { "" };
        if self.turns > 0 { format!("{fixed} turns {}", self.turns) } else { fixed.to_string() }
    }
}

impl Schedule for GemvSchedule {
    fn way(&self, _: &KernelPlan) -> String {
        let (lanes, tile, depth, across, down) = (self.lanes, self.tile, self.depth, self.across, self.down);
        let (matrix, cluster) = (if self.matrix { " matrix" } else { "" }, self.cluster);
        let ring = if self.ring > 0 { format!(" ring {}", self.ring) } else { String::new() };
        let staged = if self.staged { " staged" } else { "" };
        let (quads, turns) = (if self.quads { " quads" } else { "" }, self.turns_text());
        let threads = format!("threads {across}x{down} cluster {cluster}");
        format!("gemv{matrix} lanes {lanes} tile {tile} depth {depth} {threads}{ring}{staged}{quads}{turns}")
    }

    fn text(&self, _: &dyn Names) -> String {
        let place = if self.inside { "inside" } else { "across" };
        let (lanes, tile, depth, across, down) = (self.lanes, self.tile, self.depth, self.across, self.down);
        let matrix = if self.matrix { " matrix" } else { "" };
        let cluster = if self.cluster > 1 { format!(" cluster {}", self.cluster) } else { String::new() };
        let ahead = if self.ahead { " ahead" } else { "" };
        let ring = if self.ring > 0 { format!(" ring {}", self.ring) } else { String::new() };
        let threads = format!("across {across} down {down}");
        let staged = if self.staged { " staged" } else { "" };
        let (quads, turns) = (if self.quads { " quads" } else { "" }, self.turns_text());
        let tiles = format!("lanes {lanes} {place} tile {tile} depth {depth}");
        format!("gemv{matrix} {tiles} {threads}{cluster}{ahead}{ring}{staged}{quads}{turns}")
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        ([self.workgroups(plan).max(1), 1, 1], self.threads())
    }

    fn cluster(&self) -> u32 {
        self.cluster.max(1)
    }

    fn dynamic_shared_bytes(&self, plan: &KernelPlan) -> u32 {
        if self.staged { staged::bytes(self, plan) as u32 } else { ring::bytes(self, plan) }
    }

    /// What the long operands read, if all of it is given; then also what of the epilogue is begun so early.
    fn early(&self, plan: &KernelPlan, given: &[bool]) -> Vec<u32> {
        let is_given = |at: &u32| given.get(*at as usize) == Some(&true);
        let mut buffers = early::long_buffers(plan, &Stages::of(plan, self.long_is_lhs));
        if !buffers.iter().all(is_given) {
            return Vec::new();
        }
        buffers.extend(epilogue::early_buffers(plan).into_iter().filter(is_given));
        buffers.sort_unstable();
        buffers.dedup();
        buffers
    }

    /// What the short operands read, where registers take the first blocks: these are multiplied before the wait.
    fn settled(&self, plan: &KernelPlan, there: &[bool]) -> Vec<u32> {
        let stages = Stages::of(plan, self.long_is_lhs);
        let short = early::short_buffers(plan, &stages);
        let long = early::long_buffers(plan, &stages);
        let is_there = |at: &u32| there.get(*at as usize) == Some(&true);
        if short.iter().chain(&long).all(is_there) && self.ring == 0 && !self.matrix { short } else { Vec::new() }
    }
}

//! The schedule of scans.

use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{KernelPlan, VarId};

/// For `Body::Scan`.
///
/// Worked example: cumulative sums of [4096, 1000] f32 on CUDA: the 256 threads of a workgroup share a line, 8 elements
/// each at a time in two loads of 4; along the rows of [1000, 40960] a thread has 4 lines in columns; along those of
/// [4096, 16384] a workgroup has 32, which its 8 subgroups go through in rounds of 8 · 16 rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanSchedule {
    pub way: ScanWay,
    /// Lanes of a load, along a line that is shared whole, else along the last other domain variable. They divide its
    /// extent.
    pub lanes: u32,
    /// Loads of a thread in a round where lines are shared, else lines (or vectors of them) one after another.
    pub items: u32,
    pub threads: u32,
}

/// Who goes through a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanWay {
    /// One thread, which has lines of its own.
    Own,
    /// All threads of a workgroup.
    Shared,
    /// Of the threads of a workgroup every so many-th: so many threads next to each other have neighbouring lines (or
    /// vectors of them) along the last domain variable, those behind them other stretches of the same lines.
    Columns(u32),
}

impl ScanWay {
    pub fn name(self) -> &'static str {
        match self {
            ScanWay::Own => "own",
            ScanWay::Shared => "shared",
            ScanWay::Columns(_) => "columns",
        }
    }
}

impl ScanSchedule {
    /// Workgroups of a scan.
    fn groups(&self, plan: &KernelPlan) -> u64 {
        match self.way {
            ScanWay::Shared => plan.lines(),
            ScanWay::Own => {
                self.line_items(plan).div_ceil(u64::from(self.threads.max(1)) * u64::from(self.items.max(1)))
            }
            ScanWay::Columns(width) => {
                let (outer, last) = self.lines_in_columns(plan);
                outer * last.div_ceil(u64::from(width.max(1)))
            }
        }
    }

    /// Lines, or vectors of lines, of a scan whose threads have lines of their own.
    pub fn line_items(&self, plan: &KernelPlan) -> u64 {
        let (outer, last) = self.lines_in_columns(plan);
        outer * last
    }

    /// The points of the domain variables before the last besides the lines' own, and vectors of lines along the last.
    pub fn lines_in_columns(&self, plan: &KernelPlan) -> (u64, u64) {
        let vars = plan.line_vars();
        let extent = |v: &VarId| plan.exprs.indices.extent(*v).max(0) as u64;
        let Some((last, outer)) = vars.split_last() else { return (1, 1) };
        (outer.iter().map(extent).product::<u64>(), extent(last).div_ceil(u64::from(self.lanes.max(1))))
    }
}

impl Schedule for ScanSchedule {
    fn way(&self, _: &KernelPlan) -> String {
        format!("scan {} lanes {} items {} threads {}", self.way.name(), self.lanes, self.items, self.threads)
    }

    fn text(&self, _: &dyn Names) -> String {
        let (lanes, items, threads, lines) = (self.lanes, self.items, self.threads, self.way.name());
        format!("scan lines {lines} lanes {lanes} items {items} threads {threads}")
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        ([self.groups(plan).max(1), 1, 1], self.threads)
    }

    fn points_per_thread(&self, _: &KernelPlan) -> u64 {
        u64::from(self.items) * u64::from(self.lanes)
    }
}

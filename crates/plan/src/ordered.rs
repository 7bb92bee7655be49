//! Schedules of the bodies whose elements depend on their neighbours along one variable: sorts and scans.
//!
//! A *line* is the set of points that differ only in that variable; lines are numbered row-major over the other domain
//! variables.

use crate::index::VarId;
use crate::kernel::{Body, KernelPlan};

/// For `Body::Sort`: a workgroup works on `threads · items` slots.
///
/// Worked example: rows of 1000 f32 on CUDA, 256 threads × 4 items: 1024 slots, one row a workgroup; rows of 100: 128
/// slots a row, 8 rows a workgroup. Merging runs of 2048 in rows of 100,000: 2048 slots, 49 workgroups a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortSchedule {
    /// Threads of a workgroup (1 on CPU).
    pub threads: u32,
    /// Slots of a thread: a power of two.
    pub items: u32,
}

impl SortSchedule {
    pub fn slots(&self) -> i64 {
        i64::from(self.threads) * i64::from(self.items)
    }
}

/// For `Body::Scan`.
///
/// Worked example: cumulative sums of [4096, 1000] f32 on CUDA: the 256 threads of a workgroup share a line, 8 elements
/// each at a time in two loads of 4; along the rows of [1000, 40960] a thread has 4 lines side by side; along those of [4096, 16384] a workgroup has 32,
/// which its 8 subgroups go through in rounds of 8 · 16 rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanSchedule {
    pub way: ScanWay,
    /// Lanes of a load, along a line that is shared whole, else along the last other domain variable. They divide its extent.
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
    /// Of the threads of a workgroup every so many-th: so many threads side by side have neighbouring lines (or vectors of them) along the last
    /// domain variable, those behind them other stretches of the same lines.
    Beside(u32),
}

impl ScanWay {
    pub fn name(self) -> &'static str {
        match self {
            ScanWay::Own => "own",
            ScanWay::Shared => "shared",
            ScanWay::Beside(_) => "beside",
        }
    }
}

/// How the runs of a sort lie in its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs {
    /// Elements of a line, and of the runs it has when the kernel is done.
    pub line: i64,
    pub run: i64,
    /// Runs of a line.
    pub count: i64,
    /// Elements that a run keeps.
    pub keep: i64,
    pub lines: i64,
}

impl Runs {
    /// Slots that one run takes in a block sort: a power of two.
    pub fn padded(&self) -> i64 {
        (self.run.min(self.line).max(1) as u64).next_power_of_two() as i64
    }
}

impl KernelPlan {
    /// The domain variables besides the one that lines lie along.
    pub fn line_vars(&self) -> Vec<VarId> {
        let along = self.body.along();
        self.domain.iter().copied().filter(|&v| Some(v) != along).collect()
    }

    /// Number of lines.
    pub fn lines(&self) -> u64 {
        self.line_vars().iter().map(|&v| self.exprs.indices.extent(v).max(0) as u64).product()
    }

    /// The runs of a sort; `None` for other bodies.
    pub fn runs(&self) -> Option<Runs> {
        let Body::Sort { source, to, keep, .. } = &self.body else { return None };
        let line = self.exprs.indices.extent(*source).max(1);
        let run = (*to).clamp(1, line);
        Some(Runs { line, run, count: (line + run - 1) / run, keep: (*keep).clamp(1, run), lines: self.lines() as i64 })
    }

    /// Workgroups of a sort.
    pub(crate) fn sort_groups(&self, s: &SortSchedule) -> u64 {
        let (Some(runs), Body::Sort { from, .. }) = (self.runs(), &self.body) else { return 1 };
        let slots = s.slots().max(1);
        let groups = if *from > 1 {
            runs.lines * ((runs.line + slots - 1) / slots)
        } else {
            let together = (slots / runs.padded()).max(1);
            (runs.lines * runs.count + together - 1) / together
        };
        groups.max(0) as u64
    }

    /// Workgroups of a scan.
    pub(crate) fn scan_groups(&self, s: &ScanSchedule) -> u64 {
        match s.way {
            ScanWay::Shared => self.lines(),
            ScanWay::Own => self.line_items(s).div_ceil(u64::from(s.threads.max(1)) * u64::from(s.items.max(1))),
            ScanWay::Beside(width) => {
                let (outer, last) = self.lines_beside(s);
                outer * last.div_ceil(u64::from(width.max(1)))
            }
        }
    }

    /// Lines, or vectors of lines, of a scan whose threads have lines of their own.
    pub fn line_items(&self, s: &ScanSchedule) -> u64 {
        let (outer, last) = self.lines_beside(s);
        outer * last
    }

    /// The points of the domain variables before the last besides the lines' own, and vectors of lines along the last.
    pub fn lines_beside(&self, s: &ScanSchedule) -> (u64, u64) {
        let vars = self.line_vars();
        let extent = |v: &VarId| self.exprs.indices.extent(*v).max(0) as u64;
        let Some((last, outer)) = vars.split_last() else { return (1, 1) };
        (outer.iter().map(extent).product::<u64>(), extent(last).div_ceil(u64::from(s.lanes.max(1))))
    }
}

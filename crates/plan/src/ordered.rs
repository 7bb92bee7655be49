//! Lines and runs of the bodies whose elements depend on their neighbours along one variable: sorts and scans.
//!
//! A *line* is the set of points that differ only in that variable; lines are numbered row-major over the other domain
//! variables.

use crate::index::VarId;
use crate::kernel::{Body, KernelPlan};

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
}

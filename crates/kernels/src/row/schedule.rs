//! The schedule of rows.

use std::sync::Arc;

use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{KernelPlan, LaunchFactor, LaunchFormula, VarId};

use super::{early, keep};

/// Elements in flight of a thread that goes through a row again and again, one by one.
const STREAMED_MAX: u32 = 8;
/// Registers of a thread besides those that hold its part of a row.
const WORKING_REGISTERS: u32 = 32;

/// For `Body::Row` and, on GPUs, `Body::Reduce`: threads share a row, each has every `threads`-th vector of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowSchedule {
    /// Variable whose lanes form vectors: the last row variable, or the last domain variable (then a thread works on
    /// neighbouring rows next to each other), with its lane count. GPUs: a divisor of the extent.
    pub vector: (VarId, u32),
    /// Threads that share a row (power of two; 1 on CPU).
    pub threads: u32,
    /// Vectors of a row that a thread takes at a time.
    pub chunks: u32,
    /// All of the row is taken at once and stays in registers; else every fold and the stores go through the row again.
    pub held: bool,
    /// Rows (or vectors of rows) of a workgroup.
    pub rows: u32,
    /// The rows are adjacent in threads of their own (GPU), else one thread has them one after another (CPU).
    pub adjacent: bool,
    /// Workgroups of a cluster that share a row, each a part of it; where there are several, a workgroup has one row,
    /// held.
    pub cluster: u32,
    /// Workgroups (or clusters) that go through the rows, each reading its next row while it works on one; 0: a
    /// workgroup has its rows and ends. Where it is not, a workgroup has one held row at a time, and there are two
    /// folds at least.
    pub ahead: u32,
    /// A held row stays as it lies in memory, two narrow elements a register: every pass converts its elements again,
    /// and computes what earlier passes computed of them.
    pub packed: bool,
}

impl RowSchedule {
    /// Threads of a workgroup.
    pub fn workgroup_threads(&self) -> u32 {
        if self.adjacent { self.threads.saturating_mul(self.rows) } else { self.threads }
    }

    /// Workgroups for which a multiprocessor of so many registers and threads has room, where a thread's part of a row
    /// takes so many registers.
    pub fn resident(&self, held: u32, registers: u32, threads: u32) -> u32 {
        let each = held.saturating_add(WORKING_REGISTERS).next_multiple_of(8);
        (registers / each).min(threads) / self.workgroup_threads().max(1)
    }

    /// Vectors of a row that the threads of all its workgroups hold.
    pub fn held_vectors(&self) -> u64 {
        u64::from(self.threads) * u64::from(self.chunks) * u64::from(self.cluster)
    }
}

impl RowSchedule {
    /// More rows a workgroup, or fewer threads that hold more; `None` for rows that several workgroups share, and where
    /// the numbers are not even.
    fn with_workgroups_of(self, threads: u32) -> Option<RowSchedule> {
        let is_plain = self.adjacent && self.cluster <= 1 && self.ahead == 0 && self.threads > 0;
        if is_plain && threads >= self.threads && threads.is_multiple_of(self.threads) {
            return Some(RowSchedule { rows: threads / self.threads, ..self });
        }
        let fewer = is_plain && self.held && threads > 0 && self.threads.is_multiple_of(threads);
        fewer.then(|| RowSchedule { threads, chunks: self.chunks * (self.threads / threads), rows: 1, ..self })
    }
}

impl RowSchedule {
    /// The same threads without vectors: those that held a row hold it still.
    pub fn one_by_one(self) -> RowSchedule {
        let all = self.chunks.saturating_mul(self.vector.1.max(1));
        let chunks = match (self.adjacent, self.held) {
            (false, _) => self.chunks,
            (true, true) => all,
            (true, false) => all.min(STREAMED_MAX),
        };
        RowSchedule { vector: (self.vector.0, 1), chunks, ..self }
    }

    /// Do the threads hold a row of any length that the kernel serves? Of known length they do where the schedule says
    /// so.
    pub fn holds(&self, plan: &KernelPlan) -> bool {
        let Some(size) = plan.body.reduction().iter().find_map(|&v| plan.exprs.indices.run_extent(v)) else {
            return true;
        };
        let held = self.held_vectors().saturating_mul(u64::from(self.vector.1.max(1)));
        let most = plan.serves.filter(|serves| serves.size == size && serves.min > 0).map(|serves| serves.max);
        self.cluster <= 1 && most.is_some_and(|most| most >= 0 && most as u64 <= held)
    }
}

impl RowSchedule {
    /// Rows, or vectors of rows where the lanes lie along the domain.
    pub fn row_count(&self, plan: &KernelPlan) -> u64 {
        let lanes = |v: VarId| if self.vector.0 == v { u64::from(self.vector.1.max(1)) } else { 1 };
        let extents = plan.domain.iter().map(|&v| (plan.exprs.indices.extent(v).max(0) as u64).div_ceil(lanes(v)));
        extents.fold(1, u64::saturating_mul)
    }
}

impl Schedule for RowSchedule {
    fn of_threads(&self, threads: u32) -> Option<Arc<dyn Schedule>> {
        self.with_workgroups_of(threads).map(|rows| Arc::new(rows) as Arc<dyn Schedule>)
    }

    fn way(&self, _: &KernelPlan) -> String {
        let held = if self.held { " held" } else { "" };
        let packed = if self.packed { " packed" } else { "" };
        let cluster = if self.cluster > 1 { format!(" cluster {}", self.cluster) } else { String::new() };
        let ahead = if self.ahead > 0 { format!(" ahead by {}", self.ahead) } else { String::new() };
        format!(
            "row vector {} threads {} chunks {} rows {}{held}{packed}{cluster}{ahead}",
            self.vector.1, self.threads, self.chunks, self.rows
        )
    }

    fn text(&self, names: &dyn Names) -> String {
        let kept = if self.packed {
            "packed"
        } else if self.held {
            "held"
        } else {
            "streamed"
        };
        let rows = if self.adjacent { "adjacent" } else { "in turn" };
        let cluster = if self.cluster > 1 { format!(" cluster {}", self.cluster) } else { String::new() };
        let ahead = if self.ahead > 0 { format!(" ahead by {}", self.ahead) } else { String::new() };
        format!(
            "row vector {} x {} threads {} chunks {} {kept} rows {} {rows}{cluster}{ahead}",
            names.var(self.vector.0),
            self.vector.1,
            self.threads,
            self.chunks,
            self.rows
        )
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        let groups = self.row_count(plan).div_ceil(u64::from(self.rows.max(1))).max(1);
        let groups = if self.ahead > 0 { groups.min(u64::from(self.ahead)) } else { groups };
        ([groups.saturating_mul(u64::from(self.cluster.max(1))), 1, 1], self.workgroup_threads())
    }

    fn launch_formula(&self, plan: &KernelPlan) -> Option<LaunchFormula> {
        let lanes = |var: VarId| if self.vector.0 == var { u64::from(self.vector.1.max(1)) } else { 1 };
        let factor = |&var: &VarId| LaunchFactor::of(vec![var], lanes(var));
        let factors = plan.domain.iter().map(factor).collect();
        Some(LaunchFormula { factors, per_group: u64::from(self.rows.max(1)), most: None })
    }

    fn points_per_thread(&self, _: &KernelPlan) -> u64 {
        u64::from(if self.adjacent { 1 } else { self.rows })
    }

    fn cluster(&self) -> u32 {
        self.cluster.max(1)
    }

    /// What few workgroups ask for before they wait.
    fn early(&self, plan: &KernelPlan, given: &[bool]) -> Vec<u32> {
        early::buffers(self, plan, given)
    }

    fn scratch_bytes(&self, plan: &KernelPlan) -> u32 {
        u32::try_from(keep::kept_bytes(plan, self)).unwrap_or(u32::MAX)
    }
}

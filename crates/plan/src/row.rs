//! Rows: several reductions over the same elements in one kernel, each of which may read the results of those before it.
//!
//! Input: what `schedule` finds in a group. Output: the parts of [`Body::Row`](crate::kernel::Body) and its schedule. Why a body
//! of its own: a softmax as three kernels reads its row three times; here every element is read once and stays in registers.
//!
//! Results are numbered through: a fold with two operands that comes first makes `Node::Reduced(0)` and `(1)`, the next fold starts
//! with `Node::Reduced(2)`. An input may read the results of earlier folds only; the stores may read all. A store whose offset
//! depends on a row variable is done for every element of the row, every other one once a row.
//!
//! Worked example, softmax of [4, 1000]: domain i0 < 4, row i1 < 1000; fold 0: maximum of x; fold 1: sum of exp(x − reduced 0);
//! store y[1000·i0 + i1] = exp(x − reduced 0) / reduced 1. On CUDA: lanes 4 along i1, 32 threads a row, 8 vectors a thread held in
//! registers (32·8·4 = 1024 ≥ 1000), 4 rows a workgroup: one workgroup of 128 threads.

use crate::expr::NodeId;
use crate::index::VarId;
use crate::kernel::{Combiner, KernelPlan};

/// Elements in flight of a thread that goes through a row again and again, one by one.
const STREAMED_MAX: u32 = 8;
/// Registers of a thread besides those that hold its part of a row.
const WORKING_REGISTERS: u32 = 32;

/// One reduction over the row: as in `Body::Reduce`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFold {
    pub inputs: Vec<NodeId>,
    pub inits: Vec<NodeId>,
    pub combiner: Combiner,
}

impl RowFold {
    /// Nodes that the fold names directly.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> + '_ {
        let combined: &[NodeId] = match &self.combiner {
            Combiner::General(nodes) => nodes,
            Combiner::Simple(_) => &[],
        };
        self.inputs.iter().chain(&self.inits).chain(combined).copied()
    }

    /// The same nodes, to be replaced.
    pub fn roots_mut(&mut self) -> impl Iterator<Item = &mut NodeId> {
        let combined: &mut [NodeId] = match &mut self.combiner {
            Combiner::General(nodes) => nodes,
            Combiner::Simple(_) => &mut [],
        };
        self.inputs.iter_mut().chain(&mut self.inits).chain(combined)
    }
}

/// For `Body::Row` and, on GPUs, `Body::Reduce`: threads share a row, each has every `threads`-th vector of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowSchedule {
    /// Variable whose lanes form vectors: the last row variable, or the last domain variable (then a thread works on neighbouring
    /// rows side by side), with its lane count. GPUs: a divisor of the extent.
    pub vector: (VarId, u32),
    /// Threads that share a row (power of two; 1 on CPU).
    pub threads: u32,
    /// Vectors of a row that a thread takes at a time.
    pub chunks: u32,
    /// All of the row is taken at once and stays in registers; else every fold and the stores go through the row again.
    pub held: bool,
    /// Rows (or vectors of rows) of a workgroup.
    pub rows: u32,
    /// The rows lie side by side in threads of their own (GPU), else one thread has them one after another (CPU).
    pub side_by_side: bool,
    /// Workgroups of a cluster that share a row, each a part of it; where there are several, a workgroup has one row, held.
    pub cluster: u32,
    /// Workgroups (or clusters) that go through the rows, each reading its next row while it works on one; 0: a workgroup has its rows
    /// and ends. Where it is not, a workgroup has one held row at a time, and there are two folds at least.
    pub ahead: u32,
    /// A held row stays as it lies in memory, two narrow elements a register: every pass converts its elements again, and computes what
    /// earlier passes computed of them.
    pub packed: bool,
}

impl RowSchedule {
    /// Threads of a workgroup.
    pub fn workgroup_threads(&self) -> u32 {
        if self.side_by_side { self.threads.saturating_mul(self.rows) } else { self.threads }
    }

    /// Workgroups for which a multiprocessor of so many registers and threads has room, where a thread's part of a row takes so many registers.
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
    /// The same threads without vectors: those that held a row hold it still.
    pub fn one_by_one(self) -> RowSchedule {
        let all = self.chunks.saturating_mul(self.vector.1.max(1));
        let chunks = match (self.side_by_side, self.held) {
            (false, _) => self.chunks,
            (true, true) => all,
            (true, false) => all.min(STREAMED_MAX),
        };
        RowSchedule { vector: (self.vector.0, 1), chunks, ..self }
    }

    /// Do the threads hold a row of any length that the kernel serves? Of known length they do where the schedule says so.
    pub fn holds(&self, plan: &KernelPlan) -> bool {
        let Some(size) = plan.body.reduction().iter().find_map(|&v| plan.exprs.indices.run_extent(v)) else {
            return true;
        };
        let held = self.held_vectors().saturating_mul(u64::from(self.vector.1.max(1)));
        let most = plan.serves.filter(|serves| serves.size == size && serves.min > 0).map(|serves| serves.max);
        self.cluster <= 1 && most.is_some_and(|most| most >= 0 && most as u64 <= held)
    }
}

impl KernelPlan {
    /// Rows, or vectors of rows where the lanes lie along the domain.
    pub fn row_count(&self, s: &RowSchedule) -> u64 {
        let lanes = |v: VarId| if s.vector.0 == v { u64::from(s.vector.1.max(1)) } else { 1 };
        let extents = self.domain.iter().map(|&v| (self.exprs.indices.extent(v).max(0) as u64).div_ceil(lanes(v)));
        extents.fold(1, u64::saturating_mul)
    }
}

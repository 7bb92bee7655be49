//! Rows: several reductions over the same elements in one kernel, each of which may read the results of those before
//! it.
//!
//! Input: what `schedule` finds in a group. Output: the parts of [`Body::Row`](crate::kernel::Body) and its schedule.
//! Why a body of its own: a softmax as three kernels reads its row three times; here every element is read once and
//! stays in registers.
//!
//! Results are numbered through: a fold with two operands that comes first makes `Node::Reduced(0)` and `(1)`, the next
//! fold starts with `Node::Reduced(2)`. An input may read the results of earlier folds only; the stores may read all. A
//! store whose offset depends on a row variable is done for every element of the row, every other one once a row.
//!
//! Worked example, softmax of [4, 1000]: domain i0 < 4, row i1 < 1000; fold 0: maximum of x; fold 1: sum of exp(x −
//! reduced 0); store y[1000·i0 + i1] = exp(x − reduced 0) / reduced 1. On CUDA: lanes 4 along i1, 32 threads a row, 8
//! vectors a thread held in registers (32·8·4 = 1024 ≥ 1000), 4 rows a workgroup: one workgroup of 128 threads.

use crate::expr::NodeId;
use crate::kernel::Combiner;

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

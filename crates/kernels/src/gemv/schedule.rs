//! The schedule of contractions with few outputs on one side: matrix times vector, decode-time attention, dot products.
//!
//! The long operand is read once, in loads of `lanes` elements, many of them in flight in a thread; the short one comes
//! from the caches. A workgroup is `across` × `down` threads: across the outputs of the long side, down the
//! contraction, whose partial sums meet through lane exchange and shared memory. Where outputs are few, the workgroups
//! of a cluster share them: each takes every `cluster`-th round of the contraction, and partial sums meet through their
//! shared memories.
//!
//! Worked example: [1, 8192]·[8192, 28672] bf16: 8 lanes along the columns, 8 steps in a row a thread, 8 × 32 threads:
//! 448 workgroups of 64 columns; a thread takes steps 8·(d + 32·i) … + 7 for i below 32.

use fornax_plan::{KernelPlan, VarId};

/// For `Body::Contraction` with few points on one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GemvSchedule {
    /// Domain variables that both operands (or none) move with: one workgroup computes for one point of them.
    pub batch: Vec<VarId>,
    /// Domain variables of the short side: every thread works on all of their points.
    pub short: Vec<VarId>,
    /// Domain variables of the long side, outermost first.
    pub long: Vec<VarId>,
    /// The long operand is the body's `lhs`.
    pub long_is_lhs: bool,
    /// Elements of one load of the long operand; divides the extent of the variable it lies along.
    pub lanes: u32,
    /// The lanes lie along the last reduction variable, not along the last long one.
    pub inside: bool,
    /// Loads of a block: rows of the long operand where `inside`, else consecutive values of the last reduction
    /// variable, whose extent it divides.
    pub tile: u32,
    /// Blocks that a thread fetches before it multiplies.
    pub depth: u32,
    /// Threads (subgroups where `matrix`) across the long side and down the contraction, powers of two, `across` at
    /// most a subgroup.
    pub across: u32,
    pub down: u32,
    /// Workgroups of a cluster that share outputs, a power of two; 1 where there are no clusters.
    pub cluster: u32,
    /// Products of 16-bit floats by matrix instructions of 16 long × 8 short outputs × 16 steps; loads have 8 lanes, or
    /// 4 across. A block is 32 steps of `tile` × 16 long outputs where `inside`, else 16 steps of 8 · `lanes` long
    /// outputs (`tile` is 1).
    pub matrix: bool,
    /// Several products: a thread fetches all of its blocks before it multiplies.
    pub ahead: bool,
    /// Parts of shared memory through which each thread's blocks come, `depth` a part; 0: they come into registers.
    pub ring: u32,
    /// The short operand is laid in shared memory first, once for all long outputs of a workgroup.
    pub staged: bool,
    /// A subgroup's threads multiply by matrix instructions, four neighbours down the contraction and eight quads
    /// across (`quads`); `across` is [`QUADS`]. The operand is staged and `tile` is even, or there are turns.
    pub quads: bool,
    /// Quads multiply bytes: x, of a single short output, is in fixed point (`fixed`).
    pub fixed: bool,
    /// Tiles of long outputs that a workgroup does in turn by quads, the short operand in registers (`turns`); 0: it
    /// does one, and the operand is staged.
    pub turns: u32,
}

/// Threads that work on one matrix instruction.
pub const MATRIX_THREADS: u32 = 32;
/// Quads of a subgroup, and their threads.
pub const QUADS: u32 = 8;
pub const QUAD_THREADS: u32 = 4;

impl GemvSchedule {
    pub fn threads(&self) -> u32 {
        self.across * self.down * if self.matrix { MATRIX_THREADS } else { 1 }
    }

    /// Long outputs that a workgroup computes for each short one.
    pub fn width(&self) -> u64 {
        self.turn_width() * u64::from(self.turns.max(1))
    }

    /// Those that it computes at a time.
    pub fn turn_width(&self) -> u64 {
        u64::from(self.across)
            * u64::from(match (self.matrix, self.inside) {
                (false, true) => self.tile,
                (false, false) => self.lanes,
                (true, true) => 16 * self.tile,
                (true, false) => 8 * self.lanes,
            })
    }

    /// Values of the last reduction variable in a block.
    pub fn block(&self) -> u64 {
        u64::from(match (self.matrix, self.inside) {
            (false, true) => self.lanes,
            (false, false) => self.tile,
            (true, true) => 32,
            (true, false) => 16,
        })
    }

    /// Loads of a long operand that a thread has in a block.
    pub fn loads(&self) -> usize {
        match (self.matrix, self.inside) {
            (false, _) => self.tile as usize,
            (true, true) => 2 * self.tile as usize,
            (true, false) => 4,
        }
    }

    /// Workgroups along the long side.
    pub fn groups(&self, plan: &KernelPlan) -> u64 {
        points(plan, &self.long).div_ceil(self.width().max(1))
    }

    /// Workgroups in all.
    pub fn workgroups(&self, plan: &KernelPlan) -> u64 {
        points(plan, &self.batch).saturating_mul(self.groups(plan)).saturating_mul(u64::from(self.cluster.max(1)))
    }
}

/// Points of some variables.
pub fn points(plan: &KernelPlan, vars: &[VarId]) -> u64 {
    vars.iter().map(|&v| plan.exprs.indices.extent(v).max(0) as u64).product()
}

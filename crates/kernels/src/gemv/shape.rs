//! A GEMV in numbers, and one way to do it: what schedules are compared by (`candidates`).

use fornax_plan::VarId;
use fornax_targets::{Backend, Target};

use super::computed::Computed;
use super::schedule::GemvSchedule;

/// Registers (32 bit) of a thread besides its loads and sums, and at most.
pub(super) const OTHER_REGISTERS: u64 = 36;
pub(super) const REGISTERS_MAX: u64 = 168;
/// Bytes of what is multiplied.
const F32_BYTES: u64 = 4;
/// Bytes of a thread's widest load on GPUs, from memory and from shared memory.
pub(super) const LOAD_BYTES: u64 = 16;

/// A GEMV, or several of one domain, in numbers.
pub(super) struct Shape {
    pub(super) batch: Vec<VarId>,
    pub(super) short: Vec<VarId>,
    pub(super) long: Vec<VarId>,
    pub(super) long_is_lhs: bool,
    pub(super) inside: bool,
    /// Points of batch, short and long side.
    pub(super) batches: u64,
    pub(super) rows: u64,
    pub(super) columns: u64,
    pub(super) steps: Vec<Steps>,
    /// Sums of an output, and those that are held at the same time.
    pub(super) sums: u64,
    pub(super) held: u64,
    /// Extent of the last long variable.
    pub(super) last: u64,
    pub(super) bytes: u64,
    /// Bytes of an element of the vector, where the matrix has elements of one byte. Else 1: the rates were fitted with
    /// matrices of 2 and 4 bytes, and hold it.
    pub(super) wider: f64,
    pub(super) accumulator_bytes: u64,
    /// Matrix instructions can multiply the operands.
    pub(super) matrix: bool,
    /// `None`: the long operand is a plain load.
    pub(super) computed: Option<Computed>,
    /// Its loads along the outputs begin where whole copies may.
    pub(super) copies: bool,
    /// Matrix instructions can multiply what it is computed from (`quads`).
    pub(super) quads: bool,
    /// The long operands come from memory however small they are.
    pub(super) streamed: bool,
}

/// Products over the same steps in numbers.
pub(super) struct Steps {
    /// Points of the reduction variables but the last; of that one.
    pub(super) outer: u64,
    pub(super) inner: u64,
    /// Long operands, and the loads that stream them: weights that lie packed share one.
    pub(super) long: u64,
    pub(super) streams: u64,
    /// Short operands.
    pub(super) short: u64,
}

impl Steps {
    /// Blocks of so many values of the last variable, in one of so many parts.
    pub(super) fn blocks(&self, block: u64, parts: u64) -> u64 {
        self.outer * (self.inner / parts) / block
    }
}

impl Shape {
    /// Registers of a thread that fetches all of its blocks of several products at once; `None` where they are too
    /// many, and where operands come from memory: a thread then has enough to wait for, and more of them fit.
    pub(super) fn registers_ahead(&self, target: &Target, way: &Way) -> Option<u64> {
        if self.sums == 1 || self.streamed || way.matrix || target.backend != Backend::Cuda {
            return None;
        }
        let (each, block) = block(self, way.matrix, way.lanes, way.tile);
        let words = |elements: u64, bytes: u64| (elements * bytes).div_ceil(4);
        // Elements of 8 bits are held as they are multiplied: they are converted where they are fetched. Source: gate
        // and up of Llama 3.1 8B in E4M3, one H200: 8 loads of 16 bytes are 128 registers, and a step takes 2.62 ms,
        // block by block 2.33.
        let held_bytes = if self.wider > 1.0 { F32_BYTES } else { self.bytes };
        let fetched = |steps: &Steps| {
            let long = steps.long * way.tile * words(way.lanes, held_bytes);
            let short = steps.short * words(self.rows * block, self.bytes);
            steps.blocks(block, 1).div_ceil(way.down) * (long + short)
        };
        let held = words(self.held * self.rows * each, self.accumulator_bytes.max(4));
        let all = OTHER_REGISTERS + held + self.steps.iter().map(fetched).sum::<u64>();
        (all <= REGISTERS_MAX).then_some(all)
    }

    /// The long outputs' last variable.
    pub(super) fn last_long(&self) -> Option<VarId> {
        self.long.last().copied()
    }

    /// Whether products of two shapes have the same outputs and loads.
    pub(super) fn is_like(&self, other: &Shape) -> bool {
        let vars = |shape: &Shape| [shape.batch.clone(), shape.short.clone(), shape.long.clone()];
        let numbers = |shape: &Shape| (shape.long_is_lhs, shape.inside, shape.bytes);
        vars(self) == vars(other) && numbers(self) == numbers(other)
    }

    /// The schedule of a way.
    pub(super) fn schedule(&self, way: &Way, target: &Target) -> GemvSchedule {
        GemvSchedule {
            batch: self.batch.clone(),
            short: self.short.clone(),
            long: self.long.clone(),
            long_is_lhs: self.long_is_lhs,
            lanes: way.lanes as u32,
            inside: self.inside,
            tile: way.tile as u32,
            depth: way.depth as u32,
            across: way.across as u32,
            down: way.down as u32,
            cluster: way.cluster as u32,
            matrix: way.matrix,
            ahead: way.ring == 0 && !way.quads && self.registers_ahead(target, way).is_some(),
            ring: way.ring as u32,
            staged: way.turns == 0 && self.staged_bytes(target, way).is_some(),
            quads: way.quads,
            fixed: way.fixed,
            turns: way.turns as u32,
        }
    }
}

/// One way to do it: parts that a second kernel adds up, and the numbers of a [`GemvSchedule`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) parts: u64,
    pub(super) matrix: bool,
    pub(super) lanes: u64,
    pub(super) tile: u64,
    pub(super) depth: u64,
    pub(super) across: u64,
    pub(super) down: u64,
    pub(super) cluster: u64,
    pub(super) ring: u64,
    pub(super) quads: bool,
    pub(super) fixed: bool,
    pub(super) turns: u64,
}

impl Way {
    pub(super) fn threads(&self, target: &Target) -> u64 {
        self.across * self.down * if self.matrix { u64::from(target.subgroup_size.max(1)) } else { 1 }
    }
}

/// Long outputs of a thread (of a subgroup's tile where `matrix`), and steps of a block.
pub(super) fn block(shape: &Shape, matrix: bool, lanes: u64, tile: u64) -> (u64, u64) {
    match (matrix, shape.inside) {
        (false, true) => (tile, lanes),
        (false, false) => (lanes, tile),
        (true, true) => (16 * tile, 32),
        (true, false) => (8 * lanes, 16),
    }
}

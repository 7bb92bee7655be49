//! Which operands are in fixed point, and where their blocks lie in shared memory (`fixed`).
//!
//! What models of costs need of it, and what `staged` holds, stands apart from the code that emits it: else these files
//! would need each other.
//!
//! Worked example: 14336 steps of Q4_0, 448 blocks of two short operands: 28 KiB of h and l, 7 KiB of numbers.

use fornax_emit::text::Value;
use fornax_plan::KernelPlan;

use super::products::{Space, Stages};
use super::schedule::{GemvSchedule, points};
use super::shape::LOAD_BYTES;

/// Bytes of a register.
pub(super) const WORD_BYTES: u32 = 4;
/// Bytes of h and of l of a block.
pub(super) const BLOCK_BYTES: u64 = 32;
/// Bytes of a number.
pub(super) const NUMBER_BYTES: u64 = 4;

/// Whether so many short operands, of so many steps a block, are a whole block.
pub(super) fn fits(short: u64, lanes: u64) -> bool {
    short * lanes == BLOCK_BYTES && lanes.is_multiple_of(u64::from(2 * WORD_BYTES))
}

/// Where the blocks of a space lie.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub blocks: u64,
    /// Bytes of a block's scale and Σ X.
    pub numbers: u64,
    /// The first byte of h and l, and of the numbers.
    pub first: u64,
    pub first_number: u64,
}

impl Layout {
    /// From a byte on, of so many blocks and short operands; the byte behind it.
    pub(super) fn of(first: u64, blocks: u64, short: u64) -> (Layout, u64) {
        let numbers = ((short + 1) * NUMBER_BYTES).next_multiple_of(LOAD_BYTES);
        let first_number = first + blocks * 2 * BLOCK_BYTES;
        (Layout { blocks, numbers, first, first_number }, first_number + blocks * numbers)
    }
}

/// Bytes of shared memory for spaces of so many blocks and short operands each.
pub(super) fn bytes(spaces: impl Iterator<Item = (u64, u64)>) -> u64 {
    spaces.fold(0, |first, (blocks, short)| Layout::of(first, blocks, short).1) + BLOCK_BYTES
}

/// Bytes that a schedule's workgroup lays down.
pub(super) fn bytes_of(schedule: &GemvSchedule, plan: &KernelPlan) -> u64 {
    let stages = Stages::of(plan, schedule.long_is_lhs);
    let blocks = |space: &Space| points(plan, &space.reduction) / u64::from(schedule.lanes.max(1));
    bytes(stages.spaces().map(|space| (blocks(space), space.short.len() as u64)))
}

/// What a workgroup laid down.
pub(super) struct Blocks {
    /// By space.
    pub layouts: Vec<Layout>,
    /// The first byte of the zeros behind all.
    pub zeros: u64,
    pub lane: Lane,
}

/// A thread's place in a subgroup.
pub(super) struct Lane {
    pub quad: Value,
    /// Its number in the quad.
    pub own: Value,
    /// It has a column of its block, of h or l.
    pub is_active: Value,
    pub is_high: Value,
}

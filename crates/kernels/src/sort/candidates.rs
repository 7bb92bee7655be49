//! Schedules of sorts and of passes of a radix sort.
//!
//! Worked examples, CUDA: rows of 1000 f32 are sorted by 256 threads with 4 items each; rows of 20 in 32 slots, 16 rows
//! a workgroup.

use crate::sort::schedule::{RadixSchedule, SortSchedule};
use fornax_plan::radix::DIGITS;
use fornax_plan::{Body, KernelPlan};
use fornax_targets::Target;

use super::block::{block_of, register_bytes};

/// Items of a thread.
const SORT_ITEMS: i64 = 4;
/// Slots of a workgroup whose runs are shorter, if there are enough of them.
const SORT_SLOTS_MIN: i64 = 512;

/// Schedule of a `Body::Sort`.
pub fn sort(plan: &KernelPlan, target: &Target) -> SortSchedule {
    let (Some(runs), Body::Sort { operands, from, .. }) = (plan.runs(), &plan.body) else {
        return SortSchedule { threads: 1, items: 1 };
    };
    let bytes = operands.iter().map(|&n| register_bytes(plan.exprs.element(n))).sum();
    let block = block_of(bytes);
    let padded = runs.padded();
    let units = i64::from(target.compute_units.max(1));
    let slots = match *from {
        1 if runs.lines * runs.count * padded < units * SORT_SLOTS_MIN => padded,
        1 => padded.max(SORT_SLOTS_MIN.min(block)),
        // Runs are powers of two times the block.
        _ => block,
    };
    if !target.is_gpu() {
        return SortSchedule { threads: 1, items: slots.max(1) as u32 };
    }
    let most = i64::from(target.max_threads_per_block.max(1));
    let mut items = SORT_ITEMS.min(slots).min(if *from == 1 { padded } else { slots });
    while slots / items > most.min(512) && items < 16 {
        items *= 2;
    }
    SortSchedule { threads: (slots / items).max(1) as u32, items: items as u32 }
}

/// Schedule of a pass of a radix sort: a thread a digit where lanes can vote.
pub fn radix(target: &Target) -> RadixSchedule {
    let votes = target.votes() && target.subgroup_size == 32;
    RadixSchedule { threads: if votes { DIGITS as u32 } else { 1 } }
}

//! Offsets of intermediates in the arena: values whose lives do not overlap may share bytes.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<16x16xf32>) -> tensor<16x16xf32> {
//!   %0 = stablehlo.dot %arg0, %arg0 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
//!   %1 = stablehlo.dot %0, %0 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
//!   %2 = stablehlo.dot %1, %1 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
//!   %3 = stablehlo.dot %2, %2 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
//!   return %3 : tensor<16x16xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel contraction_0_dot
//! @main: 1 inputs, 1 outputs, arena 3072 bytes (3072 without sharing)
//!   dispatch contraction_0_dot grid 1 [input 0 +0 1024B, -> arena +0 1024B]
//!   dispatch contraction_0_dot grid 1 [arena +0 1024B, -> arena +1024 1024B]
//!   dispatch contraction_0_dot grid 1 [arena +1024 1024B, -> arena +2048 1024B]
//!   dispatch contraction_0_dot grid 1 [arena +2048 1024B, -> output 0 +0 1024B]
//! ```
//! After:
//! ```text
//! kernel contraction_0_dot
//! @main: 1 inputs, 1 outputs, arena 2048 bytes (3072 without sharing)
//!   dispatch contraction_0_dot grid 1 [input 0 +0 1024B, -> arena +0 1024B]
//!   dispatch contraction_0_dot grid 1 [arena +0 1024B, -> arena +1024 1024B]
//!   dispatch contraction_0_dot grid 1 [arena +1024 1024B, -> arena +0 1024B]
//!   dispatch contraction_0_dot grid 1 [arena +0 1024B, -> output 0 +0 1024B]
//! ```
//!
//! Intermediates of a row, the pieces of what a collective sends, are placed as one. Those of known size come first,
//! largest first, each at the lowest offset where it fits among those that live at the same time. Behind them lie slots
//! of sizes known at run time, each as long as the longest value that ever lies in it, one value at a time; a slot's
//! offset is the sum of the lengths before it. What depends on sizes read from data comes last, in the order in which
//! they are read, so that offsets are known when they are used.
//!
//! Worked example: a (0..2, 400 B), b (1..3, 300 B), c (2..4, 100 B) in commands: a at 0, b at 512, c at 1024: c begins
//! with the command that reads a last, so they may not share. With x (0..1, 512·n B), y (1..2, 256·n B), z (2..3, 512·n
//! B) besides: x and z share a slot at 1280, y has one at 1280 + 512·n.

use fornax_module::program::ExprId;

use super::sizes::Bytes;
use super::{ARENA_ALIGNMENT, Planner};
use crate::errors::PassError;

/// A value in need of a place: it is written by command `first` and read by command `last` at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub bytes: Bytes,
    pub first: usize,
    pub last: usize,
}

impl Interval {
    fn overlaps(&self, other: &Interval) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// When an intermediate is used if every command starts as soon as what it depends on is over: from one step to
/// another, the latter excluded ([`super::apart`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    pub first: usize,
    pub end: usize,
}

/// Bytes by which the arena may grow for what may run at the same time.
/// Source: chosen, of 80 GB; what is small enough to be parallel is far smaller.
const GROWTH_MAX: u64 = 32 << 20;
/// Levels that one would wait where another one lay, from which on they are apart.
/// Source: chains of 64 launches gain; ResNet50, whose shortcuts are one beside three, took 0.250 ms for 0.246.
const WAIT_MIN: usize = 8;
/// Sizes up to which intermediates may be kept apart, bytes; the first with which the arena grows no more than it may.
const APART_BYTES: [u64; 4] = [32 << 20, 4 << 20, 512 << 10, 64 << 10];

/// Where everything lies.
pub struct Arena {
    /// One an interval.
    pub offsets: Vec<ExprId>,
    pub bytes: ExprId,
    /// Bytes that are enough while only the first sizes are known, ascending; `bytes` at last.
    pub stages: Vec<ExprId>,
    /// Bytes where no size is left open.
    pub fixed: u64,
}

/// Values that take turns in one place.
struct Slot {
    length: ExprId,
    stage: usize,
    members: Vec<usize>,
}

/// Places all intermediates of a function; those of each row one behind the other. `levels` has one entry an interval,
/// or none.
pub fn arrange(
    planner: &mut Planner<'_>,
    intervals: &[Interval],
    rows: &[Vec<usize>],
    levels: &[Levels],
) -> Result<Arena, PassError> {
    let alone: Vec<Interval> = intervals.iter().map(|i| Interval { first: 0, last: usize::MAX, ..*i }).collect();
    let intervals = if planner.has("arena") { intervals } else { &alone };
    let (intervals, within) = joined(intervals, rows);
    let intervals = intervals.as_slice();
    let known: Vec<(usize, u64)> = intervals
        .iter()
        .enumerate()
        .filter(|(at, _)| within[*at].is_none())
        .filter_map(|(at, i)| Some((at, i.bytes.fixed()?)))
        .collect();
    let (fixed_offsets, fixed) = place_apart(intervals, &known, levels);
    let zero = planner.size(0);
    let mut offsets = vec![zero; intervals.len()];
    for (&(at, _), offset) in known.iter().zip(fixed_offsets) {
        offsets[at] = planner.size(offset);
        for (member, found) in within.iter().enumerate() {
            if let Some((_, first)) = found.filter(|(head, _)| *head == at) {
                offsets[member] = planner.size(offset + first);
            }
        }
    }
    let mut slots: Vec<Slot> = Vec::new();
    for (at, interval) in intervals.iter().enumerate() {
        if matches!(interval.bytes, Bytes::Formula(_)) {
            let length = planner.length(interval.bytes)?;
            let length = planner.aligned(length, ARENA_ALIGNMENT);
            into_slot(planner, &mut slots, intervals, (at, length));
        }
    }
    slots.sort_by_key(|s| s.stage);
    let mut end = planner.size(fixed);
    let mut stages = Vec::new();
    for slot in slots {
        if slot.stage > 0 && planner.stage(end) < slot.stage {
            stages.push(end);
        }
        for member in slot.members {
            offsets[member] = end;
        }
        end = planner.sum(end, slot.length);
    }
    if end != planner.size(fixed) {
        // Loads that a mask turns off read the first element of a buffer that may have none.
        let unit = planner.size(ARENA_ALIGNMENT);
        end = planner.sum(end, unit);
        for stage in &mut stages {
            *stage = planner.sum(*stage, unit);
        }
    }
    if !stages.is_empty() {
        stages.push(end);
    }
    Ok(Arena { offsets, bytes: end, stages, fixed })
}

/// The intervals with the first of each row in the place of all of it, for as long as any of them lives; and where each
/// other one lies: in which first one, and how far behind its begin. Rows are of known sizes.
fn joined(intervals: &[Interval], rows: &[Vec<usize>]) -> (Vec<Interval>, Vec<Option<(usize, u64)>>) {
    let mut all = intervals.to_vec();
    let mut within = vec![None; all.len()];
    for row in rows {
        let Some((&head, others)) = row.split_first() else { continue };
        for &other in others {
            let (Interval { bytes, first, last }, whole) = (all[other], &mut all[head]);
            let end = whole.bytes.fixed().unwrap_or_default();
            within[other] = Some((head, end));
            whole.bytes = Bytes::Fixed(end + bytes.fixed().unwrap_or_default());
            (whole.first, whole.last) = (whole.first.min(first), whole.last.max(last));
        }
    }
    (all, within)
}

/// Puts an interval in a slot of the same length, else in any that is free all the time and known as early, else in a
/// new one.
fn into_slot(planner: &mut Planner<'_>, slots: &mut Vec<Slot>, intervals: &[Interval], (at, length): (usize, ExprId)) {
    let stage = planner.stage(length);
    let free = |s: &Slot| s.stage == stage && s.members.iter().all(|&m| !intervals[m].overlaps(&intervals[at]));
    let found = slots.iter().position(|s| s.length == length && free(s)).or_else(|| slots.iter().position(free));
    match found {
        Some(slot) => {
            let slot = &mut slots[slot];
            slot.length = planner.larger(slot.length, length);
            slot.members.push(at);
        }
        None => slots.push(Slot { length, stage, members: vec![at] }),
    }
}

/// As [`place`], and where the arena grows by little, those that may be used at the same time lie apart.
fn place_apart(intervals: &[Interval], known: &[(usize, u64)], levels: &[Levels]) -> (Vec<u64>, u64) {
    let ordered = |a: usize, b: usize| intervals[known[a].0].overlaps(&intervals[known[b].0]);
    let shared = place(intervals, known, &ordered);
    if levels.len() != intervals.len() {
        return shared;
    }
    for most in APART_BYTES {
        let at_once = |a: usize, b: usize| {
            let ((a, a_bytes), (b, b_bytes)) = (known[a], known[b]);
            let (before, after) = if intervals[a].first <= intervals[b].first { (a, b) } else { (b, a) };
            let wait = levels[before].end.saturating_sub(levels[after].first);
            a_bytes.max(b_bytes) <= most && wait >= WAIT_MIN
        };
        let apart = place(intervals, known, &|a, b| ordered(a, b) || at_once(a, b));
        if apart.1 <= shared.1.saturating_add(GROWTH_MAX) {
            return apart;
        }
    }
    shared
}

/// Offsets of the intervals of known size, in their order, and the bytes that they take. `meet` says of two whether
/// they lie apart.
fn place(intervals: &[Interval], known: &[(usize, u64)], meet: &dyn Fn(usize, usize) -> bool) -> (Vec<u64>, u64) {
    let mut order: Vec<usize> = (0..known.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(known[i].1), intervals[known[i].0].first, i));
    let mut offsets = vec![0u64; known.len()];
    let mut placed: Vec<usize> = Vec::new();
    let mut size = 0;
    for i in order {
        let bytes = known[i].1;
        let mut taken: Vec<(u64, u64)> = placed
            .iter()
            .filter(|&&p| meet(p, i))
            .map(|&p| (offsets[p], offsets[p] + known[p].1))
            .collect();
        taken.sort_unstable();
        let mut at = 0u64;
        for (start, end) in taken {
            if at + bytes <= start {
                break;
            }
            at = at.max(end.next_multiple_of(ARENA_ALIGNMENT));
        }
        offsets[i] = at;
        size = size.max(at + bytes);
        placed.push(i);
    }
    (offsets, size.next_multiple_of(ARENA_ALIGNMENT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(bytes: u64, first: usize, last: usize) -> Interval {
        Interval { bytes: Bytes::Fixed(bytes), first, last }
    }

    fn place(intervals: &[Interval]) -> (Vec<u64>, u64) {
        let bytes = |i: &Interval| if let Bytes::Fixed(bytes) = i.bytes { bytes } else { 0 };
        let known: Vec<(usize, u64)> = intervals.iter().map(bytes).enumerate().collect();
        super::place_apart(intervals, &known, &[])
    }

    #[test]
    fn what_may_run_at_the_same_time_is_apart_where_it_is_small() {
        // Two chains of ten steps each, one after the other in the list.
        let place = |bytes| {
            let known = [(0, bytes), (1, bytes)];
            let levels = [Levels { first: 0, end: 10 }; 2];
            place_apart(&[interval(bytes, 0, 9), interval(bytes, 10, 19)], &known, &levels)
        };
        assert_eq!(place(1000), (vec![0, 1024], 2048));
        assert_eq!(place(64 << 20), (vec![0, 0], 64 << 20));
        // It waits for a short while alone.
        let later = [Levels { first: 0, end: 10 }, Levels { first: 8, end: 20 }];
        let known = [(0, 1000), (1, 1000)];
        assert_eq!(place_apart(&[interval(1000, 0, 9), interval(1000, 10, 19)], &known, &later).1, 1024);
    }

    #[test]
    fn overlapping_lives_are_apart() {
        let (offsets, size) = place(&[interval(400, 0, 2), interval(300, 1, 3), interval(100, 2, 4)]);
        assert_eq!(offsets, [0, 512, 1024]);
        assert_eq!(size, 1280);
    }

    #[test]
    fn a_row_lies_together_while_any_of_it_lives() {
        let all = [interval(256, 0, 1), interval(512, 3, 4), interval(256, 2, 3)];
        let (found, within) = joined(&all, &[vec![2, 0]]);
        assert_eq!(within, [Some((2, 256)), None, None]);
        assert_eq!(found[2], interval(512, 0, 3));
        assert_eq!(found[1], all[1]);
    }

    #[test]
    fn a_chain_takes_two_buffers() {
        let chain: Vec<Interval> = (0..10).map(|i| interval(1000, i, i + 1)).collect();
        let (offsets, size) = place(&chain);
        assert_eq!(size, 2048);
        for pair in offsets.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
    }

    #[test]
    fn no_intermediates_no_arena() {
        assert_eq!(place(&[]), (vec![], 0));
    }
}

//! What may run at the same time on a GPU shares no small intermediates: one that lies where another one lay would wait
//! for all that read that.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<1x2048xf32>, %arg1: tensor<2048x2048xf32>, %arg2: tensor<1x2048xf32>)
//!     -> (tensor<1x2048xf32>, tensor<1x2048xf32>) {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1 = stablehlo.constant dense<5000> : tensor<i32>
//!   %2:2 = stablehlo.while(%i = %0, %x = %arg0) : tensor<i32>, tensor<1x2048xf32>
//!   cond {
//!     %4 = stablehlo.compare LT, %i, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %4 : tensor<i1>
//!   } do {
//!     %4 = stablehlo.dot_general %x, %arg1, contracting_dims = [1] x [0] :
//!       (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
//!     %5 = stablehlo.constant dense<1> : tensor<i32>
//!     %6 = stablehlo.add %i, %5 : tensor<i32>
//!     stablehlo.return %6, %4 : tensor<i32>, tensor<1x2048xf32>
//!   }
//!   %7 = stablehlo.sine %arg2 : tensor<1x2048xf32>
//!   %3:2 = stablehlo.while(%i = %0, %x = %7) : tensor<i32>, tensor<1x2048xf32>
//!   cond {
//!     %4 = stablehlo.compare LT, %i, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %4 : tensor<i1>
//!   } do {
//!     %4 = stablehlo.dot_general %x, %arg1, contracting_dims = [1] x [0] :
//!       (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
//!     %5 = stablehlo.constant dense<1> : tensor<i32>
//!     %6 = stablehlo.add %i, %5 : tensor<i32>
//!     stablehlo.return %6, %4 : tensor<i32>, tensor<1x2048xf32>
//!   }
//!   return %2#1, %3#1 : tensor<1x2048xf32>, tensor<1x2048xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel contraction_0_dot_general
//! kernel loop_1_sine
//! @main: 3 inputs, 2 outputs, arena 8448 bytes (24584 without sharing)
//!   copy input 0 +0 8192B -> output 0 +0 8192B
//!   repeat 5000 times {
//!     dispatch contraction_0_dot_general grid 256 [input 1 +0 16777216B, output 0 +0 8192B, -> arena +0 8192B]
//!     copy arena +0 8192B -> output 0 +0 8192B
//!   }
//!   dispatch loop_1_sine grid 2 [input 2 +0 8192B, -> arena +0 8192B]
//!   copy arena +0 8192B -> output 1 +0 8192B
//!   repeat 5000 times {
//!     dispatch contraction_0_dot_general grid 256 [input 1 +0 16777216B, output 1 +0 8192B, -> arena +0 8192B]
//!     copy arena +0 8192B -> output 1 +0 8192B
//!   }
//! ```
//! After:
//! ```text
//! kernel contraction_0_dot_general
//! kernel loop_1_sine
//! @main: 3 inputs, 2 outputs, arena 16384 bytes (24584 without sharing)
//!   copy input 0 +0 8192B -> output 0 +0 8192B
//!   repeat 5000 times {
//!     dispatch contraction_0_dot_general grid 256 [input 1 +0 16777216B, output 0 +0 8192B, -> arena +0 8192B]
//!     copy arena +0 8192B -> output 0 +0 8192B
//!   }
//!   dispatch loop_1_sine grid 2 [input 2 +0 8192B, -> arena +8192 8192B]
//!   copy arena +8192 8192B -> output 1 +0 8192B
//!   repeat 5000 times {
//!     dispatch contraction_0_dot_general grid 256 [input 1 +0 16777216B, output 1 +0 8192B, -> arena +8192 8192B]
//!     copy arena +8192 8192B -> output 1 +0 8192B
//!   }
//! ```
//!
//! Input: the steps of a function as they are launched. Output: for each intermediate the levels in which it is used,
//! if every launch starts once what it depends on is over. Launches depend on each other where they touch the same
//! bytes of one value, rounds that are written out each by itself, as a recorded list has it. Where intermediates lie
//! is `arena`'s work: where one would wait long for another one's place it lies apart, if both are small and the arena
//! grows by little.
//!
//! Worked example: a GRU that reads its text both ways is two loops of 64 launches. The second one's inputs lay where
//! the first one's had lain, so it began when that had ended. One H200, a queue of calls: 0.251 ms -> 0.155. Of two
//! layers of an LSTM the second one's step `n` needs the first one's step `n` alone: 0.371 -> 0.350, since a step that
//! waits for two others begins late. The arenas grew from 2.6 to 4.2 MB and from 1.1 to 1.3.
//!
//! Limits: CUDA, whose lists are graphs; a host's read, a branch and a loop of unknown length end what is before them.

use std::collections::HashMap;

use fornax_plan::Buffer;
use fornax_targets::Backend;

use super::arena::Levels;
use super::commands::Builder;
use super::launch::{Copies, Step};
use super::rounds::{accesses, roots, writes};
use super::sizes::Bytes;
use super::storage::{Key, Place, Source};
use crate::errors::PassError;

/// The levels of all intermediates; none where nothing runs at the same time anyway.
pub fn levels(b: &mut Builder<'_, '_>, steps: &[Step]) -> Result<Vec<Levels>, PassError> {
    if b.planner.target.backend != Backend::Cuda || !b.planner.has("apart") {
        return Ok(Vec::new());
    }
    let unused = Levels { first: usize::MAX, end: 0 };
    let mut walk = Walk { levels: vec![unused; b.storage.intervals.len()], ..Walk::default() };
    let rounds = b.storage.rounds.clone();
    let walked = walk.steps(b, steps);
    b.storage.rounds = rounds;
    walked.map(|()| walk.levels)
}

/// Bytes that a step touches.
struct Touched {
    place: Place,
    first: u64,
    end: u64,
    writes: bool,
}

/// Bytes of one value, and the ends of the levels that used them.
struct Segment {
    first: u64,
    end: u64,
    written: usize,
    read: usize,
}

#[derive(Default)]
struct Walk {
    levels: Vec<Levels>,
    known: HashMap<Key, Vec<Segment>>,
    /// Before this nothing starts any more.
    from: usize,
    /// The end of all so far.
    end: usize,
}

impl Walk {
    fn steps(&mut self, b: &mut Builder<'_, '_>, steps: &[Step]) -> Result<(), PassError> {
        for step in steps {
            match step {
                Step::Repeat { count, body, written_out: Some(number), .. } => {
                    for round in 0..*count as usize {
                        b.storage.rounds[*number] = round;
                        self.steps(b, body)?;
                    }
                    b.storage.rounds[*number] = *count as usize;
                }
                Step::Launch(_) | Step::Copy(_) | Step::Set { .. } => {
                    let touched = touched(b, step)?;
                    self.add(&touched, 1);
                }
                Step::Repeat { count, body, .. } => {
                    let touched = all(b, body);
                    self.add(&touched, (*count as usize).saturating_mul(body.len()));
                }
                // A host's read, a branch, a loop of unknown length, what other devices do.
                other => {
                    self.from = self.end;
                    let touched = all(b, std::slice::from_ref(other));
                    self.add(&touched, 1);
                    self.from = self.end;
                }
            }
        }
        Ok(())
    }

    /// A step of `length` levels.
    fn add(&mut self, touched: &[Touched], length: usize) {
        let mut start = self.from;
        for own in touched {
            let known = self.known.get(&Key::from(own.place)).map(Vec::as_slice).unwrap_or_default();
            for other in known.iter().filter(|other| other.first < own.end && own.first < other.end) {
                start = start.max(other.written).max(if own.writes { other.read } else { 0 });
            }
        }
        let end = start.saturating_add(length);
        self.end = self.end.max(end);
        for own in touched {
            let known = self.known.entry(Key::from(own.place)).or_default();
            if own.writes {
                known.retain(|other| other.first < own.first || own.end < other.end);
            }
            let (written, read) = if own.writes { (end, 0) } else { (0, end) };
            match known.iter_mut().find(|other| (other.first, other.end) == (own.first, own.end)) {
                Some(other) => other.read = other.read.max(read),
                None => known.push(Segment { first: own.first, end: own.end, written, read }),
            }
            if let Place::Arena(number) = own.place
                && let Some(levels) = self.levels.get_mut(number)
            {
                *levels = Levels { first: levels.first.min(start), end: levels.end.max(end) };
            }
        }
    }
}

/// What a launch, a copy or a fill touches in the present round.
fn touched(b: &mut Builder<'_, '_>, step: &Step) -> Result<Vec<Touched>, PassError> {
    let mut found = Vec::new();
    match step {
        Step::Launch(launch) => {
            let plan = b.planner.planned.kernels.get(launch.kernel as usize);
            for (at, &(source, access)) in launch.values.iter().enumerate() {
                let buffer = plan.and_then(|plan| plan.buffers.get(at)).filter(|_| launch.sizes.is_empty());
                let bytes = |of: &Buffer| (of.elements.max(0) as u64).saturating_mul(of.element.storage_bytes() as u64);
                let size = buffer.map(bytes);
                found.extend(in_round(b, source, size, writes(access)));
            }
        }
        Step::Copy(Copies { from, to, .. }) => {
            let bytes = b.storage.bytes_or(b.planner, *from, *to)?;
            let size = if let Bytes::Fixed(bytes) = bytes { Some(bytes) } else { None };
            found.extend(in_round(b, *from, size, false));
            found.extend(in_round(b, *to, size, true));
        }
        Step::Set { to, .. } => found.extend(in_round(b, *to, None, true)),
        _ => {}
    }
    Ok(found)
}

/// Everything that steps name, as wholes, in every round.
fn all(b: &Builder<'_, '_>, steps: &[Step]) -> Vec<Touched> {
    let mut found = Vec::new();
    for step in steps {
        accesses(step, &mut |source, access| {
            let places = b.storage.place(source).map(|place| roots(b, place)).unwrap_or_default();
            let whole = |place| Touched { place, first: 0, end: u64::MAX, writes: writes(access) };
            found.extend(places.into_iter().map(whole));
        });
    }
    found
}

/// The bytes of a source in the present round; all where their number is not known.
fn in_round(b: &Builder<'_, '_>, source: Source, size: Option<u64>, writes: bool) -> Option<Touched> {
    let (mut place, mut first) = (b.storage.place(source)?, 0u64);
    while let Place::ByRound(number) = place {
        let known = b.storage.by_round.get(number)?;
        let &(next, bytes) = known.places.get(*b.storage.rounds.get(known.rounds_of)?)?;
        (place, first) = (next, first.saturating_add(bytes));
    }
    let end = size.map_or(u64::MAX, |size| first.saturating_add(size));
    Some(Touched { place, first: if size.is_some() { first } else { 0 }, end, writes })
}

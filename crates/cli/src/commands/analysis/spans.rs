//! Which values lie where while a program's commands are followed: bytes that were written, until they are overwritten.
//!
//! Worked example: `a` is written to 0..100, then `b` to 40..60. A read of 0..50 finds `a` and `b`; `a` still holds
//! 0..40 and 60..100.

use std::collections::HashMap;

use fornax_module::program::Space;

/// A value's place in the list of all values.
pub type ValueId = usize;

/// A range of bytes that holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    start: u64,
    end: u64,
    value: ValueId,
}

/// What each space holds now.
#[derive(Clone, Debug, Default)]
pub struct HeldSpans(HashMap<Space, Vec<Held>>);

impl HeldSpans {
    /// The values in a range, each once.
    pub fn read(&self, space: Space, start: u64, length: u64) -> Vec<ValueId> {
        let end = start.saturating_add(length);
        let held = self.0.get(&space).map_or(&[][..], Vec::as_slice);
        let mut found: Vec<ValueId> = held.iter().filter(|h| h.start < end && start < h.end).map(|h| h.value).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Puts a value in a range. Gives the values that lost bytes to it.
    pub fn write(&mut self, space: Space, start: u64, length: u64, value: ValueId) -> Vec<ValueId> {
        let end = start.saturating_add(length);
        let lost = self.read(space, start, length);
        let held = self.0.entry(space).or_default();
        let mut rest = Vec::with_capacity(held.len() + 2);
        for h in held.drain(..) {
            if h.start >= end || start >= h.end {
                rest.push(h);
                continue;
            }
            if h.start < start {
                rest.push(Held { end: start, ..h });
            }
            if end < h.end {
                rest.push(Held { start: end, ..h });
            }
        }
        if length > 0 {
            rest.push(Held { start, end, value });
        }
        *held = rest;
        lost
    }

    /// Whether any byte still holds a value.
    pub fn holds(&self, value: ValueId) -> bool {
        self.0.values().flatten().any(|h| h.value == value)
    }

    /// What either of two branches left.
    pub fn merge(&mut self, other: HeldSpans) {
        for (space, held) in other.0 {
            let mine = self.0.entry(space).or_default();
            held.into_iter().for_each(|h| {
                if !mine.contains(&h) {
                    mine.push(h);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_overwritten_is_gone() {
        let mut spans = HeldSpans::default();
        assert!(spans.write(Space::Arena, 0, 100, 0).is_empty());
        assert_eq!(spans.write(Space::Arena, 40, 20, 1), [0]);
        assert_eq!(spans.read(Space::Arena, 0, 50), [0, 1]);
        assert_eq!(spans.read(Space::Arena, 45, 5), [1]);
        assert_eq!(spans.read(Space::Arena, 60, 1), [0]);
        assert!(spans.read(Space::Arena, 100, 9).is_empty() && spans.read(Space::Input(0), 0, 9).is_empty());
        spans.write(Space::Arena, 0, 100, 2);
        assert!(!spans.holds(0) && !spans.holds(1) && spans.holds(2));
    }

    #[test]
    fn branches_leave_what_either_wrote() {
        let mut spans = HeldSpans::default();
        spans.write(Space::Arena, 0, 10, 0);
        let mut other = spans.clone();
        spans.write(Space::Arena, 0, 10, 1);
        other.write(Space::Arena, 0, 5, 2);
        spans.merge(other);
        assert_eq!(spans.read(Space::Arena, 0, 5), [1, 2]);
        assert_eq!(spans.read(Space::Arena, 5, 5), [0, 1]);
    }
}

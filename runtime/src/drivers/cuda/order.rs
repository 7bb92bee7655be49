//! Which nodes of a graph wait for which: those that touch the same bytes, not all that come before.
//!
//! Input: steps in the order of the list, each with the spans of memory that it touches. Output: for each step the
//! earlier ones that it waits for, none of which another of them waits for already. Steps that have nothing to do with
//! each other (the products of a layer's queries, keys and values) may then run in parallel. A step that fills the
//! device by itself is not joined by the next one: together both would only share caches.
//!
//! Limits: after [`WINDOW`] steps one waits for all before it.
//!
//! Worked example: `a` writes x, `b` writes y, `c` reads x and y, `d` overwrites x: b waits for nobody, c for a and b,
//! d for c alone, which has waited for a.

use crate::hal::MemorySpan;
use crate::hal::ahead::conflict;

/// Steps that a step is compared with, at most.
const WINDOW: usize = 512;
const WORD: usize = u64::BITS as usize;

/// What a step is to those that come after it.
#[derive(Clone, Debug)]
pub(super) enum Touched {
    /// These bytes, and whether the step fills the device by itself.
    Spans { spans: Vec<MemorySpan>, fills: bool },
    /// Anything: it waits for all steps before it, and all after it wait for it.
    Anything,
}

/// The steps of one chain so far.
#[derive(Default)]
pub(super) struct Order {
    /// The steps since the last one that waited for everything, that one first; at most [`WINDOW`].
    steps: Vec<Step>,
    /// Number of the first of `steps`.
    first: usize,
}

struct Step {
    touched: Touched,
    /// By place in `steps`: what is done once this step is, itself too.
    done: [u64; WINDOW / WORD],
}

impl Order {
    /// Adds a step; returns the numbers of the steps that it waits for, newest first.
    pub(super) fn add(&mut self, touched: Touched) -> Vec<usize> {
        let touched = if self.steps.len() == WINDOW { Touched::Anything } else { touched };
        let mut done = [0; WINDOW / WORD];
        let mut waits = Vec::new();
        for (at, step) in self.steps.iter().enumerate().rev() {
            let newest = at + 1 == self.steps.len();
            let known = done[at / WORD] >> (at % WORD) & 1 == 1;
            if !known && (meet(&step.touched, &touched) || newest && step.fills()) {
                waits.push(self.first + at);
                done.iter_mut().zip(step.done).for_each(|(all, more)| *all |= more);
            }
        }
        if matches!(touched, Touched::Anything) {
            self.first += self.steps.len();
            self.steps.clear();
            done = [0; WINDOW / WORD];
        }
        let at = self.steps.len();
        done[at / WORD] |= 1 << (at % WORD);
        self.steps.push(Step { touched, done });
        waits
    }
}

impl Step {
    fn fills(&self) -> bool {
        matches!(self.touched, Touched::Spans { fills: true, .. })
    }
}

fn meet(a: &Touched, b: &Touched) -> bool {
    let (Touched::Spans { spans: a, .. }, Touched::Spans { spans: b, .. }) = (a, b) else { return true };
    a.iter().any(|a| b.iter().any(|b| conflict(a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(reads: &[u64], writes: &[u64]) -> Touched {
        let span = |&at: &u64, writes| MemorySpan { address: 64 * at, bytes: 64, writes };
        let spans = reads.iter().map(|at| span(at, false)).chain(writes.iter().map(|at| span(at, true))).collect();
        Touched::Spans { spans, fills: false }
    }

    fn waits(steps: Vec<Touched>) -> Vec<Vec<usize>> {
        let mut order = Order::default();
        steps.into_iter().map(|step| order.add(step)).collect()
    }

    #[test]
    fn readers_of_one_value_do_not_wait_for_each_other() {
        let found =
            waits(vec![step(&[], &[1]), step(&[1], &[2]), step(&[1], &[3]), step(&[1], &[4]), step(&[2, 3, 4], &[5])]);
        assert_eq!(found, [vec![], vec![0], vec![0], vec![0], vec![3, 2, 1]]);
    }

    /// What lists that are timed do.
    #[test]
    fn a_byte_that_all_steps_write_makes_them_a_chain() {
        let found = waits(vec![step(&[1], &[2, 9]), step(&[1], &[3, 9]), step(&[1], &[4, 9]), step(&[2], &[5, 9])]);
        assert_eq!(found, [vec![], vec![0], vec![1], vec![2]]);
    }

    #[test]
    fn memory_that_is_used_again_waits_for_its_readers() {
        let found =
            waits(vec![step(&[], &[1]), step(&[], &[2]), step(&[1, 2], &[3]), step(&[], &[1]), step(&[1], &[3])]);
        assert_eq!(found, [vec![], vec![], vec![1, 0], vec![2], vec![3]]);
    }

    #[test]
    fn spans_meet_where_they_share_a_byte() {
        let at = |address, bytes, writes| MemorySpan { address, bytes, writes };
        assert!(conflict(&at(0, 65, true), &at(64, 1, false)));
        assert!(!conflict(&at(0, 64, true), &at(64, 1, true)));
        assert!(!conflict(&at(0, 65, false), &at(64, 1, false)));
        assert!(!conflict(&at(u64::MAX, 8, true), &at(0, 8, true)));
    }

    #[test]
    fn a_step_of_anything_is_a_wall_and_a_full_device_is_not_shared() {
        let full = Touched::Spans { spans: Vec::new(), fills: true };
        let found = waits(vec![step(&[], &[1]), Touched::Anything, step(&[], &[2]), full, step(&[], &[3])]);
        assert_eq!(found, [vec![], vec![0], vec![1], vec![1], vec![3]]);
    }

    #[test]
    fn what_is_far_away_is_behind_a_wall() {
        let mut order = Order::default();
        for at in 0..WINDOW {
            assert!(order.add(step(&[], &[at as u64])).is_empty());
        }
        assert_eq!(order.add(step(&[], &[WINDOW as u64])).len(), WINDOW);
        assert_eq!(order.add(step(&[0], &[])), [WINDOW]);
        assert_eq!(order.add(step(&[], &[0])), [WINDOW + 1]);
    }
}

//! Turns of the warpgroups at the matrix unit.
//!
//! Left alone, warpgroups fall into step: all issue products, then all compute weights, and the matrix unit rests. With
//! turns a warpgroup issues the products of a tile only when the one before it has issued its own, so that one computes
//! weights while another multiplies. A turn is a named barrier a warpgroup, at which it waits and to which the one
//! before comes.
//!
//! Worked example, two warpgroups: before the first tile the second comes to the first one's barrier. Tile 1: the first
//! issues, comes to the second one's barrier; the second issues, comes to the first one's; and so on. Behind the last
//! block the first waits once more, so that no barrier is left half full.

use super::{Group, I32};
use fornax_emit::blocks::hopper::barrier;
use fornax_emit::blocks::hopper::roles::WARPGROUP_THREADS;
use fornax_emit::emitter::Emitter;
use fornax_emit::text::Value;

/// Named barrier of the first warpgroup; 0 is the workgroup's.
const FIRST: i64 = 1;
/// Threads of a meeting: a warpgroup that waits and one that comes.
const THREADS: u32 = 2 * WARPGROUP_THREADS;

impl Group<'_> {
    fn multipliers(&self) -> i64 {
        i64::from(self.k.s.warps / 4)
    }

    /// Before all blocks: the first warpgroup may begin.
    pub(super) fn open_turns(&self, e: &mut Emitter<'_>) {
        if !self.bulk.turns {
            return;
        }
        let last = e.code.cmp_ik("eq", self.place.warpgroup, self.multipliers() - 1);
        e.code.begin_if(last, &[]);
        let first = e.code.int(I32, FIRST);
        barrier::come(&mut e.code, first, THREADS);
        e.code.end_if(&[]);
    }

    /// Behind all blocks: what the last warpgroup left is taken.
    pub(super) fn close_turns(&self, e: &mut Emitter<'_>) {
        if !self.bulk.turns {
            return;
        }
        let first = e.code.cmp_ik("eq", self.place.warpgroup, 0);
        e.code.begin_if(first, &[]);
        self.await_turn(e);
        e.code.end_if(&[]);
    }

    pub(super) fn await_turn(&self, e: &mut Emitter<'_>) {
        if self.bulk.turns {
            let id = e.code.add_ik(self.place.warpgroup, FIRST);
            barrier::meet(&mut e.code, id, THREADS);
        }
    }

    pub(super) fn pass_turn(&self, e: &mut Emitter<'_>) {
        if self.bulk.turns {
            let next = self.next(e);
            let id = e.code.add_ik(next, FIRST);
            barrier::come(&mut e.code, id, THREADS);
        }
    }

    fn next(&self, e: &mut Emitter<'_>) -> Value {
        if self.multipliers() == 2 {
            return e.code.int_k("arith.xori", self.place.warpgroup, 1);
        }
        let next = e.code.add_ik(self.place.warpgroup, 1);
        let around = e.code.cmp_ik("eq", next, self.multipliers());
        let zero = e.code.int(I32, 0);
        e.code.select(around, zero, next)
    }
}

//! Tiles of outputs in turn, by quads: x stays in registers, and tiles come while others are multiplied
//! (`gemv::turns`).
//!
//! ```text
//! fetch turns 0 … ahead - 1; wait for the kernels before; read x
//! for each turn: fetch the one that is `ahead` behind it, multiply, write partial sums
//! meet; add up and store the outputs of all turns
//! ```
//!
//! A loop's body has `ahead + 1` turns, so that what was fetched stays in its registers.
//!
//! Worked example: 14 turns, one ahead: turn 0 is fetched, six rounds of the loop do turns 0 … 11 and fetch 1 … 12, and
//! behind it turn 13 is fetched, 12 and 13 are multiplied.

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Value};
use fornax_targets::fitted::gemv::turns::AHEAD;

use super::Fixed;
use crate::gemv::emit::{Bound, Gemv, Start, bind_joint, bindings};
use crate::gemv::finish::Kept;
use crate::gemv::prefetch::meet;
use crate::gemv::products::Space;
use crate::gemv::schedule::QUAD_THREADS;
use crate::gemv::steps::{Loaded, Steps};
use crate::gemv::unpacked::pipeline::{flat, of};
use crate::gemv::unpacked::{ByUnpacking, Place};

/// What all turns of a workgroup have in common.
struct Turns<'a, 'p> {
    gemv: &'p Gemv<'a>,
    space: &'p Space,
    place: &'p Place,
    /// The thread's blocks, and what of x meets them.
    starts: Vec<Start>,
    x: Vec<Fixed>,
}

impl Gemv<'_> {
    /// Emits what follows where a thread's place is known.
    pub(in crate::gemv) fn in_turn(&self, e: &mut Emitter<'_>, place: &Place) -> Result<(), EmitError> {
        let gemv = self;
        let s = gemv.schedule;
        let [stage] = &gemv.stages.stages[..] else { return Err(e.unfit("turns of several stages")) };
        let [space] = &stage.spaces[..] else { return Err(e.unfit("turns of several spaces")) };
        let down = gemv.own_down(e, place.down);
        let first = e.code.int(e.index_ty(), 0);
        let starts = gemv.starts(e, space, (first, down), s.depth.into());
        let mut turns = Turns { gemv, space, place, starts, x: Vec::new() };
        let (count, ahead) = (i64::from(s.turns), AHEAD.min(s.turns.into()) as i64);
        let mut coming = Vec::new();
        for turn in 0..ahead {
            let turn = e.code.int(e.index_ty(), turn);
            coming.push(turns.fetch(e, turn)?);
        }
        let is_early = gemv.is_early(e)?;
        let is_settled = is_early && gemv.is_settled(e);
        let own = (place.thread, place.column_group);
        if is_settled {
            turns.x = turns.read(e)?;
        }
        let epilogue = gemv.wait(e, own, (is_early, None))?;
        if !is_settled {
            turns.x = turns.read(e)?;
        }
        let parts = i64::from(s.down / QUAD_THREADS);
        let mut kept = Kept { parts, stride: gemv.rows * s.width() as i64, array: None, ahead: epilogue };
        gemv.reserve(e, &mut kept)?;
        let round = ahead + 1;
        let looped = (count - ahead) / round * round;
        if looped > 0 {
            let index = e.index_ty();
            let (low, high, step) = (e.code.int(index, 0), e.code.int(index, looped), e.code.int(index, round));
            let values: Vec<Value> = coming.iter().flat_map(flat).collect();
            let each = values.len() / coming.len();
            let open = e.code.begin_for(low, high, step, &values);
            let (iv, carried) = (open.iv, open.carried.clone());
            let like = coming.clone();
            coming = like.iter().zip(carried.chunks(each)).map(|(like, own)| of(like, own)).collect();
            turns.go(e, (iv, round, round), (&mut coming, &mut kept))?;
            let next: Vec<Value> = coming.iter().flat_map(flat).collect();
            let results = e.code.end_for(open, &next);
            coming = like.iter().zip(results.chunks(each)).map(|(like, own)| of(like, own)).collect();
        }
        let first = e.code.int(e.index_ty(), looped);
        let left = count - looped;
        turns.go(e, (first, left, left - ahead), (&mut coming, &mut kept))?;
        gemv.finish(e, &kept, own)
    }
}

impl Turns<'_, '_> {
    /// Does `count` turns from number `first` on; those that are `coming` are fetched, and `more` behind them will be.
    fn go(
        &self,
        e: &mut Emitter<'_>,
        (first, count, more): (Value, i64, i64),
        (coming, kept): (&mut Vec<Loaded<ByUnpacking<'_, '_>>>, &mut Kept),
    ) -> Result<(), EmitError> {
        let ahead = coming.len() as i64;
        for at in 0..count {
            if at < more {
                let next = e.code.add_ik(first, at + ahead);
                coming.push(self.fetch(e, next)?);
                // Else ptxas moves the loads down to where they are used.
                meet(e);
            }
            let turn = e.code.add_ik(first, at);
            let own = coming.remove(0);
            self.multiply(e, (turn, &own), kept)?;
        }
        Ok(())
    }

    /// Bindings of a turn's rows. Those behind the last tile are the last one's again; nothing of them is stored.
    fn points(&self, e: &mut Emitter<'_>, turn: Value) -> Vec<Bound> {
        let s = self.gemv.schedule;
        let tile = i64::from(s.tile);
        let first = e.code.int_k("arith.muli", self.place.column_group, s.turns.into());
        let number = e.code.add_i(first, turn);
        let first = e.code.int_k("arith.muli", number, s.across.into());
        let across = e.code.resize_u(self.place.across, e.index);
        let mut unit = e.code.add_i(first, across);
        if self.gemv.columns % s.width() as i64 != 0 {
            let last = e.code.int(unit.ty, self.gemv.columns / tile - 1);
            unit = e.code.binary("arith.minsi", unit, last);
        }
        let start = e.code.int_k("arith.muli", unit, tile);
        let row = |e: &mut Emitter<'_>, row| {
            let number = e.code.add_ik(start, row);
            bind_joint(e, &s.long, number);
            bindings(e, &s.long)
        };
        (0..tile).map(|at| row(e, at)).collect()
    }

    /// Products of a turn's rows.
    fn steps<'s>(&'s self, e: &Emitter<'_>, points: &'s [Bound]) -> ByUnpacking<'s, 's> {
        ByUnpacking { gemv: self.gemv, space: self.space, points, rows: self.gemv.neighbours(e, points), staged: None }
    }

    /// Asks for a turn's rows.
    fn fetch(&self, e: &mut Emitter<'_>, turn: Value) -> Result<Loaded<ByUnpacking<'_, '_>>, EmitError> {
        let points = self.points(e, turn);
        e.in_place = true;
        let fetched = self.steps(e, &points).fetch(e, &self.starts, 0..self.gemv.schedule.loads());
        e.in_place = false;
        fetched
    }

    /// Multiplies a turn's rows, and writes their partial sums.
    fn multiply(
        &self,
        e: &mut Emitter<'_>,
        (turn, long): (Value, &Loaded<ByUnpacking<'_, '_>>),
        kept: &mut Kept,
    ) -> Result<(), EmitError> {
        let Turns { gemv, place, .. } = self;
        let [stage] = &gemv.stages.stages[..] else { return Err(e.unfit("turns of several stages")) };
        let points = self.points(e, turn);
        let steps = self.steps(e, &points);
        let mut sums = gemv.cleared(e, stage)?;
        for ((start, long), x) in self.starts.iter().zip(long).zip(&self.x) {
            steps.add_fixed(e, (start, long), x, &mut sums)?;
        }
        let shares = gemv.exchange(e, sums, place.down)?;
        let mut entries = gemv.entries(e, &shares, (place.across, stage.sums.start));
        let turn = e.code.resize_u(turn, Scalar::I32);
        let before = e.code.int_k("arith.muli", turn, gemv.schedule.turn_width() as i64);
        for entry in &mut entries {
            entry.base = e.code.add_i(entry.base, before);
        }
        gemv.keep(e, kept, (&entries, shares.writes))
    }

    /// Reads x of the thread's blocks.
    fn read(&self, e: &mut Emitter<'_>) -> Result<Vec<Fixed>, EmitError> {
        let Turns { gemv, space, place, .. } = self;
        self.starts.iter().map(|start| Fixed::of(e, gemv, (space, place.thread), start)).collect()
    }
}

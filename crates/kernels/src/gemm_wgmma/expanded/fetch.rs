//! The warpgroup that fetches: pieces and words of some blocks together, row by row.
//!
//! Threads are numbered along a row first: neighbours copy neighbouring pieces.
//!
//! Worked example, E4M3, 64 outputs, four blocks together: a row is 16 pieces, 128 threads have eight rows at a time, a
//! thread eight pieces.

use std::collections::HashSet;

use fornax_emit::blocks::hopper::barrier;
use fornax_emit::blocks::hopper::roles::{Place, WARPGROUP_THREADS};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

use super::asked::{Asked, Found};
use super::{Worked, ring, step};
use crate::gemm_wgmma::main_loop::Frame;
use crate::gemm_wgmma::tiles::{self, Point, Tile};

/// An operand, and the rows that a thread copies of.
struct Fetched {
    worked: Worked,
    /// The row of the first round, and the thread's steps of all of the part's (i32).
    row: Value,
    share: Value,
    /// The first of these steps (index type).
    first: Value,
    rows: Vec<Row>,
}

/// A thread's row of a round.
struct Row {
    point: Point,
    /// How many outputs it lies behind the first round's.
    ahead: u32,
    /// Whether there is one: not all threads have a row of the last round.
    exists: Option<Value>,
}

/// All blocks of the bound tile; `count` (i32) came before.
///
/// # Errors
/// Those of the loads.
pub fn fetch(e: &mut Emitter<'_>, frame: &Frame<'_>, place: Place, tile: &Tile, count: Value) -> Result<(), EmitError> {
    let together = frame.schedule.asking.together;
    let all = operands(e, frame, place, tile)?;
    let ring = ring(frame);
    let [first, end] = frame.blocks;
    let step = e.code.int(count.ty, together.into());
    let open = e.code.begin_for(first, end, step, &[]);
    let since = e.code.sub_i(open.iv, first);
    let since = e.code.add_i(since, count);
    let since = e.code.int_k("arith.divui", since, together.into());
    let at = ring.at(&mut e.code, since);
    ring.wait_empty(&mut e.code, at);
    let part = frame.part(e, at.stage);
    let begins = e.code.int_k("arith.muli", open.iv, i64::from(frame.schedule.block()));
    let begins = e.code.resize_u(begins, e.index);
    for fetched in &all {
        fetched.ask(e, part, begins)?;
    }
    let full = ring.full(&mut e.code, at.stage);
    barrier::arrive_copied(&mut e.code, full);
    e.code.end_for(open, &[]);
    Ok(())
}

fn operands(e: &mut Emitter<'_>, frame: &Frame<'_>, place: Place, tile: &Tile) -> Result<Vec<Fetched>, EmitError> {
    let schedule = frame.schedule;
    let step = step(e, schedule)?;
    let before = e.code.int_k("arith.muli", place.warp_in_group, 32);
    let own = e.code.add_i(before, place.lane);
    let needs = schedule.needs();
    let mut all = Vec::new();
    for (asked, &(computed, outputs)) in Asked::all(&needs, schedule.asking.together).iter().zip(needs.iter().flatten())
    {
        let along = schedule.asking.together * computed.sharers();
        let share = e.code.and_k(own, i64::from(along) - 1);
        let row = e.code.shr_uk(own, along.trailing_zeros().into());
        let (covers, origins) = schedule.computed_side(tile);
        let at_once = (WARPGROUP_THREADS / along).max(1);
        let mut rows = Vec::new();
        for ahead in (0..outputs).step_by(at_once as usize) {
            let left = outputs - ahead;
            let exists = (at_once > left).then(|| e.code.cmp_ik("ult", row, left.into()));
            let point = tiles::bind_point(e, covers, origins, (row, ahead.into()), 1)?;
            rows.push(Row { point, ahead, exists });
        }
        let first = e.code.int_k("arith.muli", share, computed.grain.into());
        let first = e.code.resize_u(first, e.index);
        all.push(Fetched { worked: Worked::of(e, *asked, step), row, share, first, rows });
    }
    Ok(all)
}

impl Fetched {
    /// Asks for the thread's pieces and words of a part whose blocks begin at a step (index type).
    fn ask(&self, e: &mut Emitter<'_>, part: Value, begins: Value) -> Result<(), EmitError> {
        let first = e.code.add_i(begins, self.first);
        for Row { point, ahead, exists } in &self.rows {
            if let Some(exists) = *exists {
                e.code.begin_if(exists, &[]);
            }
            let mut asked = HashSet::new();
            for at in self.worked.lanes() {
                self.worked.bind(e, first, at)?;
                tiles::rebind(e, point);
                for &load in &self.worked.loads {
                    let found = Found::of(e, &self.worked.numbers, (at, load))?;
                    // Halves of a byte are two loads.
                    if let Some(found) = found.filter(|found| asked.insert((found.kind, found.number))) {
                        self.worked.asked.ask(e, found, (part, self.row, self.share), *ahead)?;
                    }
                }
            }
            if exists.is_some() {
                e.code.end_if(&[]);
            }
        }
        e.lanes = 1;
        Ok(())
    }
}

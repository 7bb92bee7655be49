//! The warpgroup that fetches: runs of some blocks together, row by row.
//!
//! Threads are numbered along a row first: neighbours copy neighbouring bytes.
//!
//! Worked example, E4M3, 64 outputs, four blocks together: a row is 16 copies, 128 threads have eight rows at a time, a
//! thread eight copies. Of Q4_K 64 rows of scales are one copy each, of the first 64 threads.

use fornax_emit::blocks::hopper::barrier;
use fornax_emit::blocks::hopper::roles::{Place, WARPGROUP_THREADS};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;
use fornax_plan::VarId;

use super::asked::{Asked, Copied};
use super::runs::{Run, Runs};
use super::{ring, step};
use crate::gemm_wgmma::main_loop::Frame;
use crate::gemm_wgmma::schedule::BOX_ROW_BYTES;
use crate::gemm_wgmma::tiles::{self, Point, Tile};

/// A run of an operand, and what a thread copies of it.
struct Fetched {
    asked: Asked,
    number: usize,
    run: Run,
    /// The row of the first round, and which of the row's copies is the thread's (i32).
    row: Value,
    copy: Value,
    rows: Vec<Row>,
}

/// A thread's row of a round.
struct Row {
    point: Point,
    /// How many outputs it lies behind the first round's.
    ahead: u32,
    /// Whether there is one: not all threads have a row of each round.
    exists: Option<Value>,
}

/// All blocks of the bound tile; `count` (i32) came before.
///
/// # Errors
/// Those of the loads.
pub fn fetch(e: &mut Emitter<'_>, frame: &Frame<'_>, place: Place, tile: &Tile, count: Value) -> Result<(), EmitError> {
    let together = frame.schedule.asking.together;
    let along = step(e, frame.schedule)?;
    let all = runs(e, frame, (place, along), tile)?;
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
    e.bind(along, Some(begins), i64::from(together * BOX_ROW_BYTES / 2), 0);
    for fetched in &all {
        fetched.ask(e, part)?;
    }
    let full = ring.full(&mut e.code, at.stage);
    barrier::arrive_copied(&mut e.code, full);
    e.code.end_for(open, &[]);
    Ok(())
}

fn runs(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    (place, along): (Place, VarId),
    tile: &Tile,
) -> Result<Vec<Fetched>, EmitError> {
    let schedule = frame.schedule;
    let before = e.code.int_k("arith.muli", place.warp_in_group, 32);
    let own = e.code.add_i(before, place.lane);
    let needs = schedule.needs();
    let mut all = Vec::new();
    for (asked, &(computed, outputs)) in Asked::all(&needs, schedule.asking.together).iter().zip(needs.iter().flatten())
    {
        let runs = Runs::of(e.plan, (computed, along), schedule.asking.together).runs;
        for (number, run) in runs.into_iter().enumerate() {
            let copies = run.copies();
            let copy = e.code.int_k("arith.remui", own, copies.into());
            let row = e.code.int_k("arith.divui", own, copies.into());
            let (covers, origins) = schedule.computed_side(tile);
            let at_once = (WARPGROUP_THREADS / copies).max(1);
            let mut rows = Vec::new();
            for ahead in (0..outputs).step_by(at_once as usize) {
                let here = at_once.min(outputs - ahead);
                let exists = (here * copies < WARPGROUP_THREADS).then(|| e.code.cmp_ik("ult", row, here.into()));
                let point = tiles::bind_point(e, covers, origins, (row, ahead.into()), 1)?;
                rows.push(Row { point, ahead, exists });
            }
            all.push(Fetched { asked: *asked, number, run, row, copy, rows });
        }
    }
    Ok(all)
}

impl Fetched {
    /// Asks for the thread's copies of a part, to whose first step the steps are bound.
    fn ask(&self, e: &mut Emitter<'_>, part: Value) -> Result<(), EmitError> {
        for Row { point, ahead, exists } in &self.rows {
            if let Some(exists) = *exists {
                e.code.begin_if(exists, &[]);
            }
            tiles::rebind(e, point);
            let copied = Copied { row: self.row, number: self.copy, ahead: *ahead };
            self.asked.ask(e, (self.number, &self.run), part, copied)?;
            if exists.is_some() {
                e.code.end_if(&[]);
            }
        }
        Ok(())
    }
}

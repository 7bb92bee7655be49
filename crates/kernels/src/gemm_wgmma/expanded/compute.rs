//! The warpgroups that compute: teams of threads, each with blocks of its own.

use std::collections::HashMap;

use fornax_emit::blocks::hopper::barrier;
use fornax_emit::blocks::hopper::bulk;
use fornax_emit::blocks::hopper::roles::Place;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};
use fornax_graph::ElementType;

use super::asked::{Asked, Found, Here};
use super::{Computed, LANES, WARP_THREADS, Worked, ring, step, teams};
use crate::gemm_wgmma::main_loop::{self, Frame};
use crate::gemm_wgmma::schedule::BOX_ROW_BYTES;
use crate::gemm_wgmma::tiles::{self, Point, Tile};

/// Bytes of a chunk of a box's row, and their number.
const CHUNK_BYTES: i64 = 16;
const CHUNKS: i64 = BOX_ROW_BYTES as i64 / CHUNK_BYTES;
/// Words of a chunk.
const CHUNK_WORDS: u32 = 4;
/// Warps of a warpgroup.
const WARPS: i64 = 4;

/// An operand, and a thread's outputs of it.
struct Filled {
    worked: Worked,
    element: ElementType,
    /// The first output, and the thread's share of a block's steps (i32).
    row: Value,
    share: Value,
    rows: Vec<Row>,
    /// Bytes of a stage.
    stage: i64,
    /// Bytes from an output's first byte to each of the thread's chunks.
    chunks: Vec<Value>,
}

/// An output of a thread.
struct Row {
    point: Point,
    /// Its first byte in stage 0.
    place: Value,
    /// How many outputs it lies behind the first.
    ahead: u32,
}

/// The team's blocks of the bound tile; `count` (i32) blocks came before.
///
/// # Errors
/// Those of the loads and of what is computed of them.
pub fn compute(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    place: Place,
    tile: &Tile,
    count: Value,
) -> Result<(), EmitError> {
    let schedule = frame.schedule;
    let teams = teams(e, schedule)?;
    let warps = i64::from(teams.threads / WARP_THREADS);
    let before = i64::from(schedule.consumers + 1) * WARPS;
    let warp = e.code.add_ik(place.warp, -before);
    let team = e.code.int_k("arith.divui", warp, warps);
    let warp = e.code.int_k("arith.remui", warp, warps);
    let warp = e.code.int_k("arith.muli", warp, WARP_THREADS.into());
    let own = e.code.add_i(warp, place.lane);
    let all = operands(e, frame, (own, teams.threads), tile)?;
    read_once(e, &all)?;
    let ring = ring(frame);
    let together = i64::from(schedule.asking.together);
    let [first, end] = frame.blocks;
    // Blocks of all tiles are dealt out one after another: those of a team are never further apart than teams are many.
    let turns = i64::from(teams.count);
    let dealt = e.code.int_k("arith.remui", count, turns);
    let behind = e.code.sub_i(team, dealt);
    let behind = e.code.add_ik(behind, turns);
    let behind = e.code.int_k("arith.remui", behind, turns);
    let begins = e.code.add_i(first, behind);
    let leads = e.code.cmp_ik("eq", own, 0);
    let arrives = e.code.cmp_ik("eq", place.lane, 0);
    let step = e.code.int(count.ty, teams.count.into());
    // Threads that no team is left for have no blocks.
    let has_blocks = e.code.cmp_ik("ult", team, teams.count.into());
    let begins = e.code.select(has_blocks, begins, end);
    let open = e.code.begin_for(begins, end, step, &[]);
    let since = e.code.sub_i(open.iv, first);
    let number = e.code.int_k("arith.remui", since, together);
    let since = e.code.add_i(since, count);
    let at = frame.ring.at(&mut e.code, since);
    frame.ring.wait_empty(&mut e.code, at);
    e.code.begin_if(leads, &[]);
    main_loop::begin_block(e, frame, (at, open.iv))?;
    e.code.end_if(&[]);
    let since = e.code.int_k("arith.divui", since, together);
    let asked = ring.at(&mut e.code, since);
    ring.wait_full(&mut e.code, asked);
    let part = frame.part(e, asked.stage);
    for filled in &all {
        filled.lay(e, frame, (open.iv, at.stage), (part, number))?;
    }
    bulk::fence_shared(&mut e.code);
    barrier::meet_warp(&mut e.code);
    e.code.begin_if(arrives, &[]);
    let full = frame.ring.full(&mut e.code, at.stage);
    barrier::arrive(&mut e.code, full);
    ring.release(&mut e.code, asked.stage);
    e.code.end_if(&[]);
    e.code.end_for(open, &[]);
    Ok(())
}

fn operands(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    (own, threads): (Value, u32),
    tile: &Tile,
) -> Result<Vec<Filled>, EmitError> {
    let schedule = frame.schedule;
    let step = step(e, schedule)?;
    let asked = Asked::all(&schedule.needs(), schedule.asking.together);
    let parts = main_loop::parts(schedule);
    let computed = parts.iter().filter(|part| part.operand.computed.is_some());
    let mut all = Vec::new();
    for (part, &asked) in computed.zip(&asked) {
        let sharers = asked.computed.sharers();
        let share = e.code.and_k(own, i64::from(sharers) - 1);
        let row = e.code.shr_uk(own, sharers.trailing_zeros().into());
        let (covers, origins) = schedule.computed_side(tile);
        let mut rows = Vec::new();
        for ahead in (0..part.outputs).step_by(asked.computed.outputs(threads).max(1) as usize) {
            let point = tiles::bind_point(e, covers, origins, (row, ahead.into()), 1)?;
            let place = e.code.int_k("arith.muli", row, BOX_ROW_BYTES.into());
            let place = e.code.add_ik(place, part.start as i64 + i64::from(ahead * BOX_ROW_BYTES));
            rows.push(Row { point, place, ahead });
        }
        let (element, stage) = (part.operand.element, part.stage as i64);
        let chunks = chunks(e, asked.computed, [row, share]);
        all.push(Filled { worked: Worked::of(e, asked, step), element, row, share, rows, stage, chunks });
    }
    Ok(all)
}

/// Reads what is the same for all blocks of an output.
fn read_once(e: &mut Emitter<'_>, all: &[Filled]) -> Result<(), EmitError> {
    e.lanes = LANES;
    for filled in all {
        for row in &filled.rows {
            tiles::rebind(e, &row.point);
            for &load in &filled.worked.others {
                e.eval(load)?;
            }
        }
    }
    e.lanes = 1;
    Ok(())
}

impl Filled {
    /// Computes a block of which the part has come, the `which`-th of the part's, and writes it to a stage.
    fn lay(
        &self,
        e: &mut Emitter<'_>,
        frame: &Frame<'_>,
        (number, stage): (Value, Value),
        (part, which): (Value, Value),
    ) -> Result<(), EmitError> {
        let Worked { asked, runs, loads, step, .. } = &self.worked;
        let computed = asked.computed;
        let stage = e.code.int_k("arith.muli", stage, self.stage);
        let begins = e.code.int_k("arith.muli", number, i64::from(frame.schedule.block()));
        let own = e.code.int_k("arith.muli", self.share, computed.grain.into());
        let first = e.code.add_i(begins, own);
        let first = e.code.resize_u(first, e.index);
        for row in &self.rows {
            let here = Here { part, row: self.row, block: which, share: self.share, first, ahead: row.ahead };
            let mut taken: HashMap<Found, Value> = HashMap::new();
            for at in self.worked.lanes() {
                self.worked.bind(e, first, at)?;
                tiles::rebind(e, &row.point);
                for &load in loads {
                    let Some(found) = Found::of(e, runs, (at, load))? else { continue };
                    let Some(run) = runs.runs.get(found.run) else { continue };
                    let value = match taken.get(&found) {
                        Some(&value) => value,
                        None => asked.take(e, (load, *step), (found, run), here)?,
                    };
                    taken.insert(found, value);
                    e.provide(load, value);
                }
                let value = e.eval(computed.node)?;
                let raw = e.encode(self.element, value)?;
                let raw = e.code.spread(raw, LANES);
                let place = e.code.add_i(stage, row.place);
                write(e, frame.shared, (place, raw), &self.chunks[(at * 2 / CHUNK_BYTES) as usize..]);
            }
        }
        e.lanes = 1;
        Ok(())
    }
}

/// Writes some steps of an output to its next chunks.
fn write(e: &mut Emitter<'_>, shared: Value, (place, raw): (Value, Value), chunks: &[Value]) {
    let words = LANES / 2;
    let ty = Ty::vector(Scalar::I32, words);
    let words_of = e.code.pure(ty, format!("llvm.bitcast {raw} : {} to {ty}", raw.ty));
    for (half, &chunk) in (0..words / CHUNK_WORDS).zip(chunks) {
        let own: Vec<Value> =
            (0..CHUNK_WORDS).map(|word| e.code.extract(words_of, half * CHUNK_WORDS + word)).collect();
        let own = e.code.assemble(&own);
        let place = e.code.add_i(place, chunk);
        let there = e.code.byte_offset(shared, place);
        e.code.line(&format!("llvm.store {own}, {there} {{alignment = 16 : i64}} : {}, {}", own.ty, there.ty));
    }
}

/// Bytes from the first byte of a thread's outputs to each chunk of its share: chunk c of row r lies where chunk c xor
/// r would, modulo 8, if rows were not swizzled.
fn chunks(e: &mut Emitter<'_>, computed: Computed, [row, share]: [Value; 2]) -> Vec<Value> {
    let each = i64::from(computed.grain) * 2 / CHUNK_BYTES;
    let first = e.code.int_k("arith.muli", share, each);
    let turned = e.code.and_k(row, CHUNKS - 1);
    let first = e.code.xor(first, turned);
    let first = e.code.int_k("arith.muli", first, CHUNK_BYTES);
    (0..each).map(|at| e.code.int_k("arith.xori", first, at * CHUNK_BYTES)).collect()
}

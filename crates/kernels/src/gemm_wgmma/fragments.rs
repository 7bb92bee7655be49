//! The row operand through registers: what lies along its outputs in elements of 32 bits, which the matrix unit reads
//! from shared memory only along the steps.
//!
//! The instruction takes rows lane / 4 and 8 below, steps lane mod 4 and 4 behind, of a thread. Which outputs these
//! rows are is free: a thread takes *runs* of neighbouring outputs, two for each block of 64 rows, so that one load of
//! 8 or 16 bytes fetches a step of all of its rows. Loads of 16 bytes: warp w has outputs 32w … 32w + 31 of its
//! warpgroup's 128, lanes l with l / 4 = g chunk g / 2 + 4 · (g mod 2) of the box's row. Loads of 8 bytes: warp w has
//! chunks 2 · (w mod 2) + {0, 1, 4, 5} of box w / 2, two lanes a chunk. With the swizzle (chunk c of step s lies at c
//! xor s mod 8) lanes that load together then touch every bank once.
//!
//! A block's four steps are two groups of multiplies. A group's fragments are loaded while the group before runs; the
//! registers that they go to are those of the group before that, which is over.
//!
//! Worked example, [4096, 4096]·[4096, 4096] in tf32: the second operand's columns are the tile's rows, tile 256 × 128,
//! blocks of 32 steps; a warpgroup has 128 rows, a thread loads 8 times 16 bytes a block and issues 8 times m64n128k8.

use super::main_loop;
use super::main_loop::{Frame, Rounds};
use fornax_emit::blocks::hopper::barrier::Cursor;
use fornax_emit::blocks::hopper::roles::Place;
use fornax_emit::blocks::hopper::wgmma;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);
/// Steps of an instruction, and bytes of a box that they take.
const STEPS: i64 = 8;
const STEPS_BYTES: i64 = STEPS * ROW_BYTES;
const ROW_BYTES: i64 = fornax_emit::blocks::hopper::bulk::ROW_BYTES;
const CHUNK_BYTES: i64 = 16;
/// Outputs of a chunk and of a row of a box.
const CHUNK: i64 = 4;
const BOX: i64 = 32;
/// Groups of multiplies of a block.
const GROUPS: i64 = 2;

/// Where this thread's outputs are.
struct Mine {
    /// The box of its warpgroup, the chunk of its row, bytes in the chunk.
    number: Value,
    chunk: Value,
    inside: Value,
}

/// Neighbouring outputs of a thread.
pub fn run(frame: &Frame<'_>) -> i64 {
    2 * frame.row_blocks()
}

fn mine(e: &mut Emitter<'_>, frame: &Frame<'_>, place: Place) -> Mine {
    let g = e.code.shr_uk(place.lane, 2);
    let warp = place.warp_in_group;
    if run(frame) == CHUNK {
        let (odd, half) = (e.code.and_k(g, 1), e.code.shr_uk(g, 1));
        let high = e.code.shl_k(odd, 2);
        let chunk = e.code.add_i(half, high);
        let inside = e.code.int(I32, 0);
        return Mine { number: warp, chunk, inside };
    }
    let (number, odd_warp) = (e.code.shr_uk(warp, 1), e.code.and_k(warp, 1));
    let first = e.code.shl_k(odd_warp, 1);
    let (next, middle) = (e.code.shr_uk(g, 2), e.code.shr_uk(g, 1));
    let middle = e.code.and_k(middle, 1);
    let high = e.code.shl_k(middle, 2);
    let chunk = e.code.add_i(first, next);
    let chunk = e.code.add_i(chunk, high);
    let half = e.code.and_k(g, 1);
    Mine { number, chunk, inside: e.code.shl_k(half, 3) }
}

/// The first of a thread's outputs in the tile's rows.
pub fn first_row(e: &mut Emitter<'_>, frame: &Frame<'_>, place: Place) -> Value {
    let mine = mine(e, frame, place);
    let share = i64::from(frame.schedule.tile_rows() / frame.schedule.consumers);
    let start = e.code.int_k("arith.muli", place.warpgroup, share);
    let number = e.code.int_k("arith.muli", mine.number, BOX);
    let chunk = e.code.int_k("arith.muli", mine.chunk, CHUNK);
    let inside = e.code.shr_uk(mine.inside, 2);
    let row = e.code.add_i(start, number);
    let row = e.code.add_i(row, chunk);
    e.code.add_i(row, inside)
}

/// Byte offsets of this thread's run in stage 0: at its first step, and four steps on.
fn places(e: &mut Emitter<'_>, frame: &Frame<'_>, place: Place) -> [Value; 2] {
    let mine = mine(e, frame, place);
    let boxes = i64::from(frame.schedule.tile_rows() / frame.schedule.consumers) / BOX;
    let box_bytes = i64::from(frame.schedule.box_bytes());
    let number = e.code.int_k("arith.muli", place.warpgroup, boxes);
    let number = e.code.add_i(number, mine.number);
    let start = e.code.int_k("arith.muli", number, box_bytes);
    let start = e.code.add_i(start, mine.inside);
    let step = e.code.and_k(place.lane, STEPS / 2 - 1);
    [0, STEPS / 2].map(|later| {
        let step = e.code.add_ik(step, later);
        let chunk = e.code.xor(mine.chunk, step);
        let chunk = e.code.int_k("arith.muli", chunk, CHUNK_BYTES);
        let row = e.code.int_k("arith.muli", step, ROW_BYTES);
        let at = e.code.add_i(start, row);
        e.code.add_i(at, chunk)
    })
}

/// The registers of an instruction's steps, block after block of 64 rows four each.
fn load(e: &mut Emitter<'_>, frame: &Frame<'_>, starts: [Value; 2], step: i64) -> Vec<Vec<Value>> {
    let run = run(frame);
    let ty = Ty::vector(Scalar::I32, run as u32);
    let loaded = starts.map(|start| {
        let pointer = e.code.add_ik(start, step * STEPS_BYTES);
        let pointer = e.code.byte_offset(frame.shared, pointer);
        let text = format!("llvm.load {pointer} {{alignment = {} : i64}} : {} -> {ty}", 4 * run, pointer.ty);
        e.code.effect(ty, &text)
    });
    let mut blocks = Vec::new();
    for block in 0..frame.row_blocks() as u32 {
        let both = loaded.map(|run| [0, 1].map(|half| e.code.extract(run, 2 * block + half)));
        blocks.push(both.concat());
    }
    blocks
}

/// Consumer: multiplies all blocks of a tile, like `main_loop::consume`.
pub fn consume(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    place: Place,
    releases: Value,
    cursor: Cursor,
) -> Result<(Cursor, Vec<Vec<Value>>), EmitError> {
    let schedule = frame.schedule;
    let columns = frame.matrix(&schedule.column_operand);
    let descriptor = main_loop::column_descriptor(e, frame);
    let places = places(e, frame, place);
    let (rounds, mut sums) = Rounds::begin(e, frame, releases, cursor)?;
    let at = rounds.at;
    let moved = e.code.int_k("arith.muli", at.stage, frame.layout.row_stage as i64);
    let starts = places.map(|start| e.code.add_i(start, moved));
    let moved = e.code.int_k("arith.muli", at.stage, frame.layout.column_stage as i64);
    let descriptor = wgmma::descriptor_moved(&mut e.code, descriptor, moved);
    let steps = i64::from(schedule.block()) / STEPS / GROUPS;
    for group in 0..GROUPS {
        let range = group * steps..(group + 1) * steps;
        let fragments: Vec<_> = range.clone().map(|step| load(e, frame, starts, step)).collect();
        wgmma::fence(&mut e.code);
        for (step, blocks) in range.zip(&fragments) {
            let b = wgmma::descriptor_at(&mut e.code, descriptor, step * columns.step_bytes());
            for (sum, rows) in sums.iter_mut().zip(blocks) {
                let Some(next) = wgmma::multiply_registers(&mut e.code, *sum, rows, (columns, b)) else {
                    return Err(e.unfit("no warpgroup multiply from registers for an operand's type"));
                };
                *sum = next;
            }
        }
        wgmma::commit(&mut e.code);
        wgmma::wait(&mut e.code, 1);
        if group == 0 {
            rounds.release_previous(e, frame);
        }
    }
    rounds.end(e, frame, sums)
}

//! From accumulators to stored values: the plan's stores evaluated on each thread's registers.
//!
//! A thread holds pairs of neighbouring columns (see `wgmma`). Each pair is `Node::Reduced(0)` in two lanes; the column
//! variable is bound to the pair, the row variables to its row, and the stores' values are evaluated like anywhere
//! else: a bias that depends on the column alone is loaded once for all rows. One dense 16-bit store may leave through
//! shared memory (`stmatrix`, then a bulk copy, which clips what lies outside); all others go from the registers,
//! guarded where the tile may stick out.
//!
//! Worked example, 128 × 256 tile, two consumers, `maximum(x + bias, 0)` to bf16: a thread evaluates 64 pairs, writes
//! 32 × 4 matrices of 8×8 in two passes of 128 columns, and one thread starts 2 copies {64, 64} a pass.

use crate::gemm_wgmma::schedule::{Cover, StagedStore};
use fornax_graph::ElementType;
use fornax_plan::{NodeId, Store};

use super::epilogue_loads::{Reader, ReadsOver};
use super::fragments;
use super::main_loop::Frame;
use super::tiles;
use super::tiles::{Point, Tile};
use fornax_emit::blocks::hopper::barrier::Cursor;
use fornax_emit::blocks::hopper::roles;
use fornax_emit::blocks::hopper::roles::{Place, WARPGROUP_THREADS};
use fornax_emit::blocks::hopper::{barrier, bulk};
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);
/// Columns of one 8×8 matrix of the accumulator.
const MATRIX: i64 = 8;
/// Columns of a staged box: 128 bytes.
const BOX_COLUMNS: i64 = 64;

/// One pair of an accumulator: its block of 64 rows, its half (8 rows down), its matrix column.
#[derive(Clone, Copy)]
struct Pair {
    block: usize,
    half: usize,
    matrix: i64,
}

/// What a thread has of a finished tile: accumulators, one a block of 64 rows.
pub struct Finished<'a> {
    pub place: Place,
    pub tile: &'a Tile,
    pub sums: &'a [Vec<Value>],
}

/// Stores a tile. Gives the cursor behind the boxes that it read.
pub fn store(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    finished: &Finished<'_>,
    cursor: Cursor,
) -> Result<Cursor, EmitError> {
    if in_runs(e, frame) {
        store_runs(e, frame, finished)?;
        return Ok(cursor);
    }
    let &Finished { place, tile, sums } = finished;
    let lanes = if pairs_are_whole(e, frame) { 2 } else { 1 };
    e.lanes = lanes;
    let (row, across) = first(e, frame, place);
    let rows = bind_rows(e, frame, row, tile, sums.len())?;
    let staged = frame.schedule.staged.as_ref();
    let pairs = Pairs { across, tile, rows: &rows, sums, lanes };
    let mut reader = Reader::of(e, frame, place, cursor)?;
    let matrices = i64::from(frame.schedule.tile_columns() / frame.schedule.split) / MATRIX;
    let per_pass = staged.map_or(matrices, |s| i64::from(s.columns) / MATRIX).max(1);
    for first in (0..matrices).step_by(per_pass as usize) {
        if staged.is_some() {
            await_staging(e, place);
        }
        let last = (first + per_pass).min(matrices);
        for at in (first..last).step_by(2) {
            let wide = 2.min(last - at);
            let mut words = Vec::with_capacity(4 * rows.len() / 2);
            let loaded = reader.as_mut().map_or(Ok(Vec::new()), |r| r.read(e, frame, place, at))?;
            for matrix in at..at + wide {
                words.extend(column(e, frame, &pairs, matrix, &loaded)?);
            }
            match &mut reader {
                Some(reader) if staged.is_none() => reader.release_before(e, frame, at + wide, ReadsOver::No),
                _ => {}
            }
            if staged.is_some() {
                write_matrices(e, frame, place, at - first, &words);
            }
        }
        if let Some(staged) = staged {
            bulk::fence_shared(&mut e.code);
            if let Some(reader) = &mut reader {
                reader.release_before(e, frame, last, ReadsOver::Yes);
            }
            copy_out(e, frame, place, tile, staged, first * MATRIX)?;
        }
    }
    e.lanes = 1;
    Ok(reader.map_or(cursor, Reader::end))
}

/// A thread's neighbouring rows are stored as vectors: results lie along the rows.
fn in_runs(e: &Emitter<'_>, frame: &Frame<'_>) -> bool {
    let indices = &e.plan.exprs.indices;
    let along = |cover: &Cover| {
        let dense = |store: &Store| indices.stride(store.offset, cover.var) == Some(1);
        indices.is_multiple(cover.var, fragments::run(frame)) && e.plan.body.stores().iter().any(dense)
    };
    frame.schedule.rows_in_registers() && frame.schedule.rows.last().is_some_and(along)
}

/// Stores a tile column by column, a thread's run of rows at a time.
fn store_runs(e: &mut Emitter<'_>, frame: &Frame<'_>, finished: &Finished<'_>) -> Result<(), EmitError> {
    let &Finished { place, tile, sums } = finished;
    let run = fragments::run(frame);
    e.lanes = run as u32;
    let (row, across) = first(e, frame, place);
    let down = tiles::bind_point(e, &frame.schedule.rows, &tile.rows, (row, 0), run)?;
    let columns = i64::from(frame.schedule.tile_columns() / frame.schedule.split);
    for column in (0..columns).filter(|c| c % MATRIX < 2) {
        let across = tiles::bind_point(e, &frame.schedule.columns, &tile.columns, (across, column), 1)?;
        tiles::rebind(e, &down);
        let at = (4 * (column / MATRIX) + column % MATRIX) as usize;
        let values: Option<Vec<Value>> =
            sums.iter().flat_map(|s| [s.get(at).copied(), s.get(at + 2).copied()]).collect();
        let Some(values) = values else { return Err(e.malformed(format!("there is no register {at}"))) };
        let value = e.code.assemble(&values);
        e.set_slot(Slot::Reduced(0), value);
        write(e, frame, &down, &across)?;
    }
    e.lanes = 1;
    Ok(())
}

/// Sums that are first read in one place: where stores are guarded they would be read behind branches, and the
/// assembler, which cannot tell that the multiplies are over there, would serialise them. Adding zero changes nothing:
/// sums start from +0.
pub fn settle(e: &mut Emitter<'_>, frame: &Frame<'_>, sums: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    let schedule = frame.schedule;
    let direct = e.plan.body.stores().len() > usize::from(schedule.staged.is_some());
    let inside = |c: &crate::gemm_wgmma::schedule::Cover| e.exprs.indices.is_multiple(c.var, i64::from(c.count));
    if !direct || schedule.rows.iter().chain(&schedule.columns).all(inside) {
        return sums;
    }
    let zero = e.code.int(I32, 0);
    let zero = roles::uniform(&mut e.code, zero);
    let mut settled = |value: Value| match value.ty.scalar {
        Scalar::I32 => e.code.add_i(value, zero),
        _ => e.code.add_k(value, 0.0),
    };
    sums.into_iter().map(|registers| registers.into_iter().map(&mut settled).collect()).collect()
}

/// Both columns of a pair may be evaluated at once: pairs never straddle the last column, or it is all one which column
/// it is, and the copy engine clips what is stored.
fn pairs_are_whole(e: &Emitter<'_>, frame: &Frame<'_>) -> bool {
    let stores = e.plan.body.stores();
    let clipped = stores.len() == 1 && frame.schedule.staged.is_some();
    let alike = |cover: &Cover| clipped && stores.iter().all(|store| !e.exprs.node_varies(store.value, cover.var));
    frame.schedule.columns.last().is_some_and(|c| e.exprs.indices.is_multiple(c.var, 2) || alike(c))
}

/// The first row and the first column of this thread in the tile.
pub fn first(e: &mut Emitter<'_>, frame: &Frame<'_>, place: Place) -> (Value, Value) {
    let row = if frame.schedule.rows_in_registers() {
        fragments::first_row(e, frame, place)
    } else {
        let share = i64::from(frame.schedule.consumer_rows());
        let warpgroup = e.code.int_k("arith.muli", place.warpgroup, share);
        let warp = e.code.int_k("arith.muli", place.warp_in_group, 16);
        let lane = e.code.shr_uk(place.lane, 2);
        let row = e.code.add_i(warpgroup, warp);
        e.code.add_i(row, lane)
    };
    let lane = e.code.and_k(place.lane, 3);
    let column = e.code.shl_k(lane, 1);
    (row, shifted(e, frame, column))
}

/// This thread's rows: two a block of 64, neighbours where the operand went through registers.
fn bind_rows(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    row: Value,
    tile: &Tile,
    blocks: usize,
) -> Result<Vec<[Point; 2]>, EmitError> {
    let mut at = |offset| tiles::bind_point(e, &frame.schedule.rows, &tile.rows, (row, offset), 1);
    let [block_rows, half_rows] = if frame.schedule.rows_in_registers() { [2, 1] } else { [64, 8] };
    (0..blocks as i64).map(|block| Ok([at(block_rows * block)?, at(block_rows * block + half_rows)?])).collect()
}

/// The pairs of neighbouring sums that a thread has.
struct Pairs<'a> {
    /// The thread's first column.
    across: Value,
    tile: &'a Tile,
    /// Upper and lower row of each block.
    rows: &'a [[Point; 2]],
    /// Registers of each block.
    sums: &'a [Vec<Value>],
    /// Elements of a pair that are stored at once.
    lanes: u32,
}

/// All pairs of one matrix column: evaluates and stores them; the staged store's words come back, block by block,
/// halves in order.
fn column(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    pairs: &Pairs<'_>,
    matrix: i64,
    loaded: &[(NodeId, Vec<Value>)],
) -> Result<Vec<Value>, EmitError> {
    let &Pairs { across: column, tile, rows, sums, lanes } = pairs;
    let (mut words, singles) = (Vec::new(), i64::from(2 / lanes));
    for single in 0..singles {
        let at = (column, matrix * MATRIX + single);
        let across = tiles::bind_point(e, &frame.schedule.columns, &tile.columns, at, i64::from(lanes))?;
        for (block, (halves, registers)) in rows.iter().zip(sums).enumerate() {
            for (half, down) in halves.iter().enumerate() {
                tiles::rebind(e, down);
                tiles::rebind(e, &across);
                let pair = Pair { block, half, matrix };
                set_reduced(e, frame, registers, pair, [single as u32, lanes])?;
                for (node, values) in loaded {
                    let at = 4 * block + 2 * (matrix % 2) as usize + half;
                    let Some(&value) = values.get(at) else { return Err(e.malformed("a pair was not loaded")) };
                    e.provide(*node, value);
                }
                words.extend(write(e, frame, down, &across)?);
            }
        }
    }
    let each = words.len() / singles as usize;
    Ok(match lanes {
        1 => (0..each).map(|at| word(e, &[words[at], words[each + at]])).collect(),
        _ => words,
    })
}

/// A column of this workgroup's share as a column of the tile.
fn shifted(e: &mut Emitter<'_>, frame: &Frame<'_>, column: Value) -> Value {
    let Some(rank) = frame.rank else { return column };
    let first = e.code.int_k("arith.muli", rank, i64::from(frame.schedule.tile_columns() / frame.schedule.split));
    e.code.add_i(column, first)
}

/// Gives `Node::Reduced` of each sum the pair's registers, or one of them.
fn set_reduced(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    registers: &[Value],
    pair: Pair,
    [single, lanes]: [u32; 2],
) -> Result<(), EmitError> {
    for sum in 0..frame.schedule.sums() {
        let first = sum * frame.schedule.tile_columns() / 2 + single;
        let at = (4 * pair.matrix + 2 * pair.half as i64) as usize + first as usize;
        let Some(values) = registers.get(at..at + lanes as usize) else {
            return Err(e.malformed(format!("block {} has no register {at}", pair.block)));
        };
        let value = e.code.assemble(values);
        e.set_slot(Slot::Reduced(sum), value);
    }
    Ok(())
}

/// Evaluates the stores at the bound point. The staged one's value comes back, a word of two elements or one element,
/// the others are written.
fn write(e: &mut Emitter<'_>, frame: &Frame<'_>, down: &Point, across: &Point) -> Result<Option<Value>, EmitError> {
    let plan = e.plan;
    let staged = frame.schedule.staged.as_ref().map(|s| s.store as usize);
    let stores: &[Store] = plan.body.stores();
    let mut word = None;
    let mut direct = Vec::new();
    for (at, store) in stores.iter().enumerate() {
        let value = e.eval(store.value)?;
        if staged == Some(at) {
            word = Some(packed(e, store, value)?);
        } else {
            direct.push((store, value));
        }
    }
    let inside = match (down.inside, across.inside) {
        (Some(a), Some(b)) => Some(e.code.and(a, b)),
        (a, b) => a.or(b),
    };
    if direct.is_empty() {
        return Ok(word);
    }
    if let Some(inside) = inside {
        e.code.begin_if(inside, &[]);
    }
    for (store, value) in direct {
        e.store(store.buffer, store.offset, value)?;
    }
    if inside.is_some() {
        e.code.end_if(&[]);
    }
    Ok(word)
}

/// A staged store's element of 16 bits, or two of them in a word.
fn packed(e: &mut Emitter<'_>, store: &Store, value: Value) -> Result<Value, EmitError> {
    let element = e.plan.buffers.get(store.buffer as usize).map_or(ElementType::F32, |b| b.element);
    let raw = e.encode(element, value)?;
    if raw.ty.scalar.bits() != 16 {
        return Err(e.malformed("a staged store is not of 16 bits"));
    }
    if e.lanes == 1 {
        return Ok(raw);
    }
    let raw = e.code.spread(raw, 2);
    Ok(e.code.pure(I32, format!("llvm.bitcast {raw} : {} to i32", raw.ty)))
}

/// Two 16-bit elements in a word, the first in the low half.
fn word(e: &mut Emitter<'_>, elements: &[Value; 2]) -> Value {
    let pair = e.code.assemble(elements);
    e.code.pure(I32, format!("llvm.bitcast {pair} : {} to i32", pair.ty))
}

/// Waits until the staging memory has been read by the copies before.
fn await_staging(e: &mut Emitter<'_>, place: Place) {
    let leads = leads(e, place);
    e.code.begin_if(leads, &[]);
    bulk::wait_stores_read(&mut e.code, 0);
    e.code.end_if(&[]);
    meet(e, place);
}

/// The thread of a warpgroup that starts its copies.
pub fn leads(e: &mut Emitter<'_>, place: Place) -> Value {
    let rank = e.code.and_k(place.thread, i64::from(WARPGROUP_THREADS) - 1);
    e.code.cmp_ik("eq", rank, 0)
}

fn meet(e: &mut Emitter<'_>, place: Place) {
    let id = e.code.add_ik(place.warpgroup, 1);
    barrier::meet(&mut e.code, id, WARPGROUP_THREADS);
}

/// Start of this consumer's staging memory, bytes.
fn staging(e: &mut Emitter<'_>, frame: &Frame<'_>, place: Place) -> Value {
    let mine = e.code.int_k("arith.muli", place.warpgroup, frame.layout.staging_each as i64);
    e.code.add_ik(mine, frame.layout.staging as i64)
}

/// Writes the words of two neighbouring matrix columns to staging memory, four matrices an instruction: lane l
/// addresses row `l mod 8` of the upper or lower half (bit 3) of the left or right matrix (bit 4).
fn write_matrices(e: &mut Emitter<'_>, frame: &Frame<'_>, place: Place, matrix: i64, words: &[Value]) {
    let rows_each = i64::from(frame.schedule.consumer_rows());
    let (row_in_matrix, half) = (e.code.and_k(place.lane, 7), e.code.shr_uk(place.lane, 3));
    let (half, right) = (e.code.and_k(half, 1), e.code.shr_uk(place.lane, 4));
    let warp = e.code.int_k("arith.muli", place.warp_in_group, 16);
    let half = e.code.int_k("arith.muli", half, 8);
    let row = e.code.add_i(warp, half);
    let row = e.code.add_i(row, row_in_matrix);
    let row = e.code.int_k("arith.muli", row, bulk::ROW_BYTES);
    let start = staging(e, frame, place);
    let row = e.code.add_i(row, start);
    let chunk = e.code.xor(right, row_in_matrix);
    let chunk = e.code.int_k("arith.muli", chunk, 16);
    let in_box = matrix % (BOX_COLUMNS / MATRIX);
    let chunk = e.code.int_k("arith.xori", chunk, in_box * 16);
    let first = matrix / (BOX_COLUMNS / MATRIX) * rows_each * bulk::ROW_BYTES;
    let half_words = words.len() / 2;
    for block in 0..half_words / 2 {
        let at = e.code.add_ik(row, first + block as i64 * 64 * bulk::ROW_BYTES);
        let at = e.code.add_i(at, chunk);
        let pointer = e.code.byte_offset(frame.shared, at);
        let four = [0, 1, half_words, half_words + 1].map(|word| words[2 * block + word]);
        bulk::store_matrices(&mut e.code, pointer, four);
    }
}

/// Starts the copies of a pass's columns, which every thread wrote before its fence.
fn copy_out(
    e: &mut Emitter<'_>,
    frame: &Frame<'_>,
    place: Place,
    tile: &Tile,
    staged: &StagedStore,
    column: i64,
) -> Result<(), EmitError> {
    meet(e, place);
    let leading = leads(e, place);
    e.code.begin_if(leading, &[]);
    let lanes = std::mem::replace(&mut e.lanes, 1);
    let rows_each = i64::from(frame.schedule.consumer_rows());
    let first_row = e.code.int_k("arith.muli", place.warpgroup, rows_each);
    bind_corner(e, frame, tile, first_row);
    let coordinates = bulk::coordinates(e, &staged.coordinates)?;
    let map = frame.map(e, staged.map)?;
    let start = staging(e, frame, place);
    for at in 0..i64::from(staged.columns) / BOX_COLUMNS {
        let source = e.code.add_ik(start, at * rows_each * bulk::ROW_BYTES);
        let source = e.code.byte_offset(frame.shared, source);
        let mut coordinates = coordinates.clone();
        if let Some(first) = coordinates.first_mut() {
            *first = e.code.add_ik(*first, column + at * BOX_COLUMNS);
            *first = shifted(e, frame, *first);
        }
        bulk::store(&mut e.code, map, &coordinates, source);
    }
    bulk::commit_stores(&mut e.code);
    e.lanes = lanes;
    e.code.end_if(&[]);
    Ok(())
}

/// Binds row and column variables to the first point of a consumer's share, also where that lies outside (the copy is
/// clipped).
fn bind_corner(e: &mut Emitter<'_>, frame: &Frame<'_>, tile: &Tile, first_row: Value) {
    let mut rest = first_row;
    for (at, (cover, &origin)) in frame.schedule.rows.iter().zip(&tile.rows).enumerate().rev() {
        let count = i64::from(cover.count);
        let digit = if at == 0 { rest } else { e.code.int_k("arith.remui", rest, count) };
        rest = e.code.int_k("arith.divui", rest, count);
        let digit = e.code.resize_u(digit, e.index);
        let value = e.code.add_i(origin, digit);
        e.bind(cover.var, Some(value), 1, 0);
    }
    for (cover, &origin) in frame.schedule.columns.iter().zip(&tile.columns) {
        e.bind(cover.var, Some(origin), i64::from(cover.count), 0);
    }
}

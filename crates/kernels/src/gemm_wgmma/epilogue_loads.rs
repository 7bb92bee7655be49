//! Values that an epilogue reads one an output (a residual, a gate), fetched by the copy engine.
//!
//! Behind the blocks of a tile the producer sends the boxes of such loads through the same ring: rows of 128 bytes by
//! all rows of the tile, as many a stage as its two parts have room for. They arrive while the last blocks are
//! multiplied, so that no consumer waits for memory. A consumer reads them as fragments (16 bits by `ldmatrix`, the
//! mirror of the staged store; 32 bits by pairs) and gives a stage back when it has read all of its boxes.
//!
//! Boxes are numbered as they are read: 64 columns of one load after the other, then the next 64.
//!
//! Worked example, 128 × 256 bf16 with a residual: boxes {64, 128} of 16 KiB, three a stage of 16 + 32 KiB: columns
//! 0…191 come in one stage, 192…255 in the next.

use crate::gemm_wgmma::schedule::{BOX_ROW_BYTES, EpilogueLoad, WgmmaSchedule};
use fornax_plan::{Node, NodeId};

use super::main_loop::Frame;
use fornax_emit::blocks::hopper::barrier::{self, Cursor};
use fornax_emit::blocks::hopper::bulk;
use fornax_emit::blocks::hopper::roles::Place;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// Columns of one 8×8 matrix of the accumulator, and its rows.
const MATRIX: i64 = 8;
/// Bytes of a chunk, the unit of the swizzle.
const CHUNK_BYTES: i64 = 16;
/// Columns after which the boxes of all loads are numbered again: those of a row of 16-bit elements.
const PERIOD: u32 = 64;

/// One box: of which load, from which column of the tile on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LoadBox {
    load: usize,
    column: u32,
}

/// All boxes of a tile, as they are read.
fn boxes(schedule: &WgmmaSchedule) -> Vec<LoadBox> {
    let mut all = Vec::new();
    for period in (0..schedule.tile_columns()).step_by(PERIOD as usize) {
        let end = (period + PERIOD).min(schedule.tile_columns());
        for (at, load) in schedule.loads.iter().enumerate() {
            all.extend((period..end).step_by(load.columns() as usize).map(|column| LoadBox { load: at, column }));
        }
    }
    all
}

/// Boxes of a stage.
fn boxes_each(schedule: &WgmmaSchedule) -> usize {
    schedule.load_boxes().iter().sum::<u64>().max(1) as usize
}

/// Stages that the boxes of a tile take.
pub fn stages(schedule: &WgmmaSchedule) -> u32 {
    boxes(schedule).len().div_ceil(boxes_each(schedule)) as u32
}

/// The ring has room for all boxes of a tile behind its last block.
pub fn fit(schedule: &WgmmaSchedule) -> bool {
    schedule.loads.is_empty() || schedule.load_boxes() != [0; 2] && stages(schedule) < schedule.stages
}

/// Where a box lies: bytes from the start of shared memory.
fn place(e: &mut Emitter<'_>, frame: &Frame<'_>, stage: Value, number: usize) -> Value {
    let (schedule, layout) = (frame.schedule, &frame.layout);
    let (in_rows, bytes) = (schedule.load_boxes()[0] as usize, schedule.load_box_bytes());
    let (each, start) = if number < in_rows {
        (layout.row_stage, number as u64 * bytes)
    } else {
        (layout.column_stage, layout.column_operand + (number - in_rows) as u64 * bytes)
    };
    let place = e.code.int_k("arith.muli", stage, each as i64);
    e.code.add_ik(place, start as i64)
}

/// Producer: the boxes of the bound tile. Gives the cursor behind them.
pub fn produce(e: &mut Emitter<'_>, frame: &Frame<'_>, mut cursor: Cursor) -> Result<Cursor, EmitError> {
    let schedule = frame.schedule;
    for stage in boxes(schedule).chunks(boxes_each(schedule)) {
        frame.ring.wait_empty(&mut e.code, cursor);
        let full = frame.ring.full(&mut e.code, cursor.stage);
        barrier::arrive_expecting(&mut e.code, full, stage.len() as i64 * schedule.load_box_bytes() as i64);
        for (number, of) in stage.iter().enumerate() {
            let load = &schedule.loads[of.load];
            let map = frame.map(e, load.map)?;
            let mut coordinates = bulk::coordinates(e, &load.coordinates)?;
            if let Some(first) = coordinates.first_mut() {
                *first = e.code.add_ik(*first, i64::from(of.column));
            }
            let place = place(e, frame, cursor.stage, number);
            let destination = e.code.byte_offset(frame.shared, place);
            bulk::load(&mut e.code, map, &coordinates, destination, full, None);
        }
        cursor = frame.ring.advance(&mut e.code, cursor);
    }
    Ok(cursor)
}

/// Whether a fence lies behind the reads of a stage that is given back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ReadsOver {
    Yes,
    No,
}

/// A consumer's way through the boxes of a tile.
pub struct Reader {
    boxes: Vec<LoadBox>,
    each: usize,
    /// The node of each load.
    nodes: Vec<NodeId>,
    /// Stages that have arrived, first ones first.
    arrived: Vec<Value>,
    /// Stages that were given back.
    released: usize,
    cursor: Cursor,
    /// This lane gives stages back (i1).
    releases: Value,
    /// The warp's first row in a box, bytes.
    warp: Value,
}

impl Reader {
    /// `None` where the epilogue reads nothing like it.
    pub fn of(e: &mut Emitter<'_>, frame: &Frame<'_>, at: Place, cursor: Cursor) -> Result<Option<Reader>, EmitError> {
        let schedule = frame.schedule;
        if schedule.loads.is_empty() {
            return Ok(None);
        }
        let nodes = schedule.loads.iter().map(|load| node(e, load)).collect::<Result<_, _>>()?;
        let (boxes, each) = (boxes(schedule), boxes_each(schedule));
        let releases = e.code.cmp_ik("eq", at.lane, 0);
        let group = e.code.int_k("arith.muli", at.warpgroup, i64::from(schedule.consumer_rows()));
        let warp = e.code.int_k("arith.muli", at.warp_in_group, 2 * MATRIX);
        let warp = e.code.add_i(group, warp);
        let warp = e.code.int_k("arith.muli", warp, i64::from(BOX_ROW_BYTES));
        let arrived = Vec::new();
        Ok(Some(Reader { boxes, each, nodes, arrived, released: 0, cursor, releases, warp }))
    }

    /// Cursor behind all boxes.
    pub fn end(self) -> Cursor {
        self.cursor
    }

    /// All loads' values of two neighbouring matrix columns: the node, and one value a pair, block by block of 64 rows,
    /// in it left and right matrix, in it upper and lower half.
    pub fn read(
        &mut self,
        e: &mut Emitter<'_>,
        frame: &Frame<'_>,
        at: Place,
        matrix: i64,
    ) -> Result<Vec<(NodeId, Vec<Value>)>, EmitError> {
        let schedule = frame.schedule;
        let mut all = Vec::new();
        for (number, load) in schedule.loads.iter().enumerate() {
            let column = (matrix * MATRIX) as u32;
            let first = column / load.columns() * load.columns();
            let wanted = LoadBox { load: number, column: first };
            let Some(of) = self.boxes.iter().position(|b| *b == wanted) else {
                return Err(e.malformed("an epilogue's load has no box"));
            };
            let stage = self.stage(e, frame, of / self.each);
            let start = place(e, frame, stage, of % self.each);
            let start = e.code.add_i(start, self.warp);
            let inside = i64::from(column - first) / MATRIX;
            let raw = match load.element.storage_bytes() {
                2 => read_matrices(e, frame, at, start, inside),
                _ => read_pairs(e, frame, at, start, inside),
            };
            let values = raw.into_iter().map(|raw| decoded(e, load, raw)).collect::<Result<_, _>>()?;
            all.push((self.nodes[number], values));
        }
        Ok(all)
    }

    /// The stage of a number, when its boxes are there.
    fn stage(&mut self, e: &mut Emitter<'_>, frame: &Frame<'_>, number: usize) -> Value {
        while self.arrived.len() <= number {
            frame.ring.wait_full(&mut e.code, self.cursor);
            self.arrived.push(self.cursor.stage);
            self.cursor = frame.ring.advance(&mut e.code, self.cursor);
        }
        self.arrived[number]
    }

    /// Gives back the stages that nobody reads from column `matrix · 8` on.
    ///
    /// The copy engine may overwrite them at once, and an arrival does not wait for the loads before it: behind misses
    /// of other loads `ldmatrix` can wait longer than a copy takes. So a fence comes first.
    pub fn release_before(&mut self, e: &mut Emitter<'_>, frame: &Frame<'_>, matrix: i64, over: ReadsOver) {
        let column = (matrix * MATRIX) as u32;
        let read = |b: &LoadBox| b.column + frame.schedule.loads[b.load].columns() <= column;
        let free: Vec<Value> = self
            .boxes
            .chunks(self.each)
            .zip(&self.arrived)
            .skip(self.released)
            .take_while(|(c, _)| c.iter().all(read))
            .map(|(_, &stage)| stage)
            .collect();
        if free.is_empty() {
            return;
        }
        self.released += free.len();
        if over == ReadsOver::No {
            bulk::fence_shared(&mut e.code);
        }
        barrier::meet_warp(&mut e.code);
        e.code.begin_if(self.releases, &[]);
        for stage in free {
            frame.ring.release(&mut e.code, stage);
        }
        e.code.end_if(&[]);
    }
}

/// The load's node.
fn node(e: &Emitter<'_>, load: &EpilogueLoad) -> Result<NodeId, EmitError> {
    let buffer = e.plan.tensor_maps.get(load.map as usize).map(|map| map.buffer);
    let is_it = |node: &NodeId| match *e.exprs.node(*node) {
        Node::Load { buffer: of, element, offset, mask: None } => {
            Some(of) == buffer && element == load.element && offset == load.offset
        }
        _ => false,
    };
    let found = (0..e.exprs.len() as u32).map(NodeId).find(is_it);
    found.ok_or_else(|| e.malformed("an epilogue's load is none of the plan"))
}

/// Words of 16-bit pairs: matrices `inside` and the next of a box, as `epilogue::write_matrices` lays them.
fn read_matrices(e: &mut Emitter<'_>, frame: &Frame<'_>, at: Place, start: Value, inside: i64) -> Vec<Value> {
    let (row_in_matrix, half) = (e.code.and_k(at.lane, 7), e.code.shr_uk(at.lane, 3));
    let (half, right) = (e.code.and_k(half, 1), e.code.shr_uk(at.lane, 4));
    let half = e.code.int_k("arith.muli", half, MATRIX);
    let row = e.code.add_i(half, row_in_matrix);
    let row = e.code.int_k("arith.muli", row, i64::from(BOX_ROW_BYTES));
    let row = e.code.add_i(row, start);
    let chunk = e.code.xor(right, row_in_matrix);
    let chunk = e.code.int_k("arith.muli", chunk, CHUNK_BYTES);
    let chunk = e.code.int_k("arith.xori", chunk, inside * CHUNK_BYTES);
    let place = e.code.add_i(row, chunk);
    let mut words = Vec::new();
    for block in 0..frame.row_blocks() {
        let place = e.code.add_ik(place, block * 64 * i64::from(BOX_ROW_BYTES));
        let pointer = e.code.byte_offset(frame.shared, place);
        words.extend(bulk::load_matrices(&mut e.code, pointer));
    }
    words
}

/// Pairs of 32 bits of the same two matrices: a thread's row is lane / 4, its pair half of a chunk.
fn read_pairs(e: &mut Emitter<'_>, frame: &Frame<'_>, at: Place, start: Value, inside: i64) -> Vec<Value> {
    let row = e.code.shr_uk(at.lane, 2);
    let (odd, chunk) = (e.code.and_k(at.lane, 1), e.code.shr_uk(at.lane, 1));
    let chunk = e.code.and_k(chunk, 1);
    let chunk = e.code.xor(chunk, row);
    let chunk = e.code.int_k("arith.muli", chunk, CHUNK_BYTES);
    let odd = e.code.int_k("arith.muli", odd, CHUNK_BYTES / 2);
    let row = e.code.int_k("arith.muli", row, i64::from(BOX_ROW_BYTES));
    let row = e.code.add_i(row, start);
    let row = e.code.add_i(row, odd);
    let ty = Ty::vector(Scalar::F32, 2);
    let mut pairs = Vec::new();
    for block in 0..frame.row_blocks() {
        for matrix in [inside, inside + 1] {
            let chunk = e.code.int_k("arith.xori", chunk, 2 * matrix * CHUNK_BYTES);
            let place = e.code.add_i(row, chunk);
            for half in 0..2 {
                let rows = (block * 64 + half * MATRIX) * i64::from(BOX_ROW_BYTES);
                let place = e.code.add_ik(place, rows);
                let pointer = e.code.byte_offset(frame.shared, place);
                let text = format!("llvm.load {pointer} {{alignment = 8 : i64}} : {} -> {ty}", pointer.ty);
                pairs.push(e.code.effect(ty, &text));
            }
        }
    }
    pairs
}

/// A pair in register form.
fn decoded(e: &mut Emitter<'_>, load: &EpilogueLoad, raw: Value) -> Result<Value, EmitError> {
    let ty = Ty::vector(e.memory_scalar(load.element)?, 2);
    let raw = if raw.ty == ty { raw } else { e.code.pure(ty, format!("llvm.bitcast {raw} : {} to {ty}", raw.ty)) };
    e.decode(load.element, raw)
}

//! Tiles of keys and values as planes of 16-byte chunks in shared memory, and how they come there.
//!
//! A chunk holds depth of one key, or keys of one feature; an output (a key, a feature) has a position in every plane,
//! chosen so that the rows of an instruction are adjacent and a lane's results are a run of outputs. Lanes read
//! neighbouring positions; planes of keys, and steps of features within a plane of values, are a chunk further apart
//! than they are long, so that threads that write meet other banks. Threads fetch the chunks of the next tile to
//! registers while the present one is multiplied; keys come as they lie, values, whose features are neighbours, are
//! transposed on their way: `width` features of some keys of a run become as many parts of chunks.
//!
//! Where a load moves by a fixed number of elements a column, its buffer is taken to begin at the tile's first column:
//! the lane's part of the address is the same for all tiles.
//!
//! Worked example, 64 keys and values of 128 bf16 by 256 threads: four chunks of keys a thread, and four loads of eight
//! features of a key, which become eight halves of chunks of values.

use crate::attention::chunk_schedule::AttentionChunks;
use fornax_plan::{NodeId, VarId};

use super::sizes::Extent;
use super::{I32, Kernel};
use fornax_emit::advance::Moves;
use fornax_emit::blocks::mma::result_rows;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// Bytes of a chunk.
const CHUNK_BYTES: i64 = 16;

/// Planes of an operand in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Planes {
    chunks: AttentionChunks,
    /// Outputs: keys, or features with padding.
    outputs: i64,
    /// Bytes from plane to plane, and whether a chunk of nothing follows every step of outputs.
    plane_bytes: i64,
    spread: bool,
    /// Bytes from the start of shared memory.
    offset: i64,
}

impl Planes {
    pub fn keys(chunks: AttentionChunks, columns: u32) -> Planes {
        let plane_bytes = chunks.key_plane(columns).into();
        Planes { chunks, outputs: columns.into(), plane_bytes, spread: false, offset: 0 }
    }

    pub fn values(chunks: AttentionChunks, columns: u32) -> Planes {
        let offset = chunks.tile_bytes(columns)[0].into();
        Planes {
            chunks,
            outputs: chunks.features.into(),
            plane_bytes: chunks.value_plane().into(),
            spread: true,
            offset,
        }
    }

    /// The position of an output: by runs of a step, rows of an instruction first.
    fn position(&self, e: &mut Emitter<'_>, output: Value) -> Value {
        let (run, results, step) =
            (self.chunks.run().into(), i64::from(self.chunks.results()), i64::from(self.chunks.step()));
        let (apart, row) = result_rows(self.chunks.atom);
        let inside = e.code.and_k(output, step - 1);
        let start = e.code.sub_i(output, inside);
        let group = e.code.int_k("arith.divui", inside, run);
        let group = e.code.int_k("arith.muli", group, apart);
        let result = e.code.and_k(output, results - 1);
        let result = e.code.int_k("arith.muli", result, row(1));
        let tile = e.code.int_k("arith.remui", inside, run);
        let tile = e.code.int_k("arith.divui", tile, results);
        let tile = e.code.shl_k(tile, 4);
        let at = e.code.add_i(start, group);
        let at = e.code.add_i(at, result);
        e.code.add_i(at, tile)
    }

    /// Byte of the chunk of an output in a plane.
    fn place(&self, e: &mut Emitter<'_>, output: Value, plane: Value) -> Value {
        let mut position = self.position(e, output);
        if self.spread {
            let steps = e.code.int_k("arith.divui", output, self.chunks.step().into());
            position = e.code.add_i(position, steps);
        }
        let position = e.code.shl_k(position, 4);
        let plane = e.code.int_k("arith.muli", plane, self.plane_bytes);
        let at = e.code.add_i(plane, position);
        e.code.add_ik(at, self.offset)
    }

    /// Bytes of the chunks of outputs that follow `output`, a multiple of `count`, from its own: less than a run of
    /// outputs has one row of an instruction after the other.
    fn following(&self, count: i64) -> Vec<i64> {
        let results = i64::from(self.chunks.results());
        let (_, row) = result_rows(self.chunks.atom);
        (0..count).map(|at| CHUNK_BYTES * (16 * (at / results) + row(at % results))).collect()
    }

    /// What a lane reads for the instructions of a step and 16 positions.
    pub fn read(&self, e: &mut Emitter<'_>, k: &Kernel<'_>, tile: i64, step: i64) -> Vec<Value> {
        let (groups, chunks) = self.chunks.reading();
        let (groups, chunks) = (i64::from(groups), i64::from(chunks));
        let row = e.code.and_k(k.lane, 15);
        let mut base = e.code.shl_k(row, 4);
        if groups > 1 {
            let group = e.code.shr_uk(k.lane, 4);
            let plane = e.code.int_k("arith.muli", group, chunks * self.plane_bytes);
            base = e.code.add_i(plane, base);
        }
        let base = super::tiles::at_byte(e, k.shared, base);
        let spread = if self.spread { 16 * tile / i64::from(self.chunks.step()) } else { 0 };
        (0..chunks)
            .map(|chunk| {
                let plane = (step * groups * chunks + chunk) * self.plane_bytes;
                let distance = self.offset + plane + CHUNK_BYTES * (16 * tile + spread);
                let distance = e.code.int(I32, distance);
                let at = super::tiles::at_byte(e, base, distance);
                let ty = Ty::vector(Scalar::I32, 4);
                e.code.effect(ty, &format!("llvm.load {at} {{alignment = 16 : i64}} : {} -> {ty}", at.ty))
            })
            .collect()
    }
}

/// A row or column that a piece is of.
#[derive(Clone, Copy)]
enum Outer {
    /// The row of a slot.
    Slot(usize),
    /// A key position of the tile that begins at a column.
    Column { first: Value, within: Value },
}

/// An operand: `elements` along `inner`, of `padded`.
struct Source {
    node: NodeId,
    inner: VarId,
    extent: i64,
    padded: i64,
    /// Elements of a piece.
    width: i64,
    /// Zeros take the place of elements past the last, and of rows past the last.
    clean: [bool; 2],
    /// Elements by which loads of each buffer move a column, where nothing else depends on the column.
    moves: Option<Moves>,
}

/// A thread's share of a tile of keys or of values.
pub struct Staging {
    source: Source,
    /// Columns of the tile and starts along the operand's inner variable of the pieces, those of a unit after each
    /// other.
    pieces: Vec<Vec<(Value, Value)>>,
    /// Bytes in shared memory of the chunks of a unit, or the parts of them.
    places: Vec<Vec<Value>>,
    transposed: bool,
}

/// Chunks of a tile on their way.
pub type Fetched = Vec<Value>;

impl Staging {
    pub fn keys(e: &mut Emitter<'_>, k: &Kernel<'_>, chunks: AttentionChunks) -> Staging {
        let planes = Planes::keys(chunks, k.s.columns);
        let source = source(e, k, k.a.key, Inner::depth(k, chunks), chunks.run(), [true, false]);
        let each = i64::from(chunks.depth / chunks.run());
        let (run, width) = (i64::from(chunks.run()), source.width);
        let (mut pieces, mut places) = (Vec::new(), Vec::new());
        for item in items(e, k, planes.outputs * each) {
            let (row, plane) = e.code.div_rem(item, each);
            places.push(vec![planes.place(e, row, plane)]);
            let start = e.code.int_k("arith.muli", plane, run);
            let parts = (0..run / width).map(|part| (row, e.code.add_ik(start, part * width)));
            pieces.push(parts.collect());
        }
        Staging { source, pieces, places, transposed: false }
    }

    pub fn values(e: &mut Emitter<'_>, k: &Kernel<'_>, chunks: AttentionChunks) -> Staging {
        let planes = Planes::values(chunks, k.s.columns);
        let run = i64::from(chunks.run());
        let runs = i64::from(k.s.columns) / run;
        let mut source = source(e, k, k.a.value, Inner::features(k, chunks), chunks.run(), [false, true]);
        // All threads are to have a unit: of fewer keys, as far as parts of chunks are words, then of fewer features.
        let threads = i64::from(k.s.threads());
        let (all, word) = (i64::from(k.s.columns) * source.padded, (4 / i64::from(chunks.atom.bytes())).max(1));
        let mut rows = run;
        while rows > word && all / (rows * source.width) < threads {
            rows /= 2;
        }
        while source.width > 1 && all / (rows * source.width) < threads {
            source.width /= 2;
        }
        let (each, width, parts) = (source.padded / source.width, source.width, run / rows);
        let (mut pieces, mut places) = (Vec::new(), Vec::new());
        for item in items(e, k, runs * parts * each) {
            let (part, unit) = e.code.div_rem(item, each);
            let feature = e.code.int_k("arith.muli", unit, width);
            let plane = e.code.int_k("arith.divui", part, parts);
            let inside = e.code.int_k("arith.remui", part, parts);
            let inside = e.code.int_k("arith.muli", inside, rows * i64::from(chunks.atom.bytes()));
            let place = planes.place(e, feature, plane);
            let place = e.code.add_i(place, inside);
            places.push(planes.following(width).into_iter().map(|bytes| e.code.add_ik(place, bytes)).collect());
            let row = e.code.int_k("arith.muli", part, rows);
            let parts = (0..rows).map(|at| (e.code.add_ik(row, at), feature));
            pieces.push(parts.collect());
        }
        Staging { source, pieces, places, transposed: true }
    }

    /// Loads this thread's share of the tile that begins at column `first`.
    pub fn fetch(&self, e: &mut Emitter<'_>, k: &Kernel<'_>, first: Value) -> Result<Fetched, EmitError> {
        let mut chunks = Vec::new();
        for pieces in &self.pieces {
            let mut parts = Vec::new();
            for &(within, start) in pieces {
                parts.push(self.source.piece(e, k, Outer::Column { first, within }, start)?);
            }
            chunks.extend(parts);
        }
        Ok(chunks)
    }

    /// Writes what was fetched to its places.
    pub fn write(&self, e: &mut Emitter<'_>, k: &Kernel<'_>, fetched: &[Value]) {
        let each = self.pieces.first().map_or(1, Vec::len);
        for (parts, places) in fetched.chunks(each).zip(&self.places) {
            for (at, &place) in places.iter().enumerate() {
                let chunk = if self.transposed {
                    let column: Vec<Value> = parts.iter().map(|&part| e.code.extract(part, at as u32)).collect();
                    e.code.assemble(&column)
                } else {
                    joined(e, parts)
                };
                let at = super::tiles::at_byte(e, k.shared, place);
                let bytes = chunk.ty.scalar.bits() * chunk.ty.lanes / 8;
                let text = format!("llvm.store {chunk}, {at} {{alignment = {bytes} : i64}} : {}, {}", chunk.ty, at.ty);
                e.code.line(&text);
            }
        }
    }
}

/// The queries of a lane: by fragment, by steps, the chunks that it reads at once.
pub fn queries(
    e: &mut Emitter<'_>,
    k: &Kernel<'_>,
    chunks: AttentionChunks,
) -> Result<Vec<Vec<Vec<Value>>>, EmitError> {
    let source = source(e, k, k.a.query, Inner::depth(k, chunks), chunks.run(), [true, false]);
    let (groups, together) = chunks.reading();
    let (run, width) = (i64::from(chunks.run()), source.width);
    let mut own = e.code.int(I32, 0);
    if groups > 1 {
        let group = e.code.shr_uk(k.lane, 4);
        own = e.code.int_k("arith.muli", group, i64::from(together) * run);
    }
    let mut all = Vec::new();
    for slot in 0..k.s.row_tiles as usize {
        let mut steps = Vec::new();
        for step in 0..i64::from(chunks.depth / chunks.step()) {
            let mut read = Vec::new();
            for chunk in 0..i64::from(together) {
                let start = e.code.add_ik(own, step * i64::from(chunks.step()) + chunk * run);
                let mut parts = Vec::new();
                for part in 0..run / width {
                    let start = e.code.add_ik(start, part * width);
                    parts.push(source.piece(e, k, Outer::Slot(slot), start)?);
                }
                let chunk = joined(e, &parts);
                read.push(words(e, chunk));
            }
            steps.push(read);
        }
        all.push(steps);
    }
    Ok(all)
}

impl Source {
    /// `width` elements from `start` (i32) on, as integers.
    fn piece(&self, e: &mut Emitter<'_>, k: &Kernel<'_>, outer: Outer, start: Value) -> Result<Value, EmitError> {
        let mut keep: Option<Value> = None;
        let mut start = start;
        if self.padded != self.extent {
            let inside = e.code.cmp_ik("ult", start, self.extent);
            start = e.code.int_k("arith.minui", start, self.extent - self.width);
            keep = self.clean[0].then_some(inside);
        }
        let mut moved = None;
        match outer {
            Outer::Slot(slot) => k.use_row(e, slot),
            Outer::Column { first, within } => {
                let within = e.code.resize_u(within, e.index);
                match &self.moves {
                    Some(moves) => {
                        moved = Some(moves.begin(e, first)?);
                        e.bind(k.a.column(), Some(within), 1, 0);
                    }
                    None => {
                        let mut column = e.code.add_i(first, within);
                        if k.has_column_tail() {
                            if self.clean[1] {
                                let inside = k.column_end().is_above(e, "ult", column);
                                keep = Some(keep.map_or(inside, |keep| e.code.and(keep, inside)));
                            }
                            column = k.column_end().clamped(e, "arith.minui", column);
                        }
                        e.bind(k.a.column(), Some(column), 1, 0);
                    }
                }
            }
        }
        let start = e.code.resize_u(start, e.index);
        if self.width > 1 {
            e.lanes = self.width as u32;
            e.bind_lanes(self.inner, Some(start), self.width, 0);
        } else {
            e.bind(self.inner, Some(start), 1, 0);
        }
        let value = e.eval(self.node).and_then(|value| e.encode(e.exprs.element(self.node), value));
        e.lanes = 1;
        if let Some(moved) = moved {
            moved.end(e);
        }
        let raw = e.code.spread(value?, self.width as u32);
        let bits = e.code.to_bits(raw);
        Ok(match keep {
            Some(keep) => {
                let zero = e.code.bits(bits.ty, 0);
                e.code.select(keep, bits, zero)
            }
            None => bits,
        })
    }
}

/// What the rows of an operand run along.
struct Inner {
    var: VarId,
    extent: i64,
    /// The extent with padding to whole chunks.
    padded: u32,
}

impl Inner {
    fn depth(k: &Kernel<'_>, chunks: AttentionChunks) -> Inner {
        Inner { var: k.a.depth(), extent: k.depth, padded: chunks.depth }
    }

    fn features(k: &Kernel<'_>, chunks: AttentionChunks) -> Inner {
        Inner { var: k.a.feature, extent: k.features, padded: chunks.features }
    }
}

fn source(e: &mut Emitter<'_>, k: &Kernel<'_>, node: NodeId, inner: Inner, run: u32, clean: [bool; 2]) -> Source {
    let Inner { var: inner, extent, padded } = inner;
    let mut width = i64::from(run);
    while extent % width != 0 {
        width /= 2;
    }
    let tail = k.has_column_tail() || matches!(k.column_end(), Extent::OfCall(_));
    let moves = if tail { None } else { Moves::of(e, node, k.a.column()) };
    Source { node, inner, extent, padded: padded.into(), width, clean, moves }
}

/// The numbers of this thread's items; where there are fewer than threads, several threads have one.
fn items(e: &mut Emitter<'_>, k: &Kernel<'_>, count: i64) -> Vec<Value> {
    let threads = i64::from(k.s.threads());
    let number = |e: &mut Emitter<'_>, at: i64| {
        let item = e.code.add_ik(k.thread, at * threads);
        if (at + 1) * threads > count { e.code.int_k("arith.remui", item, count) } else { item }
    };
    (0..(count + threads - 1) / threads).map(|at| number(e, at)).collect()
}

/// One vector of all parts.
fn joined(e: &mut Emitter<'_>, parts: &[Value]) -> Value {
    let lanes: Vec<(Value, u32)> = parts.iter().flat_map(|&p| (0..p.ty.lanes).map(move |lane| (p, lane))).collect();
    if parts.len() == 1 {
        return parts[0];
    }
    let lanes: Vec<Value> = lanes.into_iter().map(|(part, lane)| e.code.extract(part, lane)).collect();
    e.code.assemble(&lanes)
}

/// 16 bytes as four words.
pub fn words(e: &mut Emitter<'_>, chunk: Value) -> Value {
    let ty = Ty::vector(Scalar::I32, 4);
    if chunk.ty == ty { chunk } else { e.code.pure(ty, format!("llvm.bitcast {chunk} : {} to {ty}", chunk.ty)) }
}

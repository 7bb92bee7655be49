//! Filling a stage of the ring with a block of both operands.
//!
//! Every thread owns the same 16-byte chunks of every block. What does not depend on the block – outputs, place in the
//! stage – is worked out once; a block binds the contraction steps and copies or evaluates the pieces.
//!
//! Worked example, 128 × 32 bf16 by 128 threads: 4 chunks a thread, rows thread/4 + 32·i, chunk thread mod 4; a block k
//! reads 16 bytes at `row · 768 + 32·k + 8·chunk`.

use super::axes::{Axes, Bindings, rebind};
use super::direct;
use fornax_plan::NodeId;

use super::layout::{CHUNK_BYTES, I32, Major, Reading, behind};
use super::operand::{Copy, Side};
use fornax_emit::advance::Moves;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// The contraction steps, cut into blocks.
#[derive(Clone, Debug)]
pub struct Walk {
    pub axes: Axes,
    /// Steps of a block.
    pub block: i64,
}

/// A block whose outer variables are bound, where all its steps lie in one run of the last variable.
struct Position {
    /// First value of the last variable, or first step of all.
    start: Value,
    within: bool,
}

/// One piece of a chunk: its outputs, its first step within a block.
struct Piece {
    outputs: Bindings,
    step: Value,
}

/// A thread's share of one side: pieces, each at a place; those of an evaluated chunk lie at one.
pub struct Chunks {
    side: Side,
    /// Bytes from the start of a stage.
    places: Vec<Value>,
    pieces: Vec<Vec<Piece>>,
}

impl Walk {
    /// Their number; `None` where a call gives it.
    pub fn known_blocks(&self) -> Option<i64> {
        (!self.axes.is_sized()).then(|| (self.axes.total + self.block - 1) / self.block)
    }

    pub fn blocks(&self, e: &mut Emitter<'_>) -> Result<Value, EmitError> {
        self.axes.tiles(e, self.block)
    }

    /// A block never crosses the end of the last variable.
    fn within(&self) -> bool {
        self.axes.inner_extent() % self.block == 0
    }

    fn begin(&self, e: &mut Emitter<'_>, block: Value) -> Position {
        if !self.within() {
            return Position { start: e.code.int_k("arith.muli", block, self.block), within: false };
        }
        let Some((&(_, extent), outer)) = self.axes.vars.split_last() else {
            return Position { start: e.code.int_k("arith.muli", block, self.block), within: false };
        };
        let mut number = block;
        if !outer.is_empty() {
            number = e.code.int_k("arith.remui", block, extent / self.block);
            let rest = e.code.int_k("arith.divui", block, extent / self.block);
            Axes::of(outer.to_vec()).bind(e, rest, 1, false);
        }
        Position { start: e.code.int_k("arith.muli", number, self.block), within: true }
    }

    /// Where every block begins some steps of one variable further on, by which the loads of a node move.
    fn moves(&self, e: &Emitter<'_>, node: NodeId) -> Option<Moves> {
        match self.axes.vars.as_slice() {
            &[(var, _)] if self.within() && !self.axes.is_sized() => Moves::of(e, node, var),
            _ => None,
        }
    }

    /// Binds the steps of a piece `width` wide; where it may lie behind the last step, whether it does not.
    fn bind(
        &self,
        e: &mut Emitter<'_>,
        position: &Position,
        step: Value,
        width: i64,
        lanes: bool,
    ) -> Result<Option<Value>, EmitError> {
        let at = e.code.add_i(position.start, step);
        if let (true, Some(&(var, _))) = (position.within, self.axes.vars.last()) {
            if lanes {
                e.bind_lanes(var, Some(at), width, 0);
            } else {
                e.bind(var, Some(at), width, 0);
            }
            return Ok(None);
        }
        let total = self.axes.total;
        let mut inside = None;
        let mut at = at;
        if self.axes.is_sized() {
            let total = self.axes.points(e)?;
            inside = Some(e.code.cmp_i("ult", at, total));
            let last = e.code.add_ik(total, -width);
            at = e.code.binary("arith.minui", at, last);
        } else if total % self.block != 0 {
            inside = Some(e.code.cmp_ik("ult", at, total));
            let last = e.code.int(at.ty, total - width);
            at = e.code.binary("arith.minui", at, last);
        }
        self.axes.bind(e, at, width, lanes);
        Ok(inside)
    }
}

impl Chunks {
    /// Works out a thread's share; `first` is the tile's first output along this side, `shared` where shared memory
    /// begins. What is evaluated comes in whole chunks, what is copied in pieces; neighbouring threads take neighbours
    /// in memory.
    pub fn new(
        e: &mut Emitter<'_>,
        side: Side,
        (thread, shared): (Value, Value),
        threads: i64,
        first: Value,
    ) -> Result<Chunks, EmitError> {
        if side.transposed {
            return Chunks::transposed(e, side, thread, threads, first);
        }
        if matches!(side.copy, Copy::Direct(_)) {
            return Chunks::direct(e, side, (thread, shared), threads, first);
        }
        let layout = side.layout;
        let unit = if matches!(side.copy, Copy::Async(_)) { side.width } else { layout.chunk_elements() };
        let (per_row, rows) = (layout.row_elements() / unit, layout.rows());
        let count = per_row * rows / threads;
        let (mut places, mut pieces) = (Vec::new(), Vec::new());
        let start = e.code.div_rem(thread, per_row);
        let start_place = layout.unit_place(&mut e.code, start.0, start.1, unit);
        for at in 0..count {
            let down = at * threads / per_row;
            let (row, column, place) = if side.rows_first || threads % per_row != 0 {
                let number = e.code.add_ik(thread, at * threads);
                let radix = if side.rows_first { rows } else { per_row };
                let (high, low) = e.code.div_rem(number, radix);
                let (row, column) = if side.rows_first { (low, high) } else { (high, low) };
                (row, column, layout.unit_place(&mut e.code, row, column, unit))
            } else {
                let row = e.code.add_ik(start.0, down);
                // Rows that differ by a multiple of eight are permuted alike.
                let place = if down % 8 == 0 {
                    e.code.add_ik(start_place, layout.rows_apart(down))
                } else {
                    layout.unit_place(&mut e.code, row, start.1, unit)
                };
                (row, start.1, place)
            };
            places.push(place);
            let along = e.code.int_k("arith.muli", column, unit);
            let cut = (0..unit / side.width).map(|q| {
                let along = e.code.add_ik(along, q * side.width);
                piece(e, &side, row, along, first)
            });
            pieces.push(cut.collect::<Result<_, _>>()?);
        }
        Ok(Chunks { side, places, pieces })
    }

    /// The share of pieces that run across the rows: one for each of some steps of a chunk, which become as many parts
    /// of chunks as they have outputs.
    fn transposed(
        e: &mut Emitter<'_>,
        side: Side,
        thread: Value,
        threads: i64,
        first: Value,
    ) -> Result<Chunks, EmitError> {
        let layout = side.layout;
        let (chunk, steps) = (layout.chunk_elements(), side.transposed_steps);
        let across = layout.outputs / side.width;
        let count = across * (layout.row_elements() / steps) / threads;
        let (mut places, mut pieces) = (Vec::new(), Vec::new());
        for at in 0..count {
            let number = e.code.add_ik(thread, at * threads);
            let (part, row) = e.code.div_rem(number, across);
            let row = e.code.int_k("arith.muli", row, side.width);
            let step = e.code.int_k("arith.muli", part, steps);
            let plane = e.code.int_k("arith.divui", part, chunk / steps);
            let inside = e.code.int_k("arith.remui", part, chunk / steps);
            let inside = e.code.int_k("arith.muli", inside, steps * layout.bytes);
            let place = layout.place(&mut e.code, row, plane);
            let place = e.code.add_i(place, inside);
            let place = e.code.add_ik(place, layout.start);
            places.extend((0..side.width).map(|output| e.code.add_ik(place, layout.rows_apart(output))));
            let each = (0..steps).map(|at| {
                let step = e.code.add_ik(step, at);
                piece(e, &side, row, step, first)
            });
            pieces.push(each.collect::<Result<_, _>>()?);
        }
        Ok(Chunks { side, places, pieces })
    }

    /// The share of what comes straight to shared memory: places are those of the thread's wave.
    fn direct(
        e: &mut Emitter<'_>,
        side: Side,
        (thread, shared): (Value, Value),
        threads: i64,
        first: Value,
    ) -> Result<Chunks, EmitError> {
        let layout = side.layout;
        let per_row = layout.row_bytes() / CHUNK_BYTES;
        let start = direct::wave_start(e, shared, thread, layout.start);
        let (mut places, mut pieces) = (Vec::new(), Vec::new());
        for at in 0..per_row * layout.outputs / threads {
            let number = e.code.add_ik(thread, at * threads);
            let (row, place) = e.code.div_rem(number, per_row);
            let chunk = layout.swizzle.apply(&mut e.code, row, place);
            let along = e.code.int_k("arith.muli", chunk, side.width);
            places.push(e.code.add_ik(start, at * threads * CHUNK_BYTES));
            pieces.push(vec![piece(e, &side, row, along, first)?]);
        }
        Ok(Chunks { side, places, pieces })
    }

    /// Whether blocks come straight to shared memory.
    pub fn is_direct(&self) -> bool {
        matches!(self.side.copy, Copy::Direct(_))
    }

    /// Starts to bring a block straight to the stage at byte `stage`; nothing for other operands.
    pub fn begin_direct(&self, e: &mut Emitter<'_>, walk: &Walk, block: Value, stage: Value) -> Result<(), EmitError> {
        let Copy::Direct(load) = self.side.copy else { return Ok(()) };
        e.lanes = 1;
        let mut position = walk.begin(e, block);
        let Some(moves) = walk.moves(e, self.side.node) else {
            return Err(e.malformed("blocks do not begin a fixed distance apart"));
        };
        let moved = moves.begin(e, position.start)?;
        position.start = e.code.int(position.start.ty, 0);
        let base = e.buffers[load.buffer as usize];
        for (pieces, &place) in self.pieces.iter().zip(&self.places) {
            for piece in pieces {
                rebind(e, &piece.outputs);
                walk.bind(e, &position, piece.step, self.steps_width(), false)?;
                let index = e.index(load.offset)?;
                let at = e.index_scalar(index);
                let bytes = e.code.int_k("arith.muli", at, self.side.layout.bytes);
                let offset = e.code.resize_u(bytes, Scalar::I32);
                let place = e.code.add_i(stage, place);
                direct::start(e, place, base, offset);
            }
        }
        moved.end(e);
        Ok(())
    }

    /// Steps of a piece.
    fn steps_width(&self) -> i64 {
        if self.side.along == Major::Steps { self.side.width } else { 1 }
    }

    pub fn is_async(&self) -> bool {
        matches!(self.side.copy, Copy::Async(_))
    }

    /// Starts the copies of a block into the stage at byte `stage`; nothing for operands that pass through registers.
    pub fn copy(
        &self,
        e: &mut Emitter<'_>,
        walk: &Walk,
        block: Value,
        (shared, stage): (Value, Value),
    ) -> Result<(), EmitError> {
        let Copy::Async(load) = self.side.copy else { return Ok(()) };
        e.lanes = 1;
        let position = walk.begin(e, block);
        let element = e.plan.buffers.get(load.buffer as usize).map(|b| b.element);
        let Some(element) = element else { return Err(e.malformed(format!("there is no buffer {}", load.buffer))) };
        let memory = e.memory_scalar(element)?;
        let bytes = self.side.width * self.side.layout.bytes;
        for (pieces, &place) in self.pieces.iter().zip(&self.places) {
            for piece in pieces {
                rebind(e, &piece.outputs);
                let mut condition = walk.bind(e, &position, piece.step, self.steps_width(), false)?;
                if let Some(mask) = load.mask {
                    let mask = e.eval(mask)?;
                    condition = Some(match condition {
                        Some(inside) => e.code.and(inside, mask),
                        None => mask,
                    });
                }
                let index = e.index(load.offset)?;
                let mut at = e.index_scalar(index);
                if let Some(condition) = condition {
                    let zero = e.code.int(at.ty, 0);
                    at = e.code.select(condition, at, zero);
                }
                let source = e.pointer(load.buffer, memory, at);
                let place = e.code.add_i(stage, place);
                let target = behind(&mut e.code, shared, place);
                start_copy(e, target, source, bytes, condition);
            }
        }
        Ok(())
    }

    /// Evaluates a block in registers: one vector a chunk, or the pieces of chunks that are yet to be transposed;
    /// nothing for operands that are copied.
    pub fn fetch(&self, e: &mut Emitter<'_>, walk: &Walk, block: Value) -> Result<Vec<Value>, EmitError> {
        if self.is_async() || self.is_direct() {
            return Ok(Vec::new());
        }
        let side = &self.side;
        let lanes = side.width > 1;
        e.lanes = side.width as u32;
        let mut position = walk.begin(e, block);
        let mut moved = None;
        if let (Reading::Chunks, Some(moves)) = (side.layout.reading, walk.moves(e, side.node)) {
            moved = Some(moves.begin(e, position.start)?);
            position.start = e.code.int(position.start.ty, 0);
        }
        let mut chunks = Vec::new();
        for pieces in &self.pieces {
            let mut parts = Vec::new();
            for piece in pieces {
                rebind(e, &piece.outputs);
                let along = lanes && side.along == Major::Steps;
                let inside = walk.bind(e, &position, piece.step, self.steps_width(), along)?;
                let value = e.eval(side.node)?;
                let raw = e.encode(side.element, value)?;
                let raw = e.code.spread(raw, side.width as u32);
                let raw = match inside {
                    Some(inside) => {
                        let zero = e.code.bits(raw.ty, 0);
                        e.code.select(inside, raw, zero)
                    }
                    None => raw,
                };
                parts.push(raw);
            }
            if side.transposed {
                chunks.extend(parts);
            } else {
                chunks.push(join(e, &parts));
            }
        }
        e.lanes = 1;
        if let Some(moved) = moved {
            moved.end(e);
        }
        Ok(chunks)
    }

    /// Chunks of steps, or parts of them, of the pieces of outputs that were fetched.
    fn turn(&self, e: &mut Emitter<'_>, fetched: &[Value]) -> Vec<Value> {
        let mut chunks = Vec::new();
        for pieces in fetched.chunks(self.side.transposed_steps as usize) {
            for output in 0..self.side.width as u32 {
                let steps: Vec<Value> = pieces.iter().map(|&piece| e.code.extract(piece, output)).collect();
                chunks.push(e.code.assemble(&steps));
            }
        }
        chunks
    }

    /// Writes what was fetched into the stage at byte `stage`.
    pub fn write(&self, e: &mut Emitter<'_>, fetched: &[Value], (shared, stage): (Value, Value)) {
        let transposed = if self.side.transposed { self.turn(e, fetched) } else { Vec::new() };
        let chunks = if self.side.transposed { &transposed } else { fetched };
        for (&value, &place) in chunks.iter().zip(&self.places) {
            let place = e.code.add_i(stage, place);
            let target = behind(&mut e.code, shared, place);
            let bytes = value.ty.scalar.bits() * value.ty.lanes / 8;
            let text =
                format!("llvm.store {value}, {target} {{alignment = {bytes} : i64}} : {}, {}", value.ty, target.ty);
            e.code.line(&text);
        }
    }
}

/// One vector of all parts.
fn join(e: &mut Emitter<'_>, parts: &[Value]) -> Value {
    if let [one] = parts {
        return *one;
    }
    let lanes: Vec<Value> = parts
        .iter()
        .flat_map(|&p| (0..p.ty.lanes).map(move |lane| (p, lane)))
        .map(|(p, l)| e.code.extract(p, l))
        .collect();
    e.code.assemble(&lanes)
}

fn piece(e: &mut Emitter<'_>, side: &Side, row: Value, along: Value, first: Value) -> Result<Piece, EmitError> {
    let layout = side.layout;
    let (output, step) = if layout.major == Major::Steps { (row, along) } else { (along, row) };
    let (output, step) = (e.code.resize_u(output, e.index), e.code.resize_u(step, e.index));
    let mut output = e.code.add_i(first, output);
    let width = if side.along == Major::Outputs { side.width } else { 1 };
    if !side.outputs.divides(layout.outputs) {
        // Outputs behind the last are computed from the last and not stored.
        let last = if side.outputs.is_sized() {
            let points = side.outputs.points(e)?;
            e.code.add_ik(points, -width)
        } else {
            e.code.int(output.ty, side.outputs.total - width)
        };
        output = e.code.binary("arith.minui", output, last);
    }
    let lanes = width > 1 && matches!(side.copy, Copy::Registers);
    e.lanes = if lanes { width as u32 } else { 1 };
    side.outputs.bind(e, output, width, lanes);
    e.lanes = 1;
    Ok(Piece { outputs: side.outputs.bindings(e), step })
}

/// Copies `bytes` bytes, or zeros where the condition is false.
fn start_copy(e: &mut Emitter<'_>, target: Value, source: Value, bytes: i64, condition: Option<Value>) {
    let cache = if bytes == CHUNK_BYTES { "cg" } else { "ca" };
    let size = condition.map(|c| {
        let (all, none) = (e.code.int(I32, bytes), e.code.int(I32, 0));
        e.code.select(c, all, none)
    });
    let (operand, ty) = size.map_or((String::new(), String::new()), |s| (format!(", {s}"), format!(", {}", s.ty)));
    let text = format!(
        "nvvm.cp.async.shared.global {target}, {source}, {bytes}, cache = {cache}{operand} : {}, {}{ty}",
        target.ty, source.ty
    );
    e.code.line(&text);
}

/// Closes the copies started so far into a group.
pub fn commit(e: &mut Emitter<'_>) {
    e.code.line("nvvm.cp.async.commit.group");
}

/// Waits until at most `open` groups of this thread are under way.
pub fn wait(e: &mut Emitter<'_>, open: u32) {
    e.code.line(&format!("nvvm.cp.async.wait.group {open}"));
}

/// An i32 constant as the byte of a stage.
pub fn byte(e: &mut Emitter<'_>, at: i64) -> Value {
    e.code.int(Ty::scalar(Scalar::I32), at)
}

//! Transposes of odd extents: rectangles in shared memory whose rows are shifted so that both sides move whole, aligned
//! vectors.
//!
//! Rows of an odd number of elements start anywhere: pieces of a rectangle's rows begin and end inside of memory
//! sectors, of which memory then writes parts, and no vector is aligned. Here the piece of every stored row is shifted
//! down to the multiple of `phase` elements before it (by how much depends on the row), so that it is whole sectors;
//! the rectangle holds `phase - 1` places more, which its neighbour reads too. Loads take the aligned vectors that
//! cover a piece. Vectors that stick out at the ends of rows go element by element.
//!
//! In shared memory a row is as far from the next as it is in memory, modulo a vector (or half of one, or a quarter):
//! what is aligned there is aligned here, so that vectors are written as they were loaded, whole or in such pieces.
//! Which pieces, which of such distances, and how many vectors of a stored row lie next to each other in a subgroup,
//! follows from the turns that shared memory then takes.
//!
//! Worked example, [8191, 8191] f32 to its transpose, 64 × 64, phase 8: stored row 5 starts at element 40,955 = 3 above
//! a multiple of 8; rectangle 2 stores its places 125…188 instead of 128…191, 16 vectors of 4; it has read the rows
//! 121…191 of the operand. These lie 71, 75, … elements apart in shared memory, as 8191 is 3 modulo 4.

use crate::transpose::schedule::TransposeSchedule;
use fornax_graph::ElementType;
use fornax_plan::{Access, Node, NodeId, Store, VarId};

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// Bytes of a vector, and of the smallest piece of one.
const VECTOR_BYTES: i64 = 16;
const PIECE_BYTES_MIN: i64 = 4;
/// Banks of shared memory, of 4 bytes; distances of rows that are compared.
const BANKS: i64 = 32;
const BANK_BYTES: i64 = 4;
const PITCHES: i64 = 8;
/// Vectors of a stored row next to each other in a subgroup: a sector of memory at least.
const ADJACENT: [i64; 4] = [16, 8, 4, 2];

struct Skewed<'a> {
    s: TransposeSchedule,
    last: VarId,
    load: NodeId,
    buffer: u32,
    offset: fornax_plan::IndexId,
    loaded: ElementType,
    memory: Scalar,
    store: &'a Store,
    /// Elements of a vector, loaded and stored, and from one row in shared memory to the next.
    lanes: [i64; 2],
    layout: Layout,
    /// First places of the rectangle along the loads' variable, and along the last one.
    tall: Value,
    wide: Value,
    /// Elements of shared memory before the first place of the rectangle's first row.
    before: Value,
    /// The cache keeps the operand's lines: of those at the rectangles' edges other workgroups read the rest.
    policy: Option<Value>,
}

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, stores: &[Store], s: TransposeSchedule) -> Result<(), EmitError> {
    let nodes = e.plan.crossing_loads(s.along);
    let (Some(&last), [load], [store]) = (e.plan.domain.last(), nodes.as_slice(), stores) else {
        return Err(e.malformed("a shifted rectangle of several loads or stores"));
    };
    let Node::Load { buffer, element, offset, mask: None } = *e.exprs.node(*load) else {
        return Err(e.malformed("a shifted rectangle of a load under a condition"));
    };
    let bytes = [element, e.exprs.element(store.value)].map(|ty| ty.storage_bytes().max(1) as i64);
    let lanes = bytes.map(|bytes| VECTOR_BYTES / bytes);
    let fits = [s.load_lanes, s.store_lanes].map(i64::from) == lanes
        && i64::from(s.height) % lanes[0] == 0
        && i64::from(s.width) % lanes[1] == 0
        && i64::from(s.phase) % lanes[1] == 0
        && s.along != last
        && e.plan.domain.contains(&s.along)
        && (1..=e.target.max_threads_per_block).contains(&s.threads)
        && lanes.iter().all(|&n| n > 1)
        && e.abi.is_gpu();
    if !fits {
        return Err(e.unfit("a shifted rectangle that does not fit its loop"));
    }
    let memory = e.memory_scalar(element)?;
    let strides = [(offset, last), (store.offset, s.along)].map(|(at, var)| e.exprs.indices.stride(at, var));
    let (Some(apart), across) = (strides[0], strides[1].unwrap_or(0)) else {
        return Err(e.unfit("a shifted rectangle of rows that lie unevenly"));
    };
    let most = i64::from(e.target.static_shared_bytes_max) / bytes[0];
    let rows = i64::from(s.width + s.phase - 1);
    // The last row may begin up to a vector later than the first.
    let layout = Turns { s, lanes, bytes: bytes[0], across }.best(apart, (most - lanes[0]) / rows);
    let array = e.abi.shared_array(&mut e.code, memory, (rows * layout.pitch + lanes[0]) as u64);
    let zero = e.code.int(e.index_ty(), 0);
    let mut skewed = Skewed {
        s,
        last,
        load: *load,
        buffer,
        offset,
        loaded: element,
        memory,
        store,
        lanes,
        layout,
        tall: zero,
        wide: zero,
        before: zero,
        policy: e.keeping().filter(|_| read_only(e, buffer)),
    };
    skewed.bind_rectangle(e)?;
    skewed.fill(e, array)?;
    e.abi.barrier(&mut e.code);
    skewed.store_all(e, array)
}

/// How rows lie in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    /// Elements from one row to the next.
    pitch: i64,
    /// Elements that are written at once: a divisor of a vector's.
    piece: i64,
    /// Vectors of a stored row that a subgroup takes, and as many rows as lanes are left for; 0: whole rows.
    adjacent: i64,
}

/// The turns of shared memory, by layout.
struct Turns {
    s: TransposeSchedule,
    lanes: [i64; 2],
    /// Bytes of an element in shared memory, elements between stored rows in memory.
    bytes: i64,
    across: i64,
}

impl Turns {
    /// The layout with the fewest turns among those of up to `most` elements a row, where rows lie `apart` elements
    /// apart in memory. A row takes those of the covering vectors, up to a vector less a piece before them, and as many
    /// more as the next row begins later in a piece.
    fn best(&self, apart: i64, most: i64) -> Layout {
        let n = self.lanes[0];
        let least = |piece: i64| i64::from(self.s.height) + 2 * n - piece + apart.rem_euclid(piece);
        let (vectors, rows) = (i64::from(self.s.width) / self.lanes[1], i64::from(self.s.height));
        let fits = |adjacent: &i64| vectors % adjacent == 0 && rows % (BANKS / adjacent) == 0;
        let pieces = (0..3).map(|half| n >> half).filter(|piece| piece * self.bytes >= PIECE_BYTES_MIN);
        let ways = pieces.flat_map(|piece| ADJACENT.into_iter().filter(fits).map(move |adjacent| (piece, adjacent)));
        let ways = ways.flat_map(|(piece, adjacent)| {
            (0..PITCHES).map(move |more| Layout { pitch: least(piece) + more * piece, piece, adjacent })
        });
        let found = ways.filter(|way| way.pitch <= most).min_by_key(|way| self.turns(way));
        found.unwrap_or(Layout { pitch: least(n), piece: n, adjacent: 0 })
    }

    /// Four times the turns of a subgroup that writes a vector a lane and reads one a lane.
    fn turns(&self, way: &Layout) -> i64 {
        // Lanes write at distances of a vector: of smaller pieces fewer lie in different banks.
        let written = 4 * 4 * self.lanes[0] / way.piece;
        written + self.lanes[1] * self.reading(way)
    }

    /// Turns for the first elements of a subgroup's vectors, the rows beginning in any of four places.
    fn reading(&self, way: &Layout) -> i64 {
        let (n, phase) = (self.lanes[1], i64::from(self.s.phase));
        let of_start = |start: i64| {
            let word = |number: i64| {
                let (row, vector) = (number / way.adjacent, number % way.adjacent);
                let skew = (start + row * self.across).rem_euclid(phase);
                ((vector * n - skew + phase - 1) * way.pitch + row) * self.bytes / BANK_BYTES
            };
            let words: std::collections::BTreeSet<i64> = (0..BANKS).map(word).collect();
            let in_bank = |bank| words.iter().filter(|word| word.rem_euclid(BANKS) == bank).count();
            (0..BANKS).map(in_bank).max().unwrap_or(0) as i64
        };
        (0..4).map(|quarter| of_start(quarter * phase / 4)).sum()
    }
}

impl Skewed<'_> {
    /// Binds the variables that have one value in the rectangle, and notes its first places along the others.
    fn bind_rectangle(&mut self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        let index = e.index;
        let mut rest = e.abi.workgroup_id(&mut e.code, index);
        let domain = e.plan.domain.clone();
        for (at, &var) in domain.iter().enumerate().rev() {
            let extent = e.exprs.indices.extent(var);
            let (step, covered) = if var == self.s.along {
                (i64::from(self.s.height), extent)
            } else if var == self.last {
                (i64::from(self.s.width), extent + i64::from(self.s.phase) - 1)
            } else {
                (1, extent)
            };
            let count = (covered + step - 1) / step;
            let number = if at == 0 { rest } else { e.next_digit(&mut rest, count) };
            let start = e.code.int_k("arith.muli", number, step);
            if var == self.s.along {
                self.tall = start;
            } else if var == self.last {
                self.wide = start;
            } else {
                e.bind(var, Some(start), 1, 0);
            }
        }
        let place = e.code.add_ik(self.wide, 1 - i64::from(self.s.phase));
        let start = self.loaded_start(e, place)?;
        let before = e.code.and_k(start, self.layout.piece - 1);
        self.before = e.code.add_ik(before, self.lanes[0] - self.layout.piece);
        Ok(())
    }

    /// The operand's element at the rectangle's first place along the loads' variable and at `place` along the last
    /// one.
    fn loaded_start(&self, e: &mut Emitter<'_>, place: Value) -> Result<Value, EmitError> {
        e.lanes = 1;
        e.bind(self.last, Some(place), 1, 0);
        e.bind(self.s.along, Some(self.tall), 1, 0);
        let index = e.index(self.offset)?;
        Ok(e.index_scalar(index))
    }

    /// The number of this thread's item `c` of `count`, and whether there is one.
    fn item(&self, e: &mut Emitter<'_>, c: i64, count: i64) -> (Value, Option<Value>) {
        let threads = i64::from(self.s.threads);
        let thread = e.abi.thread_id(&mut e.code);
        let thread = e.code.resize_u(thread, e.index);
        let number = e.code.add_ik(thread, c * threads);
        let partial = (c + 1) * threads > count;
        (number, partial.then(|| e.code.cmp_ik("ult", number, count)))
    }

    /// Reads aligned vectors over the rectangle's rows of the operand, all of them before anything is written.
    fn fill(&self, e: &mut Emitter<'_>, array: Value) -> Result<(), EmitError> {
        let n = self.lanes[0];
        let (vectors, rows) = (i64::from(self.s.height) / n + 1, i64::from(self.s.width + self.s.phase) - 1);
        let extents = [self.s.along, self.last].map(|v| e.exprs.indices.extent(v));
        let elements = e.plan.buffers.get(self.buffer as usize).map_or(0, |b| b.elements);
        let ty = Ty::vector(self.memory, n as u32);
        let zeros = e.code.bits(ty, 0);
        let mut read = Vec::new();
        for c in 0..(vectors * rows + i64::from(self.s.threads) - 1) / i64::from(self.s.threads) {
            let (number, exists) = self.item(e, c, vectors * rows);
            let row = e.code.int_k("arith.divui", number, vectors);
            let vector = e.code.int_k("arith.remui", number, vectors);
            let place = e.code.add_i(self.wide, row);
            let place = e.code.add_ik(place, 1 - i64::from(self.s.phase));
            let mut inside = e.code.cmp_ik("ult", place, extents[1]);
            if let Some(exists) = exists {
                inside = e.code.and(inside, exists);
            }
            let start = self.loaded_start(e, place)?;
            let skew = e.code.and_k(start, n - 1);
            let first = e.code.sub_i(start, skew);
            let along = e.code.int_k("arith.muli", vector, n);
            let at = e.code.add_i(first, along);
            // Where the vector starts, seen from the rectangle: some of the row is in it.
            let from = e.code.sub_i(along, skew);
            let begin = e.code.add_i(self.tall, from);
            let some = e.code.cmp_ik("slt", begin, extents[0]);
            inside = e.code.and(inside, some);
            let whole = e.code.cmp_ik("sle", at, elements - n);
            let loaded = e.code.begin_if(inside, &[ty]);
            let found = e.code.begin_if(whole, &[ty]);
            let vector = self.load_vector(e, at, ty);
            e.code.begin_else(&[vector]);
            let mut parts = Vec::new();
            for lane in 0..n {
                let own = e.code.add_ik(at, lane);
                let most = e.code.int(own.ty, elements - 1);
                let own = e.code.binary("arith.minsi", own, most);
                parts.push(self.load_one(e, own));
            }
            let parts = e.code.assemble(&parts);
            e.code.end_if(&[parts]);
            e.code.begin_else(&[found[0]]);
            e.code.end_if(&[zeros]);
            read.push((row, from, exists, loaded[0]));
        }
        for (row, from, exists, vector) in read {
            if let Some(exists) = exists {
                e.code.begin_if(exists, &[]);
            }
            let row = e.code.int_k("arith.muli", row, self.layout.pitch);
            let first = e.code.add_i(row, from);
            let first = e.code.add_i(self.before, first);
            self.write_shared(e, array, first, vector);
            if exists.is_some() {
                e.code.end_if(&[]);
            }
        }
        Ok(())
    }

    /// Writes a vector to shared memory from element `first` on, in pieces.
    fn write_shared(&self, e: &mut Emitter<'_>, array: Value, first: Value, vector: Value) {
        let (n, piece) = (self.lanes[0], self.layout.piece);
        let bytes = piece * i64::from(self.memory.bits() / 8);
        for at in (0..n).step_by(piece as usize) {
            let mut part = vector;
            if piece < n {
                let elements: Vec<_> = (at..at + piece).map(|lane| e.code.extract(vector, lane as u32)).collect();
                part = e.code.assemble(&elements);
            }
            let own = e.code.add_ik(first, at);
            let pointer = self.shared(e, array, own);
            let text =
                format!("llvm.store {part}, {pointer} {{alignment = {bytes} : i64}} : {}, {}", part.ty, pointer.ty);
            e.code.line(&text);
        }
    }

    fn load_vector(&self, e: &mut Emitter<'_>, at: Value, ty: Ty) -> Value {
        let pointer = e.pointer(self.buffer, self.memory, at);
        match self.policy {
            Some(policy) => e.load_kept(pointer, policy, ty),
            None => self.load_at(e, pointer, ty, VECTOR_BYTES),
        }
    }

    fn load_one(&self, e: &mut Emitter<'_>, at: Value) -> Value {
        let pointer = e.pointer(self.buffer, self.memory, at);
        self.load_at(e, pointer, Ty::scalar(self.memory), i64::from(self.memory.bits() / 8))
    }

    fn load_at(&self, e: &mut Emitter<'_>, pointer: Value, ty: Ty, alignment: i64) -> Value {
        let invariant = if read_only(e, self.buffer) { " invariant" } else { "" };
        let text = format!("llvm.load {pointer}{invariant} {{alignment = {alignment} : i64}} : {} -> {ty}", pointer.ty);
        e.code.effect(ty, &text)
    }

    /// Address of an element in shared memory.
    fn shared(&self, e: &mut Emitter<'_>, array: Value, at: Value) -> Value {
        e.code.pure(
            array.ty,
            format!(
                "llvm.getelementptr inbounds {array}[{at}] : ({}, {}) -> {}, {}",
                array.ty, at.ty, array.ty, self.memory
            ),
        )
    }

    /// Evaluates and stores the shifted pieces of the stored rows.
    fn store_all(&self, e: &mut Emitter<'_>, array: Value) -> Result<(), EmitError> {
        let (n, phase) = (self.lanes[1], i64::from(self.s.phase));
        let (vectors, rows) = (i64::from(self.s.width) / n, i64::from(self.s.height));
        let extents = [self.s.along, self.last].map(|v| e.exprs.indices.extent(v));
        for c in 0..(vectors * rows + i64::from(self.s.threads) - 1) / i64::from(self.s.threads) {
            let (number, exists) = self.item(e, c, vectors * rows);
            let (row, vector) = self.stored_item(e, number, vectors);
            let down = e.code.add_i(self.tall, row);
            let mut inside = e.code.cmp_ik("ult", down, extents[0]);
            if let Some(exists) = exists {
                inside = e.code.and(inside, exists);
            }
            e.lanes = 1;
            e.bind(self.s.along, Some(down), 1, 0);
            e.bind(self.last, Some(self.wide), 1, 0);
            let index = e.index(self.store.offset)?;
            let start = e.index_scalar(index);
            let skew = e.code.int_k("arith.remui", start, phase);
            let along = e.code.int_k("arith.muli", vector, n);
            let shifted = e.code.sub_i(along, skew);
            let place = e.code.add_i(self.wide, shifted);
            // Its first element in shared memory: row `phase - 1` there is the rectangle's first place.
            let line = e.code.add_ik(shifted, phase - 1);
            let line = e.code.int_k("arith.muli", line, self.layout.pitch);
            let first = e.code.add_i(line, row);
            let first = e.code.add_i(self.before, first);
            let starts = e.code.cmp_ik("sge", place, 0);
            let ends = e.code.cmp_ik("sle", place, extents[1] - n);
            let whole = e.code.and(starts, ends);
            e.code.begin_if(inside, &[]);
            e.code.begin_if(whole, &[]);
            self.store_vector(e, array, first, place)?;
            e.code.begin_else(&[]);
            self.store_each(e, array, first, (place, extents[1]))?;
            e.code.end_if(&[]);
            e.code.end_if(&[]);
        }
        Ok(())
    }

    /// Row and vector of an item that is stored.
    fn stored_item(&self, e: &mut Emitter<'_>, number: Value, vectors: i64) -> (Value, Value) {
        let (adjacent, mut rest) = (self.layout.adjacent, number);
        if adjacent == 0 {
            let row = e.code.int_k("arith.divui", number, vectors);
            return (row, e.code.int_k("arith.remui", number, vectors));
        }
        let deep = BANKS / adjacent;
        let (adjacent_at, row_at) = (e.next_digit(&mut rest, adjacent), e.next_digit(&mut rest, deep));
        let block = e.next_digit(&mut rest, vectors / adjacent);
        let (row, vector) = (e.code.int_k("arith.muli", rest, deep), e.code.int_k("arith.muli", block, adjacent));
        (e.code.add_i(row, row_at), e.code.add_i(vector, adjacent_at))
    }

    fn read_shared(&self, e: &mut Emitter<'_>, array: Value, at: Value) -> Value {
        let pointer = self.shared(e, array, at);
        let (bytes, ty) = (self.memory.bits() / 8, Ty::scalar(self.memory));
        e.code.effect(ty, &format!("llvm.load {pointer} {{alignment = {bytes} : i64}} : {} -> {ty}", pointer.ty))
    }

    fn store_vector(&self, e: &mut Emitter<'_>, array: Value, first: Value, place: Value) -> Result<(), EmitError> {
        let n = self.lanes[1];
        let mut parts = Vec::new();
        for lane in 0..n {
            let at = e.code.add_ik(first, lane * self.layout.pitch);
            parts.push(self.read_shared(e, array, at));
        }
        let raw = e.code.assemble(&parts);
        e.lanes = n as u32;
        e.bind_lanes(self.last, Some(place), 1, 0);
        let value = e.decode(self.loaded, raw)?;
        e.provide(self.load, value);
        let value = e.eval(self.store.value)?;
        let stored = e.exprs.element(self.store.value);
        let raw = e.encode(stored, value)?;
        let raw = e.code.spread(raw, e.lanes);
        let memory = e.memory_scalar(stored)?;
        let index = e.index(self.store.offset)?;
        let at = e.index_scalar(index);
        let pointer = e.pointer(self.store.buffer, memory, at);
        let text =
            format!("llvm.store {raw}, {pointer} {{alignment = {VECTOR_BYTES} : i64}} : {}, {}", raw.ty, pointer.ty);
        e.code.line(&text);
        Ok(())
    }

    /// The elements of a vector that lie inside.
    fn store_each(
        &self,
        e: &mut Emitter<'_>,
        array: Value,
        first: Value,
        (place, extent): (Value, i64),
    ) -> Result<(), EmitError> {
        e.lanes = 1;
        for lane in 0..self.lanes[1] {
            let own = e.code.add_ik(place, lane);
            let inside = e.code.cmp_ik("ult", own, extent);
            e.code.begin_if(inside, &[]);
            let at = e.code.add_ik(first, lane * self.layout.pitch);
            let raw = self.read_shared(e, array, at);
            e.bind(self.last, Some(own), 1, 0);
            let value = e.decode(self.loaded, raw)?;
            e.provide(self.load, value);
            let value = e.eval(self.store.value)?;
            e.store(self.store.buffer, self.store.offset, value)?;
            e.code.end_if(&[]);
        }
        Ok(())
    }
}

fn read_only(e: &Emitter<'_>, buffer: u32) -> bool {
    e.plan.buffers.get(buffer as usize).is_some_and(|b| b.access == Access::Read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(lanes: u32, across: i64) -> Turns {
        let along = VarId(0);
        let s = TransposeSchedule {
            along,
            load_lanes: lanes,
            store_lanes: lanes,
            height: 64,
            width: 128,
            threads: 256,
            phase: 2 * lanes,
            load_run: 1,
            store_run: 1,
        };
        Turns { s, lanes: [i64::from(lanes); 2], bytes: VECTOR_BYTES / i64::from(lanes), across }
    }

    #[test]
    fn rows_in_shared_memory_are_aligned_as_in_memory() {
        for lanes in [2, 4, 8, 16] {
            for (apart, across) in [(5003, 12001), (8191, 8191), (-7, 1001)] {
                let way = turns(lanes, across).best(apart, 200);
                let n = i64::from(lanes);
                assert!((way.pitch - apart) % way.piece == 0 && way.pitch >= 64 + 2 * n - way.piece, "{way:?}");
                assert!(n % way.piece == 0 && way.pitch <= 200, "{way:?}");
            }
        }
    }

    #[test]
    fn layouts_follow_the_banks() {
        let (some, same) = (turns(8, 12001), turns(8, 8191));
        let best = some.best(5003, 200);
        assert_eq!(
            (some.reading(&best), best.piece, best.adjacent),
            (4, 8, 8),
            "one turn from each start, 128 bytes a row"
        );
        // Elements that a subgroup reads lie at the same place of a vector each: vectors would be read in four turns.
        let best = same.best(8191, 200);
        assert!(best.piece < 8 && same.turns(&best) < 4 * 4 + 8 * 16, "{best:?}");
    }
}

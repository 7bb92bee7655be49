//! The main loop: a ring of stages in shared memory, filled ahead while warps multiply the present block.
//!
//! ```text
//! stages 0 … S-2 are filled
//! for every block k: wait for its copies; all threads meet; start filling block k + S - 1; multiply block k
//! ```
//!
//! With `ahead` the fragments of the next steps are read before the present ones are multiplied, those of the next
//! block's first steps as soon as all have met (`ahead`).
//!
//! The stage filled at step k is the one read at step k - 1, which every thread has left when all meet. Operands that
//! pass through registers are evaluated before the multiplications of a block and written after them, so that memory's
//! latency is hidden by them.

use crate::gemm_mma::schedule::MmaSchedule;
use fornax_plan::matrix::Lanes;

use super::fragment::Reader;
use super::layout::behind;
use super::stage;
use super::stage::{Chunks, Walk};
use fornax_emit::blocks::mma::{Multiplier, Parts};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::order::{in_order, loads_done, loads_first, local_reads_done};
use fornax_emit::text::{Scalar, Ty, Value};

/// Accumulator fragments of a warp up to which they are doubled.
const FEW_FRAGMENTS: usize = 4;
/// Lanes of a wave whose chip has MFMA; fragments of its tile from which it says how operands are read.
const MFMA_WAVE: u32 = 64;
const PARTS_MIN: usize = 8;
/// Blocks of a round of a loop by MFMA that has so many or more.
const ROUND: i64 = 4;
const LONG: i64 = 16;

/// What the main loop needs to know.
pub struct MainLoop<'a> {
    pub schedule: &'a MmaSchedule,
    pub walk: &'a Walk,
    pub multiplier: Multiplier,
    pub shared: Value,
    /// Rows, then columns.
    pub chunks: [Chunks; 2],
    pub readers: [Reader; 2],
    /// Accumulator fragments of a warp along rows and columns, and the type of an element.
    pub fragments: [usize; 2],
    pub accumulator: Scalar,
    /// Keep the largest magnitude of each operand.
    pub bounded: bool,
}

/// How a ring is filled.
pub(super) struct Ring {
    pub blocks: Value,
    /// Their number, where it is the same in every call.
    pub known: Option<i64>,
    /// Some of it by asynchronous copies.
    pub copies: bool,
}

/// What a thread has when the loop is done.
pub struct Sums {
    /// Accumulators by row fragment, column fragment, register.
    pub all: Vec<Value>,
    /// The largest magnitudes of rows and columns that the thread multiplied, where they are kept.
    pub largest: Vec<Value>,
}

/// Neighbouring pieces of one side.
pub(super) struct Pieces<'a, T> {
    /// The number of the first.
    pub first: usize,
    pub parts: &'a [T],
}

impl MainLoop<'_> {
    /// Emits the loop.
    pub fn emit(&self, e: &mut Emitter<'_>) -> Result<Sums, EmitError> {
        let stages = i64::from(self.schedule.stages);
        let known = self.walk.known_blocks();
        let blocks = self.walk.blocks(e)?;
        let index = e.index_ty();
        let copies = self.chunks.iter().any(Chunks::is_async);
        for at in 0..stages - 1 {
            let (block, start) = (e.code.int(index, at), stage::byte(e, at * self.stage_bytes()));
            match known {
                Some(blocks) if at >= blocks => {}
                Some(_) => self.fill(e, block, start)?,
                None => {
                    let some = e.code.cmp_i("ult", block, blocks);
                    e.code.begin_if(some, &[]);
                    self.fill(e, block, start)?;
                    e.code.end_if(&[]);
                }
            }
            if copies {
                stage::commit(e);
            }
        }
        let zero = self.zero(e);
        let each = self.fragments[0] * self.fragments[1] * self.multiplier.registers();
        let count = each * self.sets();
        let (read, write) = (stage::byte(e, 0), stage::byte(e, (stages - 1) * self.stage_bytes()));
        let mut inits = vec![read, write];
        inits.extend(vec![zero; count]);
        let none = e.code.bits(Ty::scalar(self.accumulator), 0);
        inits.extend(vec![none; if self.bounded { 2 } else { 0 }]);
        let ring = Ring { blocks, known, copies };
        let results =
            if self.schedule.ahead { self.blocks_ahead(e, inits, &ring)? } else { self.blocks(e, &inits, &ring)? };
        if copies {
            stage::wait(e, 0);
        }
        // The last block came once more, to where results pass.
        if self.chunks.iter().any(Chunks::is_direct) {
            loads_done(e);
        }
        e.abi.barrier(&mut e.code);
        let mut all = results[..each].to_vec();
        for set in results[each..count].chunks(each) {
            all = all.into_iter().zip(set).map(|(a, &b)| self.add(e, a, b)).collect();
        }
        Ok(Sums { all, largest: results[count..].to_vec() })
    }

    /// One block after another: sums and largest magnitudes from the places of the ring and what both start with.
    fn blocks(&self, e: &mut Emitter<'_>, inits: &[Value], ring: &Ring) -> Result<Vec<Value>, EmitError> {
        // A loop of few rounds would be none.
        let whole = |count: i64, most: i64| ring.known.is_some_and(|blocks| blocks % count == 0 && blocks >= most);
        let round = if self.is_mfma() && whole(ROUND, LONG) { ROUND } else { 2 };
        if whole(round, 0) && self.schedule.stages == 2 && self.multiplier.atom.row().lanes != Lanes::Quads {
            return self.rounds(e, &inits[2..], ring, round);
        }
        let index = e.index_ty();
        let (low, one) = (e.code.int(index, 0), e.code.int(index, 1));
        let open = e.code.begin_for(low, ring.blocks, one, inits);
        let (read, write) = (open.carried[0], open.carried[1]);
        self.meet(e, ring);
        let fetched = self.begin_next(e, open.iv, write, ring)?;
        let sums = self.multiply(e, read, open.carried[2..].to_vec());
        self.write_fetched(e, &fetched, write);
        let mut next = vec![self.advance(e, read), self.advance(e, write)];
        next.extend(sums);
        // Unrolled, a loop of few blocks would have the operands of all of them on their way in registers.
        let mut results = match self.schedule.atom.row().lanes {
            Lanes::Quads => e.code.end_for(open, &next),
            Lanes::Chunks { .. } => e.code.end_rolled_for(open, &next),
        };
        Ok(results.split_off(2))
    }

    /// An even number of blocks after each other, by turns in one stage and the other, whose places then are numbers in
    /// the instructions.
    fn rounds(&self, e: &mut Emitter<'_>, inits: &[Value], ring: &Ring, count: i64) -> Result<Vec<Value>, EmitError> {
        let index = e.index_ty();
        let (low, step) = (e.code.int(index, 0), e.code.int(index, count));
        let stages = [stage::byte(e, 0), stage::byte(e, self.stage_bytes())];
        let open = e.code.begin_for(low, ring.blocks, step, inits);
        let mut sums = open.carried.clone();
        for at in 0..count {
            let (read, write) = (stages[at as usize % 2], stages[(at + 1) as usize % 2]);
            let block = e.code.add_ik(open.iv, at);
            self.meet(e, ring);
            let fetched = self.begin_next(e, block, write, ring)?;
            sums = self.multiply(e, read, sums);
            self.write_fetched(e, &fetched, write);
        }
        Ok(e.code.end_for(open, &sums))
    }

    /// Waits until the next block to be read is staged for all threads.
    pub(super) fn meet(&self, e: &mut Emitter<'_>, ring: &Ring) {
        if ring.copies {
            stage::wait(e, self.schedule.stages - 2);
        }
        if self.chunks.iter().any(Chunks::is_direct) {
            loads_done(e);
        }
        e.abi.barrier(&mut e.code);
    }

    /// Stages what passed through registers.
    pub(super) fn write_fetched(&self, e: &mut Emitter<'_>, fetched: &[Vec<Value>; 2], write: Value) {
        in_order(e);
        // Copies to shared memory that are under way besides are waited for later.
        if self.is_mfma() && !self.chunks.iter().any(Chunks::is_direct) {
            loads_done(e);
        }
        for (chunks, fetched) in self.chunks.iter().zip(fetched) {
            chunks.write(e, fetched, (self.shared, write));
        }
    }

    /// Sets of accumulators, which take turns: an instruction waits for the one before it on the same accumulator, and
    /// few fragments leave it nothing else to do.
    fn sets(&self) -> usize {
        let depth = self.multiplier.atom.row().shape[2];
        let few = self.fragments[0] * self.fragments[1] <= FEW_FRAGMENTS;
        if few && self.schedule.steps / depth >= 2 && !self.multiplier.adds_apart() { 2 } else { 1 }
    }

    /// A register of sums with nothing in it.
    fn zero(&self, e: &mut Emitter<'_>) -> Value {
        e.code.bits(self.multiplier.sum_ty(self.accumulator), 0)
    }

    fn add(&self, e: &mut Emitter<'_>, a: Value, b: Value) -> Value {
        if self.accumulator.is_float() { e.code.add_f(a, b) } else { e.code.add_i(a, b) }
    }

    fn stage_bytes(&self) -> i64 {
        i64::from(self.schedule.stage_bytes())
    }

    /// Fills a stage at once.
    fn fill(&self, e: &mut Emitter<'_>, block: Value, start: Value) -> Result<(), EmitError> {
        for chunks in &self.chunks {
            chunks.copy(e, self.walk, block, (self.shared, start))?;
            chunks.begin_direct(e, self.walk, block, start)?;
            let fetched = chunks.fetch(e, self.walk, block)?;
            chunks.write(e, &fetched, (self.shared, start));
        }
        Ok(())
    }

    /// Starts the copies of the block that comes `stages - 1` later, and evaluates what passes through registers.
    pub(super) fn begin_next(
        &self,
        e: &mut Emitter<'_>,
        block: Value,
        write: Value,
        &Ring { blocks, known, copies }: &Ring,
    ) -> Result<[Vec<Value>; 2], EmitError> {
        let ahead = i64::from(self.schedule.stages) - 1;
        let mut fetched = [Vec::new(), Vec::new()];
        if known.is_none_or(|blocks| blocks > ahead) {
            let next = e.code.add_ik(block, ahead);
            if copies {
                let more = e.code.cmp_i("ult", next, blocks);
                e.code.begin_if(more, &[]);
                for chunks in &self.chunks {
                    chunks.copy(e, self.walk, next, (self.shared, write))?;
                }
                e.code.end_if(&[]);
            }
            // Past the end the last block is staged again, where nobody reads it.
            let last = e.code.add_ik(blocks, -1);
            let next = e.code.binary("arith.minui", next, last);
            for (chunks, fetched) in self.chunks.iter().zip(&mut fetched) {
                chunks.begin_direct(e, self.walk, next, write)?;
                *fetched = chunks.fetch(e, self.walk, next)?;
            }
        }
        if copies {
            stage::commit(e);
        }
        loads_first(e);
        Ok(fetched)
    }

    /// The byte of the next stage of the ring.
    pub(super) fn advance(&self, e: &mut Emitter<'_>, at: Value) -> Value {
        let next = e.code.add_ik(at, self.stage_bytes());
        let end = e.code.cmp_ik("eq", next, i64::from(self.schedule.stages) * self.stage_bytes());
        let zero = stage::byte(e, 0);
        e.code.select(end, zero, next)
    }

    /// Instructions along the steps of a block.
    pub(super) fn instructions(&self) -> i64 {
        i64::from(self.schedule.steps / self.multiplier.atom.row().shape[2])
    }

    /// All products of a staged block: sums and largest magnitudes before in, after out.
    fn multiply(&self, e: &mut Emitter<'_>, read: Value, mut state: Vec<Value>) -> Vec<Value> {
        let stage = behind(&mut e.code, self.shared, read);
        if let Some(parts) = self.row_parts() {
            for at in 0..self.instructions() {
                self.multiply_parts(e, stage, at, parts, &mut state);
            }
            return state;
        }
        for at in 0..self.instructions() {
            let rows = self.readers[0].read(e, stage, at);
            let left = self.rows_ready(e, &rows, &mut state);
            for first in (0..self.fragments[1]).step_by(self.readers[1].together()) {
                let columns = self.readers[1].read_some(e, stage, at, first);
                self.products(e, Pieces { first: 0, parts: &left }, Pieces { first, parts: &columns }, at, &mut state);
            }
        }
        state
    }

    fn is_mfma(&self) -> bool {
        self.multiplier.atom.dot().is_none() && self.multiplier.atom.wave() == MFMA_WAVE
    }

    /// Parts in which the rows of an instruction's steps are read, where that is not left to LLVM: as many as waits are
    /// cheap against their products.
    fn row_parts(&self) -> Option<usize> {
        let [rows, columns] = self.fragments;
        let wanted = if self.multiplier.atom.bytes() >= 4 { rows } else { 2 };
        let suits = self.is_mfma() && rows % wanted == 0 && rows * columns >= PARTS_MIN && !self.bounded;
        suits.then_some(wanted)
    }

    /// The products of the `at`-th instruction's steps: columns and the first part of the rows are read, then each part
    /// while the one before is multiplied, with one wait a part.
    fn multiply_parts(&self, e: &mut Emitter<'_>, stage: Value, at: i64, parts: usize, state: &mut Vec<Value>) {
        let [rows, columns] = self.fragments;
        let each = rows / parts;
        let right = self.readers[1].read_chunks(e, stage, at, 0..columns);
        let mut next = self.readers[0].read_chunks(e, stage, at, 0..each);
        for start in (0..rows).step_by(each) {
            local_reads_done(e);
            let end = (start + 2 * each).min(rows);
            let present = std::mem::replace(&mut next, self.readers[0].read_chunks(e, stage, at, start + each..end));
            let left = self.rows_ready(e, &present, state);
            let (left, right) = (Pieces { first: start, parts: &left }, Pieces { first: 0, parts: &right });
            self.products(e, left, right, at, state);
        }
    }

    /// Multiplicands of the rows of one instruction's steps.
    pub(super) fn rows_ready(&self, e: &mut Emitter<'_>, rows: &[Vec<Value>], state: &mut [Value]) -> Vec<Parts> {
        let left = rows.chunks(self.multiplier.units()).map(|u| self.multiplier.prepare(e, &interleave(u))).collect();
        self.fold_largest(e, state, 0, rows);
        left
    }

    /// Adds the products of the rows and the columns, for the `at`-th instruction's steps.
    pub(super) fn products(
        &self,
        e: &mut Emitter<'_>,
        rows: Pieces<'_, Parts>,
        columns: Pieces<'_, Vec<Value>>,
        at: i64,
        state: &mut Vec<Value>,
    ) {
        let right: Vec<_> = columns.parts.iter().map(|u| self.multiplier.prepare(e, u)).collect();
        self.fold_largest(e, state, 1, columns.parts);
        let registers = self.multiplier.registers();
        let zero = self.zero(e);
        let set = at as usize % self.sets();
        for (i, a) in rows.parts.iter().enumerate() {
            for (j, b) in right.iter().enumerate() {
                let row = set * self.fragments[0] + rows.first + i;
                let from = (row * self.fragments[1] + columns.first + j) * registers;
                let place = from..from + registers;
                let before = state[place.clone()].to_vec();
                let next = if self.multiplier.adds_apart() {
                    let part = self.multiplier.multiply(e, a, b, vec![zero; registers]);
                    before.into_iter().zip(part).map(|(sum, part)| e.code.add_f(sum, part)).collect()
                } else {
                    self.multiplier.multiply(e, a, b, before)
                };
                state.splice(place, next);
            }
        }
    }

    /// Keeps the largest magnitude of a side, where it is wanted: they come after the sums.
    fn fold_largest(&self, e: &mut Emitter<'_>, state: &mut [Value], side: usize, pieces: &[Vec<Value>]) {
        let sums = self.fragments[0] * self.fragments[1] * self.multiplier.registers() * self.sets();
        if let Some(most) = state.get_mut(sums + side) {
            *most = pieces.iter().flatten().fold(*most, |most, &r| larger(e, most, r));
        }
    }
}

/// The larger of a magnitude and that of a register's f32.
fn larger(e: &mut Emitter<'_>, most: Value, register: Value) -> Value {
    let value = e.code.bitcast(register, Scalar::F32);
    let magnitude = e.code.abs_f(value);
    e.code.binary("arith.maxnumf", most, magnitude)
}

/// Registers of some units, groups outside: what an instruction takes for its rows.
fn interleave(units: &[Vec<Value>]) -> Vec<Value> {
    let groups = units.first().map_or(0, Vec::len);
    (0..groups).flat_map(|group| units.iter().filter_map(move |u| u.get(group).copied())).collect()
}

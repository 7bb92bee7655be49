//! The main loop with fragments read ahead: while a warp multiplies the fragments of some steps, it reads those of the
//! next ones from shared memory, also where these belong to the next block.
//!
//! ```text
//! blocks 0 … S-2 are staged; wait for block 0; all meet; read the fragments of its first instruction
//! for every block k but the last: start filling block k + S - 1; for every instruction of the block:
//!     read the next one's fragments (before those of block k + 1: wait for it, all meet), multiply the present ones
//! the last block likewise, with nothing to fill or to wait for
//! ```
//!
//! When all meet in block k, the last fragments of block k are in registers, so the stage that is filled next, that of
//! block k, has no reader left. A warp has a block's multiplications before it when it comes out of a barrier: nothing
//! waits for shared memory.
//!
//! Worked example, f64, tile 64 × 64 × 16, 2 × 2 warps, instructions of 16 steps: a block is one instruction deep, 8
//! multiplications of 64 cycles, behind which 32 reads of the next block hide; 64 registers of sums, twice 64 of
//! fragments.

use super::layout::behind;
use super::main_loop::{MainLoop, Pieces, Ring};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// Registers of rows and columns of one instruction's steps, by unit, by group.
struct Fragments([Vec<Vec<Value>>; 2]);

impl Fragments {
    fn flat(&self) -> Vec<Value> {
        self.0.iter().flatten().flatten().copied().collect()
    }

    /// The same fragments in other values.
    fn with(&self, values: &[Value]) -> Fragments {
        let mut rest = values.iter().copied();
        let mut side = |pieces: &[Vec<Value>]| pieces.iter().map(|p| rest.by_ref().take(p.len()).collect()).collect();
        Fragments([side(&self.0[0]), side(&self.0[1])])
    }
}

impl MainLoop<'_> {
    /// All blocks: sums and largest magnitudes from the places of the ring and what both start with.
    pub(super) fn blocks_ahead(
        &self,
        e: &mut Emitter<'_>,
        mut inits: Vec<Value>,
        ring: &Ring,
    ) -> Result<Vec<Value>, EmitError> {
        let Some(blocks) = ring.known else { return Err(e.unfit("fragments are read ahead in loops of known length")) };
        let state = inits.len();
        self.meet(e, ring);
        let first = self.fragments_at(e, inits[0], 0);
        inits.extend(first.flat());
        let index = e.index_ty();
        let (low, high, one) = (e.code.int(index, 0), e.code.int(index, blocks - 1), e.code.int(index, 1));
        let open = e.code.begin_for(low, high, one, &inits);
        let carried = open.carried.clone();
        let (read, write) = (carried[0], carried[1]);
        let fetched = self.begin_next(e, open.iv, write, ring)?;
        let mut present = first.with(&carried[state..]);
        let mut sums = carried[2..state].to_vec();
        let after = self.advance(e, read);
        for at in 0..self.instructions() {
            let next = if at + 1 == self.instructions() {
                self.write_fetched(e, &fetched, write);
                self.meet(e, ring);
                self.fragments_at(e, after, 0)
            } else {
                self.fragments_at(e, read, at + 1)
            };
            self.multiply_fragments(e, &present, at, &mut sums);
            present = next;
        }
        let mut next = vec![after, self.advance(e, write)];
        next.extend(sums);
        next.extend(present.flat());
        let results = e.code.end_for(open, &next);
        let mut present = first.with(&results[state..]);
        let mut sums = results[2..state].to_vec();
        for at in 0..self.instructions() {
            let more = at + 1 < self.instructions();
            let next = more.then(|| self.fragments_at(e, results[0], at + 1));
            self.multiply_fragments(e, &present, at, &mut sums);
            present = next.unwrap_or(present);
        }
        Ok(sums)
    }

    fn fragments_at(&self, e: &mut Emitter<'_>, read: Value, at: i64) -> Fragments {
        let stage = behind(&mut e.code, self.shared, read);
        let rows = self.readers[0].read(e, stage, at);
        Fragments([rows, self.readers[1].read(e, stage, at)])
    }

    fn multiply_fragments(&self, e: &mut Emitter<'_>, present: &Fragments, at: i64, sums: &mut Vec<Value>) {
        let [rows, columns] = &present.0;
        let left = self.rows_ready(e, rows, sums);
        self.products(e, Pieces { first: 0, parts: &left }, Pieces { first: 0, parts: columns }, at, sums);
    }
}

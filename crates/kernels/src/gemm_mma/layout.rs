//! How a block of one operand lies in shared memory: rows along the steps or along the outputs, 16-byte chunks
//! permuted.
//!
//! A row holds the block's steps of one output (`Major::Steps`) or the tile's outputs at one step (`Major::Outputs`),
//! whichever way the operand is contiguous in memory. Chunk c of row r lies at place `c xor ((r >> shift & mask) <<
//! left)`, so that the eight rows that one fragment load touches lie in different banks.
//!
//! Where lanes read whole chunks (MFMA, WMMA), rows always lie along the steps and chunks in planes: chunk c of row r
//! lies at `c · plane + 16·(r + r/8)`, so that lanes with neighbouring outputs read neighbouring chunks, and threads
//! that write every eighth row meet other banks. Where blocks come to shared memory without passing through registers
//! (`direct`) they lie row by row again, permuted.
//!
//! Worked example: 128 × 32 bf16, rows of 64 bytes (4 chunks), shift 1, mask 3: rows 0…7 of chunk 0 lie at places 0, 0,
//! 1, 1, 2, 2, 3, 3; two rows share 128 bytes, so all eight are in different banks.

use fornax_plan::MatrixAtom;
use fornax_plan::matrix::Lanes;

use super::schedule;

use fornax_emit::text::{Code, Scalar, Ty, Value};

pub const I32: Ty = Ty::scalar(Scalar::I32);
/// Bytes of a chunk.
pub const CHUNK_BYTES: i64 = 16;

/// What runs along a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Major {
    Steps,
    Outputs,
}

/// How warps read fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// `ldmatrix`: 8 rows of 16 bytes at once, transposed where rows lie along the outputs.
    Matrix,
    /// One element a lane.
    Elements,
    /// A chunk a lane.
    Chunks,
}

/// Permutation of the chunks of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swizzle {
    shift: i64,
    mask: i64,
    left: i64,
}

/// One operand's block.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub major: Major,
    pub reading: Reading,
    /// Outputs of the tile and steps of the block.
    pub outputs: i64,
    pub steps: i64,
    /// Bytes of an element.
    pub bytes: i64,
    /// Bytes from the start of a stage.
    pub start: i64,
    pub swizzle: Swizzle,
    /// Bytes from a chunk of a row to the next one, where chunks lie in planes; else 0.
    pub plane: i64,
}

impl Layout {
    pub fn new(atom: MatrixAtom, has_ldmatrix: bool, major: Major, (outputs, steps): (i64, i64), start: i64) -> Layout {
        let bytes = i64::from(atom.bytes());
        if let Lanes::Chunks { .. } = atom.row().lanes {
            let plane = schedule::plane_bytes(outputs as u32, (steps * bytes / CHUNK_BYTES) as u32).into();
            let (reading, swizzle) = (Reading::Chunks, Swizzle::NONE);
            return Layout { major: Major::Steps, reading, outputs, steps, bytes, start, swizzle, plane };
        }
        let whole = bytes == 2 || bytes <= 4 && major == Major::Steps;
        let reading = if has_ldmatrix && whole { Reading::Matrix } else { Reading::Elements };
        let row_bytes = bytes * if major == Major::Steps { steps } else { outputs };
        let swizzle = Swizzle::new(reading, bytes, row_bytes);
        Layout { major, reading, outputs, steps, bytes, start, swizzle, plane: 0 }
    }

    /// The same block row by row, chunks permuted.
    pub fn in_rows(self) -> Layout {
        let swizzle = Swizzle::new(Reading::Matrix, self.bytes, self.row_bytes());
        Layout { swizzle, plane: 0, ..self }
    }

    pub fn row_elements(&self) -> i64 {
        match self.major {
            Major::Steps => self.steps,
            Major::Outputs => self.outputs,
        }
    }

    pub fn rows(&self) -> i64 {
        self.outputs * self.steps / self.row_elements()
    }

    pub fn row_bytes(&self) -> i64 {
        self.row_elements() * self.bytes
    }

    pub fn chunk_elements(&self) -> i64 {
        CHUNK_BYTES / self.bytes
    }

    /// Bytes between chunks of rows that are `rows`, a multiple of eight, apart; of four where the first is one of the
    /// first four of eight.
    pub fn rows_apart(&self, rows: i64) -> i64 {
        if self.plane > 0 { (rows + rows / 8) * CHUNK_BYTES } else { rows * self.row_bytes() }
    }

    /// Byte of a unit of elements (`column` counts them along the row), a chunk or a part of one, from the start of a
    /// stage.
    pub fn unit_place(&self, code: &mut Code, row: Value, column: Value, unit: i64) -> Value {
        let parts = self.chunk_elements() / unit;
        let chunk = if parts == 1 { column } else { code.int_k("arith.divui", column, parts) };
        let place = self.place(code, row, chunk);
        let place = code.add_ik(place, self.start);
        if parts == 1 {
            return place;
        }
        let part = code.int_k("arith.remui", column, parts);
        let part = code.int_k("arith.muli", part, unit * self.bytes);
        code.add_i(place, part)
    }

    /// Byte of a chunk (i32 row and chunk numbers) from the start of the block.
    pub fn place(&self, code: &mut Code, row: Value, chunk: Value) -> Value {
        if self.plane > 0 {
            let plane = code.int_k("arith.muli", chunk, self.plane);
            let eights = code.shr_uk(row, 3);
            let row = code.add_i(row, eights);
            let row = code.int_k("arith.muli", row, CHUNK_BYTES);
            return code.add_i(plane, row);
        }
        let permuted = self.swizzle.apply(code, row, chunk);
        let row = code.int_k("arith.muli", row, self.row_bytes());
        let chunk = code.int_k("arith.muli", permuted, CHUNK_BYTES);
        code.add_i(row, chunk)
    }
}

impl Swizzle {
    const NONE: Swizzle = Swizzle { shift: 0, mask: 0, left: 0 };

    fn new(reading: Reading, bytes: i64, row_bytes: i64) -> Swizzle {
        let chunks = row_bytes / CHUNK_BYTES;
        // Chunk numbers stay inside a row only where their permuted bits do.
        let whole = |mask: i64| chunks % (mask + 1) == 0;
        let none = Swizzle::NONE;
        let rows = [(0, 7), (1, 3), (2, 1)];
        if reading == Reading::Matrix || bytes < 4 {
            let fitting = rows.iter().find(|(_, mask)| whole(*mask));
            return fitting.map_or(none, |&(shift, mask)| Swizzle { shift, mask, left: 0 });
        }
        // Four rows of two chunks each are read at once.
        match () {
            () if whole(7) => Swizzle { shift: 0, mask: 3, left: 1 },
            // Two rows share 128 bytes.
            () if whole(3) => Swizzle { shift: 1, mask: 1, left: 1 },
            () => none,
        }
    }

    /// The place of a chunk of a row. Rows that differ by a multiple of eight are permuted alike.
    pub fn apply(&self, code: &mut Code, row: Value, chunk: Value) -> Value {
        if self.mask == 0 {
            return chunk;
        }
        let shifted = if self.shift == 0 { row } else { code.shr_uk(row, self.shift) };
        let bits = code.and_k(shifted, self.mask);
        let bits = if self.left == 0 { bits } else { code.shl_k(bits, self.left) };
        code.xor(chunk, bits)
    }
}

/// The address `bytes` (a value) behind a pointer.
pub fn behind(code: &mut Code, pointer: Value, bytes: Value) -> Value {
    let ty = pointer.ty;
    code.pure(ty, format!("llvm.getelementptr {pointer}[{bytes}] : ({ty}, {}) -> {ty}, i8", bytes.ty))
}

/// The address a constant number of bytes behind a pointer.
pub fn behind_k(code: &mut Code, pointer: Value, bytes: i64) -> Value {
    if bytes == 0 {
        return pointer;
    }
    let bytes = code.int(I32, bytes);
    behind(code, pointer, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permutation(swizzle: Swizzle, row: i64, chunk: i64) -> i64 {
        chunk ^ ((row >> swizzle.shift & swizzle.mask) << swizzle.left)
    }

    /// Every eight rows of one chunk, as `ldmatrix` reads them, touch all banks once.
    #[test]
    fn matrix_reads_have_no_conflicts() {
        for (atom, steps) in
            [(MatrixAtom::Bf16K16, 64), (MatrixAtom::Bf16K16, 32), (MatrixAtom::Tf32, 16), (MatrixAtom::F16K8, 16)]
        {
            let layout = Layout::new(atom, true, Major::Steps, (64, steps), 0);
            assert_eq!(layout.reading, Reading::Matrix);
            for chunk in 0..layout.row_bytes() / CHUNK_BYTES {
                let place =
                    |row: i64| (row * layout.row_bytes() / CHUNK_BYTES + permutation(layout.swizzle, row, chunk)) % 8;
                let mut banks: Vec<i64> = (0..8).map(place).collect();
                banks.sort_unstable();
                banks.dedup();
                assert_eq!(banks.len(), 8, "{atom:?} {steps}");
            }
        }
    }

    /// Permuted chunks stay in their row, also where its chunks are no power of two.
    #[test]
    fn chunks_stay_in_their_row() {
        for outputs in [16, 32, 48, 96, 128] {
            for atom in [MatrixAtom::Bf16K16, MatrixAtom::Tf32, MatrixAtom::F64] {
                let layout = Layout::new(atom, true, Major::Outputs, (outputs, 16), 0);
                let chunks = layout.row_bytes() / CHUNK_BYTES;
                for row in 0..16 {
                    let mut places: Vec<i64> = (0..chunks).map(|c| permutation(layout.swizzle, row, c)).collect();
                    places.sort_unstable();
                    assert_eq!(places, (0..chunks).collect::<Vec<_>>());
                }
            }
        }
    }
}

//! A square of bytes transposed in few registers: byte j of row i becomes byte i of row j.
//!
//! Bytes are interleaved within lanes of 16, as machines do it in one operation. With an element's place in its
//! register as a number of bits, an interleaving of two registers makes the bit that tells them apart the lowest of the
//! place, and the highest of the place (within 16) the bit that tells the results apart. So rows are put where they
//! end in order.
//!
//! Worked example: 16 rows, 4 registers of 64 bytes: row 4·l + 2·(k & 1) + (k >> 1) in lane l of register k. Eight
//! interleavings, then four permutations of the registers' parts of 4 bytes, each a square of 4 × 4 transposed.

use crate::emitter::Emitter;
use crate::text::Value;

/// Bytes that are interleaved by themselves.
const LANE: u32 = 16;
/// Registers of a square.
const REGISTERS: u32 = 4;
/// Bytes that a permutation of a register moves together.
const PART: u32 = 4;

/// Whether there is a way for squares of this side.
pub fn transposes_bytes(side: u32) -> bool {
    matches!(side, 8 | 16)
}

/// As many rows of bytes as each has (8 or 16): byte j of row i becomes byte i of row j.
pub fn transpose_bytes(e: &mut Emitter<'_>, rows: &[Value]) -> Vec<Value> {
    transpose(e, rows)
}

/// What is done with registers of bytes.
trait Bytes {
    type Register: Copy;

    /// Rows, one after another.
    fn join(&mut self, rows: &[Self::Register]) -> Self::Register;

    /// Bytes of two registers of `bytes` each; those of `b` are counted behind those of `a`.
    fn shuffle(&mut self, a: Self::Register, b: Self::Register, order: &[u32]) -> Self::Register;

    /// `count` bytes from `first` on.
    fn slice(&mut self, a: Self::Register, first: u32, count: u32) -> Self::Register;
}

impl Bytes for Emitter<'_> {
    type Register = Value;

    fn join(&mut self, rows: &[Value]) -> Value {
        self.code.join(rows)
    }

    fn shuffle(&mut self, a: Value, b: Value, order: &[u32]) -> Value {
        self.code.shuffle(a, b, order)
    }

    fn slice(&mut self, a: Value, first: u32, count: u32) -> Value {
        self.code.slice(a, first, count)
    }
}

fn transpose<B: Bytes>(b: &mut B, rows: &[B::Register]) -> Vec<B::Register> {
    let side = rows.len() as u32;
    let parts = side / REGISTERS;
    // The two bits of the register's number come last in the place, the lower one above the higher.
    let row = |register: u32, part: u32| match side {
        8 => 4 * (register & 1) + 2 * (register >> 1) + part,
        _ => 4 * part + 2 * (register & 1) + (register >> 1),
    };
    let bytes = side * parts;
    let mut joined = |register: u32| {
        let rows: Vec<B::Register> = (0..parts).map(|part| rows[row(register, part) as usize]).collect();
        b.join(&rows)
    };
    let registers = [joined(0), joined(1), joined(2), joined(3)];
    let mut halves = |x: B::Register, y: B::Register| {
        [0, 1].map(|half| {
            let order: Vec<u32> = (0..bytes)
                .map(|at| at / LANE * LANE + half * LANE / 2 + at % LANE / 2 + if at % 2 == 0 { 0 } else { bytes })
                .collect();
            b.shuffle(x, y, &order)
        })
    };
    let (first, second) = (halves(registers[0], registers[1]), halves(registers[2], registers[3]));
    // The highest bit of a byte's number tells these two apart, the next one their halves.
    let (low, high) = (halves(first[0], second[0]), halves(first[1], second[1]));
    let transposed = if side == 8 {
        // The rows' last bit is still among those of the place: low and high are of even and odd rows.
        let [a, b] = [halves(low[0], high[0]), halves(low[1], high[1])];
        [a[0], a[1], b[0], b[1]]
    } else {
        [low[0], low[1], high[0], high[1]].map(|register| {
            let order: Vec<u32> = (0..bytes).map(|at| at % LANE / PART * LANE + at / LANE * PART + at % PART).collect();
            b.shuffle(register, register, &order)
        })
    };
    let mut columns = Vec::with_capacity(side as usize);
    for register in transposed {
        columns.extend((0..parts).map(|part| b.slice(register, part * side, side)));
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::{Bytes, transpose, transposes_bytes};

    /// Registers of (row, byte), by their number.
    #[derive(Default)]
    struct Places(Vec<Vec<(u32, u32)>>);

    impl Places {
        fn put(&mut self, register: Vec<(u32, u32)>) -> usize {
            self.0.push(register);
            self.0.len() - 1
        }
    }

    impl Bytes for Places {
        type Register = usize;

        fn join(&mut self, rows: &[usize]) -> usize {
            let joined = rows.iter().flat_map(|&row| self.0[row].clone()).collect();
            self.put(joined)
        }

        fn shuffle(&mut self, a: usize, b: usize, order: &[u32]) -> usize {
            let both = [&self.0[a][..], &self.0[b][..]].concat();
            self.put(order.iter().map(|&at| both[at as usize]).collect())
        }

        fn slice(&mut self, a: usize, first: u32, count: u32) -> usize {
            let cut = self.0[a][first as usize..(first + count) as usize].to_vec();
            self.put(cut)
        }
    }

    #[test]
    fn rows_become_columns() {
        for side in (1..=64).filter(|&side| transposes_bytes(side)) {
            let mut places = Places::default();
            let rows: Vec<usize> =
                (0..side).map(|row| places.put((0..side).map(|byte| (row, byte)).collect())).collect();
            for (byte, column) in transpose(&mut places, &rows).into_iter().enumerate() {
                let wanted: Vec<(u32, u32)> = (0..side).map(|row| (row, byte as u32)).collect();
                assert_eq!(places.0[column], wanted, "{side} rows, byte {byte}");
            }
        }
    }
}

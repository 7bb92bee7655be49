//! `mma.sync` of sm_70: an instruction is four products of 8 × 8 × 4, each of a pair of quads (lanes 4q … 4q + 3 and
//! 16 + 4q …).
//!
//! The four are adjacent as 16 × 16: pairs 0 and 2 have the same rows, pairs 0 and 1 the same columns. In a product
//! lane i of eight holds row i and column i, four steps of each; so a lane reads the 16 bytes of one output, of which
//! two instructions multiply a half each. Rows of the first four lanes of a pair and of its other four are eight apart,
//! so that eight neighbouring lanes read eight neighbouring rows: 128 bytes, all banks. Source: PTX ISA, "Matrix
//! Fragments for mma.m8n8k4 with .f16 floating point type".
//!
//! Worked example: lane 22 is lane 2 + 4 of pair 1: row 4 + 2 + 8 = 14, column 0 + 2 + 8 = 10. Its result 3 (row 0 +
//! 2 + 4 of the pair, column 2 + 1) is row 4 + 2 + 8, column 0 + 3.

use crate::emitter::Emitter;
use crate::text::{Scalar, Ty, Value};

use super::atoms;

const SHAPE: [u32; 3] = [8, 8, 4];
/// Registers of a multiplicand of one instruction.
const REGISTERS: u32 = 2;

/// The row, else the column, of 16 that a lane reads.
pub fn output(e: &mut Emitter<'_>, lane: Value, rows: bool) -> Value {
    let far = e.code.shr_uk(lane, 4);
    let far = e.code.shl_k(far, 3);
    let near = if rows {
        e.code.and_k(lane, 7)
    } else {
        let inside = e.code.and_k(lane, 3);
        let pair = e.code.shr_uk(lane, 1);
        let pair = e.code.and_k(pair, 4);
        e.code.add_i(pair, inside)
    };
    e.code.add_i(far, near)
}

/// The row and column, of 16, of a lane's first result.
pub fn first_result(e: &mut Emitter<'_>, lane: Value) -> [Value; 2] {
    let (far, pair, odd) = (e.code.shr_uk(lane, 4), e.code.and_k(lane, 4), e.code.and_k(lane, 1));
    let far = e.code.shl_k(far, 3);
    let row = e.code.add_i(far, pair);
    let row = e.code.add_i(row, odd);
    let (pair, even) = (e.code.shr_uk(lane, 1), e.code.and_k(lane, 2));
    let pair = e.code.and_k(pair, 4);
    [row, e.code.add_i(pair, even)]
}

/// Rows and columns from the first result to pair `at` of neighbouring columns.
pub fn pair_distance(at: i64) -> [i64; 2] {
    [2 * (at & 1), 8 * (at >> 1)]
}

/// The multiplicands in the chunk that a lane has read, one for each instruction.
pub fn multiplicands(e: &mut Emitter<'_>, chunks: &[Value]) -> Vec<Value> {
    let halves = |e: &mut Emitter<'_>, chunk: Value, first: u32| {
        let registers: Vec<Value> = (first..first + REGISTERS).map(|at| e.code.extract(chunk, at)).collect();
        e.code.assemble(&registers)
    };
    let mut found = Vec::new();
    for &chunk in chunks {
        for first in (0..chunk.ty.lanes).step_by(REGISTERS as usize) {
            found.push(halves(e, chunk, first));
        }
    }
    found
}

/// `sums + a·b`, instruction by instruction.
pub fn multiply(e: &mut Emitter<'_>, a: &[Value], b: &[Value], sums: Value) -> Value {
    let mut parts: Vec<Value> = (0..sums.ty.lanes).map(|at| e.code.extract(sums, at)).collect();
    for (&a, &b) in a.iter().zip(b) {
        let registers =
            |e: &mut Emitter<'_>, v: Value| (0..v.ty.lanes).map(|at| e.code.extract(v, at)).collect::<Vec<_>>();
        let (a, b) = (registers(e, a), registers(e, b));
        parts = atoms::written_out(e, SHAPE, ["f16"; 2], [&a, &b, &parts]);
    }
    debug_assert_eq!(sums.ty, Ty::vector(Scalar::F32, parts.len() as u32));
    e.code.assemble(&parts)
}

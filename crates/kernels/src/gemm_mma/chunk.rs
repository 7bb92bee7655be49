//! Fragments of MFMA, WMMA and dot products: a lane reads whole chunks of the steps of one output.
//!
//! Instructions multiply K steps in parts that lanes hold: of 64 lanes and 16 outputs, four lanes have one output and a
//! quarter of the steps each. Which steps a part is does not matter as long as rows and columns agree, so a lane takes
//! 16 bytes next to each other, enough for one to four instructions.
//!
//! Worked example, MFMA 16 × 16 × 16 on f16, a block of 32 steps: lane 21 is output 5 and group 1: it reads chunk 1,
//! steps 8 to 15, of output 5; the first instruction multiplies steps 0…3, 8…11, 16…19, 24…27, the second one the
//! others.

use fornax_plan::MatrixAtom;
use fornax_plan::matrix::{AtomRow, Lanes};

use super::fragment::Reader;
use super::layout::{CHUNK_BYTES, I32, behind, behind_k};
use super::operand::Side;
use fornax_emit::blocks::mma::quad_pairs;
use fornax_emit::emitter::Emitter;
use fornax_emit::text::{Scalar, Ty, Value};

/// A chunk in registers.
pub const CHUNK: Ty = Ty { scalar: Scalar::I32, lanes: 4 };

/// Where lanes read a side, the rows or the columns; `first` is the warp's first output.
pub fn reader(e: &mut Emitter<'_>, side: &Side, first: Value, lane: Value, (atom, rows): (&AtomRow, bool)) -> Reader {
    let layout = side.layout;
    let outputs = i64::from(atom.shape[usize::from(!rows)]);
    let (groups, chunks) = match atom.lanes {
        Lanes::Chunks { groups, chunks, .. } => (i64::from(groups), i64::from(chunks)),
        Lanes::Quads => (1, 1),
    };
    let output = if atom.atom == MatrixAtom::F16K4 {
        quad_pairs::output(e, lane, rows)
    } else if rows && atom.atom.dot().is_some() {
        // Of dot products a lane is one output: neighbours are neighbouring columns.
        e.code.shr_uk(lane, i64::from(atom.shape[1].ilog2()))
    } else {
        e.code.and_k(lane, outputs - 1)
    };
    let row = e.code.add_i(first, output);
    let chunk = if groups == 1 {
        e.code.int(I32, 0)
    } else {
        let group = e.code.shr_uk(lane, i64::from(outputs.ilog2()));
        e.code.int_k("arith.muli", group, chunks)
    };
    // In planes one place does for all chunks; permuted ones have a place each.
    let count = if layout.plane > 0 { 1 } else { layout.row_bytes() / CHUNK_BYTES / groups };
    let places = (0..count)
        .map(|at| {
            let chunk = e.code.add_ik(chunk, at / chunks * groups * chunks + at % chunks);
            let place = layout.place(&mut e.code, row, chunk);
            e.code.add_ik(place, layout.start)
        })
        .collect();
    Reader {
        layout,
        units: side.warp_outputs() / outputs,
        unit_outputs: outputs,
        groups,
        chunks,
        outputs_first: true,
        places,
    }
}

/// The chunks of the `at`-th instructions' steps of one unit of outputs, from the stage at `stage` (a pointer).
pub fn read(e: &mut Emitter<'_>, reader: &Reader, stage: Value, at: i64, unit: i64) -> Vec<Value> {
    let layout = reader.layout;
    let chunks = reader.chunks;
    let rows = layout.rows_apart(unit * reader.unit_outputs);
    (0..chunks)
        .map(|chunk| {
            let (place, distance) = match layout.plane {
                0 => (at * chunks + chunk, rows),
                plane => (0, (at * reader.groups * chunks + chunk) * plane + rows),
            };
            let pointer = behind(&mut e.code, stage, reader.places[place as usize]);
            let pointer = behind_k(&mut e.code, pointer, distance);
            let text = format!("llvm.load {pointer} {{alignment = {CHUNK_BYTES} : i64}} : {} -> {CHUNK}", pointer.ty);
            e.code.effect(CHUNK, &text)
        })
        .collect()
}

//! Reading fragments of a staged block: for every 8 outputs and every chunk of steps, one register a lane.
//!
//! All instructions want the same thing of both operands: of 8 outputs × 4 registers' worth of steps, lane l has output
//! l/4, steps of register l mod 4. `ldmatrix` reads four such pieces at once from rows along the steps, and,
//! transposing 16-bit elements, from rows along the outputs; other elements are read one by one. Bytes are found from
//! one address a lane for each value that the permutation depends on; everything else is a constant distance.
//!
//! Worked example, bf16 rows along the steps, 64 outputs of a warp: per 16 steps four `ldmatrix` of 16 outputs, all at
//! constant distances (16 rows) from one address.

use std::ops::Range;

use fornax_plan::matrix::AtomRow;

use super::chunk;
use super::layout::{CHUNK_BYTES, I32, Layout, Major, Reading, behind, behind_k};
use super::operand::Side;
use fornax_emit::emitter::Emitter;
use fornax_emit::text::{Scalar, Ty, Value};

/// Outputs of one piece.
const UNIT: i64 = 8;
/// Steps of one piece where elements are read one by one.
const GROUP: i64 = 4;

/// Where a warp's lanes read a side.
pub struct Reader {
    pub(super) layout: Layout,
    /// Pieces along the outputs, and along the steps of one instruction.
    pub(super) units: i64,
    /// Outputs of a piece.
    pub(super) unit_outputs: i64,
    pub(super) groups: i64,
    /// Chunks that a lane reads of an output.
    pub(super) chunks: i64,
    /// Of the four pieces of an `ldmatrix`, neighbours are different outputs (else different steps): an instruction
    /// wants its registers in a row, and takes rows two units at a time, columns one.
    pub(super) outputs_first: bool,
    /// Bytes from the start of a stage, by what the permutation depends on: steps or outputs.
    pub(super) places: Vec<Value>,
}

impl Reader {
    /// `warp` is the warp's number along this side: the rows, else the columns, of `atom`.
    pub fn new(e: &mut Emitter<'_>, side: &Side, warp: Value, lane: Value, (atom, rows): (&AtomRow, bool)) -> Reader {
        let depth = i64::from(atom.shape[2]);
        let layout = side.layout;
        let units = side.warp_outputs() / UNIT;
        let first = e.code.int_k("arith.muli", warp, side.warp_outputs());
        let outputs_first = i64::from(atom.shape[usize::from(!rows)]) > UNIT;
        let mut reader =
            Reader { layout, units, unit_outputs: UNIT, groups: 1, chunks: 1, outputs_first, places: Vec::new() };
        match layout.reading {
            Reading::Matrix => {
                reader.groups = depth * layout.bytes / CHUNK_BYTES;
                reader.places = matrix_places(e, &reader, first, lane);
            }
            Reading::Chunks => return chunk::reader(e, side, first, lane, (atom, rows)),
            Reading::Elements => {
                reader.groups = depth / GROUP;
                reader.places = element_places(e, &reader, first, lane);
            }
        }
        reader
    }

    /// Fragments of the `at`-th instruction's steps of the stage at `stage` (a pointer): by unit, by group.
    pub fn read(&self, e: &mut Emitter<'_>, stage: Value, at: i64) -> Vec<Vec<Value>> {
        let mut pieces = vec![Vec::new(); self.units as usize];
        match self.layout.reading {
            Reading::Matrix => {
                let span = 4 / self.groups;
                for first in (0..self.units).step_by(span as usize) {
                    let pointer = self.matrix_pointer(e, stage, at, first / span, span);
                    let transposed = self.layout.major == Major::Outputs;
                    let registers = load_matrices(e, pointer, transposed);
                    for (number, register) in registers.into_iter().enumerate() {
                        let number = number as i64;
                        let unit = if self.outputs_first { number % span } else { number / self.groups };
                        if let Some(piece) = pieces.get_mut((first + unit) as usize) {
                            piece.push(register);
                        }
                    }
                }
            }
            Reading::Chunks => {
                for (unit, piece) in pieces.iter_mut().enumerate() {
                    piece.extend(chunk::read(e, self, stage, at, unit as i64));
                }
            }
            Reading::Elements => {
                for (unit, piece) in pieces.iter_mut().enumerate() {
                    piece.extend(self.unit(e, stage, at, unit as i64));
                }
            }
        }
        pieces
    }

    /// Units that are chunks, those of a range: by unit, by group.
    pub fn read_chunks(&self, e: &mut Emitter<'_>, stage: Value, at: i64, units: Range<usize>) -> Vec<Vec<Value>> {
        units.map(|unit| chunk::read(e, self, stage, at, unit as i64)).collect()
    }

    /// Units that are read before they are multiplied: all, but for f64, whose fragments would take all registers, one.
    pub fn together(&self) -> usize {
        if self.layout.bytes == 8 && self.layout.reading == Reading::Elements { 1 } else { self.units as usize }
    }

    /// The units from `first` on that are read together.
    pub fn read_some(&self, e: &mut Emitter<'_>, stage: Value, at: i64, first: usize) -> Vec<Vec<Value>> {
        if self.together() == self.units as usize {
            return self.read(e, stage, at);
        }
        vec![self.unit(e, stage, at, first as i64)]
    }

    /// One unit, element by element: by group.
    fn unit(&self, e: &mut Emitter<'_>, stage: Value, at: i64, unit: i64) -> Vec<Value> {
        (0..self.groups).map(|group| self.element(e, stage, unit, at * self.groups + group)).collect()
    }

    fn matrix_pointer(&self, e: &mut Emitter<'_>, stage: Value, at: i64, quad: i64, span: i64) -> Value {
        let row = self.layout.row_bytes();
        let (place, distance) = match self.layout.major {
            Major::Steps => (self.places[at as usize], quad * span * UNIT * row),
            Major::Outputs => (self.places[quad as usize], at * self.groups * UNIT * row),
        };
        let pointer = behind(&mut e.code, stage, place);
        behind_k(&mut e.code, pointer, distance)
    }

    fn element(&self, e: &mut Emitter<'_>, stage: Value, unit: i64, group: i64) -> Value {
        let row = self.layout.row_bytes();
        let (place, distance) = match self.layout.major {
            Major::Steps => (self.places[group as usize], unit * UNIT * row),
            Major::Outputs => (self.places[unit as usize], group * GROUP * row),
        };
        let pointer = behind(&mut e.code, stage, place);
        let pointer = behind_k(&mut e.code, pointer, distance);
        let bytes = self.layout.bytes;
        let ty = Ty::scalar(if bytes == 8 { Scalar::F64 } else { Scalar::I32 });
        e.code.effect(ty, &format!("llvm.load {pointer} {{alignment = {bytes} : i64}} : {} -> {ty}", pointer.ty))
    }
}

/// Addresses for `ldmatrix`: lanes 8i … 8i + 7 name the rows of matrix i.
fn matrix_places(e: &mut Emitter<'_>, reader: &Reader, first: Value, lane: Value) -> Vec<Value> {
    let layout = reader.layout;
    let span = 4 / reader.groups;
    let in_matrix = e.code.and_k(lane, UNIT - 1);
    let matrix = e.code.shr_uk(lane, 3);
    let (unit, group) = if reader.outputs_first {
        (e.code.and_k(matrix, span - 1), e.code.shr_uk(matrix, span.ilog2().into()))
    } else {
        (e.code.shr_uk(matrix, reader.groups.ilog2().into()), e.code.and_k(matrix, reader.groups - 1))
    };
    // A warp with fewer units than an instruction reads names the same rows again.
    let unit = if reader.units < span { e.code.and_k(unit, reader.units - 1) } else { unit };
    match layout.major {
        Major::Steps => {
            let unit_row = e.code.int_k("arith.muli", unit, UNIT);
            let row = e.code.add_i(first, in_matrix);
            let row = e.code.add_i(row, unit_row);
            (0..layout.row_bytes() / CHUNK_BYTES / reader.groups)
                .map(|at| {
                    let chunk = e.code.add_ik(group, at * reader.groups);
                    let place = layout.place(&mut e.code, row, chunk);
                    e.code.add_ik(place, layout.start)
                })
                .collect()
        }
        Major::Outputs => {
            let group_row = e.code.int_k("arith.muli", group, UNIT);
            let row = e.code.add_i(in_matrix, group_row);
            let chunk = e.code.int_k("arith.divui", first, layout.chunk_elements());
            let chunk = e.code.add_i(chunk, unit);
            (0..(reader.units / span).max(1))
                .map(|quad| {
                    let chunk = e.code.add_ik(chunk, quad * span);
                    let place = layout.place(&mut e.code, row, chunk);
                    e.code.add_ik(place, layout.start)
                })
                .collect()
        }
    }
}

/// Addresses of single elements: lane l reads output l/4, step l mod 4.
fn element_places(e: &mut Emitter<'_>, reader: &Reader, first: Value, lane: Value) -> Vec<Value> {
    let layout = reader.layout;
    let output = e.code.shr_uk(lane, 2);
    let output = e.code.add_i(first, output);
    let step = e.code.and_k(lane, GROUP - 1);
    let (count, row, along, distance) = match layout.major {
        Major::Steps => (layout.steps / GROUP, output, step, GROUP),
        Major::Outputs => (reader.units, step, output, UNIT),
    };
    (0..count)
        .map(|at| {
            let along = e.code.add_ik(along, at * distance);
            let chunk = e.code.int_k("arith.divui", along, layout.chunk_elements());
            let inside = e.code.int_k("arith.remui", along, layout.chunk_elements());
            let inside = e.code.int_k("arith.muli", inside, layout.bytes);
            let place = layout.place(&mut e.code, row, chunk);
            let place = e.code.add_i(place, inside);
            e.code.add_ik(place, layout.start)
        })
        .collect()
}

/// Four 8 × 8 matrices of 16-bit elements.
fn load_matrices(e: &mut Emitter<'_>, pointer: Value, transposed: bool) -> Vec<Value> {
    const STRUCT: &str = "!llvm.struct<(i32, i32, i32, i32)>";
    let layout = if transposed { "col" } else { "row" };
    let all = e.code.effect(
        I32,
        &format!(
            "nvvm.ldmatrix {pointer} {{num = 4 : i32, layout = #nvvm.mma_layout<{layout}>, \
             shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}} \
             : ({}) -> {STRUCT}",
            pointer.ty
        ),
    );
    (0..4).map(|at| e.code.pure(I32, format!("llvm.extractvalue {all}[{at}] : {STRUCT}"))).collect()
}

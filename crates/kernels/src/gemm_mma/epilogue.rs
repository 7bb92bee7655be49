//! From accumulators to results: a slab of rows at a time through shared memory, then whole vectors to the plan's
//! stores.
//!
//! Fragments lie scattered over lanes. Each row fragment of all warps is a slab: written to shared memory as it lies,
//! read back as runs of neighbouring columns, so that what the stores compute (bias, activation, residual) is computed
//! once a vector, and memory is read and written 16 bytes at a time.
//!
//! Worked example, tile 128 × 128 by 2 × 2 warps, bf16 result: 4 slabs of 2·16 rows, 32 × 136 floats each; a thread
//! reads 8 columns, adds 8 biases and stores 16 bytes, four times a slab.

use fornax_plan::matrix::Lanes;

use super::schedule::PADDING;
use crate::gemm_mma::schedule::MmaSchedule;
use fornax_plan::{MatrixAtom, Store};

use super::again::{Again, Doubt};
use super::axes::Axes;
use super::layout::behind;
use super::operand::Side;
use fornax_emit::blocks::mma::mfma;
use fornax_emit::blocks::mma::quad_pairs;
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// Vectors a thread works on without a loop.
const STRAIGHT_MAX: i64 = 4;

/// What the epilogue needs to know.
pub struct Epilogue<'a> {
    pub schedule: &'a MmaSchedule,
    pub shared: Value,
    pub thread: Value,
    pub lane: Value,
    /// The warp's place along rows and columns.
    pub warp: [Value; 2],
    /// The tile's first row and column.
    pub first: [Value; 2],
    pub axes: [Axes; 2],
    pub fragments: [usize; 2],
    pub registers: usize,
    pub accumulator: Scalar,
    /// How doubtful sums are computed again, and which are.
    pub again: Option<(Again, Doubt)>,
}

impl Epilogue<'_> {
    pub fn emit(&self, e: &mut Emitter<'_>, sums: &[Value]) -> Result<(), EmitError> {
        let each = self.fragments[1] * self.registers;
        for (slab, sums) in sums.chunks(each).enumerate() {
            if slab > 0 {
                e.abi.barrier(&mut e.code);
            }
            self.write(e, sums);
            e.abi.barrier(&mut e.code);
            self.store(e, slab as i64)?;
        }
        Ok(())
    }

    fn bytes(&self) -> i64 {
        i64::from(self.accumulator.bits() / 8)
    }

    /// Bytes from row to row of a slab.
    fn pitch(&self) -> i64 {
        i64::from(self.schedule.columns + PADDING) * self.bytes()
    }

    /// Rows of an instruction.
    fn fragment_rows(&self) -> i64 {
        i64::from(self.schedule.atom.row().shape[0])
    }

    fn columns_a_warp(&self) -> i64 {
        i64::from(self.schedule.columns / self.schedule.across)
    }

    fn write(&self, e: &mut Emitter<'_>, sums: &[Value]) {
        match self.schedule.atom.row().lanes {
            _ if self.schedule.atom == MatrixAtom::F16K4 => self.write_quad_pairs(e, sums),
            Lanes::Quads => self.write_pairs(e, sums),
            Lanes::Chunks { .. } => self.write_columns(e, sums),
        }
    }

    /// This thread's column of each fragment: every result alone, so that lanes write neighbouring columns.
    fn write_columns(&self, e: &mut Emitter<'_>, sums: &[Value]) {
        let n = i64::from(self.schedule.atom.row().shape[1]);
        let (apart, row_of) = mfma::result_rows(self.schedule.atom);
        let group = e.code.shr_uk(self.lane, i64::from(n.ilog2()));
        let row = e.code.int_k("arith.muli", group, apart);
        let column = e.code.and_k(self.lane, n - 1);
        let start = self.start(e, row, column);
        for (at, &fragment) in sums.iter().enumerate() {
            for result in 0..fragment.ty.lanes {
                let distance = row_of(i64::from(result)) * self.pitch() + at as i64 * n * self.bytes();
                let place = e.code.add_ik(start, distance);
                let pointer = behind(&mut e.code, self.shared, place);
                let value = e.code.extract(fragment, result);
                let text = format!(
                    "llvm.store {value}, {pointer} {{alignment = {} : i64}} : {}, {}",
                    self.bytes(),
                    value.ty,
                    pointer.ty
                );
                e.code.line(&text);
            }
        }
    }

    /// This thread's pairs of neighbouring columns.
    fn write_pairs(&self, e: &mut Emitter<'_>, sums: &[Value]) {
        let row = e.code.shr_uk(self.lane, 2);
        let pair = e.code.and_k(self.lane, 3);
        let column = e.code.shl_k(pair, 1);
        let start = self.start(e, row, column);
        for (at, fragment) in sums.chunks(self.registers).enumerate() {
            for (half, pair) in fragment.chunks(2).enumerate() {
                let value = e.code.assemble(pair);
                self.write_pair(e, start, [8 * half as i64, 8 * at as i64], value);
            }
        }
    }

    /// The same of quad pairs.
    fn write_quad_pairs(&self, e: &mut Emitter<'_>, sums: &[Value]) {
        let [row, column] = quad_pairs::first_result(e, self.lane);
        let start = self.start(e, row, column);
        let columns = i64::from(self.schedule.atom.row().shape[1]);
        for (at, &fragment) in sums.iter().enumerate() {
            for pair in 0..fragment.ty.lanes / 2 {
                let [down, across] = quad_pairs::pair_distance(i64::from(pair));
                let both = [e.code.extract(fragment, 2 * pair), e.code.extract(fragment, 2 * pair + 1)];
                let value = e.code.assemble(&both);
                self.write_pair(e, start, [down, at as i64 * columns + across], value);
            }
        }
    }

    /// The byte of a row and column of the warp's part of the slab.
    fn start(&self, e: &mut Emitter<'_>, row: Value, column: Value) -> Value {
        let above = e.code.int_k("arith.muli", self.warp[0], self.fragment_rows());
        let row = e.code.add_i(above, row);
        let before = e.code.int_k("arith.muli", self.warp[1], self.columns_a_warp());
        let column = e.code.add_i(before, column);
        let row = e.code.int_k("arith.muli", row, self.pitch());
        let column = e.code.int_k("arith.muli", column, self.bytes());
        e.code.add_i(row, column)
    }

    /// Writes two neighbouring columns, rows and columns from `start`.
    fn write_pair(&self, e: &mut Emitter<'_>, start: Value, [down, across]: [i64; 2], value: Value) {
        let place = e.code.add_ik(start, down * self.pitch() + across * self.bytes());
        let pointer = behind(&mut e.code, self.shared, place);
        let alignment = 2 * self.bytes();
        let text =
            format!("llvm.store {value}, {pointer} {{alignment = {alignment} : i64}} : {}, {}", value.ty, pointer.ty);
        e.code.line(&text);
    }

    /// Columns of a vector: neighbours in the last variable, 16 bytes of the narrowest result.
    fn lanes(&self, e: &Emitter<'_>) -> i64 {
        let stores = e.plan.body.stores();
        let element =
            |s: &Store| e.plan.buffers.get(s.buffer as usize).map(|b| b.element.storage_bytes().max(1) as i64);
        let narrowest = stores.iter().filter_map(element).min().unwrap_or(4);
        let mut lanes = (16 / narrowest).clamp(1, 8);
        while lanes > 1 && self.axes[1].inner_extent() % lanes != 0 {
            lanes /= 2;
        }
        lanes
    }

    /// The stores of a slab.
    fn store(&self, e: &mut Emitter<'_>, slab: i64) -> Result<(), EmitError> {
        let lanes = self.lanes(e);
        let threads = i64::from(self.schedule.threads());
        let items = i64::from(self.schedule.slab_rows()) * i64::from(self.schedule.columns) / lanes;
        let each = (items + threads - 1) / threads;
        if each <= STRAIGHT_MAX && self.again.is_none() {
            for at in 0..each {
                let item = e.code.add_ik(self.thread, at * threads);
                self.item(e, slab, item, lanes, items)?;
            }
            return Ok(());
        }
        let i32 = Ty::scalar(Scalar::I32);
        let together = if self.again.is_none() && each % 2 == 0 { 2 } else { 1 };
        let (high, step) = (e.code.int(i32, items), e.code.int(i32, threads * together));
        let open = e.code.begin_for(self.thread, high, step, &[]);
        for at in 0..together {
            let item = e.code.add_ik(open.iv, at * threads);
            self.item(e, slab, item, lanes, items)?;
        }
        e.code.end_for(open, &[]);
        Ok(())
    }

    /// One vector: `item` counts vectors of the slab, columns first.
    fn item(&self, e: &mut Emitter<'_>, slab: i64, item: Value, lanes: i64, items: i64) -> Result<(), EmitError> {
        let vectors = i64::from(self.schedule.columns) / lanes;
        let (slab_row, vector) = e.code.div_rem(item, vectors);
        let m = self.fragment_rows();
        let warp = e.code.int_k("arith.divui", slab_row, m);
        let row = e.code.int_k("arith.remui", slab_row, m);
        let warp = e.code.int_k("arith.muli", warp, i64::from(self.schedule.rows / self.schedule.down));
        let row = e.code.add_i(warp, row);
        let row = e.code.add_ik(row, slab * m);
        let column = e.code.int_k("arith.muli", vector, lanes);
        let place = e.code.int_k("arith.muli", slab_row, self.pitch());
        let across = e.code.int_k("arith.muli", column, self.bytes());
        let place = e.code.add_i(place, across);
        let (row, column) = (e.code.resize_u(row, e.index), e.code.resize_u(column, e.index));
        let (row, column) = (e.code.add_i(self.first[0], row), e.code.add_i(self.first[1], column));
        let mut condition = None;
        let threads = i64::from(self.schedule.threads());
        if items % threads != 0 {
            condition = Some(e.code.cmp_ik("ult", item, items));
        }
        let sizes = [self.schedule.rows, self.schedule.columns];
        for ((axes, size), at) in self.axes.iter().zip(sizes).zip([row, column]) {
            if !axes.divides(i64::from(size)) {
                let inside = if axes.is_sized() {
                    let points = axes.points(e)?;
                    e.code.cmp_i("ult", at, points)
                } else {
                    e.code.cmp_ik("ult", at, axes.total)
                };
                condition = Some(match condition {
                    Some(others) => e.code.and(others, inside),
                    None => inside,
                });
            }
        }
        if let Some(condition) = condition {
            e.code.begin_if(condition, &[]);
        }
        self.vector(e, place, [row, column], lanes)?;
        if condition.is_some() {
            e.code.end_if(&[]);
        }
        Ok(())
    }

    fn vector(&self, e: &mut Emitter<'_>, place: Value, at: [Value; 2], lanes: i64) -> Result<(), EmitError> {
        let ty = Ty::vector(self.accumulator, lanes as u32);
        let pointer = behind(&mut e.code, self.shared, place);
        let alignment = (lanes * self.bytes()).min(16);
        let sum = e
            .code
            .effect(ty, &format!("llvm.load {pointer} {{alignment = {alignment} : i64}} : {} -> {ty}", pointer.ty));
        e.lanes = lanes as u32;
        self.axes[0].bind(e, at[0], 1, false);
        self.axes[1].bind(e, at[1], lanes, lanes > 1);
        let sum = match &self.again {
            Some((again, doubt)) => again.mended(e, sum, *doubt)?,
            None => sum,
        };
        e.set_slot(Slot::Reduced(0), sum);
        let stores = e.plan.body.stores();
        let values = stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
        for (store, value) in stores.iter().zip(values) {
            e.store(store.buffer, store.offset, value)?;
        }
        e.lanes = 1;
        Ok(())
    }
}

/// Rows and columns of the epilogue are those of the sides.
pub fn axes(rows: &Side, columns: &Side) -> [Axes; 2] {
    [rows.outputs.clone(), columns.outputs.clone()]
}

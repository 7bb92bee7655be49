//! Rows of a piece that are copied to scratch before they are used: converted, masked, one behind the other.

use fornax_emit::emitter::Emitter;
use fornax_emit::text::{Ty, Value};

use super::emit::{Block, Emitted, POINTER, Panel, Piece, Place};

impl Panel<'_> {
    /// Where the copied rows of a tile of the block start, if rows are copied.
    pub(super) fn copied(&self, e: &mut Emitter<'_>, place: Place) -> Option<Value> {
        if !self.schedule.copy_rows {
            return None;
        }
        let each = self.scratch.pitch * self.bytes();
        let mut bytes = e.code.int_k("arith.muli", place.row, self.schedule.height() * each);
        bytes = e.code.add_ik(bytes, self.scratch.rows_at);
        if let Some(passed) = place.passed {
            let before = e.code.int_k("arith.muli", passed, each);
            bytes = e.code.add_i(bytes, before);
        }
        Some(self.scratch_pointer(e, bytes))
    }

    pub(super) fn copied_value(&self, e: &mut Emitter<'_>, rows: Value, row: i64, position: Option<Value>) -> Value {
        let ty = Ty::scalar(self.scalar);
        let position = position.unwrap_or_else(|| e.code.int(e.index_ty(), 0));
        let at = e.code.add_ik(position, row * self.scratch.pitch);
        let pointer = e.code.pure(
            POINTER,
            format!("llvm.getelementptr inbounds {rows}[{at}] : (!llvm.ptr, {}) -> !llvm.ptr, {ty}", at.ty),
        );
        let alignment = self.bytes();
        e.code.effect(ty, &format!("llvm.load {pointer} {{alignment = {alignment} : i64}} : !llvm.ptr -> {ty}"))
    }

    /// Copies the block's rows of a piece, in the accumulator's type.
    pub(super) fn copy_rows(&self, e: &mut Emitter<'_>, block: Block, piece: Piece) -> Emitted {
        e.each(block.rows, 1, &mut |e, tile| {
            let start = self.bind_start(e, tile)?;
            let row = e.code.sub_i(tile, block.rows.0);
            let Some(rows) = self.copied(e, Place { row, passed: None, column: row }) else { return Ok(()) };
            let ty = e.index_ty();
            let mut count = e.code.int(ty, start.rows);
            let open = self.open_row(e)?;
            if let Some((_, extent)) = open {
                // Whole tiles of the rest: their rows behind the last one are the last once more.
                let first = start.first(e);
                let left = e.code.sub_i(extent, first);
                let rest = self.rest();
                let rounded = e.code.add_ik(left, rest - 1);
                let parts = e.code.int_k("arith.divui", rounded, rest);
                let left = e.code.int_k("arith.muli", parts, rest);
                count = e.code.binary("arith.minsi", count, left);
            }
            let zero = e.code.int(ty, 0);
            e.each((zero, count), 1, &mut |e, number| {
                if let Some((var, _)) = self.schedule.row {
                    let row = match start.base {
                        None => number,
                        Some(base) => e.code.add_i(base, number),
                    };
                    match open {
                        Some(_) => self.bind_row(e, var, row, 0)?,
                        None => e.bind(var, Some(row), 1, 0),
                    }
                }
                let at = e.code.int_k("arith.muli", number, self.scratch.pitch);
                self.copy_row(e, self.first_inner, piece, rows, at)
            })
        })
    }

    /// Copies one row from element `at` of the copies on: vectors along the innermost variable, what is left over in
    /// scalars.
    fn copy_row(&self, e: &mut Emitter<'_>, level: usize, piece: Piece, rows: Value, at: Value) -> Emitted {
        let Some(&var) = self.reduction.get(level) else { return Ok(()) };
        let (ty, extent) = (e.index_ty(), e.exprs.indices.extent(var));
        let cut = level == self.first_inner;
        let (start, count) = (piece.start.filter(|_| cut), piece.count.filter(|_| cut));
        let high = count.unwrap_or_else(|| e.code.int(ty, extent));
        let zero = e.code.int(ty, 0);
        if level + 1 < self.reduction.len() {
            let inner: i64 = self.reduction[level + 1..].iter().map(|&v| e.exprs.indices.extent(v)).product();
            return e.each((zero, high), 1, &mut |e, step| {
                self.bind_step(e, var, start, step);
                let moved = e.code.int_k("arith.muli", step, inner);
                let at = e.code.add_i(at, moved);
                self.copy_row(e, level + 1, piece, rows, at)
            });
        }
        let lanes = i64::from(self.schedule.lanes);
        let whole = e.code.int_k("arith.divui", high, lanes);
        let whole = e.code.int_k("arith.muli", whole, lanes);
        let scratch_ty = self.scalar;
        let copy = |e: &mut Emitter<'_>, step: Value, lanes: u32| -> Emitted {
            e.lanes = lanes;
            let base = match start {
                None => step,
                Some(start) => e.code.add_i(start, step),
            };
            e.bind_lanes(var, Some(base), 1, 0);
            let value = e.eval(self.row_operand)?;
            let value = if lanes > 1 { e.code.spread(value, lanes) } else { value };
            let to = e.code.add_i(at, step);
            let pointer = e.code.pure(
                POINTER,
                format!("llvm.getelementptr inbounds {rows}[{to}] : (!llvm.ptr, {}) -> !llvm.ptr, {scratch_ty}", to.ty),
            );
            let alignment = self.bytes();
            e.code.line(&format!(
                "llvm.store {value}, {pointer} {{alignment = {alignment} : i64}} : {}, !llvm.ptr",
                value.ty
            ));
            Ok(())
        };
        e.each((zero, whole), lanes, &mut |e, step| copy(e, step, self.schedule.lanes))?;
        e.each((whole, high), 1, &mut |e, step| copy(e, step, 1))?;
        e.lanes = self.schedule.lanes;
        Ok(())
    }
}

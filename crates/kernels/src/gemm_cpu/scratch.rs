//! Where sums are in a thread's scratch while they wait for the next piece of a contraction.

use fornax_emit::emitter::Emitter;
use fornax_emit::text::{Ty, Value};

use super::emit::{POINTER, Panel, Place, Points};

impl Panel<'_> {
    pub(super) fn bytes(&self) -> i64 {
        i64::from(self.scalar.bits() / 8)
    }

    pub(super) fn alignment(&self) -> i64 {
        (i64::from(self.schedule.lanes) * self.bytes()).min(64)
    }

    /// A pointer into scratch, so many bytes from its start.
    pub(super) fn scratch_pointer(&self, e: &mut Emitter<'_>, bytes: Value) -> Value {
        e.code.pure(
            POINTER,
            format!("llvm.getelementptr inbounds %scratch[{bytes}] : (!llvm.ptr, {}) -> !llvm.ptr, i8", bytes.ty),
        )
    }

    /// Where the sums of a tile of the block are.
    pub(super) fn slot(&self, e: &mut Emitter<'_>, place: Place) -> Value {
        let s = self.schedule;
        let outer = e.code.int_k("arith.muli", place.column, i64::from(s.row_tiles));
        let number = e.code.add_i(outer, place.row);
        let mut bytes = e.code.int_k("arith.muli", number, s.height() * s.width() * self.bytes());
        if let Some(passed) = place.passed {
            let before = e.code.int_k("arith.muli", passed, s.width() * self.bytes());
            bytes = e.code.add_i(bytes, before);
        }
        self.scratch_pointer(e, bytes)
    }

    pub(super) fn sum_pointer(&self, e: &mut Emitter<'_>, slot: Value, at: usize) -> Value {
        let bytes = at as i64 * i64::from(self.schedule.lanes) * self.bytes();
        e.code.pure(POINTER, format!("llvm.getelementptr inbounds {slot}[{bytes}] : (!llvm.ptr) -> !llvm.ptr, i8"))
    }

    pub(super) fn load_sums(&self, e: &mut Emitter<'_>, slot: Value, points: &Points) -> Vec<Value> {
        let ty = Ty::vector(self.scalar, self.schedule.lanes);
        (0..points.rows.len() * points.columns.len())
            .map(|at| {
                let pointer = self.sum_pointer(e, slot, at);
                let alignment = self.alignment();
                e.code.effect(ty, &format!("llvm.load {pointer} {{alignment = {alignment} : i64}} : !llvm.ptr -> {ty}"))
            })
            .collect()
    }

    /// Sums start from zero.
    pub(super) fn clear(&self, e: &mut Emitter<'_>) {
        let ty = Ty::vector(self.scalar, self.schedule.lanes);
        let step = i64::from(self.schedule.lanes) * self.bytes();
        let s = self.schedule;
        let end = s.height() * s.width() * self.bytes() * i64::from(s.row_tiles) * i64::from(s.column_tiles);
        let index = e.index_ty();
        let zero = e.code.bits(ty, 0);
        let (low, high, by) = (e.code.int(index, 0), e.code.int(index, end), e.code.int(index, step));
        let open = e.code.begin_for(low, high, by, &[]);
        let pointer = self.scratch_pointer(e, open.iv);
        let alignment = self.alignment();
        e.code.line(&format!("llvm.store {zero}, {pointer} {{alignment = {alignment} : i64}} : {ty}, !llvm.ptr"));
        e.code.end_for(open, &[]);
    }
}

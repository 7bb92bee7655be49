//! CPU: values of a row's elements that one pass computes and later passes find again, in scratch or where a result
//! will be.
//!
//! Which these are `keep` says. A pass that computes one writes it after the fold's step, a later one reads it
//! before it evaluates anything.
//!
//! Worked example, softmax of [512, 1000] f32: the exponentials of a row, 4000 bytes, are written by the fold that adds
//! them up and read by the stores, at 4·place.

use crate::row::keep::Kept;

use super::emit::Row;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

impl Row<'_> {
    /// Where a kept value of the bound elements is in scratch.
    fn kept_pointer(&self, e: &mut Emitter<'_>, kept: &Kept) -> Result<Value, EmitError> {
        let ty = e.index_ty();
        let mut at = e.code.int(ty, 0);
        for &var in self.row {
            let binding = e.binding(var).ok_or_else(|| e.malformed("a row variable is not bound"))?;
            let base = binding.base.unwrap_or_else(|| e.code.int(ty, 0));
            let own = e.code.add_ik(base, binding.offset);
            let scaled = e.code.int_k("arith.muli", at, e.exprs.indices.extent(var));
            at = e.code.add_i(scaled, own);
        }
        if !self.across {
            at = e.code.int_k("arith.muli", at, i64::from(self.lanes));
        }
        let at = e.code.int_k("arith.muli", at, e.exprs.element(kept.node).storage_bytes() as i64);
        let at = e.code.add_ik(at, kept.bytes_at);
        let pointer = Ty::scalar(Scalar::Ptr(0));
        Ok(e.code
            .pure(pointer, format!("llvm.getelementptr inbounds %scratch[{at}] : (!llvm.ptr, {ty}) -> !llvm.ptr, i8")))
    }

    /// A last vector that overlaps the one before finds results where values were kept: they stay.
    pub(super) fn leave_finished(
        &self,
        e: &mut Emitter<'_>,
        valid: Value,
        values: &mut [Value],
    ) -> Result<(), EmitError> {
        let stores = e.plan.body.stores();
        for kept in &self.kept {
            let Some(store) = kept.store.and_then(|at| stores.get(at)) else { continue };
            for (element, value) in self.elements.iter().zip(values.iter_mut()) {
                if element.buffer == store.buffer {
                    let old = e.eval(kept.node)?;
                    *value = e.code.select(valid, *value, old);
                }
            }
        }
        Ok(())
    }

    /// Writes what this pass computed of the bound elements and later passes want.
    pub(super) fn keep(&self, e: &mut Emitter<'_>, pass: usize) -> Result<(), EmitError> {
        for kept in self.kept.iter().filter(|k| k.pass == pass) {
            let value = e.eval(kept.node)?;
            let value = e.code.spread(value, self.lanes);
            if let Some(store) = kept.store.and_then(|at| e.plan.body.stores().get(at)) {
                e.store(store.buffer, store.offset, value)?;
                continue;
            }
            let pointer = self.kept_pointer(e, kept)?;
            let alignment = value.ty.scalar.bits() / 8;
            let ty = value.ty;
            e.code.line(&format!("llvm.store {value}, {pointer} {{alignment = {alignment} : i64}} : {ty}, !llvm.ptr"));
        }
        Ok(())
    }

    /// Reads what an earlier pass kept of the bound elements.
    pub(super) fn find_kept(&self, e: &mut Emitter<'_>, pass: usize) -> Result<(), EmitError> {
        for kept in self.kept.iter().filter(|k| k.pass < pass) {
            if let Some(store) = kept.store.and_then(|at| e.plan.body.stores().get(at)) {
                let value = e.load(store.buffer, e.exprs.element(kept.node), store.offset, None)?;
                e.provide(kept.node, value);
                continue;
            }
            let ty = Ty::vector(e.register_scalar(e.exprs.element(kept.node))?, self.lanes);
            let pointer = self.kept_pointer(e, kept)?;
            let alignment = ty.scalar.bits() / 8;
            let load = format!("llvm.load {pointer} {{alignment = {alignment} : i64}} : !llvm.ptr -> {ty}");
            let value = e.code.effect(ty, &load);
            e.provide(kept.node, value);
        }
        Ok(())
    }
}

//! Arrays in shared memory through which threads exchange values: one array a value, a slot a thread.

use crate::emitter::Emitter;
use crate::text::{Scalar, Ty, Value};

/// The scalar that holds another in shared memory: truth values take a byte.
pub fn memory(scalar: Scalar) -> Scalar {
    if scalar == Scalar::I1 { Scalar::I8 } else { scalar }
}

fn shared_pointer(e: &mut Emitter<'_>, array: Value, slot: Value, ty: Ty) -> Value {
    let at = e.code.int_k("arith.muli", slot, i64::from(ty.lanes));
    e.code.pure(
        array.ty,
        format!("llvm.getelementptr inbounds {array}[{at}] : ({}, {}) -> {}, {}", array.ty, at.ty, array.ty, ty.scalar),
    )
}

/// The type of a value in shared memory: truth values take a byte.
fn shared_ty(value: Value) -> Ty {
    value.ty.with(memory(value.ty.scalar))
}

/// Writes one value an array at `slot`.
pub fn write_shared(e: &mut Emitter<'_>, arrays: &[Value], slot: Value, values: &[Value]) {
    for (&array, &value) in arrays.iter().zip(values) {
        let ty = shared_ty(value);
        let raw = e.code.resize_shared(value, ty.scalar);
        let pointer = shared_pointer(e, array, slot, ty);
        let bytes = ty.scalar.bits() / 8;
        let text = format!("llvm.store {raw}, {pointer} {{alignment = {bytes} : i64}} : {ty}, {}", pointer.ty);
        e.code.line(&text);
    }
}

/// Reads one value an array at `slot`, of the types of `like`.
pub fn read_shared(e: &mut Emitter<'_>, arrays: &[Value], slot: Value, like: &[Value]) -> Vec<Value> {
    let mut values = Vec::new();
    for (&array, &value) in arrays.iter().zip(like) {
        let ty = shared_ty(value);
        let pointer = shared_pointer(e, array, slot, ty);
        let bytes = ty.scalar.bits() / 8;
        let raw =
            e.code.effect(ty, &format!("llvm.load {pointer} {{alignment = {bytes} : i64}} : {} -> {ty}", pointer.ty));
        values.push(if value.ty.scalar == Scalar::I1 { e.code.cmp_ik("ne", raw, 0) } else { raw });
    }
    values
}

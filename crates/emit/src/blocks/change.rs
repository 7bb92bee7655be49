//! What a point of an update changes: elements of a buffer, where they are, by a store or an atomic instruction.
//!
//! Integers only, so that the order does not matter.

use fornax_graph::ElementType;
use fornax_plan::{Binary, NodeId, Store};
use fornax_targets::Backend;

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::text::{Scalar, Value};

/// What is to be done with every point.
pub struct Update<'a> {
    pub condition: NodeId,
    pub combine: Option<&'static str>,
    pub stores: &'a [Store],
}

/// The atomic instruction that combines elements, where there is one and its result does not depend on the order.
fn instruction(op: Binary, element: ElementType) -> Option<&'static str> {
    if !element.is_integer() || ![4, 8].contains(&element.storage_bytes()) {
        return None;
    }
    Some(match (op, element.is_unsigned()) {
        (Binary::Add, _) => "add",
        (Binary::And, _) => "_and",
        (Binary::Or, _) => "_or",
        (Binary::Xor, _) => "_xor",
        (Binary::Maximum, false) => "max",
        (Binary::Maximum, true) => "umax",
        (Binary::Minimum, false) => "min",
        (Binary::Minimum, true) => "umin",
        _ => return None,
    })
}

/// What the bound point changes, if its condition holds and so does `exists`.
pub fn point(
    e: &mut Emitter<'_>,
    (condition, combine): (NodeId, Option<Binary>),
    stores: &[Store],
    exists: Option<Value>,
) -> Result<(), EmitError> {
    let combine = instruction_of(e, combine, stores)?;
    let holds = e.eval(condition)?;
    let holds = exists.map_or(holds, |exists| e.code.and(exists, holds));
    Update { condition, combine, stores }.change(e, holds)
}

/// The atomic instruction that the stores need, if any.
pub fn instruction_of(
    e: &Emitter<'_>,
    combine: Option<Binary>,
    stores: &[Store],
) -> Result<Option<&'static str>, EmitError> {
    let element = stores.first().and_then(|s| e.plan.buffers.get(s.buffer as usize)).map(|b| b.element);
    match (combine, element) {
        (Some(op), Some(element)) if stores.len() == 1 => {
            Ok(Some(instruction(op, element).ok_or_else(|| e.unfit("no atomic instruction combines the elements"))?))
        }
        (Some(_), _) => Err(e.malformed("an update combines several values")),
        (None, _) => Ok(None),
    }
}

impl Update<'_> {
    /// Changes what the bound point changes, if it `holds`.
    pub fn change(&self, e: &mut Emitter<'_>, holds: Value) -> Result<(), EmitError> {
        e.code.begin_if(holds, &[]);
        let mut values = Vec::with_capacity(self.stores.len());
        for store in self.stores {
            values.push(e.eval(store.value)?);
        }
        for (store, value) in self.stores.iter().zip(values) {
            match self.combine {
                None => e.store(store.buffer, store.offset, value)?,
                Some(instruction) => combine(e, store, value, instruction)?,
            }
        }
        e.code.end_if(&[]);
        Ok(())
    }
}

fn combine(e: &mut Emitter<'_>, store: &Store, value: Value, instruction: &str) -> Result<(), EmitError> {
    let element = e.exprs.element(store.value);
    let memory = e.memory_scalar(element)?;
    let raw = e.encode(element, value)?;
    let index = e.index(store.offset)?;
    let at = e.index_scalar(index);
    let pointer = e.pointer(store.buffer, memory, at);
    let scope = if e.target.backend == Backend::Cuda { " syncscope(\"device\")" } else { "" };
    let (from, ty) = (pointer.ty, raw.ty);
    debug_assert!(matches!(ty.scalar, Scalar::I32 | Scalar::I64));
    e.code.effect(ty, &format!("llvm.atomicrmw {instruction} {pointer}, {raw}{scope} monotonic : {from}, {ty}"));
    Ok(())
}

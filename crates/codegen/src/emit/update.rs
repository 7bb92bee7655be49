//! `Body::Update`: points that change elements of a buffer where they are.
//!
//! Every point whose condition holds stores into a buffer that another kernel filled. With a combiner its value is combined with what is
//! there by an atomic instruction: integers only, so that the order does not matter. Without one no two points go to the same place,
//! and a plain store does; what it stores may read what was there. Threads evaluate the values of all their points before they change
//! anything, so that many loads are under way.
//!
//! Worked example: 2^20 updates i32 added into 2^20 places: 256 threads, 4 points each, 1024 workgroups; a thread loads 4 places and
//! 4 values at a distance of 256, and does 4 atomic additions.

use fornax_graph::ElementType;
use fornax_plan::{Binary, LoopSchedule, NodeId, Store};
use fornax_targets::Backend;

use super::emitter::Emitter;
use super::text::{Scalar, Value};
use crate::errors::EmitError;

/// What is to be done with every point.
struct Update<'a> {
    condition: NodeId,
    combine: Option<&'static str>,
    stores: &'a [Store],
}

/// Emits the body.
pub fn emit(
    e: &mut Emitter<'_>,
    (condition, combine): (NodeId, Option<Binary>),
    stores: &[Store],
    s: LoopSchedule,
) -> Result<(), EmitError> {
    if s.vector != 1 || s.threads == 0 || s.items_per_thread == 0 || s.threads > e.target.max_threads_per_block {
        return Err(e.unfit("an update in vectors, or without threads or points"));
    }
    let combine = instruction_of(e, combine, stores)?;
    let update = Update { condition, combine, stores };
    let total = e.plan.loop_items(1);
    if total == 0 {
        return Ok(());
    }
    if e.abi.is_gpu() { update.gpu(e, s, total) } else { update.cpu(e, s, total) }
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
pub(super) fn point(
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
fn instruction_of(
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
    fn gpu(&self, e: &mut Emitter<'_>, s: LoopSchedule, total: u64) -> Result<(), EmitError> {
        let (threads, each) = (i64::from(s.threads), i64::from(s.items_per_thread));
        let index = e.index;
        let group = e.abi.workgroup_id(&mut e.code, index);
        let thread = e.abi.thread_id(&mut e.code);
        let thread = e.code.resize_u(thread, index);
        let start = e.code.int_k("arith.muli", group, threads * each);
        let first = e.code.add_i(start, thread);
        let mut ready = Vec::new();
        for j in 0..each {
            let mut point = e.code.add_ik(first, j * threads);
            let mut exists = None;
            if !total.is_multiple_of((threads * each) as u64) {
                exists = Some(e.code.cmp_ik("ult", point, total as i64));
                let last = e.code.int(point.ty, total as i64 - 1);
                point = e.code.binary("arith.minui", point, last);
            }
            self.bind(e, point);
            let bound: Vec<_> = e.plan.domain.iter().filter_map(|&v| Some((v, e.binding(v)?))).collect();
            let holds = e.eval(self.condition)?;
            let holds = exists.map_or(holds, |exists| e.code.and(exists, holds));
            if self.combine.is_some() {
                for store in self.stores {
                    e.eval(store.value)?;
                }
            }
            ready.push((bound, holds));
        }
        for (bound, holds) in ready {
            for (var, binding) in bound {
                e.rebind(var, binding);
            }
            self.change(e, holds)?;
        }
        Ok(())
    }

    fn cpu(&self, e: &mut Emitter<'_>, s: LoopSchedule, total: u64) -> Result<(), EmitError> {
        let ty = e.index_ty();
        let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
        let (low, high) = e.share_of_workgroup(group, i64::from(s.items_per_thread), total as i64);
        let one = e.code.int(ty, 1);
        let open = e.code.begin_for(low, high, one, &[]);
        self.bind(e, open.iv);
        let holds = e.eval(self.condition)?;
        self.change(e, holds)?;
        e.code.end_for(open, &[]);
        Ok(())
    }

    /// Binds the domain's variables from a point's number.
    fn bind(&self, e: &mut Emitter<'_>, number: Value) {
        e.lanes = 1;
        let mut rest = number;
        let domain = e.plan.domain.clone();
        for (at, &var) in domain.iter().enumerate().rev() {
            let extent = e.exprs.indices.extent(var);
            let own = if at == 0 { rest } else { e.next_digit(&mut rest, extent) };
            e.bind(var, Some(own), 1, 0);
        }
    }

    /// Changes what the bound point changes, if it `holds`.
    fn change(&self, e: &mut Emitter<'_>, holds: Value) -> Result<(), EmitError> {
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

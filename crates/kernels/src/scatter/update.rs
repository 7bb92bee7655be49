//! `Body::Update`: points that change elements of a buffer where they are.
//!
//! Every point whose condition holds stores into a buffer that another kernel filled. With a combiner its value is
//! combined with what is there by an atomic instruction: integers only, so that the order does not matter. Without one
//! no two points go to the same place, and a plain store does; what it stores may read what was there. Threads evaluate
//! the values of all their points before they change anything, so that many loads are under way. Points whose places
//! lie side by side, and which are changed or left together, go in vectors: rows of a cache, at a position.
//!
//! Worked example: 2^20 updates i32 added into 2^20 places: 256 threads, 4 points each, 1024 workgroups; a thread loads
//! 4 places and 4 values at a distance of 256, and does 4 atomic additions.

use crate::loop_schedule::LoopSchedule;
use fornax_plan::{Binary, NodeId, Store};

use fornax_emit::blocks::change::{Update, instruction_of};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// Emits the body.
pub fn emit(
    e: &mut Emitter<'_>,
    (condition, combine): (NodeId, Option<Binary>),
    stores: &[Store],
    s: LoopSchedule,
) -> Result<(), EmitError> {
    let extent = e.plan.domain.last().map_or(1, |&last| e.exprs.indices.extent(last));
    if s.vector == 0 || s.threads == 0 || s.items_per_thread == 0 || s.threads > e.target.max_threads_per_block {
        return Err(e.unfit("an update without threads or points"));
    }
    if s.vector > 1 && (combine.is_some() || !e.abi.is_gpu() || extent % i64::from(s.vector) != 0) {
        return Err(e.unfit("an update in vectors that combines, that they do not divide, or of a processor"));
    }
    let combine = instruction_of(e, combine, stores)?;
    let update = Update { condition, combine, stores };
    let total = e.plan.loop_items(s.vector);
    if total == 0 {
        return Ok(());
    }
    if e.abi.is_gpu() { gpu(&update, e, s, total) } else { cpu(&update, e, s, total) }
}

fn gpu(update: &Update<'_>, e: &mut Emitter<'_>, s: LoopSchedule, total: u64) -> Result<(), EmitError> {
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
        bind(e, point, s.vector);
        let bound: Vec<_> = e.plan.domain.iter().filter_map(|&v| Some((v, e.binding(v)?))).collect();
        let holds = e.eval(update.condition)?;
        if holds.ty.is_vector() {
            return Err(e.unfit("an update in vectors that are changed in part"));
        }
        let holds = exists.map_or(holds, |exists| e.code.and(exists, holds));
        if update.combine.is_some() {
            for store in update.stores {
                e.eval(store.value)?;
            }
        }
        ready.push((bound, holds));
    }
    for (bound, holds) in ready {
        for (var, binding) in bound {
            e.rebind(var, binding);
        }
        update.change(e, holds)?;
    }
    Ok(())
}

fn cpu(update: &Update<'_>, e: &mut Emitter<'_>, s: LoopSchedule, total: u64) -> Result<(), EmitError> {
    let ty = e.index_ty();
    let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
    let (low, high) = e.share_of_workgroup(group, i64::from(s.items_per_thread), total as i64);
    let one = e.code.int(ty, 1);
    let open = e.code.begin_for(low, high, one, &[]);
    bind(e, open.iv, 1);
    let holds = e.eval(update.condition)?;
    update.change(e, holds)?;
    e.code.end_for(open, &[]);
    Ok(())
}

/// Binds the domain's variables from the number of a point, or of a vector of points along the last one.
fn bind(e: &mut Emitter<'_>, number: Value, vector: u32) {
    e.lanes = vector;
    let (mut rest, lanes) = (number, i64::from(vector));
    let domain = e.plan.domain.clone();
    for (at, &var) in domain.iter().enumerate().rev() {
        let in_vectors = if at + 1 == domain.len() { lanes } else { 1 };
        let extent = e.exprs.indices.extent(var) / in_vectors;
        let own = if at == 0 { rest } else { e.next_digit(&mut rest, extent) };
        if in_vectors > 1 {
            let base = e.code.int_k("arith.muli", own, in_vectors);
            e.bind_lanes(var, Some(base), in_vectors, 0);
        } else {
            e.bind(var, Some(own), 1, 0);
        }
    }
}

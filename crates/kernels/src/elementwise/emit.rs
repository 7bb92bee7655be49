//! `Body::Loop`: every point of the domain once, lanes along the last variable.
//!
//! GPU: item number = workgroup · threads · items_per_thread + j · threads + thread, so that neighbouring threads touch
//! neighbouring memory. Workgroups whose items are all whole take a path without guards, in which the loads of a
//! thread's items come before their stores; the others guard every item, and a last item with fewer elements than lanes
//! goes element by element. CPU: a workgroup's items are a range of consecutive ones, walked row by row; where the last
//! extent is not a multiple of the lanes, the last vector of a row starts earlier and overlaps its neighbour, computing
//! the same values.
//!
//! Worked example: 15,999,999 f32 (4001×3999 collapsed), vector 4, 256 threads, 2 items a thread: 4,000,000 items, 2048
//! elements a workgroup; workgroups 0…7811 are whole, number 7812 guards its items, and item 3,999,999 stores 3
//! elements.

use crate::loop_schedule::LoopSchedule;
use fornax_plan::Store;

use super::squares;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, stores: &[Store], schedule: LoopSchedule) -> Result<(), EmitError> {
    let total = e.plan.loop_items(schedule.vector.max(1));
    if total == 0 {
        return Ok(());
    }
    if schedule.vector == 0 || schedule.threads == 0 || schedule.items_per_thread == 0 {
        return Err(e.unfit("a loop schedule has a zero in it"));
    }
    if schedule.threads > e.target.max_threads_per_block {
        return Err(e.unfit(format!("{} threads in a workgroup", schedule.threads)));
    }
    if !e.abi.is_gpu()
        && let Some(squares) = squares::find(e, stores)
    {
        return squares::emit(e, stores, schedule, &squares);
    }
    let shape = Shape::new(e, schedule.vector);
    if e.abi.is_gpu() { gpu(e, stores, schedule, &shape, total) } else { cpu(e, stores, schedule, &shape, total) }
}

/// The item space: all extents but the last, and vectors of the last.
struct Shape {
    /// Items along each domain variable.
    counts: Vec<i64>,
    vector: i64,
    last_extent: i64,
}

impl Shape {
    fn new(e: &Emitter<'_>, vector: u32) -> Shape {
        let mut counts: Vec<i64> = e.plan.domain.iter().map(|&v| e.exprs.indices.extent(v)).collect();
        let vector = i64::from(vector);
        let last_extent = counts.last().copied().unwrap_or(1);
        if let Some(last) = counts.last_mut() {
            *last = (*last + vector - 1) / vector;
        }
        Shape { counts, vector, last_extent }
    }

    fn last_count(&self) -> i64 {
        self.counts.last().copied().unwrap_or(1)
    }

    /// Number of items, from the first on, that have all lanes.
    fn whole_items(&self, total: u64) -> u64 {
        if self.last_extent % self.vector == 0 {
            total
        } else if self.counts.len() == 1 {
            (self.last_extent / self.vector) as u64
        } else {
            0
        }
    }
}

/// Binds all variables but the last from a row number; row-major, last of them fastest.
fn bind_rows(e: &mut Emitter<'_>, counts: &[i64], row: Value) {
    let mut rest = row;
    for at in (0..counts.len().saturating_sub(1)).rev() {
        let var = e.plan.domain[at];
        let value = if at == 0 {
            rest
        } else {
            let quotient = e.code.int_k("arith.divui", rest, counts[at]);
            let value = e.code.int_k("arith.remui", rest, counts[at]);
            rest = quotient;
            value
        };
        e.bind(var, Some(value), 1, 0);
    }
}

/// Row and column of an item.
fn split_item(e: &mut Emitter<'_>, shape: &Shape, item: Value) -> (Value, Value) {
    if shape.counts.len() <= 1 {
        let zero = e.code.int(e.index_ty(), 0);
        return (zero, item);
    }
    let count = shape.last_count();
    e.code.div_rem(item, count)
}

fn evaluate(e: &mut Emitter<'_>, stores: &[Store]) -> Result<Vec<Value>, EmitError> {
    stores.iter().map(|s| e.eval(s.value)).collect()
}

fn write(e: &mut Emitter<'_>, stores: &[Store], values: &[Value]) -> Result<(), EmitError> {
    stores.iter().zip(values).try_for_each(|(s, &value)| e.store(s.buffer, s.offset, value))
}

/// Binds the variables of a whole item.
fn bind_item(e: &mut Emitter<'_>, shape: &Shape, item: Value) {
    let (row, column) = split_item(e, shape, item);
    bind_rows(e, &shape.counts, row);
    if let Some(&last) = e.plan.domain.last() {
        e.lanes = shape.vector as u32;
        let base = e.code.int_k("arith.muli", column, shape.vector);
        e.bind_lanes(last, Some(base), shape.vector, 0);
    }
}

fn gpu(
    e: &mut Emitter<'_>,
    stores: &[Store],
    schedule: LoopSchedule,
    shape: &Shape,
    total: u64,
) -> Result<(), EmitError> {
    let (threads, per_thread) = (i64::from(schedule.threads), i64::from(schedule.items_per_thread));
    let per_group = (threads * per_thread) as u64;
    let index = e.index;
    let group = e.abi.workgroup_id(&mut e.code, index);
    let thread = e.abi.thread_id(&mut e.code);
    let thread = e.code.resize_u(thread, index);
    let start = e.code.int_k("arith.muli", group, per_group as i64);
    let first = e.code.add_i(start, thread);
    let whole = shape.whole_items(total);
    let whole_groups = whole / per_group;
    if whole == total && total.is_multiple_of(per_group) {
        return gpu_whole(e, stores, schedule, shape, first);
    }
    if whole_groups == 0 {
        return gpu_guarded(e, stores, schedule, shape, first, total);
    }
    let is_whole = e.code.cmp_ik("ult", group, whole_groups as i64);
    e.code.begin_if(is_whole, &[]);
    gpu_whole(e, stores, schedule, shape, first)?;
    e.code.begin_else(&[]);
    gpu_guarded(e, stores, schedule, shape, first, total)?;
    e.code.end_if(&[]);
    Ok(())
}

fn gpu_whole(
    e: &mut Emitter<'_>,
    stores: &[Store],
    schedule: LoopSchedule,
    shape: &Shape,
    first: Value,
) -> Result<(), EmitError> {
    let mut done = Vec::new();
    for j in 0..i64::from(schedule.items_per_thread) {
        let item = e.code.add_ik(first, j * i64::from(schedule.threads));
        bind_item(e, shape, item);
        let bound: Vec<_> = e.plan.domain.iter().filter_map(|&v| Some((v, e.binding(v)?))).collect();
        let values = evaluate(e, stores)?;
        done.push((bound, values));
    }
    for (bound, values) in done {
        for (var, binding) in bound {
            e.rebind(var, binding);
        }
        write(e, stores, &values)?;
    }
    Ok(())
}

fn gpu_guarded(
    e: &mut Emitter<'_>,
    stores: &[Store],
    schedule: LoopSchedule,
    shape: &Shape,
    first: Value,
    total: u64,
) -> Result<(), EmitError> {
    let ty = e.index_ty();
    let (zero, one) = (e.code.int(ty, 0), e.code.int(ty, 1));
    let count = e.code.int(ty, i64::from(schedule.items_per_thread));
    let open = e.code.begin_for(zero, count, one, &[]);
    let step = e.code.int_k("arith.muli", open.iv, i64::from(schedule.threads));
    let item = e.code.add_i(first, step);
    let inside = e.code.cmp_ik("ult", item, total as i64);
    e.code.begin_if(inside, &[]);
    bind_item(e, shape, item);
    if shape.last_extent % shape.vector == 0 {
        let values = evaluate(e, stores)?;
        write(e, stores, &values)?;
    } else {
        item_with_tail(e, stores, shape)?;
    }
    e.code.end_if(&[]);
    e.code.end_for(open, &[]);
    Ok(())
}

/// A bound item that may have fewer elements than lanes.
fn item_with_tail(e: &mut Emitter<'_>, stores: &[Store], shape: &Shape) -> Result<(), EmitError> {
    let Some(&last) = e.plan.domain.last() else { return Err(e.malformed("a vector loop without variables")) };
    let Some(base) = e.binding(last).and_then(|b| b.base) else { return Err(e.malformed("an unbound variable")) };
    let ty = e.index_ty();
    let whole = e.code.cmp_ik("ule", base, shape.last_extent - shape.vector);
    let never_whole = shape.last_extent < shape.vector;
    if !never_whole {
        e.code.begin_if(whole, &[]);
        let values = evaluate(e, stores)?;
        write(e, stores, &values)?;
        e.code.begin_else(&[]);
    }
    let (end, one) = (e.code.int(ty, shape.last_extent), e.code.int(ty, 1));
    let open = e.code.begin_for(base, end, one, &[]);
    e.lanes = 1;
    e.bind(last, Some(open.iv), 1, 0);
    let values = evaluate(e, stores)?;
    write(e, stores, &values)?;
    e.code.end_for(open, &[]);
    if !never_whole {
        e.code.end_if(&[]);
    }
    Ok(())
}

fn cpu(
    e: &mut Emitter<'_>,
    stores: &[Store],
    schedule: LoopSchedule,
    shape: &Shape,
    total: u64,
) -> Result<(), EmitError> {
    let ty = Ty::scalar(Scalar::I64);
    let per_group = i64::from(schedule.items_per_thread);
    let group = e.abi.workgroup_id(&mut e.code, Scalar::I64);
    let (low, high) = e.share_of_workgroup(group, per_group, total as i64);
    let one = e.code.int(ty, 1);
    if shape.counts.len() <= 1 {
        return cpu_row(e, stores, shape, low, high);
    }
    let count = shape.last_count();
    let first_row = e.code.int_k("arith.divui", low, count);
    let last = e.code.add_ik(high, count - 1);
    let end_row = e.code.int_k("arith.divui", last, count);
    let rows = e.code.begin_for(first_row, end_row, one, &[]);
    bind_rows(e, &shape.counts, rows.iv);
    let start = e.code.int_k("arith.muli", rows.iv, count);
    let (zero, width) = (e.code.int(ty, 0), e.code.int(ty, count));
    let from = e.code.sub_i(low, start);
    let from = e.code.binary("arith.maxsi", from, zero);
    let to = e.code.sub_i(high, start);
    let to = e.code.binary("arith.minsi", to, width);
    cpu_row(e, stores, shape, from, to)?;
    e.code.end_for(rows, &[]);
    Ok(())
}

/// Items `low..high` of a row.
fn cpu_row(e: &mut Emitter<'_>, stores: &[Store], shape: &Shape, low: Value, high: Value) -> Result<(), EmitError> {
    let ty = Ty::scalar(Scalar::I64);
    let one = e.code.int(ty, 1);
    let open = e.code.begin_for(low, high, one, &[]);
    if let Some(&last) = e.plan.domain.last() {
        let lanes = shape.vector.min(shape.last_extent);
        e.lanes = lanes as u32;
        let base = e.code.int_k("arith.muli", open.iv, shape.vector);
        if shape.last_extent % shape.vector == 0 {
            e.bind_lanes(last, Some(base), shape.vector, 0);
        } else if e.plan.is_in_place() {
            // No vector may overlap the one before.
            e.bind_lanes(last, Some(base), shape.vector, 0);
            item_with_tail(e, stores, shape)?;
            e.code.end_for(open, &[]);
            return Ok(());
        } else {
            let limit = e.code.int(ty, shape.last_extent - lanes);
            let base = e.code.binary("arith.minsi", base, limit);
            e.bind_lanes(last, Some(base), 1, 0);
        }
    }
    let values = evaluate(e, stores)?;
    write(e, stores, &values)?;
    e.code.end_for(open, &[]);
    Ok(())
}

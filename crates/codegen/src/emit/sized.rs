//! Every body where loops are as long as sizes known only at run time: the simplest program that each of them has.
//!
//! A work item is a point of the item variables (a vector of points along the last), numbered row-major. A thread does all
//! that an item needs, one step after another; the extents are values, so every loop runs as long as the call says and a size of
//! 0 leaves no items. Where the last extent need not be a multiple of the lanes, the points left over are done one by one.
//! GPU: threads take neighbouring items. CPU: a workgroup takes a range of items, row by row.
//!
//! A sort counts, for each element of a run, those that come before it: that is its place. Where shorter runs are in order already
//! they are counted by binary searches. Needs no memory besides.
//!
//! Worked example: sums over the rows of [b, 1000]: b items; thread t of workgroup g folds row 256·g + t, if that is below b.

use fornax_plan::{Binary, Body, NodeId, SizedSchedule, Store, VarId};

use super::contraction::ProductFold;
use super::emitter::{Emitter, Slot};
use super::reduce;
use super::segment;
use super::sized_sort::{self, Line};
use super::text::{Ty, Value};
use super::tile::Fold;
use crate::errors::EmitError;

/// The item space.
struct Items {
    vars: Vec<VarId>,
    /// Extent of each, of the index type.
    extents: Vec<Value>,
    /// Items along the last variable.
    across: Value,
    lanes: u32,
    /// Every item has all its lanes.
    whole: bool,
}

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, schedule: SizedSchedule) -> Result<(), EmitError> {
    if schedule.lanes == 0 || schedule.threads == 0 || schedule.items == 0 || schedule.lanes > 64 {
        return Err(e.unfit("a sized schedule has a zero or more than 64 lanes in it"));
    }
    if schedule.threads > e.target.max_threads_per_block {
        return Err(e.unfit(format!("{} threads in a workgroup", schedule.threads)));
    }
    let items = Items::new(e, schedule.lanes)?;
    if e.abi.is_gpu() { gpu(e, &items, schedule) } else { cpu(e, &items, schedule) }
}

impl Emitter<'_> {
    /// The number of values of a variable.
    pub(super) fn extent_value(&mut self, var: VarId) -> Result<Value, EmitError> {
        match self.exprs.indices.run_extent(var) {
            None => Ok(self.code.int(self.index_ty(), self.exprs.indices.extent(var))),
            Some(extent) => {
                let value = self.index(extent)?;
                Ok(self.index_scalar(value))
            }
        }
    }

    /// At least 1, to divide by.
    fn divisor(&mut self, value: Value) -> Value {
        let one = self.code.int(value.ty, 1);
        self.code.binary("arith.maxsi", value, one)
    }
}

impl Items {
    fn new(e: &mut Emitter<'_>, lanes: u32) -> Result<Items, EmitError> {
        let vars = e.plan.item_vars();
        let extents = vars.iter().map(|&v| e.extent_value(v)).collect::<Result<Vec<_>, _>>()?;
        let last = match extents.last() {
            Some(&last) => last,
            None => e.code.int(e.index_ty(), 1),
        };
        let n = i64::from(lanes);
        let whole = vars.last().is_none_or(|&v| match e.exprs.indices.run_extent(v) {
            Some(extent) => e.exprs.indices.alignment(extent, n) == n,
            None => e.exprs.indices.extent(v) % n == 0,
        });
        let rounded = if whole { last } else { e.code.add_ik(last, n - 1) };
        let across = if lanes == 1 { last } else { e.code.int_k("arith.divui", rounded, n) };
        Ok(Items { vars, extents, across, lanes, whole })
    }

    fn total(&self, e: &mut Emitter<'_>) -> Value {
        let outer = self.extents.split_last().map_or(&[][..], |s| s.1);
        outer.iter().fold(self.across, |n, &extent| e.code.mul_i(n, extent))
    }

    /// Binds all variables but the last from a row number.
    fn bind_rows(&self, e: &mut Emitter<'_>, row: Value) {
        let mut rest = row;
        for at in (0..self.vars.len().saturating_sub(1)).rev() {
            let value = if at == 0 {
                rest
            } else {
                let count = e.divisor(self.extents[at]);
                let value = e.code.binary("arith.remui", rest, count);
                rest = e.code.binary("arith.divui", rest, count);
                value
            };
            e.bind(self.vars[at], Some(value), 1, 0);
        }
    }

    /// Does the items at column `column` of the bound row.
    fn at_column(&self, e: &mut Emitter<'_>, column: Value) -> Result<(), EmitError> {
        let Some((&last, &extent)) = self.vars.last().zip(self.extents.last()) else { return point(e) };
        let lanes = i64::from(self.lanes);
        let base = if lanes == 1 { column } else { e.code.int_k("arith.muli", column, lanes) };
        e.lanes = self.lanes;
        e.bind_lanes(last, Some(base), lanes, 0);
        if self.whole {
            return point(e);
        }
        let end = e.code.add_ik(base, lanes);
        let full = e.code.cmp_i("sle", end, extent);
        e.code.begin_if(full, &[]);
        point(e)?;
        e.code.begin_else(&[]);
        let one = e.code.int(base.ty, 1);
        let rest = e.code.begin_for(base, extent, one, &[]);
        e.lanes = 1;
        e.bind(last, Some(rest.iv), 1, 0);
        point(e)?;
        e.code.end_for(rest, &[]);
        e.code.end_if(&[]);
        Ok(())
    }
}

fn gpu(e: &mut Emitter<'_>, items: &Items, schedule: SizedSchedule) -> Result<(), EmitError> {
    let ty = e.index_ty();
    let (threads, each) = (i64::from(schedule.threads), i64::from(schedule.items));
    let total = items.total(e);
    let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
    let thread = e.abi.thread_id(&mut e.code);
    let thread = e.code.resize_u(thread, ty.scalar);
    let start = e.code.int_k("arith.muli", group, threads * each);
    let low = e.code.add_i(start, thread);
    let end = e.code.add_ik(start, threads * each);
    let high = e.code.binary("arith.minsi", end, total);
    let step = e.code.int(ty, threads);
    let open = e.code.begin_for(low, high, step, &[]);
    if items.vars.len() <= 1 {
        items.at_column(e, open.iv)?;
    } else {
        let count = e.divisor(items.across);
        let (row, column) =
            (e.code.binary("arith.divui", open.iv, count), e.code.binary("arith.remui", open.iv, count));
        items.bind_rows(e, row);
        items.at_column(e, column)?;
    }
    e.code.end_for(open, &[]);
    Ok(())
}

fn cpu(e: &mut Emitter<'_>, items: &Items, schedule: SizedSchedule) -> Result<(), EmitError> {
    let ty = e.index_ty();
    let total = items.total(e);
    let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
    let low = e.code.int_k("arith.muli", group, i64::from(schedule.items));
    let end = e.code.add_ik(low, i64::from(schedule.items));
    let high = e.code.binary("arith.minsi", end, total);
    let (zero, one) = (e.code.int(ty, 0), e.code.int(ty, 1));
    if items.vars.len() <= 1 {
        let open = e.code.begin_for(low, high, one, &[]);
        items.at_column(e, open.iv)?;
        e.code.end_for(open, &[]);
        return Ok(());
    }
    let count = e.divisor(items.across);
    let first_row = e.code.binary("arith.divui", low, count);
    let last = e.code.add_i(high, count);
    let last = e.code.add_ik(last, -1);
    let end_row = e.code.binary("arith.divsi", last, count);
    let rows = e.code.begin_for(first_row, end_row, one, &[]);
    items.bind_rows(e, rows.iv);
    let start = e.code.mul_i(rows.iv, count);
    let from = e.code.sub_i(low, start);
    let from = e.code.binary("arith.maxsi", from, zero);
    let to = e.code.sub_i(high, start);
    let to = e.code.binary("arith.minsi", to, count);
    let open = e.code.begin_for(from, to, one, &[]);
    items.at_column(e, open.iv)?;
    e.code.end_for(open, &[]);
    e.code.end_for(rows, &[]);
    Ok(())
}

/// All that the bound item needs.
pub(super) fn point(e: &mut Emitter<'_>) -> Result<(), EmitError> {
    let plan = e.plan;
    match &plan.body {
        Body::Loop { stores } => store(e, stores),
        Body::Reduce { reduction, inputs, inits, combiner, stores } => {
            let fold = reduce::fold(e, inputs, inits, combiner)?;
            folded(e, fold.as_ref(), reduction, 0)?;
            store(e, stores)
        }
        Body::Contraction { reduction, lhs, rhs, accumulator, stores, .. } => {
            let fold = ProductFold { lhs: *lhs, rhs: *rhs, element: *accumulator };
            folded(e, &fold, reduction, 0)?;
            store(e, stores)
        }
        Body::Row { row, folds, stores } => {
            let mut first = 0;
            for each in folds {
                let fold = reduce::fold(e, &each.inputs, &each.inits, &each.combiner)?;
                first += folded(e, fold.as_ref(), row, first)?;
            }
            row_stores(e, row, stores)
        }
        Body::Scan { along, reverse, input, combiner, stores } => {
            scan(e, (*along, *reverse), (*input, *combiner), stores)
        }
        Body::Segment { stores, .. } => {
            segment::fold(e)?;
            store(e, stores)
        }
        Body::Sort { along, source, operands, before, from, to, stores, keep } => {
            if keep < to {
                return Err(e.unfit("runs of a line of unknown length are kept whole"));
            }
            sized_sort::emit(e, &Line { along: *along, source: *source, operands, before: *before }, (*from, *to))?;
            store(e, stores)
        }
        Body::Update { .. } | Body::Count { .. } | Body::Distribute { .. } | Body::Attention(_) | Body::Team(_) => {
            Err(e.unfit(format!("no sized program for {}", plan.body.hero())))
        }
    }
}

pub(super) fn store(e: &mut Emitter<'_>, stores: &[Store]) -> Result<(), EmitError> {
    let values = stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
    stores.iter().zip(values).try_for_each(|(s, value)| e.store(s.buffer, s.offset, value))
}

/// Folds over the reduction variables; sets the results from number `first` on and gives how many there are.
fn folded(e: &mut Emitter<'_>, fold: &dyn Fold, reduction: &[VarId], first: u32) -> Result<u32, EmitError> {
    let lanes = e.lanes;
    let start: Vec<Value> = fold.identity(e)?.into_iter().map(|v| e.code.spread(v, lanes)).collect();
    let sums = nest(e, fold, reduction, start)?;
    let results = fold.finish(e, &sums)?;
    for (at, &value) in (first..).zip(&results) {
        e.set_slot(Slot::Reduced(at), value);
    }
    Ok(results.len() as u32)
}

fn nest(
    e: &mut Emitter<'_>,
    fold: &dyn Fold,
    reduction: &[VarId],
    running: Vec<Value>,
) -> Result<Vec<Value>, EmitError> {
    let Some((&var, inner)) = reduction.split_first() else {
        let lanes = e.lanes;
        return Ok(fold.step(e, &running)?.into_iter().map(|v| e.code.spread(v, lanes)).collect());
    };
    let ty = e.index_ty();
    let (zero, one, high) = (e.code.int(ty, 0), e.code.int(ty, 1), e.extent_value(var)?);
    let open = e.code.begin_for(zero, high, one, &running);
    e.bind(var, Some(open.iv), 1, 0);
    let next = nest(e, fold, inner, open.carried.clone())?;
    Ok(e.code.end_for(open, &next))
}

/// Stores of a row's results, and of its elements in one more walk over it.
fn row_stores(e: &mut Emitter<'_>, row: &[VarId], stores: &[Store]) -> Result<(), EmitError> {
    let exprs = e.exprs;
    let (each, once): (Vec<Store>, Vec<Store>) =
        stores.iter().copied().partition(|s| row.iter().any(|&v| exprs.index_varies(s.offset, v)));
    store(e, &once)?;
    if each.is_empty() { Ok(()) } else { walk(e, row, &mut |e| store(e, &each)) }
}

pub(super) fn walk(
    e: &mut Emitter<'_>,
    vars: &[VarId],
    visit: &mut dyn FnMut(&mut Emitter<'_>) -> Result<(), EmitError>,
) -> Result<(), EmitError> {
    let Some((&var, inner)) = vars.split_first() else { return visit(e) };
    let ty = e.index_ty();
    let (zero, one, high) = (e.code.int(ty, 0), e.code.int(ty, 1), e.extent_value(var)?);
    let open = e.code.begin_for(zero, high, one, &[]);
    e.bind(var, Some(open.iv), 1, 0);
    walk(e, inner, visit)?;
    e.code.end_for(open, &[]);
    Ok(())
}

fn scan(
    e: &mut Emitter<'_>,
    (along, reverse): (VarId, bool),
    (input, combiner): (NodeId, Binary),
    stores: &[Store],
) -> Result<(), EmitError> {
    let element = e.exprs.element(input);
    let scalar = e.register_scalar(element)?;
    let bits = reduce::identity_bits(combiner, element, scalar).ok_or_else(|| e.undefined(combiner.name(), element))?;
    let lanes = e.lanes;
    let start = e.code.bits(Ty::scalar(scalar), bits);
    let start = e.code.spread(start, lanes);
    let ty = e.index_ty();
    let (zero, one, high) = (e.code.int(ty, 0), e.code.int(ty, 1), e.extent_value(along)?);
    let open = e.code.begin_for(zero, high, one, &[start]);
    let place = if reverse {
        let last = e.code.sub_i(high, one);
        e.code.sub_i(last, open.iv)
    } else {
        open.iv
    };
    e.bind(along, Some(place), 1, 0);
    let value = e.eval(input)?;
    let value = e.code.spread(value, lanes);
    let sum = e.combine(combiner, element, open.carried[0], value)?;
    e.set_slot(Slot::Reduced(0), sum);
    store(e, stores)?;
    e.code.end_for(open, &[sum]);
    Ok(())
}

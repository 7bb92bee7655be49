//! Every body where loops are as long as sizes known only at run time: the simplest program that each of them has.
//!
//! A work item is a point of the item variables (a vector of points along the last), numbered row-major. A thread does
//! all that an item needs, one step after another; the extents are values, so every loop runs as long as the call says
//! and a size of 0 leaves no items. Where the last extent need not be a multiple of the lanes, the points left over are
//! done one by one; where it is known and no result lies over an operand, the last vector overlaps the one before it.
//! GPU: threads take neighbouring items. CPU: a workgroup takes a range of items, row by row.
//!
//! A sort counts, for each element of a run, those that come before it: that is its place. Where shorter runs are in
//! order already they are counted by binary searches. Needs no memory besides.
//!
//! Worked example: sums over the rows of [b, 1000]: b items; thread t of workgroup g folds row 256·g + t, if that is
//! below b.

use crate::points::schedule::SizedSchedule;
use fornax_plan::{Access, Body, VarId};

use fornax_emit::blocks::points::point;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

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
        let known = e.exprs.indices.extent(last);
        if !self.whole && e.exprs.indices.run_extent(last).is_none() && known >= lanes && may_repeat(e) {
            let latest = e.code.int(base.ty, known - lanes);
            let base = e.code.binary("arith.minsi", base, latest);
            e.bind_lanes(last, Some(base), 1, 0);
            return point(e);
        }
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

/// A point that is computed twice gives the same: nothing that it reads is written.
fn may_repeat(e: &Emitter<'_>) -> bool {
    let reads = |body: &Body| {
        matches!(body, Body::Loop { .. } | Body::Reduce { .. } | Body::Contraction { .. } | Body::Row { .. })
    };
    reads(&e.plan.body) && !e.plan.is_in_place() && !e.plan.buffers.iter().any(|b| b.access == Access::Update)
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

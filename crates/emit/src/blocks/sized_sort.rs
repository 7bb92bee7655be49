//! The place of an element in the order of its run, for lines whose length is known only at run time.
//!
//! Without runs that are in order every other element of the run is compared. With them the elements before it in its
//! own sorted run count, and in every other sorted run those that a binary search finds to come before it: of equal
//! ones those of earlier runs. Four runs are searched a merge, or all that a line has.
//!
//! Worked example: sorted runs of 64 to runs of 256, element 70 of a line of 100: runs 0…63 and 64…99; it is the 6th of
//! its own, and the search in the first takes 7 steps; with 40 before it there its place is 46.

use fornax_plan::{NodeId, VarId};
use fornax_targets::Backend;

use crate::emitter::{Emitter, Slot};
use crate::errors::EmitError;
use crate::text::{Scalar, Value};

/// A line that is sorted.
pub struct Line<'a> {
    /// Place of a result, and of an operand.
    pub along: VarId,
    pub source: VarId,
    pub operands: &'a [NodeId],
    pub before: NodeId,
}

/// Binds the place that the bound element of the line has when runs of `from` are merged to runs of `to` (1: nothing is
/// in order), and sets the results to the element.
pub fn emit(e: &mut Emitter<'_>, line: &Line<'_>, (from, to): (i64, i64)) -> Result<(), EmitError> {
    if e.target.backend == Backend::Cuda {
        // ptxas would take 32 registers a thread for the sake of more workgroups a unit, and spill 4 to 16 bytes.
        e.abi.attribute("nvvm.minctasm = 1 : i32");
    }
    let own = element(e, line)?;
    let mine = e.binding(line.source).ok_or_else(|| e.malformed("an unbound variable"))?;
    let place = mine.base.ok_or_else(|| e.malformed("an element without a place"))?;
    let ty = e.index_ty();
    let end = e.extent_value(line.source)?;
    // A run as long as any line is the line.
    let whole = to > e.exprs.indices.extent(line.source);
    let (start, end) = if whole {
        (e.code.int(ty, 0), end)
    } else {
        let rest = e.code.int_k("arith.remui", place, to);
        let start = e.code.sub_i(place, rest);
        let behind = e.code.add_ik(start, to);
        (start, e.code.binary("arith.minsi", behind, end))
    };
    let rank = if from > 1 {
        merged(e, line, &own, place, SortedRuns { start, end, length: from })?
    } else {
        counted(e, line, &own, place, (start, end))?
    };
    let rank = e.code.add_i(rank, start);
    e.rebind(line.source, mine);
    e.bind(line.along, Some(rank), 1, 0);
    for (at, &value) in (0..).zip(&own) {
        e.set_slot(Slot::Reduced(at), value);
    }
    Ok(())
}

/// The operands at the bound place.
fn element(e: &mut Emitter<'_>, line: &Line<'_>) -> Result<Vec<Value>, EmitError> {
    line.operands.iter().map(|&n| e.eval(n)).collect()
}

/// Elements of `start..end` that come before the own one.
fn counted(
    e: &mut Emitter<'_>,
    line: &Line<'_>,
    own: &[Value],
    place: Value,
    (start, end): (Value, Value),
) -> Result<Value, EmitError> {
    let ty = e.index_ty();
    let (zero, one) = (e.code.int(ty, 0), e.code.int(ty, 1));
    let open = e.code.begin_for(start, end, one, &[zero]);
    e.bind(line.source, Some(open.iv), 1, 0);
    let other = element(e, line)?;
    let earlier = e.code.cmp_i("slt", open.iv, place);
    let counts = precedes(e, line, (&other, own), earlier)?;
    let counted = e.code.select(counts, one, zero);
    let rank = e.code.add_i(open.carried[0], counted);
    Ok(e.code.end_for(open, &[rank])[0])
}

/// Neighbouring places whose elements are in order, run by run.
#[derive(Clone, Copy)]
struct SortedRuns {
    start: Value,
    end: Value,
    /// Elements of a run; the last may have fewer.
    length: i64,
}

/// The same where runs are in order.
fn merged(
    e: &mut Emitter<'_>,
    line: &Line<'_>,
    own: &[Value],
    place: Value,
    runs: SortedRuns,
) -> Result<Value, EmitError> {
    let SortedRuns { start, end, length: from } = runs;
    let ty = e.index_ty();
    let zero = e.code.int(ty, 0);
    let within = e.code.int_k("arith.remui", place, from);
    let own_run = e.code.sub_i(place, within);
    let step = e.code.int(ty, from);
    let open = e.code.begin_for(start, end, step, &[zero]);
    let is_own = e.code.cmp_i("eq", open.iv, own_run);
    let results = e.code.begin_if(is_own, &[ty]);
    e.code.begin_else(&[within]);
    let behind = e.code.add_ik(open.iv, from);
    let behind = e.code.binary("arith.minsi", behind, end);
    let earlier = e.code.cmp_i("slt", open.iv, own_run);
    let first = search(e, line, own, SortedRuns { start: open.iv, end: behind, length: from }, earlier)?;
    let before = e.code.sub_i(first, open.iv);
    e.code.end_if(&[before]);
    let rank = e.code.add_i(open.carried[0], results[0]);
    Ok(e.code.end_for(open, &[rank])[0])
}

/// The first place of one sorted run whose element does not come before the own one.
fn search(
    e: &mut Emitter<'_>,
    line: &Line<'_>,
    own: &[Value],
    run: SortedRuns,
    earlier: Value,
) -> Result<Value, EmitError> {
    let SortedRuns { start: low, end: high, length: from } = run;
    let ty = e.index_ty();
    let (zero, one) = (e.code.int(ty, 0), e.code.int(ty, 1));
    let rounds = i64::from(64 - (from.max(1) as u64).leading_zeros());
    let rounds = e.code.int(ty, rounds);
    let last = e.code.sub_i(high, one);
    let open = e.code.begin_for(zero, rounds, one, &[low, high]);
    let (low, high) = (open.carried[0], open.carried[1]);
    let sum = e.code.add_i(low, high);
    let middle = e.code.int_k("arith.divui", sum, 2);
    // Once the ends have met nothing changes, and the last element is looked at again.
    let open_yet = e.code.cmp_i("slt", low, high);
    let at = e.code.binary("arith.minsi", middle, last);
    e.bind(line.source, Some(at), 1, 0);
    let other = element(e, line)?;
    let before = precedes(e, line, (&other, own), earlier)?;
    let up = e.code.and(open_yet, before);
    let behind = e.code.add_ik(middle, 1);
    let next_low = e.code.select(up, behind, low);
    let stays = e.code.not(before);
    let down = e.code.and(open_yet, stays);
    let next_high = e.code.select(down, middle, high);
    Ok(e.code.end_for(open, &[next_low, next_high])[0])
}

/// Whether an element comes before the own one: of equal ones if it is `earlier` in the line.
fn precedes(
    e: &mut Emitter<'_>,
    line: &Line<'_>,
    (other, own): (&[Value], &[Value]),
    earlier: Value,
) -> Result<Value, EmitError> {
    let first = comes_before(e, line.before, (other, own))?;
    let second = comes_before(e, line.before, (own, other))?;
    let not_second = e.code.not(second);
    Ok(e.code.select(earlier, not_second, first))
}

fn comes_before(e: &mut Emitter<'_>, before: NodeId, (a, b): (&[Value], &[Value])) -> Result<Value, EmitError> {
    for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
        e.set_slot(Slot::Running(at as u32), a);
        e.set_slot(Slot::Incoming(at as u32), b);
    }
    let value = e.eval(before)?;
    debug_assert_eq!(value.ty.scalar, Scalar::I1);
    Ok(value)
}

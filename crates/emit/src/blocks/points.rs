//! All that one point of a body needs, done by one thread, one step after another; loops are as long as the call says.
//!
//! Worked example: a row of [b, 1000] that is summed: a loop of 1000 steps that carries the sum, then the store.

use fornax_plan::{Binary, Body, NodeId, Store, VarId};

use super::fold::Fold;
use super::product::ProductFold;
use super::reduction_folds as reduce;
use super::segment_fold as segment;
use super::sized_sort;
use super::sized_sort::Line;
use crate::emitter::{Emitter, Slot};
use crate::errors::EmitError;
use crate::text::{Ty, Value};

/// All that the bound item needs.
pub fn point(e: &mut Emitter<'_>) -> Result<(), EmitError> {
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
        Body::Products(p) => {
            for (at, products) in (0..).zip(&p.sums) {
                let mut running: Option<Vec<Value>> = None;
                for product in products {
                    let fold = ProductFold { lhs: product.lhs, rhs: product.rhs, element: p.accumulator };
                    let start = running.map_or_else(|| start(e, &fold), Ok)?;
                    running = Some(nest(e, &fold, &product.reduction, start)?);
                }
                running.into_iter().flatten().for_each(|sum| e.set_slot(Slot::Reduced(at), sum));
            }
            store(e, &p.stores)
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
        Body::Update { .. }
        | Body::Count { .. }
        | Body::Distribute { .. }
        | Body::Attention(_)
        | Body::FusedLoop(_)
        | Body::Bundle(_)
        | Body::Led(_) => Err(e.unfit(format!("no sized program for {}", plan.body.hero()))),
    }
}

pub fn store(e: &mut Emitter<'_>, stores: &[Store]) -> Result<(), EmitError> {
    let values = stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
    stores.iter().zip(values).try_for_each(|(s, value)| e.store(s.buffer, s.offset, value))
}

/// Folds over the reduction variables; sets the results from number `first` on and gives how many there are.
fn folded(e: &mut Emitter<'_>, fold: &dyn Fold, reduction: &[VarId], first: u32) -> Result<u32, EmitError> {
    let start = start(e, fold)?;
    let sums = nest(e, fold, reduction, start)?;
    let results = fold.finish(e, &sums)?;
    for (at, &value) in (first..).zip(&results) {
        e.set_slot(Slot::Reduced(at), value);
    }
    Ok(results.len() as u32)
}

/// Accumulators before the first step.
fn start(e: &mut Emitter<'_>, fold: &dyn Fold) -> Result<Vec<Value>, EmitError> {
    let lanes = e.lanes;
    Ok(fold.identity(e)?.into_iter().map(|v| e.code.spread(v, lanes)).collect())
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

pub fn walk(
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

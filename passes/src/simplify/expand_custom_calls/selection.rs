//! The first elements in an order (`topk`, `TopK`, `ApproxTopK`), and Threefry blocks.
//!
//! `ApproxTopK` is exact here: a sort by the comparator that it names, of which the first k are kept.

use fornax_graph::{Attr, NewOp, OpKind, Type, ValueId};

use super::{Call, Row, row};
use crate::rewrite::build::int;
use crate::simplify::expand_rng::threefry;
use crate::simplify::ops::Ops;

pub const ROWS: &[Row] = &[
    row("mhlo.topk", top_k),
    row("topk", top_k),
    row("TopK", top_k),
    row("__gpu$TopK", top_k),
    row("stablehlo.dynamic_top_k", top_k),
    row("ApproxTopK", approx_top_k),
    row("stablehlo.dynamic_approx_top_k", approx_top_k),
    row("cu_threefry2x32_ffi", threefry_block),
    row("hip_threefry2x32_ffi", threefry_block),
];

/// The k largest of the last dimension, k being the results' size.
fn top_k(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    if call.config.bool("largest") == Some(false) || call.results.len() != 2 {
        return None;
    }
    let k = call.config.int("k").or_else(|| call.shape(0)?.last().copied())?;
    let types = call.results.iter().cloned().map(Type::Tensor).collect();
    let x = call.operand(0)?;
    Some(o.with(|rw| rw.insert(NewOp::new(OpKind::ChloTopK, vec![x], types, rw.location()).attr("k", int(k)))))
}

/// Operands: n tensors, n initial values. Results: the first k of each along one dimension.
fn approx_top_k(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let n = call.results.len();
    let (along, k) = (call.config.int("reduction_dim")?, call.config.int("top_k")?);
    let sizes = o.shape(call.operand(0)?);
    let along = usize::try_from(along).ok().filter(|&d| d < sizes.len())?;
    // Without aggregation a result may have more than k candidates: any superset of the k best is right.
    let kept = *call.shape(0)?.get(along)?;
    if call.operands.len() < 2 * n || kept < k.min(sizes[along]) || kept > sizes[along] {
        return None;
    }
    let inputs = call.operands[..n].to_vec();
    let comparator = call.called.first()?;
    let sorted = o.with(|rw| {
        let body = rw.graph.function(comparator).and_then(|f| rw.graph.entry(f))?;
        let types: Vec<Type> = inputs
            .iter()
            .flat_map(|&v| rw.tensor(v).map(|t| [Type::tensor(&[], t.element), Type::tensor(&[], t.element)]))
            .flatten()
            .collect();
        let formal = rw.graph.block(body).arguments.clone();
        if formal.len() != types.len() || formal.iter().zip(&types).any(|(&f, t)| rw.graph.ty(f) != t) {
            return None;
        }
        let region = rw.graph.add_region();
        let block = rw.graph.add_block(region, &types);
        let mut map = formal.into_iter().zip(rw.graph.block(block).arguments.clone()).collect();
        rw.enter(block);
        let returned = rw.copy_body(body, &mut map);
        let location = rw.location();
        rw.insert(NewOp::new(OpKind::Return, returned, Vec::new(), location));
        rw.leave();
        let types = inputs.iter().map(|&v| rw.graph.ty(v).clone()).collect();
        let mut sort = NewOp::new(OpKind::Sort, inputs.clone(), types, location)
            .attr("dimension", int(along as i64))
            .attr("is_stable", Attr::Bool(true));
        sort.regions.push(region);
        Some(rw.insert(sort))
    })?;
    Some(sorted.into_iter().map(|value| o.part(value, along, 0, kept)).collect())
}

/// (key₀, key₁, x₀, x₁) → (y₀, y₁), all of one shape.
fn threefry_block(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let &[k0, k1, x0, x1] = &call.operands[..] else { return None };
    let same = call.results.len() == 2 && call.results.iter().all(|ty| *ty == o.ty(x0)) && o.ty(k0) == o.ty(x0);
    same.then(|| threefry(o, [k0, k1], [x0, x1]).to_vec())
}

//! Fewer, longer loops: order the variables by how they move through memory, then fuse neighbours that move together.
//!
//! Two neighbours a (outer) and b (inner, extent B) become one variable w = B·a + b when that adds no division:
//! wherever they occur, a's coefficient is B times b's. Worked example: the add of two [4001, 3999] tensors has offset
//! 3999·i + j everywhere and becomes one loop over 15,999,999; the pixels of a 1×1 convolution become the rows of a
//! matrix product.

use std::collections::HashMap;

use fornax_plan::index::Atom;
use fornax_plan::substitute::Substitution;
use fornax_plan::{Body, Combiner, KernelPlan, NodeId, RowFold, VarId};

use crate::access::{Step, loads, step};

/// Rewrites the plan's domain and reduction in place.
pub fn collapse(plan: &mut KernelPlan) {
    // Attention names its variables.
    if matches!(plan.body, Body::Attention(_) | Body::FusedLoop(_) | Body::Bundle(_) | Body::Led(_)) {
        return;
    }
    order(plan);
    loop {
        let pair = if plan.is_sized() {
            let (domain, reduction) = (plan.domain.clone(), plan.body.reduction().to_vec());
            sized_candidate(plan, &domain).or_else(|| sized_candidate(plan, &reduction))
        } else {
            candidate(plan, &plan.domain).or_else(|| candidate(plan, reduction(plan)))
        };
        let Some((outer, inner)) = pair else { return };
        fuse(plan, outer, inner);
    }
}

/// Domain variables by descending step of the first store, reduction variables by that of the first load, where all
/// steps are even. Windows with masks keep their order: the mask stays outside the channel loop. So do folds by a
/// combiner of their own, which need not commute: the first of equal elements is another one in another order.
fn order(plan: &mut KernelPlan) {
    let by_step = |plan: &KernelPlan, vars: &[VarId], offset| -> Option<Vec<VarId>> {
        let mut keyed = Vec::new();
        for &var in vars {
            match step(&plan.exprs, offset, var) {
                Step::By(n) => keyed.push((std::cmp::Reverse(n.unsigned_abs()), var)),
                Step::Same | Step::Irregular => return None,
            }
        }
        keyed.sort_by_key(|k| k.0);
        Some(keyed.into_iter().map(|k| k.1).collect())
    };
    if let Some(store) = plan.body.stores().first()
        && let Some(sorted) = by_step(plan, &plan.domain, store.offset)
    {
        plan.domain = sorted;
    }
    let roots = match &plan.body {
        Body::Loop { .. } | Body::Sort { .. } | Body::Scan { .. } | Body::Segment { .. } => return,
        Body::Products(_) => return,
        Body::Attention(_) | Body::Update { .. } | Body::FusedLoop(_) | Body::Bundle(_) | Body::Led(_) => return,
        Body::Count { .. } | Body::Distribute { .. } => return,
        Body::Reduce { combiner: Combiner::General(_), .. } => return,
        Body::Row { folds, .. } if folds.iter().any(|f| matches!(f.combiner, Combiner::General(_))) => return,
        Body::Reduce { inputs, .. } => inputs.clone(),
        Body::Contraction { lhs, .. } => vec![*lhs],
        Body::Row { folds, .. } => folds.first().map(|f| f.inputs.clone()).unwrap_or_default(),
    };
    let first = loads(&plan.exprs, &roots).first().copied();
    let sorted = first.filter(|l| !l.masked).and_then(|l| by_step(plan, plan.body.reduction(), l.offset));
    if let (
        Some(sorted),
        Body::Reduce { reduction, .. } | Body::Contraction { reduction, .. } | Body::Row { row: reduction, .. },
    ) = (sorted, &mut plan.body)
    {
        *reduction = sorted;
    }
}

/// Reduction variables that may be fused: those of several products are not neighbours.
fn reduction(plan: &KernelPlan) -> &[VarId] {
    if matches!(plan.body, Body::Products(_)) { &[] } else { plan.body.reduction() }
}

/// The last pair of neighbours that can be fused.
fn candidate(plan: &KernelPlan, vars: &[VarId]) -> Option<(VarId, VarId)> {
    let reached = plan.reached();
    let indices = &plan.exprs.indices;
    let coefficient = |terms: &[(fornax_plan::AtomId, i64)], var: VarId| {
        terms.iter().find(|t| indices.atom(t.0) == Atom::Var(var)).map_or(0, |t| t.1)
    };
    let kept = kept_apart(plan);
    let fits = |outer: VarId, inner: VarId| {
        let extent = indices.extent(inner);
        let product = indices.extent(outer).checked_mul(extent);
        product.is_some()
            && !kept.contains(&outer)
            && !kept.contains(&inner)
            && reached.indices.iter().all(|&id| {
                let terms = &indices.linear(id).terms;
                coefficient(terms, inner).checked_mul(extent) == Some(coefficient(terms, outer))
            })
    };
    vars.windows(2).rev().map(|w| (w[0], w[1])).find(|&(outer, inner)| fits(outer, inner))
}

/// The same where coefficients may be sizes.
fn sized_candidate(plan: &mut KernelPlan, vars: &[VarId]) -> Option<(VarId, VarId)> {
    let reached: Vec<_> = plan.reached().indices.into_iter().collect();
    let kept = kept_apart(plan);
    let indices = &mut plan.exprs.indices;
    let mut fits = |outer: VarId, inner: VarId| {
        let extent = indices.extent_index(inner);
        !kept.contains(&outer)
            && !kept.contains(&inner)
            && reached.iter().all(|&id| {
                let (own, outside) = (indices.direct_coefficient(id, inner), indices.direct_coefficient(id, outer));
                own.zip(outside).is_some_and(|(own, outside)| indices.multiply(own, extent) == outside)
            })
    };
    vars.windows(2).rev().map(|w| (w[0], w[1])).find(|&(outer, inner)| fits(outer, inner))
}

/// Variables that stay what they are: neighbours along a sort or scan, digits and tiles.
fn kept_apart(plan: &KernelPlan) -> Vec<VarId> {
    let mut kept: Vec<VarId> = plan.body.along().into_iter().collect();
    if let Body::Count { digits, .. } = &plan.body {
        kept.extend([digits.digit_var, digits.tile_var]);
    }
    kept
}

fn fuse(plan: &mut KernelPlan, outer: VarId, inner: VarId) {
    let indices = &mut plan.exprs.indices;
    let (count, extent) = (indices.extent_index(outer), indices.extent_index(inner));
    let product = indices.multiply(count, extent);
    let fused = indices.add_sized_var(product);
    let whole = indices.var(fused);
    let map = HashMap::from([(outer, indices.floor_div_by(whole, extent)), (inner, indices.modulo_by(whole, extent))]);
    let KernelPlan { exprs, body, domain, .. } = plan;
    let mut s = Substitution::new(exprs, &map);
    let replace = |vars: &mut Vec<VarId>| {
        if let Some(at) = vars.iter().position(|&v| v == outer) {
            vars[at] = fused;
            vars.remove(at + 1);
        }
    };
    replace(domain);
    let each = |nodes: &mut Vec<NodeId>, s: &mut Substitution<'_>| {
        for node in nodes {
            *node = s.node(*node);
        }
    };
    match body {
        Body::Loop { .. } => {}
        Body::Reduce { reduction, inputs, inits, combiner, .. } => {
            replace(reduction);
            each(inputs, &mut s);
            each(inits, &mut s);
            if let Combiner::General(nodes) = combiner {
                each(nodes, &mut s);
            }
        }
        Body::Sort { operands, before, .. } => {
            each(operands, &mut s);
            *before = s.node(*before);
        }
        Body::Scan { input, .. } => *input = s.node(*input),
        Body::Update { condition, .. } => *condition = s.node(*condition),
        Body::Segment { .. } => body.segment_nodes_mut().into_iter().for_each(|node| *node = s.node(*node)),
        Body::Count { .. } | Body::Distribute { .. } => {
            body.radix_nodes_mut().into_iter().for_each(|node| *node = s.node(*node));
        }
        Body::Contraction { reduction, lhs, rhs, .. } => {
            replace(reduction);
            (*lhs, *rhs) = (s.node(*lhs), s.node(*rhs));
        }
        Body::Products(p) => p.operands_mut().for_each(|node| *node = s.node(*node)),
        Body::Row { row, folds, .. } => {
            replace(row);
            for node in folds.iter_mut().flat_map(RowFold::roots_mut) {
                *node = s.node(*node);
            }
        }
        Body::Attention(a) => a.rewrite(&mut s),
        Body::FusedLoop(_) | Body::Bundle(_) | Body::Led(_) => {}
    }
    for store in body.stores_mut().into_iter().flatten() {
        store.offset = s.index(store.offset);
        store.value = s.node(store.value);
    }
}

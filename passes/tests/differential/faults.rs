//! Mistakes planted into plans: the comparison that random programs go through must notice each kind.

use fornax_plan::{Binary, Body, Combiner, Compare, Exprs, KernelPlan, Node, NodeId, VarId};

use super::generate::program;
use super::run::{Case, Outcome};

/// A mistake: changes a plan, and says whether there was a place for it.
type Plant = fn(&mut KernelPlan) -> bool;

/// (what is wrong, how it is planted, in how many of a hundred planted places it must be noticed; the rest change
/// nothing that can be seen: a comparison of values none of which are equal, a sum of zeros)
const FAULTS: &[(&str, Plant, usize)] = &[
    ("a load's index is one too far", load_too_far, 60),
    ("a load's first index coefficient is one too large", coefficient, 40),
    ("a loop bound is one too small", bound, 90),
    ("a reduction ends one early", short_reduction, 30),
    ("a product's reduction ends one early", short_product, 50),
    ("a sum combines by maximum", combiner, 30),
    ("a reduction starts from one", start, 30),
    ("operands of a subtraction, division or shift change places", operand_order, 40),
    ("branches of a select change places", select, 40),
    ("a comparison is strict that was not, or the other way", comparison, 2),
    ("a bound of a pad or a concatenation is one too small", in_range, 20),
    ("a store goes one element further", store_too_far, 90),
    ("a product reads its left operand twice", same_operand, 50),
    ("a sort is by the other order", sort_order, 20),
];

/// Rewrites every node below one, operands first.
fn rewrite(exprs: &mut Exprs, id: NodeId, change: &mut dyn FnMut(&mut Exprs, Node) -> Node) -> NodeId {
    let mut node = exprs.node(id).clone();
    match &mut node {
        Node::Load { mask: Some(a), .. }
        | Node::Unary { a, .. }
        | Node::Convert { a, .. }
        | Node::Bitcast { a, .. }
        | Node::ReducePrecision { a, .. } => *a = rewrite(exprs, *a, change),
        Node::Binary { a, b, .. } | Node::Compare { a, b, .. } => {
            *a = rewrite(exprs, *a, change);
            *b = rewrite(exprs, *b, change);
        }
        Node::Select { condition, a, b } => {
            for operand in [condition, a, b] {
                *operand = rewrite(exprs, *operand, change);
            }
        }
        _ => {}
    }
    let changed = change(exprs, node);
    exprs.add(changed)
}

/// Changes the first node, in what the body computes, that `change` changes.
fn change_first(plan: &mut KernelPlan, change: impl Fn(&mut Exprs, &Node) -> Option<Node>) -> bool {
    let mut done = false;
    let KernelPlan { exprs, body, .. } = plan;
    let mut visit = |id: &mut NodeId| {
        *id = rewrite(exprs, *id, &mut |exprs, node| match change(exprs, &node) {
            Some(other) if !done => {
                done = true;
                other
            }
            _ => node,
        });
    };
    match body {
        Body::Reduce { inputs, .. } => inputs.iter_mut().for_each(&mut visit),
        Body::Contraction { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(&mut visit),
        Body::Sort { operands, before, .. } => operands.iter_mut().chain([before]).for_each(&mut visit),
        _ => {}
    }
    body.stores_mut().into_iter().flatten().for_each(|s| visit(&mut s.value));
    done
}

fn load_too_far(plan: &mut KernelPlan) -> bool {
    change_first(plan, |exprs, node| match node.clone() {
        Node::Load { buffer, element, offset, mask } => {
            let offset = exprs.indices.offset(offset, 1);
            Some(Node::Load { buffer, element, offset, mask })
        }
        _ => None,
    })
}

fn coefficient(plan: &mut KernelPlan) -> bool {
    let vars: Vec<VarId> = plan.domain.iter().chain(plan.body.reduction()).copied().collect();
    change_first(plan, |exprs, node| match node.clone() {
        Node::Load { buffer, element, offset, mask } => {
            let var = *vars.iter().find(|&&v| exprs.indices.depends_on(offset, v))?;
            let one = exprs.indices.var(var);
            let offset = exprs.indices.add(offset, one);
            Some(Node::Load { buffer, element, offset, mask })
        }
        _ => None,
    })
}

fn shorten(plan: &mut KernelPlan, var: Option<VarId>) -> bool {
    let Some(var) = var.filter(|&v| plan.exprs.indices.extent(v) > 1) else { return false };
    plan.exprs.indices.extents[var.0 as usize] -= 1;
    true
}

fn bound(plan: &mut KernelPlan) -> bool {
    let var = plan.domain.last().copied();
    shorten(plan, var)
}

fn short_reduction(plan: &mut KernelPlan) -> bool {
    let var = plan.body.reduction().last().copied();
    matches!(plan.body, Body::Reduce { .. } | Body::Row { .. }) && shorten(plan, var)
}

fn short_product(plan: &mut KernelPlan) -> bool {
    let var = plan.body.reduction().last().copied();
    matches!(plan.body, Body::Contraction { .. }) && shorten(plan, var)
}

fn combiner(plan: &mut KernelPlan) -> bool {
    match &mut plan.body {
        Body::Reduce { combiner: combiner @ Combiner::Simple(Binary::Add), .. } => {
            *combiner = Combiner::Simple(Binary::Maximum);
            true
        }
        _ => false,
    }
}

fn start(plan: &mut KernelPlan) -> bool {
    let KernelPlan { exprs, body, .. } = plan;
    match body {
        Body::Reduce { inits, combiner: Combiner::Simple(Binary::Add), .. } => {
            let element = exprs.element(inits[0]);
            let bits = exprs.boolean(true);
            inits[0] = exprs.convert(element, bits);
            true
        }
        _ => false,
    }
}

fn operand_order(plan: &mut KernelPlan) -> bool {
    use Binary::{Divide, Remainder, ShiftLeft, Subtract};
    change_first(plan, |_, node| match *node {
        Node::Binary { op: op @ (Subtract | Divide | Remainder | ShiftLeft), a, b } if a != b => {
            Some(Node::Binary { op, a: b, b: a })
        }
        _ => None,
    })
}

fn select(plan: &mut KernelPlan) -> bool {
    change_first(plan, |_, node| match *node {
        Node::Select { condition, a, b } if a != b => Some(Node::Select { condition, a: b, b: a }),
        _ => None,
    })
}

fn comparison(plan: &mut KernelPlan) -> bool {
    change_first(plan, |_, node| match *node {
        Node::Compare { op, a, b } if a != b => {
            let op = match op {
                Compare::Lt => Compare::Le,
                Compare::Le => Compare::Lt,
                Compare::Gt => Compare::Ge,
                Compare::Ge => Compare::Gt,
                _ => return None,
            };
            Some(Node::Compare { op, a, b })
        }
        _ => None,
    })
}

fn in_range(plan: &mut KernelPlan) -> bool {
    change_first(plan, |_, node| match *node {
        Node::InRange { index, low, high } => Some(Node::InRange { index, low, high: high - 1 }),
        _ => None,
    })
}

fn store_too_far(plan: &mut KernelPlan) -> bool {
    let KernelPlan { exprs, body, .. } = plan;
    let Some(store) = body.stores_mut().and_then(|stores| stores.first_mut()) else { return false };
    store.offset = exprs.indices.offset(store.offset, 1);
    true
}

fn same_operand(plan: &mut KernelPlan) -> bool {
    match &mut plan.body {
        Body::Contraction { lhs, rhs, .. } if lhs != rhs => {
            *rhs = *lhs;
            true
        }
        _ => false,
    }
}

fn sort_order(plan: &mut KernelPlan) -> bool {
    let KernelPlan { exprs, body, .. } = plan;
    match body {
        Body::Sort { before, .. } => match *exprs.node(*before) {
            Node::Compare { op, a, b } => {
                *before = exprs.compare(op, b, a);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// Plants one kind of fault into the plans of the first programs; gives (planted, noticed).
fn planted(plant: Plant, cases: &[(u64, Case)]) -> (usize, usize) {
    let (mut places, mut noticed) = (0, 0);
    for (seed, case) in cases {
        let Ok((fused, planned)) = case.plan(super::target(*seed)) else { continue };
        for at in 0..planned.kernels.len() {
            let mut wrong = planned.clone();
            // A kernel without elements computes nothing.
            if wrong.kernels[at].buffers.iter().all(|b| b.elements > 0) && plant(&mut wrong.kernels[at]) {
                places += 1;
                noticed += usize::from(matches!(case.compare(&fused, &wrong), Outcome::Differs(_)));
            }
        }
    }
    (places, noticed)
}

#[test]
fn planted_faults_are_noticed() {
    let cases: Vec<(u64, Case)> =
        (1..800).filter_map(|seed| Some((seed, Case::new(&program(seed).text(), seed).ok()?))).collect();
    let rows: Vec<_> = FAULTS.iter().map(|&(what, plant, least)| (what, planted(plant, &cases), least)).collect();
    for (what, (places, noticed), least) in &rows {
        println!("{what}: planted {places}, noticed {noticed} (at least {least} %)");
    }
    for (what, (places, noticed), least) in rows {
        assert!(places >= 5 && noticed * 100 >= places * least, "{what}: {noticed} of {places} noticed");
    }
}

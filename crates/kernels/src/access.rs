//! How the loads and stores of a plan move with a loop variable: what schedules are chosen by.

use std::collections::BTreeSet;

use fornax_graph::ElementType;
use fornax_plan::index::gcd;
use fornax_plan::{Atom, Exprs, IndexId, KernelPlan, Node, NodeId, VarId};

/// How an offset changes when a variable goes up by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Not at all.
    Same,
    /// By this many elements.
    By(i64),
    /// Not evenly: a division or a loaded index is in between.
    Irregular,
}

impl Step {
    pub fn is_one(self) -> bool {
        self == Step::By(1)
    }
}

/// A load: what it reads and where.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub element: ElementType,
    pub offset: IndexId,
    pub masked: bool,
}

pub fn step(exprs: &Exprs, offset: IndexId, var: VarId) -> Step {
    let through_values = exprs.indices.linear(offset).terms.iter().any(|t| match exprs.indices.atom(t.0) {
        fornax_plan::Atom::Value { node, .. } => exprs.node_varies(node, var),
        _ => false,
    });
    match exprs.indices.stride(offset, var) {
        _ if through_values => Step::Irregular,
        None => Step::Irregular,
        Some(0) => Step::Same,
        Some(n) => Step::By(n),
    }
}

/// The same within so many lanes, of which the first is a multiple of their number.
///
/// Worked example: 8 lanes of i + 16·(i / 32): the quotient is the same for all of them, so they step by one.
pub fn step_within(exprs: &Exprs, offset: IndexId, var: VarId, lanes: i64) -> Step {
    match step(exprs, offset, var) {
        Step::Irregular => match lane_step(exprs, offset, var, lanes).map(|(stride, _)| stride) {
            None => Step::Irregular,
            Some(0) => Step::Same,
            Some(n) => Step::By(n),
        },
        even => even,
    }
}

/// By how much the lanes of an index step, and what the first one's is a multiple of; `None` where they do not step
/// evenly.
fn lane_step(exprs: &Exprs, id: IndexId, var: VarId, lanes: i64) -> Option<(i64, i64)> {
    let linear = exprs.indices.linear(id);
    let (mut stride, mut multiple) = (0i64, linear.constant.abs());
    for &(atom, by) in &linear.terms {
        let (own, each) = match exprs.indices.atom(atom) {
            Atom::Var(v) if v == var => (1, lanes),
            Atom::FloorDiv(x, m) => match lane_step(exprs, x, var, lanes)? {
                (0, each) => (0, if each % m == 0 { each / m } else { 1 }),
                // All lanes have the quotient of the first.
                (own, each) if own > 0 && own.checked_mul(lanes - 1)? < gcd(each, m) => {
                    (0, if each % m == 0 { each / m } else { 1 })
                }
                _ => return None,
            },
            Atom::Var(_) | Atom::Size(_) => (0, 1),
            Atom::Value { node, .. } if !exprs.node_varies(node, var) => (0, 1),
            _ => return None,
        };
        stride = stride.checked_add(by.checked_mul(own)?)?;
        multiple = gcd(multiple, by.checked_mul(each)?.abs());
    }
    Some((stride, multiple))
}

/// Loads that a node's value is made of, not those that only serve as an index, in id order.
pub fn loads(exprs: &Exprs, roots: &[NodeId]) -> Vec<Load> {
    let mut seen = BTreeSet::new();
    let mut stack = roots.to_vec();
    while let Some(node) = stack.pop() {
        if seen.insert(node) {
            match exprs.node(node) {
                // The mask of a load is no data.
                Node::Load { .. } => {}
                Node::Select { a, b, .. } => stack.extend([*a, *b]),
                _ => stack.extend(exprs.operands(node)),
            }
        }
    }
    let mut loads = Vec::new();
    for node in seen {
        if let Node::Load { element, offset, mask, .. } = *exprs.node(node) {
            loads.push(Load { element, offset, masked: mask.is_some() });
        }
    }
    loads
}

/// Whether all that a node loads lies along a variable, or stays where it is.
pub fn lies_along(exprs: &Exprs, node: NodeId, inner: VarId) -> bool {
    loads(exprs, &[node]).iter().all(|load| {
        let step = step(exprs, load.offset, inner);
        !load.masked && (step.is_one() || step == Step::Same)
    })
}

/// Work of one element: nodes that are not constants or index arithmetic, transcendental functions counted as eight.
pub fn work(plan: &KernelPlan, roots: &[NodeId]) -> u64 {
    let reached = fornax_plan::walk::Reached::from(&plan.exprs, roots.iter().copied(), &[]);
    let cost = |node: &NodeId| match plan.exprs.node(*node) {
        Node::Constant { .. } => 0,
        Node::Unary { op, .. } if !matches!(op, fornax_plan::Unary::Negate | fornax_plan::Unary::Abs) => 8,
        Node::Binary { op: fornax_plan::Binary::Divide | fornax_plan::Binary::Power, .. } => 8,
        _ => 1,
    };
    reached.nodes.iter().map(cost).sum::<u64>().max(1)
}

/// Bytes of the widest element that a plan loads or stores.
pub fn widest_bytes(plan: &KernelPlan) -> u32 {
    let roots = plan.body.roots();
    let loaded = loads(&plan.exprs, &roots).into_iter().map(|l| l.element.storage_bytes());
    let stored = plan.body.stores().iter().map(|s| plan.exprs.element(s.value).storage_bytes());
    loaded.chain(stored).max().unwrap_or(1).max(1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_a_vector_that_begins_evenly_share_a_quotient() {
        let mut x = Exprs::default();
        let (i, j) = (x.indices.add_var(4096), x.indices.add_var(64));
        let (along, row) = (x.indices.var(i), x.indices.var(j));
        let offset = |x: &mut Exprs, by: i64, m: i64| {
            let quotient = x.indices.floor_div(along, m);
            let quotient = x.indices.scale(quotient, by);
            let row = x.indices.scale(row, 2304);
            x.indices.add(quotient, row)
        };
        let scale = offset(&mut x, 18, 32);
        let bytes = x.indices.add(along, scale);
        assert_eq!(step(&x, scale, i), Step::Irregular);
        assert_eq!([scale, bytes].map(|offset| step_within(&x, offset, i, 8)), [Step::Same, Step::By(1)]);
        // Vectors are longer than what shares a quotient.
        let short = offset(&mut x, 18, 4);
        assert_eq!(step_within(&x, short, i, 8), Step::Irregular);
        // They begin where they like.
        let one = x.indices.offset(along, 1);
        let quotient = x.indices.floor_div(one, 32);
        assert_eq!(step_within(&x, quotient, i, 8), Step::Irregular);
        let eight = x.indices.offset(along, 8);
        let quotient = x.indices.floor_div(eight, 32);
        assert_eq!(step_within(&x, quotient, i, 8), Step::Same);
    }
}

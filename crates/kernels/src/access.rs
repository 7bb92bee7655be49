//! How the loads and stores of a plan move with a loop variable: what schedules are chosen by.

use std::collections::BTreeSet;

use fornax_graph::ElementType;
use fornax_plan::{Exprs, IndexId, KernelPlan, Node, NodeId, VarId};

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

//! Loads that run across the stores of a loop: what a transpose is made of.

use crate::expr::{Node, NodeId};
use crate::index::{Atom, IndexId, VarId};
use crate::kernel::{Body, KernelPlan};

impl KernelPlan {
    /// Loads that run along `along` while everything is stored along the last domain variable; in ascending order.
    pub fn crossing_loads(&self, along: VarId) -> Vec<NodeId> {
        let Body::Loop { stores } = &self.body else { return Vec::new() };
        let Some(&last) = self.domain.last() else { return Vec::new() };
        let even = |offset: IndexId| {
            let terms = &self.exprs.indices.linear(offset).terms;
            !terms.iter().any(|t| !matches!(self.exprs.indices.atom(t.0), Atom::Var(_) | Atom::FloorDiv(..)))
        };
        let mut open: Vec<NodeId> = stores.iter().map(|s| s.value).collect();
        let mut seen = std::collections::BTreeSet::new();
        while let Some(node) = open.pop() {
            if seen.insert(node) {
                open.extend(self.exprs.operands(node));
            }
        }
        let crosses = |node: &NodeId| match self.exprs.node(*node) {
            Node::Load { offset, mask: None, .. } => {
                let indices = &self.exprs.indices;
                let across = indices.stride(*offset, last);
                let own = indices.stride(*offset, along) == Some(1);
                own && across.is_some_and(|s| s.abs() > 1) && even(*offset)
            }
            _ => false,
        };
        seen.into_iter().filter(crosses).collect()
    }

    /// Whether the loop's value is made of this load and of constants only: the same anywhere.
    pub fn is_made_of(&self, load: NodeId) -> bool {
        let Body::Loop { stores } = &self.body else { return false };
        let mut open: Vec<NodeId> = stores.iter().map(|s| s.value).collect();
        let mut seen = std::collections::BTreeSet::from([load]);
        while let Some(node) = open.pop() {
            if matches!(self.exprs.node(node), Node::Load { .. } | Node::FromIndex { .. } | Node::InRange { .. })
                && node != load
            {
                return false;
            }
            if seen.insert(node) {
                open.extend(self.exprs.operands(node));
            }
        }
        true
    }
}

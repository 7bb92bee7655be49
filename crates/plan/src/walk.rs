//! What of the tables a kernel really uses: rewriting leaves dead entries behind, so printers and analyses start here.

use std::collections::BTreeSet;

use crate::expr::{Exprs, NodeId};
use crate::index::{Atom, AtomId, IndexId, VarId};
use crate::kernel::{Body, Combiner, KernelPlan};

/// Nodes and index expressions reachable from some roots, each set in ascending id order (operands before users).
#[derive(Clone, Debug, Default)]
pub struct Reached {
    pub nodes: BTreeSet<NodeId>,
    pub indices: BTreeSet<IndexId>,
}

impl Reached {
    /// Everything reachable from nodes and indices, through index atoms too.
    pub fn from(exprs: &Exprs, nodes: impl IntoIterator<Item = NodeId>, indices: &[IndexId]) -> Reached {
        let mut reached = Reached::default();
        let mut node_stack: Vec<NodeId> = nodes.into_iter().collect();
        let mut index_stack = indices.to_vec();
        loop {
            if let Some(node) = node_stack.pop() {
                if reached.nodes.insert(node) {
                    node_stack.extend(exprs.operands(node));
                    index_stack.extend(exprs.index_of(node));
                }
            } else if let Some(index) = index_stack.pop() {
                if reached.indices.insert(index) {
                    let mut atoms: Vec<AtomId> = exprs.indices.linear(index).terms.iter().map(|t| t.0).collect();
                    while let Some(atom) = atoms.pop() {
                        match exprs.indices.atom(atom) {
                            Atom::Var(_) | Atom::Size(_) => {}
                            Atom::FloorDiv(inner, _) => index_stack.push(inner),
                            Atom::Value { node, .. } => node_stack.push(node),
                            Atom::Product(a, b) => atoms.extend([a, b]),
                            Atom::Quotient(x, d) => index_stack.extend([x, d]),
                        }
                    }
                }
            } else {
                return reached;
            }
        }
    }
}

impl Body {
    /// Nodes that the body names directly.
    pub fn roots(&self) -> Vec<NodeId> {
        let mut roots: Vec<NodeId> = Vec::new();
        match self {
            Body::Loop { .. } => {}
            Body::Reduce { inputs, inits, combiner, .. } => {
                roots.extend(inputs.iter().chain(inits));
                if let Combiner::General(nodes) = combiner {
                    roots.extend(nodes);
                }
            }
            Body::Contraction { lhs, rhs, .. } => roots.extend([*lhs, *rhs]),
            Body::Products(p) => roots.extend(p.operands()),
            Body::Row { folds, .. } => roots.extend(folds.iter().flat_map(crate::row::RowFold::roots)),
            Body::Sort { operands, before, .. } => roots.extend(operands.iter().chain([before])),
            Body::Scan { input, .. } => roots.push(*input),
            Body::Update { condition, .. } => roots.push(*condition),
            Body::Segment { .. } | Body::Count { .. } | Body::Distribute { .. } => {
                roots.extend(self.segment_nodes().into_iter().chain(self.radix_nodes()));
            }
            Body::Attention(a) => roots.extend(a.nodes()),
            Body::FusedLoop(_) | Body::Bundle(_) | Body::Led(_) => {}
        }
        roots.extend(self.stores().iter().map(|s| s.value));
        roots
    }
}

impl KernelPlan {
    /// Everything the kernel uses.
    pub fn reached(&self) -> Reached {
        let offsets: Vec<IndexId> = self.body.stores().iter().map(|s| s.offset).collect();
        Reached::from(&self.exprs, self.body.roots(), &offsets)
    }
}

impl Exprs {
    /// Does the index depend on the variable, through divisions and loaded values too?
    pub fn index_varies(&self, index: IndexId, var: VarId) -> bool {
        let reached = Reached::from(self, [], &[index]);
        reached.indices.iter().any(|&i| self.uses_directly(i, var))
    }

    /// Does the node depend on the variable?
    pub fn node_varies(&self, node: NodeId, var: VarId) -> bool {
        let reached = Reached::from(self, [node], &[]);
        reached.indices.iter().any(|&i| self.uses_directly(i, var))
    }

    fn uses_directly(&self, index: IndexId, var: VarId) -> bool {
        self.indices.linear(index).terms.iter().any(|t| self.indices.has_factor(t.0, var))
    }
}

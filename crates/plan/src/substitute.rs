//! Rewriting index variables: how `schedule` collapses and splits loops without touching the expressions' meaning.

use std::collections::HashMap;

use crate::expr::{Binary, Exprs, Node, NodeId};
use crate::index::{Atom, AtomId, IndexId, VarId};

/// Replaces loop variables by index expressions in nodes and indices, memoised; one value serves one substitution.
pub struct Substitution<'a> {
    exprs: &'a mut Exprs,
    map: &'a HashMap<VarId, IndexId>,
    buffers: &'a [u32],
    /// By new number of a buffer: what is added to every offset in it.
    pub(crate) moved: &'a [Option<IndexId>],
    /// What takes the place of results of folds, by their number.
    pub reduced: HashMap<u32, NodeId>,
    /// Loads that depend on this variable read nothing where this is false.
    pub guard: Option<(VarId, NodeId)>,
    indices: HashMap<IndexId, IndexId>,
    nodes: HashMap<NodeId, NodeId>,
}

impl<'a> Substitution<'a> {
    pub fn new(exprs: &'a mut Exprs, map: &'a HashMap<VarId, IndexId>) -> Self {
        Substitution::renumbering(exprs, map, &[])
    }

    /// Also renumbers the buffers of loads: buffer `b` becomes `buffers[b]`; those past the end keep their number.
    pub fn renumbering(exprs: &'a mut Exprs, map: &'a HashMap<VarId, IndexId>, buffers: &'a [u32]) -> Self {
        let (indices, nodes, reduced) = (HashMap::new(), HashMap::new(), HashMap::new());
        Substitution { exprs, map, buffers, moved: &[], reduced, guard: None, indices, nodes }
    }

    /// Puts a node in the place of another one.
    pub fn replace(&mut self, node: NodeId, by: NodeId) {
        self.nodes.insert(node, by);
    }

    pub fn index(&mut self, id: IndexId) -> IndexId {
        if let Some(&done) = self.indices.get(&id) {
            return done;
        }
        let linear = self.exprs.indices.linear(id).clone();
        let mut sum = self.exprs.indices.constant(linear.constant);
        for (atom, coefficient) in linear.terms {
            let part = self.atom(atom);
            let scaled = self.exprs.indices.scale(part, coefficient);
            sum = self.exprs.indices.add(sum, scaled);
        }
        self.indices.insert(id, sum);
        sum
    }

    /// An offset in a buffer, by its new number.
    pub(crate) fn place(&mut self, buffer: u32, offset: IndexId) -> IndexId {
        let offset = self.index(offset);
        match self.moved.get(buffer as usize).copied().flatten() {
            Some(by) => self.exprs.indices.add(offset, by),
            None => offset,
        }
    }

    fn atom(&mut self, atom: AtomId) -> IndexId {
        match self.exprs.indices.atom(atom) {
            Atom::Var(v) => match self.map.get(&v) {
                Some(&replacement) => replacement,
                None => self.exprs.indices.var(v),
            },
            Atom::FloorDiv(x, m) => {
                let x = self.index(x);
                self.exprs.indices.floor_div(x, m)
            }
            Atom::Value { node, low, high } => {
                let node = self.node(node);
                self.exprs.indices.value(node, low, high)
            }
            Atom::Size(_) => self.exprs.indices.of_atom(self.exprs.indices.atom(atom)),
            Atom::Product(a, b) => {
                let (a, b) = (self.atom(a), self.atom(b));
                self.exprs.indices.multiply(a, b)
            }
            Atom::Quotient(x, d) => {
                let (x, d) = (self.index(x), self.index(d));
                self.exprs.indices.floor_div_by(x, d)
            }
        }
    }

    pub fn node(&mut self, id: NodeId) -> NodeId {
        if let Some(&done) = self.nodes.get(&id) {
            return done;
        }
        let new = match self.exprs.node(id).clone() {
            Node::Load { buffer, element, offset, mask } => {
                let buffer = self.buffers.get(buffer as usize).copied().unwrap_or(buffer);
                let guard = self.guard.filter(|(var, _)| self.exprs.index_varies(offset, *var)).map(|(_, node)| node);
                let (offset, mask) = (self.place(buffer, offset), mask.map(|m| self.node(m)));
                let mask = match (mask, guard) {
                    (Some(a), Some(b)) => Some(self.exprs.binary(Binary::And, a, b)),
                    (mask, guard) => mask.or(guard),
                };
                Node::Load { buffer, element, offset, mask }
            }
            Node::FromIndex { element, index } => Node::FromIndex { element, index: self.index(index) },
            Node::InRange { index, low, high } => Node::InRange { index: self.index(index), low, high },
            Node::Unary { op, a } => Node::Unary { op, a: self.node(a) },
            Node::Binary { op, a, b } => Node::Binary { op, a: self.node(a), b: self.node(b) },
            Node::Compare { op, a, b } => Node::Compare { op, a: self.node(a), b: self.node(b) },
            Node::Select { condition, a, b } => {
                Node::Select { condition: self.node(condition), a: self.node(a), b: self.node(b) }
            }
            Node::Convert { element, a } => Node::Convert { element, a: self.node(a) },
            Node::Bitcast { element, a } => Node::Bitcast { element, a: self.node(a) },
            Node::ReducePrecision { exponent, mantissa, a } => {
                Node::ReducePrecision { exponent, mantissa, a: self.node(a) }
            }
            Node::Reduced { index, .. } if self.reduced.contains_key(&index) => return self.reduced[&index],
            leaf @ (Node::Constant { .. } | Node::Reduced { .. } | Node::Running { .. } | Node::Incoming { .. }) => {
                leaf
            }
        };
        let new = self.exprs.add(new);
        self.nodes.insert(id, new);
        new
    }
}

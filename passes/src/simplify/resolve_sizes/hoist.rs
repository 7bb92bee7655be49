//! Sizes computed in branches and loops from what is outside of them: they are computed in the entry block, where the
//! host reads them.
//!
//! Worked example: `if %p` counts the positive elements of an argument and makes an `iota` as long. Branches have no
//! state, so that the count can be made before the `if`; where the branch is not taken, it is 0: nothing is checked or
//! allocated for it.
//!
//! Limits: what depends on the state of a loop is not there before the loop; a branch within a loop is hoisted where
//! its condition is, too.

use std::collections::HashSet;

use fornax_graph::{Attr, BlockId, Constant, Definition, ElementType, NewOp, OpId, OpKind, TensorType, Type, ValueId};

use crate::rewrite::build::element_bytes;
use crate::rewrite::copy::{ValueMap, copy_op};
use super::super::has_side_effect;
use super::Resolver;

/// Ops that are computed before their time, at most.
const MOST_OPS: usize = 1000;

impl Resolver<'_> {
    /// A value of the entry block that is `value` wherever that is computed.
    pub fn hoisted(&mut self, value: ValueId) -> Option<ValueId> {
        if self.in_entry(value) {
            return Some(value);
        }
        if let Some(&known) = self.hoisted.get(&value) {
            return known;
        }
        // Until it is found it is not known: a condition that depends on it is not, either.
        self.hoisted.insert(value, None);
        let found = self.hoist(value);
        self.hoisted.insert(value, found);
        found
    }

    fn hoist(&mut self, value: ValueId) -> Option<ValueId> {
        let (mut chain, mut seen) = (Vec::new(), HashSet::new());
        let mut map = ValueMap::new();
        self.collect(value, &mut chain, &mut seen, &mut map)?;
        let guards = self.guards(value)?;
        let block = self.home(value)?;
        let outermost = self.in_entry_around(block)?;
        for id in chain {
            let copy = copy_op(self.graph, id, &mut map);
            let results = self.insert_before(outermost, copy);
            map.extend(self.graph.op(id).results.iter().copied().zip(results));
        }
        let mut found = map.get(&value).copied()?;
        for (condition, taken) in guards {
            found = self.guarded(outermost, condition, taken, found)?;
        }
        Some(found)
    }

    /// Ops inside of regions that a value is computed from, in order; arguments of a loop that every round hands on are
    /// what the loop was given.
    fn collect(
        &self,
        value: ValueId,
        chain: &mut Vec<OpId>,
        seen: &mut HashSet<OpId>,
        map: &mut ValueMap,
    ) -> Option<()> {
        if self.in_entry(value) || map.contains_key(&value) {
            return Some(());
        }
        let Some(id) = self.graph.producer(value) else {
            let given = self.kept(value)?;
            self.collect(given, chain, seen, map)?;
            let given = map.get(&given).copied().unwrap_or(given);
            map.insert(value, given);
            return Some(());
        };
        if seen.len() >= MOST_OPS || has_side_effect(self.graph, id) {
            return None;
        }
        if !seen.insert(id) {
            return Some(());
        }
        for outer in self.read_by(id) {
            self.collect(outer, chain, seen, map)?;
        }
        chain.push(id);
        Some(())
    }

    /// Values that an op and its regions read and do not make.
    fn read_by(&self, id: OpId) -> Vec<ValueId> {
        let (mut read, mut made) = (self.graph.op(id).operands.clone(), HashSet::new());
        let mut inner = Vec::new();
        for &region in &self.graph.op(id).regions {
            for &block in &self.graph.region(region).blocks {
                made.extend(self.graph.block(block).arguments.iter().copied());
                self.graph.walk(block, &mut |op| inner.push(op));
            }
        }
        for op in inner {
            let op = self.graph.op(op);
            read.extend(&op.operands);
            made.extend(op.results.iter().copied());
            let blocks = op.regions.iter().flat_map(|&region| &self.graph.region(region).blocks);
            made.extend(blocks.flat_map(|&block| &self.graph.block(block).arguments).copied());
        }
        read.retain(|value| !made.contains(value));
        read
    }

    fn home(&self, value: ValueId) -> Option<BlockId> {
        Some(match self.graph.value(value).definition {
            Definition::Result { op, .. } => self.graph.op(op).block,
            Definition::Argument { block, .. } => block,
        })
    }

    /// The op of the entry block that a block is in.
    fn in_entry_around(&self, mut block: BlockId) -> Option<OpId> {
        loop {
            let owner = *self.owners.get(&block)?;
            block = self.graph.op(owner).block;
            if block == self.entry {
                return Some(owner);
            }
        }
    }

    /// The branches that a value stands in, innermost first: the condition in the entry block, and which branch it is.
    fn guards(&mut self, value: ValueId) -> Option<Vec<(ValueId, (usize, usize))>> {
        let (mut block, mut guards) = (self.home(value)?, Vec::new());
        while block != self.entry {
            let owner = *self.owners.get(&block)?;
            let op = self.graph.op(owner).clone();
            if op.kind != OpKind::While {
                let branch = op.regions.iter().position(|&r| self.graph.region(r).blocks.contains(&block))?;
                let condition = self.hoisted(*op.operands.first()?)?;
                guards.push((condition, (branch, op.regions.len())));
            }
            block = op.block;
        }
        Some(guards)
    }

    /// `value` where the branch is taken, else 0.
    fn guarded(
        &mut self,
        before: OpId,
        condition: ValueId,
        (branch, of): (usize, usize),
        value: ValueId,
    ) -> Option<ValueId> {
        let ty = self.graph.ty(value).as_tensor()?.clone();
        let zero = self.number(before, ty.clone(), 0);
        let index = self.graph.ty(condition).as_tensor()?.clone();
        let (taken, straight) = if index.element == ElementType::I1 {
            (condition, branch == 0)
        } else if branch + 1 < of {
            let number = self.number(before, index, branch as i128);
            (self.compared_to(before, "EQ", condition, number)?, true)
        } else {
            // The last branch is also that of every number outside.
            let (low, high) = (self.number(before, index.clone(), 0), self.number(before, index, branch as i128));
            let below = self.compared_to(before, "LT", condition, low)?;
            let above = self.compared_to(before, "GE", condition, high)?;
            let location = self.graph.op(before).location;
            let truth = vec![Type::tensor(&[], ElementType::I1)];
            let either = self.insert_before(before, NewOp::new(OpKind::Or, vec![below, above], truth, location));
            (*either.first()?, true)
        };
        let (yes, no) = if straight { (value, zero) } else { (zero, value) };
        let location = self.graph.op(before).location;
        let select = NewOp::new(OpKind::Select, vec![taken, yes, no], vec![Type::Tensor(ty)], location);
        self.insert_before(before, select).first().copied()
    }

    fn number(&mut self, before: OpId, ty: TensorType, number: i128) -> ValueId {
        let bytes = element_bytes(ty.element, fornax_reference::Scalar::Int(number));
        let constant = self.graph.add_constant(Constant::splat(ty.clone(), bytes));
        let location = self.graph.op(before).location;
        let new = NewOp::new(OpKind::Constant, Vec::new(), vec![Type::Tensor(ty)], location);
        self.insert_before(before, new.attr("value", Attr::Dense(constant)))[0]
    }

    fn compared_to(&mut self, before: OpId, direction: &str, a: ValueId, b: ValueId) -> Option<ValueId> {
        let location = self.graph.op(before).location;
        let truth = vec![Type::tensor(&[], ElementType::I1)];
        let new = NewOp::new(OpKind::Compare, vec![a, b], truth, location)
            .attr("comparison_direction", Attr::Enum("comparison_direction".into(), direction.into()))
            .attr("compare_type", Attr::Enum("comparison_type".into(), "SIGNED".into()));
        self.insert_before(before, new).first().copied()
    }

    fn insert_before(&mut self, before: OpId, new: NewOp) -> Vec<ValueId> {
        let block = self.graph.op(before).block;
        let at = self.graph.block(block).ops.iter().position(|&op| op == before).unwrap_or(0);
        let op = self.graph.insert_op(block, at, new);
        self.graph.op(op).results.clone()
    }
}

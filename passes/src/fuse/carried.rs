//! What a block must store so that a value can be written where it is.
//!
//! Input: a block. Output: by value that it updates, all values that follow from the old one. A group that makes the
//! new value of a loop element by element from the old one may overwrite it (`program::coalesce`), and so may a scatter
//! in place (`schedule::update`), in a loop or not: then nothing else of the old value may be read in the same kernel.
//! So what such a group would read of other elements is stored by a kernel before: slices and gathered rows that are
//! small against the value, and of a scatter's operands whatever one kernel would compute from the value.
//!
//! Worked example: `a' = a − column·row` with both slices of a: they are two kernels of n elements, and the difference
//! is made in place.

use std::collections::HashSet;

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};

use super::extents::elements;
use crate::errors::PassError;
use crate::facts::donated::buffer_of;
use crate::facts::ops::{Class, row};
use crate::facts::parts::is_update;

/// Elements below which a carried value is written as a whole.
const ELEMENTS_MIN: i64 = 256;
/// How much smaller than the value a slice must be.
const SHARE: i64 = 4;

/// A value that the body carries.
struct Carried {
    given: ValueId,
    elements: i64,
    follows: HashSet<ValueId>,
}

/// A value that a scatter updates where it is.
struct Updated {
    result: ValueId,
    /// What one kernel would compute from the old value: not through products and reductions, whose results are stored.
    follows: HashSet<ValueId>,
}

/// Of a block: the values that it updates.
#[derive(Default)]
pub struct Updates {
    /// Of a loop's body: what it carries.
    carried: Vec<Carried>,
    in_place: Vec<Updated>,
}

impl Updates {
    /// # Errors
    /// FX0901 for values that are no tensors.
    pub fn of(graph: &Graph, block: BlockId) -> Result<Updates, PassError> {
        let ops = &graph.block(block).ops;
        let updates = ops.iter().filter(|&&op| is_update(graph, op)).map(|&op| {
            let data = graph.op(op);
            let (operand, result) = (data.operands[0], data.results[0]);
            let from = HashSet::from([operand, buffer_of(graph, operand)]);
            let stored = |kind| row(kind).is_none_or(|r| !matches!(r.class, Class::Elementwise | Class::Index));
            Updated { result, follows: following(graph, block, from, &stored) }
        });
        Ok(Updates { carried: Updates::carried(graph, block), in_place: updates.collect() })
    }

    fn carried(graph: &Graph, block: BlockId) -> Vec<Carried> {
        let data = graph.block(block);
        let Some(end) = data.ops.last().map(|&op| graph.op(op)) else { return Vec::new() };
        let same = data.arguments.len() == end.operands.len()
            && data.arguments.iter().zip(&end.operands).all(|(&a, &b)| graph.ty(a) == graph.ty(b));
        if end.kind != OpKind::Return || !same {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (&argument, &given) in data.arguments.iter().zip(&end.operands) {
            let known = graph.ty(argument).as_tensor().and_then(|ty| ty.static_shape());
            let Some(count) = known.map(|shape| shape.iter().product::<i64>()) else { continue };
            if count < ELEMENTS_MIN || argument == given {
                continue;
            }
            let follows = following(graph, block, HashSet::from([argument]), &|_| false);
            found.push(Carried { given, elements: count, follows });
        }
        found
    }

    /// New values, written where they are, whose old value some ops of the block make one of `values` from.
    pub fn of_old<'u>(&'u self, values: &'u [ValueId]) -> impl Iterator<Item = ValueId> + 'u {
        let reads = |update: &&Updated| values.iter().any(|value| update.follows.contains(value));
        self.in_place.iter().filter(reads).map(|update| update.result)
    }

    /// Whether a group that stores `roots` is to read the result of `op` from memory; `scatter`: it updates a value
    /// where it is.
    ///
    /// # Errors
    /// FX0901 for values that are no tensors.
    pub fn keep_apart(&self, graph: &Graph, op: OpId, roots: &[ValueId], scatter: bool) -> Result<bool, PassError> {
        if self.carried.is_empty() && self.in_place.is_empty() {
            return Ok(false);
        }
        let data = graph.op(op);
        let Some(&result) = data.results.first() else { return Ok(false) };
        if scatter {
            let of = |u: &Updated| roots.contains(&u.result) && u.follows.contains(&result);
            return Ok(self.in_place.iter().any(of));
        }
        if !matches!(data.kind, OpKind::DynamicSlice | OpKind::Gather | OpKind::Slice) {
            return Ok(false);
        }
        let count = elements(graph, result)?;
        let of = |c: &Carried| {
            roots.contains(&c.given) && c.follows.contains(&result) && count.saturating_mul(SHARE) <= c.elements
        };
        Ok(self.carried.iter().any(of))
    }
}

/// What ops of a block make of some values; behind an op that `stops`, nothing.
fn following(
    graph: &Graph,
    block: BlockId,
    mut from: HashSet<ValueId>,
    stops: &dyn Fn(OpKind) -> bool,
) -> HashSet<ValueId> {
    for &op in &graph.block(block).ops {
        let data = graph.op(op);
        if data.operands.iter().any(|v| from.contains(v)) && !stops(data.kind) {
            from.extend(&data.results);
        }
    }
    from
}

//! What the body of a loop must store so that a value that it carries can be written where it is.
//!
//! Input: a block that gives back as many values as it has arguments. Output: by argument, the value given back in its
//! place and all values that follow from it. A group that makes the new value element by element from the old one may
//! overwrite it (`program::coalesce`), and so may a scatter of one window (`schedule::update`): then nothing else of
//! the old value may be read in the same kernel. So what such a group would read of other elements is stored by a
//! kernel before: slices and gathered rows that are small against the value, and of a scatter's operands whatever
//! follows from the value.
//!
//! Worked example: `a' = a − column·row` with both slices of a: they are two kernels of n elements, and the difference
//! is made in place.

use std::collections::HashSet;

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};

use super::extents::elements;
use crate::errors::PassError;

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

/// Of a block: its carried values. None of a block that is no loop's body.
#[derive(Default)]
pub struct Updates(Vec<Carried>);

impl Updates {
    /// # Errors
    /// FX0901 for values that are no tensors.
    pub fn of(graph: &Graph, block: BlockId) -> Result<Updates, PassError> {
        let data = graph.block(block);
        let Some(end) = data.ops.last().map(|&op| graph.op(op)) else { return Ok(Updates::default()) };
        let same = data.arguments.len() == end.operands.len()
            && data.arguments.iter().zip(&end.operands).all(|(&a, &b)| graph.ty(a) == graph.ty(b));
        if end.kind != OpKind::Return || !same {
            return Ok(Updates::default());
        }
        let mut found = Vec::new();
        for (&argument, &given) in data.arguments.iter().zip(&end.operands) {
            let known = graph.ty(argument).as_tensor().and_then(|ty| ty.static_shape());
            let Some(count) = known.map(|shape| shape.iter().product::<i64>()) else { continue };
            if count < ELEMENTS_MIN || argument == given {
                continue;
            }
            let mut follows = HashSet::from([argument]);
            for &op in &data.ops {
                if graph.op(op).operands.iter().any(|v| follows.contains(v)) {
                    follows.extend(&graph.op(op).results);
                }
            }
            found.push(Carried { given, elements: count, follows });
        }
        Ok(Updates(found))
    }

    /// Whether a group that stores `roots` is to read the result of `op` from memory; `scatter`: it updates a value
    /// where it is.
    ///
    /// # Errors
    /// FX0901 for values that are no tensors.
    pub fn keep_apart(&self, graph: &Graph, op: OpId, roots: &[ValueId], scatter: bool) -> Result<bool, PassError> {
        if self.0.is_empty() {
            return Ok(false);
        }
        let data = graph.op(op);
        let moves = matches!(data.kind, OpKind::DynamicSlice | OpKind::Gather | OpKind::Slice);
        let Some(&result) = data.results.first().filter(|_| moves || scatter) else { return Ok(false) };
        let count = elements(graph, result)?;
        let of = |c: &Carried| {
            roots.contains(&c.given)
                && c.follows.contains(&result)
                && (scatter || count.saturating_mul(SHARE) <= c.elements)
        };
        Ok(self.0.iter().any(of))
    }
}

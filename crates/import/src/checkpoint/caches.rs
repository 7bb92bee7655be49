//! A layer's caches: where a call's rows go, and what its attention reads.
//!
//! | whose tokens | caches | a call's rows | attention reads |
//! | --- | --- | --- | --- |
//! | of the only text | `[kv heads, context, head width]` | one block | all |
//! | of the text in a slot | `[slots, kv heads, context, head width]` | one block | the slot's block |
//! | of one text a slot | the same | one row a slot, each at its own position | all |
//!
//! The slots come first, so that a text's caches lie together: a slot can be moved, and a text's attention reads one
//! piece of memory a head, whatever lies beside it.
//!
//! Rows are written in place. The block of a slot is copied for its attention once a call, of each layer's keys and
//! values in turn: attention kernels take no operand that lies at a place of run time.

use super::text::{Pairing, Text, Value};

/// Of a layer.
pub struct Caches {
    pub keys: Value,
    pub values: Value,
}

/// Whose tokens those of a call are; all are i32.
#[derive(Clone)]
pub enum Whose {
    /// Of the only text, from a position on.
    Only { position: Value },
    /// Of the text in a slot, from a position on.
    Slot { slot: Value, position: Value },
    /// Token n is of the text in slot n, at position n of `[slots]`. One that is negative has no text.
    Each { positions: Value },
}

impl Whose {
    /// Writes a call's rows `[tokens, kv heads, head width]`.
    pub fn write(&self, t: &mut Text, cache: &mut Value, rows: &Value) {
        let rows = t.convert(rows, cache.element);
        if let Whose::Each { positions } = self {
            let &[slots, heads, width] = rows.shape.as_slice() else { return };
            let rows = t.reshape(&rows, &[slots, heads, 1, width]);
            *cache = t.update_each(cache, &rows, positions);
            return;
        }
        let rows = t.transpose(&rows, &[1, 0, 2]);
        let zero = t.index(0);
        *cache = match self {
            Whose::Slot { slot, position } => {
                let block: Vec<u64> = std::iter::once(1).chain(rows.shape.iter().copied()).collect();
                let rows = t.reshape(&rows, &block);
                t.update(cache, &rows, &[slot, &zero, position, &zero])
            }
            Whose::Only { position } | Whose::Each { positions: position } => {
                t.update(cache, &rows, &[&zero, position, &zero])
            }
        };
    }

    /// What attention reads: `[kv heads, context, head width]`, or that once a slot.
    pub fn read(&self, t: &mut Text, cache: &Value) -> Value {
        let Whose::Slot { slot, .. } = self else { return cache.clone() };
        let one = cache.shape.get(1..).unwrap_or_default().to_vec();
        let block: Vec<u64> = std::iter::once(1).chain(one.iter().copied()).collect();
        let zero = t.index(0);
        let found = t.block(cache, &[slot, &zero, &zero, &zero], &block);
        t.reshape(&found, &one)
    }

    /// Queries `[tokens, kv heads, group, head width]` as attention takes them: tokens are rows of their heads, or
    /// slots.
    pub fn queries(&self, t: &mut Text, queries: &Value) -> Value {
        match self {
            Whose::Each { .. } => queries.clone(),
            _ => t.transpose(queries, &[1, 2, 0, 3]),
        }
    }

    /// What attention gives as `[tokens, kv heads, group, head width]`.
    pub fn mixed(&self, t: &mut Text, mixed: &Value) -> Value {
        match self {
            Whose::Each { .. } => mixed.clone(),
            _ => t.transpose(mixed, &[2, 0, 1, 3]),
        }
    }

    /// Where tokens and context are among the dimensions of scores.
    pub fn token_and_context(&self) -> [usize; 2] {
        match self {
            Whose::Each { .. } => [0, 3],
            _ => [2, 3],
        }
    }

    /// Queries with keys, and weights with values.
    pub fn pairings(&self) -> (Pairing, Pairing) {
        let (batching, summed): (&[usize], usize) = match self {
            Whose::Each { .. } => (&[0, 1], 3),
            _ => (&[0], 2),
        };
        (Pairing { batching, left: 3, right: summed }, Pairing { batching, left: 3, right: summed - 1 })
    }
}

//! A layer's caches: where a call's rows go, and what its attention reads.
//!
//! | whose tokens | caches | a call's rows | attention reads |
//! | --- | --- | --- | --- |
//! | of the only text | `[kv heads, context, head width]` | one block | all |
//! | of the text in a slot | `[slots, kv heads, context, head width]` | one block | the slot's block |
//! | of one text a slot | the same | one row a slot, each at its own position | all |
//! | of one text a slot, several of each | the same | one by one | all |
//! | of one text or several, in pages | `[pages, kv heads, page, head width]` | one by one | the pages of its table |
//!
//! The slots come first, so that a text's caches lie together: a slot can be moved, and a text's attention reads one
//! piece of memory a head, whatever lies beside it.
//!
//! Rows are written in place. The block of a slot, or of a prompt's pages, is copied for its attention once a call, of
//! each layer's keys and values in turn: kernels for many rows take no operand that lies at a place of run time.

//! Rows of 8 bits are divided by a scale each, that of their largest element, which lies in a cache of its own. Scores
//! and weights are multiplied by it, a number each, so that products read the bits as they are.

use fornax_types::ElementType;

use super::pages::Pages;
use super::text::{Pairing, Text, Value};

/// Of a layer.
pub struct Caches {
    pub keys: Cache,
    pub values: Cache,
    /// Type of products' operands.
    pub operand: ElementType,
}

/// Keys or values.
pub struct Cache {
    pub elements: Value,
    /// What rows were divided by, `[…, context, 1]`.
    pub scales: Option<Value>,
}

/// Whether caches of a type have scales.
pub fn has_scales(element: ElementType) -> bool {
    element.storage_bytes() == 1
}

impl Caches {
    /// What products of queries and weights take: caches of 8 bits are widened where they are multiplied.
    pub fn operand(&self) -> ElementType {
        let element = self.keys.elements.element;
        if has_scales(element) { self.operand } else { element }
    }
}

/// Whose tokens those of a call are; all are i32.
#[derive(Clone)]
pub enum Whose {
    /// Of the only text, from a position on.
    Only { position: Value },
    /// Of the text in a slot, from a position on.
    Slot { slot: Value, position: Value },
    /// `each` tokens a slot, one behind the other: token n is of the text in slot n / `each`, at position n of
    /// `[slots · each]`. One that is negative is of no text.
    Each { positions: Value, each: u64 },
    /// Of one text from a position on, in its pages.
    OneInPages { position: Value, pages: Pages },
    /// The same of texts in pages.
    EachInPages { positions: Value, each: u64, pages: Pages },
}

impl Whose {
    /// Writes a call's rows `[tokens, kv heads, head width]`.
    pub fn write(&self, t: &mut Text, cache: &mut Cache, rows: &Value) {
        let Some(scales) = &mut cache.scales else {
            let rows = t.convert(rows, cache.elements.element);
            return self.place(t, &mut cache.elements, &rows);
        };
        let (rows, scale) = scaled(t, rows, cache.elements.element);
        self.place(t, &mut cache.elements, &rows);
        self.place(t, scales, &scale);
    }

    /// Tokens of each text, where there is more than one.
    fn each(&self) -> Option<u64> {
        match self {
            Whose::Each { each, .. } | Whose::EachInPages { each, .. } => Some(*each),
            Whose::Only { .. } | Whose::Slot { .. } | Whose::OneInPages { .. } => None,
        }
    }

    fn place(&self, t: &mut Text, cache: &mut Value, rows: &Value) {
        if let Whose::OneInPages { pages, .. } | Whose::EachInPages { pages, .. } = self {
            *cache = pages.write(t, cache, rows);
            return;
        }
        if let Whose::Each { positions, each } = self {
            let &[slots, heads, width] = rows.shape.as_slice() else { return };
            if *each > 1 {
                let places = in_slots(t, positions, *each);
                *cache = t.scatter_rows(cache, rows, &places);
                return;
            }
            let rows = t.reshape(rows, &[slots, heads, 1, width]);
            *cache = t.update_each(cache, &rows, positions);
            return;
        }
        let rows = t.transpose(rows, &[1, 0, 2]);
        let zero = t.index(0);
        *cache = match self {
            Whose::Slot { slot, position } => {
                let block: Vec<u64> = std::iter::once(1).chain(rows.shape.iter().copied()).collect();
                let rows = t.reshape(&rows, &block);
                t.update(cache, &rows, &[slot, &zero, position, &zero])
            }
            Whose::Only { position }
            | Whose::Each { positions: position, .. }
            | Whose::OneInPages { position, .. }
            | Whose::EachInPages { positions: position, .. } => t.update(cache, &rows, &[&zero, position, &zero]),
        };
    }

    /// What products read, as they take it.
    pub fn read(&self, t: &mut Text, cache: &Cache, operand: ElementType) -> Value {
        let elements = self.block(t, &cache.elements);
        t.convert(&elements, operand)
    }

    /// Scores or weights, multiplied by the scales of their keys' or values' rows.
    pub fn scale(&self, t: &mut Text, scores: Value, cache: &Cache) -> Value {
        let Some(scales) = &cache.scales else { return scores };
        let scales = self.block(t, scales);
        let scales = t.reshape(&scales, scales.outer());
        let dims: &[usize] = match self.each() {
            None => &[0, 3],
            Some(1) => &[0, 1, 3],
            Some(_) => &[0, 1, 4],
        };
        let scales = t.broadcast(&scales, &scores.shape, dims);
        t.binary("multiply", &scores, &scales)
    }

    /// What attention reads: `[kv heads, context, head width]`, or that once a slot.
    fn block(&self, t: &mut Text, cache: &Value) -> Value {
        let slot = match self {
            Whose::Slot { slot, .. } => slot,
            Whose::OneInPages { pages, .. } | Whose::EachInPages { pages, .. } => return pages.read(t, cache),
            Whose::Only { .. } | Whose::Each { .. } => return cache.clone(),
        };
        let one = cache.shape.get(1..).unwrap_or_default().to_vec();
        let block: Vec<u64> = std::iter::once(1).chain(one.iter().copied()).collect();
        let zero = t.index(0);
        let found = t.block(cache, &[slot, &zero, &zero, &zero], &block);
        t.reshape(&found, &one)
    }

    /// Queries `[tokens, kv heads, group, head width]` as attention takes them: tokens are rows of their heads, or
    /// slots, or rows of the heads of their slot.
    pub fn queries(&self, t: &mut Text, queries: &Value) -> Value {
        match self.each() {
            None => t.transpose(queries, &[1, 2, 0, 3]),
            Some(1) => queries.clone(),
            Some(each) => {
                let of_slots = by_slots(t, queries, each);
                t.transpose(&of_slots, &[0, 2, 3, 1, 4])
            }
        }
    }

    /// What attention gives as `[tokens, kv heads, group, head width]`.
    pub fn mixed(&self, t: &mut Text, mixed: &Value) -> Value {
        match self.each() {
            None => t.transpose(mixed, &[2, 0, 1, 3]),
            Some(1) => mixed.clone(),
            Some(_) => t.transpose(mixed, &[0, 3, 1, 2, 4]),
        }
    }

    /// Who sees whom, `[tokens, context]`, for each of scores.
    pub fn spread_seen(&self, t: &mut Text, seen: &Value, scores: &Value) -> Value {
        match self.each() {
            None => t.broadcast(seen, &scores.shape, &[2, 3]),
            Some(1) => t.broadcast(seen, &scores.shape, &[0, 3]),
            Some(each) => {
                let seen = by_slots(t, seen, each);
                t.broadcast(&seen, &scores.shape, &[0, 3, 4])
            }
        }
    }

    /// Queries with keys, and weights with values.
    pub fn pairings(&self) -> (Pairing, Pairing) {
        let (batching, left, summed): (&[usize], usize, usize) = match self.each() {
            None => (&[0], 3, 2),
            Some(1) => (&[0, 1], 3, 3),
            Some(_) => (&[0, 1], 4, 3),
        };
        (Pairing { batching, left, right: summed }, Pairing { batching, left, right: summed - 1 })
    }
}

/// Rows `[slots · each, …]` as `[slots, each, …]`.
fn by_slots(t: &mut Text, rows: &Value, each: u64) -> Value {
    let (count, row) = rows.shape.split_first().map_or((each, &[][..]), |(count, row)| (*count, row));
    let shape: Vec<u64> = [count / each, each].iter().chain(row).copied().collect();
    t.reshape(rows, &shape)
}

/// Slot and row of tokens, `each` of a slot; a slot of -1 where the position is none.
fn in_slots(t: &mut Text, positions: &Value, each: u64) -> Value {
    let tokens = positions.last();
    let [none, nowhere] = ["0", "-1"].map(|number| t.splat(number, ElementType::I32, &[tokens]));
    let counts = t.compare("GE", positions, &none);
    let token = t.iota(&[tokens], 0);
    let slots = t.binary_with("divide", &token, &each.to_string());
    let slots = t.select(&counts, &slots, &nowhere);
    let [slots, rows] = [&slots, positions].map(|column| t.reshape(column, &[tokens, 1]));
    t.concatenate(&[&slots, &rows], 1)
}

/// Rows as elements of 8 bits, and what they are divided by for that, `[…, 1]`.
fn scaled(t: &mut Text, rows: &Value, element: ElementType) -> (Value, Value) {
    /// Largest elements: of integers, and of E4M3.
    const LARGEST: [f64; 2] = [127.0, 448.0];
    /// A row of zeros is divided by something.
    const LEAST: f64 = 1e-30;
    let magnitudes = t.unary("abs", rows);
    let most = t.reduce_last("maximum", &magnitudes);
    let least = t.float(LEAST, &most.shape);
    let most = t.binary("maximum", &most, &least);
    let [integer, float] = LARGEST;
    let largest = t.float(if element.is_integer() { integer } else { float }, &most.shape);
    let scales = t.binary("divide", &most, &largest);
    let each = t.spread(&scales, &rows.shape);
    let mut rows = t.binary("divide", rows, &each);
    if element.is_integer() {
        rows = t.unary("round_nearest_even", &rows);
    }
    let shape: Vec<u64> = scales.shape.iter().copied().chain([1]).collect();
    (t.convert(&rows, element), t.reshape(&scales, &shape))
}

//! Caches in pages: all texts share one pool, and a block table says which page of it has which tokens of a text.
//!
//! | | |
//! | --- | --- |
//! | pool of a cache | `[pages, kv heads, PAGE, head width]` |
//! | block table of a text | `[context / PAGE]` of i32: the page of tokens 0 … PAGE − 1, of the next ones, … |
//! | a token at position p | row p mod PAGE of page table[p / PAGE] |
//!
//! An entry of −1 has no page. A write there goes nowhere, as a scatter does outside of its operand; a read is of page
//! 0, as a gather clamps. So page 0 belongs to no text and stays zeros: weights of 0 times what another text left there
//! could be no number.
//!
//! Worked example: pages of 32, a table [4, 2, −1]: position 40 is row 8 of page 2; position 64 has no place.

use fornax_types::ElementType;

use super::text::{Text, Value};

/// Tokens of a page. As many as a chunk has without `--chunk`, so that texts share what one chunk wrote; a multiple of
/// the 16 columns that a warp reads at a time in attention of few rows. A text leaves half a page unused on average.
pub const PAGE: u64 = 32;

/// Whose pages a call writes and reads.
#[derive(Clone)]
pub struct Pages {
    /// Block tables, `[context / PAGE]` or `[texts, context / PAGE]`.
    table: Value,
    /// Page and row of each token of the call, `[tokens, 2]`; a page of −1 for tokens that do not count.
    places: Value,
}

impl Pages {
    /// Of a prompt: `count` tokens at `position` and behind it.
    pub fn of_text(t: &mut Text, table: Value, tokens: u64, (position, count): (&Value, &Value)) -> Pages {
        let number = t.iota(&[tokens], 0);
        let counts = t.spread(count, &[tokens]);
        let counts = t.compare("LT", &number, &counts);
        let start = t.spread(position, &[tokens]);
        let positions = t.binary("add", &number, &start);
        let entries = t.binary_with("divide", &positions, &PAGE.to_string());
        let places = places(t, &table, &entries, (&positions, &counts));
        Pages { table, places }
    }

    /// Of as many tokens of each text, one behind the other; a negative position is of no text.
    pub fn of_texts(t: &mut Text, table: Value, positions: &Value) -> Pages {
        let &[texts, each] = table.shape.as_slice() else { return Pages { places: positions.clone(), table } };
        let tokens = positions.last();
        let none = t.splat("0", ElementType::I32, &[tokens]);
        let counts = t.compare("GE", positions, &none);
        let positions = t.binary("maximum", positions, &none);
        let mut text = t.iota(&[tokens], 0);
        if tokens > texts {
            text = t.binary_with("divide", &text, &(tokens / texts).to_string());
        }
        let first = t.binary_with("multiply", &text, &each.to_string());
        let entry = t.binary_with("divide", &positions, &PAGE.to_string());
        let entries = t.binary("add", &first, &entry);
        let all = t.reshape(&table, &[texts * each]);
        let places = places(t, &all, &entries, (&positions, &counts));
        Pages { table, places }
    }

    /// A pool with rows `[tokens, kv heads, width]` in it.
    pub fn write(&self, t: &mut Text, pool: &Value, rows: &Value) -> Value {
        t.scatter_rows(pool, rows, &self.places)
    }

    /// A text's block of a pool, `[kv heads, context, width]`, or that of each text.
    pub fn read(&self, t: &mut Text, pool: &Value) -> Value {
        let &[_, heads, page, width] = pool.shape.as_slice() else { return pool.clone() };
        let (each, texts) = (self.table.last(), self.table.outer());
        let entries: u64 = self.table.shape.iter().product();
        let table = t.reshape(&self.table, &[entries]);
        let found = t.rows(pool, &table);
        let parts: Vec<u64> = texts.iter().copied().chain([each, heads, page, width]).collect();
        let found = t.reshape(&found, &parts);
        // Heads come before pages.
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.swap(texts.len(), texts.len() + 1);
        let found = t.transpose(&found, &order);
        let block: Vec<u64> = texts.iter().copied().chain([heads, each * page, width]).collect();
        t.reshape(&found, &block)
    }
}

/// Page and row of tokens by their entries of a table, where they count.
fn places(t: &mut Text, table: &Value, entries: &Value, (positions, counts): (&Value, &Value)) -> Value {
    let tokens = positions.last();
    let nowhere = t.splat("-1", ElementType::I32, &[tokens]);
    let pages = t.rows(table, entries);
    let pages = t.select(counts, &pages, &nowhere);
    let rows = t.binary_with("remainder", positions, &PAGE.to_string());
    let columns = [pages, rows].map(|column| t.reshape(&column, &[tokens, 1]));
    let [pages, rows] = &columns;
    t.concatenate(&[pages, rows], 1)
}

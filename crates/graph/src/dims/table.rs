//! The entries themselves: read like a slice, added to at the end, and expressions found by what they are.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

use super::{DimDef, DimExpr, SymbolicDim};
use crate::types::Dim;

/// Entries of sizes; entry 0 is the anonymous `?`.
#[derive(Clone, Debug)]
pub struct DimTable {
    entries: Vec<SymbolicDim>,
    expressions: HashMap<DimExpr, u32>,
}

impl Default for DimTable {
    fn default() -> DimTable {
        let unknown = SymbolicDim { name: "?".into(), min: 0, max: i64::MAX, def: DimDef::Unknown, is_opaque: false };
        DimTable { entries: vec![unknown], expressions: HashMap::new() }
    }
}

impl DimTable {
    pub(super) fn push(&mut self, entry: SymbolicDim) -> Dim {
        let at = self.entries.len() as u32;
        if let DimDef::Expr(expr) = entry.def {
            self.expressions.entry(expr).or_insert(at);
        }
        self.entries.push(entry);
        Dim::Symbolic(at)
    }

    /// Adds what a copy of this table has behind the entries of both: expressions, which keep their numbers.
    pub fn extend_from(&mut self, copy: &DimTable) {
        for entry in copy.entries.iter().skip(self.entries.len()) {
            self.push(entry.clone());
        }
    }

    /// The entry of an expression, if there is one.
    pub(super) fn find(&self, expr: DimExpr) -> Option<Dim> {
        self.expressions.get(&expr).map(|&at| Dim::Symbolic(at))
    }
}

impl Deref for DimTable {
    type Target = [SymbolicDim];

    fn deref(&self) -> &[SymbolicDim] {
        &self.entries
    }
}

impl DerefMut for DimTable {
    fn deref_mut(&mut self) -> &mut [SymbolicDim] {
        &mut self.entries
    }
}

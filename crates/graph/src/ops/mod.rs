//! The op table: one row an op. Syntax, arity, attributes, traits and the verifier rule of an op are read from its row
//! by the parser, the printer, the verifier and the documentation; nothing else lists ops.

pub mod chlo;
pub mod collective;
pub mod control;
pub mod decomposed;
pub mod dot;
pub mod elementwise;
pub mod indexing;
pub mod markdown;
pub mod random;
pub mod reduce;
pub mod shape;
pub mod syntax;

use std::sync::LazyLock;

use crate::op::{ALL_OPS, OpKind};
use crate::verify::{Rule, accept};
pub use syntax::{Custom, Piece, TypeForm};

/// Group of ops that share a page of the documentation and a file of this table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    Elementwise,
    Shape,
    Reduce,
    Dot,
    Indexing,
    Control,
    Collective,
    Random,
    Chlo,
    Function,
    Fusion,
    Decomposed,
    Unregistered,
}

/// How many operands, results or regions an op takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arity {
    pub min: usize,
    pub max: usize,
}

impl Arity {
    pub(crate) const ANY: Arity = Arity { min: 0, max: usize::MAX };
    pub(crate) const SOME: Arity = Arity { min: 1, max: usize::MAX };

    pub const fn exactly(n: usize) -> Arity {
        Arity { min: n, max: n }
    }

    pub const fn at_least(n: usize) -> Arity {
        Arity { min: n, max: usize::MAX }
    }

    pub fn allows(self, n: usize) -> bool {
        n >= self.min && n <= self.max
    }
}

impl std::fmt::Display for Arity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.min, self.max) {
            (a, b) if a == b => write!(f, "{a}"),
            (a, usize::MAX) => write!(f, "at least {a}"),
            (a, b) => write!(f, "{a} to {b}"),
        }
    }
}

/// A property of an op that passes ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// One result element depends on the operand elements at the same index.
    Elementwise,
    Commutative,
    /// Must not be removed, duplicated or reordered against others of its kind.
    SideEffect,
    /// Ends a block.
    Terminator,
}

/// Set of element classes that an op's tensor operands may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeSet(pub u16);

impl TypeSet {
    pub(crate) const BOOLEAN: TypeSet = TypeSet(1);
    pub const SIGNED: TypeSet = TypeSet(2);
    pub const UNSIGNED: TypeSet = TypeSet(4);
    pub const FLOAT: TypeSet = TypeSet(8);
    pub(crate) const COMPLEX: TypeSet = TypeSet(16);
    pub const QUANTIZED: TypeSet = TypeSet(32);
    /// Tokens, tuples, futures and other types that are not tensors.
    pub const OTHER: TypeSet = TypeSet(64);
    pub(crate) const INTEGER: TypeSet = TypeSet(2 | 4);
    pub(crate) const TENSOR: TypeSet = TypeSet(63);
    pub(crate) const ANY: TypeSet = TypeSet(127);

    pub const fn or(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 | other.0)
    }

    pub fn contains(self, other: TypeSet) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::fmt::Display for TypeSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.contains(TypeSet::ANY) {
            return f.write_str("any type");
        }
        if self.contains(TypeSet::TENSOR) {
            return f.write_str("any tensor");
        }
        const NAMES: &[(TypeSet, &str)] = &[
            (TypeSet::BOOLEAN, "i1"),
            (TypeSet::SIGNED, "signed integer"),
            (TypeSet::UNSIGNED, "unsigned integer"),
            (TypeSet::FLOAT, "float"),
            (TypeSet::COMPLEX, "complex"),
            (TypeSet::QUANTIZED, "quantized"),
            (TypeSet::OTHER, "token or tuple"),
        ];
        let names: Vec<&str> = NAMES.iter().filter(|(s, _)| self.contains(*s)).map(|(_, n)| *n).collect();
        f.write_str(&names.join(", "))
    }
}

/// What an attribute holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrKind {
    /// `3 : i64`
    I64,
    /// `3 : i32`
    I32,
    /// `1.0 : f32`
    F32,
    Bool,
    /// `unit`: present or not.
    Unit,
    Str,
    /// `array<i64: …>`, formerly `dense<…> : tensor<nxi64>`; stored as `DenseArray(I64)`.
    Ints,
    /// `array<i1: …>`; stored as `DenseArray(I1)`.
    Bools,
    /// `dense<[[a, b], …]> : tensor<nx2xi64>`; stored flattened as `DenseArray(I64)`.
    Pairs,
    /// `#stablehlo<mnemonic KEYWORD>` with the keywords allowed.
    Enum(&'static str, &'static [&'static str]),
    /// `[#stablehlo<mnemonic KEYWORD>, …]`
    EnumList(&'static str, &'static [&'static str]),
    /// `#stablehlo.name<…>`
    Struct(&'static str),
    /// `@name`
    Symbol,
    Dict,
    /// `dense<…>` of any type.
    Elements,
    Any,
}

/// One attribute of an op.
#[derive(Clone, Copy, Debug)]
pub struct AttrSpec {
    pub name: &'static str,
    pub kind: AttrKind,
    pub required: bool,
}

pub const fn required(name: &'static str, kind: AttrKind) -> AttrSpec {
    AttrSpec { name, kind, required: true }
}

pub const fn optional(name: &'static str, kind: AttrKind) -> AttrSpec {
    AttrSpec { name, kind, required: false }
}

/// Everything the house knows about one op.
#[derive(Clone, Copy)]
pub struct OpRow {
    pub kind: OpKind,
    pub family: Family,
    pub operands: Arity,
    pub results: Arity,
    pub regions: Arity,
    /// What the tensor operands may hold.
    pub elements: TypeSet,
    pub traits: &'static [Trait],
    pub attrs: &'static [AttrSpec],
    /// Pretty form after the op's name; empty when the op has the generic form only.
    pub syntax: &'static [Piece],
    pub rule: Rule,
}

/// A row with one operand, one result, any element type, no attributes, generic syntax and no rule of its own.
pub const fn op(kind: OpKind, family: Family) -> OpRow {
    OpRow {
        kind,
        family,
        operands: Arity::exactly(1),
        results: Arity::exactly(1),
        regions: Arity::exactly(0),
        elements: TypeSet::TENSOR,
        traits: &[],
        attrs: &[],
        syntax: &[],
        rule: accept,
    }
}

impl OpRow {
    pub const fn operands(self, operands: Arity) -> OpRow {
        OpRow { operands, ..self }
    }

    pub const fn results(self, results: Arity) -> OpRow {
        OpRow { results, ..self }
    }

    pub const fn regions(self, n: usize) -> OpRow {
        OpRow { regions: Arity::exactly(n), ..self }
    }

    pub(crate) const fn any_regions(self) -> OpRow {
        OpRow { regions: Arity::ANY, ..self }
    }

    pub const fn elements(self, elements: TypeSet) -> OpRow {
        OpRow { elements, ..self }
    }

    pub const fn traits(self, traits: &'static [Trait]) -> OpRow {
        OpRow { traits, ..self }
    }

    pub const fn attrs(self, attrs: &'static [AttrSpec]) -> OpRow {
        OpRow { attrs, ..self }
    }

    pub const fn syntax(self, syntax: &'static [Piece]) -> OpRow {
        OpRow { syntax, ..self }
    }

    pub const fn rule(self, rule: Rule) -> OpRow {
        OpRow { rule, ..self }
    }

    pub fn has(&self, t: Trait) -> bool {
        self.traits.contains(&t)
    }

    pub fn attr(&self, name: &str) -> Option<&'static AttrSpec> {
        self.attrs.iter().find(|a| a.name == name)
    }
}

const UNREGISTERED: OpRow = op(OpKind::Unregistered, Family::Unregistered)
    .operands(Arity::ANY)
    .results(Arity::ANY)
    .any_regions()
    .elements(TypeSet::ANY);

const TABLES: &[&[OpRow]] = &[
    elementwise::ROWS,
    shape::ROWS,
    reduce::ROWS,
    dot::ROWS,
    indexing::ROWS,
    control::ROWS,
    decomposed::ROWS,
    collective::ROWS,
    random::ROWS,
    chlo::ROWS,
];

/// Rows by `OpKind` discriminant; a kind without a row gets the row of an unregistered op (a test forbids that).
static BY_KIND: LazyLock<Vec<OpRow>> = LazyLock::new(|| {
    let mut rows = vec![UNREGISTERED; ALL_OPS.len() + 1];
    for row in TABLES.iter().copied().flatten() {
        rows[row.kind as usize] = *row;
    }
    rows
});

/// The row of an op.
pub fn row(kind: OpKind) -> &'static OpRow {
    &BY_KIND[kind as usize]
}

/// Every row, in the order of the table.
pub fn rows() -> impl Iterator<Item = &'static OpRow> {
    TABLES.iter().copied().flatten()
}

/// The table's op whose name is nearest to a misspelt one, if any is near.
pub fn nearest_op(name: &str) -> Option<&'static str> {
    nearest(name, ALL_OPS.iter().map(|k| k.name()))
}

/// The candidate nearest to `text` by edit distance, if it is at most a third of the length away.
pub fn nearest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (text.len() / 3).clamp(1, 4);
    candidates.map(|c| (edit_distance(text, c, limit), c)).filter(|(d, _)| *d <= limit).min().map(|(_, c)| c)
}

/// Levenshtein distance, cut off above `limit`.
fn edit_distance(a: &str, b: &str, limit: usize) -> usize {
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.bytes().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(ca != cb)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_has_exactly_one_row() {
        for &kind in ALL_OPS {
            let n = rows().filter(|r| r.kind == kind).count();
            assert_eq!(n, 1, "{} has {n} rows", kind.name());
            assert_eq!(row(kind).kind, kind);
        }
        assert_eq!(rows().count(), ALL_OPS.len());
    }

    #[test]
    fn attributes_of_the_pretty_form_are_in_the_schema() {
        for r in rows() {
            for name in syntax::attributes(r.syntax) {
                assert!(r.attr(name).is_some(), "{}: `{name}` is printed but not in the schema", r.kind.name());
            }
        }
    }

    #[test]
    fn near_names_are_suggested() {
        assert_eq!(nearest_op("stablehlo.multiplly"), Some("stablehlo.multiply"));
        assert_eq!(nearest_op("stablehlo.dot_genral"), Some("stablehlo.dot_general"));
        assert_eq!(nearest_op("something.else"), None);
    }
}

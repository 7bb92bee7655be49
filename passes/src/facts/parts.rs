//! The parts that `decompose` makes of sorts and scatters: ops of their own, each of which is a kernel.

use fornax_graph::{Graph, OpId, OpKind};

/// A fact about a sort: its integer keys lie in 0 … 2ⁿ − 1, so that n bits order them.
pub const KEY_BITS: &str = "fornax.key_bits";

/// A part, and the op that it is made of.
const PARTS: &[(OpKind, OpKind)] = &[
    (OpKind::SortRuns, OpKind::Sort),
    (OpKind::MergeRuns, OpKind::Sort),
    (OpKind::RadixCount, OpKind::Sort),
    (OpKind::RadixDistribute, OpKind::Sort),
    (OpKind::SortedScatter, OpKind::Scatter),
    (OpKind::UpdateInPlace, OpKind::Scatter),
];

/// What a part is a part of; every other op is its own.
pub fn whole(kind: OpKind) -> OpKind {
    PARTS.iter().find(|row| row.0 == kind).map_or(kind, |row| row.1)
}

/// A scatter that changes its result where it is.
pub fn is_update(graph: &Graph, op: OpId) -> bool {
    graph.op(op).kind == OpKind::UpdateInPlace
}

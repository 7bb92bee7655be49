//! Attributes by which the rewrites of fuse tell schedule how an op that they made is to be done.

use fornax_graph::{Graph, OpId, OpKind};

/// Attribute of such a scatter: whether no two updates go to the same place.
pub const IN_PLACE: &str = "in_place";
/// Attribute of such a scatter.
pub const SORTED: &str = "sorted_updates";
/// Attributes of a part of a sort.
pub const SORTED_RUNS: &str = "sorted_runs";
pub const RUNS: &str = "runs";
pub const KEEP: &str = "keep";
/// Attributes of a pass: the lowest bit of its digit, elements of a tile, and that it counts.
pub const DIGIT_SHIFT: &str = "digit_shift";
pub const TILE: &str = "tile";
pub const COUNTS: &str = "counts";
/// Attribute of a sort: its integer keys lie in 0 … 2ⁿ − 1, so that n bits order them.
pub const KEY_BITS: &str = "key_bits";

/// A scatter that changes its result where it is.
pub fn is_update(graph: &Graph, op: OpId) -> bool {
    graph.op(op).kind == OpKind::Scatter && graph.op(op).attrs.get(IN_PLACE).is_some()
}

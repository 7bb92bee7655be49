//! Groups of several products: what fusion writes and lowering reads.

use fornax_graph::{Graph, OpId, OpKind};

/// The hero of such a group.
pub const HERO: &str = "products";

/// Whether a fusion op has several products.
pub fn has_several(graph: &Graph, fusion: OpId) -> bool {
    graph.op(fusion).attrs.str("hero") == Some(HERO)
}

/// Whether an op may be one of them.
pub fn is_product(graph: &Graph, op: OpId) -> bool {
    matches!(graph.op(op).kind, OpKind::Dot | OpKind::DotGeneral)
}

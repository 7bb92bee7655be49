//! Why a pass decided as it did: answers with reasons, and what is kept of them.
//!
//! A decision is a [`Decision`]: yes, or no because of a row of [`REASONS`] and the figures that decided. Making one
//! costs nothing: no text is built. Where an observer asks for remarks ([`crate::observe::Observer::remarks`]), fusion
//! keeps one [`Pair`] for every two neighbouring ops, and `explain` tells for every kernel which schedules there were
//! (`fornax_kernels::chooser::explain`).
//!
//! Worked example: `y = dot(x, w)`, `z = dot(y, v)`: the pair (first dot, second dot) is not fused, FUSE09 with the
//! reason that only moves and conversions stand before a product.

mod reasons;

use std::collections::HashMap;

use fornax_graph::{Graph, OpId, OpKind, ValueId};

use crate::errors::place;
pub use fornax_types::reasons::{Because, Decision, Reason};
pub use reasons::*;

/// An op as people know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Name, result type and place: `stablehlo.add tensor<4xf32> at m.mlir:3:10`.
    pub text: String,
    /// The fusion ops that compute it, in the fused graph.
    pub groups: Vec<OpId>,
}

/// Two ops of which the second reads a result of the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub producer: Site,
    pub consumer: Site,
    /// Why not every kernel that computes the second also computes the first. None: all do.
    pub refused: Vec<Because>,
}

/// What remarks say of groups that were expanded.
#[derive(Clone, Debug, Default)]
pub struct Expanded {
    /// Fusion ops that are no more, and those in their place.
    pub replaced: HashMap<OpId, Vec<OpId>>,
    /// Those that are one with others now, and which.
    pub joined: HashMap<OpId, OpId>,
    /// Every two neighbouring ops of theirs.
    pub pairs: Vec<Pair>,
}

/// Describes an op for [`Site::text`].
pub fn describe(graph: &Graph, op: OpId) -> String {
    let data = graph.op(op);
    let name = if data.kind == OpKind::Unregistered { &data.name } else { data.kind.name() };
    let ty = |v: &ValueId| format!(" {}", graph.type_text(graph.ty(*v)));
    let ty = data.results.first().map_or(String::new(), ty);
    let at = place(graph, data.location);
    let at = if at.is_empty() { at } else { format!(" at {}", at.trim_end_matches(": ")) };
    format!("{name}{ty}{at}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_each_of_one_reason_and_figures_are_shown() {
        let mut codes: Vec<&str> = REASONS.iter().map(|reason| reason.code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), REASONS.len());
        for reason in REASONS {
            let text = reason.of([7, 8, 9]).to_string();
            assert!(!text.contains('{') && !text.ends_with('.'), "{text}");
        }
        assert_eq!(OUTPUTS_FULL.of([9, 8]).to_string(), "FUSE26: the kernel would store 9 results, and may store 8");
    }
}

//! What a segmented reduction evaluates: what a scatter becomes when its updates are sorted by where they go.

use crate::expr::NodeId;
use crate::kernel::{Body, Combiner};

impl Body {
    /// Nodes of a segment fold, without its stores; none of other bodies.
    pub fn segment_nodes(&self) -> Vec<NodeId> {
        let Body::Segment { key, row, inputs, inits, combiner, .. } = self else { return Vec::new() };
        let mut nodes = vec![*key, *row];
        nodes.extend(inputs.iter().chain(inits));
        if let Combiner::General(results) = combiner {
            nodes.extend(results);
        }
        nodes
    }

    /// The same, to be rewritten.
    pub fn segment_nodes_mut(&mut self) -> Vec<&mut NodeId> {
        let Body::Segment { key, row, inputs, inits, combiner, .. } = self else { return Vec::new() };
        let mut nodes = vec![key, row];
        nodes.extend(inputs.iter_mut().chain(inits));
        if let Combiner::General(results) = combiner {
            nodes.extend(results);
        }
        nodes
    }
}

//! Which parts of a computed column are transposed as bytes, before they are widened.
//!
//! A square of f32 takes as many shuffles a vector as its side has powers of two, in the widest registers. Where all
//! that moves with the steps is of bytes, the bytes are transposed, a quarter of the registers and fewer shuffles
//! each; what follows is computed with the columns in the lanes, and a scale that a block has once meets its column.
//!
//! Worked example: Q4_0, AVX-512: `(q − 8)·s` of 16 columns and 16 steps. `q`, a nibble in a byte, is what is
//! transposed: 12 shuffles for 16 vectors, where f32 take 64.

use fornax_graph::ElementType;
use fornax_plan::{Exprs, Node, NodeId, VarId};

/// The nodes below `operand` that are bytes and move with `inner`, those above which none are bytes. Empty where
/// something else that is loaded moves with it.
pub(super) fn byte_nodes(exprs: &Exprs, operand: NodeId, inner: VarId) -> Vec<NodeId> {
    let (mut open, mut found) = (vec![operand], Vec::new());
    while let Some(node) = open.pop() {
        if !exprs.node_varies(node, inner) || found.contains(&node) {
            continue;
        }
        match exprs.node(node) {
            _ if matches!(exprs.element(node), ElementType::I8 | ElementType::Ui8) => found.push(node),
            Node::Load { .. } => return Vec::new(),
            _ => open.extend(exprs.operands(node)),
        }
    }
    found
}

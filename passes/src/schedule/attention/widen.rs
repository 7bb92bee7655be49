//! Scores in f32 whatever their ops say: what stands between the product of query and key and the softmax is not
//! rounded to 16 bits.
//!
//! The product accumulates in f32 and the exponential takes f32; a model that stores scores as bf16 between ops rounds
//! them each time, which costs two conversions an element and accuracy. Here they are never stored, so they keep f32,
//! as sums do everywhere.
//!
//! Worked example: f32(bf16(s)) · 0.125 becomes s · 0.125; select(c, bf16(s), −3.4e38) becomes select(c, s, −3.4e38) in
//! f32.

use fornax_graph::ElementType;
use fornax_plan::walk::Reached;
use fornax_plan::{Exprs, Node, NodeId};

use crate::facts::pattern::is_narrow;
use crate::facts::scalar::float_of;

/// The node with every 16-bit step on the way from `Node::Reduced(0)` done in f32; `None` where a step depends on the
/// 16 bits.
pub fn widened(exprs: &mut Exprs, node: NodeId) -> Option<NodeId> {
    if !depends(exprs, node) {
        return Some(wide(exprs, node));
    }
    let element = exprs.element(node);
    if !is_narrow(element) && element != ElementType::F32 {
        return None;
    }
    match *exprs.node(node) {
        Node::Reduced { .. } => Some(node),
        Node::Convert { a, .. } => widened(exprs, a),
        Node::Unary { op, a } => {
            let a = widened(exprs, a)?;
            Some(exprs.unary(op, a))
        }
        Node::Binary { op, a, b } => {
            let (a, b) = (widened(exprs, a)?, widened(exprs, b)?);
            Some(exprs.binary(op, a, b))
        }
        Node::Select { condition, a, b } if !depends(exprs, condition) => {
            let (a, b) = (widened(exprs, a)?, widened(exprs, b)?);
            Some(exprs.select(condition, a, b))
        }
        _ => None,
    }
}

fn depends(exprs: &Exprs, node: NodeId) -> bool {
    Reached::from(exprs, [node], &[]).nodes.iter().any(|&n| matches!(exprs.node(n), Node::Reduced { .. }))
}

/// A 16-bit value as f32.
fn wide(exprs: &mut Exprs, node: NodeId) -> NodeId {
    match *exprs.node(node) {
        Node::Constant { element, bits } if is_narrow(element) => match float_of(element, bits) {
            Some(value) => {
                exprs.add(Node::Constant { element: ElementType::F32, bits: u64::from((value as f32).to_bits()) })
            }
            None => exprs.convert(ElementType::F32, node),
        },
        _ if is_narrow(exprs.element(node)) => exprs.convert(ElementType::F32, node),
        _ => node,
    }
}

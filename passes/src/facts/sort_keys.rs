//! Sorts by keys: whether a comparator is a total order of integers or floats, and the digits of such keys.
//!
//! Worked example: `compare LT, %a, %b, TOTALORDER` of f32: 32 bits; a key's bits are flipped so that unsigned digits
//! order them.

use fornax_graph::{Class, ElementType, Graph, OpId};
use fornax_plan::radix::{DIGIT_BITS, DIGITS};
use fornax_plan::{Binary, Compare, Exprs, Node, NodeId};

use super::ops::tensor;
use super::parts::KEY_BITS;
use super::scalar::{self, mask};
use crate::errors::PassError;

/// A total order of keys: the comparison of the key on both sides.
pub struct Order {
    pub key: NodeId,
    descending: bool,
}

/// Bits of the keys that the comparator of a sort orders by, if it is a total order of keys.
///
/// # Errors
/// FX0315 for regions that cannot be scalar code.
pub fn key_bits(graph: &Graph, op: OpId) -> Result<Option<u32>, PassError> {
    let mut exprs = Exprs::default();
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for (index, &operand) in (0u32..).zip(&graph.op(op).operands) {
        let element = tensor(graph, operand)?.element;
        own.push(exprs.add(Node::Running { index, element }));
        other.push(exprs.add(Node::Incoming { index, element }));
    }
    let bits = order(graph, op, (&own, &other), &mut exprs)?.map(|o| exprs.element(o.key).bits());
    let known = graph.op(op).attrs.int(KEY_BITS).and_then(|n| u32::try_from(n).ok());
    Ok(bits.map(|bits| known.map_or(bits, |n| n.clamp(1, bits))))
}

/// The order of a comparator, its key as an expression of the elements `own`.
pub fn order(
    graph: &Graph,
    op: OpId,
    (own, other): (&[NodeId], &[NodeId]),
    exprs: &mut Exprs,
) -> Result<Option<Order>, PassError> {
    let block = scalar::body(graph, op)?;
    let compare =
        |exprs: &mut Exprs, a: &[NodeId], b: &[NodeId]| -> Result<Option<(Compare, NodeId, NodeId)>, PassError> {
            let arguments: Vec<NodeId> = a.iter().zip(b).flat_map(|(&a, &b)| [a, b]).collect();
            let result = scalar::region(graph, op, block, &arguments, exprs)?;
            Ok(match result.as_slice() {
                [node] => match *exprs.node(*node) {
                    Node::Compare { op, a, b } => Some((op, a, b)),
                    _ => None,
                },
                _ => None,
            })
        };
    let (Some(one), Some(two)) = (compare(exprs, own, other)?, compare(exprs, other, own)?) else { return Ok(None) };
    let element = exprs.element(one.1);
    let descending = match (one.0, element.is_float()) {
        (Compare::TotalLt, true) | (Compare::Lt | Compare::TotalLt, false) => false,
        (Compare::TotalGt, true) | (Compare::Gt | Compare::TotalGt, false) => true,
        _ => return Ok(None),
    };
    let symmetric = one.0 == two.0 && one.1 == two.2 && one.2 == two.1;
    let signed = element.has_negation();
    let plain =
        signed && integer(element).is_some() || element.class() == Class::SignedInteger || element.is_unsigned();
    let whole = matches!(element.bits(), 8 | 16 | 32 | 64);
    Ok((symmetric && plain && whole).then_some(Order { key: one.1, descending }))
}

/// The unsigned integer of the same width.
fn integer(element: ElementType) -> Option<ElementType> {
    Some(match element.bits() {
        8 => ElementType::Ui8,
        16 => ElementType::Ui16,
        32 => ElementType::Ui32,
        64 => ElementType::Ui64,
        _ => return None,
    })
}

/// Eight bits of a key from `shift` on, as i32.
pub fn digit(exprs: &mut Exprs, order: &Order, shift: u32) -> Option<NodeId> {
    let element = exprs.element(order.key);
    let unsigned = integer(element)?;
    let constant = |exprs: &mut Exprs, bits: u64| exprs.add(Node::Constant { element: unsigned, bits });
    let mut key =
        if element == unsigned { order.key } else { exprs.add(Node::Bitcast { element: unsigned, a: order.key }) };
    let sign = constant(exprs, (mask(unsigned) >> 1) + 1);
    if element.is_float() {
        let last = constant(exprs, u64::from(unsigned.bits()) - 1);
        let negative = exprs.binary(Binary::ShiftRightLogical, key, last);
        let zero = constant(exprs, 0);
        // −1 for negative ones: all bits.
        let all = exprs.binary(Binary::Subtract, zero, negative);
        let flipped = exprs.binary(Binary::Or, all, sign);
        key = exprs.binary(Binary::Xor, key, flipped);
    } else if element.class() == Class::SignedInteger {
        key = exprs.binary(Binary::Xor, key, sign);
    }
    if order.descending {
        let all = constant(exprs, mask(unsigned));
        key = exprs.binary(Binary::Xor, key, all);
    }
    if shift > 0 {
        let by = constant(exprs, u64::from(shift));
        key = exprs.binary(Binary::ShiftRightLogical, key, by);
    }
    if unsigned.bits() > DIGIT_BITS {
        let low = constant(exprs, DIGITS as u64 - 1);
        key = exprs.binary(Binary::And, key, low);
    }
    Some(exprs.convert(ElementType::I32, key))
}

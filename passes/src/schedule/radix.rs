//! The passes of a radix sort (`fuse::split_radix`) as [`Body::Count`] and [`Body::Distribute`], and which comparators are an
//! order of keys of some bits.
//!
//! A comparator is one if it compares the same function of both sides in a total order: `f(a) < f(b)`. The key is then the
//! bits of f, so changed that they are ordered as unsigned integers: the sign inverted, of negative floats all bits; all
//! inverted where the order is descending.
//!
//! Worked example: JAX compares `select(x == 0, 0, select(x != x, nan, x))` as TOTALORDER floats: 32 bits, four passes.

use fornax_graph::{Class, ElementType, Graph, OpId};
use fornax_plan::radix::{DIGIT_BITS, DIGITS, Digits};
use fornax_plan::{Binary, Body, Compare, Exprs, IndexId, Node, NodeId};

use super::lower::{HeroBody, Lowering};
use super::ops::{shape, tensor};
use super::scalar::{self, mask};
use super::sort::dimension;
use crate::errors::PassError;

/// Attributes of a pass: the lowest bit of its digit, elements of a tile, and that it counts.
pub const DIGIT_SHIFT: &str = "digit_shift";
pub const TILE: &str = "tile";
pub const COUNTS: &str = "counts";
/// Attribute of a sort: its integer keys lie in 0 … 2ⁿ − 1, so that n bits order them.
pub const KEY_BITS: &str = "key_bits";

/// A total order of keys: the comparison of the key on both sides.
struct Order {
    key: NodeId,
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
fn order(
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
fn digit(exprs: &mut Exprs, order: &Order, shift: u32) -> Option<NodeId> {
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

/// Builds the body of a pass; `index` is the index of the results.
pub(super) fn build(l: &mut Lowering<'_>, op: OpId, index: &[IndexId]) -> Result<HeroBody, PassError> {
    let data = l.graph.op(op);
    let broken = || PassError::internal(l.graph, op, "is no pass of a radix sort");
    let along = dimension(l.graph, op)?;
    let counts = data.attrs.get(COUNTS).is_some();
    let shift = data.attrs.int(DIGIT_SHIFT).and_then(|n| u32::try_from(n).ok()).ok_or_else(broken)?;
    let tile = data.attrs.int(TILE).filter(|&n| n > 0).ok_or_else(broken)?;
    let keyed = if counts { data.operands.as_slice() } else { data.operands.split_last().ok_or_else(broken)?.1 };
    let line = shape(l.graph, *keyed.first().ok_or_else(broken)?)?[along];
    let source = l.exprs.indices.add_var(line);
    let mut there = index[..along].to_vec();
    there.push(l.exprs.indices.var(source));
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for (index, &operand) in (0u32..).zip(keyed) {
        let node = l.value_at(operand, &there, None)?;
        let element = l.exprs.element(node);
        own.push(node);
        other.push(l.exprs.add(Node::Incoming { index, element }));
    }
    let order = order(l.graph, op, (&own, &other), &mut l.exprs)?.ok_or_else(broken)?;
    let digit = digit(&mut l.exprs, &order, shift).ok_or_else(broken)?;
    if counts {
        let var = |at: usize| index.get(at).and_then(|&i| l.exprs.indices.as_var(i)).ok_or_else(broken);
        let (digit_var, tile_var) = (var(along)?, var(along + 1)?);
        let count = l.exprs.add(Node::Reduced { index: 0, element: ElementType::I32 });
        let digits = Digits { source, tile, digit, digit_var, tile_var };
        return Ok(HeroBody::of(Body::Count { digits, stores: Vec::new() }, vec![count]));
    }
    let target = l.exprs.indices.as_var(index[along]).ok_or_else(broken)?;
    let (digit_var, tile_var) = (l.exprs.indices.add_var(DIGITS), l.exprs.indices.add_var((line + tile - 1) / tile));
    let mut place = index[..along].to_vec();
    place.push(l.exprs.indices.var(digit_var));
    place.push(l.exprs.indices.var(tile_var));
    let starts = *data.operands.last().ok_or_else(broken)?;
    let start = l.value_at(starts, &place, None)?;
    let mut results = Vec::new();
    for (index, &node) in (0u32..).zip(&own) {
        let element = l.exprs.element(node);
        results.push(l.exprs.add(Node::Reduced { index, element }));
    }
    let digits = Digits { source, tile, digit, digit_var, tile_var };
    let body = Body::Distribute { digits, along: target, operands: own, start, stores: Vec::new() };
    Ok(HeroBody::of(body, results))
}

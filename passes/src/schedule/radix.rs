//! The passes of a radix sort (`decompose::radix_sort`) as [`Body::Count`] and [`Body::Distribute`], and which
//! comparators are an order of keys of some bits.
//!
//! A comparator is one if it compares the same function of both sides in a total order: `f(a) < f(b)`. The key is then
//! the bits of f, so changed that they are ordered as unsigned integers: the sign inverted, of negative floats all
//! bits; all inverted where the order is descending.
//!
//! Worked example: JAX compares `select(x == 0, 0, select(x != x, nan, x))` as TOTALORDER floats: 32 bits, four passes.

use fornax_graph::{ElementType, OpId, OpKind};
use fornax_plan::radix::{DIGITS, Digits};
use fornax_plan::{Body, IndexId, Node};

use super::lower::{HeroBody, Lowering};
use crate::errors::PassError;
use crate::facts::ops::shape;
use crate::facts::sort_keys::{digit, order};
use crate::facts::sorting::dimension;

/// Builds the body of a pass; `index` is the index of the results.
pub(super) fn build(l: &mut Lowering<'_>, op: OpId, index: &[IndexId]) -> Result<HeroBody, PassError> {
    let data = l.graph.op(op);
    let broken = || PassError::internal(l.graph, op, "is no pass of a radix sort");
    let along = dimension(l.graph, op)?;
    let counts = data.kind == OpKind::RadixCount;
    let shift = data.attrs.int("digit_shift").and_then(|n| u32::try_from(n).ok()).ok_or_else(broken)?;
    let tile = data.attrs.int("tile").filter(|&n| n > 0).ok_or_else(broken)?;
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

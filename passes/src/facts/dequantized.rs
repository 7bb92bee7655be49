//! Weights that a GEMV can read narrower than they are: its kernel computes them from what is stored.
//!
//! A product reads its operands many times, but with few rows each element of the other, long operand once: there a
//! few operations on an element cost less than its bytes. Input: a product with at most [`SHORT_MAX`] rows, and the ops
//! before its long operand. Output: which of those ops its kernel should evaluate, so that the fewest bytes are read.
//!
//! Worked example: `x[1, 2048] · w[2048, 2048]`, `w = (convert(q) - 8) * d`, `q` of 8 bits, `d` one f16 for 32 of them:
//! 4.5 MB instead of 16.8. The subtraction, the product and both conversions are the kernel's; what makes `q` of packed
//! bytes, if it takes more than one byte for each, is stored.

use std::collections::{HashMap, HashSet};

use fornax_graph::{Graph, OpId, OpKind, ValueId};
use fornax_kernels::sizing::SHORT_MAX;

use super::ops::splat_bits;
use super::products::{is_product, rows_and_long_operand};

/// The operand's bytes over those read instead, at least.
const GAIN_MIN: f64 = 1.5;
/// Elements of the operand for one of a value, from which that value is stored: its bytes matter less than its work.
const SHARED_MIN: f64 = 8.0;
/// Ops between the operand and what is read, at most.
const DEPTH_MAX: usize = 16;

/// Ops that make one element of one element of each operand, at the price of an addition.
pub fn is_cheap(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Convert
            | OpKind::Add
            | OpKind::Subtract
            | OpKind::Multiply
            | OpKind::And
            | OpKind::ShiftLeft
            | OpKind::ShiftRightLogical
            | OpKind::ShiftRightArithmetic
            | OpKind::Reshape
            | OpKind::BroadcastInDim
    )
}

/// Ops that move elements, and change at most their type.
fn only_moves(kind: OpKind) -> bool {
    matches!(kind, OpKind::Convert | OpKind::Reshape | OpKind::BroadcastInDim)
}

/// Whether the kernel of a product evaluates an op before its long operand.
pub fn is_evaluated(graph: &Graph, op: OpId, product: OpId) -> bool {
    let Some((long, mut known)) = narrowed(graph, product) else { return false };
    let data = graph.op(op);
    let Some(&result) = data.results.first().filter(|r| is_cheap(data.kind) && known.contains_key(*r)) else {
        return false;
    };
    let (Some(own), Some(operand)) = (elements(graph, result), elements(graph, long)) else { return false };
    let is_shared = own * SHARED_MIN <= operand && !only_moves(data.kind);
    let below = data.operands.iter().map(|&v| bytes_read(graph, v, &mut known, DEPTH_MAX)).sum::<Option<f64>>();
    !is_shared && below.zip(bytes(graph, result)).is_some_and(|(below, own)| below <= own)
}

/// Whether an op cuts what a product's long operand is made of out of longer rows of an argument or a constant, or
/// transposes the few numbers that many elements share: once for all calls, where that is the same in every call.
pub fn is_cut_out(graph: &Graph, op: OpId, product: OpId) -> bool {
    let data = graph.op(op);
    let (&[whole], &[part]) = (&data.operands[..], &data.results[..]) else { return false };
    let is_given = graph.producer(whole).is_none_or(|op| graph.op(op).kind == OpKind::Constant);
    let Some((long, known)) = narrowed(graph, product).filter(|_| is_given) else { return false };
    let last = |value| graph.ty(value).as_tensor().and_then(|ty| ty.shape.last().copied());
    let is_shared =
        || elements(graph, part).zip(elements(graph, long)).is_some_and(|(own, all)| own * SHARED_MIN <= all);
    let moves = match data.kind {
        OpKind::Slice => last(whole) != last(part),
        OpKind::Transpose => is_shared(),
        _ => false,
    };
    moves && known.contains_key(&part)
}

/// Whether an op adds up products that read the same bytes.
pub fn adds_parts(graph: &Graph, op: OpId) -> bool {
    let data = graph.op(op);
    let (&[a, b], OpKind::Add) = (&data.operands[..], data.kind) else { return false };
    let product = |value| graph.producer(value).filter(|&op| is_product(graph, op));
    let Some(last) = product(b).and_then(|op| narrow_operand(graph, op)) else { return false };
    let mut first = a;
    while let Some(op) = graph.producer(first).filter(|&op| graph.op(op).kind == OpKind::Add) {
        first = graph.op(op).operands[0];
    }
    let Some(first) = product(first).and_then(|op| narrow_operand(graph, op)) else { return false };
    let bytes = |values: &[ValueId]| source_bytes(graph, values).unwrap_or(0.0);
    bytes(&[first, last]) < bytes(&[first]) + bytes(&[last])
}

/// The long operand of a product that can be read narrower than it is.
pub fn narrow_operand(graph: &Graph, product: OpId) -> Option<ValueId> {
    Some(narrowed(graph, product)?.0)
}

/// That operand with the fewest bytes of what it is made of.
fn narrowed(graph: &Graph, product: OpId) -> Option<(ValueId, HashMap<ValueId, f64>)> {
    let (rows, long) = rows_and_long_operand(graph, product)?;
    let mut known = HashMap::new();
    let gains = rows <= SHORT_MAX && {
        let least = bytes_read(graph, long, &mut known, DEPTH_MAX)?;
        bytes(graph, long)? >= GAIN_MIN * least
    };
    let of_bytes =
        || Some(sources(graph, &[long])?.into_iter().max_by(|a, b| a.elements.total_cmp(&b.elements))?.each == 1);
    (gains && of_bytes()?).then_some((long, known))
}

/// The fewest bytes from which a value can be made by cheap ops; `None` for sizes that are not known.
fn bytes_read(graph: &Graph, value: ValueId, known: &mut HashMap<ValueId, f64>, depth: usize) -> Option<f64> {
    if let Some(&bytes) = known.get(&value) {
        return Some(bytes);
    }
    if splat_bits(graph, value).is_some() {
        return Some(0.0);
    }
    let mut least = bytes(graph, value)?;
    if let Some(op) = graph.producer(value).filter(|&op| depth > 0 && is_cheap(graph.op(op).kind)) {
        let below = graph.op(op).operands.iter().map(|&v| bytes_read(graph, v, known, depth - 1));
        least = least.min(below.sum::<Option<f64>>()?);
    }
    known.insert(value, least);
    Some(least)
}

/// What values are made of by cheap ops.
struct Source {
    elements: f64,
    /// Bytes of an element.
    each: usize,
}

/// All that values are made of by cheap ops, each once; `None` for sizes that are not known.
fn sources(graph: &Graph, values: &[ValueId]) -> Option<Vec<Source>> {
    let (mut next, mut seen, mut found) = (values.to_vec(), HashSet::new(), Vec::new());
    while let Some(value) = next.pop() {
        if !seen.insert(value) || splat_bits(graph, value).is_some() {
            continue;
        }
        if let Some(data) = graph.producer(value).map(|op| graph.op(op)).filter(|data| is_cheap(data.kind)) {
            next.extend(&data.operands);
            continue;
        }
        let tensor = graph.ty(value).as_tensor()?;
        found.push(Source { elements: elements(graph, value)?, each: tensor.element.storage_bytes() });
    }
    Some(found)
}

/// Bytes of all that values are made of by cheap ops, each once; `None` for sizes that are not known.
pub fn source_bytes(graph: &Graph, values: &[ValueId]) -> Option<f64> {
    Some(sources(graph, values)?.iter().map(|source| source.elements * source.each as f64).sum())
}

fn elements(graph: &Graph, value: ValueId) -> Option<f64> {
    let tensor = graph.ty(value).as_tensor()?;
    Some(tensor.static_shape()?.iter().map(|&size| size as f64).product())
}

fn bytes(graph: &Graph, value: ValueId) -> Option<f64> {
    let each = graph.ty(value).as_tensor()?.element.storage_bytes();
    Some(elements(graph, value)? * each as f64)
}

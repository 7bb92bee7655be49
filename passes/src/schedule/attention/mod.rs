//! A group with the hero `attention` as a [`Body::Attention`], where the target has a kernel for it.
//!
//! Input: a fusion op whose region holds the plain ops of attention. Output: the body. `softmax` finds the softmax,
//! `bands` takes the score apart. [`fits`] says beforehand whether the target's kernel can do all of it; else the group
//! is cut in plain groups again (`fuse::expand_attention`).
//!
//! Limits: query, key, value and weights of 16 bits or f32, on GPUs of one type and at most 256 features a head; one
//! contracted dimension in each product.

pub mod bands;
mod check;
mod widen;

pub use check::fits;

use fornax_graph::{ElementType, Graph, OpId, OpKind, ValueId};
use fornax_plan::form::exact_source;
use fornax_plan::{Attention, Binary, Body, Exprs, IndexId, Node, NodeId, Unary, VarId};

use super::lower::{HeroBody, Inner, Lowering};
use super::precision;
use crate::errors::PassError;
use crate::facts::ops::tensor;
use crate::facts::pattern;
use crate::facts::softmax::{Literal, Softmax, softmax_product};

/// The product with the values in a group whose hero is attention; `None` for every other group.
pub fn hero(graph: &Graph, fusion: OpId) -> Option<OpId> {
    let data = graph.op(fusion);
    if data.attrs.str("hero") != Some("attention") {
        return None;
    }
    let block = graph.region(*data.regions.first()?).blocks.first()?;
    graph.block(*block).ops.iter().copied().rfind(|&op| graph.op(op).kind == OpKind::DotGeneral)
}

/// Builds the body; `index` is the index of the product's result.
pub(super) fn build(l: &mut Lowering<'_>, op: OpId, index: &[IndexId]) -> Result<HeroBody, PassError> {
    let graph = l.graph;
    let none = || PassError::internal(graph, op, "is no attention that one kernel computes");
    let found = softmax_product(graph, op, index, &mut l.exprs.indices)?.and_then(Result::ok).ok_or_else(none)?;
    let operands = graph.op(op).operands.clone();
    let weight = tensor(graph, operands[found.weights])?.element;
    let value = l.value_at(operands[1 - found.weights], &found.value_index, None)?;
    let product = pattern::score_product(graph, found.scores).ok_or_else(none)?;
    l.inner = Some(Inner { op: product, index: None });
    let score = l.value_at(found.scores, &found.scores_index, None)?;
    let at = l.inner.take().and_then(|i| i.index).ok_or_else(none)?;
    let score = widen::widened(&mut l.exprs, score).unwrap_or(score);
    let score = l.exprs.convert(ElementType::F32, score);
    let score = masked(l, score, &found.visible)?;
    let mut depth = Vec::new();
    let (left, right) = pattern::operand_indices(graph, product, &at, &mut l.exprs.indices, &mut depth)?;
    let [depth] = depth[..] else { return Err(none()) };
    let factors = graph.op(product).operands.clone();
    let sides = (l.value_at(factors[0], &left, None)?, l.value_at(factors[1], &right, None)?);
    let sides = (exact_source(&l.exprs, sides.0), exact_source(&l.exprs, sides.1));
    let value = exact_source(&l.exprs, value);
    let swapped = l.exprs.node_varies(sides.0, found.column);
    let (query, key) = if swapped { (sides.1, sides.0) } else { sides };
    let elements = [query, key, value].map(|n| l.exprs.element(n));
    let column_of_key = l.exprs.node_varies(key, found.column) && !l.exprs.node_varies(query, found.column);
    if !elements.into_iter().chain([weight]).all(pattern::is_taken) || !column_of_key {
        return Err(none());
    }
    // Weights that the ops keep in f32 are rounded as those of 16 bits are, where the result is rounded as well.
    let narrow = elements[0];
    let same = pattern::is_narrow(narrow) && elements.iter().all(|&e| e == narrow) && stored(graph, op) == Some(narrow);
    let weight = if weight == ElementType::F32 && same { narrow } else { weight };
    let vars = variables(l, index);
    let features = vars.iter().copied().filter(|&v| l.exprs.node_varies(value, v));
    let features = features.filter(|&v| ![query, key, score].iter().any(|&n| l.exprs.node_varies(n, v)));
    let [feature] = features.collect::<Vec<_>>()[..] else { return Err(none()) };
    let rows = rows(&l.exprs, &vars, feature, (key, value), score);
    make_rows(l, op, &found, score)?;
    let shape = bands::take_apart(&mut l.exprs, score, found.column, &rows);
    let result = l.exprs.add(Node::Reduced { index: 1, element: ElementType::F32 });
    let result = l.exprs.convert(tensor(graph, graph.op(op).results[0])?.element, result);
    let precision = [op, product].map(|dot| precision::of(graph.op(dot), l.options.f32_matmul));
    let body = Attention {
        rows,
        feature,
        reduction: [found.column, depth],
        query,
        key,
        value,
        score: shape.score,
        inside: shape.inside,
        bands: shape.bands,
        masked: shape.masked.to_bits(),
        scale: shape.scale.to_bits(),
        weight,
        precision: precision[0].max(precision[1]),
        empty_is_zero: found.empty_is_zero,
        part: None,
        stores: Vec::new(),
    };
    Ok(HeroBody::of(Body::Attention(Box::new(body)), vec![result]))
}

/// Says what a row's largest score and its sum of weights are, where the group stores them.
fn make_rows(l: &mut Lowering<'_>, op: OpId, found: &Softmax, score: NodeId) -> Result<(), PassError> {
    let graph = l.graph;
    let none = || PassError::internal(graph, op, "has rows that no kernel of attention stores");
    let ends = yielded(graph, op).ok_or_else(none)?;
    for (slot, (value, index)) in (2..).zip(&found.folds).filter(|(_, fold)| ends.contains(&fold.0)) {
        let mut node = l.exprs.add(Node::Reduced { index: slot, element: ElementType::F32 });
        if slot == 2 {
            node = bands::unraised(&mut l.exprs, score, node).ok_or_else(none)?;
        }
        let fold = graph.producer(*value).ok_or_else(none)?;
        l.made(fold, index, vec![node]);
    }
    Ok(())
}

/// What the group around an op stores.
fn yielded(graph: &Graph, op: OpId) -> Option<&[ValueId]> {
    let end = *graph.block(graph.op(op).block).ops.last()?;
    Some(&graph.op(end).operands)
}

/// The score where all conditions hold, else −∞.
fn masked(l: &mut Lowering<'_>, score: NodeId, visible: &[Literal]) -> Result<NodeId, PassError> {
    let mut all = None;
    for literal in visible {
        let (value, index) = &literal.place;
        let mut condition = l.value_at(*value, index, None)?;
        if !literal.positive {
            condition = l.exprs.unary(Unary::Not, condition);
        }
        all = Some(all.map_or(condition, |all| l.exprs.binary(Binary::And, all, condition)));
    }
    let Some(all) = all else { return Ok(score) };
    let bits = u64::from(f32::NEG_INFINITY.to_bits());
    let hidden = l.exprs.add(Node::Constant { element: ElementType::F32, bits });
    Ok(l.exprs.select(all, score, hidden))
}

/// The element type in which the group around an op stores its result, not what it stores of rows.
fn stored(graph: &Graph, op: OpId) -> Option<ElementType> {
    let result = *yielded(graph, op)?.first()?;
    graph.ty(result).as_tensor().map(|ty| ty.element)
}

/// The domain variables behind an index, in order.
fn variables(l: &Lowering<'_>, index: &[IndexId]) -> Vec<VarId> {
    let indices = &l.exprs.indices;
    let terms = index.iter().flat_map(|&i| indices.linear(i).terms.iter());
    terms.filter_map(|t| if let fornax_plan::Atom::Var(v) = indices.atom(t.0) { Some(v) } else { None }).collect()
}

/// Variables that keys and values do not depend on; the one that the score's conditions depend on first.
fn rows(exprs: &Exprs, vars: &[VarId], feature: VarId, (key, value): (NodeId, NodeId), score: NodeId) -> Vec<VarId> {
    let shared = |v: VarId| v != feature && !exprs.node_varies(key, v) && !exprs.node_varies(value, v);
    let mut rows: Vec<VarId> = vars.iter().copied().filter(|&v| shared(v)).collect();
    rows.sort_by_key(|&v| !exprs.node_varies(score, v));
    rows
}

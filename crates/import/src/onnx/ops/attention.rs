//! Attention.

use fornax_graph::{Dim, ElementType, OpKind, ValueId};
use fornax_types::Scalar;

use super::matmul::dot;
use super::reduce::{softmax, spread};
use super::shape::joined;
use super::{Row, Rule, many};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::data;
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] = &[
    many("Attention", attention),
    Row { domain: "ai.onnx.preview", name: "FlexAttention", rule: Rule::Many(flexible) },
    many("LinearAttention", linear),
];

/// `[B, S, H · D]` as `[B, H, S, D]`.
pub fn heads(c: &mut Converter, node: &Node, a: ValueId, count: i64) -> Result<ValueId> {
    let [batch, length, width] = c.b.shape(a)[..] else { return Err(node.broken("three dimensions are expected")) };
    if count < 1 || width.as_static().is_some_and(|n| n % count != 0) {
        return Err(node.broken(format!("{count} heads do not divide a row")));
    }
    let each = c.b.graph.dim_floor_div(width, Dim::Static(count));
    let parts = c.b.reshape(a, &[batch, length, Dim::Static(count), each]);
    Ok(c.b.transpose(parts, &[0, 2, 1, 3]))
}

/// `[B, H, S, D]` as `[B, S, H · D]`.
pub fn rows(c: &mut Converter, a: ValueId) -> ValueId {
    let parts = c.b.transpose(a, &[0, 2, 1, 3]);
    let shape = c.b.shape(parts);
    let width = c.b.graph.dim_mul(shape[2], shape[3]);
    c.b.reshape(parts, &[shape[0], shape[1], width])
}

/// Heads of keys or values, each once for every query head that shares it.
pub fn shared(c: &mut Converter, node: &Node, a: ValueId, wanted: Dim) -> Result<ValueId> {
    let [batch, have, length, width] = c.b.shape(a)[..] else {
        return Err(node.broken("four dimensions are expected"));
    };
    if have == wanted {
        return Ok(a);
    }
    match (have, wanted) {
        (Dim::Static(have), Dim::Static(wanted)) if have > 0 && wanted % have == 0 => {}
        _ => return Err(node.broken("the heads of keys do not divide those of queries")),
    }
    let times = c.b.graph.dim_floor_div(wanted, have);
    let all = c.b.broadcast(a, &[0, 1, 3, 4], &[batch, have, times, length, width]);
    Ok(c.b.reshape(all, &[batch, wanted, length, width]))
}

/// `[B, H, S, D] · [B, H, T, D]ᵀ`.
pub fn scores(c: &mut Converter, q: ValueId, k: ValueId) -> ValueId {
    let element = c.b.element(q);
    c.b.dot(q, k, &dot(vec![0, 1], vec![0, 1], vec![3], vec![3]), element)
}

/// `[B, H, S, T] · [B, H, T, D]`.
pub fn weighted(c: &mut Converter, weights: ValueId, v: ValueId) -> ValueId {
    let element = c.b.element(v);
    c.b.dot(weights, v, &dot(vec![0, 1], vec![0, 1], vec![3], vec![2]), element)
}

/// Which keys a query may see, as truth values in the shape of the scores; `None` where it may see all.
#[derive(Default)]
pub struct Visible(pub Option<ValueId>);

impl Visible {
    pub fn only(&mut self, c: &mut Converter, more: ValueId) {
        self.0 = Some(self.0.map_or(more, |old| c.b.binary(OpKind::And, old, more)));
    }
}

/// Softmax of the last dimension; rows of which nothing may be seen are zero.
pub fn masked_softmax(c: &mut Converter, a: ValueId, has_empty_rows: bool) -> ValueId {
    let axis = c.b.rank(a).saturating_sub(1);
    if !has_empty_rows {
        return softmax(c, a, &[axis], false);
    }
    let top = c.b.reduce(a, Scalar::Float(f64::NEG_INFINITY), &[axis], OpKind::Maximum);
    let lowest = c.number(top, f64::NEG_INFINITY);
    let empty = c.b.compare("EQ", top, lowest);
    let zero = c.number(top, 0.0);
    let top = c.b.select(empty, zero, top);
    let top = spread(c, top, a, &[axis]);
    let less = c.subtract(a, top);
    let powers = c.b.unary(OpKind::Exponential, less);
    let sum = c.b.reduce(powers, Scalar::Int(0), &[axis], OpKind::Add);
    let one = c.number(sum, 1.0);
    let sum = c.b.select(empty, one, sum);
    let sum = spread(c, sum, a, &[axis]);
    c.divide(powers, sum)
}

/// A mask whose last dimension may be shorter than the keys: those behind it are not seen.
fn widened(c: &mut Converter, mask: ValueId, keys: Dim) -> ValueId {
    let shape = c.b.shape(mask);
    let Some(&have) = shape.last() else { return mask };
    let (Dim::Static(have), Dim::Static(keys)) = (have, keys) else { return mask };
    if have >= keys || have == 1 {
        return mask;
    }
    let element = c.b.element(mask);
    let value = match element {
        ElementType::I1 => c.b.splat(&[], element, Scalar::Int(0)),
        _ => c.b.splat(&[], element, Scalar::Float(f64::NEG_INFINITY)),
    };
    let rank = shape.len();
    let mut high = vec![Dim::Static(0); rank];
    high[rank - 1] = Dim::Static(keys - have);
    c.b.pad(mask, value, &vec![Dim::Static(0); rank], &high, &vec![0; rank])
}

/// The type that softmax is computed in.
fn precision(c: &Converter, node: &Node, a: ValueId) -> Result<ElementType> {
    match node.int("softmax_precision").filter(|&code| code != 0) {
        Some(code) => data::element_of(code).map_err(|(code, what)| node.error(code, what)),
        None if c.b.element(a).is_narrow_float() => Ok(ElementType::F32),
        None => Ok(c.b.element(a)),
    }
}

fn attention(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let [mut q, mut k, mut v] = [node.input(0)?, node.input(1)?, node.input(2)?];
    let element = c.b.element(q);
    let is_packed = c.b.rank(q) == 3;
    if is_packed {
        let (many, few) = (node.int_or("q_num_heads", 0), node.int_or("kv_num_heads", 0));
        q = heads(c, node, q, many)?;
        (k, v) = (heads(c, node, k, few)?, heads(c, node, v, few)?);
    }
    if [q, k, v].iter().any(|&v| c.b.rank(v) != 4) {
        return Err(node.broken("queries, keys and values of three or four dimensions are expected"));
    }
    let mut past = Dim::Static(0);
    if let (Some(old_k), Some(old_v)) = (node.optional(4), node.optional(5)) {
        past = c.of_rank(node, old_k, 4)?[2];
        k = joined(c, node, &[old_k, k], 2)?;
        v = joined(c, node, &[old_v, v], 2)?;
    }
    let (present_k, present_v) = (k, v);
    let [_, query_heads, queries, width] = c.b.shape(q)[..] else { return Err(node.broken("queries")) };
    let keys = c.b.shape(k)[2];
    let (k, v) = (shared(c, node, k, query_heads)?, shared(c, node, v, query_heads)?);
    let (q, k) = scaled(c, node, (q, k), width)?;
    let raw = scores(c, q, k);
    let shape = c.b.shape(raw);
    let cap = node.float_or("softcap", 0.0);
    let capped = match cap > 0.0 {
        true => {
            let part = c.with_number(OpKind::Divide, raw, cap);
            let tanh = c.b.unary(OpKind::Tanh, part);
            c.with_number(OpKind::Multiply, tanh, cap)
        }
        false => raw,
    };
    let mut visible = Visible::default();
    let mut biased = capped;
    let mut has_empty_rows = false;
    if let Some(mask) = node.optional(3) {
        let mask = widened(c, mask, keys);
        let mask_shape = c.b.shape(mask);
        c.joint_shape(node, &shape, &mask_shape)?;
        let mask = c.stretch(mask, &shape);
        has_empty_rows = true;
        if c.b.element(mask) == ElementType::I1 {
            visible.only(c, mask);
        } else {
            let mask = c.b.convert(mask, element);
            biased = c.add(biased, mask);
        }
    }
    has_empty_rows |= positions(c, node, &mut visible, (&shape, queries, past))?;
    if let Some(allowed) = visible.0 {
        let none = c.number(biased, f64::NEG_INFINITY);
        biased = c.b.select(allowed, biased, none);
    }
    let with = precision(c, node, biased)?;
    let wide = c.b.convert(biased, with);
    let weights = masked_softmax(c, wide, has_empty_rows);
    let weights = c.b.convert(weights, element);
    let mut result = weighted(c, weights, v);
    if is_packed {
        result = rows(c, result);
    }
    let shown = match node.int_or("qk_matmul_output_mode", 0) {
        0 => raw,
        1 => capped,
        2 => biased,
        3 => weights,
        other => return Err(node.broken(format!("qk_matmul_output_mode {other}; known: 0 to 3"))),
    };
    Ok([result, present_k, present_v, shown].into_iter().map(Item::from).collect())
}

/// Queries and keys, each by the root of the scale.
fn scaled(c: &mut Converter, node: &Node, (q, k): (ValueId, ValueId), width: Dim) -> Result<(ValueId, ValueId)> {
    let scale = match (node.float("scale"), width) {
        (Some(scale), _) => scale,
        (None, Dim::Static(width)) if width > 0 => 1.0 / (width as f64).sqrt(),
        _ => return Err(node.error("FX1025", "the width of a head must be known when the model is compiled")),
    };
    let root = scale.sqrt();
    Ok((c.with_number(OpKind::Multiply, q, root), c.with_number(OpKind::Multiply, k, root)))
}

/// What positions hide: later keys, keys outside of a window, padding. Whether a query may be left with none.
fn positions(
    c: &mut Converter,
    node: &Node,
    visible: &mut Visible,
    (shape, queries, past): (&[Dim], Dim, Dim),
) -> Result<bool> {
    let (left, right) = (node.int_or("left_window_size", -1), node.int_or("right_window_size", -1));
    let lengths = node.optional(6);
    let is_causal = node.is_set("is_causal");
    if !is_causal && left < 0 && right < 0 && lengths.is_none() {
        return Ok(false);
    }
    let key = c.b.iota(shape, ElementType::I64, 3);
    let lengths = lengths.map(|lengths| {
        let lengths = c.b.convert(lengths, ElementType::I64);
        c.b.broadcast(lengths, &[0], shape)
    });
    let mut query = c.b.iota(shape, ElementType::I64, 2);
    match lengths {
        Some(lengths) => {
            query = c.add(query, lengths);
            let queries = super::reduce::count_like(c, queries, query);
            query = c.subtract(query, queries);
        }
        None if past != Dim::Static(0) => {
            let past = super::reduce::count_like(c, past, query);
            query = c.add(query, past);
        }
        None => {}
    }
    if is_causal {
        let seen = c.b.compare("LE", key, query);
        visible.only(c, seen);
    }
    if left >= 0 {
        let first = c.with_number(OpKind::Subtract, query, left as f64);
        let seen = c.b.compare("GE", key, first);
        visible.only(c, seen);
    }
    if right >= 0 {
        let last = c.with_number(OpKind::Add, query, right as f64);
        let seen = c.b.compare("LE", key, last);
        visible.only(c, seen);
    }
    if let Some(lengths) = lengths {
        let seen = c.b.compare("LT", key, lengths);
        visible.only(c, seen);
    }
    Ok(lengths.is_some() || left >= 0 || right >= 0)
}

/// Attention with graphs that change scores and weights.
fn flexible(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let [q, k, v] = [node.input(0)?, node.input(1)?, node.input(2)?];
    let [_, query_heads, _, width] = c.b.shape(q)[..] else { return Err(node.broken("four dimensions are expected")) };
    let element = c.b.element(q);
    let (k, v) = (shared(c, node, k, query_heads)?, shared(c, node, v, query_heads)?);
    let with = precision(c, node, q)?;
    let scale = match (node.float("scale"), width) {
        (Some(scale), _) => scale,
        (None, Dim::Static(width)) if width > 0 => 1.0 / (width as f64).sqrt(),
        _ => return Err(node.error("FX1025", "the width of a head must be known when the model is compiled")),
    };
    let (q, k) = (c.b.convert(q, with), c.b.convert(k, with));
    let raw = scores(c, q, k);
    let raw = c.with_number(OpKind::Multiply, raw, scale);
    let raw = changed(c, node, "score_mod", raw)?;
    let weights = masked_softmax(c, raw, node.attribute("score_mod").is_some());
    let weights = changed(c, node, "prob_mod", weights)?;
    let v = c.b.convert(v, with);
    let result = weighted(c, weights, v);
    Ok(vec![c.b.convert(result, element).into()])
}

fn changed(c: &mut Converter, node: &Node, name: &str, a: ValueId) -> Result<ValueId> {
    if node.attribute(name).is_none() {
        return Ok(a);
    }
    let results = super::control::inner(c, node.graph(name)?, &[Item::Tensor(a)])?;
    match results[..] {
        [Item::Tensor(value)] if c.b.graph.ty(value) == c.b.graph.ty(a) => Ok(value),
        _ => Err(node.broken(format!("`{name}` does not give a tensor of the type that it gets"))),
    }
}

/// A state that each token changes, `[B, H, D, V]`: a loop over the tokens.
fn linear(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let [q, k, v] = [node.input(0)?, node.input(1)?, node.input(2)?];
    let (many, few) = (node.int_or("q_num_heads", 0), node.int_or("kv_num_heads", 0));
    let (decays, corrects) = match node.text_or("update_rule", "gated_delta") {
        "linear" => (false, false),
        "gated" => (true, false),
        "delta" => (false, true),
        "gated_delta" => (true, true),
        other => return Err(node.broken(format!("update_rule `{other}`; known: linear, gated, delta, gated_delta"))),
    };
    let element = c.b.element(q);
    let single = |c: &mut Converter, a: ValueId| c.b.convert(a, ElementType::F32);
    let packed = |c: &mut Converter, a: ValueId, count: i64| -> Result<ValueId> {
        let a = heads(c, node, a, count)?;
        Ok(single(c, a))
    };
    let (q, k, v) = (packed(c, q, many)?, packed(c, k, few)?, packed(c, v, few)?);
    let (from, to) = (c.b.shape(k), c.b.shape(v));
    let &[batch, kv, time, width] = from.as_slice() else { return Err(node.broken("keys")) };
    let decay = match decays {
        true => Some(packed(c, node.input(4)?, few)?),
        false => None,
    };
    let rate = match corrects {
        true => {
            let rate = node.input(5)?;
            let count = c.of_rank(node, rate, 3)?[2].as_static().unwrap_or(1);
            Some(packed(c, rate, count)?)
        }
        false => None,
    };
    let scale = match (node.float_or("scale", 0.0), width) {
        (scale, _) if scale != 0.0 => scale,
        (_, Dim::Static(width)) if width > 0 => 1.0 / (width as f64).sqrt(),
        _ => return Err(node.error("FX1025", "the width of a head must be known when the model is compiled")),
    };
    let state_shape = [batch, kv, width, to[3]];
    let (start, state_element) = match node.optional(3) {
        Some(state) => (single(c, state), c.b.element(state)),
        None => (c.b.splat(&state_shape, ElementType::F32, Scalar::Int(0)), element),
    };
    let query_heads = c.b.shape(q)[1];
    let outputs = c.b.splat(&[batch, query_heads, time, to[3]], ElementType::F32, Scalar::Int(0));
    let results = c.counted(node, time, &[start, outputs], |c, round, state| {
        let [mut memory, outputs] = state[..] else { return Err(node.broken("it has no state")) };
        let (q, k, mut v) = (c.at(q, 2, round), c.at(k, 2, round), c.at(v, 2, round));
        if let Some(decay) = decay {
            let decay = c.at(decay, 2, round);
            let factor = c.b.unary(OpKind::Exponential, decay);
            let mut shape = c.b.shape(factor);
            shape.push(Dim::Static(1));
            let factor = c.b.reshape(factor, &shape);
            let factor = c.stretch(factor, &state_shape);
            memory = c.multiply(memory, factor);
        }
        if let Some(rate) = rate {
            let numbers = dot(vec![0, 1], vec![0, 1], vec![2], vec![2]);
            let known = c.b.dot(memory, k, &numbers, ElementType::F32);
            let less = c.subtract(v, known);
            let rate = c.at(rate, 2, round);
            let shape = c.b.shape(less);
            let rate = c.stretch(rate, &shape);
            v = c.multiply(less, rate);
        }
        let (k, v) = (c.b.broadcast(k, &[0, 1, 2], &state_shape), c.b.broadcast(v, &[0, 1, 3], &state_shape));
        let more = c.multiply(k, v);
        let memory = c.add(memory, more);
        let read = shared(c, node, memory, query_heads)?;
        let read = c.b.dot(q, read, &dot(vec![0, 1], vec![0, 1], vec![2], vec![2]), ElementType::F32);
        let read = c.with_number(OpKind::Multiply, read, scale);
        Ok(vec![memory, c.put(outputs, 2, round, read)])
    })?;
    let output = rows(c, results[1]);
    Ok(vec![c.b.convert(output, element).into(), c.b.convert(results[0], state_element).into()])
}

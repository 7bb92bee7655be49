//! Attention of `com.microsoft`: with several heads, with shared heads, with rotary positions inside.

use fornax_graph::{Dim, ElementType, OpKind, Type, ValueId};
use fornax_types::Scalar;

use super::attention::{Visible, heads, masked_softmax, rows, scores, shared, weighted};
use super::contrib::DOMAIN;
use super::contrib_quantised::{Second, product};
use super::index::scatter;
use super::reduce::count_like;
use super::rotary::rotated;
use super::shape::{joined, take};
use super::{Row, Rule};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] = &[
    Row { domain: DOMAIN, name: "RotaryEmbedding", rule: Rule::One(rotary) },
    Row { domain: DOMAIN, name: "MultiHeadAttention", rule: Rule::Many(multi_head) },
    Row { domain: DOMAIN, name: "GroupQueryAttention", rule: Rule::Many(group_query) },
    Row { domain: DOMAIN, name: "Attention", rule: Rule::Many(with_projection) },
    Row { domain: DOMAIN, name: "QAttention", rule: Rule::Many(with_quantised_projection) },
];

/// Positions are one each, or the first of all.
fn rotary(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, at, cosines, sines) = (node.input(0)?, node.input(1)?, node.input(2)?, node.input(3)?);
    if node.is_set("is_packed_batching") || node.float_or("scale", 1.0) != 1.0 {
        return Err(node.unsupported("is_packed_batching, or a scale"));
    }
    let is_rows = c.b.rank(a) == 3;
    let count = match (node.int_or("num_heads", 0), is_rows) {
        (0, true) => {
            // Without a number of heads, a head is twice as wide as the table.
            let half = c.of_rank(node, cosines, 2)?[1];
            let width = c.b.scaled(half, 2, 0);
            let row = c.b.shape(a)[2];
            let count = c.b.graph.dim_floor_div(row, width);
            count.as_static().ok_or_else(|| node.error("FX1025", "the number of heads must be known"))?
        }
        (count, _) => count,
    };
    let x = if is_rows { heads(c, node, a, count)? } else { a };
    let shape = c.b.shape(x);
    let at = c.b.convert(at, ElementType::I64);
    let at = match c.b.rank(at) {
        1 => {
            let places = [shape[0], shape[2]];
            let first = c.b.reshape(at, &[]);
            let first = c.stretch(first, &places);
            let numbers = c.b.iota(&places, ElementType::I64, 1);
            c.add(numbers, first)
        }
        _ => at,
    };
    let angles = (take(c, cosines, at, 0), take(c, sines, at, 0));
    let result = rotated(c, node, x, angles, node.is_set("interleaved"))?;
    Ok(if is_rows { rows(c, result) } else { result })
}

/// What happens to scores before they weigh.
#[derive(Default)]
struct Scoring {
    visible: Visible,
    /// Added.
    bias: Option<ValueId>,
    /// A score of each head, `[H]`, that takes a part of the weights and has no value.
    sink: Option<ValueId>,
}

/// Scores, softmax and weighted values of `[B, H, S, D]`.
fn attend(c: &mut Converter, node: &Node, [q, k, v]: [ValueId; 3], scoring: Scoring) -> Result<ValueId> {
    let element = c.b.element(q);
    let Some(width) = c.b.shape(q)[3].as_static().filter(|&n| n > 0) else {
        return Err(node.error("FX1025", "the width of a head must be known when the model is compiled"));
    };
    let scale = match node.float_or("scale", 0.0) {
        0.0 => 1.0 / (width as f64).sqrt(),
        scale => scale,
    };
    let [q, k, v] = [c.wide(q), c.wide(k), c.wide(v)];
    let raw = scores(c, q, k);
    let mut raw = c.with_number(OpKind::Multiply, raw, scale);
    let cap = node.float_or("softcap", 0.0);
    if cap > 0.0 {
        let part = c.with_number(OpKind::Divide, raw, cap);
        let tanh = c.b.unary(OpKind::Tanh, part);
        raw = c.with_number(OpKind::Multiply, tanh, cap);
    }
    let shape = c.b.shape(raw);
    if let Some(bias) = scoring.bias {
        let with = c.b.element(raw);
        let bias = c.b.convert(bias, with);
        let sizes = c.b.shape(bias);
        c.joint_shape(node, &shape, &sizes)?;
        let bias = c.stretch(bias, &shape);
        raw = c.add(raw, bias);
    }
    let has_empty_rows = scoring.visible.0.is_some();
    if let Some(allowed) = scoring.visible.0 {
        let none = c.number(raw, f64::NEG_INFINITY);
        raw = c.b.select(allowed, raw, none);
    }
    let weights = match scoring.sink {
        Some(sink) => {
            let (keys, with) = (shape[3], c.b.element(raw));
            let sink = c.b.convert(sink, with);
            let column = c.b.broadcast(sink, &[1], &[shape[0], shape[1], shape[2], Dim::Static(1)]);
            let all = c.b.concatenate(&[raw, column], 3);
            let all = masked_softmax(c, all, false);
            c.b.slice_dim(all, 3, Dim::Static(0), keys)
        }
        None => masked_softmax(c, raw, has_empty_rows),
    };
    let result = weighted(c, weights, v);
    Ok(c.b.convert(result, element))
}

/// Keys that a mask leaves: lengths `[B]`, ends and then starts `[2 B]`, or truth values `[B, T]` or `[B, S, T]`.
fn padding(c: &mut Converter, node: &Node, mask: ValueId, shape: &[Dim], visible: &mut Visible) -> Result<()> {
    let mask = c.b.convert(mask, ElementType::I64);
    let seen = match c.b.rank(mask) {
        1 => {
            let (size, key) = (c.b.shape(mask)[0], c.b.iota(shape, ElementType::I64, 3));
            let both = c.b.scaled(shape[0], 2, 0);
            let (ends, starts) = match size == both && size != shape[0] {
                true => {
                    let parts = super::shape::cut(c, mask, 0, &[shape[0], shape[0]]);
                    (parts[0], Some(parts[1]))
                }
                false => (mask, None),
            };
            let size = c.b.shape(ends)[0];
            c.same(node, size, shape[0])?;
            let ends = c.b.broadcast(ends, &[0], shape);
            let before = c.b.compare("LT", key, ends);
            match starts {
                Some(starts) => {
                    let starts = c.b.broadcast(starts, &[0], shape);
                    let behind = c.b.compare("GE", key, starts);
                    c.b.binary(OpKind::And, before, behind)
                }
                None => before,
            }
        }
        2 => {
            let size = c.of_rank(node, mask, 2)?[1];
            c.same(node, size, shape[3])?;
            let zero = c.number(mask, 0.0);
            let on = c.b.compare("NE", mask, zero);
            c.b.broadcast(on, &[0, 3], shape)
        }
        3 => {
            let sizes = c.of_rank(node, mask, 3)?;
            c.same(node, sizes[0], shape[0])?;
            c.same(node, sizes[1], shape[2])?;
            c.same(node, sizes[2], shape[3])?;
            let zero = c.number(mask, 0.0);
            let on = c.b.compare("NE", mask, zero);
            c.b.broadcast(on, &[0, 2, 3], shape)
        }
        rank => return Err(node.unsupported(format!("a mask of {rank} dimensions"))),
    };
    visible.only(c, seen);
    Ok(())
}

/// Later keys are not seen; `past` keys come before the first query.
fn causal(c: &mut Converter, shape: &[Dim], past: Dim, visible: &mut Visible) {
    let (query, key) = (c.b.iota(shape, ElementType::I64, 2), c.b.iota(shape, ElementType::I64, 3));
    let past = count_like(c, past, query);
    let query = c.add(query, past);
    let seen = c.b.compare("LE", key, query);
    visible.only(c, seen);
}

/// The shape of scores.
fn score_shape(c: &Converter, q: ValueId, k: ValueId) -> Vec<Dim> {
    let (q, k) = (c.b.shape(q), c.b.shape(k));
    vec![q[0], q[1], q[2], k[2]]
}

/// Parts that lie beside each other, `[B, S, H, N, D]`, each as `[B, H, S, D]`.
fn unpacked(c: &mut Converter, node: &Node, a: ValueId, parts: i64) -> Result<Vec<ValueId>> {
    let shape = c.of_rank(node, a, 5)?;
    if shape[3] != Dim::Static(parts) {
        return Err(node.broken(format!("packed inputs of {parts} parts are expected")));
    }
    let one = vec![Dim::Static(1); parts as usize];
    let parts = super::shape::cut(c, a, 3, &one);
    let part = |c: &mut Converter, part| {
        let rows = c.b.reshape(part, &[shape[0], shape[1], shape[2], shape[4]]);
        c.b.transpose(rows, &[0, 2, 1, 3])
    };
    Ok(parts.into_iter().map(|one| part(c, one)).collect())
}

/// Queries, keys and values of MultiHeadAttention: rows, packed rows, or heads of an earlier run.
fn given_heads(c: &mut Converter, node: &Node) -> Result<Vec<ValueId>> {
    let (first, bias) = (node.input(0)?, node.optional(3));
    if c.b.rank(first) == 5 || node.optional(2).is_none() {
        if bias.is_some() {
            return Err(node.unsupported("a bias of packed queries, keys or values"));
        }
        if c.b.rank(first) == 5 {
            return unpacked(c, node, first, 3);
        }
        let pairs = node.input(1)?;
        let mut parts = vec![heads(c, node, first, node.int_or("num_heads", 0))?];
        parts.extend(unpacked(c, node, pairs, 2)?);
        return Ok(parts);
    }
    let mut parts = Vec::new();
    let mut from = Dim::Static(0);
    for at in 0..3 {
        let mut a = node.input(at)?;
        if at > 0 && c.b.rank(a) == 4 {
            parts.push(a);
            continue;
        }
        let width = c.of_rank(node, a, 3)?[2];
        if let Some(bias) = bias {
            let to = c.b.plus(from, width);
            let part = c.b.slice_dim(bias, 0, from, to);
            a = c.binary(node, OpKind::Add, a, part)?;
            from = to;
        }
        parts.push(heads(c, node, a, node.int_or("num_heads", 0))?);
    }
    Ok(parts)
}

fn multi_head(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let parts = given_heads(c, node)?;
    let [q, mut k, mut v] = parts[..] else { return Err(node.broken("three inputs are expected")) };
    let mut past = Dim::Static(0);
    if let (Some(old_k), Some(old_v)) = (node.optional(6), node.optional(7)) {
        past = c.of_rank(node, old_k, 4)?[2];
        (k, v) = (joined(c, node, &[old_k, k], 2)?, joined(c, node, &[old_v, v], 2)?);
    }
    let shape = score_shape(c, q, k);
    let mut scoring = Scoring { bias: node.optional(5), ..Scoring::default() };
    if let Some(mask) = node.optional(4) {
        padding(c, node, mask, &shape, &mut scoring.visible)?;
    }
    if node.is_set("unidirectional") {
        causal(c, &shape, past, &mut scoring.visible);
    }
    let result = attend(c, node, [q, k, v], scoring)?;
    Ok(vec![rows(c, result).into(), k.into(), v.into()])
}

/// Queries, keys and values are products of one input.
fn with_projection(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let (a, weights) = (node.input(0)?, node.input(1)?);
    let element = c.b.element(a);
    let mut all = super::matmul::matmul(c, node, a, weights, element)?;
    if let Some(bias) = node.optional(2) {
        all = c.binary(node, OpKind::Add, all, bias)?;
    }
    let around = Around { mask: node.optional(3), past: node.optional(4), bias: node.optional(5) };
    of_projection(c, node, all, around)
}

/// The same whose projection is a product of bytes.
fn with_quantised_projection(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let a = (node.input(0)?, node.input(3)?, node.optional(6));
    let b = Second { numbers: node.input(1)?, scale: node.input(4)?, zero: node.optional(7), bias: node.optional(2) };
    let all = product(c, node, a, b)?;
    of_projection(c, node, all, Around { mask: node.optional(5), past: node.optional(8), bias: None })
}

/// Inputs of an attention other than queries, keys and values.
struct Around {
    mask: Option<ValueId>,
    /// Keys and values before, `[2, B, H, T, D]`.
    past: Option<ValueId>,
    bias: Option<ValueId>,
}

/// Attention of queries, keys and values in one tensor, `[B, S, 3 · H · D]`.
fn of_projection(c: &mut Converter, node: &Node, all: ValueId, around: Around) -> Result<Vec<Item>> {
    if node.is_set("past_present_share_buffer") || node.is_set("do_rotary") {
        return Err(node.unsupported("past keys and values that are overwritten, or rotary positions"));
    }
    let width = c.of_rank(node, all, 3)?[2];
    let sizes = match node.ints("qkv_hidden_sizes") {
        Some(list) if list.len() == 3 => crate::dialects::build::known(list),
        _ => vec![c.b.graph.dim_floor_div(width, Dim::Static(3)); 3],
    };
    let count = node.int_or("num_heads", 0);
    let mut parts = Vec::new();
    for part in super::shape::cut(c, all, 2, &sizes) {
        parts.push(heads(c, node, part, count)?);
    }
    let [q, mut k, mut v] = parts[..] else { return Err(node.broken("three sizes are expected")) };
    let mut past = Dim::Static(0);
    if let Some(old) = around.past {
        let sizes = c.of_rank(node, old, 5)?;
        if sizes[0] != Dim::Static(2) {
            return Err(node.broken("past keys and values are expected"));
        }
        past = sizes[3];
        let both = super::shape::cut(c, old, 0, &[Dim::Static(1), Dim::Static(1)]);
        let [old_k, old_v] = [both[0], both[1]].map(|half| c.b.reshape(half, &sizes[1..]));
        (k, v) = (joined(c, node, &[old_k, k], 2)?, joined(c, node, &[old_v, v], 2)?);
    }
    let shape = score_shape(c, q, k);
    let mut scoring = Scoring { bias: around.bias, ..Scoring::default() };
    if let Some(mask) = around.mask {
        padding(c, node, mask, &shape, &mut scoring.visible)?;
    }
    if node.is_set("unidirectional") {
        causal(c, &shape, past, &mut scoring.visible);
    }
    let result = attend(c, node, [q, k, v], scoring)?;
    let mut results = vec![rows(c, result).into()];
    if node.wants(1) {
        let halves = [k, v].map(|half| {
            let mut sizes = c.b.shape(half);
            sizes.insert(0, Dim::Static(1));
            c.b.reshape(half, &sizes)
        });
        results.push(joined(c, node, &halves, 0)?.into());
    }
    Ok(results)
}

/// Attention of a decoder: keys and values are added to those before, `seqlens_k + 1` of them count.
///
/// The results hold as many keys as the past and the new ones together.
fn group_query(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let (many, few) = (node.int_or("num_heads", 0), node.int_or("kv_num_heads", 0));
    let lengths = node.input(5)?;
    if (12..node.inputs.len()).any(|at| node.optional(at).is_some()) {
        return Err(node.unsupported("scales of keys and values"));
    }
    let (q, k, v) = match (node.optional(1), node.optional(2)) {
        (Some(k), Some(v)) => (node.input(0)?, k, v),
        _ => {
            let all = node.input(0)?;
            let width = c.of_rank(node, all, 3)?[2];
            let each = c.b.graph.dim_floor_div(width, Dim::Static((many + 2 * few).max(1)));
            let sizes = [many, few, few].map(|n| c.b.scaled(each, n, 0));
            let parts = super::shape::cut(c, all, 2, &sizes);
            (parts[0], parts[1], parts[2])
        }
    };
    let (mut q, mut k, v) = (heads(c, node, q, many)?, heads(c, node, k, few)?, heads(c, node, v, few)?);
    let queries = c.b.shape(q)[2];
    let batch = c.b.shape(q)[0];
    // Where each text's new tokens begin: behind those that were before.
    let lengths = c.b.convert(lengths, ElementType::I64);
    let lengths = c.b.reshape(lengths, &[batch]);
    let total = c.with_number(OpKind::Add, lengths, 1.0);
    let have = match node.optional(3) {
        Some(old) => Some(c.of_rank(node, old, 4)?[2]),
        None => None,
    };
    let begins = match have {
        None | Some(Dim::Static(0)) => c.number(total, 0.0),
        Some(_) => {
            let queries = count_like(c, queries, total);
            let behind = c.subtract(total, queries);
            // The first tokens of all texts begin at 0, also those of texts that are filled up.
            let whole = node.input(6)?;
            let whole = c.b.convert(whole, ElementType::I64);
            let whole = c.b.reshape(whole, &[]);
            let whole = c.stretch(whole, &[batch]);
            let is_first = c.b.compare("EQ", whole, queries);
            let zero = c.number(total, 0.0);
            c.b.select(is_first, zero, behind)
        }
    };
    let places = [batch, queries];
    let numbers = c.b.iota(&places, ElementType::I64, 1);
    let first = c.b.broadcast(begins, &[0], &places);
    let at = c.add(numbers, first);
    if node.is_set("do_rotary") {
        let (cosines, sines) = (node.input(7)?, node.input(8)?);
        let turned = match node.optional(9) {
            Some(ids) => {
                c.of_rank(node, ids, 2)?;
                c.b.convert(ids, ElementType::I64)
            }
            None => at,
        };
        let angles = (take(c, cosines, turned, 0), take(c, sines, turned, 0));
        let is_interleaved = node.is_set("rotary_interleaved");
        (q, k) = (rotated(c, node, q, angles, is_interleaved)?, rotated(c, node, k, angles, is_interleaved)?);
    }
    let (k, v) = match (node.optional(3), node.optional(4)) {
        (Some(old_k), Some(old_v)) => (appended(c, node, old_k, k, at)?, appended(c, node, old_v, v, at)?),
        _ => (k, v),
    };
    let query_heads = c.b.shape(q)[1];
    let (all_k, all_v) = (shared(c, node, k, query_heads)?, shared(c, node, v, query_heads)?);
    let shape = score_shape(c, q, all_k);
    let mut scoring = Scoring { bias: node.optional(10), sink: node.optional(11), ..Scoring::default() };
    if let Some(sink) = scoring.sink {
        let have = c.of_rank(node, sink, 1)?[0];
        c.same(node, have, query_heads)?;
    } else if node.int_or("smooth_softmax", 0) > 0 {
        scoring.sink = Some(c.b.splat(&[query_heads], ElementType::F32, Scalar::Int(0)));
    }
    let key = c.b.iota(&shape, ElementType::I64, 3);
    let query = c.b.broadcast(at, &[0, 2], &shape);
    let seen = c.b.compare("LE", key, query);
    scoring.visible.only(c, seen);
    let window = node.int_or("local_window_size", -1);
    if window > 0 {
        let edge = c.with_number(OpKind::Subtract, query, window as f64);
        let seen = c.b.compare("GT", key, edge);
        scoring.visible.only(c, seen);
    }
    let result = attend(c, node, [q, all_k, all_v], scoring)?;
    Ok(vec![rows(c, result).into(), k.into(), v.into()])
}

/// New rows `[B, H, S, D]` behind old ones, each text's at places `[B, S]` of its own.
fn appended(c: &mut Converter, node: &Node, old: ValueId, new: ValueId, at: ValueId) -> Result<ValueId> {
    let (from, more) = (c.b.shape(old), c.b.shape(new));
    if from[2] == Dim::Static(0) {
        return Ok(new);
    }
    let room = c.b.splat(&more, ElementType::I1, Scalar::Int(0));
    let element = c.b.element(old);
    let room = c.b.convert(room, element);
    let all = joined(c, node, &[old, room], 2)?;
    let one = [more[0], more[1], more[2], Dim::Static(1)];
    let (batch, head) = (c.b.iota(&one, ElementType::I64, 0), c.b.iota(&one, ElementType::I64, 1));
    let at = c.b.broadcast(at, &[0, 2], &one);
    let vectors = c.b.concatenate(&[batch, head, at], 3);
    let scalar = Type::tensor(&[], element);
    let region = c.b.region(&[scalar.clone(), scalar], |_, at| vec![at[1]]);
    Ok(scatter(c, (all, vectors, new), 3, region))
}

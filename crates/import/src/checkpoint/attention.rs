//! A layer's attention: products of heads with the caches, which get this call's rows.

use super::caches::Caches;
use super::decoder::{Decoder, QkNorm};
use super::function::Function;
use super::names::Role;
use super::norm::{Weights, norm};
use super::positions::{View, rotated};
use super::text::{Text, Value};
use crate::Diagnostic;

/// Of this call's tokens, `[tokens, heads · head width]`.
struct Qkv {
    queries: Value,
    keys: Value,
    values: Value,
}

/// `hidden + norm(attention(norm(hidden)))`, with the norms that the decoder has; the layer's caches get this call's
/// rows.
///
/// # Errors
/// FX1013, FX1014.
pub fn attention(
    f: &mut Function,
    (decoder, layer): (&Decoder, u64),
    (hidden, view): (&Value, &View),
    caches: &mut Caches,
) -> Result<Value, Box<Diagnostic>> {
    let (kv, width) = (decoder.kv_heads, decoder.head_width);
    let group = decoder.heads / kv;
    let tokens = hidden.shape.first().copied().unwrap_or(1);
    let before = Weights { weight: Role::AttentionNorm, bias: Some(Role::AttentionNormBias), layer };
    let x = if decoder.norm_places.before() { norm(f, decoder.norm, before, hidden)? } else { hidden.clone() };
    let Qkv { queries, keys, values } = qkv(f, (decoder, layer), &x)?;
    let q = normed(f, (decoder, layer), &queries, (decoder.heads, Role::QueryNorm))?;
    let k = normed(f, (decoder, layer), &keys, (kv, Role::KeyNorm))?;
    let t = &mut f.text;
    let v = t.reshape(&values, &[tokens, kv, width]);
    let q = rotated(t, view, &q);
    let k = rotated(t, view, &k);
    let whose = &view.whose;
    for (cache, rows) in [(&mut caches.keys, &k), (&mut caches.values, &v)] {
        whose.write(t, cache, rows);
    }
    let element = caches.operand();
    let q = t.reshape(&q, &[tokens, kv, group, width]);
    let q = whose.queries(t, &q);
    let q = t.convert(&q, element);
    let (with_keys, with_values) = whose.pairings();
    let keys = whose.read(t, &caches.keys, element);
    let scores = t.product(&q, &keys, &with_keys);
    let scores = whose.scale(t, scores, &caches.keys);
    let weights = softmax(t, decoder, view, &scores);
    let weights = whose.scale(t, weights, &caches.values);
    let weights = t.convert(&weights, element);
    let values = whose.read(t, &caches.values, element);
    let mixed = t.product(&weights, &values, &with_values);
    let mixed = whose.mixed(t, &mixed);
    let mixed = t.reshape(&mixed, &[tokens, decoder.heads * width]);
    let mut out = f.linear(&mixed, (Role::AttentionOutput, Role::AttentionOutputBias), layer, decoder.width)?;
    if decoder.norm_places.after() {
        let after = Weights { weight: Role::PostAttentionNorm, bias: None, layer };
        out = norm(f, decoder.norm, after, &out)?;
    }
    Ok(f.text.binary("add", hidden, &out))
}

/// By three matrices, or by one that holds them one behind the other.
fn qkv(f: &mut Function, (decoder, layer): (&Decoder, u64), x: &Value) -> Result<Qkv, Box<Diagnostic>> {
    let (q, kv) = (decoder.heads * decoder.head_width, decoder.kv_heads * decoder.head_width);
    if !decoder.layout.fused_qkv {
        return Ok(Qkv {
            queries: f.linear(x, (Role::Query, Role::QueryBias), layer, q)?,
            keys: f.linear(x, (Role::Key, Role::KeyBias), layer, kv)?,
            values: f.linear(x, (Role::Value, Role::ValueBias), layer, kv)?,
        });
    }
    let all = f.linear(x, (Role::Qkv, Role::QkvBias), layer, q + 2 * kv)?;
    let mut part = |from, to| f.text.slice_last(&all, from, to);
    Ok(Qkv { queries: part(0, q), keys: part(q, q + kv), values: part(q + kv, q + 2 * kv) })
}

/// Queries or keys `[tokens, heads · head width]` as heads, normed where the decoder does so.
fn normed(
    f: &mut Function,
    (decoder, layer): (&Decoder, u64),
    x: &Value,
    (heads, weight): (u64, Role),
) -> Result<Value, Box<Diagnostic>> {
    let rows = x.shape.first().copied().unwrap_or(1);
    let shape = [rows, heads, decoder.head_width];
    let weights = Weights { weight, bias: None, layer };
    match decoder.qk_norm {
        QkNorm::None => Ok(f.text.reshape(x, &shape)),
        QkNorm::Head => {
            let x = f.text.reshape(x, &shape);
            norm(f, decoder.norm, weights, &x)
        }
        QkNorm::Whole => {
            let x = norm(f, decoder.norm, weights, x)?;
            Ok(f.text.reshape(&x, &shape))
        }
    }
}

/// Weights of scores `[kv heads, group, tokens, context]`, `[slots, kv heads, group, context]` or `[slots, kv heads,
/// group, tokens, context]`: what is not seen has none.
fn softmax(t: &mut Text, decoder: &Decoder, view: &View, scores: &Value) -> Value {
    let scale = t.float(decoder.score_scale, &scores.shape);
    let scaled = t.binary("multiply", scores, &scale);
    let scaled = t.soft_capped(&scaled, decoder.score_softcap);
    let seen = view.whose.spread_seen(t, &view.seen, scores);
    let unseen = t.float(f64::NEG_INFINITY, &scores.shape);
    let masked = t.select(&seen, &scaled, &unseen);
    t.softmax_last(&masked)
}

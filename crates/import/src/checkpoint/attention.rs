//! A layer's attention: products of heads with the caches, which get this call's rows.

use super::decoder::{Decoder, HeadNorms, Layer};
use super::function::Function;
use super::names::Role;
use super::norm::{Weights, norm};
use super::positions::{Shared, rotated};
use super::text::{Pairing, Value};
use crate::Diagnostic;

/// Queries, keys and values of this call's tokens, `[tokens, heads · head width]`.
struct Heads {
    queries: Value,
    keys: Value,
    values: Value,
}

/// `hidden + norm(attention(norm(hidden)))`, with the norms that the decoder has; the layer's caches, keys and values,
/// get this call's rows.
///
/// # Errors
/// FX1013, FX1014.
pub fn attention(
    f: &mut Function,
    (decoder, number): (&Decoder, u64),
    (hidden, shared): (&Value, &Shared),
    caches: &mut [(String, Value)],
) -> Result<Value, Box<Diagnostic>> {
    let layer = decoder.layers.get(number as usize).copied().unwrap_or_default();
    let (kv, width) = (decoder.kv_heads, decoder.head_width);
    let group = decoder.heads / kv;
    let tokens = hidden.shape.first().copied().unwrap_or(1);
    let before = Weights { weight: Role::AttentionNorm, bias: Some(Role::AttentionNormBias), layer: number };
    let x = if decoder.norm_places.before() { norm(f, decoder.norm, before, hidden)? } else { hidden.clone() };
    let heads = heads(f, (decoder, number), &x)?;
    let q = normed(f, (decoder, number), &heads.queries, (decoder.heads, Role::QueryNorm))?;
    let k = normed(f, (decoder, number), &heads.keys, (kv, Role::KeyNorm))?;
    let t = &mut f.text;
    let v = t.reshape(&heads.values, &[tokens, kv, width]);
    let q = rotated(t, decoder, (shared, layer.rotation), &q);
    let k = rotated(t, decoder, (shared, layer.rotation), &k);
    let zero = t.index(0);
    for ((_, cache), rows) in caches.iter_mut().zip([&k, &v]) {
        let rows = t.convert(rows, cache.element);
        let rows = t.transpose(&rows, &[1, 0, 2]);
        *cache = t.update(cache, &rows, &[&zero, &shared.position, &zero]);
    }
    let [(_, keys), (_, values)] = caches else { return Ok(hidden.clone()) };
    let element = keys.element;
    let q = t.reshape(&q, &[tokens, kv, group, width]);
    let q = t.transpose(&q, &[1, 2, 0, 3]);
    let q = t.convert(&q, element);
    let scores = t.product(&q, keys, &Pairing { batching: &[0], left: 3, right: 2 });
    let weights = softmax(f, decoder, (shared, layer), &scores);
    let t = &mut f.text;
    let weights = t.convert(&weights, element);
    let mixed = t.product(&weights, values, &Pairing { batching: &[0], left: 3, right: 1 });
    let mixed = t.transpose(&mixed, &[2, 0, 1, 3]);
    let mixed = t.reshape(&mixed, &[tokens, decoder.heads * width]);
    let mut out = f.linear(&mixed, (Role::AttentionOutput, Role::AttentionOutputBias), number, decoder.width)?;
    if decoder.norm_places.after() {
        let after = Weights { weight: Role::PostAttentionNorm, bias: None, layer: number };
        out = norm(f, decoder.norm, after, &out)?;
    }
    Ok(f.text.binary("add", hidden, &out))
}

/// By three matrices, or by one that holds them one behind the other.
fn heads(f: &mut Function, (decoder, layer): (&Decoder, u64), x: &Value) -> Result<Heads, Box<Diagnostic>> {
    let (q, kv) = (decoder.heads * decoder.head_width, decoder.kv_heads * decoder.head_width);
    if !decoder.layout.joins_heads {
        return Ok(Heads {
            queries: f.linear(x, (Role::Query, Role::QueryBias), layer, q)?,
            keys: f.linear(x, (Role::Key, Role::KeyBias), layer, kv)?,
            values: f.linear(x, (Role::Value, Role::ValueBias), layer, kv)?,
        });
    }
    let all = f.linear(x, (Role::Heads, Role::HeadsBias), layer, q + 2 * kv)?;
    let mut part = |from, to| f.text.slice_last(&all, from, to);
    Ok(Heads { queries: part(0, q), keys: part(q, q + kv), values: part(q + kv, q + 2 * kv) })
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
    match decoder.head_norms {
        HeadNorms::None => Ok(f.text.reshape(x, &shape)),
        HeadNorms::Head => {
            let x = f.text.reshape(x, &shape);
            norm(f, decoder.norm, weights, &x)
        }
        HeadNorms::Whole => {
            let x = norm(f, decoder.norm, weights, x)?;
            Ok(f.text.reshape(&x, &shape))
        }
    }
}

/// Weights of scores `[kv heads, group, tokens, context]`: what is not seen has none.
fn softmax(f: &mut Function, decoder: &Decoder, (shared, layer): (&Shared, Layer), scores: &Value) -> Value {
    let t = &mut f.text;
    let scale = t.float(decoder.score_scale, &scores.shape);
    let scaled = t.binary("multiply", scores, &scale);
    let scaled = t.capped(&scaled, decoder.score_cap);
    let Some(seen) = shared.seen(layer.window) else { return scaled };
    let seen = t.broadcast(seen, &scores.shape, &[2, 3]);
    let unseen = t.float(f64::NEG_INFINITY, &scores.shape);
    let masked = t.select(&seen, &scaled, &unseen);
    let most = t.reduce_last("maximum", &masked);
    let most = t.spread(&most, &scores.shape);
    let shifted = t.binary("subtract", &masked, &most);
    let powers = t.unary("exponential", &shifted);
    let sum = t.reduce_last("add", &powers);
    let sum = t.spread(&sum, &scores.shape);
    t.binary("divide", &powers, &sum)
}

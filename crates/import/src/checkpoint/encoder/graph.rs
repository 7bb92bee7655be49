//! A function of an encoder, for texts of one length or less:
//!
//! ```text
//! encode_N(tokens [N] i32, count i32, weights…) -> embedding [width] f32
//! ```
//!
//! The first `count` tokens count, 1 at least; nothing sees the others. Sums, norms, softmax and what passes from layer
//! to layer are f32.

use fornax_types::ElementType;

use super::super::feed_forward::activated;
use super::super::function::Function;
use super::super::names::Role;
use super::super::norm::{Weights, norm};
use super::super::source::Checkpoint;
use super::super::text::{Pairing, Text, Value};
use super::pooling::{normalized, pooled, seen};
use super::{Encoder, Sentence};
use crate::Diagnostic;

/// What all layers have in common.
struct View {
    /// Which tokens count, `[heads, tokens, tokens]`: the same in every row.
    seen: Value,
    /// What is added to scores, of the same shape.
    relative: Option<Value>,
    element: ElementType,
}

/// The function for texts of at most so many tokens, its products of an element type.
///
/// # Errors
/// FX1013 and FX1014 for tensors that are missing or have another shape.
pub fn function(
    checkpoint: &Checkpoint,
    encoder: &Encoder,
    sentence: &Sentence,
    (tokens, element): (u64, ElementType),
) -> Result<String, Box<Diagnostic>> {
    let mut f = Function::new(checkpoint, element, false);
    let ids = f.input("tokens", (ElementType::I32, &[tokens]), None);
    let count = f.input("count", (ElementType::I32, &[]), None);
    let mut hidden = embedded(&mut f, encoder, &ids)?;
    let square = [encoder.heads, tokens, tokens];
    let counts = seen(&mut f.text, &count, tokens);
    let seen = f.text.broadcast(&counts, &square, &[2]);
    let relative = if encoder.has_distances { Some(distances(&mut f, &square)?) } else { None };
    let view = View { seen, relative, element };
    for layer in 0..encoder.layers {
        hidden = attention(&mut f, (encoder, layer), &hidden, &view)?;
        hidden = feed_forward(&mut f, (encoder, layer), &hidden)?;
    }
    let mut vector = pooled(&mut f, sentence.pooling, &hidden, &count);
    if sentence.is_normalized {
        vector = normalized(&mut f.text, &vector);
    }
    Ok(f.finish(&format!("encode_{tokens}"), &[("embedding".to_string(), vector)]))
}

/// Vectors of tokens, `[tokens, width]`: of words, of places, of the first kind of tokens.
fn embedded(f: &mut Function, encoder: &Encoder, ids: &Value) -> Result<Value, Box<Diagnostic>> {
    let width = encoder.width;
    let words = f.rows(Role::TokenEmbedding, (encoder.vocabulary, width), ids)?;
    let places = f.text.iota(&ids.shape, 0);
    let places = f.text.binary_with("add", &places, &encoder.first_position.to_string());
    let places = f.rows(Role::Positions, (encoder.positions, width), &places)?;
    let mut sum = f.text.binary("add", &words, &places);
    if let Some(kinds) = encoder.kinds {
        let first = f.text.integers(&[0]);
        let kind = f.rows(Role::TokenTypes, (kinds, width), &first)?;
        let kind = f.text.reshape(&kind, &[width]);
        let kind = f.text.broadcast(&kind, &sum.shape, &[1]);
        sum = f.text.binary("add", &sum, &kind);
    }
    let weights = Weights { weight: Role::EmbeddingNorm, bias: Some(Role::EmbeddingNormBias), layer: 0 };
    norm(f, encoder.norm, weights, &sum)
}

/// What scores `[heads, tokens, tokens]` get by distance.
fn distances(f: &mut Function, square: &[u64; 3]) -> Result<Value, Box<Diagnostic>> {
    let &[heads, tokens, _] = square;
    // Of key n and query m the distance n - m, from 1 - tokens on.
    let buckets: Vec<u64> = (0..2 * tokens - 1).map(|at| bucket(at as i64 - (tokens as i64 - 1))).collect();
    let buckets = f.text.integers(&buckets);
    let by_distance = f.rows(Role::RelativeBias, (Encoder::BUCKETS, heads), &buckets)?;
    let t = &mut f.text;
    let pairs = [tokens, tokens];
    let (keys, queries) = (t.iota(&pairs, 1), t.iota(&pairs, 0));
    let distance = t.binary("subtract", &keys, &queries);
    let distance = t.binary_with("add", &distance, &(tokens - 1).to_string());
    let distance = t.reshape(&distance, &[tokens * tokens]);
    let all = t.rows(&by_distance, &distance);
    let all = t.reshape(&all, &[tokens, tokens, heads]);
    Ok(t.transpose(&all, &[2, 0, 1]))
}

/// Which number a distance, that of a key from a query, has. Half of the buckets are those of keys behind the query.
/// Half of either half are distances of their own, the others grow by powers.
fn bucket(distance: i64) -> u64 {
    let half = Encoder::BUCKETS / 2;
    let near = half / 2;
    let (far, first) = (distance.unsigned_abs(), if distance > 0 { half } else { 0 });
    if far < near {
        return first + far;
    }
    // In f32, as PyTorch computes it: what is a whole number there must be one here.
    let grown = (far as f32 / near as f32).ln() / (Encoder::FARTHEST as f64 / near as f64).ln() as f32;
    let step = (grown * (half - near) as f32) as u64;
    first + (near + step).min(half - 1)
}

/// `norm(x + attention(x))`.
fn attention(
    f: &mut Function,
    (encoder, layer): (&Encoder, u64),
    x: &Value,
    view: &View,
) -> Result<Value, Box<Diagnostic>> {
    let (heads, width) = (encoder.heads, encoder.width);
    let tokens = x.shape.first().copied().unwrap_or(1);
    let mut of = |weight, bias| -> Result<Value, Box<Diagnostic>> {
        let product = f.linear(x, (weight, bias), layer, width)?;
        let parts = f.text.reshape(&product, &[tokens, heads, width / heads]);
        let parts = f.text.transpose(&parts, &[1, 0, 2]);
        Ok(f.text.convert(&parts, view.element))
    };
    let queries = of(Role::Query, Role::QueryBias)?;
    let keys = of(Role::Key, Role::KeyBias)?;
    let values = of(Role::Value, Role::ValueBias)?;
    let t = &mut f.text;
    let scores = t.product(&queries, &keys, &Pairing { batching: &[0], left: 2, right: 2 });
    let scale = ((width / heads) as f64).sqrt().recip();
    let weights = softmax(t, view, &scores, scale);
    let mixed = t.product(&weights, &values, &Pairing { batching: &[0], left: 2, right: 1 });
    let mixed = t.transpose(&mixed, &[1, 0, 2]);
    let mixed = t.reshape(&mixed, &[tokens, width]);
    let out = f.linear(&mixed, (Role::AttentionOutput, Role::AttentionOutputBias), layer, width)?;
    let sum = f.text.binary("add", x, &out);
    let weights = Weights { weight: Role::AttentionSumNorm, bias: Some(Role::AttentionSumNormBias), layer };
    norm(f, encoder.norm, weights, &sum)
}

/// Weights of scores: what does not count has none.
fn softmax(t: &mut Text, view: &View, scores: &Value, scale: f64) -> Value {
    let scale = t.float(scale, &scores.shape);
    let mut scaled = t.binary("multiply", scores, &scale);
    if let Some(relative) = &view.relative {
        scaled = t.binary("add", &scaled, relative);
    }
    let unseen = t.float(f64::NEG_INFINITY, &scores.shape);
    let masked = t.select(&view.seen, &scaled, &unseen);
    let weights = t.softmax_last(&masked);
    t.convert(&weights, view.element)
}

/// `norm(x + down(act(up(x))))`.
fn feed_forward(f: &mut Function, (encoder, layer): (&Encoder, u64), x: &Value) -> Result<Value, Box<Diagnostic>> {
    let up = f.linear(x, (Role::Up, Role::UpBias), layer, encoder.feed_forward)?;
    let inner = activated(&mut f.text, encoder.activation, &up);
    let out = f.linear(&inner, (Role::Down, Role::DownBias), layer, encoder.width)?;
    let sum = f.text.binary("add", x, &out);
    let weights = Weights { weight: Role::LayerSumNorm, bias: Some(Role::LayerSumNormBias), layer };
    norm(f, encoder.norm, weights, &sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `MPNetEncoder.relative_position_bucket` of transformers 5.24 has them.
    #[test]
    fn distances_share_buckets() {
        let found = [0, 1, -1, 7, -7, 8, 11, 12, 15, 16, 31, 32, 63, 64, -64, 127, 128, 5000, -5000].map(bucket);
        assert_eq!(found, [0, 17, 1, 23, 7, 24, 24, 25, 25, 26, 27, 28, 29, 30, 14, 31, 31, 31, 15]);
    }
}

//! A decoder's two functions. Both take and give the caches of every layer, which the caller gives away:
//!
//! ```text
//! prefill(tokens [chunk] i32, position i32, count i32, caches…, weights…) -> logits [1, vocabulary] f32, caches…
//! decode(tokens [1] i32, position i32, caches…, weights…)                 -> logits [1, vocabulary] f32, caches…
//! ```
//!
//! `position` is that of the first token. Of a chunk the first `count` tokens count, and the logits are those of the
//! last of them; the others leave rows in the caches that nothing reads before they are written again. `position +
//! chunk` must not pass the caches' rows. Caches are `keys.N` and `values.N`, `[kv heads, context, head width]`.
//! Sums, norms, softmax and what passes from layer to layer are f32.

use fornax_types::ElementType;

use super::decoder::{Decoder, Pairs, Scaling};
use super::function::Function;
use super::names::Role;
use super::source::Checkpoint;
use super::text::{Pairing, Text, Value};
use crate::Diagnostic;

/// What a function computes for.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Tokens of a call.
    pub tokens: u64,
    /// Rows of a cache.
    pub context: u64,
    /// Type of products' operands and of caches.
    pub element: ElementType,
    /// Whether fewer tokens may count than there are.
    pub counted: bool,
}

/// What all layers of a function share.
struct Shared {
    /// Where this call's rows begin in the caches.
    position: Value,
    /// `[tokens, pairs]` of f32.
    cosine: Value,
    sine: Value,
    /// `[tokens, context]` of i1: who sees whom.
    seen: Value,
}

/// A function's text.
///
/// # Errors
/// FX1013 and FX1014 for tensors that are missing or have another shape.
pub fn function(checkpoint: &Checkpoint, decoder: &Decoder, name: &str, call: Call) -> Result<String, Box<Diagnostic>> {
    let mut f = Function::new(checkpoint, call.element);
    let tokens = f.input("tokens", (ElementType::I32, &[call.tokens]), None);
    let position = f.input("position", (ElementType::I32, &[]), None);
    let count = call.counted.then(|| f.input("count", (ElementType::I32, &[]), None));
    let shape = [decoder.kv_heads, call.context, decoder.head_width];
    let mut caches = Vec::new();
    for layer in 0..decoder.layers {
        for (part, kind) in ["keys", "values"].iter().enumerate() {
            let output = 1 + 2 * layer as usize + part;
            let name = format!("{kind}.{layer}");
            caches.push((name.clone(), f.input(&name, (call.element, &shape), Some(output))));
        }
    }
    let mut hidden = f.rows(Role::TokenEmbedding, (decoder.vocabulary, decoder.width), &tokens)?;
    let shared = shared(&mut f, decoder, call, position)?;
    for (layer, pair) in (0..).zip(caches.chunks_exact_mut(2)) {
        hidden = attention(&mut f, (decoder, layer), (&hidden, &shared), pair)?;
        hidden = feed_forward(&mut f, decoder, layer, &hidden)?;
    }
    if let Some(count) = count {
        let one = f.text.index(1);
        let zero = f.text.index(0);
        let last = f.text.binary("subtract", &count, &one);
        hidden = f.text.block(&hidden, &[&last, &zero], &[1, decoder.width]);
    }
    let hidden = norm(&mut f, decoder, (Role::OutputNorm, 0), &hidden)?;
    // Embeddings that are tied are the last matrix too.
    let output = if f.holds(Role::Output, 0) { Role::Output } else { Role::TokenEmbedding };
    let logits = f.product(&hidden, (output, 0), decoder.vocabulary)?;
    let mut results = vec![("logits".to_string(), logits)];
    results.extend(caches);
    Ok(f.finish(name, &results))
}

fn shared(f: &mut Function, decoder: &Decoder, call: Call, position: Value) -> Result<Shared, Box<Diagnostic>> {
    let pairs = decoder.rotation.width / 2;
    let factors = match decoder.rotation.scaling {
        Scaling::Tensor => Some(f.vector(Role::RotationFactors, 0, pairs)?),
        _ => None,
    };
    let t = &mut f.text;
    let sizes = [call.tokens, pairs];
    let start = t.spread(&position, &[call.tokens]);
    let number = t.iota(&[call.tokens], 0);
    let rows = t.binary("add", &number, &start);
    let place = t.convert(&rows, ElementType::F32);
    let place = t.spread(&place, &sizes);
    let mut frequencies = t.floats(&decoder.rotation.frequencies());
    if let Some(factors) = factors {
        frequencies = t.binary("divide", &frequencies, &factors);
    }
    let frequencies = t.broadcast(&frequencies, &sizes, &[1]);
    let angle = t.binary("multiply", &place, &frequencies);
    let (cosine, sine) = (t.unary("cosine", &angle), t.unary("sine", &angle));
    let square = [call.tokens, call.context];
    let rows = t.spread(&rows, &square);
    let columns = t.iota(&square, 1);
    let mut seen = t.compare("LE", &columns, &rows);
    if let Some(window) = decoder.window.filter(|&window| window < call.context) {
        let distance = t.binary("subtract", &rows, &columns);
        let window = t.splat(&window.to_string(), ElementType::I32, &square);
        let near = t.compare("LT", &distance, &window);
        seen = t.binary("and", &seen, &near);
    }
    Ok(Shared { position, cosine, sine, seen })
}

/// `x / √(mean x² + ε) · w`, over the last dimension.
fn norm(f: &mut Function, decoder: &Decoder, (role, layer): (Role, u64), x: &Value) -> Result<Value, Box<Diagnostic>> {
    let weight = f.vector(role, layer, x.last())?;
    let t = &mut f.text;
    let squares = t.binary("multiply", x, x);
    let sum = t.reduce_last("add", &squares);
    let size = t.float(x.last() as f64, &sum.shape);
    let mean = t.binary("divide", &sum, &size);
    let epsilon = t.float(decoder.norm_epsilon, &mean.shape);
    let shifted = t.binary("add", &mean, &epsilon);
    let scale = t.unary("rsqrt", &shifted);
    let scale = t.spread(&scale, &x.shape);
    let scaled = t.binary("multiply", x, &scale);
    let weight = t.broadcast(&weight, &x.shape, &[x.shape.len() - 1]);
    Ok(t.binary("multiply", &scaled, &weight))
}

/// Queries, keys or values `[tokens, heads * head width]` as heads, normed where the decoder does so.
fn heads(
    f: &mut Function,
    (decoder, layer): (&Decoder, u64),
    x: &Value,
    (heads, role): (u64, Role),
) -> Result<Value, Box<Diagnostic>> {
    let rows = x.shape.first().copied().unwrap_or(1);
    let x = f.text.reshape(x, &[rows, heads, decoder.head_width]);
    if decoder.head_norms { norm(f, decoder, (role, layer), &x) } else { Ok(x) }
}

/// Heads `[tokens, heads, head width]` turned by their positions.
fn rotated(t: &mut Text, decoder: &Decoder, shared: &Shared, x: &Value) -> Value {
    let width = decoder.rotation.width;
    let (tokens, heads) = (x.shape.first().copied().unwrap_or(1), x.shape.get(1).copied().unwrap_or(1));
    let turning = t.slice_last(x, 0, width);
    let half = [tokens, heads, width / 2];
    let (first, second) = match decoder.rotation.pairs {
        Pairs::Halves => (t.slice_last(&turning, 0, width / 2), t.slice_last(&turning, width / 2, width)),
        Pairs::Neighbours => {
            let pairs = t.reshape(&turning, &[tokens, heads, width / 2, 2]);
            let (first, second) = (t.slice_last(&pairs, 0, 1), t.slice_last(&pairs, 1, 2));
            (t.reshape(&first, &half), t.reshape(&second, &half))
        }
    };
    let cosine = t.broadcast(&shared.cosine, &half, &[0, 2]);
    let sine = t.broadcast(&shared.sine, &half, &[0, 2]);
    let mut turned = |(left, a): (&Value, &Value), op: &str, (right, b): (&Value, &Value)| {
        let left = t.binary("multiply", left, a);
        let right = t.binary("multiply", right, b);
        t.binary(op, &left, &right)
    };
    let new_first = turned((&first, &cosine), "subtract", (&second, &sine));
    let new_second = turned((&second, &cosine), "add", (&first, &sine));
    let joined = match decoder.rotation.pairs {
        Pairs::Halves => t.concatenate_last(&[&new_first, &new_second]),
        Pairs::Neighbours => {
            let of_one = [tokens, heads, width / 2, 1];
            let (first, second) = (t.reshape(&new_first, &of_one), t.reshape(&new_second, &of_one));
            let pairs = t.concatenate_last(&[&first, &second]);
            t.reshape(&pairs, &turning.shape)
        }
    };
    if width == x.last() {
        return joined;
    }
    let still = t.slice_last(x, width, x.last());
    t.concatenate_last(&[&joined, &still])
}

/// `hidden + attention(norm(hidden))`; the layer's caches, keys and values, get this call's rows.
fn attention(
    f: &mut Function,
    (decoder, layer): (&Decoder, u64),
    (hidden, shared): (&Value, &Shared),
    caches: &mut [(String, Value)],
) -> Result<Value, Box<Diagnostic>> {
    let (kv, width) = (decoder.kv_heads, decoder.head_width);
    let group = decoder.heads / kv;
    let tokens = hidden.shape.first().copied().unwrap_or(1);
    let x = norm(f, decoder, (Role::AttentionNorm, layer), hidden)?;
    let q = f.linear(&x, (Role::Query, Role::QueryBias), layer, decoder.heads * width)?;
    let k = f.linear(&x, (Role::Key, Role::KeyBias), layer, kv * width)?;
    let v = f.linear(&x, (Role::Value, Role::ValueBias), layer, kv * width)?;
    let q = heads(f, (decoder, layer), &q, (decoder.heads, Role::QueryNorm))?;
    let k = heads(f, (decoder, layer), &k, (kv, Role::KeyNorm))?;
    let t = &mut f.text;
    let v = t.reshape(&v, &[tokens, kv, width]);
    let q = rotated(t, decoder, shared, &q);
    let k = rotated(t, decoder, shared, &k);
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
    let weights = softmax(t, shared, &scores, 1.0 / (width as f64).sqrt());
    let weights = t.convert(&weights, element);
    let mixed = t.product(&weights, values, &Pairing { batching: &[0], left: 3, right: 1 });
    let mixed = t.transpose(&mixed, &[2, 0, 1, 3]);
    let mixed = t.reshape(&mixed, &[tokens, decoder.heads * width]);
    let out = f.linear(&mixed, (Role::AttentionOutput, Role::AttentionOutputBias), layer, decoder.width)?;
    Ok(f.text.binary("add", hidden, &out))
}

/// Weights of scores `[kv heads, group, tokens, context]`: what is not seen has none.
fn softmax(t: &mut Text, shared: &Shared, scores: &Value, scale: f64) -> Value {
    let scale = t.float(scale, &scores.shape);
    let scaled = t.binary("multiply", scores, &scale);
    let seen = t.broadcast(&shared.seen, &scores.shape, &[2, 3]);
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

/// `hidden + down(silu(gate(x)) · up(x))` with `x = norm(hidden)`.
fn feed_forward(f: &mut Function, decoder: &Decoder, layer: u64, hidden: &Value) -> Result<Value, Box<Diagnostic>> {
    let x = norm(f, decoder, (Role::FeedForwardNorm, layer), hidden)?;
    let gate = f.linear(&x, (Role::Gate, Role::GateBias), layer, decoder.feed_forward)?;
    let up = f.linear(&x, (Role::Up, Role::UpBias), layer, decoder.feed_forward)?;
    let logistic = f.text.unary("logistic", &gate);
    let gate = f.text.binary("multiply", &gate, &logistic);
    let both = f.text.binary("multiply", &gate, &up);
    let out = f.linear(&both, (Role::Down, Role::DownBias), layer, decoder.width)?;
    Ok(f.text.binary("add", hidden, &out))
}

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

use super::attention::attention;
use super::decoder::Decoder;
use super::feed_forward::feed_forward;
use super::function::Function;
use super::names::Role;
use super::norm::{norm, of_output};
use super::positions::{Shared, placed};
use super::source::Checkpoint;
use crate::Diagnostic;

/// What a function computes for.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Tokens of a call.
    pub tokens: u64,
    /// Tokens that a text may have.
    pub asked: u64,
    /// Rows of a cache: as many, or more.
    pub context: u64,
    /// Type of products' operands and of caches.
    pub element: ElementType,
    /// Whether fewer tokens may count than there are.
    pub counted: bool,
}

/// A function's text.
///
/// # Errors
/// FX1013 and FX1014 for tensors that are missing or have another shape.
pub fn function(checkpoint: &Checkpoint, decoder: &Decoder, name: &str, call: Call) -> Result<String, Box<Diagnostic>> {
    let mut f = Function::new(checkpoint, call.element, decoder.layout.inputs_first);
    let tokens = f.input("tokens", (ElementType::I32, &[call.tokens]), None);
    let position = f.input("position", (ElementType::I32, &[]), None);
    let count = call.counted.then(|| f.input("count", (ElementType::I32, &[]), None));
    let shape = [decoder.kv_heads, call.context, decoder.head_width];
    let mut caches = Vec::new();
    for layer in 0..decoder.layers.len() {
        for (part, kind) in ["keys", "values"].iter().enumerate() {
            let output = 1 + 2 * layer + part;
            let name = format!("{kind}.{layer}");
            caches.push((name.clone(), f.input(&name, (call.element, &shape), Some(output))));
        }
    }
    let mut hidden = f.rows(Role::TokenEmbedding, (decoder.vocabulary, decoder.width), &tokens)?;
    if let Some(scale) = decoder.embedding_scale {
        let scale = f.text.float(scale, &hidden.shape);
        hidden = f.text.binary("multiply", &hidden, &scale);
    }
    let shared = Shared::new(&mut f, decoder, call, position)?;
    hidden = placed(&mut f, decoder, &shared, hidden)?;
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
    let hidden = norm(&mut f, decoder.norm, of_output(), &hidden)?;
    // Embeddings that are tied are the last matrix too.
    let output = if f.holds(Role::Output, 0) { Role::Output } else { Role::TokenEmbedding };
    let logits = f.product(&hidden, output, decoder.vocabulary)?;
    let logits = f.text.capped(&logits, decoder.logit_cap);
    let mut results = vec![("logits".to_string(), logits)];
    results.extend(caches);
    Ok(f.finish(name, &results))
}

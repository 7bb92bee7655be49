//! A decoder's two functions. Both take and give the caches of every layer, which the caller gives away:
//!
//! ```text
//! prefill(tokens [chunk] i32, position i32, count i32, caches…, weights…) -> logits [1, vocabulary] f32, caches…
//! decode(tokens [1] i32, position i32, caches…, weights…)                 -> logits [1, vocabulary] f32, caches…
//! ```
//!
//! and with caches for several texts (`slots`):
//!
//! ```text
//! prefill(tokens [chunk] i32, position i32, count i32, slot i32, caches…, weights…) -> logits [1, vocabulary] f32, …
//! decode(tokens [slots] i32, positions [slots] i32, caches…, weights…) -> logits [slots, vocabulary] f32, caches…
//! ```
//!
//! and with caches in pages (`pages`), which the block table of each text names:
//!
//! ```text
//! prefill(tokens [chunk] i32, position i32, count i32, table [entries] i32, caches…, weights…) -> …
//! decode(tokens [slots] i32, positions [slots] i32, table [slots, entries] i32, caches…, weights…) -> …
//! ```
//!
//! `prefill_long` is as `prefill`, for longer chunks. And, where tokens are guessed ahead of a text that is the only
//! one, or of several (each with a block table in pages), whose tokens lie one behind the other, those of the first
//! text first:
//!
//! ```text
//! verify(tokens [ahead + 1] i32, position i32, caches…, weights…) -> logits [ahead + 1, vocabulary] f32, caches…
//! verify(tokens [slots · (ahead + 1)] i32, positions [slots · (ahead + 1)] i32, caches…, weights…) -> …
//! ```
//!
//! `position` is that of the first token. Of a chunk the first `count` tokens count, and the logits are those of the
//! last of them; the others leave rows in the caches that nothing reads before they are written again. `position +
//! chunk` must not pass the caches' rows. Caches are `keys.N` and `values.N`, `[kv heads, context, head width]`, with
//! the slots before that where there are several, `[pages, kv heads, page, head width]` in pages; of 8 bits each is
//! followed by its scales, with a width of 1. A token whose position is negative is of no text: nothing is written for
//! it, and its logits say nothing.
//! Sums, norms, softmax and what passes from layer to layer are f32.

use fornax_types::ElementType;

use super::attention::attention;
use super::caches::{Cache, Caches, Whose, has_scales};
use super::decoder::Decoder;
use super::feed_forward::feed_forward;
use super::function::Function;
use super::names::Role;
use super::norm::{OUTPUT, norm};
use super::pages::{PAGE, Pages};
use super::positions::{Positions, with_learned};
use super::source::Checkpoint;
use super::text::Value;
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
    /// Type of products' operands.
    pub element: ElementType,
    /// Type of caches.
    pub cache: ElementType,
    /// Texts that the caches are for.
    pub slots: u64,
    /// Pages of each cache, where they are in pages.
    pub pages: Option<u64>,
    /// Devices that compute together.
    pub devices: u64,
    /// What it does.
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Several tokens of one text, of which fewer may count than there are.
    Prefill,
    /// The same of more tokens.
    PrefillLong,
    /// One token of each text.
    Decode,
    /// Several tokens of each text, with the logits behind each.
    Verify,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Prefill => "prefill",
            Kind::PrefillLong => "prefill_long",
            Kind::Decode => "decode",
            Kind::Verify => "verify",
        }
    }
}

impl Call {
    /// Sizes of a cache.
    pub fn cache_shape(&self, heads: u64, width: u64) -> Vec<u64> {
        match self.pages {
            Some(pages) => vec![pages, heads, PAGE, width],
            None if self.slots == 1 => vec![heads, self.context, width],
            None => vec![self.slots, heads, self.context, width],
        }
    }
}

/// A function's text.
///
/// # Errors
/// FX1013 and FX1014 for tensors that are missing or have another shape.
pub fn function(checkpoint: &Checkpoint, decoder: &Decoder, call: Call) -> Result<String, Box<Diagnostic>> {
    let mut f = Function::new(checkpoint, call.element, decoder.layout.inputs_first).on(call.devices);
    let tokens = f.input("tokens", (ElementType::I32, &[call.tokens]), None);
    let (whose, count) = whose(&mut f, call);
    let shape = call.cache_shape(decoder.kv_heads, decoder.head_width);
    let mut scales = shape.clone();
    if let Some(width) = scales.last_mut() {
        *width = 1;
    }
    let mut caches = Vec::new();
    let mut results = Vec::new();
    for layer in 0..decoder.layers.len() {
        let mut cache = |kind: &str| {
            let mut input = |name: String, element, shape: &[u64]| {
                results.push(name.clone());
                f.cache(&name, (element, shape), results.len())
            };
            let elements = input(format!("{kind}.{layer}"), call.cache, &shape);
            let has_scales = has_scales(call.cache);
            let scales = has_scales.then(|| input(format!("{kind}_scales.{layer}"), ElementType::F32, &scales));
            Cache { elements, scales }
        };
        caches.push(Caches { keys: cache("keys"), values: cache("values"), operand: call.element });
    }
    let mut hidden = f.rows(Role::TokenEmbedding, (decoder.vocabulary, decoder.width), &tokens)?;
    if let Some(scale) = decoder.embedding_scale {
        let scale = f.text.float(scale, &hidden.shape);
        hidden = f.text.binary("multiply", &hidden, &scale);
    }
    let positions = Positions::new(&mut f, decoder, call, whose)?;
    hidden = with_learned(&mut f, decoder, &positions, hidden)?;
    for ((layer, caches), view) in (0..).zip(&mut caches).zip(&positions.layers) {
        hidden = attention(&mut f, (decoder, layer), (&hidden, view), caches)?;
        hidden = feed_forward(&mut f, (decoder, layer), &hidden)?;
    }
    if let Some(count) = count {
        let one = f.text.index(1);
        let zero = f.text.index(0);
        let last = f.text.binary("subtract", &count, &one);
        hidden = f.text.block(&hidden, &[&last, &zero], &[1, decoder.width]);
    }
    let hidden = norm(&mut f, decoder.norm, OUTPUT, &hidden)?;
    // Embeddings that are tied are the last matrix too.
    let output = if f.holds(Role::Output, 0) { Role::Output } else { Role::TokenEmbedding };
    let logits = f.product(&hidden, output, decoder.vocabulary)?;
    let logits = f.text.soft_capped(&logits, decoder.logit_softcap);
    let all = caches.into_iter().flat_map(|Caches { keys, values, .. }| [keys, values]);
    let all = all.flat_map(|cache| std::iter::once(cache.elements).chain(cache.scales));
    let results = results.into_iter().zip(all);
    let results: Vec<(String, Value)> = std::iter::once(("logits".to_string(), logits)).chain(results).collect();
    Ok(f.finish(call.kind.name(), &results))
}

/// The arguments that say whose tokens those of a call are, and how many of them count.
fn whose(f: &mut Function, call: Call) -> (Whose, Option<Value>) {
    let mut number = |name: &str, shape: &[u64]| f.input(name, (ElementType::I32, shape), None);
    let entries = call.context / PAGE;
    match call.kind {
        Kind::Prefill | Kind::PrefillLong => {
            let (position, count) = (number("position", &[]), number("count", &[]));
            let whose = match call.slots {
                _ if call.pages.is_some() => {
                    let table = number("table", &[entries]);
                    let pages = Pages::of_text(&mut f.text, table, call.tokens, (&position, &count));
                    Whose::OneInPages { position, pages }
                }
                1 => Whose::Only { position },
                _ => Whose::Slot { slot: number("slot", &[]), position },
            };
            (whose, Some(count))
        }
        Kind::Decode | Kind::Verify if call.slots == 1 => (Whose::Only { position: number("position", &[]) }, None),
        Kind::Decode | Kind::Verify => {
            let (positions, each) = (number("positions", &[call.tokens]), call.tokens / call.slots);
            if call.pages.is_none() {
                return (Whose::Each { positions, each }, None);
            }
            let table = number("table", &[call.slots, entries]);
            let pages = Pages::of_texts(&mut f.text, table, &positions);
            (Whose::EachInPages { positions, each, pages }, None)
        }
    }
}

//! The loop: tokens of a prompt go in, tokens and text come out.

use std::time::{Duration, Instant};

use fornax_runtime::Result;

use crate::decoder::Decoder;
use crate::errors::failed;
use crate::sampler::Sampler;
use crate::stop::Stop;
use crate::vocabulary::Vocabulary;

/// When a text ends, apart from the model's own end.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Tokens to make at most.
    pub tokens: usize,
    /// Words that end the text; they are not part of it.
    pub stop: Vec<String>,
}

/// Why a text ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The model said so, or a stop word came.
    Stop,
    /// As many tokens as were asked for, or as the caches hold.
    Length,
}

impl End {
    pub fn name(self) -> &'static str {
        match self {
            End::Stop => "stop",
            End::Length => "length",
        }
    }
}

/// What was made.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Tokens, without one that ended the text.
    pub ids: Vec<u32>,
    pub text: String,
    pub end: End,
    /// From the prompt's first token until the first new one was chosen.
    pub first: Duration,
    /// From then on.
    pub rest: Duration,
}

/// Makes text behind a prompt; `show` gets each piece of whole characters as soon as it is known.
///
/// # Errors
/// Those of [`Decoder::feed`] and [`Sampler::next`]; what `show` gives.
pub fn generate(
    decoder: &mut Decoder,
    vocabulary: &Vocabulary,
    sampler: &mut Sampler,
    prompt: &[u32],
    limits: &Limits,
    show: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<Generated> {
    if prompt.is_empty() {
        return Err(failed("FX1105", "the prompt has no token"));
    }
    let began = Instant::now();
    let mut made = Generated {
        ids: Vec::new(),
        text: String::new(),
        end: End::Length,
        first: Duration::ZERO,
        rest: Duration::ZERO,
    };
    let mut stop = Stop::new(&limits.stop);
    let mut seen = prompt.to_vec();
    let mut words = vocabulary.stream();
    let mut logits = decoder.feed(prompt)?;
    while made.ids.len() < limits.tokens {
        let token = sampler.next(&mut logits, &seen)?;
        if made.first.is_zero() {
            made.first = began.elapsed();
        }
        if vocabulary.is_end(token) {
            made.end = End::Stop;
            break;
        }
        made.ids.push(token);
        seen.push(token);
        let (piece, stopped) = stop.push(&words(token)?.unwrap_or_default());
        made.text.push_str(&piece);
        show(&piece)?;
        if stopped {
            made.end = End::Stop;
            break;
        }
        // The last token's successor is never asked for.
        if made.ids.len() == limits.tokens || decoder.position() == decoder.context() {
            break;
        }
        logits = decoder.feed(&[token])?;
    }
    let held = stop.rest();
    made.text.push_str(&held);
    show(&held)?;
    made.rest = began.elapsed().saturating_sub(made.first);
    Ok(made)
}

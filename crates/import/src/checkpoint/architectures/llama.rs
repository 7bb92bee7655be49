//! Llama 2 and 3, and what has its shape: SmolLM, TinyLlama, Mistral with its sliding window.

use super::super::decoder::{Decoder, Pairs};
use super::super::source::{Checkpoint, Key};
use super::{SIZE_MAX, shared};
use crate::Diagnostic;

/// Tokens that a token of Mistral sees.
const WINDOW: Key = Key("attention.sliding_window", "sliding_window");

pub fn describe(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    let window = checkpoint.optional_count(WINDOW, SIZE_MAX)?;
    Ok(Decoder { window, ..shared(checkpoint, Pairs::Neighbours)? })
}

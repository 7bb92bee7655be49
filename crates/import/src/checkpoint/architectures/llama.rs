//! Llama 2 and 3, and what has its shape: SmolLM, TinyLlama, Mistral with its sliding window.

use super::super::decoder::{Decoder, Pairs};
use super::super::source::Checkpoint;
use super::{shared, window_everywhere};
use crate::Diagnostic;

pub fn describe(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    let mut decoder = shared(checkpoint, Pairs::Neighbours, None)?;
    window_everywhere(checkpoint, &mut decoder)?;
    Ok(decoder)
}

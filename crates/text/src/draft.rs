//! A smaller model that guesses what a larger one will say.

use fornax_runtime::Result;

use crate::ahead::Guess;
use crate::decoder::Decoder;
use crate::device_model::DeviceModel;
use crate::model::{Found, Model, Wanted};
use crate::sampler::Choice;

/// Guesses with a model of the same vocabulary: its likeliest tokens. It keeps a text of its own, and is fed what is
/// new of the other's.
pub struct Draft<M: Model = DeviceModel> {
    decoder: Decoder<M>,
}

impl<M: Model> Draft<M> {
    /// # Errors
    /// FX0706 where the caches do not fit.
    pub fn new(model: M) -> Result<Draft<M>> {
        Ok(Draft { decoder: Decoder::new(model)? })
    }
}

impl<M: Model> Guess for Draft<M> {
    fn guess(&mut self, text: &[u32], most: usize) -> Result<Vec<u32>> {
        // Words that only the larger model has.
        if text.iter().any(|&token| token as usize >= self.decoder.model().vocabulary()) {
            return Ok(Vec::new());
        }
        // The caches hold what is fed: each guess but the last, too.
        if most == 0 || text.is_empty() || text.len() + most > self.decoder.model().context() {
            return Ok(Vec::new());
        }
        let kept = self.decoder.sequence().shared(text);
        self.decoder.rewind(kept);
        let likeliest = Choice::likeliest();
        let wanted = Wanted::Token(likeliest.clone());
        let mut found = self.decoder.feed_for(text.get(kept..).unwrap_or_default(), &wanted)?;
        let mut guessed = Vec::new();
        loop {
            let token = match found {
                Found::Token(token) => token,
                other => likeliest.token(&mut other.logits()?)?,
            };
            guessed.push(token);
            if guessed.len() == most {
                return Ok(guessed);
            }
            found = self.decoder.feed_for(&[token], &wanted)?;
        }
    }
}

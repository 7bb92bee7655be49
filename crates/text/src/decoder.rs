//! A model with one sequence.

use fornax_runtime::Result;

use crate::ahead::Ahead;
use crate::device_model::DeviceModel;
use crate::model::Model;
use crate::sequence::Sequence;

/// A language model somewhere in a text.
pub struct Decoder<M: Model = DeviceModel> {
    model: M,
    sequence: Sequence<M::Caches>,
}

impl<M: Model> Decoder<M> {
    /// A model with empty caches.
    ///
    /// # Errors
    /// FX0706 where the caches do not fit.
    pub fn new(mut model: M) -> Result<Decoder<M>> {
        let sequence = Sequence::new(model.caches()?);
        Ok(Decoder { model, sequence })
    }

    pub fn model(&self) -> &M {
        &self.model
    }

    pub fn sequence(&self) -> &Sequence<M::Caches> {
        &self.sequence
    }

    /// Tokens that the caches can still take.
    pub fn room(&self) -> usize {
        self.model.context().saturating_sub(self.sequence.position())
    }

    /// Steps back to a position.
    pub fn rewind(&mut self, position: usize) {
        self.sequence.rewind(position, self.model.chunk());
    }

    /// The logits behind the token that ends a text, and is not fed yet; at most `left` tokens are chosen behind it.
    /// They may be there already, or come with those of guesses.
    ///
    /// # Errors
    /// Those of [`Ahead::verified`] and [`Decoder::feed`].
    pub fn next(&mut self, ahead: &mut Ahead, (text, left): (&[u32], usize)) -> Result<Vec<f32>> {
        let end = text.len().saturating_sub(1);
        let last = text.get(end..).unwrap_or_default();
        if let Some(logits) = last.first().and_then(|&token| ahead.ready(&mut self.sequence, token)) {
            return Ok(logits);
        }
        match ahead.verified(&mut self.model, &mut self.sequence, (text, left))? {
            Some(logits) => Ok(logits),
            None => self.feed(last),
        }
    }

    /// Adds tokens to the text; the logits of what follows the last one.
    ///
    /// # Errors
    /// Those of [`Sequence::feed_some`].
    pub fn feed(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        self.sequence.feed(&mut self.model, tokens)
    }
}

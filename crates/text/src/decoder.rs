//! A model with one sequence.

use fornax_runtime::Result;

use crate::ahead::{Ahead, Guesser, Start};
use crate::device_model::DeviceModel;
use crate::model::{Found, Model, Wanted};
use crate::sequence::Sequence;
use crate::step::{Plan, Turn, take};
use crate::writer::Writer;

/// A language model somewhere in a text.
pub struct Decoder<M: Model = DeviceModel> {
    model: M,
    sequence: Sequence<M::Caches>,
    /// Steps in the model's queue, the first of which writes the row behind the text.
    queued: usize,
}

impl<M: Model> Decoder<M> {
    /// A model with empty caches.
    ///
    /// # Errors
    /// FX0706 where the caches do not fit.
    pub fn new(mut model: M) -> Result<Decoder<M>> {
        let sequence = Sequence::new(model.caches()?);
        Ok(Decoder { model, sequence, queued: 0 })
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
        self.forget();
        self.sequence.rewind(position);
    }

    /// Nobody asks for steps that are queued. Rows that they write lie behind the text, where nothing reads them.
    fn forget(&mut self) {
        if std::mem::take(&mut self.queued) > 0 {
            self.model.forget();
        }
    }

    /// What follows the token that ends a writer's text, and is not fed yet, with further steps queued behind it.
    /// `None` where nothing can be queued.
    ///
    /// # Errors
    /// What the device says of the calls.
    pub fn queued(&mut self, writer: &mut Writer) -> Result<Option<Found>> {
        let Some(&last) = writer.text().last() else { return Ok(None) };
        let most = match self.model.queue() {
            0 => 0,
            behind => (behind + 1).min(writer.left()).min(self.room()),
        };
        while self.queued < most
            && let Some(choice) = writer.choice_ahead()
        {
            let token = (self.queued == 0).then_some(last);
            self.sequence.start(&mut self.model, self.queued, token, &choice)?;
            self.queued += 1;
        }
        if self.queued == 0 {
            return Ok(None);
        }
        let token = self.model.finish()?;
        self.queued -= 1;
        self.sequence.decoded(last);
        Ok(Some(Found::Token(token)))
    }

    /// What is wanted behind the token that ends a text, and is not fed yet; at most `left` tokens are chosen behind
    /// it. Logits may be there already, or come with those of guesses.
    ///
    /// # Errors
    /// Those of [`Guesser::guesses`], [`Model::verify`] and [`Decoder::feed`].
    pub fn next(
        &mut self,
        (guesser, ahead): (&mut Guesser, &mut Ahead),
        (text, left): (&[u32], usize),
        wanted: &Wanted,
    ) -> Result<Found> {
        let Some(&last) = text.last() else { return Ok(Found::Nothing) };
        if let Some(logits) = ahead.ready(&mut self.sequence, last) {
            return Ok(Found::Logits(logits));
        }
        let guesses = guesser.guesses(&self.model, vec![Start { seat: 0, text, most: left }])?;
        let plan = Plan::next(last, guesses.first().map_or(&[], Vec::as_slice));
        if !plan.is_verified() || !self.sequence.make_room(&mut self.model, plan.rows()) {
            ahead.called();
            return self.feed_for(&[last], wanted);
        }
        let turn = Turn { sequence: &mut self.sequence, ahead, plan, wanted: wanted.clone() };
        take(&mut self.model, &mut [turn]).pop().unwrap_or(Ok(Found::Nothing))
    }

    /// Adds tokens to the text; what is wanted of what follows the last one.
    ///
    /// # Errors
    /// Those of [`Sequence::start_reading`] and [`Sequence::finish`].
    pub fn feed_for(&mut self, tokens: &[u32], wanted: &Wanted) -> Result<Found> {
        self.forget();
        self.sequence.feed_for(&mut self.model, tokens, wanted)
    }

    /// Adds tokens to the text; the logits of what follows the last one.
    ///
    /// # Errors
    /// Those of [`Sequence::start_reading`] and [`Sequence::finish`].
    pub fn feed(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        self.forget();
        self.sequence.feed(&mut self.model, tokens)
    }
}

//! The tokens of one text and their rows in the caches.
//!
//! Rows behind the position are never read: attention is masked by position, also where a window slides. So a sequence
//! steps back by forgetting ids alone.

use fornax_runtime::Result;

use crate::chunks::Chunks;
use crate::errors::failed;
use crate::model::{Found, Later, Model, Next, Several, Wanted};
use crate::sampler::Choice;

/// A text in the caches of a model.
pub struct Sequence<C> {
    caches: C,
    ids: Vec<u32>,
    /// Sizes of the whole chunks that wrote its first tokens.
    chunks: Vec<usize>,
}

/// A call that adds tokens to a text, and may be under way. [`Sequence::finish`] follows.
pub struct Reading {
    /// Tokens that it takes.
    pub tokens: usize,
    /// Whether they are the last ones.
    pub is_last: bool,
    /// Where the text ended before.
    position: usize,
    /// Whole chunks that the text has with it, where it is one.
    chunks: Option<usize>,
    later: Later,
}

impl<C> Sequence<C> {
    pub fn new(caches: C) -> Sequence<C> {
        Sequence { caches, ids: Vec::new(), chunks: Vec::new() }
    }

    /// The tokens whose rows the caches hold.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    pub fn position(&self) -> usize {
        self.ids.len()
    }

    /// Steps back to a position; nothing happens where it lies ahead.
    pub fn rewind(&mut self, position: usize) {
        self.ids.truncate(position);
        while self.in_chunks() > position {
            self.chunks.pop();
        }
    }

    /// Tokens from the start on that whole chunks wrote.
    fn in_chunks(&self) -> usize {
        self.chunks.iter().sum()
    }

    /// Another text begins: takes the rows that a prompt alone would get, bit for bit, from what the caches hold, or
    /// from those of other texts where they share pages. The tokens that are there.
    pub fn begin<M: Model<Caches = C>>(&mut self, model: &mut M, prompt: &[u32]) -> usize {
        if model.pages().is_none() {
            let kept = self.shared_chunks(prompt, (model.chunks(), model.context()));
            self.rewind(kept);
            return kept;
        }
        self.end(model);
        let start = prompt.get(..prompt.len().saturating_sub(1)).unwrap_or_default();
        self.chunks = model.chunks().whole(prompt.len(), model.context());
        let kept = model.take_over(&mut self.caches, start, &self.chunks);
        self.ids.extend(prompt.iter().take(kept));
        self.rewind(kept);
        kept
    }

    /// The text is over: its pages are free. Caches of its own keep it, as the next may begin as it did.
    pub fn end<M: Model<Caches = C>>(&mut self, model: &mut M) {
        if model.pages().is_some() {
            model.keep(&mut self.caches, 0);
            self.ids.clear();
            self.chunks.clear();
        }
    }

    /// Room for so many more tokens; `false` where other texts have it.
    pub fn make_room<M: Model<Caches = C>>(&mut self, model: &mut M, tokens: usize) -> bool {
        model.make_room(&mut self.caches, self.ids.len().saturating_add(tokens))
    }

    /// Tokens at the start of a prompt whose rows are there; at most all but the last one, whose logits are wanted.
    pub fn shared(&self, prompt: &[u32]) -> usize {
        let equal = self.ids.iter().zip(prompt).take_while(|(own, other)| own == other).count();
        equal.min(prompt.len().saturating_sub(1))
    }

    /// As [`Sequence::shared`], but only rows that the prompt alone would get, bit for bit: those of the whole chunks
    /// that it is cut into, for a context. `prefill` and `decode` may round differently, and so may chunks of other
    /// sizes; a text must not depend on what ran before.
    pub fn shared_chunks(&self, prompt: &[u32], (chunks, context): (Chunks, usize)) -> usize {
        let shared = self.shared(prompt);
        let own = chunks.whole(prompt.len(), context);
        let equal = own.iter().zip(&self.chunks).take_while(|(own, written)| own == written);
        let ends = equal.scan(0, |end, (size, _)| {
            *end += size;
            Some(*end)
        });
        ends.take_while(|&end| end <= shared).last().unwrap_or(0)
    }

    /// Where the sequence stands in a decoding step that adds a token. [`Sequence::decoded`] follows.
    pub fn next(&mut self, token: u32, wanted: Wanted) -> Next<'_, C> {
        Next { position: self.ids.len(), caches: &mut self.caches, token, wanted }
    }

    /// Queues a step that writes a row `behind` those of the text and of the steps before it.
    ///
    /// # Errors
    /// Those of [`Model::start`].
    pub fn start<M: Model<Caches = C>>(
        &mut self,
        model: &mut M,
        behind: usize,
        token: Option<u32>,
        choice: &Choice,
    ) -> Result<()> {
        model.start(&mut self.caches, self.ids.len() + behind, token, choice)
    }

    /// Where it stands in a call that verifies tokens, were they the next ones. [`Sequence::decoded`] says which of
    /// them the text gets.
    pub fn several<'a>(&'a mut self, tokens: &'a [u32]) -> Several<'a, C> {
        Several { position: self.ids.len(), caches: &mut self.caches, tokens }
    }

    /// A call has written the row of a token.
    pub fn decoded(&mut self, token: u32) {
        self.ids.push(token);
    }

    /// Adds the first of some tokens to the text, as many as one call takes, which is queued. What is wanted comes
    /// behind the last of them. Another call may follow before this one is finished; calls are finished in their order.
    ///
    /// # Errors
    /// FX1105 where the caches cannot hold all of them, FX1114 where other texts have the pages, FX1107 for numbers
    /// outside of the vocabulary, what the device says of the call. The text is as before then.
    pub fn start_reading<M: Model<Caches = C>>(
        &mut self,
        model: &mut M,
        tokens: &[u32],
        wanted: &Wanted,
    ) -> Result<Reading> {
        let (held, context) = (self.ids.len(), model.context());
        if tokens.is_empty() || tokens.len() > context.saturating_sub(held) {
            let what = format!("{} tokens behind {held}, where {context} can be held", tokens.len());
            return Err(failed("FX1105", what));
        }
        let chunk = model.chunks().next(tokens.len(), held, context);
        let (now, later) = tokens.split_at(chunk.map_or(1, |chunk| tokens.len().min(chunk)));
        if let Some(token) = now.iter().find(|&&token| token as usize >= model.vocabulary()) {
            let what = format!("token {token}; the model knows 0 to {}", model.vocabulary().saturating_sub(1));
            return Err(failed("FX1107", what));
        }
        if !self.make_room(model, now.len()) {
            let (count, of) = (now.len(), model.pages().unwrap_or_default());
            let what = format!("no page for {count} more tokens: texts hold {} of {}", of.held, of.all);
            return Err(failed("FX1114", what));
        }
        let is_last = later.is_empty();
        let wanted = if is_last { wanted } else { &Wanted::Nothing };
        let later = if chunk.is_some() {
            model.prefill_later(&mut self.caches, held, now, wanted)?
        } else {
            let token = now.first().copied().unwrap_or_default();
            let found = model.decode(&mut [self.next(token, wanted.clone())]).pop().transpose()?;
            Later::known(found.unwrap_or(Found::Nothing))
        };
        self.ids.extend(now);
        let whole = chunk.filter(|&chunk| now.len() == chunk && held == self.in_chunks());
        self.chunks.extend(whole);
        Ok(Reading { tokens: now.len(), is_last, position: held, chunks: whole.map(|_| self.chunks.len()), later })
    }

    /// Waits for a call that adds tokens to the text; what was wanted behind them, where they were the last ones.
    ///
    /// # Errors
    /// What the device says of the call. The text is as before it then.
    pub fn finish<M: Model<Caches = C>>(&mut self, model: &mut M, reading: Reading) -> Result<Option<Found>> {
        let Reading { tokens, is_last, position, chunks, later } = reading;
        let found = later.wait().inspect_err(|_| self.rewind(position))?;
        if let Some(chunks) = chunks.and_then(|count| self.chunks.get(..count)) {
            model.note(&mut self.caches, self.ids.get(..position + tokens).unwrap_or_default(), chunks);
        }
        Ok(Some(found).filter(|_| is_last))
    }

    /// Adds tokens to the text; the logits of what follows the last one.
    ///
    /// # Errors
    /// Those of [`Sequence::start_reading`] and [`Sequence::finish`].
    pub fn feed<M: Model<Caches = C>>(&mut self, model: &mut M, tokens: &[u32]) -> Result<Vec<f32>> {
        self.feed_for(model, tokens, &Wanted::Logits)?.logits()
    }

    /// Adds tokens to the text; what is wanted of what follows the last one.
    ///
    /// # Errors
    /// Those of [`Sequence::start_reading`] and [`Sequence::finish`].
    pub fn feed_for<M: Model<Caches = C>>(&mut self, model: &mut M, tokens: &[u32], wanted: &Wanted) -> Result<Found> {
        let mut rest = tokens;
        let mut before: Option<Reading> = None;
        loop {
            let reading = self.start_reading(model, rest, wanted);
            if let Some(before) = before.take() {
                self.finish(model, before)?;
            }
            let reading = reading?;
            rest = rest.get(reading.tokens..).unwrap_or_default();
            if reading.is_last {
                return Ok(self.finish(model, reading)?.unwrap_or(Found::Nothing));
            }
            before = Some(reading);
        }
    }
}

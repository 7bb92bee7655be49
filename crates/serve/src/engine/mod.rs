//! The engine: one thread owns the model. It gives every sequence that runs a token in turn, and takes new ones between
//! two steps.
//!
//! A step feeds one chunk of the oldest prompt that is not read yet. Where prompts are left, and every text behind its
//! prompt got a token within the interval, that is all; else it decodes a token of all of these. So a text never
//! stands still for longer than the interval, a chunk and a step, and while many prompts wait few steps of few texts
//! come between them: a step of one takes nearly as long as one of all. The decoding is one call of [`Model::decode`]
//! for all sequences: a model that computes several in one go needs nothing here. Where tokens are guessed, sequences
//! with guesses go through one call of [`Model::verify`] instead.
//!
//! A chunk is queued, and the one before it is waited for then: the device has the next one when it is done with one,
//! and a text's first token is chosen meanwhile.
//!
//! Worked example: 64 prompts of a chunk each, 17 ms a chunk, a step of 5 ms, an interval of 100 ms: six chunks are
//! read between two steps, so that 11 steps come before the last first token, and not 63.
//!
//! A text depends on its request alone. Each sequence has its own sampler, and takes over only rows that its prompt
//! would get anyhow ([`Sequence::begin`]).
//!
//! Where caches are in pages that all texts share, a text begins when there are pages for all its tokens. Where one
//! needs a page and none is free, the youngest text stops and gives its pages back (`preempt`).

mod job;
mod preempt;
mod queue;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fornax_runtime::{ErrorKind, Result, RuntimeError};
use fornax_text::step::take;
use fornax_text::{
    Ahead, End, Found, Guesser, Guesses, Model, Plan, Reading, Sequence, Start, Then, Turn, Vocabulary, Wanted, Writer,
};

pub use job::{Event, Job, Usage};
pub use queue::{Queue, Refused};

use crate::errors::failed;
use crate::metrics::Metrics;

/// A model with the sequences that it runs.
pub struct Engine<'v, M: Model> {
    model: M,
    vocabulary: &'v Vocabulary,
    slots: Vec<Slot<'v, M::Caches>>,
    /// Texts that were taken from the queue and have no pages, each with its number, which ascend.
    stopped: VecDeque<(u64, Text<'v>)>,
    queue: Arc<Queue>,
    metrics: Arc<Metrics>,
    /// Requests so far; later ones have larger numbers.
    admitted: u64,
    /// Who guesses tokens ahead of texts; a text's seat is its slot.
    guesser: Guesser,
    /// Texts get a token after so long, though prompts wait.
    interval: Duration,
    /// A chunk that was queued and not waited for.
    reading: Option<Queued>,
    /// When a chunk was last waited for, and how long it took.
    heard: (Instant, Duration),
}

/// A chunk of a slot's text.
struct Queued {
    at: usize,
    since: Instant,
    reading: Reading,
}

/// Caches, and the text that is written in them, if one is. A text that is over stays: the next may begin as it did.
struct Slot<'v, C> {
    sequence: Sequence<C>,
    text: Option<Text<'v>>,
    /// The number of the last text here.
    number: u64,
}

impl<C> Slot<'_, C> {
    /// Whether tokens of its text's prompt are in no chunk yet.
    fn is_unread(&self) -> bool {
        self.text.as_ref().is_some_and(|text| self.sequence.position() < text.job.prompt.len())
    }
}

/// A text that is being written.
struct Text<'v> {
    job: Job,
    writer: Writer<'v>,
    /// Tokens of the prompt that the caches held.
    kept: usize,
    /// Chosen, and not in the caches yet.
    next: Option<u32>,
    ahead: Ahead,
    is_begun: bool,
    /// When its last token was chosen, or it came.
    since: Instant,
}

impl Text<'_> {
    fn usage(&self) -> Usage {
        Usage { prompt: self.job.prompt.len(), kept: self.kept, made: self.writer.ids().len() }
    }
}

/// Tells everybody that the engine is gone, also where it panics.
struct Ending(Arc<Queue>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl<'v, M: Model> Engine<'v, M> {
    /// An engine with caches for as many sequences as the queue lets run.
    ///
    /// # Errors
    /// FX1202 where the caches do not fit.
    pub fn new(
        mut model: M,
        vocabulary: &'v Vocabulary,
        queue: Arc<Queue>,
        metrics: Arc<Metrics>,
    ) -> Result<Engine<'v, M>> {
        let count = queue.sequences();
        let unfit = |error: RuntimeError| match error.kind() {
            ErrorKind::OutOfMemory => {
                let what = format!("{count} sequences at a time: {}", error.message());
                failed("FX1202", ErrorKind::OutOfMemory, what)
            }
            _ => error,
        };
        model.check_caches(count).map_err(unfit)?;
        let mut slots = Vec::new();
        for _ in 0..count {
            let sequence = Sequence::new(model.caches().map_err(unfit)?);
            slots.push(Slot { sequence, text: None, number: 0 });
        }
        let stopped = VecDeque::new();
        let (guesser, interval, heard) = (Guesser::none(), Duration::ZERO, (Instant::now(), Duration::ZERO));
        let (admitted, reading) = (0, None);
        Ok(Engine { model, vocabulary, slots, stopped, queue, metrics, admitted, guesser, interval, reading, heard })
    }

    /// Tokens of each text are guessed ahead.
    #[must_use]
    pub fn guess(self, guesser: Guesser) -> Engine<'v, M> {
        Engine { guesser, ..self }
    }

    /// Texts get a token at least so often, and a chunk, while prompts wait; after each chunk where it is 0, as
    /// without.
    #[must_use]
    pub fn interval(self, interval: Duration) -> Engine<'v, M> {
        Engine { interval, ..self }
    }

    /// Serves requests until the queue is closed and the last text is over.
    ///
    /// # Errors
    /// What the device says where it is lost. Every request has been told then.
    pub fn run(mut self) -> Result<()> {
        let ending = Ending(self.queue.clone());
        let lost = loop {
            let is_idle = self.stopped.is_empty() && self.slots.iter().all(|slot| slot.text.is_none());
            if self.queue.is_aborted() || (is_idle && !self.queue.wait()) {
                break None;
            }
            if let Err(error) = self.step() {
                break Some(error);
            }
        };
        let error = lost.clone().unwrap_or_else(|| failed("FX1203", ErrorKind::Input, "the server is shutting down"));
        for at in 0..self.slots.len() {
            self.fail(at, &error);
        }
        for (_, text) in std::mem::take(&mut self.stopped) {
            let _ = text.job.reply.send(Event::Failed(error.clone()));
            self.queue.finished();
        }
        drop(ending);
        lost.map_or(Ok(()), Err)
    }

    /// One turn of everybody.
    fn step(&mut self) -> Result<()> {
        for at in 0..self.slots.len() {
            let is_left = |text: &Text| text.job.reply.is_closed();
            if self.slots.get(at).and_then(|slot| slot.text.as_ref()).is_some_and(is_left) {
                self.metrics.cancelled();
                self.finish(at);
            }
        }
        self.leave_stopped();
        self.admit();
        let begun = self.read_prompt()?;
        let before = std::mem::replace(&mut self.reading, begun);
        self.hear(before)?;
        if !self.is_due() {
            return Ok(());
        }
        let begun = self.reading.take();
        self.hear(begun)?;
        self.go_on()
    }

    /// Whether texts get a token now: no prompt is left, or one of them will have stood still for the interval once the
    /// chunk is over that is queued.
    fn is_due(&self) -> bool {
        let queued = self.reading.as_ref().map_or(Duration::ZERO, |_| self.heard.1);
        let stands = |text: &Text| text.next.is_some() && text.since.elapsed() + queued >= self.interval;
        !self.slots.iter().any(Slot::is_unread) || self.slots.iter().filter_map(|slot| slot.text.as_ref()).any(stands)
    }

    /// Takes texts that were stopped, then requests from the queue, as long as there are free caches and pages.
    fn admit(&mut self) {
        while let Some(at) = self.free_slot()
            && let Some((number, text)) = self.stopped.pop_front().or_else(|| self.take())
        {
            if let Some(text) = self.begin(at, number, text) {
                self.stopped.push_front((number, text));
                break;
            }
        }
        self.count();
    }

    /// Of free caches those that hold the most of how the next text begins; of equal ones those that were used longest
    /// ago.
    fn free_slot(&self) -> Option<usize> {
        let mut free = self.slots.iter().enumerate().filter(|(_, slot)| slot.text.is_none()).peekable();
        free.peek()?;
        let next = self.stopped.front().map(|(_, text)| text.job.prompt.clone()).or_else(|| self.queue.next());
        let (prompt, how) = (next?, (self.model.chunks(), self.model.context()));
        let key = |(_, slot): &(usize, &Slot<M::Caches>)| {
            (slot.sequence.shared_chunks(&prompt, how), std::cmp::Reverse(slot.number))
        };
        free.max_by_key(key).map(|(at, _)| at)
    }

    /// The next request of the queue.
    fn take(&mut self) -> Option<(u64, Text<'v>)> {
        let job = self.queue.take()?;
        self.admitted += 1;
        let writer = Writer::new(self.vocabulary, job.sampling.clone(), &job.prompt, &job.limits)
            .explain(job.logprobs)
            .constrain(job.constraint.clone());
        let ahead = self.guesser.ahead();
        let text = Text { job, writer, kept: 0, next: None, ahead, is_begun: false, since: Instant::now() };
        Some((self.admitted, text))
    }

    /// What metrics say of texts and pages.
    fn count(&self) {
        self.metrics.running(self.slots.iter().filter(|slot| slot.text.is_some()).count());
        if let Some(pages) = self.model.pages() {
            self.metrics.pages(pages);
        }
    }

    /// Queues a chunk of the prompt that came first.
    fn read_prompt(&mut self) -> Result<Option<Queued>> {
        let slots = self.slots.iter().enumerate().filter(|(_, slot)| slot.is_unread());
        let Some(at) = slots.min_by_key(|(_, slot)| slot.number).map(|(at, _)| at) else { return Ok(None) };
        let Some(slot) = self.slots.get_mut(at) else { return Ok(None) };
        let Some(text) = &mut slot.text else { return Ok(None) };
        let rest = text.job.prompt.get(slot.sequence.position()..).unwrap_or_default();
        let is_again = !text.writer.ids().is_empty();
        let wanted = if is_again { &Wanted::Nothing } else { text.writer.wanted() };
        let since = Instant::now();
        match slot.sequence.start_reading(&mut self.model, rest, wanted) {
            Ok(reading) => Ok(Some(Queued { at, since, reading })),
            Err(error) => self.refuse(at, error).map(|()| None),
        }
    }

    /// Waits for a chunk, and chooses the first token behind a prompt's last one.
    fn hear(&mut self, queued: Option<Queued>) -> Result<()> {
        let Some(Queued { at, since, reading }) = queued else { return Ok(()) };
        let Some(slot) = self.slots.get_mut(at) else { return Ok(()) };
        let Some(text) = &slot.text else { return Ok(()) };
        let (tokens, is_again) = (reading.tokens, !text.writer.ids().is_empty());
        let finished = slot.sequence.finish(&mut self.model, reading);
        let began = since.max(self.heard.0);
        self.heard = (Instant::now(), began.elapsed());
        match finished {
            Ok(found) => {
                self.metrics.read(tokens);
                found.filter(|_| !is_again).map_or(Ok(()), |found| self.choose(at, found))
            }
            Err(error) => self.refuse(at, error),
        }
    }

    /// A chunk of the slot's text is not waited for any more.
    fn forget_reading(&mut self, at: usize) {
        self.reading.take_if(|queued| queued.at == at);
    }

    /// Adds the tokens that were chosen, all in one call, or in two where some have guesses behind them, and chooses
    /// the next ones.
    fn go_on(&mut self) -> Result<()> {
        let mut plans = self.plans()?;
        self.make_room(&plans);
        let (mut turns, mut places) = (Vec::new(), Vec::new());
        for (at, (slot, plan)) in self.slots.iter_mut().zip(&mut plans).enumerate() {
            let (Some(text), Some(plan)) = (slot.text.as_mut(), plan.take()) else { continue };
            let wanted = match (plan.is_again(), plan.is_verified()) {
                (true, _) => Wanted::Nothing,
                (false, true) => Wanted::Logits,
                (false, false) => text.writer.wanted().clone(),
            };
            places.push((at, plan.is_again()));
            if !plan.is_again() {
                text.next = None;
            }
            turns.push(Turn { sequence: &mut slot.sequence, ahead: &mut text.ahead, plan, wanted });
        }
        if turns.is_empty() {
            return Ok(());
        }
        let results = take(&mut self.model, &mut turns);
        self.metrics.stepped();
        for ((at, is_again), result) in places.into_iter().zip(results) {
            match result {
                Ok(_) if is_again => {}
                Ok(found) => self.choose_all(at, found)?,
                Err(error) => self.refuse(at, error)?,
            }
        }
        Ok(())
    }

    /// What the next call adds to each slot's text, if that is behind its prompt.
    fn plans(&mut self) -> Result<Vec<Option<Plan>>> {
        let mut plans: Vec<Option<Plan>> = Vec::with_capacity(self.slots.len());
        let (mut starts, mut nexts) = (Vec::new(), Vec::new());
        for (seat, slot) in self.slots.iter().enumerate() {
            let position = slot.sequence.position();
            let text = slot.text.as_ref().filter(|text| position >= text.job.prompt.len());
            let again = text.and_then(|text| Plan::again(&text.ahead, text.writer.text(), position));
            if let (None, Some(text)) = (&again, text)
                && let Some(token) = text.next
            {
                starts.push(Start { seat, text: text.writer.text(), most: text.writer.left() });
                nexts.push((seat, token));
            }
            plans.push(again);
        }
        let guesses = match self.guesser.guesses(&self.model, starts) {
            Ok(guesses) => guesses,
            Err(error) => {
                for (at, _) in nexts {
                    self.refuse(at, error.clone())?;
                }
                return Ok(plans);
            }
        };
        for ((at, token), guesses) in nexts.into_iter().zip(guesses) {
            if let Some(plan) = plans.get_mut(at) {
                *plan = Some(Plan::next(token, &guesses));
            }
        }
        Ok(plans)
    }

    /// Chooses the next token of a text, and those behind it whose logits are there already.
    fn choose_all(&mut self, at: usize, found: Found) -> Result<()> {
        let mut found = Some(found);
        while let Some(next) = found.take() {
            self.choose(at, next)?;
            let Some(slot) = self.slots.get_mut(at) else { break };
            let Some(text) = &mut slot.text else { break };
            let Some(token) = text.next else { break };
            if let Some(logits) = text.ahead.ready(&mut slot.sequence, token) {
                text.next = None;
                found = Some(Found::Logits(logits));
            }
        }
        Ok(())
    }

    /// Chooses the next token of a text, and sends what became whole with it.
    fn choose(&mut self, at: usize, found: Found) -> Result<()> {
        let Some(slot) = self.slots.get_mut(at) else { return Ok(()) };
        let room = self.model.context().saturating_sub(slot.sequence.position());
        let Some(text) = &mut slot.text else { return Ok(()) };
        let (before, said) = (text.writer.ids().len(), text.writer.chosen().len());
        let (piece, then) = match text.writer.next(found, room) {
            Ok(written) => written,
            Err(error) => return self.refuse(at, error),
        };
        text.since = Instant::now();
        if !std::mem::replace(&mut text.is_begun, true) {
            self.metrics.first_token(text.job.received.elapsed());
        }
        self.metrics.made(text.writer.ids().len() - before);
        // Who does not listen any more is seen in the next step.
        let chosen = text.writer.chosen().get(said..).unwrap_or_default();
        if !chosen.is_empty() {
            let _ = text.job.reply.send(Event::Chosen(chosen.to_vec()));
        }
        if !piece.is_empty() {
            let _ = text.job.reply.send(Event::Text(piece));
        }
        match then {
            Then::Feed(token) => text.next = Some(token),
            Then::End(end) => self.end(at, end),
        }
        Ok(())
    }

    fn end(&mut self, at: usize, end: End) {
        if let Some(text) = self.slots.get(at).and_then(|slot| slot.text.as_ref()) {
            let _ = text.job.reply.send(Event::End { end, usage: text.usage() });
        }
        self.finish(at);
    }

    /// A text is over; its caches are free. Those of their own hold it until another takes them.
    fn finish(&mut self, at: usize) {
        self.forget_reading(at);
        if let Some(slot) = self.slots.get_mut(at)
            && let Some(text) = slot.text.take()
        {
            let Guesses { made, right, .. } = text.ahead.count();
            self.metrics.guessed(made, right);
            self.queue.finished();
            slot.sequence.end(&mut self.model);
        }
        self.count();
    }

    fn fail(&mut self, at: usize, error: &RuntimeError) {
        if let Some(text) = self.slots.get(at).and_then(|slot| slot.text.as_ref()) {
            let _ = text.job.reply.send(Event::Failed(error.clone()));
        }
        self.finish(at);
    }

    /// A text failed. Others go on, unless the device is lost.
    fn refuse(&mut self, at: usize, error: RuntimeError) -> Result<()> {
        self.fail(at, &error);
        if error.kind() == ErrorKind::DeviceLost { Err(error) } else { Ok(()) }
    }
}

/// A request to be written, with the end to which its reply goes.
pub fn job(
    prompt: Vec<u32>,
    sampling: fornax_text::Sampling,
    limits: fornax_text::Limits,
) -> (Job, tokio::sync::mpsc::UnboundedReceiver<Event>) {
    // What can be sent is bounded by the context.
    let (reply, events) = tokio::sync::mpsc::unbounded_channel();
    let received = Instant::now();
    (Job { prompt, sampling, limits, logprobs: None, constraint: None, reply, received }, events)
}

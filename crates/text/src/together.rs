//! Several texts, as many at a time as a call decodes: where one is over, the next prompt takes its caches.

use std::time::{Duration, Instant};

use fornax_runtime::{Result, RuntimeError};

use crate::ahead::Guesses;
use crate::errors::failed;
use crate::generate::Generated;
use crate::model::{Found, Model, Next};
use crate::sequence::Sequence;
use crate::writer::{End, Then, Writer};

/// A text that is being made.
struct Running<'v> {
    /// Its place among the prompts.
    at: usize,
    writer: Writer<'v>,
    text: String,
    /// Chosen, and not in the caches yet.
    next: u32,
    began: Instant,
    first: Duration,
}

impl Running<'_> {
    fn over(self, end: End) -> Generated {
        Generated {
            ids: self.writer.ids().to_vec(),
            text: self.text,
            end,
            first: self.first,
            rest: self.began.elapsed().saturating_sub(self.first),
            guesses: Guesses::default(),
            chosen: self.writer.chosen().to_vec(),
        }
    }

    /// Chooses the next token; why the text is over, if it is.
    fn choose(&mut self, found: Found, room: usize) -> Result<Option<End>> {
        let (piece, then) = self.writer.next(found, room)?;
        self.text.push_str(&piece);
        match then {
            Then::Feed(token) => self.next = token,
            Then::End(end) => return Ok(Some(end)),
        }
        Ok(None)
    }
}

/// Makes a text behind each writer's prompt, at most `seats_max` at a time; in the order of the writers. A text does
/// not depend on those that run beside it.
///
/// # Errors
/// As [`crate::generate()`], with the number of the prompt.
pub fn generate_all<M: Model>(model: &mut M, writers: Vec<Writer>, seats_max: usize) -> Result<Vec<Generated>> {
    let count = writers.len();
    let mut made: Vec<(usize, Generated)> = Vec::with_capacity(count);
    let mut waiting = writers.into_iter().enumerate();
    let mut seats = Seats { running: Vec::new(), free: Vec::new() };
    for _ in 0..seats_of(seats_max, count) {
        seats.free.push(Sequence::new(model.caches()?));
    }
    loop {
        while let Some(mut sequence) = seats.free.pop() {
            let Some((at, writer)) = waiting.next() else { break };
            let numbered = |error: RuntimeError| error.context(format!("prompt {at}"));
            let (began, first) = (Instant::now(), Duration::ZERO);
            let mut one = Running { at, writer, text: String::new(), next: 0, began, first };
            sequence.rewind(0, model.chunk());
            if one.writer.prompt().is_empty() {
                return Err(numbered(failed("FX1105", "it has no token")));
            }
            let wanted = one.writer.wanted().clone();
            let found = sequence.feed_for(model, one.writer.prompt(), &wanted).map_err(numbered)?;
            let room = model.context().saturating_sub(sequence.position());
            let end = one.choose(found, room).map_err(numbered)?;
            one.first = began.elapsed();
            made.extend(seats.settle(one, sequence, end));
        }
        if seats.running.is_empty() {
            break;
        }
        let mut batch: Vec<Next<M::Caches>> = Vec::new();
        for (one, sequence) in &mut seats.running {
            batch.push(sequence.next(one.next, one.writer.wanted().clone()));
        }
        let found = model.decode(&mut batch);
        drop(batch);
        for ((mut one, mut sequence), found) in std::mem::take(&mut seats.running).into_iter().zip(found) {
            let at = one.at;
            let numbered = |error: RuntimeError| error.context(format!("prompt {at}"));
            sequence.decoded(one.next);
            let room = model.context().saturating_sub(sequence.position());
            let end = found.and_then(|found| one.choose(found, room)).map_err(numbered)?;
            made.extend(seats.settle(one, sequence, end));
        }
    }
    made.sort_by_key(|(at, _)| *at);
    Ok(made.into_iter().map(|(_, made)| made).collect())
}

/// No more than there are prompts.
fn seats_of(most: usize, prompts: usize) -> usize {
    most.clamp(1, prompts.max(1))
}

/// Texts by their caches, and caches that no text has.
struct Seats<'v, C> {
    running: Vec<(Running<'v>, Sequence<C>)>,
    free: Vec<Sequence<C>>,
}

impl<'v, C> Seats<'v, C> {
    /// A text goes on, or is over and leaves its caches; that text is given.
    fn settle(&mut self, one: Running<'v>, sequence: Sequence<C>, end: Option<End>) -> Option<(usize, Generated)> {
        let Some(end) = end else {
            self.running.push((one, sequence));
            return None;
        };
        self.free.push(sequence);
        Some((one.at, one.over(end)))
    }
}

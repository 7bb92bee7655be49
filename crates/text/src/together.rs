//! Several texts, as many at a time as a call decodes: where one is over, the next prompt takes its caches.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fornax_runtime::{Result, RuntimeError};

use crate::ahead::Guesses;
use crate::errors::failed;
use crate::generate::Generated;
use crate::model::{Found, Model, Next, Wanted};
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

impl<'v> Running<'v> {
    fn new((at, writer): (usize, Writer<'v>)) -> Running<'v> {
        let (began, first) = (Instant::now(), Duration::ZERO);
        Running { at, writer, text: String::new(), next: 0, began, first }
    }

    /// Errors with the number of the prompt.
    fn numbered(&self) -> impl Fn(RuntimeError) -> RuntimeError + use<> {
        let at = self.at;
        move |error| error.context(format!("prompt {at}"))
    }

    /// Feeds the prompt that the caches do not hold yet and chooses the first token; or, of a text that was stopped,
    /// feeds what it had as that was fed: its prompt in chunks, its own tokens one by one. Why it is over, if it is.
    fn begin<M: Model>(&mut self, model: &mut M, sequence: &mut Sequence<M::Caches>) -> Result<Option<End>> {
        if self.writer.prompt().is_empty() {
            return Err(failed("FX1105", "it has no token"));
        }
        let is_again = !self.writer.ids().is_empty();
        if !is_again {
            self.began = Instant::now();
        }
        let wanted = if is_again { Wanted::Nothing } else { self.writer.wanted().clone() };
        let rest = self.writer.prompt().get(sequence.position()..).unwrap_or_default();
        let found = sequence.feed_for(model, rest, &wanted)?;
        if is_again {
            // The last one was chosen, and not fed.
            let fed = self.writer.ids().split_last().map_or(&[][..], |(_, fed)| fed);
            for token in fed {
                sequence.feed_for(model, &[*token], &Wanted::Nothing)?;
            }
            return Ok(None);
        }
        let room = model.context().saturating_sub(sequence.position());
        let end = self.choose(found, room)?;
        self.first = self.began.elapsed();
        Ok(end)
    }

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
/// not depend on those that run beside it. Where texts share pages and one finds none free, the youngest gives its own
/// back, and is computed again as it was when another is over.
///
/// # Errors
/// As [`crate::generate()`], with the number of the prompt.
pub fn generate_all<M: Model>(model: &mut M, writers: Vec<Writer>, seats_max: usize) -> Result<Vec<Generated>> {
    let count = writers.len();
    let mut made: Vec<(usize, Generated)> = Vec::with_capacity(count);
    let mut waiting: VecDeque<Running> = writers.into_iter().enumerate().map(Running::new).collect();
    let mut seats = Seats { running: Vec::new(), free: Vec::new() };
    for _ in 0..seats_of(seats_max, count) {
        seats.free.push(Sequence::new(model.caches()?));
    }
    loop {
        while let Some(mut sequence) = seats.free.pop() {
            let Some(mut one) = waiting.pop_front() else { break };
            let numbered = one.numbered();
            let kept = sequence.begin(model, one.writer.prompt());
            // With a page more, the next steps do not stop what begins in this one.
            let room = (one.writer.text().len() + model.page()).min(model.context()).saturating_sub(kept);
            if !seats.running.is_empty() && !sequence.make_room(model, room) {
                sequence.end(model);
                seats.free.push(sequence);
                waiting.push_front(one);
                break;
            }
            let end = one.begin(model, &mut sequence).map_err(numbered)?;
            made.extend(seats.settle(model, one, sequence, end));
        }
        if seats.running.is_empty() {
            break;
        }
        seats.make_room(model, &mut waiting);
        let mut batch: Vec<Next<M::Caches>> = Vec::new();
        for (one, sequence) in &mut seats.running {
            batch.push(sequence.next(one.next, one.writer.wanted().clone()));
        }
        let found = model.decode(&mut batch);
        drop(batch);
        for ((mut one, mut sequence), found) in std::mem::take(&mut seats.running).into_iter().zip(found) {
            let numbered = one.numbered();
            sequence.decoded(one.next);
            let room = model.context().saturating_sub(sequence.position());
            let end = found.and_then(|found| one.choose(found, room)).map_err(numbered)?;
            made.extend(seats.settle(model, one, sequence, end));
        }
    }
    made.sort_by_key(|(at, _)| *at);
    Ok(made.into_iter().map(|(_, made)| made).collect())
}

/// No more than there are prompts.
fn seats_of(most: usize, prompts: usize) -> usize {
    most.clamp(1, prompts.max(1))
}

/// Texts by their caches, the oldest first, and caches that no text has.
struct Seats<'v, C> {
    running: Vec<(Running<'v>, Sequence<C>)>,
    free: Vec<Sequence<C>>,
}

impl<'v, C> Seats<'v, C> {
    /// A text goes on, or is over and leaves its caches; that text is given.
    fn settle<M: Model<Caches = C>>(
        &mut self,
        model: &mut M,
        one: Running<'v>,
        mut sequence: Sequence<C>,
        end: Option<End>,
    ) -> Option<(usize, Generated)> {
        let Some(end) = end else {
            self.running.push((one, sequence));
            return None;
        };
        sequence.end(model);
        self.free.push(sequence);
        Some((one.at, one.over(end)))
    }

    /// Room for a token more of every text, the oldest first; who is left without waits again.
    fn make_room<M: Model<Caches = C>>(&mut self, model: &mut M, waiting: &mut VecDeque<Running<'v>>) {
        let mut at = 0;
        while at < self.running.len() {
            let is_alone = self.running.len() == 1;
            let has_room = self.running.get_mut(at).is_none_or(|(_, sequence)| sequence.make_room(model, 1));
            if is_alone || has_room {
                at += 1;
            } else if let Some((one, mut sequence)) = self.running.pop() {
                sequence.end(model);
                self.free.push(sequence);
                waiting.push_front(one);
            }
        }
    }
}

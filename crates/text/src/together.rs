//! Several texts, as many at a time as a call decodes: where one is over, the next prompt takes its caches.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fornax_runtime::{Result, RuntimeError};

use crate::ahead::{Ahead, Guesser, Start};
use crate::errors::failed;
use crate::generate::Generated;
use crate::model::{Found, Model, Wanted};
use crate::sequence::Sequence;
use crate::step::{Plan, Turn, take};
use crate::writer::{End, Then, Writer};

/// A text that is being made.
struct Running<'v> {
    /// Its place among the prompts.
    at: usize,
    writer: Writer<'v>,
    ahead: Ahead,
    text: String,
    /// Chosen, and not in the caches yet.
    next: u32,
    began: Instant,
    first: Duration,
}

impl<'v> Running<'v> {
    fn new(at: usize, writer: Writer<'v>, ahead: Ahead) -> Running<'v> {
        let (began, first) = (Instant::now(), Duration::ZERO);
        Running { at, writer, ahead, text: String::new(), next: 0, began, first }
    }

    /// Errors with the number of the prompt.
    fn numbered(&self) -> impl Fn(RuntimeError) -> RuntimeError + use<> {
        let at = self.at;
        move |error| error.context(format!("prompt {at}"))
    }

    /// Feeds the prompt that the caches do not hold yet and chooses the first token; or, of a text that was stopped,
    /// feeds what it had as that was fed: its prompt in chunks, its own tokens by the calls that they had. Why it is
    /// over, if it is.
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
            while let Some(plan) = Plan::again(&self.ahead, self.writer.text(), sequence.position()) {
                // A call that finds no page says so.
                let _ = sequence.make_room(model, plan.rows());
                let turn = Turn { sequence, ahead: &mut self.ahead, plan, wanted: Wanted::Nothing };
                take(model, &mut [turn]).pop().transpose()?;
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
            guesses: self.ahead.count(),
            chosen: self.writer.chosen().to_vec(),
        }
    }

    /// Chooses the next token, and those behind it whose logits are there already; why the text is over, if it is.
    fn go_on<C>(&mut self, found: Found, context: usize, sequence: &mut Sequence<C>) -> Result<Option<End>> {
        let mut end = self.choose(found, context.saturating_sub(sequence.position()))?;
        while end.is_none()
            && let Some(logits) = self.ahead.ready(sequence, self.next)
        {
            end = self.choose(Found::Logits(logits), context.saturating_sub(sequence.position()))?;
        }
        Ok(end)
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
/// not depend on those that run beside it, nor on what is guessed. Where texts share pages and one finds none free, the
/// youngest gives its own back, and is computed again as it was when another is over.
///
/// # Errors
/// As [`crate::generate()`], with the number of the prompt.
pub fn generate_all<M: Model>(
    model: &mut M,
    (writers, guesser): (Vec<Writer>, &mut Guesser),
    seats_max: usize,
) -> Result<Vec<Generated>> {
    let count = writers.len();
    let mut made: Vec<(usize, Generated)> = Vec::with_capacity(count);
    let mut waiting: VecDeque<Running> = VecDeque::new();
    for (at, writer) in writers.into_iter().enumerate() {
        waiting.push_back(Running::new(at, writer, guesser.ahead()));
    }
    let mut seats = Seats { running: Vec::new(), free: Vec::new() };
    for number in 0..seats_of(seats_max, count) {
        seats.free.push(Seat { number, sequence: Sequence::new(model.caches()?) });
    }
    loop {
        while let Some(mut seat) = seats.free.pop() {
            let Some(mut one) = waiting.pop_front() else { break };
            let numbered = one.numbered();
            let sequence = &mut seat.sequence;
            let kept = sequence.begin(model, one.writer.prompt());
            // With a page more, the next steps do not stop what begins in this one.
            let room = (one.writer.text().len() + model.page()).min(model.context()).saturating_sub(kept);
            if !seats.running.is_empty() && !sequence.make_room(model, room) {
                sequence.end(model);
                seats.free.push(seat);
                waiting.push_front(one);
                break;
            }
            let end = one.begin(model, sequence).map_err(numbered)?;
            made.extend(seats.settle(model, one, seat, end));
        }
        if seats.running.is_empty() {
            break;
        }
        let plans = seats.plans(model, guesser)?;
        seats.make_room(model, &mut waiting, &plans);
        let mut turns: Vec<Turn<M::Caches>> = Vec::new();
        for ((one, seat), plan) in seats.running.iter_mut().zip(plans) {
            let wanted = if plan.is_verified() { Wanted::Logits } else { one.writer.wanted().clone() };
            turns.push(Turn { sequence: &mut seat.sequence, ahead: &mut one.ahead, plan, wanted });
        }
        let found = take(model, &mut turns);
        for ((mut one, mut seat), found) in std::mem::take(&mut seats.running).into_iter().zip(found) {
            let numbered = one.numbered();
            let end = found.and_then(|found| one.go_on(found, model.context(), &mut seat.sequence));
            made.extend(seats.settle(model, one, seat, end.map_err(numbered)?));
        }
    }
    made.sort_by_key(|(at, _)| *at);
    Ok(made.into_iter().map(|(_, made)| made).collect())
}

/// No more than there are prompts.
fn seats_of(most: usize, prompts: usize) -> usize {
    most.clamp(1, prompts.max(1))
}

/// Caches of a text.
struct Seat<C> {
    number: usize,
    sequence: Sequence<C>,
}

/// Texts by their caches, the oldest first, and caches that no text has.
struct Seats<'v, C> {
    running: Vec<(Running<'v>, Seat<C>)>,
    free: Vec<Seat<C>>,
}

impl<'v, C> Seats<'v, C> {
    /// A text goes on, or is over and leaves its caches; that text is given.
    fn settle<M: Model<Caches = C>>(
        &mut self,
        model: &mut M,
        one: Running<'v>,
        mut seat: Seat<C>,
        end: Option<End>,
    ) -> Option<(usize, Generated)> {
        let Some(end) = end else {
            self.running.push((one, seat));
            return None;
        };
        seat.sequence.end(model);
        self.free.push(seat);
        Some((one.at, one.over(end)))
    }

    /// What a step adds to each text.
    fn plans<M: Model<Caches = C>>(&self, model: &M, guesser: &mut Guesser) -> Result<Vec<Plan>> {
        let mut texts = Vec::with_capacity(self.running.len());
        for (one, seat) in &self.running {
            texts.push(Start { seat: seat.number, text: one.writer.text(), most: one.writer.left() });
        }
        let guesses = guesser.guesses(model, texts)?;
        Ok(self.running.iter().zip(&guesses).map(|((one, _), guesses)| Plan::next(one.next, guesses)).collect())
    }

    /// Room for what a step adds to every text, the oldest first; who is left without waits again.
    fn make_room<M: Model<Caches = C>>(&mut self, model: &mut M, waiting: &mut VecDeque<Running<'v>>, plans: &[Plan]) {
        let mut at = 0;
        while at < self.running.len() {
            let is_alone = self.running.len() == 1;
            let rows = plans.get(at).map_or(1, Plan::rows);
            let has_room = self.running.get_mut(at).is_none_or(|(_, seat)| seat.sequence.make_room(model, rows));
            if is_alone || has_room {
                at += 1;
            } else if let Some((one, mut seat)) = self.running.pop() {
                seat.sequence.end(model);
                self.free.push(seat);
                waiting.push_front(one);
            }
        }
    }
}

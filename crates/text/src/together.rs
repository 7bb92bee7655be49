//! Several texts, as many at a time as a call decodes: where one is over, the next prompt takes its caches.

use std::time::{Duration, Instant};

use fornax_runtime::Result;

use crate::ahead::Guesses;
use crate::errors::failed;
use crate::generate::Generated;
use crate::model::Model;
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
    fn choose(&mut self, mut logits: Vec<f32>, room: usize) -> Result<Option<End>> {
        let (piece, then) = self.writer.next(&mut logits, room)?;
        self.text.push_str(&piece);
        match then {
            Then::Feed(token) => self.next = token,
            Then::End(end) => return Ok(Some(end)),
        }
        Ok(None)
    }
}

/// Makes a text behind each writer's prompt, at most `seats` at a time; in the order of the writers. A text does not
/// depend on those that run beside it.
///
/// # Errors
/// As [`crate::generate()`], with the number of the prompt.
pub fn generate_all<M: Model>(model: &mut M, writers: Vec<Writer>, seats: usize) -> Result<Vec<Generated>> {
    let count = writers.len();
    let mut made: Vec<Option<Generated>> = (0..count).map(|_| None).collect();
    let mut waiting = writers.into_iter().enumerate();
    let mut free = Vec::new();
    for _ in 0..seats.clamp(1, count.max(1)) {
        free.push(Sequence::new(model.caches()?));
    }
    let mut running: Vec<(Running, Sequence<M::Caches>)> = Vec::new();
    loop {
        while let Some(sequence) = free.pop() {
            let Some((at, writer)) = waiting.next() else { break };
            let numbered = |error: fornax_runtime::RuntimeError| error.context(format!("prompt {at}"));
            let (began, first) = (Instant::now(), Duration::ZERO);
            let mut one = Running { at, writer, text: String::new(), next: 0, began, first };
            let mut sequence = sequence;
            sequence.rewind(0, model.chunk());
            if one.writer.prompt().is_empty() {
                return Err(numbered(failed("FX1105", "it has no token")));
            }
            let logits = sequence.feed(model, one.writer.prompt()).map_err(numbered)?;
            let room = model.context().saturating_sub(sequence.position());
            let end = one.choose(logits, room).map_err(numbered)?;
            one.first = began.elapsed();
            settle(&mut made, (one, sequence, end), (&mut running, &mut free));
        }
        if running.is_empty() {
            break;
        }
        let mut batch: Vec<_> = running.iter_mut().map(|(one, sequence)| sequence.next(one.next)).collect();
        let found = model.decode(&mut batch);
        drop(batch);
        for ((mut one, mut sequence), logits) in std::mem::take(&mut running).into_iter().zip(found) {
            let numbered = |error: fornax_runtime::RuntimeError| error.context(format!("prompt {}", one.at));
            let logits = logits.map_err(numbered)?;
            sequence.decoded(one.next);
            let room = model.context().saturating_sub(sequence.position());
            let end = one.choose(logits, room)?;
            settle(&mut made, (one, sequence, end), (&mut running, &mut free));
        }
    }
    made.into_iter().map(|one| one.ok_or_else(|| failed("FX1104", "the model gave no logits"))).collect()
}

/// A text goes on, or is over and leaves its caches.
fn settle<'v, C>(
    made: &mut [Option<Generated>],
    (one, sequence, end): (Running<'v>, Sequence<C>, Option<End>),
    (running, free): (&mut Vec<(Running<'v>, Sequence<C>)>, &mut Vec<Sequence<C>>),
) {
    match end {
        None => running.push((one, sequence)),
        Some(end) => {
            free.push(sequence);
            if let Some(place) = made.get_mut(one.at) {
                *place = Some(one.over(end));
            }
        }
    }
}

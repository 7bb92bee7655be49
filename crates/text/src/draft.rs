//! A smaller model that guesses what a larger one will say.

use std::collections::VecDeque;

use fornax_runtime::Result;

use crate::ahead::{Guess, Start};
use crate::device_model::DeviceModel;
use crate::model::{Found, Model, Wanted};
use crate::sampler::Choice;
use crate::sequence::Sequence;

/// Guesses with a model of the same vocabulary: its likeliest tokens. It keeps as many texts of its own as seats, and
/// is fed what is new of the other's.
pub struct Draft<M: Model = DeviceModel> {
    model: M,
    seats: Vec<Sequence<M::Caches>>,
}

/// A text on its way through the smaller model.
struct Guessing {
    /// Its place among those that are asked for, and its seat.
    at: usize,
    seat: usize,
    /// Not fed yet.
    rest: VecDeque<u32>,
    guessed: Vec<u32>,
    most: usize,
}

impl<M: Model> Draft<M> {
    /// Of so many texts at a time.
    ///
    /// # Errors
    /// FX0706 where the caches do not fit.
    pub fn new(mut model: M, seats: usize) -> Result<Draft<M>> {
        model.check_caches(seats)?;
        let seats = (0..seats).map(|_| Ok(Sequence::new(model.caches()?))).collect::<Result<_>>()?;
        Ok(Draft { model, seats })
    }

    /// A text as far as it is to be decoded; `None` where nothing can be guessed behind it.
    fn begin(&mut self, at: usize, &Start { seat, text, most }: &Start) -> Result<Option<Guessing>> {
        // The caches hold what is fed: each guess but the last, too.
        let fits = most > 0 && !text.is_empty() && text.len() + most <= self.model.context();
        // Words that only the larger model has.
        let knows = text.iter().all(|&token| (token as usize) < self.model.vocabulary());
        let Some(sequence) = self.seats.get_mut(seat).filter(|_| fits && knows) else { return Ok(None) };
        let kept = sequence.shared(text);
        sequence.rewind(kept);
        if !sequence.make_room(&mut self.model, text.len() - kept + most) {
            sequence.end(&mut self.model);
            return Ok(None);
        }
        let rest = text.get(kept..).unwrap_or_default();
        // What one call wrote of the last guesses, and the token that was chosen instead, go with those of others.
        let (read, rest) = rest.split_at(if rest.len() > 2 { rest.len() - 1 } else { 0 });
        if !read.is_empty() {
            sequence.feed_for(&mut self.model, read, &Wanted::Nothing)?;
        }
        Ok(Some(Guessing { at, seat, rest: rest.iter().copied().collect(), guessed: Vec::new(), most }))
    }

    /// A token of each text that wants one, in one call; how many those are.
    fn step(&mut self, texts: &mut [Guessing]) -> Result<usize> {
        let likeliest = Choice::likeliest();
        let mut seats: Vec<Option<&mut Sequence<M::Caches>>> = self.seats.iter_mut().map(Some).collect();
        let (mut batch, mut turns) = (Vec::new(), Vec::new());
        for text in texts.iter_mut().filter(|text| text.guessed.len() < text.most) {
            let Some(sequence) = seats.get_mut(text.seat).and_then(Option::take) else { continue };
            let Some(token) = text.rest.pop_front() else { continue };
            let wanted = if text.rest.is_empty() { Wanted::Token(likeliest.clone()) } else { Wanted::Nothing };
            batch.push(sequence.next(token, wanted));
            turns.push((text, token));
        }
        let count = turns.len();
        let found = if count == 0 { Vec::new() } else { self.model.decode(&mut batch) };
        for ((text, token), found) in turns.into_iter().zip(found) {
            if let Some(sequence) = self.seats.get_mut(text.seat) {
                sequence.decoded(token);
            }
            let guess = match found? {
                Found::Nothing => continue,
                Found::Token(token) => token,
                Found::Logits(mut logits) => likeliest.token(&mut logits)?,
            };
            text.guessed.push(guess);
            text.rest.push_back(guess);
        }
        Ok(count)
    }
}

impl<M: Model> Guess for Draft<M> {
    fn guess(&mut self, texts: &[Start]) -> Result<Vec<Vec<u32>>> {
        let mut all = vec![Vec::new(); texts.len()];
        let mut open = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            open.extend(self.begin(at, text)?);
        }
        while self.step(&mut open)? > 0 {}
        for text in open {
            if let Some(guessed) = all.get_mut(text.at) {
                *guessed = text.guessed;
            }
        }
        Ok(all)
    }
}

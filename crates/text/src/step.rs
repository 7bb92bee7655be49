//! A step of several texts: each gets its next token, and those that were guessed ahead. Texts with guesses go through
//! one call of [`Model::verify`], all others through one of [`Model::decode`].

use fornax_runtime::Result;

use crate::ahead::Ahead;
use crate::model::{Found, Model, Wanted};
use crate::sequence::Sequence;

/// Tokens whose rows a step writes behind a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    tokens: Vec<u32>,
    /// The first of them, which the text gets whatever the model says; the others are guesses.
    known: usize,
    is_verified: bool,
    is_again: bool,
}

impl Plan {
    /// A token that was chosen, and guesses behind it.
    pub fn next(token: u32, guesses: &[u32]) -> Plan {
        let tokens: Vec<u32> = std::iter::once(token).chain(guesses.iter().copied()).collect();
        Plan { tokens, known: 1, is_verified: !guesses.is_empty(), is_again: false }
    }

    /// Of a text that lost its rows, behind those that it has again: what one call added to it at first. `None` where
    /// only the last token has no row.
    pub fn again(ahead: &Ahead, text: &[u32], position: usize) -> Option<Plan> {
        let fed = text.split_last().map_or(&[][..], |(_, fed)| fed);
        let verified = ahead.verified(position);
        let known = verified.unwrap_or(1);
        let tokens = fed.get(position..position + known).filter(|tokens| !tokens.is_empty())?.to_vec();
        Some(Plan { tokens, known, is_verified: verified.is_some(), is_again: true })
    }

    /// Rows that it needs room for.
    pub fn rows(&self) -> usize {
        self.tokens.len()
    }

    /// Nothing is chosen behind it: the text has what follows.
    pub fn is_again(&self) -> bool {
        self.is_again
    }

    /// Whether logits come whatever is wanted.
    pub fn is_verified(&self) -> bool {
        self.is_verified
    }
}

/// The turn of a text that has room for its rows.
pub struct Turn<'a, C> {
    pub sequence: &'a mut Sequence<C>,
    pub ahead: &'a mut Ahead,
    pub plan: Plan,
    /// What of the logits behind the token is wanted.
    pub wanted: Wanted,
}

impl<C> Turn<'_, C> {
    /// Its rows are written; by `verify`, with the logits behind each.
    fn taken(&mut self, rows: Option<Vec<Vec<f32>>>) -> Option<Found> {
        let position = self.sequence.position();
        let (known, guessed) = self.plan.tokens.split_at_checked(self.plan.known).unwrap_or((&self.plan.tokens, &[]));
        known.iter().for_each(|&token| self.sequence.decoded(token));
        let mut rows = rows.map(|rows| rows.into_iter().skip(known.len().saturating_sub(1)));
        let first = rows.as_mut().and_then(Iterator::next);
        if self.plan.is_again {
            return Some(Found::Nothing);
        }
        match rows {
            Some(rows) => self.ahead.wait(position, guessed, rows),
            None => self.ahead.called(),
        }
        first.map(Found::Logits)
    }
}

/// Takes the turns of several texts: what is wanted behind each, in their order. Nothing is behind a text that is
/// computed again. The text of a turn that fails is as before.
pub fn take<M: Model>(model: &mut M, turns: &mut [Turn<M::Caches>]) -> Vec<Result<Found>> {
    let mut all: Vec<Result<Found>> = turns.iter().map(|_| Ok(Found::Nothing)).collect();
    let is_verified = |(turn, _): &(&mut Turn<M::Caches>, _)| turn.plan.is_verified;
    let (mut verified, mut decoded): (Vec<_>, Vec<_>) = turns.iter_mut().zip(&mut all).partition(is_verified);
    if !verified.is_empty() {
        let mut batch = Vec::with_capacity(verified.len());
        for (turn, _) in &mut verified {
            batch.push(turn.sequence.several(&turn.plan.tokens));
        }
        let rows = model.verify(&mut batch);
        for ((turn, found), rows) in verified.into_iter().zip(rows) {
            *found = rows.map(|rows| turn.taken(Some(rows)).unwrap_or(Found::Nothing));
        }
    }
    if !decoded.is_empty() {
        let mut batch = Vec::with_capacity(decoded.len());
        for (turn, _) in &mut decoded {
            let token = turn.plan.tokens.first().copied().unwrap_or_default();
            batch.push(turn.sequence.next(token, turn.wanted.clone()));
        }
        let results = model.decode(&mut batch);
        for ((turn, found), result) in decoded.into_iter().zip(results) {
            *found = result.map(|found| turn.taken(None).unwrap_or(found));
        }
    }
    all
}

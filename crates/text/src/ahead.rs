//! Speculative decoding: tokens that come next are guessed, and one call of the model says of all of them what it would
//! have said of each alone.
//!
//! The text is that of the model, whatever is guessed. Each token is chosen from the model's logits as without
//! guesses, greedily or with the same draws of a seed; a guess only decides whether those logits are there already.
//! Rows of wrong guesses stay in the caches behind the text, where nothing reads them.
//!
//! Worked example: the text is `a b c d a b`, the model says `c`, and the guess behind `c` is `d a b`, as it was
//! before. One call computes the logits behind `c`, `d`, `a` and `b`. From the first the sampler draws `d`: guessed,
//! and so the second is used without a call. From that it draws `x`: the others are dropped, and the next call begins
//! with `x`.

use std::collections::VecDeque;

use fornax_module::manifest::Manifest;
use fornax_runtime::Result;

use crate::errors::failed;
use crate::model::Model;
use crate::sequence::Sequence;
use crate::signature::Signature;

/// Guesses how a text goes on.
pub trait Guess {
    /// At most so many tokens behind a text; none where nothing is likely.
    ///
    /// # Errors
    /// Where a model that guesses fails.
    fn guess(&mut self, text: &[u32], most: usize) -> Result<Vec<u32>>;
}

/// Guesses that what stood before comes again: the tokens behind the last place where the text's end stood (prompt
/// lookup).
#[derive(Clone, Copy, Debug, Default)]
pub struct Lookup;

impl Lookup {
    /// Lengths of ends that are looked for, longest first. Single tokens come again too often to say anything.
    const ENDS: [usize; 3] = [4, 3, 2];
}

impl Guess for Lookup {
    fn guess(&mut self, text: &[u32], most: usize) -> Result<Vec<u32>> {
        for length in Lookup::ENDS {
            let Some(end) = text.len().checked_sub(length).and_then(|at| text.get(at..)) else { continue };
            let before = text.get(..text.len() - 1).unwrap_or_default();
            if let Some(at) = before.windows(length).rposition(|window| window == end) {
                // What repeats itself goes on behind the text's end.
                let mut guessed = text.get(at + length..).unwrap_or_default().to_vec();
                let period = guessed.len();
                while guessed.len() < most {
                    guessed.extend(guessed.get(guessed.len() - period).copied());
                }
                guessed.truncate(most);
                return Ok(guessed);
            }
        }
        Ok(Vec::new())
    }
}

/// That a module can verify so many guesses.
///
/// # Errors
/// FX1112 where it cannot.
pub fn check(manifest: &Manifest, most: usize) -> Result<()> {
    let can = if most == 0 { 0 } else { Signature::of(manifest)?.verified.saturating_sub(1) };
    if most > can {
        let what = format!("{most} tokens ahead; the module was compiled for {can}");
        return Err(failed("FX1112", what).with_help(format!("compile with --speculate={most}")));
    }
    Ok(())
}

/// How many guesses there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guesses {
    /// Calls of the model behind the prompt.
    pub calls: usize,
    /// Tokens that were guessed, and those of them that were right.
    pub made: usize,
    pub right: usize,
}

/// The logits of a text that go ahead of it.
pub struct Ahead {
    guess: Option<Box<dyn Guess>>,
    /// Tokens to guess at most.
    most: usize,
    /// Guesses whose rows are in the caches behind the text, each with the logits behind it.
    waiting: VecDeque<(u32, Vec<f32>)>,
    count: Guesses,
}

impl Ahead {
    /// Nothing is guessed.
    pub fn none() -> Ahead {
        Ahead { guess: None, most: 0, waiting: VecDeque::new(), count: Guesses::default() }
    }

    pub fn is_none(&self) -> bool {
        self.guess.is_none()
    }

    /// At most so many tokens are guessed.
    pub fn new(guess: Box<dyn Guess>, most: usize) -> Ahead {
        Ahead { guess: Some(guess), most, ..Ahead::none() }
    }

    /// A text begins.
    pub fn begin(&mut self) {
        self.waiting.clear();
        self.count = Guesses::default();
    }

    /// The rows of guesses are gone.
    pub fn forget(&mut self) {
        self.waiting.clear();
    }

    pub fn count(&self) -> Guesses {
        self.count
    }

    /// The logits behind a token that was chosen, where it was guessed. Else the guesses were wrong: a call follows.
    pub fn ready<C>(&mut self, sequence: &mut Sequence<C>, token: u32) -> Option<Vec<f32>> {
        let (guess, logits) = self.waiting.pop_front()?;
        if guess != token {
            self.waiting.clear();
            return None;
        }
        sequence.decoded(token);
        self.count.right += 1;
        Some(logits)
    }

    /// The logits behind a token that was not guessed: `text` ends with it, and at most `left` tokens are chosen behind
    /// it. `None` where nothing is guessed behind it: the token alone is to be decoded.
    ///
    /// # Errors
    /// Those of [`Guess::guess`] and [`Model::verify`]. The text is as before then.
    pub fn verified<M: Model>(
        &mut self,
        model: &mut M,
        sequence: &mut Sequence<M::Caches>,
        (text, left): (&[u32], usize),
    ) -> Result<Option<Vec<f32>>> {
        self.count.calls += usize::from(self.guess.is_some());
        let (Some(guess), Some(&token)) = (&mut self.guess, text.last()) else { return Ok(None) };
        // A call writes all its rows, also those of fewer guesses.
        if model.ahead() == 0 || sequence.position() + model.ahead() >= model.context() {
            return Ok(None);
        }
        let mut guessed = guess.guess(text, self.most.min(model.ahead()).min(left.saturating_sub(1)))?;
        let words = model.vocabulary();
        guessed.truncate(guessed.iter().position(|&token| token as usize >= words).unwrap_or(guessed.len()));
        if guessed.is_empty() {
            return Ok(None);
        }
        let tokens: Vec<u32> = std::iter::once(token).chain(guessed.iter().copied()).collect();
        let mut rows = sequence.verify(model, &tokens)?.into_iter();
        let first = rows.next();
        self.count.made += guessed.len();
        self.waiting = guessed.into_iter().zip(rows).collect();
        sequence.decoded(token);
        Ok(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_that_stood_before_are_found() {
        let guess = |text: &[u32], most| Lookup.guess(text, most).unwrap();
        assert_eq!(guess(&[1, 2, 3, 4, 1, 2], 3), [3, 4, 1]);
        // The last place, and the longest end.
        assert_eq!(guess(&[1, 2, 7, 1, 2, 8, 1, 2], 1), [8]);
        assert_eq!(guess(&[5, 1, 2, 7, 1, 2, 8, 5, 1, 2], 1), [7]);
        // What repeats itself goes on.
        assert_eq!(guess(&[9, 9, 9], 4), [9, 9, 9, 9]);
        assert_eq!(guess(&[1, 2, 3, 1, 2], 5), [3, 1, 2, 3, 1]);
        assert!(guess(&[9, 9, 9], 0).is_empty());
        assert!(guess(&[1, 2, 3, 4], 4).is_empty() && guess(&[], 4).is_empty() && guess(&[1], 4).is_empty());
    }
}

//! Speculative decoding: tokens that come next are guessed, and one call of the model says of all of them what it would
//! have said of each alone.
//!
//! The text is that of the model, whatever is guessed. Each token is chosen from the model's logits as without
//! guesses, greedily or with the same draws of a seed; a guess only decides whether those logits are there already.
//! Rows of wrong guesses stay in the caches behind the text, where nothing reads them.
//!
//! Where several texts run, one call verifies the guesses of all of them ([`crate::step`]). Rows by `verify` are
//! rounded otherwise than those by `decode`, so a text that is computed again, as it lost its pages, is so by the same
//! calls.
//!
//! Worked example: the text is `a b c d a b`, the model says `c`, and the guess behind `c` is `d a b`, as it was
//! before. One call computes the logits behind `c`, `d`, `a` and `b`. From the first the sampler draws `d`: guessed,
//! and so the second is used without a call. From that it draws `x`: the others are dropped, and the next call begins
//! with `x`.

use std::collections::{BTreeMap, VecDeque};

use fornax_module::manifest::Manifest;
use fornax_runtime::Result;

use crate::errors::failed;
use crate::model::Model;
use crate::sequence::Sequence;
use crate::signature::Signature;

/// A text whose next tokens are guessed.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Its number among those that run: who guesses may keep something of it.
    pub seat: usize,
    pub text: &'a [u32],
    /// Tokens to guess at most.
    pub most: usize,
}

/// Guesses how texts go on.
pub trait Guess {
    /// What may come behind each text, in their order; nothing where nothing is likely.
    ///
    /// # Errors
    /// Where a model that guesses fails.
    fn guess(&mut self, texts: &[Start]) -> Result<Vec<Vec<u32>>>;
}

/// Guesses that what stood before comes again: the tokens behind the last place where the text's end stood (prompt
/// lookup).
#[derive(Clone, Copy, Debug, Default)]
pub struct Lookup;

impl Lookup {
    /// Lengths of ends that are looked for, longest first. Single tokens come again too often to say anything.
    const ENDS: [usize; 3] = [4, 3, 2];

    fn one(Start { text, most, .. }: &Start) -> Vec<u32> {
        for length in Lookup::ENDS {
            let Some(end) = text.len().checked_sub(length).and_then(|at| text.get(at..)) else { continue };
            let before = text.get(..text.len() - 1).unwrap_or_default();
            if let Some(at) = before.windows(length).rposition(|window| window == end) {
                // What repeats itself goes on behind the text's end.
                let mut guessed = text.get(at + length..).unwrap_or_default().to_vec();
                let period = guessed.len();
                while guessed.len() < *most {
                    guessed.extend(guessed.get(guessed.len() - period).copied());
                }
                guessed.truncate(*most);
                return guessed;
            }
        }
        Vec::new()
    }
}

impl Guess for Lookup {
    fn guess(&mut self, texts: &[Start]) -> Result<Vec<Vec<u32>>> {
        Ok(texts.iter().map(Lookup::one).collect())
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

/// Who guesses, if anybody does, and how much.
pub struct Guesser {
    guess: Option<Box<dyn Guess>>,
    /// Tokens to guess at most.
    most: usize,
}

impl Guesser {
    /// Nothing is guessed.
    pub fn none() -> Guesser {
        Guesser { guess: None, most: 0 }
    }

    /// At most so many tokens of a text are guessed.
    pub fn new(guess: Box<dyn Guess>, most: usize) -> Guesser {
        Guesser { guess: Some(guess), most }
    }

    pub fn is_none(&self) -> bool {
        self.guess.is_none()
    }

    /// Of a text that begins.
    pub fn ahead(&self) -> Ahead {
        Ahead { counts: !self.is_none(), ..Ahead::default() }
    }

    /// What may come behind the last token of each text, which is not fed yet, as far as a model can verify it. Of
    /// each the most are the tokens that it can still get.
    ///
    /// # Errors
    /// Those of [`Guess::guess`].
    pub fn guesses<M: Model>(&mut self, model: &M, mut texts: Vec<Start>) -> Result<Vec<Vec<u32>>> {
        for text in &mut texts {
            // The last token that a text gets is never fed.
            let left = text.most.saturating_sub(1);
            text.most = left.min(self.most).min(model.ahead_at(text.text.len().saturating_sub(1)));
        }
        let mut all = match &mut self.guess {
            Some(guess) if !texts.is_empty() => guess.guess(&texts)?,
            _ => Vec::new(),
        };
        all.resize(texts.len(), Vec::new());
        let words = model.vocabulary();
        for (guessed, text) in all.iter_mut().zip(&texts) {
            let known = guessed.iter().position(|&token| token as usize >= words).unwrap_or(guessed.len());
            guessed.truncate(known.min(text.most));
        }
        Ok(all)
    }
}

/// The logits of a text that go ahead of it.
#[derive(Default)]
pub struct Ahead {
    /// Guesses whose rows are in the caches behind the text, each with the logits behind it.
    waiting: VecDeque<(u32, Vec<f32>)>,
    /// Rows of the text that calls of `verify` wrote: where each begins, and how many it wrote.
    verified: BTreeMap<usize, usize>,
    counts: bool,
    count: Guesses,
}

impl Ahead {
    pub fn count(&self) -> Guesses {
        self.count
    }

    /// A call was made for the text.
    pub fn called(&mut self) {
        self.count.calls += usize::from(self.counts);
    }

    /// A call that verified wrote the row of a token at a position, and those of guesses, with the logits behind each.
    pub fn wait(&mut self, position: usize, guesses: &[u32], logits: impl Iterator<Item = Vec<f32>>) {
        self.called();
        self.verified.insert(position, 1);
        self.count.made += guesses.len();
        self.waiting = guesses.iter().copied().zip(logits).collect();
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
        if let Some(mut last) = self.verified.last_entry() {
            *last.get_mut() += 1;
        }
        Some(logits)
    }

    /// The rows of the text that one call of `verify` wrote from a position on; `None` where none began there.
    pub fn verified(&self, position: usize) -> Option<usize> {
        self.verified.get(&position).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_that_stood_before_are_found() {
        let guess = |text: &[u32], most| Lookup.guess(&[Start { seat: 0, text, most }]).unwrap().remove(0);
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

//! The text of one sequence as it grows: chooses tokens, makes words of them, says when it ends.

use fornax_runtime::Result;

use crate::constraint::Constraint;
use crate::errors::failed;
use crate::logprobs::{Chosen, Logprobs};
use crate::model::{Found, Wanted};
use crate::sampler::{Choice, Sampler, Sampling};
use crate::stop::Stop;
use crate::vocabulary::Vocabulary;

/// When a text ends, apart from the model's own end.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Tokens to make at most.
    pub tokens: usize,
    /// Words that end the text; they are not part of it.
    pub stop: Vec<String>,
}

/// Why a text ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The model said so, or a stop word came.
    Stop,
    /// As many tokens as were asked for, or as the caches hold.
    Length,
}

impl End {
    pub fn name(self) -> &'static str {
        match self {
            End::Stop => "stop",
            End::Length => "length",
        }
    }
}

/// What comes after a token was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The token goes to the model, whose logits are wanted next.
    Feed(u32),
    End(End),
}

/// Writes one text.
pub struct Writer<'v> {
    vocabulary: &'v Vocabulary,
    sampler: Sampler,
    /// What the model is asked for behind the text, and how the token is chosen.
    wanted: Option<Wanted>,
    tokens: usize,
    stop: Stop,
    words: Box<dyn FnMut(u32) -> Result<Option<String>> + 'v>,
    /// Prompt and what was made.
    seen: Vec<u32>,
    prompt: usize,
    /// What can follow, where not everything can.
    constraint: Option<Constraint>,
    /// Where set: of each token so many of the likeliest are kept.
    top: Option<usize>,
    chosen: Vec<Chosen>,
}

impl<'v> Writer<'v> {
    pub fn new(vocabulary: &'v Vocabulary, sampling: Sampling, prompt: &[u32], limits: &Limits) -> Writer<'v> {
        Writer {
            vocabulary,
            sampler: Sampler::new(sampling),
            wanted: None,
            tokens: limits.tokens,
            stop: Stop::new(&limits.stop),
            words: Box::new(vocabulary.stream()),
            seen: prompt.to_vec(),
            prompt: prompt.len(),
            constraint: None,
            top: None,
            chosen: Vec::new(),
        }
    }

    /// Only what the constraint allows follows; `None` for anything.
    #[must_use]
    pub fn constrain(self, constraint: Option<Constraint>) -> Writer<'v> {
        Writer { constraint, ..self }
    }

    /// Keeps how likely each token was, with so many of the likeliest; `None` for nothing.
    #[must_use]
    pub fn explain(self, top: Option<usize>) -> Writer<'v> {
        Writer { top, ..self }
    }

    /// How likely the tokens were that were made, where that is kept.
    pub fn chosen(&self) -> &[Chosen] {
        &self.chosen
    }

    /// Tokens that were made, without one that ended the text.
    pub fn ids(&self) -> &[u32] {
        self.seen.get(self.prompt..).unwrap_or_default()
    }

    pub fn prompt(&self) -> &[u32] {
        self.seen.get(..self.prompt).unwrap_or_default()
    }

    /// The prompt, and the tokens that were made.
    pub fn text(&self) -> &[u32] {
        &self.seen
    }

    /// Tokens that are made yet at most.
    pub fn left(&self) -> usize {
        self.tokens.saturating_sub(self.ids().len())
    }

    /// What of the logits behind the text is wanted: the next token, or the logits where they are explained or not
    /// every token can follow.
    pub fn wanted(&mut self) -> &Wanted {
        let needs_logits = self.needs_logits();
        let (sampler, seen) = (&mut self.sampler, &self.seen);
        self.wanted.get_or_insert_with(|| match needs_logits {
            true => Wanted::Logits,
            false => Wanted::Token(sampler.choice(seen)),
        })
    }

    fn needs_logits(&self) -> bool {
        self.top.is_some() || self.constraint.is_some()
    }

    /// How the token behind the next ones is chosen, where that does not depend on them: `None` where logits are
    /// explained or constrained, or tokens of the text penalized.
    pub fn choice_ahead(&mut self) -> Option<Choice> {
        let is_alone = !self.needs_logits() && self.wanted.is_none();
        (is_alone && !self.sampler.looks_back()).then(|| self.sampler.choice(&[]))
    }

    /// Adds the next token: the text that is whole with it, and what comes then. `room` is how many tokens the caches
    /// can take.
    ///
    /// # Errors
    /// Those of [`crate::sampler::Choice::token`] and [`Constraint`], FX1102 where the tokenizer fails.
    pub fn next(&mut self, found: Found, room: usize) -> Result<(String, Then)> {
        if self.tokens == 0 {
            return Ok((String::new(), Then::End(End::Length)));
        }
        let mut said = None;
        let token = match (found, self.wanted.take()) {
            (Found::Token(token), _) => token,
            (Found::Logits(mut logits), wanted) => {
                said = self.top.map(|top| (Logprobs::new(&logits), top));
                if let Some(constraint) = &mut self.constraint
                    && !constraint.mask(&mut logits)?
                {
                    return Ok((self.stop.rest(), Then::End(End::Stop)));
                }
                match wanted {
                    Some(Wanted::Token(choice)) => choice.token(&mut logits)?,
                    _ => self.sampler.choice(&self.seen).token(&mut logits)?,
                }
            }
            (Found::Nothing, _) => return Err(failed("FX1104", "the model gave nothing")),
        };
        if self.vocabulary.is_end(token) {
            return Ok((self.stop.rest(), Then::End(End::Stop)));
        }
        self.seen.push(token);
        self.chosen.extend(said.map(|(said, top)| said.chosen(token, top)));
        let (mut text, stopped) = self.stop.push(&(self.words)(token)?.unwrap_or_default());
        if stopped {
            return Ok((text, Then::End(End::Stop)));
        }
        if let Some(constraint) = &mut self.constraint {
            constraint.take(token)?;
            if constraint.is_over() {
                text.push_str(&self.stop.rest());
                return Ok((text, Then::End(End::Stop)));
            }
        }
        // The last token's successor is never asked for.
        if self.ids().len() >= self.tokens || room == 0 {
            text.push_str(&self.stop.rest());
            return Ok((text, Then::End(End::Length)));
        }
        Ok((text, Then::Feed(token)))
    }
}

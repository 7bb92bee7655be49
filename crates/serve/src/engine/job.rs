//! What goes to the engine, and what comes back.

use std::time::Instant;

use fornax_runtime::RuntimeError;
use fornax_text::{Chosen, Constraint, End, Limits, Sampling};
use tokio::sync::mpsc::UnboundedSender;

/// A text that is asked for.
pub struct Job {
    /// Not empty, and no longer than the context.
    pub prompt: Vec<u32>,
    pub sampling: Sampling,
    pub limits: Limits,
    /// Where set: how likely each token was is told, with so many of the likeliest.
    pub logprobs: Option<usize>,
    /// What the text may be, where not anything.
    pub constraint: Option<Constraint>,
    /// Where its text goes. The text ends where nobody listens.
    pub reply: UnboundedSender<Event>,
    pub received: Instant,
}

/// What happens to a text. [`Event::End`] or [`Event::Failed`] is the last.
#[derive(Debug)]
pub enum Event {
    /// How likely tokens were whose text follows.
    Chosen(Vec<Chosen>),
    /// Whole characters that follow.
    Text(String),
    End {
        end: End,
        usage: Usage,
    },
    Failed(RuntimeError),
}

/// Tokens of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub prompt: usize,
    /// Those of the prompt that the caches held already.
    pub kept: usize,
    pub made: usize,
}

impl Usage {
    /// With another text behind the same prompt: that counts once.
    #[must_use]
    pub fn with(self, other: Usage) -> Usage {
        let kept = if self.prompt == 0 { other.kept } else { self.kept.min(other.kept) };
        Usage { prompt: other.prompt, kept, made: self.made + other.made }
    }
}

//! What computes logits. The module of a checkpoint does it on a device; tests have a stand-in.

use fornax_runtime::Result;

use crate::chunks::Chunks;
use crate::pages::PageCount;
use crate::sampler::Choice;
use crate::signature::not_a_model;

/// What of the logits behind a token is wanted.
#[derive(Clone, Debug)]
pub enum Wanted {
    Nothing,
    Logits,
    /// The token that follows. A model that cannot choose it gives logits.
    Token(Choice),
}

/// What came of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    Nothing,
    Logits(Vec<f32>),
    Token(u32),
}

impl Found {
    /// # Errors
    /// FX1104 where they are not there.
    pub fn logits(self) -> Result<Vec<f32>> {
        match self {
            Found::Logits(logits) => Ok(logits),
            Found::Nothing | Found::Token(_) => Err(not_a_model("it gave no logits")),
        }
    }
}

/// What is found once a call is over that was queued.
pub struct Later(Box<dyn FnOnce() -> Result<Found>>);

impl Later {
    /// `wait` waits for the call.
    pub fn new(wait: impl FnOnce() -> Result<Found> + 'static) -> Later {
        Later(Box::new(wait))
    }

    /// Of a call that is over.
    pub fn known(found: Found) -> Later {
        Later::new(|| Ok(found))
    }

    /// Waits for the call.
    ///
    /// # Errors
    /// What the device says of it.
    pub fn wait(self) -> Result<Found> {
        (self.0)()
    }
}

/// One sequence of a decoding step.
pub struct Next<'a, C> {
    pub caches: &'a mut C,
    /// Where the token goes: the number of tokens before it.
    pub position: usize,
    pub token: u32,
    pub wanted: Wanted,
}

/// One sequence of a call that verifies tokens.
pub struct Several<'a, C> {
    pub caches: &'a mut C,
    /// Where the first token goes.
    pub position: usize,
    /// Not more than [`Model::ahead`] and one.
    pub tokens: &'a [u32],
}

/// A language model. It keeps nothing of a sequence: that is what caches are for.
pub trait Model {
    /// Keys and values of one sequence.
    type Caches;

    /// Tokens that caches can hold.
    fn context(&self) -> usize;

    /// Tokens that [`Model::prefill`] takes: up to a short chunk, or a long one.
    fn chunks(&self) -> Chunks;

    /// Logits of a step; tokens are less.
    fn vocabulary(&self) -> usize;

    /// Whether caches of so many more sequences fit.
    ///
    /// # Errors
    /// FX0706 where they do not.
    fn check_caches(&self, _sequences: usize) -> Result<()> {
        Ok(())
    }

    /// Caches of a new sequence.
    ///
    /// # Errors
    /// FX0706 where the device has no memory for them.
    fn caches(&mut self) -> Result<Self::Caches>;

    /// Pages of caches that all texts share; `None` where each has caches of its own.
    fn pages(&self) -> Option<PageCount> {
        None
    }

    /// Tokens of a page.
    fn page(&self) -> usize {
        1
    }

    /// Room for so many tokens in caches; `false` where other texts have too many of the pages. Nothing is taken then.
    fn make_room(&mut self, _: &mut Self::Caches, _tokens: usize) -> bool {
        true
    }

    /// Only the rows of so many tokens, from the first on, are wanted yet.
    fn keep(&mut self, _: &mut Self::Caches, _tokens: usize) {}

    /// Takes over rows that other texts have of how some tokens begin, into caches that have none; the tokens. Only
    /// those that chunks of the same sizes wrote.
    fn take_over(&mut self, _: &mut Self::Caches, _tokens: &[u32], _chunks: &[usize]) -> usize {
        0
    }

    /// Whole chunks of these sizes wrote the rows of these tokens, from the first on: other texts may take them over.
    fn note(&mut self, _: &mut Self::Caches, _tokens: &[u32], _chunks: &[usize]) {}

    /// Writes the rows of up to a short chunk of tokens, or of a long one, from `position` on. Rows behind them may be
    /// overwritten too. Gives what is `wanted` of the logits behind the last token.
    ///
    /// # Errors
    /// What the device says of the call. Rows before `position` are as they were.
    fn prefill(&mut self, caches: &mut Self::Caches, position: usize, tokens: &[u32], wanted: &Wanted)
    -> Result<Found>;

    /// As [`Model::prefill`], but other calls can be queued before this one is waited for. It is not over before what
    /// comes of it was waited for, be it nothing.
    ///
    /// # Errors
    /// As [`Model::prefill`], which may come with the wait. Rows from `position` on are not known then.
    fn prefill_later(
        &mut self,
        caches: &mut Self::Caches,
        position: usize,
        tokens: &[u32],
        wanted: &Wanted,
    ) -> Result<Later> {
        Ok(Later::known(self.prefill(caches, position, tokens, wanted)?))
    }

    /// Tokens that can be guessed ahead of a text: [`Model::verify`] takes one more. 0 for a model that verifies
    /// nothing.
    fn ahead(&self) -> usize {
        0
    }

    /// The same of a text whose next row is at a position: a call may write all its rows, whatever it is given.
    fn ahead_at(&self, position: usize) -> usize {
        if position.saturating_add(self.ahead()) < self.context() { self.ahead() } else { 0 }
    }

    /// Writes the rows of tokens of several sequences; of each the logits of what follows each of its tokens, in their
    /// order. Rows behind them may be overwritten too. It fails for a model that verifies nothing (FX1104), and where
    /// the device fails; rows before the position are as they were then.
    fn verify(&mut self, batch: &mut [Several<Self::Caches>]) -> Vec<Result<Vec<Vec<f32>>>> {
        batch.iter().map(|_| Err(not_a_model("it has no function @verify"))).collect()
    }

    /// Steps that can wait in a queue behind one that runs; 0 where each is waited for.
    fn queue(&self) -> usize {
        0
    }

    /// Queues a step of one text: writes the row of a token, or without one of what the step queued before it chooses,
    /// and chooses what follows.
    ///
    /// # Errors
    /// FX1104 for a model that queues nothing, what the device says of the call.
    fn start(&mut self, _: &mut Self::Caches, _position: usize, _token: Option<u32>, _: &Choice) -> Result<()> {
        Err(not_a_model("it queues no steps"))
    }

    /// Waits for what the oldest step of the queue chooses.
    ///
    /// # Errors
    /// FX1106 where no logit is a number, FX1104 where nothing is queued, what the device says.
    fn finish(&mut self) -> Result<u32> {
        Err(not_a_model("it queues no steps"))
    }

    /// Nobody asks for what is in the queue any more.
    fn forget(&mut self) {}

    /// Writes the row of one token in each of several sequences; what is wanted of what follows, in their order.
    fn decode(&mut self, batch: &mut [Next<Self::Caches>]) -> Vec<Result<Found>>;
}

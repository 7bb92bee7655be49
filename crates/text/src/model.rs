//! What computes logits. The module of a checkpoint does it on a device; tests have a stand-in.

use fornax_runtime::Result;

use crate::signature::not_a_model;

/// One sequence of a decoding step.
pub struct Next<'a, C> {
    pub caches: &'a mut C,
    /// Where the token goes: the number of tokens before it.
    pub position: usize,
    pub token: u32,
}

/// A language model. It keeps nothing of a sequence: that is what caches are for.
pub trait Model {
    /// Keys and values of one sequence.
    type Caches;

    /// Tokens that caches can hold.
    fn context(&self) -> usize;

    /// Tokens that [`Model::prefill`] takes at most.
    fn chunk(&self) -> usize;

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

    /// Writes the rows of up to a chunk of tokens, from `position` on. Rows behind them may be overwritten too.
    /// Gives the logits of what follows the last token, where they are `wanted`.
    ///
    /// # Errors
    /// What the device says of the call. Rows before `position` are as they were.
    fn prefill(
        &mut self,
        caches: &mut Self::Caches,
        position: usize,
        tokens: &[u32],
        wanted: bool,
    ) -> Result<Option<Vec<f32>>>;

    /// Tokens that can be guessed ahead of a text: [`Model::verify`] takes one more, and writes as many rows whatever
    /// it is given. 0 for a model that verifies nothing.
    fn ahead(&self) -> usize {
        0
    }

    /// Writes the rows of tokens of one text from `position` on; the logits of what follows each of them. Rows behind
    /// them may be overwritten too.
    ///
    /// # Errors
    /// FX1104 for a model that verifies nothing, what the device says of the call. Rows before `position` are as they
    /// were.
    fn verify(&mut self, _: &mut Self::Caches, _position: usize, _tokens: &[u32]) -> Result<Vec<Vec<f32>>> {
        Err(not_a_model("it has no function @verify"))
    }

    /// Writes the row of one token in each of several sequences; the logits of what follows, in their order.
    fn decode(&mut self, batch: &mut [Next<Self::Caches>]) -> Vec<Result<Vec<f32>>>;
}

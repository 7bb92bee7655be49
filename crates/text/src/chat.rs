//! A conversation: messages in turn. The caches keep it, so that each turn feeds only what is new.

use fornax_runtime::Result;

use crate::ahead::Guesser;
use crate::constraint::Constraint;
use crate::decoder::Decoder;
use crate::errors::failed;
use crate::generate::{Generated, generate};
use crate::model::Model;
use crate::sampler::Sampling;
use crate::template::Message;
use crate::vocabulary::Vocabulary;
use crate::writer::{Limits, Writer};

/// A conversation with a model.
pub struct Chat<'v, M: Model> {
    decoder: Decoder<M>,
    vocabulary: &'v Vocabulary,
    sampling: Sampling,
    limits: Limits,
    guesser: Guesser,
    /// Of each answer.
    constraint: Option<Constraint>,
    messages: Vec<Message>,
    /// Messages at the start that no clearing takes away.
    system: usize,
}

/// An answer, and what it took.
pub struct Answer {
    pub made: Generated,
    /// Tokens of the conversation up to the answer.
    pub prompt: usize,
    /// Those of them that the caches held already.
    pub kept: usize,
    /// The caches can take no further token.
    pub is_full: bool,
}

impl<'v, M: Model> Chat<'v, M> {
    /// A conversation that begins with what the model is told to be, if it is told.
    ///
    /// # Errors
    /// FX1108 where the checkpoint does not say how chats are written.
    pub fn new(
        decoder: Decoder<M>,
        vocabulary: &'v Vocabulary,
        sampling: Sampling,
        limits: Limits,
        system: Option<&str>,
    ) -> Result<Chat<'v, M>> {
        if !vocabulary.has_template() {
            return Err(failed("FX1108", "the checkpoint has no chat template"));
        }
        let messages: Vec<Message> = system.map(|text| Message::new("system", text)).into_iter().collect();
        let system = messages.len();
        let (guesser, constraint) = (Guesser::none(), None);
        Ok(Chat { decoder, vocabulary, sampling, limits, guesser, constraint, messages, system })
    }

    /// Tokens of answers are guessed.
    #[must_use]
    pub fn guess(self, guesser: Guesser) -> Chat<'v, M> {
        Chat { guesser, ..self }
    }

    /// Each answer is what the constraint allows; `None` for anything.
    #[must_use]
    pub fn constrain(self, constraint: Option<Constraint>) -> Chat<'v, M> {
        Chat { constraint, ..self }
    }

    /// Forgets the conversation, not the system's message.
    pub fn clear(&mut self) {
        self.messages.truncate(self.system);
    }

    /// Answers a message. Where that fails the conversation is as before.
    ///
    /// # Errors
    /// FX1105 where the conversation does not fit any more, FX1103 where the template fails, those of [`generate()`].
    pub fn answer(&mut self, text: &str, show: &mut dyn FnMut(&str) -> Result<()>) -> Result<Answer> {
        let before = self.messages.len();
        self.messages.push(Message::new("user", text));
        let answer = self.answer_last(show);
        match &answer {
            Ok(answer) => self.messages.push(Message::new("assistant", &answer.made.text)),
            Err(_) => self.messages.truncate(before),
        }
        answer
    }

    fn answer_last(&mut self, show: &mut dyn FnMut(&str) -> Result<()>) -> Result<Answer> {
        let prompt = self.vocabulary.encode_chat(&self.messages)?;
        let (count, context) = (prompt.len(), self.decoder.model().context());
        if count > context {
            let what = format!("the conversation has {count} tokens, where {context} can be held");
            return Err(failed("FX1105", what));
        }
        let kept = self.decoder.sequence().shared(&prompt);
        // Each answer draws anew, and the conversation as a whole is that of its seed.
        let seed = self.sampling.seed.wrapping_add(self.messages.len() as u64);
        let sampling = Sampling { seed, ..self.sampling.clone() };
        let writer = Writer::new(self.vocabulary, sampling, &prompt, &self.limits).constrain(self.constraint.clone());
        let made = generate(&mut self.decoder, (writer, &mut self.guesser), kept, show)?;
        Ok(Answer { made, prompt: count, kept, is_full: self.decoder.room() == 0 })
    }
}

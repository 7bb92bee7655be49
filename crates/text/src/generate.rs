//! The loop: tokens of a prompt go in, tokens and text come out.

use std::time::{Duration, Instant};

use fornax_runtime::Result;

use crate::ahead::{Guesser, Guesses};
use crate::decoder::Decoder;
use crate::errors::failed;
use crate::logprobs::Chosen;
use crate::model::Model;
use crate::writer::{End, Then, Writer};

/// What was made.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Tokens, without one that ended the text.
    pub ids: Vec<u32>,
    pub text: String,
    pub end: End,
    /// From the prompt's first token until the first new one was chosen.
    pub first: Duration,
    /// From then on.
    pub rest: Duration,
    /// Of tokens ahead of the text.
    pub guesses: Guesses,
    /// How likely tokens were, where the writer keeps it.
    pub chosen: Vec<Chosen>,
}

/// Makes text behind a writer's prompt, some tokens ahead where those can be guessed; `show` gets each piece of whole
/// characters as soon as it is known. Of what the caches hold, `kept` tokens are those that the prompt begins with.
///
/// # Errors
/// FX1105 for a prompt that is empty or does not fit, those of [`Decoder::feed`] and [`Writer::next`]; what `show`
/// gives.
pub fn generate<M: Model>(
    decoder: &mut Decoder<M>,
    (mut writer, guesser): (Writer, &mut Guesser),
    kept: usize,
    show: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<Generated> {
    let began = Instant::now();
    let mut ahead = guesser.ahead();
    decoder.rewind(kept);
    let prompt = writer.prompt().get(kept..).unwrap_or_default();
    if prompt.is_empty() {
        return Err(failed("FX1105", "the prompt has no token"));
    }
    let prompt = prompt.to_vec();
    let mut found = decoder.feed_for(&prompt, writer.wanted())?;
    let (mut text, mut first) = (String::new(), None);
    let end = loop {
        let (piece, then) = writer.next(found, decoder.room())?;
        first.get_or_insert_with(|| began.elapsed());
        text.push_str(&piece);
        show(&piece)?;
        match then {
            Then::Feed(_) => {
                let queued = if guesser.is_none() { decoder.queued(&mut writer)? } else { None };
                found = match queued {
                    Some(found) => found,
                    None => {
                        let wanted = writer.wanted().clone();
                        decoder.next((guesser, &mut ahead), (writer.text(), writer.left()), &wanted)?
                    }
                };
            }
            Then::End(end) => break end,
        }
    };
    let first = first.unwrap_or_default();
    let rest = began.elapsed().saturating_sub(first);
    Ok(Generated {
        ids: writer.ids().to_vec(),
        text,
        end,
        first,
        rest,
        guesses: ahead.count(),
        chosen: writer.chosen().to_vec(),
    })
}

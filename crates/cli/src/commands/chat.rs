//! `fornax chat`: a conversation on stdin and stdout. A line is a message; the caches keep what was said.

use std::io::{BufRead, IsTerminal, Write};

use anyhow::Result;
use fornax_runtime::ErrorKind;
use fornax_text::{Answer, Chat, Decoder, Model};

use crate::args::ChatArgs;
use crate::commands::language_model::{self, rate};
use crate::failure::{Failure, render};
use crate::messages;
use crate::output::{self, say};

/// What stands before a line that is typed.
const SIGN: &str = "> ";
/// Longest message, bytes.
const LINE_BYTES_MAX: u64 = 1 << 20;

pub fn run(args: &ChatArgs) -> Result<()> {
    let sampling = language_model::sampling(&args.sampling)?;
    let (vocabulary, (model, guesser)) = language_model::with_vocabulary(&args.model, || {
        let module = language_model::module(&args.model)?;
        language_model::model_with_guesses(&args.model, (&module, None), &args.draft)
    })?;
    let constraint = language_model::constraint(&args.sampling, &vocabulary)?;
    let decoder = Decoder::new(model).map_err(Failure::from)?;
    let (limits, system) = (language_model::limits(&args.sampling), args.sampling.system.as_deref());
    let chat = Chat::new(decoder, &vocabulary, sampling, limits, system).map_err(Failure::from)?;
    let mut chat = chat.guess(guesser).constrain(constraint);
    let terminal = std::io::stderr().is_terminal() && !messages::quiet();
    if terminal {
        messages::aside("A line is a message. /clear forgets the conversation, /quit ends.");
    }
    let mut lines = std::io::stdin().lock();
    while let Some(line) = line(&mut lines, terminal)? {
        match line.trim() {
            "" => {}
            "/quit" => break,
            "/clear" => chat.clear(),
            text if is_command(text) => {
                messages::warning(format!("no command {text}: there are /clear and /quit"));
            }
            text => match answer(&mut chat, text, terminal) {
                // Who types can clear; a script is told by the exit code.
                Err(error) if std::io::stdin().is_terminal() => messages::error(&render(&error)),
                answered => answered?,
            },
        }
    }
    Ok(())
}

/// A slash and one word.
fn is_command(text: &str) -> bool {
    text.strip_prefix('/').is_some_and(|word| !word.is_empty() && word.chars().all(char::is_alphabetic))
}

/// The next line; `None` at the end of the input.
fn line(lines: &mut impl BufRead, terminal: bool) -> Result<Option<String>> {
    use std::io::Read;
    if terminal {
        let mut err = std::io::stderr().lock();
        // A terminal that is gone has nobody to ask.
        let _ = err.write_all(SIGN.as_bytes()).and_then(|()| err.flush());
    }
    let mut bytes = Vec::new();
    let unreadable = |error: std::io::Error| Failure::usage(format!("cannot read stdin: {error}"));
    lines.take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes).map_err(unreadable)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 == LINE_BYTES_MAX && bytes.last() != Some(&b'\n') {
        return Err(Failure::usage(format!("a message has at most {LINE_BYTES_MAX} bytes")).into());
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::usage("a message is no UTF-8"))?;
    Ok(Some(text))
}

fn answer<M: Model>(chat: &mut Chat<M>, text: &str, terminal: bool) -> Result<()> {
    let mut show = |piece: &str| -> fornax_runtime::Result<()> {
        output::bytes(piece.as_bytes());
        Ok(())
    };
    let answered = chat.answer(text, &mut show).map_err(|error| match (error.code(), error.kind()) {
        ("FX1105", ErrorKind::Input) => {
            Failure::from(error.with_help("/clear forgets the conversation; compile with a longer --context"))
        }
        _ => Failure::from(error),
    })?;
    say!("");
    if answered.is_full {
        messages::note("the context is full: /clear forgets the conversation");
    }
    if terminal {
        statistics(&answered);
    }
    Ok(())
}

fn statistics(answer: &Answer) {
    let made = &answer.made;
    let fed = answer.prompt - answer.kept;
    messages::aside(format!(
        "[{} tokens, {} of them read anew, {:.1} tok/s; {} tokens made, {:.1} tok/s{}]",
        answer.prompt,
        fed,
        rate(fed, made.first).unwrap_or_default(),
        made.ids.len(),
        rate(made.ids.len().saturating_sub(1), made.rest).unwrap_or_default(),
        language_model::guessed(&made.guesses)
    ));
}

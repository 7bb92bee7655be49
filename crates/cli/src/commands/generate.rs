//! `fornax generate`: text behind a prompt, by the module of a language model.

use std::time::{Duration, Instant};

use anyhow::Result;
use fornax_text::{Decoder, Generated, Message, Vocabulary, Writer, generate};

use crate::args::{Format, GenerateArgs};
use crate::commands::language_model::{self, rate};
use crate::failure::Failure;
use crate::input_file;
use crate::messages;
use crate::output::say;

pub fn run(args: &GenerateArgs) -> Result<()> {
    let prompt = match (&args.prompt, &args.prompt_file) {
        (Some(text), _) => text.clone(),
        (None, Some(path)) => input_file::read_text(path)?,
        (None, None) => return Err(Failure::usage("give --prompt or --prompt-file").into()),
    };
    let began = Instant::now();
    let sampling = language_model::sampling(&args.sampling)?;
    let vocabulary = language_model::vocabulary(&args.model)?;
    let ids = encoded(args, &vocabulary, &prompt).map_err(Failure::from)?;
    let (model, mut ahead) = language_model::model_with_guesses(&args.model, &args.draft)?;
    let mut decoder = Decoder::new(model).map_err(Failure::from)?;
    let loaded = began.elapsed();
    let writer = Writer::new(&vocabulary, sampling, &ids, &language_model::limits(&args.sampling));
    let mut show = |piece: &str| -> fornax_runtime::Result<()> {
        if args.format == Format::Text {
            crate::output::bytes(piece.as_bytes());
        }
        Ok(())
    };
    let made = generate(&mut decoder, (writer, &mut ahead), 0, &mut show).map_err(Failure::from)?;
    let bytes = decoder.model().bytes() + decoder.model().cache_bytes();
    report(args, &ids, &made, (loaded, bytes));
    Ok(())
}

fn encoded(args: &GenerateArgs, vocabulary: &Vocabulary, prompt: &str) -> fornax_runtime::Result<Vec<u32>> {
    if args.raw || !vocabulary.has_template() {
        return vocabulary.encode(prompt);
    }
    let system = args.sampling.system.iter().map(|text| Message::new("system", text));
    let messages: Vec<Message> = system.chain([Message::new("user", prompt)]).collect();
    vocabulary.encode_chat(&messages)
}

fn report(args: &GenerateArgs, prompt: &[u32], made: &Generated, (loaded, bytes): (Duration, u64)) {
    // The first token is the prompt's work.
    let later = rate(made.ids.len().saturating_sub(1), made.rest);
    let early = rate(prompt.len(), made.first);
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    if args.format == Format::Json {
        let report = serde_json::json!({
            "prompt_ids": prompt, "ids": made.ids, "text": made.text, "finish": made.end.name(),
            "prompt_tokens_per_second": early, "generation_tokens_per_second": later,
            "time_to_first_token_ms": milliseconds(made.first), "load_ms": milliseconds(loaded),
            "memory_bytes": bytes, "model_calls": made.guesses.calls, "guessed_tokens": made.guesses.made,
            "accepted_tokens": made.guesses.right,
        });
        say!("{report}");
        return;
    }
    say!("");
    messages::aside(format!(
        "prompt {} tokens, {:.1} tok/s; {} tokens made, {:.1} tok/s; first token after {:.1} ms, \
         load {:.1} ms; {:.1} MiB{}",
        prompt.len(),
        early.unwrap_or_default(),
        made.ids.len(),
        later.unwrap_or_default(),
        milliseconds(made.first),
        milliseconds(loaded),
        bytes as f64 / f64::from(1 << 20),
        language_model::guessed(&made.guesses)
    ));
}

//! `fornax generate`: text behind a prompt, by the module of a language model.

use std::time::{Duration, Instant};

use anyhow::Result;
use fornax_text::{Chosen, Decoder, Generated, Message, Vocabulary, Writer, generate, generate_all};
use serde_json::{Value, json};

use crate::args::{Format, GenerateArgs};
use crate::commands::language_model::{self, rate};
use crate::failure::Failure;
use crate::input_file;
use crate::messages;
use crate::output::say;

pub fn run(args: &GenerateArgs) -> Result<()> {
    let prompts = prompts(args)?;
    if args.logprobs.is_some() && args.format != Format::Json {
        return Err(Failure::usage("--logprobs is for --format=json").into());
    }
    let began = Instant::now();
    let sampling = language_model::sampling(&args.sampling)?;
    let (vocabulary, (mut model, mut guesser)) = language_model::with_vocabulary(&args.model, || {
        let module = language_model::module(&args.model)?;
        language_model::model_with_guesses(&args.model, (&module, None), &args.draft)
    })?;
    let encode = |prompt: &String| encoded(args, &vocabulary, prompt);
    let ids = prompts.iter().map(encode).collect::<Result<Vec<_>, _>>().map_err(Failure::from)?;
    let constraint = language_model::constraint(&args.sampling, &vocabulary)?;
    let loaded = began.elapsed();
    let (limits, top) = (language_model::limits(&args.sampling), args.logprobs.map(|top| top as usize));
    let writer = |ids: &Vec<u32>| {
        Writer::new(&vocabulary, sampling.clone(), ids, &limits).explain(top).constrain(constraint.clone())
    };
    let slots = model.slots();
    let bytes = model.bytes() + model.cache_bytes();
    let report = |ids: &[u32], made: &Generated| {
        report(args, ids, made, (loaded, bytes, top.map(|_| likely(&vocabulary, made))));
    };
    if slots > 1 && ids.len() > 1 {
        let began = Instant::now();
        let writers = (ids.iter().map(writer).collect(), &mut guesser);
        let all = generate_all(&mut model, writers, slots).map_err(Failure::from)?;
        let took = began.elapsed();
        for (at, (ids, made)) in ids.iter().zip(&all).enumerate() {
            match args.format {
                Format::Json => report(ids, made),
                Format::Text => say!("{}{}", if at > 0 { "\n" } else { "" }, made.text),
            }
        }
        let tokens: usize = all.iter().map(|made| made.ids.len()).sum();
        let rate = rate(tokens, took).unwrap_or_default();
        messages::aside(format!("{} texts, {tokens} tokens made, {rate:.1} tok/s together", all.len()));
        return Ok(());
    }
    let mut decoder = Decoder::new(model).map_err(Failure::from)?;
    let mut show = |piece: &str| -> fornax_runtime::Result<()> {
        if args.format == Format::Text {
            crate::output::bytes(piece.as_bytes());
        }
        Ok(())
    };
    for (at, ids) in ids.iter().enumerate() {
        if at > 0 && args.format == Format::Text {
            say!("");
        }
        let made = generate(&mut decoder, (writer(ids), &mut guesser), 0, &mut show).map_err(|error| {
            Failure::from(if prompts.len() > 1 { error.context(format!("prompt {at}")) } else { error })
        })?;
        report(ids, &made);
    }
    Ok(())
}

/// What to answer.
fn prompts(args: &GenerateArgs) -> Result<Vec<String>> {
    let Some(path) = &args.prompt_file else { return Ok(args.prompt.clone()) };
    let text = input_file::read_text(path)?;
    if path.extension().is_none_or(|extension| extension != "jsonl") {
        return Ok(vec![text]);
    }
    let prompt = |(at, line): (usize, &str)| {
        let value: Option<Value> = serde_json::from_str(line).ok();
        let prompt = value.as_ref().and_then(|value| value.as_str().or_else(|| value.get("prompt")?.as_str()));
        let wrong = || Failure::usage(format!("line {}: neither a string nor an object with `prompt`", at + 1));
        Ok(prompt.ok_or_else(wrong)?.to_string())
    };
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let prompts = lines.map(prompt).collect::<Result<Vec<String>>>()?;
    if prompts.is_empty() { Err(Failure::usage("the file holds no prompt").into()) } else { Ok(prompts) }
}

fn encoded(args: &GenerateArgs, vocabulary: &Vocabulary, prompt: &str) -> fornax_runtime::Result<Vec<u32>> {
    if args.raw || !vocabulary.has_template() {
        return vocabulary.encode(prompt);
    }
    let system = args.sampling.system.iter().map(|text| Message::new("system", text));
    let messages: Vec<Message> = system.chain([Message::new("user", prompt)]).collect();
    vocabulary.encode_chat(&messages)
}

/// How likely tokens were.
fn likely(vocabulary: &Vocabulary, made: &Generated) -> Value {
    let one = |(token, logprob): (u32, f32)| {
        let text = vocabulary.piece(token);
        json!({ "id": token, "token": text, "logprob": logprob })
    };
    let row = |chosen: &Chosen| {
        let mut row = one((chosen.token, chosen.logprob));
        row["top"] = chosen.top.iter().map(|&top| one(top)).collect();
        row
    };
    made.chosen.iter().map(row).collect()
}

fn report(
    args: &GenerateArgs,
    prompt: &[u32],
    made: &Generated,
    (loaded, bytes, likely): (Duration, u64, Option<Value>),
) {
    // The first token is the prompt's work.
    let later = rate(made.ids.len().saturating_sub(1), made.rest);
    let early = rate(prompt.len(), made.first);
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    if args.format == Format::Json {
        let mut report = json!({
            "prompt_ids": prompt, "ids": made.ids, "text": made.text, "finish": made.end.name(),
            "prompt_tokens_per_second": early, "generation_tokens_per_second": later,
            "time_to_first_token_ms": milliseconds(made.first), "load_ms": milliseconds(loaded),
            "memory_bytes": bytes, "model_calls": made.guesses.calls, "guessed_tokens": made.guesses.made,
            "accepted_tokens": made.guesses.right,
        });
        if let Some(likely) = likely {
            report["logprobs"] = likely;
        }
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

//! `fornax generate`: text behind a prompt, by the module of a language model.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use fornax_runtime::session::{Module, ParameterFile};
use fornax_text::{Decoder, Generated, Limits, Message, Sampler, Sampling, Vocabulary, generate};

use crate::args::{Format, GenerateArgs};
use crate::commands::loading::Devices;
use crate::commands::placing::{self, Load};
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
    let vocabulary = Vocabulary::open(&tokenizer(args)?).map_err(Failure::from)?;
    let ids = encoded(args, &vocabulary, prompt).map_err(Failure::from)?;
    let mut decoder = decoder(args)?;
    let loaded = began.elapsed();
    let mut sampler = Sampler::new(sampling(args)?);
    let limits = Limits { tokens: args.max_tokens, stop: args.stop.clone() };
    let mut show = |piece: &str| -> fornax_runtime::Result<()> {
        if args.format == Format::Text {
            crate::output::bytes(piece.as_bytes());
            // A reader that is gone is told at the end.
            let _ = std::io::stdout().flush();
        }
        Ok(())
    };
    let made = generate(&mut decoder, &vocabulary, &mut sampler, &ids, &limits, &mut show).map_err(Failure::from)?;
    report(args, &ids, &made, (loaded, decoder.bytes()));
    Ok(())
}

/// Where the words come from.
fn tokenizer(args: &GenerateArgs) -> Result<PathBuf> {
    let named = args.tokenizer.clone();
    let first = || args.parameters.first().map(|text| ParameterFile::parse(text).path);
    named.or_else(first).ok_or_else(|| Failure::usage("give --parameters or --tokenizer: words come from there").into())
}

fn encoded(args: &GenerateArgs, vocabulary: &Vocabulary, prompt: String) -> fornax_runtime::Result<Vec<u32>> {
    if args.raw || !vocabulary.has_template() {
        return vocabulary.encode(&prompt);
    }
    let message = |role: &str, content: String| Message { role: role.to_string(), content };
    let system = args.system.clone().map(|text| message("system", text));
    let messages: Vec<Message> = system.into_iter().chain([message("user", prompt)]).collect();
    vocabulary.encode_chat(&messages)
}

fn decoder(args: &GenerateArgs) -> Result<Decoder> {
    let module = Module::open(&args.module).map_err(Failure::from)?;
    let how = Load { parameters: &[], max_device_memory: None };
    let uri = args.device.as_deref().unwrap_or("cpu");
    let session = placing::start(&mut Devices::default(), &args.module_args(), &module, uri, &how)?;
    Ok(Decoder::new(session).map_err(Failure::from)?)
}

fn sampling(args: &GenerateArgs) -> Result<Sampling> {
    let GenerateArgs { temperature, top_k, top_p, min_p, repetition_penalty, seed, .. } = *args;
    let is_part = |part: f32| (0.0..=1.0).contains(&part);
    let is_warmth = (0.0..f32::INFINITY).contains(&temperature);
    if !is_warmth || !is_part(top_p) || !is_part(min_p) {
        return Err(Failure::usage("--temperature is at least 0, --top-p and --min-p are from 0 to 1").into());
    }
    let is_penalty = repetition_penalty > 0.0 && repetition_penalty.is_finite();
    if !is_penalty {
        return Err(Failure::usage("--repetition-penalty is above 0").into());
    }
    Ok(Sampling { temperature, top_k, top_p, min_p, repetition_penalty, seed })
}

/// Tokens a second; `None` where nothing was timed.
fn rate(tokens: usize, time: Duration) -> Option<f64> {
    (tokens > 0 && !time.is_zero()).then(|| tokens as f64 / time.as_secs_f64())
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
            "memory_bytes": bytes,
        });
        say!("{report}");
        return;
    }
    say!("");
    messages::aside(format!(
        "prompt {} tokens, {:.1} tok/s; {} tokens made, {:.1} tok/s; first token after {:.1} ms, \
         load {:.1} ms; {:.1} MiB",
        prompt.len(),
        early.unwrap_or_default(),
        made.ids.len(),
        later.unwrap_or_default(),
        milliseconds(made.first),
        milliseconds(loaded),
        bytes as f64 / f64::from(1 << 20)
    ));
}

//! `fornax embed`: vectors of texts, by the module of an encoder.

use std::time::{Duration, Instant};

use anyhow::Result;
use fornax_text::{Demand, Encode, Encoder, encoder};
use serde::Serialize;

use crate::args::{EmbedArgs, Format};
use crate::commands::language_model::{self, rate};
use crate::failure::Failure;
use crate::input_file;
use crate::messages;
use crate::output::say;

/// What `--format=json` prints.
#[derive(Serialize)]
struct Report<'a> {
    embeddings: &'a [Vec<f32>],
    /// Of each text.
    tokens: Vec<usize>,
    width: usize,
    encode_ms: f64,
    load_ms: f64,
    memory_bytes: u64,
}

pub fn run(args: &EmbedArgs) -> Result<()> {
    let texts: Vec<String> = match &args.text_file {
        Some(path) => input_file::read_text(path)?.lines().map(str::to_string).collect(),
        None => args.text.clone(),
    };
    let began = Instant::now();
    let (vocabulary, mut encoder) = language_model::with_vocabulary(&args.model, || {
        let module = language_model::module(&args.model)?;
        Encoder::check(module.manifest()).map_err(Failure::from)?;
        let session = language_model::session(&args.model, &module, &Demand::default())?;
        Ok(Encoder::new(session).map_err(Failure::from)?)
    })?;
    let loaded = began.elapsed();
    let began = Instant::now();
    let most = args.truncate.then(|| encoder.context());
    let (mut vectors, mut tokens) = (Vec::new(), Vec::new());
    for (at, text) in texts.iter().enumerate() {
        let ids = vocabulary.encode_whole(text, most);
        tokens.push(ids.as_ref().map_or(0, Vec::len));
        let vector = ids.and_then(|ids| encoder.encode(&ids));
        let mut vector = vector.map_err(|error| Failure::from(error.context(format!("text {at}"))))?;
        if args.normalize {
            encoder::normalize(&mut vector);
        }
        if args.format == Format::Text {
            say!("{}", vector.iter().map(f32::to_string).collect::<Vec<_>>().join(" "));
        }
        vectors.push(vector);
    }
    report(args, &vectors, tokens, (&encoder, loaded, began.elapsed()))
}

fn report(
    args: &EmbedArgs,
    embeddings: &[Vec<f32>],
    tokens: Vec<usize>,
    (encoder, loaded, took): (&Encoder, Duration, Duration),
) -> Result<()> {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let (encode_ms, load_ms, memory_bytes) = (milliseconds(took), milliseconds(loaded), encoder.bytes());
    if args.format == Format::Json {
        let width = encoder.width();
        let report = Report { embeddings, tokens, width, encode_ms, load_ms, memory_bytes };
        say!("{}", serde_json::to_string(&report)?);
        return Ok(());
    }
    let all: usize = tokens.iter().sum();
    messages::aside(format!(
        "{} texts, {all} tokens, {:.1} tok/s; {encode_ms:.1} ms, load {load_ms:.1} ms; {:.1} MiB",
        embeddings.len(),
        rate(all, took).unwrap_or_default(),
        memory_bytes as f64 / f64::from(1 << 20)
    ));
    Ok(())
}

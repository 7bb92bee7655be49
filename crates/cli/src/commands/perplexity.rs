//! `fornax perplexity`: how likely a model finds a text.
//!
//! The text goes through `decode` token by token, in windows as long as the caches; each token but the first of a
//! window is compared with the logits before it: `exp(-mean(log p))`. Shorter windows know less, and give more.

#[cfg(feature = "compiler")]
use std::ffi::OsString;
#[cfg(feature = "compiler")]
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use fornax_text::{Decoder, DeviceModel, Vocabulary};

#[cfg(feature = "compiler")]
use crate::args::{Cli, Command};
use crate::args::{Format, PerplexityArgs};
use crate::commands::language_model;
use crate::failure::Failure;
use crate::input_file;
use crate::output::say;

/// Of a text.
#[derive(Clone, Copy, Debug)]
pub struct Perplexity {
    /// Tokens that were compared.
    pub tokens: usize,
    /// Sum of the negative logarithms of their probabilities.
    loss: f64,
}

impl Perplexity {
    /// 1 of a text that was certain.
    pub fn value(&self) -> f64 {
        (self.loss / self.tokens.max(1) as f64).exp()
    }
}

pub fn run(args: &PerplexityArgs) -> Result<()> {
    let text = input_file::read_text(&args.text_file)?;
    let (vocabulary, model) = language_model::with_vocabulary(&args.model, || language_model::model(&args.model))?;
    let began = Instant::now();
    let found = of_text(model, &vocabulary, &text, args.max_tokens)?;
    let seconds = began.elapsed().as_secs_f64();
    match args.format {
        Format::Json => {
            say!("{}", serde_json::json!({"perplexity": found.value(), "tokens": found.tokens, "seconds": seconds}))
        }
        Format::Text => say!("perplexity {:.4} of {} tokens, in {seconds:.1} s", found.value(), found.tokens),
    }
    Ok(())
}

/// What a model finds of a text.
fn of_text(model: DeviceModel, vocabulary: &Vocabulary, text: &str, most: usize) -> Result<Perplexity> {
    let tokens: Vec<u32> = vocabulary.encode(text).map_err(Failure::from)?.into_iter().take(most).collect();
    if tokens.len() < 2 {
        return Err(Failure::usage("the text has fewer than two tokens: there is nothing to compare").into());
    }
    let mut decoder = Decoder::new(model).map_err(Failure::from)?;
    let mut found = Perplexity { tokens: 0, loss: 0.0 };
    for window in tokens.chunks(decoder.room().max(2)) {
        decoder.rewind(0);
        for pair in window.windows(2) {
            let &[token, next] = pair else { continue };
            let logits = decoder.feed(&[token]).map_err(Failure::from)?;
            found.loss += surprise(&logits, next)?;
            found.tokens += 1;
        }
    }
    Ok(found)
}

/// `-log p` of a token.
fn surprise(logits: &[f32], token: u32) -> Result<f64> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = logits.iter().map(|logit| f64::from(logit - most).exp()).sum();
    let own = logits.get(token as usize).map(|logit| f64::from(*logit) - f64::from(most) - sum.ln());
    let own = own.filter(|own| own.is_finite());
    let help = "check the weights, and that the tokenizer is that of the checkpoint";
    Ok(-own.ok_or_else(|| Failure::new(1, "FX1106", format!("no probability of token {token}"), help))?)
}

/// The same by a checkpoint, compiled for this machine's processor; `words` is the checkpoint that has them.
///
/// # Errors
/// Those of compiling and running it.
#[cfg(feature = "compiler")]
pub fn of_checkpoint(checkpoint: &Path, words: &Path, text: &Path, most: usize) -> Result<Perplexity> {
    let text = input_file::read_text(text)?;
    let vocabulary = Vocabulary::open(words).map_err(Failure::from)?;
    let folder = tempfile::tempdir()?;
    let module = folder.path().join("model.fnx");
    compile(checkpoint, &module)?;
    let args = crate::args::LanguageModelArgs {
        module,
        parameters: vec![checkpoint.display().to_string()],
        tokenizer: None,
        device: None,
        fallback: None,
        devices: None,
        tensor_parallel: None,
        collectives: crate::args::Collectives::Auto,
    };
    of_text(language_model::model(&args)?, &vocabulary, &text, most)
}

/// Writes the module of a model for the processor of this machine.
#[cfg(feature = "compiler")]
fn compile(model: &Path, module: &Path) -> Result<()> {
    use clap::Parser;

    let mut words = ["fornax", "compile", "--target=cpu:native", "--output"].map(OsString::from).to_vec();
    words.extend([module.into(), model.into()]);
    match Cli::try_parse_from(words).map_err(|error| Failure::usage(error.to_string()))?.command {
        Command::Compile(args) => super::compile::run(&args),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_texts_have_one() {
        let even = surprise(&[0.5; 8], 3).unwrap();
        assert!((even - 8f64.ln()).abs() < 1e-9);
        assert!(surprise(&[0.0, 200.0], 1).unwrap() < 1e-9);
        assert!(surprise(&[0.0], 1).is_err() && surprise(&[f32::NAN; 2], 1).is_err());
        let found = Perplexity { tokens: 2, loss: 2.0 * 5f64.ln() };
        assert!((found.value() - 5.0).abs() < 1e-9);
    }
}

//! `fornax quantize`: a checkpoint of floats in fewer bits, tensor by tensor, and what that loses.

mod fp8_folder;
mod gguf_file;
mod report;

use std::io::Write;

use anyhow::{Context, Result};
use fornax_checkpoint::FileError;
use fornax_checkpoint::convert::{Aim, ConvertError};

use crate::args::{Format, QuantizeArgs};
use crate::failure::{Failure, exit};
use crate::output::say;

/// What is written as a folder.
const FP8: &str = "fp8";

pub fn run(args: &QuantizeArgs) -> Result<()> {
    if !args.input.exists() {
        return Err(Failure::usage(format!("there is no {}", args.input.display())).into());
    }
    let activations_too = match args.activation_type.as_str() {
        "float" => false,
        "f8" if args.kind == FP8 => true,
        other => {
            let what = format!("--activation-type={other} with --type={}; known: float, and f8 of fp8", args.kind);
            return Err(Failure::usage(what).into());
        }
    };
    if args.last_matrix && args.kind != FP8 {
        let what = format!("--last-matrix with --type={}; it is of fp8: other kinds have a rule for it", args.kind);
        return Err(Failure::usage(what).into());
    }
    let mut report = if args.kind == FP8 {
        let asked = fp8_folder::Asked { activations: activations_too, last_matrix: args.last_matrix };
        fp8_folder::write((&args.input, &args.output), asked)?
    } else {
        let known = || format!("{}, {FP8}", Aim::names().join(", "));
        let aim = Aim::named(&args.kind)
            .ok_or_else(|| Failure::usage(format!("unknown --type `{}`; known: {}", args.kind, known())))?;
        gguf_file::write(&args.input, aim, &args.output)?
    };
    if let Some(text) = &args.text_file {
        report.perplexity = Some(measured(args, text)?);
    }
    match args.format {
        Format::Json => say!("{}", report.json()),
        Format::Text => report.table().iter().for_each(|line| say!("{line}")),
    }
    Ok(())
}

/// The perplexity of a text by the checkpoint that was read, and by that which was written.
#[cfg(all(feature = "compiler", feature = "text"))]
fn measured(args: &QuantizeArgs, text: &std::path::Path) -> Result<[super::perplexity::Perplexity; 2]> {
    let of = |checkpoint| super::perplexity::of_checkpoint(checkpoint, &args.input, text, args.max_tokens);
    Ok([of(&args.input)?, of(&args.output)?])
}

#[cfg(not(all(feature = "compiler", feature = "text")))]
fn measured(_: &QuantizeArgs, _: &std::path::Path) -> Result<[report::Perplexity; 2]> {
    let text = "--text-file compiles the checkpoints, and this build of Fornax cannot";
    let help = "compile both elsewhere, and measure each with `fornax perplexity`";
    Err(Failure::new(exit::USAGE, "FX0805", text, help).into())
}

/// An error of a file of weights.
fn of_file(error: &FileError) -> Failure {
    Failure::new(exit::USAGE, error.code, error, error.help())
}

fn of_conversion(error: ConvertError) -> anyhow::Error {
    match error {
        ConvertError::Read(error) => of_file(&error).into(),
        ConvertError::Write(error) => anyhow::Error::new(error),
    }
}

/// Writes bytes that fill a file up to a place.
fn put_zeros(out: &mut dyn Write, count: u64) -> Result<()> {
    std::io::copy(&mut std::io::Read::take(std::io::repeat(0), count), out).context("error[FX0802]: cannot write")?;
    Ok(())
}

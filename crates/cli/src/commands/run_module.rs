//! `fornax run-module`: call a function once; print, write or compare its outputs.

use std::path::Path;

use anyhow::Result;
use clap::Parser;
use fornax_runtime::Tensor;
use fornax_runtime::session::Timings;
use fornax_runtime::tensor::compare::{Tolerances, compare};
use fornax_runtime::tensor::output::{OutputTarget, write_output};
use fornax_runtime::tensor::parse::parse_inputs;
use fornax_runtime::tensor::print::PrintOptions;

use crate::args::{Format, RunArgs};
use crate::commands::loading::{self, Devices, Loaded};
use crate::commands::trace_file::TraceFile;
use crate::commands::{list_devices, list_drivers, repeats, results, run_process, run_team};
use crate::failure::{Failure, exit, exit_code, render};
use crate::input_file;
use crate::messages;
use crate::output::say;

pub fn run(args: &RunArgs) -> Result<()> {
    if let Some(driver) = &args.list_devices {
        return list_devices::run_compatible(driver);
    }
    if args.list_drivers {
        return list_drivers::run(Format::Text);
    }
    if let Some(file) = &args.batch {
        return batch(file);
    }
    run_one(&mut Devices::default(), args)
}

/// The flags of one run of a batch.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct BatchLine {
    #[command(flatten)]
    run: RunArgs,
}

/// Runs what the lines of a file say; what fails does not end the others.
fn batch(file: &Path) -> Result<()> {
    let text = input_file::read_text(file)?;
    let mut devices = Devices::default();
    let (mut failed, mut worst) = (0usize, 0u8);
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        match batch_line(&mut devices, line) {
            Ok(()) => say!("run {number}: ok"),
            Err(error) => {
                failed += 1;
                worst = worst.max(exit_code(&error));
                let message = render(&error).replace('\n', " ");
                say!("run {number}: exit {}: {message}", exit_code(&error));
            }
        }
    }
    match failed {
        0 => Ok(()),
        _ => {
            let text = format!("{failed} of the {} runs failed", text.lines().count());
            Err(Failure::new(
                worst,
                "FX0812",
                text,
                "the lines on stdout say which; the exit code is the highest of theirs",
            )
            .into())
        }
    }
}

fn batch_line(devices: &mut Devices, line: &str) -> Result<()> {
    let wrong = |what: String| Failure::usage(format!("a line of --batch is no JSON array of flags: {what}"));
    let flags: Vec<String> = serde_json::from_str(line).map_err(|e| wrong(e.to_string()))?;
    let parsed = BatchLine::try_parse_from(flags).map_err(|e| wrong(e.to_string()))?;
    run_one(devices, &parsed.run)
}

fn run_one(devices: &mut Devices, args: &RunArgs) -> Result<()> {
    if let Some(team) = &args.devices {
        return run_team::run(args, team);
    }
    if args.launcher.is_some() {
        return run_process::run(args);
    }
    let file = TraceFile::begin(args.trace.as_deref(), args.module.module.as_deref())?;
    devices.set_trace(file.trace())?;
    let run = call(devices, args, &file);
    // What a run did that failed is told too.
    let told = devices.set_trace(None).and_then(|()| file.end());
    run.and(told)
}

fn call(devices: &mut Devices, args: &RunArgs, file: &TraceFile) -> Result<()> {
    let mut loaded = loading::load_on(devices, &args.module, args.max_memory)?;
    let (outputs, timings) = loaded.session.invoke_timed(&loaded.function, &loaded.inputs).map_err(Failure::from)?;
    tracing::info!(
        "call @{}: upload {:.3} ms, kernels {:.3} ms, download {:.3} ms",
        loaded.function,
        timings.upload_ms,
        timings.kernels_ms,
        timings.download_ms
    );
    if args.timing {
        messages::aside(format!(
            "call {:.3} ms (upload {:.3} ms, kernels {:.3} ms, download {:.3} ms)",
            timings.upload_ms + timings.kernels_ms + timings.download_ms,
            timings.upload_ms,
            timings.kernels_ms,
            timings.download_ms
        ));
    }
    let phase = file.phase("write outputs");
    write_outputs(args, &loaded, &outputs, &timings)?;
    drop(phase);
    check_outputs(args, &args.expected_output, &outputs, &loaded.outputs)?;
    repeats::check(&mut loaded, args.repeats, &outputs)
}

/// Outputs named by `--output` go where it says; the others are printed.
fn write_outputs(args: &RunArgs, loaded: &Loaded, outputs: &[Tensor], timings: &Timings) -> Result<()> {
    let function = &loaded.function;
    let targets: Vec<OutputTarget> = targets(&args.module.output)?;
    if targets.len() > outputs.len() {
        let text = format!("{} --output flags for the {} outputs of @{function}", targets.len(), outputs.len());
        return Err(Failure::usage(text).into());
    }
    for (target, tensor) in targets.iter().zip(outputs).filter(|(target, _)| !results::is_printed(Some(*target))) {
        write_output(target, tensor).map_err(Failure::from)?;
    }
    let max_elements = args.output_max_element_count;
    match args.format {
        Format::Text => {
            let options = PrintOptions { max_elements, ..PrintOptions::default() };
            results::print_text(function, outputs, &targets, &options, args.iree_output);
        }
        Format::Json => {
            let object = |(at, tensor): (usize, &Tensor)| {
                let name = loaded.names.get(at).cloned().flatten();
                results::object(tensor, name, targets.get(at), max_elements)
            };
            let report = serde_json::json!({
                "function": function,
                "device": loaded.session.device().info().uri(),
                "image": loaded.session.description(),
                "outputs": outputs.iter().enumerate().map(object).collect::<Vec<_>>(),
                "upload_ms": timings.upload_ms, "kernels_ms": timings.kernels_ms, "download_ms": timings.download_ms,
            });
            say!("{report}");
        }
    }
    Ok(())
}

/// The `--output` flags, parsed.
pub fn targets(texts: &[String]) -> Result<Vec<OutputTarget>> {
    Ok(texts.iter().map(|t| OutputTarget::parse(t)).collect::<fornax_runtime::Result<_>>().map_err(Failure::from)?)
}

/// Compares outputs with what texts say; no texts want nothing.
pub fn check_outputs(
    args: &RunArgs,
    expected: &[String],
    outputs: &[Tensor],
    types: &[fornax_runtime::TensorType],
) -> Result<()> {
    if expected.is_empty() {
        return Ok(());
    }
    compare_outputs(args, &parse_inputs(expected, types).map_err(Failure::from)?, outputs)
}

/// Compares outputs with tensors; `None` is equal to any.
pub fn compare_outputs(args: &RunArgs, expected: &[Option<Tensor>], outputs: &[Tensor]) -> Result<()> {
    if expected.len() != outputs.len() {
        let text = format!("{} expected outputs for {} outputs", expected.len(), outputs.len());
        return Err(Failure::usage(text).into());
    }
    let tolerances = Tolerances {
        f16: args.expected_f16_threshold,
        bf16: args.expected_bf16_threshold,
        f32: args.expected_f32_threshold,
        f64: args.expected_f64_threshold,
    };
    let mut different = Vec::new();
    for (at, (output, expected)) in outputs.iter().zip(expected).enumerate() {
        let Some(expected) = expected else { continue };
        let comparison = compare(output, expected, &tolerances);
        if !comparison.is_equal() {
            different.push(format!("result[{at}]: {comparison}"));
        }
    }
    if different.is_empty() {
        if args.format == Format::Text {
            say!("[SUCCESS] all function outputs matched their expected values.");
        }
        return Ok(());
    }
    let help = "--expected-f32-threshold and its kin set the tolerance";
    Err(Failure::new(exit::DIFFERENT, "FX0810", format!("outputs differ\n  {}", different.join("\n  ")), help).into())
}

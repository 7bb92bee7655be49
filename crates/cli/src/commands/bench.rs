//! `fornax bench`: median of one call, mean in a queue, and upload, kernels and download apart.
//!
//! `--format=json` prints one object and nothing else: `median_ms` (one call and a wait, arguments on the device),
//! `queued_ms` (mean in a queue of calls with one wait at the end), `outputs` (files written by `--output`, from the
//! first call), `processor_ms` (processor time of a call, all threads) and the parts of a cold call. With `--kernels` also
//! `kernels`, one object a kernel, see [`bench_kernels`](super::bench_kernels).

use std::time::Duration;

use anyhow::Result;
use fornax_runtime::session::{BenchOptions, BenchResult, bench};
use fornax_runtime::tensor::output::{OutputTarget, write_output};
use serde::Serialize;

use crate::args::{BenchArgs, Format};
use crate::commands::bench_kernels::{self, KernelsReport};
use crate::commands::loading;
use crate::commands::run_module::targets;
use crate::failure::Failure;
use crate::output::say;

#[derive(Serialize)]
struct Report {
    function: String,
    device: String,
    image: String,
    median_ms: f64,
    min_ms: f64,
    max_ms: f64,
    queued_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    processor_ms: Option<f64>,
    upload_ms: f64,
    kernels_ms: f64,
    download_ms: f64,
    calls: u32,
    outputs: Vec<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    kernels: Option<KernelsReport>,
}

pub fn run(args: &BenchArgs) -> Result<()> {
    let mut loaded = loading::load(&args.module, None)?;
    let targets = targets(&args.module.output)?;
    let seconds = if args.seconds.is_finite() { args.seconds.clamp(0.0, 600.0) } else { 1.0 };
    let options = BenchOptions {
        time: Duration::from_secs_f64(seconds),
        min_calls: u32::try_from(args.min_calls).unwrap_or(u32::MAX).max(1),
        ..BenchOptions::default()
    };
    let result = bench(&mut loaded.session, &loaded.function, &loaded.inputs, &options).map_err(Failure::from)?;
    let mut outputs = Vec::new();
    for (target, tensor) in targets.iter().zip(&result.outputs) {
        write_output(target, tensor).map_err(Failure::from)?;
        if let OutputTarget::Replace(path) | OutputTarget::Append(path) = target {
            outputs.push(path.display().to_string());
        }
    }
    let info = loaded.session.device().info();
    let (device, driver) = (format!("{} ({})", info.uri(), info.name), info.driver);
    let mut report = report(&loaded, &result, device, outputs);
    if args.kernels {
        report.kernels = Some(bench_kernels::measure(&mut loaded)?);
    }
    match args.format {
        Format::Json => say!("{}", serde_json::to_string(&report)?),
        Format::Text => {
            print_text(&report, driver);
            report.kernels.iter().for_each(bench_kernels::print_text);
        }
    }
    Ok(())
}

fn report(loaded: &loading::Loaded, r: &BenchResult, device: String, outputs: Vec<String>) -> Report {
    Report {
        function: loaded.function.clone(),
        device,
        image: loaded.session.description().to_string(),
        median_ms: r.median_ms,
        min_ms: r.min_ms,
        max_ms: r.max_ms,
        queued_ms: r.queued_ms,
        processor_ms: r.processor_ms,
        upload_ms: r.parts.upload_ms,
        kernels_ms: r.parts.kernels_ms,
        download_ms: r.parts.download_ms,
        calls: r.calls,
        outputs,
        kernels: None,
    }
}

fn print_text(r: &Report, driver: &str) {
    let kind = if driver == "cpu" { "CPU" } else { "GPU" };
    say!("{kind} Time: {:.4} seconds", r.median_ms / 1e3);
    say!("@{} on {}, {}", r.function, r.device, r.image);
    say!(
        "  one call and a wait  {:>10.4} ms median of {} calls ({:.4} to {:.4})",
        r.median_ms,
        r.calls,
        r.min_ms,
        r.max_ms
    );
    if let Some(processor_ms) = r.processor_ms {
        say!("  processor time       {processor_ms:>10.4} ms a call, all threads");
    }
    say!("  in a queue           {:>10.4} ms a call", r.queued_ms);
    say!(
        "  from host tensors    {:>10.4} ms upload, {:.4} ms kernels, {:.4} ms download",
        r.upload_ms,
        r.kernels_ms,
        r.download_ms
    );
}

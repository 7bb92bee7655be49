//! `fornax bench`: how long a call takes on one device, or on several in one run.
//!
//! For each device: the spread of one call and a wait, the mean in a queue, upload, kernels and download apart, calls a
//! second. With several devices (`--device=cuda,cpu`) also how they compare, and why a GPU loses where it does.
//!
//! `--format=json` prints one object and nothing else: for one device that of [`report::Report`]; for several
//! `{"devices": [report, …], "baseline": uri, "ratio": number, "comparisons": […]}`, see [`compare`].

mod compare;
mod inputs;
mod interrupt;
mod kernels;
mod report;
mod several;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use fornax_runtime::Tensor;
use fornax_runtime::session::{BenchOptions, Session, bench};
use fornax_runtime::tensor::output::{OutputTarget, write_output};
use fornax_runtime::trace::Trace;
use serde::Serialize;

use self::compare::Comparison;
use self::report::{Call, Report};
use crate::args::{BenchArgs, Format};
use crate::commands::arguments;
use crate::commands::loading::{self, Devices};
use crate::commands::placing::{self, Load};
use crate::commands::run_module::targets;
use crate::commands::trace_file::TraceFile;
use crate::failure::Failure;
use crate::output::say;

/// Calls on the device that `--trace` shows.
const TRACED_CALLS: usize = 3;

/// What several devices give.
#[derive(Serialize)]
struct Reports<'a> {
    devices: &'a [Report],
    /// The device that the others are compared with.
    baseline: &'a str,
    /// Baseline's time / time of the first other device, arguments on the device: above 1 the device is faster.
    ratio: f64,
    comparisons: &'a [Comparison],
}

pub fn run(args: &BenchArgs) -> Result<()> {
    let options = options(args)?;
    if let Some(devices) = &args.devices {
        return several::run(args, devices, &options);
    }
    let targets = targets(&args.module.output)?;
    let (module, signature) = loading::open(&args.module)?;
    let mut given = arguments::given(&module, &signature, &args.module.input, &args.module.parameters)?;
    let nothing_given = given.inputs.is_empty() && given.parameters.is_empty();
    if nothing_given {
        given.parameters = inputs::parameters(&module, &signature, &args.module)?;
    }
    let mut devices = Devices::with_threads(args.threads.map(usize::from));
    let file = TraceFile::begin(args.trace.as_deref(), args.module.module.as_deref())?;
    // All devices are there before the first one is measured.
    let mut sessions = Vec::new();
    devices.set_trace(file.trace())?;
    let uris = uris(args)?;
    let load = Load { parameters: &given.parameters, max_device_memory: None, check: None };
    for uri in &uris {
        sessions.push(placing::start(&mut devices, &args.module, &module, uri, &load)?);
    }
    // What is measured is not traced: that takes longer.
    devices.set_trace(None)?;
    check_threads(args, &sessions)?;
    let first = sessions.first().ok_or_else(|| Failure::usage("--device names no device"))?;
    let (inputs, made) = match nothing_given {
        true => inputs::make(first, &signature, &args.size, &given.parameters)?,
        false => (given.inputs, Vec::new()),
    };
    let call = Call::new(&signature, inputs, made, args.items, &args.unit);
    let mut reports = Vec::with_capacity(sessions.len());
    for (at, (session, uri)) in sessions.iter_mut().zip(&uris).enumerate() {
        let result = bench(session, &call.function, &call.inputs, &options).map_err(Failure::from)?;
        // Of several devices, the first one's outputs are kept.
        let written = if at == 0 { write_outputs(&targets, &result.outputs)? } else { Vec::new() };
        let mut report = Report::new(uri, session, &call, &result, written);
        if args.kernels && !result.stopped {
            // On a busy machine a queue may take longer than calls one by one.
            let call_us = 1e3 * result.queued_ms.unwrap_or(f64::INFINITY).min(result.one.p50_ms);
            report.kernels = Some(kernels::measure(session, &call.function, &call.inputs, call_us)?);
        }
        reports.push(report);
        if result.stopped {
            break;
        }
    }
    if let Some(trace) = file.trace() {
        for session in &mut sessions {
            traced_calls(session, &call, trace.clone())?;
        }
    }
    file.end()?;
    let comparisons = compare::compare(&reports, &mut sessions, &call)?;
    match args.format {
        Format::Json => print_json(&reports, &comparisons)?,
        Format::Text => {
            reports.iter().for_each(Report::print_time);
            reports.iter().for_each(Report::print_table);
            comparisons.iter().for_each(Comparison::print);
        }
    }
    Ok(())
}

fn print_json(reports: &[Report], comparisons: &[Comparison]) -> Result<()> {
    match (reports, comparisons) {
        ([only], _) => say!("{}", serde_json::to_string(only)?),
        (devices, [first, ..]) => {
            let (baseline, ratio) = (first.baseline.as_str(), first.ratio);
            say!("{}", serde_json::to_string(&Reports { devices, baseline, ratio, comparisons })?);
        }
        (devices, []) => say!("{}", serde_json::to_string(&serde_json::json!({ "devices": devices }))?),
    }
    Ok(())
}

/// Calls that a trace shows: one from host tensors, then some on the device, which is warm by now.
fn traced_calls(session: &mut Session, call: &Call, trace: Arc<Trace>) -> Result<()> {
    let device = session.device().clone();
    let mut calls = || -> fornax_runtime::Result<()> {
        session.invoke(&call.function, &call.inputs)?;
        let resident = session.upload_inputs(&call.function, &call.inputs)?;
        for _ in 0..TRACED_CALLS {
            session.invoke_on_device(&call.function, &resident)?;
        }
        session.synchronize()
    };
    device.observe_spans(Some(trace)).map_err(Failure::from)?;
    let called = calls();
    device.observe_spans(None).map_err(Failure::from)?;
    Ok(called.map_err(Failure::from)?)
}

/// The devices asked for, in order.
fn uris(args: &BenchArgs) -> Result<Vec<&str>> {
    let text = args.module.device.as_deref().unwrap_or("cpu");
    let uris: Vec<&str> = text.split(',').map(str::trim).collect();
    if uris.iter().any(|uri| uri.is_empty()) {
        return Err(Failure::usage(format!("--device={text} has an empty name in its list")).into());
    }
    Ok(uris)
}

fn options(args: &BenchArgs) -> Result<BenchOptions> {
    if args.seconds.is_nan() || args.seconds < 0.0 {
        return Err(Failure::usage(format!("--seconds={}: a number from 0 on, or inf", args.seconds)).into());
    }
    Ok(BenchOptions {
        warmup_calls: args.warmup,
        time: Duration::try_from_secs_f64(args.seconds).unwrap_or(Duration::MAX),
        min_calls: u32::try_from(args.min_calls).unwrap_or(u32::MAX).max(1),
        stop: Some(interrupt::flag()?),
        ..BenchOptions::default()
    })
}

/// `--threads` is for processors.
fn check_threads(args: &BenchArgs, sessions: &[Session]) -> Result<()> {
    if args.threads.is_some() && sessions.iter().all(|session| session.device().info().driver != "cpu") {
        return Err(Failure::usage("--threads is for CPU devices; --device names none").into());
    }
    Ok(())
}

/// Writes what `--output` asks for; the names of the files.
fn write_outputs(targets: &[OutputTarget], outputs: &[Tensor]) -> Result<Vec<String>> {
    let mut written = Vec::new();
    for (target, tensor) in targets.iter().zip(outputs) {
        write_output(target, tensor).map_err(Failure::from)?;
        if let OutputTarget::Replace(path) | OutputTarget::Append(path) = target {
            written.push(path.display().to_string());
        }
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        bench: BenchArgs,
    }

    fn parsed(flags: &[&str]) -> BenchArgs {
        Line::try_parse_from([&["bench"], flags].concat()).unwrap_or_else(|e| panic!("{e}")).bench
    }

    #[test]
    fn devices_are_a_list() {
        assert_eq!(uris(&parsed(&[])).unwrap(), ["cpu"]);
        assert_eq!(uris(&parsed(&["--device=cuda, cpu"])).unwrap(), ["cuda", "cpu"]);
        assert!(uris(&parsed(&["--device=cuda,"])).is_err());
    }

    #[test]
    fn seconds_may_be_endless_and_not_negative() {
        assert_eq!(options(&parsed(&["--seconds=inf"])).unwrap().time, Duration::MAX);
        assert_eq!(options(&parsed(&["--seconds=1e300"])).unwrap().time, Duration::MAX);
        assert!(options(&parsed(&["--seconds=-1"])).is_err() && options(&parsed(&["--seconds=nan"])).is_err());
    }
}

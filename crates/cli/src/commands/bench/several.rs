//! `fornax bench --devices=…`: calls of a module that is made for several devices, and what its collectives take.
//!
//! ```text
//! main on 2 devices: cuda:0, cuda:1
//!   slowest      median 2.310 ms, 2.290 … 2.410 ms, 86 calls
//!   device 0     median 2.300 ms, …
//!   in a queue   2.270 ms a call
//!   all_reduce add bf16, 1 group(s) of 2, 8192 bytes: 65 x 2.41 us, 6.9 % of a call
//! ```
//! `--format=json` prints the same numbers as one object.

use anyhow::Result;
use fornax_module::manifest::FunctionSignature;
use fornax_runtime::Tensor;
use fornax_runtime::hal::OpenOptions;
use fornax_runtime::session::{BenchOptions, ParameterFile, SessionOptions, Spread, sharding};
use fornax_runtime::team::{CollectiveTime, Team, TeamBench, open};
use fornax_runtime::tensor::generate::{Random, random};
use serde_json::json;

use crate::args::{BenchArgs, Format};
use crate::commands::{loading, run_module, run_team};
use crate::failure::Failure;
use crate::messages;
use crate::output::say;

pub fn run(args: &BenchArgs, devices: &str, options: &BenchOptions) -> Result<()> {
    let timeout = run_team::timeout(args.collective_timeout)?;
    let targets = run_module::targets(&args.module.output)?;
    let (module, signature) = loading::open(&args.module)?;
    let opening = OpenOptions { transport: args.collectives.into(), ..OpenOptions::default() };
    let devices = open(devices, opening).map_err(Failure::from)?;
    let inputs = inputs(args, &signature, devices.len())?;
    let parameters = args.module.parameters.iter().map(|p| ParameterFile::parse(p)).collect();
    let names: Vec<String> = devices.iter().map(|device| device.info().uri()).collect();
    let team = Team::new(devices, timeout).with_options(SessionOptions { parameters, ..SessionOptions::default() });
    let found = team.bench(&module, &signature.name, &inputs, options).map_err(Failure::from)?;
    // Of several devices, the first one's outputs are kept.
    super::write_outputs(&targets, found.outputs.first().map_or(&[], Vec::as_slice))?;
    match args.format {
        Format::Json => say!("{}", object(&signature, &names, &found)),
        Format::Text => print(&signature, &names, &found),
    }
    Ok(())
}

/// Inputs of each device: parts of whole ones, its own, or, where none are given, random ones of its own types.
fn inputs(args: &BenchArgs, signature: &FunctionSignature, devices: usize) -> Result<Vec<Vec<Tensor>>> {
    let texts = &args.module.input;
    let own = texts.iter().any(|text| text.contains(run_team::DEVICE)) || !sharding::is_sharded(signature);
    if texts.is_empty() {
        let types = loading::types(&signature.inputs);
        if types.len() < signature.inputs.len() {
            return Err(Failure::usage("the module leaves sizes open: give inputs with --input").into());
        }
        let flags: Vec<String> = types.iter().enumerate().map(|(at, ty)| format!("--input={ty}=random:{at}")).collect();
        messages::note(format!("no inputs given, measuring each device with {}", flags.join(" ")));
        let make = |(at, ty): (usize, &fornax_runtime::TensorType)| {
            random(ty.clone(), &Random { seed: at as u64, range: None })
        };
        let made: fornax_runtime::Result<Vec<Tensor>> = types.iter().enumerate().map(make).collect();
        let made = made.map_err(Failure::from)?;
        return Ok(vec![made; devices]);
    }
    if own {
        return (0..devices).map(|device| run_team::inputs(signature, texts, device)).collect();
    }
    let whole = loading::inputs(&sharding::whole_signature(signature), texts)?;
    let parts = |device| whole.iter().zip(&signature.inputs).map(move |(t, s)| sharding::part(t, s, device)).collect();
    let all: fornax_runtime::Result<Vec<Vec<Tensor>>> = (0..devices as u32).map(parts).collect();
    Ok(all.map_err(Failure::from)?)
}

/// `all_reduce add bf16, 1 group(s) of 2, 8192 bytes`
fn words(time: &CollectiveTime) -> String {
    let operation = &time.operation;
    let reducer = operation.reducer.map_or(String::new(), |reducer| format!(" {}", reducer.name()));
    format!(
        "{}{reducer} {}, {} group(s) of {}, {} bytes",
        operation.kind.name(),
        operation.element.spelling(),
        operation.groups.len(),
        operation.group_size(),
        time.bytes
    )
}

/// Part of a call in a queue.
fn share(time: &CollectiveTime, found: &TeamBench) -> f64 {
    time.us * time.times as f64 * 1e-3 / found.queued_ms.max(1e-9)
}

fn print(signature: &FunctionSignature, names: &[String], found: &TeamBench) {
    let line = |name: &str, spread: &Spread| {
        let Spread { calls, min_ms, p50_ms, max_ms, .. } = *spread;
        say!("  {name:12} median {p50_ms:.4} ms, {min_ms:.4} … {max_ms:.4} ms, {calls} calls");
    };
    say!("{} on {} devices: {}", signature.name, names.len(), names.join(", "));
    line("slowest", &found.slowest);
    found.devices.iter().enumerate().for_each(|(at, spread)| line(&format!("device {at}"), spread));
    say!("  {:12} {:.4} ms a call; the first call {:.1} ms", "in a queue", found.queued_ms, found.first_ms);
    for time in &found.collectives {
        let part = 1e2 * share(time, found);
        say!("  {}: {} x {:.2} us, {part:.1} % of a call", words(time), time.times, time.us);
    }
}

fn object(signature: &FunctionSignature, names: &[String], found: &TeamBench) -> serde_json::Value {
    let spread = |spread: &Spread| {
        json!({
            "calls": spread.calls, "median_ms": spread.p50_ms, "min_ms": spread.min_ms, "p90_ms": spread.p90_ms,
            "p99_ms": spread.p99_ms, "max_ms": spread.max_ms, "mean_ms": spread.mean_ms,
            "stddev_ms": spread.stddev_ms,
        })
    };
    let each = names.iter().zip(&found.devices).map(|(name, one)| json!({ "device": name, "call": spread(one) }));
    let collective = |time: &CollectiveTime| {
        json!({
            "collective": words(time), "bytes": time.bytes, "times": time.times, "us": time.us,
            "share": share(time, found),
        })
    };
    json!({
        "function": signature.name,
        "slowest": spread(&found.slowest),
        "devices": each.collect::<Vec<_>>(),
        "queued_ms": found.queued_ms,
        "first_ms": found.first_ms,
        "collectives": found.collectives.iter().map(collective).collect::<Vec<_>>(),
    })
}

//! `fornax tune`: schedules by measuring, in three steps that may run on three machines.
//!
//! ```text
//! fornax tune prepare model.mlir --target=cuda:h200 -o candidates.fnx      where the compiler is
//! fornax tune measure candidates.fnx --device=cuda -o times.json           where the device is
//! fornax tune apply times.json -o tuning.lock                              anywhere
//! fornax compile model.mlir --target=cuda:h200 --tuning=tuning.lock        from now on
//! ```
//! `measure` runs every way of a kernel on the same random data, compares its results with those of the way that the
//! cost models choose, and times it in a full queue; inputs that would stay in the caches take turns. `apply` keeps a
//! way where it is faster than the models' by more than [`WORTH`].

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use fornax_module::manifest::FunctionSignature;
use fornax_module::tuning::{BY_MODEL, Candidate, Lock, candidates};
use fornax_runtime::registry::open_device;
use fornax_runtime::session::{DeviceTensor, Module, RecordedCall, Session, SessionOptions, median};
use fornax_runtime::tensor::compare::{Tolerances, compare};
use fornax_runtime::tensor::generate::{Random, random};
use fornax_runtime::{Tensor, TensorType};
use serde::{Deserialize, Serialize};

use crate::args::{Format, TuneApplyArgs, TuneCommand, TuneMeasureArgs};
use crate::atomic_file::write_atomically;
use crate::commands::loading::types;
use crate::failure::Failure;
use crate::input_file;
use crate::messages;
use crate::output::say;

/// Gain over the models' way from which another is kept.
const WORTH: f64 = 1.02;
/// Bytes of inputs that are touched before the same ones come again, and most sets of them.
const TURN_BYTES: u64 = 256 << 20;
const TURNS: u64 = 8;
/// Random elements after which the same ones come again: no tile and no row of a usual size divides it.
const PERIOD: u64 = 1_000_003;
/// Times that each way is measured.
const ROUNDS: usize = 9;
/// Pieces of a large result that are compared, and their length (a multiple of every element).
const SAMPLE_PIECES: usize = 64;
const PIECE_BYTES: usize = 16 << 10;
/// Results of two ways may differ by rounding and the order of sums: this finds wrong ones.
const TOLERANCES: Tolerances = Tolerances { f16: 5e-2, bf16: 5e-2, f32: 5e-2, f64: 1e-6 };

/// What `measure` writes.
#[derive(Serialize, Deserialize)]
struct Times {
    device: String,
    image: String,
    ways: Vec<WayTime>,
}

#[derive(Serialize, Deserialize)]
struct WayTime {
    key: String,
    way: String,
    us: f64,
    /// Its results are those of the models' way.
    agrees: bool,
}

pub fn run(command: &TuneCommand) -> Result<()> {
    match command {
        #[cfg(feature = "compiler")]
        TuneCommand::Prepare(args) => super::compile::prepare(args),
        #[cfg(not(feature = "compiler"))]
        TuneCommand::Prepare(_) => crate::commands::absent::refuse("tune prepare"),
        TuneCommand::Measure(args) => measure(args),
        TuneCommand::Apply(args) => apply(args),
    }
}

fn measure(args: &TuneMeasureArgs) -> Result<()> {
    let module = Module::open_with(&args.module, args.verify.into()).map_err(Failure::from)?;
    let wanted = candidates(module.manifest()).ok_or_else(|| {
        Failure::usage(format!("{} holds no candidates: make it with `fornax tune prepare`", args.module.display()))
    })?;
    let device = open_device(args.device.as_deref().unwrap_or("cuda")).map_err(Failure::from)?;
    let mut session = Session::load(&module, &device, &SessionOptions::default()).map_err(Failure::from)?;
    let info = device.info();
    let device = format!("{} ({}, {})", info.name, info.arch, info.driver_version);
    let mut times = Times { device, image: session.description().to_string(), ways: Vec::new() };
    let mut groups: BTreeMap<&str, Vec<&Candidate>> = BTreeMap::new();
    for candidate in &wanted {
        groups.entry(&candidate.key).or_default().push(candidate);
    }
    for (at, (key, group)) in groups.iter().enumerate() {
        let before = times.ways.len();
        measure_group(&module, &mut session, group, &mut times.ways)?;
        let found = times.ways.get(before..).unwrap_or_default();
        let best = found.iter().filter(|way| way.agrees).min_by(|a, b| a.us.total_cmp(&b.us));
        let model = found.iter().find(|way| way.way == BY_MODEL);
        if let (Some(best), Some(model)) = (best, model) {
            let (number, all, count) = (at + 1, groups.len(), found.len());
            match args.format {
                Format::Text => {
                    say!("{number} of {all}: {key}");
                    say!("  model {:.2} us, best of {count} {:.2} us: {}", model.us, best.us, best.way);
                }
                Format::Json => say!(
                    "{}",
                    serde_json::json!({
                        "number": number, "of": all, "key": key, "ways": count,
                        "model_us": model.us, "best_us": best.us, "best": best.way,
                    })
                ),
            }
        }
        // After each kernel: what was measured is kept when the rest fails or is stopped.
        let text = serde_json::to_string_pretty(&times)?;
        write_atomically(&args.output, &mut |out| Ok(out.write_all(text.as_bytes())?))?;
    }
    Ok(())
}

/// Measures the ways of one kernel on the same inputs.
fn measure_group(module: &Module, session: &mut Session, group: &[&Candidate], times: &mut Vec<WayTime>) -> Result<()> {
    let Some(first) = group.first() else { return Ok(()) };
    let signature = module.function(Some(&first.function)).map_err(Failure::from)?;
    let sets = input_sets(session, signature)?;
    let mut expected: Option<Vec<Tensor>> = None;
    let mut calls = Vec::with_capacity(group.len());
    for candidate in group {
        let call = RecordedCall::new(session, &candidate.function, &sets).map_err(Failure::from)?;
        let outputs: fornax_runtime::Result<Vec<Tensor>> =
            call.outputs.iter().map(|output| session.download(output)).collect();
        let outputs = outputs.map_err(Failure::from)?;
        let mut agrees = true;
        for (actual, expected) in outputs.iter().zip(expected.iter().flatten()) {
            agrees &= agree(actual, expected).map_err(Failure::from)?;
        }
        if !agrees {
            let (way, key) = (&candidate.way, &candidate.key);
            messages::warning(format!("`{way}` differs from the models' way and is left out: {key}"));
        }
        expected.get_or_insert(outputs);
        calls.push((call, agrees, Vec::with_capacity(ROUNDS)));
    }
    // The ways take turns: a device that lowers its clock under load does so for all of them.
    for _ in 0..ROUNDS {
        for (call, _, rounds) in &mut calls {
            rounds.push(call.round_us().map_err(Failure::from)?);
        }
    }
    for (candidate, (_, agrees, rounds)) in group.iter().zip(calls) {
        let (key, way) = (candidate.key.clone(), candidate.way.clone());
        times.push(WayTime { key, way, us: median(rounds), agrees });
    }
    Ok(())
}

/// Whether results are the same bytes, or, as far as they are looked at, within the tolerance.
fn agree(actual: &Tensor, expected: &Tensor) -> fornax_runtime::Result<bool> {
    if actual.bytes() == expected.bytes() {
        return Ok(true);
    }
    Ok(compare(&sample(actual)?, &sample(expected)?, &TOLERANCES).is_equal())
}

/// A large tensor's pieces at equal distances, so that comparing costs little.
fn sample(tensor: &Tensor) -> fornax_runtime::Result<Tensor> {
    if tensor.bytes().len() <= SAMPLE_PIECES * PIECE_BYTES {
        return Ok(tensor.clone());
    }
    let pieces = tensor.bytes().chunks_exact(tensor.bytes().len() / SAMPLE_PIECES / PIECE_BYTES * PIECE_BYTES);
    let bytes: Vec<u8> = pieces.flat_map(|piece| piece.iter().take(PIECE_BYTES).copied()).collect();
    let elements = bytes.len() / tensor.element_type().storage_bytes().max(1);
    Tensor::new(TensorType::new(tensor.element_type(), [elements as u64]), bytes)
}

/// Random inputs, in as many sets as keep them out of the caches.
fn input_sets(session: &Session, signature: &FunctionSignature) -> Result<Vec<Vec<DeviceTensor>>> {
    let bytes: u64 = signature.inputs.iter().map(|t| t.bytes).sum();
    let sets = TURN_BYTES.div_ceil(bytes.max(1)).clamp(1, TURNS);
    let value = |(at, ty): (usize, TensorType)| {
        let range = ty.element_type.is_inexact().then_some((-1.0, 1.0));
        let period = TensorType::new(ty.element_type, [(ty.elements()? as u64).min(PERIOD)]);
        let values = random(period, &Random { seed: at as u64 + 1, range })?;
        let wanted = ty.bytes()?;
        let mut bytes = values.bytes().repeat(wanted.div_ceil(values.bytes().len().max(1)));
        bytes.truncate(wanted);
        Tensor::new(ty, bytes)
    };
    let host: fornax_runtime::Result<Vec<Tensor>> =
        types(&signature.inputs).into_iter().enumerate().map(value).collect();
    let host = host.map_err(Failure::from)?;
    let upload = |_| Ok(session.upload_inputs(&signature.name, &host).map_err(Failure::from)?);
    (0..sets).map(upload).collect()
}

fn apply(args: &TuneApplyArgs) -> Result<()> {
    let mut best: BTreeMap<String, (WayTime, f64)> = BTreeMap::new();
    let mut about = Vec::new();
    let mut keys = 0usize;
    for path in &args.times {
        let times = read_times(path)?;
        about.push(format!("measured on {}, {}", times.device, times.image.split(';').next().unwrap_or_default()));
        let models: BTreeMap<String, f64> =
            times.ways.iter().filter(|way| way.way == BY_MODEL).map(|way| (way.key.clone(), way.us)).collect();
        keys += models.len();
        for way in times.ways.into_iter().filter(|way| way.agrees && way.us > 0.0) {
            let Some(gain) = models.get(&way.key).map(|model| model / way.us) else { continue };
            if way.way != BY_MODEL && gain > WORTH && best.get(&way.key).is_none_or(|known| gain > known.1) {
                best.insert(way.key.clone(), (way, gain));
            }
        }
    }
    let gains: f64 = best.values().map(|(_, gain)| gain.ln()).sum();
    let mean = (gains / best.len().max(1) as f64).exp();
    about.push(format!("{} of {keys} kernels, {mean:.3} times as fast as the models' choice", best.len()));
    match args.format {
        Format::Text => say!("{}: {} of {keys} kernels, gain {mean:.3}", args.output.display(), best.len()),
        Format::Json => {
            let lock = args.output.display().to_string();
            say!("{}", serde_json::json!({ "lock": lock, "kept": best.len(), "kernels": keys, "mean_gain": mean }));
        }
    }
    let lock = Lock { ways: best.into_iter().map(|(key, (way, _))| (key, way.way)).collect() };
    let text = lock.text(&about);
    write_atomically(&args.output, &mut |out| Ok(out.write_all(text.as_bytes())?))
}

fn read_times(path: &Path) -> Result<Times> {
    let text = input_file::read(path)?;
    let wrong =
        |e: serde_json::Error| Failure::usage(format!("{} is not what `tune measure` writes: {e}", path.display()));
    Ok(serde_json::from_slice(&text).map_err(wrong)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_large_results() {
        let ty = |count: u64| TensorType::new(fornax_runtime::ElementType::F32, [count]);
        let small = Tensor::zeros(ty(1000)).unwrap();
        assert_eq!(sample(&small).unwrap().bytes(), small.bytes());
        assert!(agree(&small, &small).unwrap());
        let large = Tensor::zeros(ty(5_000_001)).unwrap();
        let sampled = sample(&large).unwrap();
        assert!(sampled.bytes().len() >= SAMPLE_PIECES * PIECE_BYTES && sampled.bytes().len() < 3 << 20);
    }

    #[test]
    fn the_fastest_way_that_agrees_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (times, output) = (folder.path().join("times.json"), folder.path().join("tuning.lock"));
        let way = |key: &str, way: &str, us, agrees| WayTime { key: key.into(), way: way.into(), us, agrees };
        let ways = vec![
            way("a", BY_MODEL, 10.0, true),
            way("a", "one", 8.0, true),
            way("a", "two", 5.0, false),
            way("b", BY_MODEL, 10.0, true),
            way("b", "one", 9.9, true),
        ];
        let all = Times { device: "d".into(), image: "ptx; loaded".into(), ways };
        std::fs::write(&times, serde_json::to_vec(&all).unwrap()).unwrap();
        apply(&TuneApplyArgs { times: vec![times.clone()], output: output.clone(), format: Format::Text }).unwrap();
        let text = std::fs::read_to_string(&output).unwrap();
        let lock = Lock::parse(&text).unwrap();
        assert_eq!(lock.ways.into_iter().collect::<Vec<_>>(), [("a".to_string(), "one".to_string())]);
        assert!(text.contains("# measured on d, ptx\n# 1 of 2 kernels, 1.250 times"), "{text}");
        std::fs::write(&times, "[]").unwrap();
        let error = apply(&TuneApplyArgs { times: vec![times], output, format: Format::Text }).unwrap_err();
        assert!(format!("{error:#}").contains("tune measure"), "{error:#}");
    }
}

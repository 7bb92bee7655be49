//! What commands on language models share: model, words and sampling from the command line.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use fornax_runtime::hal::{Device, OpenOptions};
use fornax_runtime::session::{Module, ParameterFile, Session, SessionOptions};
use fornax_runtime::team::{self, Sessions};
use fornax_runtime::{ErrorKind, RuntimeError};
use fornax_text::{
    Constraint, Constraints, Demand, DeviceModel, Draft, Guesser, Guesses, Limits, Lookup, Sampling, Vocabulary,
    estimate_inference_memory,
};

use crate::args::{DraftArgs, LanguageModelArgs, SamplingArgs};
use crate::commands::loading::Devices;
use crate::commands::placing::{self, Load};
use crate::failure::Failure;
use crate::input_file;

/// How long a device waits for another one: longer than any call takes.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Stack of a thread that reads words: that of a process's first thread.
const READER_STACK_BYTES: usize = 8 << 20;

/// The words of a model.
pub fn vocabulary(args: &LanguageModelArgs) -> Result<Vocabulary> {
    let first = || args.parameters.first().map(|text| ParameterFile::parse(text).path);
    let missing = || Failure::usage("give --parameters or --tokenizer: words come from there");
    let path: PathBuf = args.tokenizer.clone().or_else(first).ok_or_else(missing)?;
    Ok(Vocabulary::open(&path).map_err(Failure::from)?)
}

/// The words of a model, read by a thread of their own while this one loads the rest: opening a GPU takes as long.
/// Where both fail, what is wrong with the words is said.
pub fn with_vocabulary<T>(args: &LanguageModelArgs, load: impl FnOnce() -> Result<T>) -> Result<(Vocabulary, T)> {
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().name("fornax-words".into()).stack_size(READER_STACK_BYTES);
        // A thread that the system refuses is none: both are done here.
        let Ok(words) = reader.spawn_scoped(scope, || vocabulary(args)) else {
            return Ok((vocabulary(args)?, load()?));
        };
        let loaded = load();
        let words = words.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok((words, loaded?))
    })
}

/// The model on its device.
pub fn model(args: &LanguageModelArgs) -> Result<DeviceModel> {
    model_of(args, &module(args)?, &Demand::default())
}

/// The model of a module on its devices, which have the memory for what is asked of it.
///
/// # Errors
/// FX0729 for another number of devices than the module is made for, FX1111 where one has not the memory.
pub fn model_of(args: &LanguageModelArgs, module: &Module, demand: &Demand) -> Result<DeviceModel> {
    let count = module.manifest().devices();
    if let Some(asked) = args.tensor_parallel.filter(|asked| *asked != count) {
        let message = format!("the module is made for {count} device(s), not for --tensor-parallel={asked}");
        let error = RuntimeError::new("FX0729", ErrorKind::Module, message);
        return Err(Failure::from(error.with_help("compile it with that --tensor-parallel")).into());
    }
    if count == 1 && args.devices.is_none() {
        return Ok(DeviceModel::new(session(args, module, demand)?).map_err(Failure::from)?);
    }
    let opening = OpenOptions { transport: args.collectives.into(), ..OpenOptions::default() };
    let found = team::open(&device_list(args, count), opening).and_then(|devices| {
        let options = session_options(args);
        let uris: Vec<String> = devices.iter().map(|device| device.info().uri()).collect();
        for device in &devices {
            let sharing = uris.iter().filter(|uri| **uri == device.info().uri()).count();
            estimate_inference_memory(module, device, &options, demand)?.check_shared(device, sharing)?;
        }
        DeviceModel::on_devices(Sessions::load(module, devices, TIMEOUT, &options)?)
    });
    Ok(found.map_err(Failure::from)?)
}

/// `cuda:0` of `cuda:0-1`.
fn first_device(list: &str) -> String {
    list.split([',', '-']).next().unwrap_or(list).to_string()
}

/// The devices that are asked for: without a list, the first ones of `--device`.
fn device_list(args: &LanguageModelArgs, count: u32) -> String {
    let one = args.device.as_deref().unwrap_or("cpu");
    match &args.devices {
        Some(list) => list.clone(),
        None if one.contains([':', ',']) => one.to_string(),
        None => format!("{one}:0-{}", count.saturating_sub(1)),
    }
}

/// The model of a module on its device for so many texts at a time, where that is not what a call takes, and what
/// guesses tokens ahead of it.
///
/// # Errors
/// FX1112 where the module cannot verify as many, FX1111 where a model does not fit.
pub fn model_with_guesses(
    args: &LanguageModelArgs,
    (module, texts): (&Module, Option<usize>),
    draft: &DraftArgs,
) -> Result<(DeviceModel, Guesser)> {
    let most = guesses(module, draft)?;
    let demand = Demand { texts, ahead: most > 0, context: None };
    let model = model_of(args, module, &demand)?;
    let guesser = match &draft.draft_module {
        _ if most == 0 => Guesser::none(),
        None => Guesser::new(Box::new(Lookup), most),
        Some(smaller) => {
            let smaller = LanguageModelArgs {
                module: smaller.clone(),
                parameters: draft.draft_parameters.clone(),
                tokenizer: None,
                device: args.device.clone().or_else(|| args.devices.as_deref().map(first_device)),
                fallback: args.fallback,
                devices: None,
                tensor_parallel: None,
                collectives: args.collectives,
            };
            let seats = texts.unwrap_or(model.slots());
            let demand = Demand { texts: Some(seats), ..Demand::default() };
            let smaller = model_of(&smaller, &self::module(&smaller)?, &demand)?;
            Guesser::new(Box::new(Draft::new(smaller, seats).map_err(Failure::from)?), most)
        }
    };
    Ok((model, guesser))
}

/// Tokens that are guessed; 0 where nobody asks for it.
///
/// # Errors
/// FX1112 where the module cannot verify as many.
fn guesses(module: &Module, args: &DraftArgs) -> Result<usize> {
    let most = args.speculate.map_or(0, |most| usize::try_from(most).unwrap_or(usize::MAX));
    fornax_text::ahead::check(module.manifest(), most).map_err(Failure::from)?;
    Ok(most)
}

pub fn module(args: &LanguageModelArgs) -> Result<Module> {
    Ok(Module::open(&args.module).map_err(Failure::from)?)
}

/// The module on its device, which has the memory for what is asked of it.
///
/// # Errors
/// FX1111 where it has not. Nothing was loaded then.
pub fn session(args: &LanguageModelArgs, module: &Module, demand: &Demand) -> Result<Session> {
    let options = session_options(args);
    let check = |device: &Device| estimate_inference_memory(module, device, &options, demand)?.check(device);
    let how = Load { parameters: &[], max_device_memory: None, check: Some(&check) };
    let uri = args.device.as_deref().unwrap_or("cpu");
    placing::start(&mut Devices::default(), &args.module_args(), module, uri, &how)
}

fn session_options(args: &LanguageModelArgs) -> SessionOptions {
    let parameters = args.parameters.iter().map(|text| ParameterFile::parse(text)).collect();
    SessionOptions { parameters, ..SessionOptions::default() }
}

pub fn limits(args: &SamplingArgs) -> Limits {
    Limits { tokens: args.max_tokens, stop: args.stop.clone() }
}

/// What texts may be, where not anything.
///
/// # Errors
/// FX1113 for what is no schema.
pub fn constraint(args: &SamplingArgs, vocabulary: &Vocabulary) -> Result<Option<Constraint>> {
    let Some(given) = &args.json_schema else { return Ok(None) };
    let text =
        given.strip_prefix('@').map_or_else(|| Ok(given.clone()), |path| input_file::read_text(path.as_ref()))?;
    let wrong = |error: serde_json::Error| Failure::usage(format!("--json-schema is no JSON: {error}"));
    let schema = serde_json::from_str(&text).map_err(wrong)?;
    let constraint = Constraints::new(vocabulary).and_then(|constraints| constraints.json(&schema));
    Ok(Some(constraint.map_err(Failure::from)?))
}

pub fn sampling(args: &SamplingArgs) -> Result<Sampling> {
    let SamplingArgs { temperature, top_k, top_p, min_p, repetition_penalty, seed, .. } = *args;
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

/// What guesses were good for, behind other figures; empty where nothing was guessed.
pub fn guessed(guesses: &Guesses) -> String {
    match guesses {
        Guesses { calls: 0, .. } => String::new(),
        Guesses { calls, made, right } => format!("; {made} tokens guessed, {right} of them right, {calls} calls"),
    }
}

/// Tokens a second; `None` where nothing was timed.
pub fn rate(tokens: usize, time: Duration) -> Option<f64> {
    (tokens > 0 && !time.is_zero()).then(|| tokens as f64 / time.as_secs_f64())
}

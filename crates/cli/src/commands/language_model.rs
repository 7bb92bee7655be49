//! What commands on language models share: model, words and sampling from the command line.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use fornax_runtime::hal::Device;
use fornax_runtime::session::{Module, ParameterFile, Session, SessionOptions};
use fornax_text::{Demand, DeviceModel, Limits, Sampling, Vocabulary, estimate_inference_memory};

use crate::args::{LanguageModelArgs, SamplingArgs};
use crate::commands::loading::Devices;
use crate::commands::placing::{self, Load};
use crate::failure::Failure;

/// The words of a model.
pub fn vocabulary(args: &LanguageModelArgs) -> Result<Vocabulary> {
    let first = || args.parameters.first().map(|text| ParameterFile::parse(text).path);
    let missing = || Failure::usage("give --parameters or --tokenizer: words come from there");
    let path: PathBuf = args.tokenizer.clone().or_else(first).ok_or_else(missing)?;
    Ok(Vocabulary::open(&path).map_err(Failure::from)?)
}

/// The model on its device.
pub fn model(args: &LanguageModelArgs) -> Result<DeviceModel> {
    let module = module(args)?;
    Ok(DeviceModel::new(session(args, &module, None)?).map_err(Failure::from)?)
}

pub fn module(args: &LanguageModelArgs) -> Result<Module> {
    Ok(Module::open(&args.module).map_err(Failure::from)?)
}

/// The module on its device, which has the memory for so many texts at a time; for those of one call, where nobody
/// says.
///
/// # Errors
/// FX1111 where it has not. Nothing was loaded then.
pub fn session(args: &LanguageModelArgs, module: &Module, texts: Option<usize>) -> Result<Session> {
    let parameters = args.parameters.iter().map(|text| ParameterFile::parse(text)).collect();
    let options = SessionOptions { parameters, ..SessionOptions::default() };
    let demand = Demand { texts, context: None };
    let check = |device: &Device| estimate_inference_memory(module, device, &options, &demand)?.check(device);
    let how = Load { parameters: &[], max_device_memory: None, check: Some(&check) };
    let uri = args.device.as_deref().unwrap_or("cpu");
    placing::start(&mut Devices::default(), &args.module_args(), module, uri, &how)
}

pub fn limits(args: &SamplingArgs) -> Limits {
    Limits { tokens: args.max_tokens, stop: args.stop.clone() }
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

/// Tokens a second; `None` where nothing was timed.
pub fn rate(tokens: usize, time: Duration) -> Option<f64> {
    (tokens > 0 && !time.is_zero()).then(|| tokens as f64 / time.as_secs_f64())
}

//! `fornax run-module --devices=…`: one call of a module that is made for several devices.
//!
//! Of a function whose signature has shardings, inputs and outputs are whole tensors: each device gets its parts, and
//! what the devices have is joined. Else, and where a text names the device, every device has its own:
//!
//! ```text
//! --input=4xf32=1 2 3 4                every device
//! --input=@x.{device}.npy              x.0.npy, x.1.npy, …
//! ```

use std::time::Duration;

use anyhow::Result;
use fornax_module::manifest::FunctionSignature;
use fornax_runtime::Tensor;
use fornax_runtime::hal::{Device, OpenOptions};
use fornax_runtime::session::{Module, ParameterFile, SessionOptions, sharding};
use fornax_runtime::team::{Team, open};
use fornax_runtime::tensor::output::{OutputTarget, write_output};
use fornax_runtime::tensor::print::PrintOptions;

use crate::args::{Format, RunArgs};
use crate::commands::{loading, results, run_module};
use crate::failure::Failure;
use crate::output::say;

/// Stands for a device's number.
pub const DEVICE: &str = "{device}";
/// A day: longer than any run waits on purpose.
const TIMEOUT_MAX: f64 = 86_400.0;

pub fn run(args: &RunArgs, devices: &str) -> Result<()> {
    timeout(args.collective_timeout)?;
    let (module, signature) = loading::open(&args.module)?;
    let devices = open(devices, OpenOptions { transport: args.collectives.into(), ..OpenOptions::default() })
        .map_err(Failure::from)?;
    let apart = names_device(args) || !sharding::is_sharded(&signature);
    let how = Run { args, module: &module, signature: &signature };
    if apart { how.each(devices) } else { how.whole(devices) }
}

/// Whether a text names the device.
pub fn names_device(args: &RunArgs) -> bool {
    let texts = args.module.input.iter().chain(&args.module.output).chain(&args.expected_output);
    texts.into_iter().any(|text| text.contains(DEVICE))
}

/// How long a device waits for another one.
pub fn timeout(seconds: f64) -> Result<Duration> {
    if !(seconds > 0.0 && seconds <= TIMEOUT_MAX) {
        return Err(Failure::usage("--collective-timeout is a number of seconds above 0, at most a day").into());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// A run of a function.
struct Run<'a> {
    args: &'a RunArgs,
    module: &'a Module,
    signature: &'a FunctionSignature,
}

impl Run<'_> {
    /// Every device has its own inputs and outputs.
    fn each(&self, devices: Vec<Device>) -> Result<()> {
        let Run { args, signature, .. } = *self;
        let inputs = (0..devices.len()).map(|device| inputs(signature, &args.module.input, device));
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        let outputs = call(args, self.module, signature, (devices, &inputs))?;
        for (device, outputs) in outputs.iter().enumerate() {
            write(args, outputs, device)?;
        }
        print(args, signature, &outputs)?;
        outputs.iter().enumerate().try_for_each(|(device, outputs)| {
            let expected = named(&args.expected_output, device);
            run_module::check_outputs(args, &expected, outputs, &loading::types(&signature.outputs))
        })
    }

    /// Whole tensors are cut and joined.
    fn whole(&self, devices: Vec<Device>) -> Result<()> {
        let Run { args, signature, .. } = *self;
        let whole = sharding::whole_signature(signature);
        let given = loading::inputs(&whole, &args.module.input)?;
        let count = devices.len() as u32;
        let parts =
            |device| given.iter().zip(&signature.inputs).map(move |(t, s)| sharding::part(t, s, device)).collect();
        let inputs = (0..count).map(parts).collect::<fornax_runtime::Result<Vec<Vec<Tensor>>>>();
        let outputs = call(args, self.module, signature, (devices, &inputs.map_err(Failure::from)?))?;
        let joined = signature.outputs.iter().enumerate().map(|(at, output)| {
            let parts: Vec<&Tensor> = outputs.iter().filter_map(|one| one.get(at)).collect();
            sharding::join(&parts, output)
        });
        let joined = joined.collect::<fornax_runtime::Result<Vec<_>>>().map_err(Failure::from)?;
        write(args, &joined, 0)?;
        print(args, signature, std::slice::from_ref(&joined))?;
        run_module::check_outputs(args, &args.expected_output, &joined, &loading::types(&whole.outputs))
    }
}

fn call(
    args: &RunArgs,
    module: &Module,
    signature: &FunctionSignature,
    (devices, inputs): (Vec<Device>, &[Vec<Tensor>]),
) -> Result<Vec<Vec<Tensor>>> {
    let options = options(args);
    let team = Team::new(devices, timeout(args.collective_timeout)?).with_options(options);
    Ok(team.invoke(module, &signature.name, inputs).map_err(Failure::from)?)
}

pub fn options(args: &RunArgs) -> SessionOptions {
    let parameters = args.module.parameters.iter().map(|p| ParameterFile::parse(p)).collect();
    SessionOptions { parameters, max_device_memory: args.max_memory, ..SessionOptions::default() }
}

/// Texts for one device.
pub fn named(texts: &[String], device: usize) -> Vec<String> {
    texts.iter().map(|text| text.replace(DEVICE, &device.to_string())).collect()
}

pub fn inputs(signature: &FunctionSignature, texts: &[String], device: usize) -> Result<Vec<Tensor>> {
    loading::inputs(signature, &named(texts, device))
}

/// Outputs of a device that go to files.
pub fn write(args: &RunArgs, outputs: &[Tensor], device: usize) -> Result<()> {
    let texts = named(&args.module.output, device);
    let targets: Vec<OutputTarget> = run_module::targets(&texts)?;
    if targets.len() > outputs.len() {
        return Err(Failure::usage(format!("{} --output flags for {} outputs", targets.len(), outputs.len())).into());
    }
    for (at, (target, tensor)) in targets.iter().zip(outputs).enumerate() {
        if results::is_printed(Some(target)) {
            continue;
        }
        // One file for all devices would hold the last one's.
        if device > 0 && args.module.output.get(at).is_some_and(|text| !text.contains(DEVICE)) {
            continue;
        }
        write_output(target, tensor).map_err(Failure::from)?;
    }
    Ok(())
}

/// Prints outputs, of several devices each with its number.
fn print(args: &RunArgs, signature: &FunctionSignature, outputs_of: &[Vec<Tensor>]) -> Result<()> {
    let max_elements = args.output_max_element_count;
    let targets = run_module::targets(&args.module.output)?;
    match args.format {
        Format::Text => {
            let options = PrintOptions { max_elements, ..PrintOptions::default() };
            for (device, outputs) in outputs_of.iter().enumerate() {
                let shown = outputs_of.len() > 1 && (0..outputs.len()).any(|at| results::is_printed(targets.get(at)));
                if shown {
                    say!("device {device}");
                }
                results::print_text(&signature.name, outputs, &targets, &options, args.iree_output);
            }
        }
        Format::Json => {
            let object = |(at, tensor): (usize, &Tensor)| {
                let name = signature.outputs.get(at).and_then(|output| output.name.clone());
                results::object(tensor, name, targets.get(at), max_elements)
            };
            let all: Vec<Vec<_>> = outputs_of.iter().map(|one| one.iter().enumerate().map(object).collect()).collect();
            say!("{}", serde_json::json!({ "function": signature.name, "devices": all }));
        }
    }
    Ok(())
}

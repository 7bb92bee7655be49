//! `fornax run-module --launcher=env`: this process is one device of a module that is made for several.
//!
//! Inputs are as those of `--devices`: of a function with shardings whole tensors, of which the process takes its part,
//! unless a text names the device. Outputs stay where they are: each process has its part, and prints or writes that.
//! What does not differ among the devices, number 0 alone writes and prints.

use anyhow::Result;
use fornax_module::manifest::{FunctionSignature, TensorSignature};
use fornax_runtime::Tensor;
use fornax_runtime::hal::OpenOptions;
use fornax_runtime::launch::{self, Place};
use fornax_runtime::session::{SessionOptions, sharding};
use fornax_runtime::team;
use fornax_runtime::tensor::parse::parse_inputs;
use fornax_runtime::tensor::print::PrintOptions;

use crate::args::{Format, RunArgs};
use crate::commands::{loading, results, run_module, run_team};
use crate::failure::Failure;
use crate::output::say;

pub fn run(args: &RunArgs) -> Result<()> {
    let timeout = run_team::timeout(args.collective_timeout)?;
    let place = Place::from_variables(&|name| std::env::var(name).ok()).map_err(Failure::from)?;
    let (module, signature) = loading::open(&args.module)?;
    let is_whole = sharding::is_sharded(&signature) && !run_team::names_device(args);
    if is_whole && place.count > 1 && !args.module.output.iter().all(|text| text == "-") {
        let what = "each process has its part of the outputs: `{device}` in --output stands for its number";
        return Err(Failure::usage(what).into());
    }
    let inputs = inputs(args, &signature, (is_whole, place.number))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu_threads = Some((cores / place.count as usize).max(1));
    let uri = args.module.device.as_deref().unwrap_or("cpu");
    let options = OpenOptions { cpu_threads, transport: args.collectives.into(), ..OpenOptions::default() };
    let devices = team::open(uri, options).map_err(Failure::from)?;
    let [device] = devices.as_slice() else {
        return Err(Failure::usage(format!("--device={uri}: a process is one device")).into());
    };
    let collective = place.connect(device, timeout).map_err(Failure::from)?;
    let options = SessionOptions { collective, ..run_team::options(args) };
    let outputs = launch::invoke(&module, device, options, (&signature.name, &inputs)).map_err(Failure::from)?;
    run_team::write(args, &outputs, place.number as usize)?;
    print(args, &signature, &outputs, place.number)?;
    check(args, &signature, &outputs, (is_whole, place.number))
}

/// This process's inputs: its own, or its parts of whole tensors.
fn inputs(args: &RunArgs, signature: &FunctionSignature, (is_whole, number): (bool, u32)) -> Result<Vec<Tensor>> {
    if !is_whole {
        return run_team::inputs(signature, &args.module.input, number as usize);
    }
    let whole = loading::inputs(&sharding::whole_signature(signature), &args.module.input)?;
    let parts = whole.iter().zip(&signature.inputs).map(|(tensor, of)| sharding::part(tensor, of, number));
    Ok(parts.collect::<fornax_runtime::Result<_>>().map_err(Failure::from)?)
}

fn print(args: &RunArgs, signature: &FunctionSignature, outputs: &[Tensor], number: u32) -> Result<()> {
    let texts = run_team::named(&args.module.output, number as usize);
    let targets = run_module::targets(&texts)?;
    let max_elements = args.output_max_element_count;
    match args.format {
        Format::Text => {
            if (0..outputs.len()).any(|at| results::is_printed(targets.get(at))) {
                say!("device {number}");
            }
            let options = PrintOptions { max_elements, ..PrintOptions::default() };
            results::print_text(&signature.name, outputs, &targets, &options, args.iree_output);
        }
        Format::Json => {
            let object = |(at, tensor): (usize, &Tensor)| {
                let name = signature.outputs.get(at).and_then(|output| output.name.clone());
                results::object(tensor, name, targets.get(at), max_elements)
            };
            let outputs: Vec<_> = outputs.iter().enumerate().map(object).collect();
            say!("{}", serde_json::json!({ "function": signature.name, "device": number, "outputs": outputs }));
        }
    }
    Ok(())
}

/// Compares this process's outputs with its own, or its parts of whole, expected ones.
fn check(
    args: &RunArgs,
    signature: &FunctionSignature,
    outputs: &[Tensor],
    (is_whole, number): (bool, u32),
) -> Result<()> {
    if !is_whole {
        let expected = run_team::named(&args.expected_output, number as usize);
        return run_module::check_outputs(args, &expected, outputs, &loading::types(&signature.outputs));
    }
    if args.expected_output.is_empty() {
        return Ok(());
    }
    let types = loading::types(&sharding::whole_signature(signature).outputs);
    let whole = parse_inputs(&args.expected_output, &types).map_err(Failure::from)?;
    let part = |(tensor, of): (&Option<Tensor>, &TensorSignature)| {
        tensor.as_ref().map(|tensor| sharding::part(tensor, of, number)).transpose()
    };
    let parts = whole.iter().zip(&signature.outputs).map(part).collect::<fornax_runtime::Result<Vec<_>>>();
    run_module::compare_outputs(args, &parts.map_err(Failure::from)?, outputs)
}

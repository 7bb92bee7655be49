//! The step with the compiler: the model's module with what a call must compute, for given or random inputs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use fornax_compiler::{Checks, CompileError, Fault, Input, ReferenceTensor};
use fornax_module::ModuleBuilder;
use fornax_module::manifest::{DimSig, FunctionSignature, TensorSignature};
use fornax_runtime::registry::driver_of;
use fornax_runtime::session::Module;
use fornax_runtime::tensor::generate::{Random, random};
use fornax_runtime::tensor::parse::parse_inputs;
use fornax_runtime::{ElementType, Tensor, TensorType};

use super::compare::{Tolerances, compare};
use super::{measure, reproducer};
use crate::args::CompileArgs;
use crate::args::verify::{ModelArgs, PrepareArgs, RunArgs};
use crate::atomic_file::write_atomically;
use crate::commands::compile::checked;
use crate::commands::loading::types;
use crate::failure::Failure;
use crate::output::say;

/// A size known only at run time, where nothing says another.
const SIZE: u64 = 5;

pub fn write(args: &PrepareArgs, run: &RunArgs) -> Result<()> {
    let target = args.model.target.clone().unwrap_or_else(|| "cpu".into());
    let builder = prepare(&args.model, &target, run)?;
    write_atomically(&args.output, &mut |out| {
        builder.write_to(out).map_err(Failure::from)?;
        Ok(())
    })?;
    say!("{}: run it with `fornax verify measure {} --device=…`", args.output.display(), args.output.display());
    Ok(())
}

pub fn run(args: &ModelArgs, run: &RunArgs) -> Result<()> {
    let device = run.device.as_deref().unwrap_or("cpu");
    let driver = device.split(':').next().unwrap_or_default();
    let native = match driver_of(driver).filter(|row| row.is_gpu) {
        Some(row) => format!("{}:native", row.name),
        None => "cpu".to_string(),
    };
    let builder = prepare(args, args.target.as_deref().unwrap_or(&native), run)?;
    let module = Module::from_bytes(builder.to_bytes().map_err(Failure::from)?).map_err(Failure::from)?;
    measure::measure(&module, "the module", run)
}

/// A model and its inputs: those of the command line, or those of a reproducer's folder.
fn model_and_inputs(args: &ModelArgs) -> Result<(PathBuf, Vec<String>), Failure> {
    let model = args.model.clone().ok_or_else(|| Failure::usage("`fornax verify` needs a model, or a step"))?;
    if !model.is_dir() {
        return Ok((model, args.input.clone()));
    }
    let mut inputs = args.input.clone();
    if inputs.is_empty() {
        let files = (0..).map(|n| reproducer::input_file(&model, n)).take_while(|file| file.exists());
        inputs = files.map(|file| format!("@{}", file.display())).collect();
    }
    Ok((model.join(reproducer::MODEL), inputs))
}

fn prepare(args: &ModelArgs, target: &str, run: &RunArgs) -> Result<ModuleBuilder<'static>> {
    #[derive(Parser)]
    #[command(no_binary_name = true)]
    struct Flags {
        #[command(flatten)]
        compile: CompileArgs,
    }
    let (model, texts) = model_and_inputs(args)?;
    let tolerances = Tolerances::parse(&run.tolerance)?;
    let mut flags = vec![model.display().to_string(), format!("--target={target}")];
    flags.push(format!("--f32-matmul={}", args.f32_matmul));
    flags.extend(args.jobs.map(|jobs| format!("--jobs={jobs}")));
    let flags = Flags::try_parse_from(flags).map_err(|e| Failure::usage(e.to_string()))?;
    let checks = Checks {
        inputs: &|signature| {
            inputs(signature, &texts, args).map_err(|f| CompileError {
                code: "FX0910".into(),
                fault: Fault::User,
                message: f.message,
            })
        },
        function: args.function.as_deref(),
        room: args.room,
        agree: &|model, compiled| disagreement(model, compiled, &tolerances),
    };
    checked(&flags.compile, &checks)
}

/// The inputs of a call: given ones first, then random ones.
fn inputs(signature: &FunctionSignature, texts: &[String], args: &ModelArgs) -> Result<Vec<Input>, Failure> {
    let parsed = parse_inputs(texts, &types(&signature.inputs)).map_err(Failure::from)?;
    let given: Option<Vec<Tensor>> = parsed.into_iter().collect();
    let mut tensors = given.ok_or_else(|| Failure::usage("`(ignored)` stands for no input"))?;
    if tensors.len() > signature.inputs.len() {
        let text = format!("{} inputs for the {} of @{}", tensors.len(), signature.inputs.len(), signature.name);
        return Err(Failure::usage(text));
    }
    let mut sizes = sizes(&args.size)?;
    for (at, (tensor, wanted)) in tensors.iter().zip(&signature.inputs).enumerate() {
        fits(at, tensor, wanted, &mut sizes)?;
    }
    for (at, wanted) in signature.inputs.iter().enumerate().skip(tensors.len()) {
        tensors.push(made(at, wanted, &mut sizes, args.seed)?);
    }
    Ok(tensors.into_iter().map(|t| (t.shape().to_vec(), t.into_bytes())).collect())
}

fn sizes(texts: &[String]) -> Result<BTreeMap<String, u64>, Failure> {
    let one = |text: &String| {
        let parsed = text.rsplit_once('=').and_then(|(name, n)| Some((name.to_string(), n.parse().ok()?)));
        parsed.ok_or_else(|| Failure::usage(format!("--size={text}: NAME=NUMBER")))
    };
    texts.iter().map(one).collect()
}

/// A given input must be of the argument's type; sizes that it shows are kept.
fn fits(
    at: usize,
    tensor: &Tensor,
    wanted: &TensorSignature,
    sizes: &mut BTreeMap<String, u64>,
) -> Result<(), Failure> {
    let same_type = ElementType::parse(&wanted.element_type) == Some(tensor.element_type());
    let mut right = same_type && tensor.shape().len() == wanted.shape.len();
    for (&size, dim) in tensor.shape().iter().zip(&wanted.shape) {
        right &= match dim {
            DimSig::Static(n) => *n == size,
            DimSig::Symbolic { name, .. } => *sizes.entry(name.clone()).or_insert(size) == size,
            DimSig::Computed { .. } => true,
        };
    }
    let text =
        || format!("input {at} is {}, the model takes {} of another shape or type", tensor.ty(), wanted.element_type);
    if right { Ok(()) } else { Err(Failure::usage(text())) }
}

/// A random input.
fn made(at: usize, wanted: &TensorSignature, sizes: &mut BTreeMap<String, u64>, seed: u64) -> Result<Tensor, Failure> {
    let mut shape = Vec::with_capacity(wanted.shape.len());
    for dim in &wanted.shape {
        shape.push(match dim {
            DimSig::Static(n) => *n,
            DimSig::Symbolic { name, min, max } => {
                *sizes.entry(name.clone()).or_insert(SIZE.clamp((*min).min(*max), *max))
            }
            DimSig::Computed { formula, .. } => {
                let text = format!("input {at} has a size that follows from others, {formula}: give it with --input");
                return Err(Failure::usage(text));
            }
        });
    }
    let unknown = || Failure::usage(format!("input {at} has elements of type {}", wanted.element_type));
    let ty = TensorType::new(ElementType::parse(&wanted.element_type).ok_or_else(unknown)?, shape);
    let whole = ty.element_type.is_inexact();
    let range = if whole { Some((-1.0, 1.0)) } else { None };
    random(ty, &Random { seed: seed.wrapping_add(at as u64), range }).map_err(Failure::from)
}

/// How the outputs of the compiled program differ from those of the model, by the reference alone.
fn disagreement(model: &[ReferenceTensor], compiled: &[ReferenceTensor], tolerances: &Tolerances) -> Option<String> {
    for (at, (expected, found)) in model.iter().zip(compiled).enumerate() {
        let ty = ElementType::parse(expected.element().spelling())?;
        let shape: Vec<u64> = expected.shape().into_iter().map(|n| n as u64).collect();
        let tensor = |bytes: &[u8]| Tensor::new(TensorType::new(ty, shape.clone()), bytes.to_vec());
        // Complex results may be pairs of real ones: the same bytes.
        let (Ok(found), Ok(expected)) = (tensor(&found.bytes), tensor(&expected.bytes)) else {
            return Some(format!("output {at} has another number of bytes"));
        };
        if let Err(difference) = compare(&found, &expected, tolerances, true) {
            return Some(format!("output {at}: {}", difference.text));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_inputs_take_sizes_from_flags_and_from_each_other() {
        let dim = |name: &str| DimSig::Symbolic { name: name.into(), min: 1, max: 9 };
        let signature = |shape| TensorSignature { element_type: "f32".into(), shape, ..TensorSignature::default() };
        let mut sizes = sizes(&["b=3".to_string()]).unwrap();
        let first = made(0, &signature(vec![dim("b"), dim("s")]), &mut sizes, 1).unwrap();
        assert_eq!(first.shape(), [3, SIZE]);
        assert!(fits(0, &first, &signature(vec![dim("b"), dim("s")]), &mut sizes).is_ok());
        assert!(fits(0, &first, &signature(vec![dim("s"), dim("s")]), &mut sizes).is_err());
        assert!(super::sizes(&["b".to_string()]).is_err());
        let wanted = signature(vec![DimSig::Computed { formula: "2*b".into(), min: 0, max: 9 }]);
        assert!(made(0, &wanted, &mut sizes, 1).unwrap_err().message.contains("2*b"));
    }

    #[test]
    fn a_folder_is_a_model_with_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let args = ModelArgs {
            model: Some(folder.path().to_path_buf()),
            function: None,
            input: Vec::new(),
            seed: 1,
            size: Vec::new(),
            target: None,
            f32_matmul: "ieee".into(),
            jobs: None,
            room: 1,
        };
        std::fs::write(reproducer::input_file(folder.path(), 0), "").unwrap();
        std::fs::write(reproducer::input_file(folder.path(), 2), "").unwrap();
        let (model, inputs) = model_and_inputs(&args).unwrap();
        assert_eq!((model, inputs.len()), (folder.path().join("model.mlir"), 1));
    }
}

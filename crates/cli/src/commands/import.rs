//! `fornax import`: a model or a checkpoint as StableHLO text.

use std::path::Path;

use anyhow::Result;
use fornax_compiler::{
    ACTIVATION_TYPES, ActivationType, CACHE_TYPES, CheckpointOptions, FixedInput, FixedSize, OnnxOptions,
    SequenceLength, checkpoint_text, chunk_default, is_checkpoint, long_chunk_default,
};
use fornax_targets::Resolved;
use fornax_types::ElementType;

use crate::args::{CheckpointArgs, ImportArgs, OnnxArgs};
use crate::atomic_file::write_atomically;
use crate::commands::compile::failure;
use crate::failure::Failure;
use crate::input_file::{self, STDIN};
use crate::output;

/// Types that the products of a checkpoint can have.
const ELEMENTS: [ElementType; 3] = [ElementType::F32, ElementType::Bf16, ElementType::F16];

pub fn run(args: &ImportArgs) -> Result<()> {
    let source = model(&args.input, &args.checkpoint, &[])?;
    let name = args.input.display().to_string();
    let text = fornax_compiler::import_only(&source, &name, onnx_options(&args.onnx)?).map_err(failure)?;
    match args.output.as_deref().filter(|path| *path != Path::new(STDIN)) {
        Some(path) => write_atomically(path, &mut |out| Ok(out.write_all(text.as_bytes())?)),
        None => {
            output::bytes(text.as_bytes());
            Ok(())
        }
    }
}

/// What `--fix-input`, `--fix-size` and `--sequence-length` say.
///
/// # Errors
/// FX0801 for text of another form.
pub fn onnx_options(how: &OnnxArgs) -> Result<OnnxOptions> {
    let wrong = |flag: &str, text: &str, form: &str| Failure::usage(format!("--{flag}=`{text}`: {form} is expected"));
    let mut options = OnnxOptions::default();
    for text in &how.fix_input {
        let given = FixedInput::parse(text).ok_or_else(|| wrong("fix-input", text, "`NAME=VALUES`"))?;
        options.fixed_inputs.push(given);
    }
    for text in &how.fix_size {
        let given = FixedSize::parse(text).ok_or_else(|| wrong("fix-size", text, "`NAME=SIZE`"))?;
        options.fixed_sizes.push(given);
    }
    for text in &how.sequence_length {
        let form = "`NAME=LENGTH`, at most 4096,";
        let given = SequenceLength::parse(text).ok_or_else(|| wrong("sequence-length", text, form))?;
        options.sequence_lengths.push(given);
    }
    Ok(options)
}

/// The bytes of a model; a checkpoint is written as one first, for these targets.
///
/// # Errors
/// FX0801 for a type that no product has, FX0803 for what cannot be read, FX10xx of checkpoints.
pub fn model(input: &Path, how: &CheckpointArgs, targets: &[Resolved]) -> Result<Vec<u8>> {
    if !is_checkpoint(input) {
        if how.tensor_parallel != 1 {
            return Err(Failure::usage("--tensor-parallel is for checkpoints; other models say their devices").into());
        }
        return input_file::read(input);
    }
    let on_gpu = targets.iter().any(|resolved| resolved.target.is_gpu());
    let chunk = how.chunk.unwrap_or_else(|| chunk_default(on_gpu));
    let element = element(&how.compute_type)?;
    let options = CheckpointOptions {
        context: how.context,
        chunk,
        long_chunk: how.long_chunk.unwrap_or_else(|| long_chunk_default(on_gpu, chunk)),
        batch: how.batch,
        pages: how.cache_pages,
        speculate: how.speculate,
        devices: how.tensor_parallel,
        element,
        cache: cache_element(how.cache_type.as_deref())?,
        activations: activations(&how.activation_type)?,
    };
    Ok(checkpoint_text(input, &options).map_err(failure)?.into_bytes())
}

/// What `--activation-type` names.
///
/// # Errors
/// FX0801 for another name.
fn activations(name: &str) -> Result<ActivationType> {
    let found = ACTIVATION_TYPES.iter().find(|(own, _)| *own == name).map(|(_, kind)| *kind);
    let known = || ACTIVATION_TYPES.map(|(own, _)| own).join(", ");
    Ok(found.ok_or_else(|| Failure::usage(format!("unknown --activation-type `{name}`; known: {}", known())))?)
}

/// The type that `--cache-type` names.
///
/// # Errors
/// FX0801 for a type that no cache has.
pub fn cache_element(name: Option<&str>) -> Result<Option<ElementType>> {
    let Some(name) = name else { return Ok(None) };
    let found = CACHE_TYPES.iter().find(|(own, _)| *own == name).map(|(_, element)| *element);
    let known = || CACHE_TYPES.map(|(own, _)| own).join(", ");
    Ok(Some(found.ok_or_else(|| Failure::usage(format!("unknown --cache-type `{name}`; known: {}", known())))?))
}

/// The type that `--compute-type` names.
///
/// # Errors
/// FX0801 for a type that no product has.
pub fn element(name: &str) -> Result<ElementType> {
    let found = ELEMENTS.iter().find(|element| element.spelling() == name).copied();
    Ok(found.ok_or_else(|| {
        let known: Vec<&str> = ELEMENTS.iter().map(|element| element.spelling()).collect();
        Failure::usage(format!("unknown --compute-type `{name}`; known: {}", known.join(", ")))
    })?)
}

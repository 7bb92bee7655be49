//! Arguments that bench makes itself where none are given: random numbers by the rule of `--input=TYPE=random:SEED`.
//!
//! Worked example: `@main(batchx8xf32, 8xi32)` with `--size batch=4` is measured on `4x8xf32=random:0` and
//! `8xi32=random:1`. The texts are told on stderr as `--input` flags, so that a run can be had again, and by other
//! commands. Parameters of the module are made by the same rule where no file is named: they are there before the
//! module is loaded, the inputs only when a session knows the sizes.

use anyhow::Result;
use fornax_module::manifest::FunctionSignature;
use fornax_runtime::session::{Module, Session};
use fornax_runtime::tensor::generate::{Random, random};
use fornax_runtime::{ParameterTensor, Tensor, TensorType};

use crate::args::ModuleArgs;
use crate::commands::{arguments, loading};
use crate::failure::Failure;
use crate::messages;

/// Parameters of the module; none where files are named.
pub fn parameters(module: &Module, signature: &FunctionSignature, args: &ModuleArgs) -> Result<Vec<ParameterTensor>> {
    arguments::made_parameters(module, signature, &args.parameters, &tensor)
}

/// The inputs, and the texts that give them: of all arguments, where their parameters were made too.
pub fn make(
    session: &Session,
    signature: &FunctionSignature,
    sizes: &[(String, u64)],
    parameters: &[ParameterTensor],
) -> Result<(Vec<Tensor>, Vec<String>)> {
    let types = loading::sized_types(session, signature, sizes)?;
    let all = !parameters.is_empty();
    let mut texts = vec![String::new(); if all { signature.arguments() } else { types.len() }];
    let mut set = |at: usize, ty: &TensorType| {
        if let Some(slot) = texts.get_mut(at) {
            *slot = format!("{ty}=random:{at}");
        }
    };
    for (place, parameter) in signature.parameters.iter().zip(parameters) {
        set(place.argument as usize, parameter.tensor.ty());
    }
    let mut tensors = Vec::with_capacity(types.len());
    for (input, ty) in types.into_iter().enumerate() {
        let at = if all { arguments::number(signature, input) } else { input };
        set(at, &ty);
        tensors.push(tensor(at, ty)?);
    }
    if !texts.is_empty() {
        let flags: Vec<String> = texts.iter().map(|text| format!("--input={text}")).collect();
        messages::note(format!("no inputs given, measuring with {}", flags.join(" ")));
    }
    Ok((tensors, texts))
}

/// What `random:AT` gives.
fn tensor(at: usize, ty: TensorType) -> Result<Tensor> {
    Ok(random(ty, &Random { seed: at as u64, range: None }).map_err(Failure::from)?)
}

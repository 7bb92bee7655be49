//! Arguments of a call where some of them are parameters of the module.
//!
//! Worked example: `@predict(image, kernel, bias)`, compiled with `--weights=1..`. Three `--input` flags are the
//! model's arguments: two are bound as parameters when the module is loaded, a call takes the first. One `--input`
//! flag is `image` alone, and `--parameters` names the files of the others.

use std::sync::Arc;

use anyhow::Result;
use fornax_module::manifest::{FunctionSignature, Parameter};
use fornax_runtime::session::Module;
use fornax_runtime::{ElementType, ParameterTensor, Tensor, TensorType};

use crate::commands::loading;
use crate::failure::Failure;

/// What a command line gives.
pub struct Given {
    pub inputs: Vec<Tensor>,
    /// Bound when the module is loaded.
    pub parameters: Vec<ParameterTensor>,
}

/// Inputs of a call, or all arguments of the model; `files` are those of `--parameters`.
///
/// # Errors
/// Those of the texts; where all arguments are given, FX0711 to FX0713 with the model's numbers.
pub fn given(module: &Module, signature: &FunctionSignature, texts: &[String], files: &[String]) -> Result<Given> {
    let all = signature.arguments();
    let inputs_alone = signature.inputs.len();
    // One text may give several tensors, so their number shows only once they are read.
    let may_be_all = all > inputs_alone && !texts.is_empty() && (files.is_empty() || texts.len() > inputs_alone);
    let whole = module.manifest().model_signature(signature);
    let tensors = loading::inputs(if may_be_all { &whole } else { signature }, texts)?;
    let is_all = all > inputs_alone && tensors.len() == all;
    if !is_all && (!may_be_all || tensors.len() == inputs_alone) {
        return Ok(Given { inputs: tensors, parameters: Vec::new() });
    }
    let count = tensors.len();
    let split = module.split_arguments(&signature.name, tensors);
    let help = "give every one, or leave the parameters out and name their files with --parameters";
    let split = split.map_err(|error| if count == all { error } else { error.with_help(help) });
    let (inputs, mut parameters) = split.map_err(Failure::from)?;
    add_others(module, files, &mut parameters)?;
    Ok(Given { inputs, parameters })
}

/// Parameters that nobody gave, by a rule for the argument of a number; none where files hold them, and where the
/// module does not say which arguments they were.
pub fn made_parameters(
    module: &Module,
    signature: &FunctionSignature,
    files: &[String],
    rule: &dyn Fn(usize, TensorType) -> Result<Tensor>,
) -> Result<Vec<ParameterTensor>> {
    if !files.is_empty() || signature.parameters.is_empty() {
        return Ok(Vec::new());
    }
    let mut made = Vec::with_capacity(signature.parameters.len());
    for place in &signature.parameters {
        let Some(parameter) = module.manifest().parameters.get(place.parameter as usize) else { continue };
        let tensor = rule(place.argument as usize, tensor_type(parameter)?)?;
        made.push(ParameterTensor { name: parameter.full_name(), tensor: Arc::new(tensor) });
    }
    add_others(module, files, &mut made)?;
    Ok(made)
}

/// The number that the model gives to input `input` of the calls, where parameters count too.
pub fn number(signature: &FunctionSignature, input: usize) -> usize {
    signature.parameters.iter().fold(input, |at, place| if place.argument as usize <= at { at + 1 } else { at })
}

/// Parameters of functions that are not called must be bound too: they are zeros where no file has them.
fn add_others(module: &Module, files: &[String], bound: &mut Vec<ParameterTensor>) -> Result<()> {
    if !files.is_empty() {
        return Ok(());
    }
    for parameter in &module.manifest().parameters {
        let name = parameter.full_name();
        if bound.iter().all(|tensor| tensor.name != name) {
            let tensor = Tensor::zeros(tensor_type(parameter)?).map_err(Failure::from)?;
            bound.push(ParameterTensor { name, tensor: Arc::new(tensor) });
        }
    }
    Ok(())
}

fn tensor_type(parameter: &Parameter) -> Result<TensorType> {
    let unknown = || {
        let (name, element) = (parameter.full_name(), &parameter.element_type);
        Failure::usage(format!("parameter {name} has elements of type {element}, which this version does not know"))
    };
    let element_type = ElementType::parse(&parameter.element_type).ok_or_else(unknown)?;
    Ok(TensorType::new(element_type, parameter.shape.clone()))
}

#[cfg(test)]
mod tests {
    use fornax_module::manifest::ParameterArgument;

    use super::*;

    #[test]
    fn inputs_keep_the_numbers_of_the_model() {
        let at = |argument| ParameterArgument { argument, parameter: argument };
        let signature = FunctionSignature { parameters: vec![at(0), at(2), at(3)], ..FunctionSignature::default() };
        assert_eq!([0, 1, 2].map(|input| number(&signature, input)), [1, 4, 5]);
        assert_eq!(number(&FunctionSignature::default(), 3), 3);
    }
}

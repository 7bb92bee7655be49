//! Types of a function's inputs once sizes that only a run knows are named.
//!
//! Input: a signature such as `(batchx8xf32, (2 * batch)xi32)` and `batch = 4`. Output: `4x8xf32`, `8xi32`.

use super::{Session, bind, program_error};
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::tensor::TensorType;
use fornax_module::manifest::{DimSig, FunctionSignature};

impl Session {
    /// Types of the inputs of a function whose sizes of these names have these values.
    ///
    /// # Errors
    /// FX0710 no such function; FX0713 if a size is not given, or one is given that the function does not have.
    pub fn input_types(&self, function: &str, sizes: &[(String, u64)]) -> Result<Vec<TensorType>> {
        let signature = self.module.function(Some(function))?;
        let names = bind::slot_names(signature);
        if let Some((name, _)) = sizes.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            let message = format!("@{function} has no size {name}");
            let help = match open_sizes(signature).as_slice() {
                [] => "its inputs have fixed sizes".to_string(),
                open => format!("it has: {}", open.join(", ")),
            };
            return Err(RuntimeError::new("FX0713", ErrorKind::Input, message).with_help(help));
        }
        let value = |name: &str| sizes.iter().find(|size| size.0 == name).map(|size| size.1);
        let slots: Vec<Option<i64>> =
            names.iter().map(|name| value(name).and_then(|size| i64::try_from(size).ok())).collect();
        let program = self.program.functions.iter().find(|candidate| candidate.name == signature.name);
        let program = program.ok_or_else(|| program_error(format!("no function @{function} for this target")))?;
        let values = self.values(&slots);
        let mut types = Vec::with_capacity(signature.inputs.len());
        for (at, input) in signature.inputs.iter().enumerate() {
            let formulas = program.shapes.inputs.get(at);
            let mut shape = Vec::with_capacity(input.shape.len());
            for (place, dim) in input.shape.iter().enumerate() {
                let computed = || {
                    let expr = formulas.and_then(|dims| dims.get(place));
                    expr.and_then(|expr| values.get(*expr as usize)).and_then(|value| value.known())
                };
                let size = match dim {
                    DimSig::Static(size) => Some(*size),
                    DimSig::Symbolic { name, .. } => value(name),
                    DimSig::Computed { .. } => computed(),
                };
                shape.push(size.ok_or_else(|| {
                    let message = format!("input {at} of @{function} is {}", bind::type_text(input));
                    RuntimeError::new("FX0713", ErrorKind::Input, format!("{message}: a size is not known"))
                })?);
            }
            types.push(TensorType { element_type: bind::element_type(input)?, shape });
        }
        Ok(types)
    }
}

/// Names of the sizes that the shapes of a function's inputs leave open, in order.
pub fn open_sizes(signature: &FunctionSignature) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for dim in signature.inputs.iter().flat_map(|input| &input.shape) {
        if let DimSig::Symbolic { name, .. } = dim
            && !names.contains(&name.as_str())
        {
            names.push(name);
        }
    }
    names
}

//! Arguments as the model numbers them: inputs of each call, and parameters, which are bound once, at load.
//!
//! Worked example: `@predict(image, kernel, bias)` was compiled with `--weights=1..`. A call takes `image` alone.
//! [`Module::split_arguments`] takes all three, and gives `image` as the input of calls, and `kernel` and `bias` as
//! parameters for [`SessionOptions::tensors`].
//!
//! [`SessionOptions::tensors`]: super::SessionOptions::tensors

use std::sync::Arc;

use fornax_module::manifest::FunctionSignature;

use super::{Module, bind, program_error};
use crate::errors::Result;
use crate::tensor::{Tensor, TensorType};

/// A named parameter that is in memory.
#[derive(Clone, Debug)]
pub struct ParameterTensor {
    /// `[scope::]name`, as the manifest has it.
    pub name: String,
    pub tensor: Arc<Tensor>,
}

impl Module {
    /// The signature that the model gave a function: its inputs and parameters, in the order of the model's arguments.
    /// Without a name, of the only function (or `main` of several).
    ///
    /// # Errors
    /// FX0710 with the names of all exports.
    pub fn model_signature(&self, function: Option<&str>) -> Result<FunctionSignature> {
        Ok(self.manifest().model_signature(self.function(function)?))
    }

    /// Splits the arguments of the model's function into the inputs of a call and the parameters of the module. Errors
    /// number arguments as the model does.
    ///
    /// # Errors
    /// FX0710 no such function, FX0711 wrong number of arguments, FX0712 wrong element type, FX0713 wrong shape.
    ///
    /// ```no_run
    /// use fornax_runtime::{BackendPreference, Module, Session, SessionOptions, Tensor, init_backend};
    /// # fn call(arguments: Vec<Tensor>) -> fornax_runtime::Result<()> {
    /// let module = Module::open("model.fnx".as_ref())?;
    /// let (inputs, tensors) = module.split_arguments("predict", arguments)?;
    /// let options = SessionOptions { tensors, ..SessionOptions::default() };
    /// // What depends on the weights alone is computed here, once.
    /// let mut session = Session::load(&module, init_backend(BackendPreference::Cpu)?.device(), &options)?;
    /// let outputs = session.invoke("predict", &inputs)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn split_arguments(
        &self,
        function: &str,
        arguments: Vec<Tensor>,
    ) -> Result<(Vec<Tensor>, Vec<ParameterTensor>)> {
        let signature = self.function(Some(function))?;
        let types: Vec<&TensorType> = arguments.iter().map(Tensor::ty).collect();
        bind::check_inputs(&self.manifest().model_signature(signature), &types)?;
        let mut places = signature.parameters.iter().peekable();
        let (mut inputs, mut parameters) = (Vec::new(), Vec::new());
        for (at, tensor) in arguments.into_iter().enumerate() {
            let Some(place) = places.next_if(|place| place.argument as usize == at) else {
                inputs.push(tensor);
                continue;
            };
            let parameter = self.manifest().parameters.get(place.parameter as usize);
            let name = parameter.ok_or_else(|| program_error("parameters"))?.full_name();
            parameters.push(ParameterTensor { name, tensor: Arc::new(tensor) });
        }
        Ok((inputs, parameters))
    }
}

//! Inputs for a function that nobody gave: the same for the same seed, on every device and in every module of the same
//! signature.
//!
//! Floats lie in -1..1, integers in 0..127, by the rule of `--input=TYPE=random:SEED:LO:HI`; the n-th argument of the
//! model has the seed plus n.

use anyhow::Result;
use fornax_module::manifest::FunctionSignature;
use fornax_runtime::session::{Module, Session};
use fornax_runtime::tensor::generate::{Random, random};
use fornax_runtime::{ParameterTensor, Tensor, TensorType};

use crate::commands::{arguments, loading};
use crate::failure::Failure;

/// The inputs that texts give, else random ones for the given sizes.
///
/// # Errors
/// FX0801 where a size is left open.
pub fn given_or_random(
    session: &Session,
    signature: &FunctionSignature,
    texts: &[String],
    sizes: &[(String, u64)],
    seed: u64,
) -> Result<Vec<Tensor>> {
    match texts {
        [] => random_inputs(session, signature, sizes, seed),
        texts => loading::inputs(signature, texts),
    }
}

/// Random inputs for the given sizes.
///
/// # Errors
/// FX0801 where a size is left open.
pub fn random_inputs(
    session: &Session,
    signature: &FunctionSignature,
    sizes: &[(String, u64)],
    seed: u64,
) -> Result<Vec<Tensor>> {
    let types = loading::sized_types(session, signature, sizes)?;
    types.into_iter().enumerate().map(|(at, ty)| tensor(arguments::number(signature, at), ty, seed)).collect()
}

/// Random parameters of the module, where no files hold them.
pub fn random_parameters(
    module: &Module,
    signature: &FunctionSignature,
    files: &[String],
    seed: u64,
) -> Result<Vec<ParameterTensor>> {
    arguments::made_parameters(module, signature, files, &|at, ty| tensor(at, ty, seed))
}

/// Argument `at` of the model.
fn tensor(at: usize, ty: TensorType, seed: u64) -> Result<Tensor> {
    let is_float = ty.element_type.is_inexact();
    let rule = Random { seed: seed.wrapping_add(at as u64), range: is_float.then_some((-1.0, 1.0)) };
    Ok(random(ty, &rule).map_err(Failure::from)?)
}

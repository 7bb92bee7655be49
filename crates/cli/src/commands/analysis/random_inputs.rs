//! Inputs for a function that nobody gave: the same for the same seed, on every device and in every module of the same
//! signature.
//!
//! Floats lie in -1..1, integers in 0..127, by the rule of `--input=TYPE=random:SEED:LO:HI`; the n-th input has the
//! seed plus n.

use anyhow::Result;
use fornax_module::manifest::FunctionSignature;
use fornax_runtime::session::Session;
use fornax_runtime::tensor::generate::{Random, random};
use fornax_runtime::{Tensor, TensorType};

use crate::commands::loading;
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
    if !texts.is_empty() {
        return loading::inputs(signature, texts);
    }
    let types = loading::sized_types(session, signature, sizes)?;
    let make = |(at, ty): (usize, TensorType)| random(ty.clone(), &rule(&ty, seed.wrapping_add(at as u64)));
    Ok(types.into_iter().enumerate().map(make).collect::<fornax_runtime::Result<_>>().map_err(Failure::from)?)
}

fn rule(ty: &TensorType, seed: u64) -> Random {
    let is_float = ty.element_type.is_inexact();
    Random { seed, range: is_float.then_some((-1.0, 1.0)) }
}

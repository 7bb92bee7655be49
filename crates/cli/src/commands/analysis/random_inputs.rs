//! Inputs for a function that nobody gave: the same for the same seed, on every device and in every module of the same
//! signature.
//!
//! Floats lie in -1..1, integers in 0..127, by the rule of `--input=TYPE=random:SEED:LO:HI`; the n-th input has the
//! seed plus n.

use anyhow::Result;
use fornax_module::manifest::FunctionSignature;
use fornax_runtime::session::{Session, open_sizes};
use fornax_runtime::tensor::element_type::Encoding;
use fornax_runtime::tensor::generate::{Random, random};
use fornax_runtime::{Tensor, TensorType};

use crate::commands::loading;
use crate::failure::{Failure, exit};

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
    let is_open = |name: &&str| !sizes.iter().any(|size| size.0 == **name);
    let missing: Vec<&str> = open_sizes(signature).into_iter().filter(is_open).collect();
    if !missing.is_empty() {
        let flags: Vec<String> = missing.iter().map(|name| format!("--size {name}=N")).collect();
        let message = format!("@{} leaves sizes open: {}", signature.name, missing.join(", "));
        let help = format!("name them with {}, or give inputs with --input", flags.join(" "));
        return Err(Failure::new(exit::USAGE, "FX0801", message, &help).into());
    }
    let types = session.input_types(&signature.name, sizes).map_err(Failure::from)?;
    let make = |(at, ty): (usize, TensorType)| random(ty.clone(), &rule(&ty, seed.wrapping_add(at as u64)));
    Ok(types.into_iter().enumerate().map(make).collect::<fornax_runtime::Result<_>>().map_err(Failure::from)?)
}

fn rule(ty: &TensorType, seed: u64) -> Random {
    let is_float = matches!(ty.element_type.row().encoding, Encoding::Float(_) | Encoding::Complex(_));
    Random { seed, range: is_float.then_some((-1.0, 1.0)) }
}

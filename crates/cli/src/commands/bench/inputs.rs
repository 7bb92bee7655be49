//! Inputs that bench makes itself where none are given: random numbers by the rule of `--input=TYPE=random:SEED`.
//!
//! Worked example: `@main(batchx8xf32, 8xi32)` with `--size batch=4` is measured on `4x8xf32=random:0` and
//! `8xi32=random:1`. The texts are told on stderr as `--input` flags, so that a run can be had again, and by other
//! commands.

use anyhow::Result;
use fornax_module::manifest::FunctionSignature;
use fornax_runtime::Tensor;
use fornax_runtime::session::{Session, open_sizes};
use fornax_runtime::tensor::parse::parse_inputs;

use crate::failure::{Failure, exit};
use crate::messages;

/// The inputs, and the texts that give them.
pub fn make(
    session: &Session,
    signature: &FunctionSignature,
    sizes: &[(String, u64)],
) -> Result<(Vec<Tensor>, Vec<String>)> {
    let given = |name: &&str| !sizes.iter().any(|size| size.0 == **name);
    let missing: Vec<&str> = open_sizes(signature).into_iter().filter(given).collect();
    if !missing.is_empty() {
        let flags: Vec<String> = missing.iter().map(|name| format!("--size {name}=N")).collect();
        let message = format!("@{} leaves sizes open: {}", signature.name, missing.join(", "));
        let help = format!("name them with {}, or give inputs with --input", flags.join(" "));
        return Err(Failure::new(exit::USAGE, "FX0801", message, &help).into());
    }
    let types = session.input_types(&signature.name, sizes).map_err(Failure::from)?;
    let texts: Vec<String> = types.iter().enumerate().map(|(at, ty)| format!("{ty}=random:{at}")).collect();
    if !texts.is_empty() {
        let flags: Vec<String> = texts.iter().map(|text| format!("--input={text}")).collect();
        messages::note(format!("no inputs given, measuring with {}", flags.join(" ")));
    }
    let tensors: Option<Vec<Tensor>> = parse_inputs(&texts, &types).map_err(Failure::from)?.into_iter().collect();
    Ok((tensors.unwrap_or_default(), texts))
}

//! Inputs that bench makes itself where none are given: random numbers by the rule of `--input=TYPE=random:SEED`.
//!
//! Worked example: `@main(batchx8xf32, 8xi32)` with `--size batch=4` is measured on `4x8xf32=random:0` and
//! `8xi32=random:1`. The texts are told on stderr as `--input` flags, so that a run can be had again, and by other
//! commands.

use anyhow::Result;
use fornax_module::manifest::FunctionSignature;
use fornax_runtime::Tensor;
use fornax_runtime::session::Session;
use fornax_runtime::tensor::parse::parse_inputs;

use crate::commands::loading;
use crate::failure::Failure;
use crate::messages;

/// The inputs, and the texts that give them.
pub fn make(
    session: &Session,
    signature: &FunctionSignature,
    sizes: &[(String, u64)],
) -> Result<(Vec<Tensor>, Vec<String>)> {
    let types = loading::sized_types(session, signature, sizes)?;
    let texts: Vec<String> = types.iter().enumerate().map(|(at, ty)| format!("{ty}=random:{at}")).collect();
    if !texts.is_empty() {
        let flags: Vec<String> = texts.iter().map(|text| format!("--input={text}")).collect();
        messages::note(format!("no inputs given, measuring with {}", flags.join(" ")));
    }
    let tensors: Option<Vec<Tensor>> = parse_inputs(&texts, &types).map_err(Failure::from)?.into_iter().collect();
    Ok((tensors.unwrap_or_default(), texts))
}

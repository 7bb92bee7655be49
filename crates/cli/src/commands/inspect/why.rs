//! `fornax inspect FILE --why[=KERNEL]`: why ops are fused or are not, of a module that was compiled with `--remarks`,
//! or of a model, which is compiled up to its kernels for that.

use std::path::Path;

use anyhow::Result;
use fornax_module::format::MAGIC;
use fornax_module::read::ParsedModule;
use fornax_module::remarks::{REMARKS, Remarks, decode};

use crate::args::{Format, InspectArgs};
use crate::failure::Failure;
use crate::output::say;

/// Prints the remarks; `bytes` are the file's.
pub fn print(args: &InspectArgs, kernel: &str, bytes: &[u8]) -> Result<()> {
    let is_module = bytes.starts_with(&MAGIC);
    if is_module && !args.compile.is_empty() {
        return Err(Failure::usage("flags after `--` are for a model: a module is compiled already").into());
    }
    let mut remarks = if is_module { of_module(args, bytes)? } else { of_model(&args.module, args)? };
    if is_module && let Some(name) = &args.target {
        let of_arch = |target: &str| target.split_once(':').is_some_and(|(b, a)| b == name || a == name);
        remarks.retain(|of| of.target == *name || of_arch(&of.target));
    }
    if !kernel.is_empty() {
        let all: Vec<String> = remarks.iter().flat_map(|of| of.kernels.iter().map(|of| of.kernel.clone())).collect();
        remarks = remarks.iter().filter_map(|of| of.of_kernel(kernel)).collect();
        if remarks.is_empty() {
            let text = format!("no kernel has `{kernel}` in its name; the kernels: {}", all.join(", "));
            return Err(Failure::usage(text).into());
        }
    }
    match args.format {
        Format::Json => say!("{}", serde_json::to_string_pretty(&remarks)?),
        Format::Text => remarks.iter().flat_map(Remarks::lines).for_each(|line| say!("{line}")),
    }
    Ok(())
}

fn of_module(args: &InspectArgs, bytes: &[u8]) -> Result<Vec<Remarks>> {
    let module = ParsedModule::parse(bytes).map_err(|e| Failure::in_module(&args.module, e))?;
    kept(&module).ok_or_else(|| {
        let name = args.module.display();
        let text = format!("{name} holds no remarks: compile it with --remarks, or inspect the model itself");
        Failure::usage(text).into()
    })
}

/// The remarks that a module holds.
pub fn kept(module: &ParsedModule<&[u8]>) -> Option<Vec<Remarks>> {
    decode(module.debug(REMARKS).ok()??)
}

#[cfg(feature = "compiler")]
fn of_model(model: &Path, args: &InspectArgs) -> Result<Vec<Remarks>> {
    crate::commands::compile::explain(model, args.target.as_deref(), &args.compile)
}

#[cfg(not(feature = "compiler"))]
fn of_model(model: &Path, _: &InspectArgs) -> Result<Vec<Remarks>> {
    let text = format!("{} is no module, and this build of Fornax cannot compile it", model.display());
    Err(Failure::usage(text).into())
}

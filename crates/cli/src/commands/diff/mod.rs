//! `fornax diff A B`: what of a module changed: signature, kernels, bytes, predicted and measured time, results on
//! random inputs.
//!
//! ```text
//! a: old.fnx, 53.0 KiB    b: new.fnx, 51.2 KiB
//! signature: the same
//!
//! cuda sm_90a @main                a         b    b / a
//!   launches                       3         2     0.67
//!   bytes moved               96.0 KiB  64.0 KiB   0.67
//!   least time on h200         20 ns     14 ns     0.67
//!   ~ dot_general add          contraction: schedule …
//!
//! on cuda://0 (NVIDIA H200) @main: 0.0120 ms, 0.0095 ms, b / a 0.79
//!   output 0: equal bit for bit
//! ```
//! Exit code 0: the same signature, and outputs that are equal within the tolerance (or were not run); 6: they differ;
//! 3 and 4 where a device was named that cannot run them. Kernels, bytes and times may differ: that is what the command
//! is for.

mod figures;
mod runs;
mod text;

use std::path::Path;

use anyhow::Result;
use fornax_module::manifest::{FunctionSignature, Manifest, TensorSignature};
use fornax_module::read::ParsedModule;
use serde::Serialize;

use self::figures::TargetDiff;
use self::runs::Runs;
use crate::args::{DiffArgs, Format};
use crate::commands::analysis::sizes;
use crate::commands::inspect::tensor_text;
use crate::commands::loading;
use crate::failure::{Failure, exit};
use crate::output::say;

/// One figure of both modules.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Both<T> {
    pub a: T,
    pub b: T,
}

#[derive(Serialize)]
struct Report {
    files: Both<FileSide>,
    signature: Vec<FunctionDiff>,
    same_signature: bool,
    targets: Vec<TargetDiff>,
    /// Targets that only one of the modules has.
    other_targets: Both<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Runs>,
    /// Why nothing was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_run: Option<String>,
    /// Signature and outputs are the same.
    same: bool,
}

#[derive(Serialize)]
struct FileSide {
    file: String,
    bytes: usize,
    constants_bytes: u64,
    parameter_bytes: u64,
    producer: String,
}

/// A function of either module.
#[derive(Debug, PartialEq, Serialize)]
struct FunctionDiff {
    name: String,
    /// `same`, `changed`, `only in a`, `only in b`.
    change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<String>,
}

pub fn run(args: &DiffArgs) -> Result<()> {
    let bytes = Both { a: loading::read(&args.a)?, b: loading::read(&args.b)? };
    let a = ParsedModule::parse(bytes.a.bytes()).map_err(|e| in_file(&args.a, e.into()))?;
    let b = ParsedModule::parse(bytes.b.bytes()).map_err(|e| in_file(&args.b, e.into()))?;
    let modules = Both { a: &a, b: &b };
    let signature = signatures(a.manifest(), b.manifest(), args.function.as_deref())?;
    let functions: Vec<&FunctionSignature> = a.manifest().functions.iter().chain(&b.manifest().functions).collect();
    sizes::check_names(&functions, &args.input_size)?;
    let (targets, other_targets) = figures::targets(modules, args)?;
    let same_signature = signature.iter().all(|function| function.change == "same");
    let (run, not_run) = match runs::wanted(args, &signature) {
        Ok(functions) => match runs::run(args, modules, &functions) {
            Ok(run) => (Some(run), None),
            // Without --device running is an offer: what cannot run here is compared as far as it can be.
            Err(error) if args.device.is_none() => (None, Some(first_line(&error))),
            Err(error) => return Err(error),
        },
        Err(why) => (None, Some(why)),
    };
    let same = same_signature && run.as_ref().is_none_or(Runs::same);
    let side = |path: &Path, bytes: usize, manifest: &Manifest| FileSide {
        file: path.display().to_string(),
        bytes,
        constants_bytes: manifest.constants_bytes,
        parameter_bytes: manifest.parameters.iter().map(|p| p.bytes).fold(0, u64::saturating_add),
        producer: format!("{} {}", manifest.producer.name, manifest.producer.version),
    };
    let files = Both {
        a: side(&args.a, bytes.a.bytes().len(), a.manifest()),
        b: side(&args.b, bytes.b.bytes().len(), b.manifest()),
    };
    let report = Report { files, signature, same_signature, targets, other_targets, run, not_run, same };
    match args.format {
        Format::Json => say!("{}", serde_json::to_string_pretty(&report)?),
        Format::Text => text::print(&report),
    }
    verdict(&report)
}

fn in_file(path: &Path, failure: Failure) -> Failure {
    Failure { message: format!("{}\n  file: {}", failure.message, path.display()), ..failure }
}

/// An error's first line without its code.
fn first_line(error: &anyhow::Error) -> String {
    let text = crate::failure::render(error);
    let line = text.lines().next().unwrap_or_default();
    line.split_once("]: ").map_or(line, |(_, rest)| rest).to_string()
}

fn verdict(report: &Report) -> Result<()> {
    if report.same {
        return Ok(());
    }
    let text = match report.same_signature {
        false => "the modules have different signatures",
        true => "the modules give different outputs",
    };
    let help =
        "--tolerance=1e-3 or --tolerance=f32=1e-5 says how far outputs may be apart; --no-run compares without running";
    Err(Failure::new(exit::DIFFERENT, "FX0816", text, help).into())
}

/// The functions of both modules, in a's order, then b's own.
///
/// # Errors
/// FX0710 where neither has the function that is asked for.
fn signatures(a: &Manifest, b: &Manifest, only: Option<&str>) -> Result<Vec<FunctionDiff>> {
    let wanted = |function: &&FunctionSignature| only.is_none_or(|name| function.name == name);
    let of_b = |name: &str| b.functions.iter().find(|function| function.name == name);
    let mut found: Vec<FunctionDiff> = a
        .functions
        .iter()
        .filter(wanted)
        .map(|function| {
            let other = of_b(&function.name);
            let (ours, theirs) = (signature_text(function), other.map(signature_text));
            let change = match &theirs {
                None => "only in a",
                Some(text) if *text == ours => "same",
                Some(_) => "changed",
            };
            FunctionDiff { name: function.name.clone(), change, a: Some(ours), b: theirs }
        })
        .collect();
    let new = b.functions.iter().filter(wanted).filter(|f| !a.functions.iter().any(|own| own.name == f.name));
    found.extend(new.map(|function| FunctionDiff {
        name: function.name.clone(),
        change: "only in b",
        a: None,
        b: Some(signature_text(function)),
    }));
    if found.is_empty() && only.is_some() {
        sizes::functions(a, only)?;
    }
    Ok(found)
}

/// Types of inputs and outputs, and which share a buffer.
fn signature_text(function: &FunctionSignature) -> String {
    let list = |tensors: &[TensorSignature]| tensors.iter().map(tensor_text).collect::<Vec<_>>().join(", ");
    let shared =
        function.aliases.iter().map(|alias| format!(", output {} lies in input {}", alias.output, alias.input));
    format!("({}) -> ({}){}", list(&function.inputs), list(&function.outputs), shared.collect::<String>())
}

#[cfg(test)]
mod tests {
    use fornax_module::manifest::DimSig;

    use super::*;

    fn manifest(functions: &[(&str, u64)]) -> Manifest {
        let tensor = |n: u64| TensorSignature {
            element_type: "f32".into(),
            shape: vec![DimSig::Static(n)],
            ..TensorSignature::default()
        };
        let function = |(name, n): &(&str, u64)| FunctionSignature {
            name: (*name).into(),
            inputs: vec![tensor(*n)],
            outputs: vec![tensor(1)],
            ..FunctionSignature::default()
        };
        Manifest { functions: functions.iter().map(function).collect(), ..Manifest::default() }
    }

    #[test]
    fn functions_are_the_same_changed_or_of_one_module() {
        let (a, b) = (manifest(&[("f", 4), ("g", 4), ("old", 2)]), manifest(&[("g", 8), ("new", 2), ("f", 4)]));
        let found = signatures(&a, &b, None).unwrap();
        let changes: Vec<(&str, &str)> = found.iter().map(|f| (f.name.as_str(), f.change)).collect();
        assert_eq!(changes, [("f", "same"), ("g", "changed"), ("old", "only in a"), ("new", "only in b")]);
        assert_eq!(found[1].b.as_deref(), Some("(8xf32) -> (1xf32)"));
        assert_eq!(signatures(&a, &b, Some("new")).unwrap().len(), 1);
        assert!(signatures(&a, &b, Some("none")).unwrap_err().to_string().contains("FX0710"));
    }
}

//! `compile --emit`: a module as something that a build links or runs.
//!
//! | kind | what is written | what it needs |
//! | --- | --- | --- |
//! | `module` | the module file | a runtime that opens it |
//! | `c` | NAME.h with a function for each of the module's, NAME.o with the module | libfornax |
//! | `rust` | a crate with a method for each of the module's functions, and the module | the crate `fornax-runtime` |
//! | `exe` | a program that takes the flags of `run-module` | nothing |

mod c;
mod executable;
mod names;
mod rust;
mod types;

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use fornax_module::ModuleBuilder;
use fornax_module::manifest::{DimSig, FunctionSignature, TensorSignature};

use crate::args::EmitKind;
use crate::atomic_file::write_atomically;
use crate::failure::{Failure, exit};

/// Writes the module in a form; `path` is what `-o` says, `runtime` the program that `exe` starts from.
///
/// # Errors
/// FX0802 for what cannot be written; FX0801 for functions that the form has no place for.
pub fn write(kind: EmitKind, path: &Path, module: &ModuleBuilder<'_>, runtime: Option<&Path>) -> Result<()> {
    match kind {
        EmitKind::Module => {
            write_atomically(path, &mut |out| Ok(module.write_to(out).map(drop).map_err(Failure::from)?))
        }
        EmitKind::C => c::write(path, module),
        EmitKind::Rust => rust::write(path, module),
        EmitKind::Exe => executable::write(path, module, runtime),
    }
}

/// The extension of what a form writes where `-o` does not name it.
pub fn extension(kind: EmitKind) -> &'static str {
    match kind {
        EmitKind::Module => "fnx",
        EmitKind::C => "h",
        EmitKind::Rust | EmitKind::Exe => "",
    }
}

/// The module's bytes.
fn bytes_of(module: &ModuleBuilder<'_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    module.write_to(&mut bytes).map_err(Failure::from)?;
    Ok(bytes)
}

/// Writes one file of a form, whole or not at all.
fn write_file(path: &Path, contents: &[u8]) -> Result<()> {
    write_atomically(path, &mut |out: &mut dyn Write| Ok(out.write_all(contents)?))
}

/// The name that the form's files and symbols begin with: that of the file, without its extension.
fn stem(path: &Path) -> Result<String> {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).map(names::identifier);
    stem.ok_or_else(|| {
        let text = format!("no name can be made of {}", path.display());
        Failure::new(exit::USAGE, "FX0801", text, "name a file with -o whose name is UTF-8").into()
    })
}

/// The sizes of a tensor, where all are known.
fn static_shape(tensor: &TensorSignature) -> Option<Vec<u64>> {
    let size = |dim: &DimSig| match dim {
        DimSig::Static(size) => Some(*size),
        DimSig::Symbolic { .. } | DimSig::Computed { .. } => None,
    };
    tensor.shape.iter().map(size).collect()
}

/// `1x8x8x1xf32`, sizes of run time by their names.
fn type_text(tensor: &TensorSignature) -> String {
    let size = |dim: &DimSig| match dim {
        DimSig::Static(size) => format!("{size}x"),
        DimSig::Symbolic { name, .. } => format!("{name}x"),
        DimSig::Computed { formula, .. } => format!("({formula})x"),
    };
    tensor.shape.iter().map(size).collect::<String>() + &tensor.element_type
}

/// `@predict(1x8x8x1xf32) -> (1x10xf32)`, for comments: on one line, and without what ends a comment.
fn signature_text(function: &FunctionSignature) -> String {
    let types = |all: &[TensorSignature]| all.iter().map(type_text).collect::<Vec<_>>().join(", ");
    let text = format!("@{}({}) -> ({})", function.name, types(&function.inputs), types(&function.outputs));
    text.escape_debug().to_string().replace("*/", "* /")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_stays_one() {
        let function = FunctionSignature { name: "a*/b\nc".into(), ..FunctionSignature::default() };
        assert_eq!(signature_text(&function), "@a* /b\\nc() -> ()");
    }
}

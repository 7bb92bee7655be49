//! From model files to a [`Graph`]: StableHLO text in, a typed and verified graph out, or errors that show the line.
//!
//! Input: MLIR text with StableHLO, CHLO and func ops, pretty or generic, or MLIR bytecode of them (also VHLO, as
//! `jax.export` serialises), also within a file of `Exported.serialize()`; generic text of linalg on tensors and TOSA,
//! and StableHLO among ops of `shape`, `tensor` and `arith` ([`dialects`]); ONNX files ([`onnx`]);
//! checkpoints of language models ([`checkpoint`]). Output: a graph whose ops know file, line and column.
#![forbid(unsafe_code)]

mod aliases;
pub mod bytecode;
pub mod checkpoint;
mod diagnostic;
pub mod dialects;
mod errors;
mod exported;
mod foreign;
pub mod onnx;
pub mod stablehlo;

use fornax_graph::Graph;

pub use diagnostic::Diagnostic;
pub use errors::ERROR_CODES;
pub use foreign::is_onnx;

/// The attribute of an argument that is a named parameter of the module; its value is the name.
pub const PARAMETER: &str = "fornax.parameter";
/// The attribute of an argument or result that gives it a name.
pub const NAME: &str = "fornax.name";

/// How to import.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// Check the graph against the StableHLO specification.
    pub verify: bool,
    /// Verifier errors reported at most.
    pub max_errors: usize,
    /// What is said of an ONNX model's inputs.
    pub onnx: onnx::OnnxOptions,
}

impl Default for ImportOptions {
    fn default() -> Self {
        ImportOptions { verify: true, max_errors: 20, onnx: Default::default() }
    }
}

/// Reads a module from the bytes of a file.
pub fn import_bytes(bytes: &[u8], file_name: &str, options: &ImportOptions) -> Result<Graph, Vec<Diagnostic>> {
    if bytes.starts_with(bytecode::MAGIC) {
        let text = bytecode::to_text(bytes, file_name).map_err(|e| vec![*e])?;
        return import_text(&text, file_name, options);
    }
    if let Some(exported) = exported::Exported::read(bytes) {
        exported.check(file_name).map_err(|e| vec![*e])?;
        let mut graph = import_bytes(exported.module, file_name, options)?;
        if !exported.name.is_empty() {
            graph.name = Some(exported.name.to_string());
        }
        return Ok(graph);
    }
    if let Some(foreign) = foreign::recognise(bytes, file_name) {
        let error = Diagnostic::of_file("FX0103", file_name, format!("this is {}", foreign.what));
        return Err(vec![error.hint(foreign.way)]);
    }
    if foreign::is_onnx(bytes, file_name) {
        let graph = onnx::to_graph(bytes, file_name, &options.onnx).map_err(|e| vec![*e])?;
        return verified(graph, "", file_name, options);
    }
    match std::str::from_utf8(bytes) {
        Ok(source) => import_text(source, file_name, options),
        Err(e) => {
            let message = format!("not a text file: byte {} is not UTF-8", e.valid_up_to());
            Err(vec![Diagnostic::of_file("FX0103", file_name, message).hint("StableHLO text (`.mlir`) is expected")])
        }
    }
}

/// Reads a module from text. `file_name` is used in messages only.
pub fn import_text(source: &str, file_name: &str, options: &ImportOptions) -> Result<Graph, Vec<Diagnostic>> {
    // Editors of Windows put a byte order mark first.
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    if source.trim_start().is_empty() {
        let error = Diagnostic::of_file("FX0103", file_name, "the file is empty");
        return Err(vec![error.hint("StableHLO text (`.mlir`) is expected")]);
    }
    aliases::check(source, file_name).map_err(|e| vec![*e])?;
    let text = dialects::generic_among_stablehlo(source);
    let mut graph = stablehlo::parse(&text, file_name).map_err(|e| vec![*e])?;
    if dialects::is_mixed(&graph) {
        graph = dialects::without_others(&graph, source, file_name).map_err(|e| vec![*e])?;
    }
    verified(graph, source, file_name, options)
}

/// Reads a model of another dialect from MLIR's generic text of it; see [`dialects`].
pub fn import_generic(
    generic: &str,
    original: &[u8],
    file_name: &str,
    options: &ImportOptions,
) -> Result<Graph, Vec<Diagnostic>> {
    let graph = dialects::convert(generic, original, file_name).map_err(|e| vec![*e])?;
    let source = if original.starts_with(bytecode::MAGIC) { "".into() } else { String::from_utf8_lossy(original) };
    verified(graph, &source, file_name, options)
}

/// Whether the aliases of a model that MLIR is to read stay within limits; bytes that are no text pass.
///
/// # Errors
/// FX0117 with the line at which they get too large.
pub fn check_aliases(bytes: &[u8], file_name: &str) -> Result<(), Vec<Diagnostic>> {
    std::str::from_utf8(bytes).map_or(Ok(()), |text| aliases::check(text, file_name).map_err(|e| vec![*e]))
}

fn verified(graph: Graph, source: &str, file_name: &str, options: &ImportOptions) -> Result<Graph, Vec<Diagnostic>> {
    if !options.verify {
        return Ok(graph);
    }
    let errors = fornax_graph::verify_up_to(&graph, options.max_errors);
    if errors.is_empty() {
        return Ok(graph);
    }
    let show = |e: fornax_graph::VerifyError| {
        let place = (e.location.line, e.location.column);
        let mut diagnostic = Diagnostic::at_line(e.code, file_name, source, place, e.message);
        diagnostic.note = e.location.name;
        diagnostic
    };
    Err(errors.into_iter().map(show).collect())
}

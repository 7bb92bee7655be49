//! ONNX models: a file's nodes become StableHLO ops, one rule an operator.
//!
//! ```text
//! proto (prost) → converter: scopes, functions, sizes → ops: a table, one row an operator → Graph
//! ```
//!
//! Shapes that the model computes are known while it is read as far as inputs' sizes tell them (`known`). Weights are
//! constants that lend the file's bytes.
//!
//! How to add an operator: a row in a file of `ops`, whose rule takes the node and gives its values.

mod converter;
mod data;
mod fixed;
mod known;
mod node;
mod ops;
mod order;
mod proto;
mod signature;
#[cfg(test)]
mod tests;

use std::path::Path;

use fornax_graph::Graph;
use prost::Message;

pub use self::fixed::{FixedInput, FixedSize, OnnxOptions, SequenceLength};
use crate::{Diagnostic, ERROR_CODES};

/// Characters of a name that are shown.
const NAME_SHOWN: usize = 80;

/// Reads a model; other files that it names lie in the folder of `file`.
///
/// # Errors
/// FX1021 to FX1027: what is wrong with the model, or not supported in it.
pub fn to_graph(bytes: &[u8], file: &str, how: &OnnxOptions) -> Result<Graph, Box<Diagnostic>> {
    let model = proto::ModelProto::decode(bytes)
        .map_err(|error| failed("FX1021", file, format!("the file is not what ONNX's format says: {error}")))?;
    let path = Path::new(file);
    let folder = path.is_file().then(|| match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => Path::new(".").to_path_buf(),
    });
    converter::convert(&model, file, (folder, how))
}

/// An error about a model, with the table's advice.
fn failed(code: &'static str, file: &str, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::of_file(code, file, message).hint(fornax_types::errors::help(ERROR_CODES, code)))
}

/// A name as errors show it.
fn shown(name: &str) -> String {
    let cut: String = name.chars().take(NAME_SHOWN).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if cut.len() < name.len() { format!("{cut}…") } else { cut }
}

/// A name as a location of MLIR.
fn quoted(name: &str) -> String {
    crate::checkpoint::quoted(name)
}

//! Models in linalg on tensors and in TOSA → the graph of StableHLO ops that every later phase knows.
//!
//! Input: MLIR's generic text (what `fornax_mlir::generic_form` prints of any text or bytecode; nothing here needs
//! MLIR). It is parsed with the StableHLO reader, which keeps ops it does not know as they are written, and then every
//! op becomes StableHLO ops: TOSA by one rule an op (`tosa`), `tensor.*` likewise (`tensors`), `scf` as StableHLO's
//! control flow (`control`), and `linalg.generic` by what its maps and its body say (`structured`): elementwise, a
//! contraction, a convolution, a window, a reduction, and where it is none of them a loop over the summed elements.
//!
//! Worked example: maps `(m, n, k) → (m, k)`, `(k, n)`, `(m, n)` with the body `out + a * b` is `dot_general`; `(n, c,
//! x, k) → (n, c, x * 2 + k)` with `max(out, in)` is `reduce_window` of stride 2.
//!
//! Sizes of run time: a `?` of the entry function's arguments is a symbol of `Graph::dims`, index arithmetic is
//! followed while the file is read (`sizes`), and every type of the graph is made with what is known.
//!
//! Limits: other functions have sizes that are numbers; `cf.assert` is taken to hold; `ml_program` and TOSA variables
//! start every call from their initial value; 48-bit integers are of 64 bits (`wide`).

mod affine;
mod among;
mod body;
pub(crate) mod build;
mod contraction;
mod control;
mod converter;
pub(crate) mod convolution;
mod gather;
mod islands;
mod pretty;
mod reduction;
mod rounds;
mod scalars;
mod sequential;
mod shape;
mod sizes;
mod structured;
mod tensors;
mod tm_tensor;
mod tosa;
mod tosa_constants;
mod wide;
mod window;

use std::borrow::Cow;

use fornax_graph::Graph;

pub(crate) use among::generic_among_stablehlo;
pub use islands::Islands;
pub(crate) use shape::is_mixed;

use crate::diagnostic::Diagnostic;
use crate::exported::Exported;
use crate::stablehlo;

/// Every rule, by the name of its op.
const TABLES: [&[(&str, converter::Rule)]; 6] =
    [tosa::RULES, tensors::RULES, control::RULES, structured::RULES, tm_tensor::RULES, shape::RULES];

/// Dialects that are read by way of MLIR.
const DIALECTS: [&str; 8] = ["linalg.", "tosa.", "tensor.", "ml_program.", "arith.", "math.", "scf.", "complex."];

/// Dialects whose files are read directly.
const NATIVE: [&str; 4] = ["stablehlo.", "chlo.", "vhlo.", "mhlo."];

/// Whether a file is in one of the dialects that MLIR must read first.
pub fn recognises(bytes: &[u8]) -> bool {
    let found = |names: &[&str]| names.iter().any(|name| holds(bytes, name.as_bytes()));
    if bytes.starts_with(crate::bytecode::MAGIC) {
        // Dialects are named in the table of strings, without a dot.
        let names = ["linalg\0", "tosa\0"];
        return names.iter().any(|name| holds(bytes, name.as_bytes())) && !holds(bytes, b"vhlo");
    }
    if let Some(exported) = Exported::read(bytes) {
        return recognises(exported.module);
    }
    found(&DIALECTS) && !found(&NATIVE)
}

/// Whether a name stands where an op's or a type's name may: not within a word.
fn holds(bytes: &[u8], name: &[u8]) -> bool {
    let Some(&first) = name.first() else { return false };
    let starts = bytes.iter().enumerate().filter(|(_, b)| **b == first).map(|(at, _)| at);
    starts.into_iter().any(|at| {
        let before = at.checked_sub(1).and_then(|p| bytes.get(p)).copied().unwrap_or(b' ');
        bytes[at..].starts_with(name)
            && !(before.is_ascii_alphanumeric() || matches!(before, b'_' | b'.' | b'/' | b'-'))
    })
}

/// A model as MLIR can read it: ops of dialects that only torch-mlir has, and constants as newer versions print them,
/// are written in generic form.
pub fn readable(bytes: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(bytes) {
        Ok(text) => {
            let plain = pretty::without_pretty_forms(text);
            let plain = match tosa_constants::without_pretty_constants(&plain) {
                Cow::Owned(text) => Cow::Owned(text),
                Cow::Borrowed(_) => plain,
            };
            match plain {
                Cow::Borrowed(_) => Cow::Borrowed(bytes),
                Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            }
        }
        Err(_) => Cow::Borrowed(bytes),
    }
}

/// What MLIR said of a model: a place in the file (0 where there is none) and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub line: u32,
    pub column: u32,
    pub message: String,
}

/// MLIR's refusals as diagnostics of the file.
pub fn refused(bytes: &[u8], file_name: &str, refusals: &[Refusal]) -> Vec<Diagnostic> {
    let source = String::from_utf8_lossy(bytes);
    let show = |r: &Refusal| Diagnostic::at_line("FX0131", file_name, &source, (r.line, r.column), r.message.clone());
    refusals.iter().map(show).collect()
}

/// The graph of generic text; `original` are the bytes of the file that the text was made from, for messages.
pub fn convert(generic: &str, original: &[u8], file_name: &str) -> Result<Graph, Box<Diagnostic>> {
    let raw = stablehlo::parse(&wide::without_narrow(generic), file_name)?;
    let source =
        if original.starts_with(crate::bytecode::MAGIC) { "".into() } else { String::from_utf8_lossy(original) };
    converter::convert(&raw, &source, file_name)
}

/// The graph of StableHLO alone of one that holds ops of `shape`, `tensor` and `arith`, too.
pub(crate) fn without_others(mixed: &Graph, source: &str, file_name: &str) -> Result<Graph, Box<Diagnostic>> {
    converter::convert_mixed(mixed, source, file_name)
}

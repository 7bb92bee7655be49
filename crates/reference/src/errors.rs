//! What the evaluator can refuse, each with a stable code.

use fornax_graph::{Graph, LocId};
use thiserror::Error;

fornax_types::errors! {
    /// Why an evaluation stopped. `at` is `file:line:column`, empty where nothing is known.
    #[derive(Clone, Debug, Error, PartialEq, Eq)]
    pub enum EvalError {
        #[error("FX0380: no function `@{name}` with a body in this model")]
        UnknownFunction { name: String } = FX0380 "unknown function": "name a function of the model that has a body";
        #[error("FX0381: {at}cannot evaluate `{op}`: {why}")]
        Unsupported { op: String, at: String, why: String } = FX0381 "op not evaluable":
            "the reference evaluator has no definition of this op; compile and run the model instead";
        #[error(
            "FX0382: {at}`{op}`: a quantised type at the edge of the evaluation, or with parameters that the \
             evaluator does not read; expand quantised types first"
        )]
        Quantized { op: String, at: String } = FX0382 "quantised type":
            "expand quantised types first (`--compile-to=simplify`)";
        #[error("FX0383: {at}`{op}` would exceed the limit of {limit} {what}")]
        Limit { op: String, at: String, what: &'static str, limit: u64 } = FX0383 "evaluation limit":
            "raise the limit, or evaluate a smaller model";
        #[error("FX0384: input {index}: {why}")]
        Input { index: usize, why: String } = FX0384 "wrong input":
            "pass one tensor an argument, of the argument's type, row-major";
        #[error("FX0385: {at}the result size of `{op}` is not known")]
        UnknownSize { op: String, at: String } = FX0385 "size not known":
            "give inputs of static shape; the sizes of this op do not follow from its operands";
        #[error("FX0386: {at}`{op}` uses a value defined outside of it, which is not available here")]
        Unavailable { op: String, at: String } = FX0386 "value not available":
            "evaluate the function as a whole: this op's region uses values of its surroundings";
        #[error("FX0388: {at}{why}")]
        Sizes { at: String, why: String } = FX0388 "sizes that do not fit":
            "pass inputs whose sizes satisfy what the message says";
        #[error("FX0387: {at}`{op}` cannot be evaluated on these operands: {why}")]
        Malformed { op: String, at: String, why: String } = FX0387 "op and operands do not fit":
            "where the model has symbolic sizes, pass inputs whose sizes agree; otherwise it is a bug in Fornax, \
             please report it";
    }
}

/// `file:line:column: `, or nothing when the place is unknown.
pub(crate) fn place(graph: &Graph, location: LocId) -> String {
    let at = graph.locations.get(location);
    match at.line {
        0 => String::new(),
        line => format!("{}:{}:{}: ", graph.locations.file, line, at.column),
    }
}

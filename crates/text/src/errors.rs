//! Error codes of text, and errors with the table's advice.

use fornax_runtime::{ErrorKind, RuntimeError};

fornax_types::errors! {
    FX1101 "no tokenizer":
        "name it with --tokenizer: a GGUF file, a tokenizer.json, or a folder that holds one";
    FX1102 "unknown tokenizer": "give a tokenizer.json of the same vocabulary with --tokenizer";
    FX1103 "chat template failed": "use --raw, which gives the prompt as it is";
    FX1104 "not a language model":
        "the functions and caches of such modules are described in docs/use/from-checkpoint.md";
    FX1105 "context full": "shorten the prompt, or compile with a longer --context";
    FX1106 "no next token": "logits are not numbers: check the weights, or compile with --compute-type=f32";
    FX1107 "vocabulary of another model": "give the tokenizer of the checkpoint that the module was compiled from";
    FX1108 "no chat template":
        "use `fornax generate --raw`, or give a tokenizer with a chat template with --tokenizer";
    FX1109 "not an encoder": "the functions of such modules are described in docs/use/from-checkpoint.md";
    FX1110 "no vector": "check the weights, or compile with --compute-type=f32";
    FX1111 "does not fit in memory": "`fornax check` prints what the model takes, and what would fit";
    FX1112 "cannot be ahead": "compile with --speculate=N";
    FX1113 "no text of this schema": "the message says what of the schema is unknown or too large: leave it out";
    FX1114 "no free page of the caches": "make fewer texts at a time, or compile with more --cache-pages";
}

/// An error of this crate.
pub(crate) fn failed(code: &'static str, message: impl Into<String>) -> RuntimeError {
    failed_as(code, ErrorKind::Input, message)
}

/// An error of another kind than the input's.
pub(crate) fn failed_as(code: &'static str, kind: ErrorKind, message: impl Into<String>) -> RuntimeError {
    let help = fornax_types::errors::help(ERROR_CODES, code);
    RuntimeError::new(code, kind, message).with_help(help)
}

//! Errors of files of weights: a stable code, what is wrong and where.

use std::fmt;

fornax_types::errors! {
    FX1001 "broken GGUF file": "copy or download the file again; the message says which part of it is wrong";
    FX1002 "unknown GGUF": "GGUF of version 2 and 3, little endian, is read: convert the file with a current llama.cpp";
    FX1003 "broken safetensors file": "copy or download the file again; the message says what is wrong";
    FX1004 "tensor cannot be converted":
        "give a checkpoint of floats, all of them finite; the message names the tensor";
}

/// What is wrong with a file of weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// A row of [`ERROR_CODES`].
    pub code: &'static str,
    pub message: String,
}

impl FileError {
    pub(crate) fn broken_gguf(message: impl Into<String>) -> FileError {
        FileError { code: "FX1001", message: message.into() }
    }

    pub(crate) fn unknown_gguf(message: impl Into<String>) -> FileError {
        FileError { code: "FX1002", message: message.into() }
    }

    pub(crate) fn broken_safetensors(message: impl Into<String>) -> FileError {
        FileError { code: "FX1003", message: message.into() }
    }

    pub(crate) fn not_convertible(message: impl Into<String>) -> FileError {
        FileError { code: "FX1004", message: message.into() }
    }

    /// Puts words before the message.
    #[must_use]
    pub fn context(mut self, words: impl fmt::Display) -> FileError {
        self.message = format!("{words}: {}", self.message);
        self
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        fornax_types::errors::help(ERROR_CODES, self.code)
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FileError {}

//! Error codes of the server. What a request gets is an [`crate::api::ApiError`].

use fornax_runtime::{ErrorKind, RuntimeError};

fornax_types::errors! {
    FX1201 "cannot listen": "choose another --port or --host; something may be listening there already";
    FX1202 "caches do not fit":
        "lower --max-sequences, or compile with a smaller --batch or a shorter --context";
    FX1203 "the server ended": "ask again when it is back";
}

/// An error of this crate.
pub(crate) fn failed(code: &'static str, kind: ErrorKind, message: impl Into<String>) -> RuntimeError {
    let help = fornax_types::errors::help(ERROR_CODES, code);
    RuntimeError::new(code, kind, message).with_help(help)
}

//! What a request gets that cannot be served.

use fornax_runtime::{ErrorKind, RuntimeError};
use serde_json::json;

use crate::engine::Refused;

/// An error in the form of the API: `{"error": {"message", "type", "param", "code"}}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// Of HTTP.
    pub status: u16,
    pub message: String,
    /// The field of the request that is to blame.
    pub param: Option<String>,
    pub code: Option<String>,
}

impl ApiError {
    pub fn new(status: u16, code: &str, message: impl Into<String>) -> ApiError {
        let code = (!code.is_empty()).then(|| code.to_string());
        ApiError { status, message: message.into(), param: None, code }
    }

    /// A request that is wrong: 400.
    pub fn bad(code: &str, message: impl Into<String>) -> ApiError {
        ApiError::new(400, code, message)
    }

    /// Names the field that is to blame.
    #[must_use]
    pub fn of(mut self, param: &str) -> ApiError {
        self.param = Some(param.to_string());
        self
    }

    /// The class of the error, in the API's words.
    fn kind(&self) -> &'static str {
        match self.status {
            401 => "authentication_error",
            429 => "rate_limit_error",
            500.. => "server_error",
            _ => "invalid_request_error",
        }
    }

    pub fn json(&self) -> serde_json::Value {
        let ApiError { message, param, code, .. } = self;
        json!({ "error": { "message": message, "type": self.kind(), "param": param, "code": code } })
    }
}

impl From<Refused> for ApiError {
    fn from(refused: Refused) -> ApiError {
        match refused {
            Refused::Full => ApiError::new(429, "queue_full", "as many requests wait as may; try again later"),
            Refused::Closed => ApiError::new(503, "shutting_down", "the server is shutting down"),
        }
    }
}

impl From<&RuntimeError> for ApiError {
    fn from(error: &RuntimeError) -> ApiError {
        match (error.code(), error.kind()) {
            ("FX1105", _) => ApiError::bad("context_length_exceeded", error.message()),
            ("FX1103", _) => ApiError::bad("FX1103", error.message()).of("messages"),
            ("FX1107", _) => ApiError::bad("FX1107", error.message()).of("prompt"),
            ("FX1113", _) => ApiError::bad("FX1113", error.message()).of("response_format"),
            ("FX1203", _) => ApiError::from(Refused::Closed),
            (code, ErrorKind::OutOfMemory | ErrorKind::DeviceLost) => ApiError::new(503, code, error.message()),
            (code, _) => ApiError::new(500, code, error.message()),
        }
    }
}

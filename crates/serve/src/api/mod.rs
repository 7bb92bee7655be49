//! Requests, replies and errors of OpenAI's API as JSON.

mod error;
pub(crate) mod fields;
pub mod reply;
pub mod request;

pub use error::ApiError;

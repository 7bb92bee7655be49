//! Requests, replies and errors of OpenAI's API as JSON.

mod error;
mod fields;
pub mod reply;
pub mod request;

pub use error::ApiError;

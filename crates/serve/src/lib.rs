//! A language model over HTTP, by the requests and replies of OpenAI's API.
//!
//! * [`engine`]: one thread that owns the model and gives each of several sequences a token in turn.
//! * [`api`]: requests, replies and errors as JSON; nothing of HTTP.
//! * [`embeddings`]: an encoder instead of a language model, and the one path that it answers.
//! * [`metrics`]: what the server counts, in the text form of Prometheus.
//! * [`routes`]: paths, keys and limits; [`stream`]: replies as server-sent events.
//! * `connections`: how many, and how long they may take; [`server`]: listening, signals, the end.
#![forbid(unsafe_code)]

pub mod api;
mod connections;
pub mod embeddings;
pub mod engine;
mod errors;
pub mod metrics;
pub mod routes;
pub mod server;
pub mod stream;

pub use embeddings::serve as serve_encoder;
pub use errors::ERROR_CODES;
pub use server::{Options, bind, serve, signals};

//! The stand-in for a model that `fornax-text` tests with, and a server over it.

#![allow(dead_code)]

pub mod http;
#[path = "../../../text/tests/stand_in/mod.rs"]
mod model;

pub use model::*;

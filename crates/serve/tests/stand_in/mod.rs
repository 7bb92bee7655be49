//! The stand-in for a model that `fornax-text` tests with, and a server over it.

#![allow(dead_code)]

pub mod http;
#[path = "../../../text/tests/stand_in/mod.rs"]
mod model;

use fornax_text::Vocabulary;
pub use model::*;

/// The words of the stand-in.
pub fn vocabulary(template: Option<&str>) -> Vocabulary {
    vocabulary_in(tempfile::tempdir().unwrap().path(), template)
}

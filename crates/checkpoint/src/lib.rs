//! Files of trained weights, as far as both the importer and the runtime read them: headers, never the data.
//!
//! * [`gguf`]: GGUF 2 and 3, typed keys and tensors, also in blocks of quantised elements.
//! * [`safetensors`]: names, types and places of tensors.
//! * [`blocks`]: the element kinds of GGUF, one row each.
//! * [`stacks`]: names that stand for several tensors.
//!
//! Every count of a file is compared with the bytes that are left of it before memory is taken for it, so that a
//! broken file costs no more memory than a few times its header.
#![forbid(unsafe_code)]

pub mod blocks;
mod errors;
pub mod gguf;
pub mod safetensors;
pub mod stacks;

pub use errors::{ERROR_CODES, FileError};

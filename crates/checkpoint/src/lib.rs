//! Files of trained weights: headers, as far as both the importer and the runtime read them, and what writes other
//! files of their data.
//!
//! * [`gguf`]: GGUF 2 and 3, typed keys and tensors, also in blocks of quantised elements; [`gguf_writer`] writes it.
//! * [`safetensors`]: names, types and places of tensors.
//! * [`blocks`]: the element kinds of GGUF, one row each.
//! * [`quantize`]: blocks of floats as bytes, and back.
//! * [`convert`]: tensors of a file in another kind, some rows at a time.
//! * [`stacks`]: names that stand for several tensors.
//!
//! Every count of a file is compared with the bytes that are left of it before memory is taken for it, so that a
//! broken file costs no more memory than a few times its header.
#![forbid(unsafe_code)]

pub mod blocks;
pub mod convert;
mod errors;
pub mod gguf;
pub mod gguf_writer;
pub mod quantize;
pub mod safetensors;
pub mod stacks;

pub use errors::{ERROR_CODES, FileError};

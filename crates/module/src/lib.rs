//! The module file and the host program: read, write, check. No LLVM, no GPU, no `unsafe`.
//!
//! The file is described byte by byte in docs/understand/module-format.md. Write with [`ModuleBuilder`], read with
//! [`ParsedModule::parse`], run a [`TrustedModule`].
#![forbid(unsafe_code)]

pub mod check;
mod check_commands;
pub mod collective;
mod cursor;
mod elf;
pub mod errors;
pub mod format;
pub mod hsaco;
pub mod image;
pub mod integrity;
pub mod limits;
pub mod manifest;
pub mod msgpack;
pub mod parameter_reads;
pub mod program;
pub mod read;
pub mod records;
pub mod remarks;
pub mod select;
pub mod sharding;
pub mod sizes;
pub mod spirv;
mod strict_json;
pub mod tensor_map;
pub mod trust;
pub mod tuning;
pub mod verify;
pub mod write;

pub use errors::{ERROR_CODES, ModuleError};
pub use integrity::Verify;
pub use manifest::Manifest;
pub use program::Program;
pub use read::ParsedModule;
pub use select::{Candidate, Choice, DeviceArch, candidates, choose};
pub use tensor_map::{MapElement, MapPart, MapSize, Swizzle, TensorMap};
pub use trust::TrustedModule;
pub use write::{ModuleBuilder, ptx_image};

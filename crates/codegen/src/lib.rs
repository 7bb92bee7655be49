//! Code generation: kernel plans in, executable images out.
//!
//! [`emit()`] writes a kernel plan as MLIR text; `backend` compiles and links kernels for a target (feature `backend`, on by
//! default: the only part that links LLVM).

#[cfg(feature = "backend")]
pub mod backend;
pub mod emit;
pub mod errors;
mod source;

pub use emit::emit;
pub use errors::{ERROR_CODES, EmitError};
pub use source::KernelSource;

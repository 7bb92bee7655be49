//! Code generation: kernel plans in, executable images out.
//!
//! [`emit`] writes a kernel plan as MLIR text; `backend` compiles and links kernels for a target.

pub mod backend;
pub mod emit;
pub mod errors;

pub use backend::KernelSource;
pub use emit::emit;
pub use errors::{ERROR_CODES, EmitError};

//! The passes between import and code generation: simplify, decompose, fuse, schedule and program. Graph in, kernel
//! plans and a host program out; no LLVM. One pass a file, its before and after cases next to it.
#![forbid(unsafe_code)]

pub mod decompose;
pub mod errors;
#[cfg(test)]
mod example;
pub mod facts;
pub mod fuse;
pub mod observe;
pub mod pipeline;
mod plan;
pub mod program;
pub mod remarks;
mod rewrite;
pub mod schedule;
pub mod simplify;

pub use errors::{ERROR_CODES, PassError};
pub use fuse::fuse;
pub use plan::{plan, plan_observed, plan_traced};
pub use program::{ConstantBytes, ConstantPlacement, FunctionMemory, Options, Parameter, Planned};

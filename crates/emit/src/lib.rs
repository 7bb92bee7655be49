//! What every kernel family is written with: the text builder, the ABI of each backend, the scalar DAG, and building
//! blocks that several families share. No schedule, no family, no LLVM.
//!
//! Input: a [`KernelPlan`](fornax_plan::KernelPlan) and a target, bound in an [`Emitter`](emitter::Emitter). Output:
//! MLIR text in scf, arith, math, vector and llvm, with nvvm or rocdl operations on GPUs; no gpu, no memref. The same
//! emitters serve all targets: what differs lives in `abi`.
//!
//! | file | what |
//! | --- | --- |
//! | `text`, `ops` | the text builder and its typed operations |
//! | `abi`, `lane_exchange`, `opencl` | header, ids, barrier, lane exchange, shared memory |
//! | `emitter` | bindings of loop variables, the memo |
//! | `early` | the wait for earlier kernels, and which kernels let later ones start |
//! | `index`, `memory`, `resource`, `guarded`, `kept`, `prefetch` | index expressions, loads and stores |
//! | `scalar`, `integer`, `bytes`, `convert`, `narrow`, `math` | the scalar DAG |
//! | `order`, `advance` | the order of instructions: loads first, addresses that step |
//! | `blocks` | what several families share: folds, register tiles, matrix instructions, tensor copies |
#![forbid(unsafe_code)]

pub mod abi;
pub mod advance;
mod announced;
pub mod blocks;
pub mod bytes;
pub mod convert;
pub mod copies;
mod early;
pub mod emitter;
pub mod errors;
pub mod guarded;
pub mod index;
pub mod integer;
pub mod kept;
pub mod lane_exchange;
pub mod lead;
pub mod math;
pub mod memory;
mod narrow;
mod narrow_division;
pub mod opencl;
pub mod ops;
pub mod order;
mod prefetch;
pub mod resource;
pub mod scalar;
mod source;
pub mod text;

pub use errors::{ERROR_CODES, EmitError};
pub use source::KernelSource;

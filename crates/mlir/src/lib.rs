//! MLIR and LLVM in process: one kernel module's text in, assembly or an object out; models of upstream dialects into
//! generic text ([`generic_form`]).
//!
//! The only crate that names melior, mlir-sys or LLVM's C API; everything else sees [`compile_kernel`] and
//! [`compile_llvm_ir`]. MLIR goes through melior (`context`, `lower`); mlir-sys and `ffi` cover only what melior lacks:
//! the translation to LLVM IR, LLVM's modules, passes and target machines (`llvm`).
//!
//! Input is a module in MLIR's LLVM-level dialects (`llvm.func` with scf, arith, math, vector, nvvm or rocdl inside);
//! the pipeline is fixed (see `lower`), then LLVM's `default<O3>`, or fewer passes, and its code generator run.
//!
//! LLVM writes one SPIR-V module a process (`compile`), and some of its IR must be rewritten for it (`spirv`).
//!
//! Limits: a fatal error of an LLVM backend (an instruction that cannot be selected, an unknown AMD CPU) aborts the
//! process. That cannot be caught here; callers run compilation in worker processes and check names against the target
//! tables first. Any number of threads may compile at once: each has its own MLIR context, and each call its own LLVM
//! one.

mod compile;
mod context;
mod device_library;
mod errors;
mod ffi;
mod llvm;
mod lower;
mod model;
mod registry;
mod spirv;

pub use compile::{Compiled, EmitKind, MachineSpec, compile_kernel, compile_llvm_ir};
pub use device_library::FILE as DEVICE_LIBRARY_FILE;
pub use errors::{Diagnostic, ERROR_CODES, MlirError, Stage};
pub use model::generic_form;

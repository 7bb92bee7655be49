//! Runs compiled modules: devices behind one small HAL, sessions over module files, tensors in and out.
//!
//! No LLVM, no Python and no vendor toolkit: GPU drivers are found with dlopen when they are asked for, so a binary
//! with everything in it starts on a machine that has none of them.
//!
//! * [`backends`] says what this machine has and opens the best of it.
//! * [`registry`] lists drivers and opens devices by name (`cuda`, `cuda:1`, `cpu`, …).
//! * [`session`] loads a module on a device and calls its functions.
//! * [`tensor`] reads and writes tensors as text and files.
//! * [`trace`] writes what host and devices did, and when, for Perfetto.
//! * [`attached`] finds the module behind a program.
//! * [`hal`] is what the above stand on: devices, buffers, executables, commands.

pub mod attached;
pub mod backends;
pub mod drivers;
pub mod errors;
pub mod hal;
pub mod launch;
pub mod mapping;
pub mod registry;
pub mod session;
pub mod team;
pub mod tensor;
mod threads;
pub mod trace;

pub use backends::{
    Backend, BackendPreference, BackendStatus, MemoryEstimate, backend_summary, check_gpu_available, check_gpu_enabled,
    discover_backends, estimate_inference_memory, init_backend, init_backend_with_memory_check, print_backend_summary,
};
/// The crate of `f16` and `bf16`, of the version whose numbers tensors show.
pub use half;

pub use errors::{ERROR_CODES, ErrorKind, Result, RuntimeError};
pub use session::{DeviceTensor, Module, ParameterFile, ParameterTensor, Session, SessionOptions, Verify};
pub use tensor::{Element, ElementType, Scalar, Tensor, TensorType};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../docs/use/from-rust.md")]
struct FromRust;

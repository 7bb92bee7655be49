//! The drivers: each implements [`crate::hal::Driver`] and [`crate::hal::RawDevice`] over one kind of device.
//! [`crate::registry`] lists them. A new driver is a copy of [`null`] and a row there.

#[cfg(feature = "cpu")]
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
mod host_memory;
mod host_processes;
mod host_reduce;
mod host_team;
pub mod library_file;
#[cfg(any(feature = "cuda", feature = "rocm"))]
mod nccl;
pub mod null;
#[cfg(feature = "opencl")]
pub mod opencl;
pub mod processor_time;
#[cfg(any(feature = "cuda", feature = "rocm"))]
mod rendezvous;
#[cfg(feature = "rocm")]
pub mod rocm;
#[cfg(any(feature = "cuda", feature = "rocm", feature = "opencl"))]
mod symbols;

/// Memory of the host that is free, bytes.
pub(crate) fn free_memory() -> u64 {
    host_memory::memory().free
}

/// The dynamic loader's own words, which name the file.
#[cfg(any(feature = "cpu", feature = "cuda", feature = "rocm", feature = "opencl"))]
fn loader_message(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), |source| source.to_string())
}

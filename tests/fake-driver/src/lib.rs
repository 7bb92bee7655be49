//! What the test doubles of libcuda, libamdhip64 and libOpenCL share: devices that do not exist, memory whose every
//! access is checked, queues that run as late as they may, objects that are counted, and calls that fail on demand.
//!
//! Input: calls of a driver's entry points, made by the runtime's own driver code. Output: what a driver would answer,
//! and a report ([`control`]): how often which function was called, what is still alive, which rules the caller broke.
//! Why: the whole of a driver runs in tests on any machine, and each of its calls can be made to fail.
//!
//! A double is a cdylib (`tests/fake-hip`, `tests/fake-cuda`, `tests/fake-opencl`) of thin `extern "C"` functions over
//! [`World`]; each has its own copy of the state here. It is configured by variables ([`Config`]) or, in the same
//! process, through [`control::Control`].
//!
//! Limits: one lock for everything, so calls of two threads take turns; device memory is host memory behind addresses
//! that the host cannot use; work of a stream runs when somebody waits for it, on the waiting thread.
//!
//! Example: `FORNAX_FAKE_ARCH=gfx942,gfx90a FORNAX_FAKE_FAIL=hipMalloc#3=2` gives two devices, and the third
//! `hipMalloc` answers 2.

mod buffers;
mod config;
pub mod control;
pub mod elf;
pub mod entry;
mod faults;
mod graphs;
mod memory;
mod queue;
mod registered;
mod set_arguments;
mod world;

pub use config::Config;
pub use faults::Faults;
pub use memory::{Memory, Place};
pub use queue::{Fill, Launch, Operation};
pub use set_arguments::{Arguments, Kind};
pub use world::{Device, Executor, Image, KernelInfo, Object, World};

/// Codes that libcuda and libamdhip64 share. The double of libOpenCL translates them; calls fail there with OpenCL's
/// own, which are negative.
pub mod code {
    pub const INVALID_VALUE: i32 = 1;
    pub const OUT_OF_MEMORY: i32 = 2;
    pub const NO_DEVICE: i32 = 100;
    pub const INVALID_DEVICE: i32 = 101;
    pub const INVALID_IMAGE: i32 = 200;
    pub const INVALID_CONTEXT: i32 = 201;
    pub const NO_BINARY_FOR_GPU: i32 = 209;
    pub const INVALID_HANDLE: i32 = 400;
    pub const NOT_FOUND: i32 = 500;
    pub const NOT_READY: i32 = 600;
    pub const ILLEGAL_ADDRESS: i32 = 700;
    pub const LAUNCH_FAILED: i32 = 719;
    pub const NOT_SUPPORTED: i32 = 801;
    pub const CAPTURE_UNSUPPORTED: i32 = 900;

    /// After these a device answers nothing else.
    pub fn is_sticky(code: i32) -> bool {
        [-2, -14, -36, 4, 214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 999].contains(&code)
    }
}

//! OpenCL end to end: `fornax run-module --device=opencl` on a device that is there, and the commands on the test
//! double of libOpenCL.
//!
//! Devices are those of the loader that the process finds; `make test-opencl` installs Intel's runtime for processors
//! and runs everything (`FORNAX_OPENCL=all`; `NAME,…` chooses goldens). Where no device takes SPIR-V, what needs one is
//! skipped with a word.

mod commands;
mod goldens;
mod models;

use fornax_tests::{fornax, root};

/// Whether a device can run modules; says why not.
fn has_device() -> bool {
    let listed = fornax(&root(), &["list-devices", "opencl"]).ok();
    if listed.stdout.is_empty() {
        println!("skipped: {}", listed.stderr.trim());
    }
    !listed.stdout.is_empty()
}

//! ROCm end to end without a GPU: `fornax run-module --device=rocm` through the real driver code on the test double of
//! libamdhip64, which executes the hsaco's kernels in the emulator of code objects.
//!
//! Every folder of tests/numeric is compiled for four chips into one module and run on a device of each. Without more,
//! a selection runs; `FORNAX_ROCM=all` runs all of them (`make test-rocm`), `FORNAX_ROCM=NAME,…` those whose names
//! contain one of the words, and `FORNAX_ROCM_CHIPS=gfx942,…` chooses the chips.

mod commands;
mod device_library;
mod goldens;
mod models;
mod notes;

use std::path::Path;
use std::time::Duration;

use fornax_tests::{Run, fornax_with, link_double};

/// The double and the name under which it is found first.
const DOUBLE: (&str, &str) = ("libfornax_fake_hip.so", "libamdhip64.so.7");

/// Chips by default: without matrix instructions, and three generations with them.
const CHIPS: &[&str] = &["gfx906", "gfx908", "gfx90a", "gfx942"];

fn chips() -> Vec<String> {
    match std::env::var("FORNAX_ROCM_CHIPS") {
        Ok(chips) => chips.split(',').map(String::from).collect(),
        Err(_) => CHIPS.iter().map(|chip| chip.to_string()).collect(),
    }
}

/// A folder that holds the double.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    link_double(folder.path(), DOUBLE.0, DOUBLE.1);
    folder
}

/// Runs the binary where the double is found, with devices of these chips.
fn on_double(folder: &Path, chips: &[String], arguments: &[&str], limit: Duration) -> Run {
    let path = folder.display().to_string();
    let arches = chips.join(",");
    let variables = [("LD_LIBRARY_PATH", path.as_str()), ("FORNAX_FAKE_ARCH", arches.as_str())];
    fornax_with(folder, arguments, &variables, limit)
}

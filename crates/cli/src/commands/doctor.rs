//! `fornax doctor`: what of this build and this machine can run modules, and why something cannot.
//!
//! Input: nothing. Output, for each driver: whether it is part of the build, the library's version, the devices with their
//! architectures, memory and properties, or the reason why there are none and what to do. Exit code 0: a missing GPU is a finding, not an error.

use anyhow::Result;
use fornax_runtime::hal::DeviceInfo;
use fornax_runtime::registry::{DriverStatus, driver_statuses};

use crate::output::say;

/// Drivers of GPUs: name, heading, what a machine needs for it.
const GPUS: &[(&str, &str, &str)] = &[
    ("cuda", "CUDA", "NVIDIA's driver is enough (libcuda.so.1); no toolkit is needed"),
    ("rocm", "ROCm", "AMD's HIP runtime is enough (libamdhip64.so.7, .6 or .5); $ROCM_PATH/lib is searched too"),
    ("opencl", "OpenCL", "a loader (libOpenCL.so.1) and a device's OpenCL driver that takes SPIR-V"),
];

pub fn run() -> Result<()> {
    let statuses = driver_statuses();
    let gpus = || statuses.iter().filter(|status| GPUS.iter().any(|gpu| gpu.0 == status.row.name));
    say!("fornax {}", env!("CARGO_PKG_VERSION"));
    say!("GPU enabled: {}", truth(gpus().any(|status| status.row.enabled)));
    // OpenCL has processors too.
    let is_gpu = |device: &DeviceInfo| !device.properties.iter().any(|(name, kind)| *name == "kind" && kind != "GPU");
    say!("GPU available: {}", truth(gpus().any(|status| status.usable().any(is_gpu))));
    for (name, heading, needs) in GPUS {
        if let Some(status) = statuses.iter().find(|status| status.row.name == *name) {
            driver(status, heading, needs);
        }
    }
    if let Some(status) = statuses.iter().find(|status| status.row.name == "cpu") {
        driver(status, "CPU", "");
    }
    Ok(())
}

fn truth(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

fn driver(status: &DriverStatus, heading: &str, needs: &str) {
    say!("\n{heading}");
    if let Some(why) = &status.why_empty {
        say!("  not available: {why}");
        if status.row.enabled {
            say!("  needs: {needs}");
        }
    }
    if let Some(first) = status.devices.first() {
        say!("  version: {}", first.driver_version);
    }
    for device in &status.devices {
        let gib = device.memory_bytes as f64 / f64::from(1 << 30);
        say!("  {}  {}, {}, {} units, {gib:.1} GiB", device.uri(), device.name, device.arch, device.compute_units);
        if let Some(why) = &device.unusable {
            say!("    cannot run modules: {why}");
        }
        if !device.properties.is_empty() && !device.features.is_empty() {
            say!("    features: {}", device.features.join(", "));
        }
        for (name, value) in &device.properties {
            say!("    {name}: {value}");
        }
    }
}

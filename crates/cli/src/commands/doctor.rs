//! `fornax doctor`: what of this build and this machine can run modules, and why something cannot.
//!
//! Input: nothing. Output, for each driver: whether it is part of the build, the library with its version and file, the
//! devices with their architectures, memory and properties, or the reason why there are none and what to do. Every
//! device is opened: one that a driver lists but that runs nothing is not available. `--backends` prints the short list
//! of the library's front instead. Exit code 0: a missing GPU is a finding, not an error.

use anyhow::Result;
use fornax_runtime::backends::summary_of;
use fornax_runtime::{BackendStatus, check_gpu_enabled, discover_backends};

use crate::args::{DoctorArgs, Format};
use crate::commands::list_devices::Row;
use crate::output::{bytes, say};

pub fn run(args: &DoctorArgs) -> Result<()> {
    let statuses = discover_backends();
    if args.format == Format::Json {
        say!("{}", serde_json::to_string_pretty(&report(&statuses))?);
        return Ok(());
    }
    if args.backends {
        bytes(summary_of(&statuses).as_bytes());
        return Ok(());
    }
    say!("fornax {}", env!("CARGO_PKG_VERSION"));
    say!("GPU enabled: {}", truth(check_gpu_enabled()));
    say!("GPU available: {}", truth(statuses.iter().any(BackendStatus::has_gpu)));
    for status in &statuses {
        if let Some(needs) = status.needs() {
            print(status, needs);
        }
    }
    Ok(())
}

/// The JSON form: the same, each device as `list-devices --format=json` has it.
fn report(statuses: &[BackendStatus]) -> serde_json::Value {
    let backend = |status: &BackendStatus| {
        let devices: Vec<Row> = status.devices.iter().map(|device| Row::of(&device.info)).collect();
        serde_json::json!({
            "name": status.name(), "built_in": status.is_built(), "unavailable": status.error, "needs": status.needs(),
            "library": status.library.file, "library_version": status.library.version,
            "looked_for": status.library.tried, "devices": devices,
        })
    };
    serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "gpu_enabled": check_gpu_enabled(),
        "gpu_available": statuses.iter().any(BackendStatus::has_gpu),
        "backends": statuses.iter().map(backend).collect::<Vec<_>>(),
    })
}

fn truth(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

fn print(status: &BackendStatus, needs: &str) {
    say!("\n{}", status.name());
    if let (Some(why), true) = (&status.error, status.devices.is_empty()) {
        say!("  not available: {why}");
        if status.is_built() {
            say!("  needs: {needs}");
        }
    }
    let library = &status.library;
    match (&library.file, library.tried.is_empty()) {
        (Some(file), _) => say!("  library: {file}"),
        (None, false) => say!("  looked for: {}", library.tried.join(", ")),
        (None, true) => {}
    }
    let first = status.devices.first().map(|device| device.info.driver_version.as_str());
    if let Some(version) = library.version.as_deref().or(first) {
        say!("  version: {version}");
    }
    for device in &status.devices {
        let info = &device.info;
        let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
        let free = device.free_bytes.map_or_else(String::new, |free| format!(" ({:.1} free)", gib(free)));
        let memory = gib(info.memory_bytes);
        say!("  {}  {}, {}, {} units, {memory:.1} GiB{free}", info.uri(), info.name, info.arch, info.compute_units);
        if let Some(why) = &info.unusable {
            say!("    cannot run modules: {why}");
        }
        if !info.properties.is_empty() && !info.features.is_empty() {
            say!("    features: {}", info.features.join(", "));
        }
        for (name, value) in &info.properties {
            say!("    {name}: {value}");
        }
    }
}

//! The list of backends for people.
//!
//! ```text
//! === Available Backends ===
//! ✓ CPU (CPU)
//!     [0] AMD EPYC 9654: 32.00 GB (28.50 GB free)
//! ✗ CUDA (CUDA)
//!     Error: No CUDA devices found
//!
//! Recommended backend: CPU
//! ```
//!
//! Backends that can be used stand first, the processor before all; GB is 2^30 bytes.

use std::fmt::Write as _;
use std::io::Write as _;

use super::{BackendDevice, BackendPreference, BackendStatus, discover_backends};

/// The text of [`print_backend_summary`], with its last line break.
pub fn backend_summary() -> String {
    summary_of(&discover_backends())
}

/// Prints every backend with its devices, or why it has none, and which one `Auto` takes.
///
/// ```
/// fornax_runtime::print_backend_summary();
/// ```
pub fn print_backend_summary() {
    // A closed stdout is the reader's choice.
    let _ = std::io::stdout().lock().write_all(backend_summary().as_bytes());
}

/// The text for backends that have been looked at, given in the order in which `Auto` tries them.
pub fn summary_of(backends: &[BackendStatus]) -> String {
    let mut text = "=== Available Backends ===\n".to_string();
    let mut rows: Vec<&BackendStatus> = backends.iter().collect();
    rows.sort_by_key(|status| (!status.is_available(), status.backend != BackendPreference::Cpu));
    for status in rows {
        let mark = if status.is_available() { '✓' } else { '✗' };
        // Writing into a string does not fail.
        let _ = writeln!(text, "{mark} {name} ({name})", name = status.name());
        match &status.error {
            Some(why) => {
                let _ = writeln!(text, "    Error: {why}");
            }
            None => status.devices.iter().for_each(|device| text.push_str(&line(device))),
        }
    }
    let first = backends.iter().find(|status| status.is_available());
    let _ = writeln!(text, "\nRecommended backend: {}", first.map_or("none", |status| status.name()));
    text
}

fn line(device: &BackendDevice) -> String {
    let info = &device.info;
    let gb = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    let head = format!("    [{}] {}: {:.2} GB", info.ordinal, info.name, gb(info.memory_bytes));
    match (&info.unusable, device.free_bytes) {
        (Some(why), _) => format!("{head} (cannot run modules: {why})\n"),
        (None, Some(free)) => format!("{head} ({:.2} GB free)\n", gb(free)),
        (None, None) if device.is_unified() => format!("{head} (unified memory)\n"),
        (None, None) => format!("{head}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hal::{DeviceInfo, LibrarySearch};

    fn device(
        driver: &'static str,
        name: &str,
        tenths: u64,
        free: Option<u64>,
        unusable: Option<&str>,
    ) -> BackendDevice {
        let bytes = |tenths: u64| (tenths << 30) / 10;
        let info = DeviceInfo {
            driver,
            name: name.into(),
            memory_bytes: bytes(tenths),
            unusable: unusable.map(String::from),
            ..DeviceInfo::default()
        };
        BackendDevice { info, free_bytes: free.map(bytes) }
    }

    fn status(backend: BackendPreference, devices: Vec<BackendDevice>, error: Option<&str>) -> BackendStatus {
        BackendStatus { backend, devices, error: error.map(String::from), library: LibrarySearch::default() }
    }

    #[test]
    fn the_known_form() {
        let mut processor = device("opencl", "AMD EPYC", 320, None, None);
        processor.info.properties = vec![("kind", "processor".to_string())];
        processor.info.ordinal = 1;
        let backends = [
            status(BackendPreference::Cuda, vec![], Some("CUDA feature not enabled at compile time")),
            status(BackendPreference::Rocm, vec![device("rocm", "MI300X", 1920, Some(1915), None)], None),
            status(BackendPreference::Metal, vec![], Some("No Metal device found")),
            status(
                BackendPreference::OpenCL,
                vec![device("opencl", "Old", 20, None, Some("it takes no SPIR-V")), processor],
                None,
            ),
            status(BackendPreference::Cpu, vec![device("cpu", "AMD EPYC", 320, Some(285), None)], None),
        ];
        let wanted = "=== Available Backends ===
✓ CPU (CPU)
    [0] AMD EPYC: 32.00 GB (28.50 GB free)
✓ ROCm (ROCm)
    [0] MI300X: 192.00 GB (191.50 GB free)
✓ OpenCL (OpenCL)
    [0] Old: 2.00 GB (cannot run modules: it takes no SPIR-V)
    [1] AMD EPYC: 32.00 GB (unified memory)
✗ CUDA (CUDA)
    Error: CUDA feature not enabled at compile time
✗ Metal (Metal)
    Error: No Metal device found

Recommended backend: ROCm
";
        assert_eq!(summary_of(&backends), wanted);
        assert!(summary_of(&[]).ends_with("\n\nRecommended backend: none\n"));
    }
}

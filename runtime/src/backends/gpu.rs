//! Two questions about GPUs: is this build made for them, and is one here that works.

use super::{BackendStatus, discover_backends};
use crate::registry::DRIVERS;

/// Whether this build has a driver for GPUs, whatever the machine has.
///
/// ```
/// println!("GPU enabled: {}", fornax_runtime::check_gpu_enabled());
/// ```
pub fn check_gpu_enabled() -> bool {
    DRIVERS.iter().any(|row| row.enabled && row.is_gpu)
}

/// Whether this machine has a GPU that this build can run modules on: it is opened to see that.
///
/// ```
/// println!("GPU available: {}", fornax_runtime::check_gpu_available());
/// ```
pub fn check_gpu_available() -> bool {
    gpu_available(&discover_backends())
}

/// The same, of backends that have been looked at.
pub(crate) fn gpu_available(backends: &[BackendStatus]) -> bool {
    let gpus = backends.iter().filter(|status| status.driver().is_some_and(|driver| driver.is_gpu));
    gpus.flat_map(BackendStatus::usable).any(|device| device.is_gpu())
}

impl BackendStatus {
    /// Whether a GPU of this backend can run modules.
    pub fn has_gpu(&self) -> bool {
        gpu_available(std::slice::from_ref(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::{BackendDevice, BackendPreference};
    use crate::hal::{DeviceInfo, LibrarySearch};

    fn status(backend: BackendPreference, kind: Option<&str>, unusable: Option<&str>) -> BackendStatus {
        let properties = kind.map(|kind| ("kind", kind.to_string())).into_iter().collect();
        let info = DeviceInfo { properties, unusable: unusable.map(String::from), ..DeviceInfo::default() };
        let devices = vec![BackendDevice { info, free_bytes: None }];
        BackendStatus { backend, devices, error: unusable.map(String::from), library: LibrarySearch::default() }
    }

    #[test]
    fn a_gpu_is_one_that_works_and_is_no_processor() {
        let rows = [
            (status(BackendPreference::Cuda, None, None), true),
            (status(BackendPreference::Cuda, None, Some("too old")), false),
            (status(BackendPreference::OpenCL, Some("GPU"), None), true),
            (status(BackendPreference::OpenCL, Some("processor"), None), false),
            (status(BackendPreference::Cpu, None, None), false),
        ];
        for (status, wanted) in rows {
            assert_eq!(status.has_gpu(), wanted, "{status:?}");
        }
    }

    #[test]
    fn enabled_is_a_question_to_the_build() {
        assert!(check_gpu_enabled() || !cfg!(any(feature = "cuda", feature = "rocm", feature = "opencl")));
        assert!(check_gpu_enabled() || !check_gpu_available());
    }
}

//! Devices with an OpenCL driver: the loader libOpenCL found with dlopen, nothing of OpenCL needed to build or start.
//!
//! A device must take SPIR-V. Its memory is shared virtual memory, so that buffers are plain addresses as on other
//! devices; where it has none, buffers with offsets (`memory.rs`). Commands go to one in-order queue as they come
//! (`direct`).

mod api;
mod cache;
mod context;
#[cfg(test)]
mod declarations;
mod device;
mod devices;
mod memory;
mod offsets;
mod program;

use std::sync::Arc;

use self::api::{Api, LIBRARY_NAMES};
use self::device::OpenClDevice;
use self::devices::Found;
use crate::hal::{DeviceInfo, Driver, HalError, HalErrorKind, HalResult, LibrarySearch, OpenOptions, RawDevice};

const NO_DEVICES: &str = "No OpenCL devices found";

/// The loader and what it found.
pub struct OpenClDriver {
    api: Result<Arc<Api>, String>,
    devices: Vec<(DeviceInfo, Found)>,
    why_empty: Option<String>,
    library: LibrarySearch,
}

impl OpenClDriver {
    /// Looks for the loader and its devices. Does not fail.
    pub fn probe() -> OpenClDriver {
        OpenClDriver::probe_names(LIBRARY_NAMES)
    }

    fn probe_names(names: &[&str]) -> OpenClDriver {
        let none = |why: String, library: LibrarySearch| OpenClDriver {
            api: Err(why.clone()),
            devices: Vec::new(),
            why_empty: Some(why),
            library,
        };
        let loader = names.first().unwrap_or(&"loader");
        let api = match Api::load(names) {
            Ok(api) => api,
            Err(error) => {
                let tried = names.iter().map(|name| name.to_string()).collect();
                let library = LibrarySearch { tried, ..LibrarySearch::default() };
                let why = match error.is_there {
                    true => format!("{NO_DEVICES}: {loader} does not load: {}", error.why),
                    false => format!("{NO_DEVICES}: there is no {loader}"),
                };
                return none(why, library);
            }
        };
        let none = |why: String| none(why, api.search());
        match devices::list(&api) {
            Ok(devices) if devices.is_empty() => none(NO_DEVICES.to_string()),
            Ok(devices) => {
                let library = api.search();
                OpenClDriver { api: Ok(Arc::new(api)), devices, why_empty: None, library }
            }
            Err(error) => none(format!("OpenCL initialization failed: {error}")),
        }
    }
}

impl Driver for OpenClDriver {
    fn name(&self) -> &'static str {
        "opencl"
    }

    fn description(&self) -> &'static str {
        "OpenCL HAL driver (SPIR-V, via dylib)"
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        self.devices.iter().map(|row| row.0.clone()).collect()
    }

    fn why_empty(&self) -> Option<String> {
        self.why_empty.clone()
    }

    fn library(&self) -> LibrarySearch {
        self.library.clone()
    }

    fn open(&self, ordinal: usize, options: &OpenOptions) -> HalResult<Arc<dyn RawDevice>> {
        let api = self.api.as_ref().map_err(|why| HalError::new(HalErrorKind::Unavailable, why.clone()))?;
        let missing = || HalError::new(HalErrorKind::NotFound, format!("no OpenCL device {ordinal}"));
        let (info, found) = self.devices.get(ordinal).ok_or_else(missing)?;
        if let Some(why) = &info.unusable {
            let what = format!("{} ({}) cannot run modules: {why}", info.uri(), info.name);
            return Err(HalError::new(HalErrorKind::Unsupported, what));
        }
        Ok(Arc::new(OpenClDevice::open(api.clone(), info.clone(), found.clone(), options)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_a_reason() {
        let driver = OpenClDriver::probe_names(&["libfornax-no-such-library.so"]);
        assert_eq!(
            driver.why_empty().as_deref(),
            Some("No OpenCL devices found: there is no libfornax-no-such-library.so")
        );
        let error = driver.open(0, &OpenOptions::default()).err().unwrap();
        assert_eq!(error.kind(), HalErrorKind::Unavailable);
    }

    /// A file that is there and does not load is told from one that is not there.
    #[test]
    fn a_library_that_does_not_load_is_a_reason_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libOpenCL.so.1");
        std::fs::write(&path, "no library").unwrap();
        let driver = OpenClDriver::probe_names(&[path.to_str().unwrap()]);
        let why = driver.why_empty().unwrap();
        assert!(why.contains("libOpenCL.so.1 does not load: "), "{why}");
    }

    /// Where a loader is installed it says what it has, and nothing breaks.
    #[test]
    fn the_real_loader_reports_its_devices() {
        let driver = OpenClDriver::probe();
        assert_eq!(driver.devices().is_empty(), driver.why_empty().is_some());
        if let Some(why) = driver.why_empty() {
            println!("skipped: {why}");
            assert!(why.starts_with(NO_DEVICES), "{why}");
        }
        for info in driver.devices() {
            assert_eq!(
                driver.open(info.ordinal, &OpenOptions::default()).is_ok(),
                info.unusable.is_none(),
                "{}",
                info.name
            );
        }
    }
}

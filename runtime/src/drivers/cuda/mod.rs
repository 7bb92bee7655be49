//! NVIDIA GPUs through libcuda, found with dlopen: a driver is enough, no toolkit.
//!
//! One device is the primary context (shared with PyTorch and JAX in the same process) and one non-blocking stream.
//! A command list runs on the stream the first time; from the second time on, lists of several commands run as a
//! CUDA graph, in which commands that share no memory may run in parallel.

mod api;
mod collectives;
mod compile;
mod context;
mod device;
mod fetch;
mod graph;
mod launch;
mod locked;
mod module;
mod nodes;
mod nvml;
mod order;
mod ptx_parts;
mod rebind;
mod spread;
mod staging;
mod tensor_map;

use std::ffi::{CStr, c_int};
use std::sync::Arc;

use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUresult, CUuuid};

use self::api::{Api, LIBRARY_NAMES, NO_DEVICE};
use self::device::CudaDevice;
use crate::hal::{
    DeviceInfo, Driver, HalError, HalErrorKind, HalResult, LaunchLimits, LibrarySearch, OpenOptions, RawDevice,
};

/// Devices below this compute capability cannot run modules.
const OLDEST: (i32, i32) = (5, 0);

/// libcuda and what it found.
pub struct CudaDriver {
    api: Result<Arc<Api>, String>,
    devices: Vec<DeviceInfo>,
    why_empty: Option<String>,
    library: LibrarySearch,
}

impl CudaDriver {
    /// Looks for the library and its devices. Does not fail.
    pub fn probe() -> CudaDriver {
        let tried = LIBRARY_NAMES.iter().map(|name| name.to_string()).collect();
        let none = |why: String, library: LibrarySearch| CudaDriver {
            api: Err(why.clone()),
            devices: Vec::new(),
            why_empty: Some(why),
            library,
        };
        let api = match Api::load(LIBRARY_NAMES) {
            Ok(api) => Arc::new(api),
            Err(error) => {
                let library = LibrarySearch { tried, ..LibrarySearch::default() };
                return none(format!("CUDA initialization failed: {}", error.why), library);
            }
        };
        let none = |why: String| none(why, api.search());
        // SAFETY: cuInit takes 0.
        let code = unsafe { api.cuInit(0) };
        if code == NO_DEVICE {
            return none("No CUDA devices found".to_string());
        }
        if let Err(error) = api.check("cuInit", code, "starting CUDA") {
            return none(format!("CUDA initialization failed: {error}"));
        }
        match list(&api) {
            Ok(devices) if devices.is_empty() => none("No CUDA devices found".to_string()),
            Ok(devices) => {
                let version = devices.first().map(|info| info.driver_version.clone());
                let library = LibrarySearch { version, ..api.search() };
                CudaDriver { api: Ok(api), devices, why_empty: None, library }
            }
            Err(error) => none(format!("CUDA initialization failed: {error}")),
        }
    }
}

impl Driver for CudaDriver {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn description(&self) -> &'static str {
        "NVIDIA CUDA HAL driver (via dylib)"
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        self.devices.clone()
    }

    fn why_empty(&self) -> Option<String> {
        self.why_empty.clone()
    }

    fn library(&self) -> LibrarySearch {
        self.library.clone()
    }

    fn open(&self, ordinal: usize, options: &OpenOptions) -> HalResult<Arc<dyn RawDevice>> {
        let api = self.api.as_ref().map_err(|why| HalError::new(HalErrorKind::Unavailable, why.clone()))?;
        let info = self
            .devices
            .get(ordinal)
            .ok_or_else(|| HalError::new(HalErrorKind::NotFound, format!("no CUDA device {ordinal}")))?;
        if let Some(why) = &info.unusable {
            let what = format!("{} ({}) cannot run modules: {why}", info.uri(), info.name);
            return Err(HalError::new(HalErrorKind::Unsupported, what));
        }
        Ok(Arc::new(CudaDevice::open(api.clone(), info.clone(), options)?))
    }
}

fn list(api: &Api) -> HalResult<Vec<DeviceInfo>> {
    let mut version = 0;
    // SAFETY: writes one int.
    api.check("cuDriverGetVersion", unsafe { api.cuDriverGetVersion(&mut version) }, "reading the version")?;
    let mut count = 0;
    // SAFETY: writes one int.
    api.check("cuDeviceGetCount", unsafe { api.cuDeviceGetCount(&mut count) }, "counting devices")?;
    (0..count).map(|ordinal| describe(api, ordinal, version)).collect()
}

fn describe(api: &Api, ordinal: c_int, version: c_int) -> HalResult<DeviceInfo> {
    let what = "reading a device's properties";
    let mut device = 0;
    // SAFETY: writes one device number.
    api.check("cuDeviceGet", unsafe { api.cuDeviceGet(&mut device, ordinal) }, what)?;
    let attribute = |attribute: Attribute| -> HalResult<i32> {
        let mut value = 0;
        // SAFETY: writes one int.
        let code = unsafe { api.cuDeviceGetAttribute(&mut value, attribute as c_int, device) };
        api.check("cuDeviceGetAttribute", code, what).map(|()| value)
    };
    let unsigned = |which: Attribute| attribute(which).map(|value| value.max(0) as u32);
    let mut name = [0; 256];
    // SAFETY: the length given is the array's.
    let code = unsafe { api.cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, device) };
    api.check("cuDeviceGetName", code, what)?;
    if let Some(last) = name.last_mut() {
        *last = 0;
    }
    // SAFETY: the array ends with a NUL, set above.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
    let mut memory_bytes = 0;
    // SAFETY: writes one size.
    api.check("cuDeviceTotalMem_v2", unsafe { api.cuDeviceTotalMem_v2(&mut memory_bytes, device) }, what)?;
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let is_old = (major, minor) < OLDEST;
    let why = || format!("compute capability {major}.{minor}, the oldest supported is {}.{}", OLDEST.0, OLDEST.1);
    Ok(DeviceInfo {
        unusable: is_old.then(why),
        driver: "cuda",
        ordinal: ordinal as usize,
        unique_id: uuid(api, device),
        name,
        arch: format!("sm_{major}{minor}"),
        features: Vec::new(),
        memory_bytes: memory_bytes as u64,
        compute_units: unsigned(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        limits: LaunchLimits {
            max_grid: [
                unsigned(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                unsigned(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                unsigned(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
            ],
            max_block: [
                unsigned(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                unsigned(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                unsigned(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ],
            max_block_threads: unsigned(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            max_shared_bytes: unsigned(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            unit_threads: unsigned(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        },
        // In kHz.
        clock_mhz: known(unsigned(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE))?
            .map(|khz| khz / 1000)
            .filter(|mhz| *mhz > 0),
        driver_version: format!("CUDA {}.{}", version / 1000, version % 1000 / 10),
        ..DeviceInfo::default()
    })
}

/// `None` for an attribute that a newer driver no longer knows; other errors are errors.
fn known(value: HalResult<u32>) -> HalResult<Option<u32>> {
    match value {
        Err(error) if error.code() == CUresult::CUDA_ERROR_INVALID_VALUE as i64 => Ok(None),
        other => other.map(Some),
    }
}

/// `GPU-00000000-1111-2222-3333-444444444444`.
fn uuid(api: &Api, device: c_int) -> Option<String> {
    let mut uuid = CUuuid { bytes: [0; 16] };
    // SAFETY: writes 16 bytes.
    let newer = unsafe { api.cuDeviceGetUuid_v2(&mut uuid, device) };
    if newer != 0 {
        // SAFETY: writes 16 bytes.
        let older = unsafe { api.cuDeviceGetUuid(&mut uuid, device) };
        if older != 0 {
            return None;
        }
    }
    Some(format_uuid(uuid.bytes.map(|byte| byte as u8)))
}

fn format_uuid(bytes: [u8; 16]) -> String {
    let mut text = "GPU-".to_string();
    for (at, byte) in bytes.iter().enumerate() {
        if [4, 6, 8, 10].contains(&at) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_print_in_groups() {
        let text = format_uuid([0, 0, 0, 0, 0x11, 0x11, 0x22, 0x22, 0x33, 0x33, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44]);
        assert_eq!(text, "GPU-00000000-1111-2222-3333-444444444444");
    }

    #[test]
    fn a_probe_gives_devices_or_a_reason() {
        let driver = CudaDriver::probe();
        assert_eq!(driver.devices().is_empty(), driver.why_empty().is_some());
        if let Some(why) = driver.why_empty() {
            assert!(why == "No CUDA devices found" || why.starts_with("CUDA initialization failed: "), "{why}");
            let error = driver.open(0, &OpenOptions::default()).err().unwrap();
            assert_eq!(error.kind(), HalErrorKind::Unavailable);
        }
    }
}

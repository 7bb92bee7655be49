//! AMD GPUs through HIP: libamdhip64 found with dlopen, no ROCm needed to build or start.
//!
//! Commands go to one stream as they come (`direct`). Copies wait for the stream.

mod api;
mod device;
mod nccl;
#[cfg(test)]
mod prototypes;

use std::ffi::c_int;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use self::api::{
    ARCH_NAME_OFFSET, ARCH_NAME_OFFSET_R0600, Api, INVALID_DEVICE, LIBRARY_NAMES, NO_DEVICE, PROPERTIES_BYTES,
    attribute, check, text_at,
};
use self::device::RocmDevice;
use crate::hal::{
    DeviceInfo, Driver, HalError, HalErrorKind, HalResult, LaunchLimits, LibrarySearch, OpenOptions, RawDevice,
};

/// Where ROCm is installed unless somebody says otherwise.
const USUAL_PLACE: &str = "/opt/rocm/lib/libamdhip64.so";

/// Folders of installations that the user named.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// From now on the library is also looked for in this folder, where the loader finds none (`$ROCM_PATH/lib`).
pub fn look_in(folder: PathBuf) {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).push(folder);
}

/// libamdhip64 and what it found.
pub struct RocmDriver {
    api: Result<Arc<Api>, String>,
    devices: Vec<DeviceInfo>,
    why_empty: Option<String>,
    library: LibrarySearch,
}

impl RocmDriver {
    /// Looks for the library and its devices. Does not fail.
    pub fn probe() -> RocmDriver {
        let folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<String> = LIBRARY_NAMES.iter().map(|name| name.to_string()).collect();
        names.extend(folders.iter().map(|folder| folder.join("libamdhip64.so").display().to_string()));
        names.push(USUAL_PLACE.to_string());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        RocmDriver::probe_names(&names)
    }

    fn probe_names(names: &[&str]) -> RocmDriver {
        let none = |why: String, library: LibrarySearch| RocmDriver {
            api: Err(why.clone()),
            devices: Vec::new(),
            why_empty: Some(why),
            library,
        };
        let api = match Api::load(names) {
            Ok(api) => api,
            Err(error) => {
                let tried = names.iter().map(|name| name.to_string()).collect();
                let library = LibrarySearch { tried, ..LibrarySearch::default() };
                let words = if error.is_there { format!(": {}", error.why) } else { String::new() };
                return none(format!("ROCm runtime not available{words}"), library);
            }
        };
        let none = |why: String| none(why, LibrarySearch { version: version(&api).ok(), ..api.search() });
        // SAFETY: hipInit takes 0.
        let code = unsafe { api.hipInit(0) };
        if [NO_DEVICE, INVALID_DEVICE].contains(&code) {
            return none("No ROCm devices found".to_string());
        }
        if let Err(error) = check("hipInit", code, "starting HIP") {
            return none(format!("ROCm initialization failed: {error}"));
        }
        match list(&api) {
            Ok(devices) if devices.is_empty() => none("No ROCm devices found".to_string()),
            Ok(devices) => {
                let version = devices.first().map(|info| info.driver_version.clone());
                let library = LibrarySearch { version, ..api.search() };
                RocmDriver { api: Ok(Arc::new(api)), devices, why_empty: None, library }
            }
            Err(error) => none(format!("ROCm initialization failed: {error}")),
        }
    }
}

impl Driver for RocmDriver {
    fn name(&self) -> &'static str {
        "rocm"
    }

    fn description(&self) -> &'static str {
        "AMD ROCm HAL driver (HIP via dylib)"
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
            .ok_or_else(|| HalError::new(HalErrorKind::NotFound, format!("no ROCm device {ordinal}")))?;
        Ok(Arc::new(RocmDevice::open(api.clone(), info.clone(), options.transport)?))
    }
}

fn list(api: &Api) -> HalResult<Vec<DeviceInfo>> {
    let mut count = 0;
    // SAFETY: writes one int.
    let code = unsafe { api.hipGetDeviceCount(&mut count) };
    if [NO_DEVICE, INVALID_DEVICE].contains(&code) {
        return Ok(Vec::new());
    }
    check("hipGetDeviceCount", code, "counting devices")?;
    let version = version(api)?;
    (0..count).map(|ordinal| describe(api, ordinal, &version)).collect()
}

/// `HIP 6.2`.
fn version(api: &Api) -> HalResult<String> {
    let mut version = 0;
    // SAFETY: writes one int.
    check("hipDriverGetVersion", unsafe { api.hipDriverGetVersion(&mut version) }, "reading the version")?;
    Ok(format!("HIP {}.{}", version / 10_000_000, version / 100_000 % 100))
}

fn describe(api: &Api, ordinal: c_int, version: &str) -> HalResult<DeviceInfo> {
    let what = "reading a device's properties";
    let mut device = 0;
    // SAFETY: writes one int.
    check("hipDeviceGet", unsafe { api.hipDeviceGet(&mut device, ordinal) }, what)?;
    let attribute = |which: c_int| -> HalResult<u32> {
        let mut value = 0;
        // SAFETY: writes one int.
        let code = unsafe { api.hipDeviceGetAttribute(&mut value, which, device) };
        check("hipDeviceGetAttribute", code, what).map(|()| value.max(0) as u32)
    };
    let dims = |which: [c_int; 3]| -> HalResult<[u32; 3]> {
        let [x, y, z] = which;
        Ok([attribute(x)?, attribute(y)?, attribute(z)?])
    };
    let mut name = [0u8; 256];
    // SAFETY: the length given leaves the last byte, which stays zero.
    let code = unsafe { api.hipDeviceGetName(name.as_mut_ptr().cast(), name.len() as c_int - 1, device) };
    check("hipDeviceGetName", code, what)?;
    let mut memory_bytes = 0;
    // SAFETY: writes one size.
    check("hipDeviceTotalMem", unsafe { api.hipDeviceTotalMem(&mut memory_bytes, device) }, what)?;
    Ok(DeviceInfo {
        driver: "rocm",
        ordinal: ordinal as usize,
        unique_id: unique_id(api, device),
        name: text_at(&name, 0),
        arch: arch(api, device)?,
        features: Vec::new(),
        memory_bytes: memory_bytes as u64,
        compute_units: attribute(attribute::MULTIPROCESSOR_COUNT)?,
        limits: LaunchLimits {
            max_grid: dims(attribute::MAX_GRID_DIM)?,
            max_block: dims(attribute::MAX_BLOCK_DIM)?,
            max_block_threads: attribute(attribute::MAX_THREADS_PER_BLOCK)?,
            max_shared_bytes: attribute(attribute::MAX_SHARED_MEMORY_PER_BLOCK)?,
            unit_threads: 0,
        },
        // In kHz.
        clock_mhz: attribute(attribute::CLOCK_RATE).ok().map(|khz| khz / 1000).filter(|mhz| *mhz > 0),
        driver_version: version.to_string(),
        ..DeviceInfo::default()
    })
}

/// `gfx942:sramecc+:xnack-`.
fn arch(api: &Api, device: c_int) -> HalResult<String> {
    let mut properties = vec![0u8; PROPERTIES_BYTES];
    // SAFETY: the buffer is larger than the structure of any version.
    let newer = unsafe { api.hipGetDevicePropertiesR0600(properties.as_mut_ptr().cast(), device) };
    let offset = if newer == 0 {
        ARCH_NAME_OFFSET_R0600
    } else {
        // SAFETY: as above.
        let code = unsafe { api.hipGetDeviceProperties(properties.as_mut_ptr().cast(), device) };
        check("hipGetDeviceProperties", code, "reading a device's architecture")?;
        ARCH_NAME_OFFSET
    };
    let arch = text_at(&properties, offset);
    if !arch.starts_with("gfx") {
        let what = format!("the library's device properties hold `{arch}` where the architecture should be");
        return Err(HalError::new(HalErrorKind::Unsupported, what));
    }
    Ok(arch)
}

/// HIP's UUID is sixteen hexadecimal digits as text.
fn unique_id(api: &Api, device: c_int) -> Option<String> {
    let mut uuid = [0u8; 16];
    // SAFETY: writes 16 bytes.
    let code = unsafe { api.hipDeviceGetUuid(&mut uuid, device) };
    if code != 0 || uuid == [0; 16] {
        return None;
    }
    if uuid.iter().all(u8::is_ascii_alphanumeric) {
        return Some(format!("GPU-{}", uuid.map(char::from).iter().collect::<String>()));
    }
    let digits: Vec<String> = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("GPU-{}", digits.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_a_reason() {
        let driver = RocmDriver::probe_names(&["libfornax-no-such-library.so"]);
        assert_eq!(driver.why_empty().as_deref(), Some("ROCm runtime not available"));
        let error = driver.open(0, &OpenOptions::default()).err().unwrap();
        assert_eq!(error.kind(), HalErrorKind::Unavailable);
    }

    /// Where the real library is installed and there is no AMD GPU, it says so and nothing breaks.
    #[test]
    fn the_real_library_reports_its_devices() {
        let driver = RocmDriver::probe();
        assert_eq!(driver.devices().is_empty(), driver.why_empty().is_some());
        match driver.why_empty().as_deref() {
            Some("ROCm runtime not available") => println!("skipped: libamdhip64 is not installed"),
            Some(why) => assert_eq!(why, "No ROCm devices found"),
            None => assert!(driver.devices().iter().all(|info| info.arch.starts_with("gfx"))),
        }
    }
}

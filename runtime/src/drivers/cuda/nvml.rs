//! Clocks and power of an NVIDIA GPU, through libnvidia-ml: it comes with the driver. Without it nothing is told.

use std::ffi::{CString, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::sync::OnceLock;

use crate::drivers::symbols::symbols;
use crate::hal::PowerState;

const LIBRARY_NAMES: &[&str] = &["libnvidia-ml.so.1", "libnvidia-ml.so", "nvml.dll"];
/// `NVML_SUCCESS`.
const SUCCESS: c_int = 0;
/// `NVML_CLOCK_SM`.
const CLOCK_SM: c_int = 1;
/// Bits of `nvmlDeviceGetCurrentClocksThrottleReasons` that say what keeps clocks down (nvml.h).
const REASONS: &[(c_ulonglong, &str)] = &[
    (0x4, "power cap"),
    (0x8, "hardware slowdown"),
    (0x20, "thermal limit"),
    (0x40, "hardware thermal slowdown"),
    (0x80, "hardware power brake"),
];

symbols! {
    /// libnvidia-ml.
    Api {
        nvmlInit_v2();
        nvmlDeviceGetHandleByUUID(uuid: *const c_char, device: *mut *mut c_void);
        nvmlDeviceGetClockInfo(device: *mut c_void, kind: c_int, mhz: *mut c_uint);
        nvmlDeviceGetPowerUsage(device: *mut c_void, milliwatts: *mut c_uint);
        nvmlDeviceGetEnforcedPowerLimit(device: *mut c_void, milliwatts: *mut c_uint);
        nvmlDeviceGetCurrentClocksThrottleReasons(device: *mut c_void, reasons: *mut c_ulonglong);
    }
}

/// The library, loaded the first time that somebody asks.
fn api() -> Option<&'static Api> {
    static API: OnceLock<Option<Api>> = OnceLock::new();
    let load = || {
        let api = Api::load(LIBRARY_NAMES).ok()?;
        // SAFETY: takes nothing; may be called again.
        (unsafe { api.nvmlInit_v2() } == SUCCESS).then_some(api)
    };
    API.get_or_init(load).as_ref()
}

/// What the GPU of a UUID (`GPU-…`) does at this moment.
pub(super) fn power(uuid: &str) -> Option<PowerState> {
    let api = api()?;
    let name = CString::new(uuid).ok()?;
    let mut device = std::ptr::null_mut();
    // SAFETY: the name ends with NUL; writes one handle, which stays valid as long as the library is loaded.
    if unsafe { api.nvmlDeviceGetHandleByUUID(name.as_ptr(), &mut device) } != SUCCESS {
        return None;
    }
    let number = |read: &dyn Fn(*mut c_uint) -> c_int| {
        let mut value = 0;
        (read(&mut value) == SUCCESS).then_some(value)
    };
    // SAFETY: the handle is one of the library; writes one number.
    let clock_mhz = number(&|value| unsafe { api.nvmlDeviceGetClockInfo(device, CLOCK_SM, value) });
    // SAFETY: as above.
    let power = number(&|value| unsafe { api.nvmlDeviceGetPowerUsage(device, value) });
    // SAFETY: as above.
    let cap = number(&|value| unsafe { api.nvmlDeviceGetEnforcedPowerLimit(device, value) });
    let mut reasons = 0;
    // SAFETY: as above.
    let told = unsafe { api.nvmlDeviceGetCurrentClocksThrottleReasons(device, &mut reasons) } == SUCCESS;
    let held = REASONS.iter().filter(|(bit, _)| told && reasons & bit != 0);
    Some(PowerState {
        clock_mhz,
        power_w: power.map(|milliwatts| f64::from(milliwatts) / 1e3),
        power_cap_w: cap.map(|milliwatts| f64::from(milliwatts) / 1e3),
        held_by: held.map(|(_, name)| *name).collect(),
    })
}

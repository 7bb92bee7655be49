//! Devices of the machine.

use std::ffi::{CString, c_char};
use std::ptr;

use fornax_runtime::backends::{choose_device, explain_missing_device};
use fornax_runtime::hal::Device;
use fornax_runtime::registry;

use crate::arguments::{c_string, free, give, handle, place, text};
use crate::error::{fornax_error, guarded};
use crate::module::fornax_module;

/// A device that was opened.
pub struct fornax_device {
    pub(crate) device: Device,
    uri: CString,
    name: CString,
}

impl fornax_device {
    fn of(device: Device) -> fornax_device {
        let (uri, name) = (c_string(&device.info().uri()), c_string(&device.info().name));
        fornax_device { device, uri, name }
    }
}

/// Devices that this machine has, as they were found.
pub struct fornax_device_list {
    /// URI and name of each.
    devices: Vec<(CString, CString)>,
}

/// Opens a device by its name, as the command line's --device takes it: "auto", "cuda", "cuda:1", "rocm", "opencl",
/// "cpu", "cpu:4". A name never falls back to another device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_device_open(name: *const c_char, device: *mut *mut fornax_device) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let device = place(device, "device")?;
        give(device, fornax_device::of(registry::open_device(text(name, "name")?)?));
        Ok(())
    })
}

/// Opens the first device, in the order CUDA, ROCm, OpenCL, CPU, that the module has an image for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_device_open_for(
    module: *const fornax_module,
    device: *mut *mut fornax_device,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let (module, device) = (&handle(module, "module")?.module, place(device, "device")?);
        let chosen = choose_device(module, registry::open_device);
        let chosen = chosen.map_err(|error| explain_missing_device(module, error))?;
        give(device, fornax_device::of(chosen.device));
        Ok(())
    })
}

/// The device's name in Fornax: "cuda://0", "cpu://".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_device_uri(device: *const fornax_device) -> *const c_char {
    // SAFETY: as the crate says.
    unsafe { device.as_ref() }.map_or(ptr::null(), |device| device.uri.as_ptr())
}

/// The name that its driver gives it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_device_name(device: *const fornax_device) -> *const c_char {
    // SAFETY: as the crate says.
    unsafe { device.as_ref() }.map_or(ptr::null(), |device| device.name.as_ptr())
}

/// Memory of the device in bytes: what is free now, and all of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_device_memory(
    device: *const fornax_device,
    free: *mut u64,
    total: *mut u64,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let memory = handle(device, "device")?.device.memory()?;
        for (place, bytes) in [(free, memory.free), (total, memory.total)] {
            if let Some(place) = place.as_mut() {
                *place = bytes;
            }
        }
        Ok(())
    })
}

/// Waits for everything that was queued on the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_device_synchronize(device: *const fornax_device) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe { Ok(handle(device, "device")?.device.synchronize()?) })
}

/// Ends a handle of a device. Sessions and tensors on it stay valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_device_free(device: *mut fornax_device) {
    // SAFETY: as the crate says.
    unsafe { free(device) };
}

/// Looks for the devices of this machine that can be used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_device_list_find(list: *mut *mut fornax_device_list) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let list = place(list, "list")?;
        let usable = registry::devices().into_iter().filter(|info| info.unusable.is_none());
        let devices = usable.map(|info| (c_string(&info.uri()), c_string(&info.name))).collect();
        give(list, fornax_device_list { devices });
        Ok(())
    })
}

/// Number of devices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_device_list_count(list: *const fornax_device_list) -> usize {
    // SAFETY: as the crate says.
    unsafe { list.as_ref() }.map_or(0, |list| list.devices.len())
}

/// A device's name in Fornax, which fornax_device_open takes. NULL behind the last one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_device_list_uri(list: *const fornax_device_list, at: usize) -> *const c_char {
    // SAFETY: as the crate says.
    let device = unsafe { list.as_ref() }.and_then(|list| list.devices.get(at));
    device.map_or(ptr::null(), |device| device.0.as_ptr())
}

/// The name that its driver gives it. NULL behind the last one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_device_list_name(list: *const fornax_device_list, at: usize) -> *const c_char {
    // SAFETY: as the crate says.
    let device = unsafe { list.as_ref() }.and_then(|list| list.devices.get(at));
    device.map_or(ptr::null(), |device| device.1.as_ptr())
}

/// Ends a list of devices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_device_list_free(list: *mut fornax_device_list) {
    // SAFETY: as the crate says.
    unsafe { free(list) };
}

//! The device for a module: the first, in the order of `Auto`, that can be used and for which the module holds an
//! image.
//!
//! Worked example: a module with images for sm_80 and x86-64-v3, on a machine with a card of compute capability 7.5.
//! CUDA is tried first; its card takes no image for sm_80. ROCm and OpenCL have no image in the module. The processor
//! runs it, and
//! [`ChosenDevice::passed_over`] holds the four reasons.

use super::{cannot_run, nothing_usable, rows};
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::DeviceInfo;
use crate::registry;
use crate::session::{Module, image_for};

/// What [`choose_device`] found.
pub struct ChosenDevice<T> {
    /// The device, as the caller opened it.
    pub device: T,
    pub info: DeviceInfo,
    /// The image for it, and why that one.
    pub image: String,
    /// What came before it in the order, and why it was not taken.
    pub passed_over: Vec<String>,
}

/// Chooses the device for a module and opens it by `open`, which gets the device's URI.
///
/// # Errors
/// FX0703 where the module holds no image for any device that can be used here; FX0701 where there is no device at all.
pub fn choose_device<T>(module: &Module, mut open: impl FnMut(&str) -> Result<T>) -> Result<ChosenDevice<T>> {
    let mut passed_over = Vec::new();
    let mut is_any_here = false;
    for row in rows() {
        let Some(driver_row) = row.driver else { continue };
        if !module.manifest().targets.iter().any(|target| target.backend == driver_row.name) {
            passed_over.push(format!("{}: the module holds no image for it", row.name));
            is_any_here |= driver_row.enabled;
            continue;
        }
        let driver = driver_row.driver();
        if let Some(why) = driver.why_empty() {
            passed_over.push(format!("{}: {why}", row.name));
            continue;
        }
        for info in driver.devices() {
            is_any_here |= info.unusable.is_none();
            match try_device(module, &info, &mut open) {
                Ok((device, image)) => return Ok(ChosenDevice { device, info, image, passed_over }),
                Err(why) => passed_over.push(format!("{}: {why}", row.name)),
            }
        }
    }
    if !is_any_here {
        return Err(nothing_usable(&passed_over));
    }
    let message = format!("no device of this machine can run the module: {}", passed_over.join("; "));
    Err(RuntimeError::new("FX0703", ErrorKind::Device, message))
}

/// Opens a device if it can be used and the module has an image for it; else why not.
fn try_device<T>(
    module: &Module,
    info: &DeviceInfo,
    open: &mut dyn FnMut(&str) -> Result<T>,
) -> Result<(T, String), String> {
    if let Some(why) = &info.unusable {
        return Err(cannot_run(info, why));
    }
    let image = image_for(module, info).map_err(|error| error.message().to_string())?;
    let device = open(&info.uri()).map_err(|error| error.message().to_string())?;
    Ok((device, image))
}

/// The devices of this machine that can be used, for people: `cpu:// (AMD EPYC, x86_64)`.
pub fn what_is_here() -> String {
    let shown = |info: &DeviceInfo| format!("{} ({}, {})", info.uri(), info.name, info.arch);
    let devices: Vec<String> = registry::devices().iter().map(shown).collect();
    if devices.is_empty() { "no device that can be used".to_string() } else { devices.join(", ") }
}

/// The images of a module, for people: `cubin sm_80, ptx sm_80, elf x86-64-v3`.
pub fn what_the_module_needs(module: &Module) -> String {
    let mut titles: Vec<String> = Vec::new();
    for image in module.manifest().targets.iter().flat_map(|target| &target.images) {
        if !titles.contains(&image.title()) {
            titles.push(image.title());
        }
    }
    if titles.is_empty() { "no image: its program has no kernels".to_string() } else { titles.join(", ") }
}

/// Whether an error says that the device asked for is not here, cannot be used, or takes no image of the module.
pub fn is_missing_device(error: &RuntimeError) -> bool {
    match error.code() {
        "FX0701" | "FX0702" | "FX0703" | "FX0611" => true,
        // A driver says it of a single call, too.
        "FX0704" => error.hal_kind().is_none(),
        _ => false,
    }
}

/// An error of a device that is missing, with what the module needs, what is here, and which device would do. Other
/// errors are given back.
pub fn explain_missing_device(module: &Module, error: RuntimeError) -> RuntimeError {
    if !is_missing_device(&error) {
        return error;
    }
    let fits = |info: &DeviceInfo| image_for(module, info).is_ok();
    let others: Vec<String> = registry::devices().iter().filter(|info| fits(info)).map(short_name).collect();
    let error = match error.code() {
        // That one says it already.
        "FX0611" => error,
        _ => error.with_line(format!("the module holds: {}", what_the_module_needs(module))),
    };
    let error = error.with_line(format!("this machine has: {}", what_is_here()));
    match others.first() {
        Some(other) => error.with_further_help(format!("it runs here with --device={other}")),
        None => error,
    }
}

/// A device as people give it to `--device`.
fn short_name(info: &DeviceInfo) -> String {
    if info.driver == "cpu" { "cpu".to_string() } else { info.uri() }
}

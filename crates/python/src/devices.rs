//! Devices, opened once a process and shared by all modules on them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use fornax_runtime::backends::{choose_device, explain_missing_device};
use fornax_runtime::hal::{Device, DeviceInfo};
use fornax_runtime::registry::{self, AUTO};
use fornax_runtime::{Module, Result};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Open devices by the names they were asked for, of one process: threads do not survive a fork.
static OPENED: Mutex<Option<Opened>> = Mutex::new(None);

struct Opened {
    process: u32,
    devices: HashMap<String, Device>,
}

/// The device of a name.
pub fn open(name: &str) -> Result<Device> {
    let process = std::process::id();
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    let ours = opened.take().filter(|opened| opened.process == process);
    let opened = opened.insert(ours.unwrap_or_else(|| Opened { process, devices: HashMap::new() }));
    if let Some(device) = opened.devices.get(name).filter(|device| device.health().is_ok()) {
        return Ok(device.clone());
    }
    let device = registry::open_device(name)?;
    opened.devices.insert(name.to_string(), device.clone());
    Ok(device)
}

/// The device for a module: the named one, or with `auto` the first that the module has an image for.
pub fn for_module(module: &Module, name: &str) -> Result<Device> {
    let found = match name {
        AUTO => choose_device(module, open).map(|chosen| chosen.device),
        _ => open(name),
    };
    found.map_err(|error| explain_missing_device(module, error))
}

/// The devices of this machine: one dictionary each, those that cannot run modules with the reason.
#[pyfunction]
pub fn list_devices(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let found: Vec<DeviceInfo> = py.detach(|| {
        let rows = registry::DRIVERS.iter().filter(|row| row.enabled && row.listed);
        rows.flat_map(|row| row.driver().devices()).collect()
    });
    found.iter().map(|info| described(py, info)).collect()
}

fn described<'py>(py: Python<'py>, info: &DeviceInfo) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("uri", info.uri())?;
    row.set_item("driver", info.driver)?;
    row.set_item("name", &info.name)?;
    row.set_item("arch", &info.arch)?;
    row.set_item("memory_bytes", info.memory_bytes)?;
    row.set_item("compute_units", info.compute_units)?;
    row.set_item("features", info.features.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    row.set_item("unusable", info.unusable.as_deref())?;
    Ok(row)
}

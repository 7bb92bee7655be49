//! A module on the device that `--device` asks for: `auto` chooses, `--fallback` allows the processor where that device
//! is missing.
//!
//! Input: the module, the device's name. Output: a session. A device that is missing is an error (exit code 3) that
//! names the images of the module, what this machine has, and a device that would do. Nothing runs anywhere else unless
//! `--fallback=cpu` says so.

use std::time::Instant;

use anyhow::Result;
use fornax_runtime::backends::{choose_device, explain_missing_device, is_missing_device};
use fornax_runtime::hal::Device;
use fornax_runtime::registry::AUTO;
use fornax_runtime::session::{Module, ParameterFile, Session, SessionOptions};
use fornax_runtime::{ErrorKind, ParameterTensor, RuntimeError};

use crate::args::{Fallback, ModuleArgs};
use crate::commands::loading::{Devices, milliseconds};
use crate::failure::Failure;
use crate::messages;

/// How a module is loaded.
pub struct Load<'a> {
    /// Parameters that are in memory, before those of `--parameters`.
    pub parameters: &'a [ParameterTensor],
    pub max_device_memory: Option<u64>,
    /// Looks at the device before anything is loaded.
    pub check: Option<Check<'a>>,
}

/// Says why a module may not be loaded on a device.
type Check<'a> = &'a dyn Fn(&Device) -> fornax_runtime::Result<()>;

/// The module on a device.
pub fn start(devices: &mut Devices, args: &ModuleArgs, module: &Module, uri: &str, how: &Load) -> Result<Session> {
    let mut on = |uri: &str| {
        let device = open(devices, args, (module, how), uri)?;
        load(args, module, &device, how)
    };
    let started = match (on(uri), args.fallback) {
        (Err(error), Some(Fallback::Cpu)) if is_missing_device(&error) && !is_cpu(uri) => {
            messages::note(format!("{}; --fallback=cpu runs it on the processor", error.message()));
            on("cpu")
        }
        (started, _) => started,
    };
    let session = started.map_err(|error| Failure::from(explain_missing_device(module, error)))?;
    if args.fallback.is_some() {
        let info = session.device().info();
        messages::note(format!("running on {} ({})", info.uri(), info.name));
    }
    Ok(session)
}

fn is_cpu(uri: &str) -> bool {
    fornax_runtime::registry::parse_device(uri).is_ok_and(|name| name.driver == "cpu")
}

fn open(
    devices: &mut Devices,
    args: &ModuleArgs,
    (module, how): (&Module, &Load),
    uri: &str,
) -> fornax_runtime::Result<Device> {
    let began = Instant::now();
    let mut checked = |uri: &str| {
        let device = devices.open(uri, args.command_buffer)?;
        how.check.map_or(Ok(()), |check| check(&device))?;
        Ok(device)
    };
    let device = match uri {
        AUTO => {
            let mut too_small = None;
            let chosen = choose_device(module, |uri| {
                checked(uri).inspect_err(|error: &RuntimeError| {
                    if error.kind() == ErrorKind::OutOfMemory {
                        too_small.get_or_insert_with(|| error.clone());
                    }
                })
            });
            // Of devices that are too small the first in order says what would fit.
            let chosen = chosen.map_err(|error| too_small.unwrap_or(error))?;
            let (info, passed_over) = (&chosen.info, chosen.passed_over.join("; "));
            let before = if passed_over.is_empty() { String::new() } else { format!(" ({passed_over})") };
            messages::note(format!("--device=auto: {} ({}), {}{before}", info.uri(), info.name, chosen.image));
            chosen.device
        }
        _ => checked(uri)?,
    };
    let info = device.info();
    tracing::info!("open {}: {:.1} ms, {} ({})", info.uri(), milliseconds(began), info.name, info.arch);
    Ok(device)
}

fn load(args: &ModuleArgs, module: &Module, device: &Device, how: &Load) -> fornax_runtime::Result<Session> {
    let began = Instant::now();
    let parameters = args.parameters.iter().map(|p| ParameterFile::parse(p)).collect();
    let options = SessionOptions {
        parameters,
        tensors: how.parameters.to_vec(),
        max_device_memory: how.max_device_memory,
        ..SessionOptions::default()
    };
    let session = Session::load(module, device, &options)?;
    let planned = session.planned_bytes();
    tracing::info!("load: {:.1} ms, {planned} bytes of device memory planned", milliseconds(began));
    Ok(session)
}

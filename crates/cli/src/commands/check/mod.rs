//! `fornax check MODULE`: will it run here? Which image each device would load and why not the others, the driver that
//! needs, memory.
//!
//! ```text
//! softmax.fnx: @main(4x1000xf32) -> (4x1000xf32)
//!
//! cpu:// (AMD EPYC 7B13, x86_64): runs
//!   image    cpu-elf x86-64-v3: the widest that this processor runs
//!   not      cubin sm_80: it is for cuda devices
//!   memory   @main: 31.5 KiB of 12.3 GiB free: inputs 15.6 KiB, outputs 15.6 KiB, arena 256 bytes
//! cuda: no device: libcuda.so.1 cannot be loaded
//!
//! runs here on cpu://
//! ```
//! Nothing of the module runs. `--device=auto` looks at devices in the order in which a run would try them, up to the
//! one that it would take; a range (`cuda:0-3`) at each of its devices. Exit code 0: it will run on the device asked
//! for, or on one of this machine; 3: on none; 4: it would, if there was more memory.

#[cfg(all(feature = "text", feature = "compiler"))]
mod checkpoint;
mod device;
mod driver;
mod inference;
mod memory;

use std::path::Path;

use anyhow::Result;
use fornax_module::ParsedModule;
use fornax_module::manifest::{FunctionSignature, TensorSignature};
use fornax_runtime::hal::DeviceInfo;
use fornax_runtime::registry::{AUTO, DeviceName, DriverStatus, Selector, driver_statuses, parse_device};
use fornax_types::bytes_text;
use serde::Serialize;

use self::device::{DeviceReport, Found, Seen, Verdict};
use self::inference::Asked;
use crate::args::{CheckArgs, CommandBuffer, Format};
use crate::commands::analysis::sizes;
use crate::commands::inspect::tensor_text;
use crate::commands::loading::{self, Devices};
use crate::failure::{Failure, exit};
use crate::output::say;

/// An image's bytes in the file.
type Bytes<'a> = &'a [u8];

/// The module that is looked at.
pub struct Module<'a> {
    parsed: ParsedModule<&'a [u8]>,
}

#[derive(Serialize)]
struct Report {
    module: String,
    functions: Vec<String>,
    runs: bool,
    exit_code: u8,
    devices: Vec<DeviceReport>,
    /// Drivers without a device, and why.
    absent: Vec<Absent>,
    /// What a call needs besides the module.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    needs: Vec<String>,
}

#[derive(Serialize)]
struct Absent {
    driver: String,
    why: String,
}

pub fn run(args: &CheckArgs) -> Result<()> {
    let path = args.file.as_deref().or(args.module.as_deref());
    let path = path.ok_or_else(|| Failure::usage("give a module"))?;
    #[cfg(all(feature = "text", feature = "compiler"))]
    if fornax_compiler::is_checkpoint(path) {
        return checkpoint::run(args, path);
    }
    let file = loading::read(path)?;
    let module = Module { parsed: ParsedModule::parse(file.bytes()).map_err(|e| Failure::in_module(path, e))? };
    let functions = sizes::functions(module.parsed.manifest(), args.function.as_deref())?;
    sizes::check_names(&functions, &args.input_size)?;
    let mut report = Report {
        module: name(path),
        functions: functions.iter().map(|f| signature_text(f)).collect(),
        runs: false,
        exit_code: exit::UNSUPPORTED,
        devices: Vec::new(),
        absent: Vec::new(),
        needs: needs(&module),
    };
    let asked = Asked::new(args, module.parsed.manifest(), file.bytes())?;
    look(args, (&module, &asked), &functions, &mut report)?;
    report.runs = report.devices.iter().any(|device| device.verdict == Verdict::Runs);
    report.exit_code = exit_code(&report);
    match args.format {
        Format::Json => say!("{}", serde_json::to_string_pretty(&report)?),
        Format::Text => print_text(&report),
    }
    verdict(&report)
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn signature_text(f: &FunctionSignature) -> String {
    let list = |tensors: &[TensorSignature]| tensors.iter().map(tensor_text).collect::<Vec<_>>().join(", ");
    format!("@{}({}) -> ({})", f.name, list(&f.inputs), list(&f.outputs))
}

/// Looks at the module from the device asked for, else from every one.
fn look(
    args: &CheckArgs,
    (module, model): (&Module<'_>, &Asked),
    functions: &[&FunctionSignature],
    report: &mut Report,
) -> Result<()> {
    let given = &args.input_size;
    let is_auto = args.device.as_deref() == Some(AUTO);
    let named = args.device.as_deref().filter(|_| !is_auto);
    let wanted = named.map(parse_device).transpose().map_err(Failure::from)?;
    // In the order in which `run-module --device=auto` tries them; what comes behind its choice is not looked at.
    for status in driver_statuses() {
        if is_auto && report.devices.iter().any(|device| device.verdict == Verdict::Runs) {
            break;
        }
        let row = status.row;
        let asked = match &wanted {
            Some(name) => name.driver == row.name,
            None => row.listed,
        };
        if !asked {
            continue;
        }
        if let Some(why) = &status.why_empty {
            report.absent.push(Absent { driver: row.name.to_string(), why: why.clone() });
        }
        for info in &status.devices {
            let is_chosen = is_auto && report.devices.iter().any(|device| device.verdict == Verdict::Runs);
            if !is_chosen && is_wanted(named, wanted.as_ref(), &status, info) {
                let look = || found(&info.uri(), model);
                report.devices.push(device::report(module, functions, given, &Seen { info, look: &look }));
            }
        }
    }
    if let (Some(text), true, true) = (&args.device, report.devices.is_empty(), report.absent.is_empty()) {
        report.absent.push(Absent { driver: text.clone(), why: "there is no such device".into() });
    }
    Ok(())
}

/// Whether a device of a driver is one of those asked for.
fn is_wanted(uri: Option<&str>, wanted: Option<&DeviceName>, status: &DriverStatus, info: &DeviceInfo) -> bool {
    let first = || status.usable().next().or(status.devices.first()).map(|info| info.ordinal);
    match wanted.map(|name| &name.selector) {
        None => true,
        Some(Selector::First) => first() == Some(info.ordinal),
        Some(Selector::Ordinal(ordinal)) => info.ordinal == *ordinal,
        Some(Selector::Range(first, last)) => (*first..=*last).contains(&info.ordinal),
        Some(Selector::UniqueId(_)) => is_named(uri, info),
    }
}

/// Whether a URI names this device: its id, or its name with anything but letters and digits as `-`.
fn is_named(uri: Option<&str>, info: &DeviceInfo) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let wanted = uri.and_then(|uri| uri.split_once("://")).map(|parts| letters(parts.1)).unwrap_or_default();
    info.unique_id.as_deref().is_some_and(|id| letters(id) == wanted) || letters(&info.name) == wanted
}

fn found(uri: &str, model: &Asked) -> Result<Found, String> {
    let found = || -> fornax_runtime::Result<Found> {
        let device = Devices::default().open(uri, CommandBuffer::Auto)?;
        Ok(Found { free: device.memory()?.free, inference: model.of_device(&device)? })
    };
    found().map_err(|error| error.to_string())
}

fn needs(module: &Module<'_>) -> Vec<String> {
    let parameters = &module.parsed.manifest().parameters;
    let bytes: u64 = parameters.iter().map(|p| p.bytes).fold(0, u64::saturating_add);
    if parameters.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "{} named parameters ({}), given with --parameters=FILE or among the inputs",
        parameters.len(),
        bytes_text(bytes)
    )]
}

fn exit_code(report: &Report) -> u8 {
    let any = |verdict: Verdict| report.devices.iter().any(|device| device.verdict == verdict);
    match (report.runs, any(Verdict::OutOfMemory)) {
        (true, _) => 0,
        (false, true) => exit::OUT_OF_MEMORY,
        (false, false) => exit::UNSUPPORTED,
    }
}

/// The error of a module that will not run.
fn verdict(report: &Report) -> Result<()> {
    let why = report.devices.iter().find(|device| !device.why.is_empty()).map(|device| device.why.clone());
    let absent = || report.absent.iter().map(|absent| format!("{}: {}", absent.driver, absent.why)).next();
    let why = why.or_else(absent).unwrap_or_else(|| "there is no device".into());
    match report.exit_code {
        0 => Ok(()),
        exit::OUT_OF_MEMORY => {
            let fits = report.devices.iter().filter_map(|device| device.inference.as_ref()).next();
            let usual = || "smaller sizes (--input-size) need less; so does a device with more memory".to_string();
            let help = fits.map_or_else(usual, |fits| format!("what would fit: {}", fits.what_fits.join("; ")));
            Err(Failure::new(exit::OUT_OF_MEMORY, "FX0706", format!("the module will not run here: {why}"), &help)
                .into())
        }
        code => {
            let help = "compile it for what is here: `fornax list-devices`, then `fornax compile --target=…`";
            Err(Failure::new(code, "FX0815", format!("the module will not run here: {why}"), help).into())
        }
    }
}

fn print_text(report: &Report) {
    say!("{}: {}", report.module, report.functions.join("\n  "));
    report.needs.iter().for_each(|need| say!("needs {need}"));
    say!("");
    for device in &report.devices {
        print_device(device);
    }
    for absent in &report.absent {
        say!("{}: no device: {}", absent.driver, absent.why);
    }
    say!("");
    let here: Vec<&str> =
        report.devices.iter().filter(|d| d.verdict == Verdict::Runs).map(|d| d.uri.as_str()).collect();
    match here.as_slice() {
        [] => say!("does not run here"),
        here => say!("runs here on {}", here.join(", ")),
    }
}

fn print_device(device: &DeviceReport) {
    let version = if device.driver == "cpu" { String::new() } else { format!(", {}", device.driver_version) };
    let verdict = match device.verdict {
        Verdict::Runs => "runs".to_string(),
        Verdict::CannotRun => format!("does not run: {}", device.why),
        Verdict::OutOfMemory => format!("memory does not suffice: {}", device.why),
    };
    say!("{} ({}, {}{version}): {verdict}", device.uri, device.name, device.arch);
    if let Some(image) = &device.image {
        say!("  image    {}", image.reason);
        if let Some(needs) = &image.needs_driver {
            say!("  driver   {needs} or later; here {}", device.driver_version);
        }
    }
    for other in device.images.iter().filter(|image| !image.chosen) {
        let why = other.misfit.as_deref().unwrap_or("fits too, but comes after the one chosen");
        say!("  not      {}: {why}", other.image);
    }
    for memory in &device.memory {
        let free = device.free_bytes.map_or(String::new(), |free| format!(" of {} free", bytes_text(free)));
        let all = match memory.open.as_slice() {
            [] => bytes_text(memory.known_bytes),
            open => format!(
                "at least {} (give {})",
                bytes_text(memory.known_bytes),
                open.iter().map(|name| format!("--input-size {name}=N")).collect::<Vec<_>>().join(" ")
            ),
        };
        say!(
            "  memory   @{}: {all}{free}: weights {}, inputs {}, outputs {}, arena {}",
            memory.function,
            bytes_text(memory.weights),
            memory.inputs.text(),
            memory.outputs.text(),
            memory.arena.text()
        );
    }
    device.inference.iter().for_each(|inference| inference.print(device.free_bytes));
}

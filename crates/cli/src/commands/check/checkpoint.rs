//! `fornax check CHECKPOINT`: the memory that its model would take, before it is compiled. Weights are those of the
//! table of tensors, caches those of the settings. What comes with compiling is not known: packed weights, the arena.

use std::path::Path;

use anyhow::Result;
use fornax_compiler::{CheckpointOptions, CheckpointSizes, PAGE, checkpoint_sizes, chunk_default};
use fornax_runtime::hal::DeviceInfo;
use fornax_runtime::registry::{AUTO, driver_statuses, parse_device};
use fornax_text::Paging;
use fornax_text::memory::BeforeCompiling;
use fornax_types::ElementType;
use serde::Serialize;

use super::inference::Inference;
use super::{Absent, is_wanted, name};
use crate::args::{CheckArgs, CommandBuffer, Format};
use crate::commands::compile::failure;
use crate::commands::import;
use crate::commands::loading::Devices;
use crate::failure::{Failure, exit};
use crate::output::say;

#[derive(Serialize)]
struct Report {
    checkpoint: String,
    fits: bool,
    devices: Vec<OnDevice>,
    absent: Vec<Absent>,
}

#[derive(Serialize)]
struct OnDevice {
    uri: String,
    name: String,
    fits: bool,
    free_bytes: u64,
    inference: Inference,
}

pub fn run(args: &CheckArgs, path: &Path) -> Result<()> {
    let asked = &args.inference;
    let element = import::element(asked.compute_type.as_deref().unwrap_or(ElementType::F32.spelling()))?;
    let batch = asked.batch.unwrap_or(1);
    let (context, devices) = (asked.context, asked.tensor_parallel.unwrap_or(1));
    let cache = import::cache_element(asked.cache_type.as_deref())?;
    let pages = asked.cache_pages;
    let options = CheckpointOptions { context, batch, pages, devices, element, cache, ..CheckpointOptions::default() };
    let sizes = checkpoint_sizes(path, &options).map_err(failure)?;
    let mut report = Report { checkpoint: name(path), fits: false, devices: Vec::new(), absent: Vec::new() };
    look(args, (&sizes, &options), &mut report)?;
    report.fits = report.devices.iter().any(|device| device.fits);
    match args.format {
        Format::Json => say!("{}", serde_json::to_string_pretty(&report)?),
        Format::Text => print(&report),
    }
    verdict(&report)
}

/// Looks at each device that is asked for; with `auto` up to the first that has the memory.
fn look(args: &CheckArgs, of: (&CheckpointSizes, &CheckpointOptions), report: &mut Report) -> Result<()> {
    let is_auto = args.device.as_deref() == Some(AUTO);
    let named = args.device.as_deref().filter(|_| !is_auto);
    let wanted = named.map(parse_device).transpose().map_err(Failure::from)?;
    for status in driver_statuses() {
        let is_asked = wanted.as_ref().map_or(status.row.listed, |name| name.driver == status.row.name);
        if !is_asked {
            continue;
        }
        if let Some(why) = &status.why_empty {
            report.absent.push(Absent { driver: status.row.name.to_string(), why: why.clone() });
        }
        for info in status.devices.iter().filter(|info| is_wanted(named, wanted.as_ref(), &status, info)) {
            if is_auto && report.devices.iter().any(|device| device.fits) {
                return Ok(());
            }
            match on_device(of, info) {
                Ok(found) => report.devices.push(found),
                Err(why) => report.absent.push(Absent { driver: info.uri(), why }),
            }
        }
    }
    Ok(())
}

fn on_device((sizes, options): (&CheckpointSizes, &CheckpointOptions), info: &DeviceInfo) -> Result<OnDevice, String> {
    if let Some(why) = &info.unusable {
        return Err(why.clone());
    }
    let memory = Devices::default().open(&info.uri(), CommandBuffer::Auto).and_then(|device| Ok(device.memory()?));
    let free_bytes = memory.map_err(|error| error.to_string())?.free;
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let known = BeforeCompiling {
        weights: sizes.weights().collect(),
        caches: sizes.caches.clone(),
        context: size(sizes.context),
        chunk: size(chunk_default(info.driver != "cpu").min(sizes.context)),
        width: sizes.width,
        element: options.cache.unwrap_or(options.element),
        texts: size(options.batch),
        // With the page of no text.
        paging: options.pages.map(|pages| Paging {
            pages: size(pages + 1),
            size: size(PAGE),
            entries: size(sizes.context / PAGE),
        }),
    };
    let mut inference = Inference::of(known.estimate(info.driver == "cpu"));
    inference.devices = u32::try_from(options.devices).unwrap_or(u32::MAX);
    (inference.prepared, inference.arena, inference.buffers) = (None, None, None);
    inference.set_free(free_bytes);
    let fits = inference.total <= free_bytes;
    Ok(OnDevice { uri: info.uri(), name: info.name.clone(), fits, free_bytes, inference })
}

fn print(report: &Report) {
    say!("{}: a checkpoint, before it is compiled", report.checkpoint);
    say!("");
    for device in &report.devices {
        let verdict = if device.fits { "fits" } else { "does not fit" };
        say!("{} ({}): {verdict}", device.uri, device.name);
        device.inference.print(Some(device.free_bytes));
    }
    report.absent.iter().for_each(|absent| say!("{}: no device: {}", absent.driver, absent.why));
}

fn verdict(report: &Report) -> Result<()> {
    match report.devices.first() {
        _ if report.fits => Ok(()),
        Some(device) => {
            let (needed, free) = (device.inference.total, device.free_bytes);
            let message =
                format!("{} needs {needed} bytes of {}, {free} are free", device.inference.title(), device.uri);
            let help = format!("what would fit: {}", device.inference.what_fits.join("; "));
            Err(Failure::new(exit::OUT_OF_MEMORY, "FX1111", message, &help).into())
        }
        None => {
            let why = report.absent.first().map_or("there is no such device".to_string(), |absent| absent.why.clone());
            let help = "`fornax list-devices` prints what this machine has";
            Err(Failure::new(exit::UNSUPPORTED, "FX0815", format!("no device to look at: {why}"), help).into())
        }
    }
}

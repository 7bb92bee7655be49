//! `fornax list-devices [DRIVER]`: one URI a line on stdout; why a driver has none, or a device cannot be used, on
//! stderr. The JSON form has those devices too, with the reason.

use std::collections::BTreeMap;

use anyhow::Result;
use fornax_runtime::hal::DeviceInfo;
use fornax_runtime::registry::{DriverStatus, driver_statuses, parse_device};
use serde::Serialize;

use crate::args::{Format, ListDevicesArgs};
use crate::failure::Failure;
use crate::messages;
use crate::output::say;

/// A device in the JSON forms of `list-devices` and `doctor`.
#[derive(Serialize)]
pub struct Row<'a> {
    uri: String,
    driver: &'a str,
    name: &'a str,
    arch: &'a str,
    memory_bytes: u64,
    compute_units: u32,
    driver_version: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    features: &'a [&'static str],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    properties: BTreeMap<&'static str, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unusable: Option<&'a str>,
}

impl Row<'_> {
    pub fn of(d: &DeviceInfo) -> Row<'_> {
        Row {
            uri: d.uri(),
            driver: d.driver,
            name: &d.name,
            arch: &d.arch,
            memory_bytes: d.memory_bytes,
            compute_units: d.compute_units,
            driver_version: &d.driver_version,
            features: &d.features,
            properties: d.properties.iter().map(|(name, value)| (*name, value.as_str())).collect(),
            unusable: d.unusable.as_deref(),
        }
    }
}

pub fn run(args: &ListDevicesArgs, verbose: bool) -> Result<()> {
    let statuses = selected(args.driver.as_deref())?;
    let devices = statuses.iter().flat_map(|s| &s.devices);
    let rows: Vec<Row> = devices.map(Row::of).collect();
    match args.format {
        Format::Json => say!("{}", serde_json::to_string_pretty(&rows)?),
        Format::Text => {
            for row in rows.iter().filter(|row| row.unusable.is_none()) {
                let gib = row.memory_bytes as f64 / f64::from(1 << 30);
                match verbose {
                    true => {
                        say!("{}  {} ({}, {} units, {gib:.1} GiB)", row.uri, row.name, row.arch, row.compute_units)
                    }
                    false => say!("{}", row.uri),
                }
            }
        }
    }
    for status in &statuses {
        if let Some(why) = &status.why_empty {
            messages::aside(format!("{}: {why}", status.row.name));
        }
        for device in &status.devices {
            if let Some(why) = &device.unusable {
                messages::aside(format!("{}: {} cannot run modules: {why}", device.uri(), device.name));
            }
        }
    }
    Ok(())
}

/// The same list as `iree-run-module --list_devices[=DRIVER]` prints it: the processor under its two names.
pub fn run_compatible(driver: &str) -> Result<()> {
    for status in selected(Some(driver).filter(|d| !d.is_empty()))? {
        for device in status.usable() {
            match device.driver {
                "cpu" => say!("local-sync://\nlocal-task://"),
                _ => say!("{}", device.uri()),
            }
        }
    }
    Ok(())
}

fn selected(driver: Option<&str>) -> Result<Vec<DriverStatus>> {
    let only = driver.map(parse_device).transpose().map_err(Failure::from)?;
    let wanted = |s: &DriverStatus| match &only {
        Some(name) => s.row.name == name.driver,
        None => s.row.listed,
    };
    Ok(driver_statuses().into_iter().filter(wanted).collect())
}

//! What a failing call may lead to.

use fornax_fake_driver::control::Report;
use fornax_runtime::RuntimeError;

use crate::scenarios::Outcome;

/// A call that was made to fail.
pub struct Failure<'a> {
    pub driver: &'a str,
    pub api: &'a str,
    pub code: i32,
    /// It came while devices were listed.
    pub probing: bool,
}

/// Calls that the runtime can do without: releases, texts about the device, recordings of graphs, memory pools.
const DISPENSABLE: &[&str] = &[
    "Free",
    "Destroy",
    "Unload",
    "Release",
    "Uuid",
    "ErrorName",
    "PropertiesR0600",
    "Capture",
    "Instantiate",
    "MemGetInfo",
    "MemPool",
];

/// The error's code for each answer.
fn expected_codes(failure: &Failure) -> &'static [&'static str] {
    match failure.code {
        _ if failure.probing => &["FX0701", "FX0706", "FX0707", "FX0709"],
        2 => &["FX0706"],
        719 => &["FX0707"],
        _ => &["FX0709"],
    }
}

/// Whether a run with one failing call ended as it should.
pub fn judge(failure: &Failure, outcome: &Result<Outcome, RuntimeError>, expected: &Outcome) -> Result<(), String> {
    let dispensable = DISPENSABLE.iter().any(|part| failure.api.contains(part));
    match outcome {
        Ok(outcome) if outcome != expected => Err("goes well with other results".to_string()),
        Ok(_) if dispensable => Ok(()),
        // Entering a device for giving something back is tried, not needed; attributes decide whether there are pools.
        Ok(_) if ["hipSetDevice", "cuCtxSetCurrent", "hipDeviceGetAttribute"].contains(&failure.api) => Ok(()),
        // The wait before a release is tried twice.
        Ok(_) if failure.api.contains("StreamSynchronize") && failure.code != 719 => Ok(()),
        // What is lost while everything is given back is nobody's concern.
        Ok(_) if failure.api.contains("StreamSynchronize") => Ok(()),
        Ok(_) => Err("goes well although it failed".to_string()),
        Err(error) => {
            let text = error.to_string();
            if !expected_codes(failure).contains(&error.code()) {
                return Err(format!("{} {text}", error.code()));
            }
            if !text.contains(failure.api) || !text.contains(&format!(": {} ", failure.code)) {
                return Err(format!("the call and its code are not named: {text}"));
            }
            if !text.contains(if failure.driver == "rocm" { "hipError" } else { "CUDA_ERROR" })
                && failure.api != "cuGetErrorName"
            {
                return Err(format!("the driver's name of the code is missing: {text}"));
            }
            Ok(())
        }
    }
}

/// What must hold when everything was dropped. A call after the loss of a device is allowed only where `lenient`.
pub fn judge_end(report: &Report, lenient: bool) -> Result<(), String> {
    if !report.live.is_empty() {
        return Err(format!("left alive: {:?}", report.live));
    }
    if let Some(first) = report.violations.first() {
        return Err(format!("a broken rule: {first}"));
    }
    if report.after_loss > 0 && !lenient {
        return Err(format!("{} calls after the loss", report.after_loss));
    }
    Ok(())
}

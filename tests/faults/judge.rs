//! What a failing call may lead to.

use fornax_fake_driver::control::Report;
use fornax_runtime::RuntimeError;

use crate::scenarios::Outcome;

/// A call that was made to fail.
pub struct Failure<'a> {
    pub driver: &'a str,
    pub api: &'a str,
    pub code: i32,
    /// It was part of recording a graph.
    pub recording: bool,
    /// Another thread may be the first to notice a loss.
    pub threads: bool,
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

/// Calls that list and open devices.
const PROBING: &[&str] = &["Init", "DriverGetVersion", "GetDevice", "DeviceGet", "DeviceTotalMem", "CtxRetain"];

impl Failure<'_> {
    /// Whether the loss of a device in this call is not looked at, so that the next one tells.
    pub fn is_asked_for_words(&self) -> bool {
        self.threads || self.is_one_of(PROBING) || self.is_one_of(&["ErrorName", "MemPool"])
    }

    fn is_one_of(&self, parts: &[&str]) -> bool {
        parts.iter().any(|part| self.api.contains(part))
    }

    /// Whether the runtime may do without the call.
    fn is_dispensable(&self) -> bool {
        // Entering a device for giving something back is tried, not needed; the wait before it is tried twice; an attribute decides
        // whether there are pools; memory is asked for again when the pool was emptied.
        let enters = self.is_one_of(&["hipSetDevice", "cuCtxSetCurrent", "StreamSynchronize", "hipDeviceGetAttribute"]);
        let allocates = self.code == 2 && self.is_one_of(&["MemAlloc", "hipMalloc"]);
        self.recording || enters || allocates || self.is_one_of(DISPENSABLE)
    }

    fn has_right_code(&self, error: &RuntimeError) -> bool {
        let expected = match self.code {
            2 => "FX0706",
            719 => "FX0707",
            _ => "FX0709",
        };
        error.code() == expected || self.is_one_of(PROBING) && error.code() == "FX0701"
    }
}

/// Whether a run with one failing call ended as it should.
pub fn judge(failure: &Failure, outcome: &Result<Outcome, RuntimeError>, expected: &Outcome) -> Result<(), String> {
    let error = match outcome {
        Ok(outcome) if outcome != expected => return Err("goes well with other results".to_string()),
        Ok(_) if failure.is_dispensable() => return Ok(()),
        Ok(_) => return Err("goes well although it failed".to_string()),
        Err(error) => error,
    };
    let text = error.to_string();
    if !failure.has_right_code(error) {
        return Err(format!("{} {text}", error.code()));
    }
    // Where a call that can be done without loses the device, the next one tells.
    let named = text.contains(failure.api) || failure.code == 719 && (failure.threads || failure.is_dispensable());
    let name_of_code = if failure.driver == "rocm" { "hipError" } else { "CUDA_ERROR" };
    let code = format!(": {} {}", failure.code, if failure.api == "cuGetErrorName" { "" } else { name_of_code });
    if !named || !text.contains(&code) {
        return Err(format!("the call and its code are not named: {text}"));
    }
    Ok(())
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

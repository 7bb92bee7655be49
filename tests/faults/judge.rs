//! What a failing call may lead to.

use fornax_fake_driver::control::Report;
use fornax_runtime::RuntimeError;

use crate::Driver;
use crate::scenarios::Outcome;

/// How a call fails.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Wrong,
    Memory,
    Lost,
}

impl Fault {
    pub const ALL: [Fault; 3] = [Fault::Wrong, Fault::Memory, Fault::Lost];

    /// The driver's code for it.
    pub fn code(self, driver: &Driver) -> i32 {
        driver.codes[self as usize]
    }
}

/// A call that was made to fail.
pub struct Failure<'a> {
    pub driver: &'a Driver,
    pub api: &'a str,
    pub fault: Fault,
    /// It was part of recording a graph, or of loading what a compiler made earlier.
    pub recording: bool,
    /// Another thread may be the first to notice a loss.
    pub threads: bool,
}

/// Calls that the runtime can do without: releases, texts about the device, recordings of graphs, memory pools, memory
/// of the process's own for copies, loads of parts of an image.
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
    "SetParams",
    "MemGetInfo",
    "MemPool",
    "MemHostRegister",
    "MemHostUnregister",
    "cuLibrary",
];

/// Calls that list and open devices.
const PROBING: &[&str] =
    &["Init", "DriverGetVersion", "GetDevice", "DeviceGet", "DeviceTotalMem", "CtxRetain", "GetPlatform"];

/// Calls that answer with a null pointer and no code.
const WITHOUT_CODE: &[&str] = &["clSVMAlloc", "clGetExtensionFunctionAddress"];

impl Failure<'_> {
    /// Whether the loss of a device in this call is not looked at, so that the next one tells.
    pub fn is_asked_for_words(&self) -> bool {
        self.threads
            || self.is_one_of(PROBING)
            || self.is_one_of(WITHOUT_CODE)
            || self.is_one_of(&["ErrorName", "MemPool"])
    }

    /// OpenCL's devices are listed whatever one of them answers.
    fn is_listing(&self) -> bool {
        self.driver.name == "opencl" && self.is_one_of(PROBING)
    }

    fn is_one_of(&self, parts: &[&str]) -> bool {
        parts.iter().any(|part| self.api.contains(part))
    }

    /// Whether the runtime may do without the call.
    fn is_dispensable(&self) -> bool {
        // Entering a device for giving something back is tried, not needed; the wait before it is tried twice; an
        // attribute decides whether there are pools; memory is asked for again when the pool was emptied.
        let enters = self.is_one_of(&[
            "hipSetDevice",
            "cuCtxSetCurrent",
            "StreamSynchronize",
            "hipDeviceGetAttribute",
            "clFinish",
        ]);
        let allocates = self.fault == Fault::Memory && self.is_one_of(&["MemAlloc", "hipMalloc", "clCreateBuffer"]);
        // It is tried again when the queue is empty.
        let allocates = allocates || self.is_one_of(&["clSVMAlloc"]);
        // An attribute that a newer driver no longer knows is left out.
        let unknown = self.fault == Fault::Wrong && self.is_one_of(&["cuDeviceGetAttribute"]);
        self.recording || enters || allocates || unknown || self.is_listing() || self.is_one_of(DISPENSABLE)
    }

    fn has_right_code(&self, error: &RuntimeError) -> bool {
        let expected = match self.fault {
            Fault::Memory => "FX0706",
            Fault::Lost => "FX0707",
            // A wrong value can only be the image there; memory is there or not.
            Fault::Wrong if self.is_one_of(&["clCreateProgramWithIL"]) => "FX0705",
            Fault::Wrong if self.is_one_of(&["clSVMAlloc"]) => "FX0706",
            Fault::Wrong => "FX0709",
        };
        // A device that does not tell what it is cannot be used; one that no platform lists is not there.
        let probing = self.is_one_of(PROBING) && error.code() == "FX0701";
        // A device that does not tell what it is cannot be used; a platform without the extension takes no image.
        let unusable = self.is_listing() || self.is_one_of(&["clGetExtensionFunctionAddress"]);
        error.code() == expected || probing || unusable && error.code() == "FX0704"
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
    let named =
        text.contains(failure.api) || failure.fault == Fault::Lost && (failure.threads || failure.is_dispensable());
    let name_of_code = if failure.api == "cuGetErrorName" { "" } else { failure.driver.names };
    let code = format!(": {} {name_of_code}", failure.fault.code(failure.driver));
    // Memory that is short is told by its sizes.
    let sizes = failure.fault == Fault::Memory && failure.is_one_of(&["clCreateBuffer"]);
    if !named || !text.contains(&code) && !sizes && !failure.is_one_of(WITHOUT_CODE) {
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

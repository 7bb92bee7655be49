//! The front of the library: which backends this machine has, and opening one of them.
//!
//! A backend is a driver of [`crate::registry`] under the name that people know it by, with what it is worth here: its
//! devices, their free memory, or the reason why there are none. [`init_backend`] with [`BackendPreference::Auto`]
//! takes the first that can be used, in the order CUDA, ROCm, Metal, OpenCL, CPU. Any other preference takes that
//! backend or fails: it never falls back.
//!
//! A device counts as usable only once it has been opened: a card that a driver lists, but that runs nothing (too old,
//! taken by another process), is passed over by `Auto` and named with its reason in [`backend_summary`].
//!
//! ```
//! use fornax_runtime::{BackendPreference, init_backend};
//! # fn main() -> fornax_runtime::Result<()> {
//! let backend = init_backend(BackendPreference::Auto)?;
//! println!("Using: {}", backend.name());
//! # Ok(())
//! # }
//! ```

mod gpu;
mod memory;
mod select;
mod summary;

use std::fmt;
use std::str::FromStr;

pub use self::gpu::{check_gpu_available, check_gpu_enabled};
pub use self::memory::{MemoryEstimate, estimate_inference_memory, init_backend_with_memory_check};
pub use self::select::{
    ChosenDevice, choose_device, explain_missing_device, is_missing_device, what_is_here, what_the_module_needs,
};
pub use self::summary::{backend_summary, print_backend_summary, summary_of};
pub use crate::registry::BackendPreference;

use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::{Device, DeviceInfo, Driver, LibrarySearch, OpenOptions};
use crate::registry::{DRIVERS, DriverRow, driver_of, not_built};

/// One backend.
struct Row {
    backend: BackendPreference,
    /// As people write it.
    name: &'static str,
    /// `None` for Metal.
    driver: Option<&'static DriverRow>,
}

/// All backends, in the order in which `Auto` tries them.
fn rows() -> Vec<Row> {
    let row =
        |driver: &'static DriverRow| Some(Row { backend: driver.backend?, name: driver.heading, driver: Some(driver) });
    let mut rows: Vec<Row> = DRIVERS.iter().filter_map(row).collect();
    let at = rows.iter().position(|row| row.backend == BackendPreference::OpenCL).unwrap_or(rows.len());
    rows.insert(at, Row { backend: BackendPreference::Metal, name: "Metal", driver: None });
    rows
}

/// Those that a preference stands for.
fn wanted(preference: BackendPreference) -> impl Iterator<Item = Row> {
    rows().into_iter().filter(move |row| preference == BackendPreference::Auto || row.backend == preference)
}

/// The word for Metal.
const METAL: &str = "metal";

/// Why Metal has no devices, in every build.
const NO_METAL: &str = if cfg!(feature = "metal-gpu") {
    "No Metal device found: Metal is not supported by this build"
} else {
    "Metal feature not enabled at compile time"
};

impl BackendPreference {
    /// `CUDA`, `ROCm`, `Metal`, `OpenCL`, `CPU`, `Auto`.
    pub fn name(self) -> &'static str {
        rows().iter().find(|row| row.backend == self).map_or("Auto", |row| row.name)
    }
}

impl fmt::Display for BackendPreference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BackendPreference {
    type Err = RuntimeError;

    /// From `auto`, `cuda`, `rocm`, `hip`, `metal`, `opencl`, `cpu`, in any case.
    ///
    /// # Errors
    /// FX0717 for any other word.
    fn from_str(text: &str) -> Result<BackendPreference> {
        let word = text.to_ascii_lowercase();
        if word == "auto" {
            return Ok(BackendPreference::Auto);
        }
        let found = rows().into_iter().find(|row| row.driver.map_or(word == METAL, |driver| driver.is_called(&word)));
        found.map(|row| row.backend).ok_or_else(|| {
            let names = rows().iter().map(|row| row.driver.map_or(METAL, |driver| driver.name)).collect::<Vec<_>>();
            let (last, others) = names.split_last().map_or(("", &[][..]), |(last, others)| (*last, others));
            let message = format!("no backend is called `{text}`");
            RuntimeError::input("FX0717", message).with_help(format!("use auto, {} or {last}", others.join(", ")))
        })
    }
}

/// What a backend is worth on this machine.
#[derive(Clone, Debug)]
pub struct BackendStatus {
    /// Never `Auto`.
    pub backend: BackendPreference,
    /// Every device that the driver lists, also those that cannot be used.
    pub devices: Vec<BackendDevice>,
    /// Why no device can be used; `None` where one can.
    pub error: Option<String>,
    /// Where the driver's library was looked for.
    pub library: LibrarySearch,
}

impl BackendStatus {
    /// Name as people write it.
    pub fn name(&self) -> &'static str {
        self.backend.name()
    }

    /// This build has a driver for it.
    pub fn is_built(&self) -> bool {
        self.driver().is_some_and(|driver| driver.enabled)
    }

    /// What a machine needs for it; `None` for Metal, for which nothing would do.
    pub fn needs(&self) -> Option<&'static str> {
        self.driver().map(|driver| driver.needs)
    }

    fn driver(&self) -> Option<&'static DriverRow> {
        DRIVERS.iter().find(|driver| driver.backend == Some(self.backend))
    }

    /// A device can be used.
    pub fn is_available(&self) -> bool {
        self.error.is_none()
    }

    /// The devices that can be used.
    pub fn usable(&self) -> impl Iterator<Item = &BackendDevice> {
        self.devices.iter().filter(|device| device.info.unusable.is_none())
    }
}

/// A device of a backend.
#[derive(Clone, Debug)]
pub struct BackendDevice {
    /// What it is. `unusable` says why it cannot run modules, opening included.
    pub info: DeviceInfo,
    /// Free memory, bytes, where the driver tells.
    pub free_bytes: Option<u64>,
}

impl BackendDevice {
    /// Its memory is the host's.
    pub fn is_unified(&self) -> bool {
        driver_of(self.info.driver).is_some_and(|driver| driver.is_gpu) && !self.is_gpu()
    }

    /// Not a processor: OpenCL has those too.
    pub fn is_gpu(&self) -> bool {
        let is_other = |(name, kind): &(&str, String)| *name == "kind" && kind != "GPU";
        driver_of(self.info.driver).is_none_or(|driver| driver.is_gpu) && !self.info.properties.iter().any(is_other)
    }
}

/// An open backend: one device of it. Clones are the same device.
#[derive(Clone)]
pub struct Backend {
    kind: BackendPreference,
    device: Device,
    passed_over: Vec<String>,
}

impl Backend {
    /// `CUDA`, `ROCm`, `OpenCL` or `CPU`.
    pub fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// Which backend it is; never `Auto`.
    pub fn kind(&self) -> BackendPreference {
        self.kind
    }

    /// The open device, for sessions and tensors.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// What the device is.
    pub fn info(&self) -> &DeviceInfo {
        self.device.info()
    }

    /// Backends and devices that came before this one and could not be used, each with its reason (`CUDA: No CUDA
    /// devices found`).
    pub fn passed_over(&self) -> &[String] {
        &self.passed_over
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Backend({} on {})", self.name(), self.info().uri())
    }
}

/// Every backend and its devices, in the order in which `Auto` tries them. Each device is opened and closed again to
/// see that it works.
pub fn discover_backends() -> Vec<BackendStatus> {
    rows().iter().map(discover).collect()
}

/// Opens a backend: its first device that can be used.
///
/// # Errors
/// FX0701 with the reason where the backend, or with `Auto` every backend, has no device; FX0704 where no device of it
/// can run modules. An explicit preference never falls back to another backend.
pub fn init_backend(preference: BackendPreference) -> Result<Backend> {
    let mut passed_over = Vec::new();
    for row in wanted(preference) {
        match open_first(&row) {
            Ok(device) => return Ok(Backend { kind: row.backend, device, passed_over }),
            Err(error) if preference != BackendPreference::Auto => return Err(error),
            Err(error) => passed_over.push(format!("{}: {}", row.name, error.message())),
        }
    }
    Err(nothing_usable(&passed_over))
}

fn nothing_usable(passed_over: &[String]) -> RuntimeError {
    let message = format!("no backend can be used: {}", passed_over.join("; "));
    RuntimeError::new("FX0701", ErrorKind::Device, message)
}

impl Row {
    /// The error of a backend without devices.
    fn unavailable(&self, why: &str) -> RuntimeError {
        let error = RuntimeError::new("FX0701", ErrorKind::Device, why);
        match self.driver {
            Some(row) if row.enabled => error,
            _ => error.with_help(not_built(self.name, self.driver.map(|driver| driver.name))),
        }
    }
}

fn discover(row: &Row) -> BackendStatus {
    let status = |devices, error, library| BackendStatus { backend: row.backend, devices, error, library };
    let Some(driver) = row.driver.map(DriverRow::driver) else {
        return status(Vec::new(), Some(NO_METAL.to_string()), LibrarySearch::default());
    };
    let devices: Vec<BackendDevice> = driver.devices().into_iter().map(|info| look_at(&*driver, info)).collect();
    let is_usable = devices.iter().any(|device| device.info.unusable.is_none());
    let error = if is_usable { None } else { Some(why_none(&*driver, &devices)) };
    status(devices, error, driver.library())
}

fn why_none(driver: &dyn Driver, devices: &[BackendDevice]) -> String {
    let reasons = devices.iter().filter_map(|device| Some(cannot_run(&device.info, device.info.unusable.as_ref()?)));
    driver.why_empty().unwrap_or_else(|| reasons.collect::<Vec<_>>().join("; "))
}

/// `Old card cannot run modules: …`.
fn cannot_run(info: &DeviceInfo, why: &str) -> String {
    format!("{} cannot run modules: {why}", info.name)
}

/// Opens the device for a moment: what it says of itself is not enough.
fn look_at(driver: &dyn Driver, mut info: DeviceInfo) -> BackendDevice {
    if info.unusable.is_some() {
        return BackendDevice { info, free_bytes: None };
    }
    match open(driver, &info, Some(1)) {
        Ok(device) => BackendDevice { free_bytes: free_bytes(&device), info },
        Err(error) => {
            info.unusable = Some(error.message().to_string());
            BackendDevice { info, free_bytes: None }
        }
    }
}

/// Free memory, bytes, where the driver tells.
fn free_bytes(device: &Device) -> Option<u64> {
    if driver_of(device.info().driver).is_some_and(|driver| !driver.tells_free_memory) {
        return None;
    }
    device.memory().ok().map(|memory| memory.free)
}

fn open(driver: &dyn Driver, info: &DeviceInfo, cpu_threads: Option<usize>) -> Result<Device> {
    let options = OpenOptions { cpu_threads, ..OpenOptions::default() };
    Ok(Device::new(driver.open(info.ordinal, &options)?))
}

/// Opens each device of a backend that says it can be used, in order, until `take` wants one. Else the first error, or
/// `None` where all were opened and none was wanted.
fn open_each<T>(row: &Row, take: &mut dyn FnMut(Device) -> Option<T>) -> Result<Option<T>> {
    let Some(driver) = row.driver.map(DriverRow::driver) else { return Err(row.unavailable(NO_METAL)) };
    let devices = driver.devices();
    if let Some(why) = driver.why_empty() {
        return Err(row.unavailable(&why));
    }
    let mut failed = None;
    let mut is_opened = false;
    for info in &devices {
        let opened = match &info.unusable {
            Some(why) => Err(RuntimeError::new("FX0704", ErrorKind::Device, cannot_run(info, why))
                .with_help("choose another device; `list-devices` prints those that can run modules")),
            None => open(&*driver, info, None),
        };
        match opened.map(&mut *take) {
            Ok(Some(taken)) => return Ok(Some(taken)),
            Ok(None) => is_opened = true,
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    match failed {
        Some(error) if !is_opened => Err(error),
        _ => Ok(None),
    }
}

fn open_first(row: &Row) -> Result<Device> {
    let opened = open_each(row, &mut Some)?;
    opened.ok_or_else(|| row.unavailable(&format!("No {} devices found", row.name)))
}

/// The page for users: its Rust examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/use/backends.md")]
struct Page;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_others_refused() {
        use BackendPreference::{Cpu, Cuda, Metal, OpenCL, Rocm};
        let words = [("cuda", Cuda), ("rocm", Rocm), ("hip", Rocm), ("metal", Metal), ("opencl", OpenCL), ("cpu", Cpu)];
        for (word, backend) in words {
            assert_eq!(word.parse::<BackendPreference>().unwrap(), backend);
            assert_eq!(word.to_uppercase().parse::<BackendPreference>().unwrap(), backend);
        }
        assert_eq!("Auto".parse::<BackendPreference>().unwrap().name(), "Auto");
        let error = "vulkan".parse::<BackendPreference>().unwrap_err();
        assert_eq!(error.code(), "FX0717");
        let help = error.help().unwrap();
        assert!(help.starts_with("use auto, cuda, rocm, ") && help.contains("metal, opencl "), "{help}");
        // Not every name of a driver is one of the backend.
        assert_eq!("local".parse::<BackendPreference>().unwrap_err().code(), "FX0717");
    }

    #[test]
    fn the_front_offers_every_driver_that_is_listed() {
        let names: Vec<&str> = rows().iter().map(|row| row.name).collect();
        assert!(names.windows(2).any(|pair| pair == ["Metal", "OpenCL"]) && names.last() == Some(&"CPU"), "{names:?}");
        for driver in DRIVERS {
            assert_eq!(driver.listed, driver.backend.is_some(), "{}", driver.name);
            assert!(driver.backend.is_none_or(|backend| backend.name() == driver.heading), "{}", driver.name);
        }
    }

    #[test]
    fn metal_is_listed_with_its_reason_and_never_opened() {
        let status = discover_backends().into_iter().find(|row| row.backend == BackendPreference::Metal).unwrap();
        assert!(!status.is_available() && status.error.as_deref() == Some(NO_METAL));
        let error = init_backend(BackendPreference::Metal).err().unwrap();
        assert_eq!((error.code(), error.message(), error.exit_code()), ("FX0701", NO_METAL, 3));
        assert!(!error.help().unwrap().contains("install"), "{:?}", error.help());
    }

    #[cfg(feature = "cpu")]
    #[test]
    fn the_processor_is_always_there() {
        let backend = init_backend(BackendPreference::Cpu).unwrap();
        assert_eq!((backend.name(), backend.kind()), ("CPU", BackendPreference::Cpu));
        assert!(backend.passed_over().is_empty() && backend.info().driver == "cpu");
        let chosen = init_backend(BackendPreference::Auto).unwrap();
        let order: Vec<&str> = discover_backends().iter().filter(|s| s.is_available()).map(|s| s.name()).collect();
        assert_eq!(order.first(), Some(&chosen.name()));
    }

    #[test]
    fn a_driver_that_is_not_built_in_is_no_matter_of_installing() {
        for row in rows().iter().filter(|row| row.driver.is_some_and(|driver| !driver.enabled)) {
            let error = init_backend(row.backend).err().unwrap();
            assert_eq!(error.message(), format!("{} feature not enabled at compile time", row.name));
            assert!(error.help().unwrap().contains("--features"), "{:?}", error.help());
        }
    }
}

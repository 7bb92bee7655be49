//! The table of drivers, and device names: which devices exist, why others do not, opening one by its name.
//!
//! Names: `cuda`, `cuda:1`, `cuda://1`, `cuda:0-3` (one of these), `cuda://GPU-<uuid>`, the same with `rocm` (or `hip`)
//! and with `opencl` (whose ids are plain UUIDs), `cpu`, `local-task` (the same), `local-sync` (the processor with one
//! thread), `null`; `DRIVER://` is the driver's first device that can run modules, `auto` the first one of all drivers.
//! `opencl://NAME` is a device by its name, anything but letters and digits written as `-`.

use std::sync::Arc;

use crate::drivers;
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::{
    CommandBuffers, Device, DeviceInfo, Driver, HalError, HalErrorKind, HalResult, LibrarySearch, OpenOptions,
    RawDevice,
};

/// One driver of the table.
pub struct DriverRow {
    /// What the library's front calls it; `None` where it does not offer it.
    pub backend: Option<BackendPreference>,
    /// Canonical name.
    pub name: &'static str,
    /// Other names, with what they mean beyond the driver.
    pub aliases: &'static [Alias],
    /// Name as people write it.
    pub heading: &'static str,
    /// One line for people.
    pub description: &'static str,
    /// What a machine needs for it, for `fornax doctor`.
    pub needs: &'static str,
    /// Built with this driver.
    pub enabled: bool,
    /// Listed among the devices of the machine.
    pub listed: bool,
    /// Its devices are GPUs, but for those that say otherwise.
    pub is_gpu: bool,
    /// Its devices tell how much of their memory is free.
    pub tells_free_memory: bool,
    /// Kinds of command buffers besides `auto`.
    pub command_buffers: &'static [CommandBuffers],
    make: fn() -> Box<dyn Driver>,
}

/// Another name of a driver.
pub struct Alias {
    pub name: &'static str,
    /// Threads of the CPU device under this name; `None` for all cores.
    pub cpu_threads: Option<usize>,
    /// Also a name of the backend.
    pub is_backend: bool,
}

/// The name that stands for the first device that can be used.
pub const AUTO: &str = "auto";

const DIRECT: &[CommandBuffers] = &[CommandBuffers::Direct];
const EVERY_KIND: &[CommandBuffers] = &[CommandBuffers::Direct, CommandBuffers::Stream, CommandBuffers::Graph];

/// Makes the table of drivers, and from it the backends of the library's front: a row begins with its variant of
/// [`BackendPreference`], or with `_` for a driver that the front does not offer.
macro_rules! drivers {
    ($($variant:ident { $($field:ident: $value:expr,)* })* _ { $($of_hidden:ident: $its:expr,)* }) => {
        /// Which backend to use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum BackendPreference {
            /// The first of the others that can be used, in their order: that of [`DRIVERS`], Metal before OpenCL.
            Auto,
            /// Has no driver: no version of Fornax runs on it yet.
            Metal,
            $($variant,)*
        }

        /// All drivers, in the order in which `auto` prefers them.
        pub const DRIVERS: &[DriverRow] = &[
            $(DriverRow { backend: Some(BackendPreference::$variant), $($field: $value,)* },)*
            DriverRow { backend: None, $($of_hidden: $its,)* },
        ];
    };
}

drivers! {
    Cuda {
        name: "cuda",
        heading: "CUDA",
        aliases: &[],
        description: "NVIDIA CUDA HAL driver (via dylib)",
        needs: "NVIDIA's driver is enough (libcuda.so.1); no toolkit is needed",
        enabled: cfg!(feature = "cuda"),
        listed: true,
        is_gpu: true,
        tells_free_memory: true,
        command_buffers: EVERY_KIND,
        make: make_cuda,
    }
    Rocm {
        name: "rocm",
        heading: "ROCm",
        aliases: &[Alias { name: "hip", cpu_threads: None, is_backend: true }],
        description: "AMD ROCm HAL driver (HIP via dylib)",
        needs: "AMD's HIP runtime is enough (libamdhip64.so.7, .6 or .5); $ROCM_PATH/lib is searched too",
        enabled: cfg!(feature = "rocm"),
        listed: true,
        is_gpu: true,
        tells_free_memory: true,
        command_buffers: DIRECT,
        make: make_rocm,
    }
    OpenCL {
        name: "opencl",
        heading: "OpenCL",
        aliases: &[],
        description: "OpenCL HAL driver (SPIR-V, via dylib)",
        needs: "a loader (libOpenCL.so.1) and a device's OpenCL driver that takes SPIR-V",
        enabled: cfg!(feature = "opencl"),
        listed: true,
        is_gpu: true,
        // It has no question for it: the driver only knows what this process took.
        tells_free_memory: false,
        command_buffers: DIRECT,
        make: make_opencl,
    }
    Cpu {
        name: "cpu",
        heading: "CPU",
        aliases: &[
            Alias { name: "local-sync", cpu_threads: Some(1), is_backend: false },
            Alias { name: "local-task", cpu_threads: None, is_backend: false },
            Alias { name: "local", cpu_threads: None, is_backend: false },
        ],
        description: "Processor of this machine, all cores",
        needs: "a build with the feature cpu",
        enabled: cfg!(feature = "cpu"),
        listed: true,
        is_gpu: false,
        tells_free_memory: true,
        command_buffers: DIRECT,
        make: make_cpu,
    }
    _ {
        name: "null",
        heading: "Null",
        aliases: &[],
        description: "Executes nothing (for tests)",
        needs: "nothing",
        enabled: true,
        listed: false,
        is_gpu: false,
        tells_free_memory: true,
        command_buffers: DIRECT,
        make: || Box::new(drivers::null::NullDriver),
    }
}

fn make_cpu() -> Box<dyn Driver> {
    #[cfg(feature = "cpu")]
    return Box::new(drivers::cpu::CpuDriver);
    #[cfg(not(feature = "cpu"))]
    return Box::new(Absent { name: "cpu", why: "CPU feature not enabled at compile time" });
}

fn make_cuda() -> Box<dyn Driver> {
    #[cfg(feature = "cuda")]
    return Box::new(drivers::cuda::CudaDriver::probe());
    #[cfg(not(feature = "cuda"))]
    return Box::new(Absent { name: "cuda", why: "CUDA feature not enabled at compile time" });
}

fn make_rocm() -> Box<dyn Driver> {
    #[cfg(feature = "rocm")]
    return Box::new(drivers::rocm::RocmDriver::probe());
    #[cfg(not(feature = "rocm"))]
    return Box::new(Absent { name: "rocm", why: "ROCm feature not enabled at compile time" });
}

fn make_opencl() -> Box<dyn Driver> {
    #[cfg(feature = "opencl")]
    return Box::new(drivers::opencl::OpenClDriver::probe());
    #[cfg(not(feature = "opencl"))]
    return Box::new(Absent { name: "opencl", why: "OpenCL feature not enabled at compile time" });
}

/// A driver that is not part of this build.
#[cfg_attr(all(feature = "cpu", feature = "cuda", feature = "rocm", feature = "opencl"), allow(dead_code))]
struct Absent {
    name: &'static str,
    why: &'static str,
}

impl Driver for Absent {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        "not part of this build"
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        Vec::new()
    }

    fn why_empty(&self) -> Option<String> {
        Some(self.why.to_string())
    }

    fn open(&self, _ordinal: usize, _options: &OpenOptions) -> HalResult<Arc<dyn RawDevice>> {
        Err(HalError::new(HalErrorKind::Unavailable, self.why))
    }
}

impl DriverRow {
    /// Probes the driver's library; does not fail.
    pub fn driver(&self) -> Box<dyn Driver> {
        (self.make)()
    }

    /// Whether the library's front knows the driver by this word.
    pub(crate) fn is_called(&self, word: &str) -> bool {
        self.name == word || self.aliases.iter().any(|alias| alias.is_backend && alias.name == word)
    }

    fn alias(&self, name: &str) -> Option<Option<usize>> {
        if self.name == name {
            return Some(None);
        }
        self.aliases.iter().find(|alias| alias.name == name).map(|alias| alias.cpu_threads)
    }
}

/// The driver of a name, or of another name for it.
pub fn driver_of(name: &str) -> Option<&'static DriverRow> {
    DRIVERS.iter().find(|row| row.alias(name).is_some())
}

/// Whether a driver's one device is this machine's processor.
pub(crate) fn is_host(driver: &str) -> bool {
    DRIVERS.iter().any(|row| row.name == driver && !row.is_gpu)
}

/// What to do about a driver that is not part of this build.
pub(crate) fn not_built(name: &str, driver: Option<&str>) -> String {
    match driver {
        Some(driver) => format!(
            "this build of Fornax has no {name}, installing a driver does not help: build it with \
             `--features {driver}`, or choose another device"
        ),
        None => format!("{name} cannot run modules in this version; choose another device"),
    }
}

/// A driver's state, for `list-drivers`.
pub struct DriverStatus {
    pub row: &'static DriverRow,
    pub devices: Vec<DeviceInfo>,
    /// Why there are no devices.
    pub why_empty: Option<String>,
    /// Where the driver's library was looked for.
    pub library: LibrarySearch,
}

impl DriverStatus {
    /// The devices that can run modules.
    pub fn usable(&self) -> impl Iterator<Item = &DeviceInfo> {
        self.devices.iter().filter(|info| info.unusable.is_none())
    }

    /// Why no device can run modules; `None` where one can.
    pub fn why_unavailable(&self) -> Option<String> {
        if self.usable().next().is_some() {
            return None;
        }
        let first = self.devices.first().and_then(|info| Some((info, info.unusable.as_ref()?)));
        self.why_empty.clone().or_else(|| first.map(|(info, why)| format!("{} cannot run modules: {why}", info.name)))
    }
}

/// Probes all drivers.
pub fn driver_statuses() -> Vec<DriverStatus> {
    let status = |row: &'static DriverRow| {
        let driver = row.driver();
        DriverStatus { row, devices: driver.devices(), why_empty: driver.why_empty(), library: driver.library() }
    };
    DRIVERS.iter().map(status).collect()
}

/// All devices of the machine that can run modules, in the order of the table; `null` is left out.
pub fn devices() -> Vec<DeviceInfo> {
    let all = DRIVERS.iter().filter(|row| row.listed).flat_map(|row| row.driver().devices());
    all.filter(|info| info.unusable.is_none()).collect()
}

/// Also looks for the ROCm runtime in this folder (`$ROCM_PATH/lib`).
pub fn look_for_rocm_in(folder: std::path::PathBuf) {
    #[cfg(feature = "rocm")]
    drivers::rocm::look_in(folder);
    #[cfg(not(feature = "rocm"))]
    drop(folder);
}

/// Names a user may give.
fn known_names() -> String {
    let names = |row: &DriverRow| {
        let aliases = row.aliases.iter().map(|alias| alias.name);
        std::iter::once(row.name).chain(aliases).collect::<Vec<_>>().join(", ")
    };
    DRIVERS.iter().map(names).collect::<Vec<_>>().join(", ")
}

/// A device name taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceName {
    /// Canonical name of the driver.
    pub driver: &'static str,
    pub selector: Selector,
    /// Threads of a CPU device; `None` for all cores.
    pub cpu_threads: Option<usize>,
}

/// Which device of a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    First,
    Ordinal(usize),
    /// From one to another, both included.
    Range(usize, usize),
    /// `GPU-…`.
    UniqueId(String),
}

/// Parses a device name without looking for the device.
pub fn parse_device(text: &str) -> Result<DeviceName> {
    let unknown = |why: &str| {
        let message = format!("device `{text}`: {why}");
        let names = DRIVERS.iter().filter(|row| row.listed).map(|row| row.name);
        let near = match text.split(':').next().unwrap_or_default() {
            // Nearest in letters would be the processor.
            "gpu" => vec![AUTO.to_string()],
            word => fornax_targets::nearest(word, names),
        };
        let near = near.first().map_or(String::new(), |name| format!("did you mean {name}? "));
        let help = format!("{near}known names: auto, {}; `list-devices` prints what this machine has", known_names());
        RuntimeError::new("FX0717", ErrorKind::Input, message).with_help(help)
    };
    let (name, rest) = match (text.split_once("://"), text.split_once(':')) {
        (Some(parts), _) | (None, Some(parts)) => parts,
        (None, None) => (text, ""),
    };
    let found = DRIVERS.iter().find_map(|row| row.alias(name).map(|threads| (row, threads)));
    let (row, cpu_threads) = found.ok_or_else(|| unknown("no driver of this name"))?;
    let number = |digits: &str| digits.parse().map_err(|_| unknown("the number is too large"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let range = rest.split_once('-').filter(|(first, last)| is_number(first) && is_number(last));
    let selector = match (rest, range) {
        ("", _) => Selector::First,
        _ if is_number(rest) => Selector::Ordinal(number(rest)?),
        (_, Some((first, last))) => match (number(first)?, number(last)?) {
            (first, last) if first <= last => Selector::Range(first, last),
            _ => return Err(unknown("the range ends before it begins")),
        },
        _ if text.contains("://")
            && rest.len() <= 64
            && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') =>
        {
            Selector::UniqueId(rest.to_string())
        }
        _ => return Err(unknown("after the driver comes a number, a range such as :0-3, or :// and an id")),
    };
    Ok(DeviceName { driver: row.name, selector, cpu_threads })
}

/// A device's name as it may stand in a URI: `Intel(R) Arc(TM) A770` is `intel-r-arc-tm-a770`.
fn name_in_uri(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// Opens a device by its name. Never falls back to another one.
pub fn open_device(text: &str) -> Result<Device> {
    Ok(open_device_with(text, OpenOptions::default())?.0)
}

/// As [`open_device`], with options (where its name says how many threads a CPU device has, those). The text is a note
/// for the user.
pub fn open_device_with(text: &str, options: OpenOptions) -> Result<(Device, Option<String>)> {
    if text == AUTO {
        return open_any(&options);
    }
    let name = parse_device(text)?;
    let row = DRIVERS.iter().find(|row| row.name == name.driver);
    let driver = row.map(DriverRow::driver).ok_or_else(|| RuntimeError::input("FX0717", "no such driver"))?;
    let devices = driver.devices();
    if let Some(why) = driver.why_empty() {
        let error = RuntimeError::new("FX0701", ErrorKind::Device, format!("device `{text}`: {why}"));
        return Err(match row {
            Some(row) if !row.enabled => error.with_help(not_built(row.heading, Some(row.name))),
            _ => error,
        });
    }
    let can_run = |info: &&DeviceInfo| info.unusable.is_none();
    let mut notes = Vec::new();
    let position = match &name.selector {
        Selector::First => devices.iter().find(can_run).or(devices.first()),
        Selector::Ordinal(ordinal) => devices.get(*ordinal),
        // Every device of the range is there, or none of it is taken.
        Selector::Range(first, last) => devices.get(*first..=*last).and_then(|range| {
            let found = range.iter().find(can_run).or(range.first())?;
            if range.len() > 1 {
                notes.push(format!("a module runs on one device: {} of {text}", found.uri()));
            }
            Some(found)
        }),
        Selector::UniqueId(id) => {
            let by_id = |info: &&DeviceInfo| info.unique_id.as_deref().is_some_and(|it| it.eq_ignore_ascii_case(id));
            let by_name = |info: &&DeviceInfo| info.driver == "opencl" && name_in_uri(&info.name) == name_in_uri(id);
            devices.iter().find(by_id).or_else(|| devices.iter().find(by_name))
        }
    };
    let info = position.ok_or_else(|| {
        let have: Vec<String> = devices.iter().map(DeviceInfo::uri).collect();
        let message = format!("device `{text}` does not exist");
        let help = format!("this machine has: {}", have.join(", "));
        RuntimeError::new("FX0702", ErrorKind::Device, message).with_help(help)
    })?;
    if let Some(why) = &info.unusable {
        let message = format!("device `{text}`: {} ({}) cannot run modules: {why}", info.uri(), info.name);
        let usable: Vec<String> = devices.iter().filter(can_run).map(DeviceInfo::uri).collect();
        let help = match usable.is_empty() {
            true => "choose another --device: no device of this driver can run modules".to_string(),
            false => format!("choose another --device: {}", usable.join(", ")),
        };
        return Err(RuntimeError::new("FX0704", ErrorKind::Device, message).with_help(help));
    }
    let kinds = row.map_or(DIRECT, |row| row.command_buffers);
    let asked = options.command_buffers.on(name.driver, kinds).map_err(RuntimeError::from);
    let (command_buffers, note) =
        asked.map_err(|error| error.with_help("leave --command-buffer out: `auto` is what the driver does best"))?;
    let options = OpenOptions { cpu_threads: name.cpu_threads.or(options.cpu_threads), command_buffers, ..options };
    notes.extend(note);
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    Ok((Device::new(driver.open(info.ordinal, &options)?), note))
}

/// Opens the first device of all drivers that can be opened, in the order of the table.
fn open_any(options: &OpenOptions) -> Result<(Device, Option<String>)> {
    let mut failed = None;
    for info in devices() {
        match open_device_with(&info.uri(), options.clone()) {
            Ok((device, note)) => {
                let chosen = format!("--device={AUTO} is {} ({})", info.uri(), info.name);
                return Ok((device, Some(note.map_or(chosen.clone(), |note| format!("{chosen}; {note}")))));
            }
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    let nothing = || RuntimeError::new("FX0701", ErrorKind::Device, "no device of this machine can run modules");
    Err(failed.unwrap_or_else(nothing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_names() {
        let rows: &[(&str, &str, Selector)] = &[
            ("cuda", "cuda", Selector::First),
            ("cuda://", "cuda", Selector::First),
            ("cuda:0", "cuda", Selector::Ordinal(0)),
            ("cuda://1", "cuda", Selector::Ordinal(1)),
            (
                "cuda://GPU-00000000-1111-2222-3333-444444444444",
                "cuda",
                Selector::UniqueId("GPU-00000000-1111-2222-3333-444444444444".into()),
            ),
            ("cuda:0-3", "cuda", Selector::Range(0, 3)),
            ("cuda://2-2", "cuda", Selector::Range(2, 2)),
            ("rocm", "rocm", Selector::First),
            ("rocm:1-2", "rocm", Selector::Range(1, 2)),
            ("hip", "rocm", Selector::First),
            ("hip://0", "rocm", Selector::Ordinal(0)),
            ("hip:0-3", "rocm", Selector::Range(0, 3)),
            ("hip:2", "rocm", Selector::Ordinal(2)),
            ("opencl", "opencl", Selector::First),
            ("opencl://1", "opencl", Selector::Ordinal(1)),
            ("opencl://amd-epyc", "opencl", Selector::UniqueId("amd-epyc".into())),
            ("cpu", "cpu", Selector::First),
            ("cpu://", "cpu", Selector::First),
            ("local-sync", "cpu", Selector::First),
            ("local-sync://", "cpu", Selector::First),
            ("local-task", "cpu", Selector::First),
            ("null", "null", Selector::First),
        ];
        for (text, driver, selector) in rows {
            let name = parse_device(text).unwrap();
            assert_eq!((name.driver, &name.selector), (*driver, selector), "{text}");
        }
        assert_eq!(parse_device("local-sync").unwrap().cpu_threads, Some(1));
        let huge = "cuda:99999999999999999999";
        for text in ["", "gpu", "cuda:x", huge, "cuda://a b", "CUDA", "cuda:3-0", "cuda:0-", "cuda:-1", "cuda:0-1-2"] {
            let error = parse_device(text).unwrap_err();
            assert_eq!(error.code(), "FX0717", "{text}");
            assert!(error.help().unwrap().contains("local-task"), "{text}");
        }
    }

    #[test]
    fn absent_devices_are_named_with_what_exists() {
        assert_eq!(open_device("null:3").err().unwrap().code(), "FX0702");
        assert_eq!(open_device("null:0-1").err().unwrap().code(), "FX0702");
        assert_eq!(open_device("null:0-0").unwrap().info().driver, "null");
        #[cfg(feature = "cpu")]
        {
            let error = open_device("cpu:7").err().unwrap();
            assert_eq!((error.code(), error.exit_code()), ("FX0702", 3));
            assert!(error.help().unwrap().contains("cpu://"));
        }
    }

    #[test]
    fn names_of_devices_in_uris() {
        assert_eq!(name_in_uri("Intel(R) Arc(TM) A770"), "intel-r-arc-tm-a770");
        assert_eq!(name_in_uri("AMD EPYC"), name_in_uri("amd-epyc"));
    }

    #[test]
    fn a_driver_whose_devices_cannot_be_used_says_why() {
        let info = |unusable: Option<&str>| DeviceInfo {
            name: "Old".into(),
            unusable: unusable.map(String::from),
            ..DeviceInfo::default()
        };
        let row = DRIVERS.first().unwrap();
        let status = |devices| DriverStatus { row, devices, why_empty: None, library: LibrarySearch::default() };
        let why = status(vec![info(Some("it takes no SPIR-V"))]).why_unavailable();
        assert_eq!(why.as_deref(), Some("Old cannot run modules: it takes no SPIR-V"));
        let one = status(vec![info(Some("no")), info(None)]);
        assert_eq!((one.why_unavailable(), one.usable().count()), (None, 1));
    }

    #[test]
    fn reasons_of_builds_without_a_driver() {
        let absent = Absent { name: "cuda", why: "CUDA feature not enabled at compile time" };
        assert!(absent.devices().is_empty());
        assert_eq!(absent.open(0, &OpenOptions::default()).err().unwrap().kind(), HalErrorKind::Unavailable);
    }
}

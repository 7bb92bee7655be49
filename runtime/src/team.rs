//! Several devices that run one module together: open them, give each its inputs, run, collect what each made.
//!
//! One thread a device, each with its own session. A device that fails tells the others, which end with an error that
//! names it; the caller gets the error of the one that failed itself.
//!
//! ```no_run
//! use std::time::Duration;
//! use fornax_runtime::{Module, SessionOptions, Verify, team};
//! # fn main() -> fornax_runtime::Result<()> {
//! let module = Module::open_with("psum.fnx".as_ref(), Verify::Full)?;
//! let devices = team::open("cpu:0-7", Default::default())?;
//! let inputs = vec![Vec::new(); devices.len()];
//! let outputs = team::Team::new(devices, Duration::from_secs(30)).invoke(&module, "main", &inputs)?;
//! assert_eq!(outputs.len(), 8);
//! # Ok(())
//! # }
//! ```

mod bench;
mod sessions;

use std::time::Duration;

pub use self::bench::{CollectiveTime, TeamBench};
pub use self::sessions::Sessions;
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::{Collective, Device, HalErrorKind, OpenOptions};
use crate::registry::{self, Selector, open_device_with, parse_device};
use crate::session::{Module, Session, SessionOptions};
use crate::tensor::Tensor;

/// Processor devices of one team, at most.
const PROCESSORS_MAX: usize = 256;

/// Opens the devices of a list: names with commas between, each one device or a range (`cuda:0-1`, `cpu:0-7`). The
/// processor is as many devices as are asked for, which share its cores.
///
/// # Errors
/// FX0717 for a name that is none; those of opening a device.
pub fn open(text: &str, options: OpenOptions) -> Result<Vec<Device>> {
    let mut names = Vec::new();
    for name in text.split(',').map(str::trim) {
        let parsed = parse_device(name)?;
        match parsed.selector {
            Selector::Range(first, last) if last - first < PROCESSORS_MAX => {
                names.extend((first..=last).map(|n| (parsed.driver, format!("{}:{n}", parsed.driver))));
            }
            Selector::Range(..) => {
                return Err(RuntimeError::input("FX0717", format!("device `{name}`: too many devices")));
            }
            _ => names.push((parsed.driver, name.to_string())),
        }
    }
    let shared = names.iter().filter(|(driver, _)| registry::is_host(driver)).count();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = options.cpu_threads.unwrap_or((cores / shared.max(1)).max(1));
    names
        .into_iter()
        .map(|(driver, name)| {
            // Any number of the processor is the processor.
            let name = if registry::is_host(driver) { driver.to_string() } else { name };
            let options = OpenOptions { cpu_threads: Some(threads), ..options.clone() };
            open_device_with(&name, options).map(|opened| opened.0)
        })
        .collect()
}

/// Devices, and how long one waits for another.
pub struct Team {
    devices: Vec<Device>,
    timeout: Duration,
    options: SessionOptions,
}

impl Team {
    pub fn new(devices: Vec<Device>, timeout: Duration) -> Team {
        Team { devices, timeout, options: SessionOptions::default() }
    }

    /// Loads sessions with these options.
    #[must_use]
    pub fn with_options(self, options: SessionOptions) -> Team {
        Team { options, ..self }
    }

    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// Loads the module on every device and calls a function: one list of inputs, and one of outputs, a device.
    ///
    /// # Errors
    /// FX0729 for another number of devices than the module is made for; FX0727 where a device waits in vain; else what
    /// the first device that fails itself says, with its number.
    pub fn invoke(&self, module: &Module, function: &str, inputs: &[Vec<Tensor>]) -> Result<Vec<Vec<Tensor>>> {
        let each: Vec<(&Module, &[Tensor])> = inputs.iter().map(|inputs| (module, inputs.as_slice())).collect();
        self.invoke_each(&each, function)
    }

    /// As [`Team::invoke`], with a module a device, which must be equal.
    ///
    /// # Errors
    /// As [`Team::invoke`]; FX0728 where the modules differ.
    pub fn invoke_each(&self, each: &[(&Module, &[Tensor])], function: &str) -> Result<Vec<Vec<Tensor>>> {
        let wanted = each.iter().map(|(module, _)| module.manifest().devices()).max().unwrap_or(1);
        if each.len() != self.devices.len() || (wanted != 1 && wanted as usize != each.len()) {
            let (given, inputs) = (self.devices.len(), each.len());
            let message = format!("the module is made for {wanted} device(s): {given} given, with inputs for {inputs}");
            return Err(RuntimeError::new("FX0729", ErrorKind::Module, message));
        }
        // What is made for one device needs no others, however many run it.
        let places = match wanted {
            1 => vec![None; each.len()],
            _ => Collective::join(&self.devices, self.timeout)?.into_iter().map(Some).collect(),
        };
        let results = std::thread::scope(|scope| {
            let threads: Vec<_> = places
                .into_iter()
                .zip(&self.devices)
                .zip(each)
                .map(|((place, device), (module, inputs))| {
                    let options = SessionOptions { collective: place, ..self.options.clone() };
                    std::thread::Builder::new()
                        .spawn_scoped(scope, move || one(module, device, options, (function, inputs)))
                })
                .collect();
            let joined = threads.into_iter().map(|thread| match thread.map(|thread| thread.join()) {
                Ok(Ok(result)) => result,
                Ok(Err(_)) => Err(RuntimeError::new("FX0709", ErrorKind::Device, "its thread ended")),
                Err(error) => Err(RuntimeError::new("FX0721", ErrorKind::Device, format!("no thread: {error}"))),
            });
            joined.collect::<Vec<Result<Vec<Tensor>>>>()
        });
        collected(results)
    }
}

/// What one device does; whatever it says goes to the others, too.
pub(crate) fn one(
    module: &Module,
    device: &Device,
    options: SessionOptions,
    (function, inputs): (&str, &[Tensor]),
) -> Result<Vec<Tensor>> {
    let place = options.collective.clone();
    let result = Session::load(module, device, &options).and_then(|mut session| session.invoke(function, inputs));
    if let (Some(place), Err(error)) = (&place, &result) {
        place.fail(error.message());
    }
    result
}

/// All outputs, or the error of the first device that has one of its own.
fn collected<T>(results: Vec<Result<Vec<T>>>) -> Result<Vec<Vec<T>>> {
    let errors = || results.iter().enumerate().filter_map(|(at, result)| Some((at, result.as_ref().err()?)));
    let own = errors().find(|(_, error)| error.hal_kind() != Some(HalErrorKind::Peer));
    match own.or_else(|| errors().next()) {
        Some((at, error)) => Err(error.clone().context(format!("device {at}"))),
        None => results.into_iter().collect(),
    }
}

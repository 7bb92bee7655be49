//! Options of a client: from `FORNAX_PJRT_OPTIONS` (`name=value`, comma-separated), then those that the caller gives.
//!
//! - `device`: a device or a driver as of `fornax --device`; of a driver, all devices. `auto` is the best driver.
//! - `num_devices`: how many devices the processor is divided into.
//! - `collective_timeout`: seconds that a device waits for another one of its call.
//! - `compiler`: the `fornax` program.
//! - `cache`: the folder of compiled modules, `off` for none.
//!
//! The environment is read here and nowhere else in this crate: the plugin stands where else the command line does.

use std::path::PathBuf;
use std::time::Duration;

use crate::api::{NamedValue, Value};
use crate::error::{Failure, Result, Status};

/// Most devices that the processor is divided into.
const DEVICES_MAX: i64 = 1024;
/// Bytes that compiled modules may take on disk where `FORNAX_MODULE_CACHE_BYTES` says nothing.
const CACHE_BYTES: u64 = 2 << 30;

/// Seconds that a device waits for another one: that may have long programs to run before. XLA's own processor gives up
/// after 40 s.
const COLLECTIVE_TIMEOUT: i64 = 300;
/// A week.
const COLLECTIVE_TIMEOUT_MAX: i64 = 7 * 24 * 3600;

/// How a client starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub device: String,
    /// `None` for what there is.
    pub num_devices: Option<usize>,
    /// So long a device waits for another one of its call.
    pub collective_timeout: Duration,
    pub compiler: Option<PathBuf>,
    /// Where compiled modules are kept.
    pub cache: Option<PathBuf>,
    pub cache_bytes: u64,
    /// Folders with programs.
    pub path: Vec<PathBuf>,
}

impl Options {
    /// From the environment and the caller.
    ///
    /// # Errors
    /// FX0734 for an option that there is not, or a value that it cannot have.
    pub fn read(given: &[NamedValue]) -> Result<Options> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let mut options = Options {
            device: "auto".into(),
            num_devices: None,
            collective_timeout: Duration::from_secs(COLLECTIVE_TIMEOUT.unsigned_abs()),
            compiler: None,
            cache: cache_folder(&variable),
            cache_bytes: variable("FORNAX_MODULE_CACHE_BYTES")
                .and_then(|text| text.parse().ok())
                .unwrap_or(CACHE_BYTES),
            path: std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect(),
        };
        let listed = variable("FORNAX_PJRT_OPTIONS").unwrap_or_default();
        for item in listed.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, text) = item.split_once('=').ok_or_else(|| wrong(format!("`{item}` is not name=value")))?;
            options.set(name, &Value::Text(text.into()))?;
        }
        for value in given {
            let name = value.name.text();
            options
                .set(&name, &value.value().ok_or_else(|| wrong(format!("{name} has a value of an unknown kind")))?)?;
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        match (name, value) {
            ("device", Value::Text(text)) => self.device.clone_from(text),
            ("compiler", Value::Text(text)) => self.compiler = Some(text.into()),
            ("num_devices", Value::Int(count)) if (1..=DEVICES_MAX).contains(count) => {
                self.num_devices = Some(*count as usize);
            }
            ("collective_timeout", Value::Int(seconds)) if (1..=COLLECTIVE_TIMEOUT_MAX).contains(seconds) => {
                self.collective_timeout = Duration::from_secs(seconds.unsigned_abs());
            }
            ("num_devices" | "collective_timeout", Value::Text(text)) if text.parse::<i64>().is_ok() => {
                return self.set(name, &Value::Int(text.parse().unwrap_or(0)));
            }
            ("cache", Value::Text(text)) => self.cache = (text != "off").then(|| text.into()),
            ("device" | "compiler" | "cache" | "num_devices" | "collective_timeout", _) => {
                return Err(wrong(format!("{name} cannot be {value:?}")));
            }
            _ => {
                return Err(wrong(format!(
                    "there is no option {name}; there are device, num_devices, collective_timeout, compiler, cache"
                )));
            }
        }
        Ok(())
    }
}

/// An option that cannot be.
pub fn wrong(message: String) -> Failure {
    Failure::coded(Status::InvalidArgument, "FX0734", message)
}

/// As the Python package has it: `FORNAX_MODULE_CACHE`, which may be `off`, else the user's folder of caches.
fn cache_folder(variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    match variable("FORNAX_MODULE_CACHE") {
        Some(off) if off == "off" => None,
        Some(named) => Some(named.into()),
        None => {
            let home = variable("XDG_CACHE_HOME").map(PathBuf::from);
            let home = home.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")))?;
            Some(home.join("fornax").join("modules"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_checked() {
        let mut options = Options::read(&[NamedValue::of_int("num_devices", 3)]).unwrap();
        assert_eq!(options.num_devices, Some(3));
        options.set("num_devices", &Value::Text("4".into())).unwrap();
        options.set("device", &Value::Text("cpu".into())).unwrap();
        options.set("collective_timeout", &Value::Text("20".into())).unwrap();
        assert_eq!(options.collective_timeout, Duration::from_secs(20));
        assert_eq!((options.num_devices, options.device.as_str()), (Some(4), "cpu"));
        for (name, value) in [
            ("num_devices", Value::Int(0)),
            ("num_devices", Value::Text("x".into())),
            ("collective_timeout", Value::Int(0)),
            ("collective_timeout", Value::Int(i64::MAX)),
            ("device", Value::Int(1)),
            ("devise", Value::Text("cpu".into())),
        ] {
            assert!(options.set(name, &value).unwrap_err().message.starts_with("[FX0734]"), "{name}");
        }
    }

    #[test]
    fn the_cache_is_that_of_the_python_package() {
        let of = |name: &'static str, value: &'static str| {
            cache_folder(&move |asked| (asked == name).then(|| value.to_string()))
        };
        assert_eq!(of("FORNAX_MODULE_CACHE", "off"), None);
        assert_eq!(of("FORNAX_MODULE_CACHE", "/x"), Some("/x".into()));
        assert_eq!(of("XDG_CACHE_HOME", "/c"), Some("/c/fornax/modules".into()));
        assert_eq!(of("HOME", "/h"), Some("/h/.cache/fornax/modules".into()));
    }
}

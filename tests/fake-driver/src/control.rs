//! A double of the own process, seen from a test: new settings, failures on demand, the report.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, c_char};

use serde_json::Value;

type ControlFunction = unsafe extern "C" fn(*const c_char, *mut u8, usize) -> usize;

/// The control function of a loaded double.
pub struct Control(libloading::Library);

/// What a double saw.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Calls, and calls by function.
    pub calls: u64,
    pub by_name: BTreeMap<String, u64>,
    /// Functions in the order of their calls.
    pub journal: Vec<String>,
    /// Objects alive, by kind, without those of lost devices; kinds with none are left out.
    pub live: BTreeMap<String, u64>,
    /// Broken rules, in words.
    pub violations: Vec<String>,
    /// Kernels that ran, in order, as `name grid`.
    pub launches: Vec<String>,
    /// Calls that asked a lost device for something.
    pub after_loss: u64,
}

impl Control {
    /// Loads a double by the name under which drivers look for it, so that it is the same copy.
    pub fn attach(name: &OsStr) -> Result<Control, String> {
        // SAFETY: a double's initialisers do nothing.
        unsafe { libloading::Library::new(name) }.map(Control).map_err(|error| error.to_string())
    }

    /// Forgets everything and takes the settings (`arch=gfx942 poison=00 fail=#7=2`). Nothing of before may be used
    /// again.
    pub fn reset(&self, settings: &str) -> Result<(), String> {
        self.ask(&format!("reset {settings}")).map(drop)
    }

    /// What happened since the last reset.
    pub fn report(&self) -> Result<Report, String> {
        let value = self.ask("report")?;
        let texts = |key: &str| {
            let rows = value[key].as_array().into_iter().flatten();
            rows.filter_map(|row| row.as_str().map(String::from)).collect::<Vec<_>>()
        };
        let counts = |key: &str| {
            let rows = value[key].as_object().into_iter().flatten();
            rows.map(|(name, count)| (name.clone(), count.as_u64().unwrap_or(0))).collect::<BTreeMap<_, _>>()
        };
        Ok(Report {
            calls: value["calls"].as_u64().unwrap_or(0),
            by_name: counts("by_name"),
            journal: texts("journal"),
            live: counts("live"),
            violations: texts("violations"),
            launches: texts("launches"),
            after_loss: value["after_loss"].as_u64().unwrap_or(0),
        })
    }

    fn ask(&self, request: &str) -> Result<Value, String> {
        let request = CString::new(request).map_err(|error| error.to_string())?;
        // SAFETY: the prototype is that of `entry_points!`.
        let function = unsafe { self.0.get::<ControlFunction>(b"fornax_fake_control\0") };
        let function = function.map_err(|error| error.to_string())?;
        // Not zeroed: most replies are a line, and a scenario asks thousands of times.
        let mut reply = Vec::<u8>::with_capacity(1 << 22);
        // SAFETY: the request ends with a NUL; the reply's room is its capacity.
        let len = unsafe { function(request.as_ptr(), reply.as_mut_ptr(), reply.capacity()) };
        if len > reply.capacity() {
            return Err("the reply is too long".to_string());
        }
        // SAFETY: so many bytes were written, as far as there was room.
        unsafe { reply.set_len(len) };
        let value: Value = serde_json::from_slice(&reply).map_err(|error| error.to_string())?;
        match value["error"].as_str() {
            Some(error) => Err(error.to_string()),
            None => Ok(value),
        }
    }
}

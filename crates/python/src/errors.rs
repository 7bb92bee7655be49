//! The runtime's errors as Python's exceptions, which `fornax._errors` defines.

use fornax_runtime::{ErrorKind, RuntimeError};
use pyo3::prelude::*;

/// Name of the kind in the table of `fornax._errors`.
fn kind_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Input | ErrorKind::Mismatch => "input",
        ErrorKind::Module => "module",
        ErrorKind::Device => "device",
        ErrorKind::OutOfMemory => "memory",
        ErrorKind::DeviceLost => "lost",
    }
}

/// The exception of an error.
pub fn exception(py: Python<'_>, error: &RuntimeError) -> PyErr {
    let arguments = (kind_name(error.kind()), error.code(), error.to_string(), error.help());
    let made = py.import("fornax._errors").and_then(|errors| errors.getattr("of_runtime")?.call1(arguments));
    match made {
        Ok(value) => PyErr::from_value(value),
        Err(failed) => failed,
    }
}

/// Results of the runtime in functions of Python.
pub trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for fornax_runtime::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

//! `fornax._native`: the runtime as Python's layer (python/fornax) calls it. No compiler is in here: that is a program
//! of its own, so that no broken model can end the Python process.
//!
//! - `module`: a module file, its signature and contents.
//! - `session`: a module on a device; calls release the interpreter's lock.
//! - `array`: results and inputs in a device's memory.
//! - `argument`: what a caller gives, as tensors of a device.
//! - `foreign`: arrays of other libraries, by NumPy's array interface and by DLPack. All `unsafe` is there.

mod argument;
mod array;
mod devices;
mod element;
mod errors;
mod foreign;
mod module;
mod session;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<array::Array>()?;
    module.add_class::<module::ModuleFile>()?;
    module.add_class::<session::Session>()?;
    module.add_function(wrap_pyfunction!(devices::list_devices, module)?)?;
    Ok(())
}

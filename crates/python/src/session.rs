//! A module on a device, as Python calls it. The interpreter's lock is free while the device works; a session serves
//! one caller at a time, others wait.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fornax_module::manifest::FunctionSignature;
use fornax_runtime::hal::Device;
use fornax_runtime::session::{BenchOptions, BenchResult, bench};
use fornax_runtime::{
    DeviceTensor, ErrorKind, Module, ParameterFile, ParameterTensor, Result, RuntimeError, SessionOptions,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::{Argument, Wanted, on_device, on_host};
use crate::array::{Array, Reads};
use crate::devices;
use crate::errors::OrRaise;
use crate::foreign::{self, dlpack};

/// A module on a device.
#[pyclass(frozen, module = "fornax._native")]
pub struct Session {
    module: Module,
    device: Device,
    session: Mutex<fornax_runtime::Session>,
    /// The process that loaded it: the device's threads and handles do not survive a fork.
    process: u32,
}

/// Name, kind of schedule, description, floating-point operations and bytes of a kernel.
type KernelRow = (String, String, String, u64, u64);

/// How a session starts.
pub struct Start<'a, 'py> {
    pub device: &'a str,
    pub files: Vec<ParameterFile>,
    pub tensors: Vec<(String, Bound<'py, PyAny>)>,
    pub max_device_memory: Option<u64>,
}

impl Session {
    pub fn start(py: Python<'_>, module: &Module, start: &Start<'_, '_>) -> PyResult<Session> {
        let tensor = |(name, object): &(String, Bound<'_, PyAny>)| -> PyResult<ParameterTensor> {
            Ok(ParameterTensor { name: name.clone(), tensor: Arc::new(on_host(object, None, None)?) })
        };
        let tensors = start.tensors.iter().map(tensor).collect::<PyResult<Vec<_>>>()?;
        let options = SessionOptions {
            parameters: start.files.clone(),
            tensors,
            max_device_memory: start.max_device_memory,
            ..SessionOptions::default()
        };
        let name = start.device;
        let started = py.detach(|| -> Result<(Device, fornax_runtime::Session)> {
            let device = devices::for_module(module, name)?;
            let session = fornax_runtime::Session::load(module, &device, &options)
                .map_err(|error| fornax_runtime::backends::explain_missing_device(module, error))?;
            Ok((device, session))
        });
        let (device, session) = started.or_raise(py)?;
        Ok(Session { module: module.clone(), device, session: Mutex::new(session), process: std::process::id() })
    }

    /// The session, waiting for other callers. Only without the interpreter's lock, which they may want.
    fn lock(&self) -> Result<MutexGuard<'_, fornax_runtime::Session>> {
        if std::process::id() != self.process {
            let message = "the module was loaded before this process was forked: its device works for the parent only";
            let help = "load the module in the new process, or start that by multiprocessing's `spawn`";
            return Err(RuntimeError::new("FX0721", ErrorKind::Device, message).with_help(help));
        }
        Ok(self.session.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The arguments of a call, on the device; all of them made in the queue `stream`, if that is known.
    fn arguments(
        &self,
        function: &FunctionSignature,
        given: &[Bound<'_, PyAny>],
        (stream, with_gradient): (Option<u64>, bool),
    ) -> PyResult<Vec<Argument>> {
        let mut arguments = Vec::with_capacity(given.len());
        for (at, object) in given.iter().enumerate() {
            let overwritten = function.aliases.iter().any(|alias| alias.input as usize == at);
            let signature = function.inputs.get(at);
            let is_ordered = stream.is_some();
            let wanted = Wanted { device: &self.device, signature, overwritten, is_ordered, with_gradient };
            match on_device(object, &wanted) {
                Ok(argument) => arguments.push(argument),
                Err(error) => {
                    give_back(arguments);
                    return Err(error);
                }
            }
        }
        Ok(arguments)
    }
}

/// A call that failed gives back what it was to overwrite.
fn give_back(arguments: impl IntoIterator<Item = Argument>) {
    for Argument { tensor, donor } in arguments {
        if let Some(donor) = donor {
            donor.get().put_back(tensor);
        }
    }
}

#[pymethods]
impl Session {
    /// Calls a function and gives its outputs without waiting for the device. `stream` is the queue in which all
    /// arguments are made, where the caller knows it: the call then waits for that once. `with_gradient`: the caller
    /// sees to gradients, so that tensors of the processor's which require one are taken too.
    #[pyo3(signature = (function, given, stream = None, with_gradient = false))]
    fn call(
        &self,
        py: Python<'_>,
        function: &str,
        given: Vec<Bound<'_, PyAny>>,
        stream: Option<u64>,
        with_gradient: bool,
    ) -> PyResult<Vec<Array>> {
        let signature = self.module.function(Some(function)).or_raise(py)?;
        if let Some(stream) = stream {
            self.device.order_after(stream).map_err(RuntimeError::from).or_raise(py)?;
        }
        let arguments = self.arguments(signature, &given, (stream, with_gradient))?;
        let (tensors, donors): (Vec<DeviceTensor>, Vec<_>) =
            arguments.into_iter().map(|argument| (argument.tensor, argument.donor)).unzip();
        let called = py.detach(|| self.lock()?.invoke_on_device(function, &tensors));
        match called {
            Ok(outputs) => {
                let reads = Reads::of(&self.device, tensors);
                Ok(outputs.into_iter().map(|output| Array::new(output, reads.clone())).collect())
            }
            Err(error) => {
                give_back(tensors.into_iter().zip(donors).map(|(tensor, donor)| Argument { tensor, donor }));
                Err(error).or_raise(py)
            }
        }
    }

    /// A tensor of another library in the memory of the session's device as an array of ours, without a copy: calls
    /// take it without asking the library again. Whoever calls sees to the order of its queue.
    fn lend(&self, object: &Bound<'_, PyAny>) -> PyResult<Array> {
        let lent = dlpack::on_device(&foreign::settled(object)?, &self.device, true)?;
        let elsewhere = || PyTypeError::new_err(format!("not in the memory of {}", self.device.info().uri()));
        let tensor = lent.ok_or_else(elsewhere)?;
        Ok(Array::new(tensor, None))
    }

    /// Waits for everything queued.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.lock()?.synchronize()).or_raise(py)
    }

    /// The device's name.
    #[getter]
    fn device(&self) -> String {
        self.device.info().uri()
    }

    /// Which image was loaded, and why.
    #[getter]
    fn description(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| Ok(self.lock()?.description().to_string())).or_raise(py)
    }

    /// Device memory that the session plans, bytes.
    #[getter]
    fn planned_bytes(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| Ok(self.lock()?.planned_bytes())).or_raise(py)
    }

    /// The kernels of the program that was loaded.
    fn kernels(&self, py: Python<'_>) -> PyResult<Vec<KernelRow>> {
        let rows = py.detach(|| {
            let session = self.lock()?;
            let kernels = session.program_kernels().iter();
            Ok(kernels.map(|k| (k.name.clone(), k.hero.clone(), k.summary.clone(), k.flops, k.bytes)).collect())
        });
        rows.or_raise(py)
    }

    /// Measures a function for `seconds`; a dictionary of milliseconds.
    fn bench<'py>(
        &self,
        py: Python<'py>,
        function: &str,
        given: Vec<Bound<'py, PyAny>>,
        seconds: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let signature = self.module.function(Some(function)).or_raise(py)?;
        let device = Some(&self.device);
        let inputs = given.iter().enumerate().map(|(at, object)| on_host(object, signature.inputs.get(at), device));
        let inputs = inputs.collect::<PyResult<Vec<_>>>()?;
        let time = Duration::try_from_secs_f64(seconds);
        let time = time.map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
        let options = BenchOptions { time, ..BenchOptions::default() };
        let measured = py.detach(|| bench(&mut *self.lock()?, function, &inputs, &options)).or_raise(py)?;
        figures(py, &measured)
    }
}

fn figures<'py>(py: Python<'py>, measured: &BenchResult) -> PyResult<Bound<'py, PyDict>> {
    let (one, row) = (&measured.one, PyDict::new(py));
    row.set_item("calls", one.calls)?;
    let parts = measured.parts.as_ref();
    let times = [
        ("median_ms", Some(one.p50_ms)),
        ("min_ms", Some(one.min_ms)),
        ("p90_ms", Some(one.p90_ms)),
        ("p99_ms", Some(one.p99_ms)),
        ("max_ms", Some(one.max_ms)),
        ("mean_ms", Some(one.mean_ms)),
        ("stddev_ms", Some(one.stddev_ms)),
        ("first_ms", Some(measured.first_ms)),
        ("queued_ms", measured.queued_ms),
        ("upload_ms", parts.map(|parts| parts.upload_ms)),
        ("kernels_ms", parts.map(|parts| parts.kernels_ms)),
        ("download_ms", parts.map(|parts| parts.download_ms)),
    ];
    for (name, time) in times {
        row.set_item(name, time)?;
    }
    Ok(row)
}

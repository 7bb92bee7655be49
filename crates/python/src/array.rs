//! `fornax.Array`: a tensor in a device's memory. Other libraries read it in place: by NumPy's array interface on the
//! processor, by DLPack everywhere.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fornax_runtime::hal::Device;
use fornax_runtime::{DeviceTensor, ErrorKind, Result, RuntimeError};
use pyo3::exceptions::{PyAttributeError, PyBufferError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::element;
use crate::errors::OrRaise;
use crate::foreign::{dlpack, exchange};

/// A tensor in a device's memory.
#[pyclass(frozen, module = "fornax")]
pub struct Array {
    /// `None` once it was donated to a call.
    tensor: Mutex<Option<DeviceTensor>>,
    /// Somebody else may see its memory: a call that wants to overwrite it gets a copy.
    shown: AtomicBool,
    /// What the call that makes it still reads of other libraries' memory.
    reads: Option<Arc<Reads>>,
}

/// Memory of other libraries that a queued call reads. They may use it again once their own queue waits for the
/// device's; until somebody has seen to that, it is kept.
pub struct Reads {
    device: Device,
    _tensors: Vec<DeviceTensor>,
    is_ordered: AtomicBool,
}

impl Reads {
    /// What of a call's arguments belongs to other libraries; nothing on devices whose calls are done when they return.
    pub fn of(device: &Device, arguments: Vec<DeviceTensor>) -> Option<Arc<Reads>> {
        device.stream()?;
        let lent: Vec<DeviceTensor> = arguments.into_iter().filter(DeviceTensor::is_lent).collect();
        (!lent.is_empty())
            .then(|| Arc::new(Reads { device: device.clone(), _tensors: lent, is_ordered: AtomicBool::new(false) }))
    }
}

impl Drop for Reads {
    fn drop(&mut self) {
        if !self.is_ordered.load(Ordering::Acquire)
            && let Err(error) = self.device.synchronize()
        {
            // A device that is lost says so at the next call.
            eprintln!("fornax: {error}");
        }
    }
}

impl Array {
    pub fn new(tensor: DeviceTensor, reads: Option<Arc<Reads>>) -> Array {
        Array { tensor: Mutex::new(Some(tensor)), shown: AtomicBool::new(false), reads }
    }

    /// The device's queue is waited for: nothing is read any more, or not before others write.
    fn set_ordered(&self) {
        if let Some(reads) = &self.reads {
            reads.is_ordered.store(true, Ordering::Release);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<DeviceTensor>> {
        self.tensor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tensor.
    ///
    /// # Errors
    /// FX0720 where it was donated.
    pub fn tensor(&self) -> Result<DeviceTensor> {
        self.lock().clone().ok_or_else(donated)
    }

    /// The tensor for a call that overwrites it, and whether the array gave it away: it then comes back by
    /// [`Array::put_back`] where the call fails.
    ///
    /// # Errors
    /// FX0720 where it was donated, FX0706 where there is no memory for a copy.
    pub fn donate(&self) -> Result<(DeviceTensor, bool)> {
        if self.shown.load(Ordering::Acquire) {
            return Ok((self.tensor()?.duplicate()?, false));
        }
        Ok((self.lock().take().ok_or_else(donated)?, true))
    }

    /// What [`Array::donate`] took.
    pub fn put_back(&self, tensor: DeviceTensor) {
        *self.lock() = Some(tensor);
    }
}

fn donated() -> RuntimeError {
    RuntimeError::new("FX0720", ErrorKind::Input, "the array was donated to an earlier call, which overwrote it")
}

/// Whether the device's memory is that of the process.
pub fn is_on_host(tensor: &DeviceTensor) -> bool {
    tensor.device().info().driver == "cpu"
}

#[pymethods]
impl Array {
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.tensor().or_raise(py)?.ty().shape)
    }

    /// NumPy's or ml_dtypes' name of the element type.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<String> {
        Ok(element::name(self.tensor().or_raise(py)?.ty().element_type))
    }

    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        self.tensor().or_raise(py)?.ty().bytes().or_raise(py)
    }

    /// Where it lies: `cpu://`, `cuda://GPU-…`.
    #[getter]
    fn device(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.tensor().or_raise(py)?.device().info().uri())
    }

    /// Whether a call took its memory.
    #[getter]
    fn is_donated(&self) -> bool {
        self.lock().is_none()
    }

    fn __repr__(&self) -> String {
        match &*self.lock() {
            Some(tensor) => format!("<fornax.Array {} on {}>", tensor.ty(), tensor.device().info().uri()),
            None => "<fornax.Array, donated>".to_string(),
        }
    }

    /// The array in the processor's memory: itself where it is there. Waits for calls that still write it.
    fn to_host(slf: &Bound<'_, Self>) -> PyResult<Py<Array>> {
        let py = slf.py();
        let tensor = slf.get().tensor().or_raise(py)?;
        if is_on_host(&tensor) && tensor.is_in_host_form() {
            return Ok(slf.clone().unbind());
        }
        let host = py.detach(|| {
            let copy = tensor.to_host()?;
            copy.to_device(&crate::devices::open("local-sync")?)
        });
        slf.get().set_ordered();
        Py::new(py, Array::new(host.or_raise(py)?, None))
    }

    /// NumPy's array interface, version 3; only in the processor's memory.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tensor = self.tensor().or_raise(py)?;
        if !is_on_host(&tensor) || !tensor.is_in_host_form() {
            return Err(PyAttributeError::new_err("the array is in a GPU's memory"));
        }
        self.shown.store(true, Ordering::Release);
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", PyTuple::new(py, &tensor.ty().shape)?)?;
        interface.set_item("typestr", element::type_string(tensor.ty().element_type))?;
        interface.set_item("data", (tensor.address(), tensor.is_lent()))?;
        Ok(interface)
    }

    /// The array as one of another library's type, over the same memory, by the type's DLPack C exchange API; `None`
    /// where the type has none, for elements that DLPack does not have, and on GPUs.
    fn as_type<'py>(&self, ty: &Bound<'py, PyType>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = ty.py();
        let tensor = self.tensor().or_raise(py)?;
        if !is_on_host(&tensor) {
            return Ok(None);
        }
        tensor.device().synchronize().map_err(RuntimeError::from).or_raise(py)?;
        self.set_ordered();
        self.shown.store(true, Ordering::Release);
        exchange::given(ty, tensor)
    }

    /// DLPack's device: type and number.
    fn __dlpack_device__(&self, py: Python<'_>) -> PyResult<(i32, i32)> {
        Ok(dlpack::device_of(&self.tensor().or_raise(py)?))
    }

    /// A DLPack capsule over the same memory. `stream` is that of the consumer, which is made to wait for the contents.
    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<i64>,
        max_version: Option<Bound<'_, PyAny>>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // DLPack's first form is what every consumer takes.
        let _ = max_version;
        let py = slf.py();
        let mut tensor = slf.get().tensor().or_raise(py)?;
        if dl_device.is_some_and(|wanted| wanted != dlpack::device_of(&tensor)) {
            if dl_device != Some(dlpack::HOST) || copy == Some(false) {
                return Err(PyBufferError::new_err("the array is on another device"));
            }
            tensor = Array::to_host(slf)?.get().tensor().or_raise(py)?;
        } else if !is_on_host(&tensor) && tensor.device().stream().is_none() {
            return Err(PyBufferError::new_err("no other library can order its work by this device: use to_host()"));
        } else if copy == Some(true) {
            tensor = tensor.duplicate().or_raise(py)?;
        } else {
            slf.get().shown.store(true, Ordering::Release);
        }
        let stream = stream_of(&tensor, stream);
        let device = tensor.device().clone();
        let ordered = match stream {
            Some(stream) => device.order_before(stream),
            None => py.detach(|| device.synchronize()),
        };
        ordered.map_err(RuntimeError::from).or_raise(py)?;
        slf.get().set_ordered();
        dlpack::capsule(py, tensor, stream)
    }
}

/// The consumer's queue. DLPack's number of a stream is the driver's handle: 1 and 2 are CUDA's default streams, which
/// is what no number means too; -1 is a consumer that orders nothing.
fn stream_of(tensor: &DeviceTensor, given: Option<i64>) -> Option<u64> {
    tensor.device().stream()?;
    u64::try_from(given.unwrap_or(1)).ok().filter(|stream| *stream != 0)
}

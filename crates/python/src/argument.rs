//! What a caller gives, as tensors of the module's device: arrays of ours, of NumPy, of every library with DLPack, and
//! plain numbers and lists.

use fornax_module::manifest::TensorSignature;
use fornax_runtime::hal::Device;
use fornax_runtime::{DeviceTensor, RuntimeError, Tensor};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::array::Array;
use crate::element;
use crate::errors::OrRaise;
use crate::foreign::{self, Found, Said};

/// Fewer bytes are copied before another thread could have taken the interpreter's lock.
const COPIED_AT_ONCE: usize = 256 << 10;

/// An argument on the device, and the array that it was donated by.
pub struct Argument {
    pub tensor: DeviceTensor,
    pub donor: Option<Py<Array>>,
}

/// An object's elements in the processor's memory. Numbers and lists become the element type of `wanted`.
fn host_elements(object: &Bound<'_, PyAny>, wanted: Option<&TensorSignature>, with_gradient: bool) -> PyResult<Found> {
    if let Said::Array(found) = foreign::elements(object, with_gradient)? {
        return Ok(found);
    }
    let ty = wanted.and_then(|tensor| fornax_types::ElementType::from_spelling(&tensor.element_type));
    let arrays = object.py().import("fornax._arrays")?;
    let made = arrays.getattr("of_python")?.call1((object, ty.map(element::name)))?;
    match foreign::elements(&made, false)? {
        Said::Array(found) => Ok(found),
        Said::Other => Err(PyTypeError::new_err(format!("{} has no elements of a known type", made.get_type()))),
    }
}

/// Where an argument goes, and what the call does with it.
pub struct Wanted<'a> {
    pub device: &'a Device,
    pub signature: Option<&'a TensorSignature>,
    /// The call writes to it.
    pub overwritten: bool,
    /// The device's queue waits already for that in which the argument is made.
    pub is_ordered: bool,
    /// The caller sees to gradients: tensors that require one are taken.
    pub with_gradient: bool,
}

/// One argument of a call.
pub fn on_device(object: &Bound<'_, PyAny>, wanted: &Wanted<'_>) -> PyResult<Argument> {
    let &Wanted { device, signature, overwritten, is_ordered, with_gradient } = wanted;
    let py = object.py();
    if let Ok(array) = object.cast::<Array>() {
        return ours(array, device, overwritten);
    }
    let object = &foreign::settled(object)?;
    if let Some(lent) = foreign::dlpack::on_device(object, device, is_ordered)? {
        return Ok(Argument { tensor: if overwritten { copied(py, &lent)? } else { lent }, donor: None });
    }
    let Found { ty, bytes } = host_elements(object, signature, with_gradient)?;
    let copied = bytes.bytes().len();
    let make = || {
        let lent = DeviceTensor::lend(device, ty, &bytes)?;
        // Arrays of other libraries stay as they are.
        if overwritten && lent.is_lent() { lent.duplicate() } else { Ok(lent) }
    };
    let made = if copied < COPIED_AT_ONCE { make() } else { py.detach(make) };
    Ok(Argument { tensor: made.or_raise(py)?, donor: None })
}

/// A copy of another library's tensor, which it may use again when this returns.
fn copied(py: Python<'_>, lent: &DeviceTensor) -> PyResult<DeviceTensor> {
    let copy = py.detach(|| {
        let copy = lent.duplicate()?;
        lent.device().synchronize()?;
        Ok(copy)
    });
    copy.or_raise(py)
}

fn ours(array: &Bound<'_, Array>, device: &Device, overwritten: bool) -> PyResult<Argument> {
    let py = array.py();
    let tensor = array.get().tensor().or_raise(py)?;
    if !tensor.device().is(device) && tensor.device().info().uri() != device.info().uri() {
        let moved = py.detach(|| tensor.to_host()?.to_device(device));
        return Ok(Argument { tensor: moved.or_raise(py)?, donor: None });
    }
    if !overwritten {
        return Ok(Argument { tensor, donor: None });
    }
    drop(tensor);
    let (tensor, given_away) = array.get().donate().or_raise(py)?;
    Ok(Argument { tensor, donor: given_away.then(|| array.clone().unbind()) })
}

/// An object as a tensor of the host; one on `device` is copied from there.
pub fn on_host(
    object: &Bound<'_, PyAny>,
    wanted: Option<&TensorSignature>,
    device: Option<&Device>,
) -> PyResult<Tensor> {
    let py = object.py();
    let object = &foreign::settled(object)?;
    let there = match (object.cast::<Array>(), device) {
        (Ok(array), _) => Some(array.get().tensor().or_raise(py)?),
        (Err(_), Some(device)) => foreign::dlpack::on_device(object, device, false)?,
        (Err(_), None) => None,
    };
    if let Some(tensor) = there {
        return py.detach(|| tensor.to_host()).or_raise(py);
    }
    let Found { ty, bytes } = host_elements(object, wanted, false)?;
    let copied: Result<Tensor, RuntimeError> = py.detach(|| Tensor::new(ty, bytes.bytes().to_vec()));
    copied.or_raise(py)
}

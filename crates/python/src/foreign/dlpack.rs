//! DLPack, both ways: capsules of its first form (`dltensor`), which every library takes and gives.
//!
//! The layouts are those of dlpack.h. Elements of other libraries are read where they lie, as long as the capsule
//! lives; a capsule that nobody took gives its tensor back itself.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

use fornax_runtime::hal::Device;
use fornax_runtime::mapping::DeviceBytes;
use fornax_runtime::{DeviceTensor, TensorType};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{ffi, intern};

use super::{Keeper, Said, found, numbers, strided};
use crate::element;
use crate::errors::OrRaise;

/// The processor's memory.
pub const HOST: (i32, i32) = (1, 0);
const NAME: &CStr = c"dltensor";
/// Page-locked memory that CUDA and ROCm made: the processor reads it too.
const PINNED: [i32; 2] = [3, 11];
/// The stream of a consumer that wants no order.
const UNORDERED: i32 = -1;
/// DLPack's device types by driver.
const TYPES: &[(&str, i32)] = &[("cpu", 1), ("cuda", 2), ("opencl", 4), ("rocm", 10)];

/// `DLTensor` of dlpack.h.
#[repr(C)]
pub struct DlTensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    pub shape: *mut i64,
    pub strides: *mut i64,
    byte_offset: u64,
}

impl DlTensor {
    /// Type and number of the device.
    pub fn device(&self) -> (i32, i32) {
        (self.device_type, self.device_id)
    }
}

#[repr(C)]
struct DlManagedTensor {
    tensor: DlTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut DlManagedTensor)>,
}

/// What a capsule of ours points to, and what it keeps.
#[repr(C)]
struct Given {
    managed: DlManagedTensor,
    shape: Vec<i64>,
    tensor: DeviceTensor,
    /// The consumer's queue: when it gives the tensor back, the device waits for what that has queued.
    stream: Option<u64>,
}

/// DLPack's device of a tensor: type and number.
pub fn device_of(tensor: &DeviceTensor) -> (i32, i32) {
    let info = tensor.device().info();
    (device_type(info.driver), info.ordinal as i32)
}

/// The tensor that a capsule points to.
///
/// # Errors
/// `ValueError` for something that is no such capsule.
fn tensor_of<'a>(capsule: &'a Bound<'_, PyAny>) -> PyResult<&'a DlTensor> {
    // SAFETY: the object is asked for its name and pointer only, and says NULL with an exception if it is no capsule.
    let managed = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), NAME.as_ptr()) };
    if managed.is_null() {
        return Err(PyErr::fetch(capsule.py()));
    }
    // SAFETY: a capsule of this name points to a managed tensor that is valid as long as nobody takes it.
    Ok(unsafe { &(*managed.cast::<DlManagedTensor>()).tensor })
}

/// Element type, address and strides (bytes) of a tensor.
pub struct Layout {
    pub ty: TensorType,
    pub start: *const u8,
    pub strides: Option<Vec<i64>>,
}

/// Where a tensor's elements lie; `None` for elements that Fornax does not have.
pub fn layout(tensor: &DlTensor) -> Option<Layout> {
    let element_type = element::from_dlpack(tensor.code, tensor.bits).filter(|_| tensor.lanes == 1)?;
    let rank = usize::try_from(tensor.ndim).ok()?;
    // SAFETY: both point to `ndim` numbers; strides may be NULL.
    let (shape, strides) = unsafe { (numbers(tensor.shape, rank), numbers(tensor.strides, rank)) };
    let shape = shape.unwrap_or_default().into_iter().map(u64::try_from).collect::<Result<Vec<u64>, _>>().ok()?;
    let width = element_type.storage_bytes() as i64;
    let strides = strides.map(|strides| strides.into_iter().map(|stride| stride.saturating_mul(width)).collect());
    let start = tensor.data.cast::<u8>().wrapping_add(tensor.byte_offset as usize);
    Some(Layout { ty: TensorType::new(element_type, shape), start, strides })
}

/// The elements of an object that has `__dlpack__`, in the processor's memory.
///
/// # Errors
/// What the object raises; `TypeError` for one on a GPU.
pub fn elements(object: &Bound<'_, PyAny>) -> PyResult<Said> {
    let Some(method) = object.getattr_opt(intern!(object.py(), "__dlpack__"))? else { return Ok(Said::Other) };
    let capsule = method.call0()?;
    let tensor = tensor_of(&capsule)?;
    if tensor.device_type != HOST.0 && !PINNED.contains(&tensor.device_type) {
        let message = format!(
            "an array on another device (DLPack's type {}, number {}) than the module: copy it there, or load the \
             module where it is",
            tensor.device_type, tensor.device_id
        );
        return Err(PyTypeError::new_err(message));
    }
    let Some(Layout { ty, start, strides }) = layout(tensor) else { return Ok(Said::Other) };
    Ok(found(ty, start, strides.as_deref(), Keeper::Object(capsule.unbind())).map_or(Said::Other, Said::Array))
}

/// The tensor of an object that is in the memory of the module's own device, without a copy; `None` for every other
/// object. The object's library makes the device's queue wait for what it has queued itself, unless the caller has seen
/// to that (`is_ordered`).
///
/// # Errors
/// What the object raises; `TypeError` for elements that do not lie in row-major order.
pub fn on_device(object: &Bound<'_, PyAny>, device: &Device, is_ordered: bool) -> PyResult<Option<DeviceTensor>> {
    let py = object.py();
    let Some(stream) = device.stream() else { return Ok(None) };
    let Some(method) = object.getattr_opt(intern!(py, "__dlpack_device__"))? else { return Ok(None) };
    let (kind, number): (i32, i32) = method.call0()?.extract()?;
    let info = device.info();
    if kind != device_type(info.driver) || number != info.ordinal as i32 {
        return Ok(None);
    }
    let how = PyDict::new(py);
    match is_ordered {
        true => how.set_item(intern!(py, "stream"), UNORDERED)?,
        false => how.set_item(intern!(py, "stream"), stream)?,
    }
    let capsule = object.getattr(intern!(py, "__dlpack__"))?.call((), Some(&how))?;
    let Layout { ty, start, strides } = layout(tensor_of(&capsule)?)
        .ok_or_else(|| PyTypeError::new_err("an array of an element type that Fornax does not have"))?;
    if strides.is_some_and(|strides| !strided::is_row_major(&ty, &strides)) {
        return Err(PyTypeError::new_err(
            "an array on a GPU whose elements are not in row-major order: make it contiguous",
        ));
    }
    let bytes = ty.bytes().or_raise(py)? as u64;
    // SAFETY: the object said that its elements lie there, on this device, and the capsule keeps them. Both sides use
    // the device's primary context.
    let bytes = unsafe { DeviceBytes::new(start as u64, bytes, capsule.unbind()) };
    let lent = DeviceTensor::lend_on_device(device, ty, bytes).or_raise(py)?;
    lent.map(Some)
        .ok_or_else(|| PyTypeError::new_err("an array on a GPU that does not begin at a multiple of 16 bytes"))
}

fn device_type(driver: &str) -> i32 {
    TYPES.iter().find(|row| row.0 == driver).map_or(0, |row| row.1)
}

/// A tensor of ours as DLPack describes it, without its shape; `None` for element types that DLPack does not have.
pub fn described(tensor: &DeviceTensor) -> Option<DlTensor> {
    let ty = tensor.ty();
    let (code, bits) = element::dlpack(ty.element_type).filter(|_| tensor.is_in_host_form())?;
    let (device_type, device_id) = device_of(tensor);
    Some(DlTensor {
        data: tensor.address() as *mut c_void,
        device_type,
        device_id,
        ndim: ty.shape.len() as i32,
        code,
        bits,
        lanes: 1,
        shape: null_mut(),
        strides: null_mut(),
        byte_offset: 0,
    })
}

/// A capsule over a tensor of ours, for a consumer that works in `stream`.
///
/// # Errors
/// `BufferError` for element types that DLPack does not have.
pub fn capsule(py: Python<'_>, tensor: DeviceTensor, stream: Option<u64>) -> PyResult<Bound<'_, PyAny>> {
    let ty = tensor.ty();
    let no_type = || PyBufferError::new_err(format!("DLPack has no element type {}", ty.element_type));
    let described = described(&tensor).ok_or_else(no_type)?;
    let shape: Vec<i64> = ty.shape.iter().map(|size| *size as i64).collect();
    let managed = DlManagedTensor { tensor: described, context: null_mut(), deleter: Some(delete) };
    let mut given = Box::new(Given { managed, shape, tensor, stream });
    // It stays where it is when the box moves.
    given.managed.tensor.shape = given.shape.as_mut_ptr();
    let pointer = Box::into_raw(given);
    // SAFETY: the capsule owns the pointer from here on; its destructor gives it back where nobody took it.
    let made = unsafe { ffi::PyCapsule_New(pointer.cast(), NAME.as_ptr(), Some(forget)) };
    if made.is_null() {
        // SAFETY: no capsule was made: the box is still ours.
        drop(unsafe { Box::from_raw(pointer) });
        return Err(PyErr::fetch(py));
    }
    // SAFETY: a new reference.
    Ok(unsafe { Bound::from_owned_ptr(py, made) })
}

/// The consumer is done with a tensor of ours.
unsafe extern "C" fn delete(managed: *mut DlManagedTensor) {
    if !managed.is_null() {
        // SAFETY: `capsule` made it as the first field of a box, and consumers delete once.
        let given = unsafe { Box::from_raw(managed.cast::<Given>()) };
        if let Some(stream) = given.stream
            && let Err(error) = given.tensor.device().order_after(stream)
        {
            // Nobody waits for the answer; a device that is lost says so at the next call.
            eprintln!("fornax: {error}");
        }
    }
}

/// A capsule goes: where nobody took its tensor it is deleted.
unsafe extern "C" fn forget(capsule: *mut ffi::PyObject) {
    // SAFETY: Python gives its own capsule; one that was taken has another name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) == 1 {
            delete(ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast());
        }
    }
}

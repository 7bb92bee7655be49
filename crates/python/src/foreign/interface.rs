//! NumPy's array interface in its C form, `__array_struct__`: a capsule of address, shape, strides and kind.
//!
//! Objects that have only the dictionary, `__array_interface__`, become arrays of NumPy first: it checks them.

use std::ffi::{c_char, c_int, c_void};

use fornax_runtime::TensorType;
use fornax_types::ElementType;
use pyo3::prelude::*;
use pyo3::{ffi, intern};

use super::{Keeper, Said, found, numbers};
use crate::element;

/// The interface's version, its first field.
const VERSION: c_int = 2;
/// Elements are in the machine's byte order.
const IN_ORDER: c_int = 0x200;
/// The capsule of the interface has no name.
const NAME: *const c_char = std::ptr::null();

/// `PyArrayInterface` of NumPy's documentation.
#[repr(C)]
struct ArrayStruct {
    two: c_int,
    rank: c_int,
    kind: c_char,
    item_bytes: c_int,
    flags: c_int,
    shape: *const isize,
    strides: *const isize,
    data: *const c_void,
}

/// The elements of an object that has the interface.
///
/// # Errors
/// What the object raises when it is asked; `ValueError` for something that is no capsule.
pub fn elements(object: &Bound<'_, PyAny>) -> PyResult<Option<Said>> {
    let py = object.py();
    let Some(capsule) = object.getattr_opt(intern!(py, "__array_struct__"))? else { return Ok(None) };
    // SAFETY: the object is asked for its pointer only, and says NULL with an exception if it is no such capsule.
    let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), NAME) };
    if pointer.is_null() {
        return Err(PyErr::fetch(py));
    }
    // SAFETY: a capsule of this attribute points to the interface, whose first field tells that it is one.
    let array = unsafe { &*pointer.cast::<ArrayStruct>() };
    if array.two != VERSION || array.flags & IN_ORDER == 0 && array.item_bytes > 1 {
        return Ok(Some(Said::Other));
    }
    let Some(element_type) = element_type(object, array)? else { return Ok(Some(Said::Other)) };
    let rank = usize::try_from(array.rank).unwrap_or(0);
    // SAFETY: both point to `rank` numbers.
    let (shape, strides) = unsafe { (numbers(array.shape, rank), numbers(array.strides, rank)) };
    let sizes = shape.unwrap_or_default().into_iter().map(|size| u64::try_from(size).unwrap_or(0));
    let ty = TensorType::new(element_type, sizes.collect::<Vec<u64>>());
    let strides: Option<Vec<i64>> = strides.map(|strides| strides.into_iter().map(|stride| stride as i64).collect());
    let found = found(ty, array.data.cast(), strides.as_deref(), Keeper::Object(capsule.unbind()));
    Ok(Some(found.map_or(Said::Other, Said::Array)))
}

/// The element type. `V` of two bytes is bfloat16, or two bytes of anything, and `f` of one byte any of several: the
/// name of the dtype tells.
fn element_type(object: &Bound<'_, PyAny>, array: &ArrayStruct) -> PyResult<Option<ElementType>> {
    let (kind, py) = (array.kind as u8 as char, object.py());
    if let Some(plain) = element::of_kind(kind, array.item_bytes) {
        return Ok(Some(plain));
    }
    let name = object.getattr(intern!(py, "dtype"))?.getattr(intern!(py, "name"))?;
    Ok(element::from_name(&name.extract::<String>()?))
}

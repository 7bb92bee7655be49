//! Arrays of other libraries: where their elements lie, and who keeps them there.
//!
//! Input: an object with `__array_struct__` (NumPy) or `__dlpack__` (PyTorch, JAX, CuPy, …). Output: [`Found`], its
//! type, and its bytes in place or gathered into row-major order.

pub mod dlpack;
mod interface;
mod strided;

use std::sync::Arc;

use fornax_runtime::TensorType;
use fornax_runtime::mapping::{HostBytes, Mapping};
use pyo3::prelude::*;

/// An array in the processor's memory.
pub struct Found {
    pub ty: TensorType,
    pub bytes: HostBytes,
}

/// What an object says of itself.
pub enum Said {
    /// It is an array that can be read.
    Array(Found),
    /// It is one whose elements have to be brought into another form first: byte order, an unknown type.
    Other,
}

/// Asks an object for its elements.
///
/// # Errors
/// What the object raises when it is asked.
pub fn elements(object: &Bound<'_, PyAny>) -> PyResult<Said> {
    match interface::elements(object)? {
        Some(said) => Ok(said),
        None => dlpack::elements(object),
    }
}

/// Bytes in another library's memory, and the Python object that keeps them there.
struct Owned {
    start: *const u8,
    len: usize,
    _keeper: Py<PyAny>,
}

// SAFETY: the bytes are only read, and the keeper is only dropped, which pyo3 does under the interpreter's lock.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the keeper said that its elements lie there, and it lives as long as `self`. Who writes to them while
        // a call runs gets old or new elements, as with every library that shares memory.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

/// Elements at an address: in place where they are in row-major order, else gathered.
fn found(ty: TensorType, start: *const u8, strides: Option<&[i64]>, keeper: Py<PyAny>) -> Option<Found> {
    let bytes = ty.bytes().ok()?;
    let mapping = match strides {
        Some(strides) if !strided::is_row_major(&ty, strides) => {
            Mapping::from_bytes(strided::gathered(&ty, start, strides)?)
        }
        _ => Mapping::lent(Owned { start, len: bytes, _keeper: keeper }),
    };
    Some(Found { ty, bytes: HostBytes::new(Arc::new(mapping), 0..bytes)? })
}

/// `count` numbers, if there are any.
///
/// # Safety
/// `start` is NULL or points to as many.
unsafe fn numbers<T: Copy>(start: *const T, count: usize) -> Option<Vec<T>> {
    if start.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    Some(unsafe { std::slice::from_raw_parts(start, count) }.to_vec())
}

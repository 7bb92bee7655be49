//! Arrays of other libraries: where their elements lie, and who keeps them there.
//!
//! Input: an object with `__array_struct__` (NumPy), DLPack's C exchange API (PyTorch), or `__dlpack__` (JAX, CuPy).
//! Output: [`Found`], its type, and its bytes in place or gathered into row-major order.

pub mod dlpack;
pub mod exchange;
mod interface;
mod strided;

use std::sync::Arc;

use fornax_runtime::TensorType;
use fornax_runtime::mapping::{HostBytes, Mapping};
use pyo3::intern;
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

/// Asks an object for its elements. `with_gradient`: it is a tensor of PyTorch whose gradient the caller sees to.
///
/// # Errors
/// What the object raises when it is asked.
pub fn elements(object: &Bound<'_, PyAny>, with_gradient: bool) -> PyResult<Said> {
    if let Some(api) = exchange::about(object)?.api {
        // DLPack knows nothing of gradients; `__dlpack__` refuses such tensors in the library's words.
        let has_gradient = match object.getattr_opt(intern!(object.py(), "requires_grad"))? {
            Some(says) if !with_gradient => says.is_truthy()?,
            _ => false,
        };
        if !has_gradient && let Some(said) = exchange::elements(object, api)? {
            return Ok(said);
        }
    }
    match interface::elements(object)? {
        Some(said) => Ok(said),
        None if with_gradient => dlpack::elements(&object.call_method0(intern!(object.py(), "detach"))?),
        None => dlpack::elements(object),
    }
}

/// The object, or the tensor that PyTorch computes of it where its elements in memory are not yet conjugated or negated
/// (`x.conj()`, `x.conj().imag`): neither form of DLPack says so.
///
/// # Errors
/// What the object raises when it is asked.
pub fn settled<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let mut settled = object.clone();
    if !exchange::about(object)?.may_be_lazy {
        return Ok(settled);
    }
    for (asked, made) in
        [(intern!(py, "is_conj"), intern!(py, "resolve_conj")), (intern!(py, "is_neg"), intern!(py, "resolve_neg"))]
    {
        if settled.call_method0(asked)?.is_truthy()? {
            settled = settled.call_method0(made)?;
        }
    }
    Ok(settled)
}

/// What keeps elements where they are.
enum Keeper {
    Object(#[expect(dead_code, reason = "it is only kept")] Py<PyAny>),
    Tensor(#[expect(dead_code, reason = "it is only kept")] exchange::Taken),
}

/// Bytes in another library's memory, and what keeps them there.
struct Owned {
    start: *const u8,
    len: usize,
    _keeper: Keeper,
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
fn found(ty: TensorType, start: *const u8, strides: Option<&[i64]>, keeper: Keeper) -> Option<Found> {
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

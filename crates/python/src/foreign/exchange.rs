//! DLPack's C exchange API (DLPack 1.3): a type of arrays has a table of functions, `__dlpack_c_exchange_api__`, by
//! which its arrays are read and made without a call of Python. PyTorch has it since 2.10. `__dlpack__` of a tensor
//! takes 6 us, this a tenth of that. Only the processor's memory goes this way: nothing here orders queues.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::{Mutex, PoisonError};

use fornax_runtime::DeviceTensor;
use pyo3::prelude::*;
use pyo3::types::PyType;
use pyo3::{ffi, intern};

use super::dlpack::{self, DlTensor, HOST, Layout};
use super::{Keeper, Said, found};

const NAME: &CStr = c"dlpack_exchange_api";
/// The major version of DLPack that this is written for.
const MAJOR: u32 = 1;
/// Types that are remembered; others are looked at each time.
const TYPES_MAX: usize = 64;

/// `DLManagedTensorVersioned` of dlpack.h.
#[repr(C)]
struct Managed {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
    flags: u64,
    tensor: DlTensor,
}

/// `DLPackExchangeAPI` of dlpack.h, as far as it is used.
#[repr(C)]
struct Table {
    major: u32,
    minor: u32,
    /// The table of an older major version.
    before: *const Table,
    allocate: *const c_void,
    from_object: Option<unsafe extern "C" fn(*mut ffi::PyObject, *mut *mut Managed) -> c_int>,
    to_object: Option<unsafe extern "C" fn(*mut Managed, *mut *mut ffi::PyObject) -> c_int>,
}

/// The table of a type, for as long as the process lives: so the API wants it.
#[derive(Clone, Copy)]
pub struct Api(&'static Table);

// SAFETY: the table is constant, and its functions are called with the interpreter's lock only.
unsafe impl Send for Api {}

/// What is known of a type.
#[derive(Clone, Copy)]
pub struct About {
    /// Its API, if its arrays are what their own memory says.
    pub api: Option<Api>,
    /// Elements may be conjugated or negated only when they are read, as PyTorch's.
    pub may_be_lazy: bool,
}

/// Types that were asked for, each kept so that no other type takes its address.
static TYPES: Mutex<Vec<(Py<PyType>, About)>> = Mutex::new(Vec::new());

/// What is known of an object's type.
///
/// # Errors
/// What the type raises when it is asked.
pub fn about(object: &Bound<'_, PyAny>) -> PyResult<About> {
    of_type(&object.get_type())
}

fn of_type(ty: &Bound<'_, PyType>) -> PyResult<About> {
    let known = || TYPES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(row) = known().iter().find(|row| row.0.as_ptr() == ty.as_ptr()) {
        return Ok(row.1);
    }
    // Not under the lock: the type may run code of Python.
    let about = About { api: Api::sought(ty)?, may_be_lazy: ty.hasattr(intern!(ty.py(), "resolve_conj"))? };
    let mut known = known();
    if known.len() < TYPES_MAX {
        known.push((ty.clone().unbind(), about));
    }
    Ok(about)
}

impl Api {
    fn sought(ty: &Bound<'_, PyType>) -> PyResult<Option<Api>> {
        let py = ty.py();
        for class in ty.mro().iter() {
            let own = class.getattr(intern!(py, "__dict__"))?;
            if let Ok(capsule) = own.get_item(intern!(py, "__dlpack_c_exchange_api__")) {
                return Ok(Api::table(&capsule));
            }
            // A subclass whose elements are elsewhere, or that says itself what they are.
            for name in [intern!(py, "__torch_dispatch__"), intern!(py, "__dlpack__")] {
                if own.contains(name)? {
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    fn table(capsule: &Bound<'_, PyAny>) -> Option<Api> {
        // SAFETY: the object is asked whether it is a capsule of this name first.
        let mut at = unsafe {
            if ffi::PyCapsule_IsValid(capsule.as_ptr(), NAME.as_ptr()) == 0 {
                return None;
            }
            ffi::PyCapsule_GetPointer(capsule.as_ptr(), NAME.as_ptr()).cast::<Table>().cast_const()
        };
        // SAFETY: a capsule of this name points to a table that lives as long as the process, and each table to an
        // older one or to none; the first two fields are the same in all versions.
        while let Some(table) = unsafe { at.as_ref() } {
            if table.major == MAJOR {
                return Some(Api(table));
            }
            at = table.before;
        }
        None
    }
}

/// A tensor of another library, given back when it goes.
pub struct Taken(NonNull<Managed>);

// SAFETY: DLPack lets any thread delete a tensor, with or without the interpreter's lock; nothing else is done with it.
unsafe impl Send for Taken {}
// SAFETY: as above; shared references read nothing.
unsafe impl Sync for Taken {}

impl Drop for Taken {
    fn drop(&mut self) {
        // SAFETY: the library gave it to us, and it is deleted once.
        unsafe {
            if let Some(delete) = self.0.as_ref().deleter {
                delete(self.0.as_ptr());
            }
        }
    }
}

/// The elements of an object in the processor's memory, by its type's API; `None` where that does not say.
///
/// # Errors
/// What the object raises.
pub fn elements(object: &Bound<'_, PyAny>, Api(table): Api) -> PyResult<Option<Said>> {
    let Some(read) = table.from_object else { return Ok(None) };
    let mut made = null_mut();
    // SAFETY: the object is of the type that the API was found at, and the lock is held.
    let failed = unsafe { read(object.as_ptr(), &mut made) } != 0;
    let Some(managed) = NonNull::new(made).filter(|_| !failed) else { return Err(PyErr::fetch(object.py())) };
    let taken = Taken(managed);
    // SAFETY: the tensor is valid until it is deleted, which `taken` does.
    let managed = unsafe { managed.as_ref() };
    if managed.major != MAJOR || managed.tensor.device() != HOST {
        return Ok(None);
    }
    let Some(Layout { ty, start, strides }) = dlpack::layout(&managed.tensor) else { return Ok(None) };
    let found = found(ty, start, strides.as_deref(), Keeper::Tensor(taken));
    Ok(Some(found.map_or(Said::Other, Said::Array)))
}

/// What a tensor of ours points to, and what it keeps.
#[repr(C)]
struct Given {
    managed: Managed,
    shape: Vec<i64>,
    strides: Vec<i64>,
    _tensor: DeviceTensor,
}

/// A tensor of ours as an array of a type that has the API, over the same memory; `None` where DLPack has no such
/// elements. The tensor is in the processor's memory, and nobody writes it.
///
/// # Errors
/// What the type's library raises.
pub fn given<'py>(ty: &Bound<'py, PyType>, tensor: DeviceTensor) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = ty.py();
    let Some(Api(table)) = of_type(ty)?.api else { return Ok(None) };
    let (Some(make), Some(plain)) = (table.to_object, dlpack::described(&tensor)) else { return Ok(None) };
    let shape: Vec<i64> = tensor.ty().shape.iter().map(|size| *size as i64).collect();
    // The API's version wants strides, in elements.
    let mut strides = vec![1i64; shape.len()];
    for at in (1..shape.len()).rev() {
        strides[at - 1] = strides[at].saturating_mul(shape[at]);
    }
    let managed =
        Managed { major: MAJOR, minor: 0, context: null_mut(), deleter: Some(delete), flags: 0, tensor: plain };
    let mut given = Box::new(Given { managed, shape, strides, _tensor: tensor });
    // They stay where they are when the box moves.
    given.managed.tensor.shape = given.shape.as_mut_ptr();
    given.managed.tensor.strides = given.strides.as_mut_ptr();
    let pointer = Box::into_raw(given);
    let mut made = null_mut();
    // SAFETY: a valid tensor, which the function takes over; the lock is held.
    let failed = unsafe { make(pointer.cast(), &mut made) } != 0;
    if failed || made.is_null() {
        // Whether a library that fails has deleted the tensor is not said: it is left to it.
        return Err(PyErr::fetch(py));
    }
    // SAFETY: a new reference.
    Ok(Some(unsafe { Bound::from_owned_ptr(py, made) }))
}

/// The consumer is done with a tensor of ours.
unsafe extern "C" fn delete(managed: *mut Managed) {
    if !managed.is_null() {
        // SAFETY: `given` made it as the first field of a box, and consumers delete once.
        drop(unsafe { Box::from_raw(managed.cast::<Given>()) });
    }
}

//! Pointers of the caller as references, strings and slices; null is an error where a value is needed.

use std::ffi::{CStr, CString, c_char};

use fornax_runtime::{Result, RuntimeError};

/// An argument that no call of the interface may have.
pub(crate) fn misuse(message: impl Into<String>) -> RuntimeError {
    RuntimeError::input("FX0725", message)
}

/// A string for C. A zero byte, which no message of ours has, would end it.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// # Safety
/// Null, or a handle that was not ended.
pub(crate) unsafe fn handle<'a, T>(pointer: *const T, name: &str) -> Result<&'a T> {
    // SAFETY: as above.
    unsafe { pointer.as_ref() }.ok_or_else(|| misuse(format!("`{name}` is NULL")))
}

/// Where a result goes.
///
/// # Safety
/// Null, or room for a pointer.
pub(crate) unsafe fn place<'a, T>(pointer: *mut *mut T, name: &str) -> Result<&'a mut *mut T> {
    // SAFETY: as above.
    unsafe { pointer.as_mut() }.ok_or_else(|| misuse(format!("`{name}` is NULL")))
}

/// # Safety
/// Null, or a string that ends with zero.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(misuse(format!("`{name}` is NULL")));
    }
    // SAFETY: as above.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| misuse(format!("`{name}` is not UTF-8")))
}

/// An array; null where it has no elements.
///
/// # Safety
/// Null, or so many elements.
pub(crate) unsafe fn array<'a, T>(pointer: *const T, count: usize, name: &str) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(misuse(format!("`{name}` is NULL, with {count} elements")));
    }
    // SAFETY: as above.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// # Safety
/// Null, or a handle that was not ended.
pub(crate) unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: handles are boxes that were given away.
        drop(unsafe { Box::from_raw(pointer) });
    }
}

/// Gives a handle away.
pub(crate) fn give<T>(out: &mut *mut T, value: T) {
    *out = Box::into_raw(Box::new(value));
}

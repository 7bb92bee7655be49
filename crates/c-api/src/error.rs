//! Errors as values, and the guard around every call.

use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use fornax_runtime::{ErrorKind, Result, RuntimeError};

use crate::arguments::c_string;

/// What went wrong: a stable code, a message, and what to do about it.
pub struct fornax_error {
    code: CString,
    message: CString,
    help: Option<CString>,
    exit_code: i32,
}

impl fornax_error {
    fn of(error: &RuntimeError) -> fornax_error {
        fornax_error {
            code: c_string(error.code()),
            message: c_string(&error.to_string()),
            help: error.help().map(c_string),
            exit_code: i32::from(error.exit_code()),
        }
    }
}

/// Runs the body of a call. A panic is a fault of ours: it becomes an error, for it must not cross into C.
pub(crate) fn guarded(body: impl FnOnce() -> Result<()>) -> *mut fornax_error {
    let done = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        let message = "the library failed inside: this is a fault of Fornax, not of the program";
        Err(RuntimeError::new("FX0726", ErrorKind::Device, message))
    });
    match done {
        Ok(()) => ptr::null_mut(),
        Err(error) => Box::into_raw(Box::new(fornax_error::of(&error))),
    }
}

/// The stable code: "FX" and four digits. `fornax explain CODE` says more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_error_code(error: *const fornax_error) -> *const c_char {
    // SAFETY: null, or an error that was not ended.
    unsafe { error.as_ref() }.map_or(ptr::null(), |error| error.code.as_ptr())
}

/// What went wrong; several lines where the error has a place in a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_error_message(error: *const fornax_error) -> *const c_char {
    // SAFETY: null, or an error that was not ended.
    unsafe { error.as_ref() }.map_or(ptr::null(), |error| error.message.as_ptr())
}

/// What to do about it, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_error_help(error: *const fornax_error) -> *const c_char {
    // SAFETY: null, or an error that was not ended.
    let help = unsafe { error.as_ref() }.and_then(|error| error.help.as_ref());
    help.map_or(ptr::null(), |help| help.as_ptr())
}

/// How `fornax` would end: 1 usage or data, 2 the module, 3 the device, 4 out of memory, 5 the device is lost. 0 for
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_error_exit_code(error: *const fornax_error) -> i32 {
    // SAFETY: null, or an error that was not ended.
    unsafe { error.as_ref() }.map_or(0, |error| error.exit_code)
}

/// Ends an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_error_free(error: *mut fornax_error) {
    // SAFETY: null, or an error that was not ended.
    unsafe { crate::arguments::free(error) };
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let error = guarded(|| panic!("inside"));
        std::panic::set_hook(hook);
        // SAFETY: the error was just made, and its strings are its own.
        unsafe {
            assert_eq!(CStr::from_ptr(fornax_error_code(error)), c"FX0726");
            assert_eq!(fornax_error_exit_code(error), 3);
            fornax_error_free(error);
        }
    }

    #[test]
    fn no_error_has_no_words() {
        assert!(guarded(|| Ok(())).is_null());
        // SAFETY: null is allowed.
        unsafe {
            assert!(fornax_error_message(ptr::null()).is_null() && fornax_error_help(ptr::null()).is_null());
            assert_eq!(fornax_error_exit_code(ptr::null()), 0);
            fornax_error_free(ptr::null_mut());
        }
    }
}

//! Functions of the process that programs call by number: JAX's callbacks. One function of the caller takes all calls.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use fornax_runtime::session::{HostFunctionError, HostFunctions};

/// Calls function `number`: addresses of its operands and of its results, which it fills; where it writes what went
/// wrong, as text that ends with 0, and the bytes there. Gives [`DONE`], [`MISSING`] where there is no such function,
/// else another number.
pub type Caller = unsafe extern "C" fn(u64, *const *const u8, *const *mut u8, *mut u8, usize) -> c_int;

/// The function gave its results.
pub const DONE: c_int = 0;
/// No function has the number.
pub const MISSING: c_int = 1;
/// Bytes of what a function may say: the last lines of a traceback.
const SAID_BYTES: usize = 16 << 10;

static CALLER: Mutex<Option<Caller>> = Mutex::new(None);

thread_local! {
    /// Functions that this thread is in: one may run a program that calls another one.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Whether this thread is in a function that a program called. The call of that program goes on when the function
/// returns: what the function asks of a device must not wait for it.
pub fn is_inside() -> bool {
    DEPTH.get() > 0
}

/// This thread is in a function until it is dropped.
struct Inside;

impl Inside {
    fn enter() -> Inside {
        DEPTH.set(DEPTH.get() + 1);
        Inside
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Takes what calls the functions of this process; NULL takes it away. The last one told holds, for all programs.
#[unsafe(no_mangle)]
pub extern "C" fn fornax_pjrt_host_functions(caller: Option<Caller>) {
    *CALLER.lock().unwrap_or_else(PoisonError::into_inner) = caller;
}

/// The functions behind [`fornax_pjrt_host_functions`].
#[derive(Debug)]
pub struct Functions;

impl HostFunctions for Functions {
    fn call(&self, number: u64, operands: &[&[u8]], results: &mut [&mut [u8]]) -> Result<(), HostFunctionError> {
        // Not held over the call, which may run another program.
        let caller = *CALLER.lock().unwrap_or_else(PoisonError::into_inner);
        let caller = caller.ok_or(HostFunctionError::Missing)?;
        let operands: Vec<*const u8> = operands.iter().map(|bytes| bytes.as_ptr()).collect();
        let results: Vec<*mut u8> = results.iter_mut().map(|bytes| bytes.as_mut_ptr()).collect();
        let mut said = vec![0u8; SAID_BYTES];
        let _inside = Inside::enter();
        // SAFETY: who gave the caller keeps it alive; it reads operands and fills results of the sizes that the program
        // was made with, and writes at most as many bytes of text as it is told.
        let done = unsafe { caller(number, operands.as_ptr(), results.as_ptr(), said.as_mut_ptr(), said.len()) };
        match done {
            DONE => Ok(()),
            MISSING => Err(HostFunctionError::Missing),
            _ => {
                let end = said.iter().position(|&byte| byte == 0).unwrap_or(said.len());
                Err(HostFunctionError::Failed(String::from_utf8_lossy(&said[..end]).into_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn twice(
        number: u64,
        operands: *const *const u8,
        results: *const *mut u8,
        said: *mut u8,
        room: usize,
    ) -> c_int {
        match number {
            3 => {
                assert!(is_inside());
                // SAFETY: the test gives one operand and one result of a byte each.
                unsafe { **results = **operands * 2 };
                DONE
            }
            4 => {
                let text = b"no\0";
                assert!(room > text.len());
                // SAFETY: there is room.
                unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), said, text.len()) };
                2
            }
            _ => MISSING,
        }
    }

    #[test]
    fn functions_are_called_by_number() {
        let mut result = [0u8];
        let mut call = |number| Functions.call(number, &[&[21u8]], &mut [&mut result]);
        assert_eq!(call(3), Err(HostFunctionError::Missing));
        fornax_pjrt_host_functions(Some(twice));
        assert_eq!(call(3), Ok(()));
        assert_eq!(call(4), Err(HostFunctionError::Failed("no".into())));
        assert_eq!(call(5), Err(HostFunctionError::Missing));
        assert!(!is_inside());
        fornax_pjrt_host_functions(None);
        assert_eq!((call(3), result), (Err(HostFunctionError::Missing), [42]));
    }
}

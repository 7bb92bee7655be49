//! Errors: a status of the API, our stable code, the message and what to do about it, all in one text.

use std::ffi::{c_char, c_int, c_void};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use fornax_runtime::{ErrorKind, RuntimeError};

use crate::api::{Extension, Handle, Text, args};

/// Status codes of the API, as gRPC counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    Unknown = 2,
    InvalidArgument = 3,
    NotFound = 5,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
}

/// Why something did not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Of [`Status`], or one that a caller gave.
    pub status: i32,
    pub message: String,
}

pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// With one of our codes, and the help of its row.
    pub fn coded(status: Status, code: &str, message: impl fmt::Display) -> Failure {
        let help = fornax_types::errors::help(fornax_runtime::ERROR_CODES, code);
        Failure::with_help(status, code, message, Some(help))
    }

    pub fn with_help(status: Status, code: &str, message: impl fmt::Display, help: Option<&str>) -> Failure {
        let mut text = format!("[{code}] {message}");
        if let Some(help) = help.filter(|help| !help.is_empty()) {
            text = format!("{text}\n  help: {help}");
        }
        Failure { status: status as i32, message: text }
    }

    pub fn argument(message: impl fmt::Display) -> Failure {
        Failure::coded(Status::InvalidArgument, "FX0731", message)
    }
}

impl From<RuntimeError> for Failure {
    fn from(error: RuntimeError) -> Failure {
        let status = match error.kind() {
            ErrorKind::Input | ErrorKind::Mismatch | ErrorKind::Module => Status::InvalidArgument,
            ErrorKind::Device => Status::FailedPrecondition,
            ErrorKind::OutOfMemory => Status::ResourceExhausted,
            ErrorKind::DeviceLost => Status::Unavailable,
        };
        Failure::with_help(status, error.code(), &error, error.help())
    }
}

impl From<fornax_runtime::hal::HalError> for Failure {
    fn from(error: fornax_runtime::hal::HalError) -> Failure {
        RuntimeError::from(error).into()
    }
}

/// An error as callers hold it. Newer ones call it by its table of functions, older ones by the API's entries.
#[repr(C)]
pub struct ErrorObject {
    table: &'static ErrorTable,
    failure: Failure,
}

/// Takes key and value of a payload.
pub type Visitor = unsafe extern "C" fn(*const c_char, usize, *const c_char, usize, *mut c_void);

#[repr(C)]
struct ErrorTable {
    size: usize,
    instance: usize,
    extensions: *const Extension,
    destroy: unsafe extern "C" fn(*mut ErrorObject),
    message: unsafe extern "C" fn(*const ErrorObject, *mut *const u8, *mut usize),
    code: unsafe extern "C" fn(*const ErrorObject) -> c_int,
    payloads: unsafe extern "C" fn(*const ErrorObject, Visitor, *mut c_void),
}

// SAFETY: the table is constant.
unsafe impl Sync for ErrorTable {}

static TABLE: ErrorTable = ErrorTable {
    size: size_of::<ErrorTable>(),
    // What callers know of an error: the pointer to its table.
    instance: size_of::<usize>(),
    extensions: ptr::null(),
    destroy: table_destroy,
    message: table_message,
    code: table_code,
    payloads: table_payloads,
};

unsafe extern "C" fn table_destroy(error: *mut ErrorObject) {
    if !error.is_null() {
        // SAFETY: an error of `Failure::give`, ended once.
        drop(unsafe { Box::from_raw(error) });
    }
}

unsafe extern "C" fn table_message(error: *const ErrorObject, text: *mut *const u8, size: *mut usize) {
    // SAFETY: the caller gives an error and places for the results.
    unsafe {
        let message = &(*error).failure.message;
        *text = message.as_ptr();
        *size = message.len();
    }
}

unsafe extern "C" fn table_code(error: *const ErrorObject) -> c_int {
    // SAFETY: the caller gives an error.
    unsafe { (*error).failure.status }
}

unsafe extern "C" fn table_payloads(_: *const ErrorObject, _: Visitor, _: *mut c_void) {}

impl Failure {
    /// Hands the error to a caller, who ends it.
    pub fn give(self) -> *mut ErrorObject {
        Box::into_raw(Box::new(ErrorObject { table: &TABLE, failure: self }))
    }
}

/// Runs the body of an entry. A panic is a fault of ours: it becomes an error, for it must not cross into C.
pub fn guarded(body: impl FnOnce() -> Result<()>) -> *mut ErrorObject {
    caught(body).map_or_else(Failure::give, |()| ptr::null_mut())
}

/// The result of a job, a panic as an error: whoever waits for the job must hear of its end.
pub fn caught<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        let message = "the plugin failed inside: this is a fault of Fornax, not of the program";
        Err(Failure::with_help(Status::Internal, "FX0726", message, Some("report it with the program that shows it")))
    })
}

/// The answer of an entry that is not written.
pub fn absent(name: &str) -> *mut ErrorObject {
    Failure::coded(Status::Unimplemented, "FX0732", format!("{name} is not part of this plugin")).give()
}

args! {
    ErrorArgs { error: Handle<ErrorObject> }
    MessageArgs { error: Handle<ErrorObject>, message: Text }
    CodeArgs { error: Handle<ErrorObject>, code: c_int }
}

pub fn destroy(args: &mut ErrorArgs) -> Result<()> {
    drop(args.error.take());
    Ok(())
}

pub fn message(args: &mut MessageArgs) -> Result<()> {
    args.message = Text::lend(args.error.get()?.failure.message.as_bytes());
    Ok(())
}

pub fn get_code(args: &mut CodeArgs) -> Result<()> {
    args.code = args.error.get()?.failure.status;
    Ok(())
}

/// Errors carry all they have in their message.
pub fn for_each_payload(_: &mut ErrorArgs) -> Result<()> {
    Ok(())
}

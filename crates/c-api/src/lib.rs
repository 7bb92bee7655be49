//! The C interface of the runtime: opaque handles, errors as values. `include/fornax.h` is made from these sources by
//! cbindgen, and a test holds that it is not stale.
//!
//! * [`error`]: errors, and the guard around every call that turns whatever happens into one.
//! * [`dtype`]: codes of element types.
//! * [`device`], [`module`], [`session`], [`tensor`]: a handle each.
//!
//! Safety, once for all functions: a pointer that is not null points to what its type says; a handle comes from this
//! library and was not ended; an array has as many elements as the count beside it. Null is an error (FX0725) where a
//! value is needed. No panic leaves the library.
#![allow(non_camel_case_types)]
#![allow(clippy::missing_safety_doc)]

pub mod arguments;
pub mod device;
pub mod dtype;
pub mod error;
pub mod module;
pub mod session;
pub mod tensor;

use std::ffi::c_char;

/// Version of this interface. It grows when functions are added; a change of what exists gives the library a new name.
pub const FORNAX_ABI_VERSION: u32 = 1;

/// The version of the interface that the library has: FORNAX_ABI_VERSION when it was built.
#[unsafe(no_mangle)]
pub extern "C" fn fornax_abi_version() -> u32 {
    FORNAX_ABI_VERSION
}

/// The version of Fornax, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn fornax_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

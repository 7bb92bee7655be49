//! Which file a library was loaded from.

/// The file of the library that holds an address, as the system's loader names it.
#[cfg(unix)]
pub fn file_of(address: usize) -> Option<String> {
    use std::ffi::{CStr, c_char, c_int, c_void};

    /// `Dl_info` of dladdr(3).
    #[repr(C)]
    struct Info {
        file: *const c_char,
        base: *mut c_void,
        symbol: *const c_char,
        symbol_address: *mut c_void,
    }
    // SAFETY: the prototype is the one of dladdr(3), which the C library that std links exports.
    unsafe extern "C" {
        fn dladdr(address: *const c_void, info: *mut Info) -> c_int;
    }
    let null: *mut c_void = std::ptr::null_mut();
    let mut info = Info { file: null.cast(), base: null, symbol: null.cast(), symbol_address: null };
    // SAFETY: any address may be asked for; `info` lives through the call.
    if unsafe { dladdr(address as *const c_void, &mut info) } == 0 || info.file.is_null() {
        return None;
    }
    // SAFETY: the loader keeps the name, with its NUL, as long as the library is loaded: drivers' libraries are never
    // unloaded.
    Some(unsafe { CStr::from_ptr(info.file) }.to_string_lossy().into_owned())
}

#[cfg(not(unix))]
pub fn file_of(_: usize) -> Option<String> {
    None
}

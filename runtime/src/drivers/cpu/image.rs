//! A CPU image in memory: written to an anonymous file, loaded from there by the system's dynamic loader.
//!
//! The file stays open as long as the library is loaded: the loader knows libraries by path, and a reused descriptor
//! number would silently give the older one.

use std::ffi::{c_char, c_int, c_uint};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::elf;
use crate::drivers::loader_message;
use crate::hal::{HalError, HalErrorKind, HalResult, KernelSpec, RawExecutable};

/// Closed on exec.
const MFD_CLOEXEC: c_uint = 1;

// SAFETY: the prototype is the one of memfd_create(2), which the C library that std links exports.
unsafe extern "C" {
    fn memfd_create(name: *const c_char, flags: c_uint) -> c_int;
}

pub(super) struct CpuImage {
    kernels: Vec<u64>,
    bytes: usize,
    // Dropped in this order: the library first, then the file behind it.
    _library: Library,
    _file: File,
}

impl CpuImage {
    /// Checks, loads and finds the kernels.
    pub(super) fn load(image: &[u8], kernels: &[KernelSpec]) -> HalResult<CpuImage> {
        elf::check(image)?;
        let file = memory_file(image).map_err(|error| {
            HalError::new(HalErrorKind::Unavailable, format!("no memory file for the CPU image: {error}"))
        })?;
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        // SAFETY: `elf::check` refused images with initialisers or other libraries, so loading runs no code of it.
        let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) };
        let library = library.map_err(|error| {
            HalError::new(HalErrorKind::BadImage, format!("the CPU image does not load: {}", loader_message(&error)))
        })?;
        let mut handles = Vec::with_capacity(kernels.len());
        for kernel in kernels {
            // SAFETY: only the symbol's address is taken here.
            let symbol = unsafe { library.get::<*const u8>(kernel.name.as_bytes()) };
            let symbol = symbol.map_err(|_| {
                HalError::new(HalErrorKind::BadImage, format!("the CPU image has no kernel {}", kernel.name))
            })?;
            handles.push(symbol.into_raw() as u64);
        }
        Ok(CpuImage { kernels: handles, bytes: image.len(), _library: library, _file: file })
    }
}

impl RawExecutable for CpuImage {
    fn kernels(&self) -> &[u64] {
        &self.kernels
    }

    fn describe(&self) -> String {
        format!("elf image of {} bytes, loaded from memory", self.bytes)
    }
}

fn memory_file(image: &[u8]) -> std::io::Result<File> {
    // SAFETY: the name is a NUL-terminated string.
    let descriptor = unsafe { memfd_create(c"fornax-image".as_ptr(), MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made and belongs to nobody else.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(image)?;
    Ok(file)
}

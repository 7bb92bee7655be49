//! Page-locked host memory for copies.
//!
//! From a large page on it is memory of the process's own, in large pages, which the driver then locks: as many
//! addresses as the driver would lock one by one in small pages. Where the driver refuses that, and for less memory, it
//! is the driver's own.
//!
//! Worked example: the 48 MiB of an upload by twelve threads on a host of an H200: 22 to 29 ms by `cuMemHostAlloc`, 1
//! to 2 ms by `cuMemHostRegister` and 6 to 10 for the zeros that the system lays there, which the threads share.

use std::ffi::c_void;
use std::ptr::null_mut;

use super::context::Context;
use crate::drivers::host_memory;
use crate::hal::HalResult;

/// A buffer, which [`Locked::release`] gives back.
pub(super) struct Locked {
    pub(super) host: *mut c_void,
    pub(super) bytes: usize,
    /// The memory is the process's own, and the driver locks it.
    is_own: bool,
}

// SAFETY: the memory belongs to this object alone, and may be given back by any thread.
unsafe impl Send for Locked {}

impl Locked {
    /// No buffer.
    pub(super) const NONE: Locked = Locked { host: null_mut(), bytes: 0, is_own: false };

    /// Takes `bytes` > 0. The context is current.
    ///
    /// # Errors
    /// Those of `cuMemHostAlloc`; a device that is lost.
    pub(super) fn of(context: &Context, bytes: usize) -> HalResult<Locked> {
        if let Some(own) = Locked::own(context, bytes)? {
            return Ok(own);
        }
        let mut host = null_mut();
        // SAFETY: writes one pointer.
        let code = unsafe { context.api.cuMemHostAlloc(&mut host, bytes, 0) };
        context.check("cuMemHostAlloc", code, "making a staging buffer")?;
        Ok(Locked { host, bytes, is_own: false })
    }

    /// Memory in large pages that the driver has locked, if it is as much and the driver does.
    fn own(context: &Context, bytes: usize) -> HalResult<Option<Locked>> {
        let is_large = bytes >= host_memory::LARGE_PAGE;
        let Some(address) = is_large.then(|| host_memory::allocate(bytes as u64).ok()).flatten() else {
            return Ok(None);
        };
        let host = address as *mut c_void;
        // The pages are there before the driver, which serves one thread at a time, looks for them.
        // SAFETY: the block was just allocated with as many bytes.
        unsafe { host.cast::<u8>().write_bytes(0, bytes) };
        // SAFETY: as above; the driver only takes note of the pages.
        let code = unsafe { context.api.cuMemHostRegister_v2(host, bytes, 0) };
        let registered = context.check("cuMemHostRegister_v2", code, "making a staging buffer");
        if registered.is_ok() {
            return Ok(Some(Locked { host, bytes, is_own: true }));
        }
        host_memory::free(address, bytes as u64);
        if context.health.is_lost() { registered.map(|()| None) } else { Ok(None) }
    }

    /// Gives the memory back; no transfer uses it.
    pub(super) fn release(&self, context: &Context) {
        if self.host.is_null() {
            return;
        }
        if !self.is_own {
            // SAFETY: the driver's, as `of` made it.
            let code = unsafe { context.api.cuMemFreeHost(self.host) };
            return context.released("cuMemFreeHost", code);
        }
        // SAFETY: registered by `own`.
        let code = unsafe { context.api.cuMemHostUnregister(self.host) };
        context.released("cuMemHostUnregister", code);
        // Where the driver may still know the pages, they stay.
        if code == 0 {
            host_memory::free(self.host as u64, self.bytes as u64);
        }
    }
}

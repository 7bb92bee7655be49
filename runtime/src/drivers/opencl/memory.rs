//! Memory of a device, by one of two ways: shared virtual memory, where blocks are addresses of their own; or buffers,
//! for devices without it, which get invented addresses so that sessions need not know.
//!
//! Input: addresses as sessions have them (a block's first one and what is added to it). Output: OpenCL's calls. With
//! buffers an address is looked up in the table of blocks, commands name the buffer and the distance from its start,
//! and so do the arguments of kernels: their images are rewritten to add it (`offsets.rs`).
//!
//! Example: the second block of a device, 1 KiB, is at `BASE + GAP`. A copy to `BASE + GAP + 16` is
//! `clEnqueueWriteBuffer` with the second buffer and the offset 16.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::api::*;
use super::context::Context;
use crate::drivers::symbols::MISSING;
use crate::hal::{HalError, HalErrorKind, HalResult};

/// Alignment of shared memory, bytes: that of OpenCL's widest type, the most that every device knows.
const ALIGNMENT: c_uint = 128;
/// First invented address, and what lies between the end of a block and the next one at least: an address behind a
/// block is in none.
const BASE: u64 = 1 << 44;
const GAP: u64 = 1 << 20;

/// The way of a device.
pub(super) enum Memory {
    Shared,
    Buffers(Mutex<Buffers>),
}

/// The buffers of a device by their invented addresses.
pub(super) struct Buffers {
    blocks: BTreeMap<u64, Buffer>,
    next: u64,
}

#[derive(Clone, Copy)]
struct Buffer {
    handle: Handle,
    bytes: u64,
}

// SAFETY: a buffer's handle may be used from any thread.
unsafe impl Send for Buffers {}

impl Memory {
    /// Shared memory where there is some and nothing else is asked for.
    pub(super) fn of(is_shared: bool) -> Memory {
        if is_shared { Memory::Shared } else { Memory::Buffers(Mutex::new(Buffers::default())) }
    }

    /// The table of the buffers; none for shared memory.
    fn buffers(&self) -> Option<MutexGuard<'_, Buffers>> {
        match self {
            Memory::Shared => None,
            Memory::Buffers(table) => Some(table.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// The function that takes memory.
    pub(super) fn allocator(&self) -> &'static str {
        match self {
            Memory::Shared => "clSVMAlloc",
            Memory::Buffers(_) => "clCreateBuffer",
        }
    }
}

impl Default for Buffers {
    fn default() -> Buffers {
        Buffers { blocks: BTreeMap::new(), next: BASE }
    }
}

impl Buffers {
    /// An address for a new buffer.
    fn insert(&mut self, handle: Handle, bytes: u64) -> u64 {
        let address = self.next;
        self.next += bytes.next_multiple_of(GAP) + GAP;
        self.blocks.insert(address, Buffer { handle, bytes });
        address
    }

    /// The buffer around a range, and where in it the range starts.
    fn find(&self, address: u64, bytes: u64) -> HalResult<(Handle, usize)> {
        let below = self.blocks.range(..=address).next_back();
        let fits = |(start, buffer): (&u64, &Buffer)| {
            let offset = address - start;
            let is_inside = offset.checked_add(bytes).is_some_and(|end| end <= buffer.bytes);
            is_inside.then_some((buffer.handle, offset as usize))
        };
        below.and_then(fits).ok_or_else(|| HalError::invalid(format!("{bytes} bytes at {address:#x} are in no buffer")))
    }
}

/// Where a copy comes from or goes to.
#[derive(Clone, Copy)]
enum Side {
    Device(u64),
    Host(*mut c_void),
}

impl Context {
    /// Takes memory; `None` where there is none, which drivers may find out later.
    pub(super) fn allocate(&self, bytes: u64) -> HalResult<Option<u64>> {
        for _ in 0..2 {
            if let Some(address) = self.try_allocate(bytes)? {
                return Ok(Some(address));
            }
            // What is given back waits for its turn in the queue; and a lost device tells of it here.
            self.finish()?;
        }
        Ok(None)
    }

    fn try_allocate(&self, bytes: u64) -> HalResult<Option<u64>> {
        let size = bytes as usize;
        let Some(mut table) = self.memory.buffers() else {
            let fine = if self.found.fine_grained { MEM_SVM_FINE_GRAIN_BUFFER } else { 0 };
            // SAFETY: the context lives; a failure is a null pointer.
            let address = unsafe { self.api.clSVMAlloc(self.context, MEM_READ_WRITE | fine, size, ALIGNMENT) };
            return Ok((!address.is_null()).then_some(address as u64));
        };
        let mut code = MISSING;
        // SAFETY: the context lives; no host memory is given.
        let handle = unsafe { self.api.clCreateBuffer(self.context, MEM_READ_WRITE, size, null_mut(), &mut code) };
        match self.check_handle("clCreateBuffer", handle, code, "allocating memory") {
            Ok(handle) => Ok(Some(table.insert(handle, bytes))),
            Err(error) if matches!(error.kind(), HalErrorKind::OutOfMemory { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Frees behind what is queued; where that cannot be queued, by waiting.
    pub(super) fn free(&self, address: u64) {
        if let Some(mut table) = self.memory.buffers() {
            if let Some(buffer) = table.blocks.remove(&address) {
                // SAFETY: made by `try_allocate` and released once; OpenCL keeps it while queued work needs it.
                let code = unsafe { self.api.clReleaseMemObject(buffer.handle) };
                self.released("clReleaseMemObject", code);
            }
            return;
        }
        let mut pointer = address as Handle;
        // SAFETY: the address came from clSVMAlloc and is freed once, by its block; without a callback the queue frees
        // it.
        let code = unsafe {
            let notify = null_mut();
            self.api.clEnqueueSVMFree(self.queue, 1, &mut pointer, notify, null_mut(), 0, null(), null_mut())
        };
        self.released("clEnqueueSVMFree", code);
        if code == 0 || self.health.is_lost() || !self.is_drained() {
            return;
        }
        // SAFETY: as above; nothing uses it any more.
        unsafe { self.api.clSVMFree(self.context, pointer) };
    }

    /// Queues a copy on the device.
    pub(super) fn copy(&self, target: u64, source: u64, bytes: u64) -> HalResult<()> {
        self.transfer(Side::Device(target), Side::Device(source), bytes, false).map_err(|failed| failed.1)
    }

    pub(super) fn upload(&self, target: u64, bytes: &[u8]) -> HalResult<()> {
        let source = Side::Host(bytes.as_ptr().cast_mut().cast());
        self.transfer_now(Side::Device(target), source, bytes.len() as u64)
    }

    pub(super) fn download(&self, source: u64, bytes: &mut [u8]) -> HalResult<()> {
        let target = Side::Host(bytes.as_mut_ptr().cast());
        self.transfer_now(target, Side::Device(source), bytes.len() as u64)
    }

    /// A copy that is over when this returns.
    ///
    /// If it fails and nobody can say whether it still runs, the device counts as lost: the caller does what he likes
    /// with his memory afterwards.
    fn transfer_now(&self, target: Side, source: Side, bytes: u64) -> HalResult<()> {
        let Err((is_queued, error)) = self.transfer(target, source, bytes, true) else { return Ok(()) };
        if !is_queued || self.health.is_lost() || self.is_drained() {
            return Err(error);
        }
        let what = format!("{error}; whether a copy is over is not known");
        Err(self.health.note(HalError::new(HalErrorKind::DeviceLost, what)))
    }

    /// A copy between any two addresses. The error says whether OpenCL was asked at all.
    fn transfer(&self, target: Side, source: Side, bytes: u64, blocks: bool) -> Result<(), (bool, HalError)> {
        let (api, queue, size) = (&self.api, self.queue, bytes as usize);
        let blocking = c_uint::from(blocks);
        let (name, code): (_, c_int) = if let Some(table) = self.memory.buffers() {
            let place = |address| table.find(address, bytes).map_err(|error| (false, error));
            // The table is unlocked before OpenCL is called: a copy may take long.
            match (target, source) {
                (Side::Device(target), Side::Device(source)) => {
                    let ((to, at), (from, first)) = (place(target)?, place(source)?);
                    drop(table);
                    // SAFETY: both ranges lie inside of live buffers.
                    let code =
                        unsafe { api.clEnqueueCopyBuffer(queue, from, to, first, at, size, 0, null(), null_mut()) };
                    ("clEnqueueCopyBuffer", code)
                }
                (Side::Device(target), Side::Host(from)) => {
                    let (to, at) = place(target)?;
                    drop(table);
                    // SAFETY: the range lies inside of a live buffer, the host's stays until the copy is done.
                    let code =
                        unsafe { api.clEnqueueWriteBuffer(queue, to, blocking, at, size, from, 0, null(), null_mut()) };
                    ("clEnqueueWriteBuffer", code)
                }
                (Side::Host(to), Side::Device(source)) => {
                    let (from, at) = place(source)?;
                    drop(table);
                    // SAFETY: as above.
                    let code =
                        unsafe { api.clEnqueueReadBuffer(queue, from, blocking, at, size, to, 0, null(), null_mut()) };
                    ("clEnqueueReadBuffer", code)
                }
                (Side::Host(_), Side::Host(_)) => return Ok(()),
            }
        } else {
            let pointer = |side| match side {
                Side::Device(address) => address as *mut c_void,
                Side::Host(pointer) => pointer,
            };
            let (to, from) = (pointer(target), pointer(source));
            // SAFETY: the caller's ranges lie inside of live memory that stays until the copy is done.
            let code = unsafe { api.clEnqueueSVMMemcpy(queue, blocking, to, from, size, 0, null(), null_mut()) };
            ("clEnqueueSVMMemcpy", code)
        };
        self.check(name, code, "copying").map_err(|error| (true, error))
    }

    /// Queues a fill; the range is aligned to the pattern.
    pub(super) fn fill(&self, target: u64, bytes: u64, pattern: u64, pattern_bytes: u8) -> HalResult<()> {
        let pattern = pattern.to_le_bytes();
        let (width, size, from) = (usize::from(pattern_bytes), bytes as usize, pattern.as_ptr().cast());
        let (api, queue) = (&self.api, self.queue);
        let place = self.memory.buffers().map(|table| table.find(target, bytes)).transpose()?;
        let (name, code) = match place {
            // SAFETY: the range lies inside of a live buffer and is aligned to the pattern, which is copied.
            Some((to, at)) => ("clEnqueueFillBuffer", unsafe {
                api.clEnqueueFillBuffer(queue, to, from, width, at, size, 0, null(), null_mut())
            }),
            // SAFETY: as above, of a live allocation.
            None => ("clEnqueueSVMMemFill", unsafe {
                let to = target as *mut c_void;
                api.clEnqueueSVMMemFill(queue, to, from, width, size, 0, null(), null_mut())
            }),
        };
        self.check(name, code, "filling")
    }

    /// Sets argument `at` of a kernel to an address; with buffers, argument `offset_at` to the distance from the
    /// buffer's start.
    ///
    /// The caller holds the kernel's lock.
    pub(super) fn set_address(
        &self,
        kernel: Handle,
        at: usize,
        offset_at: usize,
        address: u64,
        what: &str,
    ) -> HalResult<()> {
        let place = self.memory.buffers().map(|table| table.find(address, 1)).transpose()?;
        let Some((buffer, offset)) = place else {
            // SAFETY: the address lies inside of a live allocation.
            let code = unsafe { self.api.clSetKernelArgSVMPointer(kernel, at as c_uint, address as *const c_void) };
            return self.check("clSetKernelArgSVMPointer", code, what);
        };
        self.set_value(kernel, at, buffer as u64, what)?;
        self.set_value(kernel, offset_at, offset as u64, what)
    }

    /// Sets argument `at` of a kernel to eight bytes. The caller holds the kernel's lock.
    pub(super) fn set_value(&self, kernel: Handle, at: usize, value: u64, what: &str) -> HalResult<()> {
        let bytes = std::ptr::from_ref(&value).cast();
        // SAFETY: eight bytes, which are copied.
        let code = unsafe { self.api.clSetKernelArg(kernel, at as c_uint, size_of::<u64>(), bytes) };
        self.check("clSetKernelArg", code, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_buffer_and_an_offset() {
        let mut table = Buffers::default();
        let handles = [8 as Handle, 16 as Handle];
        let [a, b] = handles.map(|handle| table.insert(handle, 1024));
        assert_eq!((a, b), (BASE, BASE + 2 * GAP));
        assert_eq!(table.find(b + 16, 1008).unwrap(), (handles[1], 16));
        assert_eq!(table.find(a, 1024).unwrap(), (handles[0], 0));
        for (address, bytes) in [(a - 1, 1), (a + 1, 1024), (a + 1024, 1), (b, u64::MAX)] {
            assert_eq!(table.find(address, bytes).unwrap_err().kind(), HalErrorKind::InvalidArgument, "{address:#x}");
        }
        table.blocks.remove(&a);
        assert!(table.find(a, 1).is_err() && table.find(b, 1).is_ok());
    }
}

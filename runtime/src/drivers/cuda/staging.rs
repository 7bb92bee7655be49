//! Copies between host and device through a ring of page-locked buffers, so that copying on the host and the transfer
//! over the bus overlap, and the caller's memory is free when an upload returns.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use cudarc::driver::sys::{CUevent, CUevent_flags};

use super::context::Context;
use crate::hal::{HalError, HalErrorKind, HalResult};

const SLOTS: usize = 4;
/// Size of a slot, bytes: large enough for full bus speed, small enough to lock quickly.
const SLOT_BYTES: usize = 4 << 20;

struct Slot {
    host: *mut c_void,
    /// Recorded behind the slot's last transfer.
    done: CUevent,
    bytes: usize,
}

pub(super) struct Staging {
    context: Arc<Context>,
    slots: Vec<Slot>,
    next: usize,
}

// SAFETY: the slots belong to this object alone; libcuda's handles may move between threads.
unsafe impl Send for Staging {}

impl Staging {
    /// The buffers are made when they are first needed.
    pub(super) fn new(context: Arc<Context>) -> Staging {
        Staging { context, slots: Vec::new(), next: 0 }
    }

    /// Makes what small copies need, before kernels run that must not be waited for.
    pub(super) fn prepare(&mut self) -> HalResult<()> {
        (0..SLOTS).try_for_each(|_| self.slot(1).map(drop))
    }

    /// The next slot with room for `bytes` (at most [`SLOT_BYTES`]), free for the host.
    fn slot(&mut self, bytes: usize) -> HalResult<usize> {
        let index = self.next % SLOTS;
        self.next = self.next.wrapping_add(1);
        if index == self.slots.len() {
            self.slots.push(Slot { host: null_mut(), done: null_mut(), bytes: 0 });
        }
        let slot = self.slots.get_mut(index).ok_or_else(lost)?;
        let api = &self.context.api;
        if slot.done.is_null() {
            let flags = CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
            // SAFETY: writes one handle.
            let code = unsafe { api.cuEventCreate(&mut slot.done, flags) };
            self.context.check("cuEventCreate", code, "making a staging buffer")?;
        } else {
            // SAFETY: the event is the slot's own.
            let code = unsafe { api.cuEventSynchronize(slot.done) };
            self.context.check("cuEventSynchronize", code, "waiting for a transfer")?;
        }
        if slot.bytes < bytes {
            let wanted = if bytes <= 64 << 10 { 64 << 10 } else { SLOT_BYTES };
            let mut host = null_mut();
            // SAFETY: writes one pointer.
            let code = unsafe { api.cuMemHostAlloc(&mut host, wanted, 0) };
            self.context.check("cuMemHostAlloc", code, "making a staging buffer")?;
            if !slot.host.is_null() {
                // SAFETY: the older buffer's transfers are done, as the event said above.
                unsafe { api.cuMemFreeHost(slot.host) };
            }
            (slot.host, slot.bytes) = (host, wanted);
        }
        Ok(index)
    }

    fn mark(&self, index: usize) -> HalResult<()> {
        let slot = self.slots.get(index).ok_or_else(lost)?;
        // SAFETY: the event is the slot's own.
        let code = unsafe { self.context.api.cuEventRecord(slot.done, self.context.stream) };
        self.context.check("cuEventRecord", code, "queueing a transfer")
    }

    fn host(&self, index: usize) -> HalResult<*mut c_void> {
        self.slots.get(index).map(|slot| slot.host).ok_or_else(lost)
    }

    pub(super) fn upload(&mut self, target: u64, bytes: &[u8]) -> HalResult<()> {
        let mut target = target;
        for chunk in bytes.chunks(SLOT_BYTES) {
            let index = self.slot(chunk.len())?;
            let host = self.host(index)?;
            // SAFETY: the slot has room for the chunk and no transfer uses it, as `slot` saw to.
            unsafe { std::ptr::copy_nonoverlapping(chunk.as_ptr(), host.cast(), chunk.len()) };
            self.context.copy(target, host as u64, chunk.len() as u64)?;
            self.mark(index)?;
            target += chunk.len() as u64;
        }
        Ok(())
    }

    pub(super) fn download(&mut self, source: u64, bytes: &mut [u8]) -> HalResult<()> {
        let mut source = source;
        let mut pending: Option<(usize, &mut [u8])> = None;
        for chunk in bytes.chunks_mut(SLOT_BYTES) {
            let index = self.slot(chunk.len())?;
            self.context.copy(self.host(index)? as u64, source, chunk.len() as u64)?;
            self.mark(index)?;
            source += chunk.len() as u64;
            // The chunk before this one is copied out while this one travels.
            if let Some((index, chunk)) = pending.replace((index, chunk)) {
                self.take(index, chunk)?;
            }
        }
        match pending {
            Some((index, chunk)) => self.take(index, chunk),
            None => Ok(()),
        }
    }

    /// Copies a slot's bytes out when its transfer is done.
    fn take(&self, index: usize, chunk: &mut [u8]) -> HalResult<()> {
        let slot = self.slots.get(index).ok_or_else(lost)?;
        // SAFETY: the event is the slot's own.
        let code = unsafe { self.context.api.cuEventSynchronize(slot.done) };
        self.context.check("cuEventSynchronize", code, "waiting for a transfer")?;
        // SAFETY: the transfer of `chunk.len()` bytes into the slot is done.
        unsafe { std::ptr::copy_nonoverlapping(slot.host.cast::<u8>(), chunk.as_mut_ptr(), chunk.len()) };
        Ok(())
    }
}

fn lost() -> HalError {
    HalError::new(HalErrorKind::Internal, "a staging buffer is missing")
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.context.enter_for_release() {
            return;
        }
        // Where nobody can say that the transfers are over, the buffers stay.
        if !self.context.is_drained() {
            return;
        }
        for slot in &self.slots {
            if !slot.host.is_null() && !self.context.health.is_lost() {
                // SAFETY: made by `slot`; the stream is drained.
                let code = unsafe { self.context.api.cuMemFreeHost(slot.host) };
                self.context.released("cuMemFreeHost", code);
            }
            if !slot.done.is_null() && !self.context.health.is_lost() {
                // SAFETY: as above.
                let code = unsafe { self.context.api.cuEventDestroy_v2(slot.done) };
                self.context.released("cuEventDestroy_v2", code);
            }
        }
    }
}

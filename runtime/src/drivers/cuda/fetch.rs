//! Copies to the host that are waited for later: page-locked buffers, each with an event behind its copy.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use cudarc::driver::sys::{CUevent, CUevent_flags};

use super::context::Context;
use crate::hal::{HalError, HalErrorKind, HalResult};

/// Largest copy, bytes: a text's logits of a million words.
const FETCH_BYTES: usize = 4 << 20;
/// Bytes of a buffer at least: a page.
const BUFFER_BYTES: usize = 4096;
/// Copies under way at most.
pub(super) const FETCHES_MAX: usize = 16;

/// A buffer, and the event behind its last copy.
struct Slot {
    host: *mut c_void,
    bytes: usize,
    done: CUevent,
    is_busy: bool,
}

pub(super) struct Fetches {
    context: Arc<Context>,
    slots: Vec<Slot>,
}

// SAFETY: the slots belong to this object alone; libcuda's handles may move between threads.
unsafe impl Send for Fetches {}

impl Fetches {
    /// The buffers are made when they are first needed.
    pub(super) fn new(context: Arc<Context>) -> Fetches {
        Fetches { context, slots: Vec::new() }
    }

    /// Queues a copy; `None` where it is too large, or too many are under way.
    pub(super) fn start(&mut self, source: u64, bytes: usize) -> HalResult<Option<u64>> {
        let Some(index) = self.free().filter(|_| bytes <= FETCH_BYTES) else { return Ok(None) };
        if index == self.slots.len() {
            self.slots.push(Slot { host: null_mut(), bytes: 0, done: null_mut(), is_busy: false });
        }
        let (context, slot) = (&self.context, self.slots.get_mut(index).ok_or_else(missing)?);
        let api = &context.api;
        if slot.bytes < bytes {
            let host = std::mem::replace(&mut slot.host, null_mut());
            slot.bytes = 0;
            if !host.is_null() {
                // SAFETY: made below. The call waits for copies into it.
                let code = unsafe { api.cuMemFreeHost(host) };
                context.check("cuMemFreeHost", code, "making a buffer for copies")?;
            }
            let wanted = bytes.next_power_of_two().max(BUFFER_BYTES);
            // SAFETY: writes one pointer.
            let code = unsafe { api.cuMemHostAlloc(&mut slot.host, wanted, 0) };
            context.check("cuMemHostAlloc", code, "making a buffer for copies")?;
            slot.bytes = wanted;
        }
        if slot.done.is_null() {
            // SAFETY: writes one handle.
            let code = unsafe { api.cuEventCreate(&mut slot.done, CUevent_flags::CU_EVENT_DISABLE_TIMING as u32) };
            context.check("cuEventCreate", code, "making a buffer for copies")?;
        }
        context.copy(slot.host as u64, source, bytes as u64)?;
        // SAFETY: the event is the slot's own.
        let code = unsafe { api.cuEventRecord(slot.done, context.stream) };
        context.check("cuEventRecord", code, "queueing a copy")?;
        slot.is_busy = true;
        Ok(Some(index as u64))
    }

    fn free(&self) -> Option<usize> {
        let free = self.slots.iter().position(|slot| !slot.is_busy);
        free.or(Some(self.slots.len()).filter(|&count| count < FETCHES_MAX))
    }

    /// Waits for a copy that was started; `bytes` are as many.
    pub(super) fn finish(&mut self, handle: u64, bytes: &mut [u8]) -> HalResult<()> {
        let slot = self.slots.get(handle as usize).filter(|slot| slot.is_busy && bytes.len() <= slot.bytes);
        let slot = slot.ok_or_else(missing)?;
        // SAFETY: the event is the slot's own.
        let code = unsafe { self.context.api.cuEventSynchronize(slot.done) };
        self.context.check("cuEventSynchronize", code, "waiting for a copy")?;
        // SAFETY: the copy of `bytes.len()` bytes into the slot is done.
        unsafe { std::ptr::copy_nonoverlapping(slot.host.cast::<u8>(), bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    /// The copy is not asked for any more. Another into the same buffer comes behind it.
    pub(super) fn release(&mut self, handle: u64) {
        if let Some(slot) = self.slots.get_mut(handle as usize) {
            slot.is_busy = false;
        }
    }
}

fn missing() -> HalError {
    HalError::new(HalErrorKind::Internal, "a buffer for copies is missing")
}

impl Drop for Fetches {
    fn drop(&mut self) {
        // Where nobody can say that the copies are over, the buffers stay.
        if !self.context.enter_for_release() || !self.context.is_drained() || self.context.health.is_lost() {
            return;
        }
        for slot in &self.slots {
            if !slot.host.is_null() {
                // SAFETY: made by `start`; the stream is drained.
                let code = unsafe { self.context.api.cuMemFreeHost(slot.host) };
                self.context.released("cuMemFreeHost", code);
            }
            if !slot.done.is_null() {
                // SAFETY: as above.
                let code = unsafe { self.context.api.cuEventDestroy_v2(slot.done) };
                self.context.released("cuEventDestroy_v2", code);
            }
        }
    }
}

//! Copies between host and device through a ring of page-locked buffers, so that copying on the host and the transfer
//! over the bus overlap, and the caller's memory is free when an upload returns.
//!
//! A thread copies slower than the bus transfers. So the part of uploads behind the first [`ALONE_BYTES`] is copied
//! by several, each through buffers of its own ([`spread`](super::spread)). Until then locking the pages of
//! these would take longer than they save: a model of 100 MB is there sooner without.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use cudarc::driver::sys::{CUevent, CUevent_flags};

use super::context::Context;
use super::spread::{self, Lane};
use crate::hal::{HalError, HalErrorKind, HalResult};

const SLOTS: usize = 4;
/// Size of a slot, bytes: large enough for full bus speed, small enough to lock quickly.
const SLOT_BYTES: usize = 4 << 20;
/// Small copies have slots of so many bytes.
const SMALL_BYTES: usize = 64 << 10;
/// Bytes that are uploaded by one thread before others help. Source: on a host of an H200 to page-lock the 48 MiB of
/// all threads takes some 25 ms, in which one thread copies 175 MB. A load of 17.2 GB takes 7 ms longer so than with 32
/// MiB, in the mean of eight runs by 4 to 16 threads.
const ALONE_BYTES: u64 = 128 << 20;

/// A page-locked buffer.
pub(super) struct Slot {
    host: *mut c_void,
    /// Recorded behind the slot's last transfer.
    done: CUevent,
    bytes: usize,
    /// Bytes that it gets for long copies.
    room: usize,
}

// SAFETY: a slot's memory and event belong to it alone; libcuda's handles may move between threads.
unsafe impl Send for Slot {}

impl Slot {
    /// A slot for copies of at most so many bytes, which has none yet.
    pub(super) const fn of(room: usize) -> Slot {
        Slot { host: null_mut(), done: null_mut(), bytes: 0, room }
    }

    /// Waits until the slot is free for the host, with room for `bytes`, as many as it may have.
    fn ready(&mut self, context: &Context, bytes: usize) -> HalResult<()> {
        let api = &context.api;
        if self.done.is_null() {
            let flags = CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
            // SAFETY: writes one handle.
            let code = unsafe { api.cuEventCreate(&mut self.done, flags) };
            context.check("cuEventCreate", code, "making a staging buffer")?;
        } else {
            self.wait(context)?;
        }
        if self.bytes < bytes {
            let wanted = if bytes <= SMALL_BYTES { SMALL_BYTES } else { self.room };
            let mut host = null_mut();
            // SAFETY: writes one pointer.
            let code = unsafe { api.cuMemHostAlloc(&mut host, wanted, 0) };
            context.check("cuMemHostAlloc", code, "making a staging buffer")?;
            if !self.host.is_null() {
                // SAFETY: the older buffer's transfers are done, as the event said above.
                unsafe { api.cuMemFreeHost(self.host) };
            }
            (self.host, self.bytes) = (host, wanted);
        }
        Ok(())
    }

    /// Waits for the last transfer.
    fn wait(&self, context: &Context) -> HalResult<()> {
        // SAFETY: the event is the slot's own.
        let code = unsafe { context.api.cuEventSynchronize(self.done) };
        context.check("cuEventSynchronize", code, "waiting for a transfer")
    }

    fn mark(&self, context: &Context) -> HalResult<()> {
        // SAFETY: the event is the slot's own.
        let code = unsafe { context.api.cuEventRecord(self.done, context.stream) };
        context.check("cuEventRecord", code, "queueing a transfer")
    }

    /// Sends bytes, as many as the slot may have; they are the caller's again when this returns.
    pub(super) fn send(&mut self, context: &Context, target: u64, bytes: &[u8]) -> HalResult<()> {
        self.ready(context, bytes.len())?;
        // SAFETY: the slot has room for the bytes and no transfer uses it, as `ready` saw to.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.host.cast(), bytes.len()) };
        context.copy(target, self.host as u64, bytes.len() as u64)?;
        self.mark(context)
    }

    /// Copies out what came, when it has.
    fn take(&self, context: &Context, bytes: &mut [u8]) -> HalResult<()> {
        self.wait(context)?;
        // SAFETY: the transfer of `bytes.len()` bytes into the slot is done.
        unsafe { std::ptr::copy_nonoverlapping(self.host.cast::<u8>(), bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    /// Gives the slot back; the stream is drained.
    fn release(&self, context: &Context) {
        if !self.host.is_null() && !context.health.is_lost() {
            // SAFETY: made by `ready`; no transfer uses it.
            let code = unsafe { context.api.cuMemFreeHost(self.host) };
            context.released("cuMemFreeHost", code);
        }
        if !self.done.is_null() && !context.health.is_lost() {
            // SAFETY: as above.
            let code = unsafe { context.api.cuEventDestroy_v2(self.done) };
            context.released("cuEventDestroy_v2", code);
        }
    }
}

pub(super) struct Staging {
    context: Arc<Context>,
    slots: Vec<Slot>,
    next: usize,
    /// Slots of each thread of a spread upload.
    lanes: Vec<Lane>,
    uploaded: u64,
}

impl Staging {
    /// The buffers are made when they are first needed.
    pub(super) fn new(context: Arc<Context>) -> Staging {
        Staging { context, slots: Vec::new(), next: 0, lanes: Vec::new(), uploaded: 0 }
    }

    /// Makes what small copies need, before kernels run that must not be waited for.
    pub(super) fn prepare(&mut self) -> HalResult<()> {
        let context = self.context.clone();
        (0..SLOTS).try_for_each(|_| {
            let index = self.turn();
            self.slot(index)?.ready(&context, 1)
        })
    }

    /// The slot whose turn it is, by its number.
    fn turn(&mut self) -> usize {
        let index = self.next % SLOTS;
        self.next = self.next.wrapping_add(1);
        if index == self.slots.len() {
            self.slots.push(Slot::of(SLOT_BYTES));
        }
        index
    }

    fn slot(&mut self, index: usize) -> HalResult<&mut Slot> {
        self.slots.get_mut(index).ok_or_else(lost)
    }

    /// Copies bytes to their targets; they are the caller's again when this returns.
    pub(super) fn upload(&mut self, pieces: &[(u64, &[u8])]) -> HalResult<()> {
        let (context, mut spread) = (self.context.clone(), Vec::new());
        for &(target, bytes) in pieces {
            let alone = usize::try_from(ALONE_BYTES.saturating_sub(self.uploaded)).unwrap_or(usize::MAX);
            self.uploaded = self.uploaded.saturating_add(bytes.len() as u64);
            let (alone, rest) = bytes.split_at(alone.min(bytes.len()));
            let mut next = target;
            for chunk in alone.chunks(SLOT_BYTES) {
                let index = self.turn();
                self.slot(index)?.send(&context, next, chunk)?;
                next += chunk.len() as u64;
            }
            if !rest.is_empty() {
                spread.push((next, rest));
            }
        }
        spread::upload(&context, &mut self.lanes, &spread)
    }

    pub(super) fn download(&mut self, source: u64, bytes: &mut [u8]) -> HalResult<()> {
        let context = self.context.clone();
        let mut source = source;
        let mut pending: Option<(usize, &mut [u8])> = None;
        for chunk in bytes.chunks_mut(SLOT_BYTES) {
            let index = self.turn();
            let slot = self.slot(index)?;
            slot.ready(&context, chunk.len())?;
            context.copy(slot.host as u64, source, chunk.len() as u64)?;
            slot.mark(&context)?;
            source += chunk.len() as u64;
            // The chunk before this one is copied out while this one travels.
            if let Some((index, chunk)) = pending.replace((index, chunk)) {
                self.slot(index)?.take(&context, chunk)?;
            }
        }
        match pending {
            Some((index, chunk)) => self.slot(index)?.take(&context, chunk),
            None => Ok(()),
        }
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
        let of_lanes = self.lanes.iter().flat_map(|lane| &lane.slots);
        self.slots.iter().chain(of_lanes).for_each(|slot| slot.release(&self.context));
    }
}

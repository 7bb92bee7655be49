//! Copies between host and device through a ring of page-locked buffers, so that copying on the host and the transfer
//! over the bus overlap, and the caller's memory is free when an upload returns.
//!
//! A thread copies slower than the bus transfers. So uploads of [`ALONE_BYTES`] and more are copied by several, each
//! through buffers of its own ([`spread`](super::spread)).

use std::ptr::null_mut;
use std::sync::Arc;

use cudarc::driver::sys::{CUevent, CUevent_flags};

use super::context::Context;
use super::locked::Locked;
use super::spread::{self, Lane};
use crate::hal::{HalError, HalErrorKind, HalResult};

const SLOTS: usize = 4;
/// Size of a slot, bytes: large enough for full bus speed, small enough to lock quickly.
const SLOT_BYTES: usize = 4 << 20;
/// Small copies have slots of so many bytes.
const SMALL_BYTES: usize = 64 << 10;
/// Bytes of an upload from which on several threads copy. Source: on a host of an H200 a load of 100 MB takes 19 ms
/// where its first 128 or 32 MiB are copied by one thread, 13 where 8 are, 9 where none is; one of 17.2 GB 372 to 389,
/// 366 to 368, 359 to 364 and 360 ms.
const ALONE_BYTES: usize = 8 << 20;

/// A page-locked buffer.
pub(super) struct Slot {
    buffer: Locked,
    /// Recorded behind the slot's last transfer.
    done: CUevent,
    /// Bytes that it gets for long copies.
    room: usize,
}

// SAFETY: a slot's memory and event belong to it alone; libcuda's handles may move between threads.
unsafe impl Send for Slot {}

impl Slot {
    /// A slot for copies of at most so many bytes, which has none yet.
    pub(super) const fn of(room: usize) -> Slot {
        Slot { buffer: Locked::NONE, done: null_mut(), room }
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
        if self.buffer.bytes < bytes {
            let wanted = if bytes <= SMALL_BYTES { SMALL_BYTES } else { self.room };
            let larger = Locked::of(context, wanted)?;
            // The older buffer's transfers are done, as the event said above.
            std::mem::replace(&mut self.buffer, larger).release(context);
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
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.buffer.host.cast(), bytes.len()) };
        context.copy(target, self.buffer.host as u64, bytes.len() as u64)?;
        self.mark(context)
    }

    /// Copies out what came, when it has.
    fn take(&self, context: &Context, bytes: &mut [u8]) -> HalResult<()> {
        self.wait(context)?;
        // SAFETY: the transfer of `bytes.len()` bytes into the slot is done.
        unsafe { std::ptr::copy_nonoverlapping(self.buffer.host.cast::<u8>(), bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    /// Gives the slot back; the stream is drained.
    fn release(&self, context: &Context) {
        if !context.health.is_lost() {
            self.buffer.release(context);
        }
        if !self.done.is_null() && !context.health.is_lost() {
            // SAFETY: made by `ready`; nothing waits for it.
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
}

impl Staging {
    /// The buffers are made when they are first needed.
    pub(super) fn new(context: Arc<Context>) -> Staging {
        Staging { context, slots: Vec::new(), next: 0, lanes: Vec::new() }
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
        let context = self.context.clone();
        let all = pieces.iter().map(|(_, bytes)| bytes.len()).fold(0, usize::saturating_add);
        if all >= ALONE_BYTES {
            return spread::upload(&context, &mut self.lanes, pieces);
        }
        for &(target, bytes) in pieces {
            for (chunk, next) in bytes.chunks(SLOT_BYTES).zip((target..).step_by(SLOT_BYTES)) {
                let index = self.turn();
                self.slot(index)?.send(&context, next, chunk)?;
            }
        }
        Ok(())
    }

    pub(super) fn download(&mut self, source: u64, bytes: &mut [u8]) -> HalResult<()> {
        let context = self.context.clone();
        let mut source = source;
        let mut pending: Option<(usize, &mut [u8])> = None;
        for chunk in bytes.chunks_mut(SLOT_BYTES) {
            let index = self.turn();
            let slot = self.slot(index)?;
            slot.ready(&context, chunk.len())?;
            context.copy(slot.buffer.host as u64, source, chunk.len() as u64)?;
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

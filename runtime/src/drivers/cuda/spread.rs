//! Long uploads by several threads: each takes the next part, copies it into a page-locked buffer of its own and queues
//! the transfer.
//!
//! The host's copy is what one thread is slow at: from the page cache it makes 6 to 8 GB a second, the bus 55.
//! Transfers come behind what was queued before, and before what is queued then; their order among each other is any.
//!
//! Worked example: two weights of 117 MB and 12 threads: 112 parts of 2 MiB, 9 or 10 a thread, of both weights without
//! a pause between them.

use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::CUstream;

use super::context::Context;
use super::staging::Slot;
use crate::hal::HalResult;
use crate::threads::{by_threads, cores};

/// Threads at most, the caller's own among them. Source: a load of 17.2 GB on a host of an H200 with 16 cores, by 4, 8,
/// 12 and 16: 619, 431, 414, 407 ms.
const THREADS: usize = 12;
/// Bytes of a part: few enough that the threads end at about the same time.
const PART_BYTES: usize = 2 << 20;

/// The buffers of a thread: one is filled while the other travels.
struct Lane {
    slots: [Slot; 2],
}

/// What long uploads have of their own: made as it is needed.
pub(super) struct Spread {
    lanes: Vec<Lane>,
    /// Every other thread's transfers go here, so that there is no pause between two: on an H200's link parts of 2 MiB
    /// by one stream take 51.5 GB/s, of 64 MiB 55.3.
    side: CUstream,
}

// SAFETY: libcuda's handles may move between threads.
unsafe impl Send for Spread {}

impl Default for Spread {
    fn default() -> Spread {
        Spread { lanes: Vec::new(), side: null_mut() }
    }
}

impl Spread {
    /// Copies pieces to their targets, behind what the device's stream has; they are the caller's again when this
    /// returns.
    pub(super) fn upload(&mut self, context: &Context, pieces: &[(u64, &[u8])]) -> HalResult<()> {
        let count: usize = pieces.iter().map(|(_, bytes)| bytes.len().div_ceil(PART_BYTES)).sum();
        let threads = count.min(cores()).min(THREADS);
        if threads == 0 {
            return Ok(());
        }
        while self.lanes.len() < threads {
            self.lanes.push(Lane { slots: [Slot::of(PART_BYTES), Slot::of(PART_BYTES)] });
        }
        if self.side.is_null() {
            self.side = context.new_stream()?;
        }
        context.order(context.stream, self.side)?;
        let sent = send(context, &mut self.lanes, (threads, self.side), pieces);
        context.order(self.side, context.stream).or_else(|error| {
            // SAFETY: the stream is live.
            let code = unsafe { context.api.cuStreamSynchronize(self.side) };
            context.check("cuStreamSynchronize", code, "waiting for transfers").and(Err(error))
        })?;
        sent
    }

    /// Gives everything back; the device's stream is drained.
    pub(super) fn release(&self, context: &Context) {
        self.lanes.iter().flat_map(|lane| &lane.slots).for_each(|slot| slot.release(context));
        if !self.side.is_null() && !context.health.is_lost() {
            // SAFETY: made by `upload`; the device's stream waited for it.
            let code = unsafe { context.api.cuStreamDestroy_v2(self.side) };
            context.released("cuStreamDestroy_v2", code);
        }
    }
}

/// A stream that several threads put transfers in.
#[derive(Clone, Copy)]
struct Shared(CUstream);

// SAFETY: libcuda's streams take calls from any thread.
unsafe impl Sync for Shared {}

fn send(
    context: &Context,
    lanes: &mut [Lane],
    (threads, side): (usize, CUstream),
    pieces: &[(u64, &[u8])],
) -> HalResult<()> {
    let parts = pieces.iter().flat_map(|&(target, bytes)| {
        let starts = (target..).step_by(PART_BYTES);
        starts.zip(bytes.chunks(PART_BYTES))
    });
    let (parts, lanes) = (Mutex::new(parts), Mutex::new(lanes.iter_mut().enumerate()));
    let streams = [Shared(context.stream), Shared(side)];
    by_threads(threads, "fornax-upload", &|| {
        let lane = lanes.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some((number, lane)) = lane else { return Ok(()) };
        let Shared(stream) = streams[number % 2];
        context.enter()?;
        for turn in 0.. {
            let next = parts.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((target, part)) = next else { break };
            lane.slots[turn % 2].send(context, stream, target, part)?;
        }
        Ok(())
    })
}

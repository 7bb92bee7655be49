//! Long uploads by several threads: each takes the next part, copies it into a page-locked buffer of its own and queues
//! the transfer.
//!
//! The host's copy is what one thread is slow at: from the page cache it makes 6 to 8 GB a second, the bus 50. All
//! transfers go to the one stream, behind what was queued before; their order among each other is any.
//!
//! Worked example: two weights of 117 MB and 12 threads: 112 parts of 2 MiB, 9 or 10 a thread, of both weights without
//! a pause between them.

use std::sync::{Mutex, PoisonError};

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
pub(super) struct Lane {
    pub(super) slots: [Slot; 2],
}

/// Copies pieces to their targets; they are the caller's again when this returns. `lanes` are made as they are needed.
pub(super) fn upload(context: &Context, lanes: &mut Vec<Lane>, pieces: &[(u64, &[u8])]) -> HalResult<()> {
    let count: usize = pieces.iter().map(|(_, bytes)| bytes.len().div_ceil(PART_BYTES)).sum();
    let threads = count.min(cores()).min(THREADS);
    while lanes.len() < threads {
        lanes.push(Lane { slots: [Slot::of(PART_BYTES), Slot::of(PART_BYTES)] });
    }
    if threads == 0 {
        return Ok(());
    }
    let parts = pieces.iter().flat_map(|&(target, bytes)| {
        let starts = (target..).step_by(PART_BYTES);
        starts.zip(bytes.chunks(PART_BYTES))
    });
    let (parts, lanes) = (Mutex::new(parts), Mutex::new(lanes.iter_mut()));
    by_threads(threads, "fornax-upload", &|| {
        let Some(lane) = lanes.lock().unwrap_or_else(PoisonError::into_inner).next() else { return Ok(()) };
        context.enter()?;
        for turn in 0.. {
            let next = parts.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((target, part)) = next else { break };
            lane.slots[turn % 2].send(context, target, part)?;
        }
        Ok(())
    })
}

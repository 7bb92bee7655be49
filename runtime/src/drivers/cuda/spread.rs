//! Long uploads by several threads: each takes the next part, copies it into a page-locked buffer of its own and queues
//! the transfer.
//!
//! The host's copy is what one thread is slow at: from the page cache it makes 6 to 8 GB a second, the bus 50. All
//! transfers go to the one stream, behind what was queued before; their order among each other is any.
//!
//! Worked example: 117 MB and 8 threads: 56 parts of 2 MiB, 7 a thread.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::context::Context;
use super::staging::{SLOT_BYTES, Slot};
use crate::hal::{HalError, HalErrorKind, HalResult};

/// Threads at most, the caller's own among them; more do not copy faster.
const THREADS: usize = 8;
/// Bytes of a part: two fit a slot, so that the last parts end at about the same time.
const PART_BYTES: usize = SLOT_BYTES / 2;

/// The buffers of a thread: one is filled while the other travels.
pub(super) struct Lane {
    pub(super) slots: [Slot; 2],
}

/// Copies to the device; `bytes` are the caller's again when this returns. `lanes` are made as they are needed.
pub(super) fn upload(context: &Context, lanes: &mut Vec<Lane>, target: u64, bytes: &[u8]) -> HalResult<()> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = bytes.len().div_ceil(PART_BYTES).min(cores).min(THREADS);
    while lanes.len() < threads {
        lanes.push(Lane { slots: [Slot::NONE, Slot::NONE] });
    }
    let Some((own, others)) = lanes.get_mut(..threads).and_then(<[Lane]>::split_first_mut) else { return Ok(()) };
    let next = AtomicUsize::new(0);
    let work = |lane: &mut Lane| -> HalResult<()> {
        context.enter()?;
        for turn in 0.. {
            let start = next.fetch_add(1, Ordering::Relaxed).saturating_mul(PART_BYTES);
            let Some(rest) = bytes.get(start..).filter(|rest| !rest.is_empty()) else { break };
            let part = rest.get(..PART_BYTES).unwrap_or(rest);
            lane.slots[turn % 2].send(context, target + start as u64, part)?;
        }
        Ok(())
    };
    let work = &work;
    thread::scope(|scope| {
        let spawn = |lane| {
            let named = thread::Builder::new().name("fornax-upload".into());
            // A thread that the system refuses is one less: the others take its parts.
            named.spawn_scoped(scope, move || work(lane)).ok()
        };
        let others: Vec<_> = others.iter_mut().filter_map(spawn).collect();
        let own = work(own);
        let failed = || Err(HalError::new(HalErrorKind::Internal, "a thread that uploads failed"));
        others.into_iter().map(|other| other.join().unwrap_or_else(|_| failed())).fold(own, HalResult::and)
    })
}

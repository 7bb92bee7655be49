//! Collectives by NCCL or RCCL, found with dlopen: for GPUs that cannot reach each other's memory, and for GPUs of
//! several processes and hosts.
//!
//! Input: checked collectives of a list, and a [`Gpu`] that they are queued on. Output: calls of the library on its
//! stream. Devices meet on the host twice: for the library's unique id, and before each list, so that who fails, leaves
//! or is at something else is found before anything waits on the GPU ([`crate::drivers::rendezvous`]). What is queued a
//! thread watches ([`watch`]).
//!
//! ```text
//! open: number 0 makes an id → meet (id) → communicator of all
//! list: communicators of groups, scratch → meet (what) → calls on the stream → watch until it is through
//! ```
//! Nothing is allocated between the meeting and the queueing: an allocation may wait for kernels of other GPUs of the
//! process, which wait for this thread.
//!
//! Communicators do not block: each call returns at once, and the host asks until it is done, at most for the timeout.
//!
//! Limits: the library decides in which order it adds, and rounds sums of 16-bit floats at each step. A list that runs
//! longer than the timeout is taken for one that waits.

mod api;
mod calls;
mod communicators;
mod watch;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use self::communicators::Communicators;
use self::watch::Watch;
use super::rendezvous::{Rendezvous, Watched};
use crate::hal::{HalError, HalErrorKind, HalResult, RawCollective, RawExchange};

/// Collectives queued one by one between two marks, and marks that the queue is ahead of the device, at most: where
/// the driver's queue is full, a call waits in it, and nobody could abort what it waits for.
const CALLS_OF_A_MARK: u32 = 16;
const MARKS_AHEAD: usize = 2;

/// What the library works on: one device and its stream.
pub(super) trait Gpu: Send + Sync {
    /// Makes the device current on this thread.
    fn enter(&self) -> HalResult<()>;

    fn stream(&self) -> u64;

    /// Queues a mark behind everything so far.
    fn mark(&self) -> HalResult<u64>;

    fn is_reached(&self, mark: u64) -> HalResult<bool>;

    fn release_mark(&self, mark: u64);

    /// Waits for everything queued, if the device still works.
    fn drain(&self);

    fn allocate(&self, bytes: u64) -> HalResult<u64>;

    fn free(&self, address: u64);

    fn zero(&self, target: u64, bytes: u64) -> HalResult<()>;

    /// Makes ready what [`Gpu::combine`] needs for so many sources.
    fn prepare_combine(&self, exchange: &RawExchange, sources: usize) -> HalResult<()>;

    /// Combines as many buffers as there are sources into the target of an exchange, in their order.
    fn combine(&self, exchange: &RawExchange, sources: &[u64]) -> HalResult<()>;
}

/// Opens places of one process at the same time, each on a thread: they wait for each other.
pub(super) fn together<T: Send>(
    parts: impl Iterator<Item = T>,
    open: impl Fn(T) -> HalResult<Arc<dyn RawCollective>> + Copy + Send,
) -> HalResult<Vec<Arc<dyn RawCollective>>> {
    let places: Vec<HalResult<Arc<dyn RawCollective>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || open(part))).collect();
        let ended = || Err(HalError::new(HalErrorKind::Internal, "a thread ended that opened a device"));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| ended())).collect()
    });
    // The error of the one that failed, not of those that learned of it.
    let own = places.iter().filter_map(|place| place.as_ref().err()).find(|error| error.kind() != HalErrorKind::Peer);
    own.cloned().map_or_else(|| places.into_iter().collect(), Err)
}

/// One device's place.
pub(super) struct Member {
    communicators: Arc<Communicators>,
    host: Arc<dyn Rendezvous>,
    gpu: Arc<dyn Gpu>,
    timeout: Duration,
    watch: Watch,
    /// Collectives that were queued one by one.
    calls: AtomicU32,
    /// Addresses and bytes; those that were too small stay, for graphs that use them.
    scratch: Mutex<Vec<(u64, u64)>>,
}

impl Member {
    /// A device's place: all devices of the run open theirs at the same time. `names` are those of the library.
    pub(super) fn open(
        gpu: Arc<dyn Gpu>,
        host: Arc<dyn Rendezvous>,
        names: &[&str],
        timeout: Duration,
    ) -> HalResult<Member> {
        let opened = Communicators::open(&gpu, &host, names, timeout);
        let communicators = Arc::new(opened.inspect_err(|error| host.fail(&error.to_string()))?);
        let watch = Watch::start(communicators.clone(), gpu.clone(), host.clone(), timeout)?;
        Ok(Member { communicators, host, gpu, timeout, watch, calls: AtomicU32::new(0), scratch: Mutex::default() })
    }

    /// What has to be looked at after every wait.
    pub(super) fn watched(&self) -> Arc<dyn Watched> {
        self.communicators.clone()
    }

    /// Queues a collective into a stream that is captured.
    pub(super) fn capture(&self, exchange: &RawExchange) -> HalResult<()> {
        self.call(exchange)
    }

    /// Makes ready what a list's collectives need.
    pub(super) fn prepare(&self, exchanges: &[&RawExchange]) -> HalResult<()> {
        self.gpu.enter()?;
        exchanges.iter().try_for_each(|exchange| self.prepare_one(exchange))
    }

    /// Meets the others before a list: all are about to do the same.
    pub(super) fn meet(&self, what: &str) -> HalResult<()> {
        self.communicators.check()?;
        self.host.meet_all(what, [0; 32], self.timeout).map(drop)
    }

    /// A list with collectives was queued: from now on it is watched.
    pub(super) fn queued(&self) -> HalResult<()> {
        self.watch.add(self.gpu.mark()?);
        Ok(())
    }

    /// A buffer of so many bytes at least.
    fn scratch(&self, bytes: u64) -> HalResult<u64> {
        let mut all = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((address, _)) = all.iter().find(|(_, has)| *has >= bytes) {
            return Ok(*address);
        }
        let address = self.gpu.allocate(bytes)?;
        all.push((address, bytes));
        Ok(address)
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        // A kernel that waits for a device that is gone ends by the watch.
        self.gpu.drain();
        self.watch.end();
        self.communicators.close(self.timeout);
        let scratch = self.scratch.get_mut().unwrap_or_else(PoisonError::into_inner);
        scratch.iter().for_each(|(address, _)| self.gpu.free(*address));
    }
}

impl RawCollective for Member {
    fn device(&self) -> u32 {
        self.host.device()
    }

    fn devices(&self) -> u32 {
        self.host.devices()
    }

    /// The list has been prepared, and the devices have met.
    fn run(&self, exchange: &RawExchange) -> HalResult<()> {
        self.call(exchange)?;
        if self.calls.fetch_add(1, Ordering::Relaxed) % CALLS_OF_A_MARK == CALLS_OF_A_MARK - 1 {
            self.queued()?;
            self.watch.wait(MARKS_AHEAD);
            self.communicators.check()?;
        }
        Ok(())
    }

    fn tell(&self, word: [u8; 32]) -> HalResult<Vec<[u8; 32]>> {
        self.host.tell(word)
    }

    fn fail(&self, why: &str) {
        self.host.fail(why);
        self.communicators.abort(&format!("device {} failed: {why}", self.device()));
    }
}

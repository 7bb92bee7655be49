//! GPUs that meet by NCCL: places of one process and of several, and what the library needs of a device.
//!
//! What the library does not combine is gathered, and combined by the kernel that else pulls from other GPUs: here its
//! group is this device alone, and its sources lie one behind the other.

use std::ptr::null_mut;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use cudarc::driver::sys::{CUevent, CUevent_flags};

use super::kernels::Kernels;
use super::ptx::{Kernel, PULL_BLOCKS, THREADS, Way, Work, pad_bytes};
use super::{Parts, Seat};
use crate::drivers::cuda::context::Context;
pub(super) use crate::drivers::nccl::Member;
use crate::drivers::nccl::{self, Gpu};
use crate::drivers::rendezvous::Rendezvous;
use crate::drivers::{host_processes, host_team};
use crate::hal::{HalError, HalResult, RawCollective, RawDispatch, RawExchange};

/// Names of the library, most exact first.
const LIBRARY_NAMES: &[&str] = &["libnccl.so.2", "libnccl.so"];
/// Bytes of a vector load.
const VECTOR: u64 = 16;
/// `CUDA_ERROR_NOT_READY`.
const NOT_READY: i32 = 600;

/// Places for devices of this process.
pub(super) fn join(parts: Vec<Parts>, timeout: Duration) -> HalResult<Vec<Arc<dyn RawCollective>>> {
    let hosts = host_team::members(parts.len() as u32, timeout);
    nccl::together(parts.into_iter().zip(hosts), |(parts, host)| place(parts, Arc::new(host), timeout))
}

/// This process's place.
pub(super) fn connect(
    parts: Parts,
    number: (u32, u32),
    meeting_point: &str,
    timeout: Duration,
) -> HalResult<Arc<dyn RawCollective>> {
    place(parts, Arc::new(host_processes::connect(number, meeting_point, timeout)?), timeout)
}

fn place((context, info): Parts, host: Arc<dyn Rendezvous>, timeout: Duration) -> HalResult<Arc<dyn RawCollective>> {
    let opened = Seat::open(&context, timeout).inspect_err(|error| host.fail(&error.to_string()));
    let kernels = Kernels::new(&context, info);
    let device = Device {
        seat: opened?,
        context: context.clone(),
        timeout,
        kernels,
        pad: OnceLock::new(),
        launches: Mutex::default(),
    };
    let member = Member::open(Arc::new(device), host, LIBRARY_NAMES, timeout)?;
    context.watch(Arc::downgrade(&member.watched()));
    Ok(Arc::new(member))
}

/// A device as the library needs it.
struct Device {
    context: Arc<Context>,
    seat: Seat,
    timeout: Duration,
    kernels: Kernels,
    /// The pad of a group of one.
    pad: OnceLock<u64>,
    launches: Mutex<()>,
}

impl Device {
    fn pad(&self) -> HalResult<u64> {
        let _one = self.launches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pad) = self.pad.get() {
            return Ok(*pad);
        }
        let pad = self.context.allocate_zeros(pad_bytes(1), "allocating the pad of a device")?;
        Ok(*self.pad.get_or_init(|| pad))
    }

    fn kernel(&self, exchange: &RawExchange, sources: usize) -> HalResult<u64> {
        let by = exchange.reducer.ok_or_else(|| HalError::invalid("a sum without a reducer"))?;
        let work = Work::Combine(exchange.element, by);
        let kernel =
            Kernel { work, group: Box::new([0]), rank: 0, way: Way::Pull { sources, pieces: 1 }, early: false };
        self.kernels.get(&kernel, exchange.kind.name())
    }
}

impl Gpu for Device {
    fn enter(&self) -> HalResult<()> {
        self.context.enter()
    }

    fn stream(&self) -> u64 {
        self.context.queue() as u64
    }

    fn mark(&self) -> HalResult<u64> {
        let mut event = null_mut();
        // SAFETY: writes one handle.
        let code = unsafe { self.context.api.cuEventCreate(&mut event, CUevent_flags::CU_EVENT_DISABLE_TIMING as u32) };
        self.context.check("cuEventCreate", code, "making an event")?;
        // SAFETY: the event was just made.
        let code = unsafe { self.context.api.cuEventRecord(event, self.context.stream) };
        if let Err(error) = self.context.check("cuEventRecord", code, "recording an event") {
            self.release_mark(event as u64);
            return Err(error);
        }
        Ok(event as u64)
    }

    fn is_reached(&self, mark: u64) -> HalResult<bool> {
        // SAFETY: made by `mark`, not yet released.
        match unsafe { self.context.api.cuEventQuery(mark as CUevent) } {
            NOT_READY => Ok(false),
            code => self.context.check("cuEventQuery", code, "looking at an event").map(|()| true),
        }
    }

    fn release_mark(&self, mark: u64) {
        if self.context.enter_for_release() {
            // SAFETY: made by `mark`; released once.
            let code = unsafe { self.context.api.cuEventDestroy_v2(mark as CUevent) };
            self.context.released("cuEventDestroy_v2", code);
        }
    }

    fn drain(&self) {
        if self.context.enter_for_release() {
            self.context.is_drained();
        }
    }

    fn allocate(&self, bytes: u64) -> HalResult<u64> {
        self.context.allocate_zeros(bytes, "allocating scratch of collectives")
    }

    fn free(&self, address: u64) {
        if self.context.enter_for_release() {
            // SAFETY: allocated above; whoever used it is through.
            let code = unsafe { self.context.api.cuMemFree_v2(address) };
            self.context.released("cuMemFree_v2", code);
        }
    }

    fn zero(&self, target: u64, bytes: u64) -> HalResult<()> {
        // SAFETY: the range lies inside of a live allocation that the list keeps.
        let code = unsafe { self.context.api.cuMemsetD8Async(target, 0, bytes as usize, self.context.queue()) };
        self.context.check("cuMemsetD8Async", code, "filling")
    }

    fn prepare_combine(&self, exchange: &RawExchange, sources: usize) -> HalResult<()> {
        self.pad()?;
        self.kernel(exchange, sources).map(drop)
    }

    fn combine(&self, exchange: &RawExchange, sources: &[u64]) -> HalResult<()> {
        let (target, bytes) = (exchange.target, exchange.target_bytes);
        let is_aligned = sources.iter().chain([&target]).all(|address| address.is_multiple_of(VECTOR));
        let vectors = if is_aligned { bytes / VECTOR } else { 0 };
        let width = if is_aligned { VECTOR } else { exchange.element.storage_bytes() as u64 };
        let [timeout, state, host] = self.seat.words(self.timeout);
        let words = [&[target, bytes, vectors, timeout, state, host, self.pad()?], sources].concat();
        let blocks = bytes.div_ceil(width).div_ceil(THREADS).clamp(1, PULL_BLOCKS);
        self.context.launch(&RawDispatch {
            kernel: self.kernel(exchange, sources.len())?,
            grid: [blocks as u32, 1, 1],
            block: [THREADS as u32, 1, 1],
            dynamic_shared_bytes: 0,
            scratch_bytes: 0,
            awaits: false,
            bindings: words.len(),
            words: words.into(),
            maps: Box::default(),
            spans: Box::default(),
        })
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if !self.context.enter_for_release() || !self.context.is_drained() {
            return;
        }
        for address in self.pad.get().copied().into_iter().chain([self.seat.state]) {
            self.free(address);
        }
    }
}

//! AMD GPUs that work together, by RCCL: places of one process and of several, and what the library needs of a device.
//!
//! Limits: types and reducers that the library does not combine are refused; lists with collectives are queued call by
//! call.

use std::ptr::null_mut;
use std::sync::Arc;
use std::time::Duration;

use super::api::Handle;
use super::device::Context;
use crate::drivers::nccl::Gpu;
pub(super) use crate::drivers::nccl::Member;
use crate::drivers::rendezvous::{Rendezvous, exchanges, summary};
use crate::drivers::{host_processes, host_team};
use crate::hal::{HalError, HalErrorKind, HalResult, RawCollective, RawCommand, RawExchange};

/// Names of the library, most exact first.
const LIBRARY_NAMES: &[&str] = &["librccl.so.1", "librccl.so"];
/// `hipErrorNotReady`.
const NOT_READY: i32 = 600;
/// `hipEventDisableTiming`.
const WITHOUT_TIME: u32 = 2;

/// Places for devices of this process.
pub(super) fn join(contexts: Vec<Arc<Context>>, timeout: Duration) -> HalResult<Vec<Arc<dyn RawCollective>>> {
    let hosts = host_team::members(contexts.len() as u32, timeout).into_iter();
    let hosts = hosts.map(|host| Arc::new(host) as Arc<dyn Rendezvous>);
    crate::drivers::nccl::together(contexts.into_iter().zip(hosts), |(context, host)| place(context, host, timeout))
}

/// This process's place.
pub(super) fn connect(
    context: &Arc<Context>,
    number: (u32, u32),
    meeting_point: &str,
    timeout: Duration,
) -> HalResult<Arc<dyn RawCollective>> {
    place(context.clone(), Arc::new(host_processes::connect(number, meeting_point, timeout)?), timeout)
}

fn place(context: Arc<Context>, host: Arc<dyn Rendezvous>, timeout: Duration) -> HalResult<Arc<dyn RawCollective>> {
    let member = Member::open(context.clone(), host, LIBRARY_NAMES, timeout)?;
    context.alerts.add(Arc::downgrade(&member.watched()));
    Ok(Arc::new(member))
}

/// The place whose collectives a list has, once all devices are about to do them.
pub(super) fn meet(commands: &[RawCommand]) -> HalResult<Option<Arc<dyn RawCollective>>> {
    let exchanges = exchanges(commands);
    let Some(first) = exchanges.first() else { return Ok(None) };
    let member = member(&*first.with)?;
    member.prepare(&exchanges)?;
    member.meet(&summary(&exchanges))?;
    Ok(Some(first.with.clone()))
}

pub(super) fn member(of: &dyn RawCollective) -> HalResult<&Member> {
    let any: &dyn std::any::Any = of;
    any.downcast_ref().ok_or_else(|| HalError::invalid("a collective of another driver"))
}

impl Gpu for Context {
    fn enter(&self) -> HalResult<()> {
        Context::enter(self)
    }

    fn stream(&self) -> u64 {
        self.stream as u64
    }

    fn mark(&self) -> HalResult<u64> {
        let mut event = null_mut();
        // SAFETY: writes one handle.
        let code = unsafe { self.api.hipEventCreateWithFlags(&mut event, WITHOUT_TIME) };
        self.check("hipEventCreateWithFlags", code, "making an event")?;
        // SAFETY: the event was just made.
        let code = unsafe { self.api.hipEventRecord(event, self.stream) };
        if let Err(error) = self.check("hipEventRecord", code, "recording an event") {
            self.release_mark(event as u64);
            return Err(error);
        }
        Ok(event as u64)
    }

    fn is_reached(&self, mark: u64) -> HalResult<bool> {
        // SAFETY: made by `mark`, not yet released.
        match unsafe { self.api.hipEventQuery(mark as Handle) } {
            NOT_READY => Ok(false),
            code => self.check("hipEventQuery", code, "looking at an event").map(|()| true),
        }
    }

    fn release_mark(&self, mark: u64) {
        if self.enter_for_release() {
            // SAFETY: made by `mark`; released once.
            let code = unsafe { self.api.hipEventDestroy(mark as Handle) };
            self.released("hipEventDestroy", code);
        }
    }

    fn drain(&self) {
        if self.enter_for_release() {
            self.is_drained();
        }
    }

    fn allocate(&self, bytes: u64) -> HalResult<u64> {
        let what = format!("{bytes} bytes of scratch for collectives");
        Err(HalError::new(HalErrorKind::Unsupported, what))
    }

    fn free(&self, _address: u64) {}

    fn zero(&self, target: u64, bytes: u64) -> HalResult<()> {
        // SAFETY: the range lies inside of a live allocation that the list keeps.
        let code = unsafe { self.api.hipMemsetD8Async(target as Handle, 0, bytes as usize, self.stream) };
        self.check("hipMemsetD8Async", code, "filling")
    }

    fn prepare_combine(&self, exchange: &RawExchange, sources: usize) -> HalResult<()> {
        self.combine(exchange, &vec![0; sources])
    }

    fn combine(&self, exchange: &RawExchange, sources: &[u64]) -> HalResult<()> {
        let (by, count) = (exchange.reducer.map_or("", |by| by.name()), sources.len());
        let what = format!("{exchange:?}: RCCL has no {by} of {} ({count} devices)", exchange.element.spelling());
        Err(HalError::new(HalErrorKind::Unsupported, what))
    }
}

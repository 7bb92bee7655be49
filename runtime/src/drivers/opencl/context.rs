//! Context and queue of a device, and the checks of what OpenCL answers.

use std::sync::Arc;

use super::api::*;
use super::cache::Cache;
use super::devices::Found;
use super::memory::Memory;
use crate::hal::{HalError, HalErrorKind, HalResult, Health};

/// Context and queue, shared by everything that must not outlive them.
pub(super) struct Context {
    pub(super) api: Arc<Api>,
    pub(super) health: Arc<Health>,
    pub(super) found: Found,
    pub(super) context: Handle,
    pub(super) queue: Handle,
    pub(super) memory: Memory,
    /// Where what the device's compiler made is kept.
    pub(super) compiled: Option<Cache>,
}

// SAFETY: OpenCL's functions may be called from any thread, besides those that set a kernel's arguments: each kernel
// has a lock.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub(super) fn check(&self, api: &'static str, code: i32, what: &str) -> HalResult<()> {
        check(api, code, what).map_err(|error| self.health.note(error))
    }

    pub(super) fn check_handle(&self, api: &'static str, handle: Handle, code: i32, what: &str) -> HalResult<Handle> {
        check_handle(api, handle, code, what).map_err(|error| self.health.note(error))
    }

    /// As `check` for calls that wait: work that failed shows as a lack of resources, and the device is of no more use.
    pub(super) fn check_wait(&self, api: &'static str, code: i32, what: &str) -> HalResult<()> {
        if code != OUT_OF_RESOURCES {
            return self.check(api, code, what);
        }
        let name = meaning(code).0.to_string();
        Err(self.health.note(HalError::api(HalErrorKind::DeviceLost, api, code.into(), name, what)))
    }

    /// Remembers and tells what a release answered: nobody waits for it.
    pub(super) fn released(&self, api: &'static str, code: i32) {
        if let Err(error) = self.check(api, code, "giving something back") {
            tracing::warn!("{error}");
        }
    }

    pub(super) fn finish(&self) -> HalResult<()> {
        // SAFETY: the queue lives as long as `self`.
        let code = unsafe { self.api.clFinish(self.queue) };
        self.check_wait("clFinish", code, "waiting for the device")
    }

    /// Waits before something is given back: once more where a wait fails. False if nobody knows that the work is done.
    pub(super) fn is_drained(&self) -> bool {
        self.finish().is_ok() || !self.health.is_lost() && self.finish().is_ok()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if !self.queue.is_null() && !self.health.is_lost() {
            // Releases of memory that are queued run before the context goes.
            self.is_drained();
        }
        if !self.queue.is_null() && !self.health.is_lost() {
            // SAFETY: made by `OpenClDevice::open`; nothing uses it any more.
            let code = unsafe { self.api.clReleaseCommandQueue(self.queue) };
            self.released("clReleaseCommandQueue", code);
        }
        if !self.context.is_null() && !self.health.is_lost() {
            // SAFETY: as above.
            let code = unsafe { self.api.clReleaseContext(self.context) };
            self.released("clReleaseContext", code);
        }
    }
}

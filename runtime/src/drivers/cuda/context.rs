//! The context of a CUDA device: what every other file here makes its calls in.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use cudarc::driver::sys::{CUcontext, CUstream, CUstream_flags};

use super::api::Api;
use crate::drivers::rendezvous::{Alerts, Watched};
use crate::hal::{HalResult, Health, RawDispatch};

thread_local! {
    /// What this thread captures; null where it captures nothing.
    static CAPTURED: Cell<CUstream> = const { Cell::new(null_mut()) };
}

/// The primary context and the stream, shared by everything that must not outlive them.
pub(super) struct Context {
    pub(super) api: Arc<Api>,
    pub(super) health: Arc<Health>,
    pub(super) device: c_int,
    pub(super) context: CUcontext,
    pub(super) stream: CUstream,
    /// Names of the loaded kernels, for errors.
    pub(super) kernel_names: Mutex<HashMap<u64, String>>,
    /// Collectives that gave up.
    pub(super) alerts: Alerts,
}

// SAFETY: libcuda's handles may be used from any thread once the context is current there, which `enter` sees to.
unsafe impl Send for Context {}
// SAFETY: as above; libcuda locks its own state.
unsafe impl Sync for Context {}

impl Context {
    pub(super) fn open(api: Arc<Api>, device: c_int) -> HalResult<Context> {
        let mut context = null_mut();
        // SAFETY: `device` is one that cuDeviceGet gave; writes one handle.
        let code = unsafe { api.cuDevicePrimaryCtxRetain(&mut context, device) };
        api.check("cuDevicePrimaryCtxRetain", code, "opening the device")?;
        let mut opened = Context {
            api,
            health: Arc::default(),
            device,
            context,
            stream: null_mut(),
            kernel_names: Mutex::default(),
            alerts: Alerts::default(),
        };
        opened.enter()?;
        opened.stream = opened.new_stream()?;
        Ok(opened)
    }

    pub(super) fn new_stream(&self) -> HalResult<CUstream> {
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        let mut stream = null_mut();
        // SAFETY: the context is current; writes one handle.
        let code = unsafe { self.api.cuStreamCreate(&mut stream, flags) };
        self.check("cuStreamCreate", code, "making a stream").map(|()| stream)
    }

    /// Where this thread's launches go: the device's stream, or the one that it captures.
    pub(super) fn queue(&self) -> CUstream {
        let captured = CAPTURED.get();
        if captured.is_null() { self.stream } else { captured }
    }

    /// Lets this thread's launches go to `stream` while `work` runs.
    pub(super) fn queued_to<T>(&self, stream: CUstream, work: impl FnOnce() -> T) -> T {
        CAPTURED.set(stream);
        let done = work();
        CAPTURED.set(null_mut());
        done
    }

    /// Makes the context current on this thread.
    pub(super) fn enter(&self) -> HalResult<()> {
        // SAFETY: the context is retained as long as `self` lives.
        let code = unsafe { self.api.cuCtxSetCurrent(self.context) };
        self.check("cuCtxSetCurrent", code, "entering the context")
    }

    /// Makes the context current for giving something back: a failure is tried again, and no reason not to go on. False
    /// on a lost device, which must not be called again.
    pub(super) fn enter_for_release(&self) -> bool {
        let again = |error| if self.health.is_lost() { Err(error) } else { self.enter() };
        if !self.health.is_lost()
            && let Err(error) = self.enter().or_else(again)
        {
            tracing::warn!("{error}");
        }
        !self.health.is_lost()
    }

    /// Remembers and tells what a release answered: nobody waits for it.
    pub(super) fn released(&self, api: &'static str, code: c_int) {
        if let Err(error) = self.check(api, code, "giving something back") {
            tracing::warn!("{error}");
        }
    }

    /// An error unless the code is 0; a loss is remembered.
    pub(super) fn check(&self, api: &'static str, code: c_int, what: &str) -> HalResult<()> {
        self.api.check(api, code, what).map_err(|error| self.health.note(error))
    }

    pub(super) fn synchronize(&self) -> HalResult<()> {
        // SAFETY: the stream lives as long as `self`.
        let code = unsafe { self.api.cuStreamSynchronize(self.stream) };
        self.check("cuStreamSynchronize", code, "waiting for the device")
    }

    /// Lets callers know when a collective gave up.
    pub(super) fn watch(&self, watched: Weak<dyn Watched>) {
        self.alerts.add(watched);
    }

    /// Device memory, zeros once this returns; the context is current.
    pub(super) fn allocate_zeros(&self, bytes: u64, what: &str) -> HalResult<u64> {
        let mut address = 0;
        // SAFETY: writes one address.
        let code = unsafe { self.api.cuMemAlloc_v2(&mut address, bytes as usize) };
        self.check("cuMemAlloc_v2", code, what)?;
        // SAFETY: the range was just allocated.
        let code = unsafe { self.api.cuMemsetD8Async(address, 0, bytes as usize, self.stream) };
        self.check("cuMemsetD8Async", code, what)?;
        self.synchronize().map(|()| address)
    }

    /// Waits before something is given back: once more where a wait fails. False if nobody knows that the work is done.
    pub(super) fn is_drained(&self) -> bool {
        self.synchronize().is_ok() || !self.health.is_lost() && self.synchronize().is_ok()
    }

    /// `kernel softmax_0`.
    pub(super) fn name(&self, dispatch: &RawDispatch) -> String {
        let names = self.kernel_names.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(&dispatch.kernel).map_or("a kernel".to_string(), |name| format!("kernel {name}"))
    }

    /// Queues a copy between any two addresses: unified addressing tells host from device.
    pub(super) fn copy(&self, target: u64, source: u64, bytes: u64) -> HalResult<()> {
        // SAFETY: the caller's ranges lie inside of live allocations that stay until the copy is done.
        let code = unsafe { self.api.cuMemcpyAsync(target, source, bytes as usize, self.stream) };
        self.check("cuMemcpyAsync", code, "copying")
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if !self.enter_for_release() {
            return;
        }
        if !self.stream.is_null() {
            // SAFETY: made by `open`; nothing uses it any more.
            let code = unsafe { self.api.cuStreamDestroy_v2(self.stream) };
            self.released("cuStreamDestroy_v2", code);
        }
        // SAFETY: retained once by `open`.
        let code = unsafe { self.api.cuDevicePrimaryCtxRelease_v2(self.device) };
        self.released("cuDevicePrimaryCtxRelease_v2", code);
    }
}

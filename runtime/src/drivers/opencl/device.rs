//! One OpenCL device: its context, queue, memory and launches.

use std::ffi::{CString, c_uint, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use super::api::*;
use super::devices::Found;
use super::program::{Kernel, OpenClProgram};
use crate::drivers::host_memory;
use crate::drivers::symbols::MISSING;
use crate::hal::control::{self, Queue, Step};
use crate::hal::{
    DeviceInfo, HalError, HalErrorKind, HalResult, Health, ImageKind, KernelSpec, MemoryInfo, Place, RawDevice,
    RawDispatch, RawExecutable, RawList,
};

/// Alignment of allocations, bytes: that of OpenCL's widest type, the most that every device knows.
const ALIGNMENT: c_uint = 128;

/// Context and queue, shared by everything that must not outlive them.
pub(super) struct Context {
    pub(super) api: Arc<Api>,
    pub(super) health: Arc<Health>,
    pub(super) found: Found,
    pub(super) context: Handle,
    queue: Handle,
}

// SAFETY: OpenCL's functions may be called from any thread, besides those that set a kernel's arguments: each kernel has a lock.
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
    fn check_wait(&self, api: &'static str, code: i32, what: &str) -> HalResult<()> {
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

    fn finish(&self) -> HalResult<()> {
        // SAFETY: the queue lives as long as `self`.
        let code = unsafe { self.api.clFinish(self.queue) };
        self.check_wait("clFinish", code, "waiting for the device")
    }

    /// Waits before something is given back: once more where a wait fails. False if nobody knows that the work is done.
    fn is_drained(&self) -> bool {
        self.finish().is_ok() || !self.health.is_lost() && self.finish().is_ok()
    }

    /// Copies between any two addresses; one that blocks is over when this returns.
    ///
    /// If a blocking copy fails and nobody can say whether it still runs, the device counts as lost: the caller does what he likes
    /// with his memory afterwards.
    fn copy(&self, target: u64, source: u64, bytes: u64, blocks: bool) -> HalResult<()> {
        let (to, from) = (target as *mut c_void, source as *const c_void);
        // SAFETY: the caller's ranges lie inside of live memory that stays until the copy is done.
        let code = unsafe {
            self.api.clEnqueueSVMMemcpy(self.queue, blocks.into(), to, from, bytes as usize, 0, null(), null_mut())
        };
        let Err(error) = self.check("clEnqueueSVMMemcpy", code, "copying") else { return Ok(()) };
        if !blocks || self.health.is_lost() || self.is_drained() {
            return Err(error);
        }
        let what = format!("{error}; whether a copy is over is not known");
        Err(self.health.note(HalError::new(HalErrorKind::DeviceLost, what)))
    }

    /// Frees behind what is queued; where that cannot be queued, by waiting.
    fn free(&self, address: u64) {
        let mut pointer = address as Handle;
        // SAFETY: the address came from clSVMAlloc and is freed once, by its block; without a callback the queue frees it.
        let code = unsafe {
            let notify = null_mut();
            self.api.clEnqueueSVMFree(self.queue, 1, &mut pointer, notify, null_mut(), 0, null(), null_mut())
        };
        self.released("clEnqueueSVMFree", code);
        if code == 0 || self.health.is_lost() || !self.is_drained() {
            return;
        }
        // SAFETY: as above; nothing uses it any more.
        unsafe { self.api.clSVMFree(self.context, pointer) };
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

pub(super) struct OpenClDevice {
    info: DeviceInfo,
    context: Arc<Context>,
    /// Bytes that are allocated.
    used: AtomicU64,
}

impl OpenClDevice {
    pub(super) fn open(api: Arc<Api>, info: DeviceInfo, found: Found) -> HalResult<OpenClDevice> {
        let (platform, device) = (found.platform, found.device);
        let (health, empty) = (Arc::default(), null_mut());
        let mut context = Context { api, health, found, context: empty, queue: empty };
        let what = "opening the device";
        let mut code = MISSING;
        let properties = [CONTEXT_PLATFORM as isize, platform as isize, 0];
        // SAFETY: the list ends with 0; one device of that platform.
        let handle = unsafe {
            let data = null_mut();
            context.api.clCreateContext(properties.as_ptr(), 1, &device, null_mut(), data, &mut code)
        };
        context.context = context.check_handle("clCreateContext", handle, code, what)?;
        code = MISSING;
        let properties = [QUEUE_PROPERTIES, QUEUE_PROFILING_ENABLE, 0];
        // SAFETY: the list ends with 0; the device is the context's.
        let handle = unsafe {
            let list = properties.as_ptr();
            context.api.clCreateCommandQueueWithProperties(context.context, device, list, &mut code)
        };
        context.queue = context.check_handle("clCreateCommandQueueWithProperties", handle, code, what)?;
        Ok(OpenClDevice { info, context: Arc::new(context), used: AtomicU64::new(0) })
    }

    fn launch(&self, dispatch: &RawDispatch) -> HalResult<()> {
        // SAFETY: the handle is one that `OpenClProgram` gave; the command list keeps the program.
        let kernel = unsafe { &*(dispatch.kernel as *const Kernel) };
        if kernel.arguments as usize != dispatch.words.len() {
            let (has, given) = (kernel.arguments, dispatch.words.len());
            let what = format!("kernel {} takes {has} arguments, the module gives {given}", kernel.name);
            return Err(HalError::invalid(what));
        }
        let local = dispatch.block.map(|extent| extent as usize);
        let mut global = [0; 3];
        for ((global, extent), block) in global.iter_mut().zip(dispatch.grid).zip(local) {
            *global = extent as usize * block;
        }
        // Arguments belong to the kernel object until it is queued.
        let _setting = kernel.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let what = || format!("launching kernel {}", kernel.name);
        let api = &self.context.api;
        for (index, word) in dispatch.words.iter().enumerate() {
            let at = index as c_uint;
            // SAFETY: addresses lie inside of live allocations; constants have eight bytes, which are copied.
            let (name, code) = unsafe {
                if index < dispatch.bindings {
                    let pointer = *word as *const c_void;
                    ("clSetKernelArgSVMPointer", api.clSetKernelArgSVMPointer(kernel.handle, at, pointer))
                } else {
                    let value = std::ptr::from_ref(word).cast();
                    ("clSetKernelArg", api.clSetKernelArg(kernel.handle, at, size_of::<u64>(), value))
                }
            };
            self.context.check(name, code, &what())?;
        }
        // SAFETY: all arguments are set; the sizes have three dimensions.
        let code = unsafe {
            let (global, local) = (global.as_ptr(), local.as_ptr());
            let queue = self.context.queue;
            api.clEnqueueNDRangeKernel(queue, kernel.handle, 3, null(), global, local, 0, null(), null_mut())
        };
        self.context.check("clEnqueueNDRangeKernel", code, &what())
    }

    fn fill(&self, target: u64, bytes: u64, pattern: u64, pattern_bytes: u8) -> HalResult<()> {
        let pattern = pattern.to_le_bytes();
        let (width, bytes) = (usize::from(pattern_bytes), bytes as usize);
        // SAFETY: the range lies inside of a live allocation and is aligned to the pattern, which is copied.
        let code = unsafe {
            let (to, from) = (target as *mut c_void, pattern.as_ptr().cast());
            self.context.api.clEnqueueSVMMemFill(self.context.queue, to, from, width, bytes, 0, null(), null_mut())
        };
        self.context.check("clEnqueueSVMMemFill", code, "filling")
    }

    /// Free bytes, as far as one knows: OpenCL does not tell.
    fn free_bytes(&self) -> u64 {
        let free = self.info.memory_bytes.saturating_sub(self.used.load(Ordering::Relaxed));
        if self.context.found.is_host { free.min(host_memory::memory().free) } else { free }
    }

    fn out_of_memory(&self, bytes: u64) -> HalError {
        let kind = HalErrorKind::OutOfMemory { requested: bytes, free: Some(self.free_bytes()) };
        let most = self.context.found.max_allocation;
        if bytes > most {
            return HalError::new(kind, format!("allocating memory (clSVMAlloc; at most {most} bytes at once)"));
        }
        HalError::new(kind, "allocating memory (clSVMAlloc)")
    }

    /// Waits for an event and reads when it happened, nanoseconds.
    fn happened(&self, event: u64) -> HalResult<u64> {
        let ask = |room, value: *mut c_void, bytes| {
            let what = PROFILING_COMMAND_END as c_uint;
            // SAFETY: an event of this device that its owner still holds; room for eight bytes.
            unsafe { self.context.api.clGetEventProfilingInfo(event as Handle, what, room, value, bytes) }
        };
        query_integer("clGetEventProfilingInfo", "reading the time of an event", &ask)
            .map_err(|error| self.context.health.note(error))
    }
}

impl Queue for OpenClDevice {
    fn queue(&self, step: Step<'_>) -> HalResult<()> {
        match step {
            Step::Dispatch(dispatch) => self.launch(dispatch),
            Step::Copy { source, target, bytes } => self.context.copy(target, source, bytes, false),
            Step::Fill { target, bytes, pattern, pattern_bytes } => self.fill(target, bytes, pattern, pattern_bytes),
        }
    }

    fn read_flag(&self, address: u64) -> HalResult<bool> {
        let mut byte = [0];
        self.download(address, &mut byte)?;
        Ok(byte != [0])
    }
}

impl RawDevice for OpenClDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn health(&self) -> &Arc<Health> {
        &self.context.health
    }

    fn allocate(&self, bytes: u64, _place: Place) -> HalResult<u64> {
        // Drivers on the host would promise more than there is.
        if bytes > self.context.found.max_allocation || bytes > self.free_bytes() {
            return Err(self.out_of_memory(bytes));
        }
        let fine = if self.context.found.fine_grained { MEM_SVM_FINE_GRAIN_BUFFER } else { 0 };
        let take = || {
            let (api, context) = (&self.context.api, self.context.context);
            // SAFETY: the context lives; a failure is a null pointer.
            unsafe { api.clSVMAlloc(context, MEM_READ_WRITE | fine, bytes as usize, ALIGNMENT) }
        };
        let mut address = null_mut();
        for _ in 0..2 {
            address = take();
            if !address.is_null() {
                break;
            }
            // What is given back waits for its turn in the queue; and a lost device tells of it here.
            self.context.finish()?;
        }
        if address.is_null() {
            return Err(self.out_of_memory(bytes));
        }
        self.used.fetch_add(bytes, Ordering::Relaxed);
        Ok(address as u64)
    }

    fn free(&self, address: u64, bytes: u64, _place: Place) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        if !self.context.health.is_lost() {
            self.context.free(address);
        }
    }

    fn image_kinds(&self) -> &'static [ImageKind] {
        &[ImageKind::SpirV]
    }

    fn load(&self, _kind: ImageKind, image: &[u8], kernels: &[KernelSpec]) -> HalResult<Arc<dyn RawExecutable>> {
        Ok(Arc::new(OpenClProgram::load(&self.context, &self.info, image, kernels)?))
    }

    fn upload(&self, target: u64, bytes: &[u8]) -> HalResult<()> {
        self.context.copy(target, bytes.as_ptr() as u64, bytes.len() as u64, true)
    }

    fn download(&self, source: u64, bytes: &mut [u8]) -> HalResult<()> {
        self.context.copy(bytes.as_mut_ptr() as u64, source, bytes.len() as u64, true)
    }

    fn submit(&self, list: &RawList, _reuse: u32) -> HalResult<()> {
        control::run(self, &list.commands)?;
        // SAFETY: the queue lives as long as the context. The device starts now, not when somebody waits.
        let code = unsafe { self.context.api.clFlush(self.context.queue) };
        self.context.check("clFlush", code, "starting the work")
    }

    fn synchronize(&self) -> HalResult<()> {
        self.context.finish()
    }

    fn record_event(&self) -> HalResult<u64> {
        let mut event = null_mut();
        // SAFETY: writes one handle.
        let code = unsafe { self.context.api.clEnqueueMarkerWithWaitList(self.context.queue, 0, null(), &mut event) };
        self.context.check("clEnqueueMarkerWithWaitList", code, "recording an event")?;
        Ok(event as u64)
    }

    fn elapsed_ms(&self, from: u64, to: u64) -> HalResult<f64> {
        let events = [to as Handle];
        // SAFETY: an event of this device that its owner still holds.
        let code = unsafe { self.context.api.clWaitForEvents(1, events.as_ptr()) };
        self.context.check_wait("clWaitForEvents", code, "waiting for an event")?;
        let (from, to) = (self.happened(from)?, self.happened(to)?);
        Ok(to.saturating_sub(from) as f64 / 1e6)
    }

    fn release_event(&self, event: u64) {
        if !self.context.health.is_lost() {
            // SAFETY: made by `record_event`; its owner drops it once.
            let code = unsafe { self.context.api.clReleaseEvent(event as Handle) };
            self.context.released("clReleaseEvent", code);
        }
    }

    fn memory(&self) -> HalResult<MemoryInfo> {
        Ok(MemoryInfo { free: self.free_bytes(), total: self.info.memory_bytes })
    }
}

/// A text for the library.
pub(super) fn c_text(text: &str) -> HalResult<CString> {
    CString::new(text).map_err(|_| HalError::invalid("a kernel's name holds a NUL"))
}

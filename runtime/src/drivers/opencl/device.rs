//! One OpenCL device: its queue and launches.

use std::ffi::{CString, c_uint, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use super::api::*;
use super::cache::Cache;
use super::context::Context;
use super::devices::Found;
use super::memory::Memory;
use super::program::{Kernel, OpenClProgram};
use crate::drivers::host_memory;
use crate::drivers::symbols::MISSING;
use crate::hal::control::{self, Queue, Step};
use crate::hal::{
    DeviceInfo, HalError, HalErrorKind, HalResult, Health, ImageKind, KernelSpec, MemoryInfo, OpenOptions, Place,
    RawDevice, RawDispatch, RawExecutable, RawList, TimeSource,
};

pub(super) struct OpenClDevice {
    info: DeviceInfo,
    context: Arc<Context>,
    /// Bytes that are allocated.
    used: AtomicU64,
}

impl OpenClDevice {
    pub(super) fn open(
        api: Arc<Api>,
        info: DeviceInfo,
        found: Found,
        options: &OpenOptions,
    ) -> HalResult<OpenClDevice> {
        let (platform, device) = (found.platform, found.device);
        let (health, empty) = (Arc::default(), null_mut());
        let memory = Memory::of(found.has_shared_memory && !options.plain_buffers);
        let compiled = options.compiled.as_deref().map(|folder| Cache::new(folder, &found.identity));
        let mut context = Context { api, health, found, context: empty, queue: empty, memory, compiled };
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
        let offsets = if kernel.takes_offsets { dispatch.bindings } else { 0 };
        if kernel.arguments as usize != dispatch.words.len() + offsets {
            let (has, given) = ((kernel.arguments as usize).saturating_sub(offsets), dispatch.words.len());
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
        let count = dispatch.words.len();
        for (index, word) in dispatch.words.iter().enumerate() {
            if index < dispatch.bindings {
                self.context.set_address(kernel.handle, index, count + index, *word, &what())?;
            } else {
                self.context.set_value(kernel.handle, index, *word, &what())?;
            }
        }
        // SAFETY: all arguments are set; the sizes have three dimensions.
        let code = unsafe {
            let (global, local) = (global.as_ptr(), local.as_ptr());
            let queue = self.context.queue;
            self.context.api.clEnqueueNDRangeKernel(
                queue,
                kernel.handle,
                3,
                null(),
                global,
                local,
                0,
                null(),
                null_mut(),
            )
        };
        self.context.check("clEnqueueNDRangeKernel", code, &what())
    }

    /// Free bytes, as far as one knows: OpenCL does not tell.
    fn free_bytes(&self) -> u64 {
        let free = self.info.memory_bytes.saturating_sub(self.used.load(Ordering::Relaxed));
        if self.context.found.is_host { free.min(host_memory::memory().free) } else { free }
    }

    fn out_of_memory(&self, bytes: u64) -> HalError {
        let kind = HalErrorKind::OutOfMemory { requested: bytes, free: Some(self.free_bytes()) };
        let (most, how) = (self.context.found.max_allocation, self.context.memory.allocator());
        if bytes > most {
            return HalError::new(kind, format!("allocating memory ({how}; at most {most} bytes at once)"));
        }
        HalError::new(kind, format!("allocating memory ({how})"))
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
            Step::Collective(exchange) => exchange.with.run(exchange),
            Step::Copy { source, target, bytes } => self.context.copy(target, source, bytes),
            Step::Fill { target, bytes, pattern, pattern_bytes } => {
                self.context.fill(target, bytes, pattern, pattern_bytes)
            }
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
        let address = self.context.allocate(bytes)?.ok_or_else(|| self.out_of_memory(bytes))?;
        self.used.fetch_add(bytes, Ordering::Relaxed);
        Ok(address)
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
        self.context.upload(target, bytes)
    }

    fn download(&self, source: u64, bytes: &mut [u8]) -> HalResult<()> {
        self.context.download(source, bytes)
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

    fn time_source(&self) -> TimeSource {
        TimeSource::Stamps("OpenCL event profiling")
    }

    fn memory(&self) -> HalResult<MemoryInfo> {
        Ok(MemoryInfo { free: self.free_bytes(), total: self.info.memory_bytes })
    }
}

/// A text for the library.
pub(super) fn c_text(text: &str) -> HalResult<CString> {
    CString::new(text).map_err(|_| HalError::invalid("a kernel's name holds a NUL"))
}

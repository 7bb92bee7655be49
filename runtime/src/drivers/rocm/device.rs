//! One ROCm device: its stream, memory, modules and launches.

use std::ffi::{CString, c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::api::{
    Api, Handle, LAUNCH_PARAM_BUFFER_POINTER, LAUNCH_PARAM_BUFFER_SIZE, LAUNCH_PARAM_END, MEMCPY_DEFAULT,
    OUT_OF_MEMORY, POOL_FUNCTIONS, POOL_RELEASE_THRESHOLD, STREAM_NON_BLOCKING, attribute, check, meaning,
};
use super::nccl;
use crate::drivers::rendezvous::Alerts;
use crate::hal::control::{self, Queue, Step};
use crate::hal::{
    DeviceInfo, HalError, HalErrorKind, HalResult, Health, ImageKind, KernelSpec, MemoryInfo, Place, RawCollective,
    RawDevice, RawDispatch, RawExecutable, RawList, TimeSource, Transport,
};

/// The stream, shared by everything that must not outlive it.
pub(super) struct Context {
    pub(super) api: Arc<Api>,
    health: Arc<Health>,
    device: c_int,
    pub(super) stream: Handle,
    /// The device's memory pool, where memory can be taken and given back in the order of the stream.
    pool: Option<Handle>,
    /// Collectives that gave up.
    pub(super) alerts: Alerts,
}

// SAFETY: HIP's handles may be used from any thread once the device is set there, which `enter` sees to.
unsafe impl Send for Context {}
// SAFETY: as above; the library locks its own state.
unsafe impl Sync for Context {}

impl Context {
    /// Makes the device current on this thread.
    pub(super) fn enter(&self) -> HalResult<()> {
        // SAFETY: the device number is one that hipDeviceGet gave.
        let code = unsafe { self.api.hipSetDevice(self.device) };
        self.check("hipSetDevice", code, "entering the device")
    }

    pub(super) fn check(&self, api: &'static str, code: c_int, what: &str) -> HalResult<()> {
        check(api, code, what).map_err(|error| self.health.note(error))
    }

    /// Makes the device current for giving something back: a failure is tried again, and no reason not to go on. False
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

    fn synchronize(&self) -> HalResult<()> {
        // SAFETY: the stream lives as long as `self`.
        let code = unsafe { self.api.hipStreamSynchronize(self.stream) };
        self.check("hipStreamSynchronize", code, "waiting for the device")
    }

    /// Waits before something is given back: once more where a wait fails. False if nobody knows that the work is done.
    pub(super) fn is_drained(&self) -> bool {
        self.synchronize().is_ok() || !self.health.is_lost() && self.synchronize().is_ok()
    }

    /// Waits for a copy from or to memory of the caller, who may do what he likes with it afterwards. If nobody can say
    /// that the copy is over, the device counts as lost.
    fn finish_copy(&self) -> HalResult<()> {
        let Err(error) = self.synchronize() else { return Ok(()) };
        if self.health.is_lost() || self.synchronize().is_ok() {
            return Err(error);
        }
        let what = format!("{error}; whether a copy is over is not known");
        Err(self.health.note(HalError::new(HalErrorKind::DeviceLost, what)))
    }

    /// Looks for the device's memory pool and lets it keep what is freed. `None` where one of the parts is missing.
    fn find_pool(&self) -> Option<Handle> {
        if !POOL_FUNCTIONS.iter().all(|name| self.api.has(name)) {
            return None;
        }
        let (mut supported, mut pool, mut keep) = (0, null_mut(), u64::MAX);
        // SAFETY: the first two write one value; the third reads eight bytes.
        unsafe {
            let code = self.api.hipDeviceGetAttribute(&mut supported, attribute::MEMORY_POOLS_SUPPORTED, self.device);
            if code != 0 || supported == 0 || self.api.hipDeviceGetDefaultMemPool(&mut pool, self.device) != 0 {
                return None;
            }
            let value = std::ptr::from_mut(&mut keep).cast();
            (self.api.hipMemPoolSetAttribute(pool, POOL_RELEASE_THRESHOLD, value) == 0).then_some(pool)
        }
    }

    /// Queues a copy between any two addresses.
    fn copy(&self, target: u64, source: u64, bytes: u64) -> HalResult<()> {
        let (target, source) = (target as Handle, source as *const c_void);
        // SAFETY: the caller's ranges lie inside of live memory that stays until the copy is done.
        let code = unsafe { self.api.hipMemcpyAsync(target, source, bytes as usize, MEMCPY_DEFAULT, self.stream) };
        self.check("hipMemcpyAsync", code, "copying")
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.stream.is_null() || !self.enter_for_release() {
            return;
        }
        // Stream-ordered releases run before the stream goes.
        // SAFETY: made by `RocmDevice::open`; nothing uses it any more.
        let code = unsafe { self.api.hipStreamDestroy(self.stream) };
        self.released("hipStreamDestroy", code);
    }
}

/// Why AMD GPUs do not work together without a library.
const NO_KERNELS: &str = "AMD GPUs work together by RCCL alone: --collectives=nccl";

pub(super) struct RocmDevice {
    info: DeviceInfo,
    context: Arc<Context>,
    transport: Transport,
}

impl RocmDevice {
    pub(super) fn open(api: Arc<Api>, info: DeviceInfo, transport: Transport) -> HalResult<RocmDevice> {
        let mut device = 0;
        // SAFETY: writes one int.
        let code = unsafe { api.hipDeviceGet(&mut device, info.ordinal as c_int) };
        check("hipDeviceGet", code, "opening the device")?;
        let mut context =
            Context { api, health: Arc::default(), device, stream: null_mut(), pool: None, alerts: Alerts::default() };
        context.enter()?;
        // SAFETY: writes one handle.
        let code = unsafe { context.api.hipStreamCreateWithFlags(&mut context.stream, STREAM_NON_BLOCKING) };
        context.check("hipStreamCreateWithFlags", code, "making the stream")?;
        context.pool = context.find_pool();
        Ok(RocmDevice { info, context: Arc::new(context), transport })
    }

    fn out_of_memory(&self, api: &'static str, code: c_int, bytes: u64, what: &str) -> HalError {
        let (name, kind) = meaning(code);
        if code != OUT_OF_MEMORY {
            return self.context.health.note(HalError::api(kind, api, code.into(), name.to_string(), what));
        }
        let free = self.memory().ok().map(|memory| memory.free);
        if let Err(lost) = self.context.health.check() {
            return lost;
        }
        HalError::api(HalErrorKind::OutOfMemory { requested: bytes, free }, api, code.into(), name.to_string(), what)
    }

    fn launch(&self, dispatch: &RawDispatch) -> HalResult<()> {
        let ([x, y, z], [bx, by, bz]) = (dispatch.grid, dispatch.block);
        // HIP counts work items of a dimension in 32 bits.
        for (extent, block) in dispatch.grid.iter().zip(dispatch.block) {
            if u64::from(*extent) * u64::from(block) > u64::from(u32::MAX) {
                let what = format!("a launch of {extent} workgroups of {block} threads: HIP takes 2^32 threads");
                return Err(HalError::new(HalErrorKind::Unsupported, what));
            }
        }
        let mut bytes = dispatch.words.len() * 8;
        let mut extra = [
            LAUNCH_PARAM_BUFFER_POINTER as Handle,
            dispatch.words.as_ptr().cast_mut().cast(),
            LAUNCH_PARAM_BUFFER_SIZE as Handle,
            std::ptr::from_mut(&mut bytes).cast(),
            LAUNCH_PARAM_END as Handle,
        ];
        // SAFETY: the function's module is kept by the command list; the arguments are packed 64-bit words, as many
        // as the kernel takes, copied before the call returns.
        let code = unsafe {
            self.context.api.hipModuleLaunchKernel(
                dispatch.kernel as Handle,
                x,
                y,
                z,
                bx,
                by,
                bz,
                dispatch.dynamic_shared_bytes,
                self.context.stream,
                null_mut(),
                extra.as_mut_ptr(),
            )
        };
        self.context.check("hipModuleLaunchKernel", code, "launching a kernel")
    }

    fn fill(&self, target: u64, bytes: u64, pattern: u64, pattern_bytes: u8) -> HalResult<()> {
        let (api, stream, at, count) = (&self.context.api, self.context.stream, target as Handle, bytes as usize);
        let low = pattern as u32;
        // SAFETY: the range lies inside of a live allocation and is aligned to the pattern, as the device layer
        // checked.
        let (name, code) = unsafe {
            match pattern_bytes {
                1 => ("hipMemsetD8Async", api.hipMemsetD8Async(at, pattern as u8, count, stream)),
                2 => ("hipMemsetD16Async", api.hipMemsetD16Async(at, pattern as u16, count / 2, stream)),
                4 => ("hipMemsetD32Async", api.hipMemsetD32Async(at, low as c_int, count / 4, stream)),
                _ if u64::from(low) == pattern >> 32 => {
                    ("hipMemsetD32Async", api.hipMemsetD32Async(at, low as c_int, count / 4, stream))
                }
                _ => return self.fill_by_doubling(target, bytes, pattern),
            }
        };
        self.context.check(name, code, "filling")
    }

    /// HIP has no fill of 8 bytes: one pattern is copied there, then what is there is copied behind itself.
    fn fill_by_doubling(&self, target: u64, bytes: u64, pattern: u64) -> HalResult<()> {
        let bytes_of_pattern = pattern.to_le_bytes();
        self.context.copy(target, bytes_of_pattern.as_ptr() as u64, 8)?;
        self.context.finish_copy()?;
        let mut done = 8;
        while done < bytes {
            let more = done.min(bytes - done);
            self.context.copy(target + done, target, more)?;
            done += more;
        }
        Ok(())
    }
}

impl Queue for RocmDevice {
    fn queue(&self, step: Step<'_>) -> HalResult<()> {
        match step {
            Step::Dispatch(dispatch) => self.launch(dispatch),
            Step::Collective(exchange) => exchange.with.run(exchange),
            Step::Copy { source, target, bytes } => self.context.copy(target, source, bytes),
            Step::Fill { target, bytes, pattern, pattern_bytes } => self.fill(target, bytes, pattern, pattern_bytes),
        }
    }

    fn read_flag(&self, address: u64) -> HalResult<bool> {
        let mut byte = [0];
        self.download(address, &mut byte)?;
        Ok(byte != [0])
    }
}

impl RawDevice for RocmDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn health(&self) -> &Arc<Health> {
        &self.context.health
    }

    fn allocate(&self, bytes: u64, place: Place) -> HalResult<u64> {
        self.context.enter()?;
        let (api, stream) = (&self.context.api, self.context.stream);
        let mut address = null_mut();
        // SAFETY: each writes one pointer.
        let mut take = || unsafe {
            match (place, self.context.pool) {
                (Place::Device, Some(_)) => {
                    ("hipMallocAsync", api.hipMallocAsync(&mut address, bytes as usize, stream))
                }
                (Place::Device, None) => ("hipMalloc", api.hipMalloc(&mut address, bytes as usize)),
                (Place::HostPinned, _) => ("hipHostMalloc", api.hipHostMalloc(&mut address, bytes as usize, 0)),
            }
        };
        let (mut name, mut code) = take();
        if let (OUT_OF_MEMORY, Place::Device, Some(pool)) = (code, place, self.context.pool) {
            // What was given back and waits for its turn, or lies in the pool, may be enough.
            self.context.synchronize()?;
            // SAFETY: the pool is the device's own.
            let trimmed = unsafe { api.hipMemPoolTrimTo(pool, 0) };
            self.context.check("hipMemPoolTrimTo", trimmed, "emptying the memory pool")?;
            (name, code) = take();
        }
        if code == 0 { Ok(address as u64) } else { Err(self.out_of_memory(name, code, bytes, "allocating memory")) }
    }

    fn free(&self, address: u64, _bytes: u64, place: Place) {
        if !self.context.enter_for_release() {
            return;
        }
        let (api, address) = (&self.context.api, address as Handle);
        // SAFETY: the address came from `allocate` with the same place and is freed once, by its block; the release
        // comes behind the work that uses it, in the stream or by waiting.
        let (name, code) = unsafe {
            match (place, self.context.pool) {
                (Place::Device, Some(_)) => ("hipFreeAsync", api.hipFreeAsync(address, self.context.stream)),
                (Place::Device, None) => ("hipFree", api.hipFree(address)),
                (Place::HostPinned, _) => ("hipHostFree", api.hipHostFree(address)),
            }
        };
        self.context.released(name, code);
    }

    fn image_kinds(&self) -> &'static [ImageKind] {
        &[ImageKind::Hsaco]
    }

    fn load(&self, _kind: ImageKind, image: &[u8], kernels: &[KernelSpec]) -> HalResult<Arc<dyn RawExecutable>> {
        self.context.enter()?;
        Ok(Arc::new(RocmModule::load(&self.context, &self.info, image, kernels)?))
    }

    fn upload(&self, target: u64, bytes: &[u8]) -> HalResult<()> {
        self.context.enter()?;
        self.context.copy(target, bytes.as_ptr() as u64, bytes.len() as u64)?;
        self.context.finish_copy()
    }

    fn download(&self, source: u64, bytes: &mut [u8]) -> HalResult<()> {
        self.context.enter()?;
        self.context.copy(bytes.as_mut_ptr() as u64, source, bytes.len() as u64)?;
        self.context.finish_copy()?;
        self.context.alerts.check()
    }

    fn submit(&self, list: &RawList, _reuse: u32) -> HalResult<()> {
        self.context.enter()?;
        let met = nccl::meet(&list.commands)?;
        control::run(self, &list.commands)?;
        met.map_or(Ok(()), |met| nccl::member(&*met)?.queued())
    }

    fn join(&self, devices: &[Arc<dyn RawDevice>], timeout: Duration) -> HalResult<Vec<Arc<dyn RawCollective>>> {
        if self.transport == Transport::Own {
            return Err(HalError::new(HalErrorKind::Unsupported, NO_KERNELS));
        }
        let rocm = |device: &Arc<dyn RawDevice>| {
            let device: &dyn std::any::Any = &**device;
            device.downcast_ref::<RocmDevice>().map(|device| device.context.clone())
        };
        nccl::join(devices.iter().filter_map(rocm).collect(), timeout)
    }

    fn connect(&self, place: (u32, u32), meeting_point: &str, timeout: Duration) -> HalResult<Arc<dyn RawCollective>> {
        if self.transport == Transport::Own {
            return Err(HalError::new(HalErrorKind::Unsupported, NO_KERNELS));
        }
        nccl::connect(&self.context, place, meeting_point, timeout)
    }

    fn synchronize(&self) -> HalResult<()> {
        self.context.enter()?;
        self.context.synchronize()?;
        self.context.alerts.check()
    }

    fn record_event(&self) -> HalResult<u64> {
        self.context.enter()?;
        let mut event = null_mut();
        // SAFETY: writes one handle; 0 asks for an event with timing.
        let code = unsafe { self.context.api.hipEventCreateWithFlags(&mut event, 0) };
        self.context.check("hipEventCreateWithFlags", code, "making an event")?;
        // SAFETY: the event was just made.
        let code = unsafe { self.context.api.hipEventRecord(event, self.context.stream) };
        if let Err(error) = self.context.check("hipEventRecord", code, "recording an event") {
            self.release_event(event as u64);
            return Err(error);
        }
        Ok(event as u64)
    }

    fn elapsed_ms(&self, from: u64, to: u64) -> HalResult<f64> {
        self.context.enter()?;
        // SAFETY: events of this device that their owners still hold.
        let code = unsafe { self.context.api.hipEventSynchronize(to as Handle) };
        self.context.check("hipEventSynchronize", code, "waiting for an event")?;
        let mut milliseconds = 0f32;
        // SAFETY: as above; writes one float.
        let code = unsafe { self.context.api.hipEventElapsedTime(&mut milliseconds, from as Handle, to as Handle) };
        self.context.check("hipEventElapsedTime", code, "reading the time between events")?;
        Ok(f64::from(milliseconds))
    }

    fn release_event(&self, event: u64) {
        if self.context.enter_for_release() {
            // SAFETY: made by `record_event`; its owner drops it once.
            let code = unsafe { self.context.api.hipEventDestroy(event as Handle) };
            self.context.released("hipEventDestroy", code);
        }
    }

    fn time_source(&self) -> TimeSource {
        TimeSource::Stamps("HIP events")
    }

    fn memory(&self) -> HalResult<MemoryInfo> {
        self.context.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two sizes.
        let code = unsafe { self.context.api.hipMemGetInfo(&mut free, &mut total) };
        self.context.check("hipMemGetInfo", code, "reading the free memory")?;
        Ok(MemoryInfo { free: free as u64, total: total as u64 })
    }
}

/// A loaded code object.
struct RocmModule {
    context: Arc<Context>,
    module: Handle,
    kernels: Vec<u64>,
    description: String,
}

// SAFETY: as for `Context`.
unsafe impl Send for RocmModule {}
// SAFETY: as for `Context`.
unsafe impl Sync for RocmModule {}

impl RocmModule {
    fn load(context: &Arc<Context>, info: &DeviceInfo, image: &[u8], kernels: &[KernelSpec]) -> HalResult<RocmModule> {
        let start = Instant::now();
        let mut module = null_mut();
        // SAFETY: the image is an ELF file whose headers give its length; the library copies it.
        let code = unsafe { context.api.hipModuleLoadData(&mut module, image.as_ptr().cast()) };
        let what = format!("loading an hsaco image on {} ({}, {})", info.name, info.arch, info.driver_version);
        context.check("hipModuleLoadData", code, &what)?;
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        let description = format!("hsaco for {}, loaded in {elapsed:.1} ms", info.arch);
        let mut loaded = RocmModule { context: context.clone(), module, kernels: Vec::new(), description };
        for kernel in kernels {
            let name =
                CString::new(kernel.name.as_str()).map_err(|_| HalError::invalid("a kernel's name holds a NUL"))?;
            let mut function = null_mut();
            // SAFETY: the module is loaded, the name NUL-terminated; writes one handle.
            let code = unsafe { context.api.hipModuleGetFunction(&mut function, module, name.as_ptr()) };
            context.check("hipModuleGetFunction", code, &format!("looking for kernel {}", kernel.name))?;
            loaded.kernels.push(function as u64);
        }
        Ok(loaded)
    }
}

impl RawExecutable for RocmModule {
    fn kernels(&self) -> &[u64] {
        &self.kernels
    }

    fn describe(&self) -> String {
        self.description.clone()
    }
}

impl Drop for RocmModule {
    fn drop(&mut self) {
        if !self.context.enter_for_release() {
            return;
        }
        // Nothing may run it any more; where nobody knows that, it stays loaded.
        if !self.context.is_drained() {
            return;
        }
        // SAFETY: loaded above; the stream is drained.
        let code = unsafe { self.context.api.hipModuleUnload(self.module) };
        self.context.released("hipModuleUnload", code);
    }
}

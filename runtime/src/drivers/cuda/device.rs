//! One CUDA device: its context, stream, memory, modules and graphs.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use cudarc::driver::sys::{CUevent, CUevent_flags, CUstream};

use super::api::{Api, OUT_OF_MEMORY, kind};
use super::collectives::{self, Meeting};
use super::context::Context;
use super::fetch::{FETCHES_MAX, Fetches};
use super::graph::{self, Deciders, Graph};
use super::launch::Stream;
use super::module::CudaModule;
use super::staging::Staging;
use super::tensor_map;
use crate::hal::control;
use crate::hal::{
    CommandBuffers, DeviceInfo, EncodedMap, HalError, HalErrorKind, HalResult, Health, ImageKind, KernelSpec,
    MemoryInfo, OpenOptions, Place, PowerState, RawCollective, RawCommand, RawDevice, RawExecutable, RawList,
    TensorMap, TimeSource, Transport,
};

/// Lists shorter than this are launched one by one: a graph launch costs as much as two kernel launches.
const SHORTEST_GRAPH: u64 = 3;

pub(super) struct CudaDevice {
    info: DeviceInfo,
    context: Arc<Context>,
    staging: Mutex<Staging>,
    fetches: Mutex<Fetches>,
    /// Kernels that decide branches and loops, loaded with the first of them; an error where the driver has none.
    deciders: OnceLock<HalResult<Deciders>>,
    commands: CommandBuffers,
    transport: Transport,
}

impl CudaDevice {
    pub(super) fn open(api: Arc<Api>, info: DeviceInfo, options: &OpenOptions) -> HalResult<CudaDevice> {
        let mut device = 0;
        // SAFETY: writes one device number.
        let code = unsafe { api.cuDeviceGet(&mut device, info.ordinal as c_int) };
        api.check("cuDeviceGet", code, "opening the device")?;
        let context = Arc::new(Context::open(api, device)?);
        let staging = Mutex::new(Staging::new(context.clone()));
        let fetches = Mutex::new(Fetches::new(context.clone()));
        let (commands, transport) = (options.command_buffers, options.transport);
        Ok(CudaDevice { info, context, staging, fetches, deciders: OnceLock::new(), commands, transport })
    }

    fn out_of_memory(&self, api: &'static str, code: c_int, bytes: u64, what: &str) -> HalError {
        if code != OUT_OF_MEMORY {
            return self.context.health.note(HalError::api(
                kind(code),
                api,
                code.into(),
                self.context.api.code_name(code),
                what,
            ));
        }
        let free = self.memory().ok().map(|memory| memory.free);
        if let Err(lost) = self.context.health.check() {
            return lost;
        }
        let kind = HalErrorKind::OutOfMemory { requested: bytes, free };
        HalError::api(kind, api, code.into(), self.context.api.code_name(code), what)
    }

    /// Makes a stream wait for all that another one has by now.
    fn order(&self, first: CUstream, then: CUstream) -> HalResult<()> {
        self.context.enter()?;
        let api = &self.context.api;
        let _queue = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let mut event = null_mut();
        // SAFETY: writes one handle.
        let code = unsafe { api.cuEventCreate(&mut event, CUevent_flags::CU_EVENT_DISABLE_TIMING as u32) };
        self.context.check("cuEventCreate", code, "making an event")?;
        // SAFETY: the event was just made; one stream is this device's, the other one of its context, as the caller
        // promises: the driver checks it.
        let recorded = unsafe { api.cuEventRecord(event, first) };
        let recorded = self.context.check("cuEventRecord", recorded, "ordering two streams");
        let waits = recorded.and_then(|()| {
            // SAFETY: as above.
            let code = unsafe { api.cuStreamWaitEvent(then, event, 0) };
            self.context.check("cuStreamWaitEvent", code, "ordering two streams")
        });
        // The driver keeps it until nobody waits for it.
        self.release_event(event as u64);
        waits
    }

    /// What a group of devices has to know of this one.
    pub(super) fn parts(&self) -> (Arc<Context>, DeviceInfo) {
        (self.context.clone(), self.info.clone())
    }

    /// The commands as a graph, or the knowledge that there is none.
    fn recorded(&self, commands: &[RawCommand]) -> HalResult<Graph> {
        // One thread at a time records.
        let _queue = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        match self.record(commands) {
            Err(error) if error.kind() == HalErrorKind::DeviceLost || self.commands == CommandBuffers::Graph => {
                Err(error)
            }
            // An older driver: the host decides.
            Err(error) if error.kind() == HalErrorKind::Unsupported => Ok(Graph::none(&self.context)),
            Err(error) => {
                tracing::warn!("no CUDA graph for a command list: {error}");
                Ok(Graph::none(&self.context))
            }
            Ok(graph) => Ok(graph),
        }
    }

    /// Records the commands as a graph.
    fn record(&self, commands: &[RawCommand]) -> HalResult<Graph> {
        let units = self.info.compute_units;
        if graph::decides(commands) || control::length(commands) > graph::LONGEST_CAPTURE {
            let deciders = self.deciders.get_or_init(|| Deciders::load(&self.context, &self.info));
            return graph::build(&self.context, Some(deciders.as_ref().map_err(Clone::clone)?), units, commands);
        }
        graph::build(&self.context, None, units, commands)
    }
}

/// What a device keeps for a command list.
struct Recorded {
    meeting: Option<Meeting>,
    graph: Option<Graph>,
}

impl Recorded {
    fn of(commands: &[RawCommand]) -> Recorded {
        Recorded { meeting: Meeting::of(commands), graph: None }
    }
}

impl RawDevice for CudaDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn health(&self) -> &Arc<Health> {
        &self.context.health
    }

    fn allocate(&self, bytes: u64, place: Place) -> HalResult<u64> {
        self.context.enter()?;
        let api = &self.context.api;
        match place {
            Place::Device => {
                let mut address = 0;
                // SAFETY: writes one address.
                let code = unsafe { api.cuMemAlloc_v2(&mut address, bytes as usize) };
                if code == 0 {
                    Ok(address)
                } else {
                    Err(self.out_of_memory("cuMemAlloc_v2", code, bytes, "allocating device memory"))
                }
            }
            Place::HostPinned => {
                let mut pointer = null_mut();
                // SAFETY: writes one pointer.
                let code = unsafe { api.cuMemHostAlloc(&mut pointer, bytes as usize, 0) };
                if code == 0 {
                    Ok(pointer as u64)
                } else {
                    Err(self.out_of_memory("cuMemHostAlloc", code, bytes, "allocating page-locked memory"))
                }
            }
        }
    }

    fn free(&self, address: u64, _bytes: u64, place: Place) {
        if !self.context.enter_for_release() {
            return;
        }
        // Both calls wait for the work that uses the memory.
        // SAFETY: the address came from `allocate` with the same place and is freed once, by its block.
        let (name, code) = unsafe {
            match place {
                Place::Device => ("cuMemFree_v2", self.context.api.cuMemFree_v2(address)),
                Place::HostPinned => ("cuMemFreeHost", self.context.api.cuMemFreeHost(address as *mut c_void)),
            }
        };
        self.context.released(name, code);
    }

    fn image_kinds(&self) -> &'static [ImageKind] {
        &[ImageKind::Cubin, ImageKind::Ptx]
    }

    fn load(&self, kind: ImageKind, image: &[u8], kernels: &[KernelSpec]) -> HalResult<Arc<dyn RawExecutable>> {
        self.context.enter()?;
        Ok(Arc::new(CudaModule::load(&self.context, &self.info, kind, image, kernels)?))
    }

    fn encode_map(&self, map: &TensorMap, address: u64) -> HalResult<EncodedMap> {
        tensor_map::encode(&self.context, map, address)
    }

    fn upload(&self, target: u64, bytes: &[u8]) -> HalResult<()> {
        self.upload_all(&[(target, bytes)])
    }

    fn upload_all(&self, pieces: &[(u64, &[u8])]) -> HalResult<()> {
        self.context.enter()?;
        self.staging.lock().unwrap_or_else(PoisonError::into_inner).upload(pieces)
    }

    fn download(&self, source: u64, bytes: &mut [u8]) -> HalResult<()> {
        self.context.enter()?;
        self.staging.lock().unwrap_or_else(PoisonError::into_inner).download(source, bytes)?;
        self.context.alerts.check()
    }

    fn fetches_max(&self) -> usize {
        FETCHES_MAX
    }

    fn start_fetch(&self, source: u64, bytes: usize) -> HalResult<Option<u64>> {
        self.context.enter()?;
        // One thread at a time uses the stream.
        let _queue = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        self.fetches.lock().unwrap_or_else(PoisonError::into_inner).start(source, bytes)
    }

    fn finish_fetch(&self, fetch: u64, bytes: &mut [u8]) -> HalResult<()> {
        self.context.enter()?;
        self.fetches.lock().unwrap_or_else(PoisonError::into_inner).finish(fetch, bytes)?;
        self.context.alerts.check()
    }

    fn release_fetch(&self, fetch: u64) {
        self.fetches.lock().unwrap_or_else(PoisonError::into_inner).release(fetch);
    }

    fn submit(&self, list: &RawList, reuse: u32) -> HalResult<()> {
        self.context.enter()?;
        self.context.alerts.check()?;
        let mut recording = list.recording.lock().unwrap_or_else(PoisonError::into_inner);
        let recorded = recording.get_or_insert_with(|| Box::new(Recorded::of(&list.commands)));
        let recorded = recorded.downcast_mut::<Recorded>();
        let Recorded { meeting, graph } = recorded.ok_or_else(|| HalError::invalid("a list of another driver"))?;
        // A list with branches or loops of unknown length is a graph at once: the device decides them. Not with
        // collectives: once a device gave up, what others compute may keep a loop going for ever.
        let decides = graph::decides(&list.commands);
        let plain = match self.commands {
            _ if decides && meeting.is_some() => true,
            CommandBuffers::Direct | CommandBuffers::Stream => true,
            CommandBuffers::Graph => list.commands.is_empty(),
            CommandBuffers::Auto => !decides && (reuse == 0 || control::length(&list.commands) < SHORTEST_GRAPH),
        };
        let commands = match meeting {
            None => {
                if !plain && graph.is_none() {
                    *graph = Some(self.recorded(&list.commands)?);
                }
                &list.commands
            }
            Some(meeting) => {
                let records = !plain && graph.is_none();
                meeting.hold(&list.commands, records, |commands| {
                    *graph = if plain { None } else { Some(self.recorded(commands)?) };
                    let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
                    if decides { staging.prepare() } else { Ok(()) }
                })?;
                meeting.commands()
            }
        };
        // One thread at a time uses the stream.
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let queued = match graph.as_ref().filter(|_| !plain).and_then(Graph::exec) {
            Some(exec) => {
                // SAFETY: the graph was instantiated in this context; the list keeps what it uses alive.
                let code = unsafe { self.context.api.cuGraphLaunch(exec, self.context.stream) };
                self.context.check("cuGraphLaunch", code, "launching a graph")
            }
            None => {
                let staging = RefCell::new(&mut *staging);
                let waits = self.commands == CommandBuffers::Direct;
                control::run(&Stream { context: &self.context, staging: &staging, waits }, commands)
            }
        };
        queued.and_then(|()| meeting.as_ref().map_or(Ok(()), Meeting::queued))
    }

    fn rebind(&self, list: &RawList, from: Option<&RawList>) -> HalResult<bool> {
        if !graph::is_flat(&list.commands) {
            return Ok(false);
        }
        let Some(from) = from else { return Ok(true) };
        let recording = from.recording.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut recording) = recording else { return Ok(true) };
        let Some(Recorded { graph: Some(graph), .. }) = recording.downcast_mut() else { return Ok(false) };
        self.context.enter()?;
        // Nobody may launch it meanwhile.
        let queue = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let moved = graph.rebind(&from.commands, &list.commands);
        drop(queue);
        if let Err(error) = moved.as_ref() {
            self.context.health.check()?;
            tracing::debug!("a graph stays where it is: {error}");
        }
        let is_moved = moved.unwrap_or(false);
        if is_moved {
            *list.recording.lock().unwrap_or_else(PoisonError::into_inner) = Some(recording);
        }
        Ok(is_moved)
    }

    fn stream(&self) -> Option<u64> {
        Some(self.context.stream as u64)
    }

    fn order_before(&self, stream: u64) -> HalResult<()> {
        self.order(self.context.stream, stream as CUstream)
    }

    fn order_after(&self, stream: u64) -> HalResult<()> {
        self.order(stream as CUstream, self.context.stream)
    }

    fn join(&self, devices: &[Arc<dyn RawDevice>], timeout: Duration) -> HalResult<Vec<Arc<dyn RawCollective>>> {
        collectives::join(devices, (self.transport, timeout))
    }

    fn connect(&self, place: (u32, u32), meeting_point: &str, timeout: Duration) -> HalResult<Arc<dyn RawCollective>> {
        collectives::connect(self, place, meeting_point, (self.transport, timeout))
    }

    fn synchronize(&self) -> HalResult<()> {
        self.context.enter()?;
        self.context.synchronize()?;
        self.context.alerts.check()
    }

    fn record_event(&self) -> HalResult<u64> {
        self.context.enter()?;
        let _queue = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let mut event = null_mut();
        // SAFETY: writes one handle; 0 asks for an event with timing.
        let code = unsafe { self.context.api.cuEventCreate(&mut event, 0) };
        self.context.check("cuEventCreate", code, "making an event")?;
        // SAFETY: the event was just made.
        let code = unsafe { self.context.api.cuEventRecord(event, self.context.stream) };
        if let Err(error) = self.context.check("cuEventRecord", code, "recording an event") {
            self.release_event(event as u64);
            return Err(error);
        }
        Ok(event as u64)
    }

    fn elapsed_ms(&self, from: u64, to: u64) -> HalResult<f64> {
        self.context.enter()?;
        // SAFETY: events of this device that their owners still hold.
        let code = unsafe { self.context.api.cuEventSynchronize(to as CUevent) };
        self.context.check("cuEventSynchronize", code, "waiting for an event")?;
        let mut milliseconds = 0f32;
        // SAFETY: as above; writes one float.
        let code = unsafe { self.context.api.cuEventElapsedTime(&mut milliseconds, from as CUevent, to as CUevent) };
        self.context.check("cuEventElapsedTime", code, "reading the time between events")?;
        Ok(f64::from(milliseconds))
    }

    fn release_event(&self, event: u64) {
        if self.context.enter_for_release() {
            // SAFETY: made by `record_event`; its owner drops it once.
            let code = unsafe { self.context.api.cuEventDestroy_v2(event as CUevent) };
            self.context.released("cuEventDestroy_v2", code);
        }
    }

    fn time_source(&self) -> TimeSource {
        TimeSource::Stamps("CUDA events")
    }

    fn power(&self) -> Option<PowerState> {
        super::nvml::power(self.info.unique_id.as_deref()?)
    }

    fn memory(&self) -> HalResult<MemoryInfo> {
        self.context.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two sizes.
        let code = unsafe { self.context.api.cuMemGetInfo_v2(&mut free, &mut total) };
        self.context.check("cuMemGetInfo_v2", code, "reading the free memory")?;
        Ok(MemoryInfo { free: free as u64, total: total as u64 })
    }
}

//! The hardware abstraction: drivers find devices; a device has memory, loads executables and runs commands.
//!
//! Two layers. [`Device`], [`Buffer`], [`Executable`] and [`CommandList`] are what callers hold: they check every
//! argument once, keep things alive and remember a lost device. Below them a driver implements [`Driver`] and
//! [`RawDevice`], thin and dyn-compatible, and sees only checked arguments: addresses are `u64`, ranges lie inside of
//! allocations, images are of a kind the device takes.
//!
//! A device runs its commands in the order of submission (one queue). Uploads return when the source may be reused,
//! downloads when the bytes are there; kernels, copies and fills may still run until [`Device::synchronize`].

pub mod ahead;
mod check_kernel;
mod collective;
mod command_buffers;
#[cfg(test)]
mod conformance;
pub(crate) mod control;
mod copies;
mod device;
mod error;
mod fetch;
mod lent;
mod pool;
mod power;
mod spans;

pub use collective::{Collective, RawCollective, RawExchange, Transport};
pub use command_buffers::CommandBuffers;
pub use device::{Binding, Buffer, BufferSlice, Command, CommandList, Device, Event, Executable};
pub use error::{HalError, HalErrorKind, HalResult, Health};
pub use fetch::Fetch;
pub(crate) use pool::block_bytes;
pub use power::PowerState;
pub use spans::{DeviceSpan, LaunchShape, Phase, SpanKind, SpanObserver, ThreadSpan, TimeSource};

use std::sync::Arc;
use std::time::Duration;

pub use fornax_module::{MapElement, Swizzle, TensorMap};
pub use fornax_targets::ImageKind;

use crate::mapping::HostBytes;

/// What a device is.
#[derive(Clone, Debug, Default)]
pub struct DeviceInfo {
    /// Canonical name of the driver: `cuda`, `rocm`, `opencl`, `cpu`, `null`.
    pub driver: &'static str,
    /// Position in the driver's list.
    pub ordinal: usize,
    /// Name that stays the same when the order changes (`GPU-<uuid>`), if there is one.
    pub unique_id: Option<String>,
    /// The maker's name of it.
    pub name: String,
    /// Architecture in the driver's own words: `sm_90`, `gfx90a:sramecc+:xnack-`; the instruction set on CPUs;
    /// `spirv64` on OpenCL.
    pub arch: String,
    /// Features as Rust's detection names them (`avx2`, `fma`, …) on CPUs; what an OpenCL device offers (`fp64`,
    /// `subgroup16`).
    pub features: Vec<&'static str>,
    /// Device memory, bytes.
    pub memory_bytes: u64,
    /// Multiprocessors, compute units or processor cores.
    pub compute_units: u32,
    /// Highest clock of the compute units, MHz, where the driver tells.
    pub clock_mhz: Option<u32>,
    /// Limits of a launch.
    pub limits: LaunchLimits,
    /// Version of the driver, in its own words.
    pub driver_version: String,
    /// What else the driver tells of it, for people: name and value.
    pub properties: Vec<(&'static str, String)>,
    /// Why it cannot run modules; opening it is an error then.
    pub unusable: Option<String>,
}

impl DeviceInfo {
    /// `cuda://GPU-…`, `cuda://0`, `cpu://`.
    pub fn uri(&self) -> String {
        match &self.unique_id {
            Some(id) => format!("{}://{id}", self.driver),
            None if self.driver == "cpu" || self.driver == "null" => format!("{}://", self.driver),
            None => format!("{}://{}", self.driver, self.ordinal),
        }
    }
}

/// Limits of one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchLimits {
    pub max_grid: [u32; 3],
    pub max_block: [u32; 3],
    pub max_block_threads: u32,
    /// Static and dynamic shared memory of a workgroup, bytes.
    pub max_shared_bytes: u32,
    /// Threads that a compute unit holds at once; 0 where the driver does not tell.
    pub unit_threads: u32,
}

impl Default for LaunchLimits {
    fn default() -> Self {
        let most = i32::MAX as u32;
        LaunchLimits {
            max_grid: [most; 3],
            max_block: [1; 3],
            max_block_threads: 1,
            max_shared_bytes: 0,
            unit_threads: 0,
        }
    }
}

/// Options of opening a device.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Threads of a CPU device; `None` for all cores.
    pub cpu_threads: Option<usize>,
    /// How commands reach the device, one of the kinds that the driver has.
    pub command_buffers: CommandBuffers,
    /// A folder where an OpenCL device keeps what its compiler made of images; `None` for nowhere.
    pub compiled: Option<std::path::PathBuf>,
    /// An OpenCL device does without shared virtual memory, as those do that have none.
    pub plain_buffers: bool,
    /// By what GPUs exchange buffers.
    pub transport: Transport,
}

/// Where a driver's library was looked for, and what was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LibrarySearch {
    /// Names and paths in the order in which they were tried, the one that was loaded last; none for drivers without a
    /// library.
    pub tried: Vec<String>,
    /// The file that was loaded, as the system's loader names it.
    pub file: Option<String>,
    /// The library's version, in its own words, where it tells.
    pub version: Option<String>,
}

/// Finds and opens devices of one kind.
pub trait Driver: Send + Sync {
    /// Canonical name, as in URIs.
    fn name(&self) -> &'static str;

    /// One line for people.
    fn description(&self) -> &'static str;

    /// The devices, also those that cannot be used and say why; empty where the library is missing.
    fn devices(&self) -> Vec<DeviceInfo>;

    /// Why `devices` is empty; `None` if it is not.
    fn why_empty(&self) -> Option<String>;

    /// Where the library was looked for.
    fn library(&self) -> LibrarySearch {
        LibrarySearch::default()
    }

    /// Opens device `ordinal`.
    fn open(&self, ordinal: usize, options: &OpenOptions) -> HalResult<Arc<dyn RawDevice>>;
}

/// Where a buffer's memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    Device,
    /// Page-locked host memory that the device reaches.
    HostPinned,
}

/// Memory of a device, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    pub free: u64,
    pub total: u64,
}

/// What the host needs to know to launch a kernel of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelSpec {
    /// Symbol in the image.
    pub name: String,
    /// Threads of a workgroup.
    pub block: [u32; 3],
    /// Dynamic shared memory, bytes.
    pub dynamic_shared_bytes: u32,
    /// Scratch of a CPU thread, bytes.
    pub scratch_bytes: u32,
    /// Buffer bindings, before the tensor maps.
    pub bindings: u32,
    /// Tensor maps, before the constants.
    pub tensor_maps: Vec<TensorMap>,
    /// Workgroups of a cluster by dimension; 0 and 1 mean none. The image asks for it too.
    pub cluster: [u32; 3],
    /// It waits by itself for the kernels that it depends on: it may start before they are over.
    pub awaits: bool,
}

/// A tensor map as hardware reads it: opaque, passed to the kernel by value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct EncodedMap(pub [u64; 16]);

/// What a loaded kernel takes of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelResources {
    /// 32-bit registers of a thread.
    pub registers: u32,
    /// Memory of a thread for what does not fit into registers, bytes.
    pub local_bytes: u32,
    /// Static and dynamic shared memory of a workgroup, bytes.
    pub shared_bytes: u32,
    /// Workgroups that a compute unit holds at once.
    pub resident_groups: u32,
    /// Threads that a compute unit holds at once, whatever the kernel.
    pub unit_threads: u32,
}

/// A loaded image; dropping it unloads.
pub trait RawExecutable: Send + Sync {
    /// One handle a kernel, in the order asked for.
    fn kernels(&self) -> &[u64];

    /// What was loaded, for people (`cubin for sm_90`, `ptx compiled by the driver in 85 ms`).
    fn describe(&self) -> String;

    /// What kernel `kernel` of the list takes; `None` where the driver does not tell.
    fn resources(&self, kernel: usize) -> HalResult<Option<KernelResources>> {
        let _ = kernel;
        Ok(None)
    }
}

/// Bytes of device memory that a command touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySpan {
    pub address: u64,
    pub bytes: u64,
    pub writes: bool,
}

impl MemorySpan {
    /// What a binding at an address reaches.
    pub fn of(binding: &Binding, address: u64) -> MemorySpan {
        MemorySpan { address, bytes: binding.slice.bytes, writes: binding.writes }
    }
}

/// A kernel launch with everything resolved.
#[derive(Clone, Debug)]
pub struct RawDispatch {
    pub kernel: u64,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    pub scratch_bytes: u32,
    /// As [`KernelSpec::awaits`].
    pub awaits: bool,
    /// Addresses of the bindings, then the constants: one 64-bit word each.
    pub words: Box<[u64]>,
    /// How many of the words are addresses.
    pub bindings: usize,
    /// Tensor maps over the bindings; parameters between addresses and constants.
    pub maps: Box<[EncodedMap]>,
    /// What the bindings reach.
    pub spans: Box<[MemorySpan]>,
}

/// A checked command.
#[derive(Clone, Debug)]
pub enum RawCommand {
    Dispatch(RawDispatch),
    /// Ranges do not overlap; not empty.
    Copy {
        source: u64,
        target: u64,
        bytes: u64,
    },
    /// `bytes` is a multiple of `pattern_bytes` (1, 2, 4 or 8), the address aligned to it; not empty.
    Fill {
        target: u64,
        bytes: u64,
        pattern: u64,
        pattern_bytes: u8,
    },
    /// Meets other devices; ranges do not overlap.
    Collective(Box<RawExchange>),
    /// Runs `condition`; while the byte at `predicate` is not 0, runs `body` and `condition`. Where `guarded`, both
    /// change nothing once it is 0.
    While {
        condition: Vec<RawCommand>,
        predicate: u64,
        body: Vec<RawCommand>,
        guarded: bool,
    },
    /// Runs `then` if the byte at `predicate` is not 0, else `otherwise`.
    If {
        predicate: u64,
        then: Vec<RawCommand>,
        otherwise: Vec<RawCommand>,
    },
    /// Runs `body` `count` times.
    Repeat {
        count: u64,
        body: Vec<RawCommand>,
    },
}

/// A driver's device. Arguments are checked by [`Device`]; calls may come from any thread.
pub trait RawDevice: std::any::Any + Send + Sync {
    fn info(&self) -> &DeviceInfo;

    /// The device's state; drivers consult it before each call and mark it when the device is lost.
    fn health(&self) -> &Arc<Health>;

    /// `bytes` > 0, a multiple of 256. The address is aligned to 256 bytes (device; 128 on OpenCL) or 64 (host).
    fn allocate(&self, bytes: u64, place: Place) -> HalResult<u64>;

    /// Gives back what `allocate` returned. Commands may still use it: drivers order the release behind them.
    fn free(&self, address: u64, bytes: u64, place: Place);

    /// The address of host bytes for kernels of this device, where it can use them in place (read only).
    fn import(&self, bytes: &HostBytes) -> Option<u64> {
        let _ = bytes;
        None
    }

    /// See [`Device::stream`].
    fn stream(&self) -> Option<u64> {
        None
    }

    /// See [`Device::order_before`]; only where [`RawDevice::stream`] has a name.
    fn order_before(&self, stream: u64) -> HalResult<()> {
        Err(HalError::new(HalErrorKind::Unsupported, format!("waiting in another queue ({stream:#x})")))
    }

    /// See [`Device::order_after`]; only where [`RawDevice::stream`] has a name.
    fn order_after(&self, stream: u64) -> HalResult<()> {
        Err(HalError::new(HalErrorKind::Unsupported, format!("waiting for another queue ({stream:#x})")))
    }

    /// Image kinds that [`RawDevice::load`] takes, best first.
    fn image_kinds(&self) -> &'static [ImageKind];

    fn load(&self, kind: ImageKind, image: &[u8], kernels: &[KernelSpec]) -> HalResult<Arc<dyn RawExecutable>>;

    /// Encodes a checked tensor map whose origin is at `address`, a multiple of 16.
    fn encode_map(&self, map: &TensorMap, address: u64) -> HalResult<EncodedMap> {
        let _ = (map, address);
        Err(HalError::new(HalErrorKind::Unsupported, format!("{} has no tensor maps", self.info().uri())))
    }

    /// Copies to the device, behind the commands before; returns when `bytes` may be reused.
    fn upload(&self, target: u64, bytes: &[u8]) -> HalResult<()>;

    /// The same for several targets; a driver may copy them at the same time.
    fn upload_all(&self, pieces: &[(u64, &[u8])]) -> HalResult<()> {
        pieces.iter().try_for_each(|(target, bytes)| self.upload(*target, bytes))
    }

    /// Copies from the device, behind the commands before; returns when the bytes are there.
    fn download(&self, source: u64, bytes: &mut [u8]) -> HalResult<()>;

    /// See [`Device::fetches_max`].
    fn fetches_max(&self) -> usize {
        0
    }

    /// Queues a copy from the device behind the commands before, and returns its handle; `None` where it cannot now.
    fn start_fetch(&self, source: u64, bytes: usize) -> HalResult<Option<u64>> {
        let _ = (source, bytes);
        Ok(None)
    }

    /// Waits for a copy that was started with as many bytes.
    fn finish_fetch(&self, fetch: u64, bytes: &mut [u8]) -> HalResult<()> {
        let _ = bytes;
        Err(HalError::new(HalErrorKind::Unsupported, format!("copies that are waited for later ({fetch})")))
    }

    fn release_fetch(&self, fetch: u64) {
        let _ = fetch;
    }

    /// Queues commands. `reuse` counts earlier submissions of the same list: drivers may record it.
    fn submit(&self, list: &RawList, reuse: u32) -> HalResult<()>;

    /// Takes what is recorded of `from` for `list`: the same commands on memory that meets in the same places. Whether
    /// `list` is to be recorded at once, since it can be moved later as well.
    fn rebind(&self, list: &RawList, from: Option<&RawList>) -> HalResult<bool> {
        let _ = (list, from);
        Ok(false)
    }

    /// Places for devices of this driver, itself the first, that run a module together; see [`Collective::join`].
    fn join(&self, devices: &[Arc<dyn RawDevice>], timeout: Duration) -> HalResult<Vec<Arc<dyn RawCollective>>> {
        let _ = timeout;
        let count = devices.len();
        let what = format!("{}: collectives of {count} devices; this driver has none", self.info().uri());
        Err(HalError::new(HalErrorKind::Unsupported, what))
    }

    /// A place of a run whose devices are processes, number and count; see [`Collective::connect`].
    fn connect(&self, place: (u32, u32), meeting_point: &str, timeout: Duration) -> HalResult<Arc<dyn RawCollective>> {
        let _ = (place, meeting_point, timeout);
        let what = format!("{}: collectives between processes; this driver has none", self.info().uri());
        Err(HalError::new(HalErrorKind::Unsupported, what))
    }

    /// Waits for everything queued.
    fn synchronize(&self) -> HalResult<()>;

    /// Queues a time stamp and returns its handle.
    fn record_event(&self) -> HalResult<u64>;

    /// Milliseconds between two time stamps; waits for the later one.
    fn elapsed_ms(&self, from: u64, to: u64) -> HalResult<f64>;

    fn release_event(&self, event: u64);

    fn memory(&self) -> HalResult<MemoryInfo>;

    /// Clock and power at this moment, where the driver can tell.
    fn power(&self) -> Option<PowerState> {
        None
    }

    /// Where times of what it does come from; by default its time stamps.
    fn time_source(&self) -> TimeSource {
        TimeSource::Stamps("time stamps of the queue")
    }

    /// Starts and ends keeping what each host thread does for a dispatch.
    fn keep_thread_spans(&self, keep: bool) {
        let _ = keep;
    }

    /// What the threads did since this was last asked; empty on devices that are not the host.
    fn take_thread_spans(&self) -> Vec<ThreadSpan> {
        Vec::new()
    }
}

/// A checked command list, and a place where a driver keeps what it recorded for it.
pub struct RawList {
    pub commands: Vec<RawCommand>,
    /// The driver's recording (a CUDA graph); dropped with the list.
    pub recording: std::sync::Mutex<Option<Box<dyn std::any::Any + Send>>>,
}

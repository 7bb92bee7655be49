//! The host's processor as a device: ELF images loaded from memory, workgroups over all cores.
//!
//! A kernel is `extern "C" fn(words: *const *mut u8, x: i32, y: i32, z: i32, scratch: *mut u8)`: `words` holds the
//! addresses of the bindings, then the constants as 64-bit integers; `x`, `y`, `z` are the workgroup; `scratch` is
//! the calling thread's own memory, aligned to 64 bytes. A workgroup is one call.
//!
//! Commands run inside of `submit`: when it returns they are done.

mod elf;
mod features;
mod image;
mod threads;

use std::sync::Arc;
use std::time::{Duration, Instant};

use self::image::CpuImage;
use self::threads::{Job, Threads};
use super::{host_memory, host_processes, host_team};
use crate::hal::control::{self, Queue, Step};
use crate::hal::{
    DeviceInfo, Driver, HalError, HalErrorKind, HalResult, Health, ImageKind, KernelSpec, LaunchLimits, MemoryInfo,
    OpenOptions, Place, RawCollective, RawDevice, RawExecutable, RawList, ThreadSpan, TimeSource,
};
use crate::mapping::HostBytes;

pub use self::features::host_features;

pub struct CpuDriver;

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn info() -> DeviceInfo {
    DeviceInfo {
        driver: "cpu",
        name: features::processor_name(),
        arch: std::env::consts::ARCH.to_string(),
        features: host_features(),
        memory_bytes: host_memory::memory().total,
        compute_units: cores() as u32,
        clock_mhz: features::clock_mhz(),
        limits: LaunchLimits::default(),
        driver_version: env!("CARGO_PKG_VERSION").to_string(),
        ..DeviceInfo::default()
    }
}

impl Driver for CpuDriver {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn description(&self) -> &'static str {
        "Processor of this machine, all cores"
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        vec![info()]
    }

    fn why_empty(&self) -> Option<String> {
        None
    }

    fn open(&self, _ordinal: usize, options: &OpenOptions) -> HalResult<Arc<dyn RawDevice>> {
        let threads = options.cpu_threads.unwrap_or_else(cores).clamp(1, 1024);
        let info = DeviceInfo { properties: vec![("threads", threads.to_string())], ..info() };
        let threads = Threads::start(threads)?;
        Ok(Arc::new(CpuDevice { info, health: Arc::default(), threads, start: Instant::now() }))
    }
}

struct CpuDevice {
    info: DeviceInfo,
    health: Arc<Health>,
    threads: Threads,
    start: Instant,
}

impl Queue for CpuDevice {
    fn queue(&self, step: Step<'_>) -> HalResult<()> {
        match step {
            Step::Dispatch(dispatch) => {
                let workgroups = dispatch.grid.iter().try_fold(1u64, |sum, extent| sum.checked_mul((*extent).into()));
                let workgroups = workgroups
                    .ok_or_else(|| HalError::new(HalErrorKind::Unsupported, "a grid of more than 2^64 workgroups"))?;
                self.threads.run(&Job {
                    kernel: dispatch.kernel,
                    words: &dispatch.words,
                    grid: dispatch.grid,
                    workgroups,
                    scratch_bytes: dispatch.scratch_bytes as usize,
                })?;
            }
            Step::Copy { source, target, bytes } => host_memory::copy(source, target, bytes),
            Step::Collective(exchange) => exchange.with.run(exchange)?,
            Step::Fill { target, bytes, pattern, pattern_bytes } => {
                host_memory::fill(target, bytes, pattern, pattern_bytes);
            }
        }
        Ok(())
    }

    /// Commands are done when they are queued.
    fn read_flag(&self, address: u64) -> HalResult<bool> {
        Ok(host_memory::flag(address))
    }
}

impl RawDevice for CpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn health(&self) -> &Arc<Health> {
        &self.health
    }

    fn allocate(&self, bytes: u64, _place: Place) -> HalResult<u64> {
        host_memory::allocate(bytes)
    }

    fn free(&self, address: u64, bytes: u64, _place: Place) {
        host_memory::free(address, bytes);
    }

    fn import(&self, bytes: &HostBytes) -> Option<u64> {
        Some(bytes.bytes().as_ptr() as u64)
    }

    fn image_kinds(&self) -> &'static [ImageKind] {
        &[ImageKind::CpuElf]
    }

    fn load(&self, _kind: ImageKind, image: &[u8], kernels: &[KernelSpec]) -> HalResult<Arc<dyn RawExecutable>> {
        Ok(Arc::new(CpuImage::load(image, kernels)?))
    }

    fn upload(&self, target: u64, bytes: &[u8]) -> HalResult<()> {
        host_memory::write(target, bytes);
        Ok(())
    }

    fn download(&self, source: u64, bytes: &mut [u8]) -> HalResult<()> {
        host_memory::read(source, bytes);
        Ok(())
    }

    fn submit(&self, list: &RawList, _reuse: u32) -> HalResult<()> {
        control::run(self, &list.commands)
    }

    fn join(&self, devices: &[Arc<dyn RawDevice>], timeout: Duration) -> HalResult<Vec<Arc<dyn RawCollective>>> {
        Ok(host_team::join(devices.len() as u32, timeout))
    }

    fn connect(&self, place: (u32, u32), meeting_point: &str, timeout: Duration) -> HalResult<Arc<dyn RawCollective>> {
        Ok(Arc::new(host_processes::connect(place, meeting_point, timeout)?))
    }

    fn synchronize(&self) -> HalResult<()> {
        Ok(())
    }

    fn record_event(&self) -> HalResult<u64> {
        Ok(self.start.elapsed().as_nanos() as u64)
    }

    fn elapsed_ms(&self, from: u64, to: u64) -> HalResult<f64> {
        Ok(to.saturating_sub(from) as f64 / 1e6)
    }

    fn release_event(&self, _event: u64) {}

    fn memory(&self) -> HalResult<MemoryInfo> {
        Ok(host_memory::memory())
    }

    fn time_source(&self) -> TimeSource {
        TimeSource::Host
    }

    fn keep_thread_spans(&self, keep: bool) {
        self.threads.keep_spans(keep);
    }

    fn take_thread_spans(&self) -> Vec<ThreadSpan> {
        self.threads.take_spans()
    }
}

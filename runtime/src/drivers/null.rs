//! The device that executes nothing: memory is real, copies and fills happen, kernels are only written to a log.
//! For tests of what stands above a driver, and the template for new ones.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{host_memory, host_processes, host_team};
use crate::hal::control::{self, Queue, Step};
use crate::hal::{
    DeviceInfo, Driver, EncodedMap, HalResult, Health, ImageKind, KernelSpec, LaunchLimits, MemoryInfo, OpenOptions,
    Place, RawCollective, RawDevice, RawExecutable, RawList, TensorMap, TimeSource,
};

pub struct NullDriver;

fn info() -> DeviceInfo {
    DeviceInfo {
        driver: "null",
        name: "executes nothing".to_string(),
        arch: "null".to_string(),
        compute_units: 1,
        limits: LaunchLimits {
            max_block: [1024; 3],
            max_block_threads: 1024,
            max_shared_bytes: 1 << 20,
            ..LaunchLimits::default()
        },
        memory_bytes: host_memory::memory().total,
        ..DeviceInfo::default()
    }
}

impl Driver for NullDriver {
    fn name(&self) -> &'static str {
        "null"
    }

    fn description(&self) -> &'static str {
        "Executes nothing (for tests)"
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        vec![info()]
    }

    fn why_empty(&self) -> Option<String> {
        None
    }

    fn open(&self, _ordinal: usize, _options: &OpenOptions) -> HalResult<Arc<dyn RawDevice>> {
        Ok(Arc::new(NullDevice::new(Log::default())))
    }
}

/// What a null device was asked to do, one line a call. Clones are the same log.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// The lines so far.
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A null device with a log.
pub struct NullDevice {
    info: DeviceInfo,
    health: Arc<Health>,
    log: Log,
    /// Names of all kernels loaded; a kernel's handle is its place here.
    kernels: Mutex<Vec<String>>,
    start: Instant,
}

impl NullDevice {
    pub fn new(log: Log) -> NullDevice {
        NullDevice { info: info(), health: Arc::default(), log, kernels: Mutex::default(), start: Instant::now() }
    }

    fn kernel_name(&self, handle: u64) -> String {
        let kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        kernels.get(handle as usize).cloned().unwrap_or_default()
    }
}

struct NullExecutable {
    kernels: Vec<u64>,
    kind: ImageKind,
    log: Log,
}

impl RawExecutable for NullExecutable {
    fn kernels(&self) -> &[u64] {
        &self.kernels
    }

    fn describe(&self) -> String {
        format!("{}, not executed", self.kind.name())
    }
}

impl Drop for NullExecutable {
    fn drop(&mut self) {
        self.log.add("unload".to_string());
    }
}

impl Queue for NullDevice {
    fn queue(&self, step: Step<'_>) -> HalResult<()> {
        match step {
            Step::Dispatch(dispatch) => {
                let [x, y, z] = dispatch.grid;
                let name = self.kernel_name(dispatch.kernel);
                let (words, maps) = (dispatch.words.len(), dispatch.maps.len());
                let maps = if maps == 0 { String::new() } else { format!(" and {maps} tensor maps") };
                self.log.add(format!("dispatch {name} {x} {y} {z} with {words} words{maps}"));
            }
            Step::Copy { source, target, bytes } => {
                self.log.add(format!("copy {bytes}"));
                host_memory::copy(source, target, bytes);
            }
            Step::Collective(exchange) => {
                self.log.add(format!("{exchange:?}"));
                exchange.with.run(exchange)?;
            }
            Step::Fill { target, bytes, pattern, pattern_bytes } => {
                self.log.add(format!("fill {bytes}"));
                host_memory::fill(target, bytes, pattern, pattern_bytes);
            }
        }
        Ok(())
    }

    fn read_flag(&self, address: u64) -> HalResult<bool> {
        self.log.add("look".to_string());
        Ok(host_memory::flag(address))
    }
}

impl RawDevice for NullDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn health(&self) -> &Arc<Health> {
        &self.health
    }

    fn allocate(&self, bytes: u64, place: Place) -> HalResult<u64> {
        let address = host_memory::allocate(bytes)?;
        // Nothing writes results here: they are zero rather than what was in memory before.
        host_memory::fill(address, bytes, 0, 1);
        self.log.add(format!("allocate {bytes} {place:?}"));
        Ok(address)
    }

    fn free(&self, address: u64, bytes: u64, place: Place) {
        self.log.add(format!("free {bytes} {place:?}"));
        host_memory::free(address, bytes);
    }

    fn image_kinds(&self) -> &'static [ImageKind] {
        &[ImageKind::CpuElf, ImageKind::Ptx, ImageKind::Cubin, ImageKind::Hsaco, ImageKind::SpirV]
    }

    fn load(&self, kind: ImageKind, image: &[u8], kernels: &[KernelSpec]) -> HalResult<Arc<dyn RawExecutable>> {
        self.log.add(format!("load {} {} bytes", kind.name(), image.len()));
        let mut names = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let first = names.len() as u64;
        names.extend(kernels.iter().map(|kernel| kernel.name.clone()));
        let kernels = (first..names.len() as u64).collect();
        Ok(Arc::new(NullExecutable { kernels, kind, log: self.log.clone() }))
    }

    fn encode_map(&self, map: &TensorMap, address: u64) -> HalResult<EncodedMap> {
        let dims = map.dims.iter().copied().chain([0; 4]).take(5);
        let mut words = [0; 16];
        words.iter_mut().zip(std::iter::once(address).chain(dims)).for_each(|(word, value)| *word = value);
        Ok(EncodedMap(words))
    }

    fn upload(&self, target: u64, bytes: &[u8]) -> HalResult<()> {
        self.log.add(format!("upload {}", bytes.len()));
        host_memory::write(target, bytes);
        Ok(())
    }

    fn download(&self, source: u64, bytes: &mut [u8]) -> HalResult<()> {
        self.log.add(format!("download {}", bytes.len()));
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
        self.log.add("synchronize".to_string());
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
}

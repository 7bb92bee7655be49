//! How long each kernel of a call takes, against what the device could do.
//!
//! Input: a loaded module, a function, its inputs. The function is called once, so that every buffer holds real data,
//! and its launches are kept. Each kernel is then launched many times in a row as one recorded list, with the buffers
//! of up to eight of its launches in turn, and the list is timed by the device's clock: time for one launch, in a full
//! queue. Kernels whose positions come from earlier kernels (`POSITIONED`) are launched with the buffers of their first
//! launch, after what runs before it.
//!
//! Two ceilings. *Bytes*: a plain copy that moves as many bytes as the kernel, measured in the same way in the same
//! run, so that caches and launches count on both sides; larger than `COPY_BYTES` is scaled. *Operations*: the peak of
//! the product's row, the vendor's. The kernel's possible time is the larger of both.
//!
//! Worked example, H200: a bf16 product of 4096³ moves 100.7 MB: the copy takes 23 µs; 137.4 GFLOP at 989 TFLOP/s take
//! 139 µs. Measured 172 µs: 81 % of possible, bound by operations.

use fornax_targets::amd_products::AMD_PRODUCTS;
use fornax_targets::{Backend, Product, resolve};

use super::bench::median;
use super::{DeviceTensor, Session, program_error};
use crate::errors::Result;
use crate::hal::{self, Buffer, Command, CommandList, Device, DeviceInfo, KernelResources, Place};
use crate::tensor::Tensor;

/// Heroes that store at positions which earlier kernels computed: on other data they would write anywhere.
const POSITIONED: &[&str] = &["distribute", "scatter", "sort"];
/// Launches of one kernel that take turns.
const LAUNCHES: usize = 8;
/// Time that one list should take, microseconds, and most commands of it.
const LIST_US: f64 = 2000.0;
const LIST_COMMANDS: usize = 400;
/// Timed submissions of a list; the first two record and warm up.
const ROUNDS: usize = 9;
const WARM_ROUNDS: usize = 2;
/// Largest copy measured, bytes read and written; on CPUs, whose caches are smaller; and what part of the free memory
/// it may take.
const COPY_BYTES: u64 = 1 << 30;
const CPU_COPY_BYTES: u64 = 1 << 28;
const MEMORY_PART: u64 = 4;
/// Smallest copy measured; less takes as long.
const SMALLEST_COPY_BYTES: u64 = 4 << 10;

/// One kernel of a call.
#[derive(Clone, Debug)]
pub struct KernelTime {
    /// Index into the program's kernels.
    pub kernel: usize,
    /// Launches in one call.
    pub launches: usize,
    /// Median time of a launch, microseconds.
    pub launch_us: f64,
    /// Bytes that a launch must move.
    pub bytes: u64,
    /// Time of a copy that moves as many, microseconds.
    pub copy_us: f64,
    /// Time of the operations at the product's peak, microseconds; `None` where unknown.
    pub peak_us: Option<f64>,
    pub resources: Option<KernelResources>,
}

/// All kernels of a call, the one that takes most time first.
#[derive(Clone, Debug)]
pub struct KernelBench {
    pub kernels: Vec<KernelTime>,
    /// Largest copy bandwidth seen, bytes read and written a second.
    pub copy_bytes_per_s: f64,
    /// The product whose peaks are compared with, if the device's name is one.
    pub product: Option<&'static str>,
}

impl KernelTime {
    /// The least time that the device could take, microseconds.
    pub fn possible_us(&self) -> f64 {
        self.peak_us.unwrap_or(0.0).max(self.copy_us)
    }

    /// `operations` or `bytes`: which ceiling is the lower one.
    pub fn bound(&self) -> &'static str {
        if self.peak_us.is_some_and(|peak| peak > self.copy_us) { "operations" } else { "bytes" }
    }
}

/// Measures the kernels of one call.
pub fn bench_kernels(session: &mut Session, function: &str, inputs: &[Tensor]) -> Result<KernelBench> {
    let resident = session.upload_inputs(function, inputs)?;
    session.trace = Some(Vec::new());
    let called = session.invoke_on_device(function, &resident);
    let trace = session.trace.take().unwrap_or_default();
    let outputs = called?;
    session.synchronize()?;
    let device = session.device.clone();
    let product = product(device.info());
    let part = product.map_or(1.0, |product| part_of_product(product, device.info()));
    let mut copies = Copies::new(&device)?;
    let mut kernels = Vec::new();
    for (kernel, record) in session.program.kernels.iter().enumerate() {
        let of_kernel = |command: &&Command| matches!(command, Command::Dispatch { kernel: k, .. } if *k == kernel);
        let launches: Vec<Command> = trace.iter().filter(of_kernel).cloned().collect();
        let first = trace.iter().position(|command| of_kernel(&command));
        let Some(Command::Dispatch { executable, bindings, .. }) = launches.first() else { continue };
        let bound: u64 = bindings.iter().map(|binding| binding.slice.bytes).sum();
        let bytes = if record.bytes > 0 { record.bytes } else { bound };
        let peak = product.and_then(|product| product.peak_tflops(&record.arithmetic)).map(|peak| peak * part);
        let mut turns = launches.get(..LAUNCHES.min(launches.len())).unwrap_or(&launches);
        if POSITIONED.contains(&record.hero.as_str()) {
            // What it reads must be what the kernels before it wrote: the arena holds other data by now.
            turns = launches.get(..1).unwrap_or(&launches);
            device.submit(&device.record(trace.get(..first.unwrap_or(0)).unwrap_or(&[]))?)?;
        }
        kernels.push(KernelTime {
            kernel,
            launches: launches.len(),
            launch_us: command_us(&device, turns)?,
            bytes,
            copy_us: copies.us(bytes)?,
            peak_us: peak.filter(|_| record.flops > 0).map(|peak| record.flops as f64 / peak * 1e-6),
            resources: executable.resources(kernel)?,
        });
    }
    drop(outputs);
    let total = |k: &KernelTime| k.launch_us * k.launches as f64;
    kernels.sort_by(|a, b| total(b).total_cmp(&total(a)));
    let copy_bytes_per_s = copies.best()?;
    Ok(KernelBench { kernels, copy_bytes_per_s, product: product.map(|product| product.name) })
}

/// Calls of one function, recorded to be timed again and again.
pub struct RecordedCall {
    device: Device,
    list: CommandList,
    calls: usize,
    /// Of the first set of inputs.
    pub outputs: Vec<DeviceTensor>,
}

impl RecordedCall {
    /// Calls a function with each set of inputs, and records these calls in turns, for about as long as a list should
    /// take.
    pub fn new(session: &mut Session, function: &str, sets: &[Vec<DeviceTensor>]) -> Result<RecordedCall> {
        let mut trace = Vec::new();
        let mut outputs = Vec::with_capacity(sets.len());
        for set in sets {
            session.trace = Some(std::mem::take(&mut trace));
            let called = session.invoke_on_device(function, set);
            trace = session.trace.take().unwrap_or_default();
            outputs.push(called?);
        }
        session.synchronize()?;
        let device = session.device.clone();
        let once = device.record_in_order(&trace)?;
        list_us(&device, &once)?;
        let repeats = repeats(list_us(&device, &once)?, trace.len());
        let commands: Vec<Command> = (0..repeats).flat_map(|_| trace.iter().cloned()).collect();
        let list = device.record_in_order(&commands)?;
        for _ in 0..WARM_ROUNDS {
            list_us(&device, &list)?;
        }
        Ok(RecordedCall {
            device,
            list,
            calls: repeats * sets.len().max(1),
            outputs: outputs.into_iter().next().unwrap_or_default(),
        })
    }

    /// Time of a call, microseconds: one submission of the list.
    pub fn round_us(&self) -> Result<f64> {
        Ok(list_us(&self.device, &self.list)? / self.calls as f64)
    }
}

/// The product that the device's name is, if it has a row. The product that a device is: by its name; where an AMD
/// driver only says `AMD Radeon Graphics`, the one of its chip with as many units.
fn product(info: &DeviceInfo) -> Option<&'static Product> {
    let backend = Backend::parse(info.driver).ok()?;
    let named = resolve(backend, &info.name).ok().and_then(|resolved| resolved.product);
    let chip = info.arch.split(':').next().unwrap_or_default();
    let alike = || AMD_PRODUCTS.iter().find(|p| p.arch == chip && p.compute_units == info.compute_units);
    named.or_else(|| alike().filter(|_| backend == Backend::Rocm))
}

/// The part of a product that a device is: AMD shows each die of an MI250X, and each partition of an MI300X, as a
/// device.
fn part_of_product(product: &Product, info: &DeviceInfo) -> f64 {
    match product.backend {
        Backend::Rocm if info.compute_units > 0 => {
            (f64::from(info.compute_units) / f64::from(product.compute_units.max(1))).min(1.0)
        }
        _ => 1.0,
    }
}

/// Median time of one of these commands in a full queue, one after another, microseconds.
fn command_us(device: &Device, turns: &[Command]) -> Result<f64> {
    let once = median_us(device, &device.record_in_order(turns)?)?;
    let repeats = repeats(once, turns.len());
    let commands: Vec<Command> = (0..repeats).flat_map(|_| turns.iter().cloned()).collect();
    Ok(median_us(device, &device.record_in_order(&commands)?)? / commands.len().max(1) as f64)
}

/// How often commands that take `us` together make a list of the wanted length.
fn repeats(us: f64, commands: usize) -> usize {
    let most = (LIST_COMMANDS / commands.max(1)).max(1);
    ((LIST_US / us.max(1e-3)) as usize).clamp(1, most)
}

/// Median time of a list; the first submissions record and warm up.
fn median_us(device: &Device, list: &CommandList) -> Result<f64> {
    let mut times = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        let elapsed = list_us(device, list)?;
        if round >= WARM_ROUNDS {
            times.push(elapsed);
        }
    }
    Ok(median(times))
}

/// Time of one submission of a list.
fn list_us(device: &Device, list: &CommandList) -> Result<f64> {
    let start = device.event()?;
    device.submit(list)?;
    let end = device.event()?;
    Ok(device.elapsed_ms(&start, &end)? * 1e3)
}

/// Copies of sizes that are powers of two, measured when they are asked for.
struct Copies {
    device: Device,
    /// The largest, bytes read and written.
    most: u64,
    /// Bytes read and written, microseconds.
    known: Vec<(u64, f64)>,
}

impl Copies {
    fn new(device: &Device) -> Result<Copies> {
        let wanted = if device.info().driver == "cpu" { CPU_COPY_BYTES } else { COPY_BYTES };
        let fits = (device.memory()?.free / MEMORY_PART).max(2 * SMALLEST_COPY_BYTES);
        Ok(Copies { device: device.clone(), most: wanted.min(1 << fits.ilog2()), known: Vec::new() })
    }

    /// Time of a copy that reads and writes `bytes` together: between the two measured sizes around it.
    fn us(&mut self, bytes: u64) -> Result<f64> {
        let bytes = bytes.max(SMALLEST_COPY_BYTES);
        if bytes >= self.most {
            return Ok(self.measured(self.most)? * bytes as f64 / self.most as f64);
        }
        let below = 1u64 << bytes.ilog2();
        let (low, high) = (self.measured(below)?, self.measured(below * 2)?);
        let part = (bytes - below) as f64 / below as f64;
        Ok(low + (high - low) * part)
    }

    fn measured(&mut self, bytes: u64) -> Result<f64> {
        if let Some((_, us)) = self.known.iter().find(|known| known.0 == bytes) {
            return Ok(*us);
        }
        let allocate = || -> Result<Buffer> { Ok(self.device.allocate(bytes / 2, Place::Device)?) };
        let (source, target) = (allocate()?, allocate()?);
        let noise = Command::Fill { target: source.all(), pattern: 0x9e37_79b9_7f4a_7c15, pattern_bytes: 8 };
        self.device.submit(&self.device.record(&[noise])?)?;
        let copy = hal::Command::Copy { source: source.all(), target: target.all() };
        let us = command_us(&self.device, &[copy])?;
        self.known.push((bytes, us));
        Ok(us)
    }

    /// Bytes a second of the largest copy that fits.
    fn best(&mut self) -> Result<f64> {
        self.measured(self.most)?;
        let rate = |known: &(u64, f64)| known.0 as f64 / known.1.max(1e-9) * 1e6;
        let largest = self.known.iter().max_by_key(|known| known.0);
        largest.map(rate).ok_or_else(|| program_error("no copy was measured"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amd_devices_are_products_or_parts_of_them() {
        let info = |name: &str, arch: &str, compute_units| DeviceInfo {
            driver: "rocm",
            name: name.into(),
            arch: arch.into(),
            compute_units,
            ..DeviceInfo::default()
        };
        let of = |info: &DeviceInfo| product(info).map(|product| (product.name, part_of_product(product, info)));
        let die = info("AMD Instinct MI250X", "gfx90a:sramecc+:xnack-", 110);
        assert_eq!(of(&die), Some(("mi250x", 0.5)));
        let whole = info("AMD Instinct MI300X", "gfx942:sramecc+:xnack-", 304);
        assert_eq!(of(&whole), Some(("mi300x", 1.0)));
        // The name says nothing: the chip and its units do.
        let unnamed = info("AMD Radeon Graphics", "gfx942:sramecc+:xnack-", 228);
        assert_eq!(of(&unnamed), Some(("mi300a", 1.0)));
        assert_eq!(of(&info("AMD Radeon Graphics", "gfx1250", 64)), None);
        let h200 =
            DeviceInfo { driver: "cuda", name: "NVIDIA H200".into(), compute_units: 66, ..DeviceInfo::default() };
        assert_eq!(of(&h200), Some(("h200", 1.0)));
    }
}

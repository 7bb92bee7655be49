//! How long each kernel of a call takes, against what the device could do.
//!
//! Input: a loaded module, a function, its inputs. The function is called and its launches are kept. Each kernel is
//! then launched many times in a row as one recorded list, with up to `LAUNCHES` of its launches in turn, each on
//! operands as it had them in the call ([`operands`]), and the list is timed by the device's clock: time for one
//! launch, in a full queue.
//!
//! Two ceilings. *Bytes*: a plain copy that moves as many bytes as the kernel, measured in the same way in the same
//! run, so that caches and launches count on both sides ([`copies`]); where the weights of the call are more than the
//! cache holds, theirs at the rate of memory. *Operations*: the peak of the product's row, the vendor's. The kernel's
//! possible time is the larger of both.
//!
//! Worked example, H200: a bf16 product of 4096³ moves 100.7 MB: the copy takes 23 µs; 137.4 GFLOP at 989 TFLOP/s take
//! 139 µs. Measured 172 µs: 81 % of possible, bound by operations.

mod copies;
mod operands;

use fornax_targets::amd_products::AMD_PRODUCTS;
use fornax_targets::{Backend, Product, Target, resolve};

use self::copies::Copies;
use self::operands::Operands;
use super::bench::median;
use super::{DeviceTensor, Session};
use crate::errors::Result;
use crate::hal::{Binding, Command, CommandList, Device, DeviceInfo, KernelResources};
use crate::tensor::Tensor;

/// Launches of one kernel that take turns: the weights of so many layers are more than a cache holds.
const LAUNCHES: usize = 32;
/// Time that one list should take, microseconds, and most commands of it.
const LIST_US: f64 = 2000.0;
const LIST_COMMANDS: usize = 400;
/// Timed submissions of a list; the first two record and warm up.
const ROUNDS: usize = 9;
const WARM_ROUNDS: usize = 2;
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
    /// Best rate of the large copies, bytes read and written a second.
    pub copy_bytes_per_s: f64,
    /// Launches of a call.
    pub launches: usize,
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
    let operands = Operands::new(&device, &trace);
    let streams = cache_bytes(device.info()).is_some_and(|cache| operands.constant_bytes() > cache);
    let mut kernels = Vec::new();
    for (kernel, record) in session.program.kernels.iter().enumerate() {
        let of_kernel = |command: &&Command| matches!(command, Command::Dispatch { kernel: k, .. } if *k == kernel);
        let launches = trace.iter().filter(of_kernel).count();
        let Some(Command::Dispatch { executable, bindings, .. }) = trace.iter().find(of_kernel) else { continue };
        let bound: u64 = bindings.iter().map(|binding| binding.slice.bytes).sum();
        let bytes = if record.bytes > 0 { record.bytes } else { bound };
        let constant = bindings.iter().filter(|binding: &&Binding| !operands.is_written(&binding.slice));
        let streamed = if streams { constant.map(|binding| binding.slice.bytes).sum::<u64>().min(bytes) } else { 0 };
        let peak = product.and_then(|product| product.peak_tflops(&record.arithmetic)).map(|peak| peak * part);
        let turns = operands.launches(kernel, LAUNCHES)?;
        kernels.push(KernelTime {
            kernel,
            launches,
            launch_us: command_us(&device, &turns)?,
            bytes,
            copy_us: copies.us(bytes, streamed)?,
            peak_us: peak.filter(|_| record.flops > 0).map(|peak| record.flops as f64 / peak * 1e-6),
            resources: executable.resources(kernel)?,
        });
    }
    drop(outputs);
    let total = |k: &KernelTime| k.launch_us * k.launches as f64;
    kernels.sort_by(|a, b| total(b).total_cmp(&total(a)));
    let launches = kernels.iter().map(|k| k.launches).sum();
    let copy_bytes_per_s = copies.rate()?;
    Ok(KernelBench { kernels, copy_bytes_per_s, launches, product: product.map(|product| product.name) })
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

/// Bytes of the second-level cache of the device's architecture, where its row tells.
fn cache_bytes(info: &DeviceInfo) -> Option<u64> {
    let target = Target::from_spec(&format!("{}:{}", info.driver, info.arch)).ok()?;
    Some(target.l2_bytes).filter(|bytes| *bytes > 0)
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

//! Devices: what JAX sees of each (number, kind, memory, figures), the runtime's device and the queue of its jobs.

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use fornax_runtime::hal;

use crate::api::values::MemoryStatsArgs;
use crate::api::{Handle, List, NamedValue, Text, args};
use crate::error::Result;
use crate::memory::Memory;
use crate::queue::Queue;

/// A device of a client.
pub struct Device {
    pub id: c_int,
    pub runtime: hal::Device,
    pub queue: Queue,
    pub memory: Box<Memory>,
    memories: [Handle<Memory>; 1],
    /// Its maker's name.
    kind: String,
    text: String,
    debug: String,
    /// Devices of the client that have the same memory: parts of a processor.
    sharers: u64,
    pub usage: Usage,
}

/// Bytes of arrays on a device.
#[derive(Default)]
pub struct Usage {
    now: AtomicI64,
    peak: AtomicI64,
    count: AtomicI64,
    largest: AtomicI64,
}

impl Usage {
    pub fn add(&self, bytes: i64) {
        let now = self.now.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(now, Ordering::Relaxed);
        self.largest.fetch_max(bytes, Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    pub fn remove(&self, bytes: i64) {
        self.now.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn clear(&self) {
        self.peak.store(self.now.load(Ordering::Relaxed), Ordering::Relaxed);
        self.largest.store(0, Ordering::Relaxed);
        self.count.store(0, Ordering::Relaxed);
    }
}

impl Device {
    /// The device number `id` of a client that has `count`.
    pub fn new(id: c_int, runtime: hal::Device, count: usize) -> Result<Arc<Device>> {
        let info = runtime.info();
        let queue = Queue::start(&runtime)?;
        let (kind, text) = (info.name.clone(), format!("FornaxDevice(id={id})"));
        let debug = format!("fornax:{id} ({} on {})", info.name, info.uri());
        Ok(Arc::new_cyclic(|own| {
            let memory = Box::new(Memory::new(id, own));
            let memories = [Handle::lend(&*memory)];
            let sharers = if is_on_host(&runtime) { count as u64 } else { 1 };
            Device { id, queue, memory, memories, kind, text, debug, sharers, usage: Usage::default(), runtime }
        }))
    }

    /// The device for jobs, which keep it.
    ///
    /// # Errors
    /// As [`Memory::device`].
    pub fn shared(&self) -> Result<Arc<Device>> {
        self.memory.device()
    }

    /// Its memory is that of the process.
    pub fn is_on_host(&self) -> bool {
        is_on_host(&self.runtime)
    }

    /// Bytes that arrays of this device can take in all: a part of what is free, and what they have. Parts of a
    /// processor share its memory evenly.
    fn reservable(&self, free: u64) -> i64 {
        let own = self.usage.now.load(Ordering::Relaxed);
        i64::try_from(free / self.sharers.max(1)).unwrap_or(i64::MAX).saturating_add(own)
    }
}

fn is_on_host(runtime: &hal::Device) -> bool {
    matches!(runtime.info().driver, "cpu" | "null")
}

args! {
    IntArgs { device: Handle<Device>, value: c_int }
    TruthArgs { device: Handle<Device>, value: bool }
    TextArgs { device: Handle<Device>, text: Text }
    DescriptionAttributesArgs { device: Handle<Device>, count: usize, attributes: *const NamedValue }
    DescriptionArgs { device: Handle<Device>, description: Handle<Device> }
    MemoriesArgs { device: Handle<Device>, memories: List<Handle<Memory>> }
    MemoryArgs { device: Handle<Device>, memory: Handle<Memory> }
    DeviceArgs { device: Handle<Device> }
    AttributesArgs {
        device: Handle<Device>,
        attributes: List<NamedValue>,
        keeper: *mut c_void,
        delete: unsafe extern "C" fn(*mut c_void),
    }
}

pub fn id(args: &mut IntArgs) -> Result<()> {
    args.value = args.device.get()?.id;
    Ok(())
}

/// All devices are of one process.
pub fn process_index(args: &mut IntArgs) -> Result<()> {
    args.value = 0;
    Ok(())
}

pub fn kind(args: &mut TextArgs) -> Result<()> {
    args.text = Text::lend(args.device.get()?.kind.as_bytes());
    Ok(())
}

pub fn debug_string(args: &mut TextArgs) -> Result<()> {
    args.text = Text::lend(args.device.get()?.debug.as_bytes());
    Ok(())
}

pub fn to_string(args: &mut TextArgs) -> Result<()> {
    args.text = Text::lend(args.device.get()?.text.as_bytes());
    Ok(())
}

/// Devices have no attributes: no mesh of chips is told.
pub fn description_attributes(args: &mut DescriptionAttributesArgs) -> Result<()> {
    args.device.get()?;
    (args.count, args.attributes) = (0, List::lend(&[]).pointer());
    Ok(())
}

pub fn attributes(args: &mut AttributesArgs) -> Result<()> {
    unsafe extern "C" fn delete(_: *mut c_void) {}
    args.attributes = List::lend(&[]);
    // A caller that finds no keeper does not call the function behind it.
    (args.keeper, args.delete) = (args.device.address(), delete);
    Ok(())
}

/// A device is its own description.
pub fn description(args: &mut DescriptionArgs) -> Result<()> {
    args.device.get()?;
    args.description = args.device;
    Ok(())
}

pub fn is_addressable(args: &mut TruthArgs) -> Result<()> {
    args.value = true;
    Ok(())
}

pub fn local_hardware_id(args: &mut IntArgs) -> Result<()> {
    id(args)
}

pub fn memories(args: &mut MemoriesArgs) -> Result<()> {
    args.memories = List::lend(&args.device.get()?.memories);
    Ok(())
}

pub fn default_memory(args: &mut MemoryArgs) -> Result<()> {
    args.memory = Handle::lend(&*args.device.get()?.memory);
    Ok(())
}

pub fn memory_stats(args: &mut MemoryStatsArgs) -> Result<()> {
    let device = args.device.get()?;
    let usage = &device.usage;
    args.bytes_in_use = usage.now.load(Ordering::Relaxed);
    (args.peak_bytes_in_use, args.has_peak_bytes_in_use) = (usage.peak.load(Ordering::Relaxed), true);
    (args.num_allocs, args.has_num_allocs) = (usage.count.load(Ordering::Relaxed), true);
    (args.largest_alloc_size, args.has_largest_alloc_size) = (usage.largest.load(Ordering::Relaxed), true);
    let memory = device.runtime.memory()?;
    (args.bytes_limit, args.has_bytes_limit) = (memory.total as i64, true);
    (args.bytes_reservable_limit, args.has_bytes_reservable_limit) = (device.reservable(memory.free), true);
    (args.has_bytes_reserved, args.has_peak_bytes_reserved) = (false, false);
    (args.has_largest_free_block_bytes, args.has_pool_bytes, args.has_peak_pool_bytes) = (false, false, false);
    Ok(())
}

pub fn clear_memory_stats(args: &mut DeviceArgs) -> Result<()> {
    args.device.get()?.usage.clear();
    Ok(())
}

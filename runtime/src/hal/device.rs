//! Devices, buffers, executables and command lists as callers hold them: every argument is checked here, once.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use fornax_module::collective::Collective as Operation;

use super::check_kernel::check_kernel;
use super::collective::Collective;
use super::pool::{Block, Pool};
use super::spans::Watch;
use super::{
    DeviceInfo, EncodedMap, HalError, HalErrorKind, HalResult, ImageKind, KernelResources, KernelSpec, MemoryInfo,
    MemorySpan, Place, RawCommand, RawDevice, RawDispatch, RawExecutable, RawList, TensorMap,
};
use crate::mapping::{DeviceBytes, HostBytes};

/// Kernels bind addresses that are multiples of this, bytes.
pub(crate) const BINDING_ALIGNMENT: u64 = 16;
/// Most words (bindings and constants) of one dispatch: 4 KiB of parameters on every GPU.
const MAX_WORDS: usize = 500;

/// An open device. Clones are the same device.
#[derive(Clone)]
pub struct Device {
    pub(super) raw: Arc<dyn RawDevice>,
    pub(super) pool: Arc<Pool>,
    pub(super) watch: Arc<Watch>,
}

/// Memory of a device, or host bytes that it uses in place. Clones are the same memory; the last one gives it back.
#[derive(Clone)]
pub struct Buffer(Arc<BufferInner>);

struct BufferInner {
    device: Device,
    memory: Memory,
    bytes: u64,
}

#[derive(Clone)]
pub(super) enum Memory {
    Block(Arc<Block>),
    /// Read only.
    Imported {
        address: u64,
        keep: HostBytes,
    },
    /// Read only: another library's memory on this device.
    Lent(Arc<DeviceBytes>),
}

impl Drop for BufferInner {
    fn drop(&mut self) {
        if let Memory::Block(block) = &self.memory {
            self.device.pool.give_back(block.clone());
        }
    }
}

/// A range of a buffer.
#[derive(Clone)]
pub struct BufferSlice {
    pub buffer: Buffer,
    /// Bytes from the buffer's start.
    pub offset: u64,
    pub bytes: u64,
}

/// A kernel's use of a range.
#[derive(Clone)]
pub struct Binding {
    pub slice: BufferSlice,
    /// The kernel writes to it.
    pub writes: bool,
}

/// A loaded image. Clones are the same; the last one unloads it.
#[derive(Clone)]
pub struct Executable(Arc<ExecutableInner>);

struct ExecutableInner {
    raw: Arc<dyn RawExecutable>,
    kernels: Vec<KernelSpec>,
    device: Arc<dyn RawDevice>,
}

/// Something a device does in order.
#[derive(Clone)]
pub enum Command {
    /// Launches kernel `kernel` of `executable` on `grid` workgroups; an empty grid does nothing.
    Dispatch { executable: Executable, kernel: usize, grid: [u64; 3], bindings: Vec<Binding>, constants: Vec<i64> },
    /// Copies between ranges of equal length that do not overlap.
    Copy { source: BufferSlice, target: BufferSlice },
    /// Repeats the `pattern_bytes` (1, 2, 4, 8) low bytes of `pattern`.
    Fill { target: BufferSlice, pattern: u64, pattern_bytes: u8 },
    /// Does an operation with the other devices of a run.
    Collective { with: Collective, operation: Arc<Operation>, source: BufferSlice, target: BufferSlice },
    /// Runs `condition`; while the byte `predicate` is not 0, runs `body` and `condition`. Where `guarded`, both change
    /// nothing once it is 0, and may be run more often.
    While { condition: Vec<Command>, predicate: BufferSlice, body: Vec<Command>, guarded: bool },
    /// Runs `then` if the byte `predicate` is not 0, else `otherwise`.
    If { predicate: BufferSlice, then: Vec<Command>, otherwise: Vec<Command> },
    /// Runs `body` `count` times.
    Repeat { count: u64, body: Vec<Command> },
}

/// Checked commands that can be submitted many times. Memory they name stays allocated as long as the list lives.
pub struct CommandList {
    device: Arc<dyn RawDevice>,
    pub(super) raw: RawList,
    submitted: AtomicU32,
    pub(super) used: Used,
}

/// Memory and code that commands use.
#[derive(Default)]
pub(super) struct Used {
    pub(super) memory: Vec<Memory>,
    executables: Vec<Executable>,
}

impl Used {
    /// Keeps the memory of these ranges.
    pub(super) fn keep(&mut self, slices: [&BufferSlice; 2]) {
        self.memory.extend(slices.map(|slice| slice.buffer.0.memory.clone()));
    }
}

/// A time stamp in a device's queue.
pub struct Event {
    device: Arc<dyn RawDevice>,
    raw: u64,
}

impl CommandList {
    /// Submitted more than once, so that the driver may have recorded it.
    pub fn is_reused(&self) -> bool {
        self.submitted.load(Ordering::Relaxed) > 1
    }

    /// The name of a kernel of the list by its handle.
    pub(super) fn kernel_name(&self, handle: u64) -> &str {
        let found = self.used.executables.iter().find_map(|executable| {
            let at = executable.0.raw.kernels().iter().position(|kernel| *kernel == handle)?;
            executable.0.kernels.get(at)
        });
        found.map_or("kernel", |kernel| kernel.name.as_str())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if !self.device.health().is_lost() {
            self.device.release_event(self.raw);
        }
    }
}

impl Device {
    /// Takes a driver's device.
    pub fn new(raw: Arc<dyn RawDevice>) -> Device {
        Device { raw, pool: Arc::default(), watch: Arc::default() }
    }

    pub fn info(&self) -> &DeviceInfo {
        self.raw.info()
    }

    /// Whether both are one opened device: clones of each other.
    pub fn is(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.raw, &other.raw)
    }

    /// The error of the loss, if the device is lost.
    pub fn health(&self) -> HalResult<()> {
        self.raw.health().check()
    }

    /// Image kinds the device takes, best first.
    pub fn image_kinds(&self) -> &'static [ImageKind] {
        self.raw.image_kinds()
    }

    /// Free and total memory.
    pub fn memory(&self) -> HalResult<MemoryInfo> {
        self.call(|raw| raw.memory())
    }

    /// `bytes` of uninitialised memory; zero is allowed. Aligned to 256 bytes (128 on OpenCL, 64 on the host).
    pub fn allocate(&self, bytes: u64, place: Place) -> HalResult<Buffer> {
        if bytes > i64::MAX as u64 {
            return Err(HalError::new(
                HalErrorKind::OutOfMemory { requested: bytes, free: None },
                "allocating a buffer",
            ));
        }
        self.health()?;
        let block = self.pool.take(&self.raw, bytes, place).map_err(|error| self.raw.health().note(error))?;
        Ok(self.buffer(Memory::Block(block), bytes))
    }

    pub(super) fn buffer(&self, memory: Memory, bytes: u64) -> Buffer {
        Buffer(Arc::new(BufferInner { device: self.clone(), memory, bytes }))
    }

    /// Loads an image and finds its kernels.
    pub fn load(&self, kind: ImageKind, image: &[u8], kernels: &[KernelSpec]) -> HalResult<Executable> {
        let info = self.info();
        if !self.image_kinds().contains(&kind) {
            let what = format!("{} takes no {} image", info.uri(), kind.name());
            return Err(HalError::new(HalErrorKind::Unsupported, what));
        }
        if image.is_empty() {
            return Err(HalError::new(HalErrorKind::BadImage, "the image is empty"));
        }
        // CUDA takes PTX without a length: it must end where its one NUL is.
        let nul = image.iter().position(|byte| *byte == 0);
        if kind == ImageKind::Ptx && nul != Some(image.len() - 1) {
            return Err(HalError::new(HalErrorKind::BadImage, "PTX must end with its only NUL byte"));
        }
        for kernel in kernels {
            check_kernel(kernel, info)?;
        }
        self.watch.forget_names();
        let what = format!("load {}", kind.name());
        let raw =
            self.host_span(&what, Some(image.len() as u64), || self.call(|raw| raw.load(kind, image, kernels)))?;
        if raw.kernels().len() != kernels.len() {
            return Err(HalError::new(HalErrorKind::Internal, "the driver returned another number of kernels"));
        }
        Ok(Executable(Arc::new(ExecutableInner { raw, kernels: kernels.to_vec(), device: self.raw.clone() })))
    }

    /// Checks commands and makes a list of them. Launches that share no byte that one of them writes may run together.
    pub fn record(&self, commands: &[Command]) -> HalResult<CommandList> {
        let mut used = Used::default();
        let commands = self.check_all(commands, &mut used)?;
        Ok(self.list(commands, used))
    }

    /// The same, but each launch (outside of loops and branches) waits for the one before it, whatever it touches: a
    /// list to be timed.
    pub fn record_in_order(&self, commands: &[Command]) -> HalResult<CommandList> {
        let mut used = Used::default();
        let mut commands = self.check_all(commands, &mut used)?;
        for command in &mut commands {
            if let RawCommand::Dispatch(dispatch) = command {
                let mut spans = dispatch.spans.to_vec();
                // No buffer is there.
                spans.push(MemorySpan { address: 0, bytes: 1, writes: true });
                dispatch.spans = spans.into();
            }
        }
        Ok(self.list(commands, used))
    }

    fn list(&self, commands: Vec<RawCommand>, used: Used) -> CommandList {
        CommandList {
            device: self.raw.clone(),
            raw: RawList { commands, recording: Mutex::new(None) },
            submitted: AtomicU32::new(0),
            used,
        }
    }

    /// Queues a list that this device recorded.
    pub fn submit(&self, list: &CommandList) -> HalResult<()> {
        if !Arc::ptr_eq(&list.device, &self.raw) {
            return Err(HalError::invalid("a command list of another device"));
        }
        if list.raw.commands.is_empty() {
            return self.health();
        }
        if self.watch.is_on() {
            return self.submit_observed(list);
        }
        let reuse = list.submitted.fetch_add(1, Ordering::Relaxed);
        self.call(|raw| raw.submit(&list.raw, reuse))
    }

    /// Tells the driver that more lists with these commands will come, on other memory of which the same ranges
    /// overlap: what it recorded of `from`, which is not submitted any more, may become that of `list`.
    pub fn rebind(&self, list: &CommandList, from: Option<&CommandList>) -> HalResult<()> {
        let is_own = |list: &CommandList| Arc::ptr_eq(&list.device, &self.raw);
        if !is_own(list) || !from.is_none_or(is_own) {
            return Err(HalError::invalid("a command list of another device"));
        }
        if self.call(|raw| raw.rebind(&list.raw, from.map(|from| &from.raw)))? {
            list.submitted.fetch_max(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Waits for everything queued.
    pub fn synchronize(&self) -> HalResult<()> {
        self.host_span("wait", None, || self.call(|raw| raw.synchronize()))?;
        self.pool.synchronized();
        if self.watch.is_on() { self.settle_spans() } else { Ok(()) }
    }

    /// Gives free pooled memory back to the driver; returns its bytes.
    pub fn trim(&self) -> u64 {
        self.pool.trim()
    }

    /// Queues a time stamp.
    pub fn event(&self) -> HalResult<Event> {
        let raw = self.call(|raw| raw.record_event())?;
        Ok(Event { device: self.raw.clone(), raw })
    }

    /// Milliseconds between two events; waits for the later one.
    pub fn elapsed_ms(&self, from: &Event, to: &Event) -> HalResult<f64> {
        self.call(|raw| raw.elapsed_ms(from.raw, to.raw))
    }

    /// A call into the driver, unless the device is lost; a loss is remembered.
    pub(super) fn call<T>(&self, f: impl FnOnce(&dyn RawDevice) -> HalResult<T>) -> HalResult<T> {
        self.health()?;
        f(&*self.raw).map_err(|error| self.raw.health().note(error))
    }

    /// The address of a range of one of this device's buffers.
    pub(super) fn range(&self, slice: &BufferSlice, writes: bool) -> HalResult<u64> {
        let inner = &slice.buffer.0;
        if !Arc::ptr_eq(&inner.device.raw, &self.raw) {
            return Err(HalError::invalid("a buffer of another device"));
        }
        let end = slice.offset.checked_add(slice.bytes);
        if end.is_none_or(|end| end > inner.bytes) {
            let what = format!("bytes {}+{} of a buffer of {} bytes", slice.offset, slice.bytes, inner.bytes);
            return Err(HalError::invalid(what));
        }
        if writes && slice.buffer.is_read_only() {
            return Err(HalError::invalid("a write to a read-only buffer"));
        }
        Ok(slice.buffer.address() + slice.offset)
    }

    fn check_all(&self, commands: &[Command], used: &mut Used) -> HalResult<Vec<RawCommand>> {
        let mut checked = Vec::with_capacity(commands.len());
        for command in commands {
            checked.extend(self.check(command, used)?);
        }
        Ok(checked)
    }

    /// The command as drivers get it; `None` if it does nothing.
    fn check(&self, command: &Command, used: &mut Used) -> HalResult<Option<RawCommand>> {
        Ok(match command {
            Command::Dispatch { executable, kernel, grid, bindings, constants } => {
                let words = self.check_bindings(bindings, constants)?;
                let dispatch = self.check_dispatch(executable, *kernel, *grid, bindings, words)?;
                used.memory.extend(bindings.iter().map(|binding| binding.slice.buffer.0.memory.clone()));
                if !used.executables.iter().any(|other| Arc::ptr_eq(&other.0, &executable.0)) {
                    used.executables.push(executable.clone());
                }
                dispatch.map(RawCommand::Dispatch)
            }
            Command::Copy { source, target } => {
                let (from, to) = (self.range(source, false)?, self.range(target, true)?);
                let bytes = source.bytes;
                if bytes != target.bytes {
                    return Err(HalError::invalid(format!("copy of {bytes} bytes to {} bytes", target.bytes)));
                }
                let onto_itself = from == to;
                if !onto_itself && bytes > 0 && from < to + bytes && to < from + bytes {
                    return Err(HalError::invalid("copy between ranges that overlap"));
                }
                used.keep([source, target]);
                (bytes > 0 && !onto_itself).then_some(RawCommand::Copy { source: from, target: to, bytes })
            }
            Command::Collective { with, operation, source, target } => {
                self.check_collective((with, operation), (source, target), used)?
            }
            Command::Fill { target, pattern, pattern_bytes } => {
                let address = self.range(target, true)?;
                let width = u64::from(*pattern_bytes);
                if ![1, 2, 4, 8].contains(&width) || target.bytes % width != 0 || address % width != 0 {
                    let what = format!("fill of {} bytes at {address:#x} by {width} bytes", target.bytes);
                    return Err(HalError::invalid(what));
                }
                used.memory.push(target.buffer.0.memory.clone());
                let (bytes, pattern_bytes) = (target.bytes, *pattern_bytes);
                let pattern = pattern & (u64::MAX >> (64 - 8 * width));
                (bytes > 0).then_some(RawCommand::Fill { target: address, bytes, pattern, pattern_bytes })
            }
            Command::While { condition, predicate, body, guarded } => Some(RawCommand::While {
                condition: self.check_all(condition, used)?,
                predicate: self.check_flag(predicate, used)?,
                body: self.check_all(body, used)?,
                guarded: *guarded,
            }),
            Command::If { predicate, then, otherwise } => {
                let predicate = self.check_flag(predicate, used)?;
                let (then, otherwise) = (self.check_all(then, used)?, self.check_all(otherwise, used)?);
                let empty = then.is_empty() && otherwise.is_empty();
                (!empty).then_some(RawCommand::If { predicate, then, otherwise })
            }
            Command::Repeat { count, body } => {
                let body = self.check_all(body, used)?;
                (*count > 0 && !body.is_empty()).then_some(RawCommand::Repeat { count: *count, body })
            }
        })
    }

    /// The address of a byte that decides.
    fn check_flag(&self, flag: &BufferSlice, used: &mut Used) -> HalResult<u64> {
        if flag.bytes != 1 {
            return Err(HalError::invalid(format!("a predicate of {} bytes", flag.bytes)));
        }
        used.memory.push(flag.buffer.0.memory.clone());
        self.range(flag, false)
    }

    fn check_bindings(&self, bindings: &[Binding], constants: &[i64]) -> HalResult<Box<[u64]>> {
        if bindings.len() + constants.len() > MAX_WORDS {
            return Err(HalError::invalid(format!("a dispatch with more than {MAX_WORDS} bindings and constants")));
        }
        let mut words = Vec::with_capacity(bindings.len() + constants.len());
        for binding in bindings {
            let address = self.range(&binding.slice, binding.writes)?;
            if address % BINDING_ALIGNMENT != 0 {
                let what = format!("a binding at offset {}: not a multiple of 16", binding.slice.offset);
                return Err(HalError::invalid(what));
            }
            words.push(address);
        }
        words.extend(constants.iter().map(|constant| *constant as u64));
        Ok(words.into_boxed_slice())
    }

    fn check_dispatch(
        &self,
        executable: &Executable,
        kernel: usize,
        grid: [u64; 3],
        bindings: &[Binding],
        words: Box<[u64]>,
    ) -> HalResult<Option<RawDispatch>> {
        if !Arc::ptr_eq(&executable.0.device, &self.raw) {
            return Err(HalError::invalid("an executable of another device"));
        }
        let (Some(spec), Some(handle)) = (executable.0.kernels.get(kernel), executable.0.raw.kernels().get(kernel))
        else {
            return Err(HalError::invalid(format!("no kernel {kernel} in the executable")));
        };
        if spec.bindings as usize != bindings.len() {
            let what = format!("kernel {} takes {} bindings, not {}", spec.name, spec.bindings, bindings.len());
            return Err(HalError::invalid(what));
        }
        if grid.contains(&0) {
            return Ok(None);
        }
        let limits = self.info().limits.max_grid;
        if grid.iter().zip(limits).any(|(extent, limit)| *extent > u64::from(limit)) {
            let what = format!("kernel {}: a grid of {grid:?} workgroups, the device takes {limits:?}", spec.name);
            return Err(HalError::invalid(what));
        }
        if grid.iter().zip(spec.cluster).any(|(extent, cluster)| extent % u64::from(cluster.max(1)) != 0) {
            let what = format!("kernel {}: a grid of {grid:?} has no clusters of {:?}", spec.name, spec.cluster);
            return Err(HalError::invalid(what));
        }
        let maps = self.encode_maps(spec, bindings, &words)?;
        let spans = bindings.iter().zip(&*words).map(|(binding, &at)| MemorySpan::of(binding, at)).collect();
        let words = kernel_words(spec, bindings.len(), words);
        Ok(Some(RawDispatch {
            kernel: *handle,
            // Checked above against limits of 32 bits.
            grid: grid.map(|extent| extent as u32),
            block: spec.block,
            dynamic_shared_bytes: spec.dynamic_shared_bytes,
            scratch_bytes: spec.scratch_bytes,
            awaits: spec.awaits,
            bindings: bindings.len(),
            words,
            maps,
            spans,
        }))
    }

    /// The tensor maps of a kernel over its bindings, once for all submissions of the list.
    fn encode_maps(&self, spec: &KernelSpec, bindings: &[Binding], words: &[u64]) -> HalResult<Box<[EncodedMap]>> {
        let encode = |map: &TensorMap| {
            let wrong = |why: &str| HalError::invalid(format!("kernel {}: a tensor map {why}", spec.name));
            map.check(spec.bindings).map_err(|why| wrong(&format!("that no device takes: {why}")))?;
            let at = map.binding as usize;
            let found = bindings.get(at).zip(words.get(at));
            let (binding, address) = found.ok_or_else(|| wrong("of a binding that is not there"))?;
            let constants = words.get(bindings.len()..).unwrap_or_default();
            let (map, filled) = map.of_call(constants).map_err(|why| wrong(&format!("that no device takes: {why}")))?;
            map.check(spec.bindings).map_err(|why| wrong(&format!("that no device takes: {why}")))?;
            if filled && map.extent_bytes().is_none_or(|extent| extent > binding.slice.bytes) {
                return Err(wrong("reaches beyond its binding"));
            }
            self.call(|raw| raw.encode_map(&map, address + map.offset_bytes))
        };
        spec.tensor_maps.iter().map(encode).collect()
    }
}

/// The words that the kernel itself takes: constants from the first on that a tensor map names are the maps' alone.
fn kernel_words(spec: &KernelSpec, bindings: usize, words: Box<[u64]>) -> Box<[u64]> {
    let sizes = spec.tensor_maps.iter().flat_map(|map| &map.sizes);
    match sizes.map(|size| size.constant as usize).min() {
        None => words,
        Some(own) => words.iter().copied().take(bindings + own).collect(),
    }
}

impl Buffer {
    /// The device that it belongs to.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Length in bytes.
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// The whole buffer.
    pub fn all(&self) -> BufferSlice {
        BufferSlice { buffer: self.clone(), offset: 0, bytes: self.0.bytes }
    }

    /// A range; checked when it is used.
    pub fn slice(&self, offset: u64, bytes: u64) -> BufferSlice {
        BufferSlice { buffer: self.clone(), offset, bytes }
    }

    /// The device's address of the first byte. Equal addresses of live buffers mean equal memory.
    pub fn address(&self) -> u64 {
        match &self.0.memory {
            Memory::Block(block) => block.address,
            Memory::Imported { address, keep } => {
                debug_assert!(keep.bytes().as_ptr() as u64 == *address);
                *address
            }
            Memory::Lent(bytes) => bytes.address(),
        }
    }

    /// Host bytes used in place: kernels may not write to it.
    pub fn is_read_only(&self) -> bool {
        !matches!(self.0.memory, Memory::Block(_))
    }
}

impl Executable {
    /// What was loaded, for people.
    pub fn describe(&self) -> String {
        self.0.raw.describe()
    }

    /// What a kernel takes of the device; `None` where the driver does not tell.
    pub fn resources(&self, kernel: usize) -> HalResult<Option<KernelResources>> {
        self.0.raw.resources(kernel)
    }

    /// The kernels, in the order asked for.
    pub fn kernels(&self) -> &[KernelSpec] {
        &self.0.kernels
    }
}

//! The state of a double: devices, objects, queues, counts.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde_json::json;

use crate::code;
use crate::config::Config;
use crate::entry::current;
use crate::memory::{Memory, Place};
use crate::queue::{Event, Fill, Launch, Operation, Stream};
use crate::set_arguments::Arguments;

/// Calls and launches kept by name; later ones are only counted.
const JOURNAL: usize = 20_000;

/// Reads images and runs kernels for one kind of device.
pub trait Executor: Send {
    /// Reads an image for a device of `arch`; the code says why it is refused.
    fn load(&self, image: &[u8], arch: &str) -> Result<Image, i32>;

    /// Checks a launch when it is queued; the code is the driver's answer.
    fn check(&self, image: &Image, kernel: usize, launch: &Launch) -> Result<(), i32>;

    /// Runs a launch to its end; without more, kernels are not executed. The text says what went wrong on the device.
    fn run(
        &self,
        image: &Image,
        kernel: usize,
        launch: &Launch,
        memory: &Memory,
        _config: &Config,
    ) -> Result<(), String> {
        let kernel = image.kernels.get(kernel).ok_or("no such kernel")?;
        kernel.pretend(launch, memory)
    }
}

/// A loaded image.
pub struct Image {
    pub kernels: Vec<KernelInfo>,
    pub payload: Box<dyn std::any::Any + Send>,
}

/// A kernel of an image.
#[derive(Clone, Debug, Default)]
pub struct KernelInfo {
    pub name: String,
    /// Bytes of each argument.
    pub arguments: Vec<usize>,
    /// Arguments that are addresses, by position.
    pub addresses: Vec<usize>,
}

impl KernelInfo {
    /// What a launch does whose kernel is not executed: an error unless each argument that is an address lies in live
    /// memory; a zero is left there, so that loops that the data decide come to an end.
    pub fn pretend(&self, launch: &Launch, memory: &Memory) -> Result<(), String> {
        let mut at = 0;
        for (index, bytes) in self.arguments.iter().enumerate() {
            let field = launch.arguments.get(at..at + 8).and_then(|field| field.try_into().ok());
            let address = field.map(u64::from_le_bytes).ok_or("too few arguments")?;
            if self.addresses.contains(&index) {
                let (start, _, words) = memory
                    .words(address)
                    .ok_or_else(|| format!("argument {index} is {address:#x}, which is no live memory"))?;
                let offset = address - start;
                if let Some(word) = words.get((offset / 4) as usize) {
                    word.fetch_and(!(0xFF << (8 * (offset % 4))), Ordering::Relaxed);
                }
            }
            at += bytes;
        }
        Ok(())
    }
}

/// A device that does not exist.
pub struct Device {
    pub arch: String,
    /// The code that it answers for ever.
    pub lost: Option<i32>,
}

/// Something with a handle.
pub enum Object {
    /// A primary context and how often it is retained.
    Context {
        device: usize,
        retained: u32,
    },
    Stream(Box<StreamObject>),
    Event(Box<EventObject>),
    Module {
        device: usize,
        image: Image,
    },
    Function {
        module: u64,
        kernel: usize,
    },
    /// A function with arguments of its own, which must be released.
    Kernel {
        device: usize,
        function: u64,
        arguments: Arguments,
    },
    /// `parent` is the graph in whose conditional node this one is a body.
    Graph {
        device: usize,
        operations: Vec<Operation>,
        parent: Option<u64>,
    },
    GraphExec {
        device: usize,
        operations: Vec<Operation>,
    },
}

/// A stream's state, which only this crate reads.
pub struct StreamObject(Stream);
/// An event's state, which only this crate reads.
pub struct EventObject(Event);

/// Everything of a double.
pub struct World {
    pub config: Config,
    pub devices: Vec<Device>,
    pub memory: Memory,
    /// The release under way is to fail.
    pub failing: bool,
    name: &'static str,
    executor: Box<dyn Executor>,
    pub(crate) objects: BTreeMap<u64, Object>,
    next_handle: u64,
    calls: u64,
    by_name: BTreeMap<&'static str, u64>,
    journal: Vec<&'static str>,
    violations: Vec<String>,
    launches: Vec<String>,
    after_loss: u64,
    started: Instant,
}

impl World {
    pub fn new(name: &'static str, config: Config, executor: Box<dyn Executor>) -> World {
        let devices: Vec<Device> = config.arches.iter().map(|arch| Device { arch: arch.clone(), lost: None }).collect();
        World {
            memory: Memory::new(devices.len()),
            config,
            devices,
            failing: false,
            name,
            executor,
            objects: BTreeMap::new(),
            next_handle: 0x10_0000,
            calls: 0,
            by_name: BTreeMap::new(),
            journal: Vec::new(),
            violations: Vec::new(),
            launches: Vec::new(),
            after_loss: 0,
            started: Instant::now(),
        }
    }

    /// Counts a call; the code it is made to fail with.
    pub fn count(&mut self, name: &'static str) -> Option<i32> {
        self.calls += 1;
        let of_name = self.by_name.entry(name).or_default();
        *of_name += 1;
        if self.journal.len() < JOURNAL {
            self.journal.push(name);
        }
        let code = self.config.faults.code(name, *of_name, self.calls)?;
        if code::is_sticky(code) {
            self.lose_current(code);
        }
        Some(code)
    }

    /// Loses the thread's device; all where it has none yet.
    pub fn lose_current(&mut self, code: i32) {
        match current() {
            Some(device) => self.lose(device, code),
            None => (0..self.devices.len()).for_each(|device| self.lose(device, code)),
        }
    }

    /// Remembers a broken rule and prints it.
    pub fn violate(&mut self, what: impl Into<String>) {
        let what = what.into();
        eprintln!("{}: {what}", self.name);
        self.violations.push(what);
    }

    fn lose(&mut self, device: usize, code: i32) {
        if let Some(device) = self.devices.get_mut(device) {
            device.lost.get_or_insert(code);
        }
    }

    /// The thread's device; its code if it is lost.
    pub fn device(&mut self) -> Result<usize, i32> {
        let device = current().ok_or(code::INVALID_CONTEXT)?;
        self.check_device(device)?;
        Ok(device)
    }

    fn check_device(&mut self, device: usize) -> Result<(), i32> {
        match self.devices.get(device).map(|device| device.lost) {
            Some(None) => Ok(()),
            Some(Some(code)) => {
                self.after_loss += 1;
                Err(code)
            }
            None => Err(code::INVALID_DEVICE),
        }
    }

    /// A device by number.
    pub fn ordinal(&self, device: i32) -> Result<usize, i32> {
        usize::try_from(device).ok().filter(|device| *device < self.devices.len()).ok_or(code::INVALID_DEVICE)
    }

    pub(crate) fn insert(&mut self, object: Object) -> u64 {
        self.next_handle += 16;
        self.objects.insert(self.next_handle, object);
        self.next_handle
    }

    /// The device that an object with this handle belongs to.
    pub fn device_of(&self, handle: u64) -> Option<usize> {
        Some(match self.objects.get(&handle)? {
            Object::Context { device, .. }
            | Object::Module { device, .. }
            | Object::Kernel { device, .. }
            | Object::Graph { device, .. }
            | Object::GraphExec { device, .. } => *device,
            Object::Stream(stream) => stream.0.device,
            Object::Event(event) => event.0.device,
            Object::Function { module, .. } => return self.device_of(*module),
        })
    }

    /// Looks a handle up; a wrong one is a broken rule.
    pub(crate) fn object(&mut self, handle: u64, what: &str) -> Result<&mut Object, i32> {
        if !self.objects.contains_key(&handle) {
            self.violate(format!("{what}: {handle:#x} is no live handle"));
        }
        self.objects.get_mut(&handle).ok_or(code::INVALID_HANDLE)
    }

    // Contexts.

    /// The live context of a device and how often it is retained.
    fn primary_context(&mut self, wanted: usize) -> Option<(u64, &mut u32)> {
        self.objects.iter_mut().find_map(|(handle, object)| match object {
            Object::Context { device, retained } if *device == wanted => Some((*handle, retained)),
            _ => None,
        })
    }

    /// Retains a device's primary context.
    pub fn retain_context(&mut self, device: usize) -> Result<u64, i32> {
        self.check_device(device)?;
        if let Some((handle, retained)) = self.primary_context(device) {
            *retained += 1;
            return Ok(handle);
        }
        Ok(self.insert(Object::Context { device, retained: 1 }))
    }

    /// Releases a device's primary context.
    pub fn release_context(&mut self, device: usize) -> Result<(), i32> {
        let Some((handle, retained)) = self.primary_context(device) else {
            self.violate("release of a context that nobody retains");
            return Err(code::INVALID_CONTEXT);
        };
        *retained -= 1;
        if *retained == 0 {
            self.objects.remove(&handle);
        }
        Ok(())
    }

    /// The device of a context.
    pub fn context_device(&mut self, handle: u64) -> Result<usize, i32> {
        match self.object(handle, "a context") {
            Ok(Object::Context { device, .. }) => Ok(*device),
            _ => Err(code::INVALID_CONTEXT),
        }
    }

    // Memory.

    /// Takes memory of the current device.
    pub fn allocate(&mut self, pinned: bool, bytes: u64) -> Result<u64, i32> {
        let device = self.device()?;
        let place = if pinned { Place::Pinned(device) } else { Place::Device(device) };
        self.memory.allocate(place, bytes, self.config.memory, self.config.poison)
    }

    /// Waits for the device, then gives memory back.
    pub fn free(&mut self, address: u64, pinned: bool) -> Result<(), i32> {
        if address == 0 {
            return Ok(());
        }
        let device = self.device()?;
        let waited = self.run_device(device);
        if let Err(what) = self.memory.free(address, pinned) {
            self.violate(what);
            return Err(code::INVALID_VALUE);
        }
        waited
    }

    // Streams and events.

    pub fn new_stream(&mut self) -> Result<u64, i32> {
        let device = self.device()?;
        Ok(self.insert(Object::Stream(Box::new(StreamObject(Stream { device, ..Stream::default() })))))
    }

    pub(crate) fn stream(&mut self, handle: u64) -> Result<&mut Stream, i32> {
        match self.object(handle, "a stream")? {
            Object::Stream(stream) => Ok(&mut stream.0),
            _ => Err(code::INVALID_HANDLE),
        }
    }

    /// An error unless this is a stream.
    pub fn check_stream(&mut self, handle: u64) -> Result<(), i32> {
        self.stream(handle).map(drop)
    }

    /// Lets a stream finish and removes it.
    pub fn destroy_stream(&mut self, handle: u64) -> Result<(), i32> {
        self.device()?;
        let finished = self.run(handle, None);
        self.stream(handle)?;
        self.objects.remove(&handle);
        finished
    }

    /// Queues work, or records it while the stream captures.
    pub fn enqueue(&mut self, stream: u64, operation: Operation) -> Result<(), i32> {
        let device = self.device()?;
        let found = self.stream(stream)?;
        if found.device != device {
            self.violate("work for a stream of another device than the current one");
            return Err(code::INVALID_HANDLE);
        }
        match &mut found.capture {
            Some(recorded) => recorded.push(operation),
            None => {
                if let Operation::Record(event) = operation {
                    self.event(event)?.pending = Some(stream);
                }
                self.stream(stream)?.queue.push_back(operation);
            }
        }
        Ok(())
    }

    pub fn new_event(&mut self) -> Result<u64, i32> {
        let device = self.device()?;
        Ok(self.insert(Object::Event(Box::new(EventObject(Event { device, ..Event::default() })))))
    }

    fn event(&mut self, handle: u64) -> Result<&mut Event, i32> {
        match self.object(handle, "an event")? {
            Object::Event(event) => Ok(&mut event.0),
            _ => Err(code::INVALID_HANDLE),
        }
    }

    pub fn destroy_event(&mut self, handle: u64) -> Result<(), i32> {
        self.device()?;
        self.event(handle)?;
        self.objects.remove(&handle);
        Ok(())
    }

    /// Runs what lies before an event.
    pub fn wait_event(&mut self, handle: u64) -> Result<(), i32> {
        self.device()?;
        match self.event(handle)?.pending {
            Some(stream) => self.run(stream, Some(handle)),
            None => Ok(()),
        }
    }

    /// Whether nothing lies before an event; nothing is run.
    pub fn look_at_event(&mut self, handle: u64) -> Result<(), i32> {
        self.device()?;
        self.event(handle)?.pending.map_or(Ok(()), |_| Err(code::NOT_READY))
    }

    /// Milliseconds between two events that have happened.
    pub fn elapsed(&mut self, from: u64, to: u64) -> Result<f32, i32> {
        let (from, to) = (self.event(from)?.at, self.event(to)?.at);
        let (from, to) = from.zip(to).ok_or(code::INVALID_HANDLE)?;
        Ok(to.saturating_duration_since(from).as_secs_f32() * 1e3)
    }

    /// When an event happened, nanoseconds after the start; `None` before.
    pub fn happened_ns(&mut self, event: u64) -> Result<Option<u64>, i32> {
        self.device()?;
        let started = self.started;
        Ok(self.event(event)?.at.map(|at| at.saturating_duration_since(started).as_nanos() as u64))
    }

    /// Runs a stream to its end.
    pub fn synchronize(&mut self, stream: u64) -> Result<(), i32> {
        self.device()?;
        if self.stream(stream)?.capture.is_some() {
            self.violate("a wait for a stream that captures");
            return Err(code::CAPTURE_UNSUPPORTED);
        }
        self.run(stream, None)
    }

    /// Runs all streams of a device to their ends.
    pub fn run_device(&mut self, device: usize) -> Result<(), i32> {
        let is_it = |row: &(&u64, &Object)| matches!(row.1, Object::Stream(stream) if stream.0.device == device);
        let streams: Vec<u64> = self.objects.iter().filter(is_it).map(|(handle, _)| *handle).collect();
        streams.into_iter().try_for_each(|stream| self.run(stream, None))
    }

    /// Runs a stream's work up to an event, or all of it.
    fn run(&mut self, stream: u64, until: Option<u64>) -> Result<(), i32> {
        let device = self.stream(stream)?.device;
        while let Some(operation) = self.stream(stream)?.queue.pop_front() {
            let reached = matches!(&operation, Operation::Record(event) if Some(*event) == until);
            if let Err((code, what)) = self.execute(operation) {
                self.violate(what);
                self.lose(device, code);
                self.stream(stream)?.queue.clear();
                return Err(code);
            }
            if reached {
                break;
            }
        }
        Ok(())
    }

    fn execute(&mut self, operation: Operation) -> Result<(), (i32, String)> {
        let bad_address = |what: String| (code::ILLEGAL_ADDRESS, what);
        match operation {
            Operation::Copy { target, source, bytes } => {
                // SAFETY: host ranges are those of the call that queued the copy; the caller keeps them until it has
                // waited.
                unsafe { self.memory.copy(target, source, bytes) }
                    .map_err(|what| bad_address(format!("a copy: {what}")))
            }
            Operation::Fill(fill) => self.fill(&fill).map_err(|what| bad_address(format!("a fill: {what}"))),
            Operation::Free(address) => self.memory.free(address, false).map_err(bad_address),
            Operation::Record(event) => {
                // An event may be destroyed before it happens.
                if let Some(Object::Event(event)) = self.objects.get_mut(&event) {
                    (event.0.at, event.0.pending) = (Some(Instant::now()), None);
                }
                Ok(())
            }
            Operation::Launch(launch) => self.execute_launch(&launch),
        }
    }

    fn fill(&mut self, fill: &Fill) -> Result<(), String> {
        let pattern = fill.pattern.get(..fill.width).unwrap_or_default();
        if fill.stride == fill.width as u64 {
            return self.memory.write(fill.target, &pattern.repeat(fill.count as usize));
        }
        (0..fill.count).try_for_each(|at| self.memory.write(fill.target + at * fill.stride, pattern))
    }

    fn execute_launch(&mut self, launch: &Launch) -> Result<(), (i32, String)> {
        let gone = |what: &str| (code::ILLEGAL_ADDRESS, format!("a launch whose {what} was unloaded before it ran"));
        let Some(Object::Function { module, kernel }) = self.objects.get(&launch.function) else {
            return Err(gone("kernel"));
        };
        let Some(Object::Module { image, .. }) = self.objects.get(module) else { return Err(gone("module")) };
        let name = image.kernels.get(*kernel).map_or("?", |kernel| kernel.name.as_str());
        if self.launches.len() < JOURNAL {
            self.launches.push(format!("{name} {:?}", launch.grid));
        }
        let failed = |what: String| (code::LAUNCH_FAILED, format!("kernel {name}: {what}"));
        if !self.config.execute {
            let kernel = image.kernels.get(*kernel).ok_or(gone("kernel"))?;
            return kernel.pretend(launch, &self.memory).map_err(failed);
        }
        self.executor.run(image, *kernel, launch, &self.memory, &self.config).map_err(failed)
    }

    // Code.

    /// Loads an image on the current device.
    pub fn load_module(&mut self, image: &[u8]) -> Result<u64, i32> {
        let device = self.device()?;
        let arch = self.devices.get(device).map(|device| device.arch.clone()).unwrap_or_default();
        let image = self.executor.load(image, &arch)?;
        Ok(self.insert(Object::Module { device, image }))
    }

    /// Removes a module and its functions; work that still needs it is a broken rule.
    pub fn unload_module(&mut self, handle: u64) -> Result<(), i32> {
        self.device()?;
        if !matches!(self.object(handle, "a module")?, Object::Module { .. }) {
            return Err(code::INVALID_HANDLE);
        }
        let of_module = |row: &(&u64, &Object)| matches!(row.1, Object::Function { module, .. } if *module == handle);
        let functions: Vec<u64> = self.objects.iter().filter(of_module).map(|(function, _)| *function).collect();
        let queued = |object: &Object| match object {
            Object::Stream(stream) => stream.0.queue.iter().any(
                |operation| matches!(operation, Operation::Launch(launch) if functions.contains(&launch.function)),
            ),
            _ => false,
        };
        if self.objects.values().any(queued) {
            self.violate("a module is unloaded before its kernels have run");
        }
        self.objects.remove(&handle);
        functions.iter().for_each(|function| drop(self.objects.remove(function)));
        Ok(())
    }

    /// A kernel by name.
    pub fn function(&mut self, module: u64, name: &str) -> Result<u64, i32> {
        self.device()?;
        let Object::Module { image, .. } = self.object(module, "a module")? else { return Err(code::INVALID_HANDLE) };
        let kernel = image.kernels.iter().position(|kernel| kernel.name == name).ok_or(code::NOT_FOUND)?;
        Ok(self.insert(Object::Function { module, kernel }))
    }

    /// What is known of a function's kernel.
    pub fn kernel(&mut self, function: u64) -> Result<KernelInfo, i32> {
        let Object::Function { module, kernel } = *self.object(function, "a function")? else {
            return Err(code::INVALID_HANDLE);
        };
        let Object::Module { image, .. } = self.object(module, "a module")? else { return Err(code::INVALID_HANDLE) };
        image.kernels.get(kernel).cloned().ok_or(code::INVALID_HANDLE)
    }

    /// Queues a launch.
    pub fn launch(&mut self, stream: u64, launch: Launch) -> Result<(), i32> {
        self.device()?;
        let empty = launch.grid.contains(&0) || launch.block.contains(&0);
        let threads = launch.block.iter().map(|extent| u64::from(*extent)).product::<u64>();
        if empty || threads > 1024 {
            self.violate(format!("a launch of {:?} workgroups of {:?} threads", launch.grid, launch.block));
            return Err(code::INVALID_VALUE);
        }
        let Object::Function { module, kernel } = *self.object(launch.function, "a function")? else {
            return Err(code::INVALID_HANDLE);
        };
        if let Some(Object::Module { image, .. }) = self.objects.get(&module) {
            self.executor.check(image, kernel, &launch)?;
        }
        self.enqueue(stream, Operation::Launch(launch))
    }

    // The report.

    fn live(&self) -> BTreeMap<&'static str, usize> {
        let works = |device: usize| self.devices.get(device).is_some_and(|device| device.lost.is_none());
        let mut live = BTreeMap::new();
        for object in self.objects.values() {
            let (kind, device) = match object {
                Object::Context { device, .. } => ("context", *device),
                Object::Stream(stream) => ("stream", stream.0.device),
                Object::Event(event) => ("event", event.0.device),
                Object::Module { device, .. } => ("module", *device),
                Object::Kernel { device, .. } => ("kernel", *device),
                Object::Graph { device, .. } => ("graph", *device),
                Object::GraphExec { device, .. } => ("instantiated graph", *device),
                Object::Function { .. } => continue,
            };
            if works(device) {
                *live.entry(kind).or_default() += 1;
            }
        }
        let (device, host) = self.memory.live(works);
        live.extend([("device memory", device), ("host memory", host)].into_iter().filter(|row| row.1 > 0));
        live
    }

    /// What happened so far.
    pub fn report(&self) -> serde_json::Value {
        json!({
            "calls": self.calls, "by_name": self.by_name, "journal": self.journal, "live": self.live(),
            "violations": self.violations, "launches": self.launches, "after_loss": self.after_loss,
        })
    }
}

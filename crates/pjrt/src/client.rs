//! A client: its devices, and the compiler that makes programs for them.

use std::ffi::{c_char, c_int, c_void};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fornax_runtime::hal::{self, OpenOptions};
use fornax_runtime::registry::{self, AUTO, Selector};
use fornax_runtime::{ErrorKind, RuntimeError};

use crate::api::{Handle, List, NamedValue, Text, args};
use crate::compiler::Compiler;
use crate::device::Device;
use crate::error::{Failure, Result, Status};
use crate::memory::Memory;
use crate::options::{Options, wrong};

/// The platform's name, by which JAX knows the plugin.
pub const PLATFORM: &str = "fornax";
pub const VERSION: &str = concat!("fornax ", env!("CARGO_PKG_VERSION"));

/// A client as callers hold it.
pub struct Client {
    pub shared: Arc<Shared>,
}

/// What a client's executables and arrays need of it.
pub struct Shared {
    pub devices: Vec<Arc<Device>>,
    device_handles: Vec<Handle<Device>>,
    memory_handles: Vec<Handle<Memory>>,
    pub compiler: Compiler,
    /// Held while a call on several devices enters their queues.
    pub launches: Mutex<()>,
    /// So long a device waits for another one of its call.
    pub collective_timeout: Duration,
}

impl Client {
    pub fn start(options: &Options) -> Result<Client> {
        let opened = open(options)?;
        let count = opened.len();
        let numbered = opened.into_iter().zip(0..).map(|(runtime, id)| Device::new(id, runtime, count));
        let devices = numbered.collect::<Result<Vec<_>>>()?;
        let driver = devices.first().map_or("cpu", |device| device.runtime.info().driver);
        let shared = Shared {
            device_handles: devices.iter().map(|device| Handle::lend(&**device)).collect(),
            memory_handles: devices.iter().map(|device| Handle::lend(&*device.memory)).collect(),
            compiler: Compiler::new(options, driver),
            launches: Mutex::new(()),
            collective_timeout: options.collective_timeout,
            devices,
        };
        Ok(Client { shared: Arc::new(shared) })
    }
}

impl Shared {
    /// The device of a handle, or of a memory's; without both the first one.
    pub fn device(&self, device: Handle<Device>, memory: Handle<Memory>) -> Result<Arc<Device>> {
        match (device.optional(), memory.optional()) {
            (Some(device), _) => self.of_id(device.id),
            (None, Some(memory)) => memory.device(),
            (None, None) => self.of_id(0),
        }
    }

    /// The device of a number.
    pub fn of_id(&self, id: c_int) -> Result<Arc<Device>> {
        let found = usize::try_from(id).ok().and_then(|at| self.devices.get(at));
        found.cloned().ok_or_else(|| Failure::argument(format!("there is no device {id}")))
    }
}

/// The devices that the options name.
fn open(options: &Options) -> Result<Vec<hal::Device>> {
    let name = match options.device.as_str() {
        AUTO => {
            let none = || RuntimeError::new("FX0701", ErrorKind::Device, "no device of this machine can run modules");
            registry::devices().first().map(|info| info.driver.to_string()).ok_or_else(none)?
        }
        name => name.to_string(),
    };
    let parsed = registry::parse_device(&name)?;
    if parsed.driver == "cpu" {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = options.num_devices.unwrap_or(1);
        let threads = (count > 1).then(|| (cores / count).max(1));
        let open_one = || {
            let with = OpenOptions { cpu_threads: threads, ..OpenOptions::default() };
            Ok(registry::open_device_with(&name, with)?.0)
        };
        return (0..count).map(|_| open_one()).collect();
    }
    if options.num_devices.is_some() {
        return Err(wrong(format!("num_devices divides the processor, not {}", parsed.driver)));
    }
    if parsed.selector != Selector::First {
        return Ok(vec![registry::open_device(&name)?]);
    }
    let usable: Vec<_> = registry::devices().into_iter().filter(|info| info.driver == parsed.driver).collect();
    if usable.is_empty() {
        // Says why there is none.
        return Ok(vec![registry::open_device(&name)?]);
    }
    usable.iter().map(|info| Ok(registry::open_device(&info.uri())?)).collect()
}

args! {
    CreateArgs {
        options: List<NamedValue>,
        get: *const c_void,
        get_argument: *const c_void,
        put: *const c_void,
        put_argument: *const c_void,
        client: Handle<Client>,
    }
    ClientArgs { client: Handle<Client> }
    TextArgs { client: Handle<Client>, text: Text }
    IntArgs { client: Handle<Client>, value: c_int }
    DevicesArgs { client: Handle<Client>, devices: List<Handle<Device>> }
    LookupArgs { client: Handle<Client>, id: c_int, device: Handle<Device> }
    MemoriesArgs { client: Handle<Client>, memories: List<Handle<Memory>> }
    AssignmentArgs {
        client: Handle<Client>,
        num_replicas: c_int,
        num_partitions: c_int,
        size: usize,
        assignment: *mut c_int,
    }
    MapArgs { client: Handle<Client>, data: *mut c_char }
}

pub fn create(args: &mut CreateArgs) -> Result<()> {
    args.client = Handle::give(Client::start(&Options::read(args.options.get())?)?);
    Ok(())
}

pub fn destroy(args: &mut ClientArgs) -> Result<()> {
    drop(args.client.take());
    Ok(())
}

pub fn platform_name(args: &mut TextArgs) -> Result<()> {
    args.text = Text::lend(PLATFORM.as_bytes());
    Ok(())
}

pub fn platform_version(args: &mut TextArgs) -> Result<()> {
    args.text = Text::lend(VERSION.as_bytes());
    Ok(())
}

pub fn process_index(args: &mut IntArgs) -> Result<()> {
    args.value = 0;
    Ok(())
}

pub fn devices(args: &mut DevicesArgs) -> Result<()> {
    args.devices = List::lend(&args.client.get()?.shared.device_handles);
    Ok(())
}

pub fn lookup(args: &mut LookupArgs) -> Result<()> {
    let device = args.client.get()?.shared.of_id(args.id);
    let device = device.map_err(|failure| Failure { status: Status::NotFound as i32, ..failure })?;
    args.device = Handle::lend(&*device);
    Ok(())
}

pub fn memories(args: &mut MemoriesArgs) -> Result<()> {
    args.memories = List::lend(&args.client.get()?.shared.memory_handles);
    Ok(())
}

/// Replicas and partitions on the devices in order.
pub fn default_assignment(args: &mut AssignmentArgs) -> Result<()> {
    let devices = args.client.get()?.shared.devices.len();
    let wanted = i64::from(args.num_replicas) * i64::from(args.num_partitions);
    if wanted < 0 || wanted as usize > devices || (wanted as usize) > args.size || args.assignment.is_null() {
        let message =
            format!("{} replicas of {} partitions on {devices} devices", args.num_replicas, args.num_partitions);
        return Err(Failure::argument(message));
    }
    for at in 0..wanted as usize {
        // SAFETY: the caller has room for `size` numbers.
        unsafe { args.assignment.add(at).write(at as c_int) };
    }
    Ok(())
}

/// Host memory is used as it is: pinning it is a hint.
pub fn dma_map(args: &mut MapArgs) -> Result<()> {
    args.client.get().map(drop)
}

pub fn dma_unmap(args: &mut MapArgs) -> Result<()> {
    args.client.get().map(drop)
}

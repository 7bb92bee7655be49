//! What `run-module` and `bench` share: device, module, session, function and inputs from the command line.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use fornax_module::format::MAGIC;
use fornax_module::manifest::{DimSig, FunctionSignature, TensorSignature};
use fornax_runtime::hal::{CommandBuffers, Device, OpenOptions, SpanObserver};
use fornax_runtime::mapping::Mapping;
use fornax_runtime::registry::open_device_with;
use fornax_runtime::session::{Module, Session, open_sizes};
use fornax_runtime::tensor::parse::parse_inputs;
use fornax_runtime::trace::Trace;
use fornax_runtime::{ElementType, Tensor, TensorType};

use crate::args::{CommandBuffer, ModuleArgs};
use crate::commands::arguments::{Given, given};
use crate::commands::placing::{self, Load};
use crate::failure::{Failure, exit};
use crate::messages;

/// A module on its device, with the function to call and its inputs.
pub struct Loaded {
    pub session: Session,
    pub function: String,
    pub inputs: Vec<Tensor>,
    /// Output types where they are static, in order.
    pub outputs: Vec<TensorType>,
    /// Names that the exporter gave to the outputs.
    pub names: Vec<Option<String>>,
}

/// Devices that stay open while several modules run on them.
#[derive(Default)]
pub struct Devices {
    opened: HashMap<(String, CommandBuffer), Device>,
    /// Threads of CPU devices whose names do not say how many; `None` for all cores.
    cpu_threads: Option<usize>,
    /// Devices tell this what they do from now on.
    trace: Option<Arc<Trace>>,
}

impl Devices {
    /// Where names of CPU devices do not say how many threads they have, they have these.
    pub fn with_threads(cpu_threads: Option<usize>) -> Devices {
        Devices { cpu_threads, ..Devices::default() }
    }

    /// From now on devices that run something tell a trace, or, with `None`, nobody.
    ///
    /// # Errors
    /// Those of waiting for devices that were observed.
    pub fn set_trace(&mut self, trace: Option<Arc<Trace>>) -> Result<()> {
        self.trace = trace;
        let mut told = Ok(());
        for device in self.opened.values().filter(|device| device.is_observed()) {
            told = told.and(device.observe_spans(None));
        }
        Ok(told.map_err(Failure::from)?)
    }

    /// Opens a device, or gives the one that is open; it tells the trace, if there is one.
    pub fn open(&mut self, uri: &str, commands: CommandBuffer) -> fornax_runtime::Result<Device> {
        let phase = self.trace.clone();
        let phase = phase.as_ref().map(|trace| trace.phase("open device"));
        let device = self.opened_or_new(uri, commands)?;
        drop(phase);
        if let Some(trace) = &self.trace {
            device.observe_spans(Some(trace.clone()))?;
        }
        Ok(device)
    }

    fn opened_or_new(&mut self, uri: &str, commands: CommandBuffer) -> fornax_runtime::Result<Device> {
        let key = (uri.to_string(), commands);
        if let Some(device) = self.opened.get(&key) {
            return Ok(device.clone());
        }
        let kind = match commands {
            CommandBuffer::Auto => CommandBuffers::Auto,
            CommandBuffer::Direct => CommandBuffers::Direct,
            CommandBuffer::Stream => CommandBuffers::Stream,
            CommandBuffer::Graph => CommandBuffers::Graph,
        };
        let options = OpenOptions { command_buffers: kind, cpu_threads: self.cpu_threads, ..device_options() };
        let (device, note) = open_device_with(uri, options)?;
        note.iter().for_each(messages::note);
        self.opened.insert(key, device.clone());
        Ok(device)
    }
}

/// Options of devices that variables decide: where OpenCL devices keep what their compilers make
/// (`FORNAX_KERNEL_CACHE`, a folder or `off`; else `fornax/opencl` in the user's folder of caches), and whether they do
/// without shared memory (`FORNAX_OPENCL_MEMORY=buffers`).
fn device_options() -> OpenOptions {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = || folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    let compiled = match folder("FORNAX_KERNEL_CACHE") {
        Some(path) if path.as_os_str() == "off" => None,
        Some(path) => Some(path),
        None => caches().filter(|path| path.is_absolute()).map(|path| path.join("fornax/opencl")),
    };
    let plain_buffers = std::env::var_os("FORNAX_OPENCL_MEMORY").is_some_and(|value| value == "buffers");
    OpenOptions { compiled, plain_buffers, ..OpenOptions::default() }
}

pub fn load_on(devices: &mut Devices, args: &ModuleArgs, max_device_memory: Option<u64>) -> Result<Loaded> {
    let phase = |what: &str, began: Instant| {
        devices.trace.iter().for_each(|trace| trace.host(what, None, began, Instant::now()));
    };
    let began = Instant::now();
    let (module, signature) = open(args)?;
    phase("open module", began);
    let began = Instant::now();
    let Given { inputs, parameters } = given(&module, &signature, &args.input, &args.parameters)?;
    phase("read inputs", began);
    tracing::info!("read {} input(s): {:.1} ms", inputs.len() + parameters.len(), milliseconds(began));
    let uri = args.device.as_deref().unwrap_or("cpu");
    let how = Load { parameters: &parameters, max_device_memory, check: None };
    let session = placing::start(devices, args, &module, uri, &how)?;
    let outputs = expected(&signature.outputs);
    let names = signature.outputs.iter().map(|output| output.name.clone()).collect();
    Ok(Loaded { session, function: signature.name, inputs, outputs, names })
}

pub fn milliseconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e3
}

/// The module, and the function to call.
pub fn open(args: &ModuleArgs) -> Result<(Module, FunctionSignature)> {
    let path = args.module.as_deref().ok_or_else(|| Failure::usage("--module=FILE is missing"))?;
    let began = Instant::now();
    let module = Module::open_with(path, args.verify.into()).map_err(Failure::from)?;
    tracing::info!("open {}: {:.1} ms", path.display(), milliseconds(began));
    let signature = function(&module, args.function.as_deref())?.clone();
    Ok((module, signature))
}

/// The function of this name. Where the module has one function only, of another name, it is that one, with a note:
/// exporters choose names that nobody remembers.
fn function<'a>(module: &'a Module, name: Option<&str>) -> Result<&'a FunctionSignature> {
    match (module.function(name), name, module.manifest().functions.as_slice()) {
        (Err(_), Some(name), [only]) => {
            messages::note(format!("the module has no function `{name}`; its only one, `{}`, is called", only.name));
            Ok(only)
        }
        (found, ..) => Ok(found.map_err(Failure::from)?),
    }
}

/// The bytes of a module file for commands that do not run it. Pipes that do not begin as modules do are not read on.
pub fn read(path: &Path) -> Result<Mapping> {
    let read = Mapping::copy(path, &MAGIC);
    Ok(read.map_err(|e| {
        Failure::new(exit::USAGE, "FX0803", format!("cannot read {}", e.message()), e.own_help().unwrap_or_default())
    })?)
}

/// The inputs that texts give.
pub fn inputs(signature: &FunctionSignature, texts: &[String]) -> Result<Vec<Tensor>> {
    let parsed = parse_inputs(texts, &expected(&signature.inputs)).map_err(Failure::from)?;
    let tensors: Option<Vec<Tensor>> = parsed.into_iter().collect();
    Ok(tensors.ok_or_else(|| Failure::usage("`(ignored)` stands for an expected output, not for an input"))?)
}

/// What texts and files are read for: element types, and 0 for sizes that only a run knows.
fn expected(signature: &[TensorSignature]) -> Vec<TensorType> {
    let ty = |t: &TensorSignature| {
        let size = |d: &DimSig| match d {
            DimSig::Static(n) => *n,
            DimSig::Symbolic { .. } | DimSig::Computed { .. } => 0,
        };
        Some(TensorType::new(ElementType::parse(&t.element_type)?, t.shape.iter().map(size).collect::<Vec<u64>>()))
    };
    signature.iter().map_while(ty).collect()
}

/// The types of a function's inputs with the sizes that it leaves open.
///
/// # Errors
/// FX0801 for a size that nobody names.
pub fn sized_types(
    session: &Session,
    signature: &FunctionSignature,
    sizes: &[(String, u64)],
) -> Result<Vec<TensorType>> {
    let is_open = |name: &&str| !sizes.iter().any(|size| size.0 == **name);
    let missing: Vec<&str> = open_sizes(signature).into_iter().filter(is_open).collect();
    if !missing.is_empty() {
        let flags: Vec<String> = missing.iter().map(|name| format!("--size {name}=N")).collect();
        let message = format!("@{} leaves sizes open: {}", signature.name, missing.join(", "));
        let help = format!("name them with {}, or give inputs with --input", flags.join(" "));
        return Err(Failure::new(exit::USAGE, "FX0801", message, &help).into());
    }
    let types = session.input_types(&signature.name, sizes).map_err(Failure::from)?;
    Ok(types)
}

/// The types of a signature, up to the first that is not static.
pub fn types(signature: &[TensorSignature]) -> Vec<TensorType> {
    let ty = |t: &TensorSignature| {
        let size = |d: &DimSig| match d {
            DimSig::Static(n) => Some(*n),
            DimSig::Symbolic { .. } | DimSig::Computed { .. } => None,
        };
        let shape: Option<Vec<u64>> = t.shape.iter().map(size).collect();
        Some(TensorType::new(ElementType::parse(&t.element_type)?, shape?))
    };
    signature.iter().map_while(ty).collect()
}

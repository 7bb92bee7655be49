//! A module on a device: choose the image, load it, upload constants and parameters once, call functions.
//!
//! A [`Module`] is an open file: checked, immutable, shared by any number of sessions. A [`Session`] is one module
//! loaded on one device, with its own arena; it serves one caller at a time. Loading runs code from the module, so
//! opening one for a session is the statement that it may run (docs/understand/module-format.md).

mod arguments;
mod bench;
mod bind;
mod cached_calls;
mod constants_check;
mod execute;
mod host_calls;
mod kernels;
mod latency;
mod lend;
mod load;
mod memory_plan;
mod module;
mod observe;
mod parameters;
pub mod sharding;
mod sizes;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use fornax_module::Program;
use fornax_module::manifest::{FunctionSignature, Manifest};
use fornax_module::program::Command;
use fornax_module::sizes::SizeValue;

pub use self::arguments::ParameterTensor;
pub use self::bench::{BenchOptions, BenchResult, bench, median};
pub use self::host_calls::{HostFunctionError, HostFunctions};
pub use self::kernels::{KernelBench, KernelTime, RecordedCall, bench_kernels};
pub use self::latency::{Latencies, Spread};
pub(crate) use self::load::image_for;
pub(crate) use self::load::program_for;
pub use self::memory_plan::{FunctionPlan, MemoryPlan};
pub use self::module::Module;
pub use self::observe::{DispatchAt, Launched, Moment, Observer};
pub use self::parameters::ParameterFile;
pub use self::sizes::open_sizes;
pub use fornax_module::Verify;

use self::cached_calls::CachedCall;
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::{self, Buffer, Collective, Device, Executable};
use crate::tensor::{Tensor, TensorType};

/// Bytes that [`Session::mark`] copies.
const MARK_BYTES: u64 = 4;

/// How to load a module.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// Files that hold the module's named parameters.
    pub parameters: Vec<ParameterFile>,
    /// Named parameters that are in memory, before those of files; [`Module::split_arguments`] makes them of the
    /// arguments that the model's function has. Load copies them to the device.
    pub tensors: Vec<ParameterTensor>,
    /// The device's place among those that run the module together, for modules made for several.
    pub collective: Option<Collective>,
    /// What modules that call functions of this process call.
    pub host_functions: Option<Arc<dyn HostFunctions>>,
    /// Refuses to load a module, and to run a call, that plans more device memory than this, bytes.
    pub max_device_memory: Option<u64>,
    /// Parameters that the load alone reads stay, for [`Session::observe_load`]. Else each is given back when the load
    /// has read it.
    pub keeps_parameters: bool,
}

/// A loaded module. See the module's documentation.
pub struct Session {
    device: Device,
    module: Module,
    program: Program,
    /// `None` for a program without kernels, which needs no image.
    executable: Option<Executable>,
    constants: Option<Buffer>,
    /// `None` for those that the load alone read.
    parameters: Vec<Option<Buffer>>,
    persistent: Option<Buffer>,
    /// By function of the program; made when the function first runs.
    arenas: Vec<Option<Buffer>>,
    /// Whether a call of the function is one command list whatever the data, by function of the program.
    straight: Vec<bool>,
    cache: HashMap<u32, Vec<CachedCall>>,
    /// Where set, the commands of calls are kept here.
    trace: Option<Vec<hal::Command>>,
    /// Where set, it sees every dispatch.
    watching: Option<observe::Watching>,
    /// Expressions that need no size slot.
    static_values: Arc<[SizeValue]>,
    description: String,
    planned_bytes: u64,
    weight_bytes: u64,
    /// The place among the devices that run the module together.
    collective: Option<Collective>,
    host_functions: Option<Arc<dyn HostFunctions>>,
    /// Most bytes of device memory that a call may take.
    memory_limit: Option<u64>,
}

/// A tensor in a device's memory. Clones are the same memory.
#[derive(Clone)]
pub struct DeviceTensor {
    ty: TensorType,
    buffer: Buffer,
}

impl DeviceTensor {
    /// A tensor of zeros, made on the device: nothing is copied there. Work that is queued later finds it filled.
    ///
    /// # Errors
    /// FX0706 where the device has no memory for it; what the driver says.
    ///
    /// ```
    /// use fornax_runtime::{BackendPreference, DeviceTensor, Tensor, TensorType, init_backend};
    /// # fn main() -> fornax_runtime::Result<()> {
    /// let backend = init_backend(BackendPreference::Cpu)?;
    /// let ty = TensorType::parse("3x5xf16")?;
    /// let zeros = DeviceTensor::zeros(ty.clone(), backend.device())?;
    /// assert_eq!(zeros.to_host()?, Tensor::zeros(ty)?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn zeros(ty: TensorType, device: &Device) -> Result<DeviceTensor> {
        let buffer = device.allocate(ty.bytes()? as u64, hal::Place::Device)?;
        let fill = hal::Command::Fill { target: buffer.all(), pattern: 0, pattern_bytes: 1 };
        device.submit(&device.record(&[fill])?)?;
        Ok(DeviceTensor { ty, buffer })
    }

    pub fn ty(&self) -> &TensorType {
        &self.ty
    }

    /// The device that holds it.
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// Copies it to the host, behind everything queued on its device: waits for kernels that still write it.
    ///
    /// # Errors
    /// FX0706 where the host has no memory for it; what the driver says of the copy.
    pub fn to_host(&self) -> Result<Tensor> {
        bind::download(self.device(), self)
    }
}

impl Tensor {
    /// Copies the tensor to a device: any element type, any rank, also without elements. The tensor may be changed when
    /// this returns.
    ///
    /// # Errors
    /// FX0706 where the device has no memory for it; what the driver says of the copy.
    ///
    /// ```
    /// use fornax_runtime::{BackendPreference, Tensor, TensorType, init_backend};
    /// # fn main() -> fornax_runtime::Result<()> {
    /// let backend = init_backend(BackendPreference::Cpu)?;
    /// let tensor = Tensor::zeros(TensorType::parse("2x0x3xbf16")?)?;
    /// let on_device = tensor.to_device(backend.device())?;
    /// assert_eq!(on_device.to_host()?, tensor);
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_device(&self, device: &Device) -> Result<DeviceTensor> {
        let buffer = device.upload_new(self.bytes())?;
        Ok(DeviceTensor { ty: self.ty().clone(), buffer })
    }
}

/// Where the time of one call goes, milliseconds on the device's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    /// Inputs, host to device.
    pub upload_ms: f64,
    /// All commands of the function.
    pub kernels_ms: f64,
    /// Outputs, device to host.
    pub download_ms: f64,
}

impl Session {
    /// Loads a module on a device.
    ///
    /// # Errors
    /// FX0611 if the module has no image for the device, FX0714 if parameters do not match, FX0706 if memory does not
    /// suffice, and what the driver says of the image.
    pub fn load(module: &Module, device: &Device, options: &SessionOptions) -> Result<Session> {
        load::load(module, device, options)
    }

    /// What a session of a module would take of a device's memory. Nothing is loaded, and no data is read: of files
    /// with parameters only what they say of their tensors. Without such files the module's own sizes count, on
    /// processors as used where they lie.
    ///
    /// # Errors
    /// FX0611 if the module has no image for the device, FX0714 if the parameters that are given do not match.
    pub fn plan(module: &Module, device: &Device, options: &SessionOptions) -> Result<MemoryPlan> {
        memory_plan::plan(module, device, options)
    }

    pub fn device(&self) -> &Device {
        &self.device
    }

    pub fn manifest(&self) -> &Manifest {
        self.module.manifest()
    }

    /// Which image was loaded and why.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The kernels of the program that was loaded, as the compiler described them.
    pub fn program_kernels(&self) -> &[fornax_module::program::Kernel] {
        &self.program.kernels
    }

    /// Floating-point operations and bytes of memory of one call, as far as the compiler counted them: `None` where
    /// loops repeat kernels.
    pub fn work(&self) -> Option<(u64, u64)> {
        let commands = self.program.blocks.iter().flat_map(|block| &block.commands);
        let mut sum = (0u64, 0u64);
        for command in commands {
            match command {
                Command::While { .. } | Command::Repeat { .. } => return None,
                Command::Dispatch { kernel, .. } => {
                    let kernel = self.program.kernels.get(*kernel as usize)?;
                    sum = (sum.0.saturating_add(kernel.flops), sum.1.saturating_add(kernel.bytes));
                }
                _ => {}
            }
        }
        Some(sum)
    }

    /// Device memory the session plans: constants, parameters, persistent buffers and the largest static arena, bytes.
    pub fn planned_bytes(&self) -> u64 {
        self.planned_bytes
    }

    /// The signature of a function; without a name, of the only one (or `main` of several).
    ///
    /// # Errors
    /// FX0710 with the names of all exports.
    pub fn function(&self, name: Option<&str>) -> Result<&FunctionSignature> {
        self.module.function(name)
    }

    /// Copies a tensor to the device.
    pub fn upload(&self, tensor: &Tensor) -> Result<DeviceTensor> {
        tensor.to_device(&self.device)
    }

    /// Copies a tensor from the device, behind everything queued.
    pub fn download(&self, tensor: &DeviceTensor) -> Result<Tensor> {
        bind::download(&self.device, tensor)
    }

    /// Queues a copy of a tensor of up to some MiB from the device, so that calls behind it can be queued before it is
    /// waited for. Where the driver cannot do so, it waits here.
    pub fn fetch(&self, tensor: &DeviceTensor) -> Result<PendingTensor> {
        Ok(PendingTensor { fetch: self.device.fetch(&tensor.buffer.all())?, ty: tensor.ty.clone() })
    }

    /// As [`Session::fetch`], of a tensor's first bytes alone: to wait for what writes it.
    pub fn mark(&self, tensor: &DeviceTensor) -> Result<Mark> {
        let whole = tensor.buffer.all();
        Ok(Mark(self.device.fetch(&tensor.buffer.slice(0, whole.bytes.min(MARK_BYTES)))?))
    }

    /// Waits for everything queued.
    pub fn synchronize(&self) -> Result<()> {
        Ok(self.device.synchronize()?)
    }

    /// Calls a function: uploads the inputs, runs it, waits, downloads the outputs.
    ///
    /// # Errors
    /// FX0710 no such function, FX0711 wrong number of inputs, FX0712 wrong element type, FX0713 wrong shape.
    pub fn invoke(&mut self, function: &str, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        self.invoke_timed(function, inputs).map(|called| called.0)
    }

    /// As [`Session::invoke`], with where the time went.
    pub fn invoke_timed(&mut self, function: &str, inputs: &[Tensor]) -> Result<(Vec<Tensor>, Timings)> {
        let types: Vec<&TensorType> = inputs.iter().map(Tensor::ty).collect();
        bind::check_inputs(self.module.function(Some(function))?, &types)?;
        let start = self.device.event()?;
        let inputs = self.upload_inputs(function, inputs)?;
        let uploaded = self.device.event()?;
        let outputs = self.invoke_on_device(function, &inputs)?;
        let done = self.device.event()?;
        let results = outputs.iter().map(|output| self.download(output)).collect::<Result<Vec<_>>>()?;
        let downloaded = self.device.event()?;
        self.synchronize()?;
        let timings = Timings {
            upload_ms: self.device.elapsed_ms(&start, &uploaded)?,
            kernels_ms: self.device.elapsed_ms(&uploaded, &done)?,
            download_ms: self.device.elapsed_ms(&done, &downloaded)?,
        };
        Ok((results, timings))
    }

    /// Copies a function's inputs to the device, in the form its buffers have there.
    ///
    /// # Errors
    /// As [`Session::invoke`].
    pub fn upload_inputs(&self, function: &str, inputs: &[Tensor]) -> Result<Vec<DeviceTensor>> {
        self.upload_each(function, &inputs.iter().collect::<Vec<_>>())
    }

    /// As [`Session::upload_inputs`], for inputs that lie in different places.
    pub fn upload_each(&self, function: &str, inputs: &[&Tensor]) -> Result<Vec<DeviceTensor>> {
        let types: Vec<&TensorType> = inputs.iter().map(|input| input.ty()).collect();
        let signature = self.module.function(Some(function))?;
        bind::check_inputs(signature, &types)?;
        let upload = |(tensor, wanted): (&&Tensor, &fornax_module::manifest::TensorSignature)| {
            bind::upload(&self.device, tensor, wanted)
        };
        inputs.iter().zip(&signature.inputs).map(upload).collect()
    }

    /// Calls a function on tensors of the device and gives its outputs there, without waiting for them.
    ///
    /// Inputs that the signature aliases with outputs are overwritten; the output then is the same memory.
    pub fn invoke_on_device(&mut self, function: &str, inputs: &[DeviceTensor]) -> Result<Vec<DeviceTensor>> {
        let types: Vec<&TensorType> = inputs.iter().map(DeviceTensor::ty).collect();
        let module = self.module.clone();
        module.check_unchanged()?;
        let signature = module.function(Some(function))?;
        let symbols = bind::check_inputs(signature, &types)?;
        execute::call(self, signature, symbols, inputs)
    }
}

/// What is queued before it is over once it was waited for.
pub struct Mark(hal::Fetch);

impl Mark {
    /// Waits until all is over that was queued before.
    ///
    /// # Errors
    /// What the device says of it.
    pub fn wait(self) -> Result<()> {
        self.0.wait()?;
        Ok(())
    }
}

/// A tensor on its way from the device.
pub struct PendingTensor {
    fetch: hal::Fetch,
    ty: TensorType,
}

impl PendingTensor {
    /// Waits for it.
    pub fn wait(self) -> Result<Tensor> {
        bind::from_device_form(&self.ty, self.fetch.wait()?)
    }
}

/// An error of the program itself, found when it runs.
fn program_error(what: impl Into<String>) -> RuntimeError {
    RuntimeError::new("FX0715", ErrorKind::Module, format!("the module's program: {}", what.into()))
}

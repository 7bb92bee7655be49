//! A compiled program: its module, and what JAX asks of it. It is not on a device; [`crate::loaded`] is.

use std::ffi::c_int;
use std::sync::Arc;

use fornax_module::manifest::{DimSig, FunctionSignature, TensorSignature};
use fornax_runtime::{ElementType, Module, TensorType};
use prost::Message;

use crate::api::executables::*;
use crate::api::{Args, Handle, List, NamedValue, Owned, Text, values};
use crate::client::Shared;
use crate::compile_options::CompileOptions;
use crate::error::{Failure, Result, Status};
use crate::layout::Layouts;
use crate::loaded::Loaded;
use crate::memory::KIND;
use crate::shardings::Shardings;

/// A program as callers hold it.
pub struct Executable(pub Arc<Compiled>);

/// What a program is.
pub struct Compiled {
    pub module: Module,
    /// The exported function.
    pub function: String,
    pub inputs: Vec<TensorType>,
    pub outputs: Vec<TensorType>,
    /// The options as they came, for whoever serializes the program.
    options_bytes: Vec<u8>,
    pub options: CompileOptions,
    fingerprint: String,
    types: Vec<c_int>,
    /// Dimensions of all outputs, one behind the other, and how many each has.
    dims: Vec<i64>,
    ranks: Vec<usize>,
    kinds: Vec<Handle<u8>>,
    kind_bytes: Vec<usize>,
    costs: Vec<NamedValue>,
    pub input_layouts: Layouts,
    pub output_layouts: Layouts,
    pub input_shardings: Shardings,
    pub output_shardings: Shardings,
}

/// The type of an input or output: all sizes are known.
fn type_of(tensor: &TensorSignature) -> Result<TensorType> {
    let size = |dim: &DimSig| match dim {
        DimSig::Static(size) => Ok(*size),
        _ => Err(Failure::argument("a program with sizes that are known only at run time")),
    };
    let shape = tensor.shape.iter().map(size).collect::<Result<Vec<u64>>>()?;
    let ty = ElementType::parse(&tensor.element_type);
    let ty = ty.ok_or_else(|| Failure::argument(format!("element type {} is not known", tensor.element_type)))?;
    Ok(TensorType::new(ty, shape))
}

impl Compiled {
    fn new(module: Module, options_bytes: &[u8]) -> Result<Compiled> {
        let fingerprint = blake3::hash(module.bytes()).to_hex().to_string();
        let signature: &FunctionSignature = module.function(None)?;
        let types = |tensors: &[TensorSignature]| tensors.iter().map(type_of).collect::<Result<Vec<TensorType>>>();
        let (inputs, outputs) = (types(&signature.inputs)?, types(&signature.outputs)?);
        let most = inputs.len().max(outputs.len());
        let options = CompileOptions::read(options_bytes)?;
        // Replicas are not parts of one array.
        let devices = if options.replicas > 1 { 1 } else { options.partitions as u32 };
        let shardings = |tensors: &[TensorSignature]| Shardings::new(tensors, devices);
        Ok(Compiled {
            function: signature.name.clone(),
            options,
            options_bytes: options_bytes.to_vec(),
            fingerprint,
            types: outputs.iter().map(|ty| values::code(ty.element_type)).collect::<Result<Vec<c_int>>>()?,
            dims: outputs.iter().flat_map(|ty| values::dims_of(&ty.shape)).collect(),
            ranks: outputs.iter().map(|ty| ty.shape.len()).collect(),
            kinds: (0..most).map(|_| Handle::at(KIND.as_ptr())).collect(),
            kind_bytes: vec![KIND.len(); most],
            costs: Vec::new(),
            input_layouts: Layouts::of_ranks(inputs.iter().map(|ty| ty.shape.len())),
            output_layouts: Layouts::of_ranks(outputs.iter().map(|ty| ty.shape.len())),
            input_shardings: shardings(&signature.inputs),
            output_shardings: shardings(&signature.outputs),
            inputs,
            outputs,
            module,
        })
    }

    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// How a call's inputs become its outputs: (input, output).
    pub fn aliases(&self) -> Vec<(usize, usize)> {
        let signature = self.module.function(Some(&self.function));
        let aliases = signature.map(|signature| signature.aliases.as_slice()).unwrap_or_default();
        aliases.iter().map(|alias| (alias.input as usize, alias.output as usize)).collect()
    }

    /// Floating-point operations and bytes of one call.
    pub fn set_costs(&mut self, work: Option<(u64, u64)>) {
        if let Some((flops, bytes)) = work {
            let value = |name, count: u64| NamedValue::of_float(name, count as f32);
            self.costs = vec![value("flops", flops), value("bytes accessed", bytes)];
        }
    }
}

/// A program on disk or on its way to another process.
#[derive(Clone, PartialEq, Message)]
struct Serialized {
    #[prost(bytes = "vec", tag = "1")]
    module: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    options: Vec<u8>,
}

/// A module made ready on a client's devices.
fn load(client: &Arc<Shared>, module: Module, options: &[u8]) -> Result<Handle<Loaded>> {
    Ok(Handle::give(Loaded::new(client, Compiled::new(module, options)?)?))
}

/// The module of a program, by a client's compiler.
fn module_of(client: &Shared, program: &Program, options: &[u8]) -> Result<Module> {
    let format = program.format.text();
    if format != "mlir" {
        let message = format!("a program in the format `{format}`: MLIR is read (StableHLO, VHLO)");
        return Err(Failure::argument(message));
    }
    let options = CompileOptions::read(options)?;
    client.compiler.compile(List::of(program.code, program.code_bytes).get(), &options.flags)
}

pub fn compile(args: &mut CompileArgs) -> Result<()> {
    let client = &args.client.get()?.shared;
    let options = args.options.get();
    args.executable = load(client, module_of(client, args.program.get()?, options)?, options)?;
    Ok(())
}

/// Compiles for the devices of a topology.
pub fn compile_unloaded(args: &mut UnloadedCompileArgs) -> Result<()> {
    let client = &args.topology.get()?.client;
    let options = args.options.get();
    let module = module_of(client, args.program.get()?, options)?;
    args.executable = Handle::give(Executable(Arc::new(Compiled::new(module, options)?)));
    Ok(())
}

pub fn load_compiled(args: &mut LoadArgs) -> Result<()> {
    let compiled = &args.executable.get()?.0;
    let options = match args.options.get() {
        [] => &compiled.options_bytes,
        given => given,
    };
    args.loaded = load(&args.client.get()?.shared, compiled.module.clone(), options)?;
    Ok(())
}

pub fn deserialize(args: &mut DeserializeArgs) -> Result<()> {
    let wrong = |error| Failure::argument(format!("a serialized program that is none of this plugin's: {error}"));
    let read = Serialized::decode(args.bytes.get()).map_err(wrong)?;
    args.executable = load(&args.client.get()?.shared, Module::from_bytes(read.module)?, &read.options)?;
    Ok(())
}

/// # Errors
/// FX0743 for a program with callbacks: they live in this process.
pub fn serialize(args: &mut OwnedArgs) -> Result<()> {
    let compiled = &args.executable.get()?.0;
    if compiled.module.calls_host() {
        let message = "a program with callbacks cannot be serialized: they live in this process";
        return Err(Failure::coded(Status::Unimplemented, "FX0743", message));
    }
    let whole = Serialized { module: compiled.module.bytes().to_vec(), options: compiled.options_bytes.clone() };
    args.owned = Owned::new(whole.encode_to_vec());
    Ok(())
}

pub fn compile_options(args: &mut OwnedArgs) -> Result<()> {
    args.owned = Owned::new(args.executable.get()?.0.options_bytes.clone());
    Ok(())
}

pub fn destroy(args: &mut ExecutableArgs) -> Result<()> {
    drop(args.executable.take());
    Ok(())
}

pub fn name(args: &mut TextArgs) -> Result<()> {
    args.text = Text::lend(args.executable.get()?.0.module.manifest().module_name.as_bytes());
    Ok(())
}

pub fn fingerprint(args: &mut TextArgs) -> Result<()> {
    args.text = Text::lend(args.executable.get()?.0.fingerprint.as_bytes());
    Ok(())
}

pub fn num_replicas(args: &mut CountArgs) -> Result<()> {
    args.count = args.executable.get()?.0.options.replicas;
    Ok(())
}

pub fn num_partitions(args: &mut CountArgs) -> Result<()> {
    args.count = args.executable.get()?.0.options.partitions;
    Ok(())
}

pub fn num_outputs(args: &mut CountArgs) -> Result<()> {
    args.count = args.executable.get()?.0.outputs.len();
    Ok(())
}

pub fn code_bytes(args: &mut BytesArgs) -> Result<()> {
    args.bytes = args.executable.get()?.0.module.bytes().len() as i64;
    Ok(())
}

pub fn cost_analysis(args: &mut CostArgs) -> Result<()> {
    let costs = &args.executable.get()?.0.costs;
    (args.count, args.properties) = (costs.len(), costs.as_ptr());
    Ok(())
}

fn kinds(args: &mut KindsArgs, count: usize) -> Result<()> {
    let compiled = &args.executable.get()?.0;
    args.count = count;
    (args.kinds, args.sizes) = (compiled.kinds.as_ptr(), compiled.kind_bytes.as_ptr());
    Ok(())
}

pub fn output_memory_kinds(args: &mut KindsArgs) -> Result<()> {
    let count = args.executable.get()?.0.outputs.len();
    kinds(args, count)
}

pub fn parameter_memory_kinds(args: &mut KindsArgs) -> Result<()> {
    let count = args.executable.get()?.0.inputs.len();
    kinds(args, count)
}

pub fn output_types(args: &mut TypesArgs) -> Result<()> {
    args.types = List::lend(&args.executable.get()?.0.types);
    Ok(())
}

pub fn output_dimensions(args: &mut DimensionsArgs) -> Result<()> {
    let compiled = &args.executable.get()?.0;
    args.outputs = compiled.outputs.len();
    (args.dims, args.ranks) = (compiled.dims.as_ptr(), compiled.ranks.as_ptr());
    Ok(())
}

/// The program that was compiled is not kept; what is run has no HLO.
pub fn optimized_program(_: &mut ProgramArgs) -> Result<()> {
    let message = "PJRT_Executable_OptimizedProgram: a compiled module has no HLO; `fornax inspect` shows it";
    Err(Failure::coded(Status::Unimplemented, "FX0732", message))
}

pub fn memory_stats(args: &mut MemoryArgs) -> Result<()> {
    let compiled = args.executable.get()?.0.clone();
    let bytes = |types: &[TensorType]| types.iter().map(|ty| ty.bytes().unwrap_or(0) as i64).sum::<i64>();
    let aliased = compiled.aliases().into_iter().filter_map(|(input, _)| compiled.inputs.get(input).cloned());
    (args.arguments, args.outputs) = (bytes(&compiled.inputs), bytes(&compiled.outputs));
    args.aliases = bytes(&aliased.collect::<Vec<_>>());
    args.code = compiled.module.bytes().len() as i64;
    args.temporary = 0;
    (args.host_code, args.host_arguments, args.host_outputs, args.host_aliases, args.host_temporary) = (0, 0, 0, 0, 0);
    if args.has(size_of::<MemoryPeak>()) {
        let peak = args.arguments + args.outputs - args.aliases + args.temporary;
        // SAFETY: the caller's struct is that long.
        unsafe { (*std::ptr::from_mut(args).cast::<MemoryPeak>()).peak = peak };
    }
    Ok(())
}

//! Back ends: kernel MLIR texts in, executable images out.
//!
//! Two steps. [`compile_one`] turns one kernel module into PTX text or an object; it is what a worker process runs,
//! since a fatal error of LLVM ends the process. [`link()`] joins the kernels of one target into images: one PTX text
//! (and a cubin where ptxas is used), one hsaco, one SPIR-V module, or one CPU shared object. Both are functions of
//! their inputs only: no environment, no paths and no dates get into the bytes.
//!
//! Kernel contract: one `llvm.func` named like the kernel, other symbols prefixed with that name. GPU kernels take one
//! `!llvm.ptr<1>` a binding, then i64 constants; CPU kernels are
//! `(%bindings: !llvm.ptr, %x: i32, %y: i32, %z: i32, %scratch: !llvm.ptr)`, one workgroup a call.

mod amdgpu;
mod cpu;
mod cpu_support;
pub mod errors;
pub mod hex;
mod link;
mod nvptx;
mod opencl;
mod spirv;
mod tools;

use fornax_mlir::{EmitKind, MachineSpec, compile_kernel};
use fornax_targets::{Backend, ImageKind, Target};
use serde::{Deserialize, Serialize};

pub use errors::BackendError;
pub use fornax_emit::KernelSource;
pub use fornax_mlir::DEVICE_LIBRARY_FILE;
/// Models of upstream dialects in generic text; runs where kernels are compiled, since MLIR may end the process.
pub use fornax_mlir::ERROR_CODES as MLIR_ERROR_CODES;
pub use fornax_mlir::generic_form;
pub use tools::Tools;

/// What [`KernelBinary::bytes`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BinaryFormat {
    /// PTX text, UTF-8, without a trailing NUL.
    Ptx,
    /// A relocatable ELF object.
    Object,
    /// A SPIR-V module.
    SpirV,
}

impl BinaryFormat {
    /// What the kernels of a backend are compiled to.
    fn of(backend: Backend) -> BinaryFormat {
        match backend {
            Backend::Cuda => BinaryFormat::Ptx,
            Backend::OpenCl => BinaryFormat::SpirV,
            Backend::Rocm | Backend::Cpu => BinaryFormat::Object,
        }
    }
}

/// One compiled kernel, before linking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelBinary {
    /// Symbol of the kernel.
    pub name: String,
    /// Form of the bytes.
    pub format: BinaryFormat,
    /// PTX text, object or SPIR-V module.
    #[serde(with = "hex")]
    pub bytes: Vec<u8>,
    /// LLVM-level MLIR, LLVM IR and assembly, where asked for.
    pub intermediates: Option<Intermediates>,
}

/// What `--dump-ir-to` writes besides a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intermediates {
    /// MLIR after lowering.
    pub lowered_mlir: String,
    /// LLVM IR after optimisation.
    pub llvm_ir: String,
    /// Assembly (PTX on CUDA).
    pub assembly: String,
}

/// What a kernel takes of the device; `None` where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelResources {
    /// Registers of a thread: 32-bit registers on CUDA, vector registers (accumulation included) on ROCm.
    pub registers: Option<u32>,
    /// Scalar registers of a wave (ROCm).
    pub scalar_registers: Option<u32>,
    /// Bytes of registers spilled to memory, a thread.
    pub spill_bytes: Option<u32>,
    /// Shared memory declared in the kernel.
    pub static_shared_bytes: Option<u32>,
    /// Private memory of a thread, spills included.
    pub scratch_bytes: Option<u32>,
}

/// One executable image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its form.
    pub kind: ImageKind,
    /// The architecture it runs on ([`Target::arch_spec`]).
    pub target: String,
    /// The image. PTX has no trailing NUL here: the module writer adds the one that drivers ask for.
    pub bytes: Vec<u8>,
    /// Kernels in link order with what they take.
    pub resources: Vec<(String, KernelResources)>,
}

/// When a cubin is made besides the PTX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CubinPolicy {
    /// Never.
    #[default]
    Never,
    /// Where ptxas was found and knows the architecture; a note says why not.
    IfPossible,
    /// Always; an error otherwise (`--cuda-use-ptxas`).
    Required,
}

/// Choices of [`link()`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkOptions {
    /// When a cubin is made (CUDA only).
    pub cubin: CubinPolicy,
}

/// The result of [`link()`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linked {
    /// The images, preferred first: a cubin before the PTX it was made of.
    pub images: Vec<Image>,
    /// What the user should know, one sentence each.
    pub notes: Vec<String>,
}

/// How LLVM is asked to compile for a target.
pub fn machine_spec(target: &Target) -> MachineSpec {
    MachineSpec {
        triple: target.triple.to_string(),
        cpu: target.llvm_cpu.clone(),
        features: target.llvm_features.clone(),
        gpu: target.is_gpu(),
        amdgpu_code_object: target.amdgpu_code_object,
        amdgpu_scheduler: None,
        reloc_pic: target.backend != Backend::Cuda,
        device_library: target.device_library.clone(),
        quick: false,
    }
}

/// Choices of [`compile_one`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodegenOptions {
    /// Whether MLIR, LLVM IR and assembly are kept.
    pub keep_intermediates: bool,
    /// On processors, fewer of LLVM's passes: less time, for code that may be a little slower.
    pub quick: bool,
}

impl CodegenOptions {
    /// With what lies between the source and the binary.
    pub const KEEP: CodegenOptions = CodegenOptions { keep_intermediates: true, quick: false };
}

/// Compiles one kernel: PTX text on CUDA, a SPIR-V module on OpenCL, an object elsewhere. Runs in a worker process,
/// since LLVM may abort.
///
/// # Errors
/// `FX0421` for a name that cannot be a symbol, else what MLIR or LLVM said (`FX0440`–`FX0447`).
pub fn compile_one(
    target: &Target,
    source: &KernelSource,
    options: CodegenOptions,
) -> Result<KernelBinary, BackendError> {
    check_name(&source.name)?;
    let format = BinaryFormat::of(target.backend);
    let emit = if format == BinaryFormat::Ptx { EmitKind::Assembly } else { EmitKind::Object };
    let compile =
        |spec: &MachineSpec| {
            compile_kernel(&source.mlir, spec, emit, options.keep_intermediates).map_err(|error| {
                BackendError::Compile { kernel: source.name.clone(), target: target.spec(), error: Box::new(error) }
            })
        };
    let compiled = match target.backend {
        Backend::Rocm => amdgpu::with_fewest_spills(&source.name, machine_spec(target), compile)?,
        Backend::Cpu => compile(&MachineSpec { quick: options.quick, ..machine_spec(target) })?,
        Backend::Cuda | Backend::OpenCl => compile(&machine_spec(target))?,
    };
    let listing = || (format == BinaryFormat::SpirV).then(|| spirv::listing(&compiled.bytes));
    let assembly = compiled.assembly.or_else(listing);
    let intermediates = match (compiled.lowered_mlir, compiled.llvm_ir, assembly) {
        (Some(lowered_mlir), Some(llvm_ir), Some(assembly)) => Some(Intermediates { lowered_mlir, llvm_ir, assembly }),
        _ => None,
    };
    Ok(KernelBinary { name: source.name.clone(), format, bytes: compiled.bytes, intermediates })
}

/// Joins the kernels of one target into images.
///
/// # Errors
/// `FX0420`–`FX0430`: duplicate kernels, a tool missing or refusing, PTX or objects that do not join.
pub fn link(
    target: &Target,
    kernels: &[KernelBinary],
    tools: &Tools,
    options: &LinkOptions,
) -> Result<Linked, BackendError> {
    let wanted = BinaryFormat::of(target.backend);
    let mut names = std::collections::HashSet::new();
    for kernel in kernels {
        check_name(&kernel.name)?;
        if !names.insert(kernel.name.as_str()) {
            return Err(BackendError::DuplicateKernel { kernel: kernel.name.clone() });
        }
        if kernel.format != wanted {
            return Err(BackendError::WrongFormat { kernel: kernel.name.clone(), target: target.spec() });
        }
    }
    match target.backend {
        Backend::Cuda => nvptx::link(target, kernels, tools, options),
        Backend::Rocm => amdgpu::link(target, kernels),
        Backend::OpenCl => opencl::link(target, kernels),
        Backend::Cpu => cpu::link(target, kernels),
    }
}

/// Names go into linker scripts and assembly: only what every assembler takes as a symbol.
fn check_name(name: &str) -> Result<(), BackendError> {
    let first_ok = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if first_ok && name.len() <= 512 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        Ok(())
    } else {
        Err(BackendError::BadName { kernel: name.chars().take(80).collect() })
    }
}

//! The two verbs of this crate: compile a kernel module, compile LLVM IR.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::context::with_context;
use crate::device_library;
use crate::errors::{MlirError, Stage};
use crate::llvm::{LlvmContext, LlvmModule, TargetMachine};
use crate::lower::Module;
use crate::spirv::legalize;

/// What LLVM generates code for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MachineSpec {
    /// Target triple, e.g. `nvptx64-nvidia-cuda`.
    pub triple: String,
    /// CPU name; must be one LLVM knows, since AMDGPU aborts and NVPTX writes nonsense on others.
    pub cpu: String,
    /// Feature string, e.g. `+ptx70`.
    pub features: String,
    /// Chooses the GPU form of the MLIR pipeline.
    pub gpu: bool,
    /// AMD code object version times 100 (500 loads with ROCm 5 and later; generic families need 600).
    pub amdgpu_code_object: Option<u32>,
    /// One of AMDGPU's orders of instructions instead of its own choice: `iterative-maxocc` (fewest registers over the
    /// whole kernel), …
    pub amdgpu_scheduler: Option<&'static str>,
    /// Position-independent code, for shared objects.
    pub reloc_pic: bool,
    /// The folder of AMD's device library, linked to kernels that call it.
    pub device_library: Option<PathBuf>,
    /// Fewer of LLVM's passes: less time, for code that may be a little slower.
    pub quick: bool,
}

impl MachineSpec {
    /// Whether LLVM writes SPIR-V, which it does once a process.
    pub fn is_spirv(&self) -> bool {
        self.triple.starts_with("spirv")
    }
}

/// What to emit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmitKind {
    /// Assembly text: PTX on NVPTX.
    Assembly,
    /// A relocatable ELF object; for SPIR-V a binary module.
    Object,
}

/// The result of a compilation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    /// Assembly text or object, as asked.
    pub bytes: Vec<u8>,
    /// The LLVM-level MLIR, if intermediates were asked for.
    pub lowered_mlir: Option<String>,
    /// The optimised LLVM IR, if intermediates were asked for.
    pub llvm_ir: Option<String>,
    /// The assembly, if intermediates were asked for; none of SPIR-V.
    pub assembly: Option<String>,
}

/// Compiles the text of one kernel module.
///
/// # Errors
/// [`MlirError`] with the stage and what MLIR or LLVM said, for SPIR-V also where the process has written a module
/// before. A fatal error of LLVM aborts the process instead.
pub fn compile_kernel(
    mlir: &str,
    spec: &MachineSpec,
    emit: EmitKind,
    keep_intermediates: bool,
) -> Result<Compiled, MlirError> {
    let began = Instant::now();
    let machine = TargetMachine::new(spec)?;
    with_context(|context| {
        let mut module = Module::parse(context, mlir)?;
        module.lower(spec.gpu, mlir)?;
        let lowered_mlir = keep_intermediates.then(|| module.print());
        let llvm_context = LlvmContext::new();
        let llvm_module = LlvmModule::translate(&llvm_context, &module).ok_or_else(|| {
            let diagnostics = context.take_diagnostics();
            MlirError::new(Stage::Translate, "MLIR made no LLVM module", diagnostics, mlir)
        })?;
        let lowered = began.elapsed();
        let compiled = generate(llvm_module, &machine, spec, emit, keep_intermediates)?;
        tracing::debug!("code of a kernel: mlir {:.2} ms", lowered.as_secs_f64() * 1e3);
        Ok(Compiled { lowered_mlir, ..compiled })
    })
}

/// Compiles a module written as LLVM IR text.
///
/// # Errors
/// As [`compile_kernel`].
pub fn compile_llvm_ir(text: &str, spec: &MachineSpec, emit: EmitKind) -> Result<Compiled, MlirError> {
    let machine = TargetMachine::new(spec)?;
    let context = LlvmContext::new();
    let module = LlvmModule::parse(&context, text.as_bytes())?;
    generate(module, &machine, spec, emit, false)
}

/// LLVM 22 keeps numbers of labels of one SPIR-V module for the next, in static memory, where an address happens to be
/// used again: the second module of a process may be wrong. So there is none.
fn first_spirv_module() -> Result<(), MlirError> {
    static WRITTEN: AtomicBool = AtomicBool::new(false);
    if WRITTEN.swap(true, Ordering::SeqCst) {
        let summary = "LLVM writes one SPIR-V module a process; leave --in-process out";
        return Err(MlirError::new(Stage::Emit, summary, Vec::new(), ""));
    }
    Ok(())
}

fn generate(
    mut module: LlvmModule<'_>,
    machine: &TargetMachine,
    spec: &MachineSpec,
    emit: EmitKind,
    keep_intermediates: bool,
) -> Result<Compiled, MlirError> {
    module.target(machine, spec.amdgpu_code_object);
    if let Some(scheduler) = spec.amdgpu_scheduler {
        module.set_attribute("amdgpu-sched-strategy", scheduler);
    }
    if let Some(folder) = &spec.device_library {
        device_library::link(&mut module, machine, spec, folder)?;
    }
    let began = Instant::now();
    module.optimize(machine, spec.quick)?;
    let optimized = began.elapsed();
    if spec.is_spirv() {
        first_spirv_module()?;
        legalize(&mut module);
    }
    let llvm_ir = keep_intermediates.then(|| module.print());
    if spec.is_spirv() {
        return Ok(Compiled { bytes: module.emit(machine, emit)?, lowered_mlir: None, llvm_ir, assembly: None });
    }
    let kept_assembly =
        (keep_intermediates && emit == EmitKind::Object).then(|| module.duplicate().emit(machine, EmitKind::Assembly));
    let bytes = module.emit(machine, emit)?;
    let passes = optimized.as_secs_f64() * 1e3;
    let object = began.elapsed().as_secs_f64() * 1e3 - passes;
    tracing::debug!("code of a kernel: passes {passes:.2} ms, object {object:.2} ms");
    let assembly = match kept_assembly {
        Some(text) => Some(String::from_utf8_lossy(&text?).into_owned()),
        None => keep_intermediates.then(|| String::from_utf8_lossy(&bytes).into_owned()),
    };
    Ok(Compiled { bytes, lowered_mlir: None, llvm_ir, assembly })
}

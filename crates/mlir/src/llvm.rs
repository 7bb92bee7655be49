//! LLVM modules and target machines: optimise and emit, each object owned and freed here.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::ManuallyDrop;
use std::sync::Once;

use mlir_sys::*;

use crate::compile::{EmitKind, MachineSpec};
use crate::errors::{Diagnostic, MlirError, Stage};
use crate::ffi::*;
use crate::lower::Module;

/// What `default<O3>` gains most by, in its order, without what it does again and again: a small kernel takes a fifth
/// less processor time, all of MLIR and LLVM together. Kernels are one function whose loops are vectors already, so
/// nothing is inlined, no loop vectorized.
const QUICK: &CStr = c"function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,\
    loop-mssa(licm<allowspeculation>,loop-rotate<header-duplication>,licm<allowspeculation>,simple-loop-unswitch),\
    loop(indvars,loop-deletion,loop-unroll-full),gvn,reassociate,instcombine<no-verify-fixpoint>,dse,\
    loop-mssa(licm<allowspeculation>),slp-vectorizer,vector-combine,loop-unroll<O3>,\
    instcombine<no-verify-fixpoint>,loop-mssa(licm<allowspeculation>),\
    simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;hoist-common-insts;\
    sink-common-insts>)";

/// Registers the five code generators once a process.
fn initialize_targets() {
    static ONCE: Once = Once::new();
    // SAFETY: these functions only register static tables and may be called once from any thread, which `Once` ensures.
    ONCE.call_once(|| unsafe {
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
        LLVMInitializeAMDGPUTargetInfo();
        LLVMInitializeAMDGPUTarget();
        LLVMInitializeAMDGPUTargetMC();
        LLVMInitializeAMDGPUAsmPrinter();
        LLVMInitializeAMDGPUAsmParser();
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeX86AsmParser();
        LLVMInitializeAArch64TargetInfo();
        LLVMInitializeAArch64Target();
        LLVMInitializeAArch64TargetMC();
        LLVMInitializeAArch64AsmPrinter();
        LLVMInitializeAArch64AsmParser();
        LLVMInitializeSPIRVTargetInfo();
        LLVMInitializeSPIRVTarget();
        LLVMInitializeSPIRVTargetMC();
        LLVMInitializeSPIRVAsmPrinter();
    });
}

/// A code generator for one CPU and feature string.
pub(crate) struct TargetMachine {
    raw: TargetMachineRef,
    layout: TargetDataRef,
    triple: CString,
}

impl TargetMachine {
    pub(crate) fn new(spec: &MachineSpec) -> Result<TargetMachine, MlirError> {
        initialize_targets();
        let error = |what: String| MlirError::new(Stage::Machine, what, Vec::new(), "");
        let c_string = |text: &str| {
            CString::new(text).map_err(|_| error(format!("`{}` contains a zero byte", text.escape_debug())))
        };
        let (triple, cpu, features) = (c_string(&spec.triple)?, c_string(&spec.cpu)?, c_string(&spec.features)?);
        let reloc = if spec.reloc_pic { RELOC_PIC } else { RELOC_DEFAULT };
        // SAFETY: all strings are nul-terminated and outlive the calls; the message is freed by `take_message`.
        let raw = unsafe {
            let mut target = std::ptr::null_mut();
            let mut message = std::ptr::null_mut();
            if LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut message) != 0 {
                return Err(error(take_message(message)));
            }
            LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                // At higher levels loops are rewritten with integers that the SPIR-V back end then mistypes; devices
                // optimise anyway.
                if spec.is_spirv() { CODEGEN_LEVEL_NONE } else { CODEGEN_LEVEL_AGGRESSIVE },
                reloc,
                CODE_MODEL_DEFAULT,
            )
        };
        if raw.is_null() {
            return Err(error(format!("LLVM makes no code for {} {}", spec.triple, spec.cpu)));
        }
        // SAFETY: `raw` is a live target machine.
        let layout = unsafe { LLVMCreateTargetDataLayout(raw) };
        Ok(TargetMachine { raw, layout, triple })
    }
}

impl Drop for TargetMachine {
    fn drop(&mut self) {
        // SAFETY: both are live and owned by this value.
        unsafe {
            LLVMDisposeTargetData(self.layout);
            LLVMDisposeTargetMachine(self.raw);
        }
    }
}

/// An LLVM context that collects diagnostics instead of ending the process on them.
pub(crate) struct LlvmContext {
    raw: LLVMContextRef,
    /// Boxed so that its address survives moves.
    diagnostics: Box<RefCell<Vec<Diagnostic>>>,
}

impl LlvmContext {
    pub(crate) fn new() -> LlvmContext {
        let diagnostics = Box::new(RefCell::new(Vec::new()));
        // SAFETY: the handler's user data points into the box, which lives as long as the context.
        let raw = unsafe {
            let raw = LLVMContextCreate();
            let user_data = std::ptr::from_ref::<RefCell<Vec<Diagnostic>>>(&diagnostics).cast_mut().cast::<c_void>();
            LLVMContextSetDiagnosticHandler(raw, Some(on_diagnostic), user_data);
            raw
        };
        LlvmContext { raw, diagnostics }
    }

    /// What was diagnosed since the last call.
    fn take_diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics.take()
    }
}

impl Drop for LlvmContext {
    fn drop(&mut self) {
        // SAFETY: `raw` is live and owned by this value; modules borrow it and are gone.
        unsafe { LLVMContextDispose(self.raw) }
    }
}

unsafe extern "C" fn on_diagnostic(info: LLVMDiagnosticInfoRef, user_data: *mut c_void) {
    // SAFETY: `user_data` is the list set in `LlvmContext::new`, alive while the context is, used by one thread.
    let list = unsafe { &*user_data.cast::<RefCell<Vec<Diagnostic>>>() };
    // SAFETY: `info` is alive during the call; the message is freed by `take_message`.
    let (severity, message) =
        unsafe { (LLVMGetDiagInfoSeverity(info), take_message(LLVMGetDiagInfoDescription(info))) };
    let is_error = severity == LLVMDiagnosticSeverity_LLVMDSError;
    if !is_error && severity != LLVMDiagnosticSeverity_LLVMDSWarning {
        return;
    }
    if let Ok(mut list) = list.try_borrow_mut() {
        list.push(Diagnostic { line: 0, column: 0, is_error, message });
    }
}

/// An LLVM module, owned; it borrows its context.
pub(crate) struct LlvmModule<'c> {
    raw: LLVMModuleRef,
    context: &'c LlvmContext,
}

impl<'c> LlvmModule<'c> {
    /// Translates a lowered module; `None` where MLIR refuses, and its context then holds the diagnostics.
    pub(crate) fn translate(context: &'c LlvmContext, module: &Module<'_>) -> Option<LlvmModule<'c>> {
        // SAFETY: both modules' contexts are alive; the result, null on failure, belongs to `context` and to nothing
        // else.
        let raw = unsafe { mlirTranslateModuleToLLVMIR(module.as_operation().to_raw(), context.raw) };
        (!raw.is_null()).then_some(LlvmModule { raw, context })
    }

    /// Reads LLVM IR, text or bitcode.
    pub(crate) fn parse(context: &'c LlvmContext, text: &[u8]) -> Result<LlvmModule<'c>, MlirError> {
        let mut raw = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        // SAFETY: the buffer copies the text and is consumed by the parser; the message is freed by `take_message`.
        let failed = unsafe {
            let buffer =
                LLVMCreateMemoryBufferWithMemoryRangeCopy(text.as_ptr().cast(), text.len(), c"module".as_ptr());
            LLVMParseIRInContext(context.raw, buffer, &mut raw, &mut message) != 0
        };
        if failed || raw.is_null() {
            // SAFETY: the parser sets the message when it fails.
            let message = unsafe { take_message(message) };
            return Err(MlirError::new(Stage::Parse, message, context.take_diagnostics(), ""));
        }
        Ok(LlvmModule { raw, context })
    }

    /// Sets triple and data layout, and the code object version where the target has one.
    pub(crate) fn target(&mut self, machine: &TargetMachine, amdgpu_code_object: Option<u32>) {
        const FLAG: &str = "amdhsa_code_object_version";
        // SAFETY: module, machine and strings are alive; the flag's value belongs to the module's own context.
        unsafe {
            LLVMSetTarget(self.raw, machine.triple.as_ptr());
            LLVMSetModuleDataLayout(self.raw, machine.layout);
            if let Some(version) = amdgpu_code_object {
                let value = LLVMConstInt(LLVMInt32TypeInContext(self.context.raw), u64::from(version), 0);
                let behavior = LLVMModuleFlagBehavior_LLVMModuleFlagBehaviorError;
                LLVMAddModuleFlag(self.raw, behavior, FLAG.as_ptr().cast(), FLAG.len(), LLVMValueAsMetadata(value));
            }
        }
    }

    /// Gives every function that is defined here an attribute of text.
    pub(crate) fn set_attribute(&mut self, name: &str, value: &str) {
        const FUNCTION: LLVMAttributeIndex = LLVMAttributeFunctionIndex as LLVMAttributeIndex;
        // SAFETY: the module is alive, and its functions are not changed otherwise; the texts have as many bytes as is
        // said, and are copied.
        unsafe {
            let (text, length) = (name.as_ptr().cast(), name.len() as u32);
            let attribute =
                LLVMCreateStringAttribute(self.context.raw, text, length, value.as_ptr().cast(), value.len() as u32);
            let mut function = LLVMGetFirstFunction(self.raw);
            while !function.is_null() {
                if LLVMIsDeclaration(function) == 0 {
                    LLVMAddAttributeAtIndex(function, FUNCTION, attribute);
                }
                function = LLVMGetNextFunction(function);
            }
        }
    }

    /// Runs `default<O3>`, or [`QUICK`].
    pub(crate) fn optimize(&mut self, machine: &TargetMachine, quick: bool) -> Result<(), MlirError> {
        self.run_passes(machine, if quick { QUICK } else { c"default<O3>" }, Stage::Optimise)
    }

    /// Runs a pipeline of passes.
    pub(crate) fn run_passes(&mut self, machine: &TargetMachine, passes: &CStr, stage: Stage) -> Result<(), MlirError> {
        // SAFETY: module and machine are alive; options are created and freed here; a non-null error is consumed by
        // `LLVMGetErrorMessage` and its text freed.
        let message = unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.raw, passes.as_ptr(), machine.raw, options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                None
            } else {
                let text = LLVMGetErrorMessage(error);
                let message = CStr::from_ptr(text).to_string_lossy().into_owned();
                LLVMDisposeErrorMessage(text);
                Some(message)
            }
        };
        self.check(stage, message)
    }

    /// Emits assembly or an object. The module must not be used for anything else afterwards: emission changes it.
    pub(crate) fn emit(self, machine: &TargetMachine, kind: EmitKind) -> Result<Vec<u8>, MlirError> {
        let file_type = match kind {
            EmitKind::Assembly => ASSEMBLY_FILE,
            EmitKind::Object => OBJECT_FILE,
        };
        let mut message = std::ptr::null_mut();
        let mut buffer = std::ptr::null_mut();
        // SAFETY: module and machine are alive; the buffer, when set, is copied and freed here; `take_message` frees
        // the text.
        let (bytes, failure) = unsafe {
            let failed =
                LLVMTargetMachineEmitToMemoryBuffer(machine.raw, self.raw, file_type, &mut message, &mut buffer) != 0;
            let bytes = if buffer.is_null() {
                Vec::new()
            } else {
                let bytes =
                    std::slice::from_raw_parts(LLVMGetBufferStart(buffer).cast::<u8>(), LLVMGetBufferSize(buffer))
                        .to_vec();
                LLVMDisposeMemoryBuffer(buffer);
                bytes
            };
            (bytes, failed.then(|| take_message(message)))
        };
        self.check(Stage::Emit, failure)?;
        Ok(bytes)
    }

    /// Takes in everything of another module.
    pub(crate) fn take_in(&mut self, other: LlvmModule<'c>) -> Result<(), MlirError> {
        let source = ManuallyDrop::new(other);
        // SAFETY: both modules are alive and of one context; the other one is consumed, also where this fails.
        let failed = unsafe { LLVMLinkModules2(self.raw, source.raw) != 0 };
        self.check(Stage::Library, failed.then(|| "LLVM's linker refuses it".to_string()))
    }

    /// The context that the module borrows.
    pub(crate) fn context(&self) -> &'c LlvmContext {
        self.context
    }

    /// The module and its context, for those who rewrite it.
    pub(crate) fn raw(&mut self) -> (LLVMModuleRef, LLVMContextRef) {
        (self.raw, self.context.raw)
    }

    /// A copy in the same context.
    pub(crate) fn duplicate(&self) -> LlvmModule<'c> {
        // SAFETY: the module is alive; the copy is owned by the new value.
        LlvmModule { raw: unsafe { LLVMCloneModule(self.raw) }, context: self.context }
    }

    /// The module as text.
    pub(crate) fn print(&self) -> String {
        // SAFETY: the module is alive; `take_message` frees the text.
        unsafe { take_message(LLVMPrintModuleToString(self.raw)) }
    }

    fn check(&self, stage: Stage, message: Option<String>) -> Result<(), MlirError> {
        let diagnostics = self.context.take_diagnostics();
        let first_error =
            diagnostics.iter().find(|diagnostic| diagnostic.is_error).map(|diagnostic| diagnostic.message.clone());
        match message.or(first_error) {
            Some(summary) => Err(MlirError::new(stage, summary, diagnostics, "")),
            None => Ok(()),
        }
    }
}

impl Drop for LlvmModule<'_> {
    fn drop(&mut self) {
        // SAFETY: `raw` is live and owned by this value.
        unsafe { LLVMDisposeModule(self.raw) }
    }
}

/// Copies and frees a message of LLVM; empty for null.
///
/// # Safety
/// `message` is null or a nul-terminated string that LLVM allocated and handed over.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: by the contract of this function.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

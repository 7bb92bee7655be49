//! LLVM C functions that mlir-sys does not bind; they resolve from the archives mlir-sys links.
//!
//! Signatures are those of `llvm-c/{Target,TargetMachine,IRReader,Linker,Error,Transforms/PassBuilder}.h` of LLVM 22.

use std::ffi::{c_char, c_int, c_uint};

use mlir_sys::{LLVMContextRef, LLVMMemoryBufferRef, LLVMModuleRef};

/// An opaque object behind a pointer.
#[repr(C)]
pub struct Opaque {
    _unused: [u8; 0],
}
pub type TargetRef = *mut Opaque;
pub type TargetMachineRef = *mut Opaque;
pub type TargetDataRef = *mut Opaque;
pub type PassBuilderOptionsRef = *mut Opaque;
pub type ErrorRef = *mut Opaque;

/// `LLVMCodeGenLevelNone`.
pub const CODEGEN_LEVEL_NONE: c_uint = 0;
/// `LLVMCodeGenLevelAggressive`.
pub const CODEGEN_LEVEL_AGGRESSIVE: c_uint = 3;
/// `LLVMRelocDefault`.
pub const RELOC_DEFAULT: c_uint = 0;
/// `LLVMRelocPIC`.
pub const RELOC_PIC: c_uint = 2;
/// `LLVMCodeModelDefault`.
pub const CODE_MODEL_DEFAULT: c_uint = 0;
/// `LLVMAssemblyFile`.
pub const ASSEMBLY_FILE: c_uint = 0;
/// `LLVMObjectFile`.
pub const OBJECT_FILE: c_uint = 1;

unsafe extern "C" {
    pub fn LLVMInitializeNVPTXTargetInfo();
    pub fn LLVMInitializeNVPTXTarget();
    pub fn LLVMInitializeNVPTXTargetMC();
    pub fn LLVMInitializeNVPTXAsmPrinter();
    pub fn LLVMInitializeAMDGPUTargetInfo();
    pub fn LLVMInitializeAMDGPUTarget();
    pub fn LLVMInitializeAMDGPUTargetMC();
    pub fn LLVMInitializeAMDGPUAsmPrinter();
    pub fn LLVMInitializeAMDGPUAsmParser();
    pub fn LLVMInitializeX86TargetInfo();
    pub fn LLVMInitializeX86Target();
    pub fn LLVMInitializeX86TargetMC();
    pub fn LLVMInitializeX86AsmPrinter();
    pub fn LLVMInitializeX86AsmParser();
    pub fn LLVMInitializeAArch64TargetInfo();
    pub fn LLVMInitializeAArch64Target();
    pub fn LLVMInitializeAArch64TargetMC();
    pub fn LLVMInitializeAArch64AsmPrinter();
    pub fn LLVMInitializeAArch64AsmParser();
    pub fn LLVMInitializeSPIRVTargetInfo();
    pub fn LLVMInitializeSPIRVTarget();
    pub fn LLVMInitializeSPIRVTargetMC();
    pub fn LLVMInitializeSPIRVAsmPrinter();

    pub fn LLVMGetTargetFromTriple(triple: *const c_char, target: *mut TargetRef, error: *mut *mut c_char) -> c_int;
    pub fn LLVMCreateTargetMachine(
        target: TargetRef,
        triple: *const c_char,
        cpu: *const c_char,
        features: *const c_char,
        level: c_uint,
        reloc: c_uint,
        code_model: c_uint,
    ) -> TargetMachineRef;
    pub fn LLVMDisposeTargetMachine(machine: TargetMachineRef);
    pub fn LLVMCreateTargetDataLayout(machine: TargetMachineRef) -> TargetDataRef;
    pub fn LLVMDisposeTargetData(layout: TargetDataRef);
    pub fn LLVMSetModuleDataLayout(module: LLVMModuleRef, layout: TargetDataRef);
    pub fn LLVMTargetMachineEmitToMemoryBuffer(
        machine: TargetMachineRef,
        module: LLVMModuleRef,
        file_type: c_uint,
        error: *mut *mut c_char,
        buffer: *mut LLVMMemoryBufferRef,
    ) -> c_int;

    pub fn LLVMCreatePassBuilderOptions() -> PassBuilderOptionsRef;
    pub fn LLVMDisposePassBuilderOptions(options: PassBuilderOptionsRef);
    pub fn LLVMRunPasses(
        module: LLVMModuleRef,
        passes: *const c_char,
        machine: TargetMachineRef,
        options: PassBuilderOptionsRef,
    ) -> ErrorRef;
    pub fn LLVMGetErrorMessage(error: ErrorRef) -> *mut c_char;
    pub fn LLVMDisposeErrorMessage(message: *mut c_char);

    /// Consumes the source, also where it fails.
    pub fn LLVMLinkModules2(target: LLVMModuleRef, source: LLVMModuleRef) -> c_int;

    pub fn LLVMParseIRInContext(
        context: LLVMContextRef,
        buffer: LLVMMemoryBufferRef,
        module: *mut LLVMModuleRef,
        message: *mut *mut c_char,
    ) -> c_int;
}

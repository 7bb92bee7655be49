//! What of MLIR is registered, and so linked: the dialects, passes, conversions and translations that Fornax uses.
//!
//! MLIR's `mlirRegisterAll…` functions name every dialect and pass there is. They also initialise every code generator
//! of LLVM, 24 of them. All of that would lie in the binary. Naming only what is used takes a third off it.
//!
//! Kernels need [`DIALECTS`] up to `vector`, [`CONVERSIONS`] and [`TRANSLATIONS`]; models (`generic_form`) need the
//! dialects alone. Some of it has no C function: those are MLIR's C++ functions by their mangled names. Each takes a
//! `mlir::DialectRegistry &`, which the Itanium C++ ABI passes as a pointer.

use std::ffi::c_void;
use std::sync::Once;

use melior::dialect::DialectRegistry;
use mlir_sys::*;

/// Returns the handle of one dialect.
type Handle = unsafe extern "C" fn() -> MlirDialectHandle;
/// Adds to a `mlir::DialectRegistry`.
type Extend = unsafe extern "C" fn(*mut c_void);

/// Dialects that kernels or models may hold.
const DIALECTS: &[Handle] = &[
    mlirGetDialectHandle__arith__,
    mlirGetDialectHandle__cf__,
    mlirGetDialectHandle__complex__,
    mlirGetDialectHandle__dlti__,
    mlirGetDialectHandle__func__,
    mlirGetDialectHandle__gpu__,
    mlirGetDialectHandle__index__,
    mlirGetDialectHandle__llvm__,
    mlirGetDialectHandle__math__,
    mlirGetDialectHandle__memref__,
    mlirGetDialectHandle__nvvm__,
    mlirGetDialectHandle__rocdl__,
    mlirGetDialectHandle__scf__,
    mlirGetDialectHandle__ub__,
    mlirGetDialectHandle__vector__,
    // From here on only models.
    mlirGetDialectHandle__affine__,
    mlirGetDialectHandle__async__,
    mlirGetDialectHandle__bufferization__,
    mlirGetDialectHandle__linalg__,
    mlirGetDialectHandle__ml_program__,
    mlirGetDialectHandle__quant__,
    mlirGetDialectHandle__shape__,
    mlirGetDialectHandle__sparse_tensor__,
    mlirGetDialectHandle__tensor__,
    mlirGetDialectHandle__tosa__,
];

/// Passes of the pipelines in `lower` and `model`.
const PASSES: &[unsafe extern "C" fn()] = &[
    mlirRegisterConversionConvertToLLVMPass,
    mlirRegisterConversionReconcileUnrealizedCastsPass,
    mlirRegisterConversionSCFToControlFlowPass,
    mlirRegisterLinalgLinalgGeneralizeNamedOpsPass,
    mlirRegisterTransformsCSE,
    mlirRegisterTransformsCanonicalizer,
    mlirRegisterTransformsLoopInvariantCodeMotion,
];

/// How `convert-to-llvm` takes each dialect.
const CONVERSIONS: &[Extend] = &[
    arith_to_llvm,
    cf_to_llvm,
    complex_to_llvm,
    func_to_llvm,
    index_to_llvm,
    math_to_llvm,
    memref_to_llvm,
    nvvm_to_llvm,
    ub_to_llvm,
    vector_to_llvm,
];

/// How `mlirTranslateModuleToLLVMIR` takes each dialect.
const TRANSLATIONS: &[Extend] = &[builtin_to_ir, llvm_to_ir, nvvm_to_ir, rocdl_to_ir];

/// What canonicalization asks of dialects of models, besides their own.
const MODELS: &[Extend] = &[tensor_infer_type];

unsafe extern "C" {
    #[link_name = "_ZN4mlir5arith35registerConvertArithToLLVMInterfaceERNS_15DialectRegistryE"]
    fn arith_to_llvm(registry: *mut c_void);
    #[link_name = "_ZN4mlir2cf41registerConvertControlFlowToLLVMInterfaceERNS_15DialectRegistryE"]
    fn cf_to_llvm(registry: *mut c_void);
    #[link_name = "_ZN4mlir37registerConvertComplexToLLVMInterfaceERNS_15DialectRegistryE"]
    fn complex_to_llvm(registry: *mut c_void);
    #[link_name = "_ZN4mlir34registerConvertFuncToLLVMInterfaceERNS_15DialectRegistryE"]
    fn func_to_llvm(registry: *mut c_void);
    #[link_name = "_ZN4mlir5index35registerConvertIndexToLLVMInterfaceERNS_15DialectRegistryE"]
    fn index_to_llvm(registry: *mut c_void);
    #[link_name = "_ZN4mlir34registerConvertMathToLLVMInterfaceERNS_15DialectRegistryE"]
    fn math_to_llvm(registry: *mut c_void);
    #[link_name = "_ZN4mlir36registerConvertMemRefToLLVMInterfaceERNS_15DialectRegistryE"]
    fn memref_to_llvm(registry: *mut c_void);
    #[link_name = "_ZN4mlir34registerConvertNVVMToLLVMInterfaceERNS_15DialectRegistryE"]
    fn nvvm_to_llvm(registry: *mut c_void);
    #[link_name = "_ZN4mlir2ub32registerConvertUBToLLVMInterfaceERNS_15DialectRegistryE"]
    fn ub_to_llvm(registry: *mut c_void);
    #[link_name = "_ZN4mlir6vector36registerConvertVectorToLLVMInterfaceERNS_15DialectRegistryE"]
    fn vector_to_llvm(registry: *mut c_void);
    #[link_name = "_ZN4mlir33registerBuiltinDialectTranslationERNS_15DialectRegistryE"]
    fn builtin_to_ir(registry: *mut c_void);
    #[link_name = "_ZN4mlir30registerLLVMDialectTranslationERNS_15DialectRegistryE"]
    fn llvm_to_ir(registry: *mut c_void);
    #[link_name = "_ZN4mlir30registerNVVMDialectTranslationERNS_15DialectRegistryE"]
    fn nvvm_to_ir(registry: *mut c_void);
    #[link_name = "_ZN4mlir31registerROCDLDialectTranslationERNS_15DialectRegistryE"]
    fn rocdl_to_ir(registry: *mut c_void);
    #[link_name = "_ZN4mlir6tensor42registerInferTypeOpInterfaceExternalModelsERNS_15DialectRegistryE"]
    fn tensor_infer_type(registry: *mut c_void);
}

/// A registry with everything above; the passes are registered once a process.
pub(crate) fn registry() -> DialectRegistry {
    static PASSES_ONCE: Once = Once::new();
    // SAFETY: they write to a table of the process without a lock; `Once` lets one thread do so, before any reads it.
    PASSES_ONCE.call_once(|| PASSES.iter().for_each(|register| unsafe { register() }));
    let registry = DialectRegistry::new();
    let raw = registry.to_raw();
    for handle in DIALECTS {
        // SAFETY: the registry is alive, and the function only adds to it.
        unsafe { mlirDialectHandleInsertDialect(handle(), raw) };
    }
    for extend in [CONVERSIONS, TRANSLATIONS, MODELS].into_iter().flatten() {
        // SAFETY: the registry is alive, `raw.ptr` is its `mlir::DialectRegistry`, and the function only adds to it.
        unsafe { extend(raw.ptr) };
    }
    registry
}

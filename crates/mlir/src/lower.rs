//! From kernel text to LLVM-level MLIR: parse, the fixed pass pipeline, and the check that everything translates.
//!
//! | target | pipeline |
//! | --- | --- |
//! | GPU | scf-to-cf, convert-to-llvm, reconcile-unrealized-casts, canonicalize, cse |
//! | CPU | canonicalize, cse, loop-invariant-code-motion, scf-to-cf, convert-to-llvm, reconcile-unrealized-casts, canonicalize, cse |
//!
//! `convert-to-llvm` leaves operations it has no pattern for in place and reports success (vector slices, f8 casts), so a
//! walk afterwards refuses whatever LLVM translation would refuse, with its name and line.

use std::ffi::c_void;

use mlir_sys::*;

use crate::context::{Context, append_text, string_of, string_ref};
use crate::errors::{Diagnostic, MlirError, Stage};

/// Operations that the LLVM translation takes, by the start of their name.
const TRANSLATABLE: &[&str] = &["llvm.", "nvvm.", "rocdl.", "builtin.module"];

type PassConstructor = unsafe extern "C" fn() -> MlirPass;

const GPU_PIPELINE: &[PassConstructor] = &[
    mlirCreateConversionSCFToControlFlowPass,
    mlirCreateConversionConvertToLLVMPass,
    mlirCreateConversionReconcileUnrealizedCastsPass,
    mlirCreateTransformsCanonicalizer,
    mlirCreateTransformsCSE,
];

const CPU_PIPELINE: &[PassConstructor] = &[
    mlirCreateTransformsCanonicalizer,
    mlirCreateTransformsCSE,
    mlirCreateTransformsLoopInvariantCodeMotion,
    mlirCreateConversionSCFToControlFlowPass,
    mlirCreateConversionConvertToLLVMPass,
    mlirCreateConversionReconcileUnrealizedCastsPass,
    mlirCreateTransformsCanonicalizer,
    mlirCreateTransformsCSE,
];

/// A parsed module, owned; it borrows the context it lives in.
pub(crate) struct Module<'c> {
    raw: MlirModule,
    context: &'c Context,
}

impl<'c> Module<'c> {
    /// Reads and verifies the text of one module.
    pub(crate) fn parse(context: &'c Context, text: &str) -> Result<Module<'c>, MlirError> {
        // SAFETY: the context is alive and the text outlives the call.
        let raw = unsafe { mlirModuleCreateParse(context.raw(), string_ref(text)) };
        if raw.ptr.is_null() {
            return Err(MlirError::new(Stage::Parse, "the module is not valid MLIR", context.take_diagnostics(), text));
        }
        Ok(Module { raw, context })
    }

    /// Runs the pipeline and checks its result; `text` is the source, for messages.
    pub(crate) fn lower(&mut self, gpu: bool, text: &str) -> Result<(), MlirError> {
        let passes = if gpu { GPU_PIPELINE } else { CPU_PIPELINE };
        // SAFETY: the pass manager is created, filled with passes it takes ownership of, run on a live module of the same
        // context and destroyed, all here.
        let succeeded = unsafe {
            let manager = mlirPassManagerCreate(self.context.raw());
            mlirPassManagerEnableVerifier(manager, false);
            for pass in passes {
                mlirPassManagerAddOwnedPass(manager, pass());
            }
            let result = mlirPassManagerRunOnOp(manager, self.operation());
            mlirPassManagerDestroy(manager);
            result.value != 0
        };
        if !succeeded {
            return Err(MlirError::new(Stage::Lower, "a pass failed", self.context.take_diagnostics(), text));
        }
        let leftovers = self.leftovers();
        if !leftovers.is_empty() {
            let summary = format!("`{}` has no lowering to LLVM", leftovers[0].message);
            return Err(MlirError::new(Stage::Check, summary, leftovers, text));
        }
        // SAFETY: the module is alive.
        if !unsafe { mlirOperationVerify(self.operation()) } {
            return Err(MlirError::new(
                Stage::Lower,
                "the lowered module is not valid",
                self.context.take_diagnostics(),
                text,
            ));
        }
        Ok(())
    }

    /// Operations without a translation, at most one a name, each as a diagnostic whose message is the name.
    fn leftovers(&self) -> Vec<Diagnostic> {
        let mut found: Vec<Diagnostic> = Vec::new();
        // SAFETY: the callback gets the address of `found`, which outlives the walk, and only reads the operations.
        unsafe {
            let user_data = std::ptr::from_mut(&mut found).cast::<c_void>();
            mlirOperationWalk(self.operation(), Some(note_leftover), user_data, MlirWalkOrder_MlirWalkPreOrder);
        }
        found
    }

    /// The module as text.
    pub(crate) fn print(&self) -> String {
        let mut text = String::new();
        // SAFETY: the callback gets the address of `text`, which outlives the call; the module is alive.
        unsafe { mlirOperationPrint(self.operation(), Some(append_text), std::ptr::from_mut(&mut text).cast()) };
        text
    }

    /// The module's operation, valid while `self` is.
    pub(crate) fn operation(&self) -> MlirOperation {
        // SAFETY: the module is alive.
        unsafe { mlirModuleGetOperation(self.raw) }
    }

    pub(crate) fn context(&self) -> &'c Context {
        self.context
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: `raw` is a live module owned by this value.
        unsafe { mlirModuleDestroy(self.raw) }
    }
}

unsafe extern "C" fn note_leftover(operation: MlirOperation, user_data: *mut c_void) -> MlirWalkResult {
    // SAFETY: the operation is alive during the walk; identifiers live as long as the context.
    let name = unsafe { string_of(mlirIdentifierStr(mlirOperationGetName(operation))) };
    if TRANSLATABLE.iter().any(|start| name.starts_with(start)) {
        return MlirWalkResult_MlirWalkResultAdvance;
    }
    // SAFETY: `user_data` is the list that `Module::leftovers` passes, borrowed by nothing else during the walk.
    let found = unsafe { &mut *user_data.cast::<Vec<Diagnostic>>() };
    if found.iter().all(|diagnostic| diagnostic.message != name) {
        // SAFETY: the operation and its location are alive.
        let (line, column) = unsafe {
            let location = mlirOperationGetLocation(operation);
            if mlirLocationIsAFileLineColRange(location) {
                (
                    mlirLocationFileLineColRangeGetStartLine(location),
                    mlirLocationFileLineColRangeGetStartColumn(location),
                )
            } else {
                (0, 0)
            }
        };
        found.push(Diagnostic {
            line: u32::try_from(line).unwrap_or(0),
            column: u32::try_from(column).unwrap_or(0),
            is_error: true,
            message: name,
        });
    }
    MlirWalkResult_MlirWalkResultAdvance
}

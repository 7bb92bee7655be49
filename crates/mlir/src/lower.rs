//! From kernel text to LLVM-level MLIR: parse, the fixed pass pipeline, and the check that everything translates.
//!
//! The pipelines are [`GPU_PIPELINE`] and [`CPU_PIPELINE`], in `mlir-opt`'s syntax: a kernel's dumped MLIR goes through
//! `mlir-opt --pass-pipeline='…'` with the same result.
//!
//! `convert-to-llvm` leaves operations it has no pattern for in place and reports success (vector slices, f8 casts), so
//! a walk afterwards refuses whatever LLVM translation would refuse, with its name and line.

use melior::ir::OperationRef;
use melior::ir::operation::{OperationLike, OperationMutLike, WalkOrder, WalkResult};

use crate::context::{Context, position, printed};
use crate::errors::{Diagnostic, MlirError, Stage};

/// Operations that the LLVM translation takes, by the start of their name.
const TRANSLATABLE: &[&str] = &["llvm.", "nvvm.", "rocdl.", "builtin.module"];

/// Loops to branches, everything to the LLVM dialect, then a clean-up.
const GPU_PIPELINE: &str =
    "builtin.module(convert-scf-to-cf,convert-to-llvm,reconcile-unrealized-casts,canonicalize,cse)";

/// As for GPUs, after hoisting out of loops: on a CPU a whole workgroup is loops.
const CPU_PIPELINE: &str = "builtin.module(canonicalize,cse,loop-invariant-code-motion,\
     convert-scf-to-cf,convert-to-llvm,reconcile-unrealized-casts,canonicalize,cse)";

/// A parsed module, owned; it borrows the context it lives in.
pub(crate) struct Module<'c> {
    mlir: melior::ir::Module<'c>,
    context: &'c Context,
}

impl<'c> Module<'c> {
    /// Reads and verifies the text of one module.
    pub(crate) fn parse(context: &'c Context, text: &str) -> Result<Module<'c>, MlirError> {
        let error = |diagnostics| MlirError::new(Stage::Parse, "the module is not valid MLIR", diagnostics, text);
        // melior panics on a zero byte.
        if let Some(index) = text.find('\0') {
            return Err(error(vec![zero_byte(&text[..index])]));
        }
        match melior::ir::Module::parse(context.mlir(), text) {
            Some(mlir) => Ok(Module { mlir, context }),
            None => Err(error(context.take_diagnostics())),
        }
    }

    /// Runs the pipeline and checks its result; `text` is the source, for messages.
    pub(crate) fn lower(&mut self, gpu: bool, text: &str) -> Result<(), MlirError> {
        let error = |summary: &str| MlirError::new(Stage::Lower, summary, self.context.take_diagnostics(), text);
        let pipeline = if gpu { GPU_PIPELINE } else { CPU_PIPELINE };
        // The check for leftovers comes first and says more; the verifier runs after it.
        let passes = self.context.passes(pipeline).map_err(|reason| error(&reason))?;
        passes.run(&mut self.mlir).map_err(|_| error("a pass failed"))?;
        let leftovers = self.leftovers();
        if let Some(first) = leftovers.first() {
            let summary = format!("`{}` has no lowering to LLVM", first.message);
            return Err(MlirError::new(Stage::Check, summary, leftovers, text));
        }
        self.annotate_branches();
        if !self.as_operation().verify() {
            return Err(error("the lowered module is not valid"));
        }
        Ok(())
    }

    /// `convert-scf-to-cf` hands a loop's annotation to the branch back as an attribute of the dialect; the translation
    /// reads the operation's own.
    fn annotate_branches(&mut self) {
        self.mlir.as_operation_mut().walk_mut(WalkOrder::PreOrder, |mut operation| {
            if let Ok(annotation) = operation.attribute("llvm.loop_annotation") {
                operation.set_attribute("loop_annotation", annotation);
            }
            WalkResult::Advance
        });
    }

    /// Operations without a translation, at most one a name, each as a diagnostic whose message is the name.
    fn leftovers(&self) -> Vec<Diagnostic> {
        let mut found: Vec<Diagnostic> = Vec::new();
        self.as_operation().walk(WalkOrder::PreOrder, |operation| {
            let identifier = operation.name();
            let name = identifier.as_string_ref().as_str().unwrap_or_default();
            let translates = TRANSLATABLE.iter().any(|start| name.starts_with(start));
            if !translates && found.iter().all(|diagnostic| diagnostic.message != name) {
                let (line, column) = position(operation.location());
                found.push(Diagnostic { line, column, is_error: true, message: name.to_owned() });
            }
            WalkResult::Advance
        });
        found
    }

    /// The module as text.
    pub(crate) fn print(&self) -> String {
        printed(&self.as_operation())
    }

    /// The module's operation.
    pub(crate) fn as_operation(&self) -> OperationRef<'c, '_> {
        self.mlir.as_operation()
    }
}

/// The diagnostic for a zero byte that follows `before`.
fn zero_byte(before: &str) -> Diagnostic {
    let column = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
    let number = |value: usize| u32::try_from(value).unwrap_or(0);
    Diagnostic {
        line: number(before.matches('\n').count() + 1),
        column: number(column),
        is_error: true,
        message: "the text contains a zero byte".to_owned(),
    }
}

//! MLIR contexts that are kept, each with the diagnostics it collects and its passes.
//!
//! Creating a context and its registry costs some ten milliseconds, and preparing the passes (the patterns of every
//! dialect) about one more. So contexts are kept, as many as were ever in use at the same time, and whichever thread
//! compiles next takes one. One is replaced after [`USES_MAX`] modules: a context never frees the types and attributes
//! it has seen.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use melior::diagnostic::DiagnosticSeverity;
use melior::ir::Location;
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;

use crate::errors::Diagnostic;
use crate::registry::registry;

/// Modules after which a context is replaced.
const USES_MAX: usize = 256;

/// Contexts that nobody uses, the last used on top.
static IDLE: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

struct Kept {
    context: Context,
    uses: usize,
}

// SAFETY: one thread at a time has it: it is moved out of `IDLE` and back under the lock. All owners of its
// reference-counted list (itself and the handler within MLIR's context) move with it. MLIR's own threading is off, so
// its context keeps nothing for one thread.
unsafe impl Send for Kept {}

/// Runs `work` with a context that no other thread has meanwhile.
pub(crate) fn with_context<R>(work: impl FnOnce(&Context) -> R) -> R {
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    // Not in one expression with what makes a new one: the lock would be held as long.
    let waiting = idle().pop();
    let mut kept = waiting.unwrap_or_else(|| Kept { context: Context::new(), uses: 0 });
    kept.uses += 1;
    kept.context.take_diagnostics();
    let result = work(&kept.context);
    if kept.uses < USES_MAX {
        idle().push(kept);
    }
    result
}

/// An MLIR context with what `registry` names, its own threading off, and a handler
/// attached that keeps diagnostics instead of printing them.
pub(crate) struct Context {
    /// The passes of each pipeline that was asked for, by its text. They point into the context, so they stand before
    /// it and go first.
    passes: RefCell<HashMap<&'static str, Rc<PassManager<'static>>>>,
    mlir: melior::Context,
    /// Shared with the handler, which the context owns.
    diagnostics: Rc<RefCell<Vec<Diagnostic>>>,
}

impl Context {
    pub(crate) fn new() -> Context {
        let mlir = melior::Context::new_with_registry(&registry(), false);
        let diagnostics = Rc::new(RefCell::new(Vec::new()));
        let collected = Rc::clone(&diagnostics);
        // A panic in the handler would unwind into C++ and abort: it has none.
        mlir.attach_diagnostic_handler(move |diagnostic| {
            if let Ok(mut list) = collected.try_borrow_mut() {
                list.push(read(&diagnostic));
            }
            true
        });
        Context { passes: RefCell::default(), mlir, diagnostics }
    }

    pub(crate) fn mlir(&self) -> &melior::Context {
        &self.mlir
    }

    /// The passes of a pipeline, as `mlir-opt` writes it; they do not verify. Prepared once: the result must not
    /// outlive the context.
    ///
    /// # Errors
    /// Why MLIR takes the text for no pipeline.
    pub(crate) fn passes(&self, pipeline: &'static str) -> Result<Rc<PassManager<'static>>, String> {
        if let Some(ready) = self.passes.borrow().get(pipeline) {
            return Ok(ready.clone());
        }
        let manager = PassManager::new(&self.mlir);
        parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline).map_err(|reason| reason.to_string())?;
        manager.enable_verifier(false);
        let manager = Rc::new(manager);
        self.passes.borrow_mut().insert(pipeline, manager.clone());
        Ok(manager)
    }

    /// What was diagnosed since the last call.
    pub(crate) fn take_diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics.take()
    }
}

/// Copies a diagnostic, its notes joined to it.
fn read(diagnostic: &melior::diagnostic::Diagnostic<'_>) -> Diagnostic {
    let mut message = printed(diagnostic);
    for note in (0..diagnostic.note_count()).filter_map(|index| diagnostic.note(index).ok()) {
        message.push_str("; ");
        message.push_str(&printed(&note));
    }
    let (line, column) = position(diagnostic.location());
    Diagnostic { line, column, is_error: matches!(diagnostic.severity(), DiagnosticSeverity::Error), message }
}

/// What `object` prints, up to the first text that is not UTF-8; `to_string` would panic there.
pub(crate) fn printed(object: &impl std::fmt::Display) -> String {
    let mut text = String::new();
    // An error leaves what was printed before it, which is the answer.
    let _ = write!(text, "{object}");
    text
}

/// 1-based line and column where `location` starts; (0, 0) if it is not in a file.
pub(crate) fn position(location: Location<'_>) -> (u32, u32) {
    if !location.is_file_line_col_range() {
        return (0, 0);
    }
    let number = |value: usize| u32::try_from(value).unwrap_or(0);
    (number(location.file_line_col_range_start_line()), number(location.file_line_col_range_start_column()))
}

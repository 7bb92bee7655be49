//! A thread's MLIR context, and the diagnostics it collects.
//!
//! Creating a context and its registry costs some ten milliseconds, so each thread keeps one; it is replaced after
//! [`USES_MAX`] modules because a context never frees the types and attributes it has seen.

use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

use melior::diagnostic::DiagnosticSeverity;
use melior::ir::Location;

use crate::errors::Diagnostic;
use crate::registry::registry;

/// Modules after which a thread's context is replaced.
const USES_MAX: usize = 256;

thread_local! {
    static CONTEXT: RefCell<Option<ThreadContext>> = const { RefCell::new(None) };
}

struct ThreadContext {
    context: Context,
    uses: usize,
}

/// Runs `work` with this thread's context.
pub(crate) fn with_context<R>(work: impl FnOnce(&Context) -> R) -> R {
    CONTEXT.with_borrow_mut(|slot| {
        if slot.as_ref().is_some_and(|thread| thread.uses >= USES_MAX) {
            *slot = None;
        }
        let thread = slot.get_or_insert_with(|| ThreadContext { context: Context::new(), uses: 0 });
        thread.uses += 1;
        thread.context.take_diagnostics();
        work(&thread.context)
    })
}

/// An MLIR context with what `registry` names, its own threading off, and a handler
/// attached that keeps diagnostics instead of printing them.
pub(crate) struct Context {
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
        Context { mlir, diagnostics }
    }

    pub(crate) fn mlir(&self) -> &melior::Context {
        &self.mlir
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

//! A thread's MLIR context, and the diagnostics it collects.
//!
//! Creating a context and its registry costs some ten milliseconds, so each thread keeps one; it is replaced after
//! [`USES_MAX`] modules because a context never frees the types and attributes it has seen.

use std::cell::RefCell;
use std::ffi::c_void;

use mlir_sys::*;

use crate::errors::Diagnostic;

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

/// An MLIR context with every upstream dialect registered and a diagnostic handler attached.
pub(crate) struct Context {
    raw: MlirContext,
    /// Filled by the handler; boxed so that its address survives moves of `Context`.
    diagnostics: Box<RefCell<Vec<Diagnostic>>>,
}

impl Context {
    fn new() -> Context {
        let diagnostics = Box::new(RefCell::new(Vec::new()));
        // SAFETY: the registry lives until it is destroyed below, after the context has copied it; the handler's user
        // data points into the box, which lives exactly as long as the context (see `Drop`).
        let raw = unsafe {
            let registry = mlirDialectRegistryCreate();
            mlirRegisterAllDialects(registry);
            let raw = mlirContextCreateWithRegistry(registry, false);
            mlirDialectRegistryDestroy(registry);
            mlirRegisterAllLLVMTranslations(raw);
            let user_data = std::ptr::from_ref::<RefCell<Vec<Diagnostic>>>(&diagnostics).cast_mut().cast::<c_void>();
            mlirContextAttachDiagnosticHandler(raw, Some(on_diagnostic), user_data, None);
            raw
        };
        Context { raw, diagnostics }
    }

    pub(crate) fn raw(&self) -> MlirContext {
        self.raw
    }

    /// What was diagnosed since the last call.
    pub(crate) fn take_diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics.take()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: `raw` is a live context owned by this value, and every module of it has been dropped: they borrow it.
        unsafe { mlirContextDestroy(self.raw) }
    }
}

/// Appends one diagnostic, its notes joined to it, to the context's list.
unsafe extern "C" fn on_diagnostic(diagnostic: MlirDiagnostic, user_data: *mut c_void) -> MlirLogicalResult {
    // SAFETY: `user_data` is the list attached in `Context::new`, alive while the context is; the context is used by one
    // thread and has its own threading off, so nothing else holds the list.
    let list = unsafe { &*user_data.cast::<RefCell<Vec<Diagnostic>>>() };
    // SAFETY: the diagnostic is alive for the duration of this call, and so are its notes and location.
    let entry = unsafe {
        let mut message = diagnostic_text(diagnostic);
        for index in 0..mlirDiagnosticGetNumNotes(diagnostic) {
            message.push_str("; ");
            message.push_str(&diagnostic_text(mlirDiagnosticGetNote(diagnostic, index)));
        }
        let location = mlirDiagnosticGetLocation(diagnostic);
        let (line, column) = if mlirLocationIsAFileLineColRange(location) {
            (mlirLocationFileLineColRangeGetStartLine(location), mlirLocationFileLineColRangeGetStartColumn(location))
        } else {
            (0, 0)
        };
        let is_error = mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticSeverity_MlirDiagnosticError;
        Diagnostic {
            line: u32::try_from(line).unwrap_or(0),
            column: u32::try_from(column).unwrap_or(0),
            is_error,
            message,
        }
    };
    if let Ok(mut list) = list.try_borrow_mut() {
        list.push(entry);
    }
    MlirLogicalResult { value: 1 }
}

/// # Safety
/// `diagnostic` is alive.
unsafe fn diagnostic_text(diagnostic: MlirDiagnostic) -> String {
    let mut text = String::new();
    // SAFETY: the callback gets the address of `text`, which outlives the call.
    unsafe { mlirDiagnosticPrint(diagnostic, Some(append_text), std::ptr::from_mut(&mut text).cast()) };
    text
}

/// String callback of MLIR: `user_data` is the `String` to append to.
pub(crate) unsafe extern "C" fn append_text(part: MlirStringRef, user_data: *mut c_void) {
    // SAFETY: every caller in this crate passes the address of a live `String` that nothing else borrows.
    let text = unsafe { &mut *user_data.cast::<String>() };
    // SAFETY: `part` is valid for the duration of the call.
    text.push_str(&unsafe { string_of(part) });
}

/// # Safety
/// `part` points to `length` readable bytes.
pub(crate) unsafe fn string_of(part: MlirStringRef) -> String {
    if part.data.is_null() || part.length == 0 {
        return String::new();
    }
    // SAFETY: by the contract of this function.
    let bytes = unsafe { std::slice::from_raw_parts(part.data.cast::<u8>(), part.length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// A borrowed string in MLIR's form; valid while `text` is.
pub(crate) fn string_ref(text: &str) -> MlirStringRef {
    MlirStringRef { data: text.as_ptr().cast(), length: text.len() }
}

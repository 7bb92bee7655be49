//! What can go wrong while compiling a model, each with a stable code and the text a user sees.

use fornax_backend::BackendError;
use fornax_emit::EmitError;
use fornax_import::Diagnostic;
use fornax_passes::errors::PassError;
use fornax_types::ErrorCode;
use thiserror::Error;

use crate::worker::JobError;

fornax_types::errors! {
    FX0907 "codegen worker failed": "run again; if it persists report the reproducer file";
    FX0902 "backend crashed on a kernel": "report the reproducer file named in the message";
    FX0903 "backend took too long on a kernel": "report the reproducer file named in the message";
    FX0904 "dump could not be written": "check that the dump folder can be written";
    FX0905 "parameter selection does not match the function": "compare it with the function's arguments";
    FX0908 "nothing to tune":
        "tune a model with matrix products or convolutions, for a target that has more than one way";
    FX0909 "MLIR ended while it read the model": "export the model again, or as StableHLO, which is read without MLIR";
    FX0910 "the model cannot be compared with the reference evaluator":
        "the message says what the evaluator does not define, or which input does not fit";
    FX0911 "a worker was killed":
        "the machine is probably out of memory: compile with fewer workers (--jobs=1), or give it more memory";
    FX0906 "no function to compile": "the module needs a public func.func with a body";
}

/// The codes of this crate and of all it is made of.
pub fn error_codes() -> Vec<ErrorCode> {
    let tables = [
        ERROR_CODES,
        fornax_import::ERROR_CODES,
        fornax_graph::ERROR_CODES,
        fornax_passes::errors::ERROR_CODES,
        fornax_emit::ERROR_CODES,
        fornax_backend::errors::ERROR_CODES,
        fornax_backend::MLIR_ERROR_CODES,
        fornax_reference::ERROR_CODES,
    ];
    tables.into_iter().flatten().copied().collect()
}

/// Whose fault it is; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    User,
    Environment,
    Ours,
}

/// A compilation that failed. The message is complete: code, place, source line, hint.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct CompileError {
    pub code: String,
    pub fault: Fault,
    pub message: String,
}

impl CompileError {
    pub fn user(code: &str, message: impl std::fmt::Display) -> CompileError {
        CompileError { code: code.into(), fault: Fault::User, message: format!("error[{code}]: {message}") }
    }

    pub fn environment(code: &str, message: impl std::fmt::Display) -> CompileError {
        CompileError { code: code.into(), fault: Fault::Environment, message: format!("error[{code}]: {message}") }
    }

    pub fn ours(code: &str, message: impl std::fmt::Display) -> CompileError {
        CompileError {
            code: code.into(),
            fault: Fault::Ours,
            message: format!("error[{code}]: {message}\n  this is a fault of Fornax, please report it"),
        }
    }

    /// Diagnostics of the importer, each complete with its source line.
    pub fn import(diagnostics: &[Diagnostic]) -> CompileError {
        let code = diagnostics.first().map_or("FX0103", |d| d.code);
        let texts: Vec<String> = diagnostics.iter().map(|d| d.to_string()).collect();
        CompileError { code: code.into(), fault: Fault::User, message: texts.join("\n") }
    }

    /// The worker that reads a model of an upstream dialect ended or could not be had.
    pub fn model(file: &str, error: &JobError) -> CompileError {
        match error {
            JobError::Failed { code, message } => CompileError::user(code, format!("{file}: {message}")),
            JobError::Crashed { status, stderr } => CompileError::user(
                "FX0909",
                format!("{file}: MLIR ended while it read the model ({status})\n  {stderr}"),
            ),
            JobError::Killed { signal } => killed(&format!("{file}: reading it"), *signal),
            JobError::TimedOut { seconds } => {
                CompileError::user("FX0909", format!("{file}: MLIR did not read the model within {seconds} s"))
            }
            JobError::Unavailable { cause } => {
                CompileError::environment("FX0907", format!("{file}: no worker to read it: {cause}"))
            }
        }
    }

    /// A pass refused the model, or broke.
    pub fn pass(error: PassError) -> CompileError {
        let (code, text) = (error.code(), plain(error.code(), &error));
        match code.starts_with("FX09") {
            true => CompileError::ours(code, text),
            false => CompileError::user(code, text),
        }
    }

    /// An emitter refused a plan that the passes made.
    pub fn emit(error: EmitError) -> CompileError {
        CompileError::user(error.code(), plain(error.code(), &error))
    }

    /// Linking failed: a tool is missing or refused.
    pub fn link(error: BackendError) -> CompileError {
        CompileError::environment(error.code(), plain(error.code(), &error))
    }

    /// A kernel that did not compile; `reproducer` is the file its MLIR was kept in.
    pub fn kernel(name: &str, target: &str, error: &JobError, reproducer: Option<&str>) -> CompileError {
        let kept = reproducer.map_or(String::new(), |file| format!("\n  reproducer: {file}"));
        let place = format!("kernel {name} for {target}");
        match error {
            // The device library that was named does not fit.
            JobError::Failed { code, message } if code == "FX0447" => {
                CompileError::user(code, format!("{place}: {message}"))
            }
            JobError::Failed { code, message } => {
                CompileError::ours(code, format!("{place} did not compile\n  {message}{kept}"))
            }
            JobError::Crashed { status, stderr } => {
                CompileError::ours("FX0902", format!("{place}: the backend crashed ({status})\n  {stderr}{kept}"))
            }
            JobError::Killed { signal } => killed(&place, *signal),
            JobError::TimedOut { seconds } => {
                CompileError::ours("FX0903", format!("{place}: no result after {seconds} s{kept}"))
            }
            JobError::Unavailable { cause } => {
                CompileError::environment("FX0907", format!("{place}: no codegen worker: {cause}"))
            }
        }
    }
}

/// The error of a worker that a signal from outside ended.
fn killed(place: &str, signal: i32) -> CompileError {
    // SIGKILL is what the system sends when memory runs out.
    let (by, help) = match signal {
        9 => (
            "the system, likely because it was out of memory",
            "compile with fewer workers (--jobs=1), or give it more memory",
        ),
        24 => ("the system: its processor time is limited", "raise the limit (`ulimit -t`)"),
        _ => ("somebody", "run again"),
    };
    CompileError::environment(
        "FX0911",
        format!("{place}: the worker was killed (signal {signal}) by {by}\n  help: {help}"),
    )
}

/// The text of an error without the code in front that some crates print.
fn plain(code: &str, error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("error ").unwrap_or(&text);
    let text = text.strip_prefix(&format!("[{code}] ")).unwrap_or(text);
    text.strip_prefix(&format!("{code}: ")).unwrap_or(text).to_string()
}

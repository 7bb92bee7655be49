//! What can go wrong while compiling a model, each with a stable code and the text a user sees.

use thiserror::Error;

use crate::worker::JobError;

/// Code, short title, what to do.
pub const ERROR_CODES: &[(&str, &str, &str)] = &[
    ("FX0901", "codegen worker failed", "run again; if it persists report the reproducer file"),
    ("FX0902", "backend crashed on a kernel", "report the reproducer file named in the message"),
    ("FX0903", "backend took too long on a kernel", "report the reproducer file named in the message"),
    ("FX0904", "dump could not be written", "check that the dump folder can be written"),
    ("FX0905", "parameter selection does not match the function", "compare it with the function's arguments"),
    ("FX0906", "no function to compile", "the module needs a public func.func with a body"),
];

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

    /// A kernel that did not compile; `reproducer` is the file its MLIR was kept in.
    pub fn kernel(name: &str, target: &str, error: &JobError, reproducer: Option<&str>) -> CompileError {
        let kept = reproducer.map_or(String::new(), |file| format!("\n  reproducer: {file}"));
        let place = format!("kernel {name} for {target}");
        match error {
            JobError::Failed { code, message } => {
                CompileError::ours(code, format!("{place} did not compile\n  {message}{kept}"))
            }
            JobError::Crashed { status, stderr } => {
                CompileError::ours("FX0902", format!("{place}: the backend crashed ({status})\n  {stderr}{kept}"))
            }
            JobError::TimedOut { seconds } => {
                CompileError::ours("FX0903", format!("{place}: no result after {seconds} s{kept}"))
            }
            JobError::Unavailable { cause } => {
                CompileError::environment("FX0901", format!("{place}: no codegen worker: {cause}"))
            }
        }
    }
}

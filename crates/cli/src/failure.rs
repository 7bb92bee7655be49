//! From an error to what the user sees and the exit code: `error[FX0501]: …`, cause, what to do.

use std::path::Path;

use fornax_module::ModuleError;
use fornax_targets::TargetError;

/// Exit codes this crate gives itself; 4 and 5 come with the runtime's errors.
pub mod exit {
    pub const USAGE: u8 = 1;
    pub const BAD_MODULE: u8 = 2;
    pub const UNSUPPORTED: u8 = 3;
    pub const OUT_OF_MEMORY: u8 = 4;
    pub const DIFFERENT: u8 = 6;
}

/// An error with its exit code; the message is complete.
#[derive(Debug)]
pub struct Failure {
    pub exit: u8,
    pub message: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl Failure {
    pub fn new(exit: u8, code: &str, message: impl std::fmt::Display, help: &str) -> Failure {
        let message = message.to_string();
        let message = message.strip_prefix(&format!("[{code}] ")).unwrap_or(&message);
        let message = message.strip_prefix(&format!("{code}: ")).unwrap_or(message);
        let help = if help.is_empty() { String::new() } else { format!("\n  help: {help}") };
        Failure { exit, message: format!("error[{code}]: {message}{help}") }
    }

    /// A wrong command line or input (FX0801).
    pub fn usage(message: impl std::fmt::Display) -> Failure {
        Failure::new(
            exit::USAGE,
            "FX0801",
            message,
            "`fornax --help` lists commands, `fornax COMMAND --help` flags and formats",
        )
    }
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Failure {
        Failure::new(exit::USAGE, error.code(), &error, "")
    }
}

/// What to do about an error of the system.
fn help_on(kind: std::io::ErrorKind, usual: &'static str) -> &'static str {
    use std::io::ErrorKind;
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "the disk is full: free some space, or write to another folder; the old file, if there was one, is \
             unchanged"
        }
        ErrorKind::FileTooLarge => "the file would be longer than the system allows (`ulimit -f`)",
        _ => usual,
    }
}

impl Failure {
    /// An error of a module file, with its name.
    pub fn in_module(path: &Path, error: ModuleError) -> Failure {
        Failure::of_module(&error, format!("{}: {error}", path.display()))
    }

    fn of_module(error: &ModuleError, message: String) -> Failure {
        let (exit, help) = match error {
            ModuleError::NoImage { .. } => (exit::UNSUPPORTED, error.help()),
            // The file is not to blame for what the system refuses.
            ModuleError::Io { kind, .. } => (exit::USAGE, help_on(*kind, error.help())),
            _ => (exit::BAD_MODULE, error.help()),
        };
        Failure::new(exit, error.code(), message, help)
    }
}

impl From<ModuleError> for Failure {
    fn from(error: ModuleError) -> Failure {
        Failure::of_module(&error, error.to_string())
    }
}

/// The exit code of an error: that of the `Failure` in its chain, else 1.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    error.chain().find_map(|e| e.downcast_ref::<Failure>()).map_or(exit::USAGE, |f| f.exit)
}

/// The text of an error: causes on their own lines; `error:` in front where no code stands.
pub fn render(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for (at, cause) in error.chain().enumerate() {
        let cause = cause.to_string();
        match at {
            0 if cause.contains("error[") => text.push_str(&cause),
            0 => text.push_str(&format!("error[FX0801]: {cause}")),
            _ => text.push_str(&format!("\n  cause: {cause}")),
        }
    }
    text
}

impl From<fornax_runtime::RuntimeError> for Failure {
    fn from(error: fornax_runtime::RuntimeError) -> Failure {
        Failure::new(error.exit_code(), error.code(), &error, error.help().unwrap_or(""))
    }
}

impl From<fornax_runtime::hal::HalError> for Failure {
    fn from(error: fornax_runtime::hal::HalError) -> Failure {
        fornax_runtime::RuntimeError::from(error).into()
    }
}

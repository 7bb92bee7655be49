//! The one external tool: ptxas, where a cubin is wanted.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::errors::BackendError;

const PTXAS: &str = "ptxas";

/// Lines of a failed tool's output that an error repeats.
const OUTPUT_LINES_MAX: usize = 20;

/// Where the tools are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tools {
    /// NVIDIA's assembler: makes cubins.
    pub ptxas: Option<PathBuf>,
}

impl Tools {
    /// Looks for the tools in these directories, in order; the caller collects them.
    pub fn find(search: &[PathBuf]) -> Tools {
        Tools { ptxas: search.iter().map(|dir| dir.join(PTXAS)).find(|path| path.is_file()) }
    }
}

/// A run of a tool in a directory of its own, with fixed relative file names: no path gets into what it writes.
pub struct ToolRun<'a> {
    program: &'a Path,
    name: String,
    directory: tempfile::TempDir,
}

/// What a tool answered.
pub struct ToolOutput {
    /// Exit status 0.
    pub succeeded: bool,
    /// Exit status in words.
    pub status: String,
    /// Standard output and error together.
    pub text: String,
}

impl<'a> ToolRun<'a> {
    /// Makes the directory.
    pub fn new(program: &'a Path) -> Result<ToolRun<'a>, BackendError> {
        let name = program.file_name().map_or_else(|| "tool".to_string(), |name| name.to_string_lossy().into_owned());
        let made = tempfile::Builder::new().prefix("fornax-").tempdir();
        let directory =
            made.map_err(|error| BackendError::Temporary { tool: name.clone(), reason: error.to_string() })?;
        Ok(ToolRun { program, name, directory })
    }

    /// Writes an input file.
    pub fn write(&self, file: &str, bytes: &[u8]) -> Result<(), BackendError> {
        std::fs::write(self.directory.path().join(file), bytes).map_err(|error| self.temporary(error))
    }

    /// Reads an output file.
    pub fn read(&self, file: &str) -> Result<Vec<u8>, BackendError> {
        std::fs::read(self.directory.path().join(file)).map_err(|error| self.temporary(error))
    }

    /// Runs the tool with these arguments.
    pub fn run(&self, arguments: &[String]) -> Result<ToolOutput, BackendError> {
        // A relative program path is relative to where we are, not to the directory of the run.
        let program = std::path::absolute(self.program).map_err(|error| self.temporary(error))?;
        let output = Command::new(program)
            .args(arguments)
            .current_dir(self.directory.path())
            .output()
            .map_err(|error| self.temporary(error))?;
        let text = [String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)].concat();
        Ok(ToolOutput { succeeded: output.status.success(), status: output.status.to_string(), text })
    }

    /// The error for a failed run.
    pub fn failure(&self, target: String, output: &ToolOutput) -> BackendError {
        let lines: Vec<&str> = output.text.lines().take(OUTPUT_LINES_MAX).collect();
        BackendError::Tool { tool: self.name.clone(), target, status: output.status.clone(), output: lines.join("\n") }
    }

    fn temporary(&self, error: std::io::Error) -> BackendError {
        BackendError::Temporary { tool: self.name.clone(), reason: error.to_string() }
    }
}

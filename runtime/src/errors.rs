//! The runtime's errors: one type with a stable code, what went wrong, what to do, and the driver's own error
//! underneath where there is one. Codes FX07xx are the runtime and its devices, FX082x
//! and FX083x tensor text and files.

use std::fmt;

use crate::hal::{HalError, HalErrorKind};

/// Whose fault it is, in the words of the command line's exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Usage or input data: exit code 1.
    Input,
    /// The module file: exit code 2.
    Module,
    /// No such device, or the module holds nothing for it: exit code 3.
    Device,
    /// Out of device or host memory: exit code 4.
    OutOfMemory,
    /// The device is lost for this process: exit code 5.
    DeviceLost,
    /// Numbers differ from what was expected: exit code 6.
    Mismatch,
}

impl ErrorKind {
    /// The exit code of a command that ends with this error.
    pub fn exit_code(self) -> u8 {
        match self {
            ErrorKind::Input => 1,
            ErrorKind::Module => 2,
            ErrorKind::Device => 3,
            ErrorKind::OutOfMemory => 4,
            ErrorKind::DeviceLost => 5,
            ErrorKind::Mismatch => 6,
        }
    }
}

/// An error of the runtime. `Display` gives the message, then (on further lines) the place in the text where
/// there is one; `help` says what to do about it.
#[derive(Clone, Debug)]
pub struct RuntimeError(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    code: &'static str,
    kind: ErrorKind,
    message: String,
    help: Option<String>,
    /// Text in which the error lies, and the byte offset in it.
    text: Option<(String, usize)>,
    cause: Option<HalError>,
}

/// Result of the runtime's calls.
pub type Result<T, E = RuntimeError> = std::result::Result<T, E>;

impl RuntimeError {
    pub fn new(code: &'static str, kind: ErrorKind, message: impl Into<String>) -> Self {
        RuntimeError(Box::new(Inner { code, kind, message: message.into(), help: None, text: None, cause: None }))
    }

    /// An error in input data or usage.
    pub fn input(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, ErrorKind::Input, message)
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Adds the text in which the error lies and the byte offset in it.
    #[must_use]
    pub fn at(mut self, text: &str, offset: usize) -> Self {
        self.0.text = Some((text.to_string(), offset.min(text.len())));
        self
    }

    /// Adds to what to do about it, behind what stands there.
    #[must_use]
    pub fn with_further_help(self, more: impl fmt::Display) -> Self {
        let help = self.help().map_or_else(|| more.to_string(), |help| format!("{more}; else {help}"));
        self.with_help(help)
    }

    /// Adds a line to the message.
    #[must_use]
    pub fn with_line(mut self, line: impl fmt::Display) -> Self {
        self.0.message = format!("{}\n  {line}", self.0.message);
        self
    }

    /// Puts words before the message (`parameters file x: …`).
    #[must_use]
    pub fn context(mut self, words: impl fmt::Display) -> Self {
        self.0.message = format!("{words}: {}", self.0.message);
        self
    }

    /// Stable code, `FX07nn` or `FX08nn`.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do in the error's own words, where it has any.
    pub fn own_help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// What to do: the error's own words, else those of its code's row.
    pub fn help(&self) -> Option<&str> {
        let row = Some(fornax_types::errors::help(ERROR_CODES, self.0.code)).filter(|help| !help.is_empty());
        self.0.help.as_deref().or(row)
    }

    /// What the device said, where it did.
    pub fn hal_kind(&self) -> Option<HalErrorKind> {
        self.0.cause.as_ref().map(HalError::kind)
    }

    /// Exit code of a command that ends with this error.
    pub fn exit_code(&self) -> u8 {
        self.0.kind.exit_code()
    }
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some((text, offset)) = &self.0.text {
            write_place(f, text, *offset)?;
        }
        Ok(())
    }
}

/// Shows at most 60 characters of `text` around `offset` with a caret under it.
fn write_place(f: &mut fmt::Formatter<'_>, text: &str, offset: usize) -> fmt::Result {
    let shown: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let column = text.char_indices().take_while(|(at, _)| *at < offset).count();
    let start = column.saturating_sub(30);
    let end = (start + 60).min(shown.len());
    let window: String = shown.get(start..end).unwrap_or_default().iter().collect();
    let (head, tail) = (if start > 0 { "…" } else { "" }, if end < shown.len() { "…" } else { "" });
    write!(f, "\n  {head}{window}{tail}\n  {}^", " ".repeat(column - start + head.chars().count()))
}

impl std::error::Error for RuntimeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_ref().map(|cause| cause as _)
    }
}

impl From<HalError> for RuntimeError {
    fn from(error: HalError) -> Self {
        let (code, kind) = match error.kind() {
            HalErrorKind::Unavailable => ("FX0701", ErrorKind::Device),
            HalErrorKind::Host => ("FX0721", ErrorKind::Device),
            HalErrorKind::NotFound => ("FX0702", ErrorKind::Device),
            HalErrorKind::Unsupported => ("FX0704", ErrorKind::Device),
            HalErrorKind::BadImage => ("FX0705", ErrorKind::Module),
            HalErrorKind::OutOfMemory { .. } => ("FX0706", ErrorKind::OutOfMemory),
            HalErrorKind::Peer => ("FX0727", ErrorKind::Device),
            HalErrorKind::Library => ("FX0742", ErrorKind::Device),
            HalErrorKind::DeviceLost => ("FX0707", ErrorKind::DeviceLost),
            HalErrorKind::InvalidArgument => ("FX0708", ErrorKind::Module),
            HalErrorKind::Internal => ("FX0709", ErrorKind::Device),
        };
        let mut out = RuntimeError::new(code, kind, error.to_string());
        out.0.cause = Some(error);
        out
    }
}

fornax_types::errors! {
    FX0701 "driver unavailable": "`list-drivers` says why; install the GPU's driver, or choose another --device";
    FX0702 "no such device": "`list-devices` prints what this machine has";
    FX0703 "no image for this device": "compile for this device: add its architecture to the targets";
    FX0704 "not supported by this device or driver": "compile for another target, or update the GPU's driver";
    FX0705 "image refused by the driver": "compile the module again; if it stays, the module or the driver is broken";
    FX0706 "out of memory": "use a smaller batch, another device, or free memory that other processes hold";
    FX0707 "device lost": "end this process and start it again; the first error names the kernel that failed";
    FX0708 "invalid command": "the module asks for something out of range: compile it again";
    FX0709 "driver error": "the driver's own code and name are in the message";
    FX0710 "no such function": "choose one of the exported functions with --function";
    FX0711 "wrong number of inputs": "give one --input for each argument of the function, in order";
    FX0712 "wrong element type": "`inspect` prints the function's signature";
    FX0713 "wrong shape": "`inspect` prints the function's signature";
    FX0714 "parameters do not match": "give each named parameter once, with the dtype and shape that the module wants";
    FX0715 "program error": "the module's program is inconsistent: compile it again";
    FX0716 "size out of range": "a size computed at run time lies outside the range that the module allows";
    FX0717 "unknown device name":
        "use auto, cpu, cuda[:N], cuda:0-3, cuda://GPU-<uuid>, rocm[:N], opencl[:N], null, local-sync or local-task";
    FX0718 "module file cannot be read": "check the path and that the file is complete";
    FX0719 "sizes do not fit each other": "the message names the sizes and what the model requires of them";
    FX0720 "a donated input is given twice": "give another copy of it: the call overwrites the one that was donated";
    FX0721 "the system refuses what the device needs":
        "the message has the system's words: raise its limits (`ulimit -n`, `ulimit -u`), or mount /proc";
    FX0722 "module file changed while in use":
        "replace module files by renaming a new one over them; it was too large to be copied into memory";
    FX0725 "wrong argument of the C interface": "the message names it; fornax.h says what each call takes";
    FX0726 "fault of the library": "report it with the program that shows it: docs/use/from-c.md says how";
    FX0727 "another device of the run failed":
        "the message names it and says at which collective; its own error comes first in the output";
    FX0728 "devices run different modules": "give every device the same module file";
    FX0729 "module for another number of devices": "name as many devices as the module is made for: --devices=cpu:0-7";
    FX0731 "wrong argument of the PJRT interface": "the message names it; the caller may be built for another version";
    FX0732 "the PJRT plugin lacks it": "docs/use/from-jax.md lists what works";
    FX0733 "the compiler is not found":
        "pip install fornax-compiler, put `fornax` on the PATH, or name it by the plugin's option `compiler`";
    FX0734 "wrong option of the PJRT plugin": "docs/use/from-jax.md lists the options";
    FX0735 "a program for several devices that cannot be divided among them":
        "run it on as many devices as its mesh has";
    FX0736 "the array or program was deleted": "an array that was donated to a call cannot be used again";
    FX0740 "the launcher's variables":
        "--launcher=env wants those of torchrun, Open MPI, PMI, PMIx or Slurm, and MASTER_PORT";
    FX0741 "the processes of a run did not meet":
        "start as many as the launcher says, all with the same MASTER_ADDR and MASTER_PORT";
    FX0742 "no library for collectives":
        "install NCCL 2.18 or later (libnccl.so.2; AMD: RCCL, librccl.so.1), or set LD_LIBRARY_PATH to its folder";
    FX0743 "no such function of the host": "run the module in the process that made it: JAX's callbacks live there";
    FX0744 "a function of the host failed": "the message is its own";
    FX0745 "a function of the host waits for what waits for it":
        "in a callback use arrays that were there when the program was called, and programs of one device";
    FX0821 "tensor text": "the grammar is in `run-module --help`, for example --input=\"2x2xf32=1 2 3 4\"";
    FX0822 "unknown element type": "element types are spelled as in MLIR: f32, bf16, i8, ui16, complex<f32>, f8E4M3FN";
    FX0823 "shape": "a shape is dimensions joined by x before the element type, for example 1x224x224x3xf32";
    FX0824 "element value": "the value is not one of the element type";
    FX0825 "number of elements": "give one value for all elements, or exactly as many as the shape has";
    FX0826 "tensor file cannot be read": "check the path and the permissions";
    FX0827 "npy file": "write it with numpy.save (no pickled objects)";
    FX0828 "npz file": "write it with numpy.savez or numpy.savez_compressed; a damaged one must be copied again";
    FX0829 "safetensors file": "write it again; the header does not agree with the file";
    FX0830 "no such tensor in the file": "the message lists the names that the file holds";
    FX0831 "tensor too large": "shapes have at most 32 dimensions and 2^40 bytes";
    FX0832 "output cannot be written": "check the directory and the permissions";
    FX0833 "numbers differ": "the first element that differs is named; tolerances are set by --expected-*-threshold";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_shown_under_the_text() {
        let error = RuntimeError::input("FX0821", "bad digit").at("2xf32=1 z", 8);
        assert_eq!(error.to_string(), "bad digit\n  2xf32=1 z\n          ^");
        assert!(error.help().is_some());
    }

    #[test]
    fn long_text_is_cut_around_the_place() {
        let text = "1 ".repeat(500);
        let shown = RuntimeError::input("FX0821", "x").at(&text, 600).to_string();
        assert!(shown.len() < 220, "{shown}");
    }
}

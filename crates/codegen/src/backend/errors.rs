//! Errors of the back ends: codes FX0420–FX0430, and FX0440–FX0447 passed through from MLIR and LLVM.

use fornax_mlir::MlirError;

/// (code, short title, what to do) of every error of this module; those of `fornax-mlir` are beside it.
pub const ERROR_CODES: &[(&str, &str, &str)] = &[
    ("FX0420", "two kernels of one name", "this is a fault of the compiler: report it with --dump-ir-to"),
    ("FX0421", "kernel name is not a symbol", "this is a fault of the compiler: report it with --dump-ir-to"),
    ("FX0422", "kernel was compiled for another back end", "this is a fault of the compiler: report it"),
    (
        "FX0424",
        "ptxas not found",
        "install the CUDA compiler, give its directory, or leave --cuda-use-ptxas out: PTX alone runs",
    ),
    (
        "FX0425",
        "ptxas does not know the architecture",
        "use another ptxas, or leave --cuda-use-ptxas out: PTX alone runs",
    ),
    ("FX0426", "a tool failed", "read what it printed; report it with --dump-ir-to if the kernels are ours"),
    ("FX0427", "PTX texts do not join", "this is a fault of the compiler: report it with --dump-ir-to"),
    ("FX0428", "object file is not understood", "this is a fault of the compiler: report it"),
    ("FX0429", "temporary files cannot be written", "free space in, or point TMPDIR to, a writable directory"),
    ("FX0430", "objects do not link", "this is a fault of the compiler: report it with --dump-ir-to"),
];

/// Why a kernel was not compiled or an image not linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// MLIR or LLVM refused the kernel.
    #[error("kernel `{kernel}` for {target}: {error}")]
    Compile {
        /// The kernel.
        kernel: String,
        /// [`fornax_targets::Target::spec`].
        target: String,
        /// What was said.
        error: Box<MlirError>,
    },
    /// Two kernels have one name.
    #[error("[FX0420] two kernels are called `{kernel}`")]
    DuplicateKernel {
        /// The name.
        kernel: String,
    },
    /// The name cannot be a symbol.
    #[error("[FX0421] `{kernel}` cannot be the name of a kernel: letters, digits and `_`, not starting with a digit")]
    BadName {
        /// The name.
        kernel: String,
    },
    /// PTX for an object linker, or the reverse.
    #[error("[FX0422] kernel `{kernel}` was not compiled for {target}")]
    WrongFormat {
        /// The kernel.
        kernel: String,
        /// The target of the link.
        target: String,
    },
    /// A cubin was demanded, and there is no ptxas.
    #[error(
        "[FX0424] a cubin for {target} was asked for, but ptxas was not found; without --cuda-use-ptxas the module holds PTX, which every driver compiles"
    )]
    NoPtxas {
        /// The target of the link.
        target: String,
    },
    /// A cubin was demanded, and ptxas cannot make it.
    #[error("[FX0425] ptxas makes no cubin for {target}: {reason}")]
    PtxasRefuses {
        /// The target of the link.
        target: String,
        /// What it printed.
        reason: String,
    },
    /// A tool ended with an error.
    #[error("[FX0426] {tool} failed for {target} ({status}):\n{output}")]
    Tool {
        /// File name of the tool.
        tool: String,
        /// The target of the link.
        target: String,
        /// Exit status.
        status: String,
        /// What it printed, the first lines.
        output: String,
    },
    /// PTX of the kernels does not make one module.
    #[error("[FX0427] the PTX of kernel `{kernel}` does not join the others: {reason}")]
    PtxMerge {
        /// The kernel.
        kernel: String,
        /// What differs.
        reason: String,
    },
    /// An ELF file or its note is malformed.
    #[error("[FX0428] {what}: {reason}")]
    Malformed {
        /// The file.
        what: String,
        /// What is wrong.
        reason: String,
    },
    /// Objects of kernels do not make an image.
    #[error("[FX0430] {object} does not link for {target}: {reason}")]
    Unlinkable {
        /// The target of the link.
        target: String,
        /// The kernel.
        object: String,
        /// Symbol, section or relocation, and what is wrong with it.
        reason: String,
    },
    /// Files for a tool cannot be written or read.
    #[error("[FX0429] temporary files for {tool} cannot be used: {reason}")]
    Temporary {
        /// File name of the tool.
        tool: String,
        /// The I/O error.
        reason: String,
    },
}

impl BackendError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            BackendError::Compile { error, .. } => error.code(),
            BackendError::DuplicateKernel { .. } => "FX0420",
            BackendError::BadName { .. } => "FX0421",
            BackendError::WrongFormat { .. } => "FX0422",
            BackendError::NoPtxas { .. } => "FX0424",
            BackendError::PtxasRefuses { .. } => "FX0425",
            BackendError::Tool { .. } => "FX0426",
            BackendError::PtxMerge { .. } => "FX0427",
            BackendError::Malformed { .. } => "FX0428",
            BackendError::Temporary { .. } => "FX0429",
            BackendError::Unlinkable { .. } => "FX0430",
        }
    }
}

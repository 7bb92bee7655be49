//! Errors of the back ends: codes FX0420–FX0430, and FX0440–FX0447 passed through from MLIR and LLVM.

use fornax_mlir::MlirError;

fornax_types::errors! {
    /// Why a kernel was not compiled or an image not linked.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum BackendError {
        /// Two kernels have one name.
        #[error("[FX0420] two kernels are called `{kernel}`")]
        DuplicateKernel {
            /// The name.
            kernel: String,
        } = FX0420 "two kernels of one name": "this is a fault of the compiler: report it with --dump-ir-to";
        /// The name cannot be a symbol.
        #[error(
            "[FX0421] `{kernel}` cannot be the name of a kernel: letters, digits and `_`, not starting with a digit"
        )]
        BadName {
            /// The name.
            kernel: String,
        } = FX0421 "kernel name is not a symbol": "this is a fault of the compiler: report it with --dump-ir-to";
        /// PTX for an object linker, or the reverse.
        #[error("[FX0422] kernel `{kernel}` was not compiled for {target}")]
        WrongFormat {
            /// The kernel.
            kernel: String,
            /// The target of the link.
            target: String,
        } = FX0422 "kernel was compiled for another back end": "this is a fault of the compiler: report it";
        /// A cubin was demanded, and there is no ptxas.
        #[error(
            "[FX0424] a cubin for {target} was asked for, but ptxas was not found; without --cuda-use-ptxas the \
             module holds PTX, which every driver compiles"
        )]
        NoPtxas {
            /// The target of the link.
            target: String,
        } = FX0424 "ptxas not found":
            "install the CUDA compiler, give its directory, or leave --cuda-use-ptxas out: PTX alone runs";
        /// A cubin was demanded, and ptxas cannot make it.
        #[error("[FX0425] ptxas makes no cubin for {target}: {reason}")]
        PtxasRefuses {
            /// The target of the link.
            target: String,
            /// What it printed.
            reason: String,
        } = FX0425 "ptxas does not know the architecture":
            "use another ptxas, or leave --cuda-use-ptxas out: PTX alone runs";
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
        } = FX0426 "a tool failed": "read what it printed; report it with --dump-ir-to if the kernels are ours";
        /// PTX of the kernels does not make one module.
        #[error("[FX0427] the PTX of kernel `{kernel}` does not join the others: {reason}")]
        PtxMerge {
            /// The kernel.
            kernel: String,
            /// What differs.
            reason: String,
        } = FX0427 "PTX texts do not join": "this is a fault of the compiler: report it with --dump-ir-to";
        /// An ELF file or its note is malformed.
        #[error("[FX0428] {what}: {reason}")]
        Malformed {
            /// The file.
            what: String,
            /// What is wrong.
            reason: String,
        } = FX0428 "object file is not understood": "this is a fault of the compiler: report it";
        /// Objects of kernels do not make an image.
        #[error("[FX0430] {object} does not link for {target}: {reason}")]
        Unlinkable {
            /// The target of the link.
            target: String,
            /// The kernel.
            object: String,
            /// Symbol, section or relocation, and what is wrong with it.
            reason: String,
        } = FX0430 "objects do not link": "this is a fault of the compiler: report it with --dump-ir-to";
        /// Files for a tool cannot be written or read.
        #[error("[FX0429] temporary files for {tool} cannot be used: {reason}")]
        Temporary {
            /// File name of the tool.
            tool: String,
            /// The I/O error.
            reason: String,
        } = FX0429 "temporary files cannot be written": "free space in, or point TMPDIR to, a writable directory";
        | /// MLIR or LLVM refused the kernel.
        #[error("kernel `{kernel}` for {target}: {error}")]
        Compile {
            /// The kernel.
            kernel: String,
            /// [`fornax_targets::Target::spec`].
            target: String,
            /// What was said.
            error: Box<MlirError>,
        } = error => error.code();
    }
}

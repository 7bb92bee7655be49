//! What the emulator reports: text that it does not model, launches that do not fit, faults of the kernel.

use thiserror::Error;

/// What kind of mistake a kernel makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// An access outside of a buffer, of shared memory, or of another kind of memory.
    OutOfBounds,
    /// A vector access whose address is not a multiple of what the text promises.
    Misaligned,
    /// Bytes read that nothing wrote.
    Uninitialised,
    /// An output byte that nothing wrote.
    NotWritten,
    /// Two accesses without an order between them, or one of an asynchronous copy that is under way.
    Race,
    /// Ordinary writes read by a bulk copy or a warpgroup multiply without a proxy fence between.
    MissingFence,
    /// Everything waits.
    Deadlock,
    /// A barrier that not all threads of a warp, or of the workgroup, reach; wrong counts.
    Barrier,
    /// Accumulators or fragments used while instructions on them run.
    Pending,
    /// A shared-memory matrix descriptor or tensor map that the instruction does not take.
    Descriptor,
    /// Division by zero, a shuffle from a lane that is not there, a write into an input.
    Value,
    /// More steps than the launch allows.
    Endless,
}

/// Why a kernel could not be read or run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EmulateError {
    #[error("line {line}: {why}: {text}")]
    Text { line: u32, text: String, why: String },
    #[error("the launch does not fit the kernel: {0}")]
    Launch(String),
    #[error("{fault:?}: {what}; line {line} of the kernel, workgroup {workgroup}, {place}: {text}")]
    Fault { fault: Fault, what: String, line: u32, text: String, workgroup: u64, place: String },
    #[error("{fault:?}: {what}")]
    Result { fault: Fault, what: String },
}

impl EmulateError {
    /// The kind of the kernel's mistake, if it is one.
    pub fn fault(&self) -> Option<Fault> {
        match self {
            EmulateError::Fault { fault, .. } | EmulateError::Result { fault, .. } => Some(*fault),
            _ => None,
        }
    }
}

pub type Result<T> = std::result::Result<T, EmulateError>;

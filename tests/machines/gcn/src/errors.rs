//! What the emulator reports: files that it cannot read, instructions that it does not know, launches that do not fit,
//! faults of a kernel.

use std::fmt;

use thiserror::Error;

/// What kind of mistake a kernel makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// An access outside of every allocation, of LDS, of scratch.
    OutOfBounds,
    /// A store into memory that may only be read.
    ReadOnly,
    /// An address that the instruction does not take.
    Misaligned,
    /// A value that nothing wrote decides an address, a branch, a lane mask, or what is stored.
    Uninitialised,
    /// A register used while a load into it is under way, or LDS bytes before they arrived.
    MissingWait,
    /// Two waves touch the same LDS bytes and no barrier stands between.
    Race,
    /// Waves wait at a barrier that others do not reach.
    Deadlock,
    /// A control transfer to where no instruction stands, a trap, an operand that the hardware does not define.
    Illegal,
    /// An instruction that the emulator does not model.
    Unknown,
    /// More steps than the launch allows.
    Endless,
}

/// A kernel's mistake and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub kernel: String,
    /// Bytes from the start of the kernel.
    pub pc: u64,
    /// The instruction as the disassembler prints it.
    pub instruction: String,
    pub workgroup: [u32; 3],
    pub wave: u32,
    pub lane: Option<u32>,
    pub address: Option<u64>,
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?}: {}; kernel {} at +0x{:x}: `{}`",
            self.kind, self.what, self.kernel, self.pc, self.instruction
        )?;
        write!(f, "; workgroup {:?}, wave {}", self.workgroup, self.wave)?;
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        if let Some(address) = self.address {
            write!(f, ", address 0x{address:x}")?;
        }
        Ok(())
    }
}

/// Why a code object could not be read or a kernel not be run to its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GcnError {
    #[error("not a code object that can be run: {0}")]
    Object(String),
    #[error("no disassembler: {0}")]
    NoDisassembler(String),
    #[error("no kernel of that name: {0}")]
    NoKernel(String),
    #[error("the launch does not fit the kernel: {0}")]
    Launch(String),
    #[error("{0}")]
    Fault(Box<Fault>),
}

impl GcnError {
    /// The kernel's mistake, if it is one.
    pub fn fault(&self) -> Option<&Fault> {
        if let GcnError::Fault(fault) = self { Some(fault) } else { None }
    }
}

pub type Result<T> = std::result::Result<T, GcnError>;

//! The offline emulator: runs the MLIR text of a GPU kernel on the host and reports what a device would only sometimes
//! show.
//!
//! Input: the text that code generation emits for one kernel (scf, arith, math, vector, llvm, nvvm, some inline PTX), a
//! launch, buffers. Output: the buffers as the kernel leaves them and a [`Report`], or the fault: accesses out of
//! bounds or misaligned, reads of bytes that nothing wrote, races, missing fences, wrong barrier counts and phases,
//! deadlocks, matrix descriptors that mean something else.
//!
//! Why: most mistakes in kernels with asynchronous copies show on hardware as wrong numbers now and then, or as a hang;
//! here each is an error with a line. Limits are listed in `docs/extend/emulator.md`: no registers spill, no timing, no
//! reordering by ptxas.
//!
//! Worked example: a kernel of one warp that stores its lane number, run on a buffer of 128 bytes:
//!
//! ```
//! use fornax_emulate::{Buffer, Kernel, Launch};
//! let kernel = Kernel::parse(
//!     "module {
//!        llvm.func @k(%0: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
//!          %1 = nvvm.read.ptx.sreg.tid.x : i32
//!          %2 = llvm.getelementptr %0[%1] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
//!          llvm.store %1, %2 {alignment = 4 : i64} : i32, !llvm.ptr<1>
//!          llvm.return
//!        }
//!      }",
//! )?;
//! let mut buffers = [Buffer::output(128)];
//! kernel.run(&Launch { grid: [1, 1, 1], ..Launch::default() }, &mut buffers)?;
//! assert_eq!(buffers[0].bytes[4 * 31], 31);
//! # Ok::<(), fornax_emulate::EmulateError>(())
//! ```

mod errors;
mod fragments;
mod global;
mod inst;
mod lanes;
mod launch;
mod lower;
mod machine;
mod shared;
mod tensor_ops;
mod text;
mod types;

pub use errors::{EmulateError, Fault, Result};
pub use inst::Element;
pub use launch::{Buffer, BufferKind, Im2col, Launch, Report, Site, Swizzle, TensorMap};

/// A kernel, read once, to be run as often as wanted.
#[derive(Debug)]
pub struct Kernel {
    program: lower::Program,
}

impl Kernel {
    /// Reads the text of a module with one kernel.
    ///
    /// # Errors
    /// Text that is not understood, or an operation that is not modelled, with its line.
    pub fn parse(mlir: &str) -> Result<Kernel> {
        lower::program(mlir).map(|program| Kernel { program })
    }

    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// Threads of a workgroup, where the text says so.
    pub fn threads(&self) -> Option<u32> {
        self.program.threads
    }

    /// Runs a launch to its end.
    ///
    /// # Errors
    /// A launch that does not fit the kernel; the kernel's first fault. The buffers then hold what was written until
    /// then.
    pub fn run(&self, launch: &Launch, buffers: &mut [Buffer]) -> Result<Report> {
        machine::run(&self.program, launch, buffers)
    }
}

//! Functions of the process that programs call by number: operands are copied to the host, results back.

use std::fmt::Debug;

use super::Session;
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::BufferSlice;

/// Why a function of the host gave no results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostFunctionError {
    /// No function has the number.
    Missing,
    /// What it said.
    Failed(String),
}

/// The functions of this process. A program calls one at a time, in its order, on the thread that runs the call.
pub trait HostFunctions: Debug + Send + Sync {
    /// Calls function `number` with tensors as they lie in memory, row-major, sub-byte elements a byte each. It fills
    /// all results.
    ///
    /// # Errors
    /// [`HostFunctionError::Missing`] where there is none; else what it said.
    fn call(&self, number: u64, operands: &[&[u8]], results: &mut [&mut [u8]]) -> Result<(), HostFunctionError>;
}

impl Session {
    /// Calls a function of the host on ranges of the device's memory, behind everything submitted.
    pub(super) fn host_call(&self, number: u64, operands: &[BufferSlice], results: &[BufferSlice]) -> Result<()> {
        let missing = || {
            let message = format!("the module calls function {number} of the process that made it");
            RuntimeError::new("FX0743", ErrorKind::Module, message)
        };
        let functions = self.host_functions.clone().ok_or_else(missing)?;
        let zeros = |slice: &BufferSlice| vec![0u8; slice.bytes as usize];
        let mut given: Vec<Vec<u8>> = operands.iter().map(zeros).collect();
        for (bytes, slice) in given.iter_mut().zip(operands) {
            self.device.download(slice, bytes)?;
        }
        if operands.is_empty() {
            self.device.synchronize()?;
        }
        let mut made: Vec<Vec<u8>> = results.iter().map(zeros).collect();
        let reads: Vec<&[u8]> = given.iter().map(Vec::as_slice).collect();
        let mut writes: Vec<&mut [u8]> = made.iter_mut().map(Vec::as_mut_slice).collect();
        functions.call(number, &reads, &mut writes).map_err(|error| match error {
            HostFunctionError::Missing => missing(),
            HostFunctionError::Failed(said) => RuntimeError::new("FX0744", ErrorKind::Input, said),
        })?;
        for (bytes, slice) in made.iter().zip(results) {
            self.device.upload(slice, bytes)?;
        }
        Ok(())
    }
}

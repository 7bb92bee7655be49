//! The tensor of an array. It is *placed* when the memory is known, so that later jobs of the queue can name it, and
//! *ready* when the device has written it.

use std::sync::{Arc, Mutex, PoisonError};

use fornax_runtime::DeviceTensor;

use crate::device::Device;
use crate::error::{Failure, Result, Status};
use crate::event::Signal;
use crate::host_functions;

/// A tensor that is there or will be.
pub struct Contents {
    device: Arc<Device>,
    bytes: i64,
    tensor: Mutex<Option<DeviceTensor>>,
    placed: Arc<Signal>,
    pub ready: Arc<Signal>,
}

impl Drop for Contents {
    fn drop(&mut self) {
        self.device.usage.remove(self.bytes);
    }
}

impl Contents {
    /// One of `bytes` that a job will fill.
    pub fn pending(device: &Arc<Device>, bytes: usize) -> Arc<Contents> {
        device.usage.add(bytes as i64);
        Arc::new(Contents {
            device: device.clone(),
            bytes: bytes as i64,
            tensor: Mutex::new(None),
            placed: Signal::new(),
            ready: Signal::new(),
        })
    }

    /// One that is there.
    pub fn of(device: &Arc<Device>, tensor: DeviceTensor) -> Arc<Contents> {
        let bytes = tensor.ty().bytes().unwrap_or(0);
        let contents = Contents::pending(device, bytes);
        contents.fill(Ok(tensor));
        contents
    }

    /// Fills it. It is ready when the device has done what was submitted by now.
    pub fn fill(&self, result: Result<DeviceTensor>) {
        match result {
            Ok(tensor) => {
                *self.tensor.lock().unwrap_or_else(PoisonError::into_inner) = Some(tensor);
                self.placed.set(Ok(()));
                self.device.queue.complete(&self.ready);
            }
            Err(failure) => {
                self.placed.set(Err(failure.clone()));
                self.ready.set(Err(failure));
            }
        }
    }

    /// Whether who waits here for the tensor will see it.
    ///
    /// # Errors
    /// FX0745 in a function of the host whose call stands before the one that makes it, in the same queue.
    pub fn check_comes(&self) -> Result<()> {
        if self.is_placed() || !(host_functions::is_inside() && self.device.queue.is_here()) {
            return Ok(());
        }
        let message = "a callback waits for an array of a later call, which waits for the callback";
        Err(Failure::coded(Status::FailedPrecondition, "FX0745", message))
    }

    fn wait(&self) -> Result<()> {
        self.check_comes()?;
        self.placed.wait()
    }

    /// The tensor, waiting until it is placed.
    ///
    /// # Errors
    /// What kept it from being made, or FX0745 as of [`Contents::check_comes`].
    pub fn tensor(&self) -> Result<DeviceTensor> {
        self.wait()?;
        let tensor = self.tensor.lock().unwrap_or_else(PoisonError::into_inner).clone();
        tensor.ok_or_else(super::gone)
    }

    /// Takes the tensor, for a call that overwrites it.
    ///
    /// # Errors
    /// As [`Contents::tensor`].
    pub fn take(&self) -> Result<DeviceTensor> {
        self.wait()?;
        let tensor = self.tensor.lock().unwrap_or_else(PoisonError::into_inner).take();
        tensor.ok_or_else(super::gone)
    }

    /// Whether the tensor can be named without waiting.
    pub fn is_placed(&self) -> bool {
        self.placed.is_set()
    }
}

//! Arrays: a tensor of a device that is there, or will be.
//!
//! - [`contents`]: the tensor, filled by a job of the device's queue.
//! - [`entries`]: making arrays, and what they say of themselves.
//! - [`transfers`]: copies to the host, to other devices.
//! - `host`: arrays of the caller's as tensors; `strided`: copies between arrays of any strides.

pub mod contents;
pub mod entries;
mod host;
mod strided;
pub mod transfers;

use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fornax_runtime::TensorType;

use crate::api::Handle;
use crate::api::values;
use crate::device::Device;
use crate::error::{Failure, Result, Status};
use contents::Contents;

/// An array as callers hold it.
pub struct Buffer {
    pub device: Arc<Device>,
    pub ty: TensorType,
    /// Of the element type.
    code: c_int,
    dims: Vec<i64>,
    /// The fastest dimension first.
    minor_to_major: Vec<i64>,
    /// `None` once it was deleted or donated.
    contents: Mutex<Option<Arc<Contents>>>,
    /// Outside holders of its memory: a call that overwrites it gets a copy.
    holders: AtomicUsize,
}

impl Buffer {
    pub fn new(device: Arc<Device>, ty: TensorType, contents: Arc<Contents>) -> Result<Buffer> {
        Ok(Buffer {
            code: values::code(ty.element_type)?,
            dims: values::dims_of(&ty.shape),
            minor_to_major: (0..ty.shape.len() as i64).rev().collect(),
            device,
            ty,
            contents: Mutex::new(Some(contents)),
            holders: AtomicUsize::new(0),
        })
    }

    pub fn give(device: Arc<Device>, ty: TensorType, contents: Arc<Contents>) -> Result<Handle<Buffer>> {
        Ok(Handle::give(Buffer::new(device, ty, contents)?))
    }

    /// What it holds.
    ///
    /// # Errors
    /// FX0736 once it was deleted or donated.
    pub fn contents(&self) -> Result<Arc<Contents>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(gone)
    }

    /// Takes what it holds from it: the array is deleted.
    pub fn take(&self) -> Option<Arc<Contents>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Somebody outside reads or writes its memory.
    pub fn is_held(&self) -> bool {
        self.holders.load(Ordering::Acquire) > 0
    }
}

fn gone() -> Failure {
    Failure::coded(Status::InvalidArgument, "FX0736", "Array has been deleted: it was donated to a call, or deleted")
}

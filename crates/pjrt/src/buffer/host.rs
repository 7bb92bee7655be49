//! Arrays of the caller's as tensors: copied at once, or used where they lie for as long as the API allows.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use fornax_runtime::mapping::{DeviceBytes, HostBytes, Mapping};
use fornax_runtime::{DeviceTensor, Tensor, TensorType};

use super::strided::{self, Side};
use crate::api::values::row_major;
use crate::device::Device;
use crate::error::{Failure, Result};
use crate::event::Signal;

/// From this of the four promises on, the caller's bytes stay as they are as long as the array lives.
pub const ZERO_COPY: c_int = 2;

/// An array in host memory.
pub struct HostArray {
    pub data: *const u8,
    pub ty: TensorType,
    /// In bytes.
    pub strides: Vec<i64>,
}

impl HostArray {
    fn is_dense(&self) -> bool {
        let dense = row_major(&self.ty.shape, self.ty.element_type.storage_bytes());
        let extents = self.ty.shape.iter();
        extents.zip(dense.iter().zip(&self.strides)).all(|(extent, (dense, given))| *extent == 1 || dense == given)
    }

    /// A tensor with these elements, copied.
    ///
    /// # Errors
    /// What the runtime says.
    pub fn copied(&self, device: &Device) -> Result<DeviceTensor> {
        let bytes = self.ty.bytes()?;
        if bytes == 0 {
            return Ok(DeviceTensor::zeros(self.ty.clone(), &device.runtime)?);
        }
        if self.data.is_null() {
            return Err(Failure::argument("an array without data"));
        }
        if self.is_dense() {
            // SAFETY: the caller lends a dense array for the call.
            let elements = unsafe { std::slice::from_raw_parts(self.data, bytes) };
            return Ok(DeviceTensor::copy_of(&device.runtime, self.ty.clone(), elements)?);
        }
        let width = self.ty.element_type.storage_bytes();
        let mut dense = vec![0u8; bytes];
        let strides = row_major(&self.ty.shape, width);
        let source = Side { start: self.data.cast_mut(), strides: &self.strides };
        let target = Side { start: dense.as_mut_ptr(), strides: &strides };
        // SAFETY: the caller lends an array with these strides; the target is dense.
        unsafe { strided::copy(source, target, &self.ty.shape, width) };
        Ok(Tensor::new(self.ty.clone(), dense)?.to_device(&device.runtime)?)
    }

    /// A tensor over these elements where they lie, if the device can; else copied. `done` is set when the caller's
    /// memory is no longer used.
    ///
    /// # Errors
    /// What the runtime says.
    pub fn lent(&self, device: &Device, done: &Arc<Signal>) -> Result<DeviceTensor> {
        let bytes = self.ty.bytes()?;
        if !device.is_on_host() || bytes == 0 || self.data.is_null() || !self.is_dense() {
            let copied = self.copied(device);
            done.set(Ok(()));
            return copied;
        }
        let release = Release(Box::new({
            let done = done.clone();
            move || done.set(Ok(()))
        }));
        lend_host(device, &self.ty, Lent { data: self.data, bytes, _release: release })
    }
}

/// Runs a function when it is dropped.
struct Release(Box<dyn FnMut() + Send + Sync>);

impl Drop for Release {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Bytes of the caller's.
struct Lent {
    data: *const u8,
    bytes: usize,
    _release: Release,
}

// SAFETY: the caller promises that the bytes stay as they are until they are released.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.data, self.bytes) }
    }
}

fn lend_host(device: &Device, ty: &TensorType, lent: Lent) -> Result<DeviceTensor> {
    let bytes = lent.bytes;
    let range = HostBytes::new(Arc::new(Mapping::lent(lent)), 0..bytes);
    let range = range.ok_or_else(|| Failure::argument("an array without data"))?;
    Ok(DeviceTensor::lend(&device.runtime, ty.clone(), &range)?)
}

/// Memory of a device that another library owns, and the function that tells it of the end.
pub struct Foreign {
    pub data: *mut c_void,
    pub delete: Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>,
    pub argument: *mut c_void,
}

// SAFETY: the API says that the function may be called from any thread.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}

impl Drop for Foreign {
    fn drop(&mut self) {
        if let Some(delete) = self.delete {
            // SAFETY: the caller left all three together.
            unsafe { delete(self.data, self.argument) };
        }
    }
}

/// A tensor over another library's memory.
///
/// # Errors
/// FX0731 for memory that kernels cannot use.
pub fn view(device: &Device, ty: &TensorType, foreign: Foreign) -> Result<DeviceTensor> {
    let bytes = ty.bytes()?;
    if bytes == 0 {
        return Ok(DeviceTensor::zeros(ty.clone(), &device.runtime)?);
    }
    if device.is_on_host() {
        let data = foreign.data.cast_const().cast();
        let mut foreign = Some(foreign);
        return lend_host(device, ty, Lent { data, bytes, _release: Release(Box::new(move || drop(foreign.take()))) });
    }
    // SAFETY: the caller gives memory of this device.
    let range = unsafe { DeviceBytes::new(foreign.data as u64, bytes as u64, foreign) };
    let lent = DeviceTensor::lend_on_device(&device.runtime, ty.clone(), range)?;
    lent.ok_or_else(|| Failure::argument("memory that begins at no multiple of 16"))
}

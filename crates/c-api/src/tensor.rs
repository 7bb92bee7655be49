//! Tensors on the host and on devices.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use fornax_runtime::{DeviceTensor, Result, Tensor, TensorType};

use crate::arguments::{array, free, give, handle, misuse, place};
use crate::device::fornax_device;
use crate::dtype::{code_of, element_of, fornax_dtype};
use crate::error::{fornax_error, guarded};

/// A dense tensor, row-major, on the host or on a device.
pub struct fornax_tensor(pub(crate) Held);

pub(crate) enum Held {
    Host(Arc<Tensor>),
    Device(DeviceTensor),
}

impl fornax_tensor {
    pub(crate) fn on_host(tensor: Tensor) -> fornax_tensor {
        fornax_tensor(Held::Host(Arc::new(tensor)))
    }

    fn ty(&self) -> &TensorType {
        match &self.0 {
            Held::Host(tensor) => tensor.ty(),
            Held::Device(tensor) => tensor.ty(),
        }
    }

    /// The tensor on the host: itself, or a copy from the device.
    pub(crate) fn host(&self) -> Result<Arc<Tensor>> {
        match &self.0 {
            Held::Host(tensor) => Ok(tensor.clone()),
            Held::Device(tensor) => Ok(Arc::new(tensor.to_host()?)),
        }
    }
}

/// Makes a tensor on the host with a copy of the elements, whose bytes must be those of the type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_tensor_from_host(
    dtype: fornax_dtype,
    shape: *const u64,
    rank: usize,
    data: *const c_void,
    bytes: usize,
    tensor: *mut *mut fornax_tensor,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let tensor = place(tensor, "tensor")?;
        let ty = TensorType::new(element_of(dtype)?, array(shape, rank, "shape")?);
        let data = array(data.cast::<u8>(), bytes, "data")?;
        give(tensor, fornax_tensor::on_host(Tensor::new(ty, data.to_vec())?));
        Ok(())
    })
}

/// The element type; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_tensor_dtype(tensor: *const fornax_tensor) -> fornax_dtype {
    // SAFETY: as the crate says.
    unsafe { tensor.as_ref() }.map_or(0, |tensor| code_of(tensor.ty().element_type))
}

/// Number of dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_tensor_rank(tensor: *const fornax_tensor) -> usize {
    // SAFETY: as the crate says.
    unsafe { tensor.as_ref() }.map_or(0, |tensor| tensor.ty().shape.len())
}

/// As many sizes as the rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_tensor_shape(tensor: *const fornax_tensor) -> *const u64 {
    // SAFETY: as the crate says.
    unsafe { tensor.as_ref() }.map_or(ptr::null(), |tensor| tensor.ty().shape.as_ptr())
}

/// Bytes of all elements on the host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_tensor_bytes(tensor: *const fornax_tensor) -> usize {
    // SAFETY: as the crate says.
    unsafe { tensor.as_ref() }.and_then(|tensor| tensor.ty().bytes().ok()).unwrap_or(0)
}

/// The elements of a tensor on the host, as long as it lives; NULL for one on a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_tensor_data(tensor: *const fornax_tensor) -> *const c_void {
    // SAFETY: as the crate says.
    match unsafe { tensor.as_ref() }.map(|tensor| &tensor.0) {
        Some(Held::Host(tensor)) => tensor.bytes().as_ptr().cast(),
        Some(Held::Device(_)) | None => ptr::null(),
    }
}

/// Copies all elements to memory of the caller, from a device behind everything that is queued there. `bytes` must be
/// those of the tensor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_tensor_read(
    tensor: *const fornax_tensor,
    data: *mut c_void,
    bytes: usize,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let tensor = handle(tensor, "tensor")?;
        let wanted = tensor.ty().bytes()?;
        if bytes != wanted {
            return Err(misuse(format!("a tensor of type {} takes {wanted} bytes, not {bytes}", tensor.ty())));
        }
        if bytes == 0 {
            return Ok(());
        }
        if data.is_null() {
            return Err(misuse("`data` is NULL"));
        }
        let host = tensor.host()?;
        ptr::copy_nonoverlapping(host.bytes().as_ptr(), data.cast::<u8>(), bytes);
        Ok(())
    })
}

/// Copies a tensor to a device; one that is there already is shared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_tensor_to_device(
    tensor: *const fornax_tensor,
    device: *const fornax_device,
    copy: *mut *mut fornax_tensor,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let (tensor, device, copy) = (handle(tensor, "tensor")?, handle(device, "device")?, place(copy, "copy")?);
        let moved = match &tensor.0 {
            Held::Device(there) if there.device().info().uri() == device.device.info().uri() => there.clone(),
            _ => tensor.host()?.to_device(&device.device)?,
        };
        give(copy, fornax_tensor(Held::Device(moved)));
        Ok(())
    })
}

/// Copies a tensor to the host; one that is there already is shared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_tensor_to_host(
    tensor: *const fornax_tensor,
    copy: *mut *mut fornax_tensor,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let (tensor, copy) = (handle(tensor, "tensor")?, place(copy, "copy")?);
        give(copy, fornax_tensor(Held::Host(tensor.host()?)));
        Ok(())
    })
}

/// Ends a handle of a tensor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_tensor_free(tensor: *mut fornax_tensor) {
    // SAFETY: as the crate says.
    unsafe { free(tensor) };
}

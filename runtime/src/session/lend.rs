//! Tensors over bytes of the caller's: where the device can, they are used in place, and results are read where they
//! lie.
//!
//! Worked example: an array of another library, 64 MiB, is the input of a call on the processor. [`DeviceTensor::lend`]
//! checks that it has the bytes of its type and begins at a multiple of 16, and makes a tensor of it without a copy.
//! The result's [`DeviceTensor::address`] is that of an array which nobody copied either.

use super::DeviceTensor;
use crate::errors::{Result, RuntimeError};
use crate::hal::{Command, Device, Place};
use crate::mapping::{DeviceBytes, HostBytes};
use crate::tensor::{ElementType, Tensor, TensorType};

/// Smaller arrays are copied (bytes): the copies lie at addresses that come back, so that recorded calls fit.
const LENT_MIN: usize = 64 << 10;

impl DeviceTensor {
    /// A tensor of bytes that somebody else owns, row-major and little endian. They must stay as they are until the
    /// calls that take the tensor are done. They are copied where the device cannot use them in place, where they are
    /// few, and where their form has to be checked: `i1`, and types of less than a byte.
    ///
    /// # Errors
    /// FX0825 where the type has another length, FX0706 where there is no memory for a copy.
    pub fn lend(device: &Device, ty: TensorType, bytes: &HostBytes) -> Result<DeviceTensor> {
        let wanted = ty.bytes()?;
        let given = bytes.bytes();
        if given.len() != wanted {
            let message = format!("{ty} takes {wanted} bytes, not {}", given.len());
            return Err(RuntimeError::input("FX0825", message));
        }
        if ty.element_type.is_sub_byte() || ty.element_type == ElementType::I1 {
            return Tensor::new(ty, given.to_vec())?.to_device(device);
        }
        let lent = if wanted < LENT_MIN { None } else { device.import(bytes) };
        let buffer = match lent {
            Some(buffer) => buffer,
            None => device.upload_new(given)?,
        };
        Ok(DeviceTensor { ty, buffer })
    }

    /// A tensor with these elements, row-major and little endian, in memory of its own.
    ///
    /// # Errors
    /// FX0825 where the type has another length, FX0706 where there is no memory for it.
    pub fn copy_of(device: &Device, ty: TensorType, elements: &[u8]) -> Result<DeviceTensor> {
        if ty.element_type.is_sub_byte() || ty.element_type == ElementType::I1 || ty.bytes()? != elements.len() {
            return Tensor::new(ty, elements.to_vec())?.to_device(device);
        }
        let buffer = device.upload_new(elements)?;
        Ok(DeviceTensor { ty, buffer })
    }

    /// Copies the elements to `elements`, behind everything queued: waits for kernels that still write them.
    ///
    /// # Errors
    /// FX0825 where `elements` has another length; what the driver says of the copy.
    pub fn read(&self, elements: &mut [u8]) -> Result<()> {
        let wanted = self.ty.bytes()?;
        if elements.len() != wanted {
            let message = format!("{} takes {wanted} bytes, not {}", self.ty, elements.len());
            return Err(RuntimeError::input("FX0825", message));
        }
        if self.is_in_host_form() && !self.ty.element_type.is_sub_byte() {
            return Ok(self.device().download(&self.buffer.all(), elements)?);
        }
        elements.copy_from_slice(self.to_host()?.bytes());
        Ok(())
    }

    /// A tensor of another library's memory on a device, without a copy; `None` where it is not aligned for kernels. It
    /// must stay as it is until the calls that take the tensor are done.
    ///
    /// # Errors
    /// FX0825 where the type has another length.
    pub fn lend_on_device(device: &Device, ty: TensorType, bytes: DeviceBytes) -> Result<Option<DeviceTensor>> {
        if ty.bytes()? as u64 != bytes.len() {
            let message = format!("{ty} takes {} bytes, not {}", ty.bytes()?, bytes.len());
            return Err(RuntimeError::input("FX0825", message));
        }
        Ok(device.lend(bytes).map(|buffer| DeviceTensor { ty, buffer }))
    }

    /// The device's address of the first element; on the processor it is one of this process.
    pub fn address(&self) -> u64 {
        self.buffer.address()
    }

    /// Whether the elements lie one behind the other as on the host: types of less than a byte may be packed.
    pub fn is_in_host_form(&self) -> bool {
        self.ty.bytes().is_ok_and(|bytes| bytes as u64 == self.buffer.bytes())
    }

    /// The same elements in memory of their own, for a call that overwrites its input. Nobody waits for the copy.
    ///
    /// # Errors
    /// FX0706 where there is no memory for it; what the driver says of the copy.
    pub fn duplicate(&self) -> Result<DeviceTensor> {
        let device = self.device();
        let buffer = device.allocate(self.buffer.bytes(), Place::Device)?;
        let copy = Command::Copy { source: self.buffer.all(), target: buffer.all() };
        device.submit(&device.record(&[copy])?)?;
        Ok(DeviceTensor { ty: self.ty.clone(), buffer })
    }

    /// Whether the memory belongs to somebody else: calls may not write to it.
    pub fn is_lent(&self) -> bool {
        self.buffer.is_read_only()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::mapping::Mapping;
    use crate::registry::open_device;

    /// Bytes at a multiple of 16, and what is lent of them.
    #[repr(align(64))]
    struct Aligned([u8; LENT_MIN + 64]);

    struct Owner(Arc<Aligned>, std::ops::Range<usize>);

    impl AsRef<[u8]> for Owner {
        fn as_ref(&self) -> &[u8] {
            &self.0.0[self.1.clone()]
        }
    }

    fn lent(array: &Arc<Aligned>, range: std::ops::Range<usize>) -> HostBytes {
        let bytes = range.len();
        HostBytes::new(Arc::new(Mapping::lent(Owner(array.clone(), range))), 0..bytes).unwrap()
    }

    #[test]
    fn large_aligned_arrays_are_used_in_place_and_others_copied() {
        let device = open_device("cpu").unwrap();
        let array = Arc::new(Aligned(std::array::from_fn(|at| at as u8)));
        let ty = |bytes: usize| TensorType::new(ElementType::Ui8, [bytes as u64]);
        for (range, in_place) in [(0..LENT_MIN, true), (0..LENT_MIN - 1, false), (4..LENT_MIN + 4, false)] {
            let tensor = DeviceTensor::lend(&device, ty(range.len()), &lent(&array, range.clone())).unwrap();
            let start = array.0[range.clone()].as_ptr() as u64;
            assert_eq!((tensor.is_lent(), tensor.address() == start), (in_place, in_place), "{range:?}");
            assert_eq!(tensor.to_host().unwrap().bytes(), &array.0[range.clone()]);
            let mut read = vec![0; range.len()];
            tensor.read(&mut read).unwrap();
            assert_eq!(read, &array.0[range.clone()]);
            assert_eq!(tensor.read(&mut [0; 3]).unwrap_err().code(), "FX0825");
            let own = tensor.duplicate().unwrap();
            assert!(!own.is_lent() && own.address() != tensor.address());
            assert_eq!(own.to_host().unwrap().bytes(), &array.0[range]);
        }
        let short = DeviceTensor::lend(&device, ty(7), &lent(&array, 0..8));
        assert_eq!(short.err().unwrap().code(), "FX0825");
        // Truth values are brought into their one form.
        let truths = TensorType::new(ElementType::I1, [3]);
        let tensor = DeviceTensor::lend(&device, truths.clone(), &lent(&array, 0..3)).unwrap();
        assert_eq!(tensor.to_host().unwrap().bytes(), [0, 1, 1]);
        let copied = DeviceTensor::copy_of(&device, truths, &[0, 5, 1]).unwrap();
        assert_eq!(copied.to_host().unwrap().bytes(), [0, 1, 1]);
        let copied = DeviceTensor::copy_of(&device, ty(4), &[1, 2, 3, 4]).unwrap();
        assert!(!copied.is_lent() && copied.to_host().unwrap().bytes() == [1, 2, 3, 4]);
        assert_eq!(DeviceTensor::copy_of(&device, ty(4), &[1]).err().unwrap().code(), "FX0825");
    }
}

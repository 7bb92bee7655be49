//! Tensors as slices of Rust's own numbers.

use std::borrow::Cow;

use bytemuck::{CheckedBitPattern, NoUninit};
use half::{bf16, f16};

use super::{ElementType, Tensor, TensorType};
use crate::errors::{Result, RuntimeError};

// Tensors are little endian, and so are the numbers that a slice of them shows.
const _: () = assert!(cfg!(target_endian = "little"), "Fornax runs on little-endian machines");

mod sealed {
    pub trait Sealed {}
}

/// A number of Rust with the layout of an element type. `[f32; 2]` and `[f64; 2]` are complex numbers: re, im.
pub trait Element: sealed::Sealed + NoUninit + CheckedBitPattern {
    /// The element type of its tensors.
    const TYPE: ElementType;
}

macro_rules! elements {
    ($($rust:ty => $element:ident;)*) => {
        $(
            impl sealed::Sealed for $rust {}
            impl Element for $rust {
                const TYPE: ElementType = ElementType::$element;
            }
        )*
    };
}

elements! {
    bool => I1;
    i8 => I8;
    i16 => I16;
    i32 => I32;
    i64 => I64;
    u8 => Ui8;
    u16 => Ui16;
    u32 => Ui32;
    u64 => Ui64;
    bf16 => Bf16;
    f16 => F16;
    f32 => F32;
    f64 => F64;
    [f32; 2] => ComplexF32;
    [f64; 2] => ComplexF64;
}

impl Tensor {
    /// A tensor of this shape with a copy of the values, row-major.
    ///
    /// # Errors
    /// FX0825 where the shape has another number of elements; FX0831 for one that is too large.
    ///
    /// ```
    /// use fornax_runtime::Tensor;
    /// # fn main() -> fornax_runtime::Result<()> {
    /// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
    /// assert_eq!(x.ty().to_string(), "2x3xf32");
    /// assert_eq!(x.values::<f32>()?[4], 5.0);
    /// let halves: Vec<half::f16> = [0.5, 1.5].map(half::f16::from_f32).to_vec();
    /// assert_eq!(Tensor::from_slice(&halves, [2])?.ty().to_string(), "2xf16");
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_slice<T: Element>(values: &[T], shape: impl Into<Vec<u64>>) -> Result<Tensor> {
        Tensor::new(TensorType::new(T::TYPE, shape), bytemuck::cast_slice(values).to_vec())
    }

    /// The elements, row-major: borrowed, or a copy where the bytes do not lie as a slice of `T` must.
    ///
    /// # Errors
    /// FX0712 where the tensor is of another element type. [`Tensor::iter`] reads every type.
    pub fn values<T: Element>(&self) -> Result<Cow<'_, [T]>> {
        if self.element_type() != T::TYPE {
            let message = format!("a tensor of type {} has no values of type {}", self.ty(), T::TYPE);
            return Err(RuntimeError::input("FX0712", message).with_help("`Tensor::iter` reads every element type"));
        }
        if let Ok(values) = bytemuck::checked::try_cast_slice(self.bytes()) {
            return Ok(Cow::Borrowed(values));
        }
        let size = size_of::<T>();
        Ok(self.bytes().chunks_exact(size).map(bytemuck::checked::pod_read_unaligned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comes_back<T: Element + PartialEq + std::fmt::Debug>(values: &[T], spelling: &str) {
        let tensor = Tensor::from_slice(values, [values.len() as u64, 1]).unwrap();
        assert_eq!(tensor.ty().to_string(), format!("{}x1x{spelling}", values.len()));
        assert_eq!(*tensor.values::<T>().unwrap(), *values);
    }

    #[test]
    fn slices_come_back_as_they_were() {
        comes_back(&[true, false, true], "i1");
        comes_back(&[-128i8, 127], "i8");
        comes_back(&[-3i16, 7, 300], "i16");
        comes_back(&[i32::MIN, 0, i32::MAX], "i32");
        comes_back(&[i64::MIN, 5], "i64");
        comes_back(&[0u8, 255], "ui8");
        comes_back(&[65_535u16], "ui16");
        comes_back(&[u32::MAX, 1], "ui32");
        comes_back(&[u64::MAX], "ui64");
        comes_back(&[bf16::from_f32(-1.5), bf16::INFINITY], "bf16");
        comes_back(&[f16::from_f32(0.1), f16::MAX], "f16");
        comes_back(&[0.1f32, -0.0, f32::INFINITY], "f32");
        comes_back(&[0.1f64, f64::MIN_POSITIVE], "f64");
        comes_back(&[[1.0f32, -2.0], [0.0, 3.5]], "complex<f32>");
        comes_back(&[[1.0f64, -2.0]], "complex<f64>");
        comes_back::<f32>(&[], "f32");
    }

    #[test]
    fn other_types_and_sizes_are_refused() {
        let tensor = Tensor::from_slice(&[1.0f32, 2.0], [2]).unwrap();
        assert_eq!(tensor.values::<f64>().unwrap_err().code(), "FX0712");
        assert_eq!(tensor.values::<i32>().unwrap_err().code(), "FX0712");
        assert_eq!(Tensor::from_slice(&[1.0f32, 2.0], [3]).unwrap_err().code(), "FX0825");
    }
}

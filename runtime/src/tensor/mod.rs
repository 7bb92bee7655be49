//! Tensors on the host: text in and out, npy, npz and safetensors files, comparison.
//!
//! Everything here takes data from a user: no call panics, and sizes are checked before memory is taken.

pub mod compare;
pub mod generate;
pub mod npy;
pub mod npz;
pub mod output;
pub mod parse;
pub mod print;
#[cfg(test)]
mod roundtrip;
pub mod safetensors;
mod typed;

use std::fmt;

pub use self::typed::Element;
use fornax_types::Class;
pub use fornax_types::{ElementType, Scalar};

use crate::errors::{ErrorKind, Result, RuntimeError};

/// Most dimensions of a tensor.
pub const MAX_RANK: usize = 32;
/// Most bytes of a tensor.
pub const MAX_BYTES: u64 = 1 << 40;

/// Element type and dimensions, printed as `1x224x224x3xf32`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorType {
    pub element_type: ElementType,
    pub shape: Vec<u64>,
}

impl TensorType {
    pub fn new(element_type: ElementType, shape: impl Into<Vec<u64>>) -> Self {
        TensorType { element_type, shape: shape.into() }
    }

    /// Number of elements; an error beyond [`MAX_RANK`] dimensions or [`MAX_BYTES`].
    pub fn elements(&self) -> Result<usize> {
        let too_large = || RuntimeError::input("FX0831", format!("a tensor of type {self} is too large"));
        if self.shape.len() > MAX_RANK {
            return Err(too_large());
        }
        let product = self.shape.iter().try_fold(1u64, |sum, dim| sum.checked_mul(*dim));
        // A zero anywhere makes the product zero, whatever the order.
        let count = if self.shape.contains(&0) { Some(0) } else { product };
        let bytes = count.and_then(|count| count.checked_mul(self.element_type.storage_bytes() as u64));
        match bytes {
            Some(bytes) if bytes <= MAX_BYTES => Ok((bytes / self.element_type.storage_bytes() as u64) as usize),
            _ => Err(too_large()),
        }
    }

    /// Bytes on the host.
    pub fn bytes(&self) -> Result<usize> {
        Ok(self.elements()? * self.element_type.storage_bytes())
    }

    /// From MLIR's spelling without `tensor<>`: dims joined by `x`, then the element type.
    pub fn parse(text: &str) -> Result<TensorType> {
        parse::parse_type(text)
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for dim in &self.shape {
            write!(f, "{dim}x")?;
        }
        write!(f, "{}", self.element_type)
    }
}

/// A dense row-major tensor; `bytes` holds the elements as [`ElementType`] describes.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    ty: TensorType,
    bytes: Vec<u8>,
}

impl Tensor {
    /// A tensor over `bytes`, whose length must be that of the type. Bits outside of sub-byte elements are
    /// brought into the form that [`ElementType`] describes.
    pub fn new(ty: TensorType, mut bytes: Vec<u8>) -> Result<Tensor> {
        let wanted = ty.bytes()?;
        if bytes.len() != wanted {
            let message = format!("{ty} takes {wanted} bytes, not {}", bytes.len());
            return Err(RuntimeError::input("FX0825", message));
        }
        normalise(ty.element_type, &mut bytes);
        Ok(Tensor { ty, bytes })
    }

    /// All elements zero.
    pub fn zeros(ty: TensorType) -> Result<Tensor> {
        let bytes = zeroed(ty.bytes()?)?;
        Ok(Tensor { ty, bytes })
    }

    pub fn ty(&self) -> &TensorType {
        &self.ty
    }

    pub fn element_type(&self) -> ElementType {
        self.ty.element_type
    }

    pub fn shape(&self) -> &[u64] {
        &self.ty.shape
    }

    /// Host bytes, row-major, little endian.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.bytes.len() / self.ty.element_type.storage_bytes()
    }

    /// The elements in row-major order.
    pub fn iter(&self) -> impl Iterator<Item = Scalar> + '_ {
        let ty = self.ty.element_type;
        self.bytes.chunks_exact(ty.storage_bytes()).map(move |bytes| ty.decode(bytes))
    }

    /// The same bytes under another element type, where [`ElementType::stands_for`] allows it.
    pub fn reinterpret(self, to: ElementType) -> Result<Tensor, Tensor> {
        if !self.ty.element_type.stands_for(to) {
            return Err(self);
        }
        let mut bytes = self.bytes;
        normalise(to, &mut bytes);
        Ok(Tensor { ty: TensorType { element_type: to, shape: self.ty.shape }, bytes })
    }
}

/// Brings every byte of a one-byte type into its one form: i1 to 0 or 1, sub-byte integers extended.
fn normalise(ty: ElementType, bytes: &mut [u8]) {
    if !(ty.is_sub_byte() || ty == ElementType::I1) {
        return;
    }
    let (class, unused) = (ty.class(), 8 - ty.bits());
    for byte in bytes {
        *byte = match class {
            Class::Boolean => u8::from(*byte != 0),
            Class::SignedInteger => ((*byte << unused) as i8 >> unused) as u8,
            _ => *byte << unused >> unused,
        };
    }
}

/// `len` zero bytes, or an out-of-memory error.
pub(crate) fn zeroed(len: usize) -> Result<Vec<u8>> {
    let mut bytes = reserved(len)?;
    bytes.resize(len, 0);
    Ok(bytes)
}

/// An empty vector with room for `len` bytes, or an out-of-memory error.
pub(crate) fn reserved(len: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match bytes.try_reserve_exact(len) {
        Ok(()) => Ok(bytes),
        Err(_) => {
            let message = format!("the host has no {len} bytes for a tensor");
            Err(RuntimeError::new("FX0706", ErrorKind::OutOfMemory, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_checked() {
        let huge = TensorType::new(ElementType::F32, [1 << 40, 1 << 40]);
        assert_eq!(huge.bytes().unwrap_err().code(), "FX0831");
        let zero = TensorType::new(ElementType::F32, [1 << 40, 1 << 40, 0]);
        assert_eq!(zero.bytes().unwrap(), 0);
        assert_eq!(TensorType::new(ElementType::I1, vec![1; 33]).elements().unwrap_err().code(), "FX0831");
        let short = Tensor::new(TensorType::new(ElementType::F32, [2]), vec![0; 7]);
        assert_eq!(short.unwrap_err().code(), "FX0825");
    }

    #[test]
    fn bits_become_their_type_and_other_pairs_do_not() {
        let bits = Tensor::new(TensorType::new(ElementType::Ui16, [1]), vec![0x80, 0x3f]).unwrap();
        let one = bits.reinterpret(ElementType::Bf16).unwrap();
        assert_eq!(one.iter().next(), Some(Scalar::Float(1.0)));
        assert!(one.reinterpret(ElementType::F32).is_err());
        let nibble = Tensor::new(TensorType::new(ElementType::Ui8, [1]), vec![0x0f]).unwrap();
        assert_eq!(nibble.reinterpret(ElementType::I4).unwrap().bytes(), [0xff]);
    }
}

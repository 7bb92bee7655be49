//! Constant data by reference: never copied into IR text, shared between graphs.

use std::sync::Arc;

use crate::types::TensorType;

/// Bytes of a constant, host-edge storage (see `element`).
#[derive(Clone, Debug)]
pub enum Storage {
    /// One element repeated.
    Splat(Vec<u8>),
    /// All elements, row-major.
    Dense(Arc<dyn Bytes>),
}

/// Anything that lends bytes: an owned vector, a mapped file range.
pub trait Bytes: Send + Sync + std::fmt::Debug {
    fn bytes(&self) -> &[u8];
}

impl Bytes for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// A typed constant with a static shape.
#[derive(Clone, Debug)]
pub struct Constant {
    pub ty: TensorType,
    pub storage: Storage,
}

impl Constant {
    pub fn dense(ty: TensorType, bytes: Vec<u8>) -> Constant {
        Constant { ty, storage: Storage::Dense(Arc::new(bytes)) }
    }

    pub fn splat(ty: TensorType, element: Vec<u8>) -> Constant {
        Constant { ty, storage: Storage::Splat(element) }
    }

    /// The repeated element, if this is a splat (a one-element dense constant counts).
    pub fn splat_bytes(&self) -> Option<&[u8]> {
        match &self.storage {
            Storage::Splat(e) => Some(e),
            Storage::Dense(b) if self.ty.elements() == Some(1) => Some(b.bytes()),
            Storage::Dense(_) => None,
        }
    }

    /// All elements, row-major; a splat is expanded.
    pub fn to_bytes(&self) -> Vec<u8> {
        match &self.storage {
            Storage::Dense(b) => b.bytes().to_vec(),
            Storage::Splat(e) => e.repeat(usize::try_from(self.ty.elements().unwrap_or(0)).unwrap_or(0)),
        }
    }
}

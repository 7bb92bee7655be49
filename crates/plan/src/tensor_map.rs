//! Tensor maps: descriptors of a box-wise view of a buffer, which the runtime encodes and passes after the buffers.
//!
//! A kernel that moves tiles with bulk tensor copies names tiles by coordinates; the descriptor holds address, extents
//! and strides. Reads outside the extents give zeros, writes there are dropped, so tails need no masks.
//!
//! Worked example: A = `[1000, 1032]` bf16 row-major, tiles of 128 rows × 64 columns: dims `[1032, 1000]`, strides
//! `[2064]`, box [64, 128], swizzle 128 B (64 · 2 bytes = one swizzle span). With b rows, b known only at run time:
//! dims [1032, 1], and `sizes` says that extent 1 is b.

use fornax_graph::ElementType;

use crate::index::IndexId;

/// How 16-byte chunks of a box's inner rows are permuted in shared memory: chunk ^= row mod (span / 16).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Swizzle {
    #[default]
    None,
    B32,
    B64,
    B128,
}

impl Swizzle {
    /// Bytes of an inner row of the box, at most; 0 for no swizzle.
    pub fn span_bytes(self) -> u32 {
        match self {
            Swizzle::None => 0,
            Swizzle::B32 => 32,
            Swizzle::B64 => 64,
            Swizzle::B128 => 128,
        }
    }
}

/// A part of a map that a call gives, and the size expression of its value (elements; bytes for strides).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MapSize {
    pub part: MapPart,
    pub value: IndexId,
}

/// A number of a map by its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapPart {
    Extent(usize),
    Stride(usize),
}

/// One descriptor. Dimensions innermost first; the innermost is contiguous.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMap {
    /// The binding it describes.
    pub buffer: u32,
    /// How elements are moved.
    pub element: ElementType,
    /// Loads round f32 elements to the nearest tf32 value, of which the matrix unit would only drop the lower bits.
    pub tf32: bool,
    /// Bytes from the binding's start to the first element (a multiple of 16).
    pub offset_bytes: i64,
    /// Elements of each dimension, 1 to 5 of them.
    pub dims: Vec<i64>,
    /// Bytes from one element to the next along dimensions 1.. (multiples of 16).
    pub strides: Vec<i64>,
    /// Elements of a box along each dimension, each at most 256.
    pub box_dims: Vec<u32>,
    /// Elements from one element of a box to the next along each dimension (1 for dense).
    pub element_strides: Vec<u32>,
    pub swizzle: Swizzle,
    /// What `dims` and `strides` do not know: they have 1 and 16 bytes there.
    pub sizes: Vec<MapSize>,
}

impl TensorMap {
    /// Bytes that one copy moves.
    pub fn box_bytes(&self) -> u64 {
        self.box_dims.iter().map(|&n| u64::from(n)).product::<u64>() * self.element.storage_bytes() as u64
    }
}

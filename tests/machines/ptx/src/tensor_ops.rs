//! Operands of matrix multiplies and bulk copies.

use crate::inst::{Slot, Space};

/// How the bits of a matrix instruction's operand are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    E4m3,
    E5m2,
    S8,
    U8,
    S4,
    U4,
    S32,
}

impl Element {
    pub fn bits(self) -> u32 {
        match self {
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 | Element::F32 | Element::S32 => 32,
            Element::F64 => 64,
            Element::E4m3 | Element::E5m2 | Element::S8 | Element::U8 => 8,
            Element::S4 | Element::U4 => 4,
        }
    }

    pub fn is_integer(self) -> bool {
        matches!(self, Element::S8 | Element::U8 | Element::S4 | Element::U4 | Element::S32)
    }
}

#[derive(Clone, Debug)]
pub struct Mma {
    pub shape: (u32, u32, u32),
    pub a_type: Element,
    pub b_type: Element,
    pub d_type: Element,
    pub a_row: bool,
    pub b_col: bool,
    pub saturate: bool,
    /// Registers, each of 32 bits (64 for f64): slots with the number of elements that each slot holds.
    pub a: Vec<Slot>,
    pub b: Vec<Slot>,
    pub c: Vec<Slot>,
    pub to: Slot,
    /// Slots hold single 16-bit elements (vector<2xf16> operands) instead of packed words.
    pub a_split: bool,
    pub c_split: bool,
}

#[derive(Clone, Debug)]
pub enum WgmmaA {
    Descriptor(Slot),
    Registers(Vec<Slot>),
}

#[derive(Clone, Debug)]
pub struct Wgmma {
    pub n: u32,
    pub k: u32,
    pub a_type: Element,
    pub b_type: Element,
    pub d_type: Element,
    pub a: WgmmaA,
    pub b: Slot,
    /// K-major operands (rows of 128 bytes along the contraction).
    pub a_k_major: bool,
    pub b_k_major: bool,
    pub negate_a: bool,
    pub negate_b: bool,
    /// Whether the accumulator's former value counts: a constant or a predicate.
    pub scale_d: std::result::Result<bool, Slot>,
    pub saturate: bool,
    /// First slot of the accumulator, changed in place.
    pub sum: Slot,
}

#[derive(Clone, Debug)]
pub struct BulkTensor {
    pub map: Slot,
    /// Shared memory.
    pub shared: Slot,
    pub space: Space,
    pub coordinates: Vec<Slot>,
    pub barrier: Option<Slot>,
    pub multicast: Option<Slot>,
    /// im2col offsets.
    pub offsets: Vec<Slot>,
    pub im2col: bool,
    /// Stores: add instead of overwrite.
    pub add: bool,
}

#[derive(Clone, Debug)]
pub struct Bulk {
    pub to: Slot,
    pub from: Slot,
    pub bytes: Slot,
    /// Global to shared memory.
    pub load: bool,
    pub barrier: Option<Slot>,
    pub multicast: Option<Slot>,
    pub space: Space,
}

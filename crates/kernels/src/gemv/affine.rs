//! Long operands whose lanes differ by few bits, times and plus what they have in common: weights in blocks.
//!
//! Σ x·(v·s + t) is s·Σ x·v + t·Σ x. So the scale and the offset of a block meet the sum of its lanes, not each lane,
//! and Σ x is one number for all rows of a tile. Whole numbers below 2ᵏ, k up to 7, need no conversion either: as the
//! upper bits of a mantissa they are 1 + v/2ᵏ, and 2ᵏ·Σ x·(1 + v/2ᵏ) − 2ᵏ·Σ x is Σ x·v.
//!
//! Sums of a load round otherwise than element by element: where an offset is as large as the elements, by a few units
//! more. An x that is infinite gives NaN there.
//!
//! Only where a block has a scale and an offset that are loaded, as Q4_K has. With one of them alone ptxas has too
//! little to put between loads and their uses, and moves the loads down. Llama 3.1 8B, a step, one H200, before and
//! after: Q4_K 2.852 ms, 2.737; Q4_0 3.073, 3.180; Q8_0 2.656, 2.762.
//!
//! Worked example: Q4_K, `convert(q) * s - m`, 16 lanes, 4 rows: an element takes a permutation of bytes and a product,
//! where it took two subtractions and a product more; a row four operations more, a block 15.

use fornax_graph::ElementType;
use fornax_plan::{Binary, Exprs, Node, NodeId, VarId};

/// Lanes of a load from which on it is worth it. Not measured: a block has some three operations of its own.
pub(super) const LANES_MIN: u32 = 4;
/// Loads of what lanes have in common, at least: a scale and an offset.
const LOADS_MIN: usize = 2;
/// Bits of a whole number that a mantissa takes above its lower two bytes.
const BITS_MAX: u32 = 7;

/// A long operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Affine {
    /// What differs from lane to lane.
    pub source: NodeId,
    /// The source is whole numbers of so many bits, taken into a mantissa.
    pub bits: Option<u32>,
    /// What is done with it, one after the other.
    pub steps: Vec<Step>,
}

/// `so far op common`, or `common op so far`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub op: Binary,
    pub common: NodeId,
    pub common_first: bool,
}

impl Affine {
    /// An operand as it is.
    pub fn plain(source: NodeId) -> Affine {
        Affine { source, bits: None, steps: Vec::new() }
    }

    /// A long operand of f32 whose lanes lie along `inner`; with `mantissa`, few bits are taken into one. As it is
    /// where that would not pay.
    pub fn of(exprs: &Exprs, long: NodeId, inner: VarId, mantissa: bool) -> Affine {
        let mut affine = Affine::plain(long);
        while let Node::Binary { op, a, b } = *exprs.node(affine.source)
            && exprs.element(affine.source) == ElementType::F32
            && matches!(op, Binary::Add | Binary::Subtract | Binary::Multiply)
        {
            let (source, common, common_first) = match [a, b].map(|node| exprs.node_varies(node, inner)) {
                [true, false] => (a, b, false),
                [false, true] => (b, a, true),
                _ => break,
            };
            affine.steps.insert(0, Step { op, common, common_first });
            affine.source = source;
        }
        let loads = |step: &&Step| !matches!(exprs.node(step.common), Node::Constant { .. });
        if affine.steps.iter().filter(loads).count() < LOADS_MIN {
            return Affine::plain(long);
        }
        if let Node::Convert { element: ElementType::F32, a } = *exprs.node(affine.source)
            && let Some(bits) = bits(exprs, a).filter(|bits| mantissa && *bits <= BITS_MAX)
        {
            (affine.source, affine.bits) = (a, Some(bits));
        }
        affine
    }

    pub fn is_plain(&self) -> bool {
        self.steps.is_empty() && self.bits.is_none()
    }

    /// Whether Σ x is needed.
    pub fn has_offset(&self) -> bool {
        self.bits.is_some() || self.steps.iter().any(|step| step.op != Binary::Multiply)
    }
}

/// Bits that bytes without sign have at most.
fn bits(exprs: &Exprs, node: NodeId) -> Option<u32> {
    let constant = |node| match *exprs.node(node) {
        Node::Constant { bits, .. } => Some(bits),
        _ => None,
    };
    if exprs.element(node) != ElementType::Ui8 {
        return None;
    }
    match *exprs.node(node) {
        Node::Binary { op: Binary::And, a, b } => {
            constant(a).or(constant(b)).map(|mask| u64::BITS - mask.leading_zeros())
        }
        Node::Binary { op: Binary::ShiftRightLogical, b, .. } => {
            constant(b).and_then(|by| u8::BITS.checked_sub(u32::try_from(by).ok()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType::{F32, Ui8};

    #[test]
    fn scales_and_offsets_of_blocks_leave_the_lanes() {
        let mut x = Exprs::default();
        let [block, lane] = [4, 16].map(|extent| x.indices.add_var(extent));
        let at = [block, lane].map(|var| x.indices.var(var));
        let place = x.indices.linearize(&at, &[4, 16]);
        let mut load = |buffer, element, offset| x.add(Node::Load { buffer, element, offset, mask: None });
        let (byte, scale, least) = (load(0, Ui8, place), load(1, F32, at[0]), load(2, F32, at[0]));
        let [mask, four] = [15, 4].map(|bits| x.add(Node::Constant { element: Ui8, bits }));
        let (low, high) = (x.binary(Binary::And, byte, mask), x.binary(Binary::ShiftRightLogical, byte, four));
        for (own, bits) in [(low, Some(4)), (high, Some(4)), (byte, None)] {
            let number = x.convert(F32, own);
            let scaled = x.binary(Binary::Multiply, scale, number);
            let whole = x.binary(Binary::Subtract, scaled, least);
            let steps = vec![
                Step { op: Binary::Multiply, common: scale, common_first: true },
                Step { op: Binary::Subtract, common: least, common_first: false },
            ];
            let found = Affine::of(&x, whole, lane, true);
            let source = if bits.is_some() { own } else { number };
            assert_eq!(found, Affine { source, bits, steps: steps.clone() });
            assert!(found.has_offset());
            assert_eq!(Affine::of(&x, whole, lane, false), Affine { source: number, bits: None, steps });
            // A scale alone does not pay; along the blocks there is nothing in common.
            assert!(Affine::of(&x, scaled, lane, true).is_plain());
            assert!(Affine::of(&x, whole, block, true).is_plain());
        }
    }
}

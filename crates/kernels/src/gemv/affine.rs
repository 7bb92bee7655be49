//! Long operands whose lanes differ by few bits, times and plus what they have in common: weights in blocks.
//!
//! Σ x·(v·s + t) is s·Σ x·v + t·Σ x. So the scale and the offset of a block meet the sum of its lanes, not each lane,
//! and Σ x is one number for all rows of a tile. Whole numbers below 2ᵏ, k up to 7, need no conversion either: as the
//! upper bits of a mantissa they are 2 + v/2ᵏ⁻¹, and 2ᵏ⁻¹·Σ x·(2 + v/2ᵏ⁻¹) − 2ᵏ·Σ x is Σ x·v.
//!
//! A number that is taken from each element before (8 of Q4_0, 32 of Q6_K) is one with that 2ᵏ. Processors convert
//! whole numbers, of up to 8 bits: there it meets Σ x alone.
//!
//! Sums of a load round otherwise than element by element: where an offset is as large as the elements, by a few units
//! more. An x that is infinite gives NaN there.
//!
//! Worked example: Q4_K, `convert(q) * s - m`, 16 lanes, 8 rows: an element takes a permutation of bytes and a product,
//! where it took two subtractions and a product more; a row three operations more, a block 15.

use crate::access::loads;
use fornax_graph::ElementType;
use fornax_plan::{Binary, Exprs, Node, NodeId, VarId};

/// Lanes of a load from which on it is worth it. Not measured: a block has some three operations of its own.
pub(super) const LANES_MIN: u32 = 4;
/// What is worth it on a kind of machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    /// Bits of whole numbers, at most, from whose products what is taken from each of them is taken at once; 0: none.
    bits: u32,
    /// Loads of what lanes have in common from which on it is worth it where there are no such numbers.
    loads: usize,
}

impl Worth {
    /// GPUs. A mantissa takes 7 bits above its lower two bytes. A scale alone is not worth it: gate and up of Llama 3.1
    /// 8B, one H200: E4M3 121 us, so 130 to 137.
    pub(super) fn on_gpu(has_mantissa: bool) -> Worth {
        Worth { bits: if has_mantissa { 7 } else { 0 }, loads: 2 }
    }

    /// Processors: a product less for each vector of elements.
    pub(super) const ON_CPU: Worth = Worth { bits: 8, loads: 1 };
}

/// Numbers that are taken from each element, at most: more would leave less of it.
const MINUS_MAX: f64 = 128.0;

/// A long operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Affine {
    /// What differs from lane to lane.
    pub source: NodeId,
    /// The source is whole numbers, taken into a mantissa.
    pub mantissa: Option<Mantissa>,
    /// What is done with it, one after the other.
    pub steps: Vec<Step>,
}

/// Whole numbers v as 2 + v/2ᵏ⁻¹.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mantissa {
    pub bits: u32,
    /// What is taken from v.
    pub minus: f64,
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
        Affine { source, mantissa: None, steps: Vec::new() }
    }

    /// A long operand of f32 whose lanes lie along `inner`. As it is where nothing that is loaded is common to the
    /// lanes.
    pub fn of(exprs: &Exprs, long: NodeId, inner: VarId, worth: Worth) -> Affine {
        let mut affine = Affine::plain(long);
        // Steps, the last first, each with what it makes.
        let mut steps: Vec<(Step, NodeId)> = Vec::new();
        while let Node::Binary { op, a, b } = *exprs.node(affine.source)
            && exprs.element(affine.source) == ElementType::F32
            && matches!(op, Binary::Add | Binary::Subtract | Binary::Multiply)
        {
            let (source, common, common_first) = match [a, b].map(|node| exprs.node_varies(node, inner)) {
                [true, false] => (a, b, false),
                [false, true] => (b, a, true),
                _ => break,
            };
            steps.push((Step { op, common, common_first }, affine.source));
            affine.source = source;
        }
        let own = match *exprs.node(affine.source) {
            Node::Convert { element: ElementType::F32, a } => bits(exprs, a).map(|bits| (a, bits)),
            _ => None,
        };
        if let Some((source, bits)) = own.filter(|(_, bits)| (1..=worth.bits).contains(bits)) {
            let mut minus = 0.0;
            while let Some((step, _)) = steps.last()
                && let Some(by) = step.taken(exprs)
            {
                minus += by;
                steps.pop();
            }
            (affine.source, affine.mantissa) = (source, Some(Mantissa { bits, minus }));
        } else {
            while let Some((step, made)) = steps.last()
                && matches!(exprs.node(step.common), Node::Constant { .. })
            {
                affine.source = *made;
                steps.pop();
            }
        }
        affine.steps = steps.into_iter().rev().map(|(step, _)| step).collect();
        let common: Vec<NodeId> = affine.steps.iter().map(|step| step.common).collect();
        let pays = affine.mantissa.is_some() || loads(exprs, &common).len() >= worth.loads;
        if pays && !affine.steps.is_empty() { affine } else { Affine::plain(long) }
    }

    pub fn is_plain(&self) -> bool {
        self.steps.is_empty()
    }
}

impl Step {
    /// The whole number that it takes away.
    fn taken(self, exprs: &Exprs) -> Option<f64> {
        let Node::Constant { bits, .. } = *exprs.node(self.common) else { return None };
        let by = f64::from(f32::from_bits(u32::try_from(bits).ok()?));
        let signed = match (self.op, self.common_first) {
            (Binary::Subtract, false) => by,
            (Binary::Add, _) => -by,
            _ => return None,
        };
        (by.fract() == 0.0 && by.abs() <= MINUS_MAX).then_some(signed)
    }
}

/// Bits that bytes without sign have at most; `None` for other elements.
fn bits(exprs: &Exprs, node: NodeId) -> Option<u32> {
    let constant = |node| match *exprs.node(node) {
        Node::Constant { bits, .. } => Some(bits),
        _ => None,
    };
    if exprs.element(node) != ElementType::Ui8 {
        return None;
    }
    let known = match *exprs.node(node) {
        Node::Binary { op: Binary::And, a, b } => {
            constant(a).or(constant(b)).map(|mask| u64::BITS - mask.leading_zeros())
        }
        Node::Binary { op: Binary::Or, a, b } => bits(exprs, a).zip(bits(exprs, b)).map(|(a, b)| a.max(b)),
        Node::Binary { op: Binary::ShiftLeft, a, b } => {
            constant(b).and_then(|by| bits(exprs, a)?.checked_add(u32::try_from(by).ok()?))
        }
        Node::Binary { op: Binary::ShiftRightLogical, b, .. } => {
            constant(b).and_then(|by| u8::BITS.checked_sub(u32::try_from(by).ok()?))
        }
        _ => None,
    };
    Some(known.map_or(u8::BITS, |known| known.min(u8::BITS)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType::{F32, Ui8};

    const GPU: Worth = Worth { bits: 7, loads: 2 };

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
        let [three, two] = [3, 2].map(|bits| x.add(Node::Constant { element: Ui8, bits }));
        let upper = x.binary(Binary::And, byte, three);
        let [fours, twos] = [four, two].map(|by| x.binary(Binary::ShiftLeft, upper, by));
        let (six, whole) = (x.binary(Binary::Or, low, fours), x.binary(Binary::ShiftLeft, byte, two));
        let both = x.binary(Binary::Or, high, twos);
        for (own, bits) in
            [(low, Some(4)), (high, Some(4)), (both, Some(4)), (six, Some(6)), (byte, None), (whole, None)]
        {
            let number = x.convert(F32, own);
            let scaled = x.binary(Binary::Multiply, scale, number);
            let whole = x.binary(Binary::Subtract, scaled, least);
            let steps = vec![
                Step { op: Binary::Multiply, common: scale, common_first: true },
                Step { op: Binary::Subtract, common: least, common_first: false },
            ];
            let found = Affine::of(&x, whole, lane, GPU);
            let source = if bits.is_some() { own } else { number };
            let mantissa = bits.map(|bits| Mantissa { bits, minus: 0.0 });
            assert_eq!(found, Affine { source, mantissa, steps: steps.clone() });
            assert_eq!(
                Affine::of(&x, whole, lane, Worth::on_gpu(false)),
                Affine { source: number, mantissa: None, steps }
            );
            // What is taken from each number goes into the mantissa. Without one a scale alone does not pay.
            let eight = x.add(Node::Constant { element: F32, bits: 8f32.to_bits().into() });
            let less = x.binary(Binary::Subtract, number, eight);
            let scaled = x.binary(Binary::Multiply, less, scale);
            let steps = vec![Step { op: Binary::Multiply, common: scale, common_first: false }];
            let wanted = match bits {
                Some(bits) => Affine { source: own, mantissa: Some(Mantissa { bits, minus: 8.0 }), steps },
                None => Affine::plain(scaled),
            };
            assert_eq!(Affine::of(&x, scaled, lane, GPU), wanted);
            // A number alone is nothing that lanes have in common; along the blocks there is nothing.
            assert!(Affine::of(&x, less, lane, GPU).is_plain());
            assert!(Affine::of(&x, whole, block, GPU).is_plain());
        }
    }
}

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

use super::emit::{Block, Bound, Gemv, Start, rebind};
use super::products::{Space, Term};
use fornax_emit::blocks::product::multiply_add;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

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
    op: Binary,
    common: NodeId,
    common_first: bool,
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

    fn is_plain(&self) -> bool {
        self.steps.is_empty() && self.bits.is_none()
    }

    /// Whether Σ x is needed.
    fn has_offset(&self) -> bool {
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

impl Gemv<'_> {
    /// A block of a space whose long operands are fetched.
    pub(super) fn block(
        &self,
        e: &mut Emitter<'_>,
        (space, points): (&Space, &[Bound]),
        start: &Start,
        long: Vec<Vec<Value>>,
    ) -> Result<Block, EmitError> {
        let short = space.short.iter().map(|&short| self.fetch_short(e, (space.inner, short), start));
        let short = short.collect::<Result<Vec<_>, _>>()?;
        let mut common = Vec::new();
        for affine in &space.affine {
            let mut own = Vec::new();
            for point in points.iter().filter(|_| !affine.is_plain()) {
                own.push(self.common(e, (space.inner, affine), start, point)?);
            }
            common.push(own);
        }
        let mut totals = Vec::new();
        for rows in short.iter().filter(|_| space.affine.iter().any(Affine::has_offset)) {
            totals.push(rows.iter().map(|&row| total(e, row)).collect());
        }
        Ok(Block { long, short, common, totals })
    }

    /// What the lanes of one load have in common, by step.
    pub(super) fn common(
        &self,
        e: &mut Emitter<'_>,
        (inner, affine): (VarId, &Affine),
        (outer, base): &Start,
        point: &Bound,
    ) -> Result<Vec<Value>, EmitError> {
        rebind(e, outer);
        e.lanes = self.schedule.lanes;
        e.bind_lanes(inner, Some(*base), self.schedule.block() as i64, 0);
        rebind(e, point);
        let mut values = Vec::new();
        for step in &affine.steps {
            let value = e.eval(step.common)?;
            values.push(if value.ty.is_vector() { e.code.extract(value, 0) } else { value });
        }
        Ok(values)
    }

    /// Adds the product of a block to its sums; `false` where its lanes have nothing in common.
    pub(super) fn multiply_affine(
        &self,
        e: &mut Emitter<'_>,
        (affine, block): (&Affine, &Block),
        term: Term,
        sums: &mut [Value],
    ) -> Result<bool, EmitError> {
        if affine.is_plain() {
            return Ok(false);
        }
        let tile = self.schedule.tile as usize;
        for (row, &short) in block.short[term.short].iter().enumerate() {
            let total = block.totals.get(term.short).and_then(|totals| totals.get(row)).copied();
            for (at, (&long, common)) in block.long[term.long].iter().zip(&block.common[term.long]).enumerate() {
                let (first, other) = (e.code.extract(long, 0), e.code.extract(short, 0));
                let mut product = e.code.mul_f(first, other);
                for lane in 1..self.schedule.lanes {
                    let (a, b) = (e.code.extract(long, lane), e.code.extract(short, lane));
                    product = multiply_add(e, self.element, a, b, product)?;
                }
                let sum = &mut sums[row * tile + at];
                *sum = affine.add(e, (product, total), common, *sum);
            }
        }
        Ok(true)
    }
}

impl Affine {
    /// Adds the steps of a product, where `total` is Σ x, to a sum.
    fn add(
        &self,
        e: &mut Emitter<'_>,
        (product, total): (Value, Option<Value>),
        common: &[Value],
        sum: Value,
    ) -> Value {
        let mut so_far = product;
        if let (Some(bits), Some(total)) = (self.bits, total) {
            let unit = f64::from(1u32 << bits);
            let k = e.code.float(total.ty, -unit);
            let below = e.code.mul_f(total, k);
            so_far = e.code.fma_k(so_far, unit, below);
        }
        let (last, before) = match self.steps.split_last() {
            Some((step, before)) if step.op == Binary::Multiply => (common.last(), before),
            _ => (None, &self.steps[..]),
        };
        for (step, &common) in before.iter().zip(common) {
            if step.op == Binary::Multiply {
                so_far = e.code.mul_f(so_far, common);
                continue;
            }
            let Some(total) = total else { continue };
            let offset = e.code.mul_f(total, common);
            so_far = match (step.op, step.common_first) {
                (Binary::Subtract, false) => e.code.sub_f(so_far, offset),
                (Binary::Subtract, true) => e.code.sub_f(offset, so_far),
                _ => e.code.add_f(so_far, offset),
            };
        }
        match last {
            Some(&scale) => e.code.fma(so_far, scale, sum),
            None => e.code.add_f(sum, so_far),
        }
    }
}

/// The sum of a vector's lanes.
fn total(e: &mut Emitter<'_>, row: Value) -> Value {
    let mut sum = e.code.extract(row, 0);
    for lane in 1..row.ty.lanes {
        let value = e.code.extract(row, lane);
        sum = e.code.add_f(sum, value);
    }
    sum
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

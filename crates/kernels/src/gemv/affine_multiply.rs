//! Products by affine long operands: what lanes have in common meets the sum of their products.

use fornax_plan::{Binary, VarId};

use super::affine::Affine;
use super::emit::{Block, Bound, Gemv, Start, rebind};
use super::products::{Space, Term};
use fornax_emit::blocks::product::multiply_add;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

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

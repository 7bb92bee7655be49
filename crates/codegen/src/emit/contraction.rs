//! `Body::Contraction`: dot products and convolutions as register tiles. See `tile` for loops and
//! threads, `staged` for GPU workgroups that compute a rectangle.
//!
//! Every tile point accumulates lhs·rhs by fused multiply-add. Operands are evaluated through the memo, so that a tile of 4 pixels
//! × 2 vectors of output channels loads 4 scalars of one operand and 2 vectors of the other for its 8 fused operations.
//!
//! Worked example: [3136, 96]·[96, 24] f32 on AVX2, lanes 8 along the 24 columns, 3 vectors × 4 rows a tile: 784
//! tiles; per step of k, 4 broadcasts, 3 loads of 32 bytes and 12 fused multiply-adds into 12 registers.

use fornax_graph::{Class, ElementType};
use fornax_plan::{Binary, Body, NodeId, TileSchedule};

use super::emitter::Emitter;
use super::staged;
use super::text::{Ty, Value};
use super::tile::{self, Fold};
use crate::errors::EmitError;

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, schedule: &TileSchedule) -> Result<(), EmitError> {
    let fold = product(e)?;
    tile::check(e, schedule)?;
    match staged::find(e, schedule) {
        Some(rectangle) => staged::emit(e, &rectangle),
        None => tile::emit(e, &fold, schedule),
    }
}

/// The sum of products that the body is.
pub(super) fn product(e: &Emitter<'_>) -> Result<ProductFold, EmitError> {
    let Body::Contraction { lhs, rhs, accumulator, .. } = e.plan.body else {
        return Err(e.malformed("not a contraction"));
    };
    for operand in [lhs, rhs] {
        if e.exprs.element(operand) != accumulator {
            return Err(e.malformed("an operand of a contraction has not the accumulator's type"));
        }
    }
    if accumulator.class() == Class::Boolean {
        return Err(e.undefined("contraction", accumulator));
    }
    Ok(ProductFold { lhs, rhs, element: accumulator })
}

/// `a·b + sum` in the accumulator's type; floats in one rounding where the target can.
pub(super) fn multiply_add(
    e: &mut Emitter<'_>,
    element: ElementType,
    a: Value,
    b: Value,
    sum: Value,
) -> Result<Value, EmitError> {
    if matches!(element, ElementType::F32 | ElementType::F64) {
        return Ok(e.code.fma(a, b, sum));
    }
    let product = e.combine(Binary::Multiply, element, a, b)?;
    e.combine(Binary::Add, element, sum, product)
}

/// Sums of products.
pub(super) struct ProductFold {
    pub lhs: NodeId,
    pub rhs: NodeId,
    pub element: ElementType,
}

impl Fold for ProductFold {
    fn operands(&self) -> usize {
        1
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn identity(&self, e: &mut Emitter<'_>) -> Result<Vec<Value>, EmitError> {
        let ty = Ty::scalar(e.register_scalar(self.element)?);
        Ok(vec![e.code.bits(ty, 0)])
    }

    fn step(&self, e: &mut Emitter<'_>, running: &[Value]) -> Result<Vec<Value>, EmitError> {
        let (lhs, rhs) = (e.eval(self.lhs)?, e.eval(self.rhs)?);
        Ok(vec![multiply_add(e, self.element, lhs, rhs, running[0])?])
    }

    fn merge(&self, e: &mut Emitter<'_>, a: &[Value], b: &[Value]) -> Result<Vec<Value>, EmitError> {
        Ok(vec![e.combine(Binary::Add, self.element, a[0], b[0])?])
    }

    fn finish(&self, _: &mut Emitter<'_>, folded: &[Value]) -> Result<Vec<Value>, EmitError> {
        Ok(folded.to_vec())
    }
}

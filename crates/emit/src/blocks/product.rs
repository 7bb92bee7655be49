//! Sums of products: dot products and convolutions.

use fornax_graph::{Class, ElementType};
use fornax_plan::{Binary, Body, NodeId};

use super::fold::Fold;
use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::text::{Ty, Value};

/// The sum of products that the body is.
pub fn product(e: &Emitter<'_>) -> Result<ProductFold, EmitError> {
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
pub fn multiply_add(
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
pub struct ProductFold {
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

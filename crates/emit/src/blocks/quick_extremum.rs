//! The largest or smallest element of a row of f32 on a CPU, by two operations a vector instead of five.
//!
//! The machine's maximum neither puts NaN through nor orders zeros. With it the plain sum of the elements is kept,
//! which is NaN where one of them is. A row whose sum is NaN (also by infinities of both signs) or whose maximum is a
//! zero is folded again by the exact fold.
//!
//! Worked example: [3, NaN, 1]: 3 > −∞: 3; NaN > 3 does not hold: 3; 1 > 3 does not: 3. The sum is NaN: again, by the
//! exact fold: NaN.

use fornax_plan::{Binary, NodeId};

use super::fold::Fold;
use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::text::{Scalar, Ty, Value};

/// Folds into an extremum that may be in doubt, and the sum that tells.
pub struct Quick {
    pub op: Binary,
    pub input: NodeId,
}

impl Quick {
    fn better(&self, e: &mut Emitter<'_>, a: Value, b: Value) -> Value {
        let comparison = if self.op == Binary::Maximum { "ogt" } else { "olt" };
        let better = e.code.cmp_f(comparison, a, b);
        e.code.select(better, a, b)
    }
}

impl Fold for Quick {
    fn operands(&self) -> usize {
        2
    }

    fn is_symmetric(&self) -> bool {
        false
    }

    fn identity(&self, e: &mut Emitter<'_>) -> Result<Vec<Value>, EmitError> {
        let ty = Ty::scalar(Scalar::F32);
        let worst = if self.op == Binary::Maximum { f64::NEG_INFINITY } else { f64::INFINITY };
        Ok(vec![e.code.float(ty, worst), e.code.float(ty, 0.0)])
    }

    fn step(&self, e: &mut Emitter<'_>, running: &[Value]) -> Result<Vec<Value>, EmitError> {
        let value = e.eval(self.input)?;
        self.merge(e, &[value, value], running)
    }

    fn merge(&self, e: &mut Emitter<'_>, a: &[Value], b: &[Value]) -> Result<Vec<Value>, EmitError> {
        Ok(vec![self.better(e, a[0], b[0]), e.code.add_f(a[1], b[1])])
    }

    fn finish(&self, _: &mut Emitter<'_>, folded: &[Value]) -> Result<Vec<Value>, EmitError> {
        Ok(folded[..1].to_vec())
    }
}

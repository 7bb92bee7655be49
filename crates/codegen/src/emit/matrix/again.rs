//! Results of split products that are not finite, computed again by f32 multiply-add.
//!
//! Splitting makes NaN of an infinity (Inf − Inf) and infinities of values that round to them, never a wrong finite value.
//! So a sum that is not finite says that one of its operands was large, infinite or NaN, or that the sum really overflows: it
//! is folded again, step by step, as IEEE arithmetic does. Finite data never comes here.
//!
//! Worked example: row (1, Inf), column (2, 3): the split gives NaN; again: fma(1, 2, 0) = 2, fma(Inf, 3, 2) = Inf.

use fornax_plan::NodeId;

use super::axes::Axes;
use crate::emit::emitter::Emitter;
use crate::emit::text::{Scalar, Ty, Value};
use crate::errors::EmitError;

/// What is multiplied, over which steps.
pub struct Again {
    /// The operands in f32.
    pub nodes: [NodeId; 2],
    pub steps: Axes,
}

impl Again {
    /// The sum, or where it is not finite the sum computed again. Rows and columns are bound.
    pub fn finite(&self, e: &mut Emitter<'_>, sum: Value) -> Result<Value, EmitError> {
        let bits = e.code.to_bits(sum);
        let magnitude = e.code.and_k(bits, 0x7FFF_FFFF);
        let special = e.code.cmp_ik("uge", magnitude, 0x7F80_0000);
        let any = e.code.any(special);
        let results = e.code.begin_if(any, &[sum.ty]);
        let folded = self.fold(e, sum.ty)?;
        let mended = e.code.select(special, folded, sum);
        e.code.begin_else(&[mended]);
        e.code.end_if(&[sum]);
        Ok(results.first().copied().unwrap_or(sum))
    }

    fn fold(&self, e: &mut Emitter<'_>, ty: Ty) -> Result<Value, EmitError> {
        let index = e.index_ty();
        let (low, one) = (e.code.int(index, 0), e.code.int(index, 1));
        let high = e.code.int(index, self.steps.total);
        let zero = e.code.bits(ty.with(Scalar::F32), 0);
        let open = e.code.begin_for(low, high, one, &[zero]);
        self.steps.bind(e, open.iv, 1, false);
        let [a, b] = [e.eval(self.nodes[0])?, e.eval(self.nodes[1])?];
        let running = open.carried[0];
        let next = e.code.fma(a, b, running);
        let next = e.code.spread(next, ty.lanes);
        let results = e.code.end_for(open, &[next]);
        Ok(results[0])
    }
}

//! Numbers of things that are known, or values of the call: what tiles, rows and panels are counted with.
//!
//! Worked example: 6 rows a tile of b · 64 rows: ⌈b · 64 / 6⌉ is a value, two additions and a division at the start of
//! a kernel.

use fornax_plan::VarId;

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::text::Value;

/// A number that is known, or a value of the call.
#[derive(Clone, Copy)]
pub enum Count {
    Known(i64),
    Run(Value),
}

impl Count {
    pub fn of(e: &mut Emitter<'_>, var: VarId) -> Result<Count, EmitError> {
        match e.exprs.indices.run_extent(var) {
            None => Ok(Count::Known(e.exprs.indices.extent(var))),
            Some(_) => e.extent_value(var).map(Count::Run),
        }
    }

    pub fn parts_of(self, e: &mut Emitter<'_>, size: i64) -> Count {
        match self {
            Count::Known(n) => Count::Known((n + size - 1) / size),
            Count::Run(n) => {
                let rounded = e.code.add_ik(n, size - 1);
                Count::Run(e.code.int_k("arith.divui", rounded, size))
            }
        }
    }

    pub fn times(self, e: &mut Emitter<'_>, other: Count) -> Count {
        match (self, other) {
            (Count::Known(a), Count::Known(b)) => Count::Known(a.saturating_mul(b)),
            (Count::Known(k), Count::Run(n)) | (Count::Run(n), Count::Known(k)) => {
                Count::Run(e.code.int_k("arith.muli", n, k))
            }
            (Count::Run(a), Count::Run(b)) => Count::Run(e.code.mul_i(a, b)),
        }
    }

    /// The number as a value of the index type.
    pub fn value(self, e: &mut Emitter<'_>) -> Value {
        match self {
            Count::Known(n) => e.code.int(e.index_ty(), n),
            Count::Run(n) => n,
        }
    }

    /// First item of workgroup `group`, and the end of its items, when each takes `per_group` of this many.
    pub fn share(self, e: &mut Emitter<'_>, group: Value, per_group: i64) -> (Value, Value) {
        match self {
            Count::Known(total) => e.share_of_workgroup(group, per_group, total),
            Count::Run(total) => e.share_of_total(group, per_group, total),
        }
    }

    /// One item after the other of this workgroup, when each takes `per_group` of this many.
    pub fn each_of_workgroup(
        self,
        e: &mut Emitter<'_>,
        per_group: i64,
        body: &mut dyn FnMut(&mut Emitter<'_>, Value) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let ty = e.index_ty();
        let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
        if per_group == 1 {
            return body(e, group);
        }
        let share = self.share(e, group, per_group);
        e.each(share, 1, body)
    }

    /// Remainder and quotient of a value divided by it.
    pub fn split(self, e: &mut Emitter<'_>, value: Value) -> (Value, Value) {
        let by = match self {
            Count::Known(by) if by <= 1 => return (e.code.int(value.ty, 0), value),
            Count::Known(by) => by,
            Count::Run(by) => {
                let mut rest = value;
                return (e.next_digit_of(&mut rest, by), rest);
            }
        };
        (e.code.int_k("arith.remui", value, by), e.code.int_k("arith.divui", value, by))
    }
}

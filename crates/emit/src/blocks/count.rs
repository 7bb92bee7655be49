//! Numbers of things that are known, or values of the call: what panels are counted with.
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

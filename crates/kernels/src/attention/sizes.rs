//! Extents of attention that may be known only at run time: batch, rows and columns.
//!
//! A call's rows and columns are worked out once; tiles that may stick out of them are masked as tails of known extents
//! are. Depth and features are known.
//!
//! Worked example: `[b, s, 8, 64]` in tiles of 64 rows: ⌈s / 64⌉ blocks of each of 8·b heads; a call with s = 77 has 2,
//! the second with 13 rows of its own.

use fornax_plan::{Attention, VarId};

use super::Kernel;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Ty, Value};

/// A number, or a value of the index type.
#[derive(Clone, Copy)]
pub enum Extent {
    Known(i64),
    OfCall(Value),
}

/// Rows and columns where a call gives them, of the index type.
#[derive(Clone, Copy)]
pub struct Ends {
    pub rows: Option<Value>,
    pub columns: Option<Value>,
}

impl Ends {
    pub fn of(e: &mut Emitter<'_>, a: &Attention) -> Result<Ends, EmitError> {
        let sized = |e: &Emitter<'_>, var: VarId| e.exprs.indices.run_extent(var).is_some();
        let columns = if sized(e, a.column()) { Some(e.extent_value(a.column())?) } else { None };
        let mut rows = None;
        if a.rows.iter().any(|&v| sized(e, v)) {
            let mut all = e.code.int(e.index_ty(), 1);
            for &var in &a.rows {
                let extent = e.extent_value(var)?;
                all = e.code.mul_i(all, extent);
            }
            rows = Some(all);
        }
        Ok(Ends { rows, columns })
    }
}

impl Extent {
    fn of(end: Option<Value>, known: i64) -> Extent {
        end.map_or(Extent::Known(known), Extent::OfCall)
    }

    pub fn value(self, e: &mut Emitter<'_>, ty: Ty) -> Value {
        match self {
            Extent::Known(n) => e.code.int(ty, n),
            Extent::OfCall(value) => e.code.resize_u(value, ty.scalar),
        }
    }

    /// The value, or the last place where it is past that.
    pub fn clamped(self, e: &mut Emitter<'_>, op: &str, value: Value) -> Value {
        match self {
            Extent::Known(n) => e.code.int_k(op, value, n - 1),
            Extent::OfCall(end) => {
                let last = e.code.add_ik(end, -1);
                e.code.binary(op, value, last)
            }
        }
    }

    pub fn is_above(self, e: &mut Emitter<'_>, how: &str, value: Value) -> Value {
        match self {
            Extent::Known(n) => e.code.cmp_ik(how, value, n),
            Extent::OfCall(end) => e.code.cmp_i(how, value, end),
        }
    }
}

impl Kernel<'_> {
    pub(super) fn row_end(&self) -> Extent {
        Extent::of(self.ends.rows, self.rows)
    }

    pub(super) fn column_end(&self) -> Extent {
        Extent::of(self.ends.columns, self.columns)
    }

    /// Blocks of rows of a point of the batch.
    pub(super) fn row_blocks(&self, e: &mut Emitter<'_>) -> Extent {
        let each = i64::from(self.s.rows());
        match self.ends.rows {
            None => Extent::Known(self.s.row_blocks(self.a, e.exprs) as i64),
            Some(rows) => {
                let rounded = e.code.add_ik(rows, each - 1);
                Extent::OfCall(e.code.int_k("arith.divui", rounded, each))
            }
        }
    }
}

/// A variable's extent.
pub fn extent(e: &mut Emitter<'_>, var: VarId) -> Result<Extent, EmitError> {
    Ok(match e.exprs.indices.run_extent(var) {
        None => Extent::Known(e.exprs.indices.extent(var)),
        Some(_) => Extent::OfCall(e.extent_value(var)?),
    })
}

/// Takes the lowest digit of a number.
pub fn next_digit(e: &mut Emitter<'_>, number: &mut Value, radix: Extent) -> Value {
    match radix {
        Extent::Known(radix) => e.next_digit(number, radix),
        Extent::OfCall(radix) => {
            let digit = e.code.binary("arith.remui", *number, radix);
            *number = e.code.binary("arith.divui", *number, radix);
            digit
        }
    }
}

//! How many rows a row kernel has, and how many vectors a row: constants, or values where sizes are known only at run time.
//!
//! Input: a row schedule and the plan's extents. Output: numbers for loops and guards. Of the domain only the outermost extent may be
//! such a size: nothing is divided by it.
//!
//! Worked example: softmax of [b, 1000] f32 with 4 lanes: b rows (a value), 250 vectors each (a constant).

use fornax_plan::{RowSchedule, VarId};

use super::emitter::Emitter;
use super::text::Value;
use crate::errors::EmitError;

/// Number of rows.
#[derive(Clone, Copy)]
pub enum Total {
    Known(u64),
    /// The outermost extent is known only at run time.
    Sized(Value),
}

impl Total {
    pub fn of(e: &mut Emitter<'_>, schedule: &RowSchedule) -> Result<Total, EmitError> {
        let plan = e.plan;
        let sized: Vec<bool> = plan.domain.iter().map(|&v| plan.exprs.indices.run_extent(v).is_some()).collect();
        if !sized.contains(&true) {
            return Ok(Total::Known(plan.row_count(schedule)));
        }
        let Some((&outermost, inner)) = plan.domain.split_first() else { return Ok(Total::Known(1)) };
        if sized.iter().skip(1).any(|&s| s) || outermost == schedule.vector.0 {
            return Err(e.unfit("only the outermost extent of rows may be known at run time alone"));
        }
        let mut total = e.extent_value(outermost)?;
        for &var in inner {
            let lanes = if var == schedule.vector.0 { i64::from(schedule.vector.1.max(1)) } else { 1 };
            let count = (e.exprs.indices.extent(var) + lanes - 1) / lanes;
            total = e.code.int_k("arith.muli", total, count);
        }
        Ok(Total::Sized(total))
    }
}

/// Vectors of a row.
pub fn positions(e: &mut Emitter<'_>, row: &[VarId], schedule: &RowSchedule) -> Result<Value, EmitError> {
    let lanes = |var: VarId| if var == schedule.vector.0 { i64::from(schedule.vector.1.max(1)) } else { 1 };
    let indices = &e.exprs.indices;
    if row.iter().all(|&v| indices.run_extent(v).is_none()) {
        let known = row.iter().map(|&v| indices.extent(v) / lanes(v)).product();
        return Ok(e.code.int(e.index_ty(), known));
    }
    let mut product = e.code.int(e.index_ty(), 1);
    for &var in row {
        let extent = e.extent_value(var)?;
        let lanes = lanes(var);
        let count = if lanes == 1 { extent } else { e.code.int_k("arith.divui", extent, lanes) };
        product = e.code.mul_i(product, count);
    }
    Ok(product)
}

//! How many rows a row kernel has, and how many vectors a row: constants, or values where sizes are known only at run
//! time.
//!
//! Input: a row schedule and the plan's extents. Output: numbers for loops and guards. A row's number is divided by
//! such a size unless it is the outermost extent.
//!
//! Worked example: softmax of [b, 1000] f32 with 4 lanes: b rows (a value), 250 vectors each (a constant).

use crate::row::schedule::RowSchedule;
use fornax_plan::VarId;

use fornax_emit::blocks::count::Count;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// The number of rows, and the extents of the domain that are known only at run time.
pub fn rows_in_all(e: &mut Emitter<'_>, schedule: &RowSchedule) -> Result<(Count, Vec<Option<Value>>), EmitError> {
    let plan = e.plan;
    let sized: Vec<bool> = plan.domain.iter().map(|&v| plan.exprs.indices.run_extent(v).is_some()).collect();
    if !sized.contains(&true) {
        return Ok((Count::Known(schedule.row_count(plan) as i64), vec![None; sized.len()]));
    }
    let mut total = e.code.int(e.index_ty(), 1);
    let mut counts = Vec::with_capacity(sized.len());
    for (&var, sized) in plan.domain.iter().zip(sized) {
        let lanes = if var == schedule.vector.0 { i64::from(schedule.vector.1.max(1)) } else { 1 };
        if !sized {
            let count = (e.exprs.indices.extent(var) + lanes - 1) / lanes;
            total = e.code.int_k("arith.muli", total, count);
        } else if lanes > 1 {
            return Err(e.unfit("lanes across rows whose number is known only at run time"));
        }
        let own = if sized { Some(e.extent_value(var)?) } else { None };
        total = own.map_or(total, |count| e.code.mul_i(total, count));
        counts.push(own);
    }
    Ok((Count::Run(total), counts))
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

//! Numbers of tiles and blocks where extents are known only at run time.
//!
//! They are worked out once, before the warpgroups part ways, from the size parameters. Tails need nothing more than
//! with known extents: tensor maps have the extents of the call, so that copies bring zeros from outside and write
//! nothing there.
//!
//! Worked example: `[b, 1024]·[1024, 512]`, tiles of 128 × 256: ⌈b / 128⌉ tiles down, 2 across; a call with b = 300 has
//! 6 tiles.

use crate::gemm_wgmma::schedule::{Cover, WgmmaSchedule};
use fornax_plan::VarId;

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);

/// Tiles of a call, i32: down the rows, across the columns, of all the batch.
#[derive(Clone, Copy)]
pub struct Counts {
    pub down: Value,
    pub across: Value,
    pub tiles: Value,
}

impl Counts {
    /// `None` where every call has the same number of tiles.
    pub fn of(e: &mut Emitter<'_>, schedule: &WgmmaSchedule) -> Result<Option<Counts>, EmitError> {
        let sized = |&v: &VarId| e.exprs.indices.run_extent(v).is_some();
        if !e.plan.domain.iter().any(sized) {
            return Ok(None);
        }
        let (down, across) = (product(e, &schedule.rows)?, product(e, &schedule.columns)?);
        let mut tiles = e.code.mul_i(down, across);
        for &var in &schedule.batch {
            let extent = extent(e, var)?;
            tiles = e.code.mul_i(tiles, extent);
        }
        Ok(Some(Counts { down, across, tiles }))
    }
}

/// Blocks of the whole contraction.
pub fn blocks(e: &mut Emitter<'_>, schedule: &WgmmaSchedule) -> Result<Value, EmitError> {
    product(e, &schedule.steps)
}

/// A variable's extent.
pub fn extent(e: &mut Emitter<'_>, var: VarId) -> Result<Value, EmitError> {
    let extent = e.extent_value(var)?;
    Ok(e.code.resize_u(extent, Scalar::I32))
}

/// Tiles or blocks along one variable.
pub fn along(e: &mut Emitter<'_>, cover: &Cover) -> Result<Value, EmitError> {
    let count = i64::from(cover.count);
    if e.exprs.indices.run_extent(cover.var).is_none() {
        let extent = e.exprs.indices.extent(cover.var).max(1);
        return Ok(e.code.int(I32, (extent + count - 1) / count));
    }
    let extent = extent(e, cover.var)?;
    let rounded = e.code.add_ik(extent, count - 1);
    Ok(e.code.int_k("arith.divui", rounded, count))
}

fn product(e: &mut Emitter<'_>, covers: &[Cover]) -> Result<Value, EmitError> {
    let mut all = e.code.int(I32, 1);
    for cover in covers {
        let each = along(e, cover)?;
        all = e.code.mul_i(all, each);
    }
    Ok(all)
}

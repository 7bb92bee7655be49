//! `Body::Reduce` as register tiles: see `tile` for loops and threads, `reduction_folds` for what is folded.

use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_plan::Body;

use fornax_emit::blocks::reduction_folds::fold;
use fornax_emit::blocks::tile;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, schedule: &TileSchedule) -> Result<(), EmitError> {
    let plan = e.plan;
    let Body::Reduce { inputs, inits, combiner, .. } = &plan.body else {
        return Err(e.malformed("not a reduction"));
    };
    let fold = fold(e, inputs, inits, combiner)?;
    tile::emit(e, fold.as_ref(), schedule)
}

//! `Body::Contraction`: dot products and convolutions as register tiles. See `tile` for loops and
//! threads, `staged` for GPU workgroups that compute a rectangle.
//!
//! Every tile point accumulates lhs·rhs by fused multiply-add. Operands are evaluated through the memo, so that a tile
//! of 4 pixels × 2 vectors of output channels loads 4 scalars of one operand and 2 vectors of the other for its 8 fused
//! operations.
//!
//! Worked example: [3136, 96]·[96, 24] f32 on AVX2, lanes 8 along the 24 columns, 3 vectors × 4 rows a tile: 784
//! tiles; per step of k, 4 broadcasts, 3 loads of 32 bytes and 12 fused multiply-adds into 12 registers.

use fornax_emit::blocks::tile_schedule::TileSchedule;

use super::ahead::Ahead;
use super::staged;
use fornax_emit::blocks::product::product;
use fornax_emit::blocks::tile;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, schedule: &TileSchedule) -> Result<(), EmitError> {
    let fold = product(e)?;
    tile::check(e, schedule)?;
    match staged::find(e, schedule) {
        Some(rectangle) => staged::emit(e, &rectangle),
        None => {
            let fold = Ahead::of(e, fold, schedule);
            tile::emit(e, &fold, schedule)
        }
    }
}

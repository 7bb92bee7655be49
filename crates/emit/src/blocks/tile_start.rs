//! Where the tiles along an extent begin.

use crate::emitter::Emitter;
use crate::text::Value;

/// First element of tile `number`, what divides it, and the elements that the tile covers: the last starts earlier
/// where the extent is no multiple.
pub fn start_of(e: &mut Emitter<'_>, number: Value, step: i64, extent: i64, lanes: i64) -> (Option<Value>, i64, i64) {
    let covered = step.min(extent);
    if covered == extent {
        return (None, 0, covered);
    }
    let start = e.code.int_k("arith.muli", number, step);
    if extent % step == 0 {
        return (Some(start), step, covered);
    }
    let limit = e.code.int(start.ty, extent - covered);
    let multiple = if (extent - covered) % lanes == 0 { lanes } else { 1 };
    (Some(e.code.binary("arith.minsi", start, limit)), multiple, covered)
}

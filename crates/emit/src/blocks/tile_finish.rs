//! The end of a tile (`tile`): from the accumulators of its points to the stores.
//!
//! On processors points that are neighbours along one variable become the lanes of vectors, where their accumulators
//! are no vectors already: what is behind a reduction is written once for all of them.
//!
//! Worked example: `tanh(a · bᵀ)`, both contiguous along the contraction, 2 × 8 points, each with 16 partial sums: 8
//! vectors of 16 become one of 8 sums (`lanes::merge_points`), and twice one `tanh` of 8 lanes and one store of 8
//! neighbours follow. Point by point these would be 16 chains of scalars, three quarters of the kernel's text.

use fornax_plan::VarId;
use fornax_targets::fitted::cpu::EPILOGUE_LANES_MAX;

use super::lanes::merge_points;
use super::tile::{Point, Tile, bind_point};
use crate::emitter::{Emitter, Slot};
use crate::errors::EmitError;
use crate::text::Value;

/// How many points each are neighbours along one variable, one behind the other: a power of two, 1 for none.
pub(super) fn neighbours(e: &Emitter<'_>, points: &[Point]) -> usize {
    if e.lanes > 1 {
        return 1;
    }
    let is_run = |width: usize| points.chunks(width).all(is_run);
    let widths = std::iter::successors(Some(EPILOGUE_LANES_MAX), |w| Some(w / 2)).take_while(|&w| w > 1);
    widths.filter(|w| points.len().is_multiple_of(*w)).find(|&w| is_run(w)).unwrap_or(1)
}

/// Whether the points differ in the offset of one variable alone, each by one from the one before.
fn is_run(points: &[Point]) -> bool {
    let Some(var) = varying(points) else { return false };
    points.windows(2).all(|pair| {
        pair[0].iter().zip(&pair[1]).all(|(&(a_var, a), &(b_var, b))| {
            let same = a_var == b_var && (a.base, a.multiple, a.lane) == (b.base, b.multiple, b.lane);
            same && !a.lane && b.offset - a.offset == i64::from(a_var == var)
        })
    })
}

/// The variable in which the first two points differ.
fn varying(points: &[Point]) -> Option<VarId> {
    let [first, second, ..] = points else { return None };
    first.iter().zip(second).find(|(a, b)| a.1.offset != b.1.offset).map(|(a, _)| a.0)
}

impl Tile<'_> {
    /// The accumulators of all points, each folded to one number; `width` neighbours are lanes of one value.
    pub(super) fn merged(&self, e: &mut Emitter<'_>, sums: &[Value], width: usize) -> Result<Vec<Value>, EmitError> {
        let mut merged = Vec::new();
        for group in sums.chunks(self.fold.operands() * width) {
            merged.extend(merge_points(e, self.fold, group)?);
        }
        Ok(merged)
    }

    /// The results of every point, and its stores; `width` points are lanes of the same accumulators.
    pub(super) fn store(
        &self,
        e: &mut Emitter<'_>,
        points: &[Point],
        folded: &[Value],
        width: usize,
    ) -> Result<(), EmitError> {
        let lanes = e.lanes;
        for (group, folded) in points.chunks(width).zip(folded.chunks(self.fold.operands())) {
            bind_point(e, &group[0]);
            if let Some(var) = varying(group)
                && let Some(first) = e.binding(var)
            {
                e.lanes = width as u32;
                e.bind_lanes(var, first.base, first.multiple, first.offset);
            }
            let results = self.fold.finish(e, folded)?;
            for (index, value) in results.into_iter().enumerate() {
                e.set_slot(Slot::Reduced(index as u32), value);
            }
            let values = self.stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
            for (store, value) in self.stores.iter().zip(values) {
                e.store(store.buffer, store.offset, value)?;
            }
        }
        e.lanes = lanes;
        Ok(())
    }
}

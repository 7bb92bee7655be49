//! The variables of register tiles (`tile`): what a tile covers of a domain variable, and the loops of the reduction,
//! with extents that are numbers or values.
//!
//! Worked example: 3 vectors of 8 along n columns: tiles are ⌈n / 24⌉, and vector 1 of tile t starts at min(24·t + 8, n
//! − 8).

use fornax_plan::VarId;

use super::count::Count;
use crate::emitter::{Binding, Emitter};
use crate::text::Value;

/// What a tile's points along an extent of run time are divided by for the rest behind the last full tile: of it a
/// third of a tile at most is computed in vain, and short extents are as fast as they can be by so few sums.
const REST_PARTS: i64 = 3;

/// One domain variable of a tile.
#[derive(Clone)]
pub struct Axis {
    pub var: VarId,
    pub extent: i64,
    /// Elements from one tile to the next.
    pub step: i64,
    pub tiles: i64,
    /// Elements that a tile covers: `step`, or the extent where that is less.
    pub covered: i64,
    /// Lanes along this variable; 1 for none.
    pub lanes: i64,
    /// The extent, where it is known only at run time.
    pub sized: Option<Value>,
    /// The one point that the tile has, where it is not found by the tile's number.
    pub place: Option<Value>,
}

impl Axis {
    /// Tiles along the variable are one, and it is known before the run.
    pub fn is_one(&self) -> bool {
        self.place.is_some() || self.sized.is_none() && self.tiles == 1
    }

    /// A tile has several points along the variable, and its last tile may have fewer than the others.
    pub fn is_ragged(&self) -> bool {
        self.sized.is_some() && self.place.is_none() && self.covered > self.lanes
    }

    /// The same where all points of a tile exist.
    pub fn full(&self) -> Axis {
        Axis { sized: None, ..self.clone() }
    }

    /// The same for what is left behind the last full tile, in smaller tiles.
    pub fn rest(&self) -> Axis {
        let points = (self.covered / self.lanes / REST_PARTS).max(1);
        Axis { covered: points * self.lanes, ..self.clone() }
    }

    /// Tiles along the variable.
    pub fn count(&self, e: &mut Emitter<'_>) -> Value {
        match self.sized.filter(|_| self.place.is_none()) {
            None => e.code.int(e.index_ty(), if self.place.is_some() { 1 } else { self.tiles }),
            Some(extent) => {
                let rounded = e.code.add_ik(extent, self.step - 1);
                e.code.int_k("arith.divui", rounded, self.step)
            }
        }
    }

    /// The point `offset` elements behind the tile's first.
    pub fn bind(&self, e: &mut Emitter<'_>, base: Option<Value>, multiple: i64, offset: i64) -> Option<Binding> {
        match (self.sized, base) {
            _ if self.place.is_some() => e.bind(self.var, self.place, 1, 0),
            // Points behind the last are the last once more: the same thread stores the same value again.
            (Some(extent), Some(base)) if self.covered > 1 => {
                let at = e.code.add_ik(base, offset);
                let last = e.code.add_ik(extent, -self.lanes);
                let at = e.code.binary("arith.minsi", at, last);
                if self.lanes > 1 {
                    e.bind_lanes(self.var, Some(at), 1, 0);
                } else {
                    e.bind(self.var, Some(at), 1, 0);
                }
            }
            _ if self.lanes > 1 => e.bind_lanes(self.var, base, multiple, offset),
            _ => e.bind(self.var, base, multiple, offset),
        }
        e.binding(self.var)
    }

    pub fn offsets(&self) -> Vec<i64> {
        let last = self.covered - self.lanes;
        let mut offsets: Vec<i64> = (0..self.covered).step_by(self.lanes as usize).map(|o| o.min(last)).collect();
        offsets.dedup();
        offsets
    }
}

/// One reduction variable's loop: index = first + lanes · i (+ lane), i below count.
#[derive(Clone, Copy)]
pub struct Range {
    pub var: VarId,
    pub first: i64,
    pub count: i64,
    pub lanes: i64,
    /// The first and the last i, and one more, where they are known only at run time.
    pub sized: Option<(Value, Value)>,
}

impl Range {
    /// Has no steps, and that is known.
    pub fn is_empty(&self) -> bool {
        self.sized.is_none() && self.count == 0
    }

    pub fn is_one(&self) -> bool {
        self.sized.is_none() && self.count == 1
    }
}

/// Number of tiles; `known` where every extent is.
pub fn tiles_in_all(e: &mut Emitter<'_>, axes: &[Axis], known: i64) -> Count {
    if axes.iter().all(|a| a.sized.is_none()) {
        return Count::Known(known);
    }
    let one = e.code.int(e.index_ty(), 1);
    Count::Run(axes.iter().fold(one, |total, axis| {
        let count = axis.count(e);
        e.code.mul_i(total, count)
    }))
}

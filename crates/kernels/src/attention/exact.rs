//! Attention of f32 again by multiply-adds, where split products are in doubt.
//!
//! Splitting a value in two of tf32 makes NaN of what is infinite or near the maximum, and loses what is below 2⁻¹³⁵.
//! So products of query and key are watched as they come (x·0 is NaN where x is not finite), and the results at the
//! end: one that is not finite, or so small that what is lost of the values may count, has the workgroup start again
//! with plain f32 multiply-adds on the same tiles, each lane for the elements that it holds of an accumulator. Weights
//! of other columns come from the lanes that hold them. Ordinary data never comes here.
//!
//! Worked example: a value of 3e38 in feature 5: the split gives Inf, sums of feature 5 are NaN: the workgroup's rows
//! are computed again.

use super::fragments::Fragments;
use super::tiles::{Tile, at_byte};
use super::{F32, I32, Kernel, State};
use fornax_emit::emitter::Emitter;
use fornax_emit::text::{Scalar, Ty, Value};

/// Results below are doubtful: what is dropped of a value, 2⁻¹³⁵, may be more than their rounding.
const SMALL: f64 = 1.0 / (1u128 << 100) as f64;

impl Kernel<'_> {
    /// Whether sums of split products are watched.
    pub(super) fn watches(&self) -> bool {
        self.splits && self.a.precision > fornax_plan::Precision::Tf32x3 && !self.exact
    }

    /// NaN once a product is not finite, else 0.
    pub(super) fn watched(&self, e: &mut Emitter<'_>, doubt: &[Value], products: &[Vec<Value>]) -> Vec<Value> {
        let zero = e.code.float(F32, 0.0);
        let mut doubt = doubt.to_vec();
        if let Some(doubt) = doubt.first_mut() {
            for &product in products.iter().flatten() {
                *doubt = e.code.fma(product, zero, *doubt);
            }
        }
        doubt
    }

    /// Whether a lane of the warp doubts its results: 1 in all lanes.
    pub(super) fn warp_doubts(&self, e: &mut Emitter<'_>, state: &State) -> Value {
        let zero = e.code.float(F32, 0.0);
        let mut total = state.doubt.first().copied().unwrap_or(zero);
        let mut small = e.code.bits(Ty::scalar(Scalar::I1), 0);
        for &result in &state.out {
            total = e.code.fma(result, zero, total);
            let magnitude = e.code.abs_f(result);
            let below = e.code.cmp_fk("olt", magnitude, SMALL);
            let some = e.code.cmp_fk("ogt", magnitude, 0.0);
            let doubtful = e.code.and(below, some);
            small = e.code.or(small, doubtful);
        }
        let special = e.code.is_nan(total);
        let any = e.code.or(special, small);
        let mut flag = e.code.resize_u(any, Scalar::I32);
        for mask in [16, 8, 4, 2, 1] {
            let other = e.abi.shuffle_xor(&mut e.code, flag, mask);
            flag = e.code.or(flag, other);
        }
        flag
    }

    /// Products of this warp's queries with a tile of keys, step by step.
    pub(super) fn exact_products(&self, e: &mut Emitter<'_>, query: &Tile, keys: &Tile) -> Vec<Vec<Value>> {
        let zero = e.code.float(F32, 0.0);
        let columns = self.s.columns as usize;
        let fragments = self.s.row_tiles as usize;
        let (low, one, high) = (e.code.int(I32, 0), e.code.int(I32, 1), e.code.int(I32, self.depth));
        let open = e.code.begin_for(low, high, one, &vec![zero; fragments * columns / 2]);
        let mut next = Vec::new();
        let step = e.code.shl_k(open.iv, 2);
        let pair = e.code.and_k(self.lane, 3);
        let pair = e.code.shl_k(pair, 1);
        let mut loaded = Vec::new();
        for column in 0..columns as i64 / 8 {
            for at in [0, 1] {
                loaded.push(self.element(e, keys, (pair, 8 * column + at), step));
            }
        }
        let own = e.code.shr_uk(self.lane, 2);
        let warp = e.code.int_k("arith.muli", self.warp, 16 * i64::from(self.s.row_tiles));
        let own = e.code.add_i(warp, own);
        for fragment in 0..fragments as i64 {
            let rows = [0, 8].map(|half| self.element(e, query, (own, 16 * fragment + half), step));
            for keys in loaded.chunks(2) {
                for row in rows {
                    for &key in keys {
                        next.push(e.code.fma(row, key, open.carried[next.len()]));
                    }
                }
            }
        }
        let sums = e.code.end_for(open, &next);
        sums.chunks(columns / 2).map(<[Value]>::to_vec).collect()
    }

    /// Adds weights times values to `out`. `weights` are those of [`Fragments`], by 8 columns: (row, first), (row + 8,
    /// first), the same of the second of the lane's pair.
    pub(super) fn exact_results(
        &self,
        e: &mut Emitter<'_>,
        weights: &Fragments,
        values: &Tile,
        out: &[Value],
    ) -> Vec<Value> {
        let mut out = out.to_vec();
        let each = out.len() / weights.parts.len().max(1);
        let first = e.code.and_k(self.lane, 28);
        let pair = e.code.and_k(self.lane, 3);
        let pair = e.code.shl_k(pair, 3);
        for block in 0..i64::from(self.s.columns) / 8 {
            for column in 0..8 {
                let source = e.code.add_ik(first, column / 2);
                let row = e.code.int(I32, 8 * block + column);
                let held: Vec<[Value; 2]> = (0..weights.parts.len())
                    .map(|fragment| {
                        let four = weights.parts[fragment][block as usize];
                        let second = 2 * (column as usize % 2);
                        [four[second], four[second + 1]].map(|w| from_lane(e, w, source))
                    })
                    .collect();
                for feature in 0..values.padded() / 8 {
                    let pairs = [0, 4].map(|byte| {
                        let at = e.code.add_ik(pair, 32 * feature + byte);
                        self.element(e, values, (row, 0), at)
                    });
                    for (fragment, weights) in held.iter().enumerate() {
                        let at = fragment * each + 4 * feature as usize;
                        for (half, &weight) in weights.iter().enumerate() {
                            for (number, &value) in pairs.iter().enumerate() {
                                let place = at + 2 * half + number;
                                out[place] = e.code.fma(weight, value, out[place]);
                            }
                        }
                    }
                }
            }
        }
        out
    }

    /// The f32 at byte `inner` of row `row + offset` of a tile.
    fn element(&self, e: &mut Emitter<'_>, tile: &Tile, (row, offset): (Value, i64), inner: Value) -> Value {
        let at = e.code.int_k("arith.muli", row, tile.pitch());
        let at = e.code.add_i(at, inner);
        let at = e.code.add_ik(at, offset * tile.pitch() + tile.offset);
        let at = at_byte(e, self.shared, at);
        e.code.effect(F32, &format!("llvm.load {at} {{alignment = 4 : i64}} : {} -> f32", at.ty))
    }
}

/// A value of another lane.
fn from_lane(e: &mut Emitter<'_>, value: Value, lane: Value) -> Value {
    let (all, clamp) = (e.code.int(I32, -1), e.code.int(I32, 31));
    e.code.effect(F32, &format!("nvvm.shfl.sync idx {all}, {value}, {lane}, {clamp} : f32 -> f32"))
}

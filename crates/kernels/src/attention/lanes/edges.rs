//! Queries on the way in and results on the way out: squares of lanes × lanes transposed in registers, or vectors as
//! they are where rows are contiguous.
//!
//! Worked example: 64 queries of 64 f32, 16 lanes: 4 × 4 squares of 16 loads, 64 shuffles, 16 stores.

use fornax_graph::ElementType;

use super::{Emitted, Lanes, State, Tile};
use fornax_emit::blocks::transpose_square::transpose_square;
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::text::Value;

impl Lanes<'_> {
    /// The queries of a tile, as f32, to scratch: rows in lanes.
    pub(super) fn turn_queries(&self, e: &mut Emitter<'_>, tile: &Tile) -> Emitted {
        let from = e.exprs.element(self.a.query);
        let ty = e.index_ty();
        let bounds = (e.code.int(ty, 0), e.code.int(ty, self.depth));
        if self.rows_lie_side_by_side(e) {
            return e.each(bounds, 1, &mut |e, step| {
                e.bind(self.a.depth(), Some(step), 1, 0);
                for vector in 0..self.vectors {
                    self.use_vector(e, tile, vector);
                    let value = e.eval(self.a.query)?;
                    let value = e.convert(from, ElementType::F32, value)?;
                    self.store_vector(e, 0, step, vector, value);
                }
                Ok(())
            });
        }
        e.each(bounds, self.lanes(), &mut |e, step| {
            let step = self.within(e, step, self.depth);
            e.bind_lanes(self.a.depth(), Some(step), 1, 0);
            for vector in 0..self.vectors {
                let mut square = Vec::new();
                for lane in 0..self.lanes() {
                    self.bind_row(e, tile, vector, lane);
                    let value = e.eval(self.a.query)?;
                    let value = e.convert(from, ElementType::F32, value)?;
                    square.push(e.code.spread(value, self.s.lanes));
                }
                for (at, value) in transpose_square(e, square).into_iter().enumerate() {
                    let step = e.code.add_ik(step, at as i64);
                    self.store_vector(e, 0, step, vector, value);
                }
            }
            Ok(())
        })
    }

    fn rows_lie_side_by_side(&self, e: &Emitter<'_>) -> bool {
        match *e.exprs.node(self.a.query) {
            fornax_plan::Node::Load { offset, .. } => e.exprs.indices.stride(offset, self.s.row) == Some(1),
            _ => false,
        }
    }

    /// Binds the row of one lane of a vector.
    pub(super) fn bind_row(&self, e: &mut Emitter<'_>, tile: &Tile, vector: usize, lane: i64) {
        e.bind(self.s.row, tile.start, tile.multiple, tile.offsets[vector] + lane);
    }

    pub(super) fn clear_results(&self, e: &mut Emitter<'_>) -> Emitted {
        let (ty, zero) = (e.index_ty(), e.code.float(self.vector(), 0.0));
        let bounds = (e.code.int(ty, 0), e.code.int(ty, self.features));
        e.each(bounds, 1, &mut |e, feature| {
            for vector in 0..self.vectors {
                self.store_vector(e, self.scratch.results, feature, vector, zero);
            }
            Ok(())
        })
    }

    /// Divides the results by the sums of weights and stores what the plan makes of them.
    pub(super) fn store(&self, e: &mut Emitter<'_>, tile: &Tile, state: &State) -> Emitted {
        let ty = e.index_ty();
        let bounds = (e.code.int(ty, 0), e.code.int(ty, self.features));
        let stores = &self.a.stores;
        let along_rows = stores.iter().all(|s| e.exprs.indices.stride(s.offset, self.s.row) == Some(1));
        if along_rows {
            return e.each(bounds, 1, &mut |e, feature| {
                e.bind(self.a.feature, Some(feature), 1, 0);
                for (vector, &sum) in state.sums.iter().enumerate() {
                    let mean = self.mean(e, feature, vector, sum);
                    self.use_vector(e, tile, vector);
                    self.store_mean(e, mean)?;
                }
                Ok(())
            });
        }
        e.each(bounds, self.lanes(), &mut |e, first| {
            let first = self.within(e, first, self.features);
            e.bind_lanes(self.a.feature, Some(first), 1, 0);
            for (vector, &sum) in state.sums.iter().enumerate() {
                let mut square = Vec::new();
                for at in 0..self.lanes() {
                    let feature = e.code.add_ik(first, at);
                    square.push(self.mean(e, feature, vector, sum));
                }
                for (lane, mean) in transpose_square(e, square).into_iter().enumerate() {
                    self.bind_row(e, tile, vector, lane as i64);
                    self.store_mean(e, mean)?;
                }
            }
            Ok(())
        })
    }

    fn mean(&self, e: &mut Emitter<'_>, feature: Value, vector: usize, sum: Value) -> Value {
        let result = self.load_vector(e, self.scratch.results, feature, vector);
        let mean = e.code.div_f(result, sum);
        if !self.a.empty_is_zero {
            return mean;
        }
        let empty = e.code.cmp_fk("oeq", sum, 0.0);
        e.code.select_k(empty, 0.0, mean)
    }

    fn store_mean(&self, e: &mut Emitter<'_>, mean: Value) -> Emitted {
        e.set_slot(Slot::Reduced(1), mean);
        for store in &self.a.stores {
            let value = e.eval(store.value)?;
            e.store(store.buffer, store.offset, value)?;
        }
        Ok(())
    }
}

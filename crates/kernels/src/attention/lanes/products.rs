//! The two products of a block: register tiles of columns × vectors of rows, and of features × vectors of rows.
//!
//! A step loads the vectors of one side from scratch, broadcasts the elements of the other and multiplies and adds all
//! pairs. Elements of keys and values are read where they are, or from a copy in scratch.
//!
//! Worked example: 6 columns × 4 vectors of 16 rows: a step of depth takes 4 vector loads, 6 broadcasts, 24
//! multiply-adds in 12 cycles.

use fornax_graph::ElementType;
use fornax_plan::{NodeId, VarId};

use crate::sizing::{LANES_MAX, power_of_two_below};

use super::{Block, Emitted, F32_BYTES, Lanes, POINTER, Tile};
use fornax_emit::emitter::{Binding, Emitter, Slot};
use fornax_emit::text::{Scalar, Ty, Value};

/// Neighbouring columns.
#[derive(Clone, Copy)]
struct Columns {
    first: Value,
    count: i64,
}

/// Products of columns with all vectors of rows.
struct Products<'a> {
    /// The scratch row of the first column's scores.
    first: Value,
    columns: &'a [Binding],
    /// Column by column, a sum for each vector of rows.
    sums: &'a [Value],
}

impl Lanes<'_> {
    /// Scores of a block to scratch; the largest of each row so far.
    pub(super) fn scores(
        &self,
        e: &mut Emitter<'_>,
        tile: &Tile,
        block: Block,
        whole: Option<(Value, Value)>,
        largest: Vec<Value>,
    ) -> Emitted<Vec<Value>> {
        let width = i64::from(self.s.columns);
        let (full, tail) = (self.columns / width, self.columns % width);
        let (low, mut high) = block.groups;
        if tail > 0 {
            high = e.code.int_k("arith.minsi", high, full);
        }
        let one = e.code.int(low.ty, 1);
        let open = e.code.begin_for(low, high, one, &largest);
        let column = e.code.int_k("arith.muli", open.iv, width);
        let columns = Columns { first: column, count: width };
        let next = self.score_tile(e, tile, block, columns, whole, &open.carried.clone())?;
        let largest = e.code.end_for(open, &next);
        if tail == 0 {
            return Ok(largest);
        }
        let types: Vec<Ty> = largest.iter().map(|v| v.ty).collect();
        let reaches = e.code.cmp_ik("sgt", block.groups.1, full);
        let results = e.code.begin_if(reaches, &types);
        let column = e.code.int(low.ty, full * width);
        let columns = Columns { first: column, count: tail };
        let next = self.score_tile(e, tile, block, columns, whole, &largest)?;
        e.code.begin_else(&next);
        e.code.end_if(&largest);
        Ok(results)
    }

    /// Scores of some columns.
    fn score_tile(
        &self,
        e: &mut Emitter<'_>,
        tile: &Tile,
        block: Block,
        columns: Columns,
        whole: Option<(Value, Value)>,
        largest: &[Value],
    ) -> Emitted<Vec<Value>> {
        let Columns { first: column, count } = columns;
        let inside = e.code.sub_i(column, block.first);
        let columns = self.bindings(e, self.a.column(), column, count);
        let zero = e.code.float(self.vector(), 0.0);
        let sums = vec![zero; columns.len() * self.vectors];
        let (low, high, one) = (e.code.int(column.ty, 0), e.code.int(column.ty, self.depth), e.code.int(column.ty, 1));
        let open = e.code.begin_for(low, high, one, &sums);
        e.bind(self.a.depth(), Some(open.iv), 1, 0);
        let rows: Vec<Value> = (0..self.vectors).map(|v| self.load_vector(e, 0, open.iv, v)).collect();
        let mut next = Vec::with_capacity(sums.len());
        for (at, &binding) in columns.iter().enumerate() {
            let key = if self.s.copy_keys {
                let row = e.code.add_ik(inside, at as i64);
                self.copied(e, self.scratch.keys, (row, self.depth), open.iv)
            } else {
                e.rebind(self.a.column(), binding);
                e.eval(self.a.key)?
            };
            for &row in &rows {
                next.push(e.code.fma(key, row, open.carried[next.len()]));
            }
        }
        let sums = e.code.end_for(open, &next);
        let products = Products { first: inside, columns: &columns, sums: &sums };
        let Some((from, to)) = whole else {
            return self.score(e, tile, self.a.inside, &products, largest);
        };
        let after = e.code.add_ik(column, count);
        let (from, to) = (e.code.cmp_i("sge", column, from), e.code.cmp_i("sle", after, to));
        let all = e.code.and(from, to);
        let types: Vec<Ty> = largest.iter().map(|v| v.ty).collect();
        let results = e.code.begin_if(all, &types);
        let next = self.score(e, tile, self.a.inside, &products, largest)?;
        e.code.begin_else(&next);
        let next = self.score(e, tile, self.a.score, &products, largest)?;
        e.code.end_if(&next);
        Ok(results)
    }

    /// The node on every product, to scratch; the largest so far.
    fn score(
        &self,
        e: &mut Emitter<'_>,
        tile: &Tile,
        node: NodeId,
        products: &Products<'_>,
        largest: &[Value],
    ) -> Emitted<Vec<Value>> {
        let &Products { first, columns, sums } = products;
        let mut largest = largest.to_vec();
        for (at, (&binding, products)) in columns.iter().zip(sums.chunks(self.vectors)).enumerate() {
            let row = e.code.add_ik(first, at as i64);
            e.rebind(self.a.column(), binding);
            for (vector, &product) in products.iter().enumerate() {
                let score = if self.is_product(e, node) {
                    product
                } else {
                    self.use_vector(e, tile, vector);
                    self.provide_masks(e, row, vector);
                    e.set_slot(Slot::Reduced(0), product);
                    let score = e.eval(node)?;
                    e.code.spread(score, self.s.lanes)
                };
                largest[vector] = self.larger(e, score, largest[vector]);
                self.store_vector(e, self.scratch.scores, row, vector, score);
            }
        }
        Ok(largest)
    }

    /// Adds weights times values of a block to the results, which are brought down by `factors` before.
    pub(super) fn results(&self, e: &mut Emitter<'_>, block: Block, factors: &[Value]) -> Emitted {
        let width = i64::from(self.s.features);
        let (full, tail) = (self.features / width * width, self.features % width);
        let ty = e.index_ty();
        let bounds = (e.code.int(ty, 0), e.code.int(ty, full));
        e.each(bounds, width, &mut |e, feature| self.result_tile(e, block, (feature, width), factors))?;
        if tail > 0 {
            let feature = e.code.int(ty, full);
            self.result_tile(e, block, (feature, tail), factors)?;
        }
        Ok(())
    }

    /// Results of `count` features from `feature` on.
    fn result_tile(
        &self,
        e: &mut Emitter<'_>,
        block: Block,
        (feature, count): (Value, i64),
        factors: &[Value],
    ) -> Emitted {
        let features = self.bindings(e, self.a.feature, feature, count);
        let mut sums = Vec::with_capacity(features.len() * self.vectors);
        for at in 0..count {
            let row = e.code.add_ik(feature, at);
            for (vector, &factor) in factors.iter().enumerate() {
                let before = self.load_vector(e, self.scratch.results, row, vector);
                sums.push(e.code.mul_f(before, factor));
            }
        }
        let (low, one) = (e.code.int(feature.ty, 0), e.code.int(feature.ty, 1));
        let open = e.code.begin_for(low, block.count, one, &sums);
        let column = e.code.add_i(block.first, open.iv);
        e.bind(self.a.column(), Some(column), 1, 0);
        let rows: Vec<Value> =
            (0..self.vectors).map(|v| self.load_vector(e, self.scratch.scores, open.iv, v)).collect();
        let mut next = Vec::with_capacity(sums.len());
        for (at, &binding) in features.iter().enumerate() {
            let value = if self.s.copy_values {
                let at = e.code.add_ik(feature, at as i64);
                self.copied(e, self.scratch.values, (open.iv, self.features), at)
            } else {
                e.rebind(self.a.feature, binding);
                e.eval(self.a.value)?
            };
            for &row in &rows {
                next.push(e.code.fma(value, row, open.carried[next.len()]));
            }
        }
        let results = e.code.end_for(open, &next);
        for (at, results) in results.chunks(self.vectors).enumerate() {
            let row = e.code.add_ik(feature, at as i64);
            for (vector, &result) in results.iter().enumerate() {
                self.store_vector(e, self.scratch.results, row, vector, result);
            }
        }
        Ok(())
    }

    fn bindings(&self, e: &mut Emitter<'_>, var: VarId, start: Value, count: i64) -> Vec<Binding> {
        (0..count)
            .filter_map(|at| {
                e.bind(var, Some(start), 1, at);
                e.binding(var)
            })
            .collect()
    }

    /// Element `at` of row `row` of a copied matrix.
    fn copied(&self, e: &mut Emitter<'_>, start: i64, (row, width): (Value, i64), at: Value) -> Value {
        let before = e.code.int_k("arith.muli", row, width);
        let at = e.code.add_i(before, at);
        let pointer = self.place(e, start, at);
        e.code
            .effect(Ty::scalar(Scalar::F32), &format!("llvm.load {pointer} {{alignment = 4 : i64}} : !llvm.ptr -> f32"))
    }

    /// Copies the keys and values of a block as f32, where that is wanted.
    pub(super) fn copy(&self, e: &mut Emitter<'_>, block: Block) -> Emitted {
        let (a, s) = (self.a, self.s);
        if s.copy_keys {
            self.copy_rows(e, block, (a.key, self.scratch.keys), (a.depth(), self.depth))?;
        }
        if s.copy_values {
            self.copy_rows(e, block, (a.value, self.scratch.values), (a.feature, self.features))?;
        }
        Ok(())
    }

    fn copy_rows(
        &self,
        e: &mut Emitter<'_>,
        block: Block,
        (node, start): (NodeId, i64),
        (inner, extent): (VarId, i64),
    ) -> Emitted {
        let ty = block.first.ty;
        let from = e.exprs.element(node);
        let (zero, end) = (e.code.int(ty, 0), e.code.int(ty, extent));
        // As wide as the machine's vectors, also where few rows lie in few lanes.
        let widest = (e.target.vector_bytes / F32_BYTES as u32).clamp(1, LANES_MAX as u32);
        let lanes = widest.min(power_of_two_below(extent.max(1) as u64) as u32).max(self.s.lanes);
        let of_rows = std::mem::replace(&mut e.lanes, lanes);
        let lanes = i64::from(lanes);
        let done = e.each((zero, block.count), 1, &mut |e, row| {
            let column = e.code.add_i(block.first, row);
            e.bind(self.a.column(), Some(column), 1, 0);
            e.each((zero, end), lanes, &mut |e, at| {
                let at = if extent % lanes == 0 { at } else { e.code.int_k("arith.minsi", at, extent - lanes) };
                e.bind_lanes(inner, Some(at), 1, 0);
                let value = e.eval(node)?;
                let value = e.convert(from, ElementType::F32, value)?;
                let value = e.code.spread(value, lanes as u32);
                let before = e.code.int_k("arith.muli", row, extent);
                let to = e.code.add_i(before, at);
                let to = self.place(e, start, to);
                e.code.line(&format!(
                    "llvm.store {value}, {to} {{alignment = {F32_BYTES} : i64}} : {}, {POINTER}",
                    value.ty
                ));
                Ok(())
            })
        });
        e.lanes = of_rows;
        done
    }

    /// Where a vector begins that would begin at `at`: earlier, where it would reach over the end.
    pub(super) fn within(&self, e: &mut Emitter<'_>, at: Value, extent: i64) -> Value {
        if extent % self.lanes() == 0 { at } else { e.code.int_k("arith.minsi", at, extent - self.lanes()) }
    }
}

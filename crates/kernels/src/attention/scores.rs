//! What stands between the products and the softmax: evaluated on the accumulators, a run of neighbouring columns at a
//! time.
//!
//! A tile that no bound cuts takes the score without its bounds; the others evaluate the whole score, and columns past
//! the last get −inf.
//!
//! Worked example: causal, 64 columns from 640: rows 640‥703 compare each of their columns with their own number; rows
//! 704 and later take the products as they are.

use fornax_plan::{Node, NodeId};

use super::Kernel;
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Ty, Value};

impl Kernel<'_> {
    /// Whether the last tile of columns is not full.
    pub(super) fn has_column_tail(&self) -> bool {
        self.ends.columns.is_some() || self.columns % i64::from(self.s.columns) != 0
    }

    /// Whether scores inside the bounds are only computed of products: no other mask brings one down to the constant of
    /// masked columns.
    pub(super) fn bounds_alone(&self, e: &mut Emitter<'_>) -> bool {
        const LOW: f64 = -1e7;
        let nodes = e.reachable(&[self.a.inside]);
        let masks = nodes.iter().any(|&n| matches!(e.exprs.node(n), Node::Select { .. } | Node::Load { .. }));
        f64::from(self.a.masked()) * self.exponent() <= LOW && !masks
    }

    /// Scores of a tile's products; `whole` (i1) says that no bound cuts the tile, `None` that none ever does.
    pub(super) fn scores(
        &self,
        e: &mut Emitter<'_>,
        first: Value,
        whole: Option<Value>,
        products: Vec<Vec<Value>>,
    ) -> Result<Vec<Vec<Value>>, EmitError> {
        let Some(whole) = whole else { return self.evaluate(e, first, self.a.inside, false, &products) };
        let sizes: Vec<usize> = products.iter().map(Vec::len).collect();
        let types: Vec<Ty> = products.iter().flatten().map(|v| v.ty).collect();
        let results = e.code.begin_if(whole, &types);
        let inside = self.evaluate(e, first, self.a.inside, false, &products)?;
        e.code.begin_else(&inside.concat());
        let cut = self.evaluate(e, first, self.a.score, self.has_column_tail(), &products)?;
        e.code.end_if(&cut.concat());
        let mut rest = results.as_slice();
        let mut parts = Vec::new();
        for size in sizes {
            let (part, others) = rest.split_at(size);
            parts.push(part.to_vec());
            rest = others;
        }
        Ok(parts)
    }

    /// The node on every product; with `tail`, −inf past the last column.
    fn evaluate(
        &self,
        e: &mut Emitter<'_>,
        first: Value,
        node: NodeId,
        tail: bool,
        products: &[Vec<Value>],
    ) -> Result<Vec<Vec<Value>>, EmitError> {
        if matches!(e.exprs.node(node), Node::Reduced { .. }) && !tail {
            return Ok(products.to_vec());
        }
        let column = e.code.add_i(first, self.run_start);
        let mut scores = products.to_vec();
        for (fragment, scores) in scores.iter_mut().enumerate() {
            for half in 0..self.halves {
                self.use_row(e, self.halves * fragment + half);
                for (at, offset) in self.share.runs(scores.len(), half) {
                    let run = &mut scores[at..at + self.share.run];
                    if tail {
                        self.clamped_run(e, node, (column, offset), run)?;
                    } else {
                        self.run_of(e, node, (column, offset), run)?;
                    }
                }
            }
        }
        Ok(scores)
    }

    /// The node on the products of a run, as lanes.
    fn run_of(
        &self,
        e: &mut Emitter<'_>,
        node: NodeId,
        (column, offset): (Value, i64),
        run: &mut [Value],
    ) -> Result<(), EmitError> {
        e.lanes = run.len() as u32;
        e.bind_lanes(self.a.column(), Some(column), self.share.run as i64, offset);
        let all = e.code.assemble(run);
        e.set_slot(Slot::Reduced(0), all);
        let score = e.eval(node);
        e.lanes = 1;
        let score = score?;
        for (lane, place) in run.iter_mut().enumerate() {
            *place = e.code.extract(score, lane as u32);
        }
        Ok(())
    }

    /// The node on the products of a run, one by one: the last column in place of those past it, which then get −inf.
    fn clamped_run(
        &self,
        e: &mut Emitter<'_>,
        node: NodeId,
        (column, offset): (Value, i64),
        run: &mut [Value],
    ) -> Result<(), EmitError> {
        for (lane, score) in run.iter_mut().enumerate() {
            let at = e.code.add_ik(column, offset + lane as i64);
            let inside = self.column_end().is_above(e, "slt", at);
            let at = self.column_end().clamped(e, "arith.minsi", at);
            e.bind(self.a.column(), Some(at), 1, 0);
            e.set_slot(Slot::Reduced(0), *score);
            let value = e.eval(node)?;
            let low = e.code.float(value.ty, f64::NEG_INFINITY);
            *score = e.code.select(inside, value, low);
        }
        Ok(())
    }
}

//! What of an attention's rows is read elsewhere: the largest score, the sum of weights, and what follows from them.
//!
//! Input: a softmax and the ops between the products. Output: which of the two reductions are results besides the
//! product with the values; ops that follow from these alone are claimed no more.
//!
//! Worked example: a round of a ring keeps log Σ + max of [8, 32768] rows. Both reductions are read elsewhere: the
//! maximum by the sum, the sum of weights by the logarithm. Their broadcasts to [8, 32768, 1] are computed where they
//! are read; those to the scores' shape, which only the attention reads, as well, by nobody.
//!
//! Limits: f32, one element a row, no masks of weights.

use std::collections::{BTreeSet, HashMap};

use fornax_graph::{ElementType, OpId, ValueId};

use super::{Finder, row_dimension};
use crate::errors::PassError;
use crate::facts::ops::{Class, row, tensor};
use crate::facts::softmax::Softmax;

impl Finder<'_> {
    /// Of a row's maximum and sum those that are read elsewhere, directly or through ops that follow from them alone.
    /// These are claimed no more: whoever reads them evaluates them. None where a kernel would not give the ops' own
    /// numbers.
    pub(super) fn rows_read(
        &self,
        softmax: &Softmax,
        hero: OpId,
        claimed: &mut BTreeSet<OpId>,
    ) -> Result<Vec<ValueId>, PassError> {
        let graph = self.graph;
        let folds: Vec<ValueId> = softmax.folds.iter().map(|fold| fold.0).collect();
        let mut of_rows: HashMap<ValueId, BTreeSet<ValueId>> =
            folds.iter().map(|&v| (v, BTreeSet::from([v]))).collect();
        let mut free = BTreeSet::new();
        for &op in graph.block(self.block).ops.iter().filter(|op| claimed.contains(op)) {
            let data = graph.op(op);
            let moves = self.moves(op) || row(data.kind).is_some_and(|r| r.class == Class::Elementwise);
            let made = |v: &&ValueId| graph.producer(**v).is_some_and(|op| claimed.contains(&op));
            let sources: Vec<_> = data.operands.iter().filter(made).map(|v| of_rows.get(v)).collect();
            if moves && !sources.is_empty() && sources.iter().all(Option::is_some) {
                let all: BTreeSet<ValueId> = sources.into_iter().flatten().flatten().copied().collect();
                of_rows.extend(data.results.iter().map(|&result| (result, all.clone())));
                free.insert(op);
            }
        }
        let read = of_rows.iter().filter(|(value, _)| {
            self.readers.get(value).is_some_and(|readers| readers.iter().any(|reader| !claimed.contains(reader)))
        });
        let read: BTreeSet<ValueId> = read.flat_map(|(_, from)| from.iter().copied()).collect();
        let rows: Vec<ValueId> = folds.into_iter().filter(|fold| read.contains(fold)).collect();
        let plain = softmax.visible.is_empty() && !softmax.empty_is_zero;
        if rows.is_empty() || !plain || !self.are_rows_of(&rows, hero, 1 - softmax.weights)? {
            return Ok(Vec::new());
        }
        let of_those = |op: &OpId| {
            let results = &graph.op(*op).results;
            results.iter().filter_map(|r| of_rows.get(r)).flatten().all(|from| rows.contains(from))
        };
        claimed.retain(|op| !free.contains(op) || !of_those(op));
        Ok(rows)
    }

    /// Whether values, in f32, have an element for each row of the product's result: operand `values` has the features.
    fn are_rows_of(&self, rows: &[ValueId], hero: OpId, values: usize) -> Result<bool, PassError> {
        let graph = self.graph;
        let count = |value: ValueId| -> Result<Option<i64>, PassError> {
            Ok(tensor(graph, value)?.static_shape().map(|shape| shape.iter().product()))
        };
        let feature = row_dimension(graph, hero, (values, false))?;
        let shape = tensor(graph, graph.op(hero).operands[values])?.static_shape();
        let features = feature.and_then(|d| shape.as_ref()?.get(d).copied());
        let (Some(features), Some(all)) = (features, count(graph.op(hero).results[0])?) else { return Ok(false) };
        for &value in rows {
            if tensor(graph, value)?.element != ElementType::F32
                || count(value)?.and_then(|rows| rows.checked_mul(features)) != Some(all)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

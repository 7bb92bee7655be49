//! How these rewrites change a graph: values for the results of an op, and small ops before it.
//!
//! Small ops are constants, padding, slices, counters, comparisons, reductions, sorts, rows by number.

use fornax_graph::{
    Attr, AttrMap, BlockId, Constant, ElementType, Graph, NewOp, OpId, OpKind, TensorType, Type, ValueId,
};

use crate::errors::PassError;
use crate::facts::scalar::{bits_of, body};
use crate::rewrite::Rewriter;
use crate::rewrite::build::{int, ints};

/// Lets every reader in a function body read the second of a pair instead of the first.
pub fn replace(graph: &mut Graph, entry: BlockId, pairs: &[(ValueId, ValueId)]) {
    let mut readers = Vec::new();
    graph.walk(entry, &mut |op| readers.push(op));
    for op in readers {
        for slot in graph.op_mut(op).operands.iter_mut() {
            if let Some(&(_, new)) = pairs.iter().find(|p| p.0 == *slot) {
                *slot = new;
            }
        }
    }
}

/// An op like another, with the same operands.
pub fn copy_of(graph: &Graph, op: OpId) -> NewOp {
    let data = graph.op(op).clone();
    let types = data.results.iter().map(|&r| graph.ty(r).clone()).collect();
    let mut new = NewOp::new(data.kind, data.operands, types, data.location);
    new.attrs = data.attrs;
    new
}

/// Puts values in the place of an op's results; the op goes.
pub fn replace_op(graph: &mut Graph, entry: BlockId, op: OpId, values: &[ValueId]) {
    let pairs: Vec<(ValueId, ValueId)> = graph.op(op).results.iter().copied().zip(values.iter().copied()).collect();
    replace(graph, entry, &pairs);
    graph.erase_op(op);
}

impl Rewriter<'_> {
    /// Adds an op before the current one; its first result.
    pub fn put(&mut self, new: NewOp) -> ValueId {
        self.insert(new)[0]
    }

    pub fn op(&mut self, kind: OpKind, operands: &[ValueId], (sizes, element): (&[i64], ElementType)) -> ValueId {
        self.emit(kind, operands, Type::tensor(sizes, element), &[])
    }

    /// A `reduce` with the region op of `like`, over other dimensions and in another element type.
    pub fn reduce_like(
        &mut self,
        like: OpId,
        (operand, init): (ValueId, ValueId),
        over: &[usize],
    ) -> Result<ValueId, PassError> {
        let inner = self.graph.block(body(self.graph, like)?).ops.first().copied();
        let inner = inner.ok_or_else(|| PassError::internal(self.graph, like, "its region is empty"))?;
        Ok(self.reduce(operand, init, over, self.graph.op(inner).kind))
    }

    /// The same bits in every element.
    pub fn bits(&mut self, bits: u64, (sizes, element): (&[i64], ElementType)) -> ValueId {
        let bytes = bits.to_le_bytes()[..element.storage_bytes()].to_vec();
        self.constant(Constant::splat(TensorType::new(sizes, element), bytes))
    }

    /// An integer in every element.
    pub fn number(&mut self, value: i64, of: (&[i64], ElementType)) -> ValueId {
        self.bits(bits_of(of.1, value), of)
    }

    /// `high` more elements at the end of a dimension, of value `bits`.
    pub fn longer(
        &mut self,
        value: ValueId,
        (dimension, high): (usize, i64),
        bits: u64,
        (sizes, element): (&[i64], ElementType),
    ) -> ValueId {
        if high == 0 {
            return value;
        }
        let fill = self.bits(bits, (&[], element));
        let mut padded = sizes.to_vec();
        padded[dimension] += high;
        let along: Vec<i64> = (0..sizes.len()).map(|d| if d == dimension { high } else { 0 }).collect();
        let new = NewOp::new(OpKind::Pad, vec![value, fill], vec![Type::tensor(&padded, element)], self.location())
            .attr("edge_padding_low", ints(vec![0; sizes.len()]))
            .attr("edge_padding_high", ints(along))
            .attr("interior_padding", ints(vec![0; sizes.len()]));
        self.put(new)
    }

    /// Elements from `low` to `high` along a dimension of a value of these sizes.
    pub fn part(&mut self, value: ValueId, (dimension, low, high): (usize, i64, i64), sizes: &[i64]) -> ValueId {
        let (mut start, mut limit) = (vec![0; sizes.len()], sizes.to_vec());
        (start[dimension], limit[dimension]) = (low, high);
        self.slice(value, &start, &limit, &vec![1; sizes.len()])
    }

    /// 0, 1, … along a dimension.
    pub fn counter(&mut self, dimension: usize, (sizes, element): (&[i64], ElementType)) -> ValueId {
        self.iota(&TensorType::new(sizes, element), dimension)
    }

    /// A stable sort of integers and i32 partners along the last dimension, by `direction` (LT, GT); both results.
    pub fn sort(
        &mut self,
        (keys, partners): (ValueId, ValueId),
        direction: &str,
        (sizes, element): (&[i64], ElementType),
    ) -> [ValueId; 2] {
        let location = self.location();
        let scalars = [element, element, ElementType::I32, ElementType::I32].map(|e| Type::tensor(&[], e));
        let graph = &mut *self.graph;
        let region = graph.add_region();
        let block = graph.add_block(region, &scalars);
        let arguments = graph.block(block).arguments[..2].to_vec();
        let kind = if element.is_unsigned() { "UNSIGNED" } else { "SIGNED" };
        let compare = NewOp::new(OpKind::Compare, arguments, vec![Type::tensor(&[], ElementType::I1)], location)
            .attr("comparison_direction", Attr::Enum("comparison_direction".into(), direction.into()))
            .attr("compare_type", Attr::Enum("comparison_type".into(), kind.into()));
        let compare = graph.push_op(block, compare);
        let outcome = graph.op(compare).results.clone();
        graph.push_op(block, NewOp::new(OpKind::Return, outcome, Vec::new(), location));
        let types = vec![Type::tensor(sizes, element), Type::tensor(sizes, ElementType::I32)];
        let mut sort = NewOp::new(OpKind::Sort, vec![keys, partners], types, location)
            .attr("dimension", int(sizes.len() as i64 - 1))
            .attr("is_stable", Attr::Bool(true));
        sort.regions = vec![region];
        let first = self.put(sort);
        let results = self.graph.producer(first).map(|op| self.graph.op(op).results.clone()).unwrap_or_default();
        [first, results.get(1).copied().unwrap_or(first)]
    }

    /// `result[b…, k, e] = value[b…, rows[b…, k], e]`.
    pub fn rows(
        &mut self,
        value: ValueId,
        rows: ValueId,
        count: i64,
        (sizes, element): (&[i64], ElementType),
    ) -> ValueId {
        let batch = sizes.len() - 2;
        let dims = |range: std::ops::Range<usize>| ints(range.map(|d| d as i64).collect::<Vec<_>>());
        let mut numbers = AttrMap::default();
        numbers.set("offset_dims", dims(batch + 1..batch + 2));
        numbers.set("collapsed_slice_dims", dims(batch..batch + 1));
        numbers.set("operand_batching_dims", dims(0..batch));
        numbers.set("start_indices_batching_dims", dims(0..batch));
        numbers.set("start_index_map", dims(batch..batch + 1));
        numbers.set("index_vector_dim", int(batch as i64 + 1));
        let mut slice = vec![1; sizes.len()];
        slice[batch + 1] = sizes[batch + 1];
        let mut result = sizes.to_vec();
        result[batch] = count;
        let ty = Type::tensor(&result, element);
        let new = NewOp::new(OpKind::Gather, vec![value, rows], vec![ty], self.location())
            .attr("dimension_numbers", Attr::Struct("stablehlo.gather".into(), numbers))
            .attr("slice_sizes", ints(slice))
            .attr("indices_are_sorted", Attr::Bool(true));
        self.put(new)
    }
}

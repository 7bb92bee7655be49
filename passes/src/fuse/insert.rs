//! Small ops that the splitting rewrites insert: constants, padding, slices, counters, comparisons, sorts, rows by number.

use fornax_graph::{Attr, AttrMap, Constant, ElementType, NewOp, OpKind, TensorType, Type, ValueId};

use super::split_reduce::Insert;
use crate::facts::scalar::bits_of;

/// A list attribute.
pub(super) fn ints(values: Vec<i64>) -> Attr {
    Attr::DenseArray(ElementType::I64, values)
}

pub(super) fn int(value: i64) -> Attr {
    Attr::Int(i128::from(value), Type::Scalar(ElementType::I64))
}

impl Insert<'_> {
    fn location(&self) -> fornax_graph::LocId {
        self.graph.op(self.before).location
    }

    /// The same bits in every element.
    pub fn splat(&mut self, bits: u64, (sizes, element): (&[i64], ElementType)) -> ValueId {
        let ty = TensorType::new(sizes, element);
        let bytes = bits.to_le_bytes()[..element.storage_bytes()].to_vec();
        let constant = self.graph.add_constant(Constant::splat(ty.clone(), bytes));
        let new = NewOp::new(OpKind::Constant, Vec::new(), vec![Type::Tensor(ty)], self.location());
        self.insert(new.attr("value", Attr::Dense(constant)))
    }

    /// An integer in every element.
    pub fn number(&mut self, value: i64, of: (&[i64], ElementType)) -> ValueId {
        self.splat(bits_of(of.1, value), of)
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
        let fill = self.splat(bits, (&[], element));
        let mut padded = sizes.to_vec();
        padded[dimension] += high;
        let along = (0..sizes.len()).map(|d| if d == dimension { high } else { 0 }).collect();
        let new = NewOp::new(OpKind::Pad, vec![value, fill], vec![Type::tensor(&padded, element)], self.location())
            .attr("edge_padding_low", ints(vec![0; sizes.len()]))
            .attr("edge_padding_high", ints(along))
            .attr("interior_padding", ints(vec![0; sizes.len()]));
        self.insert(new)
    }

    /// Elements from `low` to `high` along a dimension.
    pub fn part(
        &mut self,
        value: ValueId,
        (dimension, low, high): (usize, i64, i64),
        (sizes, element): (&[i64], ElementType),
    ) -> ValueId {
        let (mut start, mut limit, mut kept) = (vec![0; sizes.len()], sizes.to_vec(), sizes.to_vec());
        (start[dimension], limit[dimension], kept[dimension]) = (low, high, high - low);
        let new = NewOp::new(OpKind::Slice, vec![value], vec![Type::tensor(&kept, element)], self.location())
            .attr("start_indices", ints(start))
            .attr("limit_indices", ints(limit))
            .attr("strides", ints(vec![1; sizes.len()]));
        self.insert(new)
    }

    /// 0, 1, … along a dimension.
    pub fn counter(&mut self, dimension: usize, (sizes, element): (&[i64], ElementType)) -> ValueId {
        let new = NewOp::new(OpKind::Iota, Vec::new(), vec![Type::tensor(sizes, element)], self.location());
        self.insert(new.attr("iota_dimension", int(dimension as i64)))
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
        let first = self.insert(sort);
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
        let dims = |range: std::ops::Range<usize>| ints(range.map(|d| d as i64).collect());
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
        self.insert(new)
    }
}

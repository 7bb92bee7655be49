//! How these rewrites change a graph: values for the results of an op, and small ops before it.
//!
//! Small ops are constants, padding, slices, counters, comparisons, reductions, sorts, rows by number.

use std::collections::HashMap;

use fornax_graph::{
    Attr, AttrMap, BlockId, Constant, ElementType, Graph, NewOp, OpId, OpKind, RegionId, TensorType, Type, ValueId,
};

use crate::errors::PassError;
use crate::facts::scalar::{bits_of, body};

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

/// Puts values in the place of an op's results; the op goes.
pub fn replace_op(graph: &mut Graph, entry: BlockId, op: OpId, values: &[ValueId]) {
    let pairs: Vec<(ValueId, ValueId)> = graph.op(op).results.iter().copied().zip(values.iter().copied()).collect();
    replace(graph, entry, &pairs);
    graph.erase_op(op);
}

/// Inserts an op before another one; its results.
pub fn insert_before(graph: &mut Graph, op: OpId, new: NewOp) -> Vec<ValueId> {
    let block = graph.op(op).block;
    let at = graph.block(block).ops.iter().position(|&o| o == op).unwrap_or(0);
    let new = graph.insert_op(block, at, new);
    graph.op(new).results.clone()
}

/// A list attribute.
pub fn ints(values: Vec<i64>) -> Attr {
    Attr::DenseArray(ElementType::I64, values)
}

pub fn int(value: i64) -> Attr {
    Attr::Int(i128::from(value), Type::Scalar(ElementType::I64))
}

/// Inserts ops before another one, with its location.
pub struct Insert<'a> {
    pub graph: &'a mut Graph,
    pub before: OpId,
}

impl Insert<'_> {
    pub fn insert(&mut self, new: NewOp) -> ValueId {
        insert_before(self.graph, self.before, new)[0]
    }

    pub fn op(&mut self, kind: OpKind, operands: &[ValueId], (sizes, element): (&[i64], ElementType)) -> ValueId {
        let location = self.graph.op(self.before).location;
        self.insert(NewOp::new(kind, operands.to_vec(), vec![Type::tensor(sizes, element)], location))
    }

    pub fn convert(&mut self, value: ValueId, sizes: &[i64], from: ElementType, to: ElementType) -> ValueId {
        if from == to { value } else { self.op(OpKind::Convert, &[value], (sizes, to)) }
    }

    /// A `reduce` with the region op of `like`, over other dimensions and in another element type.
    pub fn reduce(
        &mut self,
        like: OpId,
        (operand, init): (ValueId, ValueId),
        dimensions: &[usize],
        (sizes, element): (&[i64], ElementType),
    ) -> Result<ValueId, PassError> {
        let inner = self.graph.block(body(self.graph, like)?).ops.first().copied();
        let inner = inner.ok_or_else(|| PassError::internal(self.graph, like, "its region is empty"))?;
        let (kind, location) = (self.graph.op(inner).kind, self.graph.op(like).location);
        let scalar = Type::tensor(&[], element);
        let region = self.graph.add_region();
        let block = self.graph.add_block(region, &[scalar.clone(), scalar.clone()]);
        let arguments = self.graph.block(block).arguments.clone();
        let combined = self.graph.push_op(block, NewOp::new(kind, arguments, vec![scalar], location));
        let combined = self.graph.op(combined).results.clone();
        self.graph.push_op(block, NewOp::new(OpKind::Return, combined, Vec::new(), location));
        let dimensions = dimensions.iter().map(|&d| d as i64).collect();
        let mut new = NewOp::new(OpKind::Reduce, vec![operand, init], vec![Type::tensor(sizes, element)], location)
            .attr("dimensions", Attr::DenseArray(ElementType::I64, dimensions));
        new.regions = vec![region];
        Ok(self.insert(new))
    }

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

/// A copy of a region that reads nothing from outside.
pub fn copy_region(graph: &mut Graph, region: RegionId) -> RegionId {
    let copy = graph.add_region();
    let mut values: HashMap<ValueId, ValueId> = HashMap::new();
    for block in graph.region(region).blocks.clone() {
        let arguments = graph.block(block).arguments.clone();
        let types: Vec<Type> = arguments.iter().map(|&v| graph.ty(v).clone()).collect();
        let new = graph.add_block(copy, &types);
        values.extend(arguments.into_iter().zip(graph.block(new).arguments.clone()));
        for op in graph.block(block).ops.clone() {
            let data = graph.op(op).clone();
            let result_types = data.results.iter().map(|&r| graph.ty(r).clone()).collect();
            let operands = data.operands.iter().map(|v| values.get(v).copied().unwrap_or(*v)).collect();
            let regions = data.regions.iter().map(|&inner| copy_region(graph, inner)).collect();
            let (kind, name, attrs, location) = (data.kind, data.name.clone(), data.attrs.clone(), data.location);
            let copied = graph.push_op(new, NewOp { kind, name, operands, result_types, attrs, regions, location });
            values.extend(data.results.into_iter().zip(graph.op(copied).results.clone()));
        }
    }
    copy
}

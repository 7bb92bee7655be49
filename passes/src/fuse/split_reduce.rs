//! Long reductions to few elements become two: one to many partial results, which many threads compute, and one of those.
//!
//! Worked example: the sum of `[1024, 4096]` f32 to a scalar is a sum to `[512]` over `[512, 2, 4096]` and the sum of
//! that. The sum of the rows of [65536, 1024] is one to [128, 1024] over [128, 512, 1024] and the sum of these 128. f16
//! and bf16 keep f32 between the two. Sums, products, extrema and logic only: their partial results start from the
//! identity.

use fornax_graph::views::dim_list;
use fornax_graph::{Attr, BlockId, Constant, ElementType, Graph, NewOp, OpId, OpKind, TensorType, Type, ValueId};

use super::prepare::replace;
use crate::errors::PassError;
use crate::facts::combiner::simple;
use crate::facts::ops::{shape, tensor};
use crate::facts::scalar::{body, identity_bits};

/// Results above which a single reduction has parallel work enough.
const RESULTS_MAX: i64 = 64;
/// Elements a result from which two reductions are faster than one.
const ELEMENTS_MIN: i64 = 32 * 1024;
/// Columns, which neighbouring threads read side by side, below which long ones of that many elements in all leave most of a GPU
/// idle; partial results of all of them, about, and elements of each at least.
const COLUMNS_MAX: i64 = 4095;
const COLUMN_ELEMENTS_MIN: i64 = 32 * 1024 * 1024;
const COLUMN_PARTS: i64 = 128 * 1024;
const COLUMN_PART_ELEMENTS: i64 = 256;
/// Partial results, about: elements of each, and their number at most.
const PART_ELEMENTS: i64 = 4096;
const PARTS_MAX: i64 = 1024;

/// Splits `op`, a `reduce` in the function body `entry`, where that pays.
pub fn split(graph: &mut Graph, op: OpId, entry: BlockId) -> Result<(), PassError> {
    let data = graph.op(op).clone();
    let ([operand, init], [result]) = (data.operands.as_slice(), data.results.as_slice()) else { return Ok(()) };
    let (operand, init, result) = (*operand, *init, *result);
    let Some(combiner) = simple(graph, body(graph, op)?) else { return Ok(()) };
    let sizes = shape(graph, operand)?;
    let dimensions = dim_list(&data, "dimensions");
    let results: i64 = shape(graph, result)?.iter().product();
    let reduced: i64 = dimensions.iter().filter_map(|&d| sizes.get(d)).product();
    let last = (0..sizes.len()).rev().find(|&d| sizes[d] != 1).unwrap_or(0);
    let columns = !dimensions.contains(&last) && results > RESULTS_MAX;
    let most = if results == 0 {
        return Ok(());
    } else if columns && results <= COLUMNS_MAX && results.saturating_mul(reduced) >= COLUMN_ELEMENTS_MIN {
        (COLUMN_PARTS / results).min(reduced / COLUMN_PART_ELEMENTS).max(2)
    } else if results <= RESULTS_MAX && reduced >= ELEMENTS_MIN {
        (reduced / PART_ELEMENTS).clamp(2, PARTS_MAX)
    } else {
        return Ok(());
    };
    let parts = dimensions.iter().filter_map(|&d| {
        let n = *sizes.get(d)?;
        let parts = (2..=most.min(n)).rev().find(|p| n % p == 0)?;
        Some((d, parts))
    });
    let Some((dimension, parts)) = parts.max_by_key(|p| (p.1, usize::MAX - p.0)) else { return Ok(()) };

    let element = tensor(graph, result)?.element;
    let wide = element.accumulator();
    let Some(identity) = identity_bits(combiner, wide) else { return Ok(()) };
    let mut at = Insert { graph, before: op };
    // [.., n, ..] → [.., parts, n / parts, ..]
    let mut split_sizes = sizes.clone();
    split_sizes[dimension] = sizes[dimension] / parts;
    split_sizes.insert(dimension, parts);
    let element_of_operand = tensor(at.graph, operand)?.element;
    let input = at.op(OpKind::Reshape, &[operand], (&split_sizes, element_of_operand));
    let input = at.convert(input, &split_sizes, element_of_operand, wide);
    let constant = Constant::splat(TensorType::new(&[], wide), identity.to_le_bytes()[..wide.storage_bytes()].to_vec());
    let constant = at.graph.add_constant(constant);
    let identity = at.insert(
        NewOp::new(OpKind::Constant, Vec::new(), vec![Type::tensor(&[], wide)], data.location)
            .attr("value", Attr::Dense(constant)),
    );
    // The part stays, everything else that was reduced goes.
    let shifted = |d: usize| if d >= dimension { d + 1 } else { d };
    let first: Vec<usize> = dimensions.iter().map(|&d| shifted(d)).collect();
    let kept: Vec<usize> = (0..split_sizes.len()).filter(|d| !first.contains(d)).collect();
    let kept_sizes: Vec<i64> = kept.iter().map(|&d| split_sizes[d]).collect();
    let place = kept.iter().position(|&d| d == dimension).unwrap_or(0);
    let partial = at.reduce(op, (input, identity), &first, (&kept_sizes, wide))?;
    let start = at.convert(init, &[], tensor(at.graph, init)?.element, wide);
    let mut final_sizes = kept_sizes.clone();
    final_sizes.remove(place);
    let whole = at.reduce(op, (partial, start), &[place], (&final_sizes, wide))?;
    let whole = at.convert(whole, &final_sizes, wide, element);
    replace(graph, entry, &[(result, whole)]);
    graph.erase_op(op);
    Ok(())
}

/// Inserts ops before another one, with its location.
pub(super) struct Insert<'a> {
    pub graph: &'a mut Graph,
    pub before: OpId,
}

impl Insert<'_> {
    pub fn insert(&mut self, new: NewOp) -> ValueId {
        let block = self.graph.op(self.before).block;
        let at = self.graph.block(block).ops.iter().position(|&o| o == self.before).unwrap_or(0);
        let op = self.graph.insert_op(block, at, new);
        self.graph.op(op).results[0]
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
}

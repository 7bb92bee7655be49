//! Long reductions to few elements become two: one to many partial results, which many threads compute, and one of
//! those.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<1024x4096xf32>) -> tensor<f32> {
//!   %0 = stablehlo.constant dense<0.0> : tensor<f32>
//!   %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0, 1] :
//!     (tensor<1024x4096xf32>, tensor<f32>) -> tensor<f32>
//!   return %1 : tensor<f32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<1024x4096xf32>) -> tensor<f32> {
//!   %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!   %1 = stablehlo.reshape %arg0 : (tensor<1024x4096xf32>) -> tensor<1024x1x4096xf32>
//!   %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!   %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [1, 2] :
//!       (tensor<1024x1x4096xf32>, tensor<f32>) -> tensor<1024xf32>
//!   %4 = stablehlo.reduce(%3 init: %0) applies stablehlo.add across dimensions = [0] :
//!       (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
//!   return %4 : tensor<f32>
//! }
//! ```
//!
//! Worked example: the sum of `[1024, 4096]` f32 to a scalar is a sum to `[512]` over `[512, 2, 4096]` and the sum
//! of that. The sum of the rows of `[65536, 1024]` is one to `[128, 1024]` over `[128, 512, 1024]` and the sum of
//! these 128. f16 and bf16 keep f32 between the two. Sums, products, extrema and logic only: their partial results
//! start from the identity.
//!
//! A short innermost dimension behind one that is kept, such as the channels of a group, goes last: the sum of
//! `[65536, 32, 4]` over dimensions 0 and 2 is one to `[64, 32, 4]`, whose 128 columns are contiguous in memory, and
//! one of 64 by 4 of these.
//!
//! The sum of squares of x − c, where c is made from the sum of x over the same elements (a variance), does not wait
//! for c. With S the sum of a part of n elements, the part's own is Q = Σ(x − S/n)², and the whole
//! Σ(Q + n·(S/n − c)²). Both sums of a part then come from one pass over it, and nothing cancels.

use fornax_graph::views::dim_list;
use fornax_graph::{Attr, Constant, Dim, Graph, NewOp, OpId, OpKind, TensorType, Type, ValueId};
use fornax_plan::Binary;
use fornax_types::float::encode_float;

use super::Site;
use super::insert::replace_op;
use crate::errors::PassError;
use crate::facts::combiner::simple;
use crate::facts::ops::{shape, splat_bits, tensor};
use crate::facts::scalar::{body, identity_bits};
use crate::rewrite::Rewriter;

/// Results above which a single reduction has parallel work enough.
const RESULTS_MAX: i64 = 64;
/// Elements a result from which two reductions are faster than one.
const ELEMENTS_MIN: i64 = 32 * 1024;
/// Columns (results that neighbouring threads read together) above which one kernel fills a GPU.
const COLUMNS_MAX: i64 = 4095;
/// Elements of all columns from which they are cut.
const COLUMN_ELEMENTS_MIN: i64 = 32 * 1024 * 1024;
/// Partial results of all columns, about.
const COLUMN_PARTS: i64 = 128 * 1024;
/// Elements of a column's partial result, at least.
const COLUMN_PART_ELEMENTS: i64 = 256;
/// Elements of a partial result, about.
const PART_ELEMENTS: i64 = 4096;
/// Partial results of a result, at most.
const PARTS_MAX: i64 = 1024;
/// Bytes of a cache line: shorter innermost dimensions leave most of each to other results.
const LINE_BYTES: i64 = 128;

/// How a reduction is cut. Dimensions are those of the operand with the parts as a dimension of their own.
struct Split {
    sizes: Vec<i64>,
    /// Reduced by the first reduction.
    first: Vec<usize>,
    /// Not reduced by it.
    kept: Vec<usize>,
    /// Of those, by position: reduced by the second one.
    second: Vec<usize>,
}

impl Split {
    fn kept_sizes(&self) -> Vec<i64> {
        self.kept.iter().map(|&d| self.sizes[d]).collect()
    }

    /// Elements of a partial result.
    fn elements(&self) -> i64 {
        self.first.iter().map(|&d| self.sizes[d]).product()
    }

    /// Positions that stay to the end.
    fn rows(&self) -> Vec<usize> {
        (0..self.kept.len()).filter(|at| !self.second.contains(at)).collect()
    }
}

/// Splits `op`, a `reduce`, where that pays.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    if site.is_claimed(op) {
        return Ok(());
    }
    let data = graph.op(op).clone();
    let ([operand, init], [result]) = (data.operands.as_slice(), data.results.as_slice()) else { return Ok(()) };
    let (operand, init, result) = (*operand, *init, *result);
    let Some(combiner) = simple(graph, body(graph, op)?) else { return Ok(()) };
    let Some(split) = split(graph, op)? else { return Ok(()) };
    let element = tensor(graph, result)?.element;
    let wide = element.accumulator();
    let Some(identity) = identity_bits(combiner, wide) else { return Ok(()) };
    let moment = if combiner == Binary::Add { moment(graph, op, &split)? } else { None };

    let mut at = Rewriter::before(graph, op);
    let element_of_operand = tensor(at.graph, operand)?.element;
    let identity = |at: &mut Rewriter| {
        let bytes = identity.to_le_bytes()[..wide.storage_bytes()].to_vec();
        let constant = at.graph.add_constant(Constant::splat(TensorType::new(&[], wide), bytes));
        at.put(
            NewOp::new(OpKind::Constant, Vec::new(), vec![Type::tensor(&[], wide)], data.location)
                .attr("value", Attr::Dense(constant)),
        )
    };
    let partial = match &moment {
        Some(moment) => {
            let input = moment.of_parts(&mut at, &split)?;
            let identity = identity(&mut at);
            let own = at.reduce_like(op, (input, identity), &split.first)?;
            moment.about_center(&mut at, own, &split)?
        }
        None => {
            let input = at.op(OpKind::Reshape, &[operand], (&split.sizes, element_of_operand));
            let input = at.convert(input, wide);
            let identity = identity(&mut at);
            at.reduce_like(op, (input, identity), &split.first)?
        }
    };
    let start = at.convert(init, wide);
    let whole = at.reduce_like(op, (partial, start), &split.second)?;
    let whole = at.convert(whole, element);
    replace_op(graph, site.entry, op, &[whole]);
    Ok(())
}

/// How to cut a reduction; `None` where it stays whole.
fn split(graph: &Graph, op: OpId) -> Result<Option<Split>, PassError> {
    let data = graph.op(op);
    let operand = data.operands[0];
    let sizes = shape(graph, operand)?;
    let dimensions = dim_list(data, "dimensions");
    let results: i64 = shape(graph, data.results[0])?.iter().product();
    let reduced: i64 = dimensions.iter().filter_map(|&d| sizes.get(d)).product();
    let last = (0..sizes.len()).rev().find(|&d| sizes[d] != 1).unwrap_or(0);
    let columns = !dimensions.contains(&last) && results > RESULTS_MAX;
    let most = if results == 0 {
        return Ok(None);
    } else if columns && results <= COLUMNS_MAX && results.saturating_mul(reduced) >= COLUMN_ELEMENTS_MIN {
        (COLUMN_PARTS / results).min(reduced / COLUMN_PART_ELEMENTS).max(2)
    } else if results <= RESULTS_MAX && reduced >= ELEMENTS_MIN {
        (reduced / PART_ELEMENTS).clamp(2, PARTS_MAX)
    } else {
        return Ok(None);
    };
    let parts = dimensions.iter().filter_map(|&d| {
        let n = *sizes.get(d)?;
        let parts = (2..=most.min(n)).rev().find(|p| n % p == 0)?;
        Some((d, parts))
    });
    let Some((dimension, parts)) = parts.max_by_key(|p| (p.1, usize::MAX - p.0)) else { return Ok(None) };
    // [.., n, ..] → [.., parts, n / parts, ..]
    let mut split_sizes = sizes.clone();
    split_sizes[dimension] = sizes[dimension] / parts;
    split_sizes.insert(dimension, parts);
    let shifted = |d: usize| if d >= dimension { d + 1 } else { d };
    let before = (0..last).rev().find(|&d| sizes[d] != 1);
    let bytes = sizes[last] * tensor(graph, operand)?.element.storage_bytes() as i64;
    let contiguous = dimensions.contains(&last)
        && last != dimension
        && before.is_some_and(|d| !dimensions.contains(&d))
        && bytes < LINE_BYTES;
    let inner = contiguous.then(|| shifted(last));
    // The part stays, everything else that was reduced goes, but for the contiguous rest.
    let first: Vec<usize> = dimensions.iter().map(|&d| shifted(d)).filter(|d| Some(*d) != inner).collect();
    let kept: Vec<usize> = (0..split_sizes.len()).filter(|d| !first.contains(d)).collect();
    let second = (0..kept.len()).filter(|&at| kept[at] == dimension || Some(kept[at]) == inner).collect();
    Ok(Some(Split { sizes: split_sizes, first, kept, second }))
}

/// A sum of squares of x − c whose parts need not wait for c.
struct Moment {
    x: ValueId,
    /// The sums of the parts of x.
    sums: ValueId,
    /// c, one of each row.
    center: ValueId,
}

/// The moment that a reduction is, where the sums of the same parts of x are at hand.
fn moment(graph: &Graph, op: OpId, split: &Split) -> Result<Option<Moment>, PassError> {
    let squares = graph.op(op).operands[0];
    let element = tensor(graph, squares)?.element;
    if !element.is_float() || element.accumulator() != element {
        return Ok(None);
    }
    let made = |value: ValueId, kind: OpKind| graph.producer(value).map(|op| graph.op(op)).filter(|o| o.kind == kind);
    let difference = made(squares, OpKind::Multiply).filter(|o| o.operands[0] == o.operands[1]);
    let difference = difference.and_then(|o| made(o.operands[0], OpKind::Subtract));
    let Some(difference) = difference else { return Ok(None) };
    let [x, spread] = [difference.operands[0], difference.operands[1]];
    let Some(spread) = made(spread, OpKind::BroadcastInDim) else { return Ok(None) };
    let center = spread.operands[0];
    if !is_of_rows(graph, op, spread)? {
        return Ok(None);
    }
    let Some(whole) = sum_behind(graph, center) else { return Ok(None) };
    let sums = graph.op(whole).operands[0];
    let Some(partial) = made(sums, OpKind::Reduce) else { return Ok(None) };
    let Some(parts) = made(partial.operands[0], OpKind::Reshape) else { return Ok(None) };
    let alike = parts.operands[0] == x
        && shape(graph, partial.operands[0])? == split.sizes
        && dim_list(partial, "dimensions") == split.first
        && dim_list(graph.op(whole), "dimensions") == split.second;
    let Some(op) = graph.producer(sums).filter(|_| alike) else { return Ok(None) };
    let adds = simple(graph, body(graph, op)?) == Some(Binary::Add);
    Ok(adds.then_some(Moment { x, sums, center }))
}

/// Whether a broadcast repeats values of the rows of a reduction, in their order.
fn is_of_rows(graph: &Graph, op: OpId, spread: &fornax_graph::Op) -> Result<bool, PassError> {
    let reduced = dim_list(graph.op(op), "dimensions");
    let (from, to) = (shape(graph, spread.operands[0])?, shape(graph, spread.results[0])?);
    let dims = dim_list(spread, "broadcast_dimensions");
    let long: Vec<usize> = from.iter().zip(&dims).filter(|(n, _)| **n != 1).map(|(_, &d)| d).collect();
    let rows: Vec<usize> = (0..to.len()).filter(|d| !reduced.contains(d) && to[*d] != 1).collect();
    Ok(long == rows)
}

/// The sum that a value is made from, times a constant and under other names.
fn sum_behind(graph: &Graph, mut value: ValueId) -> Option<OpId> {
    loop {
        let op = graph.producer(value)?;
        let data = graph.op(op);
        value = match data.kind {
            OpKind::Reduce => return Some(op),
            OpKind::Reshape | OpKind::BroadcastInDim => data.operands[0],
            OpKind::Divide | OpKind::Multiply if splat_bits(graph, data.operands[1]).is_some() => data.operands[0],
            OpKind::Multiply if splat_bits(graph, data.operands[0]).is_some() => data.operands[1],
            _ => return None,
        };
    }
}

impl Moment {
    /// Squares of x less its part's mean.
    fn of_parts(&self, at: &mut Rewriter, split: &Split) -> Result<ValueId, PassError> {
        let element = tensor(at.graph, self.x)?.element;
        let x = at.op(OpKind::Reshape, &[self.x], (&split.sizes, element));
        let mean = self.means(at, split)?;
        let sizes: Vec<Dim> = split.sizes.iter().map(|&n| Dim::Static(n)).collect();
        let mean = at.broadcast(mean, &split.kept, &sizes);
        let difference = at.binary(OpKind::Subtract, x, mean);
        Ok(at.binary(OpKind::Multiply, difference, difference))
    }

    /// A part's own moment, moved from its mean to the center.
    fn about_center(&self, at: &mut Rewriter, own: ValueId, split: &Split) -> Result<ValueId, PassError> {
        let element = tensor(at.graph, self.x)?.element;
        let kept = split.kept_sizes();
        let rows = split.rows();
        let row_sizes: Vec<i64> = rows.iter().map(|&d| kept[d]).collect();
        let center = at.op(OpKind::Reshape, &[self.center], (&row_sizes, element));
        let sizes: Vec<Dim> = kept.iter().map(|&n| Dim::Static(n)).collect();
        let center = at.broadcast(center, &rows, &sizes);
        let mean = self.means(at, split)?;
        let off = at.binary(OpKind::Subtract, mean, center);
        let square = at.binary(OpKind::Multiply, off, off);
        let count = at.bits(encode_float(element, split.elements() as f64), (&kept, element));
        let moved = at.binary(OpKind::Multiply, square, count);
        Ok(at.binary(OpKind::Add, own, moved))
    }

    /// Means of the parts.
    fn means(&self, at: &mut Rewriter, split: &Split) -> Result<ValueId, PassError> {
        let element = tensor(at.graph, self.x)?.element;
        let count = at.bits(encode_float(element, split.elements() as f64), (&split.kept_sizes(), element));
        Ok(at.binary(OpKind::Divide, self.sums, count))
    }
}

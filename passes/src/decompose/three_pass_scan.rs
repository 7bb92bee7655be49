//! Prefix folds of few long lines, or of lines in columns that are too few for a thread each, become three kernels:
//! the fold of every block, the prefix fold of those, and that of the elements of every block, which starts from what
//! the blocks before gave.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<65536xf32>) -> tensor<65536xf32> {
//!   %0 = stablehlo.constant dense<0.0> : tensor<f32>
//!   %1 = "stablehlo.reduce_window"(%arg0, %0) <{window_dimensions = array<i64: 65536>,
//!     padding = dense<[[65535, 0]]> : tensor<1x2xi64>}> ({
//!   ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
//!     %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
//!     stablehlo.return %2 : tensor<f32>
//!   }) : (tensor<65536xf32>, tensor<f32>) -> tensor<65536xf32>
//!   return %1 : tensor<65536xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<65536xf32>) -> tensor<65536xf32> {
//!   %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!   %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!   %2 = stablehlo.reshape %arg0 : (tensor<65536xf32>) -> tensor<16x4096xf32>
//!   %3 = stablehlo.reduce(%2 init: %1) applies stablehlo.add across dimensions = [1] :
//!       (tensor<16x4096xf32>, tensor<f32>) -> tensor<16xf32>
//!   %4 = "stablehlo.reduce_window"(%3, %1) <{window_dimensions = array<i64: 16>, padding = dense<[[15, 0]]> :
//!       tensor<1x2xi64>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations =
//!       array<i64: 1>}> ({
//!   ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
//!     %5 = stablehlo.add %arg1, %arg2 : tensor<f32>
//!     stablehlo.return %5 : tensor<f32>
//!   }) : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
//!   %6 = stablehlo.slice %4 [0:15] : (tensor<16xf32>) -> tensor<15xf32>
//!   %7 = stablehlo.pad %6, %1, low = [1], high = [0], interior = [0] : (tensor<15xf32>, tensor<f32>) -> tensor<16xf32>
//!   %8 = "stablehlo.reduce_window"(%2, %1) <{window_dimensions = array<i64: 1, 4096>, padding = dense<[[0, 0], [4095,
//!       0]]> : tensor<2x2xi64>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>,
//!       window_dilations = array<i64: 1, 1>}> ({
//!   ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
//!     %9 = stablehlo.add %arg3, %arg4 : tensor<f32>
//!     stablehlo.return %9 : tensor<f32>
//!   }) : (tensor<16x4096xf32>, tensor<f32>) -> tensor<16x4096xf32>
//!   %10 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<16xf32>) -> tensor<16x4096xf32>
//!   %11 = stablehlo.add %10, %8 : tensor<16x4096xf32>
//!   %12 = stablehlo.reshape %11 : (tensor<16x4096xf32>) -> tensor<65536xf32>
//!   return %12 : tensor<65536xf32>
//! }
//! ```
//!
//! Worked example: the cumulative sum of 16,777,216 f32: 2048 blocks of 8192, whose sums are a reduction to `[2048]`;
//! their exclusive cumulative sum; the cumulative sums of `[2048, 8192]` along the second dimension, to each of which
//! the sum of its row is added. f16 and bf16 keep f32 in between.

use fornax_graph::{ElementType, Graph, NewOp, OpId, OpKind, Type, ValueId};

use super::Site;
use super::insert::replace_op;
use crate::rewrite::build::ints;
use crate::rewrite::Rewriter;
use crate::errors::PassError;
use crate::facts::ops::{shape, splat_bits, tensor};
use crate::facts::prefix::{self, Prefix};
use crate::facts::scalar::{body, identity_bits};

/// Lines above which one kernel has parallel work enough.
const LINES_MAX: i64 = 64;
/// Elements of a line below which one kernel has little enough to do.
const LINE_MIN: i64 = 32 * 1024;
/// Lines in columns: elements of a line from which it is cut.
const SIDE_LINE_MIN: i64 = 256;
/// Lines in columns: elements of a block, at least.
const SIDE_BLOCK_MIN: i64 = 64;
/// Lines in columns: elements in all from which lines are cut.
const SIDE_ELEMENTS_MIN: i64 = 1 << 20;
/// Lines in columns: blocks in all, about: a thread folds each.
const SIDE_LINES: i64 = 256 * 1024;
/// Lines in columns from which none is cut: workgroups that share some (`schedule/ordered_schedule.rs`) are enough.
const SIDE_LINES_MAX: i64 = 4096;
/// Elements of a block.
const BLOCK: i64 = 4096;
/// Elements of a block of a very long line.
const LONG_BLOCK: i64 = 8192;
/// Elements from which a line is very long.
const LONG_LINE: i64 = 4 * 1024 * 1024;

/// Splits `op`, if it is a prefix fold of long lines.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    let Some(prefix) = prefix::of(graph, op)? else { return Ok(()) };
    let data = graph.op(op).clone();
    let (operand, init, result) = (data.operands[0], data.operands[1], data.results[0]);
    let sizes = shape(graph, operand)?;
    let n = sizes[prefix.dimension];
    let lines: i64 = sizes.iter().product::<i64>() / n.max(1);
    let last = prefix.dimension + 1 == sizes.len();
    let Some(block) = block_of(n, lines, last) else { return Ok(()) };
    let element = tensor(graph, operand)?.element;
    let region = body(graph, op)?;
    let same = graph
        .block(region)
        .arguments
        .iter()
        .chain([&result])
        .all(|&v| graph.ty(v).as_tensor().is_some_and(|t| t.element == element));
    let wide = element.accumulator();
    let Some(identity) = identity_bits(prefix.combiner, wide).filter(|_| same) else { return Ok(()) };
    let count = (n + block - 1) / block;
    let mut at = Split { at: Rewriter::before(graph, op), op, prefix, wide };
    let identity = at.at.bits(identity, (&[], wide));
    let input = at.at.convert(operand, wide);
    let d = prefix.dimension;
    let mut padded = sizes.clone();
    padded[d] = count * block;
    let input = at.pad(input, identity, (0, count * block - n), &padded);
    let mut cut = sizes.clone();
    cut[d] = block;
    cut.insert(d, count);
    let input = at.at.op(OpKind::Reshape, &[input], (&cut, wide));

    let mut totals = cut.clone();
    totals.remove(d + 1);
    let sums = at.at.reduce_like(op, (input, identity), &[d + 1])?;
    let sums = at.scan(sums, identity, d, &totals)?;
    let before = at.shifted(sums, identity, &totals);
    let own = at.scan(input, identity, d + 1, &cut)?;
    let kept: Vec<i64> = (0..cut.len() as i64).filter(|&k| k != d as i64 + 1).collect();
    let before = at.broadcast(before, &kept, &cut);
    let mut whole = at.combine(before, own, &cut)?;
    if splat_bits(at.at.graph, init).and_then(|bits| identity_bits(prefix.combiner, element).map(|i| bits == i))
        != Some(true)
    {
        let init = at.at.convert(init, wide);
        let init = at.broadcast(init, &[], &cut);
        whole = at.combine(init, whole, &cut)?;
    }
    let whole = at.at.op(OpKind::Reshape, &[whole], (&padded, wide));
    let whole = at.slice(whole, (0, n), &padded);
    let whole = at.at.convert(whole, element);
    replace_op(graph, site.entry, op, &[whole]);
    Ok(())
}

/// Elements of a block, where lines are cut in blocks.
fn block_of(n: i64, lines: i64, last: bool) -> Option<i64> {
    if lines <= LINES_MAX && n >= LINE_MIN {
        return Some(if n >= LONG_LINE { LONG_BLOCK } else { BLOCK });
    }
    // In columns, a thread folds a line alone: blocks until there are threads enough.
    let few = !last && n >= SIDE_LINE_MIN && lines < SIDE_LINES_MAX && n.saturating_mul(lines) >= SIDE_ELEMENTS_MIN;
    few.then(|| (n / (SIDE_LINES / lines.max(1)).max(2)).max(SIDE_BLOCK_MIN))
}

struct Split<'a> {
    at: Rewriter<'a>,
    op: OpId,
    prefix: Prefix,
    wide: ElementType,
}

impl Split<'_> {
    fn location(&self) -> fornax_graph::LocId {
        self.at.graph.op(self.op).location
    }

    /// More elements along the dimension.
    fn pad(&mut self, value: ValueId, fill: ValueId, (low, high): (i64, i64), sizes: &[i64]) -> ValueId {
        if (low, high) == (0, 0) {
            return value;
        }
        let along =
            |n: i64| (0..sizes.len()).map(|d| if d == self.prefix.dimension { n } else { 0 }).collect::<Vec<i64>>();
        let new = NewOp::new(OpKind::Pad, vec![value, fill], vec![Type::tensor(sizes, self.wide)], self.location())
            .attr("edge_padding_low", ints(along(low)))
            .attr("edge_padding_high", ints(along(high)))
            .attr("interior_padding", ints(vec![0; sizes.len()]));
        self.at.put(new)
    }

    /// Elements `low..high` along the dimension of a value of these sizes.
    fn slice(&mut self, value: ValueId, (low, high): (i64, i64), sizes: &[i64]) -> ValueId {
        let d = self.prefix.dimension;
        if (low, high) == (0, sizes[d]) {
            return value;
        }
        self.at.part(value, (d, low, high), sizes)
    }

    /// What lies before each element of inclusive prefix folds.
    fn shifted(&mut self, value: ValueId, identity: ValueId, sizes: &[i64]) -> ValueId {
        let count = sizes[self.prefix.dimension];
        if self.prefix.reverse {
            let rest = self.slice(value, (1, count), sizes);
            return self.pad(rest, identity, (0, 1), sizes);
        }
        let rest = self.slice(value, (0, count - 1), sizes);
        self.pad(rest, identity, (1, 0), sizes)
    }

    fn broadcast(&mut self, value: ValueId, to: &[i64], sizes: &[i64]) -> ValueId {
        let new =
            NewOp::new(OpKind::BroadcastInDim, vec![value], vec![Type::tensor(sizes, self.wide)], self.location());
        self.at.put(new.attr("broadcast_dimensions", ints(to)))
    }

    fn inner(&self) -> Result<OpKind, PassError> {
        let block = body(self.at.graph, self.op)?;
        let op = self.at.graph.block(block).ops.first().copied();
        let op = op.ok_or_else(|| PassError::internal(self.at.graph, self.op, "its region is empty"))?;
        Ok(self.at.graph.op(op).kind)
    }

    fn combine(&mut self, a: ValueId, b: ValueId, sizes: &[i64]) -> Result<ValueId, PassError> {
        let kind = self.inner()?;
        Ok(self.at.op(kind, &[a, b], (sizes, self.wide)))
    }

    /// The inclusive prefix fold along a dimension.
    fn scan(&mut self, value: ValueId, init: ValueId, along: usize, sizes: &[i64]) -> Result<ValueId, PassError> {
        let fold = Fold { kind: self.inner()?, along, reverse: self.prefix.reverse };
        Ok(prefix_fold(&mut self.at, (value, init), fold, (sizes, self.wide)))
    }
}

/// Inclusive prefix sums of integers along a dimension.
pub(super) fn prefix_sum(at: &mut Rewriter<'_>, value: ValueId, along: usize, of: (&[i64], ElementType)) -> ValueId {
    let zero = at.number(0, (&[], of.1));
    prefix_fold(at, (value, zero), Fold { kind: OpKind::Add, along, reverse: false }, of)
}

/// What a prefix fold does.
struct Fold {
    /// The op that folds.
    kind: OpKind,
    /// The dimension.
    along: usize,
    /// From the end to the start.
    reverse: bool,
}

/// The inclusive prefix fold by an op along a dimension, as a window that grows.
fn prefix_fold(
    at: &mut Rewriter<'_>,
    (value, init): (ValueId, ValueId),
    fold: Fold,
    (sizes, element): (&[i64], ElementType),
) -> ValueId {
    let Fold { kind, along, reverse } = fold;
    let region = at.reducer(kind, element);
    let n = sizes[along];
    let window: Vec<i64> = (0..sizes.len()).map(|d| if d == along { n } else { 1 }).collect();
    let (low, high) = if reverse { (0, n - 1) } else { (n - 1, 0) };
    let padding: Vec<i64> = (0..sizes.len()).flat_map(|d| if d == along { [low, high] } else { [0, 0] }).collect();
    let mut new = NewOp::new(OpKind::ReduceWindow, vec![value, init], vec![Type::tensor(sizes, element)], at.location())
        .attr("window_dimensions", ints(window))
        .attr("padding", ints(padding));
    for name in ["window_strides", "base_dilations", "window_dilations"] {
        new = new.attr(name, ints(vec![1; sizes.len()]));
    }
    new.regions = vec![region];
    at.put(new)
}

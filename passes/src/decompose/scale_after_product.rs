//! The factor of a row's norm goes behind the products that read the row: they begin before it is known.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<1x256xf32>, %arg1: tensor<256xf32>, %arg2: tensor<96x256xbf16>) -> tensor<1x96xf32> {
//!   %0 = stablehlo.constant dense<0.0> : tensor<f32>
//!   %1 = stablehlo.multiply %arg0, %arg0 : tensor<1x256xf32>
//!   %2 = stablehlo.reduce(%1 init: %0) applies stablehlo.add across dimensions = [1] :
//!     (tensor<1x256xf32>, tensor<f32>) -> tensor<1xf32>
//!   %3 = stablehlo.rsqrt %2 : tensor<1xf32>
//!   %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xf32>) -> tensor<1x256xf32>
//!   %5 = stablehlo.multiply %arg0, %4 : tensor<1x256xf32>
//!   %6 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<256xf32>) -> tensor<1x256xf32>
//!   %7 = stablehlo.multiply %5, %6 : tensor<1x256xf32>
//!   %8 = stablehlo.convert %7 : (tensor<1x256xf32>) -> tensor<1x256xbf16>
//!   %9 = stablehlo.dot_general %8, %arg2, contracting_dims = [1] x [1] :
//!     (tensor<1x256xbf16>, tensor<96x256xbf16>) -> tensor<1x96xf32>
//!   return %9 : tensor<1x96xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<1x256xf32>, %arg1: tensor<256xf32>, %arg2: tensor<96x256xbf16>) -> tensor<1x96xf32> {
//!   %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!   %1 = stablehlo.multiply %arg0, %arg0 : tensor<1x256xf32>
//!   %2 = stablehlo.reduce(%1 init: %0) applies stablehlo.add across dimensions = [1] :
//!       (tensor<1x256xf32>, tensor<f32>) -> tensor<1xf32>
//!   %3 = stablehlo.rsqrt %2 : tensor<1xf32>
//!   %4 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<256xf32>) -> tensor<1x256xf32>
//!   %5 = stablehlo.multiply %arg0, %4 : tensor<1x256xf32>
//!   %6 = stablehlo.convert %5 : (tensor<1x256xf32>) -> tensor<1x256xbf16>
//!   %7 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
//!   %8 = stablehlo.dot_general %6, %arg2, contracting_dims = [1] x [1] :
//!       (tensor<1x256xbf16>, tensor<96x256xbf16>) -> tensor<1x96xf32>
//!   %9 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<1x96xf32>
//!   %10 = stablehlo.multiply %8, %9 : tensor<1x96xf32>
//!   return %10 : tensor<1x96xf32>
//! }
//! ```
//!
//! Input: a product of one row that is what a sum of squares is of, v, times a number that is made of the sum (an RMS
//! norm), times weights. Output: the product of the row without the number, in f32, times the number.
//!
//! W·(v ∘ g · r) is (W·(v ∘ g)) · r. What makes v stores v ∘ g beside it, and the product begins with that while a
//! kernel of one workgroup adds up the squares: the number is read behind the first block (`program::settled`). A row
//! is rounded to 16 bits as it was, by the same share of each element, and its sums are not: an error is no larger.
//!
//! Worked example: a layer of Llama 3.2 1B, one token: queries, keys and values, and gate and up. One H200, a step of
//! 16 layers: 0.722 ms, 0.709.
//!
//! Limits: floats of the range of f32, as v is no longer held near 1 (no f16); rows that only such products read: not
//! those that are quantised by their own maximum. Not the norm of a layer, (v - μ) · r · g + b: v - μ waits for a sum,
//! too, and b is a product of its own. Not in bodies of loops, and not for processors, which nobody makes wait.

use fornax_graph::{ElementType, Graph, OpId, OpKind, TensorType, Type, ValueId};

use super::insert::copy_of;
use super::readers::Readers;
use super::{Machines, Site};
use crate::errors::PassError;
use crate::facts::ops::{before_widening, elements, tensor};
use crate::facts::products::{is_product, rows_and_long_operand};
use crate::facts::scalar;
use crate::rewrite::Rewriter;

/// Ops between a norm's sum and its factor, and between a weight and what it is multiplied by, at most.
const OPS_MAX: usize = 8;

/// A row that a number is a factor of.
struct Scaled {
    /// The ops from the row back to where the number is, and which of their operands goes on to that.
    path: Vec<(OpId, usize)>,
    /// What is scaled there, by what, the number that this repeats, and whether it is a factor or a divisor.
    value: ValueId,
    repeated: ValueId,
    scale: ValueId,
    kind: OpKind,
}

/// Moves the factor of the norm that `product` reads behind it, and behind all others that read the row.
pub(super) fn run(graph: &mut Graph, product: OpId, site: &Site) -> Result<(), PassError> {
    let block = graph.op(product).block;
    if site.machines == Machines::Hosts || site.bodies.contains(&block) {
        return Ok(());
    }
    let Some(row) = row_of(graph, product, site) else { return Ok(()) };
    let Some(scaled) = scaled(graph, row)? else { return Ok(()) };
    let readers = &mut *site.readers.borrow_mut();
    let readers = readers.get_or_insert_with(|| Readers::new(graph, site.entry));
    let products = readers.of(graph, row);
    // One that was replaced with another that reads the same row reads nothing now.
    if !products.contains(&product) {
        return Ok(());
    }
    let is_meant = |&op: &OpId| graph.op(op).block == block && row_of(graph, op, site) == Some(row);
    let made = scaled.path.iter().map(|&(op, _)| op).collect::<Vec<_>>();
    let alone = made.windows(2).all(|two| readers.of(graph, graph.op(two[1]).results[0]) == [two[0]]);
    if !products.iter().all(is_meant) || !alone || made.iter().any(|&op| graph.op(op).block != block) {
        return Ok(());
    }
    move_factor(graph, readers, (row, &scaled), &products)?;
    made.into_iter().for_each(|op| readers.erase(graph, op));
    erase_unread(graph, readers, (scaled.repeated, scaled.scale));
    Ok(())
}

/// Lets products read a row without its factor, and those that read them its products with it.
fn move_factor(
    graph: &mut Graph,
    readers: &mut Readers,
    (row, Scaled { path, value, scale, kind, .. }): (ValueId, &Scaled),
    products: &[OpId],
) -> Result<(), PassError> {
    let Some(&(last, _)) = path.first() else { return Ok(()) };
    let mut made = Vec::new();
    let mut rewriter = Rewriter::before(graph, last);
    let mut unscaled = *value;
    for &(op, at) in path.iter().rev().skip(1) {
        let mut copy = copy_of(rewriter.graph, op);
        copy.operands[at] = unscaled;
        unscaled = rewriter.put(copy);
        made.push(unscaled);
    }
    let number = rewriter.reshape::<i64>(*scale, &[]);
    let factor = rewriter.convert(number, ElementType::F32);
    made.extend([number, factor]);
    readers.add_made(graph, &made);
    for &product in products {
        let result = graph.op(product).results[0];
        let ty = tensor(graph, result)?.clone();
        let wide = TensorType { element: ElementType::F32, ..ty.clone() };
        let mut rewriter = Rewriter::before(graph, product);
        let mut new = copy_of(rewriter.graph, product);
        new.operands.iter_mut().filter(|operand| **operand == row).for_each(|operand| *operand = unscaled);
        new.result_types = vec![Type::Tensor(wide.clone())];
        let sum = rewriter.put(new);
        let all = rewriter.broadcast(factor, &[], &wide.shape);
        let scaled = rewriter.binary(*kind, sum, all);
        let out = rewriter.convert(scaled, ty.element);
        readers.add_made(graph, &[sum, all, scaled, out]);
        readers.replace(graph, product, (result, out));
    }
    Ok(())
}

/// Erases what repeats a number if nobody reads it.
fn erase_unread(graph: &mut Graph, readers: &mut Readers, (mut value, number): (ValueId, ValueId)) {
    while value != number && readers.of(graph, value).is_empty() {
        let Some(op) = graph.producer(value) else { return };
        readers.erase(graph, op);
        value = graph.op(op).operands[0];
    }
}

/// The short operand of a product of one row, if its elements have the range of f32.
fn row_of(graph: &Graph, product: OpId, site: &Site) -> Option<ValueId> {
    let data = graph.op(product);
    let (1, long) = rows_and_long_operand(graph, product).filter(|_| is_product(graph, product))? else { return None };
    let &[a, b] = data.operands.as_slice() else { return None };
    let row = if b == long { a } else { b };
    let is_wide = has_range(graph, row) && has_range(graph, *data.results.first()?);
    (a != b && is_wide && !site.is_claimed(product)).then_some(row)
}

fn has_range(graph: &Graph, value: ValueId) -> bool {
    let element = graph.ty(value).as_tensor().map(|ty| ty.element);
    matches!(element, Some(ElementType::F32 | ElementType::Bf16))
}

/// The number that a row is scaled by, if it is made of the sum of the squares of what it scales.
fn scaled(graph: &Graph, row: ValueId) -> Result<Option<Scaled>, PassError> {
    let (mut path, mut value) = (Vec::new(), row);
    for _ in 0..OPS_MAX {
        let Some(op) = graph.producer(value).filter(|_| has_range(graph, value)) else { return Ok(None) };
        let data = graph.op(op);
        let at = match (data.kind, data.operands.as_slice()) {
            (OpKind::Convert | OpKind::Reshape, _) => 0,
            (kind @ (OpKind::Multiply | OpKind::Divide), &[a, b]) => {
                let sides = if kind == OpKind::Divide { &[(a, b, 0)][..] } else { &[(a, b, 0), (b, a, 1)] };
                for &(value, by, at) in sides {
                    let Some(scale) = repeats(graph, by)? else { continue };
                    if sums_squares(graph, scale, (value, OPS_MAX))? {
                        path.push((op, at));
                        return Ok(Some(Scaled { path, value, repeated: by, scale, kind }));
                    }
                }
                match [a, b].map(|side| is_weight(graph, side, OPS_MAX)) {
                    [false, true] => 0,
                    [true, false] if kind == OpKind::Multiply => 1,
                    _ => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        path.push((op, at));
        value = data.operands[at];
    }
    Ok(None)
}

/// The one number that all elements of a value are.
fn repeats(graph: &Graph, mut value: ValueId) -> Result<Option<ValueId>, PassError> {
    while let Some(op) = graph.producer(value) {
        let data = graph.op(op);
        let Some(&from) = data.operands.first() else { break };
        if data.kind == OpKind::BroadcastInDim && elements(graph, from)? == 1 {
            return Ok(Some(from));
        }
        if !matches!(data.kind, OpKind::Convert | OpKind::BroadcastInDim | OpKind::Reshape) {
            break;
        }
        value = from;
    }
    Ok(None)
}

/// Whether one number is made, by at most so many ops, of the sum of the squares of a value's elements.
fn sums_squares(graph: &Graph, number: ValueId, (of, ops): (ValueId, usize)) -> Result<bool, PassError> {
    let Some(op) = graph.producer(number).filter(|_| ops > 0) else { return Ok(false) };
    let data = graph.op(op);
    if data.kind == OpKind::Reduce {
        let body = graph.block(scalar::body(graph, op)?);
        let adds = body.ops.first().is_some_and(|&op| graph.op(op).kind == OpKind::Add);
        let squares = data.operands.first().and_then(|&v| graph.producer(before_widening(graph, v)));
        let Some(squares) = squares.map(|op| graph.op(op)).filter(|op| op.kind == OpKind::Multiply) else {
            return Ok(false);
        };
        let of = before_widening(graph, of);
        return Ok(adds && squares.operands.iter().all(|&side| before_widening(graph, side) == of));
    }
    use OpKind::{Add, BroadcastInDim, Convert, Divide, Multiply, Reshape, Rsqrt, Sqrt};
    let is_small = matches!(data.kind, Add | BroadcastInDim | Convert | Divide | Multiply | Reshape | Rsqrt | Sqrt);
    for &operand in data.operands.iter().filter(|_| is_small) {
        if elements(graph, operand)? == 1 && sums_squares(graph, operand, (of, ops - 1))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a value is made, by at most so many ops, of arguments and constants alone.
fn is_weight(graph: &Graph, value: ValueId, ops: usize) -> bool {
    let Some(op) = graph.producer(value) else { return true };
    let data = graph.op(op);
    use OpKind::{Add, BroadcastInDim, Constant, Convert, Reshape, Slice};
    let is_small = matches!(data.kind, Add | BroadcastInDim | Constant | Convert | Reshape | Slice);
    is_small && ops > 0 && data.operands.iter().all(|&operand| is_weight(graph, operand, ops - 1))
}

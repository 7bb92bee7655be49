//! A product with weights in blocks contracts blocks and their elements: what a block has in common is a factor there.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<1x64xf32>, %arg1: tensor<8x2x32xi8>, %arg2: tensor<8x2xf32>) -> tensor<1x8xf32> {
//!   %0 = stablehlo.convert %arg1 : (tensor<8x2x32xi8>) -> tensor<8x2x32xf32>
//!   %1 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<8x2xf32>) -> tensor<8x2x32xf32>
//!   %2 = stablehlo.multiply %0, %1 : tensor<8x2x32xf32>
//!   %3 = stablehlo.reshape %2 : (tensor<8x2x32xf32>) -> tensor<8x64xf32>
//!   %4 = stablehlo.dot_general %arg0, %3, contracting_dims = [1] x [1] :
//!     (tensor<1x64xf32>, tensor<8x64xf32>) -> tensor<1x8xf32>
//!   return %4 : tensor<1x8xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<1x64xf32>, %arg1: tensor<8x2x32xi8>, %arg2: tensor<8x2xf32>) -> tensor<1x8xf32> {
//!   %0 = stablehlo.convert %arg1 : (tensor<8x2x32xi8>) -> tensor<8x2x32xf32>
//!   %1 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<8x2xf32>) -> tensor<8x2x32xf32>
//!   %2 = stablehlo.multiply %0, %1 : tensor<8x2x32xf32>
//!   %3 = stablehlo.reshape %2 : (tensor<8x2x32xf32>) -> tensor<8x64xf32>
//!   %4 = stablehlo.reshape %arg0 : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
//!   %5 = stablehlo.dot_general %4, %2, contracting_dims = [1, 2] x [1, 2] :
//!       (tensor<1x2x32xf32>, tensor<8x2x32xf32>) -> tensor<1x8xf32>
//!   return %5 : tensor<1x8xf32>
//! }
//! ```
//!
//! Input: a product, with few rows or for processors, whose long operand can be read narrower than it is
//! (`facts::dequantized`) and is a reshape of blocks `[…, blocks, elements, …]`, all of known sizes. Output: the same
//! sum over both dimensions, in the same order. A kernel that goes through one dimension of 64 would divide each place
//! by 32 to find the scale.
//!
//! Worked example: the above, GGUF's Q8_0 with two blocks a row.

use fornax_graph::views::dot_dims;
use fornax_graph::{Graph, OpId, OpKind, ValueId};

use super::{Machines, Site};
use super::insert::{copy_of, replace_op};
use crate::errors::PassError;
use crate::facts::dequantized::narrow_operand;
use crate::facts::ops::{before_widening, shape, tensor};
use crate::rewrite::Rewriter;

/// Contracts the blocks' dimensions, where `product` has weights in blocks.
pub(super) fn run(graph: &mut Graph, product: OpId, site: &Site) -> Result<(), PassError> {
    if site.is_claimed(product) {
        return Ok(());
    }
    let Some(long) = narrow_operand(graph, product, site.machines.blocked_rows()) else { return Ok(()) };
    let data = graph.op(product);
    let mut numbers = dot_dims(data);
    let at = usize::from(data.operands.first() != Some(&long));
    let (contracts, batches) = match at {
        0 => ([&numbers.lhs_contract, &numbers.rhs_contract], [&numbers.lhs_batch, &numbers.rhs_batch]),
        _ => ([&numbers.rhs_contract, &numbers.lhs_contract], [&numbers.rhs_batch, &numbers.lhs_batch]),
    };
    let (&[own], &[others]) = (&contracts[0][..], &contracts[1][..]) else { return Ok(()) };
    // Dimensions before the one that is cut keep their numbers.
    if batches[0].iter().any(|&d| d > own) || batches[1].iter().any(|&d| d > others) {
        return Ok(());
    }
    let Some((mut blocks, mut parts)) = blocks_before(graph, long, own)? else { return Ok(()) };
    // Processors store elements that are bits of several bytes, and go through them as they lie: dimensions in between
    // are no use there. Source: eight layers of Llama 3.1 8B in Q6_K, whose blocks have six, two cores: 103 ms a step.
    if let [first, middle @ .., last] = &parts[..]
        && site.machines == Machines::Hosts
        && middle.len() > 1
    {
        let merged = vec![*first, middle.iter().product(), *last];
        let mut sizes = shape(graph, blocks)?.to_vec();
        sizes.splice(own..own + parts.len(), merged.iter().copied());
        blocks = Rewriter::before(graph, product).reshape(blocks, &sizes);
        parts = merged;
    }
    let data = graph.op(product);
    let count = parts.len();
    let other = data.operands[1 - at];
    let mut sizes = shape(graph, other)?.to_vec();
    sizes.splice(others..=others, parts);
    let (narrow, element) = (before_widening(graph, other), tensor(graph, other)?.element);
    let mut rewriter = Rewriter::before(graph, product);
    let split = rewriter.reshape(narrow, &sizes);
    let split = rewriter.convert(split, element);
    let dims = |first: usize| (first..first + count).collect::<Vec<usize>>();
    let mut new = copy_of(rewriter.graph, product);
    [numbers.lhs_contract, numbers.rhs_contract] = match at {
        0 => [dims(own), dims(others)],
        _ => [dims(others), dims(own)],
    };
    new.operands = if at == 0 { vec![blocks, split] } else { vec![split, blocks] };
    new.attrs.set("dot_dimension_numbers", numbers.attr());
    let result = rewriter.put(new);
    replace_op(graph, site.entry, product, &[result]);
    Ok(())
}

/// The blocks of which a value is a reshape that makes dimension `merged` of several, and the sizes of these.
fn blocks_before(graph: &Graph, value: ValueId, merged: usize) -> Result<Option<(ValueId, Vec<i64>)>, PassError> {
    let reshape = graph.producer(value).filter(|&op| graph.op(op).kind == OpKind::Reshape);
    let Some(&blocks) = reshape.and_then(|op| graph.op(op).operands.first()) else { return Ok(None) };
    let (whole, cut) = (shape(graph, value)?, shape(graph, blocks)?);
    let Some(count) = (cut.len() + 1).checked_sub(whole.len()).filter(|&count| count > 1) else { return Ok(None) };
    let parts = &cut[merged..merged + count];
    let same = whole[..merged] == cut[..merged] && whole[merged + 1..] == cut[merged + count..];
    Ok((same && parts.iter().product::<i64>() == whole[merged]).then(|| (blocks, parts.to_vec())))
}

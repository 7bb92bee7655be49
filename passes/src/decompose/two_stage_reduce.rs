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

use fornax_graph::views::dim_list;
use fornax_graph::{Attr, Constant, Graph, NewOp, OpId, OpKind, TensorType, Type};

use super::Site;
use super::insert::replace_op;
use crate::rewrite::Rewriter;
use crate::errors::PassError;
use crate::facts::combiner::simple;
use crate::facts::ops::{shape, tensor};
use crate::facts::scalar::{body, identity_bits};

/// Results above which a single reduction has parallel work enough.
const RESULTS_MAX: i64 = 64;
/// Elements a result from which two reductions are faster than one.
const ELEMENTS_MIN: i64 = 32 * 1024;
/// Columns (results that neighbouring threads read side by side) above which one kernel fills a GPU.
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

/// Splits `op`, a `reduce`, where that pays.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    if site.is_claimed(op) {
        return Ok(());
    }
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
    let mut at = Rewriter::before(graph, op);
    // [.., n, ..] → [.., parts, n / parts, ..]
    let mut split_sizes = sizes.clone();
    split_sizes[dimension] = sizes[dimension] / parts;
    split_sizes.insert(dimension, parts);
    let element_of_operand = tensor(at.graph, operand)?.element;
    let input = at.op(OpKind::Reshape, &[operand], (&split_sizes, element_of_operand));
    let input = at.convert(input, wide);
    let constant = Constant::splat(TensorType::new(&[], wide), identity.to_le_bytes()[..wide.storage_bytes()].to_vec());
    let constant = at.graph.add_constant(constant);
    let identity = at.put(
        NewOp::new(OpKind::Constant, Vec::new(), vec![Type::tensor(&[], wide)], data.location)
            .attr("value", Attr::Dense(constant)),
    );
    // The part stays, everything else that was reduced goes.
    let shifted = |d: usize| if d >= dimension { d + 1 } else { d };
    let first: Vec<usize> = dimensions.iter().map(|&d| shifted(d)).collect();
    let kept: Vec<usize> = (0..split_sizes.len()).filter(|d| !first.contains(d)).collect();
    let kept_sizes: Vec<i64> = kept.iter().map(|&d| split_sizes[d]).collect();
    let place = kept.iter().position(|&d| d == dimension).unwrap_or(0);
    let partial = at.reduce_like(op, (input, identity), &first)?;
    let start = at.convert(init, wide);
    let mut final_sizes = kept_sizes.clone();
    final_sizes.remove(place);
    let whole = at.reduce_like(op, (partial, start), &[place])?;
    let whole = at.convert(whole, element);
    replace_op(graph, site.entry, op, &[whole]);
    Ok(())
}

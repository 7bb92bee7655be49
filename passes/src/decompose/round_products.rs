//! What the rounds of a loop multiply with the same weights, each a row of a value from outside, is one product before
//! the loop.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<64x2x128xf32>, %arg1: tensor<128x96xf32>, %arg2: tensor<2x96xf32>)
//!     -> tensor<2x96xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1:2 = stablehlo.while(%arg3 = %0, %arg4 = %arg2) : tensor<i32>, tensor<2x96xf32>
//!   cond {
//!     %2 = stablehlo.constant dense<64> : tensor<i32>
//!     %3 = stablehlo.compare LT, %arg3, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   } do {
//!     %2 = stablehlo.dynamic_slice %arg0, %arg3, %0, %0, sizes = [1, 2, 128] :
//!       (tensor<64x2x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x128xf32>
//!     %3 = stablehlo.reshape %2 : (tensor<1x2x128xf32>) -> tensor<2x128xf32>
//!     %4 = stablehlo.dot_general %3, %arg1, contracting_dims = [1] x [0] :
//!       (tensor<2x128xf32>, tensor<128x96xf32>) -> tensor<2x96xf32>
//!     %5 = stablehlo.add %arg4, %4 : tensor<2x96xf32>
//!     %6 = stablehlo.constant dense<1> : tensor<i32>
//!     %7 = stablehlo.add %arg3, %6 : tensor<i32>
//!     stablehlo.return %7, %5 : tensor<i32>, tensor<2x96xf32>
//!   }
//!   return %1#1 : tensor<2x96xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<64x2x128xf32>, %arg1: tensor<128x96xf32>, %arg2: tensor<2x96xf32>)
//!     -> tensor<2x96xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] :
//!     (tensor<64x2x128xf32>, tensor<128x96xf32>) -> tensor<64x2x96xf32>
//!   %2:2 = stablehlo.while(%arg3 = %0, %arg4 = %arg2) : tensor<i32>, tensor<2x96xf32>
//!   cond {
//!     %3 = stablehlo.constant dense<64> : tensor<i32>
//!     %4 = stablehlo.compare LT, %arg3, %3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %4 : tensor<i1>
//!   } do {
//!     %3 = stablehlo.dynamic_slice %arg0, %arg3, %0, %0, sizes = [1, 2, 128] :
//!       (tensor<64x2x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x128xf32>
//!     %4 = stablehlo.reshape %3 : (tensor<1x2x128xf32>) -> tensor<2x128xf32>
//!     %5 = stablehlo.dynamic_slice %1, %arg3, %0, %0, sizes = [1, 2, 96] :
//!       (tensor<64x2x96xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x96xf32>
//!     %6 = stablehlo.reshape %5 : (tensor<1x2x96xf32>) -> tensor<2x96xf32>
//!     %7 = stablehlo.add %arg4, %6 : tensor<2x96xf32>
//!     %8 = stablehlo.constant dense<1> : tensor<i32>
//!     %9 = stablehlo.add %arg3, %8 : tensor<i32>
//!     stablehlo.return %9, %7 : tensor<i32>, tensor<2x96xf32>
//!   }
//!   return %2#1 : tensor<2x96xf32>
//! }
//! ```
//!
//! The same sums, whichever row a round takes and however often: a row of the product is the product of that row. It
//! pays where the loop counts to the number of rows, and a round has so few that it would read the weights for little:
//! x·W of all steps of an RNN. For CPUs only: a GPU keeps such weights in registers from round to round
//! (`fuse_loop`).
//!
//! Worked example, an LSTM of 8 texts, 64 steps, 128 to 256 features: 64 products of 8 rows with 0.5 MB of weights
//! become one of 512 rows, and the recurrent weights alone go through the caches in a round.
//!
//! Limits: known sizes; the row is the left operand, whole but for its first dimension.

use fornax_graph::views::{DotDims, dot_dims};
use fornax_graph::{BlockId, Definition, Graph, OpId, OpKind, TensorType, Type, ValueId};

use super::insert::replace_op;
use super::{Machines, Site};
use crate::errors::PassError;
use crate::facts::control;
use crate::facts::ops::{shape, splat_bits, tensor};
use crate::rewrite::Rewriter;
use crate::rewrite::build::ints;

/// Steps of the contraction for each row of a round from which its weights cost more than a trip of its results through
/// memory.
const STEPS_PER_ROW: i64 = 4;
/// Bytes of the results of all rounds, at most.
const RESULT_BYTES_MAX: i64 = 64 << 20;

/// A product in a loop's round.
struct Round {
    /// The loop.
    repeat: OpId,
    /// The value of which a round takes a row, by `dynamic_slice` at these numbers.
    whole: ValueId,
    starts: Vec<ValueId>,
    weights: ValueId,
    numbers: DotDims,
}

/// Takes `product` out of its loop where that pays.
pub(super) fn run(graph: &mut Graph, product: OpId, site: &Site) -> Result<(), PassError> {
    if site.machines != Machines::Hosts || site.is_claimed(product) || !site.bodies.contains(&graph.op(product).block) {
        return Ok(());
    }
    let Some(round) = Round::of(graph, product, site)? else { return Ok(()) };
    let data = graph.op(product).clone();
    let Some(&result) = data.results.first() else { return Ok(()) };
    let (sizes, element) = (shape(graph, result)?, tensor(graph, result)?.element);
    if tensor(graph, round.whole)?.element != element {
        return Ok(());
    }
    let rounds = shape(graph, round.whole)?.first().copied().unwrap_or(0);
    let rows: i64 = sizes.iter().take(round.free_rows(graph)?).product();
    let steps: i64 = round
        .numbers
        .rhs_contract
        .iter()
        .map(|&d| shape(graph, round.weights).map(|s| s[d]))
        .product::<Result<i64, _>>()?;
    let bytes =
        sizes.iter().fold(rounds, |n, &size| n.saturating_mul(size)).saturating_mul(element.storage_bytes() as i64);
    if steps < STEPS_PER_ROW.saturating_mul(rows) || bytes > RESULT_BYTES_MAX || !counts_to(graph, round.repeat, rounds)
    {
        return Ok(());
    }
    let mut numbers = round.numbers.clone();
    numbers.lhs_contract.iter_mut().for_each(|d| *d += 1);
    let mut outside = Rewriter::before(graph, round.repeat);
    let all = outside.dot(round.whole, round.weights, &numbers, &data.attrs);
    let mut inside = Rewriter::before(graph, product);
    let zero = round.starts.get(1).copied().unwrap_or(round.starts[0]);
    let mut operands = vec![all, round.starts[0]];
    operands.extend(vec![zero; sizes.len()]);
    let part: Vec<i64> = std::iter::once(1).chain(sizes.iter().copied()).collect();
    let ty = Type::tensor(&part, element);
    let row = inside.emit(OpKind::DynamicSlice, &operands, ty, &[("slice_sizes", ints(&part))]);
    let row = inside.reshape(row, &sizes);
    replace_op(graph, site.entry, product, &[row]);
    Ok(())
}

impl Round {
    fn of(graph: &Graph, product: OpId, site: &Site) -> Result<Option<Round>, PassError> {
        let data = graph.op(product);
        let &[row, weights] = data.operands.as_slice() else { return Ok(None) };
        let made_by = |value: ValueId, kind: OpKind| {
            graph.producer(value).filter(|&op| graph.op(op).kind == kind && graph.op(op).block == data.block)
        };
        let Some(reshape) = made_by(row, OpKind::Reshape) else { return Ok(None) };
        let Some(slice) = made_by(graph.op(reshape).operands[0], OpKind::DynamicSlice) else { return Ok(None) };
        let [whole, starts @ ..] = graph.op(slice).operands.as_slice() else { return Ok(None) };
        let known = |value: ValueId| graph.ty(value).as_tensor().and_then(TensorType::static_shape);
        let (Some(all), Some(part), Some(own), Some(_)) =
            (known(*whole), known(graph.op(slice).results[0]), known(row), known(weights))
        else {
            return Ok(None);
        };
        let is_row = part.first() == Some(&1) && part[1..] == all[1..] && own[..] == all[1..];
        let first = starts.iter().skip(1).all(|&start| splat_bits(graph, start) == Some(0));
        let outside = |value: ValueId| home(graph, value) != data.block;
        let numbers = dot_dims(data);
        let plain = numbers.lhs_batch.is_empty() && numbers.rhs_batch.is_empty() && starts.len() > 1;
        let found = is_row && first && plain && outside(*whole) && outside(weights);
        let blocks = control::all_blocks(graph, site.entry);
        let ops = blocks.iter().flat_map(|&block| &graph.block(block).ops).copied();
        let repeat = ops
            .into_iter()
            .find(|&op| graph.op(op).kind == OpKind::While && control::blocks(graph, op).get(1) == Some(&data.block));
        let (whole, starts) = (*whole, starts.to_vec());
        Ok(repeat.filter(|_| found).map(|repeat| Round { repeat, whole, starts, weights, numbers }))
    }

    /// How many dimensions of a round's result are those of its rows.
    fn free_rows(&self, graph: &Graph) -> Result<usize, PassError> {
        Ok((shape(graph, self.whole)?.len() - 1).saturating_sub(self.numbers.lhs_contract.len()))
    }
}

fn home(graph: &Graph, value: ValueId) -> BlockId {
    match graph.value(value).definition {
        Definition::Result { op, .. } => graph.op(op).block,
        Definition::Argument { block, .. } => block,
    }
}

/// Whether a loop goes on while a carried number, at first 0, is less than `rounds`.
fn counts_to(graph: &Graph, repeat: OpId, rounds: i64) -> bool {
    let counted = || {
        let data = graph.op(repeat);
        let condition = *control::blocks(graph, repeat).first()?;
        let end = graph.op(*graph.block(condition).ops.last()?);
        let compare = graph.op(graph.producer(*end.operands.first()?)?);
        let &[counter, limit] = compare.operands.as_slice() else { return None };
        let at = graph.block(condition).arguments.iter().position(|&argument| argument == counter)?;
        let less = compare.kind == OpKind::Compare && compare.attrs.keyword("comparison_direction") == Some("LT");
        let starts = splat_bits(graph, *data.operands.get(at)?) == Some(0);
        Some(less && starts && splat_bits(graph, limit) == u64::try_from(rounds).ok())
    };
    counted().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use crate::decompose::Machines;
    use crate::example::{blocks, import, print};
    use crate::observe::Nobody;

    /// Whether the example, with one text in the place of another, is rewritten.
    fn changes(machines: Machines, (from, to): (&str, &str)) -> bool {
        let text = blocks(include_str!("round_products.rs"), "mlir")[0].replace(from, to);
        let graph = import(&text);
        let names = ["round_products".to_string()];
        let new = crate::pipeline::run(&graph, &names, machines, &mut Nobody).unwrap_or_else(|e| panic!("{e}"));
        print(&graph) != print(&new)
    }

    #[test]
    fn only_loops_over_all_rows_and_on_processors() {
        assert!(changes(Machines::Hosts, ("", "")));
        assert!(!changes(Machines::Gpus, ("", "")) && !changes(Machines::Any, ("", "")));
        // Fewer rounds than rows; a count that begins elsewhere; so many rows that a round uses its weights well.
        assert!(!changes(Machines::Hosts, ("dense<64>", "dense<8>")));
        assert!(!changes(Machines::Hosts, ("%0 = stablehlo.constant dense<0>", "%0 = stablehlo.constant dense<3>")));
        assert!(!changes(Machines::Hosts, ("128", "4")));
        // Rows or weights whose number is known at run time.
        assert!(!changes(Machines::Hosts, ("64x2x128", "?x2x128")));
    }
}

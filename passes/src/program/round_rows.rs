//! What a round of a repeated loop writes at its counter is written there by the kernel that makes it.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<4x2048xf32>, %arg1: tensor<1x2048xf32>, %arg2: tensor<2048x2048xf32>)
//!     -> (tensor<4x2048xf32>, tensor<1x2048xf32>) {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1 = stablehlo.constant dense<4> : tensor<i32>
//!   %2:3 = stablehlo.while(%i = %0, %x = %arg1, %y = %arg0) :
//!     tensor<i32>, tensor<1x2048xf32>, tensor<4x2048xf32>
//!   cond {
//!     %3 = stablehlo.compare LT, %i, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   } do {
//!     %3 = stablehlo.dot_general %x, %arg2, contracting_dims = [1] x [0] :
//!       (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
//!     %4 = stablehlo.dynamic_update_slice %y, %3, %i, %0 :
//!       (tensor<4x2048xf32>, tensor<1x2048xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2048xf32>
//!     %5 = stablehlo.constant dense<1> : tensor<i32>
//!     %6 = stablehlo.add %i, %5 : tensor<i32>
//!     stablehlo.return %6, %3, %4 : tensor<i32>, tensor<1x2048xf32>, tensor<4x2048xf32>
//!   }
//!   return %2#2, %2#1 : tensor<4x2048xf32>, tensor<1x2048xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel contraction_0_dot_general
//! kernel scatter_1_clamp_scatter
//! kernel loop_3_add
//! @main: 3 inputs, 2 outputs, arena 8448 bytes (8196 without sharing)
//!   fill arena +8192 4B with 0x0 (4B)
//!   copy input 1 +0 8192B -> output 1 +0 8192B
//!   copy input 0 +0 32768B -> output 0 +0 32768B
//!   repeat 4 times {
//!     dispatch contraction_0_dot_general grid 256 [input 2 +0 16777216B, output 1 +0 8192B, -> arena +0 8192B]
//!     dispatch scatter_1_clamp_scatter grid 8 [arena +8192 4B, arena +0 8192B, -> output 0 +0 32768B]
//!     dispatch loop_3_add grid 1 [arena +8192 4B, -> arena +8192 4B]
//!     copy arena +0 8192B -> output 1 +0 8192B
//!   }
//! ```
//! After:
//! ```text
//! kernel contraction_0_dot_general
//! @main: 3 inputs, 2 outputs, arena 256 bytes (4 without sharing)
//!   copy input 1 +0 8192B -> output 1 +0 8192B
//!   copy input 0 +0 32768B -> output 0 +0 32768B
//!   dispatch contraction_0_dot_general grid 256 [input 2 +0 16777216B, output 1 +0 8192B, -> output 0 +0 8192B]
//!   copy output 0 +0 8192B -> output 1 +0 8192B
//!   dispatch contraction_0_dot_general grid 256 [input 2 +0 16777216B, output 1 +0 8192B, -> output 0 +8192 8192B]
//!   copy output 0 +8192 8192B -> output 1 +0 8192B
//!   dispatch contraction_0_dot_general grid 256 [input 2 +0 16777216B, output 1 +0 8192B, -> output 0 +16384 8192B]
//!   copy output 0 +16384 8192B -> output 1 +0 8192B
//!   dispatch contraction_0_dot_general grid 256 [input 2 +0 16777216B, output 1 +0 8192B, -> output 0 +24576 8192B]
//!   copy output 0 +24576 8192B -> output 1 +0 8192B
//! ```
//!
//! Input: the steps of a function. The kernel of a round that only writes another kernel's result into a value that the
//! loop carries goes if
//!
//! - the loop counts its rounds, and the first index is a number that the counter determines;
//! - what is written is whole in all dimensions but the first, and begins at a multiple of 16 bytes;
//! - one kernel of the round makes it, before it is read, and nothing but this round reads it;
//! - nothing else of the round reads or writes what it is written into.
//!
//! Output: the same steps with another place each round for the result, and without what computed only the counter.

use std::collections::HashMap;

use fornax_graph::views::scatter_dims;
use fornax_graph::{Graph, OpId, OpKind, ValueId};

use super::commands::Builder;
use super::rounds::{Loop, Moved, Uses, accesses, drop_unread, each_loop, is_index, is_made_first, in_steps, offsets, roots, writes};
use super::steps::{Launch, Step};
use super::storage::{Place, Source};
use super::team::key;
use crate::errors::PassError;
use crate::facts::ops::tensor;
use crate::facts::scalar::body;

/// Lets kernels write rows where they belong, and drops what nothing needs any more.
pub fn form(b: &mut Builder<'_, '_>, steps: Vec<Step>) -> Result<Vec<Step>, PassError> {
    if !b.planner.has("round_rows") {
        return Ok(steps);
    }
    let uses = in_steps(b, &steps);
    let mut found = false;
    let mut steps = each_loop(b, steps, &mut |b, round| {
        let mut at = 0;
        while at < round.body.len() {
            if let Some(Moved { from, places }) = row_of(b, round, at, &uses)? {
                Loop::give_back(b, from);
                round.place_by_round(b, from, places);
                round.body.remove(at);
                found = true;
            } else {
                at += 1;
            }
        }
        Ok(Vec::new())
    })?;
    if found {
        drop_unread(b, &mut steps);
    }
    Ok(steps)
}

/// Of a step that writes a row: the place of what it writes, and where that belongs in each round.
fn row_of(
    b: &Builder<'_, '_>,
    round: &Loop<'_>,
    at: usize,
    uses: &Uses,
) -> Result<Option<Moved>, PassError> {
    let graph = b.planner.graph;
    let (Some(Step::Launch(Launch { values, origin: Some(origin), .. })), Some(counter)) =
        (round.body.get(at), round.rounds.counter)
    else {
        return Ok(None);
    };
    let Some(update) = update(graph, origin.op)? else { return Ok(None) };
    let (whole, part) = (tensor(graph, update.whole)?, tensor(graph, update.part)?);
    let count = (round.count, counter);
    // Out of range nothing is written.
    let Some(offsets) = offsets((graph, origin.op), (whole, part), (update.index, false), count)? else {
        return Ok(None);
    };
    let place = |value: ValueId| b.storage.place(Source::Value(b.storage.resolve(value)));
    let (Some(into), Some(made @ Place::Arena(_))) = (place(update.result), place(update.made)) else {
        return Ok(None);
    };
    let mut written = values.iter().filter(|value| writes(value.1));
    let (Some(&(result, _)), None) = (written.next(), written.next()) else { return Ok(None) };
    if b.storage.place(result) != Some(into) || place(update.carried) != Some(into) {
        return Ok(None);
    }
    let named = key(b, Source::Value(b.storage.resolve(update.made)));
    let whole = roots(b, into);
    let (mut here, mut others) = (0, false);
    for (other, step) in round.body.iter().enumerate() {
        accesses(step, &mut |source, _| {
            here += usize::from(key(b, source) == named);
            let places = b.storage.place(source).map(|place| roots(b, place)).unwrap_or_default();
            others |= other != at && places.iter().any(|place| whole.contains(place));
        });
    }
    if others || uses.get(&named).is_none_or(|named| named.all != here) || !is_made_first(b, round.body, named) {
        return Ok(None);
    }
    let last = offsets.last().copied();
    let places = offsets.into_iter().chain(last).map(|first| (into, first)).collect();
    Ok(Some(Moved { from: made, places }))
}

/// An update of a few rows: values of the function's graph, but for the index and the part, which are the group's.
struct Update {
    /// What is updated, and the result.
    carried: ValueId,
    result: ValueId,
    whole: ValueId,
    part: ValueId,
    made: ValueId,
    index: ValueId,
}

/// Of a group that only writes a value into another one, along the first dimension.
fn update(graph: &Graph, fusion: OpId) -> Result<Option<Update>, PassError> {
    let block = body(graph, fusion)?;
    let arguments = graph.block(block).arguments.iter().copied();
    let outer: HashMap<ValueId, ValueId> = arguments.zip(graph.op(fusion).operands.iter().copied()).collect();
    let mut found = None;
    for &op in &graph.block(block).ops {
        let data = graph.op(op);
        match data.kind {
            OpKind::UpdateInPlace if found.is_none() => found = Some(op),
            OpKind::FusionYield => {}
            OpKind::Reshape => {}
            kind if is_index(kind) => {}
            _ => return Ok(None),
        }
    }
    let Some(op) = found else { return Ok(None) };
    let data = graph.op(op);
    let ([carried, index, part], [_]) = (data.operands.as_slice(), data.results.as_slice()) else { return Ok(None) };
    let numbers = scatter_dims(data);
    let rank = tensor(graph, *part)?.rank();
    let plain = numbers.update_window_dims.iter().copied().eq(0..rank) && numbers.scatter_dims_to_operand_dims == [0];
    let through = |mut value: ValueId| {
        while let Some(reshape) = graph.producer(value).filter(|&op| graph.op(op).kind == OpKind::Reshape) {
            value = *graph.op(reshape).operands.first()?;
        }
        outer.get(&value).copied()
    };
    let (Some(carried), Some(made)) = (outer.get(carried).copied(), through(*part)) else { return Ok(None) };
    let result = graph.op(fusion).results[0];
    let update = Update { carried, result, whole: data.results[0], part: *part, made, index: *index };
    Ok(Some(update).filter(|_| plain && is_replaced(graph, op)))
}

/// Whether an update puts new elements in the place of old ones.
fn is_replaced(graph: &Graph, op: OpId) -> bool {
    let block = graph.op(op).regions.first().and_then(|&region| graph.region(region).blocks.first().copied());
    let Some(block) = block.map(|block| graph.block(block)) else { return false };
    let ([_, new], [end]) = (block.arguments.as_slice(), block.ops.as_slice()) else { return false };
    graph.op(*end).operands.as_slice() == [*new]
}

//! Slices at the counter of a repeated loop, read where they lie: no kernel copies the layer's weights, nor the step's
//! row, in each round.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<3x4x4xf32>, %arg1: tensor<1x4xf32>) -> tensor<1x4xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1 = stablehlo.constant dense<3> : tensor<i32>
//!   %2:2 = stablehlo.while(%i = %0, %x = %arg1) : tensor<i32>, tensor<1x4xf32>
//!   cond {
//!     %3 = stablehlo.compare LT, %i, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   } do {
//!     %3 = stablehlo.dynamic_slice %arg0, %i, %0, %0, sizes = [1, 4, 4] :
//!       (tensor<3x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
//!     %4 = stablehlo.reshape %3 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
//!     %5 = stablehlo.dot_general %x, %4, contracting_dims = [1] x [0] :
//!       (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
//!     %6 = stablehlo.constant dense<1> : tensor<i32>
//!     %7 = stablehlo.add %i, %6 : tensor<i32>
//!     stablehlo.return %7, %5 : tensor<i32>, tensor<1x4xf32>
//!   }
//!   return %2#1 : tensor<1x4xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel loop_0_dynamic_slice
//! kernel contraction_1_dot_general
//! kernel loop_3_add
//! @main: 2 inputs, 1 outputs, arena 768 bytes (84 without sharing)
//!   fill arena +512 4B with 0x0 (4B)
//!   copy input 1 +0 16B -> output 0 +0 16B
//!   repeat 3 times {
//!     dispatch loop_0_dynamic_slice grid 1 [input 0 +0 192B, arena +512 4B, -> arena +0 64B]
//!     dispatch contraction_1_dot_general grid 1 [output 0 +0 16B, arena +0 64B, -> arena +256 16B]
//!     dispatch loop_3_add grid 1 [arena +512 4B, -> arena +512 4B]
//!     copy arena +256 16B -> output 0 +0 16B
//!   }
//! ```
//! After:
//! ```text
//! kernel contraction_1_dot_general
//! @main: 2 inputs, 1 outputs, arena 512 bytes (20 without sharing)
//!   copy input 1 +0 16B -> output 0 +0 16B
//!   dispatch contraction_1_dot_general grid 1 [output 0 +0 16B, input 0 +0 64B, -> arena +0 16B]
//!   copy arena +0 16B -> output 0 +0 16B
//!   dispatch contraction_1_dot_general grid 1 [output 0 +0 16B, input 0 +64 64B, -> arena +0 16B]
//!   copy arena +0 16B -> output 0 +0 16B
//!   dispatch contraction_1_dot_general grid 1 [output 0 +0 16B, input 0 +128 64B, -> arena +0 16B]
//!   copy arena +0 16B -> output 0 +0 16B
//! ```
//!
//! Input: the steps of a function, loops of small kernels already one kernel each. A kernel of a loop's round that only
//! copies a `dynamic_slice` goes if
//!
//! - the loop counts its rounds, and the slice's first index is a number that the counter determines;
//! - the slice is whole in all dimensions but the first, so that it is one run of bytes, and begins at a multiple of
//!   16;
//! - nothing in the loop writes what is sliced, and nothing but kernels behind it in the round reads the slice.
//!
//! Output: the same steps with another place each round for the result, and without what computed only the counter.

use std::collections::HashMap;

use fornax_graph::{Graph, OpId, OpKind, ValueId};
use fornax_plan::Access;

use super::commands::Builder;
use super::rounds::{Loop, Moved, Part, Uses};
use super::rounds::{accesses, drop_unread, each_loop, in_steps, is_index, is_written, offsets, writes};
use super::launch::{Launch, Step};
use super::storage::{Place, Source};
use super::fuse_loop::key;
use crate::errors::PassError;
use crate::facts::ops::tensor;
use crate::facts::scalar::body;

/// Puts slices in the place of their copies, and drops what nothing needs any more.
pub fn form(b: &mut Builder<'_, '_>, steps: Vec<Step>) -> Result<Vec<Step>, PassError> {
    if !b.planner.has("round_slices") {
        return Ok(steps);
    }
    let uses = in_steps(b, &steps);
    let mut found = false;
    let mut steps = each_loop(b, steps, &mut |b, round| {
        let mut at = 0;
        while at < round.body.len() {
            if let Some(Moved { from, places }) = slice_of(b, round, at, &uses)? {
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

/// Of a step that copies a slice: the place of the copy, and where the slice is in each round.
fn slice_of(
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
    let Some((sliced, slice)) = sliced(graph, origin.op)? else { return Ok(None) };
    let (whole, part) = (tensor(graph, sliced)?, tensor(graph, graph.op(slice).results[0])?);
    let index = graph.op(slice).operands[1];
    let part = Part { fusion: origin.op, whole, part, index, clamps: true };
    let Some(offsets) = offsets(graph, &part, round.count, counter)? else { return Ok(None) };
    let mut written = values.iter().filter(|value| writes(value.1));
    let (Some(&(result, Access::Write)), None) = (written.next(), written.next()) else { return Ok(None) };
    let of = Source::Value(b.storage.resolve(sliced));
    let (Some(of), Some(to @ Place::Arena(_))) = (b.storage.place(of), b.storage.place(result)) else {
        return Ok(None);
    };
    // Only later steps of the round read the slice, and nothing in the loop writes what it is of.
    let named = key(b, result);
    let mut read_later = 0;
    for step in &round.body[at + 1..] {
        accesses(step, &mut |source, access| {
            read_later += usize::from(key(b, source) == named && !writes(access) && access != Access::Overwritten);
        });
    }
    let alone = uses.get(&named).is_some_and(|named| named.all == read_later + 1);
    if !alone || is_written(b, round.body, of) {
        return Ok(None);
    }
    let last = offsets.last().copied();
    let places = offsets.into_iter().chain(last).map(|first| (of, first)).collect();
    Ok(Some(Moved { from: to, places }))
}

/// Of a group that only slices a value: the value, and the op that slices it.
fn sliced(graph: &Graph, fusion: OpId) -> Result<Option<(ValueId, OpId)>, PassError> {
    let block = body(graph, fusion)?;
    let (mut result, mut found) = (None, None);
    for &op in &graph.block(block).ops {
        let data = graph.op(op);
        match data.kind {
            OpKind::DynamicSlice if found.is_none() => {
                found = Some(op);
                result = data.results.first().copied();
            }
            OpKind::Reshape if data.operands.first().copied() == result => result = data.results.first().copied(),
            OpKind::FusionYield if data.operands.as_slice() == result.as_slice() => {}
            kind if is_index(kind) => {}
            _ => return Ok(None),
        }
    }
    let Some(slice) = found else { return Ok(None) };
    let arguments = graph.block(block).arguments.iter().copied();
    let outer: HashMap<ValueId, ValueId> = arguments.zip(graph.op(fusion).operands.iter().copied()).collect();
    let whole = graph.op(slice).operands.first().and_then(|value| outer.get(value));
    Ok(whole.filter(|_| graph.op(slice).operands.len() > 1).map(|&whole| (whole, slice)))
}

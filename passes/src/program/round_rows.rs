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
//!     dispatch scatter_1_clamp_scatter grid 2 [arena +8192 4B, arena +0 8192B, -> output 0 +0 32768B]
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
//! Where the loop carries the value in the same place, the next round reads the row: then rows of two rounds, one after
//! the other, must be apart (indexes that are clamped may not be).
//!
//! Output: the same steps with another place each round for the result, and without what computed only the counter.

use std::collections::HashMap;

use fornax_graph::views::scatter_dims;
use fornax_graph::{Graph, OpId, OpKind, ValueId};
use fornax_plan::Access;

use super::commands::Builder;
use super::rounds::{Loop, Part, Uses};
use super::rounds::{accesses, are_apart, drop_unread, each_loop, in_steps, is_index, offsets, roots, writes};
use super::launch::{Copies, Launch, Step};
use super::storage::{Place, Source};
use super::fuse_loop::key;
use crate::errors::PassError;
use crate::facts::ops::tensor;
use crate::facts::scalar::body;
use crate::remarks::ROUND_ENDS;

/// Lets kernels write rows where they belong, and drops what nothing needs any more.
pub fn form(b: &mut Builder<'_, '_>, steps: Vec<Step>) -> Result<Vec<Step>, PassError> {
    if !b.planner.has("round_rows") {
        return Ok(steps);
    }
    let (uses, sources) = (in_steps(b, &steps), sources(&steps));
    let mut found = false;
    let mut steps = each_loop(b, steps, &mut |b, round| {
        let (mut at, mut behind) = (0, Vec::new());
        while at < round.body.len() {
            if let Some(row) = row_of(b, round, at, &sources)? {
                behind.extend(place(b, round, &row, &uses));
                round.body.remove(at);
                found = true;
            } else {
                at += 1;
            }
        }
        Ok(behind)
    })?;
    if found {
        drop_unread(b, &mut steps);
    }
    Ok(steps)
}

/// How often steps name each value, whatever other one its place is shared with.
fn sources(steps: &[Step]) -> HashMap<Source, usize> {
    let mut found = HashMap::new();
    steps.iter().for_each(|step| accesses(step, &mut |source, _| *found.entry(source).or_default() += 1));
    found
}

/// A value that a round makes and writes into another one.
struct Row {
    made: Source,
    /// Where that belongs, by round.
    rows: Vec<(Place, u64)>,
    /// A value that the loop carries has the same place: what the round before made.
    carried: Option<Source>,
}

/// The row that a step writes.
fn row_of(
    b: &mut Builder<'_, '_>,
    round: &Loop<'_>,
    at: usize,
    sources: &HashMap<Source, usize>,
) -> Result<Option<Row>, PassError> {
    let graph = b.planner.graph;
    let (Some(Step::Launch(Launch { values, origin: Some(origin), .. })), Some(counter)) =
        (round.body.get(at), round.rounds.counter)
    else {
        return Ok(None);
    };
    let Some(update) = update(graph, origin.op)? else { return Ok(None) };
    let (whole, part) = (tensor(graph, update.whole)?, tensor(graph, update.part)?);
    let part = Part { fusion: origin.op, whole, part, index: update.index, clamps: false };
    let Some(offsets) = offsets(graph, &part, round.count, counter)? else { return Ok(None) };
    let source = |value: ValueId| Source::Value(b.storage.resolve(value));
    let made = source(update.made);
    let (Some(into), Some(place)) = (b.storage.place(source(update.result)), b.storage.place(made)) else {
        return Ok(None);
    };
    let mut written = values.iter().filter(|value| writes(value.1));
    let (Some(&(result, _)), None) = (written.next(), written.next()) else { return Ok(None) };
    let in_place = b.storage.place(result) == Some(into) && b.storage.place(source(update.carried)) == Some(into);
    if !in_place || !matches!(place, Place::Arena(_) | Place::Output(_)) {
        return Ok(None);
    }
    // One kernel makes the value before it is read, only this round reads it; nothing but this step names what it is
    // written into. Other values at its place are read alone: one that the loop carries.
    let whole = roots(b, into);
    let (mut here, mut made_by, mut first, mut fits) = (0, 0, None, true);
    let mut carried = None;
    for (other, step) in round.body.iter().enumerate() {
        accesses(step, &mut |source, access| {
            if source == made {
                here += 1;
                made_by += usize::from(writes(access));
                first.get_or_insert(access == Access::Write && matches!(step, Step::Launch(_)));
            } else if b.storage.place(source) == Some(place) {
                fits &= !writes(access) && carried.is_none_or(|known| known == source);
                carried = Some(source);
            }
            let places = b.storage.place(source).map(|place| roots(b, place)).unwrap_or_default();
            fits &= other == at || !places.iter().any(|place| whole.contains(place));
        });
    }
    // A result of the function stays one.
    fits &= carried.is_some() || matches!(place, Place::Arena(_));
    if !fits || made_by != 1 || first != Some(true) || sources.get(&made) != Some(&here) {
        return Ok(None);
    }
    let last = offsets.last().copied();
    let mut rows: Vec<(Place, u64)> = offsets.into_iter().map(|first| (into, first)).collect();
    // A round that reads the row before must not write over it.
    let bytes = b.storage.bytes(b.planner, made)?;
    if carried.is_some() && !are_apart(b, &rows, bytes) {
        return Ok(None);
    }
    rows.extend(last.map(|first| (into, first)));
    Ok(Some(Row { made, rows, carried }))
}

/// Puts a row where it belongs: the step that follows the loop, if one must.
fn place(b: &mut Builder<'_, '_>, round: &mut Loop<'_>, row: &Row, uses: &Uses) -> Option<Step> {
    let at = b.storage.place(row.made)?;
    let Some(carried) = row.carried else {
        Loop::give_back(b, at);
        round.place_by_round(b, at, row.rows.clone());
        return None;
    };
    let wanted = key(b, carried);
    let reads = |uses: &Uses| uses.get(&wanted).map_or(0, |named| named.reads);
    let must_end = matches!(at, Place::Output(_)) || reads(uses) > reads(&in_steps(b, round.body));
    let before = row.rows.iter().copied().take(round.count as usize - 1);
    let places = [(at, 0)].into_iter().chain(before).chain([(at, 0)]).collect();
    round.place_by_round(b, at, places);
    round.place_one_by_round(b, row.made, row.rows.clone());
    must_end.then_some(Step::Copy(Copies { from: row.made, to: carried, why: ROUND_ENDS }))
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

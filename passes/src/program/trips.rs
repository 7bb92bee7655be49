//! How often a loop runs, where that is known before it starts.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1 = stablehlo.constant dense<7> : tensor<i32>
//!   %2:2 = stablehlo.while(%i = %0, %x = %arg0) : tensor<i32>, tensor<5xf32>
//!   cond {
//!     %3 = stablehlo.compare LT, %i, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   } do {
//!     %3 = stablehlo.constant dense<1> : tensor<i32>
//!     %4 = stablehlo.add %i, %3 : tensor<i32>
//!     %5 = stablehlo.sine %x : tensor<5xf32>
//!     stablehlo.return %4, %5 : tensor<i32>, tensor<5xf32>
//!   }
//!   return %2#1 : tensor<5xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel loop_0_compare
//! kernel loop_3_sine
//! kernel loop_4_add
//! @main: 1 inputs, 1 outputs, arena 512 bytes (5 without sharing)
//!   fill arena +0 4B with 0x0 (4B)
//!   copy input 0 +0 20B -> output 0 +0 20B
//!   while arena +256 1B {
//!     dispatch loop_0_compare grid 1 [arena +0 4B, -> arena +256 1B]
//!   } do {
//!     dispatch loop_4_add grid 1 [arena +0 4B, -> arena +0 4B]
//!     dispatch loop_3_sine grid 1 [output 0 +0 20B, -> output 0 +0 20B]
//!   }
//! ```
//! After:
//! ```text
//! kernel loop_1_sine
//! @main: 1 inputs, 1 outputs, arena 256 bytes (4 without sharing)
//!   copy input 0 +0 20B -> output 0 +0 20B
//!   repeat 7 times {
//!     dispatch loop_1_sine grid 1 [output 0 +0 20B, -> output 0 +0 20B]
//!   }
//! ```
//!
//! Input: a fused `while`. Its condition compares one carried integer with a constant, the integer starts at a
//! constant, and the body adds a constant to it. Then the host need not read the condition: the loop becomes
//! `Command::Repeat`, and a function without other loops and branches is one command list, a CUDA graph.
//!
//! Worked example: i from 0, while i < 10, i + 3: runs 4 times, for 0, 3, 6, 9.

use std::collections::HashMap;

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};

use super::commands::Builder;
use super::launch::Counter;
use crate::facts::control::calls_host;
use crate::facts::ops::{splat_bits, tensor};
use crate::facts::scalar::body;

/// What is known of an integer inside a loop.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Constant(i128),
    /// A carried value plus a constant.
    Carried(usize, i128),
    /// A comparison of a carried value with a constant.
    Compared(Direction, usize, i128),
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Differs,
}

type Known = HashMap<ValueId, Form>;

/// Nested fusion groups and additions between a carried value and the next one, at most.
const DEPTH_MAX: usize = 16;

impl Builder<'_, '_> {
    /// How often a loop that is repeated runs.
    pub(super) fn trips(&self, op: OpId) -> Option<u64> {
        count(self.planner.graph, op).filter(|_| self.planner.has("trips"))
    }
}

/// The counter of a loop whose number of rounds is known.
pub fn counter(graph: &Graph, op: OpId) -> Option<Counter> {
    counted(graph, op).map(|(counter, _)| counter)
}

/// The number of times that the body of a `while` runs.
pub fn count(graph: &Graph, op: OpId) -> Option<u64> {
    counted(graph, op).map(|(_, trips)| trips)
}

fn counted(graph: &Graph, op: OpId) -> Option<(Counter, u64)> {
    let data = graph.op(op);
    let block = |at: usize| graph.region(*data.regions.get(at)?).blocks.first().copied();
    let (condition, body) = (block(0)?, block(1)?);
    if graph.block(condition).ops.iter().any(|&op| calls_host(graph, op)) {
        return None;
    }
    let Form::Compared(direction, at, limit) = returned(graph, condition, 0)? else { return None };
    let counter = going_on(graph, op, body, at)?;
    let trips = trips(direction, counter.start, limit, counter.step)?;
    is_in_range(graph, counter, trips).then_some((counter, trips))
}

/// The integers of one element that a loop of `count` rounds carries and that go on by a constant from a constant.
pub(super) fn steady(graph: &Graph, op: OpId, count: u64) -> Vec<Counter> {
    let data = graph.op(op);
    let body = data.regions.get(1).and_then(|&region| graph.region(region).blocks.first().copied());
    let Some(body) = body else { return Vec::new() };
    let all = (0..data.operands.len()).filter_map(|at| going_on(graph, op, body, at));
    all.filter(|&counter| is_in_range(graph, counter, count)).collect()
}

/// A carried integer that starts at a constant, and to which the body adds a constant.
fn going_on(graph: &Graph, op: OpId, body: BlockId, at: usize) -> Option<Counter> {
    let start = integer(graph, *graph.op(op).operands.get(at)?)?;
    let Form::Carried(from, step) = returned(graph, body, at)? else { return None };
    let argument = *graph.block(body).arguments.get(at)?;
    (from == at).then_some(Counter { argument, start, step })
}

/// Whether a counter has not wrapped around after its last round.
fn is_in_range(graph: &Graph, counter: Counter, trips: u64) -> bool {
    let Ok(ty) = tensor(graph, counter.argument) else { return false };
    let bits = ty.element.bits();
    let (low, high) = if ty.element.is_unsigned() {
        (0, (1i128 << bits) - 1)
    } else {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    };
    let last = counter.step.checked_mul(i128::from(trips)).and_then(|all| counter.start.checked_add(all));
    last.is_some_and(|last| low <= last && last <= high)
}

fn trips(direction: Direction, start: i128, limit: i128, step: i128) -> Option<u64> {
    let up = |distance: i128, step: i128| {
        if distance <= 0 {
            return Some(0);
        }
        (step > 0).then(|| (distance + step - 1) / step)
    };
    let trips = match direction {
        Direction::Less => up(limit - start, step),
        Direction::LessOrEqual => up(limit - start + 1, step),
        Direction::Greater => up(start - limit, -step),
        Direction::GreaterOrEqual => up(start - limit + 1, -step),
        Direction::Differs if limit == start => Some(0),
        Direction::Differs if step != 0 && (limit - start) % step == 0 && (limit - start) / step > 0 => {
            Some((limit - start) / step)
        }
        Direction::Differs => None,
    };
    u64::try_from(trips?).ok()
}

/// What a block returns at place `at`.
fn returned(graph: &Graph, block: BlockId, at: usize) -> Option<Form> {
    let arguments = graph.block(block).arguments.iter().enumerate();
    let known = arguments.map(|(at, &value)| (value, Form::Carried(at, 0))).collect();
    let end = graph.op(*graph.block(block).ops.last()?);
    form(graph, *end.operands.get(at)?, &known, 0)
}

fn form(graph: &Graph, value: ValueId, known: &Known, depth: usize) -> Option<Form> {
    if let Some(&found) = known.get(&value) {
        return Some(found);
    }
    if let Some(number) = integer(graph, value) {
        return Some(Form::Constant(number));
    }
    if depth > DEPTH_MAX {
        return None;
    }
    let id = graph.producer(value)?;
    let op = graph.op(id);
    let operand = |at: usize| form(graph, *op.operands.get(at)?, known, depth + 1);
    match op.kind {
        OpKind::Add => match (operand(0)?, operand(1)?) {
            (Form::Carried(at, a), Form::Constant(b)) | (Form::Constant(b), Form::Carried(at, a)) => {
                Some(Form::Carried(at, a.checked_add(b)?))
            }
            _ => None,
        },
        OpKind::Subtract => match (operand(0)?, operand(1)?) {
            (Form::Carried(at, a), Form::Constant(b)) => Some(Form::Carried(at, a.checked_sub(b)?)),
            _ => None,
        },
        OpKind::Reshape => operand(0),
        OpKind::Compare => {
            let direction = match op.attrs.keyword("comparison_direction")? {
                "LT" => Direction::Less,
                "LE" => Direction::LessOrEqual,
                "GT" => Direction::Greater,
                "GE" => Direction::GreaterOrEqual,
                "NE" => Direction::Differs,
                _ => return None,
            };
            match (operand(0)?, operand(1)?) {
                (Form::Carried(at, 0), Form::Constant(limit)) => Some(Form::Compared(direction, at, limit)),
                (Form::Constant(limit), Form::Carried(at, 0)) => Some(Form::Compared(swapped(direction), at, limit)),
                _ => None,
            }
        }
        OpKind::Fusion => {
            let block = body(graph, id).ok()?;
            let pairs = graph.block(block).arguments.iter().zip(&op.operands);
            let inner = pairs.filter_map(|(&a, &o)| Some((a, form(graph, o, known, depth + 1)?))).collect();
            let at = op.results.iter().position(|&r| r == value)?;
            let end = graph.op(*graph.block(block).ops.last()?);
            form(graph, *end.operands.get(at)?, &inner, depth + 1)
        }
        _ => None,
    }
}

/// The comparison with its sides exchanged.
fn swapped(direction: Direction) -> Direction {
    match direction {
        Direction::Less => Direction::Greater,
        Direction::LessOrEqual => Direction::GreaterOrEqual,
        Direction::Greater => Direction::Less,
        Direction::GreaterOrEqual => Direction::LessOrEqual,
        Direction::Differs => Direction::Differs,
    }
}

/// A constant integer of one element.
pub(super) fn integer(graph: &Graph, value: ValueId) -> Option<i128> {
    let ty = tensor(graph, value).ok()?;
    if !ty.element.is_integer() || ty.elements() != Some(1) {
        return None;
    }
    let bits = splat_bits(graph, value)?;
    let unused = 64 - ty.element.bits().min(64);
    let unsigned = bits << unused >> unused;
    let signed = (bits << unused) as i64 >> unused;
    Some(if ty.element.is_unsigned() { i128::from(unsigned) } else { i128::from(signed) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(condition: &str, step: &str, start: i64, ty: &str) -> Option<u64> {
        let text = format!(
            "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
               %s = stablehlo.constant dense<{start}> : tensor<{ty}>
               %l = stablehlo.constant dense<10> : tensor<{ty}>
               %c = stablehlo.constant dense<3> : tensor<{ty}>
               %0:2 = stablehlo.while(%i = %s, %y = %x) : tensor<{ty}>, tensor<3xf32>
               cond {{
                 %1 = stablehlo.compare {condition} : (tensor<{ty}>, tensor<{ty}>) -> tensor<i1>
                 stablehlo.return %1 : tensor<i1>
               }} do {{
                 %1 = stablehlo.add %y, %y : tensor<3xf32>
                 %2 = stablehlo.{step} : tensor<{ty}>
                 stablehlo.return %2, %1 : tensor<{ty}>, tensor<3xf32>
               }}
               return %0#1 : tensor<3xf32>
             }}"
        );
        let graph = fornax_import::import_text(&text, "t.mlir", &Default::default()).unwrap();
        let fused = crate::fuse::fuse(&graph).unwrap();
        let entry = fused.entry(&fused.functions[0]).unwrap();
        let op = fused.block(entry).ops.iter().copied().find(|&op| fused.op(op).kind == OpKind::While).unwrap();
        count(&fused, op)
    }

    #[test]
    fn counters_of_all_kinds() {
        assert_eq!(of("LT, %i, %l, SIGNED", "add %i, %c", 0, "i32"), Some(4));
        assert_eq!(of("LE, %i, %l, SIGNED", "add %c, %i", 1, "i64"), Some(4));
        assert_eq!(of("GT, %l, %i, SIGNED", "add %i, %c", 10, "i32"), Some(0));
        assert_eq!(of("NE, %i, %l, SIGNED", "add %i, %c", 1, "i32"), Some(3));
        assert_eq!(of("GE, %i, %l, SIGNED", "subtract %i, %c", 16, "i32"), Some(3));
    }

    #[test]
    fn loops_that_wrap_around_or_never_end_are_not_counted() {
        assert_eq!(of("LT, %i, %l, SIGNED", "subtract %i, %c", 0, "i32"), None);
        assert_eq!(of("NE, %i, %l, SIGNED", "add %i, %c", 0, "i32"), None);
        assert_eq!(of("LT, %i, %l, SIGNED", "multiply %i, %c", 1, "i32"), None);
        assert_eq!(of("GE, %i, %l, UNSIGNED", "add %i, %c", 250, "ui8"), None);
    }
}

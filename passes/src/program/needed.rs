//! What a loop of known length need not compute: carried values that nothing reads but themselves, its counter first of
//! all.
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
//! kernel loop_2_sine
//! kernel loop_3_add
//! @main: 1 inputs, 1 outputs, arena 256 bytes (4 without sharing)
//!   fill arena +0 4B with 0x0 (4B)
//!   copy input 0 +0 20B -> output 0 +0 20B
//!   repeat 7 times {
//!     dispatch loop_3_add grid 1 [arena +0 4B, -> arena +0 4B]
//!     dispatch loop_2_sine grid 1 [output 0 +0 20B, -> output 0 +0 20B]
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
//! Input: a `while` whose condition is not evaluated. Output: its carried values that are needed, and the ops of its
//! body that are not.
//!
//! Worked example: `i, y` carried, i + 1 and f(y) given back, y read behind the loop: the addition is not needed, nor a
//! buffer for i. With f(y, i) both are.

use std::collections::HashSet;

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};

use crate::facts::control::calls_host;

/// What of a loop is needed.
pub struct Needed {
    /// By carried value.
    pub carried: Vec<bool>,
    /// Ops of the body that are not.
    pub unused: HashSet<OpId>,
}

/// `read` are the values that any op reads; `by_host` says what is read as a size.
pub fn needed(
    graph: &Graph,
    op: OpId,
    body: BlockId,
    read: &HashSet<ValueId>,
    by_host: &dyn Fn(ValueId) -> bool,
) -> Needed {
    let block = graph.block(body);
    let given = block.ops.last().map(|&end| graph.op(end).operands.clone()).unwrap_or_default();
    let mut carried: Vec<bool> = graph.op(op).results.iter().map(|result| read.contains(result)).collect();
    loop {
        let mut live: HashSet<ValueId> =
            given.iter().zip(&carried).filter(|(_, needed)| **needed).map(|(&value, _)| value).collect();
        let mut unused = HashSet::new();
        for &inner in block.ops.iter().rev().filter(|&&inner| graph.op(inner).kind != OpKind::Return) {
            let is_read = graph.op(inner).results.iter().any(|&result| live.contains(&result) || by_host(result));
            if is_read || calls_host(graph, inner) {
                reads(graph, inner, &mut live);
            } else {
                unused.insert(inner);
            }
        }
        let now: Vec<bool> = {
            let lives = |&argument: &ValueId| live.contains(&argument) || by_host(argument);
            carried.iter().zip(&block.arguments).map(|(&needed, argument)| needed || lives(argument)).collect()
        };
        if now == carried {
            return Needed { carried, unused };
        }
        carried = now;
    }
}

/// Values that any op of a block reads, regions included.
pub fn values_read(graph: &Graph, block: BlockId) -> HashSet<ValueId> {
    let mut read = HashSet::new();
    graph.block(block).ops.iter().for_each(|&op| reads(graph, op, &mut read));
    read
}

/// Adds what an op reads, its regions included.
fn reads(graph: &Graph, op: OpId, into: &mut HashSet<ValueId>) {
    into.extend(&graph.op(op).operands);
    for block in graph.op(op).regions.iter().flat_map(|&region| &graph.region(region).blocks) {
        graph.block(*block).ops.iter().for_each(|&inner| reads(graph, inner, into));
    }
}

#[cfg(test)]
mod tests {
    use fornax_module::program::Command;
    use fornax_targets::Backend;

    use crate::plan;
    use crate::program::Options;
    use crate::program::loop_text::{keep_rounds, rounds};

    /// Commands of a round of a loop of seven rounds.
    fn commands(value: &str, counted: bool) -> usize {
        let body = format!("{value}\n%r = stablehlo.sine %2 : tensor<5xf32>");
        let text = rounds("tensor<5xf32>", &body, counted);
        let graph = fornax_import::import_text(&text, "t.mlir", &Default::default()).unwrap();
        let target = fornax_targets::resolve(Backend::Cuda, "sm_80").unwrap().target;
        let mut options = Options::default();
        options.schedule.plain_loops = true;
        options.without = keep_rounds();
        let planned = plan(&crate::fuse::fuse(&graph).unwrap(), &target, &options).unwrap();
        let program = &planned.program;
        let body = program.blocks.iter().flat_map(|b| &b.commands).find_map(|command| match command {
            Command::Repeat { body, count: 7 } => Some(*body),
            _ => None,
        });
        program.blocks[body.unwrap() as usize].commands.len()
    }

    #[test]
    fn a_counter_is_computed_where_something_reads_it() {
        let plain = "%2 = stablehlo.negate %y : tensor<5xf32>";
        let counting = "%5 = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<5xi32>
                        %6 = stablehlo.convert %5 : (tensor<5xi32>) -> tensor<5xf32>
                        %2 = stablehlo.add %6, %y : tensor<5xf32>";
        // A kernel each, in place.
        assert_eq!([commands(plain, false), commands(plain, true), commands(counting, false)], [1, 2, 2]);
    }
}

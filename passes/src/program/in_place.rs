//! Which values that a loop carries are written where they are, by the kernels that update a few of their elements.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<100x64xf32>, %arg1: tensor<1x64xf32>) -> tensor<100x64xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1 = stablehlo.constant dense<7> : tensor<i32>
//!   %2:2 = stablehlo.while(%i = %0, %x = %arg0) : tensor<i32>, tensor<100x64xf32>
//!   cond {
//!     %3 = stablehlo.compare LT, %i, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   } do {
//!     %3 = stablehlo.constant dense<1> : tensor<i32>
//!     %4 = stablehlo.add %i, %3 : tensor<i32>
//!     %5 = stablehlo.dynamic_update_slice %x, %arg1, %i, %0 :
//!       (tensor<100x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<100x64xf32>
//!     stablehlo.return %4, %5 : tensor<i32>, tensor<100x64xf32>
//!   }
//!   return %2#1 : tensor<100x64xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel loop_0_add
//! kernel scatter_1_clamp_scatter
//! @main: 2 inputs, 1 outputs, arena 26112 bytes (25608 without sharing)
//!   fill arena +25600 4B with 0x0 (4B)
//!   copy input 0 +0 25600B -> output 0 +0 25600B
//!   repeat 7 times {
//!     dispatch loop_0_add grid 1 [arena +25600 4B, -> arena +25856 4B]
//!     copy output 0 +0 25600B -> arena +0 25600B
//!     dispatch scatter_1_clamp_scatter grid 1 [input 1 +0 256B, arena +25600 4B, -> arena +0 25600B]
//!     copy arena +25856 4B -> arena +25600 4B
//!     copy arena +0 25600B -> output 0 +0 25600B
//!   }
//! ```
//! After:
//! ```text
//! kernel loop_0_add
//! kernel scatter_1_clamp_scatter
//! @main: 2 inputs, 1 outputs, arena 512 bytes (8 without sharing)
//!   fill arena +0 4B with 0x0 (4B)
//!   copy input 0 +0 25600B -> output 0 +0 25600B
//!   repeat 7 times {
//!     dispatch loop_0_add grid 1 [arena +0 4B, -> arena +256 4B]
//!     dispatch scatter_1_clamp_scatter grid 1 [input 1 +0 256B, arena +0 4B, -> output 0 +0 25600B]
//!     copy arena +256 4B -> arena +0 4B
//!   }
//! ```
//!
//! Input: a block of a fused graph. Output: results of its kernels, each the update of a value (`schedule::update`)
//! that no op reads later, so that both may be one buffer: the kernel that copies the one into the other is not needed,
//! nor the copy behind a loop's round. The value is an intermediate of the block, or one that the loop carries and gets
//! back through a chain of such updates.

use std::collections::HashSet;

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};
use fornax_plan::{Body, Node};

use crate::errors::PassError;
use crate::facts::donated::{buffer_of, is_read_before, reads};
use crate::facts::scalar;
use crate::schedule::update;
use fornax_kernels::scheduled::{Bound, Prepare};

/// Whether a kernel before another one copies an operand into a result, and does nothing else.
pub fn is_copy(before: &Prepare) -> bool {
    let Body::Loop { stores } = &before.plan.body else { return false };
    let [store] = stores.as_slice() else { return false };
    let plain = match before.plan.exprs.node(store.value) {
        Node::Load { buffer: 0, offset, mask: None, .. } => *offset == store.offset && store.buffer == 1,
        _ => false,
    };
    let equal = matches!(before.plan.buffers.as_slice(), [a, b] if (a.element, a.elements) == (b.element, b.elements));
    plain && equal && matches!(before.bound.as_slice(), [Bound::Operand(_), Bound::Result(_)])
}

/// An update whose result may lie in the buffer of what it updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    pub operand: ValueId,
    pub result: ValueId,
}

/// The updates of a block, in its order.
///
/// # Errors
/// FX0901 for a fusion group without a region.
pub fn updates(graph: &Graph, block: BlockId) -> Result<Vec<Update>, PassError> {
    let mut found = Vec::new();
    for &fusion in &graph.block(block).ops {
        if graph.op(fusion).kind != OpKind::Fusion {
            continue;
        }
        let Some(hero) = update::hero(graph, fusion)? else { continue };
        let data = graph.op(fusion);
        let arguments = &graph.block(scalar::body(graph, fusion)?).arguments;
        // An update has one operand for each of its results.
        for (at, &result) in data.results.iter().enumerate() {
            let inner = graph.op(hero).operands.get(at).and_then(|v| arguments.iter().position(|a| a == v));
            let Some(&operand) = inner.and_then(|n| data.operands.get(n)) else { continue };
            if updates_alone(graph, fusion, (operand, result))? && is_read_before(graph, fusion, operand) {
                found.push(Update { operand, result });
            }
        }
    }
    Ok(found)
}

/// Of the updates of a loop's body, the chains that begin at an argument and end at what is given back for it, which
/// nothing else is: with each update, the argument's number.
pub fn carried(graph: &Graph, body: BlockId, updates: &[Update]) -> Vec<(usize, Update)> {
    let block = graph.block(body);
    let given = block.ops.last().map(|&end| graph.op(end).operands.as_slice()).unwrap_or_default();
    let mut found = Vec::new();
    for (at, (&argument, &wanted)) in block.arguments.iter().zip(given).enumerate() {
        if given.iter().filter(|&&value| value == wanted).count() != 1 {
            continue;
        }
        let (mut chain, mut value) = (Vec::new(), argument);
        for update in updates {
            if buffer_of(graph, update.operand) == value {
                chain.push((at, *update));
                value = update.result;
            }
        }
        if value == wanted {
            found.extend(chain);
        }
    }
    found
}

/// Of the updates of a block, those of values that its own ops make.
pub fn intermediate(graph: &Graph, block: BlockId, updates: &[Update]) -> Vec<Update> {
    let own: HashSet<OpId> = graph.block(block).ops.iter().copied().collect();
    let made = |value: ValueId| {
        let maker = graph.producer(buffer_of(graph, value)).filter(|op| own.contains(op));
        maker.is_some_and(|op| matches!(graph.op(op).kind, OpKind::Fusion | OpKind::While | OpKind::If))
    };
    updates.iter().copied().filter(|update| made(update.operand)).collect()
}

/// Whether the group updates `operand`, and reads it for nothing else.
fn updates_alone(graph: &Graph, fusion: OpId, (operand, result): (ValueId, ValueId)) -> Result<bool, PassError> {
    if graph.op(fusion).kind != OpKind::Fusion {
        return Ok(false);
    }
    let Some(hero) = update::hero(graph, fusion)? else { return Ok(false) };
    let data = graph.op(fusion);
    let block = scalar::body(graph, fusion)?;
    let place = data.operands.iter().position(|&value| value == operand);
    let inner = place.and_then(|at| graph.block(block).arguments.get(at));
    let at = data.results.iter().position(|&value| value == result);
    let updated = at.and_then(|at| graph.op(hero).operands.get(at));
    Ok(inner.is_some() && inner == updated && inner.is_some_and(|&inner| reads(graph, block, inner) == 1))
}

#[cfg(test)]
mod tests {
    use fornax_module::program::{Command, SizeExpr};
    use fornax_targets::Backend;

    use crate::plan;
    use crate::program::Options;
    use crate::program::loop_text::{Carried, keep_rounds, loop_of};

    /// Bytes of the largest span that a command of the loop's body names, kernels' names of it, and of the function.
    fn planned(body: &str) -> (u64, Vec<String>, Vec<String>) {
        let values = [Carried("%y", "tensor<64xf32>", "%2"), Carried("%s", "tensor<100x64xf32>", "%new")];
        let rows = "%none = stablehlo.constant dense<0> : tensor<i32>
                    %2 = stablehlo.sine %y : tensor<64xf32>
                    %3 = stablehlo.reshape %2 : (tensor<64xf32>) -> tensor<1x64xf32>";
        let text = loop_of(&values, &format!("{rows}\n{body}"), &[2]);
        let graph = fornax_import::import_text(&text, "t.mlir", &Default::default()).unwrap();
        let target = fornax_targets::resolve(Backend::Cuda, "sm_80").unwrap().target;
        let mut options = Options::default();
        options.schedule.plain_loops = true;
        options.without = keep_rounds();
        let planned = plan(&crate::fuse::fuse(&graph).unwrap(), &target, &options).unwrap();
        let program = &planned.program;
        let body = program.blocks.iter().flat_map(|b| &b.commands).find_map(|command| match command {
            Command::Repeat { body, count: 7 } => Some(*body as usize),
            _ => None,
        });
        let bytes = |length: u32| match program.exprs[length as usize] {
            SizeExpr::Const(bytes) => bytes,
            _ => u64::MAX,
        };
        let (mut largest, mut names) = (0, Vec::new());
        for command in &program.blocks[body.unwrap()].commands {
            match command {
                Command::Copy { source, .. } => largest = largest.max(bytes(source.length)),
                Command::Dispatch { kernel, .. } => names.push(planned.kernels[*kernel as usize].summary.clone()),
                other => panic!("{other:?}"),
            }
        }
        (largest, names, planned.kernels.iter().map(|kernel| kernel.summary.clone()).collect())
    }

    const WRITE: &str = "stablehlo.dynamic_update_slice %s, %3, %i, %none \
                         : (tensor<100x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<100x64xf32>";

    #[test]
    fn a_row_is_written_where_the_carried_value_is() {
        let (copied, kernels, all) = planned(&format!("%new = {WRITE}"));
        assert_eq!(copied, 0);
        assert!(kernels.len() == 3 && !kernels.contains(&"copy".to_string()), "{kernels:?}");
        assert_eq!(all.len(), 3);
    }

    #[test]
    fn what_is_read_besides_at_other_places_is_written_as_a_whole() {
        let also = |other: &str| {
            planned(&format!(
                "%4 = {WRITE}\n%5 = {other} : tensor<100x64xf32>\n%new = stablehlo.add %4, %5 : tensor<100x64xf32>"
            ))
            .0
        };
        // Every element from itself: in place.
        assert_eq!(also("stablehlo.negate %s"), 0);
        assert_eq!(also("stablehlo.reverse %s, dims = [0]"), 100 * 64 * 4);
    }
}

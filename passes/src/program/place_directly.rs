//! Results are written where they are wanted: in an output's buffer, or that of a branch's result, by the kernel that
//! makes them.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
//!   %0 = stablehlo.sine %arg0 : tensor<4xf32>
//!   return %0 : tensor<4xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel loop_0_sine
//! @main: 1 inputs, 1 outputs, arena 256 bytes (16 without sharing)
//!   dispatch loop_0_sine grid 1 [input 0 +0 16B, -> arena +0 16B]
//!   copy arena +0 16B -> output 0 +0 16B
//! ```
//! After:
//! ```text
//! kernel loop_0_sine
//! @main: 1 inputs, 1 outputs, arena 0 bytes (0 without sharing)
//!   dispatch loop_0_sine grid 1 [input 0 +0 16B, -> output 0 +0 16B]
//! ```

use fornax_graph::{BlockId, OpKind, ValueId};

use super::commands::{Builder, changes_size};
use super::storage::Source;
use crate::facts::ops::{Class, row};

fn makes_a_buffer(kind: OpKind) -> bool {
    kind == OpKind::Fusion || row(kind).is_some_and(|row| row.class == Class::Control)
}

impl Builder<'_, '_> {
    /// Lets the op that makes a result write it where it is wanted, if no other result took that buffer before.
    pub(super) fn place_directly(&mut self, block: BlockId, result: ValueId, target: Source) {
        let graph = self.planner.graph;
        let source = self.storage.resolve(result);
        let made = graph.producer(source).map(|op| graph.op(op));
        let here =
            made.is_some_and(|op| op.block == block && makes_a_buffer(op.kind));
        // What a loop gives of a size that it changes is not there before that size is known.
        let here = here && !graph.producer(source).is_some_and(|op| changes_size(graph, op, source));
        if let (true, Some(place)) = (here, self.storage.place(target)) {
            self.storage.places.entry(Source::Value(source)).or_insert(place);
        }
    }
}

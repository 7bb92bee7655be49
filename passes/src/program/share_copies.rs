//! A copy that a kernel needs of a value is made once for all kernels of a block that need the same.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<64x256xf32>, %arg1: tensor<256x256xf32>) -> tensor<64x256xf32> {
//!   %0 = stablehlo.dot %arg0, %arg1 : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
//!   %1 = stablehlo.dot %0, %arg1 : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
//!   return %1 : tensor<64x256xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel loop_0_pack
//! kernel contraction_1_dot
//! kernel contraction_2_dot
//! @main: 2 inputs, 1 outputs, arena 335872 bytes (606208 without sharing)
//!   dispatch loop_0_pack grid 64 [input 1 +0 262144B, -> arena +0 270336B]
//!   dispatch contraction_1_dot grid 24 [input 0 +0 65536B, arena +0 270336B, -> arena +270336 65536B]
//!   dispatch loop_0_pack grid 64 [input 1 +0 262144B, -> arena +0 270336B]
//!   dispatch contraction_2_dot grid 24 [arena +0 270336B, arena +270336 65536B, -> output 0 +0 65536B]
//! ```
//! After:
//! ```text
//! kernel loop_0_pack
//! kernel contraction_1_dot
//! kernel contraction_2_dot
//! @main: 2 inputs, 1 outputs, arena 335872 bytes (335872 without sharing)
//!   dispatch loop_0_pack grid 64 [input 1 +0 262144B, -> arena +0 270336B]
//!   dispatch contraction_1_dot grid 24 [input 0 +0 65536B, arena +0 270336B, -> arena +270336 65536B]
//!   dispatch contraction_2_dot grid 24 [arena +0 270336B, arena +270336 65536B, -> output 0 +0 65536B]
//! ```
//!
//! Copies run before products ([`fornax_kernels::scheduled::Prepare`]): panels on CPUs; on Hopper weights of f32 as
//! bf16, and rows that tensor copies cannot fetch where they lie. A training step multiplies by a weight twice, forward
//! and backward. Copies are the same where their kernels and the values that they read are: values of the graph, which
//! never change, not buffers, which an update may.
//!
//! Cost: the copy lives from its first reader to its last. The bf16 weights of GPT-2's step: 0.17 of 2.5 GB.
//! Limits: within a block. A loop's body makes its own.

use std::collections::HashMap;

use fornax_graph::OpId;
use fornax_kernels::scheduled::{Bound, Prepare};
use fornax_plan::{Access, KernelPlan};

use super::commands::Builder;
use super::fingerprint;
use super::storage::Source;

/// What a copy is made of: the kernel, and what it reads.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct CopyOf {
    kernel: String,
    reads: Vec<Source>,
}

/// Copies that were made, and where they are.
pub(super) type Made = HashMap<CopyOf, Source>;

/// Of each kernel before others, whether nothing but itself writes what it prepares.
pub(super) fn only_read<'p>(
    prepare: &[Prepare],
    then: impl Iterator<Item = &'p KernelPlan>,
    bound: &[Bound],
) -> Vec<bool> {
    let mut only_read = vec![true; prepare.len()];
    let mut note = |plan: &KernelPlan, bound: &[Bound], own: usize| {
        for (_, of) in plan.buffers.iter().zip(bound).filter(|(buffer, _)| buffer.access != Access::Read) {
            if let Bound::Prepared(n) = *of
                && n != own
                && let Some(read) = only_read.get_mut(n)
            {
                *read = false;
            }
        }
    };
    prepare.iter().enumerate().for_each(|(at, before)| note(&before.plan, &before.bound, at));
    then.for_each(|plan| note(plan, bound, usize::MAX));
    only_read
}

impl Builder<'_, '_> {
    /// What the kernel before op `op` copies; `None` where it does more than to read some buffers and write its own.
    pub(super) fn copy_of(&self, op: OpId, before: &Prepare, prepared: &[Source]) -> Option<CopyOf> {
        if !self.planner.has("share_copies") {
            return None;
        }
        let (written, read) = before.plan.buffers.split_last()?;
        let reads_only = read.iter().all(|buffer| buffer.access == Access::Read);
        let (Some(Bound::Prepared(_)), Access::Write, true) = (before.bound.last(), written.access, reads_only) else {
            return None;
        };
        let operands = &self.planner.graph.op(op).operands;
        let source = |bound: &Bound| match *bound {
            Bound::Operand(n) => operands.get(n).map(|&value| Source::Value(value)),
            Bound::Prepared(n) => prepared.get(n).copied(),
            Bound::Result(_) => None,
        };
        let reads = before.bound.iter().take(read.len()).map(source).collect::<Option<Vec<_>>>()?;
        Some(CopyOf { kernel: fingerprint(&before.plan), reads })
    }
}

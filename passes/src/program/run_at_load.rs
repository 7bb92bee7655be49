//! A kernel that reads nothing but parameters and constants runs once, when the module is loaded.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
//!   %0 = stablehlo.constant dense<[[1.0, 2.0], [4.0, 8.0]]> : tensor<2x2xf32>
//!   %1 = stablehlo.dot %0, %0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
//!   %2 = stablehlo.dot %arg0, %1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
//!   return %2 : tensor<2x2xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel contraction_0_dot
//! kernel contraction_1_dot
//! @main: 1 inputs, 1 outputs, arena 256 bytes (16 without sharing)
//!   dispatch contraction_0_dot grid 1 [constant +0 16B, -> arena +0 16B]
//!   dispatch contraction_1_dot grid 1 [input 0 +0 16B, arena +0 16B, -> output 0 +0 16B]
//! ```
//! After:
//! ```text
//! kernel contraction_0_dot
//! kernel contraction_1_dot
//! @main: 1 inputs, 1 outputs, arena 0 bytes (0 without sharing)
//!   dispatch contraction_1_dot grid 1 [input 0 +0 16B, persistent +0 16B, -> output 0 +0 16B]
//! load: 16 bytes persistent
//!   dispatch contraction_0_dot grid 1 [constant +0 16B, -> persistent +0 16B]
//! ```
//!
//! Its results lie in `Space::Persistent`: folded batch norms, transposed weights, masks made of positions.
//! Limits: known sizes.

use fornax_plan::Access;

use super::ARENA_ALIGNMENT;
use super::commands::Builder;
use super::sizes::Bytes;
use super::launch::Launch;
use super::storage::{Place, Source};
use crate::errors::PassError;

impl Builder<'_, '_> {
    /// Whether a kernel with these buffers gives the same in every call, and may keep it.
    pub(super) fn is_same_in_every_call(&self, values: &[(Source, Access)]) -> bool {
        let same = |&(source, access): &(Source, Access)| match access {
            Access::Write => self.storage.place(source).is_none() && !self.overwritten.contains(&source),
            Access::Read | Access::Overwritten => self.storage.is_same_in_every_call(source),
            Access::Update | Access::Guard => false,
        };
        self.planner.has("run_at_load") && values.iter().all(same)
    }

    /// Appends a launch to the load block.
    pub(super) fn launch_at_load(&mut self, launch: Launch) -> Result<(), PassError> {
        for &(source, _) in launch.values.iter().filter(|v| v.1 == Access::Write) {
            let Bytes::Fixed(bytes) = self.storage.bytes(self.planner, source)? else {
                return Err(PassError::broken("a buffer that is filled once has no static size"));
            };
            let end = &mut self.planner.planned.program.persistent_bytes;
            let offset = end.next_multiple_of(ARENA_ALIGNMENT);
            *end = offset + bytes;
            self.storage.places.insert(source, Place::Persistent(offset));
        }
        self.planner.origins.at_load.push(launch.origin.iter().cloned().collect());
        let command = self.dispatch(&launch, &[])?;
        self.planner.load.push(command);
        Ok(())
    }
}

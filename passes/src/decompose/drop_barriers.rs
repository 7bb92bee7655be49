//! Barriers tell a compiler not to move ops across; here every kernel computes the same bits wherever it stands.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
//!   %0 = stablehlo.negate %arg0 : tensor<4xf32>
//!   %1 = stablehlo.optimization_barrier %0 : tensor<4xf32>
//!   %2 = stablehlo.sine %1 : tensor<4xf32>
//!   return %2 : tensor<4xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
//!   %0 = stablehlo.negate %arg0 : tensor<4xf32>
//!   %1 = stablehlo.sine %0 : tensor<4xf32>
//!   return %1 : tensor<4xf32>
//! }
//! ```

use fornax_graph::{Graph, OpId};

use super::Site;
use super::insert::replace_op;
use crate::errors::PassError;

/// Lets the readers of a barrier's results read its operands.
pub(super) fn run(graph: &mut Graph, barrier: OpId, site: &Site) -> Result<(), PassError> {
    let operands = graph.op(barrier).operands.clone();
    replace_op(graph, site.entry, barrier, &operands);
    Ok(())
}

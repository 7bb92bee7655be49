//! Forms the groups: each becomes a `fornax.fusion`, and a kernel.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<4x1000xf32>) -> tensor<4x1000xf32> {
//!   %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
//!   %1 = stablehlo.constant dense<0.0> : tensor<f32>
//!   %2 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] :
//!     (tensor<4x1000xf32>, tensor<f32>) -> tensor<4xf32>
//!   %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xf32>) -> tensor<4x1000xf32>
//!   %4 = stablehlo.subtract %arg0, %3 : tensor<4x1000xf32>
//!   %5 = stablehlo.exponential %4 : tensor<4x1000xf32>
//!   %6 = stablehlo.reduce(%5 init: %1) applies stablehlo.add across dimensions = [1] :
//!     (tensor<4x1000xf32>, tensor<f32>) -> tensor<4xf32>
//!   %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<4xf32>) -> tensor<4x1000xf32>
//!   %8 = stablehlo.divide %5, %7 : tensor<4x1000xf32>
//!   return %8 : tensor<4x1000xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<4x1000xf32>) -> tensor<4x1000xf32> {
//!   %0 = "fornax.fusion"(%arg0) ({
//!   ^bb0(%arg1: tensor<4x1000xf32>):
//!     %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
//!     %2 = stablehlo.reduce(%arg1 init: %1) applies stablehlo.maximum across dimensions = [1] :
//!         (tensor<4x1000xf32>, tensor<f32>) -> tensor<4xf32>
//!     %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xf32>) -> tensor<4x1000xf32>
//!     %4 = stablehlo.subtract %arg1, %3 : tensor<4x1000xf32>
//!     %5 = stablehlo.exponential %4 : tensor<4x1000xf32>
//!     %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!     %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] :
//!         (tensor<4x1000xf32>, tensor<f32>) -> tensor<4xf32>
//!     %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x1000xf32>
//!     %9 = stablehlo.divide %5, %8 : tensor<4x1000xf32>
//!     fornax.yield %9 : tensor<4x1000xf32>
//!   }) {hero = "row"} : (tensor<4x1000xf32>) -> tensor<4x1000xf32>
//!   return %0 : tensor<4x1000xf32>
//! }
//! ```

use fornax_graph::{BlockId, Graph, OpKind};

use super::decide::Forms;
use super::{GROUP, PHASE, build};
use crate::errors::PassError;
use crate::facts::control;
use crate::facts::ops;
use crate::observe::{Observer, Run, Turn, observed};
use crate::remarks::Pair;

/// The fused graph; the observer gets the remarks that it asks for.
pub fn observed_group(mut graph: Graph, forms: Forms, observer: &mut dyn Observer) -> Result<Graph, PassError> {
    let run = Run { phase: PHASE, name: GROUP.name, turn: Turn::Round(0) };
    let remarks = observer.remarks().is_some();
    let pairs = observed(observer, &run, &mut graph, |graph| group(graph, forms, remarks))?;
    if let Some(kept) = observer.remarks() {
        kept.extend(pairs);
    }
    Ok(graph)
}

/// Groups the ops of every entry point; gives remarks on every two neighbouring ops where they are wanted.
pub fn group(graph: &mut Graph, forms: Forms, remarks: bool) -> Result<Vec<Pair>, PassError> {
    let mut pairs = Vec::new();
    let mut fused = build::shell(graph);
    for function in control::entry_points(graph) {
        let function = &graph.functions[function];
        let Some(entry) = graph.entry(function) else { continue };
        check(graph, entry)?;
        pairs.extend(build::function(graph, (function, entry), forms, remarks, &mut fused)?);
    }
    *graph = fused;
    Ok(pairs)
}

/// Every op of a function's block must have a row in the op table and static types it can work on.
fn check(graph: &Graph, block: BlockId) -> Result<(), PassError> {
    for &op in &graph.block(block).ops {
        match graph.op(op).kind {
            OpKind::FuncReturn | OpKind::Return => {
                for &value in &graph.op(op).operands {
                    ops::check_value(graph, op, value)?;
                }
            }
            _ => {
                ops::check(graph, op)?;
                for inner in control::blocks(graph, op) {
                    check(graph, inner)?;
                }
            }
        }
    }
    Ok(())
}

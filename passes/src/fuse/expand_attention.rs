//! Groups of attention that a target has no kernel for become plain groups again.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<9x8xbf16>, %arg1: tensor<9x8xbf16>, %arg2: tensor<9x8xbf16>) -> tensor<9x8xf32> {
//!   %0 = "fornax.fusion"(%arg0, %arg1, %arg2) ({
//!   ^bb0(%arg3: tensor<9x8xbf16>, %arg4: tensor<9x8xbf16>, %arg5: tensor<9x8xbf16>):
//!     %1 = stablehlo.convert %arg3 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!     %2 = stablehlo.convert %arg4 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!     %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [1] :
//!         (tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<9x9xf32>
//!     %4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
//!     %5 = stablehlo.reduce(%3 init: %4) applies stablehlo.maximum across dimensions = [1] :
//!         (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!     %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!     %7 = stablehlo.subtract %3, %6 : tensor<9x9xf32>
//!     %8 = stablehlo.exponential %7 : tensor<9x9xf32>
//!     %9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!     %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.add across dimensions = [1] :
//!         (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!     %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!     %12 = stablehlo.divide %8, %11 : tensor<9x9xf32>
//!     %13 = stablehlo.convert %arg5 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!     %14 = stablehlo.dot_general %12, %13, contracting_dims = [1] x [0] :
//!         (tensor<9x9xf32>, tensor<9x8xf32>) -> tensor<9x8xf32>
//!     fornax.yield %14 : tensor<9x8xf32>
//!   }) {hero = "attention"} : (tensor<9x8xbf16>, tensor<9x8xbf16>, tensor<9x8xbf16>) -> tensor<9x8xf32>
//!   return %0 : tensor<9x8xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<9x8xbf16>, %arg1: tensor<9x8xbf16>, %arg2: tensor<9x8xbf16>) -> tensor<9x8xf32> {
//!   %0 = "fornax.fusion"(%arg0, %arg1) ({
//!   ^bb0(%arg3: tensor<9x8xbf16>, %arg4: tensor<9x8xbf16>):
//!     %1 = stablehlo.convert %arg3 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!     %2 = stablehlo.convert %arg4 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!     %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [1] :
//!         (tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<9x9xf32>
//!     fornax.yield %3 : tensor<9x9xf32>
//!   }) {hero = "contraction"} : (tensor<9x8xbf16>, tensor<9x8xbf16>) -> tensor<9x9xf32>
//!   %4 = "fornax.fusion"(%0) ({
//!   ^bb0(%arg5: tensor<9x9xf32>):
//!     %5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
//!     %6 = stablehlo.reduce(%arg5 init: %5) applies stablehlo.maximum across dimensions = [1] :
//!         (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!     %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!     %8 = stablehlo.subtract %arg5, %7 : tensor<9x9xf32>
//!     %9 = stablehlo.exponential %8 : tensor<9x9xf32>
//!     %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//!     %11 = stablehlo.reduce(%9 init: %10) applies stablehlo.add across dimensions = [1] :
//!         (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
//!     %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
//!     %13 = stablehlo.divide %9, %12 : tensor<9x9xf32>
//!     fornax.yield %13 : tensor<9x9xf32>
//!   }) {hero = "row"} : (tensor<9x9xf32>) -> tensor<9x9xf32>
//!   %14 = "fornax.fusion"(%arg2, %4) ({
//!   ^bb0(%arg6: tensor<9x8xbf16>, %arg7: tensor<9x9xf32>):
//!     %15 = stablehlo.convert %arg6 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
//!     %16 = stablehlo.dot_general %arg7, %15, contracting_dims = [1] x [0] :
//!         (tensor<9x9xf32>, tensor<9x8xf32>) -> tensor<9x8xf32>
//!     fornax.yield %16 : tensor<9x8xf32>
//!   }) {hero = "contraction"} : (tensor<9x8xbf16>, tensor<9x9xf32>) -> tensor<9x8xf32>
//!   return %14 : tensor<9x8xf32>
//! }
//! ```
//!
//! Input: a fused graph and a predicate that says which attention groups stay. Output: the graph with the ops of the
//! others grouped as if attention were not known: products, reductions, loops.

use super::decide::Forms;
use super::expand::Expansion;
use crate::remarks::NO_ATTENTION_KERNEL;

/// The pass's row.
pub const EXPANSION: Expansion = Expansion {
    name: "expand_attention",
    doc: "attention without a kernel on the target becomes plain groups",
    is_meant: |graph, op| graph.op(op).attrs.str("hero") == Some("attention"),
    forms: Forms::APART,
    because: NO_ATTENTION_KERNEL,
};

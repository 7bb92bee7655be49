//! Products that compute their weights, which a target has no kernel for or a dearer one, store them first.
//!
//! Before:
//! ```mlir
//! func.func public @main(%arg0: tensor<32x64xbf16>, %arg1: tensor<64x64xui8>, %arg2: tensor<64xf32>)
//!     -> tensor<32x64xf32> {
//!   %0 = "fornax.fusion"(%arg0, %arg1, %arg2) ({
//!   ^bb0(%arg3: tensor<32x64xbf16>, %arg4: tensor<64x64xui8>, %arg5: tensor<64xf32>):
//!     %1 = stablehlo.convert %arg4 : (tensor<64x64xui8>) -> tensor<64x64xf32>
//!     %2 = stablehlo.broadcast_in_dim %arg5, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
//!     %3 = stablehlo.multiply %1, %2 : tensor<64x64xf32>
//!     %4 = stablehlo.convert %3 : (tensor<64x64xf32>) -> tensor<64x64xbf16>
//!     %5 = stablehlo.dot_general %arg3, %4, contracting_dims = [1] x [1] :
//!         (tensor<32x64xbf16>, tensor<64x64xbf16>) -> tensor<32x64xf32>
//!     fornax.yield %5 : tensor<32x64xf32>
//!   }) {hero = "contraction"} : (tensor<32x64xbf16>, tensor<64x64xui8>, tensor<64xf32>) -> tensor<32x64xf32>
//!   return %0 : tensor<32x64xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func public @main(%arg0: tensor<32x64xbf16>, %arg1: tensor<64x64xui8>, %arg2: tensor<64xf32>)
//!     -> tensor<32x64xf32> {
//!   %0 = "fornax.fusion"(%arg1, %arg2) ({
//!   ^bb0(%arg3: tensor<64x64xui8>, %arg4: tensor<64xf32>):
//!     %1 = stablehlo.convert %arg3 : (tensor<64x64xui8>) -> tensor<64x64xf32>
//!     %2 = stablehlo.broadcast_in_dim %arg4, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
//!     %3 = stablehlo.multiply %1, %2 : tensor<64x64xf32>
//!     %4 = stablehlo.convert %3 : (tensor<64x64xf32>) -> tensor<64x64xbf16>
//!     fornax.yield %4 : tensor<64x64xbf16>
//!   }) {hero = "loop"} : (tensor<64x64xui8>, tensor<64xf32>) -> tensor<64x64xbf16>
//!   %5 = "fornax.fusion"(%arg0, %0) ({
//!   ^bb0(%arg5: tensor<32x64xbf16>, %arg6: tensor<64x64xbf16>):
//!     %6 = stablehlo.dot_general %arg5, %arg6, contracting_dims = [1] x [1] :
//!         (tensor<32x64xbf16>, tensor<64x64xbf16>) -> tensor<32x64xf32>
//!     fornax.yield %6 : tensor<32x64xf32>
//!   }) {hero = "contraction"} : (tensor<32x64xbf16>, tensor<64x64xbf16>) -> tensor<32x64xf32>
//!   return %5 : tensor<32x64xf32>
//! }
//! ```
//!
//! Input: a fused graph and a predicate that says which of these groups stay. Output: the graph with the ops of the
//! others grouped as if no kernel computed such weights.

use super::decide::Forms;
use super::expand::Expansion;
use crate::facts::dequantized::computes_operand;
use crate::facts::products::has_several;
use crate::remarks::NO_COMPUTED_KERNEL;

/// The pass's row.
pub const EXPANSION: Expansion = Expansion {
    name: "expand_computed",
    doc: "products that would compute their weights, without a kernel on the target, read stored ones",
    is_meant: |graph, op| !has_several(graph, op) && computes_operand(graph, op),
    forms: Forms::APART,
    because: NO_COMPUTED_KERNEL,
};

//! Groups of several products that a target has no kernel for become plain groups again, each of which may still
//! compute its weights ([`super::expand_computed`]).
//!
//! Before:
//! ```mlir
//! func.func public @main(%arg0: tensor<1x96xf32>, %arg1: tensor<96x256xf32>) -> tensor<1x128xf32> {
//!   %0 = "fornax.fusion"(%arg0, %arg1) ({
//!   ^bb0(%arg2: tensor<1x96xf32>, %arg3: tensor<96x256xf32>):
//!     %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] :
//!         (tensor<1x96xf32>, tensor<96x256xf32>) -> tensor<1x256xf32>
//!     %2 = stablehlo.slice %1 [0:1, 0:128] : (tensor<1x256xf32>) -> tensor<1x128xf32>
//!     %3 = stablehlo.slice %1 [0:1, 128:256] : (tensor<1x256xf32>) -> tensor<1x128xf32>
//!     %4 = stablehlo.tanh %2 : tensor<1x128xf32>
//!     %5 = stablehlo.multiply %4, %3 : tensor<1x128xf32>
//!     fornax.yield %5 : tensor<1x128xf32>
//!   }) {hero = "products"} : (tensor<1x96xf32>, tensor<96x256xf32>) -> tensor<1x128xf32>
//!   return %0 : tensor<1x128xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func public @main(%arg0: tensor<1x96xf32>, %arg1: tensor<96x256xf32>) -> tensor<1x128xf32> {
//!   %0 = "fornax.fusion"(%arg0, %arg1) ({
//!   ^bb0(%arg2: tensor<1x96xf32>, %arg3: tensor<96x256xf32>):
//!     %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] :
//!         (tensor<1x96xf32>, tensor<96x256xf32>) -> tensor<1x256xf32>
//!     fornax.yield %1 : tensor<1x256xf32>
//!   }) {hero = "contraction"} : (tensor<1x96xf32>, tensor<96x256xf32>) -> tensor<1x256xf32>
//!   %2 = "fornax.fusion"(%0) ({
//!   ^bb0(%arg4: tensor<1x256xf32>):
//!     %3 = stablehlo.slice %arg4 [0:1, 0:128] : (tensor<1x256xf32>) -> tensor<1x128xf32>
//!     %4 = stablehlo.slice %arg4 [0:1, 128:256] : (tensor<1x256xf32>) -> tensor<1x128xf32>
//!     %5 = stablehlo.tanh %3 : tensor<1x128xf32>
//!     %6 = stablehlo.multiply %5, %4 : tensor<1x128xf32>
//!     fornax.yield %6 : tensor<1x128xf32>
//!   }) {hero = "loop"} : (tensor<1x256xf32>) -> tensor<1x128xf32>
//!   return %2 : tensor<1x128xf32>
//! }
//! ```

use super::decide::Forms;
use super::expand::Expansion;
use crate::facts::products::has_several;
use crate::remarks::NO_PRODUCTS_KERNEL;

/// The pass's row.
pub const EXPANSION: Expansion = Expansion {
    name: "expand_products",
    doc: "several products without a kernel on the target become plain groups",
    is_meant: has_several,
    forms: Forms::SINGLE,
    because: NO_PRODUCTS_KERNEL,
};

//! Of two ops of the same kind on the same operands with the same attributes, the first serves the users of both.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %cst = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
//!   %0 = stablehlo.multiply %arg0, %cst : tensor<2xf32>
//!   %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
//!   %1 = stablehlo.multiply %arg0, %cst_0 : tensor<2xf32>
//!   %2 = stablehlo.add %0, %1 : tensor<2xf32>
//!   return %2 : tensor<2xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %cst = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
//!   %0 = stablehlo.multiply %arg0, %cst : tensor<2xf32>
//!   %1 = stablehlo.add %0, %0 : tensor<2xf32>
//!   return %1 : tensor<2xf32>
//! }
//! ```
//!
//! An op serves only where its value is visible: in its own block after it, and in the regions there. Ops with equal
//! regions (two sums over the same tensor) are equal. Random numbers and ops that act on the outside are left alone.

use fornax_graph::Graph;

use super::Options;
use crate::errors::PassError;
use crate::rewrite::equal::merge_equal;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    merge_equal(graph)
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print};
    use super::*;

    #[test]
    fn equal_reductions_merge_and_branches_do_not_share() {
        let mut graph = import(
            "func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<f32>, tensor<f32>, tensor<4xf32>) {
               %c = stablehlo.constant dense<0.0> : tensor<f32>
               %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] \
                   : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
               %1 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] \
                   : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
               %2 = \"stablehlo.if\"(%p) ({
                 %3 = stablehlo.sine %x : tensor<4xf32>
                 stablehlo.return %3 : tensor<4xf32>
               }, {
                 %3 = stablehlo.sine %x : tensor<4xf32>
                 stablehlo.return %3 : tensor<4xf32>
               }) : (tensor<i1>) -> tensor<4xf32>
               %4 = stablehlo.sine %x : tensor<4xf32>
               %5 = stablehlo.add %2, %4 : tensor<4xf32>
               return %0, %1, %5 : tensor<f32>, tensor<f32>, tensor<4xf32>
             }",
        );
        assert!(run(&mut graph, &Options::default()).unwrap());
        let after = print(&graph);
        assert_eq!(after.matches("reduce").count(), 1, "{after}");
        assert_eq!(after.matches("sine").count(), 3, "{after}");
    }
}

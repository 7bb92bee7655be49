//! A composite becomes a call of the function that says what it means.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = stablehlo.composite "my.twice" %arg0 {decomposition = @twice, version = 1 : i32}
//!       : (tensor<2xf32>) -> tensor<2xf32>
//!   return %0 : tensor<2xf32>
//! }
//! func.func private @twice(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
//!   return %0 : tensor<2xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = call @twice(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
//!   return %0 : tensor<2xf32>
//! }
//! func.func private @twice(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
//!   return %0 : tensor<2xf32>
//! }
//! ```

use fornax_graph::{Attr, AttrMap, Graph, OpKind};

use crate::rewrite::{Rewrite, sweep};
use super::{Options, symbol};
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        if rw.kind(id) != OpKind::Composite {
            return Ok(Rewrite::Keep);
        }
        let Some(callee) = symbol(rw.graph, id, "decomposition").map(str::to_owned) else {
            return Err(PassError::unsupported(rw.graph, id, "it names no decomposition"));
        };
        let op = rw.graph.op_mut(id);
        op.kind = OpKind::FuncCall;
        op.attrs = AttrMap::default();
        op.attrs.set("callee", Attr::Symbol(vec![callee]));
        op.regions.clear();
        Ok(Rewrite::Edited)
    })
}

//! A concatenation of more than 32 operands becomes a tree: its kernel reads every operand from a buffer of its own,
//! and a kernel has a bounded number of buffers.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<66xf32> {
//!   %0 = stablehlo.concatenate %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0,
//!       %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0,
//!       %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, dim = 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
//!       tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
//!       tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
//!       tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
//!       tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
//!       tensor<2xf32>, tensor<2xf32>) -> tensor<66xf32>
//!   return %0 : tensor<66xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<66xf32> {
//!   %0 = stablehlo.concatenate %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0,
//!       %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0,
//!       %arg0, %arg0, %arg0, %arg0, %arg0, dim = 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
//!       tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
//!       tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
//!       tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
//!       tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) ->
//!       tensor<64xf32>
//!   %1 = stablehlo.concatenate %0, %arg0, dim = 0 : (tensor<64xf32>, tensor<2xf32>) -> tensor<66xf32>
//!   return %1 : tensor<66xf32>
//! }
//! ```

use fornax_graph::{Attr, Dim, ElementType, Graph, NewOp, OpId, Type, ValueId};

use super::Site;
use crate::rewrite::Rewriter;
use crate::errors::PassError;
use crate::facts::ops::tensor;

/// Operands of one concatenation, at most.
const OPERANDS_MAX: usize = 32;

/// Concatenates chunks first while there are too many operands.
pub(super) fn run(graph: &mut Graph, op: OpId, _: &Site) -> Result<(), PassError> {
    while graph.op(op).operands.len() > OPERANDS_MAX {
        let data = graph.op(op).clone();
        let dimension = data.attrs.int("dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
        let mut parts: Vec<ValueId> = Vec::new();
        for chunk in data.operands.chunks(OPERANDS_MAX) {
            if let [single] = chunk {
                parts.push(*single);
                continue;
            }
            let mut ty = tensor(graph, chunk[0])?.clone();
            let mut size = Dim::Static(0);
            for &v in chunk {
                let part = tensor(graph, v)?.shape.get(dimension).copied();
                size = graph.dim_add(size, part.unwrap_or(Dim::Static(0)));
            }
            if let Some(slot) = ty.shape.get_mut(dimension) {
                *slot = size;
            }
            let element = Type::Scalar(ElementType::I64);
            let new = NewOp::new(data.kind, chunk.to_vec(), vec![Type::Tensor(ty)], data.location)
                .attr("dimension", Attr::Int(dimension as i128, element));
            parts.extend(Rewriter::before(graph, op).insert(new));
        }
        graph.op_mut(op).operands = parts;
    }
    Ok(())
}

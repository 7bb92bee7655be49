//! Ops that hand on their operand go: barriers, elements of tuples just made.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = stablehlo.optimization_barrier %arg0 : tensor<2xf32>
//!   %1 = stablehlo.tuple %0, %arg0 : tuple<tensor<2xf32>, tensor<2xf32>>
//!   %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
//!   %3 = stablehlo.negate %2 : tensor<2xf32>
//!   return %3 : tensor<2xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = stablehlo.negate %arg0 : tensor<2xf32>
//!   return %0 : tensor<2xf32>
//! }
//! ```
//!
//! `replica_id` and `partition_id` are 0 unless the module says that it has several replicas or partitions.

use fornax_graph::{Graph, OpId, OpKind};
use fornax_reference::Scalar;

use super::Options;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| Ok(erase(rw, id).unwrap_or(Rewrite::Keep)))
}

fn erase(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let op = rw.graph.op(id);
    match op.kind {
        OpKind::OptimizationBarrier => Some(Rewrite::Replace(op.operands.clone())),
        // A scalar has nothing to cut; reducers of a partly manual computation are full of such.
        OpKind::ShardingConstraint if rw.tensor(rw.operand(id, 0)?)?.rank() == 0 => {
            Some(Rewrite::Replace(rw.graph.op(id).operands.clone()))
        }
        OpKind::GetTupleElement => {
            let tuple = rw.made_by(rw.operand(id, 0)?, OpKind::Tuple)?;
            let at = usize::try_from(rw.graph.op(id).attrs.int("index")?).ok()?;
            rw.operand(tuple, at).map(Rewrite::with)
        }
        OpKind::AfterAll => match op.operands[..] {
            [only] => Some(Rewrite::with(only)),
            _ => None,
        },
        OpKind::ReplicaId => device_id(rw, id, "mhlo.num_replicas"),
        OpKind::PartitionId => device_id(rw, id, "mhlo.num_partitions"),
        _ => None,
    }
}

fn device_id(rw: &mut Rewriter, id: OpId, count: &str) -> Option<Rewrite> {
    if rw.graph.attrs.int(count).unwrap_or(1) > 1 {
        return None;
    }
    let ty = rw.tensor(rw.result(id, 0)?)?.clone();
    Some(Rewrite::with(rw.splat(&ty, Scalar::Int(0))))
}

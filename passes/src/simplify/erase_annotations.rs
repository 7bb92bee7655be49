//! Ops that hand on their operand go: barriers, elements of tuples just made, collectives among one device.
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
//! A collective goes when each of its groups has one member; `replica_id` and `partition_id` are 0 unless the module
//! says that it has several replicas or partitions.

use fornax_graph::{Attr, Graph, OpId, OpKind};
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
        OpKind::AllReduce
        | OpKind::AllGather
        | OpKind::AllToAll
        | OpKind::CollectiveBroadcast
        | OpKind::CollectiveReduce
        | OpKind::ReduceScatter
        | OpKind::CrossReplicaSum => alone(rw, id).then(|| Rewrite::Replace(rw.graph.op(id).operands.clone())),
        OpKind::CollectivePermute => {
            (op.attrs.ints("source_target_pairs")? == [0, 0]).then(|| Rewrite::Replace(op.operands.clone()))
        }
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

/// Whether `replica_groups`, a table with one group a row, has rows of one member. An empty table is one group of all.
fn alone(rw: &Rewriter, id: OpId) -> bool {
    let single = |count: &str| rw.graph.attrs.int(count).unwrap_or(1) <= 1;
    match rw.graph.op(id).attrs.get("replica_groups") {
        Some(Attr::Dense(table)) => match rw.graph.constant(*table).ty.static_shape().as_deref() {
            Some([_, 1]) => true,
            Some([1, 0] | [0, _]) => single("mhlo.num_replicas") && single("mhlo.num_partitions"),
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print};
    use super::super::simplify;
    use super::*;

    fn reduce(groups: &str, replicas: i64) -> String {
        format!(
            "module attributes {{mhlo.num_replicas = {replicas} : i32}} {{
               func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {{
                 %0 = \"stablehlo.all_reduce\"(%a) ({{
                 ^bb0(%x: tensor<f32>, %y: tensor<f32>):
                   %1 = stablehlo.add %x, %y : tensor<f32>
                   stablehlo.return %1 : tensor<f32>
                 }}) {{replica_groups = {groups}}} : (tensor<2xf32>) -> tensor<2xf32>
                 return %0 : tensor<2xf32>
               }}
             }}"
        )
    }

    #[test]
    fn one_device_needs_no_collective_and_several_are_refused() {
        for (groups, replicas) in [("dense<0> : tensor<1x1xi64>", 1), ("dense<> : tensor<0x0xi64>", 1)] {
            let mut graph = import(&reduce(groups, replicas));
            simplify(&mut graph, &Options::default()).unwrap();
            assert!(!print(&graph).contains("all_reduce"));
        }
        for groups in ["dense<[[0, 1]]> : tensor<1x2xi64>", "dense<> : tensor<0x0xi64>"] {
            let error = simplify(&mut import(&reduce(groups, 2)), &Options::default()).unwrap_err();
            assert_eq!(error.code(), "FX0301");
            assert!(error.to_string().contains("export the model for one device"), "{error}");
        }
    }
}

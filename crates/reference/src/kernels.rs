//! Which function evaluates which tensor op. Control ops are in `control`; element-wise ops are recognised by class.

use fornax_graph::OpKind;

use crate::errors::EvalError;
use crate::interpreter::Call;
use crate::tensor::Tensor;
use crate::{
    batch_norm, chlo, collective, convolution, dot, einsum, elementwise, fft, gather, linalg, reduce, rng, shape, sort,
};

/// Computes the results of one op from its operand tensors.
pub(crate) type Kernel = fn(&mut Call) -> Result<Vec<Tensor>, EvalError>;

const KERNELS: &[(OpKind, Kernel)] = &[
    (OpKind::AllGather, collective::all_gather),
    (OpKind::AllReduce, collective::all_reduce),
    (OpKind::AllToAll, collective::all_to_all),
    (OpKind::BatchNormGrad, batch_norm::grad),
    (OpKind::BatchNormInference, batch_norm::inference),
    (OpKind::BatchNormTraining, batch_norm::training),
    (OpKind::BitcastConvert, shape::bitcast_convert),
    (OpKind::Broadcast, shape::broadcast),
    (OpKind::BroadcastInDim, shape::broadcast_in_dim),
    (OpKind::Cholesky, linalg::cholesky),
    (OpKind::Collective, collective::canonical),
    (OpKind::CollectiveBroadcast, collective::broadcast),
    (OpKind::CollectivePermute, collective::permute),
    (OpKind::Concatenate, shape::concatenate),
    (OpKind::Constant, shape::constant),
    (OpKind::Convolution, convolution::convolution),
    (OpKind::Dot, dot::dot_general),
    (OpKind::DotGeneral, dot::dot_general),
    (OpKind::DynamicBroadcastInDim, shape::dynamic_broadcast_in_dim),
    (OpKind::DynamicConv, convolution::dynamic_conv),
    (OpKind::DynamicGather, gather::dynamic_gather),
    (OpKind::DynamicIota, shape::dynamic_iota),
    (OpKind::DynamicPad, shape::dynamic_pad),
    (OpKind::DynamicReshape, shape::dynamic_reshape),
    (OpKind::DynamicSlice, shape::dynamic_slice),
    (OpKind::DynamicUpdateSlice, shape::dynamic_update_slice),
    (OpKind::Einsum, einsum::einsum),
    (OpKind::Fft, fft::fft),
    (OpKind::Gather, gather::gather),
    (OpKind::GetDimensionSize, shape::get_dimension_size),
    (OpKind::Iota, shape::iota),
    (OpKind::Map, reduce::map),
    (OpKind::Pad, shape::pad),
    (OpKind::PartitionId, collective::device_id),
    (OpKind::RealDynamicSlice, shape::real_dynamic_slice),
    (OpKind::Reduce, reduce::reduce),
    (OpKind::ReduceScatter, collective::reduce_scatter),
    (OpKind::ReduceWindow, reduce::reduce_window),
    (OpKind::ReplicaId, collective::device_id),
    (OpKind::Reshape, shape::reshape),
    (OpKind::Reverse, shape::reverse),
    (OpKind::Rng, rng::rng),
    (OpKind::RngBitGenerator, rng::rng_bit_generator),
    (OpKind::Scatter, gather::scatter),
    (OpKind::SelectAndScatter, reduce::select_and_scatter),
    (OpKind::Slice, shape::slice),
    (OpKind::Sort, sort::sort),
    (OpKind::TorchIndexSelect, gather::torch_index_select),
    (OpKind::Transpose, shape::transpose),
    (OpKind::TriangularSolve, linalg::triangular_solve),
    (OpKind::UniformDequantize, elementwise::convert),
    (OpKind::UniformQuantize, elementwise::convert),
    (OpKind::UnaryEinsum, einsum::einsum),
    (OpKind::SortRuns, sort::sort),
    (OpKind::MergeRuns, sort::sort),
    (OpKind::SortedScatter, gather::scatter),
    (OpKind::UpdateInPlace, gather::scatter),
    (OpKind::ChloConstant, shape::constant),
    (OpKind::ChloConstantLike, chlo::constant_like),
    (OpKind::ChloDynamicReshape, shape::dynamic_reshape),
    (OpKind::ChloRaggedDot, chlo::ragged_dot),
    (OpKind::ChloScan, chlo::scan),
    (OpKind::ChloTopK, sort::top_k),
];

/// The kernel of a tensor op, if the evaluator defines it.
pub(crate) fn kernel(kind: OpKind) -> Option<Kernel> {
    if elementwise::is_elementwise(kind) {
        return Some(elementwise::elementwise);
    }
    if chlo::broadcast_base(kind).is_some() {
        return Some(chlo::broadcasting);
    }
    KERNELS.iter().find(|row| row.0 == kind).map(|row| row.1)
}

//! Reading constant operands: one repeated element, a short list of integers, the whole tensor.

use fornax_graph::{Attr, Constant, Graph, OpKind, ValueId};
use fornax_reference::{Scalar, Tensor};

/// The constant that defines a value.
pub fn constant_of(graph: &Graph, value: ValueId) -> Option<&Constant> {
    let op = graph.op(graph.producer(value)?);
    match (op.kind, op.attrs.get("value")?) {
        (OpKind::Constant, Attr::Dense(id)) => Some(graph.constant(*id)),
        _ => None,
    }
}

/// The element that a constant repeats, or a broadcast of one.
pub fn splat_of(graph: &Graph, value: ValueId) -> Option<Scalar> {
    let op = graph.op(graph.producer(value)?);
    let source = match (op.kind, op.operands.first()) {
        (OpKind::BroadcastInDim, Some(&source)) => source,
        _ => value,
    };
    let constant = constant_of(graph, source)?;
    Some(Scalar::read(constant.ty.element, constant.splat_bytes()?))
}

/// All elements of a short constant as integers (shapes, start indices).
pub fn ints_of(graph: &Graph, value: ValueId) -> Option<Vec<i64>> {
    const MOST: i64 = 64;
    let constant = constant_of(graph, value)?;
    let known = constant.ty.elements().is_some_and(|n| n <= MOST) && !constant.ty.element.is_quantized();
    if !known {
        return None;
    }
    let width = constant.ty.element.storage_bytes();
    let bytes = constant.to_bytes();
    let read = |chunk| i64::try_from(Scalar::read(constant.ty.element, chunk).as_int()).ok();
    bytes.chunks_exact(width).map(read).collect()
}

/// A constant as a tensor value.
pub fn tensor_of(graph: &Graph, value: ValueId) -> Option<Tensor> {
    let constant = constant_of(graph, value)?;
    Tensor::new(constant.ty.clone(), constant.to_bytes()).ok()
}

/// A tensor as a constant: a splat when all elements are the same.
pub fn to_constant(tensor: Tensor) -> Constant {
    let width = tensor.ty.element.storage_bytes();
    let Some((first, rest)) = tensor.bytes.split_at_checked(width) else {
        return Constant::splat(tensor.ty.clone(), vec![0; width]);
    };
    if rest.chunks_exact(width).all(|chunk| chunk == first) {
        return Constant::splat(tensor.ty.clone(), first.to_vec());
    }
    Constant::dense(tensor.ty, tensor.bytes)
}

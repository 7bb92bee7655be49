//! Function edges: complex arguments and results as real tensors with one more dimension, `[…, 2]` = (re, im).

use fornax_graph::{
    Attr, AttrMap, Definition, Dim, Graph, LocId, NewOp, OpKind, RegionId, TensorType, Type, Value, ValueId,
};

use super::{Number, Pair, Parts, part_tensor};
use crate::rewrite::build::ints;
use crate::rewrite::Rewriter;

/// Attribute of an argument or result that keeps the declared complex type.
pub const DECLARED_TYPE: &str = "fornax.type";

/// `tensor<…xcomplex<f32>>` → `tensor<…x2xf32>`: the same bytes.
pub fn interleaved_type(ty: &TensorType) -> TensorType {
    let mut real = part_tensor(ty);
    real.shape.push(Dim::Static(2));
    real
}

/// Gives every function real arguments and result types. Results follow when the sweep reaches the terminators.
pub fn split_functions(graph: &mut Graph, parts: &mut Parts) {
    for at in 0..graph.functions.len() {
        let declared = |ty: &Type| ty.as_tensor().filter(|tensor| tensor.element.is_complex()).cloned();
        let function = &mut graph.functions[at];
        let count = function.result_types.len();
        function.result_attrs.resize(count.max(function.result_attrs.len()), AttrMap::default());
        for (ty, attrs) in function.result_types.iter_mut().zip(&mut function.result_attrs) {
            if let Some(tensor) = declared(ty) {
                *ty = Type::Tensor(interleaved_type(&tensor));
                attrs.set(DECLARED_TYPE, Attr::Type(Type::Tensor(tensor)));
            }
        }
        let location = function.location;
        if let Some(body) = function.body {
            split_arguments(graph, at, body, location, parts);
        }
    }
}

fn split_arguments(graph: &mut Graph, function: usize, body: RegionId, location: LocId, parts: &mut Parts) {
    let Some(&entry) = graph.region(body).blocks.first() else { return };
    let arguments = graph.block(entry).arguments.clone();
    let mut place = 0;
    for (index, &old) in arguments.iter().enumerate() {
        let Some(tensor) = graph.ty(old).as_tensor().filter(|tensor| tensor.element.is_complex()).cloned() else {
            continue;
        };
        let new = ValueId(graph.values.len() as u32);
        let definition = Definition::Argument { block: entry, index: index as u32 };
        graph.values.push(Value { ty: Type::Tensor(interleaved_type(&tensor)), definition });
        graph.blocks[entry.index()].arguments[index] = new;
        let attrs = &mut graph.functions[function].argument_attrs;
        attrs.resize(attrs.len().max(arguments.len()), AttrMap::default());
        attrs[index].set(DECLARED_TYPE, Attr::Type(Type::Tensor(tensor.clone())));
        let mut insert = |op: NewOp| {
            let id = graph.insert_op(entry, place, op);
            place += 1;
            graph.op(id).results[0]
        };
        parts.set(old, [0, 1].map(|part| take_part(&mut insert, new, &tensor, part, location)));
    }
}

/// One part of an interleaved tensor: a slice of the last dimension, which then goes.
fn take_part(
    insert: &mut dyn FnMut(NewOp) -> ValueId,
    from: ValueId,
    declared: &TensorType,
    part: i64,
    location: LocId,
) -> ValueId {
    let real = part_tensor(declared);
    let rank = declared.rank();
    let with_last = |values: &[i64], last: i64| values.iter().copied().chain([last]).collect::<Vec<_>>();
    let limit: Vec<Dim> = declared.shape.iter().copied().chain([Dim::Static(part + 1)]).collect();
    let mut sliced = real.clone();
    sliced.shape.push(Dim::Static(1));
    let slice = NewOp::new(OpKind::Slice, vec![from], vec![Type::Tensor(sliced)], location)
        .attr("start_indices", ints(with_last(&vec![0; rank], part)))
        .attr("limit_indices", Attr::of_dims(&limit))
        .attr("strides", ints(vec![1; rank + 1]));
    let slice = insert(slice);
    insert(NewOp::new(OpKind::Reshape, vec![slice], vec![Type::Tensor(real)], location))
}

/// A complex value as one real tensor `[…, 2]`; a real one as it is.
pub fn interleaved(rw: &mut Rewriter, number: Number) -> ValueId {
    let parts = match number {
        Number::Real(value) => return value,
        Number::Complex(parts) => parts,
    };
    let mut shape = rw.sizes(parts[0]).unwrap_or_default();
    shape.push(Dim::Static(1));
    let columns = parts.map(|part| rw.reshape(part, &shape));
    let last = shape.len() - 1;
    shape[last] = Dim::Static(2);
    let element = rw.tensor(parts[0]).map_or(fornax_graph::ElementType::F32, |tensor| tensor.element);
    let dimension = [("dimension", crate::rewrite::build::int(last as i64))];
    let ty = Type::Tensor(TensorType { shape, element, encoding: None });
    rw.emit(OpKind::Concatenate, &columns, ty, &dimension)
}

/// The parts of an interleaved tensor whose complex type is `declared`.
pub fn deinterleaved(rw: &mut Rewriter, from: ValueId, declared: &TensorType) -> Pair {
    let location = rw.location();
    [0, 1].map(|part| take_part(&mut |op| rw.insert(op)[0], from, declared, part, location))
}

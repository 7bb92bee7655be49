//! Tuples at the edges of functions become their elements, depth first, as XLA's flat signature has them.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tuple<tensor<2xf32>, tensor<3xf32>>, %arg1: tensor<2xf32>)
//!     -> tuple<tensor<2xf32>, tensor<3xf32>> {
//!   %0 = stablehlo.get_tuple_element %arg0[0] : (tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<2xf32>
//!   %1 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<3xf32>
//!   %2 = stablehlo.add %0, %arg1 : tensor<2xf32>
//!   %3 = stablehlo.tuple %2, %1 : tuple<tensor<2xf32>, tensor<3xf32>>
//!   return %3 : tuple<tensor<2xf32>, tensor<3xf32>>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2xf32>)
//!     -> (tensor<2xf32>, tensor<3xf32>) {
//!   %0 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<2xf32>, tensor<3xf32>>
//!   %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<2xf32>
//!   %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<3xf32>
//!   %3 = stablehlo.add %1, %arg2 : tensor<2xf32>
//!   %4 = stablehlo.tuple %3, %2 : tuple<tensor<2xf32>, tensor<3xf32>>
//!   %5 = stablehlo.get_tuple_element %4[0] : (tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<2xf32>
//!   %6 = stablehlo.get_tuple_element %4[1] : (tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<3xf32>
//!   return %5, %6 : tensor<2xf32>, tensor<3xf32>
//! }
//! ```
//!
//! An empty tuple has no elements: it adds no argument and no result. Attributes of a tuple argument or result go;
//! those of the others stay. Calls are inlined by then; what is left of the tuples goes in `erase_annotations`.

use fornax_graph::{Attr, AttrMap, BlockId, Definition, ElementType, Graph, LocId, NewOp, OpId, OpKind, Type, ValueId};

use super::Options;
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    let mut changed = false;
    for at in 0..graph.functions.len() {
        let Some(entry) = graph.entry(&graph.functions[at]) else { continue };
        changed |= arguments(graph, at, entry);
        changed |= results(graph, at, entry);
    }
    Ok(changed)
}

fn is_tuple(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(_))
}

fn arguments(graph: &mut Graph, function: usize, entry: BlockId) -> bool {
    let old = graph.block(entry).arguments.clone();
    if !old.iter().any(|&v| is_tuple(graph.ty(v))) {
        return false;
    }
    graph.blocks[entry.index()].arguments.clear();
    let attrs = std::mem::take(&mut graph.functions[function].argument_attrs);
    let location = graph.functions[function].location;
    let mut kept = Vec::new();
    let mut made = 0;
    for (at, value) in old.into_iter().enumerate() {
        if is_tuple(graph.ty(value)) {
            let ty = graph.ty(value).clone();
            let tuple = gathered(graph, entry, &ty, &mut made, location);
            kept.resize(graph.block(entry).arguments.len(), AttrMap::default());
            replace(graph, value, tuple);
        } else {
            let index = graph.block(entry).arguments.len() as u32;
            graph.values[value.index()].definition = Definition::Argument { block: entry, index };
            graph.blocks[entry.index()].arguments.push(value);
            kept.push(attrs.get(at).cloned().unwrap_or_default());
        }
    }
    graph.functions[function].argument_attrs = kept;
    true
}

/// New arguments for the leaves of a type, and the ops at the block's start that make the tuple of them.
fn gathered(graph: &mut Graph, entry: BlockId, ty: &Type, made: &mut usize, location: LocId) -> ValueId {
    let Type::Tuple(parts) = ty else { return graph.add_argument(entry, ty.clone()) };
    let values = parts.iter().map(|part| gathered(graph, entry, part, made, location)).collect();
    let op = graph.insert_op(entry, *made, NewOp::new(OpKind::Tuple, values, vec![ty.clone()], location));
    *made += 1;
    graph.op(op).results[0]
}

fn replace(graph: &mut Graph, old: ValueId, new: ValueId) {
    for operand in graph.ops.iter_mut().flat_map(|op| &mut op.operands) {
        if *operand == old {
            *operand = new;
        }
    }
}

fn results(graph: &mut Graph, function: usize, entry: BlockId) -> bool {
    let Some(end) = graph.block(entry).ops.last().copied() else { return false };
    let old = graph.op(end).operands.clone();
    if graph.op(end).kind != OpKind::FuncReturn || !old.iter().any(|&v| is_tuple(graph.ty(v))) {
        return false;
    }
    let attrs = std::mem::take(&mut graph.functions[function].result_attrs);
    let (mut values, mut kept) = (Vec::new(), Vec::new());
    for (at, value) in old.into_iter().enumerate() {
        if is_tuple(graph.ty(value)) {
            leaves(graph, entry, end, value, &mut values);
            kept.resize(values.len(), AttrMap::default());
        } else {
            values.push(value);
            kept.push(attrs.get(at).cloned().unwrap_or_default());
        }
    }
    graph.functions[function].result_types = values.iter().map(|&v| graph.ty(v).clone()).collect();
    graph.functions[function].result_attrs = kept;
    graph.op_mut(end).operands = values;
    true
}

/// The elements of a tuple, read before the block's end.
fn leaves(graph: &mut Graph, entry: BlockId, end: OpId, value: ValueId, values: &mut Vec<ValueId>) {
    let Type::Tuple(parts) = graph.ty(value).clone() else { return values.push(value) };
    for (index, part) in parts.into_iter().enumerate() {
        let at = graph.block(entry).ops.len().saturating_sub(1);
        let location = graph.op(end).location;
        let element = NewOp::new(OpKind::GetTupleElement, vec![value], vec![part], location);
        let op =
            graph.insert_op(entry, at, element.attr("index", Attr::Int(index as i128, Type::Scalar(ElementType::I32))));
        let element = graph.op(op).results[0];
        leaves(graph, entry, end, element, values);
    }
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print, reimport};
    use super::super::simplify;
    use super::*;

    #[test]
    fn nested_tuples_are_numbered_depth_first() {
        let ty = "tuple<tensor<2xf32>, tuple<tensor<3xf32>, tuple<>>>";
        let mut graph = import(&format!(
            "func.func @main(%a: tensor<4xf32> {{jax.buffer_donor = true}}, %b: {ty}, \
                 %c: tensor<5xf32> {{jax.buffer_donor = true}}) -> (tensor<5xf32>, {ty}) {{
               return %c, %b : tensor<5xf32>, {ty}
             }}"
        ));
        simplify(&mut graph, &Options::default()).unwrap();
        reimport(&graph);
        let text = print(&graph);
        let signature = "(%arg0: tensor<4xf32> {jax.buffer_donor = true}, %arg1: tensor<2xf32>, %arg2: tensor<3xf32>, \
                         %arg3: tensor<5xf32> {jax.buffer_donor = true}) -> (tensor<5xf32>, tensor<2xf32>, \
                             tensor<3xf32>)";
        assert!(text.contains(signature) && text.contains("return %arg3, %arg1, %arg2"), "{text}");
    }
}

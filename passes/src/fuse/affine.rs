//! Is a chain of index ops in front of a contraction still affine, so that its inner loop needs no divisions?

use fornax_graph::{Graph, OpId, OpKind, ValueId, views};
use fornax_plan::index::{Atom, Indices};

use crate::errors::PassError;
use crate::facts::index_maps::operand_index;
use crate::facts::ops::row;
use crate::facts::picked;
use crate::facts::sizes::{list, sizes};

/// Index ops that a contraction may read through.
pub fn absorbed(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Reshape
            | OpKind::BroadcastInDim
            | OpKind::Transpose
            | OpKind::Slice
            | OpKind::Reverse
            | OpKind::Pad
            | OpKind::Convert
            | OpKind::Iota
    )
}

/// Walks from a value down through absorbed ops to the value that would be loaded, and tells whether the load's offset
/// is affine in the value's index. Also returns that base value.
pub fn chain(graph: &Graph, value: ValueId) -> Result<(bool, ValueId), PassError> {
    let mut indices = Indices::default();
    let mut index = Vec::new();
    for n in sizes(graph, value, &mut indices)? {
        let var = indices.add_sized_var(n);
        index.push(indices.var(var));
    }
    let mut at = value;
    let block = graph.producer(value).map(|op| graph.op(op).block);
    while let Some(op) = graph.producer(at) {
        let data = graph.op(op);
        // What is picked is read at the table, at another first index.
        if let Some(table) = picked::table(graph, op).filter(|_| Some(data.block) == block) {
            at = table;
            continue;
        }
        // What another block makes is in a buffer.
        if Some(data.block) != block || !absorbed(data.kind) || data.operands.is_empty() {
            break;
        }
        match data.kind {
            OpKind::Convert => {}
            OpKind::Pad => {
                if !pad_shift(graph, op, &mut index, &mut indices) {
                    return Ok((false, at));
                }
            }
            _ => match operand_index(graph, op, &index, &mut indices)? {
                Some(mapped) => index = mapped,
                None => break,
            },
        }
        at = data.operands[0];
    }
    let sizes = sizes(graph, at, &mut indices)?;
    let offset = indices.linearize_sized(&index, &sizes);
    let affine = indices.linear(offset).terms.iter().all(|t| !matches!(indices.atom(t.0), Atom::FloorDiv(..)));
    Ok((affine, at))
}

/// Pad without interior padding shifts the index; with it the map divides.
fn pad_shift(graph: &Graph, op: OpId, index: &mut [fornax_plan::IndexId], indices: &mut Indices) -> bool {
    let data = graph.op(op);
    let low = list(graph, op, "edge_padding_low", (index.len(), 0), indices);
    for (i, low) in index.iter_mut().zip(low) {
        *i = indices.sub(*i, low);
    }
    data.attrs.ints("interior_padding").is_some_and(|interior| interior.iter().all(|&n| n == 0))
}

/// Is `op` a transpose that brings the channels of a convolution's image behind its rows and columns? A window of
/// several places reads every element as often; channels next to each other are read as vectors, and as boxes by copy
/// engines, where others come one by one.
pub fn turns_image(graph: &Graph, op: OpId, convolution: OpId) -> bool {
    let (turn, reader) = (graph.op(op), graph.op(convolution));
    let (true, Some(&weights)) = (reader.kind == OpKind::Convolution, reader.operands.get(1)) else { return false };
    let numbers = views::conv_dims(reader);
    let order = views::dim_list(turn, "permutation");
    let moved = turn.kind == OpKind::Transpose && order.last().is_some_and(|&d| d + 1 != order.len());
    let read = turn.results.first() == reader.operands.first() && numbers.input_feature + 1 == order.len();
    let sizes = graph.ty(weights).as_tensor().map(|ty| &ty.shape);
    let size = |&d: &usize| sizes.and_then(|shape| shape.get(d)?.as_static());
    moved && read && numbers.kernel_spatial.iter().filter_map(size).product::<i64>() > 1
}

/// Is the value stored whatever fusion decides: an argument or a constant?
pub fn is_leaf(graph: &Graph, value: ValueId) -> bool {
    match graph.producer(value) {
        None => true,
        Some(op) => graph.op(op).kind == OpKind::Constant,
    }
}

/// Bits of the operand and result elements of a convert.
pub fn narrows(graph: &Graph, op: OpId) -> bool {
    let data = graph.op(op);
    let bits = |v: Option<&ValueId>| v.and_then(|&v| graph.ty(v).as_tensor()).map_or(0, |t| t.element.bits());
    data.kind == OpKind::Convert && bits(data.results.first()) <= bits(data.operands.first())
}

/// Is it a conversion of floats to wider ones?
pub fn widens(graph: &Graph, op: OpId) -> bool {
    let data = graph.op(op);
    let float = |v: &ValueId| graph.ty(*v).as_tensor().is_some_and(|t| t.element.is_float());
    data.kind == OpKind::Convert && data.operands.iter().chain(&data.results).all(float) && !narrows(graph, op)
}

/// Cost row of the op that makes a value; 0 for arguments.
pub fn own_cost(graph: &Graph, op: OpId) -> f64 {
    row(graph.op(op).kind).map_or(0.0, |r| f64::from(r.cost))
}

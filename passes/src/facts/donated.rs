//! What may be written where it is: arguments that the caller gives away, values that nothing reads later.

use std::collections::HashSet;

use fornax_graph::{AttrMap, BlockId, Function, Graph, OpId, OpKind, ValueId};

/// Elements below which a value is written as a whole.
const ELEMENTS_MIN: i64 = 1024;
/// How much smaller than the value its update must be.
const SHARE: i64 = 2;

/// Arguments of a function that its caller may give away.
pub fn given_away(graph: &Graph, function: &Function, entry: BlockId) -> HashSet<ValueId> {
    let marked =
        |attrs: &AttrMap| attrs.get("tf.aliasing_output").is_some() || attrs.bool("jax.buffer_donor") == Some(true);
    let arguments = graph.block(entry).arguments.iter().zip(&function.argument_attrs);
    arguments.filter(|(_, attrs)| marked(attrs)).map(|(&argument, _)| argument).collect()
}

/// Whether an op gives a buffer another name, where it stands outside the kernels.
fn is_name(kind: OpKind) -> bool {
    matches!(kind, OpKind::Reshape | OpKind::BroadcastInDim | OpKind::BitcastConvert)
}

/// The value that made the buffer which `value` names.
pub fn buffer_of(graph: &Graph, mut value: ValueId) -> ValueId {
    while let Some(op) = graph.producer(value).map(|op| graph.op(op)).filter(|op| is_name(op.kind))
        && let Some(&operand) = op.operands.first()
    {
        value = operand;
    }
    value
}

/// Whether nothing of the op's block reads a value, or another name of its buffer, behind the op, and the op reads it
/// once.
pub fn is_read_before(graph: &Graph, op: OpId, value: ValueId) -> bool {
    let mut names = HashSet::from([buffer_of(graph, value)]);
    let mut behind = false;
    for &other in &graph.block(graph.op(op).block).ops {
        let data = graph.op(other);
        if other == op {
            if data.operands.iter().filter(|v| names.contains(v)).count() != 1 || !data.operands.contains(&value) {
                return false;
            }
            behind = true;
            continue;
        }
        if is_name(data.kind) && data.operands.first().is_some_and(|v| names.contains(v)) {
            names.extend(&data.results);
            continue;
        }
        if behind {
            let mut read = data.operands.iter().any(|v| names.contains(v));
            for &block in data.regions.iter().flat_map(|&region| &graph.region(region).blocks) {
                graph.walk(block, &mut |inner| read |= graph.op(inner).operands.iter().any(|v| names.contains(v)));
            }
            if read {
                return false;
            }
        }
    }
    true
}

/// Whether an update is so much smaller than the value that writing it alone pays.
pub fn pays(elements: i64, updated: i64) -> bool {
    elements >= ELEMENTS_MIN && updated.saturating_mul(SHARE) <= elements
}

/// Whether a `dynamic_update_slice` of static shapes changes so little of a value that writing that alone would pay.
pub fn is_small_update(graph: &Graph, op: OpId) -> bool {
    let &[operand, slice, ..] = graph.op(op).operands.as_slice() else { return false };
    let elements = |value| graph.ty(value).as_tensor().and_then(|ty| ty.static_shape()).map(|s| s.iter().product());
    matches!((elements(operand), elements(slice)), (Some(whole), Some(part)) if pays(whole, part))
}

/// How often ops of a block, and of blocks in it, read a value.
pub fn reads(graph: &Graph, block: BlockId, value: ValueId) -> usize {
    let mut count = 0;
    graph.walk(block, &mut |op| count += graph.op(op).operands.iter().filter(|&&v| v == value).count());
    count
}

//! Rewrites before grouping: barriers vanish, factors of queries and keys go behind their product, wide concatenations become trees (a kernel has a bounded number of inputs),
//! long reductions to few elements become two, long sorts blocks and merges,
//! long prefix folds three, scatters of many updates sorted ones, slices that loops write scatters in place, constants that count positions.

use std::collections::HashSet;

use fornax_graph::{
    Attr, AttrMap, BlockId, Constant, Dim, ElementType, Graph, NewOp, OpId, OpKind, Storage, Type, ValueId,
};

use super::{Machines, control};
use crate::errors::PassError;
use crate::schedule::ops::{constant_of, tensor};

/// Operands of one concatenation, at most.
pub const CONCATENATE_OPERANDS_MAX: usize = 32;

/// The graph with `optimization_barrier` forwarded and wide concatenations split in its function bodies. Where `attention` is formed, its
/// reductions stay whole.
pub fn prepare(graph: &Graph, functions: &[usize], attention: bool, machines: Machines) -> Result<Graph, PassError> {
    let mut graph = graph.clone();
    let mut whole = HashSet::new();
    for &function in functions {
        let Some(entry) = graph.entry(&graph.functions[function]) else { continue };
        let blocks = control::all_blocks(&graph, entry);
        for &block in blocks.iter().filter(|_| attention) {
            for found in super::attention::find(&graph, block)? {
                super::scales::hoist(&mut graph, &found, entry)?;
                whole.extend(found.claimed);
            }
        }
        let bodies = super::update_slices::bodies(&graph, &blocks);
        let given = super::update_slices::given_away(&graph, &graph.functions[function], entry);
        for op in blocks.into_iter().flat_map(|b| graph.block(b).ops.clone()).collect::<Vec<_>>() {
            match graph.op(op).kind {
                OpKind::OptimizationBarrier => forward(&mut graph, op, entry),
                OpKind::Concatenate => split(&mut graph, op)?,
                OpKind::Constant => count(&mut graph, op, entry),
                OpKind::Reduce if is_static(&graph, op) && !whole.contains(&op) => {
                    super::split_reduce::split(&mut graph, op, entry)?
                }
                OpKind::Scatter if is_static(&graph, op) => {
                    super::split_scatter::split(&mut graph, op, entry, machines)?
                }
                OpKind::Scatter => super::split_sized_scatter::split(&mut graph, op, entry, machines)?,
                OpKind::DynamicUpdateSlice if is_static(&graph, op) => {
                    super::update_slices::split(&mut graph, op, entry, (&bodies, &given))?
                }
                OpKind::Sort if is_static(&graph, op) => super::split_sort::split(&mut graph, op, entry, machines)?,
                OpKind::Sort => super::split_sized_sort::split(&mut graph, op, entry)?,
                OpKind::ReduceWindow if is_static(&graph, op) => super::split_scan::split(&mut graph, op, entry)?,
                _ => {}
            }
        }
    }
    Ok(graph)
}

/// Sizes are checked later: nothing is rewritten that will be refused.
fn is_static(graph: &Graph, op: OpId) -> bool {
    let data = graph.op(op);
    let fits = |v: &ValueId| graph.ty(*v).as_tensor().is_some_and(|t| t.bytes().is_some());
    let sized = data.attrs.0.iter().any(|(_, attr)| matches!(attr, Attr::Dims(_)));
    !sized && data.operands.iter().chain(&data.results).all(fits)
}

/// Lets the readers of a barrier's results read its operands.
fn forward(graph: &mut Graph, barrier: OpId, entry: BlockId) {
    let (operands, results) = (graph.op(barrier).operands.clone(), graph.op(barrier).results.clone());
    let pairs: Vec<(ValueId, ValueId)> = results.into_iter().zip(operands).collect();
    replace(graph, entry, &pairs);
    graph.erase_op(barrier);
}

/// Lets every reader in a function body read the second of a pair instead of the first.
pub fn replace(graph: &mut Graph, entry: BlockId, pairs: &[(ValueId, ValueId)]) {
    let mut readers = Vec::new();
    graph.walk(entry, &mut |op| readers.push(op));
    for op in readers {
        for slot in graph.op_mut(op).operands.iter_mut() {
            if let Some(&(_, new)) = pairs.iter().find(|p| p.0 == *slot) {
                *slot = new;
            }
        }
    }
}

/// A constant a, a + 1, a + 2, … is made from positions: what compares it with them is then a bound (masks of attention), and nothing is
/// loaded.
fn count(graph: &mut Graph, op: OpId, entry: BlockId) {
    let (block, result) = (graph.op(op).block, graph.op(op).results[0]);
    let Some(constant) = constant_of(graph, result).map(|id| graph.constant(id)) else { return };
    let ty = constant.ty.clone();
    let Some(sizes) = ty.static_shape() else { return };
    let long: Vec<usize> = (0..sizes.len()).filter(|&d| sizes[d] != 1).collect();
    let (&[dimension], true) = (long.as_slice(), matches!(ty.element, ElementType::I32 | ElementType::I64)) else {
        return;
    };
    let Storage::Dense(data) = &constant.storage else { return };
    let width = ty.element.storage_bytes();
    let mut chunks = data.bytes().chunks_exact(width).map(|chunk| {
        let mut word = [if chunk[width - 1] & 0x80 == 0 { 0 } else { 0xff }; 8];
        word[..width].copy_from_slice(chunk);
        i64::from_le_bytes(word)
    });
    let Some(first) = chunks.next().filter(|v| v.abs() < 1 << 30) else { return };
    if sizes[dimension] < 2 || !chunks.zip(1..).all(|(value, at)| value == first + at) {
        return;
    }
    let data = graph.op_mut(op);
    data.kind = OpKind::Iota;
    data.attrs = AttrMap::default();
    data.attrs.set("iota_dimension", Attr::Int(dimension as i128, Type::Scalar(ElementType::I64)));
    if first == 0 {
        return;
    }
    let location = graph.op(op).location;
    let at = graph.block(block).ops.iter().position(|&o| o == op).unwrap_or(0) + 1;
    let splat = graph.add_constant(Constant::splat(ty.clone(), first.to_le_bytes()[..width].to_vec()));
    let start = NewOp::new(OpKind::Constant, Vec::new(), vec![Type::Tensor(ty.clone())], location);
    let start = graph.insert_op(block, at, start.attr("value", Attr::Dense(splat)));
    let start = graph.op(start).results[0];
    let sum =
        graph.insert_op(block, at + 1, NewOp::new(OpKind::Add, vec![start, start], vec![Type::Tensor(ty)], location));
    let whole = graph.op(sum).results[0];
    replace(graph, entry, &[(result, whole)]);
    graph.op_mut(sum).operands = vec![result, start];
}

/// Concatenates chunks first while there are too many operands.
fn split(graph: &mut Graph, op: OpId) -> Result<(), PassError> {
    while graph.op(op).operands.len() > CONCATENATE_OPERANDS_MAX {
        let data = graph.op(op).clone();
        let dimension = data.attrs.int("dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
        let mut parts: Vec<ValueId> = Vec::new();
        for chunk in data.operands.chunks(CONCATENATE_OPERANDS_MAX) {
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
            let at = graph.block(data.block).ops.iter().position(|&o| o == op).unwrap_or(0);
            let part = graph.insert_op(data.block, at, new);
            parts.push(graph.op(part).results[0]);
        }
        graph.op_mut(op).operands = parts;
    }
    Ok(())
}

//! Writes what was worked out: symbols into types, sizes and amounts into attributes, dynamic ops as static kinds.
//!
//! `dynamic_pad(x, v, low, high, interior)` whose amounts are `[0]`, `[8 - b]`, `[0]` becomes `pad` with
//! `edge_padding_high = #fornax.dims<8-b>`. A dimension that is 1 or n only at run time is broadcast by a `gather` at
//! `min(i, size - 1)`, which reads element 0 of one and element i of n. `get_dimension_size` reads an argument of the
//! function wherever one has the size, so that nothing is computed for its shape.

use std::collections::HashMap;

use fornax_graph::views::dim_list;
use fornax_graph::{Attr, AttrMap, Dim, DimDef, ElementType, Graph, OpId, OpKind, TensorType, Type, ValueId};

use crate::rewrite::build::{dims, int};
use crate::rewrite::{Rewrite, Rewriter, sweep};
use super::{Resolver, dynamic_windows, is_assertion};
use crate::errors::PassError;

/// Numbers that the operands of a dynamic op hold, from the operand given on.
type Amounts = HashMap<OpId, Vec<Vec<Dim>>>;

/// What the operands of dynamic ops hold.
#[derive(Default)]
struct Plan {
    amounts: Amounts,
    /// Sizes of slices whose place is data.
    windows: HashMap<OpId, Vec<Dim>>,
}

pub fn apply(mut resolver: Resolver, function: usize) -> Result<bool, PassError> {
    let entry = resolver.entry;
    let mut ops = Vec::new();
    resolver.graph.walk(entry, &mut |id| ops.push(id));
    let plan = plan(&mut resolver, &ops);
    let known: Vec<(ValueId, Vec<Dim>)> = known_shapes(&mut resolver, &ops);
    resolver.equal.keep_checks(resolver.graph);
    let graph = resolver.graph;
    for (value, shape) in known {
        if let Type::Tensor(tensor) = &mut graph.values[value.index()].ty {
            tensor.encoding = None;
            tensor.shape = shape;
        }
    }
    if let Some(&last) = graph.block(entry).ops.last() {
        let types = graph.op(last).operands.iter().map(|&v| graph.ty(v).clone()).collect();
        graph.functions[function].result_types = types;
    }
    let windows = ops.iter().filter(|&&id| dynamic_windows::is_one(graph, id));
    let reducers: Vec<String> = windows.filter_map(|&id| dynamic_windows::reducer_name(graph, id)).collect();
    sweep(graph, &mut |rw, id| Ok(rewrite(rw, id, &plan).unwrap_or(Rewrite::Keep)))?;
    graph.functions.retain(|f| !reducers.contains(&f.name));
    Ok(true)
}

/// The final shapes of the arguments, the results, and the arguments of regions.
fn known_shapes(resolver: &mut Resolver, ops: &[OpId]) -> Vec<(ValueId, Vec<Dim>)> {
    let mut values = resolver.graph.block(resolver.entry).arguments.clone();
    for &id in ops {
        let op = resolver.graph.op(id);
        values.extend(&op.results);
        for &region in &op.regions {
            for &block in &resolver.graph.region(region).blocks {
                values.extend(&resolver.graph.block(block).arguments);
            }
        }
    }
    values.retain(|&v| resolver.graph.ty(v).as_tensor().is_some());
    values.into_iter().map(|value| (value, resolver.shape(value))).collect()
}

fn plan(resolver: &mut Resolver, ops: &[OpId]) -> Plan {
    let mut plan = Plan::default();
    for &id in ops {
        let range = match resolver.graph.op(id).kind {
            OpKind::DynamicPad => 2..5,
            OpKind::RealDynamicSlice => 1..4,
            OpKind::DynamicGather | OpKind::DynamicConv => 2..3,
            OpKind::SetDimensionSize => 1..2,
            OpKind::CustomCall if dynamic_windows::is_one(resolver.graph, id) => {
                let first = 2 * resolver.graph.op(id).results.len();
                first..first + dynamic_windows::NAMES.len()
            }
            _ => continue,
        };
        if let Some(window) = resolver.moving_window(id) {
            plan.windows.insert(id, window);
            continue;
        }
        let operands = resolver.graph.op(id).operands.clone();
        // A slice of known sizes at an unknown place is `dynamic_slice`: see `make_static`.
        let free = resolver.graph.op(id).kind == OpKind::RealDynamicSlice && resolver.has_known_results(id);
        let held = range.map(|at| {
            let value = *operands.get(at)?;
            if free { resolver.known_contents(value) } else { resolver.contents(value) }
        });
        if let Some(held) = held.collect() {
            plan.amounts.insert(id, held);
        }
    }
    plan
}

fn rewrite(rw: &mut Rewriter, id: OpId, plan: &Plan) -> Option<Rewrite> {
    if is_assertion(rw.graph, id) {
        return Some(Rewrite::Erase);
    }
    if let Some(window) = plan.windows.get(&id) {
        return slice_at(rw, id, window);
    }
    let held = plan.amounts.get(&id);
    match rw.kind(id) {
        OpKind::DynamicReshape | OpKind::ChloDynamicReshape => Some(becomes(rw, id, OpKind::Reshape, 1, &[])),
        OpKind::DynamicIota => Some(becomes(rw, id, OpKind::Iota, 0, &[])),
        OpKind::DynamicPad => {
            let [low, high, interior] = &held?[..] else { return None };
            let set =
                [("edge_padding_low", low), ("edge_padding_high", high), ("interior_padding", interior)];
            Some(becomes(rw, id, OpKind::Pad, 2, &set))
        }
        OpKind::RealDynamicSlice => {
            let [start, limit, strides] = &held?[..] else { return None };
            let set = [("start_indices", start), ("limit_indices", limit), ("strides", strides)];
            Some(becomes(rw, id, OpKind::Slice, 1, &set))
        }
        OpKind::DynamicGather => Some(becomes(rw, id, OpKind::Gather, 2, &[("slice_sizes", held?.first()?)])),
        OpKind::DynamicConv => Some(becomes(rw, id, OpKind::Convolution, 2, &[("padding", held?.first()?)])),
        OpKind::CustomCall if dynamic_windows::is_one(rw.graph, id) => dynamic_windows::rewrite(rw, id, held?),
        OpKind::SetDimensionSize => resized(rw, id),
        OpKind::GetDimensionSize => dimension_size(rw, id),
        OpKind::BroadcastInDim | OpKind::DynamicBroadcastInDim => broadcast(rw, id),
        _ => None,
    }
}

/// The op becomes `kind` with its first `operands` operands and the amounts as attributes.
fn becomes(rw: &mut Rewriter, id: OpId, kind: OpKind, operands: usize, set: &[(&str, &Vec<Dim>)]) -> Rewrite {
    let op = rw.graph.op_mut(id);
    op.kind = kind;
    op.operands.truncate(operands);
    for (name, amounts) in set {
        op.attrs.set(name, Attr::of_dims(amounts));
    }
    Rewrite::Edited
}

/// A slice of known sizes at a start that is data: `dynamic_slice`, one scalar a dimension.
fn slice_at(rw: &mut Rewriter, id: OpId, window: &[Dim]) -> Option<Rewrite> {
    let (x, start, ty) = (rw.operand(id, 0)?, rw.operand(id, 1)?, rw.graph.ty(rw.result(id, 0)?).clone());
    let mut operands = vec![x];
    for d in 0..window.len() as i64 {
        let one = rw.slice(start, &[d], &[d + 1], &[1]);
        operands.push(rw.reshape::<i64>(one, &[]));
    }
    Some(Rewrite::with(rw.emit(OpKind::DynamicSlice, &operands, ty, &[("slice_sizes", Attr::of_dims(window))])))
}

/// The first elements of a dimension.
fn resized(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let shape = rw.tensor(rw.result(id, 0)?)?.shape.clone();
    let (zero, one) = (vec![Dim::Static(0); shape.len()], vec![Dim::Static(1); shape.len()]);
    rw.graph.op_mut(id).attrs = AttrMap::default();
    let set = [("start_indices", &zero), ("limit_indices", &shape), ("strides", &one)];
    Some(becomes(rw, id, OpKind::Slice, 1, &set))
}

fn dimension_size(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let axis = usize::try_from(rw.graph.op(id).attrs.int("dimension")?).ok()?;
    let dim = *rw.tensor(rw.operand(id, 0)?)?.shape.get(axis)?;
    let Dim::Symbolic(at) = dim else { return None };
    match rw.graph.dims.get(at as usize)?.def {
        DimDef::Value { value } if rw.tensor(value)?.rank() == 0 => {
            Some(Rewrite::with(rw.convert(value, ElementType::I32)))
        }
        _ => {
            let (argument, axis) = holder(rw.graph, rw.operand(id, 0)?, axis, dim)?;
            let op = rw.graph.op_mut(id);
            op.operands = vec![argument];
            op.attrs.set("dimension", int(axis as i64));
            Some(Rewrite::Edited)
        }
    }
}

/// An argument of the function with this size, unless it is read already.
fn holder(graph: &Graph, read: ValueId, axis: usize, dim: Dim) -> Option<(ValueId, usize)> {
    let (_, entry) = super::entry_of(graph)?;
    let mut found = None;
    for &argument in &graph.block(entry).arguments {
        let shape = graph.ty(argument).as_tensor().map(|t| t.shape.as_slice()).unwrap_or_default();
        if let Some(at) = shape.iter().position(|&d| d == dim) {
            found = found.or(Some((argument, at)));
        }
    }
    found.filter(|&place| place != (read, axis))
}

fn broadcast(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (mut x, result) = (rw.operand(id, 0)?, rw.tensor(rw.result(id, 0)?)?.clone());
    let axes = dim_list(rw.graph.op(id), "broadcast_dimensions");
    let mut stretched = false;
    for (d, &to) in axes.iter().enumerate() {
        let (from, to) = (*rw.tensor(x)?.shape.get(d)?, *result.shape.get(to)?);
        if from != to && from != Dim::Static(1) {
            x = stretch(rw, x, d, to)?;
            stretched = true;
        }
    }
    if rw.kind(id) == OpKind::BroadcastInDim && !stretched {
        return None;
    }
    let op = rw.graph.op_mut(id);
    op.kind = OpKind::BroadcastInDim;
    op.operands = vec![x];
    op.attrs.0.retain(|(name, _)| name == "broadcast_dimensions");
    Some(Rewrite::Edited)
}

/// Dimension `d` of `x`, which has one element or `to`, as `to` elements.
fn stretch(rw: &mut Rewriter, x: ValueId, d: usize, to: Dim) -> Option<ValueId> {
    let from = rw.tensor(x)?.clone();
    let index = |shape: &[Dim], element| TensorType { shape: shape.to_vec(), element, encoding: None };
    let scalar = index(&[], ElementType::I32);
    let size = rw.emit(OpKind::GetDimensionSize, &[x], Type::Tensor(scalar.clone()), &[("dimension", int(d as i64))]);
    let one = rw.splat(&scalar, fornax_reference::Scalar::Int(1));
    let last = rw.binary(OpKind::Subtract, size, one);
    let last = rw.broadcast(last, &[], &[to]);
    let positions = rw.iota(&index(&[to], ElementType::I32), 0);
    let positions = rw.binary(OpKind::Minimum, positions, last);
    let mut numbers = AttrMap::default();
    let others: Vec<usize> = (0..from.rank()).filter(|&o| o != d).collect();
    numbers.set("offset_dims", dims(&others));
    numbers.set("collapsed_slice_dims", dims(&[d]));
    numbers.set("operand_batching_dims", dims(&[]));
    numbers.set("start_indices_batching_dims", dims(&[]));
    numbers.set("start_index_map", dims(&[d]));
    numbers.set("index_vector_dim", int(1));
    let slice: Vec<Dim> = (0..from.rank()).map(|o| if o == d { Dim::Static(1) } else { from.shape[o] }).collect();
    let mut shape = from.shape.clone();
    *shape.get_mut(d)? = to;
    let attrs = [
        ("dimension_numbers", Attr::Struct("stablehlo.gather".into(), numbers)),
        ("slice_sizes", Attr::of_dims(&slice)),
        ("indices_are_sorted", Attr::Bool(true)),
    ];
    Some(rw.emit(OpKind::Gather, &[x, positions], Type::Tensor(index(&shape, from.element)), &attrs))
}

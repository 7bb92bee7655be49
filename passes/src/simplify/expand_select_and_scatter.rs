//! `select_and_scatter` (gradients of pooling) becomes a window reduction that finds which element each window selects,
//! and a sum, for every element, over the few windows that it lies in.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<0xf32>, %arg2: tensor<f32>) -> tensor<2xf32> {
//!   %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
//!   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//!     %1 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!     stablehlo.return %1 : tensor<i1>
//!   }, {
//!   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//!     %1 = stablehlo.add %a, %b : tensor<f32>
//!     stablehlo.return %1 : tensor<f32>
//!   }) {window_dimensions = array<i64: 3>} : (tensor<2xf32>, tensor<0xf32>, tensor<f32>) -> tensor<2xf32>
//!   return %0 : tensor<2xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<0xf32>, %arg2: tensor<f32>) -> tensor<2xf32> {
//!   %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2xf32>
//!   return %0 : tensor<2xf32>
//! }
//! ```
//!
//! The reduction carries pairs (value, number of the element); padding has number −1 and is never selected. Then each
//! offset in the window is one padded copy of sources and numbers, in place over the operand: an element takes the
//! source where the number is its own. A 3×3 window of stride 2 is nine selects an element in one kernel. Windows of
//! more than [`OFFSETS`] elements scatter by number. Sources of one element are combined in the order of their windows.
//! Limits: static shapes.

use fornax_graph::views::{ints_or, padding_or_zero};
use fornax_graph::{Attr, AttrMap, BlockId, ElementType, Graph, NewOp, Op, OpId, OpKind, TensorType, Type, ValueId};
use fornax_reference::Scalar;

use crate::rewrite::build::{dims, int, ints};
use super::ops::Ops;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use super::Options;
use crate::errors::PassError;

/// Windows up to so many elements are taken apart.
const OFFSETS: i64 = 128;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::SelectAndScatter => Ok(expand(rw, id).map_or(Rewrite::Keep, Rewrite::with)),
        _ => Ok(Rewrite::Keep),
    })
}

/// What the op says.
struct Window {
    size: Vec<i64>,
    strides: Vec<i64>,
    padding: Vec<(i64, i64)>,
}

fn expand(rw: &mut Rewriter, id: OpId) -> Option<ValueId> {
    let op = rw.graph.op(id).clone();
    let &[operand, source, init] = &op.operands[..] else { return None };
    let (shape, sources) = (rw.shape(operand)?, rw.shape(source)?);
    let rank = shape.len();
    let window = Window {
        size: ints_or(&op, "window_dimensions", rank, 1),
        strides: ints_or(&op, "window_strides", rank, 1),
        padding: padding_or_zero(&op, "padding", rank),
    };
    let block = |at: usize| -> Option<BlockId> { rw.graph.region(*op.regions.get(at)?).blocks.first().copied() };
    let (select, scatter) = (block(0)?, block(1)?);
    let o = &Ops::new(rw);
    let start = o.broadcast(init, &[], &shape);
    let elements: i64 = shape.iter().product();
    if elements == 0 || sources.iter().product::<i64>() == 0 {
        return Some(start);
    }
    let number = if elements < i64::from(i32::MAX) { ElementType::I32 } else { ElementType::I64 };
    let numbers = o.with(|rw| rw.iota(&TensorType::new(&[elements], number), 0));
    let numbers = o.reshape(numbers, &shape);
    let chosen = chosen(o, &op, (operand, numbers), &sources, select)?;
    if window.size.iter().product::<i64>() > OFFSETS {
        return Some(by_number(o, start, chosen, source, scatter));
    }
    let mut sum = start;
    let none = o.splat(&[], number, Scalar::Int(-1));
    let zero = o.splat(&[], o.element(source), Scalar::zero(o.element(source)));
    // An element's first window is the one in which it comes last.
    for offset in offsets(&window.size).into_iter().rev() {
        let low: Vec<i64> = (0..rank).map(|d| offset[d] - window.padding[d].0).collect();
        let interior: Vec<i64> = window.strides.iter().map(|s| s - 1).collect();
        let covered = |d: usize| low[d] + (sources[d] - 1) * window.strides[d] + 1;
        let high: Vec<i64> = (0..rank).map(|d| shape[d] - covered(d)).collect();
        let place = [&low[..], &high, &interior];
        let own = o.compare("EQ", o.pad(chosen, none, place), numbers);
        let given = o.pad(source, zero, place);
        sum = o.select(own, mapped(o, scatter, [sum, given]), sum);
    }
    Some(sum)
}

/// All positions in a box, in row-major order.
fn offsets(size: &[i64]) -> Vec<Vec<i64>> {
    size.iter().fold(vec![Vec::new()], |found, &n| {
        found.iter().flat_map(|o| (0..n).map(move |at| o.iter().copied().chain([at]).collect())).collect()
    })
}

/// The number of the element that each window selects, −1 where it lies in padding alone.
fn chosen(
    o: &Ops,
    op: &Op,
    (operand, numbers): (ValueId, ValueId),
    sources: &[i64],
    select: BlockId,
) -> Option<ValueId> {
    let (element, number) = (o.element(operand), o.element(numbers));
    let scalars = [element, number, element, number].map(|e| Type::tensor(&[], e));
    let region = o.region(&scalars, |o, v| {
        let formal = o.with(|rw| rw.graph.block(select).arguments.clone());
        let mut map = formal.into_iter().zip([v[0], v[2]]).collect();
        let kept = o.with(|rw| rw.copy_body(select, &mut map));
        let zero = o.int(v[1], 0);
        let (left, right) = (o.compare("LT", v[1], zero), o.compare("LT", v[3], zero));
        let first = o.and(o.unary(OpKind::Not, left), kept[0]);
        let first = o.or(right, first);
        vec![o.select(first, v[0], v[2]), o.select(first, v[1], v[3])]
    });
    let inits = [o.splat(&[], element, Scalar::zero(element)), o.splat(&[], number, Scalar::Int(-1))];
    let types = [element, number].map(|e| Type::tensor(sources, e)).to_vec();
    let made = o.with(|rw| {
        let mut reduce =
            NewOp::new(OpKind::ReduceWindow, vec![operand, numbers, inits[0], inits[1]], types, op.location);
        for name in ["window_strides", "padding"] {
            if let Some(attr) = op.attrs.get(name) {
                reduce.attrs.set(name, attr.clone());
            }
        }
        reduce.attrs.set("window_dimensions", ints(ints_or(op, "window_dimensions", rw.shape(operand)?.len(), 1)));
        reduce.regions.push(region);
        Some(rw.insert(reduce))
    })?;
    made.get(1).copied()
}

/// The computation on whole tensors.
fn mapped(o: &Ops, body: BlockId, operands: [ValueId; 2]) -> ValueId {
    let arguments = operands.map(|v| Type::tensor(&[], o.element(v)));
    let region = o.region(&arguments, |o, v| copied(o, body, v));
    let ty = Type::Tensor(o.ty(operands[0]));
    let rank = o.shape(operands[0]).len();
    o.with(|rw| {
        let mut map = NewOp::new(OpKind::Map, operands.to_vec(), vec![ty], rw.location());
        map.attrs.set("dimensions", dims(&(0..rank).collect::<Vec<_>>()));
        map.regions.push(region);
        rw.insert(map)[0]
    })
}

fn copied(o: &Ops, body: BlockId, arguments: &[ValueId]) -> Vec<ValueId> {
    o.with(|rw| {
        let formal = rw.graph.block(body).arguments.clone();
        rw.copy_body(body, &mut formal.into_iter().zip(arguments.iter().copied()).collect())
    })
}

/// Sources scattered into the elements as one list.
fn by_number(o: &Ops, start: ValueId, chosen: ValueId, source: ValueId, body: BlockId) -> ValueId {
    let shape = o.shape(start);
    let (elements, count) = (shape.iter().product(), o.shape(source).iter().product());
    let list = o.reshape(start, &[elements]);
    let (indices, updates) = (o.reshape(chosen, &[count, 1]), o.reshape(source, &[count]));
    let arguments = [list, updates].map(|v| Type::tensor(&[], o.element(v)));
    let region = o.region(&arguments, |o, v| copied(o, body, v));
    let mut numbers = AttrMap::default();
    numbers.set("inserted_window_dims", dims(&[0]));
    numbers.set("scatter_dims_to_operand_dims", dims(&[0]));
    numbers.set("index_vector_dim", int(1));
    let ty = Type::Tensor(o.ty(list));
    let made = o.with(|rw| {
        let mut scatter = NewOp::new(OpKind::Scatter, vec![list, indices, updates], vec![ty], rw.location())
            .attr("scatter_dimension_numbers", Attr::Struct("stablehlo.scatter".into(), numbers))
            .attr("indices_are_sorted", Attr::Bool(false))
            .attr("unique_indices", Attr::Bool(false));
        scatter.regions.push(region);
        rw.insert(scatter)[0]
    });
    o.reshape(made, &shape)
}

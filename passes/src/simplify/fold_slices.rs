//! Slices, pads, concatenations, reversals and updates that change nothing go; of one another they merge.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<10xf32>, %arg1: tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>, tensor<10xf32>) {
//!   %0 = stablehlo.slice %arg0 [2:10:2] : (tensor<10xf32>) -> tensor<4xf32>
//!   %1 = stablehlo.slice %0 [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>
//!   %2 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<10xf32>, tensor<4xf32>) -> tensor<14xf32>
//!   %3 = stablehlo.slice %2 [10:14] : (tensor<14xf32>) -> tensor<4xf32>
//!   %4 = stablehlo.reverse %arg0, dims = [0] : tensor<10xf32>
//!   %5 = stablehlo.reverse %4, dims = [0] : tensor<10xf32>
//!   return %1, %3, %5 : tensor<2xf32>, tensor<4xf32>, tensor<10xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<10xf32>, %arg1: tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>, tensor<10xf32>) {
//!   %0 = stablehlo.slice %arg0 [4:9:4] : (tensor<10xf32>) -> tensor<2xf32>
//!   return %0, %arg1, %arg0 : tensor<2xf32>, tensor<4xf32>, tensor<10xf32>
//! }
//! ```
//!
//! A pad by negative amounts only is a slice. Limits: slices of slices only where the sizes are static.

use fornax_graph::{Dim, Graph, OpId, OpKind, ValueId, views};

use super::Options;
use crate::rewrite::build::dims;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

/// A flattened concatenation has no more operands than this.
const MOST_OPERANDS: usize = 64;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        let rewrite = match rw.kind(id) {
            OpKind::Slice => slice(rw, id),
            OpKind::Pad => pad(rw, id),
            OpKind::Concatenate => concatenate(rw, id),
            OpKind::Reverse => reverse(rw, id),
            OpKind::DynamicUpdateSlice => update(rw, id),
            _ => None,
        };
        Ok(rewrite.unwrap_or(Rewrite::Keep))
    })
}

/// Start, limit and stride of a slice, one entry a dimension.
struct Ranges {
    start: Vec<i64>,
    limit: Vec<i64>,
    strides: Vec<i64>,
}

fn ranges(rw: &Rewriter, id: OpId, rank: usize) -> Option<Ranges> {
    let list = |name| rw.graph.op(id).attrs.ints(name).filter(|v| v.len() == rank);
    let (start, limit, strides) = (list("start_indices")?, list("limit_indices")?, list("strides")?);
    strides.iter().all(|&s| s > 0).then_some(Ranges { start, limit, strides })
}

fn slice(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (x, result) = (rw.operand(id, 0)?, rw.result(id, 0)?);
    if rw.graph.ty(x) == rw.graph.ty(result) {
        return Some(Rewrite::with(x));
    }
    let sizes = rw.shape(result)?;
    if sizes.contains(&0) {
        return None;
    }
    let outer = ranges(rw, id, sizes.len())?;
    if let Some(inner) = rw.made_by(x, OpKind::Slice) {
        let source = rw.operand(inner, 0)?;
        let inner = ranges(rw, inner, sizes.len())?;
        let mut both = Ranges { start: Vec::new(), limit: Vec::new(), strides: Vec::new() };
        for (d, &size) in sizes.iter().enumerate() {
            // A stride may be anything where one element is taken.
            let stride = inner.strides[d].saturating_mul(outer.strides[d]);
            let start = inner.start[d] + outer.start[d] * inner.strides[d];
            both.start.push(start);
            both.strides.push(stride);
            both.limit.push(start + (size - 1) * stride + 1);
        }
        return Some(Rewrite::with(rw.slice(source, &both.start, &both.limit, &both.strides)));
    }
    slice_of_concatenation(rw, x, outer)
}

/// A slice that touches one operand of a concatenation only.
fn slice_of_concatenation(rw: &mut Rewriter, x: ValueId, mut range: Ranges) -> Option<Rewrite> {
    let concatenation = rw.made_by(x, OpKind::Concatenate)?;
    let at = usize::try_from(rw.graph.op(concatenation).attrs.int("dimension")?).ok()?;
    let (start, limit) = (*range.start.get(at)?, *range.limit.get(at)?);
    let mut begin = 0;
    for operand in rw.graph.op(concatenation).operands.clone() {
        let end = begin + rw.shape(operand)?.get(at)?;
        if begin <= start && limit <= end {
            range.start[at] -= begin;
            range.limit[at] -= begin;
            return Some(Rewrite::with(rw.slice(operand, &range.start, &range.limit, &range.strides)));
        }
        begin = end;
    }
    None
}

fn pad(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (x, result) = (rw.operand(id, 0)?, rw.result(id, 0)?);
    let from = rw.sizes(x)?;
    rw.sizes(result)?;
    let list = |name| rw.graph.op(id).attrs.ints(name).filter(|v| v.len() == from.len());
    let (low, high, interior) = (list("edge_padding_low")?, list("edge_padding_high")?, list("interior_padding")?);
    let spread = interior.iter().zip(&from).any(|(&n, &size)| n != 0 && rw.graph.dim_bounds(size).1 > 1);
    if spread || low.iter().chain(&high).any(|&n| n > 0) {
        return None;
    }
    if low.iter().chain(&high).all(|&n| n == 0) {
        return Some(Rewrite::with(x));
    }
    let start: Vec<i64> = low.iter().map(|&n| -n).collect();
    let limit: Vec<Dim> = from.iter().zip(&high).map(|(&size, &n)| rw.graph.dim_add(size, Dim::Static(n))).collect();
    if start.iter().zip(&limit).any(|(&s, &l)| s > rw.graph.dim_bounds(l).0) {
        return None;
    }
    Some(Rewrite::with(rw.slice_to(x, &start, &limit, &vec![1; from.len()])))
}

/// Operands without elements go, operands that are themselves concatenations are listed one by one.
fn concatenate(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let op = rw.graph.op(id).clone();
    let dimension = op.attrs.int("dimension")?;
    let mut flat = Vec::new();
    for &operand in &op.operands {
        let inner = rw.made_by(operand, OpKind::Concatenate).map(|inner| rw.graph.op(inner));
        match inner.filter(|inner| inner.attrs.int("dimension") == Some(dimension)) {
            Some(inner) => flat.extend(inner.operands.iter().copied()),
            None => flat.push(operand),
        }
    }
    if flat.len() > MOST_OPERANDS.max(op.operands.len()) {
        flat = op.operands.clone();
    }
    flat.retain(|&v| rw.tensor(v).and_then(|ty| ty.elements()) != Some(0));
    match flat[..] {
        [] => None,
        [only] => Some(Rewrite::with(only)),
        _ if flat == op.operands => None,
        _ => {
            rw.graph.op_mut(id).operands = flat;
            Some(Rewrite::Edited)
        }
    }
}

/// Dimensions of one element are not reversed; two reversals together reverse what only one of them does.
fn reverse(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let x = rw.operand(id, 0)?;
    let sizes = rw.sizes(x)?;
    let given = views::dim_list(rw.graph.op(id), "dimensions");
    let mut transposed: Vec<usize> = given.iter().copied().filter(|&d| sizes.get(d) != Some(&Dim::Static(1))).collect();
    let mut source = x;
    if let Some(inner) = rw.made_by(x, OpKind::Reverse) {
        source = rw.operand(inner, 0)?;
        for d in views::dim_list(rw.graph.op(inner), "dimensions") {
            match transposed.iter().position(|&t| t == d) {
                Some(at) => drop(transposed.remove(at)),
                None => transposed.push(d),
            }
        }
    }
    if transposed.is_empty() {
        return Some(Rewrite::with(source));
    }
    if source == x && transposed == given {
        return None;
    }
    transposed.sort_unstable();
    let op = rw.graph.op_mut(id);
    op.operands = vec![source];
    op.attrs.set("dimensions", dims(&transposed));
    Some(Rewrite::Edited)
}

/// An update of everything is the update.
fn update(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (x, update) = (rw.operand(id, 0)?, rw.operand(id, 1)?);
    rw.sizes(update)?;
    (rw.graph.ty(x) == rw.graph.ty(update)).then(|| Rewrite::with(update))
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print};
    use super::*;

    #[test]
    fn empty_operands_and_nested_concatenations_flatten() {
        let mut graph = import(
            "func.func @main(%a: tensor<2xf32>, %b: tensor<0xf32>, %c: tensor<3xf32>) -> tensor<7xf32> {
               %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<0xf32>) -> tensor<2xf32>
               %1 = stablehlo.concatenate %0, %c, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
               %2 = stablehlo.concatenate %1, %a, dim = 0 : (tensor<5xf32>, tensor<2xf32>) -> tensor<7xf32>
               return %2 : tensor<7xf32>
             }",
        );
        assert!(run(&mut graph, &Options::default()).unwrap());
        super::super::erase_unused::run(&mut graph, &Options::default()).unwrap();
        let text = print(&graph);
        assert!(text.contains("concatenate %arg0, %arg2, %arg0"), "{text}");
    }

    #[test]
    fn a_negative_pad_is_a_slice() {
        let mut graph = import(
            "func.func @main(%a: tensor<9xf32>, %z: tensor<f32>) -> tensor<6xf32> {
               %0 = stablehlo.pad %a, %z, low = [-1], high = [-2], interior = [0] \
                   : (tensor<9xf32>, tensor<f32>) -> tensor<6xf32>
               return %0 : tensor<6xf32>
             }",
        );
        assert!(run(&mut graph, &Options::default()).unwrap());
        assert!(print(&graph).contains("stablehlo.slice %arg0 [1:7]"));
    }
}

//! A scatter that lists every position of a window scatters windows; one of a single window is an update of a slice.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<8x3xf32>, %arg1: tensor<1xi32>, %arg2: tensor<1x3xf32>) -> tensor<8x3xf32> {
//!   %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = true,
//!       scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
//!       scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
//!   ^bb0(%old: tensor<f32>, %new: tensor<f32>):
//!     stablehlo.return %new : tensor<f32>
//!   }) : (tensor<8x3xf32>, tensor<1xi32>, tensor<1x3xf32>) -> tensor<8x3xf32>
//!   return %0 : tensor<8x3xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<8x3xf32>, %arg1: tensor<1xi32>, %arg2: tensor<1x3xf32>) -> tensor<8x3xf32> {
//!   %0 = stablehlo.slice %arg1 [0:1] : (tensor<1xi32>) -> tensor<1xi32>
//!   %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
//!   %c = stablehlo.constant dense<0> : tensor<i32>
//!   %c_0 = stablehlo.constant dense<7> : tensor<i32>
//!   %2 = stablehlo.compare GE, %1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!   %3 = stablehlo.compare LE, %1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!   %4 = stablehlo.and %2, %3 : tensor<i1>
//!   %c_1 = stablehlo.constant dense<0> : tensor<i32>
//!   %5 = stablehlo.dynamic_slice %arg0, %1, %c_1, sizes = [1, 3]
//!       : (tensor<8x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
//!   %6 = stablehlo.select %4, %arg2, %5 : tensor<i1>, tensor<1x3xf32>
//!   %7 = stablehlo.dynamic_update_slice %arg0, %6, %1, %c_1
//!       : (tensor<8x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<8x3xf32>
//!   return %7 : tensor<8x3xf32>
//! }
//! ```
//!
//! The first form is what PyTorch's `index_copy` of a cache becomes: index components that count along dimensions of
//! the updates. Limits: known sizes, one operand, no batching dimensions, updates that replace; windows are listed
//! whole.

use fornax_graph::ops::{self, Trait};
use fornax_graph::{Attr, AttrMap, ElementType, OpId, OpKind, TensorType, Type, ValueId, Graph, views};
use fornax_reference::Scalar;

use super::Options;
use crate::rewrite::build::{dims, int, ints};
use super::constants::{ints_of, splat_of};
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        if rw.kind(id) != OpKind::Scatter || rw.graph.op(id).operands.len() != 3 {
            return Ok(Rewrite::Keep);
        }
        if windows(rw, id).is_some() {
            return Ok(Rewrite::Edited);
        }
        Ok(update(rw, id).map_or(Rewrite::Keep, Rewrite::with))
    })
}

/// Components of the index that count along a dimension of the updates become window dimensions.
fn windows(rw: &mut Rewriter, id: OpId) -> Option<()> {
    let op = rw.graph.op(id);
    let numbers = views::scatter_dims(op);
    let (indices, sorted) = (op.operands[1], op.attrs.bool("indices_are_sorted").unwrap_or(false));
    let [of, listed, updates] = [op.operands[0], indices, op.operands[2]].map(|v| rw.shape(v));
    let (of, listed, updates) = (of?, listed?, updates?);
    let last = listed.len().checked_sub(1)?;
    let plain = numbers.update_window_dims.is_empty()
        && numbers.input_batching_dims.is_empty()
        && numbers.index_vector_dim == last
        && listed[..last] == updates[..]
        && !listed.contains(&0);
    let made = rw.made_by(indices, OpKind::Concatenate).filter(|_| plain && !sorted)?;
    let pieces = rw.graph.op(made).operands.clone();
    let single = |rw: &Rewriter, &v: &ValueId| rw.shape(v).is_some_and(|s| s.last() == Some(&1));
    if rw.graph.op(made).attrs.int("dimension") != i64::try_from(last).ok()
        || pieces.len() != numbers.scatter_dims_to_operand_dims.len()
        || !pieces.iter().all(|v| single(rw, v))
    {
        return None;
    }
    // (dimension of the operand, of the updates) that run together.
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut left = Vec::new();
    for (at, (&piece, &to)) in pieces.iter().zip(&numbers.scatter_dims_to_operand_dims).enumerate() {
        match counts(rw, piece, 16).filter(|&d| d < last && updates[d] == of[to] && pairs.iter().all(|p| p.1 != d)) {
            Some(d) => pairs.push((to, d)),
            None => left.push((at, to)),
        }
    }
    // What is listed once for all of a window is the same along it.
    let changing: Vec<Vec<bool>> = left.iter().map(|&(at, _)| changes(rw, pieces[at], 16)).collect::<Option<_>>()?;
    if pairs.iter().any(|p| changing.iter().any(|along| along[p.1])) {
        return None;
    }
    pairs.sort_unstable();
    if pairs.is_empty() || left.is_empty() || !pairs.is_sorted_by_key(|p| p.1) {
        return None;
    }
    let (start, mut limit) = (vec![0; listed.len()], listed.clone());
    limit[last] = 1;
    pairs.iter().for_each(|p| limit[p.1] = 1);
    let kept: Vec<i64> =
        (0..last).filter(|d| pairs.iter().all(|p| p.1 != *d)).map(|d| listed[d]).chain([1]).collect();
    let parts: Vec<ValueId> = left
        .iter()
        .map(|&(at, _)| {
            let part = rw.slice(pieces[at], &start, &limit, &vec![1; listed.len()]);
            rw.reshape(part, &kept)
        })
        .collect();
    let element = rw.tensor(indices)?.element;
    let along = kept.len() - 1;
    let joined = match parts[..] {
        [one] => one,
        _ => {
            let mut shape = kept;
            shape[along] = parts.len() as i64;
            rw.emit(OpKind::Concatenate, &parts, Type::tensor(&shape, element), &[("dimension", int(along as i64))])
        }
    };
    let windows: Vec<usize> = pairs.iter().map(|p| p.1).collect();
    let inserted: Vec<usize> = (0..of.len()).filter(|d| pairs.iter().all(|p| p.0 != *d)).collect();
    let to: Vec<usize> = left.iter().map(|l| l.1).collect();
    let mut fields = AttrMap::default();
    fields.set("update_window_dims", dims(&windows));
    fields.set("inserted_window_dims", dims(&inserted));
    fields.set("scatter_dims_to_operand_dims", dims(&to));
    fields.set("index_vector_dim", int(along as i64));
    let op = rw.graph.op_mut(id);
    op.operands[1] = joined;
    op.attrs.set("scatter_dimension_numbers", Attr::Struct("stablehlo.scatter".into(), fields));
    Some(())
}

/// The dimension along which an integer tensor counts 0, 1, …, being the same along all others.
fn counts(rw: &Rewriter, value: ValueId, depth: usize) -> Option<usize> {
    let shape = rw.shape(value)?;
    let op = rw.graph.op(rw.graph.producer(value).filter(|_| depth > 0)?);
    let inner = || counts(rw, *op.operands.first()?, depth - 1);
    match op.kind {
        OpKind::Iota => usize::try_from(op.attrs.int("iota_dimension")?).ok(),
        OpKind::Convert => {
            let element = |v: &ValueId| rw.tensor(*v).map(|ty| ty.element);
            let (from, to) = (element(op.operands.first()?)?, element(&value)?);
            (counts_in(from) && counts_in(to)).then(inner).flatten()
        }
        OpKind::BroadcastInDim => {
            let (at, source) = (inner()?, rw.shape(*op.operands.first()?)?);
            let to = *views::dim_list(op, "broadcast_dimensions").get(at)?;
            (source.get(at) == shape.get(to)).then_some(to)
        }
        OpKind::Reshape => {
            let (at, source) = (inner()?, rw.shape(*op.operands.first()?)?);
            let many = |shape: &[i64]| (0..shape.len()).filter(|&d| shape[d] != 1).collect::<Vec<_>>();
            let (from, to) = (many(&source), many(&shape));
            let same = from.len() == to.len() && from.iter().zip(&to).all(|(&a, &b)| source[a] == shape[b]);
            from.iter().position(|&d| d == at).filter(|_| same).map(|p| to[p])
        }
        OpKind::Constant => {
            let values = ints_of(rw.graph, value)?;
            let along = |d: usize| {
                let inside: i64 = shape[d + 1..].iter().product();
                shape[d] > 1 && values.iter().zip(0..).all(|(&v, at)| v == at / inside % shape[d])
            };
            (0..shape.len()).find(|&d| along(d))
        }
        _ => None,
    }
}

/// Along which dimensions the elements of a tensor may differ.
fn changes(rw: &Rewriter, value: ValueId, depth: usize) -> Option<Vec<bool>> {
    let shape = rw.shape(value)?;
    let any: Vec<bool> = shape.iter().map(|&n| n != 1).collect();
    let Some(op) = rw.graph.producer(value).filter(|_| depth > 0).map(|id| rw.graph.op(id)) else { return Some(any) };
    let inner = || changes(rw, *op.operands.first()?, depth - 1);
    Some(match op.kind {
        OpKind::Iota => {
            let along = usize::try_from(op.attrs.int("iota_dimension")?).ok()?;
            (0..shape.len()).map(|d| d == along && any[d]).collect()
        }
        OpKind::BroadcastInDim => {
            let (axes, source) = (views::dim_list(op, "broadcast_dimensions"), inner()?);
            let from = |d: usize| axes.iter().position(|&to| to == d).and_then(|at| source.get(at).copied());
            (0..shape.len()).map(|d| from(d).unwrap_or(false)).collect()
        }
        OpKind::Reshape => {
            let (along, source) = (inner()?, rw.shape(*op.operands.first()?)?);
            let many = |shape: &[i64]| (0..shape.len()).filter(|&d| shape[d] != 1).collect::<Vec<_>>();
            let (from, to) = (many(&source), many(&shape));
            let same = from.len() == to.len() && from.iter().zip(&to).all(|(&a, &b)| source[a] == shape[b]);
            let of = |d: usize| to.iter().position(|&t| t == d).is_some_and(|at| along[from[at]]);
            if same { (0..shape.len()).map(of).collect() } else { any }
        }
        OpKind::Constant if splat_of(rw.graph, value).is_some() => vec![false; shape.len()],
        kind if ops::row(kind).has(Trait::Elementwise) => {
            let mut along = vec![false; shape.len()];
            for &operand in op.operands.iter().filter(|&&v| rw.shape(v).is_some_and(|s| s.len() == shape.len())) {
                let own = changes(rw, operand, depth - 1)?;
                along.iter_mut().zip(own).for_each(|(all, own)| *all |= own);
            }
            along
        }
        _ => any,
    })
}

/// Integers that hold every size.
fn counts_in(element: ElementType) -> bool {
    matches!(element, ElementType::I32 | ElementType::I64 | ElementType::Ui32 | ElementType::Ui64)
}

/// A scatter of one window whose update replaces: the slice if the window lies inside of the operand.
fn update(rw: &mut Rewriter, id: OpId) -> Option<ValueId> {
    let op = rw.graph.op(id);
    let numbers = views::scatter_dims(op);
    let &[of, indices, updates] = &op.operands[..] else { return None };
    if !replaces(rw, id) || !numbers.input_batching_dims.is_empty() {
        return None;
    }
    let (sizes, listed, given) = (rw.shape(of)?, rw.shape(indices)?, rw.shape(updates)?);
    let windowed: Vec<usize> = (0..sizes.len()).filter(|d| !numbers.inserted_window_dims.contains(d)).collect();
    let scattered = (0..given.len()).filter(|d| !numbers.update_window_dims.contains(d));
    let one = scattered.map(|d| given[d]).product::<i64>() == 1;
    let element = rw.tensor(indices)?.element;
    let components = numbers.scatter_dims_to_operand_dims.len();
    let vectors = listed.iter().product::<i64>() == components as i64;
    if !one || !vectors || !counts_in(element) || windowed.len() != numbers.update_window_dims.len() {
        return None;
    }
    let mut window = vec![1; sizes.len()];
    for (&d, &from) in windowed.iter().zip(&numbers.update_window_dims) {
        window[d] = *given.get(from)?;
    }
    let too_long = window.iter().zip(&sizes).any(|(w, n)| w > n || *w == 0);
    let fits = sizes.iter().all(|&n| i32::try_from(n).is_ok());
    if too_long || !fits {
        return None;
    }
    let parts = components_of(rw, indices, components);
    let scalar = TensorType::new(&[], element);
    let mut starts: Vec<Option<ValueId>> = vec![None; sizes.len()];
    let mut inside: Option<ValueId> = None;
    for (at, &d) in numbers.scatter_dims_to_operand_dims.iter().enumerate() {
        let start = rw.reshape::<i64>(parts[at], &[]);
        let zero = rw.splat(&scalar, Scalar::Int(0));
        let most = rw.splat(&scalar, Scalar::Int(i128::from(sizes[d] - window[d])));
        for test in [rw.compare("GE", start, zero), rw.compare("LE", start, most)] {
            inside = Some(inside.map_or(test, |before| rw.binary(OpKind::And, before, test)));
        }
        starts[d] = Some(start);
    }
    let zero = rw.splat(&scalar, Scalar::Int(0));
    let starts: Vec<ValueId> = starts.into_iter().map(|s| s.unwrap_or(zero)).collect();
    let stored = rw.tensor(of)?.element;
    let operands: Vec<ValueId> = [of].into_iter().chain(starts.iter().copied()).collect();
    let part = Type::tensor(&window, stored);
    let old = rw.emit(OpKind::DynamicSlice, &operands, part, &[("slice_sizes", ints(&window))]);
    let new = rw.reshape(updates, &window);
    let new = match inside {
        Some(inside) => rw.select(inside, new, old),
        None => new,
    };
    let operands: Vec<ValueId> = [of, new].into_iter().chain(starts).collect();
    let ty = rw.graph.ty(of).clone();
    Some(rw.emit(OpKind::DynamicUpdateSlice, &operands, ty, &[]))
}

/// The components of a single index vector, each a value of one element.
fn components_of(rw: &mut Rewriter, indices: ValueId, count: usize) -> Vec<ValueId> {
    let pieces = rw.made_by(indices, OpKind::Concatenate).map(|op| rw.graph.op(op).operands.clone());
    match pieces {
        Some(pieces) if pieces.len() == count => pieces,
        _ => {
            let flat = rw.reshape(indices, &[count as i64]);
            (0..count as i64).map(|at| rw.slice(flat, &[at], &[at + 1], &[1])).collect()
        }
    }
}

/// Does the region return the update?
fn replaces(rw: &Rewriter, id: OpId) -> bool {
    let Some(&region) = rw.graph.op(id).regions.first() else { return false };
    let &[block] = &rw.graph.region(region).blocks[..] else { return false };
    let block = rw.graph.block(block);
    let (&[end], &[_, update]) = (&block.ops[..], &block.arguments[..]) else { return false };
    rw.graph.op(end).operands == [update]
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print, reimport};
    use super::*;

    #[test]
    fn a_cache_that_is_written_element_by_element_takes_a_slice() {
        let mut graph = import(
            "func.func @main(%cache: tensor<1x20x5x4xbf16>, %place: tensor<1xi64>, %new: tensor<1x20x1x4xbf16>) \
                 -> tensor<1x20x5x4xbf16> {
               %z = stablehlo.constant dense<0> : tensor<1x20x1x4x1xi64>
               %h = stablehlo.iota dim = 0 : tensor<20xi64>
               %0 = stablehlo.broadcast_in_dim %h, dims = [1] : (tensor<20xi64>) -> tensor<1x20x1x4xi64>
               %1 = stablehlo.reshape %0 : (tensor<1x20x1x4xi64>) -> tensor<1x20x1x4x1xi64>
               %2 = stablehlo.broadcast_in_dim %place, dims = [2] : (tensor<1xi64>) -> tensor<1x20x1x4x1xi64>
               %f = stablehlo.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
               %3 = stablehlo.broadcast_in_dim %f, dims = [3] : (tensor<4xi64>) -> tensor<1x20x1x4x1xi64>
               %4 = stablehlo.concatenate %z, %1, %2, %3, dim = 4 : (tensor<1x20x1x4x1xi64>, tensor<1x20x1x4x1xi64>, \
                   tensor<1x20x1x4x1xi64>, tensor<1x20x1x4x1xi64>) -> tensor<1x20x1x4x4xi64>
               %5 = \"stablehlo.scatter\"(%cache, %4, %new) <{indices_are_sorted = false, \
                   scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2, 3], \
                   scatter_dims_to_operand_dims = [0, 1, 2, 3], index_vector_dim = 4>, unique_indices = false}> ({
               ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
                 stablehlo.return %q : tensor<bf16>
               }) : (tensor<1x20x5x4xbf16>, tensor<1x20x1x4x4xi64>, tensor<1x20x1x4xbf16>) -> tensor<1x20x5x4xbf16>
               return %5 : tensor<1x20x5x4xbf16>
             }",
        );
        super::super::simplify(&mut graph, &Options::default()).unwrap();
        reimport(&graph);
        let text = print(&graph);
        assert!(
            !text.contains("scatter")
                && text.contains("dynamic_update_slice")
                && text.contains("sizes = [1, 20, 1, 4]"),
            "{text}"
        );
    }

    /// Rows are listed whole, but each has columns of its own.
    #[test]
    fn an_index_that_differs_within_the_window_stays() {
        let text = |index: &str| {
            format!(
                "func.func @main(%x: tensor<4x9xf32>, %i: tensor<4x3xi64>, %j: tensor<3xi64>, %u: tensor<4x3xf32>) \
                     -> tensor<4x9xf32> {{
                   %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi64>
                   %1 = {index} -> tensor<4x3x1xi64>
                   %2 = stablehlo.concatenate %0, %1, dim = 2 \
                       : (tensor<4x3x1xi64>, tensor<4x3x1xi64>) -> tensor<4x3x2xi64>
                   %3 = \"stablehlo.scatter\"(%x, %2, %u) <{{indices_are_sorted = false, \
                       scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], \
                       scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}}> ({{
                   ^bb0(%p: tensor<f32>, %q: tensor<f32>):
                     stablehlo.return %q : tensor<f32>
                   }}) : (tensor<4x9xf32>, tensor<4x3x2xi64>, tensor<4x3xf32>) -> tensor<4x9xf32>
                   return %3 : tensor<4x9xf32>
                 }}"
            )
        };
        let own = text("stablehlo.reshape %i : (tensor<4x3xi64>)");
        assert!(!run(&mut import(&own), &Options::default()).unwrap());
        let same = text("stablehlo.broadcast_in_dim %j, dims = [1] : (tensor<3xi64>)");
        let mut graph = import(&same);
        assert!(run(&mut graph, &Options::default()).unwrap());
        assert!(print(&graph).contains("update_window_dims = [0]"));
    }

    #[test]
    fn sums_and_several_windows_stay_scatters() {
        for (shape, result) in [("2x3", "%new"), ("1x3", "%sum")] {
            let rows = &shape[..1];
            let mut graph = import(&format!(
                "func.func @main(%x: tensor<8x3xf32>, %i: tensor<{rows}x1xi32>, %u: tensor<{shape}xf32>) \
                     -> tensor<8x3xf32> {{
                   %0 = \"stablehlo.scatter\"(%x, %i, %u) \
                       <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], \
                       inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
                   ^bb0(%old: tensor<f32>, %new: tensor<f32>):
                     %sum = stablehlo.add %old, %new : tensor<f32>
                     stablehlo.return {result} : tensor<f32>
                   }}) : (tensor<8x3xf32>, tensor<{rows}x1xi32>, tensor<{shape}xf32>) -> tensor<8x3xf32>
                   return %0 : tensor<8x3xf32>
                 }}"
            ));
            assert!(!run(&mut graph, &Options::default()).unwrap());
        }
    }
}

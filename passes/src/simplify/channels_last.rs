//! Convolutions of images whose channels come before their rows and columns (as PyTorch writes them) have them last,
//! and so has what is computed from them: kernels read and store channels next to each other.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2x8x5x6xf32>, %arg1: tensor<9x8x3x3xf32>, %arg2: tensor<2x9x3x4xf32>)
//!     -> tensor<2x9x3x4xf32> {
//!   %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
//!       window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
//!       : (tensor<2x8x5x6xf32>, tensor<9x8x3x3xf32>) -> tensor<2x9x3x4xf32>
//!   %1 = stablehlo.add %0, %arg2 : tensor<2x9x3x4xf32>
//!   return %1 : tensor<2x9x3x4xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2x8x5x6xf32>, %arg1: tensor<9x8x3x3xf32>, %arg2: tensor<2x9x3x4xf32>)
//!     -> tensor<2x9x3x4xf32> {
//!   %0 = stablehlo.transpose %arg0, dims = [0, 2, 3, 1] : (tensor<2x8x5x6xf32>) -> tensor<2x5x6x8xf32>
//!   %1 = stablehlo.convolution(%0, %arg1) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f],
//!       window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
//!       : (tensor<2x5x6x8xf32>, tensor<9x8x3x3xf32>) -> tensor<2x3x4x9xf32>
//!   %2 = stablehlo.transpose %arg2, dims = [0, 2, 3, 1] : (tensor<2x9x3x4xf32>) -> tensor<2x3x4x9xf32>
//!   %3 = stablehlo.add %1, %2 : tensor<2x3x4x9xf32>
//!   %4 = stablehlo.transpose %3, dims = [0, 3, 1, 2] : (tensor<2x3x4x9xf32>) -> tensor<2x9x3x4xf32>
//!   return %4 : tensor<2x9x3x4xf32>
//! }
//! ```
//!
//! A transpose that brings channels back to the front moves behind elementwise ops, sums, windows, pads, slices,
//! concatenations and reshapes that make one dimension of rows and columns, until it meets its inverse or something
//! else. Limits: four dimensions and more; images of fewer than [`FEW`] channels stay as they are given, since they
//! fill no vector.

use fornax_graph::ops::{Trait, row};
use fornax_graph::{Attr, AttrMap, Dim, Graph, NewOp, OpId, OpKind, TensorType, Type, ValueId, views};

use super::Options;
use crate::rewrite::build::{dims, int};
use crate::rewrite::copy::ValueMap;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

/// Channels from which on they lie last.
pub(super) const FEW: i64 = 8;
/// Ranks that have channels, rows and columns.
const RANKS: std::ops::RangeInclusive<usize> = 4..=8;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        let rewrite = match rw.kind(id) {
            OpKind::Convolution => convolution(rw, id),
            OpKind::Reduce => reduce(rw, id),
            OpKind::ReduceWindow | OpKind::Pad | OpKind::Slice => of_image(rw, id),
            OpKind::Concatenate => elementwise(rw, id),
            OpKind::Reshape => reshape(rw, id),
            kind if row(kind).has(Trait::Elementwise) => elementwise(rw, id),
            _ => None,
        };
        Ok(rewrite.unwrap_or(Rewrite::Keep))
    })
}

/// `[b, c, …]` from `[b, …, c]`.
fn to_front(rank: usize) -> Vec<usize> {
    [0, rank - 1].into_iter().chain(1..rank - 1).collect()
}

/// `[b, …, c]` from `[b, c, …]`.
fn to_back(rank: usize) -> Vec<usize> {
    [0].into_iter().chain(2..rank).chain([1]).collect()
}

fn permuted<T: Copy>(list: &[T], permutation: &[usize]) -> Vec<T> {
    permutation.iter().filter_map(|&d| list.get(d).copied()).collect()
}

fn convolution(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let op = rw.graph.op(id);
    let (&[x, _], &[result]) = (&op.operands[..], &op.results[..]) else { return None };
    let numbers = views::conv_dims(op);
    let rank = numbers.input_spatial.len() + 2;
    if !RANKS.contains(&rank) {
        return None;
    }
    let in_front = |batch: usize, feature: usize, spatial: &[usize]| {
        batch == 0 && feature == 1 && spatial.iter().copied().eq(2..rank)
    };
    let many = |rw: &Rewriter, value: ValueId| {
        rw.tensor(value).and_then(|ty| ty.shape.get(1)).is_some_and(|&n| n.as_static().is_none_or(|n| n >= FEW))
    };
    let read = in_front(numbers.input_batch, numbers.input_feature, &numbers.input_spatial) && many(rw, x);
    let stored = in_front(numbers.output_batch, numbers.output_feature, &numbers.output_spatial) && many(rw, result);
    if !read && !stored {
        return None;
    }
    let Some(Attr::Struct(name, fields)) = rw.graph.op(id).attrs.get("dimension_numbers") else { return None };
    let (name, mut fields): (String, AttrMap) = (name.clone(), fields.clone());
    let mut new = rw.copy_op(id, &mut ValueMap::new());
    let spatial: Vec<usize> = (1..rank - 1).collect();
    if read {
        new.operands[0] = rw.transpose(x, &to_back(rank));
        fields.set("input_feature_dimension", int(rank as i64 - 1));
        fields.set("input_spatial_dimensions", dims(&spatial));
    }
    if stored {
        let ty = rw.tensor(result)?;
        new.result_types = vec![Type::Tensor(TensorType { shape: permuted(&ty.shape, &to_back(rank)), ..ty.clone() })];
        fields.set("output_feature_dimension", int(rank as i64 - 1));
        fields.set("output_spatial_dimensions", dims(&spatial));
    }
    new.attrs.set("dimension_numbers", Attr::Struct(name, fields));
    let made = *rw.insert(new).first()?;
    Some(Rewrite::with(if stored { rw.transpose(made, &to_front(rank)) } else { made }))
}

/// What a value is with its channels last, if it is a transpose that brings them to the front.
fn behind(rw: &Rewriter, value: ValueId) -> Option<ValueId> {
    let rank = rw.tensor(value)?.rank();
    let op = rw.made_by(value, OpKind::Transpose)?;
    let moved = RANKS.contains(&rank) && views::dim_list(rw.graph.op(op), "permutation") == to_front(rank);
    moved.then(|| rw.operand(op, 0)).flatten()
}

/// The value with its channels last; scalars stay.
fn transposed(rw: &mut Rewriter, value: ValueId, rank: usize) -> Option<ValueId> {
    match rw.tensor(value)?.rank() {
        0 => Some(value),
        r if r == rank => Some(behind(rw, value).unwrap_or_else(|| rw.transpose(value, &to_back(rank)))),
        _ => None,
    }
}

/// The op's result through a transpose back, of a copy with channels last.
fn inserted(rw: &mut Rewriter, mut new: NewOp, rank: usize) -> Option<Rewrite> {
    let [Type::Tensor(ty)] = &new.result_types[..] else { return None };
    let ty = TensorType { shape: permuted(&ty.shape, &to_back(rank)), ..ty.clone() };
    new.result_types = vec![Type::Tensor(ty)];
    let made = *rw.insert(new).first()?;
    Some(Rewrite::with(rw.transpose(made, &to_front(rank))))
}

/// Elementwise ops and concatenations.
fn elementwise(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let op = rw.graph.op(id);
    let &[result] = &op.results[..] else { return None };
    let (operands, concatenates) = (op.operands.clone(), op.kind == OpKind::Concatenate);
    let rank = rw.tensor(result)?.rank();
    // An op of types that are not tensors of one rank (bitcasts of another width) is left alone.
    let fits = |rw: &Rewriter, v: ValueId| rw.tensor(v).is_some_and(|ty| ty.rank() == rank || ty.rank() == 0);
    let from_behind = operands.iter().filter(|&&v| behind(rw, v).is_some()).count();
    let enough = if concatenates { 2 * from_behind >= operands.len() } else { true };
    if from_behind == 0 || !enough || !operands.iter().all(|&v| fits(rw, v)) {
        return None;
    }
    let mut new = rw.copy_op(id, &mut ValueMap::new());
    if concatenates {
        let along = usize::try_from(new.attrs.int("dimension")?).ok()?;
        new.attrs.set("dimension", int(place(along, rank)? as i64));
    }
    new.operands = operands.iter().map(|&v| transposed(rw, v, rank)).collect::<Option<_>>()?;
    inserted(rw, new, rank)
}

/// Where dimension `d` lies once channels are last.
fn place(d: usize, rank: usize) -> Option<usize> {
    to_back(rank).iter().position(|&p| p == d)
}

/// Lists of `Pad`, `Slice` and `ReduceWindow` with an entry a dimension.
const LISTS: &[&str] = &[
    "edge_padding_low",
    "edge_padding_high",
    "interior_padding",
    "start_indices",
    "limit_indices",
    "strides",
    "window_dimensions",
    "window_strides",
    "base_dilations",
    "window_dilations",
];

/// Ops of one image whose attributes have an entry a dimension.
fn of_image(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let op = rw.graph.op(id);
    let scalars = if op.kind == OpKind::Slice { 0 } else { 1 };
    if op.operands.len() != 1 + scalars || op.results.len() != 1 {
        return None;
    }
    let image = behind(rw, op.operands[0])?;
    let rank = rw.tensor(image)?.rank();
    let mut new = rw.copy_op(id, &mut ValueMap::new());
    new.operands[0] = image;
    let order = to_back(rank);
    for name in LISTS {
        if let Some(list) = new.attrs.dims(name) {
            new.attrs.set(name, Attr::of_dims(&permuted(&list, &order)));
        }
    }
    if let Some(list) = new.attrs.dims("padding") {
        let pairs: Vec<[Dim; 2]> = list.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
        new.attrs.set("padding", Attr::of_dims(&permuted(&pairs, &order).concat()));
    }
    inserted(rw, new, rank)
}

/// A reduction that keeps the order of what is left.
fn reduce(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let op = rw.graph.op(id);
    if op.operands.len() != 2 {
        return None;
    }
    let over = views::dim_list(op, "dimensions");
    let image = behind(rw, op.operands[0])?;
    let rank = rw.tensor(image)?.rank();
    let kept: Vec<usize> = (0..rank).filter(|d| !over.contains(d)).map(|d| place(d, rank)).collect::<Option<_>>()?;
    if !kept.is_sorted() {
        return None;
    }
    let mut moved: Vec<usize> = over.iter().map(|&d| place(d, rank)).collect::<Option<_>>()?;
    moved.sort_unstable();
    let mut new = rw.copy_op(id, &mut ValueMap::new());
    new.operands[0] = image;
    new.attrs.set("dimensions", dims(&moved));
    Some(Rewrite::Replace(rw.insert(new)))
}

/// `[b, c, h, w]` as `[b, c, h·w]`, and `[b, c, n]` as `[b, c, h, w]`: the transpose goes behind.
fn reshape(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (x, result) = (rw.operand(id, 0)?, rw.result(id, 0)?);
    let (from, to) = (rw.sizes(x)?, rw.sizes(result)?);
    if from.len() < 3 || to.len() < 3 || from[..2] != to[..2] || (from.len() > 3 && to.len() > 3) {
        return None;
    }
    let source = match from.len() {
        3 => {
            let op = rw.made_by(x, OpKind::Transpose)?;
            let moved = views::dim_list(rw.graph.op(op), "permutation") == to_front(3);
            moved.then(|| rw.operand(op, 0)).flatten()?
        }
        _ => behind(rw, x)?,
    };
    if from.len() == to.len() || !(RANKS.contains(&from.len()) || RANKS.contains(&to.len())) {
        return None;
    }
    let made = rw.reshape(source, &permuted(&to, &to_back(to.len())));
    Some(Rewrite::with(rw.transpose(made, &to_front(to.len()))))
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print, reimport};
    use super::*;

    /// The text after all passes.
    fn simplified(text: &str) -> String {
        let mut graph = import(text);
        let report = super::super::simplify(&mut graph, &Options::default()).unwrap();
        assert!(report.fixed_point);
        reimport(&graph);
        print(&graph)
    }

    #[test]
    fn two_convolutions_and_what_is_between_them_need_no_transpose_inside() {
        let text = simplified(
            "func.func @main(%x: tensor<1x3x9x9xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>, \
                 %v: tensor<16x16x3x3xf32>) -> tensor<1x16xf32> {
               %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], \
                   window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} \
                   : (tensor<1x3x9x9xf32>, tensor<16x3x3x3xf32>) -> tensor<1x16x9x9xf32>
               %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<16xf32>) -> tensor<1x16x9x9xf32>
               %2 = stablehlo.add %0, %1 : tensor<1x16x9x9xf32>
               %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
               %3 = \"stablehlo.reduce_window\"(%2, %low) \
                   <{padding = dense<[[0, 0], [0, 0], [1, 1], [0, 1]]> : tensor<4x2xi64>, \
                   window_dimensions = array<i64: 1, 1, 3, 2>, window_strides = array<i64: 1, 1, 2, 3>}> ({
               ^bb0(%p: tensor<f32>, %q: tensor<f32>):
                 %m = stablehlo.maximum %p, %q : tensor<f32>
                 stablehlo.return %m : tensor<f32>
               }) : (tensor<1x16x9x9xf32>, tensor<f32>) -> tensor<1x16x5x3xf32>
               %4 = stablehlo.convolution(%3, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], \
                   window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} \
                   : (tensor<1x16x5x3xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x5x3xf32>
               %5 = stablehlo.concatenate %3, %4, dim = 2 \
                   : (tensor<1x16x5x3xf32>, tensor<1x16x5x3xf32>) -> tensor<1x16x10x3xf32>
               %zero = stablehlo.constant dense<0.0> : tensor<f32>
               %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [2, 3] \
                   : (tensor<1x16x10x3xf32>, tensor<f32>) -> tensor<1x16xf32>
               return %6 : tensor<1x16xf32>
             }",
        );
        assert!(!text.contains("transpose"), "{text}");
        assert!(text.contains("[b, f, 0, 1]x[o, i, 0, 1]->[b, 0, 1, f]"), "{text}");
        assert!(text.contains("[b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f]"), "{text}");
        assert!(text.contains("array<i64: 1, 3, 2, 1>"), "{text}");
    }

    #[test]
    fn patches_become_tokens_without_a_copy() {
        let text = simplified(
            "func.func @main(%x: tensor<2x3x8x8xf32>, %w: tensor<16x3x4x4xf32>) -> tensor<2x4x16xf32> {
               %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], \
                   window = {stride = [4, 4]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} \
                   : (tensor<2x3x8x8xf32>, tensor<16x3x4x4xf32>) -> tensor<2x16x2x2xf32>
               %1 = stablehlo.reshape %0 : (tensor<2x16x2x2xf32>) -> tensor<2x16x4xf32>
               %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<2x16x4xf32>) -> tensor<2x4x16xf32>
               return %2 : tensor<2x4x16xf32>
             }",
        );
        assert!(!text.contains("transpose"), "{text}");
    }

    #[test]
    fn gradients_of_weights_keep_their_layout() {
        let mut graph = import(
            "func.func @main(%x: tensor<16x4x9x9xf32>, %g: tensor<16x8x7x7xf32>) -> tensor<4x8x3x3xf32> {
               %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], \
                   window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} \
                   : (tensor<16x4x9x9xf32>, tensor<16x8x7x7xf32>) -> tensor<4x8x3x3xf32>
               return %0 : tensor<4x8x3x3xf32>
             }",
        );
        run(&mut graph, &Options::default()).unwrap();
        assert!(print(&graph).contains("[f, b, 0, 1]x"), "{}", print(&graph));
    }
}

//! A transpose before a product or a convolution moves into its dimension numbers, so that no kernel copies the
//! operand.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<8x16xf32>, %arg1: tensor<32x16xf32>) -> tensor<8x32xf32> {
//!   %0 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
//!   %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0]
//!       : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
//!   return %1 : tensor<8x32xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<8x16xf32>, %arg1: tensor<32x16xf32>) -> tensor<8x32xf32> {
//!   %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1]
//!       : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
//!   return %0 : tensor<8x32xf32>
//! }
//! ```
//!
//! A product keeps its transpose when that changes the order of the free dimensions, which the result shows; a
//! convolution keeps one that puts many channels last (`channels_last` makes those).

use fornax_graph::{Attr, AttrMap, Graph, OpId, OpKind, ValueId, views};

use super::Options;
use crate::rewrite::build::{dims, int};
use super::channels_last::FEW;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        let absorbed = match rw.kind(id) {
            OpKind::DotGeneral => [dot_operand(rw, id, 0), dot_operand(rw, id, 1)],
            OpKind::Convolution => [convolution_operand(rw, id, 0), convolution_operand(rw, id, 1)],
            _ => return Ok(Rewrite::Keep),
        };
        Ok(if absorbed.iter().any(Option::is_some) { Rewrite::Edited } else { Rewrite::Keep })
    })
}

/// What an operand is a transpose of, and the permutation.
fn transposed(rw: &Rewriter, id: OpId, at: usize) -> Option<(ValueId, Vec<usize>)> {
    let transpose = rw.made_by(rw.operand(id, at)?, OpKind::Transpose)?;
    Some((rw.operand(transpose, 0)?, views::dim_list(rw.graph.op(transpose), "permutation")))
}

fn dot_operand(rw: &mut Rewriter, id: OpId, at: usize) -> Option<()> {
    let (source, permutation) = transposed(rw, id, at)?;
    let mut numbers = views::dot_dims(rw.graph.op(id));
    let (batch, contract) = match at {
        0 => (&mut numbers.lhs_batch, &mut numbers.lhs_contract),
        _ => (&mut numbers.rhs_batch, &mut numbers.rhs_contract),
    };
    let free: Vec<usize> = (0..permutation.len()).filter(|d| !batch.contains(d) && !contract.contains(d)).collect();
    let moved: Vec<usize> = free.into_iter().map(|d| permutation[d]).collect();
    if !moved.is_sorted() {
        return None;
    }
    for d in batch.iter_mut().chain(contract.iter_mut()) {
        *d = *permutation.get(*d)?;
    }
    let op = rw.graph.op_mut(id);
    op.operands[at] = source;
    op.attrs.set("dot_dimension_numbers", numbers.attr());
    Some(())
}

/// Names of the dimension numbers that speak of operand 0 and of operand 1.
const CONVOLUTION_FIELDS: [&[&str]; 2] = [
    &["input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"],
    &["kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions"],
];

fn convolution_operand(rw: &mut Rewriter, id: OpId, at: usize) -> Option<()> {
    let (source, permutation) = transposed(rw, id, at)?;
    let Some(Attr::Struct(name, fields)) = rw.graph.op(id).attrs.get("dimension_numbers") else { return None };
    let (name, mut fields): (String, AttrMap) = (name.clone(), fields.clone());
    let go = |d: i64| usize::try_from(d).ok().and_then(|d| permutation.get(d).copied());
    let last = permutation.len().checked_sub(1)?;
    if at == 0 && fields.int("input_feature_dimension") == i64::try_from(last).ok() && permutation[last] != last {
        let channels = rw.tensor(source)?.shape.get(permutation[last])?.as_static();
        if channels.is_none_or(|n| n >= FEW) {
            return None;
        }
    }
    for &field in CONVOLUTION_FIELDS[at] {
        let value = fields.get(field)?;
        let moved = match value.as_int() {
            Some(d) => int(go(d)? as i64),
            None => dims(&value.as_ints()?.into_iter().map(go).collect::<Option<Vec<_>>>()?),
        };
        fields.set(field, moved);
    }
    let op = rw.graph.op_mut(id);
    op.operands[at] = source;
    op.attrs.set("dimension_numbers", Attr::Struct(name, fields));
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print, reimport};
    use super::*;

    #[test]
    fn free_dimensions_keep_their_order() {
        let mut graph = import(
            "func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x2x5xf32> {
               %0 = stablehlo.transpose %a, dims = [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
               %1 = stablehlo.dot_general %0, %b, contracting_dims = [2] x [0] \
                   : (tensor<3x2x4xf32>, tensor<4x5xf32>) -> tensor<3x2x5xf32>
               return %1 : tensor<3x2x5xf32>
             }",
        );
        assert!(!run(&mut graph, &Options::default()).unwrap());
    }

    #[test]
    fn a_convolution_takes_any_layout() {
        let mut graph = import(
            "func.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32> {
               %0 = stablehlo.transpose %x, dims = [0, 2, 3, 1] : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
               %1 = stablehlo.transpose %w, dims = [2, 3, 1, 0] : (tensor<4x3x3x3xf32>) -> tensor<3x3x3x4xf32>
               %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
                   window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} \
                   : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
               return %2 : tensor<1x6x6x4xf32>
             }",
        );
        assert!(run(&mut graph, &Options::default()).unwrap());
        reimport(&graph);
        assert!(print(&graph).contains("[b, f, 0, 1]x[o, i, 0, 1]->[b, 0, 1, f]"), "{}", print(&graph));
    }
}

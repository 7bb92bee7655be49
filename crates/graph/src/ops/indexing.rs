//! Gather, scatter and index_select.

use super::{Arity, AttrKind, AttrSpec, Family, OpRow, TypeSet, op, optional, required};
use crate::op::OpKind::*;
use crate::verify::indexing as rules;

/// Attributes of a scatter.
pub(super) const SCATTER: &[AttrSpec] = &[
    required("scatter_dimension_numbers", AttrKind::Struct("stablehlo.scatter")),
    optional("indices_are_sorted", AttrKind::Bool),
    optional("unique_indices", AttrKind::Bool),
];

pub const ROWS: &[OpRow] = &[
    op(Gather, Family::Indexing)
        .operands(Arity::exactly(2))
        .attrs(&[
            required("dimension_numbers", AttrKind::Struct("stablehlo.gather")),
            required("slice_sizes", AttrKind::Ints),
            optional("indices_are_sorted", AttrKind::Bool),
        ])
        .rule(rules::gather),
    op(DynamicGather, Family::Indexing)
        .operands(Arity::exactly(3))
        .attrs(&[
            required("dimension_numbers", AttrKind::Struct("stablehlo.gather")),
            optional("indices_are_sorted", AttrKind::Bool),
        ])
        .rule(rules::dynamic_gather),
    op(Scatter, Family::Indexing)
        .operands(Arity::at_least(3))
        .results(Arity::SOME)
        .regions(1)
        .attrs(SCATTER)
        .rule(rules::scatter),
    op(TorchIndexSelect, Family::Indexing)
        .operands(Arity::exactly(2))
        .elements(TypeSet::TENSOR)
        .attrs(&[required("dim", AttrKind::I64), required("batch_dims", AttrKind::I64)])
        .rule(rules::torch_index_select),
];

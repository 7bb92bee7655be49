//! Reductions over dimensions and windows, sort, and batch normalisation.

use super::{Arity, AttrKind, AttrSpec, Custom, Family, OpRow, Piece, TypeSet, op, optional, required};
use crate::op::OpKind::{self, *};
use crate::verify::reduce as rules;

const fn reduction(kind: OpKind) -> OpRow {
    op(kind, Family::Reduce).operands(Arity::at_least(2)).results(Arity::SOME).regions(1)
}

const BATCH_NORM: &[AttrSpec] = &[required("epsilon", AttrKind::F32), required("feature_index", AttrKind::I64)];

const fn batch_norm(kind: OpKind, operands: usize, results: usize) -> OpRow {
    op(kind, Family::Reduce)
        .operands(Arity::exactly(operands))
        .results(Arity::exactly(results))
        .elements(TypeSet::FLOAT.or(TypeSet::QUANTIZED))
        .attrs(BATCH_NORM)
        .rule(rules::batch_norm)
}

pub const ROWS: &[OpRow] = &[
    reduction(Reduce)
        .attrs(&[required("dimensions", AttrKind::Ints)])
        .syntax(&[Piece::Custom(Custom::Reduce)])
        .rule(rules::reduce),
    reduction(ReduceWindow)
        .attrs(&[
            required("window_dimensions", AttrKind::Ints),
            optional("window_strides", AttrKind::Ints),
            optional("base_dilations", AttrKind::Ints),
            optional("window_dilations", AttrKind::Ints),
            optional("padding", AttrKind::Pairs),
        ])
        .rule(rules::reduce_window),
    op(SelectAndScatter, Family::Reduce)
        .operands(Arity::exactly(3))
        .regions(2)
        .attrs(&[
            optional("window_dimensions", AttrKind::Ints),
            optional("window_strides", AttrKind::Ints),
            optional("padding", AttrKind::Pairs),
        ])
        .rule(rules::select_and_scatter),
    op(Sort, Family::Reduce)
        .operands(Arity::SOME)
        .results(Arity::SOME)
        .regions(1)
        .attrs(&[optional("dimension", AttrKind::I64), optional("is_stable", AttrKind::Bool)])
        .rule(rules::sort),
    batch_norm(BatchNormGrad, 5, 3),
    batch_norm(BatchNormInference, 5, 1),
    batch_norm(BatchNormTraining, 3, 3),
];

//! Constants and ops that move elements without arithmetic: broadcast, reshape, slice, pad, concatenate and their
//! dynamic forms.

use super::syntax::FUNCTIONAL;
use super::{Arity, AttrKind, AttrSpec, Custom, Family, OpRow, Piece, TypeForm, TypeSet, op, optional, required};
use crate::op::OpKind::{self, *};
use crate::verify::shape as rules;
use Piece::{Attr, AttrDict, Lit, Operand, Operands, OperandsComma, Types};

const fn shape(kind: OpKind, operands: usize) -> OpRow {
    op(kind, Family::Shape).operands(Arity::exactly(operands)).syntax(FUNCTIONAL)
}

const SLICE: &[AttrSpec] = &[
    required("start_indices", AttrKind::Ints),
    required("limit_indices", AttrKind::Ints),
    required("strides", AttrKind::Ints),
];

const PAD: &[AttrSpec] = &[
    required("edge_padding_low", AttrKind::Ints),
    required("edge_padding_high", AttrKind::Ints),
    required("interior_padding", AttrKind::Ints),
];

pub const ROWS: &[OpRow] = &[
    shape(Constant, 0)
        .attrs(&[required("value", AttrKind::Elements)])
        .syntax(&[Piece::Custom(Custom::Constant)])
        .rule(rules::constant),
    shape(Iota, 0)
        .attrs(&[required("iota_dimension", AttrKind::I64)])
        .syntax(&[Lit("dim = "), Attr("iota_dimension"), AttrDict, Types(TypeForm::Results)])
        .rule(rules::iota),
    shape(DynamicIota, 1)
        .elements(TypeSet::INTEGER)
        .attrs(&[required("iota_dimension", AttrKind::I64)])
        .syntax(&[Operand, Lit(", dim = "), Attr("iota_dimension"), AttrDict, Types(TypeForm::Functional)])
        .rule(rules::dynamic_iota),
    shape(BitcastConvert, 1).rule(rules::bitcast_convert),
    shape(Broadcast, 1)
        .attrs(&[required("broadcast_sizes", AttrKind::Ints)])
        .syntax(&[Operand, Lit(", sizes = "), Attr("broadcast_sizes"), AttrDict, Types(TypeForm::Functional)])
        .rule(rules::broadcast),
    shape(BroadcastInDim, 1)
        .attrs(&[required("broadcast_dimensions", AttrKind::Ints)])
        .syntax(&[Operand, Lit(", dims = "), Attr("broadcast_dimensions"), AttrDict, Types(TypeForm::Functional)])
        .rule(rules::broadcast_in_dim),
    shape(DynamicBroadcastInDim, 2)
        .attrs(&[
            required("broadcast_dimensions", AttrKind::Ints),
            optional("known_expanding_dimensions", AttrKind::Ints),
            optional("known_nonexpanding_dimensions", AttrKind::Ints),
        ])
        .syntax(&[
            Operand,
            Lit(", "),
            Operand,
            Lit(", dims = "),
            Attr("broadcast_dimensions"),
            AttrDict,
            Types(TypeForm::Functional),
        ])
        .rule(rules::dynamic_broadcast_in_dim),
    shape(Concatenate, 1)
        .operands(Arity::SOME)
        .attrs(&[required("dimension", AttrKind::I64)])
        .syntax(&[OperandsComma, Lit("dim = "), Attr("dimension"), AttrDict, Types(TypeForm::Functional)])
        .rule(rules::concatenate),
    shape(Reshape, 1).rule(rules::reshape),
    shape(DynamicReshape, 2).rule(rules::dynamic_reshape),
    shape(Transpose, 1)
        .attrs(&[required("permutation", AttrKind::Ints)])
        .syntax(&[Operand, Lit(", dims = "), Attr("permutation"), AttrDict, Types(TypeForm::Functional)])
        .rule(rules::transpose),
    shape(Reverse, 1)
        .attrs(&[required("dimensions", AttrKind::Ints)])
        .syntax(&[Operand, Lit(", dims = "), Attr("dimensions"), AttrDict, Types(TypeForm::Same)])
        .rule(rules::reverse),
    shape(Slice, 1)
        .attrs(SLICE)
        .syntax(&[Operand, Lit(" "), Piece::Custom(Custom::SliceRanges), AttrDict, Types(TypeForm::Functional)])
        .rule(rules::slice),
    shape(RealDynamicSlice, 4).rule(rules::real_dynamic_slice),
    shape(DynamicSlice, 1)
        .operands(Arity::SOME)
        .attrs(&[required("slice_sizes", AttrKind::Ints)])
        .syntax(&[OperandsComma, Lit("sizes = "), Attr("slice_sizes"), AttrDict, Types(TypeForm::Functional)])
        .rule(rules::dynamic_slice),
    shape(DynamicUpdateSlice, 2).operands(Arity::at_least(2)).rule(rules::dynamic_update_slice),
    shape(Pad, 2)
        .attrs(PAD)
        .syntax(&[
            Operand,
            Lit(", "),
            Operand,
            Lit(", low = "),
            Attr("edge_padding_low"),
            Lit(", high = "),
            Attr("edge_padding_high"),
            Lit(", interior = "),
            Attr("interior_padding"),
            AttrDict,
            Types(TypeForm::Functional),
        ])
        .rule(rules::pad),
    shape(DynamicPad, 5).rule(rules::dynamic_pad),
    shape(GetDimensionSize, 1)
        .attrs(&[required("dimension", AttrKind::I64)])
        .syntax(&[Operand, Lit(", dim = "), Attr("dimension"), AttrDict, Types(TypeForm::Functional)])
        .rule(rules::get_dimension_size),
    shape(SetDimensionSize, 2)
        .attrs(&[required("dimension", AttrKind::I64)])
        .syntax(&[
            Operand,
            Lit(", "),
            Operand,
            Lit(", dim = "),
            Attr("dimension"),
            AttrDict,
            Types(TypeForm::Functional),
        ])
        .rule(rules::set_dimension_size),
    shape(OptimizationBarrier, 1)
        .operands(Arity::ANY)
        .results(Arity::ANY)
        .elements(TypeSet::ANY)
        .syntax(&[AttrDict, Operands, Types(TypeForm::Pairwise)])
        .rule(rules::optimization_barrier),
    shape(Cholesky, 1)
        .elements(TypeSet::FLOAT.or(TypeSet::COMPLEX))
        .attrs(&[optional("lower", AttrKind::Bool)])
        .syntax(&[
            Operand,
            Piece::Optional("lower", &[Lit(", lower = "), Attr("lower")]),
            AttrDict,
            Types(TypeForm::Same),
        ])
        .rule(crate::verify::linalg::cholesky),
    shape(CrossReplicaSum, 1).syntax(&[]).attrs(&[required("replica_groups", AttrKind::Elements)]).rule(rules::same),
    shape(Tuple, 1)
        .operands(Arity::ANY)
        .elements(TypeSet::ANY)
        .syntax(&[Operands, AttrDict, Types(TypeForm::Tuple)])
        .rule(rules::tuple),
    shape(GetTupleElement, 1)
        .elements(TypeSet::OTHER)
        .attrs(&[required("index", AttrKind::I32)])
        .syntax(&[Operand, Lit("["), Attr("index"), Lit("]"), AttrDict, Types(TypeForm::Functional)])
        .rule(rules::get_tuple_element),
    shape(AfterAll, 0)
        .operands(Arity::ANY)
        .elements(TypeSet::OTHER)
        .syntax(&[Operands, AttrDict, Types(TypeForm::Same)])
        .rule(rules::tokens),
    shape(CreateToken, 0).syntax(super::syntax::NULLARY).rule(rules::tokens),
    shape(AsyncDone, 1).elements(TypeSet::OTHER).results(Arity::ANY).syntax(&[]),
    shape(AsyncStart, 1).operands(Arity::ANY).regions(1).syntax(&[]),
    op(TriangularSolve, Family::Shape)
        .operands(Arity::exactly(2))
        .elements(TypeSet::FLOAT.or(TypeSet::COMPLEX))
        .attrs(&[
            required("left_side", AttrKind::Bool),
            required("lower", AttrKind::Bool),
            required("unit_diagonal", AttrKind::Bool),
            required(
                "transpose_a",
                AttrKind::Enum("transpose", &["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]),
            ),
        ])
        .rule(crate::verify::linalg::triangular_solve),
    op(Fft, Family::Shape)
        .elements(TypeSet::FLOAT.or(TypeSet::COMPLEX))
        .attrs(&[
            required("fft_type", AttrKind::Enum("fft_type", &["FFT", "IFFT", "RFFT", "IRFFT"])),
            required("fft_length", AttrKind::Ints),
        ])
        .syntax(&[
            Operand,
            Lit(", type = "),
            Attr("fft_type"),
            Lit(", length = "),
            Attr("fft_length"),
            AttrDict,
            Types(TypeForm::Functional),
        ])
        .rule(crate::verify::linalg::fft),
];

//! Contractions and convolutions.

use super::{Arity, AttrKind, AttrSpec, Custom, Family, OpRow, Piece, TypeForm, op, optional, required};
use crate::op::OpKind::*;
use crate::verify::dot as rules;
use Piece::{Attr, AttrDict, Lit, Operand, Operands, Types};

pub const PRECISIONS: &[&str] = &["DEFAULT", "HIGH", "HIGHEST"];
const PRECISION: AttrSpec = optional("precision_config", AttrKind::EnumList("precision", PRECISIONS));

const CONV: &[AttrSpec] = &[
    optional("window_strides", AttrKind::Ints),
    optional("padding", AttrKind::Pairs),
    optional("lhs_dilation", AttrKind::Ints),
    optional("rhs_dilation", AttrKind::Ints),
    optional("window_reversal", AttrKind::Bools),
    required("dimension_numbers", AttrKind::Struct("stablehlo.conv")),
    required("feature_group_count", AttrKind::I64),
    required("batch_group_count", AttrKind::I64),
    PRECISION,
];

pub const ROWS: &[OpRow] = &[
    op(Dot, Family::Dot)
        .operands(Arity::exactly(2))
        .attrs(&[PRECISION])
        .syntax(&[Operand, Lit(", "), Operand, Piece::Custom(Custom::Precision), AttrDict, Types(TypeForm::Functional)])
        .rule(rules::dot),
    op(DotGeneral, Family::Dot)
        .operands(Arity::exactly(2))
        .attrs(&[
            required("dot_dimension_numbers", AttrKind::Struct("stablehlo.dot")),
            PRECISION,
            optional("algorithm", AttrKind::Struct("stablehlo.dot_algorithm")),
        ])
        .syntax(&[
            Operand,
            Lit(", "),
            Operand,
            Lit(", "),
            Piece::Custom(Custom::DotDimensions),
            Piece::Custom(Custom::Precision),
            Piece::Custom(Custom::Algorithm),
            AttrDict,
            Types(TypeForm::Functional),
        ])
        .rule(rules::dot_general),
    op(Convolution, Family::Dot)
        .operands(Arity::exactly(2))
        .attrs(CONV)
        .syntax(&[
            Lit("("),
            Operands,
            Lit(") dim_numbers = "),
            Piece::Custom(Custom::ConvDimensions),
            Lit(", window = {"),
            Piece::Custom(Custom::Window),
            Lit("}"),
            AttrDict,
            Types(TypeForm::Functional),
        ])
        .rule(rules::convolution),
    op(DynamicConv, Family::Dot).operands(Arity::exactly(3)).attrs(CONV).rule(rules::dynamic_conv),
    op(Einsum, Family::Dot)
        .operands(Arity::exactly(2))
        .attrs(&[required("einsum_config", AttrKind::Str)])
        .syntax(&[
            Operand,
            Lit(", "),
            Operand,
            Lit(", config = "),
            Attr("einsum_config"),
            AttrDict,
            Types(TypeForm::Functional),
        ])
        .rule(rules::einsum),
    op(UnaryEinsum, Family::Dot)
        .attrs(&[required("einsum_config", AttrKind::Str)])
        .syntax(&[Operand, Lit(", config = "), Attr("einsum_config"), AttrDict, Types(TypeForm::Functional)])
        .rule(rules::einsum),
];

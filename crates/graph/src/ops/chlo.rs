//! CHLO: client ops that `simplify` expands into StableHLO.

use super::dot::PRECISIONS;
use super::elementwise::{COMPARE_TYPES, DIRECTIONS};
use super::syntax::{ARROW, FUNCTIONAL};
use super::{
    Arity, AttrKind, AttrSpec, Custom, Family, OpRow, Piece, Trait, TypeForm, TypeSet, op, optional, required,
};
use crate::op::OpKind::{self, *};
use crate::verify::chlo as rules;
use Piece::{Attr, AttrDict, Lit, Operand, Optional, Types};

const FLOAT: TypeSet = TypeSet::FLOAT;
const FLOAT_COMPLEX: TypeSet = TypeSet::FLOAT.or(TypeSet::COMPLEX);
const LOGICAL: TypeSet = TypeSet::BOOLEAN.or(TypeSet::INTEGER);
const DIMS: &[AttrSpec] = &[optional("broadcast_dimensions", AttrKind::Ints)];

const fn unary(kind: OpKind, elements: TypeSet) -> OpRow {
    op(kind, Family::Chlo)
        .elements(elements)
        .traits(&[Trait::Elementwise])
        .syntax(ARROW)
        .rule(crate::verify::elementwise::same_type)
}

const fn predicate(kind: OpKind) -> OpRow {
    unary(kind, FLOAT).rule(crate::verify::elementwise::predicate)
}

const fn binary(kind: OpKind, elements: TypeSet) -> OpRow {
    unary(kind, elements).operands(Arity::exactly(2))
}

const fn broadcasting(kind: OpKind, elements: TypeSet) -> OpRow {
    op(kind, Family::Chlo)
        .operands(Arity::exactly(2))
        .elements(elements)
        .attrs(DIMS)
        .syntax(FUNCTIONAL)
        .rule(rules::broadcast_binary)
}

pub const ROWS: &[OpRow] = &[
    unary(ChloAcos, FLOAT_COMPLEX),
    unary(ChloAcosh, FLOAT_COMPLEX),
    unary(ChloAsin, FLOAT_COMPLEX),
    unary(ChloAsinAcosKernel, TypeSet::COMPLEX),
    unary(ChloAsinh, FLOAT_COMPLEX),
    unary(ChloAtan, FLOAT_COMPLEX),
    unary(ChloAtanh, FLOAT_COMPLEX),
    unary(ChloBesselI1e, FLOAT),
    unary(ChloConj, TypeSet::TENSOR),
    unary(ChloCosh, FLOAT_COMPLEX),
    unary(ChloDigamma, FLOAT),
    unary(ChloErf, FLOAT),
    unary(ChloErfInv, FLOAT),
    unary(ChloErfc, FLOAT),
    unary(ChloLgamma, FLOAT),
    unary(ChloSinh, FLOAT_COMPLEX),
    unary(ChloSquare, TypeSet::TENSOR),
    unary(ChloTan, FLOAT_COMPLEX),
    predicate(ChloIsInf),
    predicate(ChloIsNegInf),
    predicate(ChloIsPosInf),
    binary(ChloNextAfter, FLOAT),
    binary(ChloPolygamma, FLOAT),
    binary(ChloZeta, FLOAT),
    binary(ChloMulhi, TypeSet::INTEGER),
    broadcasting(ChloBroadcastAdd, TypeSet::TENSOR),
    broadcasting(ChloBroadcastAnd, LOGICAL),
    broadcasting(ChloBroadcastAtan2, TypeSet::TENSOR),
    broadcasting(ChloBroadcastDivide, TypeSet::TENSOR),
    broadcasting(ChloBroadcastMaximum, TypeSet::TENSOR),
    broadcasting(ChloBroadcastMinimum, TypeSet::TENSOR),
    broadcasting(ChloBroadcastMultiply, TypeSet::TENSOR),
    broadcasting(ChloBroadcastNextAfter, TypeSet::TENSOR),
    broadcasting(ChloBroadcastOr, LOGICAL),
    broadcasting(ChloBroadcastPolygamma, TypeSet::TENSOR),
    broadcasting(ChloBroadcastPower, TypeSet::TENSOR),
    broadcasting(ChloBroadcastRemainder, TypeSet::TENSOR),
    broadcasting(ChloBroadcastShiftLeft, TypeSet::TENSOR),
    broadcasting(ChloBroadcastShiftRightArithmetic, TypeSet::TENSOR),
    broadcasting(ChloBroadcastShiftRightLogical, TypeSet::TENSOR),
    broadcasting(ChloBroadcastSubtract, TypeSet::TENSOR),
    broadcasting(ChloBroadcastXor, LOGICAL),
    broadcasting(ChloBroadcastZeta, FLOAT),
    broadcasting(ChloBroadcastComplex, FLOAT),
    broadcasting(ChloBroadcastCompare, TypeSet::TENSOR).attrs(&[
        optional("broadcast_dimensions", AttrKind::Ints),
        required("comparison_direction", AttrKind::Enum("chlo.comparison_direction", DIRECTIONS)),
        optional("compare_type", AttrKind::Enum("chlo.comparison_type", COMPARE_TYPES)),
    ]),
    op(ChloBroadcastSelect, Family::Chlo).operands(Arity::exactly(3)).syntax(FUNCTIONAL),
    op(ChloConstant, Family::Chlo)
        .operands(Arity::exactly(0))
        .attrs(&[required("value", AttrKind::Elements)])
        .syntax(&[Piece::Custom(Custom::Constant)])
        .rule(crate::verify::shape::constant),
    op(ChloConstantLike, Family::Chlo)
        .attrs(&[required("value", AttrKind::Any)])
        .rule(crate::verify::elementwise::same_shape),
    op(ChloDynamicReshape, Family::Chlo).operands(Arity::exactly(2)).syntax(FUNCTIONAL),
    op(ChloRaggedDot, Family::Chlo)
        .operands(Arity::exactly(3))
        .attrs(&[
            required("ragged_dot_dimension_numbers", AttrKind::Struct("chlo.ragged_dot")),
            optional("precision_config", AttrKind::EnumList("chlo.precision", PRECISIONS)),
        ])
        .rule(rules::ragged_dot),
    op(ChloScan, Family::Chlo)
        .operands(Arity::SOME)
        .results(Arity::SOME)
        .regions(1)
        .attrs(&[
            required("dimension", AttrKind::I64),
            optional("scan_dim_size", AttrKind::I64),
            optional("is_reverse", AttrKind::Bool),
            optional("is_associative", AttrKind::Bool),
            required("operandSegmentSizes", AttrKind::Any),
            required("resultSegmentSizes", AttrKind::Any),
        ])
        .syntax(&[Piece::Custom(Custom::Scan)])
        .rule(rules::scan),
    op(ChloTopK, Family::Chlo)
        .results(Arity::exactly(2))
        .attrs(&[required("k", AttrKind::I64), optional("is_stable", AttrKind::Bool)])
        .syntax(&[
            Lit("("),
            Operand,
            Lit(", k = "),
            Attr("k"),
            Optional("is_stable", &[Lit(", is_stable = "), Attr("is_stable")]),
            Lit(")"),
            AttrDict,
            Types(TypeForm::Arrow),
        ])
        .rule(rules::top_k),
];

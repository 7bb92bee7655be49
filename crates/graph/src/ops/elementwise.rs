//! Elementwise ops: unary, binary, compare, select, clamp, conversions and quantisation.

use super::syntax::{BINARY, FUNCTIONAL, UNARY};
use super::{
    Arity, AttrKind, AttrSpec, Custom, Family, OpRow, Piece, Trait, TypeForm, TypeSet, op, optional, required,
};
use crate::op::OpKind::{self, *};
use crate::verify::elementwise as rules;
use Piece::{Attr, AttrDict, Lit, Operand, Operands, Optional, Types};

pub const DIRECTIONS: &[&str] = &["EQ", "NE", "GE", "GT", "LE", "LT"];
pub(crate) const COMPARE_TYPES: &[&str] = &["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"];

const INTEGER: TypeSet = TypeSet::INTEGER;
const LOGICAL: TypeSet = TypeSet::BOOLEAN.or(TypeSet::INTEGER);
const FLOAT: TypeSet = TypeSet::FLOAT.or(TypeSet::QUANTIZED);
const FLOAT_COMPLEX: TypeSet = FLOAT.or(TypeSet::COMPLEX);
const NUMBER: TypeSet = INTEGER.or(FLOAT_COMPLEX);
const SIGNED_NUMBER: TypeSet = TypeSet::SIGNED.or(FLOAT_COMPLEX);
const ORDERED: TypeSet = LOGICAL.or(FLOAT);

const ACCURACY: &[AttrSpec] = &[optional("result_accuracy", AttrKind::Struct("stablehlo.result_accuracy"))];

const fn unary(kind: OpKind, elements: TypeSet) -> OpRow {
    op(kind, Family::Elementwise).elements(elements).traits(&[Trait::Elementwise]).syntax(UNARY).rule(rules::same_type)
}

/// A transcendental function, which takes an accuracy request.
const fn function(kind: OpKind) -> OpRow {
    unary(kind, FLOAT_COMPLEX).attrs(ACCURACY)
}

const fn binary(kind: OpKind, elements: TypeSet) -> OpRow {
    op(kind, Family::Elementwise)
        .operands(Arity::exactly(2))
        .elements(elements)
        .traits(&[Trait::Elementwise])
        .syntax(BINARY)
        .rule(rules::same_type)
}

const fn commutative(kind: OpKind, elements: TypeSet) -> OpRow {
    binary(kind, elements).traits(&[Trait::Elementwise, Trait::Commutative])
}

pub const ROWS: &[OpRow] = &[
    unary(Abs, SIGNED_NUMBER).rule(rules::abs),
    unary(Cbrt, FLOAT_COMPLEX).attrs(ACCURACY),
    unary(Ceil, FLOAT),
    unary(CountLeadingZeros, INTEGER),
    function(Cosine),
    function(Exponential),
    function(ExponentialMinusOne),
    unary(Floor, FLOAT),
    function(Log),
    function(LogPlusOne),
    function(Logistic),
    unary(Negate, NUMBER),
    unary(Not, LOGICAL),
    unary(Popcnt, INTEGER),
    unary(RoundNearestAfz, FLOAT),
    unary(RoundNearestEven, FLOAT),
    function(Rsqrt),
    unary(Sign, SIGNED_NUMBER.or(INTEGER)),
    function(Sine),
    function(Sqrt),
    function(Tan),
    function(Tanh),
    unary(Real, TypeSet::FLOAT.or(TypeSet::COMPLEX)).rule(rules::real_part),
    unary(Imag, TypeSet::FLOAT.or(TypeSet::COMPLEX)).rule(rules::real_part),
    unary(IsFinite, FLOAT).syntax(FUNCTIONAL).rule(rules::predicate),
    unary(Convert, TypeSet::TENSOR).rule(rules::same_shape),
    unary(UniformQuantize, FLOAT).rule(rules::uniform_quantize),
    unary(UniformDequantize, TypeSet::QUANTIZED).rule(rules::uniform_dequantize),
    unary(ReducePrecision, FLOAT)
        .attrs(&[required("exponent_bits", AttrKind::I32), required("mantissa_bits", AttrKind::I32)])
        .syntax(&[
            Operand,
            Lit(", format = "),
            Piece::Custom(Custom::ExponentMantissa),
            AttrDict,
            Types(TypeForm::Same),
        ])
        .rule(rules::reduce_precision),
    commutative(Add, TypeSet::TENSOR),
    commutative(And, LOGICAL),
    binary(Atan2, FLOAT_COMPLEX),
    binary(Divide, NUMBER),
    commutative(Maximum, TypeSet::TENSOR),
    commutative(Minimum, TypeSet::TENSOR),
    commutative(Multiply, TypeSet::TENSOR),
    commutative(Or, LOGICAL),
    binary(Power, NUMBER),
    binary(Remainder, NUMBER),
    binary(ShiftLeft, INTEGER),
    binary(ShiftRightArithmetic, INTEGER),
    binary(ShiftRightLogical, INTEGER),
    binary(Subtract, NUMBER),
    commutative(Xor, LOGICAL),
    binary(Complex, TypeSet::FLOAT).syntax(&[Operands, AttrDict, Types(TypeForm::Complex)]).rule(rules::complex),
    binary(Compare, TypeSet::TENSOR)
        .attrs(&[
            required("comparison_direction", AttrKind::Enum("comparison_direction", DIRECTIONS)),
            optional("compare_type", AttrKind::Enum("comparison_type", COMPARE_TYPES)),
        ])
        .syntax(&[
            Attr("comparison_direction"),
            Lit(", "),
            Operand,
            Lit(", "),
            Operand,
            Optional("compare_type", &[Lit(", "), Attr("compare_type")]),
            AttrDict,
            Types(TypeForm::Functional),
        ])
        .rule(rules::compare),
    op(Select, Family::Elementwise)
        .operands(Arity::exactly(3))
        .traits(&[Trait::Elementwise])
        .syntax(&[Operands, AttrDict, Types(TypeForm::Select)])
        .rule(rules::select),
    op(Clamp, Family::Elementwise)
        .operands(Arity::exactly(3))
        .elements(ORDERED.or(TypeSet::COMPLEX))
        .traits(&[Trait::Elementwise])
        .syntax(&[Operand, Lit(", "), Operand, Lit(", "), Operand, AttrDict, Types(TypeForm::Same)])
        .rule(rules::clamp),
    op(Map, Family::Elementwise)
        .operands(Arity::SOME)
        .regions(1)
        .attrs(&[required("dimensions", AttrKind::Ints)])
        .rule(rules::map),
];

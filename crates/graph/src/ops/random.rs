//! Random numbers.

use super::{Arity, AttrKind, Family, OpRow, Piece, TypeForm, TypeSet, op, required};
use crate::op::OpKind::*;
use crate::verify::shape as rules;
use Piece::{Attr, AttrDict, Lit, Operand, Types};

pub const ROWS: &[OpRow] = &[
    op(Rng, Family::Random)
        .operands(Arity::exactly(3))
        .elements(TypeSet::BOOLEAN.or(TypeSet::INTEGER).or(TypeSet::FLOAT))
        .attrs(&[required("rng_distribution", AttrKind::Enum("rng_distribution", &["UNIFORM", "NORMAL"]))])
        .syntax(&[
            Operand,
            Lit(", "),
            Operand,
            Lit(", "),
            Operand,
            Lit(", distribution = "),
            Attr("rng_distribution"),
            AttrDict,
            Types(TypeForm::Functional),
        ])
        .rule(rules::rng),
    op(RngBitGenerator, Family::Random)
        .results(Arity::exactly(2))
        .elements(TypeSet::INTEGER.or(TypeSet::FLOAT))
        .attrs(&[required("rng_algorithm", AttrKind::Enum("rng_algorithm", &["DEFAULT", "THREE_FRY", "PHILOX"]))])
        .syntax(&[Operand, Lit(", algorithm = "), Attr("rng_algorithm"), AttrDict, Types(TypeForm::Functional)])
        .rule(rules::rng_bit_generator),
];

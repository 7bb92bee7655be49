//! Control flow, calls, terminators and fusion groups.

use super::syntax::RETURN;
use super::{Arity, AttrKind, Custom, Family, OpRow, Piece, Trait, TypeForm, TypeSet, op, optional, required};
use crate::op::OpKind::*;
use crate::verify::control as rules;
use Piece::{AttrDict, Lit, Operands, Types};

pub const ROWS: &[OpRow] = &[
    op(If, Family::Control).regions(2).elements(TypeSet::BOOLEAN).results(Arity::ANY).rule(rules::if_),
    op(Case, Family::Control).any_regions().elements(TypeSet::SIGNED).results(Arity::ANY).rule(rules::case),
    op(While, Family::Control)
        .operands(Arity::ANY)
        .results(Arity::ANY)
        .regions(2)
        .elements(TypeSet::ANY)
        .syntax(&[Piece::Custom(Custom::While)])
        .rule(rules::while_),
    op(Return, Family::Control)
        .operands(Arity::ANY)
        .results(Arity::exactly(0))
        .elements(TypeSet::ANY)
        .traits(&[Trait::Terminator])
        .syntax(RETURN),
    op(Composite, Family::Control)
        .operands(Arity::ANY)
        .results(Arity::ANY)
        .any_regions()
        .elements(TypeSet::ANY)
        .attrs(&[
            required("name", AttrKind::Str),
            optional("composite_attributes", AttrKind::Dict),
            required("decomposition", AttrKind::Symbol),
            optional("version", AttrKind::I32),
        ])
        .syntax(&[Piece::Custom(Custom::Composite)])
        .rule(rules::composite),
    op(CustomCall, Family::Control)
        .operands(Arity::ANY)
        .results(Arity::ANY)
        .elements(TypeSet::ANY)
        .traits(&[Trait::SideEffect])
        .attrs(&[
            required("call_target_name", AttrKind::Str),
            optional("has_side_effect", AttrKind::Bool),
            optional("backend_config", AttrKind::Any),
            optional("api_version", AttrKind::I32),
            optional("called_computations", AttrKind::Any),
            optional("operand_layouts", AttrKind::Any),
            optional("result_layouts", AttrKind::Any),
            optional("output_operand_aliases", AttrKind::Any),
            optional("result_tilings", AttrKind::Any),
        ])
        .syntax(&[
            Piece::Custom(Custom::CallTarget),
            Lit("("),
            Operands,
            Lit(")"),
            AttrDict,
            Types(TypeForm::Functional),
        ]),
    op(HostCall, Family::Control)
        .operands(Arity::ANY)
        .results(Arity::ANY)
        .elements(TypeSet::ANY)
        .traits(&[Trait::SideEffect])
        .attrs(&[required("number", AttrKind::I64)])
        .rule(rules::host_call),
    op(ManualComputation, Family::Control)
        .operands(Arity::ANY)
        .results(Arity::ANY)
        .regions(1)
        .elements(TypeSet::ANY)
        .traits(&[Trait::SideEffect])
        .attrs(&[
            optional("in_shardings", AttrKind::Any),
            optional("out_shardings", AttrKind::Any),
            optional("manual_axes", AttrKind::Any),
        ]),
    op(ShardingConstraint, Family::Control)
        .elements(TypeSet::ANY)
        .traits(&[Trait::SideEffect])
        .attrs(&[optional("sharding", AttrKind::Any)])
        .rule(crate::verify::shape::same),
    op(FuncCall, Family::Function)
        .operands(Arity::ANY)
        .results(Arity::ANY)
        .elements(TypeSet::ANY)
        .attrs(&[required("callee", AttrKind::Symbol), optional("no_inline", AttrKind::Unit)])
        .syntax(&[Piece::Custom(Custom::Callee), Lit("("), Operands, Lit(")"), AttrDict, Types(TypeForm::Functional)])
        .rule(rules::call),
    op(FuncReturn, Family::Function)
        .operands(Arity::ANY)
        .results(Arity::exactly(0))
        .elements(TypeSet::ANY)
        .traits(&[Trait::Terminator])
        .syntax(RETURN),
    op(Fusion, Family::Fusion)
        .operands(Arity::ANY)
        .results(Arity::SOME)
        .regions(1)
        .elements(TypeSet::ANY)
        .rule(rules::fusion),
    op(FusionYield, Family::Fusion)
        .operands(Arity::ANY)
        .results(Arity::exactly(0))
        .elements(TypeSet::ANY)
        .traits(&[Trait::Terminator])
        .syntax(RETURN),
];

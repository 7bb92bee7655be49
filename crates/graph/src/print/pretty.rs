//! Pretty forms, by walking the pieces of an op's row; the checks here decide when an op can be printed so.

use fornax_types::ElementType;

use super::Printer;
use crate::attr::{Attr, AttrMap};
use crate::graph::{Op, ValueId};
use crate::op::OpKind;
use crate::ops::syntax::attributes;
use crate::ops::{AttrKind, OpRow, Piece, TypeForm, row};
use crate::types::{TensorType, Type};

impl Printer<'_> {
    /// Whether the op's pretty form can say all there is.
    pub(super) fn is_pretty(&self, op: &Op) -> bool {
        let row = row(op.kind);
        if row.syntax.is_empty() || op.kind == OpKind::Unregistered {
            return false;
        }
        let named = row.syntax.iter().filter(|p| matches!(p, Piece::Operand)).count();
        let open = row.syntax.iter().any(|p| !matches!(p, Piece::Operand | Piece::Lit(_)) && takes_operands(p));
        let count = if open { op.operands.len() >= named } else { op.operands.len() == named };
        let whole = row.syntax.len() == 1;
        count && (whole || op.regions.is_empty()) && row.syntax.iter().all(|p| self.piece_fits(op, row, p))
    }

    fn piece_fits(&self, op: &Op, row: &OpRow, piece: &Piece) -> bool {
        match piece {
            Piece::Attr(name) => op.attrs.get(name).is_some_and(|a| attr_fits(row, name, a)),
            Piece::Optional(name, _) => op.attrs.get(name).is_none_or(|a| attr_fits(row, name, a)),
            Piece::Types(form) => self.types_fit(op, *form),
            Piece::Custom(custom) => self.custom_fits(op, *custom),
            _ => true,
        }
    }

    fn types_fit(&self, op: &Op, form: TypeForm) -> bool {
        let types = |values: &[ValueId]| values.iter().map(|&v| self.graph.ty(v).clone()).collect::<Vec<_>>();
        match form {
            TypeForm::Functional => true,
            TypeForm::Arrow => !op.operands.is_empty(),
            TypeForm::Results => !op.results.is_empty(),
            TypeForm::OptionalOperands => op.results.is_empty(),
            TypeForm::Pairwise => types(&op.operands) == types(&op.results),
            TypeForm::Same | TypeForm::Select | TypeForm::Complex => op.results.len() == 1,
            TypeForm::Tuple => {
                matches!(types(&op.results).as_slice(), [Type::Tuple(parts)] if *parts == types(&op.operands))
            }
        }
    }

    pub(super) fn pretty_op(&mut self, op: &Op) {
        let row = row(op.kind);
        self.push(match op.kind {
            OpKind::FuncReturn => "return",
            OpKind::FuncCall => "call",
            kind => kind.name(),
        });
        let glued = matches!(row.syntax.first(), Some(Piece::Lit(text)) if text.starts_with('('));
        let starts = matches!(row.syntax.first(), Some(Piece::AttrDict | Piece::Types(_)));
        if !(glued
            || starts
            || row.syntax.len() == 1
            || (row.syntax.first().is_some_and(takes_operands) && op.operands.is_empty()))
        {
            self.push(" ");
        }
        let mut operands = op.operands.iter();
        self.pieces(op, row, row.syntax, &mut operands);
    }

    fn pieces<'o>(
        &mut self,
        op: &'o Op,
        row: &OpRow,
        pieces: &[Piece],
        operands: &mut impl Iterator<Item = &'o ValueId>,
    ) {
        for piece in pieces {
            match piece {
                Piece::Lit(text) => self.push(text),
                Piece::Operand => {
                    if let Some(&value) = operands.next() {
                        self.value(value);
                    }
                }
                Piece::Operands => {
                    let rest: Vec<ValueId> = operands.by_ref().copied().collect();
                    if matches!(pieces.first(), Some(Piece::AttrDict)) && !rest.is_empty() {
                        self.push(" ");
                    }
                    self.values(&rest);
                }
                Piece::OperandsComma => {
                    for &value in operands.by_ref() {
                        self.value(value);
                        self.push(", ");
                    }
                }
                Piece::Attr(name) => self.pretty_attr(op, row, name),
                Piece::Optional(name, inner) => {
                    if op.attrs.get(name).is_some() {
                        self.pieces(op, row, inner, operands);
                    }
                }
                Piece::AttrDict => self.other_attrs(op, row, " "),
                Piece::AttrDictKeyword => self.other_attrs(op, row, " attributes "),
                Piece::Types(form) => self.type_form(op, *form),
                Piece::Custom(custom) => self.custom(op, *custom),
            }
        }
    }

    /// The attributes that the pretty form does not write elsewhere.
    pub(super) fn other_attrs(&mut self, op: &Op, row: &OpRow, before: &str) {
        let written = attributes(row.syntax);
        let others: Vec<_> = op.attrs.0.iter().filter(|(name, _)| !written.contains(&name.as_str())).collect();
        if !others.is_empty() {
            self.push(before);
            self.push("{");
            self.op_attrs(op, &others);
            self.push("}");
        }
    }

    fn pretty_attr(&mut self, op: &Op, row: &OpRow, name: &str) {
        let kind = row.attr(name).map_or(AttrKind::Any, |spec| spec.kind);
        match (kind, op.attrs.get(name)) {
            (AttrKind::I64 | AttrKind::I32, Some(Attr::Int(value, _))) => self.push(&value.to_string()),
            (AttrKind::Ints, Some(Attr::DenseArray(_, values))) => self.int_list(values),
            (AttrKind::Enum(..), Some(Attr::Enum(_, keyword))) => self.push(keyword),
            (_, Some(other)) => self.attr(other),
            (_, None) => {}
        }
    }

    fn type_form(&mut self, op: &Op, form: TypeForm) {
        let types: Vec<&Type> = op.operands.iter().map(|&v| self.graph.ty(v)).collect();
        let result = op.results.first().map(|&v| self.graph.ty(v));
        match (form, result) {
            (TypeForm::OptionalOperands, _) if op.operands.is_empty() => {}
            // Without the parentheses a value on the next line would be read as an operand.
            (TypeForm::Pairwise, _) if op.operands.is_empty() => self.push("()"),
            (TypeForm::Pairwise | TypeForm::OptionalOperands, _) => {
                self.push(" : ");
                self.value_types(&op.operands);
            }
            (TypeForm::Results, _) => {
                self.push(" : ");
                self.value_types(&op.results);
            }
            (TypeForm::Tuple, Some(result)) => {
                self.push(" : ");
                self.ty(result);
            }
            (TypeForm::Arrow, _) => {
                self.push(" : ");
                self.value_types(&op.operands);
                self.push(" -> ");
                self.value_results(&op.results);
            }
            (TypeForm::Same, Some(result)) if types.iter().all(|t| *t == result) => {
                self.push(" : ");
                self.ty(result);
            }
            (TypeForm::Select, Some(result)) if types.len() == 3 && types[1] == result && types[2] == result => {
                self.push(" : ");
                self.ty(types[0]);
                self.push(", ");
                self.ty(result);
            }
            (TypeForm::Complex, Some(result)) if types.iter().all(|t| Some(*t) == complex_part(result).as_ref()) => {
                self.push(" : ");
                self.ty(result);
            }
            _ => {
                self.push(" : ");
                self.functional_type(op);
            }
        }
    }
}

fn takes_operands(piece: &Piece) -> bool {
    matches!(piece, Piece::Operands | Piece::OperandsComma) || matches!(piece, Piece::Custom(c) if c.holds_operands())
}

/// Whether a pretty form can write the attribute: it must have the type that the parser will give it.
fn attr_fits(row: &OpRow, name: &str, attr: &Attr) -> bool {
    let kind = row.attr(name).map_or(AttrKind::Any, |spec| spec.kind);
    match (kind, attr) {
        (AttrKind::I64, Attr::Int(_, ty)) => *ty == Type::Scalar(ElementType::I64),
        (AttrKind::I32, Attr::Int(_, ty)) => *ty == Type::Scalar(ElementType::I32),
        (AttrKind::Ints, Attr::DenseArray(e, _)) => *e == ElementType::I64,
        (AttrKind::Enum(mnemonic, values), Attr::Enum(m, v)) => mnemonic == m && values.contains(&v.as_str()),
        (AttrKind::Bool, Attr::Bool(_)) | (AttrKind::Str, Attr::String(_)) => true,
        _ => false,
    }
}

fn complex_part(ty: &Type) -> Option<Type> {
    match ty {
        Type::Tensor(t) if t.element.is_complex() => Some(Type::Tensor(TensorType {
            shape: t.shape.clone(),
            element: t.element.complex_part(),
            encoding: t.encoding.clone(),
        })),
        _ => None,
    }
}

/// Field of a struct attribute as a list.
pub(super) fn field_ints(attrs: &AttrMap, name: &str) -> Vec<i64> {
    attrs.ints(name).unwrap_or_default()
}

//! Pretty forms: walks the pieces of an op's row.

use fornax_graph::ops::{AttrKind, Piece, TypeForm, nearest};
use fornax_graph::{Attr, ElementType, TensorType, Type};

use super::attributes::ints;
use super::operation::OpState;
use super::parser::{Parser, Result};

impl<'a> Parser<'a> {
    pub fn parse_pretty_op(&mut self, state: &mut OpState) -> Result<()> {
        if state.row.syntax.is_empty() {
            let name = state.row.kind.name();
            let error = self.error_at("FX0113", state.pos, format!("`{name}` has no pretty form"));
            return Err(Box::new(error.hint(format!("write it in generic form: `\"{name}\"(…) : (…) -> …`"))));
        }
        self.parse_pieces(state, state.row.syntax)
    }

    fn parse_pieces(&mut self, state: &mut OpState, pieces: &[Piece]) -> Result<()> {
        for piece in pieces {
            match piece {
                Piece::Lit(text) => self.expect_literal(text)?,
                Piece::Operand => {
                    let operand = self.operand()?;
                    state.operands.push(operand);
                }
                Piece::Operands => {
                    let mut operands = self.operands()?;
                    state.operands.append(&mut operands);
                }
                Piece::OperandsComma => {
                    while self.lex.peek() == b'%' {
                        let operand = self.operand()?;
                        state.operands.push(operand);
                        self.expect(",")?;
                    }
                }
                Piece::Attr(name) => {
                    let value = self.parse_pretty_attr(state, name)?;
                    state.attrs.set(name, value);
                }
                Piece::Optional(_, inner) => {
                    if self.optional_follows(inner) {
                        self.parse_pieces(state, inner)?;
                    }
                }
                Piece::AttrDict => self.parse_optional_attr_dict(&mut state.attrs)?,
                Piece::AttrDictKeyword => {
                    if self.lex.eat_keyword("attributes") {
                        self.parse_optional_attr_dict(&mut state.attrs)?;
                    }
                }
                Piece::Types(form) => self.parse_type_form(state, *form)?,
                Piece::Custom(custom) => self.parse_custom(state, *custom)?,
            }
        }
        Ok(())
    }

    /// Whether the literal that begins optional pieces is next.
    fn optional_follows(&mut self, pieces: &[Piece]) -> bool {
        let saved = self.lex;
        let follows = match pieces.first() {
            Some(Piece::Lit(text)) => self.expect_literal(text).is_ok(),
            _ => false,
        };
        self.lex = saved;
        follows
    }

    fn parse_pretty_attr(&mut self, state: &OpState, name: &'static str) -> Result<Attr> {
        self.lex.skip_trivia();
        let pos = self.lex.pos;
        let kind = state.row.attr(name).map_or(AttrKind::Any, |spec| spec.kind);
        match kind {
            AttrKind::I64 => self.parse_pretty_int(ElementType::I64),
            AttrKind::I32 => self.parse_pretty_int(ElementType::I32),
            AttrKind::Ints if self.lex.byte(0) == b'[' => Ok(ints(self.parse_int_list()?)),
            AttrKind::Enum(mnemonic, values) if self.lex.byte(0) != b'#' => {
                let keyword = self.parse_enum_keyword(values, pos)?;
                Ok(Attr::Enum(mnemonic.to_string(), keyword))
            }
            // Not as an attribute, to which `: type` would belong.
            AttrKind::Str => Ok(Attr::String(self.string()?)),
            _ => self.parse_attribute(),
        }
    }

    fn parse_pretty_int(&mut self, element: ElementType) -> Result<Attr> {
        let value = self.parse_i64()?;
        if self.lex.peek() == b':' {
            // `dim = 1 : i64` stands before an attribute dictionary or `: type`; only a bare integer type belongs to
            // it.
            let mut probe = self.lex;
            probe.eat(":");
            if matches!(probe.ident(), Some("i64" | "i32")) {
                self.lex = probe;
            }
        }
        Ok(Attr::Int(i128::from(value), Type::Scalar(element)))
    }

    /// One of the keywords of an enumeration.
    pub fn parse_enum_keyword(&mut self, values: &[&'static str], pos: usize) -> Result<String> {
        let Some(word) = self.lex.ident() else { return Err(self.expected(&format!("one of {}", values.join(", ")))) };
        if values.contains(&word) {
            return Ok(word.to_string());
        }
        let near = nearest(word, values.iter().copied());
        let error = self.error_at("FX0115", pos, format!("`{word}` is not one of {}", values.join(", ")));
        Err(self.with_hint(error, near.map(|n| format!("did you mean `{n}`?"))))
    }

    /// `[1, 2]`
    pub fn parse_int_list(&mut self) -> Result<Vec<i64>> {
        self.expect("[")?;
        let mut values = Vec::new();
        if self.lex.eat("]") {
            return Ok(values);
        }
        loop {
            values.push(self.parse_i64()?);
            if !self.lex.eat(",") {
                self.expect("]")?;
                return Ok(values);
            }
        }
    }

    fn parse_type_form(&mut self, state: &mut OpState, form: TypeForm) -> Result<()> {
        match form {
            TypeForm::OptionalOperands => {
                if !self.lex.eat(":") {
                    return self.check_types(&state.operands, &[], state.pos);
                }
                let pos = self.lex.pos;
                let types = self.parse_type_list()?;
                return self.check_types(&state.operands, &types, pos);
            }
            TypeForm::Pairwise if state.operands.is_empty() => {
                if self.lex.eat("(") {
                    self.expect(")")?;
                }
                return Ok(());
            }
            TypeForm::Functional => return self.parse_functional_type(state),
            _ => self.expect(":")?,
        }
        self.lex.skip_trivia();
        let pos = self.lex.pos;
        let types = self.parse_type_list()?;
        match (form, types.as_slice()) {
            (TypeForm::Results, _) => state.results = types,
            (TypeForm::Pairwise, _) => {
                self.check_types(&state.operands, &types, pos)?;
                state.results = types;
            }
            (TypeForm::Arrow, _) => {
                if let [Type::Function { inputs, results }] = types.as_slice() {
                    self.check_types(&state.operands, inputs, pos)?;
                    state.results = results.clone();
                    return Ok(());
                }
                self.check_types(&state.operands, &types, pos)?;
                self.expect("->")?;
                state.results = self.parse_result_types()?;
            }
            (_, [Type::Function { inputs, results }]) => {
                self.check_types(&state.operands, inputs, pos)?;
                state.results = results.clone();
            }
            (TypeForm::Same, [one]) => {
                self.check_types(&state.operands, &vec![one.clone(); state.operands.len()], pos)?;
                state.results = types;
            }
            (TypeForm::Select, [predicate, value]) => {
                let inputs = [predicate.clone(), value.clone(), value.clone()];
                self.check_types(&state.operands, &inputs, pos)?;
                state.results = vec![value.clone()];
            }
            (TypeForm::Complex, [one]) => {
                let part = self.complex_part(one, pos)?;
                self.check_types(&state.operands, &[part.clone(), part], pos)?;
                state.results = types;
            }
            (TypeForm::Tuple, [Type::Tuple(parts)]) => {
                self.check_types(&state.operands, parts, pos)?;
                state.results = types;
            }
            _ => return Err(self.error_at("FX0101", pos, type_form_message(form))),
        }
        Ok(())
    }

    fn complex_part(&self, ty: &Type, pos: usize) -> Result<Type> {
        match ty {
            Type::Tensor(t) if t.element.is_complex() => Ok(Type::Tensor(TensorType {
                shape: t.shape.clone(),
                element: t.element.complex_part(),
                encoding: t.encoding.clone(),
            })),
            _ => Err(self.error_at("FX0106", pos, "expected a tensor of complex numbers or a function type")),
        }
    }
}

fn type_form_message(form: TypeForm) -> &'static str {
    match form {
        TypeForm::Select => "expected `predicate type, value type` or a function type",
        TypeForm::Tuple => "expected a tuple type",
        _ => "expected one type or a function type",
    }
}

//! Shardy's ops: a region in which a program says itself what each device does, and how a value is to be cut.

use fornax_graph::{Attr, Type};

use super::operation::OpState;
use super::parser::{Parser, Result};

impl Parser<'_> {
    /// `(%a) in_shardings=[…] out_shardings=[…] manual_axes={…} (%b: t) {…} : (t) -> t`
    pub fn parse_manual_computation(&mut self, state: &mut OpState) -> Result<()> {
        self.expect("(")?;
        state.operands = if self.lex.peek() == b')' { Vec::new() } else { self.operands()? };
        self.expect(")")?;
        for name in ["in_shardings", "out_shardings"] {
            self.expect_keyword(name)?;
            self.expect("=")?;
            self.expect("[")?;
            let text = self.balanced()?;
            self.expect("]")?;
            state.attrs.set(name, Attr::Opaque(format!("#sdy.sharding_per_value<[{text}]>")));
        }
        self.expect_keyword("manual_axes")?;
        self.expect("=")?;
        self.expect("{")?;
        let text = self.balanced()?;
        self.expect("}")?;
        state.attrs.set("manual_axes", Attr::Opaque(format!("#sdy<manual_axes{{{text}}}>")));
        self.expect("(")?;
        let mut arguments = Vec::new();
        while self.lex.peek() == b'%' {
            arguments.push(self.parse_typed_argument()?);
            if !self.lex.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        let region = self.parse_region(&arguments)?;
        state.regions.push(region);
        self.parse_optional_attr_dict(&mut state.attrs)?;
        self.parse_functional_type(state)
    }

    /// `%a <@mesh, […]> {…} : t`
    pub fn parse_sharding_constraint(&mut self, state: &mut OpState) -> Result<()> {
        state.operands = vec![self.operand()?];
        self.expect("<")?;
        let text = self.balanced()?;
        self.expect(">")?;
        state.attrs.set("sharding", Attr::Opaque(format!("#sdy.sharding<{text}>")));
        self.parse_optional_attr_dict(&mut state.attrs)?;
        self.expect(":")?;
        let pos = self.lex.pos;
        match self.parse_type()? {
            Type::Function { inputs, results } => {
                self.check_types(&state.operands, &inputs, pos)?;
                state.results = results;
            }
            one => {
                self.check_types(&state.operands, std::slice::from_ref(&one), pos)?;
                state.results = vec![one];
            }
        }
        Ok(())
    }
}

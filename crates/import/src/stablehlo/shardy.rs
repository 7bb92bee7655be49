//! Shardy's ops: a region in which a program says itself what each device does.

use fornax_graph::Attr;

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
}

//! Sizes known at run time, as `simplify` prints them: the table in the module's attributes, names in types and
//! attributes.
//!
//! `module attributes {fornax.dims = ["b: argument 0 axis 0, 1..", "n: value, 0..64"]}` declares b and n; in
//! `tensor<?x4xf32, #fornax.dims<2*b+1>>` the `?` is `2*b+1`; the op or argument that n is read from has the attribute
//! `fornax.dim = "n"` (a list where it is several sizes), one of several results `fornax.sizes = ["result 1: n"]`;
//! `fornax.dim_checks = [["b", "<=", "n", "message"]]` is what must hold.
//!
//! Limits: names must be declared before they are used, and every declared value bound to one scalar.

use fornax_graph::{Attr, AttrMap, Dim, OpId, RegionId, ValueId};

use super::parser::{Parser, Result};

impl Parser<'_> {
    /// Takes the table and the checks out of the module's attributes.
    pub fn declare_sizes(&mut self) -> Result<()> {
        let pos = self.lex.pos;
        if let Some(Attr::Array(lines)) = self.graph.attrs.remove("fornax.dims") {
            for line in &lines {
                let declared = matches!(line, Attr::String(text) if self.graph.declare_dim(text).is_some());
                if !declared {
                    let message = format!("`fornax.dims` has an entry that declares no new size: {line:?}");
                    return Err(self.error_at("FX0115", pos, message));
                }
            }
        }
        if let Some(Attr::Array(checks)) = self.graph.attrs.remove("fornax.dim_checks") {
            for check in &checks {
                let Attr::Array(parts) = check else { continue };
                let texts: Vec<&str> = parts.iter().filter_map(text_of).collect();
                if self.graph.declare_dim_check(&texts).is_none() {
                    let message = format!("`fornax.dim_checks` has an entry that is no check of sizes: {texts:?}");
                    return Err(self.error_at("FX0115", pos, message));
                }
            }
        }
        Ok(())
    }

    /// Every declared value has been met.
    pub fn check_bound_sizes(&mut self) -> Result<()> {
        match self.graph.unbound_dim() {
            Some(name) => {
                let message = format!("`fornax.dims` declares `{name}`, but no value has `fornax.dim = \"{name}\"`");
                Err(self.error_at("FX0115", self.lex.pos, message))
            }
            None => Ok(()),
        }
    }

    /// `<2, b+1>` after `#fornax.dims`.
    pub fn parse_dim_list(&mut self) -> Result<Attr> {
        let pos = self.lex.pos;
        self.expect("<")?;
        let names = split_list(self.balanced()?);
        self.expect(">")?;
        Ok(Attr::of_dims(&self.parse_sizes(pos, &names)?))
    }

    /// Each text as a size of the table.
    pub fn parse_sizes(&mut self, pos: usize, texts: &[String]) -> Result<Vec<Dim>> {
        let mut sizes = Vec::with_capacity(texts.len());
        for text in texts {
            let size = self.graph.parse_dim(text);
            let unknown = || self.error_at("FX0115", pos, format!("`{text}` is not a size of declared symbols"));
            sizes.push(size.ok_or_else(unknown)?);
        }
        Ok(sizes)
    }

    /// Takes `fornax.dim` out of the attributes of a function's arguments.
    pub fn bind_arguments(&mut self, body: RegionId, attrs: &mut [AttrMap]) -> Result<()> {
        let entry = self.graph.region(body).blocks.first().copied();
        let arguments = entry.map(|block| self.graph.block(block).arguments.clone()).unwrap_or_default();
        for (argument, attrs) in arguments.into_iter().zip(attrs) {
            let pos = self.lex.pos;
            self.bind_size(attrs.remove("fornax.dim"), Some(argument), pos)?;
        }
        Ok(())
    }

    /// The symbols that are read from one of several results, or from what a loop carries.
    pub fn bind_op_sizes(&mut self, sizes: Option<Attr>, op: OpId, pos: usize) -> Result<()> {
        let Some(sizes) = sizes else { return Ok(()) };
        let lines = match &sizes {
            Attr::Array(items) => items.iter().map(text_of).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        if lines.is_some_and(|lines| lines.into_iter().all(|line| self.graph.bind_op_size(op, line))) {
            return Ok(());
        }
        Err(self.error_at("FX0115", pos, "`fornax.sizes` names what is no declared value of the op"))
    }

    /// The symbol that is read from a value, or several.
    pub fn bind_size(&mut self, size: Option<Attr>, value: Option<ValueId>, pos: usize) -> Result<()> {
        let Some(size) = size else { return Ok(()) };
        let bound = match (&size, value) {
            (Attr::String(name), Some(value)) => self.graph.bind_dim(name, value),
            (Attr::Array(names), Some(value)) => {
                names.iter().all(|name| text_of(name).is_some_and(|name| self.graph.bind_dim(name, value)))
            }
            _ => false,
        };
        if bound {
            Ok(())
        } else {
            Err(self.error_at("FX0115", pos, format!("`fornax.dim` names no declared value: {size:?}")))
        }
    }
}

fn text_of(attr: &Attr) -> Option<&str> {
    match attr {
        Attr::String(text) => Some(text),
        _ => None,
    }
}

/// `b, max(s, 2)` at the commas outside of parentheses.
pub fn split_list(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

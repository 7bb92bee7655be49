//! Sizes as text: `2*b+1`, `(b+1)/2` (rounded down), `b mod 4`, `max(b, s)`, `ceildiv(a, b)`; and back.
//!
//! Limits: an expression whose text would be longer than [`LONGEST`] gets a name of its own (`d17`).

use super::{DimCheck, DimDef, DimExpr, DimRelation, SymbolicDim};
use crate::graph::{Graph, OpId, ValueId};
use crate::location::LocId;
use crate::op::OpKind;
use crate::types::Dim;

/// Stands for the value of a symbol whose definition has been read but not yet its value.
const UNBOUND: ValueId = ValueId(u32::MAX);

/// Deepest nesting of a text.
const DEEPEST: usize = 64;

const RELATIONS: &[(&str, DimRelation)] = &[
    ("==", DimRelation::Equal),
    ("!=", DimRelation::NotEqual),
    ("<=", DimRelation::LessEqual),
    ("divides", DimRelation::Divides),
];

/// Characters of an expression's text.
pub(super) const LONGEST: usize = 120;

impl Graph {
    /// A size as text, `?` when it is unknown.
    pub fn dim_text(&self, dim: Dim) -> String {
        match dim {
            Dim::Static(n) => n.to_string(),
            Dim::Symbolic(at) => self.dims.get(at as usize).map_or("?".into(), |d| d.name.clone()),
        }
    }

    pub(super) fn expression_text(&self, expr: DimExpr) -> String {
        let (a, b) = expr.operands();
        let (x, y) = (self.dim_text(a), self.dim_text(b));
        let inner = |text: &str| {
            let plain = text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'.');
            if plain { text.to_string() } else { format!("({text})") }
        };
        // Products and their factors need no parentheses inside a product.
        let factor = |text: &str| {
            if text.contains(['+', '-', '/', ' ', ',']) { inner(text) } else { text.to_string() }
        };
        match expr {
            DimExpr::Add(..) => format!("{x}+{y}"),
            DimExpr::Sub(..) => format!("{x}-{}", factor(&y)),
            DimExpr::Mul(..) => format!("{}*{}", factor(&x), factor(&y)),
            DimExpr::FloorDiv(..) => format!("{}/{}", inner(&x), inner(&y)),
            DimExpr::CeilDiv(..) => format!("ceildiv({x}, {y})"),
            DimExpr::Mod(..) => format!("{} mod {}", inner(&x), inner(&y)),
            DimExpr::Min(..) => format!("min({x}, {y})"),
            DimExpr::Max(..) => format!("max({x}, {y})"),
        }
    }
}

impl Graph {
    /// The table as text, one line an entry that has a name of its own:
    /// `b: argument 0 axis 1, 1..4096`, `n: value, 0..`, `d17: = (b+1)/2+…`.
    pub(crate) fn dim_declarations(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for dim in self.dims.iter().skip(1) {
            let range = |dim: &SymbolicDim| {
                let end = |n: i64, open: i64| if n == open { String::new() } else { n.to_string() };
                format!("{}..{}", end(dim.min, i64::MIN), end(dim.max, i64::MAX))
            };
            match dim.def {
                DimDef::Argument { argument, axis } => {
                    lines.push(format!("{}: argument {argument} axis {axis}, {}", dim.name, range(dim)));
                }
                DimDef::Value { .. } => lines.push(format!("{}: value, {}", dim.name, range(dim))),
                DimDef::Expr(expr) => {
                    let text = self.expression_text(expr);
                    if text != dim.name {
                        lines.push(format!("{}: = {text}", dim.name));
                    }
                }
                DimDef::Unknown => {}
            }
        }
        lines
    }

    /// Reads a line of `Graph::dim_declarations`. A value is named by [`Graph::bind_dim`] later.
    pub fn declare_dim(&mut self, line: &str) -> Option<Dim> {
        let (name, rest) = line.split_once(": ")?;
        if let Some(text) = rest.strip_prefix("= ") {
            let dim = self.parse_dim(text)?;
            if let Dim::Symbolic(at) = dim
                && self.dims[at as usize].name == text
            {
                self.dims[at as usize].name = name.to_string();
            }
            return Some(dim);
        }
        let (what, range) = rest.rsplit_once(", ")?;
        let (min, max) = range.split_once("..")?;
        let end = |text: &str, open: i64| if text.is_empty() { Some(open) } else { text.parse().ok() };
        let (min, max) = (end(min, i64::MIN)?, end(max, i64::MAX)?);
        let def = match what.split_whitespace().collect::<Vec<_>>()[..] {
            ["argument", argument, "axis", axis] => {
                DimDef::Argument { argument: argument.parse().ok()?, axis: axis.parse().ok()? }
            }
            ["value"] => DimDef::Value { value: UNBOUND },
            _ => return None,
        };
        let known = self.dims.iter().any(|d| d.name == name || d.def == def && def != DimDef::Value { value: UNBOUND });
        (!known).then(|| self.push_dim(def, name.to_string(), min, max))
    }

    /// Says which value a declared symbol is read from; false if there is no such symbol.
    pub fn bind_dim(&mut self, name: &str, value: ValueId) -> bool {
        let unbound = DimDef::Value { value: UNBOUND };
        let found = self.dims.iter_mut().find(|d| d.name == name && d.def == unbound);
        found.map(|dim| dim.def = DimDef::Value { value }).is_some()
    }

    /// The name of a declared symbol without a value, if there is one.
    pub fn unbound_dim(&self) -> Option<&str> {
        let unbound = DimDef::Value { value: UNBOUND };
        self.dims.iter().find(|d| d.def == unbound).map(|d| d.name.as_str())
    }

    /// The names of the symbols that the host reads from a value: several where ops that gave one each became one op.
    pub(crate) fn dims_of_value(&self, value: ValueId) -> impl Iterator<Item = &str> {
        self.dims.iter().filter(move |d| d.def == DimDef::Value { value }).map(|d| d.name.as_str())
    }

    /// Which symbols the host reads from the results of an op, and from what a loop carries: `result 2: n`,
    /// `condition 2: m`, `body 2: k`.
    pub(crate) fn op_sizes(&self, op: OpId) -> Vec<String> {
        let mut lines = Vec::new();
        for (place, values) in self.size_places(op) {
            for (at, &value) in values.iter().enumerate() {
                lines.extend(self.dims_of_value(value).map(|name| format!("{place} {at}: {name}")));
            }
        }
        lines
    }

    /// Reads a line of [`Graph::op_sizes`]; false if it names no declared symbol or no value of the op.
    pub fn bind_op_size(&mut self, op: OpId, line: &str) -> bool {
        let parts = line.split_once(": ").and_then(|(place, name)| Some((place.split_once(' ')?, name)));
        let Some(((place, at), name)) = parts else { return false };
        let places = self.size_places(op);
        let values = places.iter().find(|p| p.0 == place).map(|p| &p.1);
        let value = values.and_then(|values| values.get(at.parse::<usize>().ok()?).copied());
        value.is_some_and(|value| self.bind_dim(name, value))
    }

    fn size_places(&self, op: OpId) -> Vec<(&'static str, Vec<ValueId>)> {
        let data = self.op(op);
        let mut places = vec![("result", data.results.clone())];
        if data.kind != OpKind::While {
            return places;
        }
        for (place, &region) in ["condition", "body"].into_iter().zip(&data.regions) {
            let block = self.region(region).blocks.first();
            places.push((place, block.map(|&block| self.block(block).arguments.clone()).unwrap_or_default()));
        }
        places
    }

    /// `[a, relation, b, message]`
    pub fn dim_check_parts(&self, check: &DimCheck) -> [String; 4] {
        let relation = RELATIONS.iter().find(|(_, r)| *r == check.condition).map_or("==", |(text, _)| text);
        [self.dim_text(check.a), relation.into(), self.dim_text(check.b), check.message.clone()]
    }

    /// Reads [`Graph::dim_check_parts`].
    pub fn declare_dim_check(&mut self, parts: &[&str]) -> Option<()> {
        let &[a, relation, b, message] = parts else { return None };
        let condition = RELATIONS.iter().find(|(text, _)| *text == relation)?.1;
        let (a, b) = (self.parse_dim(a)?, self.parse_dim(b)?);
        self.dim_checks.push(DimCheck { condition, a, b, message: message.into(), location: LocId(0) });
        Some(())
    }

    /// Reads a size: a number, a declared name, or arithmetic on them; `?` is the unknown size.
    pub fn parse_dim(&mut self, text: &str) -> Option<Dim> {
        let text = text.trim();
        if text == "?" {
            return Some(Dim::Symbolic(0));
        }
        let mut reader = Reader { graph: self, text, depth: 0 };
        let dim = reader.sum()?;
        reader.text.trim().is_empty().then_some(dim)
    }
}

/// Reads a size from the front of a text.
struct Reader<'g, 't> {
    graph: &'g mut Graph,
    text: &'t str,
    depth: usize,
}

impl Reader<'_, '_> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.text.trim_start().strip_prefix(token);
        rest.map(|rest| self.text = rest).is_some()
    }

    fn sum(&mut self) -> Option<Dim> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut left = self.product()?;
        loop {
            if self.eat("+") {
                let right = self.product()?;
                left = self.graph.dim_add(left, right);
            } else if self.eat("-") {
                let right = self.product()?;
                left = self.graph.dim_sub(left, right);
            } else {
                break;
            }
        }
        self.depth -= 1;
        Some(left)
    }

    fn product(&mut self) -> Option<Dim> {
        let mut left = self.factor()?;
        loop {
            if self.eat("*") {
                let right = self.factor()?;
                left = self.graph.dim_mul(left, right);
            } else if self.eat("/") {
                let right = self.factor()?;
                left = self.graph.dim_floor_div(left, right);
            } else if self.eat("mod ") {
                let right = self.factor()?;
                left = self.graph.dim_mod(left, right);
            } else {
                return Some(left);
            }
        }
    }

    fn factor(&mut self) -> Option<Dim> {
        if self.eat("(") {
            let inner = self.sum()?;
            return self.eat(")").then_some(inner);
        }
        let negative = self.eat("-");
        let text = self.text.trim_start();
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let (name, rest) = text.split_at(text.find(|c| !word(c)).unwrap_or(text.len()));
        self.text = rest;
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            let number = if negative { format!("-{name}") } else { name.to_string() };
            return Some(Dim::Static(number.parse().ok()?));
        }
        if matches!(name, "min" | "max" | "ceildiv") && self.eat("(") {
            let a = self.sum()?;
            let b = self.eat(",").then(|| self.sum())??;
            let dim = match name {
                "min" => self.graph.dim_min(a, b),
                "max" => self.graph.dim_max(a, b),
                _ => self.graph.dim_ceil_div(a, b),
            };
            return self.eat(")").then_some(dim);
        }
        let at = self.graph.dims.iter().position(|d| d.name == name).filter(|&at| at > 0 && !negative)?;
        Some(Dim::Symbolic(at as u32))
    }
}

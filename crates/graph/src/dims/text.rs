//! Sizes as text: `2*b+1`, `(b+1)/2` (rounded down), `b mod 4`, `max(b, s)`, `ceildiv(a, b)`; and back.
//!
//! Limits: an expression whose text would be longer than [`LONGEST`] gets a name of its own (`d17`).

use super::DimExpr;
use crate::graph::Graph;
use crate::types::Dim;

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

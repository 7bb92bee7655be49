//! Bounds of sizes: from the bounds of the operands those of an expression, by interval arithmetic.
//!
//! `b` in 1..8 and `s` in 0..10: `2*b+s` in 2..26, `s mod 4` in 0..3, `s / b` in 0..10. Numbers beyond i64 saturate.

use std::collections::HashMap;

use super::{DimDef, DimExpr};
use crate::graph::Graph;
use crate::types::Dim;

/// Assumed for a size that could be anything.
const TYPICAL: i64 = 64;

impl Graph {
    /// Smallest and largest number that a size can be.
    pub fn dim_bounds(&self, dim: Dim) -> (i64, i64) {
        match dim {
            Dim::Static(n) => (n, n),
            Dim::Symbolic(at) => self.dims.get(at as usize).map_or((0, i64::MAX), |d| (d.min, d.max)),
        }
    }

    /// A number to weigh costs with: the size where it is known, its largest value where that is known, else a typical
    /// one.
    pub fn dim_estimate(&self, dim: Dim) -> i64 {
        let mut estimates = HashMap::new();
        let of = |estimates: &HashMap<u32, i64>, dim: Dim| match dim {
            Dim::Static(n) => n,
            Dim::Symbolic(at) => estimates.get(&at).copied().unwrap_or(TYPICAL),
        };
        for at in self.dim_parts(dim) {
            let (min, max) = self.dim_bounds(Dim::Symbolic(at));
            let estimate = match self.dims.get(at as usize).map(|d| d.def) {
                _ if max < 1 << 20 => max.max(0),
                Some(DimDef::Expr(expr)) => {
                    let (a, b) = expr.operands();
                    let known = expr.apply(of(&estimates, a), of(&estimates, b));
                    known.unwrap_or(TYPICAL).clamp(min.max(0), max.max(0))
                }
                _ => TYPICAL.clamp(min.max(0), max),
            };
            estimates.insert(at, estimate);
        }
        of(&estimates, dim)
    }

    /// Whether `a <= b` for all values of the symbols.
    pub fn dim_at_most(&mut self, a: Dim, b: Dim) -> bool {
        if a == b || self.dim_bounds(a).1 <= self.dim_bounds(b).0 {
            return true;
        }
        self.difference_bounds(b, a).is_some_and(|(min, _)| min >= 0)
    }

    /// Narrows the bounds of a symbol, and of what is computed from it.
    pub fn narrow_dim(&mut self, dim: Dim, min: i64, max: i64) {
        let Dim::Symbolic(at) = dim else { return };
        let Some(entry) = self.dims.get_mut(at as usize) else { return };
        if at == 0 || (min <= entry.min && max >= entry.max) {
            return;
        }
        (entry.min, entry.max) = (entry.min.max(min), entry.max.min(max));
        for later in at as usize + 1..self.dims.len() {
            if let DimDef::Expr(expr) = self.dims[later].def {
                let (min, max) = self.expression_bounds(expr);
                let entry = &mut self.dims[later];
                (entry.min, entry.max) = (entry.min.max(min), entry.max.min(max));
            }
        }
    }

    pub(super) fn expression_bounds(&self, expr: DimExpr) -> (i64, i64) {
        let (a, b) = expr.operands();
        interval(expr, self.dim_bounds(a), self.dim_bounds(b))
    }
}

pub(super) fn saturate(value: i128) -> i64 {
    value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// Bounds of an operation's value, from those of its operands.
fn interval(expr: DimExpr, (a, b): (i64, i64), (c, d): (i64, i64)) -> (i64, i64) {
    let wide = |x: i64| i128::from(x);
    match expr {
        DimExpr::Add(..) => (saturate(wide(a) + wide(c)), saturate(wide(b) + wide(d))),
        DimExpr::Sub(..) => (saturate(wide(a) - wide(d)), saturate(wide(b) - wide(c))),
        DimExpr::Mul(..) => corners((a, b), (c, d), |x, y| wide(x) * wide(y)),
        DimExpr::Min(..) => (a.min(c), b.min(d)),
        DimExpr::Max(..) => (a.max(c), b.max(d)),
        DimExpr::FloorDiv(..) if c > 0 => corners((a, b), (c, d), |x, y| wide(x).div_euclid(wide(y))),
        DimExpr::CeilDiv(..) if c > 0 => corners((a, b), (c, d), |x, y| -(-wide(x)).div_euclid(wide(y))),
        DimExpr::Mod(..) if c > 0 && a >= 0 => (0, b.min(d - 1)),
        DimExpr::Mod(..) if c > 0 => (0, d - 1),
        DimExpr::FloorDiv(..) | DimExpr::CeilDiv(..) => {
            let most = wide(a).abs().max(wide(b).abs());
            (saturate(-most), saturate(most))
        }
        DimExpr::Mod(..) => (c.min(0), d.max(0)),
    }
}

fn corners((a, b): (i64, i64), (c, d): (i64, i64), op: impl Fn(i64, i64) -> i128) -> (i64, i64) {
    let all = [op(a, c), op(a, d), op(b, c), op(b, d)];
    let min = all.iter().copied().min().unwrap_or_default();
    let max = all.iter().copied().max().unwrap_or_default();
    (saturate(min), saturate(max))
}

//! Sizes that are known at run time: an interned table of symbols and of integer expressions over them, with bounds.
//!
//! Input: sizes ([`Dim`]), put together with `dim_add`, `dim_mul` and their kin. Output: again sizes, such that two
//! sizes that are the same polynomial are the same [`Dim`]: whoever compares shapes compares ids. Sums of products are
//! sorted, quotients by constants split off their whole part, `n * (x / n)` becomes `x - x mod n`, and what the bounds
//! decide is decided: for `b` in 1..100 `max(b, 1)` is `b`.
//!
//! Worked example: with `b` = size 0 of argument 0, `dim_floor_div(dim_add(dim_mul(b, 6), 4), 4)` is stored as
//! `b + (2*b+4)/4`, further as `b + (2*b)/4 + 1`; with `b` = 3 that is 3 + 1 + 1 = 5 = 22 / 4.
//!
//! Limits: expressions are over all integers, in i64; one that would overflow while it is simplified, or has too many
//! terms or factors, is kept as it was asked for, and is one term of what it is in. Divisions round down (`floor`),
//! `Mod` has the sign of the divisor. Entries only refer to earlier ones.

mod arithmetic;
mod bounds;
mod equal;
mod polynomial;
mod table;
mod text;

use std::collections::{HashMap, HashSet};

pub use equal::Equalities;
pub use table::DimTable;

use crate::graph::{Graph, ValueId};
use crate::location::LocId;
use crate::types::Dim;

/// A symbolic size: `?` (entry 0), or a size with a definition and bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicDim {
    /// Unique; of an expression its text.
    pub name: String,
    pub min: i64,
    pub max: i64,
    pub def: DimDef,
    /// An expression that is not multiplied out: for sums and products it is a symbol.
    pub is_opaque: bool,
}

/// Where a size comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DimDef {
    /// The anonymous `?`: not inferred yet.
    Unknown,
    /// A size of an argument of the entry function.
    Argument {
        argument: u32,
        axis: u32,
    },
    /// An integer scalar (0-d tensor) that is given or computed at run time and read by the host.
    Value {
        value: ValueId,
    },
    Expr(DimExpr),
}

/// Arithmetic on sizes; operands are static or earlier entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DimExpr {
    Add(Dim, Dim),
    Sub(Dim, Dim),
    Mul(Dim, Dim),
    FloorDiv(Dim, Dim),
    CeilDiv(Dim, Dim),
    /// `a - b * floor(a / b)`
    Mod(Dim, Dim),
    Min(Dim, Dim),
    Max(Dim, Dim),
}

impl DimExpr {
    pub fn operands(self) -> (Dim, Dim) {
        match self {
            DimExpr::Add(a, b)
            | DimExpr::Sub(a, b)
            | DimExpr::Mul(a, b)
            | DimExpr::FloorDiv(a, b)
            | DimExpr::CeilDiv(a, b)
            | DimExpr::Mod(a, b)
            | DimExpr::Min(a, b)
            | DimExpr::Max(a, b) => (a, b),
        }
    }

    /// The same operation on other operands.
    pub fn with(self, a: Dim, b: Dim) -> DimExpr {
        match self {
            DimExpr::Add(..) => DimExpr::Add(a, b),
            DimExpr::Sub(..) => DimExpr::Sub(a, b),
            DimExpr::Mul(..) => DimExpr::Mul(a, b),
            DimExpr::FloorDiv(..) => DimExpr::FloorDiv(a, b),
            DimExpr::CeilDiv(..) => DimExpr::CeilDiv(a, b),
            DimExpr::Mod(..) => DimExpr::Mod(a, b),
            DimExpr::Min(..) => DimExpr::Min(a, b),
            DimExpr::Max(..) => DimExpr::Max(a, b),
        }
    }

    /// The number for two numbers; `None` for a division by zero and for an overflow of i64.
    pub fn apply(self, a: i64, b: i64) -> Option<i64> {
        match self {
            DimExpr::Add(..) => a.checked_add(b),
            DimExpr::Sub(..) => a.checked_sub(b),
            DimExpr::Mul(..) => a.checked_mul(b),
            DimExpr::FloorDiv(..) => floor_div(a, b),
            DimExpr::CeilDiv(..) => floor_div(a, b.checked_neg()?)?.checked_neg(),
            DimExpr::Mod(..) => a.checked_sub(b.checked_mul(floor_div(a, b)?)?),
            DimExpr::Min(..) => Some(a.min(b)),
            DimExpr::Max(..) => Some(a.max(b)),
        }
    }
}

fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// What two sizes must satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DimRelation {
    Equal,
    NotEqual,
    /// `a <= b`
    LessEqual,
    /// `a` divides `b`
    Divides,
}

impl DimRelation {
    pub fn holds(self, a: i64, b: i64) -> bool {
        match self {
            DimRelation::Equal => a == b,
            DimRelation::NotEqual => a != b,
            DimRelation::LessEqual => a <= b,
            DimRelation::Divides => a != 0 && b % a == 0,
        }
    }
}

/// A condition that the host checks before a run; without it the graph means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DimCheck {
    pub condition: DimRelation,
    pub a: Dim,
    pub b: Dim,
    pub message: String,
    pub location: LocId,
}

impl Graph {
    /// The symbol of a size of an argument of the entry function.
    pub fn argument_dim(&mut self, argument: u32, axis: u32, name: &str, (min, max): (i64, i64)) -> Dim {
        self.define(DimDef::Argument { argument, axis }, name, min, max)
    }

    /// The symbol of an integer scalar that the host reads.
    pub fn value_dim(&mut self, value: ValueId, name: &str, (min, max): (i64, i64)) -> Dim {
        self.define(DimDef::Value { value }, name, min, max)
    }

    pub fn dim_add(&mut self, a: Dim, b: Dim) -> Dim {
        self.combine(DimExpr::Add(a, b))
    }

    pub fn dim_sub(&mut self, a: Dim, b: Dim) -> Dim {
        self.combine(DimExpr::Sub(a, b))
    }

    pub fn dim_mul(&mut self, a: Dim, b: Dim) -> Dim {
        self.combine(DimExpr::Mul(a, b))
    }

    pub fn dim_floor_div(&mut self, a: Dim, b: Dim) -> Dim {
        self.combine(DimExpr::FloorDiv(a, b))
    }

    pub fn dim_ceil_div(&mut self, a: Dim, b: Dim) -> Dim {
        self.combine(DimExpr::CeilDiv(a, b))
    }

    pub fn dim_mod(&mut self, a: Dim, b: Dim) -> Dim {
        self.combine(DimExpr::Mod(a, b))
    }

    pub fn dim_min(&mut self, a: Dim, b: Dim) -> Dim {
        self.combine(DimExpr::Min(a, b))
    }

    pub fn dim_max(&mut self, a: Dim, b: Dim) -> Dim {
        self.combine(DimExpr::Max(a, b))
    }

    /// Number of elements of a shape.
    pub fn dim_product(&mut self, shape: &[Dim]) -> Dim {
        shape.iter().fold(Dim::Static(1), |product, &dim| self.dim_mul(product, dim))
    }

    /// The operation with its operands, simplified.
    pub fn combine(&mut self, expr: DimExpr) -> Dim {
        let (a, b) = expr.operands();
        if let (Dim::Static(x), Dim::Static(y)) = (a, b)
            && let Some(value) = expr.apply(x, y)
        {
            return Dim::Static(value);
        }
        if a == Dim::Symbolic(0) || b == Dim::Symbolic(0) {
            return Dim::Symbolic(0);
        }
        match self.simplified(expr) {
            Some(dim) => dim,
            None => {
                let before = self.dims.len();
                let dim = self.expression(expr);
                if let Some(made) = self.dims.get_mut(before) {
                    made.is_opaque = true;
                }
                dim
            }
        }
    }

    /// The entry of an expression as it is.
    fn expression(&mut self, expr: DimExpr) -> Dim {
        if let Some(known) = self.dims.find(expr) {
            return known;
        }
        let (min, max) = self.expression_bounds(expr);
        if min == max && min != i64::MAX {
            return Dim::Static(min);
        }
        let name = self.expression_name(expr, self.dims.len());
        self.push_dim(DimDef::Expr(expr), name, min, max)
    }

    /// The entry of a symbol; its name gets a number if it is taken.
    fn define(&mut self, def: DimDef, name: &str, min: i64, max: i64) -> Dim {
        if let Some(at) = self.dims.iter().position(|d| d.def == def) {
            return Dim::Symbolic(at as u32);
        }
        let taken: HashSet<&str> = self.dims.iter().map(|d| d.name.as_str()).collect();
        let mut unique = name.to_string();
        for n in 1.. {
            if !taken.contains(unique.as_str()) {
                break;
            }
            unique = format!("{name}_{n}");
        }
        self.push_dim(def, unique, min, max)
    }

    /// Gives a symbol a name of its own, and the expressions it is in their new texts.
    pub fn rename_dim(&mut self, dim: Dim, name: &str) {
        let Dim::Symbolic(at) = dim else { return };
        let at = at as usize;
        if at == 0 || at >= self.dims.len() || self.dims.iter().any(|d| d.name == name) {
            return;
        }
        self.dims[at].name = name.to_string();
        for later in at + 1..self.dims.len() {
            if let DimDef::Expr(expr) = self.dims[later].def {
                self.dims[later].name = self.expression_name(expr, later);
            }
        }
    }

    fn expression_name(&self, expr: DimExpr, at: usize) -> String {
        let text = self.expression_text(expr);
        if text.len() > text::LONGEST { format!("d{at}") } else { text }
    }

    fn push_dim(&mut self, def: DimDef, name: String, min: i64, max: i64) -> Dim {
        self.dims.push(SymbolicDim { name, min, max, def, is_opaque: false })
    }

    /// The number that a size stands for, given the symbols' numbers; `None` where one is missing, for a division by
    /// zero and for an overflow.
    pub fn dim_value(&self, dim: Dim, symbol: &dyn Fn(u32) -> Option<i64>) -> Option<i64> {
        let mut values = HashMap::new();
        let of = |values: &HashMap<u32, i64>, dim: Dim| match dim {
            Dim::Static(value) => Some(value),
            Dim::Symbolic(at) => values.get(&at).copied(),
        };
        for at in self.dim_parts(dim) {
            let value = match self.dims.get(at as usize)?.def {
                DimDef::Expr(expr) => {
                    let (a, b) = expr.operands();
                    expr.apply(of(&values, a)?, of(&values, b)?)
                }
                _ => symbol(at),
            };
            values.insert(at, value?);
        }
        of(&values, dim)
    }

    /// The entries that a size is made of, itself one of them: each once, after those that it refers to. (Who follows
    /// operands without such a list may meet an entry as often as there are ways to it.)
    pub fn dim_parts(&self, dim: Dim) -> Vec<u32> {
        self.parts_but(dim, &|_| false)
    }

    /// The same without the entries that are known, and what only they are made of.
    fn parts_but(&self, dim: Dim, is_known: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let (mut open, mut parts) = (vec![dim], HashSet::new());
        while let Some(dim) = open.pop() {
            if let Dim::Symbolic(at) = dim
                && !is_known(at)
                && parts.insert(at)
                && let Some(DimDef::Expr(expr)) = self.dims.get(at as usize).map(|d| d.def)
            {
                open.extend(<[Dim; 2]>::from(expr.operands()));
            }
        }
        let mut parts = Vec::from_iter(parts);
        parts.sort_unstable();
        parts
    }

    /// Whether a size is an entry, or is made of it.
    pub fn dim_holds(&self, dim: Dim, entry: u32) -> bool {
        self.dim_parts(dim).contains(&entry)
    }

    /// Which entries the types and attributes of the functions and the checks speak of, with what those are made of.
    pub fn used_dims(&self) -> Vec<bool> {
        let mut used = vec![false; self.dims.len()];
        let mut mark = |dim: &Dim| {
            if let Dim::Symbolic(at) = dim
                && let Some(slot) = used.get_mut(*at as usize)
            {
                *slot = true;
            }
        };
        self.dim_checks.iter().for_each(|check| [check.a, check.b].iter().for_each(&mut mark));
        let mut shape_of = |value: &ValueId| {
            let tensor = self.ty(*value).as_tensor();
            tensor.into_iter().flat_map(|t| &t.shape).for_each(&mut mark);
        };
        let blocks = self.functions.iter().filter_map(|f| f.body).flat_map(|r| &self.region(r).blocks);
        let mut ops = Vec::new();
        for &block in blocks {
            self.block(block).arguments.iter().for_each(&mut shape_of);
            self.walk(block, &mut |id| ops.push(id));
        }
        for &id in &ops {
            let op = self.op(id);
            op.results.iter().for_each(&mut shape_of);
            for &region in &op.regions {
                self.region(region).blocks.iter().flat_map(|&b| &self.block(b).arguments).for_each(&mut shape_of);
            }
        }
        let attrs = ops.iter().flat_map(|&id| &self.op(id).attrs.0);
        for (_, attr) in attrs {
            if let crate::attr::Attr::Dims(dims) = attr {
                dims.iter().for_each(&mut mark);
            }
        }
        for at in (0..used.len()).rev() {
            if let (true, DimDef::Expr(expr)) = (used[at], self.dims[at].def) {
                let (a, b) = expr.operands();
                for dim in [a, b] {
                    if let Dim::Symbolic(part) = dim {
                        used[part as usize] = true;
                    }
                }
            }
        }
        used
    }

    /// A check that the host makes before a run, unless it is there already or known to hold.
    pub fn add_dim_check(&mut self, check: DimCheck) {
        let known = match check.condition {
            DimRelation::Equal => check.a == check.b,
            DimRelation::LessEqual => self.dim_at_most(check.a, check.b),
            DimRelation::NotEqual => {
                let ((a, b), (c, d)) = (self.dim_bounds(check.a), self.dim_bounds(check.b));
                b < c || d < a
            }
            DimRelation::Divides => self.dim_mod(check.b, check.a) == Dim::Static(0),
        };
        let same = |c: &DimCheck| (c.condition, c.a, c.b) == (check.condition, check.a, check.b);
        if !known && !self.dim_checks.iter().any(same) {
            self.dim_checks.push(check);
        }
    }
}

#[cfg(test)]
mod tests;

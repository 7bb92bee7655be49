//! Sizes that must be equal: which one stands for both, and the check that makes it so.
//!
//! `add` of [arg0_0] and [arg1_0]: from then on arg1_0 reads arg0_0; the host checks `arg1_0 = arg0_0` before a run. Of
//! [2*arg0_0+1] and [arg1_0] the symbol goes, of [b mod 2] and [0] the remainder. A symbol read from an argument's shape
//! stays rather than one read from a scalar.

use fornax_graph::{Dim, DimCheck, DimDef, DimRelation, OpId};

use super::Resolver;
use crate::errors::{PassError, place};

impl Resolver<'_> {
    /// The size with everything put in that is known of its parts.
    pub fn canonical(&mut self, dim: Dim) -> Dim {
        let Dim::Symbolic(at) = dim else { return dim };
        if let Some(&known) = self.canonical.get(&at) {
            return known;
        }
        let simpler = match (self.same.get(&at).copied(), self.graph.dims.get(at as usize).map(|d| d.def)) {
            (Some(target), _) => self.canonical(target),
            (None, Some(DimDef::Expr(expr))) => {
                let (a, b) = expr.operands();
                let (x, y) = (self.canonical(a), self.canonical(b));
                if (x, y) == (a, b) {
                    dim
                } else {
                    let changed = self.graph.combine(expr.with(x, y));
                    if changed == dim { dim } else { self.canonical(changed) }
                }
            }
            _ => dim,
        };
        self.canonical.insert(at, simpler);
        simpler
    }

    /// Makes two sizes one, with a check if that is not known; returns the one that stands for both.
    pub fn unify(&mut self, id: OpId, a: Dim, b: Dim) -> Result<Dim, PassError> {
        let (x, y) = (self.canonical(a), self.canonical(b));
        if x == y {
            return Ok(x);
        }
        if x == Dim::Symbolic(0) || y == Dim::Symbolic(0) {
            return Ok(if x == Dim::Symbolic(0) { y } else { x });
        }
        let message = format!(
            "`{}` needs two equal sizes, which are {} and {}",
            self.graph.op(id).kind.name(),
            self.graph.dim_text(x),
            self.graph.dim_text(y)
        );
        self.equate(id, x, y, message)
    }

    /// [`Resolver::unify`] of two canonical sizes that differ, with the check's message.
    pub fn equate(&mut self, id: OpId, x: Dim, y: Dim, message: String) -> Result<Dim, PassError> {
        let location = self.graph.op(id).location;
        let difference = self.graph.dim_sub(x, y);
        let (min, max) = self.graph.dim_bounds(difference);
        if min > 0 || max < 0 {
            let why = format!("{message}, which can never be");
            return Err(PassError::Sizes { at: place(self.graph, location), why });
        }
        self.graph.add_dim_check(DimCheck { condition: DimRelation::Equal, a: x, b: y, message, location });
        let Some((gone, stays)) = self.solved(x, y).or_else(|| self.choose(x, y)) else { return Ok(x) };
        self.same.insert(gone, stays);
        self.canonical.clear();
        self.facts += 1;
        let (x, y) = (self.canonical(x), self.canonical(y));
        if x != y
            && let Some((gone, stays)) = self.choose(x, y)
        {
            self.same.insert(gone, stays);
            self.canonical.clear();
        }
        Ok(self.canonical(y))
    }

    /// A symbol that the equation gives in terms of others: one read from a scalar rather than from a shape.
    fn solved(&mut self, x: Dim, y: Dim) -> Option<(u32, Dim)> {
        let mut atoms = [self.graph.dim_atoms(x), self.graph.dim_atoms(y)].concat();
        atoms.retain(|&at| !matches!(self.graph.dims[at as usize].def, DimDef::Expr(_)));
        let read = |at: &u32| matches!(self.graph.dims[*at as usize].def, DimDef::Value { .. });
        atoms.sort_by_key(|at| (!read(at), std::cmp::Reverse(*at)));
        atoms.into_iter().find_map(|at| {
            let stays = self.graph.solve_dims(x, y, at).filter(|&dim| !self.holds(dim, at))?;
            Some((at, stays))
        })
    }

    /// The entry that goes and what stands for it.
    fn choose(&self, x: Dim, y: Dim) -> Option<(u32, Dim)> {
        let rank = |dim: Dim| match dim {
            Dim::Static(_) => (0, 0),
            Dim::Symbolic(at) => match self.graph.dims.get(at as usize).map(|d| d.def) {
                Some(DimDef::Argument { .. }) => (2, at),
                Some(DimDef::Value { .. }) => (3, at),
                // An expression stays rather than a symbol that it does not hold.
                _ => (1, at),
            },
        };
        let (first, second) = if rank(x) <= rank(y) { (x, y) } else { (y, x) };
        for (gone, stays) in [(second, first), (first, second)] {
            if let Dim::Symbolic(at) = gone
                && !self.holds(stays, at)
            {
                return Some((at, stays));
            }
        }
        None
    }

    /// Whether an expression is made of an entry.
    fn holds(&self, dim: Dim, entry: u32) -> bool {
        let Dim::Symbolic(at) = dim else { return false };
        if at == entry {
            return true;
        }
        match self.graph.dims.get(at as usize).map(|d| d.def) {
            Some(DimDef::Expr(expr)) => {
                let (a, b) = expr.operands();
                self.holds(a, entry) || self.holds(b, entry)
            }
            _ => false,
        }
    }

    /// Leaves the checks that say more than the types of the arguments do, whose sizes are checked anyway: a symbol that
    /// is another size in its argument's type is that size in the checks.
    pub fn keep_checks(&mut self) {
        let checks = std::mem::take(&mut self.graph.dim_checks);
        for check in checks {
            let (a, b) = (self.as_typed(check.a), self.as_typed(check.b));
            // Bounds that the check itself gave must not make it go.
            let holds = match (a, b) {
                (Dim::Static(x), Dim::Static(y)) => check.condition.holds(x, y),
                _ => check.condition == DimRelation::Equal && a == b,
            };
            let same = |c: &DimCheck| (c.condition, c.a, c.b) == (check.condition, a, b);
            if !holds && !self.graph.dim_checks.iter().any(same) {
                self.graph.dim_checks.push(DimCheck { a, b, ..check });
            }
        }
    }

    /// The size with symbols of arguments as the arguments' types have them.
    fn as_typed(&mut self, dim: Dim) -> Dim {
        let Dim::Symbolic(at) = dim else { return dim };
        match self.graph.dims.get(at as usize).map(|d| d.def) {
            Some(DimDef::Argument { .. }) => self.canonical(dim),
            Some(DimDef::Expr(expr)) => {
                let (a, b) = expr.operands();
                let (x, y) = (self.as_typed(a), self.as_typed(b));
                if (x, y) == (a, b) { dim } else { self.graph.combine(expr.with(x, y)) }
            }
            _ => dim,
        }
    }

    /// Two shapes of one rank made one.
    pub fn unify_shapes(&mut self, id: OpId, a: &[Dim], b: &[Dim]) -> Result<Vec<Dim>, PassError> {
        if a.len() != b.len() {
            return Err(PassError::malformed(self.graph, id, "tensors that must have one shape differ in rank"));
        }
        a.iter().zip(b).map(|(&x, &y)| self.unify(id, x, y)).collect()
    }

    /// A size must not be negative, or greater than its bound.
    pub fn limit(&mut self, id: OpId, dim: Dim, max: Option<i64>) {
        let location = self.graph.op(id).location;
        let (kind, text) = (self.graph.op(id).kind.name(), self.graph.dim_text(dim));
        let mut check = |a: Dim, b: Dim, message: String| {
            self.graph.add_dim_check(DimCheck { condition: DimRelation::LessEqual, a, b, message, location });
        };
        check(Dim::Static(0), dim, format!("`{kind}` makes a tensor of size {text}, which must not be negative"));
        if let Some(max) = max {
            check(dim, Dim::Static(max), format!("`{kind}` makes a tensor of size {text}, its type allows at most {max}"));
        }
        self.graph.narrow_dim(dim, 0, max.unwrap_or(i64::MAX));
        self.narrow(Dim::Static(0), dim);
    }
}

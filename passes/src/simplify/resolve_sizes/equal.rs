//! Sizes that must be equal, with the check that makes them so: `add` of `[arg0_0]` and `[arg1_0]` has the host check
//! `arg1_0 = arg0_0` before a run. Which one stands for both is `fornax_graph::Equalities`' choice.

use fornax_graph::{Dim, DimCheck, DimRelation, OpId};

use super::Resolver;
use crate::errors::{PassError, place};

impl Resolver<'_> {
    /// The size with everything put in that is known of its parts.
    pub fn canonical(&mut self, dim: Dim) -> Dim {
        self.equal.canonical(self.graph, dim)
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
        Ok(self.equal.merge(self.graph, x, y))
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
            check(
                dim,
                Dim::Static(max),
                format!("`{kind}` makes a tensor of size {text}, its type allows at most {max}"),
            );
        }
        self.graph.narrow_dim(dim, 0, max.unwrap_or(i64::MAX));
        self.narrow(Dim::Static(0), dim);
        let symbol = self.graph.dim_linear(dim).map(|linear| linear.0);
        if let (Some(max), Some(symbol)) = (max, symbol)
            && self.from_state.iter().any(|state| state.0 == symbol)
        {
            self.narrow(dim, Dim::Static(max));
        }
    }
}

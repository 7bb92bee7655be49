//! Sizes that must be equal: which one stands for both.
//!
//! Of `[arg0_0]` and `[arg1_0]` the later symbol goes: from then on arg1_0 reads arg0_0. Of `[2*arg0_0+1]` and
//! `[arg1_0]` the symbol goes, of `[b mod 2]` and `[0]` the remainder. A symbol read from an argument's shape stays
//! rather than one read from a scalar.

use std::collections::HashMap;

use super::{DimCheck, DimDef, DimRelation};
use crate::graph::Graph;
use crate::types::Dim;

/// Entries of the table that are equal to something simpler.
#[derive(Clone, Debug, Default)]
pub struct Equalities {
    same: HashMap<u32, Dim>,
    canonical: HashMap<u32, Dim>,
    facts: usize,
}

impl Equalities {
    /// How many facts have been learnt.
    pub fn facts(&self) -> usize {
        self.facts
    }

    /// Forgets what was worked out with bounds that are narrower now.
    pub fn refresh(&mut self) {
        self.canonical.clear();
    }

    /// The size with everything put in that is known of its parts.
    pub fn canonical(&mut self, graph: &mut Graph, dim: Dim) -> Dim {
        let Dim::Symbolic(at) = dim else { return dim };
        // What an entry refers to comes before it: however long a chain is, no call is deeper than a few.
        for part in graph.parts_but(dim, &|at| self.canonical.contains_key(&at)) {
            self.work_out(graph, part);
        }
        self.canonical.get(&at).copied().unwrap_or(dim)
    }

    fn work_out(&mut self, graph: &mut Graph, at: u32) {
        if self.canonical.contains_key(&at) {
            return;
        }
        let dim = Dim::Symbolic(at);
        let simpler = match (self.same.get(&at).copied(), graph.dims.get(at as usize).map(|d| d.def)) {
            (Some(target), _) => self.canonical(graph, target),
            (None, Some(DimDef::Expr(expr))) => {
                let (a, b) = expr.operands();
                let (x, y) = (self.canonical(graph, a), self.canonical(graph, b));
                if (x, y) == (a, b) {
                    dim
                } else {
                    let changed = graph.combine(expr.with(x, y));
                    if changed == dim { dim } else { self.canonical(graph, changed) }
                }
            }
            _ => dim,
        };
        self.canonical.insert(at, simpler);
    }

    /// Makes two canonical sizes one; returns the one that stands for both. The check that they are equal is the
    /// caller's.
    pub fn merge(&mut self, graph: &mut Graph, x: Dim, y: Dim) -> Dim {
        let Some((gone, stays)) = solved(graph, x, y).or_else(|| choose(graph, x, y)) else { return x };
        self.same.insert(gone, stays);
        self.canonical.clear();
        self.facts += 1;
        let (x, y) = (self.canonical(graph, x), self.canonical(graph, y));
        if x != y
            && let Some((gone, stays)) = choose(graph, x, y)
        {
            self.same.insert(gone, stays);
            self.canonical.clear();
        }
        self.canonical(graph, y)
    }

    /// Leaves the checks that say more than the types of the arguments do, whose sizes are checked anyway: a symbol
    /// that is another size in its argument's type is that size in the checks.
    pub fn keep_checks(&mut self, graph: &mut Graph) {
        let checks = std::mem::take(&mut graph.dim_checks);
        let mut typed = HashMap::new();
        for check in checks {
            let [a, b] = [check.a, check.b].map(|dim| self.as_typed(graph, dim, &mut typed));
            // Bounds that the check itself gave must not make it go.
            let holds = match (a, b) {
                (Dim::Static(x), Dim::Static(y)) => check.condition.holds(x, y),
                _ => check.condition == DimRelation::Equal && a == b,
            };
            let same = |c: &DimCheck| (c.condition, c.a, c.b) == (check.condition, a, b);
            if !holds && !graph.dim_checks.iter().any(same) {
                graph.dim_checks.push(DimCheck { a, b, ..check });
            }
        }
    }

    /// The size with symbols of arguments as the arguments' types have them; `typed` are the entries worked out so far.
    fn as_typed(&mut self, graph: &mut Graph, dim: Dim, typed: &mut HashMap<u32, Dim>) -> Dim {
        let of = |typed: &HashMap<u32, Dim>, dim: Dim| match dim {
            Dim::Static(_) => dim,
            Dim::Symbolic(at) => typed.get(&at).copied().unwrap_or(dim),
        };
        for at in graph.parts_but(dim, &|at| typed.contains_key(&at)) {
            let part = Dim::Symbolic(at);
            let now = match graph.dims.get(at as usize).map(|d| d.def) {
                Some(DimDef::Argument { .. }) => self.canonical(graph, part),
                Some(DimDef::Expr(expr)) => {
                    let (a, b) = expr.operands();
                    let (x, y) = (of(typed, a), of(typed, b));
                    if (x, y) == (a, b) { part } else { graph.combine(expr.with(x, y)) }
                }
                _ => part,
            };
            typed.insert(at, now);
        }
        of(typed, dim)
    }
}

/// A symbol that the equation gives in terms of others: one read from a scalar rather than from a shape.
fn solved(graph: &mut Graph, x: Dim, y: Dim) -> Option<(u32, Dim)> {
    let mut atoms = [graph.dim_atoms(x), graph.dim_atoms(y)].concat();
    atoms.retain(|&at| !matches!(graph.dims[at as usize].def, DimDef::Expr(_)));
    let read = |at: &u32| matches!(graph.dims[*at as usize].def, DimDef::Value { .. });
    atoms.sort_by_key(|at| (!read(at), std::cmp::Reverse(*at)));
    atoms.into_iter().find_map(|at| {
        let stays = graph.solve_dims(x, y, at).filter(|&dim| !graph.dim_holds(dim, at))?;
        Some((at, stays))
    })
}

/// The entry that goes and what stands for it.
fn choose(graph: &Graph, x: Dim, y: Dim) -> Option<(u32, Dim)> {
    let rank = |dim: Dim| match dim {
        Dim::Static(_) => (0, 0),
        Dim::Symbolic(at) => match graph.dims.get(at as usize).map(|d| d.def) {
            Some(DimDef::Argument { .. }) => (2, at),
            Some(DimDef::Value { .. }) => (3, at),
            // An expression stays rather than a symbol that it does not hold.
            _ => (1, at),
        },
    };
    let (first, second) = if rank(x) <= rank(y) { (x, y) } else { (y, x) };
    for (gone, stays) in [(second, first), (first, second)] {
        if let Dim::Symbolic(at) = gone
            && !graph.dim_holds(stays, at)
        {
            return Some((at, stays));
        }
    }
    None
}

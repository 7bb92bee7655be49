//! Quasi-affine index expressions in one canonical form: `constant + Σ coefficient · atom`.
//!
//! An atom is a loop variable, a floor division by a positive constant, a scalar loaded at run time (gather,
//! dynamic_slice), a size known only at run time, or a product of these or a division by sizes (see `sizes`). `x mod m`
//! is not an atom: it is written `x − m·(x floordiv m)`, so that linearising what was delinearised cancels by itself:
//! with L = 6·i + j, `(L floordiv 6)·6 + (L mod 6)` is again L, and a reshape costs nothing. Variables know their
//! range, so `(6·i + j) floordiv 6` with 0 ≤ j < 6 becomes i.

use std::collections::HashMap;

use crate::expr::NodeId;

/// A loop variable; its value lies in `0..extent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// An interned linear expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IndexId(pub u32);

/// An interned atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(pub u32);

/// A size known only at run time, by its place among the kernel's size parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SizeId(pub u32);

/// A size parameter of a kernel: an i64 that the launch passes, between `min` and `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SizeParameter {
    /// Which size of the model it is: an entry of the graph's table of dims.
    pub dim: u32,
    pub min: i64,
    pub max: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    Var(VarId),
    /// Floor division by a constant ≥ 2.
    FloorDiv(IndexId, i64),
    /// An integer scalar of the expression DAG known to lie in `low..=high` (clamped by its maker).
    Value {
        node: NodeId,
        low: i64,
        high: i64,
    },
    Size(SizeId),
    /// The first atom, which is no product, times the second; factors ascend.
    Product(AtomId, AtomId),
    /// Floor division by a size expression, at least 1 wherever it is evaluated.
    Quotient(IndexId, IndexId),
}

/// `constant + Σ coefficient · atom`, atoms in ascending id order, no zero coefficient.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Linear {
    pub constant: i64,
    pub terms: Vec<(AtomId, i64)>,
}

/// The tables behind the ids.
#[derive(Clone, Debug, Default)]
pub struct Indices {
    /// Of each variable its extent: where that is a size expression, the largest.
    pub extents: Vec<i64>,
    /// Of each variable the size expression that its extent is.
    pub(crate) run_extents: Vec<Option<IndexId>>,
    /// The kernel's size parameters.
    pub sizes: Vec<SizeParameter>,
    atoms: Vec<Atom>,
    atom_ids: HashMap<Atom, AtomId>,
    linears: Vec<Linear>,
    /// Bounds of each linear expression: asked for often, and nested divisions would make them slow to find.
    ranges: Vec<(i64, i64)>,
    linear_ids: HashMap<Linear, IndexId>,
}

impl Indices {
    /// A new loop variable over `0..extent`.
    pub fn add_var(&mut self, extent: i64) -> VarId {
        self.extents.push(extent);
        self.run_extents.push(None);
        VarId(self.extents.len() as u32 - 1)
    }

    pub fn extent(&self, var: VarId) -> i64 {
        self.extents[var.0 as usize]
    }

    pub fn atom(&self, id: AtomId) -> Atom {
        self.atoms[id.0 as usize]
    }

    pub fn linear(&self, id: IndexId) -> &Linear {
        &self.linears[id.0 as usize]
    }

    pub(crate) fn intern_atom(&mut self, atom: Atom) -> AtomId {
        if let Some(&id) = self.atom_ids.get(&atom) {
            return id;
        }
        let id = AtomId(self.atoms.len() as u32);
        self.atoms.push(atom);
        self.atom_ids.insert(atom, id);
        id
    }

    pub(crate) fn intern(&mut self, linear: Linear) -> IndexId {
        if let Some(&id) = self.linear_ids.get(&linear) {
            return id;
        }
        let id = IndexId(self.linears.len() as u32);
        self.ranges.push(self.range_of(&linear));
        self.linears.push(linear.clone());
        self.linear_ids.insert(linear, id);
        id
    }

    pub(crate) fn of_atom(&mut self, atom: Atom) -> IndexId {
        let id = self.intern_atom(atom);
        self.intern(Linear { constant: 0, terms: vec![(id, 1)] })
    }

    pub fn var(&mut self, var: VarId) -> IndexId {
        if self.extent(var) == 1 && self.run_extent(var).is_none() {
            return self.constant(0);
        }
        self.of_atom(Atom::Var(var))
    }

    pub fn constant(&mut self, value: i64) -> IndexId {
        self.intern(Linear { constant: value, terms: Vec::new() })
    }

    /// The variable, if the expression is one.
    pub fn as_var(&self, id: IndexId) -> Option<VarId> {
        match self.linear(id) {
            Linear { constant: 0, terms } if terms.len() == 1 && terms[0].1 == 1 => match self.atom(terms[0].0) {
                Atom::Var(var) => Some(var),
                _ => None,
            },
            _ => None,
        }
    }

    /// A run-time integer as an index, known to lie in `low..=high`.
    pub fn value(&mut self, node: NodeId, low: i64, high: i64) -> IndexId {
        if low == high {
            return self.constant(low);
        }
        self.of_atom(Atom::Value { node, low, high })
    }

    pub fn as_constant(&self, id: IndexId) -> Option<i64> {
        let linear = self.linear(id);
        linear.terms.is_empty().then_some(linear.constant)
    }

    pub fn add(&mut self, a: IndexId, b: IndexId) -> IndexId {
        let sum = add_scaled(self.linear(a), self.linear(b), 1);
        self.intern(sum)
    }

    pub fn sub(&mut self, a: IndexId, b: IndexId) -> IndexId {
        let sum = add_scaled(self.linear(a), self.linear(b), -1);
        self.intern(sum)
    }

    pub fn offset(&mut self, a: IndexId, by: i64) -> IndexId {
        let mut linear = self.linear(a).clone();
        linear.constant += by;
        self.intern(linear)
    }

    pub fn scale(&mut self, a: IndexId, by: i64) -> IndexId {
        let scaled = add_scaled(&Linear::default(), self.linear(a), by);
        self.intern(scaled)
    }

    /// Floor division by `m ≥ 1`.
    pub fn floor_div(&mut self, a: IndexId, m: i64) -> IndexId {
        if m == 1 {
            return a;
        }
        // Split into m·quotient + rest; the quotient leaves the division exactly.
        let linear = self.linear(a).clone();
        let mut quotient = Linear { constant: linear.constant.div_euclid(m), terms: Vec::new() };
        let mut rest = Linear { constant: linear.constant.rem_euclid(m), terms: Vec::new() };
        for &(atom, c) in &linear.terms {
            if c % m == 0 {
                quotient.terms.push((atom, c / m));
            } else {
                rest.terms.push((atom, c));
            }
        }
        let rest_id = self.intern(rest);
        let (low, high) = self.range(rest_id);
        let quotient = self.intern(quotient);
        if low.div_euclid(m) == high.div_euclid(m) {
            return self.offset(quotient, low.div_euclid(m));
        }
        let divided = self.divide_rest(rest_id, m);
        self.add(quotient, divided)
    }

    /// `rest floordiv m` as an atom, after cancelling a common divisor and nested divisions.
    fn divide_rest(&mut self, rest: IndexId, m: i64) -> IndexId {
        let linear = self.linear(rest).clone();
        // (g·x + r) floordiv m with g | m and 0 ≤ r < g is x floordiv (m/g).
        let g = linear.terms.iter().fold(m, |g, &(_, c)| gcd(g, c.abs()));
        if g > 1 {
            let terms = linear.terms.iter().map(|&(a, c)| (a, c / g)).collect();
            let reduced = self.intern(Linear { constant: linear.constant.div_euclid(g), terms });
            return self.floor_div(reduced, m / g);
        }
        // (x floordiv k) floordiv m is x floordiv (k·m).
        if let ([(atom, 1)], 0) = (linear.terms.as_slice(), linear.constant)
            && let Atom::FloorDiv(inner, k) = self.atom(*atom)
            && let Some(km) = k.checked_mul(m)
        {
            return self.floor_div(inner, km);
        }
        self.of_atom(Atom::FloorDiv(rest, m))
    }

    /// `a mod m`, in `0..m`, for `m ≥ 1`.
    pub fn modulo(&mut self, a: IndexId, m: i64) -> IndexId {
        let quotient = self.floor_div(a, m);
        let multiple = self.scale(quotient, m);
        self.sub(a, multiple)
    }

    /// Inclusive bounds of an expression.
    pub fn range(&self, id: IndexId) -> (i64, i64) {
        self.ranges[id.0 as usize]
    }

    fn range_of(&self, linear: &Linear) -> (i64, i64) {
        if linear.terms.iter().any(|t| self.is_run_time(t.0)) {
            return self.run_range(linear);
        }
        // c·x − c·m·(x floordiv m) is c·(x mod m): bound it as such.
        for &(atom, k) in linear.terms.iter().rev() {
            let Atom::FloorDiv(x, m) = self.atom(atom) else { continue };
            let without = Linear {
                constant: linear.constant,
                terms: linear.terms.iter().copied().filter(|t| t.0 != atom).collect(),
            };
            let Some((rest, c, modulus)) = self.without_modulo(&without, x, m, k) else { continue };
            let (low, high) = self.range_of(&rest);
            let (a, b) = order(0, c.saturating_mul(modulus - 1));
            return (low.saturating_add(a), high.saturating_add(b));
        }
        linear.terms.iter().fold((linear.constant, linear.constant), |(low, high), &(atom, c)| {
            let (a, b) = self.atom_range(atom);
            let (a, b) = order(a.saturating_mul(c), b.saturating_mul(c));
            (low.saturating_add(a), high.saturating_add(b))
        })
    }

    /// With `k·(x floordiv m)` taken out of an expression, finds the `c·x` or `c·(x floordiv d)`, d | m, that makes it
    /// a modulo with `c·modulus = −k`: returns what is left besides, c and the modulus.
    fn without_modulo(&self, without: &Linear, x: IndexId, m: i64, k: i64) -> Option<(Linear, i64, i64)> {
        if k % m == 0 {
            let c = -(k / m);
            let rest = add_scaled(without, self.linear(x), -c);
            if rest.terms.len() + self.linear(x).terms.len() <= without.terms.len() {
                return Some((rest, c, m));
            }
        }
        let (at, c, modulus) = without.terms.iter().enumerate().find_map(|(at, &(atom, c))| {
            let Atom::FloorDiv(y, d) = self.atom(atom) else { return None };
            (y == x && m % d == 0 && c.checked_mul(m / d)? == -k).then_some((at, c, m / d))
        })?;
        let mut rest = without.clone();
        rest.terms.remove(at);
        Some((rest, c, modulus))
    }

    pub fn atom_range(&self, atom: AtomId) -> (i64, i64) {
        match self.atom(atom) {
            Atom::Var(v) => (0, (self.extent(v) - 1).max(0)),
            Atom::FloorDiv(x, m) => {
                let (low, high) = self.range(x);
                (low.div_euclid(m), high.div_euclid(m))
            }
            Atom::Value { low, high, .. } => (low, high),
            Atom::Size(size) => self.size_range(size),
            Atom::Product(a, b) => product_range(self.atom_range(a), self.atom_range(b)),
            Atom::Quotient(x, d) => quotient_range(self.range(x), self.range(d)),
        }
    }

    /// Row-major linear offset of a multi-index in a shape (elements).
    pub fn linearize(&mut self, index: &[IndexId], shape: &[i64]) -> IndexId {
        let mut offset = self.constant(0);
        for (&i, &n) in index.iter().zip(shape) {
            let scaled = self.scale(offset, n);
            offset = self.add(scaled, i);
        }
        offset
    }

    /// Multi-index of a row-major linear offset in a shape.
    pub fn delinearize(&mut self, offset: IndexId, shape: &[i64]) -> Vec<IndexId> {
        let mut index = Vec::with_capacity(shape.len());
        let mut rest = offset;
        for &n in shape.iter().skip(1).rev() {
            let n = n.max(1);
            index.push(self.modulo(rest, n));
            rest = self.floor_div(rest, n);
        }
        if !shape.is_empty() {
            index.push(rest);
        }
        index.reverse();
        index
    }

    /// Does the expression depend on the variable (through divisions too; not through loaded values)?
    pub fn depends_on(&self, id: IndexId, var: VarId) -> bool {
        self.linear(id).terms.iter().any(|&(atom, _)| self.atom_depends_on(atom, var))
    }

    fn atom_depends_on(&self, atom: AtomId, var: VarId) -> bool {
        match self.atom(atom) {
            Atom::Var(v) => v == var,
            Atom::FloorDiv(x, _) => self.depends_on(x, var),
            Atom::Product(a, b) => self.atom_depends_on(a, var) || self.atom_depends_on(b, var),
            Atom::Quotient(x, d) => self.depends_on(x, var) || self.depends_on(d, var),
            Atom::Value { .. } | Atom::Size(_) => false,
        }
    }

    /// Coefficient of a variable when the expression is affine in it: `None` if it occurs under a division.
    pub fn stride(&self, id: IndexId, var: VarId) -> Option<i64> {
        let mut stride = 0;
        for &(atom, c) in &self.linear(id).terms {
            match self.atom(atom) {
                Atom::Var(v) if v == var => stride = c,
                Atom::Value { .. } => {}
                _ if self.atom_depends_on(atom, var) => return None,
                _ => {}
            }
        }
        Some(stride)
    }

    /// Greatest power of two (at most `limit`) that divides the expression for every value of its atoms.
    pub fn alignment(&self, id: IndexId, limit: i64) -> i64 {
        let linear = self.linear(id);
        linear.terms.iter().fold(gcd(linear.constant.abs(), limit), |g, &(_, c)| gcd(g, c.abs()))
    }
}

fn product_range(a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)].map(|(x, y)| x.saturating_mul(y));
    corners.into_iter().fold((i64::MAX, i64::MIN), |(low, high), c| (low.min(c), high.max(c)))
}

fn quotient_range(x: (i64, i64), d: (i64, i64)) -> (i64, i64) {
    let (least, most) = (d.0.max(1), d.1.max(1));
    let low = x.0.div_euclid(if x.0 < 0 { least } else { most });
    let high = x.1.div_euclid(if x.1 < 0 { most } else { least });
    (low, high)
}

fn order(a: i64, b: i64) -> (i64, i64) {
    if a <= b { (a, b) } else { (b, a) }
}

/// The greatest common divisor, not negative; of 0 and a number that number.
pub fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// `a + k·b`.
fn add_scaled(a: &Linear, b: &Linear, k: i64) -> Linear {
    let constant = a.constant.wrapping_add(b.constant.wrapping_mul(k));
    let mut terms = Vec::with_capacity(a.terms.len() + b.terms.len());
    let (mut i, mut j) = (0, 0);
    while i < a.terms.len() || j < b.terms.len() {
        let next = match (a.terms.get(i), b.terms.get(j)) {
            (Some(&x), Some(&y)) if x.0 == y.0 => {
                (i, j) = (i + 1, j + 1);
                (x.0, x.1.wrapping_add(y.1.wrapping_mul(k)))
            }
            (Some(&x), Some(&y)) if x.0 < y.0 => {
                i += 1;
                x
            }
            (Some(&x), None) => {
                i += 1;
                x
            }
            (_, Some(&y)) => {
                j += 1;
                (y.0, y.1.wrapping_mul(k))
            }
            (None, None) => break,
        };
        if next.1 != 0 {
            terms.push(next);
        }
    }
    Linear { constant, terms }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reshape_round_trip_is_the_identity() {
        let mut x = Indices::default();
        let (i, j, k) = (x.add_var(5), x.add_var(7), x.add_var(12));
        let index = [x.var(i), x.var(j), x.var(k)];
        let flat = x.linearize(&index, &[5, 7, 12]);
        let other = x.delinearize(flat, &[35, 4, 3]);
        let again = x.linearize(&other, &[35, 4, 3]);
        assert_eq!(flat, again);
        let back = x.delinearize(again, &[5, 7, 12]);
        assert_eq!(back, index);
    }

    #[test]
    fn collapsing_a_variable_cancels() {
        let mut x = Indices::default();
        let w = x.add_var(60);
        let w = x.var(w);
        let parts = x.delinearize(w, &[3, 4, 5]);
        assert_eq!(x.range(parts[1]), (0, 3));
        assert_eq!(x.linearize(&parts, &[3, 4, 5]), w);
    }

    #[test]
    fn division_splits_exact_parts() {
        let mut x = Indices::default();
        let (i, j) = (x.add_var(10), x.add_var(6));
        let (vi, vj) = (x.var(i), x.var(j));
        let six = x.scale(vi, 6);
        let sum = x.add(six, vj);
        assert_eq!(x.floor_div(sum, 6), vi);
        assert_eq!(x.modulo(sum, 6), vj);
        assert_eq!(x.stride(sum, i), Some(6));
        let third = x.floor_div(sum, 4);
        assert_eq!(x.stride(third, j), None);
        assert_eq!(x.range(third), (0, 14));
    }
}

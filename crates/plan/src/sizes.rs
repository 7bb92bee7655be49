//! Sizes known only at run time in index expressions: polynomials over atoms, their bounds, division by them.
//!
//! A [`Linear`] whose atoms may be products is a polynomial in canonical form, so all that holds of linear expressions
//! holds with sizes in them: what was linearised with strides that are sizes is delinearised exactly, and a reshape
//! costs nothing. Bounds come from putting every atom at one end of its range, variables first: a variable of extent
//! `s` ends at `s − 1`, so that `i < s` is known without knowing `s`.
//!
//! Worked example: [b, 12] → [12·b] with i < b, j < 12: flat = 12·i + j, and (12·i + j) floordiv 12 = i as ever; [12,
//! b]: flat = b·i + j, divided by b: quotient i, rest j, and 0 ≤ j ≤ b − 1, so the division is exact: i again.
//!
//! Limits: a divisor is at least 1 wherever a point exists (a size of 0 leaves no points); what cannot be shown to be
//! exact is divided at run time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::index::{Atom, AtomId, IndexId, Indices, Linear, SizeId, SizeParameter, VarId};

/// Sizes from here on count as without a limit.
pub const SIZE_UNBOUNDED: i64 = 1 << 48;
/// Largest extent of a loop that is counted with.
const EXTENT_MAX: i64 = 1 << 56;
/// Atoms that bounds are found through, at most: more give no bound.
const ELIMINATIONS_MAX: u32 = 32;

/// Coefficients of monomials: factors ascending, none a product; the empty one is the constant.
type Polynomial = BTreeMap<(Reverse<usize>, Vec<AtomId>), i64>;

fn monomial(factors: Vec<AtomId>) -> (Reverse<usize>, Vec<AtomId>) {
    (Reverse(factors.len()), factors)
}

fn add_term(p: &mut Polynomial, factors: Vec<AtomId>, coefficient: i64) {
    let key = monomial(factors);
    let sum = p.get(&key).copied().unwrap_or(0).saturating_add(coefficient);
    if sum == 0 {
        p.remove(&key);
    } else {
        p.insert(key, sum);
    }
}

fn product(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let mut p = Polynomial::new();
    for ((_, fa), ca) in a {
        for ((_, fb), cb) in b {
            let mut factors: Vec<AtomId> = fa.iter().chain(fb).copied().collect();
            factors.sort_unstable();
            add_term(&mut p, factors, ca.saturating_mul(*cb));
        }
    }
    p
}

/// `a + k·b`.
fn sum(a: &Polynomial, b: &Polynomial, k: i64) -> Polynomial {
    let mut p = a.clone();
    for ((_, factors), c) in b {
        add_term(&mut p, factors.clone(), c.saturating_mul(k));
    }
    p
}

fn constant(value: i64) -> Polynomial {
    let mut p = Polynomial::new();
    add_term(&mut p, Vec::new(), value);
    p
}

fn as_constant(p: &Polynomial) -> Option<i64> {
    match p.len() {
        0 => Some(0),
        1 => p.get(&monomial(Vec::new())).copied(),
        _ => None,
    }
}

/// `factors` without those of `of`, if they are all there.
fn without(factors: &[AtomId], of: &[AtomId]) -> Option<Vec<AtomId>> {
    let mut rest = factors.to_vec();
    for atom in of {
        rest.remove(rest.iter().position(|a| a == atom)?);
    }
    Some(rest)
}

/// Quotient and rest of division by leading terms: `p = q·d + r`.
fn divide(p: &Polynomial, d: &Polynomial) -> (Polynomial, Polynomial) {
    let (mut quotient, mut rest) = (Polynomial::new(), p.clone());
    let Some(((_, lead), &by)) = d.first_key_value() else { return (quotient, rest) };
    loop {
        let found = rest.iter().find_map(|((_, factors), &c)| {
            let left = without(factors, lead)?;
            (c % by == 0).then_some((left, c / by))
        });
        let Some((factors, c)) = found else { return (quotient, rest) };
        add_term(&mut quotient, factors.clone(), c);
        let term = Polynomial::from([(monomial(factors), c)]);
        rest = sum(&rest, &product(&term, d), -1);
    }
}

impl Indices {
    /// The kernel's size parameter for entry `dim` of the graph's dims, as an expression.
    pub fn size(&mut self, dim: u32, min: i64, max: i64) -> IndexId {
        if min == max {
            return self.constant(min);
        }
        let at = self.sizes.iter().position(|s| s.dim == dim).unwrap_or_else(|| {
            self.sizes.push(SizeParameter { dim, min: min.max(0), max: max.min(SIZE_UNBOUNDED) });
            self.sizes.len() - 1
        });
        self.of_atom(Atom::Size(SizeId(at as u32)))
    }

    pub(crate) fn size_range(&self, size: SizeId) -> (i64, i64) {
        self.sizes.get(size.0 as usize).map_or((0, SIZE_UNBOUNDED), |s| (s.min, s.max))
    }

    /// A loop variable over `0..extent`, a size expression.
    pub fn add_sized_var(&mut self, extent: IndexId) -> VarId {
        if let Some(extent) = self.as_constant(extent) {
            return self.add_var(extent);
        }
        // Leaves room for arithmetic on it.
        let most = self.range(extent).1.clamp(0, EXTENT_MAX);
        self.extents.push(most);
        self.run_extents.push(Some(extent));
        VarId(self.extents.len() as u32 - 1)
    }

    /// The size expression that a variable's extent is; `None` for a constant one.
    pub fn run_extent(&self, var: VarId) -> Option<IndexId> {
        self.run_extents.get(var.0 as usize).copied().flatten()
    }

    /// Has a variable no values in any call?
    pub fn is_empty(&self, var: VarId) -> bool {
        self.run_extent(var).is_none() && self.extent(var) == 0
    }

    /// Is a variable's extent a multiple of `n` in every call?
    pub fn is_multiple(&self, var: VarId, n: i64) -> bool {
        match self.run_extent(var) {
            Some(extent) => self.alignment(extent, n) == n,
            None => self.extent(var) % n == 0,
        }
    }

    /// An atom as an expression.
    pub fn atom_index(&mut self, atom: AtomId) -> IndexId {
        self.intern(Linear { constant: 0, terms: vec![(atom, 1)] })
    }

    /// Every extent that is a size expression.
    pub fn sized_extents(&self) -> impl Iterator<Item = IndexId> + '_ {
        self.run_extents.iter().copied().flatten()
    }

    /// These tables with `likely` for every extent that is a size expression: for cost models.
    pub fn with_likely_extents(&self, likely: i64) -> Indices {
        self.with_extents(|_| likely)
    }

    /// These tables with a number for every extent that is a size expression.
    pub fn with_extents(&self, number: impl Fn(IndexId) -> i64) -> Indices {
        let mut other = self.clone();
        for (extent, sized) in other.extents.iter_mut().zip(&mut other.run_extents) {
            if let Some(size) = sized.take() {
                *extent = number(size).min(*extent);
            }
        }
        other
    }

    /// A variable's extent as an expression.
    pub fn extent_index(&mut self, var: VarId) -> IndexId {
        match self.run_extent(var) {
            Some(extent) => extent,
            None => self.constant(self.extent(var)),
        }
    }

    /// Atoms whose product an atom is.
    pub fn factors(&self, atom: AtomId) -> Vec<AtomId> {
        let (mut factors, mut rest) = (Vec::new(), atom);
        while let Atom::Product(first, others) = self.atom(rest) {
            factors.push(first);
            rest = others;
        }
        factors.push(rest);
        factors
    }

    pub(crate) fn has_factor(&self, atom: AtomId, var: VarId) -> bool {
        self.factors(atom).into_iter().any(|a| self.atom(a) == Atom::Var(var))
    }

    /// Does the atom's range depend on sizes known only at run time?
    pub(crate) fn is_run_time(&self, atom: AtomId) -> bool {
        match self.atom(atom) {
            Atom::Var(var) => self.run_extent(var).is_some(),
            Atom::FloorDiv(..) | Atom::Value { .. } => false,
            Atom::Size(_) | Atom::Product(..) | Atom::Quotient(..) => true,
        }
    }

    /// Does a value that an expression takes depend on a size?
    pub fn has_sizes(&self, id: IndexId) -> bool {
        self.linear(id).terms.iter().any(|t| self.is_run_time(t.0) || self.divides_sizes(t.0))
    }

    fn divides_sizes(&self, atom: AtomId) -> bool {
        matches!(self.atom(atom), Atom::FloorDiv(x, _) if self.has_sizes(x))
    }

    fn polynomial(&self, linear: &Linear) -> Polynomial {
        let mut p = constant(linear.constant);
        for &(atom, c) in &linear.terms {
            add_term(&mut p, self.factors(atom), c);
        }
        p
    }

    fn intern_polynomial(&mut self, p: &Polynomial) -> IndexId {
        let mut linear = Linear::default();
        for ((_, factors), &c) in p {
            let mut atoms = factors.iter().rev().copied();
            match atoms.next() {
                None => linear.constant = c,
                Some(last) => {
                    let atom = atoms.fold(last, |rest, atom| self.intern_atom(Atom::Product(atom, rest)));
                    linear.terms.push((atom, c));
                }
            }
        }
        linear.terms.sort_unstable_by_key(|t| t.0);
        self.intern(linear)
    }

    /// The product of two expressions.
    pub fn multiply(&mut self, a: IndexId, b: IndexId) -> IndexId {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(k), _) => self.scale(b, k),
            (_, Some(k)) => self.scale(a, k),
            _ => {
                let p = product(&self.polynomial(self.linear(a)), &self.polynomial(self.linear(b)));
                self.intern_polynomial(&p)
            }
        }
    }

    /// Floor division by a size expression, taken for 1 where it is less.
    pub fn floor_div_by(&mut self, a: IndexId, d: IndexId) -> IndexId {
        if let Some(m) = self.as_constant(d) {
            return self.floor_div(a, m.max(1));
        }
        let by = self.polynomial(self.linear(d));
        let (quotient, rest) = divide(&self.polynomial(self.linear(a)), &by);
        let quotient = self.intern_polynomial(&quotient);
        let above = sum(&sum(&by, &constant(1), -1), &rest, -1);
        if self.bound(&rest, false, 0) >= 0 && self.bound(&above, false, 0) >= 0 {
            return quotient;
        }
        let rest = self.intern_polynomial(&rest);
        let divided = self.divide_rest_by(rest, d);
        self.add(quotient, divided)
    }

    /// `(x floordiv k) floordiv d` is `x floordiv (k·d)`.
    fn divide_rest_by(&mut self, rest: IndexId, d: IndexId) -> IndexId {
        if let ([(atom, 1)], 0) = (self.linear(rest).terms.as_slice(), self.linear(rest).constant) {
            let nested = match self.atom(*atom) {
                Atom::FloorDiv(x, k) => Some((x, self.scale(d, k))),
                Atom::Quotient(x, k) => Some((x, self.multiply(d, k))),
                _ => None,
            };
            if let Some((x, d)) = nested {
                return self.floor_div_by(x, d);
            }
        }
        self.of_atom(Atom::Quotient(rest, d))
    }

    /// `a mod d`, in `0..d`.
    pub fn modulo_by(&mut self, a: IndexId, d: IndexId) -> IndexId {
        let quotient = self.floor_div_by(a, d);
        let multiple = self.multiply(quotient, d);
        self.sub(a, multiple)
    }

    /// Row-major linear offset of a multi-index in a shape of size expressions.
    pub fn linearize_sized(&mut self, index: &[IndexId], shape: &[IndexId]) -> IndexId {
        let mut offset = self.constant(0);
        for (&i, &n) in index.iter().zip(shape) {
            let scaled = self.multiply(offset, n);
            offset = self.add(scaled, i);
        }
        offset
    }

    /// Multi-index of a row-major linear offset in a shape of size expressions.
    pub fn delinearize_sized(&mut self, offset: IndexId, shape: &[IndexId]) -> Vec<IndexId> {
        let mut index = Vec::with_capacity(shape.len());
        let mut rest = offset;
        for &n in shape.iter().skip(1).rev() {
            index.push(self.modulo_by(rest, n));
            rest = self.floor_div_by(rest, n);
        }
        if !shape.is_empty() {
            index.push(rest);
        }
        index.reverse();
        index
    }

    /// Number of elements of a shape.
    pub fn product_of(&mut self, shape: &[IndexId]) -> IndexId {
        let one = self.constant(1);
        shape.iter().fold(one, |n, &d| self.multiply(n, d))
    }

    /// What a variable is multiplied with, where the expression is affine in it.
    pub fn coefficient(&mut self, id: IndexId, var: VarId) -> Option<IndexId> {
        let divided = self.linear(id).terms.iter().flat_map(|t| self.factors(t.0));
        if divided.into_iter().any(|a| self.atom(a) != Atom::Var(var) && self.factor_depends_on(a, var)) {
            return None;
        }
        self.direct_coefficient(id, var)
    }

    /// What a variable is multiplied with where it stands outside of divisions; `None` where that is no size
    /// expression.
    pub fn direct_coefficient(&mut self, id: IndexId, var: VarId) -> Option<IndexId> {
        let mut p = Polynomial::new();
        for (atom, c) in self.linear(id).terms.clone() {
            let mut factors = self.factors(atom);
            if let Some(at) = factors.iter().position(|&a| self.atom(a) == Atom::Var(var)) {
                factors.remove(at);
                if factors.iter().any(|&a| self.factor_depends_on(a, var)) {
                    return None;
                }
                add_term(&mut p, factors, c);
            }
        }
        Some(self.intern_polynomial(&p))
    }

    fn factor_depends_on(&self, atom: AtomId, var: VarId) -> bool {
        match self.atom(atom) {
            Atom::Var(v) => v == var,
            Atom::FloorDiv(x, _) => self.depends_on(x, var),
            Atom::Quotient(x, d) => self.depends_on(x, var) || self.depends_on(d, var),
            _ => false,
        }
    }

    /// Inclusive bounds of an expression with sizes in it.
    pub(crate) fn run_range(&self, linear: &Linear) -> (i64, i64) {
        let p = self.polynomial(linear);
        (self.bound(&p, false, 0), self.bound(&p, true, 0))
    }

    /// The largest value of a polynomial, or the smallest; the ends of i64 where none is known.
    fn bound(&self, p: &Polynomial, upper: bool, depth: u32) -> i64 {
        if let Some(value) = as_constant(p) {
            return value;
        }
        let none = if upper { i64::MAX } else { i64::MIN };
        if depth > ELIMINATIONS_MAX {
            return none;
        }
        if let Some(folded) = self.fold_modulo(p, upper, depth) {
            return self.bound(&folded, upper, depth + 1);
        }
        let Some(atom) = self.next_to_eliminate(p) else { return none };
        let (mut factor, mut rest) = (Polynomial::new(), Polynomial::new());
        for ((_, factors), &c) in p {
            match without(factors, &[atom]) {
                Some(left) if left.contains(&atom) => return none,
                Some(left) => add_term(&mut factor, left, c),
                None => add_term(&mut rest, factors.clone(), c),
            }
        }
        let grows = if self.bound(&factor, false, depth + 1) >= 0 {
            true
        } else if self.bound(&factor, true, depth + 1) <= 0 {
            false
        } else {
            return none;
        };
        let Some(end) = self.end(atom, grows == upper) else { return none };
        self.bound(&sum(&rest, &product(&factor, &end), 1), upper, depth + 1)
    }

    /// The atom to put at an end of its range next: variables before what their extents are made of.
    fn next_to_eliminate(&self, p: &Polynomial) -> Option<AtomId> {
        let rank = |atom: AtomId| match self.atom(atom) {
            Atom::Quotient(..) | Atom::FloorDiv(..) => 0,
            Atom::Var(var) if self.run_extent(var).is_some() => 1,
            Atom::Size(_) => 3,
            _ => 2,
        };
        p.keys().flat_map(|k| &k.1).copied().min_by_key(|&atom| (rank(atom), Reverse(atom)))
    }

    /// One end of an atom's range; `None` where it has no limit there.
    fn end(&self, atom: AtomId, upper: bool) -> Option<Polynomial> {
        if let Atom::Var(var) = self.atom(atom)
            && let Some(extent) = self.run_extent(var)
            && upper
        {
            return Some(sum(&self.polynomial(self.linear(extent)), &constant(1), -1));
        }
        let (low, high) = self.atom_range(atom);
        let end = if upper { high } else { low };
        (end.unsigned_abs() < SIZE_UNBOUNDED.unsigned_abs()).then(|| constant(end))
    }

    /// With `K·x − K·d·(x floordiv d)` in a polynomial: that part, which is K·(x mod d), at an end of its range.
    fn fold_modulo(&self, p: &Polynomial, upper: bool, depth: u32) -> Option<Polynomial> {
        let quotients = p.keys().flat_map(|k| &k.1).copied();
        let mut found = quotients.filter_map(|atom| match self.atom(atom) {
            Atom::Quotient(x, d) => Some((atom, x, self.polynomial(self.linear(d)))),
            Atom::FloorDiv(x, m) => Some((atom, x, constant(m))),
            _ => None,
        });
        found.find_map(|(atom, x, d)| {
            let mut factor = Polynomial::new();
            for ((_, factors), &c) in p {
                if let Some(left) = without(factors, &[atom]) {
                    add_term(&mut factor, left, c.saturating_neg());
                }
            }
            let (scale, rest) = match as_constant(&d) {
                Some(m) if factor.values().all(|c| c % m == 0) => {
                    (factor.iter().map(|(k, c)| (k.clone(), c / m)).collect(), Polynomial::new())
                }
                Some(_) => return None,
                None => divide(&factor, &d),
            };
            let x = self.polynomial(self.linear(x));
            let numerator = product(&scale, &x);
            if !rest.is_empty() || !numerator.iter().all(|(k, c)| p.get(k) == Some(c)) {
                return None;
            }
            let quotient = product(&product(&scale, &d), &Polynomial::from([(monomial(vec![atom]), 1)]));
            let others = sum(&sum(p, &numerator, -1), &quotient, 1);
            let grows = if self.bound(&scale, false, depth + 1) >= 0 {
                true
            } else if self.bound(&scale, true, depth + 1) <= 0 {
                false
            } else {
                return None;
            };
            let most = product(&scale, &sum(&d, &constant(1), -1));
            Some(if grows == upper { sum(&others, &most, 1) } else { others })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes s ≥ 0 and t ≥ 1 without limits.
    fn sizes(x: &mut Indices) -> [IndexId; 2] {
        [x.size(1, 0, i64::MAX), x.size(2, 1, i64::MAX)]
    }

    #[test]
    fn reshapes_with_sizes_are_the_identity() {
        let mut x = Indices::default();
        let [s, t] = sizes(&mut x);
        let twelve = x.constant(12);
        let (i, j, k) = (x.add_sized_var(s), x.add_var(12), x.add_sized_var(t));
        let index = [x.var(i), x.var(j), x.var(k)];
        for order in [[0, 1, 2], [1, 0, 2], [2, 0, 1], [0, 2, 1]] {
            let shape = order.map(|at: usize| [s, twelve, t][at]);
            let index = order.map(|at: usize| index[at]);
            let flat = x.linearize_sized(&index, &shape);
            assert_eq!(x.delinearize_sized(flat, &shape), index);
            let merged = x.multiply(shape[1], shape[2]);
            let two = x.delinearize_sized(flat, &[shape[0], merged]);
            assert_eq!(two[0], index[0]);
            assert_eq!(x.linearize_sized(&two, &[shape[0], merged]), flat);
        }
    }

    #[test]
    fn variables_stay_below_their_sizes() {
        let mut x = Indices::default();
        let [s, _] = sizes(&mut x);
        let i = x.add_sized_var(s);
        let i = x.var(i);
        let distance = x.sub(i, s);
        assert_eq!(x.range(distance).1, -1);
        let further = x.offset(s, 2);
        let distance = x.sub(i, further);
        assert_eq!(x.range(distance).1, -3);
        assert_eq!(x.range(i).0, 0);
    }

    #[test]
    fn a_fused_variable_falls_apart_and_comes_together() {
        let mut x = Indices::default();
        let [s, t] = sizes(&mut x);
        let extent = x.multiply(s, t);
        let w = x.add_sized_var(extent);
        let w = x.var(w);
        let (row, column) = (x.floor_div_by(w, t), x.modulo_by(w, t));
        let past = x.sub(column, t);
        assert_eq!((x.range(column).0, x.range(past).1), (0, -1));
        assert_eq!(x.linearize_sized(&[row, column], &[s, t]), w);
    }

    #[test]
    fn sums_of_sizes_divide() {
        let mut x = Indices::default();
        let [s, _] = sizes(&mut x);
        let doubled = x.scale(s, 2);
        let odd = x.offset(doubled, 1);
        let (i, j) = (x.add_var(5), x.add_sized_var(odd));
        let (i, j) = (x.var(i), x.var(j));
        let five = x.constant(5);
        let flat = x.linearize_sized(&[i, j], &[five, odd]);
        assert_eq!(x.floor_div_by(flat, odd), i);
        assert_eq!(x.modulo_by(flat, odd), j);
    }

    #[test]
    fn coefficients_are_sizes() {
        let mut x = Indices::default();
        let [s, t] = sizes(&mut x);
        let (i, j) = (x.add_var(3), x.add_sized_var(t));
        let (vi, vj) = (x.var(i), x.var(j));
        let four = x.scale(t, 4);
        let scaled = x.multiply(vi, four);
        let flat = x.add(scaled, vj);
        assert_eq!(x.coefficient(flat, i), Some(four));
        assert_eq!(x.stride(flat, i), None);
        assert_eq!(x.stride(flat, j), Some(1));
        let part = x.floor_div_by(flat, s);
        assert_eq!(x.coefficient(part, i), None);
    }

    #[test]
    fn bounded_sizes_bound_offsets() {
        let mut x = Indices::default();
        let s = x.size(1, 1, 64);
        let (i, j) = (x.add_sized_var(s), x.add_var(1000));
        let index = [x.var(i), x.var(j)];
        let thousand = x.constant(1000);
        let flat = x.linearize_sized(&index, &[s, thousand]);
        assert_eq!(x.range(flat), (0, 63_999));
    }
}

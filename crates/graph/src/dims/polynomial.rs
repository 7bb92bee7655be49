//! Sizes as sums of products, which is what makes equal sizes the same entry.
//!
//! `(b+1)*(b-1)` and `b*b-1` are both {b·b: 1, 1: -1}. Atoms of a product are the symbols, quotients, remainders,
//! minima and maxima. A term that holds a quotient and its divisor loses both: `2*(b/2)` is `b - b mod 2`.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::bounds::saturate;
use super::{DimDef, DimExpr};
use crate::graph::Graph;
use crate::types::Dim;

/// Larger sums are not multiplied out, nor are products of more factors.
const MAX_TERMS: usize = 64;
const MAX_FACTORS: usize = 12;
/// Quotients that are dissolved in one sum.
const MAX_STEPS: usize = 64;

/// A product of entries of the table, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Product(Vec<u32>);

impl Ord for Product {
    /// Longer products first, so that the constant comes last; a multiple of two products keeps their order.
    fn cmp(&self, other: &Product) -> Ordering {
        other.0.len().cmp(&self.0.len()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Product {
    fn partial_cmp(&self, other: &Product) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Product {
    fn times(&self, other: &Product) -> Option<Product> {
        let mut atoms = [&self.0[..], &other.0[..]].concat();
        atoms.sort_unstable();
        (atoms.len() <= MAX_FACTORS).then_some(Product(atoms))
    }

    /// What is left when the factors of `divisor` are taken out, if they are all there.
    fn without(&self, divisor: &Product) -> Option<Product> {
        let mut atoms = self.0.clone();
        for atom in &divisor.0 {
            let at = atoms.iter().position(|a| a == atom)?;
            atoms.remove(at);
        }
        Some(Product(atoms))
    }
}

/// A sum of products with whole coefficients, none of them 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sum(BTreeMap<Product, i64>);

impl Sum {
    fn constant(value: i64) -> Sum {
        let mut sum = Sum::default();
        if value != 0 {
            sum.0.insert(Product::default(), value);
        }
        sum
    }

    fn atom(at: u32) -> Sum {
        Sum(BTreeMap::from([(Product(vec![at]), 1)]))
    }

    fn as_constant(&self) -> Option<i64> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Product::default()).copied(),
            _ => None,
        }
    }

    fn add_term(&mut self, product: Product, coefficient: i64) -> Option<()> {
        let sum = self.0.get(&product).copied().unwrap_or(0).checked_add(coefficient)?;
        match sum {
            0 => self.0.remove(&product),
            _ => self.0.insert(product, sum),
        };
        (self.0.len() <= MAX_TERMS).then_some(())
    }

    /// `self + factor * term * other`
    fn plus(mut self, other: &Sum, term: &Product, factor: i64) -> Option<Sum> {
        for (product, &coefficient) in &other.0 {
            self.add_term(product.times(term)?, coefficient.checked_mul(factor)?)?;
        }
        Some(self)
    }

    fn minus(self, other: &Sum) -> Option<Sum> {
        self.plus(other, &Product::default(), -1)
    }

    fn times(&self, other: &Sum) -> Option<Sum> {
        self.0.iter().try_fold(Sum::default(), |sum, (product, &coefficient)| sum.plus(other, product, coefficient))
    }

    /// The whole part and the rest of every coefficient, divided by a positive number, rounding down.
    fn split(&self, by: i64) -> (Sum, Sum) {
        let part = |f: &dyn Fn(i64) -> i64| {
            let terms = self.0.iter().map(|(p, &c)| (p.clone(), f(c)));
            Sum(terms.filter(|(_, c)| *c != 0).collect())
        };
        (part(&|c| c.div_euclid(by)), part(&|c| c.rem_euclid(by)))
    }

    /// `self / divisor` when nothing remains, by division of polynomials.
    fn exact_quotient(&self, divisor: &Sum) -> Option<Sum> {
        let (lead, &by) = divisor.0.first_key_value()?;
        let (mut rest, mut quotient) = (self.clone(), Sum::default());
        for _ in 0..MAX_TERMS {
            let Some((product, &coefficient)) = rest.0.first_key_value() else { return Some(quotient) };
            let term = product.without(lead)?;
            if coefficient % by != 0 {
                return None;
            }
            let factor = coefficient / by;
            rest = rest.plus(divisor, &term, factor.checked_neg()?)?;
            quotient.add_term(term, factor)?;
        }
        None
    }
}

impl Graph {
    /// The simplest form of an operation; `None`: keep it as it is.
    pub(super) fn simplified(&mut self, expr: DimExpr) -> Option<Dim> {
        let (a, b) = expr.operands();
        match expr {
            DimExpr::Add(..) => {
                let sum = self.sum(a)?.plus(&self.sum(b)?, &Product::default(), 1)?;
                self.dim_of(sum)
            }
            DimExpr::Sub(..) => {
                let sum = self.sum(a)?.minus(&self.sum(b)?)?;
                self.dim_of(sum)
            }
            DimExpr::Mul(..) => {
                let sum = self.sum(a)?.times(&self.sum(b)?)?;
                self.dim_of(sum)
            }
            DimExpr::FloorDiv(..) => self.quotient(a, b),
            DimExpr::CeilDiv(..) => match b {
                Dim::Static(by) if by > 0 => {
                    let raised = self.dim_add(a, Dim::Static(by - 1));
                    Some(self.dim_floor_div(raised, b))
                }
                _ => {
                    let quotient = self.sum(a)?.exact_quotient(&self.sum(b)?)?;
                    self.dim_of(quotient)
                }
            },
            DimExpr::Mod(..) => self.remainder(a, b),
            DimExpr::Min(..) => self.extremum(a, b, false),
            DimExpr::Max(..) => self.extremum(a, b, true),
        }
    }

    /// Bounds of `a - b`, with what they have in common taken out.
    pub(super) fn difference_bounds(&mut self, a: Dim, b: Dim) -> Option<(i64, i64)> {
        let difference = self.sum(a)?.minus(&self.sum(b)?)?;
        Some(self.sum_bounds(&difference))
    }

    /// What an entry must be for `a = b`, where that can be said: of `6*n` and `6*b` that n is b. `None` where the
    /// entry is not there or stands in a product.
    pub(crate) fn solve_dims(&mut self, a: Dim, b: Dim, entry: u32) -> Option<Dim> {
        let mut sum = self.sum(a)?.minus(&self.sum(b)?)?;
        let factor = sum.0.remove(&Product(vec![entry]))?;
        let by = factor.checked_neg()?;
        let alone = sum.0.keys().all(|product| !product.0.contains(&entry));
        if by == 0 || !alone || sum.0.values().any(|&c| c % by != 0) {
            return None;
        }
        sum.0.values_mut().for_each(|c| *c /= by);
        self.dim_of(sum)
    }

    /// The entries that a size is a sum of products of.
    pub fn dim_atoms(&self, dim: Dim) -> Vec<u32> {
        let mut atoms: Vec<u32> = self.sum(dim).iter().flat_map(|s| s.0.keys()).flat_map(|p| p.0.clone()).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// (symbol, factor, offset) of a size `factor * symbol + offset`.
    pub fn dim_linear(&self, dim: Dim) -> Option<(Dim, i64, i64)> {
        let mut sum = self.sum(dim)?;
        let offset = sum.0.remove(&Product::default()).unwrap_or(0);
        let (product, factor) = sum.0.pop_first()?;
        match (&product.0[..], sum.0.is_empty()) {
            (&[atom], true) => Some((Dim::Symbolic(atom), factor, offset)),
            _ => None,
        }
    }

    fn quotient(&mut self, a: Dim, b: Dim) -> Option<Dim> {
        let (dividend, divisor) = (self.sum(a)?, self.sum(b)?);
        if let Some(exact) = dividend.exact_quotient(&divisor) {
            return self.dim_of(exact);
        }
        let by = b.as_static().filter(|&by| by > 0)?;
        let (whole, rest) = dividend.split(by);
        let (min, max) = self.sum_bounds(&rest);
        if min >= 0 && max < by {
            return self.dim_of(whole);
        }
        let rest = self.dim_of(rest)?;
        let part = match self.nested_quotient(rest, by) {
            Some(part) => part,
            None => self.expression(DimExpr::FloorDiv(rest, b)),
        };
        let sum = whole.plus(&self.sum(part)?, &Product::default(), 1)?;
        self.dim_of(sum)
    }

    /// `(x / m) / n` is `x / (m*n)`.
    fn nested_quotient(&mut self, a: Dim, by: i64) -> Option<Dim> {
        let Dim::Symbolic(at) = a else { return None };
        match self.dims.get(at as usize)?.def {
            DimDef::Expr(DimExpr::FloorDiv(x, Dim::Static(m))) if m > 0 => {
                Some(self.dim_floor_div(x, Dim::Static(m.checked_mul(by)?)))
            }
            _ => None,
        }
    }

    fn remainder(&mut self, a: Dim, b: Dim) -> Option<Dim> {
        let (dividend, divisor) = (self.sum(a)?, self.sum(b)?);
        if dividend.exact_quotient(&divisor).is_some() {
            return Some(Dim::Static(0));
        }
        let ((min, max), (least, _)) = (self.dim_bounds(a), self.dim_bounds(b));
        if min >= 0 && max < least {
            return Some(a);
        }
        let by = b.as_static().filter(|&by| by > 0)?;
        let (_, rest) = dividend.split(by);
        let (min, max) = self.sum_bounds(&rest);
        let inside = min >= 0 && max < by;
        let rest = self.dim_of(rest)?;
        Some(if inside { rest } else { self.expression(DimExpr::Mod(rest, b)) })
    }

    fn extremum(&mut self, a: Dim, b: Dim, largest: bool) -> Option<Dim> {
        if self.dim_at_most(a, b) {
            return Some(if largest { b } else { a });
        }
        if self.dim_at_most(b, a) {
            return Some(if largest { a } else { b });
        }
        let key = |dim: Dim| match dim {
            Dim::Symbolic(at) => (0, i64::from(at)),
            Dim::Static(n) => (1, n),
        };
        let (x, y) = if key(a) <= key(b) { (a, b) } else { (b, a) };
        Some(self.expression(if largest { DimExpr::Max(x, y) } else { DimExpr::Min(x, y) }))
    }

    /// The size multiplied out; `None` if that overflows. An opaque size is one term.
    fn sum(&self, dim: Dim) -> Option<Sum> {
        let at = match dim {
            Dim::Static(value) => return Some(Sum::constant(value)),
            Dim::Symbolic(at) => at,
        };
        let entry = self.dims.get(at as usize)?;
        let (a, b) = match entry.def {
            DimDef::Expr(expr @ (DimExpr::Add(..) | DimExpr::Sub(..) | DimExpr::Mul(..))) if !entry.is_opaque => {
                expr.operands()
            }
            _ => return Some(Sum::atom(at)),
        };
        let (x, y) = (self.sum(a)?, self.sum(b)?);
        match entry.def {
            DimDef::Expr(DimExpr::Add(..)) => x.plus(&y, &Product::default(), 1),
            DimDef::Expr(DimExpr::Sub(..)) => x.minus(&y),
            _ => x.times(&y),
        }
    }

    fn sum_bounds(&self, sum: &Sum) -> (i64, i64) {
        let (mut min, mut max) = (0i128, 0i128);
        for (product, &coefficient) in &sum.0 {
            let mut bounds = (coefficient, coefficient);
            for &atom in &product.0 {
                let (a, b) = self.dim_bounds(Dim::Symbolic(atom));
                let all = [bounds.0, bounds.1].map(|x| [a, b].map(|y| i128::from(x) * i128::from(y)));
                let all = all.as_flattened();
                bounds.0 = saturate(all.iter().copied().min().unwrap_or_default());
                bounds.1 = saturate(all.iter().copied().max().unwrap_or_default());
            }
            // A saturated bound says nothing about the sum.
            min += if bounds.0 == i64::MIN { i128::from(i64::MIN) << 32 } else { bounds.0.into() };
            max += if bounds.1 == i64::MAX { i128::from(i64::MAX) << 32 } else { bounds.1.into() };
        }
        (saturate(min), saturate(max))
    }

    /// A term `n * (x / n)` of the sum becomes `x - x mod n`.
    fn dissolve(&mut self, sum: &Sum) -> Option<Sum> {
        for (product, &coefficient) in &sum.0 {
            for &atom in &product.0 {
                let DimDef::Expr(DimExpr::FloorDiv(x, by)) = self.dims.get(atom as usize)?.def else { continue };
                let quotient = Product(vec![atom]);
                let (factors, rest) = match by {
                    Dim::Static(n) if n > 0 && coefficient % n == 0 => (product.without(&quotient)?, coefficient / n),
                    Dim::Symbolic(d) => match product.without(&quotient)?.without(&Product(vec![d])) {
                        Some(factors) => (factors, coefficient),
                        None => continue,
                    },
                    Dim::Static(_) => continue,
                };
                let remainder = self.dim_mod(x, by);
                let whole = self.sum(x)?.minus(&self.sum(remainder)?)?;
                let mut others = sum.clone();
                others.0.remove(product);
                return others.plus(&whole, &factors, rest);
            }
        }
        None
    }

    /// The entry of a sum: the terms to add in order, then those to subtract.
    fn dim_of(&mut self, mut sum: Sum) -> Option<Dim> {
        for _ in 0..MAX_STEPS {
            match self.dissolve(&sum) {
                Some(next) => sum = next,
                None => break,
            }
        }
        if let Some(value) = sum.as_constant() {
            return Some(Dim::Static(value));
        }
        let (more, less): (Vec<_>, Vec<_>) = sum.0.iter().partition(|(_, c)| **c > 0);
        let mut total: Option<Dim> = None;
        for (product, &coefficient) in more {
            let term = self.term(product, coefficient);
            total = Some(match total {
                Some(total) => self.expression(DimExpr::Add(total, term)),
                None => term,
            });
        }
        let mut total = total.unwrap_or(Dim::Static(0));
        for (product, &coefficient) in less {
            let term = self.term(product, coefficient.checked_neg()?);
            total = self.expression(DimExpr::Sub(total, term));
        }
        let (min, max) = self.sum_bounds(&sum);
        self.narrow_dim(total, min, max);
        Some(total)
    }

    fn term(&mut self, product: &Product, coefficient: i64) -> Dim {
        let mut term: Option<Dim> = (coefficient != 1 || product.0.is_empty()).then_some(Dim::Static(coefficient));
        for &atom in &product.0 {
            let factor = Dim::Symbolic(atom);
            term = Some(match term {
                Some(term) => self.expression(DimExpr::Mul(term, factor)),
                None => factor,
            });
        }
        term.unwrap_or(Dim::Static(1))
    }
}

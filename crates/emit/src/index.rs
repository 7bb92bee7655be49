//! Index expressions as values: uniform, affine in the lane, or a vector.
//!
//! Input: an interned linear expression and the bindings of its variables, at most one of them with lanes. Output: an
//! [`IndexValue`]. Additions of constants come last, so that unrolled copies share everything else.
//!
//! Worked example: `4000·i + j` with i uniform and j = 4·t + lane is `Affine { base: 4000·i + 4·t, stride: 1 }`: one
//! vector load. `(4000·i + j) floordiv 4000` under the same binding is uniform, because 4·t + lane cannot cross a
//! multiple of 4000: the base is a multiple of gcd(4, 4000) = 4 and 0 + 3 < 4.

use fornax_plan::index::gcd;
use fornax_plan::{Atom, IndexId, Linear, VarId};

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::text::{Scalar, Ty, Value};

/// An index in the lanes of the present vector variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexValue {
    /// `base + constant + stride · lane`.
    Affine { base: Option<Value>, constant: i64, stride: i64 },
    /// One index a lane.
    Vector(Value),
}

/// A value that is the same in all lanes, or one a lane.
fn uniform_or_lanes(value: Value) -> IndexValue {
    if value.ty.is_vector() {
        IndexValue::Vector(value)
    } else {
        IndexValue::Affine { base: Some(value), constant: 0, stride: 0 }
    }
}

impl Emitter<'_> {
    /// The number of values of a variable.
    pub fn extent_value(&mut self, var: VarId) -> Result<Value, EmitError> {
        match self.exprs.indices.run_extent(var) {
            None => Ok(self.code.int(self.index_ty(), self.exprs.indices.extent(var))),
            Some(extent) => {
                let value = self.index(extent)?;
                Ok(self.index_scalar(value))
            }
        }
    }

    /// At least 1, to divide by.
    pub fn divisor(&mut self, value: Value) -> Value {
        let one = self.code.int(value.ty, 1);
        self.code.binary("arith.maxsi", value, one)
    }

    /// Writes an expression; use [`Emitter::index`], which memoises.
    pub fn eval_index(&mut self, id: IndexId) -> Result<IndexValue, EmitError> {
        let linear = self.exprs.indices.linear(id).clone();
        let (mut constant, mut stride) = (linear.constant, 0i64);
        let mut scalars: Vec<(Value, i64)> = Vec::new();
        let mut vectors: Vec<(Value, i64)> = Vec::new();
        for (atom, c) in linear.terms {
            match self.atom_value(atom)? {
                IndexValue::Affine { base, constant: k, stride: s } => {
                    constant = constant.wrapping_add(c.wrapping_mul(k));
                    stride += c.wrapping_mul(s);
                    scalars.extend(base.map(|b| (b, c)));
                }
                IndexValue::Vector(v) => vectors.push((v, c)),
            }
        }
        let base = self.weighted_sum(&scalars);
        let affine = IndexValue::Affine { base, constant, stride };
        if vectors.is_empty() {
            return Ok(affine);
        }
        let uneven = self.weighted_sum(&vectors).ok_or_else(|| self.malformed("an index has no terms"))?;
        let even = self.index_lanes(affine);
        Ok(IndexValue::Vector(self.code.add_i(uneven, even)))
    }

    fn atom_value(&mut self, atom: fornax_plan::AtomId) -> Result<IndexValue, EmitError> {
        match self.exprs.indices.atom(atom) {
            Atom::Var(var) => {
                let binding =
                    self.binding(var).ok_or_else(|| self.malformed(format!("variable {} is not bound", var.0)))?;
                let stride = i64::from(binding.lane);
                Ok(IndexValue::Affine { base: binding.base, constant: binding.offset, stride })
            }
            Atom::FloorDiv(x, m) => self.floor_div(x, m),
            Atom::Value { node, .. } => {
                let value = self.eval(node)?;
                let value = if self.exprs.element(node).is_unsigned() {
                    self.code.resize_u(value, self.index)
                } else {
                    self.code.resize_s(value, self.index)
                };
                Ok(uniform_or_lanes(value))
            }
            Atom::Size(size) => {
                let value = self.sizes.get(size.0 as usize).copied();
                let value = value.ok_or_else(|| self.malformed(format!("there is no size {}", size.0)))?;
                let value = self.code.resize_s(value, self.index);
                Ok(IndexValue::Affine { base: Some(value), constant: 0, stride: 0 })
            }
            Atom::Product(a, b) => {
                let (a, b) = (self.atom_value(a)?, self.atom_value(b)?);
                let (a, b) = (self.index_lanes(a), self.index_lanes(b));
                let lanes = a.ty.lanes.max(b.ty.lanes);
                let (a, b) = (self.code.spread(a, lanes), self.code.spread(b, lanes));
                Ok(uniform_or_lanes(self.code.mul_i(a, b)))
            }
            Atom::Quotient(x, d) => self.quotient(x, d),
        }
    }

    /// `x floordiv d` for a divisor known at run time, taken for 1 where it is less: then there are no points.
    fn quotient(&mut self, x: IndexId, d: IndexId) -> Result<IndexValue, EmitError> {
        let (value, divisor) = (self.index(x)?, self.index(d)?);
        let (value, divisor) = (self.index_lanes(value), self.index_lanes(divisor));
        let lanes = value.ty.lanes.max(divisor.ty.lanes);
        let (value, divisor) = (self.code.spread(value, lanes), self.code.spread(divisor, lanes));
        let one = self.code.int(divisor.ty, 1);
        let divisor = self.code.binary("arith.maxsi", divisor, one);
        if self.exprs.indices.range(x).0 >= 0 {
            return Ok(uniform_or_lanes(self.code.binary("arith.divui", value, divisor)));
        }
        let toward_zero = self.code.binary("arith.divsi", value, divisor);
        let back = self.code.mul_i(toward_zero, divisor);
        let rest = self.code.sub_i(value, back);
        let below = self.code.cmp_ik("slt", rest, 0);
        let less = self.code.add_ik(toward_zero, -1);
        Ok(uniform_or_lanes(self.code.select(below, less, toward_zero)))
    }

    fn weighted_sum(&mut self, terms: &[(Value, i64)]) -> Option<Value> {
        let mut sum: Option<Value> = None;
        for &(value, c) in terms {
            let term = if c == 1 { value } else { self.index_op("arith.muli", value, c) };
            sum = Some(match sum {
                None => term,
                Some(sum) => {
                    let lanes = sum.ty.lanes.max(term.ty.lanes);
                    let (a, b) = (self.code.spread(sum, lanes), self.code.spread(term, lanes));
                    self.code.pure(a.ty, format!("arith.addi {a}, {b}{} : {}", self.no_wrap(), a.ty))
                }
            });
        }
        sum
    }

    /// 32-bit index arithmetic does not overflow: that is when it is chosen. Said so, it widens to 64 bits for free.
    fn no_wrap(&self) -> &'static str {
        if self.index == Scalar::I32 { " overflow<nsw>" } else { "" }
    }

    fn index_op(&mut self, name: &str, a: Value, k: i64) -> Value {
        let k = self.code.int(a.ty, k);
        self.code.pure(a.ty, format!("{name} {a}, {k}{} : {}", self.no_wrap(), a.ty))
    }

    /// The scalar of a uniform index, or lane 0 of an affine one.
    pub fn index_scalar(&mut self, value: IndexValue) -> Value {
        match value {
            IndexValue::Affine { base, constant, .. } => match base {
                None => self.code.int(self.index_ty(), constant),
                Some(base) if constant == 0 => base,
                Some(base) => self.index_op("arith.addi", base, constant),
            },
            IndexValue::Vector(v) => self.code.extract(v, 0),
        }
    }

    /// The index as a value: a scalar where it is uniform, else a vector.
    pub fn index_lanes(&mut self, value: IndexValue) -> Value {
        match value {
            IndexValue::Vector(v) => v,
            IndexValue::Affine { stride, .. } => {
                let base = self.index_scalar(value);
                if stride == 0 || self.lanes == 1 {
                    return base;
                }
                let iota = self.code.iota(self.index, self.lanes);
                let steps = if stride == 1 { iota } else { self.index_op("arith.muli", iota, stride) };
                self.code.add_i(base, steps)
            }
        }
    }

    /// The index of one lane.
    pub fn index_lane(&mut self, value: IndexValue, lane: u32) -> Value {
        match value {
            IndexValue::Vector(v) => self.code.extract(v, lane),
            IndexValue::Affine { base, constant, stride } => {
                let constant = constant + stride * i64::from(lane);
                self.index_scalar(IndexValue::Affine { base, constant, stride: 0 })
            }
        }
    }

    fn floor_div(&mut self, x: IndexId, m: i64) -> Result<IndexValue, EmitError> {
        let value = self.index(x)?;
        let quotient = |base| IndexValue::Affine { base: Some(base), constant: 0, stride: 0 };
        match value {
            IndexValue::Affine { base: None, constant, stride: 0 } => {
                Ok(IndexValue::Affine { base: None, constant: constant.div_euclid(m), stride: 0 })
            }
            IndexValue::Affine { stride, .. } if stride % m == 0 || self.lanes_stay_within(x, m, stride) => {
                let scalar = self.index_scalar(value);
                let base = self.divide(x, scalar, m);
                let stride = if stride % m == 0 { stride / m } else { 0 };
                Ok(match quotient(base) {
                    IndexValue::Affine { base, constant, .. } => IndexValue::Affine { base, constant, stride },
                    vector => vector,
                })
            }
            _ => {
                let lanes = self.index_lanes(value);
                Ok(IndexValue::Vector(self.divide(x, lanes, m)))
            }
        }
    }

    /// Whether `x + stride·lane` has the same quotient by m in every lane.
    fn lanes_stay_within(&self, x: IndexId, m: i64, stride: i64) -> bool {
        let (modulus, residue) = self.congruence(x);
        let g = gcd(modulus, m);
        let last = residue.rem_euclid(g) + stride * i64::from(self.lanes - 1);
        (0..g).contains(&last)
    }

    /// Whether the lanes of `x + lane` are all below a bound or all not, whatever the value of the first.
    fn lanes_stay_beside(&self, x: IndexId, bound: i64) -> bool {
        let (modulus, residue) = self.congruence(x);
        if modulus <= 1 {
            return false;
        }
        // From the last first lane below the bound on.
        let below = (bound - residue - 1).rem_euclid(modulus) + 1;
        below >= i64::from(self.lanes)
    }

    /// Floor division of a value of expression `x` by m. Unsigned division of what is known not to be negative.
    fn divide(&mut self, x: IndexId, value: Value, m: i64) -> Value {
        let (low, _) = self.exprs.indices.range(x);
        let shift = if low < 0 { low.div_euclid(m).saturating_neg() } else { 0 };
        // The sum is below 2^64, also where the range is not known: the product may be above 2^63.
        let shifted = if shift == 0 { value } else { self.index_op("arith.addi", value, shift.wrapping_mul(m)) };
        let quotient = self.code.int_k("arith.divui", shifted, m);
        if shift == 0 { quotient } else { self.index_op("arith.addi", quotient, -shift) }
    }

    /// `(modulus, residue)` with value of lane 0 ≡ residue; modulus 0 says that the value *is* the residue.
    pub fn congruence(&self, id: IndexId) -> (i64, i64) {
        self.congruence_of(self.exprs.indices.linear(id))
    }

    fn congruence_of(&self, linear: &Linear) -> (i64, i64) {
        let (mut modulus, mut residue) = (0i64, linear.constant);
        for &(atom, c) in &linear.terms {
            let (a, r) = match self.exprs.indices.atom(atom) {
                Atom::Var(var) => self.binding(var).map_or((1, 0), |b| match b.base {
                    Some(_) => (b.multiple.max(1), b.offset),
                    None => (0, b.offset),
                }),
                Atom::FloorDiv(x, m) => match self.congruence(x) {
                    (0, r) => (0, r.div_euclid(m)),
                    (a, r) if a % m == 0 => (a / m, r.div_euclid(m)),
                    _ => (1, 0),
                },
                Atom::Size(_) | Atom::Product(..) => (self.assumed_multiple(atom), 0),
                Atom::Value { .. } | Atom::Quotient(..) => (1, 0),
            };
            modulus = gcd(modulus, a.wrapping_mul(c));
            residue = residue.wrapping_add(r.wrapping_mul(c));
        }
        if modulus == 0 { (0, residue) } else { (modulus, residue.rem_euclid(modulus)) }
    }

    /// What a size, or a product with it, is a multiple of where code is being written.
    fn assumed_multiple(&self, atom: fornax_plan::AtomId) -> i64 {
        let Some((size, multiple)) = self.assumed else { return 1 };
        let factors = self.exprs.indices.factors(atom);
        if factors.into_iter().any(|f| self.exprs.indices.atom(f) == Atom::Size(size)) { multiple } else { 1 }
    }

    /// Largest absolute value that an expression or a part of it can take.
    pub fn magnitude(&self, id: IndexId) -> i64 {
        let linear = self.exprs.indices.linear(id);
        let mut sum = linear.constant.saturating_abs();
        let mut inner = 0;
        for &(atom, c) in &linear.terms {
            let (low, high) = self.exprs.indices.atom_range(atom);
            let largest = low.saturating_abs().max(high.saturating_abs());
            sum = sum.saturating_add(largest.saturating_mul(c.saturating_abs()));
            for factor in self.exprs.indices.factors(atom) {
                match self.exprs.indices.atom(factor) {
                    Atom::FloorDiv(x, m) => inner = inner.max(self.magnitude(x).saturating_add(m)),
                    Atom::Quotient(x, d) => inner = inner.max(self.magnitude(x)).max(self.magnitude(d)),
                    _ => {}
                }
            }
        }
        sum.max(inner)
    }

    /// The value of an index in the given integer type of the scalar DAG (wrapped): iota.
    pub fn index_as(&mut self, id: IndexId, scalar: Scalar) -> Result<Value, EmitError> {
        let value = self.index(id)?;
        let lanes = self.index_lanes(value);
        Ok(self.code.resize_s(lanes, scalar))
    }

    /// i1: `low ≤ index < high`; a scalar where all lanes are on the same side of both bounds, wherever they begin.
    /// What it guards is one load then, not a branch around one a lane.
    ///
    /// Worked example: `64 ≤ 4·t + lane < 128` with four lanes is `4·t ≥ 64`: no lane but the first can be 64.
    pub fn in_range(&mut self, id: IndexId, low: i64, high: i64) -> Result<Value, EmitError> {
        if low >= high {
            return Ok(self.code.bits(Ty::scalar(Scalar::I1), 0));
        }
        let (min, max) = self.exprs.indices.range(id);
        let value = self.index(id)?;
        let (above, below) = (min >= low, max < high);
        let is_uniform = (above || self.lanes_stay_beside(id, low)) && (below || self.lanes_stay_beside(id, high));
        let value = match value {
            IndexValue::Affine { stride: 1, .. } if is_uniform => self.index_scalar(value),
            _ => self.index_lanes(value),
        };
        // One unsigned comparison of `index − low` does both bounds, where both matter.
        Ok(match (above, below) {
            (true, _) => self.code.cmp_ik("slt", value, high),
            (_, true) => self.code.cmp_ik("sge", value, low),
            _ => {
                let moved = self.code.add_ik(value, low.wrapping_neg());
                self.code.cmp_ik("ult", moved, high.wrapping_sub(low))
            }
        })
    }
}

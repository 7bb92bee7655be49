//! Factors and triangular systems whose size is known only at run time: one row or column a round, in loops as long as
//! the size.
//!
//! The halves that `cholesky`, `triangular` and `lu` cut need known sizes. Here a round takes one column, and what is
//! left loses column times row, element by element; parts that no round reads any more hold leftovers until the end.
//! All matrices are `[B, M, N]`, B known. Real and complex; f16 and bf16 are converted before. Limits: a round is a
//! pass over the whole matrix, so the work is N³ without tensor cores.
//!
//! Worked example, Cholesky of [[4, ·], [2, 10]]: √4 = 2, column [2, 1]; 10 − 1·1 = 9, √9 = 3: [[2, 0], [1, 3]].

use fornax_graph::{Attr, Dim, ElementType, OpKind, TensorType, ValueId};
use fornax_reference::Scalar;

use super::lu::Lu;
use super::triangular::{Given, Transpose};
use crate::rewrite::build::int;
use crate::simplify::ops::Ops;

/// Known sizes, or sizes of run time that have a name.
pub fn is_resolved(ty: &TensorType) -> bool {
    ty.shape.iter().all(|d| *d != Dim::Symbolic(0))
}

/// A matrix type whose batch is known and a side of which is not: what this file is for.
pub fn is_sized(ty: &TensorType) -> bool {
    let known = |dims: &[Dim]| dims.iter().all(|d| d.as_static().is_some());
    ty.rank() >= 2 && is_resolved(ty) && !known(&ty.shape) && known(&ty.shape[..ty.rank() - 2])
}

/// `[…, M, N]` as `[B, M, N]`.
pub fn flat(o: &Ops, a: ValueId) -> ValueId {
    let shape = o.ty(a).shape;
    let (batch, matrix) = shape.split_at(shape.len().saturating_sub(2));
    let count = batch.iter().filter_map(|d| d.as_static()).product();
    let sizes: Vec<Dim> = [Dim::Static(count)].iter().chain(matrix).copied().collect();
    o.with(|rw| rw.reshape(a, &sizes))
}

/// Short names for one loop over matrices `[B, M, N]`.
struct Sized<'o, 'r, 'g> {
    o: &'o Ops<'r, 'g>,
    batch: Dim,
}

impl<'o, 'r, 'g> Sized<'o, 'r, 'g> {
    fn new(o: &'o Ops<'r, 'g>, a: ValueId) -> Self {
        Sized { o, batch: o.ty(a).shape[0] }
    }

    /// Sizes `[B, rows, columns]`; `None` is 1.
    fn sizes(&self, rows: Option<Dim>, columns: Option<Dim>) -> [Dim; 3] {
        let one = Dim::Static(1);
        [self.batch, rows.unwrap_or(one), columns.unwrap_or(one)]
    }

    /// The part of these sizes that begins at (row, column), `None` being 0.
    fn cut(&self, a: ValueId, row: Option<ValueId>, column: Option<ValueId>, sizes: [Dim; 3]) -> ValueId {
        let zero = self.o.index(0);
        let operands = [a, zero, row.unwrap_or(zero), column.unwrap_or(zero)];
        let ty = TensorType { shape: sizes.to_vec(), element: self.o.element(a), encoding: None };
        self.o.emit(OpKind::DynamicSlice, &operands, ty, &[("slice_sizes", Attr::of_dims(&sizes))])
    }

    /// Dimensions of size 1 are repeated; a scalar fills the sizes.
    fn stretch(&self, a: ValueId, sizes: [Dim; 3]) -> ValueId {
        let ty = self.o.ty(a);
        if ty.shape == sizes {
            return a;
        }
        let to: Vec<usize> = (0..ty.rank()).collect();
        self.o.with(|rw| rw.broadcast(a, &to, &sizes))
    }

    /// Row (1) or column (2) numbers, i32.
    fn places(&self, sizes: [Dim; 3], d: usize) -> ValueId {
        let ty = TensorType { shape: sizes.to_vec(), element: ElementType::I32, encoding: None };
        self.o.with(|rw| rw.iota(&ty, d))
    }

    /// Rows or columns that stand so to number `at` (rank 0, or `[B, 1, 1]`).
    fn which(&self, direction: &str, sizes: [Dim; 3], d: usize, at: ValueId) -> ValueId {
        self.o.compare(direction, self.places(sizes, d), self.stretch(at, sizes))
    }

    /// `body` for i = 0, 1, … below the size of a dimension of `like`.
    fn rounds(
        &self,
        like: ValueId,
        d: usize,
        carried: &[ValueId],
        body: impl FnOnce(ValueId, &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let o = self.o;
        let scalar = TensorType::new(&[], ElementType::I32);
        let count = o.emit(OpKind::GetDimensionSize, &[like], scalar, &[("dimension", int(d as i64))]);
        let with_counter: Vec<ValueId> = [o.index(0)].into_iter().chain(carried.iter().copied()).collect();
        let below = |o: &Ops, values: &[ValueId]| o.compare("LT", values[0], count);
        let mut made = o.repeat_while(&with_counter, below, |o, values| {
            let mut next = vec![o.add(values[0], o.index(1))];
            next.extend(body(values[0], &values[1..]));
            next
        });
        made.remove(0);
        made
    }
}

/// L of `A = L·Lᴴ`, zero above the diagonal, and `[B] i32`: 0, or 1 + the first row whose pivot is not positive.
pub fn cholesky(o: &Ops, a: ValueId) -> (ValueId, ValueId) {
    let s = &Sized::new(o, a);
    let n = o.ty(a).shape[1];
    let (whole, column) = (s.sizes(Some(n), Some(n)), s.sizes(Some(n), None));
    let made = s.rounds(a, 1, &[a], |j, carried| {
        let own = s.cut(carried[0], None, Some(j), column);
        let pivot = o.sqrt(o.real(s.cut(own, Some(j), None, s.sizes(None, None))));
        let root = s.stretch(o.number(pivot, None, o.element(a)), column);
        let l = o.select(s.which("EQ", column, 1, j), root, o.div(own, root));
        let (down, across) = (s.stretch(l, whole), s.stretch(o.adjoint(l), whole));
        let rest = o.sub(carried[0], o.mul(down, across));
        let later = o.select(s.which("GT", whole, 2, j), rest, carried[0]);
        vec![o.select(s.which("EQ", whole, 2, j), down, later)]
    });
    let (row, place) = (s.places(whole, 1), s.places(whole, 2));
    let l = o.select(o.compare("GE", row, place), made[0], o.float(a, 0.0));
    let real = o.real(l);
    let bad = o.unary(OpKind::Not, o.compare("GT", real, o.float(real, 0.0)));
    let bad = o.and(bad, o.compare("EQ", row, place));
    let none = i64::from(i32::MAX);
    let numbered = o.select(bad, o.add(row, o.int(row, 1)), o.int(row, none));
    let first = o.reduce(OpKind::Minimum, numbered, o.index(none), &[1, 2]);
    (l, o.select(o.compare("EQ", first, o.int(first, none)), o.int(first, 0), first))
}

/// `inside` in the lower (upper) triangle, `outside` elsewhere.
pub fn triangle(o: &Ops, lower: bool, inside: ValueId, outside: ValueId) -> ValueId {
    let s = &Sized::new(o, inside);
    let shape = o.ty(inside).shape;
    let whole = s.sizes(Some(shape[1]), Some(shape[2]));
    let own = o.compare(if lower { "GE" } else { "LE" }, s.places(whole, 1), s.places(whole, 2));
    o.select(own, inside, outside)
}

/// A factor that failed is all NaN.
pub fn cholesky_or_nan(o: &Ops, a: ValueId) -> ValueId {
    let (l, info) = cholesky(o, a);
    let shape = o.ty(l).shape;
    let good = o.compare("EQ", info, o.int(info, 0));
    let good = o.with(|rw| rw.broadcast(good, &[0], &shape));
    o.select(good, l, o.float(l, f64::NAN))
}

/// X of `op(A)·X = B` or `X·op(A) = B`.
pub fn solve_given(o: &Ops, a: ValueId, b: ValueId, given: Given) -> ValueId {
    let turn = given.left != (given.transpose == Transpose::No);
    let a = if turn { o.transposed(a) } else { a };
    let a = if given.transpose == Transpose::Adjoint { o.conj(a) } else { a };
    let lower = given.lower != turn;
    if given.left {
        return solve(o, a, b, lower, given.unit);
    }
    let b = o.transposed(b);
    let x = solve(o, a, b, lower, given.unit);
    o.transposed(x)
}

/// Rows of X from the first (or the last) on; each is taken off the rows to come.
fn solve(o: &Ops, a: ValueId, b: ValueId, lower: bool, unit: bool) -> ValueId {
    let s = &Sized::new(o, a);
    let (n, m) = (o.ty(b).shape[1], o.ty(b).shape[2]);
    let (whole, row, column) = (s.sizes(Some(n), Some(m)), s.sizes(None, Some(m)), s.sizes(Some(n), None));
    let count =
        o.emit(OpKind::GetDimensionSize, &[b], TensorType::new(&[], ElementType::I32), &[("dimension", int(1))]);
    let made = s.rounds(b, 1, &[b], |i, carried| {
        let i = if lower { i } else { o.sub(o.sub(count, o.index(1)), i) };
        let factors = s.cut(a, None, Some(i), column);
        let mut x = s.cut(carried[0], Some(i), None, row);
        if !unit {
            x = o.div(x, s.stretch(s.cut(factors, Some(i), None, s.sizes(None, None)), row));
        }
        let x = s.stretch(x, whole);
        let rest = o.sub(carried[0], o.mul(s.stretch(factors, whole), x));
        let later = o.select(s.which(if lower { "GT" } else { "LT" }, whole, 1, i), rest, carried[0]);
        vec![o.select(s.which("EQ", whole, 1, i), x, later)]
    });
    made[0]
}

/// LU factors of `[B, M, N]` with `steps` = min(M, N) pivots, as [`super::lu::factor`] gives them.
pub fn lu(o: &Ops, a: ValueId, steps: Dim) -> Lu {
    let s = &Sized::new(o, a);
    let (m, n) = (o.ty(a).shape[1], o.ty(a).shape[2]);
    let (whole, column, row, one) =
        (s.sizes(Some(m), Some(n)), s.sizes(Some(m), None), s.sizes(None, Some(n)), s.sizes(None, None));
    let zeros = |shape: &[Dim]| {
        let ty = TensorType { shape: shape.to_vec(), element: ElementType::I32, encoding: None };
        o.with(|rw| rw.splat(&ty, Scalar::Int(0)))
    };
    let start = [a, zeros(&s.sizes(Some(steps), None)), s.places(column, 1), zeros(&one)];
    let made = s.rounds(start[1], 1, &start, |j, carried| {
        let own = s.cut(carried[0], None, Some(j), column);
        let numbers = s.places(column, 1);
        // The first row of the largest size; NaN counts as infinite.
        let size = o.size(own);
        let size = o.select(o.compare("NE", size, size), o.float(size, f64::INFINITY), size);
        let left = o.select(s.which("LT", column, 1, j), o.float(size, -1.0), size);
        let low = o.splat(&[], o.element(left), Scalar::Float(f64::NEG_INFINITY));
        let largest = o.with(|rw| {
            let largest = rw.reduce(left, low, &[1], OpKind::Maximum);
            rw.reshape(largest, &one)
        });
        let is_largest = o.compare("EQ", left, s.stretch(largest, column));
        let none = o.int(numbers, i64::from(i32::MAX));
        let first = o.reduce(OpKind::Minimum, o.select(is_largest, numbers, none), o.index(i64::from(i32::MAX)), &[1]);
        let p = o.with(|rw| rw.reshape(first, &one));
        // Rows j and p change places.
        let exchanged = |v: ValueId, at: ValueId| -> (ValueId, ValueId) {
            let ty = o.ty(v);
            let (whole, row) = (s.sizes(Some(m), Some(ty.shape[2])), s.sizes(None, Some(ty.shape[2])));
            let is_p = s.which("EQ", whole, 1, p);
            let zero = o.with(|rw| rw.splat(&ty, Scalar::zero(ty.element)));
            let own = o.with(|rw| {
                let masked = rw.select(is_p, v, zero);
                let none = rw.splat(&TensorType::new(&[], ty.element), Scalar::zero(ty.element));
                let sum = rw.reduce(masked, none, &[1], OpKind::Add);
                rw.reshape(sum, &row)
            });
            let other = s.cut(v, Some(at), None, row);
            let moved = o.select(is_p, s.stretch(other, whole), v);
            (o.select(s.which("EQ", whole, 1, at), s.stretch(own, whole), moved), own)
        };
        let ((swapped, top), (permutation, _)) = (exchanged(carried[0], j), exchanged(carried[2], j));
        let pivot = s.cut(top, None, Some(j), one);
        let is_zero = o.compare("EQ", pivot, o.float(pivot, 0.0));
        let divisor = o.select(is_zero, o.float(pivot, 1.0), pivot);
        let factors = o.div(s.cut(swapped, None, Some(j), column), s.stretch(divisor, column));
        let factors = s.stretch(factors, whole);
        let rest = o.sub(swapped, o.mul(factors, s.stretch(s.cut(top, None, None, row), whole)));
        let (below, right) = (s.which("GT", whole, 1, j), s.which("GT", whole, 2, j));
        let here = o.and(below, s.which("EQ", whole, 2, j));
        let packed = o.select(here, factors, o.select(o.and(below, right), rest, swapped));
        let slots = s.sizes(Some(steps), None);
        let pivots = o.select(s.which("EQ", slots, 1, j), s.stretch(p, slots), carried[1]);
        let failed = o.and(is_zero, o.compare("EQ", carried[3], o.int(carried[3], 0)));
        let number = s.stretch(o.add(j, o.index(1)), one);
        vec![packed, pivots, permutation, o.select(failed, number, carried[3])]
    });
    let list = |v: ValueId, sizes: &[Dim]| o.with(|rw| rw.reshape(v, sizes));
    Lu {
        packed: made[0],
        pivots: list(made[1], &[s.batch, steps]),
        permutation: list(made[2], &[s.batch, m]),
        info: list(made[3], &[s.batch]),
    }
}

//! Cholesky factors: `A = L·Lᴴ` of `[B, N, N]`.
//!
//! Up to [`super::LEAF`] rows a loop makes one column a step from those before it: with s = `A[:, j] − L·L[j, :]ᴴ` the
//! column is `√s[j]` on the diagonal and s / `√s[j]` below. More rows: L₁₁ from A₁₁, then L₂₁·L₁₁ᴴ = A₂₁, then L₂₂ from
//! A₂₂ − L₂₁·L₂₁ᴴ. Only the lower triangle of A is read, and only real parts of its diagonal.
//!
//! Worked example: [[4, ·], [2, 10]]: √4 = 2, 2 / 2 = 1; then s = 10 − 1·1 = 9, √9 = 3: L = [[2, 0], [1, 3]].

use fornax_graph::{OpKind, ValueId};

use super::triangular::{Given, Transpose, solve_given};
use super::{LEAF, half, positions};
use crate::simplify::ops::Ops;

/// L, zero above the diagonal, and `[B] i32`: 0, or 1 + the first row whose pivot is not positive.
pub fn factor(o: &Ops, a: ValueId) -> (ValueId, ValueId) {
    let l = lower(o, a);
    (l, first_failure(o, l))
}

fn lower(o: &Ops, a: ValueId) -> ValueId {
    let shape = o.shape(a);
    let n = shape[1];
    if shape.iter().product::<i64>() == 0 {
        return a;
    }
    if n <= LEAF {
        return by_columns(o, a);
    }
    let h = half(n);
    let (left, right) = (o.part(a, 2, 0, h), o.part(a, 2, h, n));
    let first = lower(o, o.part(left, 1, 0, h));
    let given = Given { left: false, lower: true, unit: false, transpose: Transpose::Adjoint };
    let below = solve_given(o, first, o.part(left, 1, h, n), given);
    let rest = o.sub(o.part(right, 1, h, n), o.matmul(below, o.adjoint(below)));
    let second = lower(o, rest);
    let above = o.float(o.part(right, 1, 0, h), 0.0);
    o.concatenate(&[o.concatenate(&[first, above], 2), o.concatenate(&[below, second], 2)], 1)
}

fn by_columns(o: &Ops, a: ValueId) -> ValueId {
    let (batch, n) = (o.shape(a)[0], o.shape(a)[1]);
    let column = [batch, n, 1];
    let made = o.counted(n, &[o.float(a, 0.0)], |o, j, carried| {
        let zero = o.index(0);
        let row = o.slice_at(carried[0], &[zero, j, zero], &[batch, 1, n]);
        let known = o.matmul(carried[0], o.adjoint(row));
        let s = o.sub(o.slice_at(a, &[zero, zero, j], &column), known);
        let pivot = o.real(o.slice_at(s, &[zero, j, zero], &[batch, 1, 1]));
        let pivot = o.sqrt(pivot);
        let root = o.number(pivot, None, o.element(a));
        let root = o.spread(root, &column);
        let (at, j_all) = (o.iota(&column, 1), o.spread(o.broadcast(j, &[], &[1, 1, 1]), &column));
        let diagonal = o.select(o.compare("EQ", at, j_all), root, o.float(root, 0.0));
        let made = o.select(o.compare("GT", at, j_all), o.div(s, root), diagonal);
        vec![o.put_at(carried[0], made, &[zero, zero, j])]
    });
    made[0]
}

/// A pivot that is not positive leaves a root that is 0 or NaN.
fn first_failure(o: &Ops, l: ValueId) -> ValueId {
    let shape = o.shape(l);
    let (row, column) = positions(o, &shape);
    let real = o.real(l);
    let bad = o.unary(OpKind::Not, o.compare("GT", real, o.float(real, 0.0)));
    let bad = o.and(bad, o.compare("EQ", row, column));
    let none = o.int(row, i64::from(i32::MAX));
    let numbered = o.select(bad, o.add(row, o.int(row, 1)), none);
    let first = o.reduce(OpKind::Minimum, numbered, o.index(i64::from(i32::MAX)), &[1, 2]);
    o.select(o.compare("EQ", first, o.int(first, i64::from(i32::MAX))), o.int(first, 0), first)
}

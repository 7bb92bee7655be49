//! Systems with a triangular matrix, by substitution.
//!
//! Input `[B, N, N]·X = [B, N, M]`. Up to [`super::LEAF`] rows: a loop takes one row a step, `x[i] = (b[i] − Σ a[i,
//! j]·x[j]) / a[i, i]`, the sum being a product of a row with all that is known (rows to come are zero). More rows:
//! with A = [[A₁₁, 0], [A₂₁, A₂₂]] solve A₁₁·X₁ = B₁, then A₂₂·X₂ = B₂ − A₂₁·X₁. The other triangle is never read, nor
//! the diagonal where it is taken as 1.
//!
//! Worked example: [[2, ·], [1, 4]]·x = [2, 9]: x₀ = 2 / 2 = 1, x₁ = (9 − 1·1) / 4 = 2.

use fornax_graph::ValueId;

use super::{LEAF, half, positions};
use crate::simplify::ops::Ops;

/// What is done to A first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transpose {
    No,
    Plain,
    Adjoint,
}

/// `op(A)·X = B` where `left`, else `X·op(A) = B`.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    pub left: bool,
    pub lower: bool,
    pub unit: bool,
    pub transpose: Transpose,
}

/// A lower or upper matrix on the left of X.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub lower: bool,
    pub unit: bool,
}

/// Any side, any transpose: `X·M = B` is `Mᵀ·Xᵀ = Bᵀ`.
pub fn solve_given(o: &Ops, a: ValueId, b: ValueId, given: Given) -> ValueId {
    let turn = given.left != (given.transpose == Transpose::No);
    let a = if turn { o.transposed(a) } else { a };
    let a = if given.transpose == Transpose::Adjoint { o.conj(a) } else { a };
    let form = Form { lower: given.lower != turn, unit: given.unit };
    if given.left {
        return solve(o, a, b, form);
    }
    let b = o.transposed(b);
    let x = solve(o, a, b, form);
    o.transposed(x)
}

/// X of `A·X = B`.
pub fn solve(o: &Ops, a: ValueId, b: ValueId, form: Form) -> ValueId {
    let (n, elements) = (o.shape(a)[1], o.shape(b).iter().product::<i64>());
    if elements == 0 {
        return b;
    }
    if n <= LEAF {
        return substitute(o, a, b, form);
    }
    let h = half(n);
    let block = |rows: (i64, i64), columns: (i64, i64)| o.part(o.part(a, 1, rows.0, rows.1), 2, columns.0, columns.1);
    let (first, second) = (block((0, h), (0, h)), block((h, n), (h, n)));
    let (top, bottom) = (o.part(b, 1, 0, h), o.part(b, 1, h, n));
    let (top, bottom) = if form.lower {
        let top = solve(o, first, top, form);
        let known = o.matmul(block((h, n), (0, h)), top);
        (top, solve(o, second, o.sub(bottom, known), form))
    } else {
        let bottom = solve(o, second, bottom, form);
        let known = o.matmul(block((0, h), (h, n)), bottom);
        (solve(o, first, o.sub(top, known), form), bottom)
    };
    o.concatenate(&[top, bottom], 1)
}

/// One row a step.
fn substitute(o: &Ops, a: ValueId, b: ValueId, form: Form) -> ValueId {
    let (square, sizes) = (o.shape(a), o.shape(b));
    let (batch, n, m) = (sizes[0], sizes[1], sizes[2]);
    if n == 1 {
        return if form.unit { b } else { o.div(b, o.spread(a, &sizes)) };
    }
    let (row, column) = positions(o, &square);
    let strict = o.compare(if form.lower { "GT" } else { "LT" }, row, column);
    let strict = o.select(strict, a, o.float(a, 0.0));
    let solved = o.counted(n, &[o.float(b, 0.0)], |o, i, carried| {
        let i = if form.lower { i } else { o.sub(o.index(n - 1), i) };
        let zero = o.index(0);
        let known = o.matmul(o.slice_at(strict, &[zero, i, zero], &[batch, 1, n]), carried[0]);
        let mut x = o.sub(o.slice_at(b, &[zero, i, zero], &[batch, 1, m]), known);
        if !form.unit {
            x = o.div(x, o.spread(o.slice_at(a, &[zero, i, i], &[batch, 1, 1]), &[batch, 1, m]));
        }
        vec![o.put_at(carried[0], x, &[zero, i, zero])]
    });
    solved[0]
}

//! LU factors with partial pivoting: `P·A = L·U` of `[B, M, N]`, L and U in one matrix as LAPACK packs them.
//!
//! Up to [`super::LEAF`] columns a loop takes one a step: the row with the largest |re| + |im| of what is left comes
//! up, the column is divided by the pivot (unless that is 0), and the rest loses column times row. More columns: the
//! left half first, then U₁₂ = L₁₁⁻¹·A₁₂, then A₂₂ − L₂₁·U₁₂, whose row exchanges the left half follows.
//!
//! Worked example: [[1, 2], [4, 6]]: pivot row 1; l = 1/4; U₂₂ = 2 − 6/4 = 1/2: [[4, 6], [1/4, 1/2]], pivots [1, 1].

use fornax_graph::{Dim, ElementType, ValueId};
use fornax_reference::Scalar;

use super::triangular::{Form, solve};
use super::{LEAF, half, positions};
use crate::simplify::ops::Ops;

/// A factorisation.
pub struct Lu {
    /// L below the diagonal, U on and above.
    pub packed: ValueId,
    /// `[B, min(M, N)] i32`: the row, from 0, that row j was exchanged with in step j.
    pub pivots: ValueId,
    /// `[B, M] i32`: the row of A that row i is.
    pub permutation: ValueId,
    /// `[B] i32`: 0, or 1 + the first step whose pivot is 0.
    pub info: ValueId,
}

pub fn factor(o: &Ops, a: ValueId) -> Lu {
    let shape = o.shape(a);
    let (m, n) = (shape[1], shape[2]);
    if m.min(n) > LEAF {
        return by_halves(o, a, half(m.min(n)));
    }
    if n > m && m > 0 {
        // U is wider than the square part, which alone decides the pivots.
        let left = factor(o, o.part(a, 2, 0, m));
        let right = o.rows(o.part(a, 2, m, n), left.permutation);
        let right = solve(o, left.packed, right, Form { lower: true, unit: true });
        return Lu { packed: o.concatenate(&[left.packed, right], 2), ..left };
    }
    by_columns(o, a)
}

fn by_halves(o: &Ops, a: ValueId, h: i64) -> Lu {
    let shape = o.shape(a);
    let (batch, m, n) = (shape[0], shape[1], shape[2]);
    let left = factor(o, o.part(a, 2, 0, h));
    let right = o.rows(o.part(a, 2, h, n), left.permutation);
    let first = o.part(left.packed, 1, 0, h);
    let above = solve(o, first, o.part(right, 1, 0, h), Form { lower: true, unit: true });
    let below = o.part(left.packed, 1, h, m);
    let rest = factor(o, o.sub(o.part(right, 1, h, m), o.matmul(below, above)));
    let below = o.rows(below, rest.permutation);
    let top = o.concatenate(&[first, above], 2);
    let packed = o.concatenate(&[top, o.concatenate(&[below, rest.packed], 2)], 1);
    let pivots = o.concatenate(&[left.pivots, o.add(rest.pivots, o.int(rest.pivots, h))], 1);
    let moved = o.reshape(o.part(left.permutation, 1, h, m), &[batch, m - h, 1]);
    let moved = o.reshape(o.rows(moved, rest.permutation), &[batch, m - h]);
    let permutation = o.concatenate(&[o.part(left.permutation, 1, 0, h), moved], 1);
    let later =
        o.select(o.compare("EQ", rest.info, o.int(rest.info, 0)), rest.info, o.add(rest.info, o.int(rest.info, h)));
    let info = o.select(o.compare("EQ", left.info, o.int(left.info, 0)), later, left.info);
    Lu { packed, pivots, permutation, info }
}

fn by_columns(o: &Ops, a: ValueId) -> Lu {
    let shape = o.shape(a);
    let (batch, m, k) = (shape[0], shape[1], shape[1].min(shape[2]));
    let pivots = o.splat(&[batch, k], ElementType::I32, Scalar::Int(0));
    let info = o.splat(&[batch], ElementType::I32, Scalar::Int(0));
    let permutation = o.iota(&[batch, m, 1], 1);
    if shape.iter().product::<i64>() == 0 {
        return Lu { packed: a, pivots, permutation: o.reshape(permutation, &[batch, m]), info };
    }
    let carried = o.counted(k, &[a, pivots, permutation, info], |o, j, carried| {
        let (zero, j_all) = (o.index(0), |shape: &[i64]| o.broadcast(j, &[], shape));
        // The pivot's row.
        let column = o.slice_at(carried[0], &[zero, zero, j], &[batch, m, 1]);
        let sizes = o.reshape(o.size(column), &[batch, m]);
        let done = o.compare("LT", o.iota(&[batch, m], 1), j_all(&[batch, m]));
        let pivot = o.argmax(o.select(done, o.float(sizes, -1.0), sizes));
        let at = o.iota(&[batch, k], 1);
        let pivots =
            o.select(o.compare("EQ", at, j_all(&[batch, k])), o.broadcast(pivot, &[0], &[batch, k]), carried[1]);
        let swapped = swap(o, carried[0], j, pivot);
        let permutation = swap(o, carried[2], j, pivot);
        let top = o.slice_at(swapped, &[zero, j, j], &[batch, 1, 1]);
        let is_zero = o.compare("EQ", top, o.float(top, 0.0));
        let one = o.float(top, 1.0);
        let divisor = o.spread(o.select(is_zero, one, top), &[batch, m, 1]);
        let factors = o.div(o.slice_at(swapped, &[zero, zero, j], &[batch, m, 1]), divisor);
        let row = o.slice_at(swapped, &[zero, j, zero], &[batch, 1, shape[2]]);
        let product = o.mul(o.spread(factors, &shape), o.spread(row, &shape));
        let (r, c) = positions(o, &shape);
        let (below, right) = (o.compare("GT", r, j_all(&shape)), o.compare("GT", c, j_all(&shape)));
        let here = o.and(below, o.compare("EQ", c, j_all(&shape)));
        let rest = o.select(o.and(below, right), o.sub(swapped, product), swapped);
        let made = o.select(here, o.spread(factors, &shape), rest);
        let failed = o.and(o.reshape(is_zero, &[batch]), o.compare("EQ", carried[3], o.int(carried[3], 0)));
        let number = o.broadcast(o.add(j, o.index(1)), &[], &[batch]);
        vec![made, pivots, permutation, o.select(failed, number, carried[3])]
    });
    Lu { packed: carried[0], pivots: carried[1], permutation: o.reshape(carried[2], &[batch, m]), info: carried[3] }
}

/// Rows j (rank 0) and p (`[B]`) of `[B, M, N]` exchanged.
pub fn swap(o: &Ops, a: ValueId, j: ValueId, p: ValueId) -> ValueId {
    let shape = o.shape(a);
    let (batch, n) = (shape[0], shape[2]);
    let upper = o.spread(o.slice_at(a, &[o.index(0), j, o.index(0)], &[batch, 1, n]), &shape);
    let lower = o.spread(o.rows(a, o.reshape(p, &[batch, 1])), &shape);
    let row = o.iota(&shape, 1);
    let is_p = o.compare("EQ", row, o.broadcast(p, &[0], &shape));
    let is_j = o.compare("EQ", row, o.broadcast(j, &[], &shape));
    o.select(is_j, lower, o.select(is_p, upper, a))
}

/// The permutation `[B, M]` that row exchanges `[B, K]`, from 0, make.
pub fn permutation(o: &Ops, pivots: ValueId, m: i64) -> ValueId {
    let (batch, k) = (o.shape(pivots)[0], o.shape(pivots)[1]);
    let start = o.iota(&[batch, m, 1], 1);
    if batch * m == 0 {
        return o.reshape(start, &[batch, m]);
    }
    let carried = o.counted(k, &[start], |o, j, carried| {
        let pivot = o.slice_at(pivots, &[o.index(0), j], &[batch, 1]);
        vec![swap(o, carried[0], j, o.reshape(pivot, &[batch]))]
    });
    o.reshape(carried[0], &[batch, m])
}

/// [`permutation`] of `[…, K]` pivots in the sizes `[…, M]`, any of which may be known only at run time.
pub fn permutation_to(o: &Ops, pivots: ValueId, sizes: &[Dim]) -> ValueId {
    let given = o.sizes(pivots);
    let last = given.len().saturating_sub(1);
    let (at, start) = (o.iota_to(sizes, last), o.iota_to(sizes, last));
    let mut one = sizes.to_vec();
    one[last] = Dim::Static(1);
    let carried = o.counted_to(given[last], &[start], |o, j, carried| {
        let whole = carried[0];
        let places: Vec<ValueId> = (0..=last).map(|d| if d == last { j } else { o.index(0) }).collect();
        let entry = |v: ValueId| o.spread_to(o.slice_at_to(v, &places, &one), sizes);
        let (pivot, own) = (entry(pivots), entry(whole));
        let is_pivot = o.compare("EQ", at, pivot);
        let other = o.sum_keep(o.select(is_pivot, whole, o.int(whole, 0)), last);
        let moved = o.select(is_pivot, own, whole);
        let here = o.compare("EQ", at, o.broadcast_to(j, &[], sizes));
        vec![o.select(here, o.spread_to(other, sizes), moved)]
    });
    carried[0]
}

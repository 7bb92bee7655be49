//! Householder reflections: QR factors, with and without column pivoting, products of reflections, Hessenberg and
//! tridiagonal forms. Layouts and signs are LAPACK's: `H = I − τ·v·vᴴ`, `v[j]` = 1, the rest of v below the diagonal.
//!
//! One reflection a step of a counted loop. With x the column below position j and α its head, β = −sign(re α)·‖(α,
//! x)‖, τ = (β − α) / β, v = x / (α − β); a column that is zero below a real head has τ = 0. Norms are taken of numbers
//! scaled by the largest, so they do not overflow. QR factors and products of reflections take matrices whose sides are
//! sizes of run time too.
//!
//! Worked example, column [3, 4]: β = −5, τ = 8/5, v = [1, 1/2]: (I − τ·v·vᵀ)·[3, 4] = [−5, 0].

use fornax_graph::{Dim, ElementType, OpKind, ValueId};
use fornax_reference::Scalar;

use super::{positions, positions_to};
use crate::simplify::ops::Ops;

const ONE: Dim = Dim::Static(1);

/// A reflection that clears a column below its head.
pub struct Reflection {
    /// `[B, M, 1]`: 0 above the head, 1 there.
    pub v: ValueId,
    /// `[B, 1, 1]`
    pub tau: ValueId,
    /// `[B, 1, 1]`, real valued, in the column's type: what the head becomes.
    pub beta: ValueId,
}

/// The reflection of `column: [B, M, 1]` whose head is at `head` (rank 0).
pub fn reflect(o: &Ops, column: ValueId, head: ValueId) -> Reflection {
    let shape = o.sizes(column);
    let (batch, element) = (shape[0], o.element(column));
    let one = [batch, ONE, ONE];
    let (at, head_all) = (o.iota_to(&shape, 1), o.broadcast_to(head, &[], &shape));
    let below = o.compare("GT", at, head_all);
    let zero = o.float(column, 0.0);
    let x = o.select(below, column, zero);
    let alpha = o.slice_at_to(column, &[o.index(0), head, o.index(0)], &one);
    let (re, im) = (o.real(alpha), o.imag(alpha));
    let sizes = o.select(o.compare("GE", at, head_all), o.size(column), o.real(zero));
    let part = o.element(re);
    let largest = o.reduce(OpKind::Maximum, sizes, o.splat(&[], part, Scalar::Float(0.0)), &[1]);
    let largest = o.reshape_to(largest, &one);
    let real_zero = o.float(re, 0.0);
    let scale = o.select(o.compare("GT", largest, real_zero), largest, o.float(re, 1.0));
    let scaled = |v: ValueId, shape: &[Dim]| o.div(v, o.spread_to(scale, shape));
    let by = |z: ValueId| {
        let re = scaled(o.real(z), &o.sizes(z));
        let im = o.is_complex(z).then(|| scaled(o.imag(z), &o.sizes(z)));
        o.number(re, im, element)
    };
    let tail = o.sum_keep(o.square(by(x)), 1);
    let norm = o.mul(scale, o.sqrt(o.add(tail, o.square(by(alpha)))));
    let nothing = o.and(o.compare("EQ", tail, real_zero), o.compare("EQ", im, real_zero));
    let beta = o.select(o.compare("GE", re, real_zero), o.neg(norm), norm);
    let beta = o.select(nothing, re, beta);
    let divisor = o.select(nothing, o.float(beta, 1.0), beta);
    let tau_re = o.select(nothing, real_zero, o.div(o.sub(beta, re), divisor));
    let tau_im = o.is_complex(column).then(|| o.select(nothing, real_zero, o.div(o.neg(im), divisor)));
    let tau = o.number(tau_re, tau_im, element);
    let beta = o.number(beta, None, element);
    let gap = o.select(nothing, o.float(alpha, 1.0), o.sub(alpha, beta));
    let v = o.div(x, o.spread_to(gap, &shape));
    let v = o.select(o.compare("EQ", at, head_all), o.float(v, 1.0), v);
    Reflection { v, tau, beta }
}

/// `A − v·(factor·(vᴴ·A))`: the reflection from the left, `factor: [B, 1, 1]` being τ or its conjugate.
pub fn from_left(o: &Ops, a: ValueId, v: ValueId, factor: ValueId) -> ValueId {
    let shape = o.sizes(a);
    let row = o.matmul(o.adjoint(v), a);
    let row = o.mul(row, o.spread_to(factor, &[shape[0], ONE, shape[2]]));
    o.sub(a, o.mul(o.spread_to(v, &shape), o.spread_to(row, &shape)))
}

/// `A − (A·v)·factor·vᴴ`: from the right.
pub fn from_right(o: &Ops, a: ValueId, v: ValueId, factor: ValueId) -> ValueId {
    let shape = o.sizes(a);
    let column = o.matmul(a, v);
    let column = o.mul(column, o.spread_to(factor, &[shape[0], shape[1], ONE]));
    o.sub(a, o.mul(o.spread_to(column, &shape), o.spread_to(o.adjoint(v), &shape)))
}

/// `value: [B, 1, 1]` put at position j of `[B, K]`.
fn set_entry(o: &Ops, list: ValueId, j: ValueId, value: ValueId) -> ValueId {
    let batch = o.sizes(list)[0];
    o.put_at(list, o.reshape_to(value, &[batch, ONE]), &[o.index(0), j])
}

/// R on and above the diagonal, reflections below, τ `[B, min(M, N)]`.
pub struct Qr {
    pub packed: ValueId,
    pub tau: ValueId,
    /// `[B, N] i32`: the column of A that column j is, from 0; in order without pivoting.
    pub columns: ValueId,
}

/// QR factors; where `pivoted`, the column with the largest rest comes next.
pub fn qr(o: &Ops, a: ValueId, pivoted: bool) -> Qr {
    let shape = o.sizes(a);
    let (batch, m, n) = (shape[0], shape[1], shape[2]);
    let k = o.least(m, n);
    let tau = o.splat_to(&[batch, k], o.element(a), Scalar::Float(0.0));
    let order = o.iota_to(&[batch, n], 1);
    if shape.contains(&Dim::Static(0)) {
        return Qr { packed: a, tau, columns: order };
    }
    let start = if pivoted { vec![a, tau, order] } else { vec![a, tau] };
    let carried = o.counted_to(k, &start, |o, j, carried| {
        let (mut a, mut next) = (carried[0], Vec::new());
        if pivoted {
            let pivot = largest_column(o, a, j);
            let order = o.reshape_to(carried[2], &[batch, n, ONE]);
            next.push(o.reshape_to(super::lu::swap(o, order, j, pivot), &[batch, n]));
            a = o.transposed(super::lu::swap(o, o.transposed(a), j, pivot));
        }
        let zero = o.index(0);
        let made = reflect(o, o.slice_at_to(a, &[zero, zero, j], &[batch, m, ONE]), j);
        let applied = from_left(o, a, made.v, o.conj(made.tau));
        let (r, c) = positions_to(o, &shape);
        let (j_all, v) = (o.broadcast_to(j, &[], &shape), o.spread_to(made.v, &shape));
        let head = o.select(o.compare("EQ", r, j_all), o.spread_to(made.beta, &shape), a);
        let own = o.select(o.compare("GT", r, j_all), v, head);
        let kept = o.select(o.compare("EQ", c, j_all), own, a);
        let packed = o.select(o.compare("GT", c, j_all), applied, kept);
        [vec![packed, set_entry(o, carried[1], j, made.tau)], next].concat()
    });
    Qr { packed: carried[0], tau: carried[1], columns: carried.get(2).copied().unwrap_or(order) }
}

/// Number of the column, from j on, whose part from row j on is largest: `[B] i32`.
fn largest_column(o: &Ops, a: ValueId, j: ValueId) -> ValueId {
    let shape = o.shape(a);
    let (batch, n) = (shape[0], shape[2]);
    let (r, _) = positions(o, &shape);
    let sizes = o.size(a);
    let top = o.reduce(OpKind::Maximum, sizes, o.splat(&[], o.element(sizes), Scalar::Float(0.0)), &[1, 2]);
    let top = o.select(o.compare("GT", top, o.float(top, 0.0)), top, o.float(top, 1.0));
    let rest = o.compare("GE", r, o.broadcast(j, &[], &shape));
    let scaled = o.scale(a, o.div(o.float(sizes, 1.0), o.broadcast(top, &[0], &shape)));
    let squares = o.square(scaled);
    let norms = o.sum(o.select(rest, squares, o.float(squares, 0.0)), &[1]);
    let later = o.compare("GE", o.iota(&[batch, n], 1), o.broadcast(j, &[], &[batch, n]));
    o.argmax(o.select(later, norms, o.float(norms, -1.0)))
}

/// The first `columns` columns of `H₀·H₁·…`, reflections below the diagonal of `packed: [B, M, ≥K]`, τ `[B, K]`.
pub fn product(o: &Ops, packed: ValueId, tau: ValueId, columns: impl Into<Dim>) -> ValueId {
    let shape = o.sizes(packed);
    let (batch, m, k, columns) = (shape[0], shape[1], o.sizes(tau)[1], columns.into());
    let start = identity_to(o, &[batch, m, columns], o.element(packed));
    if [batch, m, columns, k].contains(&Dim::Static(0)) {
        return start;
    }
    let last = match k {
        Dim::Static(_) => None,
        size => Some(o.sub(o.size_of(size), o.index(1))),
    };
    let carried = o.counted_to(k, &[start], |o, i, carried| {
        let last = last.unwrap_or_else(|| o.index(k.as_static().unwrap_or(1) - 1));
        let j = o.sub(last, i);
        let v = stored(o, packed, j, j);
        let tau = o.reshape_to(o.slice_at_to(tau, &[o.index(0), j], &[batch, ONE]), &[batch, ONE, ONE]);
        vec![from_left(o, carried[0], v, tau)]
    });
    carried[0]
}

/// Column j of `packed` as a reflection whose head is at `head`.
fn stored(o: &Ops, packed: ValueId, j: ValueId, head: ValueId) -> ValueId {
    let sizes = o.sizes(packed);
    let column = [sizes[0], sizes[1], ONE];
    let v = o.slice_at_to(packed, &[o.index(0), o.index(0), j], &column);
    let (at, head) = (o.iota_to(&column, 1), o.broadcast_to(head, &[], &column));
    let v = o.select(o.compare("GT", at, head), v, o.float(v, 0.0));
    o.select(o.compare("EQ", at, head), o.float(v, 1.0), v)
}

/// Ones on the diagonal.
pub fn identity(o: &Ops, shape: &[i64], element: ElementType) -> ValueId {
    identity_to(o, &shape.iter().map(|&size| Dim::Static(size)).collect::<Vec<_>>(), element)
}

pub fn identity_to(o: &Ops, sizes: &[Dim], element: ElementType) -> ValueId {
    let (r, c) = positions_to(o, sizes);
    let zero = o.splat_to(sizes, element, Scalar::Float(0.0));
    o.select(o.compare("EQ", r, c), o.float(zero, 1.0), zero)
}

/// `Qᴴ·A·Q` with zeros below the first subdiagonal; there, reflections; τ `[B, N − 1]`. Rows and columns from `low` to
/// `high − 1` alone are reduced.
pub fn hessenberg(o: &Ops, a: ValueId, low: i64, high: i64) -> (ValueId, ValueId) {
    let shape = o.shape(a);
    let (batch, n) = (shape[0], shape[1]);
    let tau = o.splat(&[batch, (n - 1).max(0)], o.element(a), Scalar::Float(0.0));
    if batch == 0 || high - low < 2 {
        return (a, tau);
    }
    let carried = o.counted(high - low - 1, &[a, tau], |o, i, carried| {
        let (zero, j) = (o.index(0), o.add(i, o.index(low)));
        let head = o.add(j, o.index(1));
        let a = carried[0];
        let column = o.slice_at(a, &[zero, zero, j], &[batch, n, 1]);
        let (at, end) = (o.iota(&[batch, n, 1], 1), o.index(high));
        let inside = o.compare("LT", at, o.broadcast(end, &[], &[batch, n, 1]));
        let made = reflect(o, o.select(inside, column, o.float(column, 0.0)), head);
        let (r, c) = positions(o, &shape);
        let (j_all, head_all) = (o.broadcast(j, &[], &shape), o.broadcast(head, &[], &shape));
        let right = o.compare("GT", c, j_all);
        // Reflections lie in the columns before: they stay.
        let clean = o.select(right, a, o.float(a, 0.0));
        let both = from_left(o, from_right(o, clean, made.v, made.tau), made.v, o.conj(made.tau));
        let below = o.and(o.compare("GT", r, head_all), o.compare("LT", r, o.broadcast(end, &[], &shape)));
        let own = o.select(below, o.spread(made.v, &shape), a);
        let own = o.select(o.compare("EQ", r, head_all), o.spread(made.beta, &shape), own);
        let kept = o.select(o.compare("EQ", c, j_all), own, a);
        vec![o.select(right, both, kept), set_entry(o, carried[1], j, made.tau)]
    });
    (carried[0], carried[1])
}

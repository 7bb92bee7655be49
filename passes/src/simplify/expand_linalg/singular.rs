//! Singular values and vectors by one-sided Jacobi rotations: `A = U·Σ·Vᴴ` of `[B, M, N]`.
//!
//! A wide matrix is transposed; a tall one becomes its square R of a QR factorisation first. Rotations from the right
//! make the columns of G = R·V orthogonal, in rounds of a tournament as in [`jacobi`](super::jacobi): the pair (x, y)
//! has the Hermitian matrix [[xᴴx, xᴴy], [yᴴx, yᴴy]], whose rotation it takes. V is made orthonormal again, and Σ are
//! the lengths of the columns of R·V. U comes from a QR factorisation of the columns in descending order, which is
//! diagonal up to signs: so U is orthogonal to rounding and complete where Σ has zeros.
//!
//! Worked example: [[3, 0], [4, 0]]: already orthogonal; lengths 5 and 0; U = [[0.6, −0.8], [0.8, 0.6]].

use fornax_graph::{ElementType, OpKind, ValueId};
use fornax_reference::Scalar;

use super::householder::{identity, product, qr};
use super::jacobi::{Rotation, SWEEPS, epsilon, orthonormal, poisoned, rotation, scaled, sorted, turn_columns};
use super::positions;
use crate::simplify::ops::Ops;

/// `A = U·Σ·Vᴴ`.
pub struct Svd {
    /// `[B, M, M]` where `full`, else `[B, M, min(M, N)]`.
    pub u: ValueId,
    /// `[B, min(M, N)]`, descending.
    pub values: ValueId,
    /// `[B, N, N]` where `full`, else `[B, N, min(M, N)]`.
    pub v: ValueId,
}

pub fn svd(o: &Ops, a: ValueId, full: bool) -> Svd {
    let shape = o.shape(a);
    let (batch, m, n) = (shape[0], shape[1], shape[2]);
    if m < n {
        let transposed = svd(o, o.adjoint(a), full);
        return Svd { u: transposed.v, values: transposed.values, v: transposed.u };
    }
    let element = o.element(a);
    if batch * n == 0 {
        let values = o.splat(&[batch, n], element.complex_part(), Scalar::Float(0.0));
        let u = identity(o, &[batch, m, if full { m } else { n }], element);
        return Svd { u, values, v: identity(o, &[batch, n, n], element) };
    }
    let (a, scale, poison) = scaled(o, a);
    let (square, left) = if m == n {
        (a, None)
    } else {
        let factors = qr(o, a, false);
        let r = o.part(factors.packed, 1, 0, n);
        let (row, column) = positions(o, &o.shape(r));
        let r = o.select(o.compare("LE", row, column), r, o.float(r, 0.0));
        (r, Some(product(o, factors.packed, factors.tau, if full { m } else { n })))
    };
    let v = orthonormal(o, rotations(o, square));
    let g = o.matmul(square, v);
    let squares = o.square(g);
    let lengths = o.sqrt(o.sum(squares, &[1]));
    let (values, v) = {
        let both = o.concatenate(&[g, v], 1);
        sorted(o, lengths, both, "GT")
    };
    let (g, v) = (o.part(v, 1, 0, n), o.part(v, 1, n, 2 * n));
    let u = unit_columns(o, g);
    let u = match left {
        None => u,
        Some(q) => {
            let own = o.matmul(o.part(q, 2, 0, n), u);
            if full { o.concatenate(&[own, o.part(q, 2, n, m)], 2) } else { own }
        }
    };
    let values = o.mul(values, o.broadcast(scale, &[0], &[batch, n]));
    Svd { u: poisoned(o, u, poison), values: poisoned(o, values, poison), v: poisoned(o, v, poison) }
}

/// Orthogonal columns of descending length as unit ones.
fn unit_columns(o: &Ops, g: ValueId) -> ValueId {
    let shape = o.shape(g);
    let factors = qr(o, g, false);
    let q = product(o, factors.packed, factors.tau, shape[2]);
    let (row, column) = positions(o, &shape);
    let real = o.real(factors.packed);
    let own = o.select(o.compare("EQ", row, column), real, o.float(real, 0.0));
    let heads = o.sum_keep(own, 1);
    let one = o.float(heads, 1.0);
    let signs = o.select(o.compare("LT", heads, o.float(heads, 0.0)), o.neg(one), one);
    o.scale(q, o.spread(signs, &shape))
}

/// V with orthogonal columns in A·V; A square.
fn rotations(o: &Ops, a: ValueId) -> ValueId {
    let shape = o.shape(a);
    let (batch, n, element) = (shape[0], shape[1], o.element(a));
    let v = identity(o, &shape, element);
    if n == 1 {
        return v;
    }
    let even = n + n % 2;
    let both = o.concatenate(&[a, v], 1);
    let fill = o.splat(&[], element, Scalar::Float(0.0));
    let both = if even == n { both } else { o.pad(both, fill, [&[0; 3], &[0, 0, 1], &[0; 3]]) };
    let tolerance = epsilon(element) * (n as f64).sqrt().max(8.0);
    let part = element.complex_part();
    let worst = o.splat(&[], part, Scalar::Float(f64::INFINITY));
    let carried = o.repeat_while(
        &[o.index(0), both, worst],
        |o, carried| {
            let more = o.compare("LT", carried[0], o.index(SWEEPS));
            o.and(more, o.compare("GT", carried[2], o.float(carried[2], tolerance)))
        },
        |o, carried| {
            let none = o.splat(&[], part, Scalar::Float(0.0));
            let each = o.splat(&[batch], part, Scalar::Float(0.0));
            let made = o.counted(even - 1, &[carried[1], each], |o, _, carried| {
                let (by, worst) = measured(o, o.part(carried[0], 1, 0, n), tolerance);
                vec![turn_columns(o, carried[0], &by), o.binary(OpKind::Maximum, carried[1], worst)]
            });
            vec![o.add(carried[0], o.index(1)), made[0], o.reduce(OpKind::Maximum, made[1], none, &[0])]
        },
    );
    let whole = o.part(carried[1], 2, 0, n);
    debug_assert_eq!(o.shape(whole), [batch, 2 * n, n]);
    o.part(whole, 1, n, 2 * n)
}

/// The rotations of a round, and the largest cosine between two columns that meet, of each matrix: `[B]`.
fn measured(o: &Ops, g: ValueId, tolerance: f64) -> (Rotation, ValueId) {
    let k = o.shape(g)[2] / 2;
    let (x, y) = (o.part(g, 2, 0, k), o.part(g, 2, k, 2 * k));
    let (p, q) = (o.sum_keep(o.square(x), 1), o.sum_keep(o.square(y), 1));
    let r = o.sum_keep(o.mul(o.conj(x), y), 1);
    let zero = o.float(p, 0.0);
    let lengths = o.mul(o.sqrt(p), o.sqrt(q));
    let some = o.compare("GT", lengths, zero);
    let cosine = o.div(o.size(r), o.select(some, lengths, o.float(p, 1.0)));
    let cosine = o.select(some, cosine, zero);
    let needed = o.compare("GT", cosine, o.float(cosine, tolerance));
    let by = rotation(o, [p, q, r], needed);
    let none = o.splat(&[], ElementType::complex_part(o.element(r)), Scalar::Float(0.0));
    (by, o.reduce(OpKind::Maximum, cosine, none, &[1, 2]))
}

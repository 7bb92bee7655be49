//! Eigenvalues of matrices without symmetry: Hessenberg form, then QR steps with shifts until it is triangular (Schur
//! form), then vectors by substitution. All in `complex<f64>`, one matrix of a batch after the other.
//!
//! A QR step takes the lowest block [lo, hi] that is still coupled, subtracts the eigenvalue σ of its last 2×2 corner
//! that is nearer to the corner, and chases the bulge down by rotations of neighbouring rows and columns. A subdiagonal
//! element goes when it is below rounding of its neighbours. Every tenth step takes another shift. At most [`STEPS`]
//! steps a row. Eigenvalues of a real matrix whose imaginary part is rounding noise become real.
//!
//! Worked example: [[0, 1], [1, 0]]: σ = 1 or −1, one step, T = diag(−1, 1).

use fornax_graph::{ElementType, OpKind, ValueId};
use fornax_reference::Scalar;

use super::householder::{hessenberg, identity, product};
use super::jacobi::{poisoned, scaled};
use super::positions;
use crate::simplify::ops::Ops;

/// Steps a row, at most.
pub const STEPS: i64 = 60;
const C: ElementType = ElementType::ComplexF64;

/// `A = Z·T·Zᴴ`, complex, of `[B, N, N]`.
pub struct Schur {
    pub t: ValueId,
    pub z: ValueId,
    /// `[B]`: 1 where it did not converge.
    pub info: ValueId,
    /// `[B]` f64: NaN where A is not finite, else 0.
    pub poison: ValueId,
}

/// Eigenvalues and vectors as columns.
pub struct Eigen {
    /// `[B, N]` `complex<f64>`.
    pub values: ValueId,
    pub left: ValueId,
    pub right: ValueId,
    pub info: ValueId,
}

pub fn eigen(o: &Ops, a: ValueId, left: bool, right: bool) -> Eigen {
    let is_real = !o.is_complex(a);
    let shape = o.shape(a);
    let (batch, n) = (shape[0], shape[1]);
    let schur = schur(o, a);
    let (r, c) = positions(o, &shape);
    let values = o.sum(o.select(o.compare("EQ", r, c), schur.t, o.float(schur.t, 0.0)), &[1]);
    let unwanted = o.float(schur.t, 0.0);
    let vectors = |wanted: bool, left: bool| if wanted { vectors(o, &schur, values, left) } else { unwanted };
    let (left, right) = (vectors(left, true), vectors(right, false));
    let values = if is_real {
        let (re, im) = (o.real(values), o.imag(values));
        let size = o.size(schur.t);
        let top = o.reduce(OpKind::Maximum, size, o.splat(&[], ElementType::F64, Scalar::Float(0.0)), &[1, 2]);
        let noise = o.mul(top, o.float(top, 100.0 * f64::EPSILON));
        let noise = o.broadcast(noise, &[0], &[batch, n]);
        let quiet = o.compare("LE", o.unary(OpKind::Abs, im), noise);
        o.number(re, Some(o.select(quiet, o.float(im, 0.0), im)), C)
    } else {
        values
    };
    Eigen {
        values: poisoned(o, values, schur.poison),
        left: poisoned(o, left, schur.poison),
        right: poisoned(o, right, schur.poison),
        info: schur.info,
    }
}

pub fn schur(o: &Ops, a: ValueId) -> Schur {
    let a = o.convert(a, C);
    let shape = o.shape(a);
    let (batch, n) = (shape[0], shape[1]);
    let none = o.splat(&[batch], ElementType::I32, Scalar::Int(0));
    let (a, scale, poison) = scaled(o, a);
    let by = o.broadcast(scale, &[0], &shape);
    if batch * n == 0 || n == 1 {
        return Schur { t: o.scale(a, by), z: identity(o, &shape, C), info: none, poison };
    }
    let (packed, tau) = hessenberg(o, a, 0, n);
    let (r, c) = positions(o, &shape);
    let upper = o.compare("LE", r, o.add(c, o.int(c, 1)));
    let h = o.select(upper, packed, o.float(packed, 0.0));
    let inner = product(o, o.part(o.part(packed, 1, 1, n), 2, 0, n - 1), tau, n - 1);
    let zero = o.splat(&[], C, Scalar::Float(0.0));
    let framed = o.pad(inner, zero, [&[0, 1, 1], &[0; 3], &[0; 3]]);
    let corner = o.and(o.compare("EQ", r, o.int(r, 0)), o.compare("EQ", c, o.int(c, 0)));
    let z = o.select(corner, o.float(framed, 1.0), framed);
    let both = o.concatenate(&[h, z], 1);
    let (both, info) = if batch == 1 {
        triangular(o, both)
    } else {
        let one = [1, 2 * n, n];
        let made = o.counted(batch, &[both, none], |o, b, carried| {
            let zero = o.index(0);
            let (made, info) = triangular(o, o.slice_at(carried[0], &[b, zero, zero], &one));
            vec![o.put_at(carried[0], made, &[b, zero, zero]), o.put_at(carried[1], info, &[b])]
        });
        (made[0], made[1])
    };
    let t = o.part(both, 1, 0, n);
    let t = o.select(o.compare("LE", r, c), t, o.float(t, 0.0));
    Schur { t: o.scale(t, by), z: o.part(both, 1, n, 2 * n), info, poison }
}

/// QR steps on `[H; Z]: [1, 2N, N]` until H is triangular; `[1] i32`, 1 where the steps did not do.
fn triangular(o: &Ops, both: ValueId) -> (ValueId, ValueId) {
    let n = o.shape(both)[2];
    let coupled = |o: &Ops, both: ValueId| {
        let h = o.part(both, 1, 0, n);
        let (r, c) = positions(o, &o.shape(h));
        let subdiagonal = o.compare("EQ", r, o.add(c, o.int(c, 1)));
        let live = o.and(subdiagonal, o.compare("NE", h, o.float(h, 0.0)));
        o.reduce(OpKind::Maximum, o.select(live, r, o.int(r, 0)), o.index(0), &[0, 1, 2])
    };
    let start = drop_small(o, both);
    let first = coupled(o, start);
    let carried = o.repeat_while(
        &[o.index(0), first, start],
        |o, v| {
            let more = o.compare("LT", v[0], o.index(STEPS * n));
            o.and(more, o.compare("GT", v[1], o.index(0)))
        },
        |o, v| {
            let (step, hi, both) = (v[0], v[1], v[2]);
            let h = o.part(both, 1, 0, n);
            let (r, c) = positions(o, &o.shape(h));
            let subdiagonal = o.compare("EQ", r, o.add(c, o.int(c, 1)));
            let cut = o.and(subdiagonal, o.compare("EQ", h, o.float(h, 0.0)));
            let cut = o.and(cut, o.compare("LE", r, o.broadcast(hi, &[], &o.shape(r))));
            let lo = o.reduce(OpKind::Maximum, o.select(cut, r, o.int(r, 0)), o.index(0), &[0, 1, 2]);
            let shift = shift(o, h, hi, step);
            let made = o.repeat_while(
                &[lo, both],
                |o, v| o.compare("LT", v[0], hi),
                |o, v| vec![o.add(v[0], o.index(1)), chase(o, v[1], [v[0], lo], shift)],
            );
            let both = drop_small(o, made[1]);
            vec![o.add(step, o.index(1)), coupled(o, both), both]
        },
    );
    let failed = o.convert(o.compare("GT", carried[1], o.index(0)), ElementType::I32);
    (carried[2], o.reshape(failed, &[1]))
}

/// Subdiagonal elements below rounding of their neighbours become zero, what a chase left below them too. Of `[1, M,
/// N]` with H in the first N rows.
pub fn drop_small(o: &Ops, both: ValueId) -> ValueId {
    let (all, n) = (o.shape(both)[1], o.shape(both)[2]);
    let h = o.part(both, 1, 0, n);
    let shape = o.shape(h);
    let (r, c) = positions(o, &shape);
    let sizes = o.size(h);
    let own = o.select(o.compare("EQ", r, c), sizes, o.float(sizes, 0.0));
    let across = o.reshape(o.sum(own, &[1]), &[1, 1, n]);
    let down = o.reshape(o.sum(own, &[2]), &[1, n, 1]);
    let near = o.add(o.spread(across, &shape), o.spread(down, &shape));
    let small = o.compare("LE", sizes, o.mul(near, o.float(near, f64::EPSILON)));
    let tiny = o.compare("LE", sizes, o.float(sizes, f64::MIN_POSITIVE));
    let subdiagonal = o.compare("EQ", r, o.add(c, o.int(c, 1)));
    let below = o.compare("GT", r, o.add(c, o.int(c, 1)));
    let gone = o.or(below, o.and(subdiagonal, o.or(small, tiny)));
    o.concatenate(&[o.select(gone, o.float(h, 0.0), h), o.part(both, 1, n, all)], 1)
}

/// Entry (i, j), i and j rank 0, as `[1, 1, 1]`.
pub fn entry(o: &Ops, a: ValueId, i: ValueId, j: ValueId) -> ValueId {
    o.slice_at(a, &[o.index(0), i, j], &[1, 1, 1])
}

/// The eigenvalue of the corner that ends at hi, the one nearer to its last element; another number every tenth step.
fn shift(o: &Ops, h: ValueId, hi: ValueId, step: ValueId) -> ValueId {
    let before = o.sub(hi, o.index(1));
    let (a, b) = (entry(o, h, before, before), entry(o, h, before, hi));
    let (c, d) = (entry(o, h, hi, before), entry(o, h, hi, hi));
    let half = o.float(a, 0.5);
    let middle = o.mul(o.sub(a, d), half);
    let root = o.sqrt(o.add(o.mul(middle, middle), o.mul(b, c)));
    // The root on the side of `middle`, so that the sum does not cancel.
    let along = o.real(o.mul(o.conj(middle), root));
    let root = o.select(o.compare("LT", along, o.float(along, 0.0)), o.neg(root), root);
    let sum = o.add(middle, root);
    let none = o.compare("EQ", sum, o.float(sum, 0.0));
    let away = o.div(o.mul(b, c), o.select(none, o.float(sum, 1.0), sum));
    let near = o.sub(d, o.select(none, o.float(away, 0.0), away));
    let odd = o.number(o.size(c), None, C);
    let odd = o.add(d, o.mul(odd, o.float(odd, 0.75)));
    let ten = o.index(10);
    let turn = o.compare("EQ", o.binary(OpKind::Remainder, step, ten), o.index(9));
    o.select(o.broadcast(turn, &[], &[1, 1, 1]), odd, near)
}

/// The rotation of rows and columns k, k + 1 of `[H; Z]`.
fn chase(o: &Ops, both: ValueId, [k, lo]: [ValueId; 2], shift: ValueId) -> ValueId {
    let n = o.shape(both)[2];
    let (zero, next) = (o.index(0), o.add(k, o.index(1)));
    let first = o.compare("EQ", k, lo);
    let before = o.select(first, k, o.sub(k, o.index(1)));
    let (x, y) = (entry(o, both, k, before), entry(o, both, next, before));
    let first = o.broadcast(first, &[], &[1, 1, 1]);
    let x = o.select(first, o.sub(x, shift), x);
    let (size_x, size_y) = (magnitude(o, x), magnitude(o, y));
    let large = o.binary(OpKind::Maximum, size_x, size_y);
    let one = o.float(large, 1.0);
    let none = o.compare("EQ", large, o.float(large, 0.0));
    let safe = o.select(none, one, large);
    let (ratio_x, ratio_y) = (o.div(size_x, safe), o.div(size_y, safe));
    let length = o.sqrt(o.add(o.mul(ratio_x, ratio_x), o.mul(ratio_y, ratio_y)));
    let length = o.select(none, one, length);
    let flat = o.compare("EQ", size_x, o.float(size_x, 0.0));
    let cosine = o.select(none, one, o.div(ratio_x, length));
    let phase = |z: ValueId, size: ValueId, empty: ValueId| {
        let by = o.div(one, o.select(empty, one, size));
        o.select(empty, o.float(z, 1.0), o.scale(z, by))
    };
    let gone = o.compare("EQ", size_y, o.float(size_y, 0.0));
    let sine = o.mul(phase(x, size_x, flat), o.conj(phase(y, size_y, gone)));
    let sine = o.scale(sine, o.select(gone, o.float(ratio_y, 0.0), o.div(ratio_y, length)));
    let c = o.number(cosine, None, C);
    let top = o.concatenate(&[c, sine], 2);
    let g = o.concatenate(&[top, o.concatenate(&[o.neg(o.conj(sine)), c], 2)], 1);
    let rows = o.matmul(g, o.slice_at(both, &[zero, k, zero], &[1, 2, n]));
    let both = o.put_at(both, rows, &[zero, k, zero]);
    let columns = o.matmul(o.slice_at(both, &[zero, zero, k], &[1, 2 * n, 2]), o.adjoint(g));
    o.put_at(both, columns, &[zero, zero, k])
}

fn magnitude(o: &Ops, z: ValueId) -> ValueId {
    let ty = o.ty(z).with_element(ElementType::F64);
    o.emit(OpKind::Abs, &[z], ty, &[])
}

/// Unit vectors of all eigenvalues, one row of all a step; the largest entry of each is real and positive.
fn vectors(o: &Ops, schur: &Schur, values: ValueId, left: bool) -> ValueId {
    let t = if left { o.adjoint(schur.t) } else { schur.t };
    let values = if left { o.conj(values) } else { values };
    let shape = o.shape(t);
    let (batch, n) = (shape[0], shape[1]);
    if batch * n == 0 {
        return schur.z;
    }
    let (r, c) = positions(o, &shape);
    let side = if left { "LT" } else { "GT" };
    let strict = o.select(o.compare(side, c, r), t, o.float(t, 0.0));
    let size = o.size(t);
    let top = o.reduce(OpKind::Maximum, size, o.splat(&[], ElementType::F64, Scalar::Float(0.0)), &[1, 2]);
    let least = o.mul(top, o.float(top, f64::EPSILON));
    let least = o.binary(OpKind::Maximum, least, o.float(least, f64::MIN_POSITIVE / f64::EPSILON));
    let row = [batch, 1, n];
    let (least, values) = (o.broadcast(least, &[0], &row), o.reshape(values, &row));
    let which = o.iota(&row, 2);
    let made = o.counted(n, &[o.float(t, 0.0)], |o, i, carried| {
        let (zero, i) = (o.index(0), if left { i } else { o.sub(o.index(n - 1), i) });
        let known = o.matmul(o.slice_at(strict, &[zero, i, zero], &row), carried[0]);
        let gap = o.sub(o.spread(o.slice_at(t, &[zero, i, i], &[batch, 1, 1]), &row), values);
        let gap = o.select(o.compare("LT", o.size(gap), least), o.number(least, None, C), gap);
        let at = o.broadcast(i, &[], &row);
        let x = o.select(o.compare(side, which, at), o.div(o.neg(known), gap), o.float(known, 0.0));
        let x = o.select(o.compare("EQ", which, at), o.float(x, 1.0), x);
        vec![o.put_at(carried[0], x, &[zero, i, zero])]
    });
    let v = o.matmul(schur.z, made[0]);
    let sizes = o.size(v);
    let top = o.reduce(OpKind::Maximum, sizes, o.splat(&[], ElementType::F64, Scalar::Float(0.0)), &[1]);
    let some = o.compare("GT", top, o.float(top, 0.0));
    let by = o.div(o.float(top, 1.0), o.select(some, top, o.float(top, 1.0)));
    let v = o.scale(v, o.broadcast(by, &[0, 2], &shape));
    let norm = o.sqrt(o.sum_keep(o.square(v), 1));
    let v = o.scale(v, o.div(o.float(size, 1.0), o.spread(norm, &shape)));
    // Rotated so that the largest entry is real.
    let squares = o.reshape(o.transposed(o.square(v)), &[batch * n, n]);
    let largest = o.reshape(o.argmax(squares), &row);
    let picked = o.select(o.compare("EQ", r, o.spread(largest, &shape)), v, o.float(v, 0.0));
    let picked = o.sum_keep(picked, 1);
    let length = magnitude(o, picked);
    let phase = o.conj(o.scale(picked, o.div(o.float(length, 1.0), length)));
    o.mul(v, o.spread(phase, &shape))
}

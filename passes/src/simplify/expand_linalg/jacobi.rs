//! Eigenvalues and vectors of Hermitian matrices by Jacobi rotations.
//!
//! Columns are in two halves of k; round by round, column i of the left half meets column i of the right one, a
//! rotation makes their off-diagonal element zero, and the columns move on as in a round-robin tournament: after 2k − 1
//! rounds each pair has met once and the order is the first again. All k rotations of a round are disjoint, so a round
//! is elementwise work on the whole matrix. Sweeps go on until the off-diagonal part is below rounding, at most
//! [`SWEEPS`]. Thousands of rotations add up their rounding: at the end the vectors are made orthonormal again, and the
//! eigenvalues are their Rayleigh quotients vᴴ·A·v. An odd size gets a zero row and column, which no rotation touches
//! and which stays last.
//!
//! Worked example: [[2, 1], [1, 2]]: τ = (2 − 2) / 2 = 0, t = 1, c = s = 1/√2: eigenvalues 2 − 1 and 2 + 1.

use fornax_graph::{ElementType, OpKind, ValueId};
use fornax_reference::Scalar;

use super::householder::{identity, identity_to};
use super::{positions, positions_to};
use crate::simplify::ops::Ops;

/// Convergence is quadratic: sizes of thousands take about ten.
pub const SWEEPS: i64 = 30;

/// Distance from 1 to the next number.
pub fn epsilon(element: ElementType) -> f64 {
    if element.complex_part() == ElementType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) }
}

/// A rotation of k pairs: `x' = x·cw − y·s`, `y' = x·sw + y·c`.
pub struct Rotation {
    /// Real, `[B, 1, k]`.
    pub c: ValueId,
    pub s: ValueId,
    /// c and s times the phase of the off-diagonal element.
    pub cw: ValueId,
    pub sw: ValueId,
    /// What the diagonal gains: the first loses it, the second gets it.
    pub gain: ValueId,
}

/// Makes [[p, r], [r̄, q]] diagonal where `needed`; p and q real, r in the matrix's type, all `[B, 1, k]`.
pub fn rotation(o: &Ops, [p, q, r]: [ValueId; 3], needed: ValueId) -> Rotation {
    let element = o.element(r);
    let one = o.float(p, 1.0);
    let zero = o.float(p, 0.0);
    let magnitude = if element.is_complex() {
        let (re, im) = (o.unary(OpKind::Abs, o.real(r)), o.unary(OpKind::Abs, o.imag(r)));
        let large = o.binary(OpKind::Maximum, re, im);
        let safe = o.select(o.compare("GT", large, zero), large, one);
        let (re, im) = (o.div(re, safe), o.div(im, safe));
        o.mul(large, o.sqrt(o.add(o.mul(re, re), o.mul(im, im))))
    } else {
        r
    };
    let safe = o.select(needed, magnitude, one);
    let two = o.float(p, 2.0);
    let tau = o.div(o.sub(q, p), o.mul(two, safe));
    let root = hypotenuse(o, tau, one);
    let t = o.div(one, o.add(o.unary(OpKind::Abs, tau), root));
    let t = o.select(o.compare("LT", tau, zero), o.neg(t), t);
    let t = o.select(needed, t, zero);
    let c = o.div(one, o.sqrt(o.add(one, o.mul(t, t))));
    let s = o.mul(t, c);
    let gain = o.mul(t, o.select(needed, magnitude, zero));
    if !element.is_complex() {
        return Rotation { c, s, cw: c, sw: s, gain };
    }
    let phase = |part: ValueId, other: ValueId| o.select(needed, o.div(part, safe), other);
    let (w_re, w_im) = (phase(o.real(r), one), phase(o.imag(r), zero));
    let rotated = |by: ValueId| o.number(o.mul(w_re, by), Some(o.mul(w_im, by)), element);
    Rotation { cw: rotated(c), sw: rotated(s), c, s, gain }
}

/// √(a² + 1) without overflow.
fn hypotenuse(o: &Ops, a: ValueId, one: ValueId) -> ValueId {
    let a = o.unary(OpKind::Abs, a);
    let (large, small) = (o.binary(OpKind::Maximum, a, one), o.binary(OpKind::Minimum, a, one));
    let ratio = o.div(small, large);
    o.mul(large, o.sqrt(o.add(one, o.mul(ratio, ratio))))
}

/// The columns of `[B, M, 2k]` rotated in pairs and moved on.
pub fn turn_columns(o: &Ops, a: ValueId, by: &Rotation) -> ValueId {
    let shape = o.shape(a);
    let k = shape[2] / 2;
    let (x, y) = (o.part(a, 2, 0, k), o.part(a, 2, k, 2 * k));
    let sizes = o.shape(x);
    let all = |v: ValueId| o.spread(v, &sizes);
    let (left, right) = if o.is_complex(a) {
        (
            o.sub(o.mul(x, all(by.cw)), o.scale(y, all(by.s))),
            o.add(o.mul(x, all(by.sw)), o.scale(y, all(by.c))),
        )
    } else {
        (o.sub(o.mul(x, all(by.c)), o.mul(y, all(by.s))), o.add(o.mul(x, all(by.s)), o.mul(y, all(by.c))))
    };
    move_on(o, left, right, 2)
}

/// The halves after a round, as one: the first stays, the others go around.
fn move_on(o: &Ops, left: ValueId, right: ValueId, along: usize) -> ValueId {
    let k = o.shape(left)[along];
    if k == 1 {
        return o.concatenate(&[left, right], along);
    }
    let part = |v: ValueId, low: i64, high: i64| o.part(v, along, low, high);
    let mut parts = vec![part(left, 0, 1), part(right, 0, 1)];
    if k > 2 {
        parts.push(part(left, 1, k - 1));
    }
    parts.extend([part(right, 1, k), part(left, k - 1, k)]);
    o.concatenate(&parts, along)
}

/// `[B, 1, k]`: entries (i, i + offset) of `[B, 2k, 2k]` from row `row` on.
fn diagonal(o: &Ops, a: ValueId, row: i64, column: i64) -> ValueId {
    let k = o.shape(a)[1] / 2;
    let block = o.part(o.part(a, 1, row, row + k), 2, column, column + k);
    let (r, c) = positions(o, &o.shape(block));
    let own = o.select(o.compare("EQ", r, c), block, o.float(block, 0.0));
    o.sum_keep(own, 1)
}

/// Eigenvalues `[B, N]`, ascending, and unit vectors as columns of `[B, N, N]`. Reads the lower triangle where `lower`,
/// else the upper.
pub fn eigenvalues(o: &Ops, a: ValueId, lower: bool) -> (ValueId, ValueId) {
    let shape = o.shape(a);
    let (batch, n) = (shape[0], shape[1]);
    let element = o.element(a);
    if batch * n == 0 {
        return (o.reshape(o.real(a), &[batch, n]), a);
    }
    let (whole, scale, poison) = scaled(o, hermitian(o, a, lower));
    let (a, even) = (whole, n + n % 2);
    let fill = o.splat(&[], element, Scalar::Float(0.0));
    let a = if even == n { a } else { o.pad(a, fill, [&[0; 3], &[0, 1, 1], &[0; 3]]) };
    let start = identity(o, &[batch, even, even], element);
    let sweep = o.splat(&[], ElementType::I32, Scalar::Int(0));
    let carried = o.repeat_while(
        &[sweep, a, start],
        |o, carried| {
            let more = o.compare("LT", carried[0], o.index(SWEEPS));
            o.and(more, unsettled(o, carried[1]))
        },
        |o, carried| {
            let rounds = o.counted(even - 1, &carried[1..], |o, _, carried| round(o, carried[0], carried[1]));
            vec![o.add(carried[0], o.index(1)), rounds[0], rounds[1]]
        },
    );
    let vectors = orthonormal(o, o.part(o.part(carried[2], 1, 0, n), 2, 0, n));
    let products = o.mul(o.conj(vectors), o.matmul(whole, vectors));
    let values = o.real(o.sum(products, &[1]));
    let values = o.mul(values, o.broadcast(scale, &[0], &[batch, n]));
    let (values, vectors) = sorted(o, values, vectors, "LT");
    (poisoned(o, values, poison), poisoned(o, vectors, poison))
}

/// Columns that rounding has moved a little away from orthonormal ones, brought back: `V·(3·I − Vᴴ·V) / 2`, whose
/// error is the square of that of V.
pub fn orthonormal(o: &Ops, v: ValueId) -> ValueId {
    let squares = o.matmul(o.adjoint(v), v);
    let off = o.sub(squares, identity_to(o, &o.sizes(squares), o.element(v)));
    o.sub(v, o.mul(o.matmul(v, off), o.float(v, 0.5)))
}

/// All NaN in the matrices whose `poison: [B]` is NaN.
pub fn poisoned(o: &Ops, values: ValueId, poison: ValueId) -> ValueId {
    let good = o.broadcast_to(o.compare("EQ", poison, poison), &[0], &o.sizes(values));
    o.select(good, values, o.float(values, f64::NAN))
}

/// Values `[B, N]` in order, and the columns of `[B, M, N]` with them.
pub fn sorted(o: &Ops, values: ValueId, vectors: ValueId, direction: &str) -> (ValueId, ValueId) {
    let [values, order] = o.sort_pairs(values, direction);
    let rows = o.rows(o.transposed(vectors), order);
    (values, o.transposed(rows))
}

/// The matrix that one triangle says.
pub fn hermitian(o: &Ops, a: ValueId, lower: bool) -> ValueId {
    let (r, c) = positions_to(o, &o.sizes(a));
    let own = o.compare(if lower { "GT" } else { "LT" }, r, c);
    let diagonal = o.number(o.real(a), None, o.element(a));
    let other = o.select(o.compare("EQ", r, c), diagonal, o.adjoint(a));
    o.select(own, a, other)
}

/// Divided by the largest size, which is `[B]` and real; a matrix of zeros, or not finite, is left. Third, `[B]`: NaN
/// for a matrix that is not finite, else 0.
pub fn scaled(o: &Ops, a: ValueId) -> (ValueId, ValueId, ValueId) {
    let sizes = o.size(a);
    let top = o.reduce(OpKind::Maximum, sizes, o.splat(&[], o.element(sizes), Scalar::Float(0.0)), &[1, 2]);
    let finite = o.with(|rw| rw.is_finite(top));
    let usable = o.and(finite, o.compare("GT", top, o.float(top, 0.0)));
    let scale = o.select(usable, top, o.float(top, 1.0));
    let all = o.broadcast_to(scale, &[0], &o.sizes(a));
    let re = o.div(o.real(a), all);
    let im = o.is_complex(a).then(|| o.div(o.imag(a), all));
    (o.number(re, im, o.element(a)), scale, o.sub(top, top))
}

/// Whether a matrix of the batch has an off-diagonal part above rounding. NaN is not.
pub fn unsettled(o: &Ops, a: ValueId) -> ValueId {
    let (r, c) = positions_to(o, &o.sizes(a));
    let squares = o.square(a);
    let whole = o.sum(squares, &[1, 2]);
    let off = o.sum(o.select(o.compare("EQ", r, c), o.float(squares, 0.0), squares), &[1, 2]);
    let bound = o.mul(whole, o.float(whole, epsilon(o.element(a)).powi(2)));
    let above = o.compare("GT", off, bound);
    o.reduce(OpKind::Or, above, o.splat(&[], ElementType::I1, Scalar::Bool(false)), &[0])
}

/// One rotation of each pair: A from both sides, V from the right.
fn round(o: &Ops, a: ValueId, v: ValueId) -> Vec<ValueId> {
    let shape = o.shape(a);
    let k = shape[1] / 2;
    let (p, q) = (o.real(diagonal(o, a, 0, 0)), o.real(diagonal(o, a, k, k)));
    let r = diagonal(o, a, 0, k);
    let needed = o.compare("GT", o.size(r), o.float(p, 0.0));
    let by = rotation(o, [p, q, r], needed);
    let columns = turn_columns(o, a, &by);
    // Rows turn as the columns of the adjoint do.
    let both = o.adjoint(turn_columns(o, o.adjoint(columns), &by));
    // What the rotation makes exactly: the new diagonal, and zeros next to it.
    let (first, second) = (o.sub(p, by.gain), o.add(q, by.gain));
    let exact = move_on(o, first, second, 2);
    let exact = o.spread(o.number(exact, None, o.element(a)), &shape);
    let (row, column) = positions(o, &shape);
    let partner = o.spread(partners(o, k), &shape);
    let cleared = o.select(o.compare("EQ", row, partner), o.float(a, 0.0), both);
    vec![o.select(o.compare("EQ", row, column), exact, cleared), turn_columns(o, v, &by)]
}

/// `[1, 1, 2k] i32`: after a round, the place of the column that the column of each place has met.
fn partners(o: &Ops, k: i64) -> ValueId {
    let places: Vec<i64> = (0..2 * k).collect();
    let (left, right) = places.split_at(k as usize);
    // Who is where after the round.
    let mut order = vec![left[0]];
    if k > 1 {
        order.push(right[0]);
        order.extend(&left[1..k as usize - 1]);
        order.extend(&right[1..]);
        order.push(left[k as usize - 1]);
    } else {
        order.push(right[0]);
    }
    let met = |who: i64| if who < k { who + k } else { who - k };
    let place = |who: i64| order.iter().position(|&w| w == who).unwrap_or(0) as i64;
    let list: Vec<i64> = order.iter().map(|&who| place(met(who))).collect();
    o.with(|rw| {
        let tensor = fornax_reference::Tensor::from_scalars(
            &[1, 1, list.len()],
            ElementType::I32,
            list.iter().map(|&v| Scalar::Int(v.into())),
        );
        rw.constant(crate::simplify::constants::to_constant(tensor))
    })
}

//! Tridiagonal systems, and Hermitian matrices brought to tridiagonal form.
//!
//! A system is eliminated downwards with exchanges of neighbouring rows, one row a step, then solved upwards. With the
//! row in hand (p, q | r) and the next one (l, d, u | b): the one whose head is larger stays as a row of U, the other
//! loses its head.
//!
//! Worked example: [[1, 2], [4, 6]]·x = [5, 14]: 4 > 1, so the rows change places; (1, 2 | 5) − ¼·(4, 6 | 14) = (0, ½ |
//! 3/2): x₁ = 3, x₀ = (14 − 18) / 4 = −1.

use fornax_graph::ValueId;

use super::householder::hessenberg;
use super::positions;
use crate::simplify::ops::Ops;

/// U and the solution.
pub struct Solved {
    /// `[B, N]` each: the second superdiagonal of U, its diagonal, its superdiagonal.
    pub second: ValueId,
    pub diagonal: ValueId,
    pub upper: ValueId,
    /// `[B, N, M]`
    pub x: ValueId,
}

/// `low`, `diagonal`, `high`: `[B, N]`, row i being `low[i]·x[i−1] + diagonal[i]·x[i] + high[i]·x[i+1]`; b `[B, N, M]`.
pub fn solve(o: &Ops, [low, diagonal, high]: [ValueId; 3], b: ValueId) -> Solved {
    let shape = o.shape(b);
    let (batch, n, m) = (shape[0], shape[1], shape[2]);
    if batch * n == 0 {
        return Solved { second: low, diagonal, upper: high, x: b };
    }
    let column = |v: ValueId| o.reshape(v, &[batch, n, 1]);
    // Row i: (low, diagonal, high, b); the row after the last is all zero.
    let rows = o.concatenate(&[column(low), column(diagonal), column(high), b], 2);
    let fill = o.splat(&[], o.element(b), fornax_reference::Scalar::Float(0.0));
    let rows = o.pad(rows, fill, [&[0; 3], &[0, 1, 0], &[0; 3]]);
    let width = m + 3;
    let first = o.part(o.part(rows, 1, 0, 1), 2, 1, width);
    let start = o.part(o.float(rows, 0.0), 1, 0, n);
    let carried = o.counted(n, &[start, first], |o, i, carried| {
        let (zero, after) = (o.index(0), o.add(i, o.index(1)));
        let next = o.slice_at(rows, &[zero, after, zero], &[batch, 1, width]);
        let part = |v: ValueId, low: i64, high: i64| o.part(v, 2, low, high);
        // In hand: (p, q, r…). Both rows with their heads in one column: (head, next, after that, b…).
        let hand = carried[1];
        let none = o.float(part(hand, 0, 1), 0.0);
        let ours = o.concatenate(&[part(hand, 0, 2), none, part(hand, 2, m + 2)], 2);
        let swap = o.compare("LT", o.size(part(ours, 0, 1)), o.size(part(next, 0, 1)));
        let swap = o.spread(swap, &[batch, 1, width]);
        let (top, other) = (o.select(swap, next, ours), o.select(swap, ours, next));
        let head = part(top, 0, 1);
        let idle = o.compare("EQ", part(other, 0, 1), none);
        let factor = o.select(idle, none, o.div(part(other, 0, 1), head));
        let rest = o.sub(other, o.mul(o.spread(factor, &[batch, 1, width]), top));
        vec![o.put_at(carried[0], top, &[zero, i, zero]), part(rest, 1, width)]
    });
    let upper = carried[0];
    let zero_row = o.part(o.float(b, 0.0), 1, 0, 1);
    let carried = o.counted(n, &[o.float(b, 0.0), zero_row, zero_row], |o, i, carried| {
        let (zero, i) = (o.index(0), o.sub(o.index(n - 1), i));
        let row = o.slice_at(upper, &[zero, i, zero], &[batch, 1, width]);
        let entry = |at: i64| o.spread(o.part(row, 2, at, at + 1), &[batch, 1, m]);
        let known = o.add(o.mul(entry(1), carried[1]), o.mul(entry(2), carried[2]));
        let x = o.div(o.sub(o.part(row, 2, 3, width), known), entry(0));
        vec![o.put_at(carried[0], x, &[zero, i, zero]), x, carried[1]]
    });
    let list = |at: i64| o.reshape(o.part(upper, 2, at, at + 1), &[batch, n]);
    Solved { second: list(2), diagonal: list(0), upper: list(1), x: carried[0] }
}

/// `Qᴴ·A·Q = T` as LAPACK packs it.
pub struct Tridiagonal {
    /// A, with T and the reflections in the triangle that is read.
    pub packed: ValueId,
    /// `[B, N]` and `[B, N − 1]`, real.
    pub diagonal: ValueId,
    pub off_diagonal: ValueId,
    pub tau: ValueId,
}

/// Of the lower triangle; the upper one is that of the matrix read backwards.
pub fn reduce(o: &Ops, a: ValueId, lower: bool) -> Tridiagonal {
    if lower {
        return reduce_lower(o, a);
    }
    let back = |v: ValueId, over: &[usize]| o.reverse(v, over);
    let made = reduce_lower(o, back(a, &[1, 2]));
    Tridiagonal {
        packed: back(made.packed, &[1, 2]),
        diagonal: back(made.diagonal, &[1]),
        off_diagonal: back(made.off_diagonal, &[1]),
        tau: back(made.tau, &[1]),
    }
}

fn reduce_lower(o: &Ops, a: ValueId) -> Tridiagonal {
    let shape = o.shape(a);
    let (batch, n) = (shape[0], shape[1]);
    let (r, c) = positions(o, &shape);
    let below = o.compare("GT", r, c);
    let real = o.number(o.real(a), None, o.element(a));
    let other = o.select(o.compare("EQ", r, c), real, o.adjoint(a));
    let (packed, tau) = hessenberg(o, o.select(below, a, other), 0, n);
    let numbers = o.real(packed);
    let entries = |offset: i64| {
        let row = o.add(c, o.int(c, offset));
        let own = o.select(o.compare("EQ", r, row), numbers, o.float(numbers, 0.0));
        o.part(o.sum(own, &[1]), 1, 0, (n - offset).max(0))
    };
    let (diagonal, off_diagonal) = (entries(0), entries(1));
    let packed = o.select(o.compare("LT", r, c), a, packed);
    debug_assert_eq!(o.shape(diagonal), [batch, n]);
    Tridiagonal { packed, diagonal, off_diagonal, tau }
}

//! Real Schur form: A = Z·T·Zᵀ with T upper triangular but for 2×2 blocks, one for each pair of conjugate eigenvalues.
//! All in f64, one matrix of a batch after the other.
//!
//! From Hessenberg form on, a QR step takes the lowest block [lo, hi] of at least three coupled rows, and chases the
//! bulge of its double shift (both eigenvalues of its last corner, so that all stays real) down by reflections of three
//! neighbouring rows and columns. Below and next to the matrix lies a row and column of zeros: the last reflection has
//! a third element too, which is 0. Every tenth step takes other shifts. Then each 2×2 block is rotated: with real
//! eigenvalues to triangular, else to equal diagonal elements, as LAPACK leaves them.
//!
//! Worked example: [[1, 2], [−2, 3]]: eigenvalues 2 ± i√3; rotated to [[2, b], [c, 2]] with b·c = −3.

use fornax_graph::{ElementType, OpKind, ValueId};
use fornax_reference::Scalar;

use super::eigen::{STEPS, drop_small, entry};
use super::householder::{hessenberg, identity, product};
use super::jacobi::scaled;
use super::positions;
use crate::simplify::ops::Ops;

const R: ElementType = ElementType::F64;

/// `A = Z·T·Zᵀ`, of `[B, N, N]`, f64.
pub struct RealSchur {
    pub t: ValueId,
    pub z: ValueId,
    /// Eigenvalues, `[B, N]`.
    pub real: ValueId,
    pub imaginary: ValueId,
    /// `[B]`: 1 where it did not converge.
    pub info: ValueId,
    /// `[B]`: NaN where A is not finite, else 0.
    pub poison: ValueId,
}

pub fn real_schur(o: &Ops, a: ValueId) -> RealSchur {
    let a = o.convert(a, R);
    let shape = o.shape(a);
    let (batch, n) = (shape[0], shape[1]);
    let mut info = o.splat(&[batch], ElementType::I32, Scalar::Int(0));
    let (a, scale, poison) = scaled(o, a);
    let by = o.broadcast(scale, &[0], &shape);
    let (mut t, mut z) = (a, identity(o, &shape, R));
    if batch > 0 && n > 1 {
        let both = framed(o, a);
        let rows = o.shape(both)[1];
        let none = info;
        let made = o.counted(batch, &[both, none], |o, b, carried| {
            let zero = o.index(0);
            let (made, info) = quasi_triangular(o, o.slice_at(carried[0], &[b, zero, zero], &[1, rows, n + 1]), n);
            vec![o.put_at(carried[0], made, &[b, zero, zero]), o.put_at(carried[1], info, &[b])]
        });
        let inside = o.part(made[0], 2, 0, n);
        let (r, c) = positions(o, &shape);
        let kept = o.compare("LE", r, o.add(c, o.int(c, 1)));
        let own = o.part(inside, 1, 0, n);
        t = o.select(kept, own, o.float(own, 0.0));
        z = o.part(inside, 1, n + 1, 2 * n + 1);
        info = made[1];
    }
    let t = o.scale(t, by);
    let (real, imaginary) = eigenvalues(o, t);
    RealSchur { t, z, real, imaginary, info, poison }
}

/// Hessenberg form with a row and a column of zeros, above the matrix that leads to it: `[B, 2N + 1, N + 1]`.
fn framed(o: &Ops, a: ValueId) -> ValueId {
    let shape = o.shape(a);
    let n = shape[1];
    let (packed, tau) = hessenberg(o, a, 0, n);
    let (r, c) = positions(o, &shape);
    let upper = o.compare("LE", r, o.add(c, o.int(c, 1)));
    let h = o.select(upper, packed, o.float(packed, 0.0));
    let zero = o.splat(&[], R, Scalar::Float(0.0));
    let inner = product(o, o.part(o.part(packed, 1, 1, n), 2, 0, n - 1), tau, n - 1);
    let outer = o.pad(inner, zero, [&[0, 1, 1], &[0; 3], &[0; 3]]);
    let corner = o.and(o.compare("EQ", r, o.int(r, 0)), o.compare("EQ", c, o.int(c, 0)));
    let z = o.select(corner, o.float(outer, 1.0), outer);
    let h = o.pad(h, zero, [&[0; 3], &[0, 1, 1], &[0; 3]]);
    o.concatenate(&[h, o.pad(z, zero, [&[0; 3], &[0, 0, 1], &[0; 3]])], 1)
}

/// `[1, 2N + 1, N + 1]` to quasi-triangular form; `[1] i32`, 1 where the steps did not do.
fn quasi_triangular(o: &Ops, both: ValueId, n: i64) -> (ValueId, ValueId) {
    let start = drop_small(o, both);
    let carried = o.repeat_while(
        &[o.index(0), last_coupled(o, start), start],
        |o, v| {
            let more = o.compare("LT", v[0], o.index(STEPS * n));
            o.and(more, o.compare("GT", v[1], o.index(0)))
        },
        |o, v| {
            let (step, hi, both) = (v[0], v[1], v[2]);
            let live = live(o, both);
            let rows = o.iota(&[n + 1], 0);
            let cut = o.compare("EQ", live, o.int(live, 0));
            let cut = o.and(cut, o.compare("LE", rows, o.broadcast(hi, &[], &[n + 1])));
            let lo = o.reduce(OpKind::Maximum, o.select(cut, rows, o.int(rows, 0)), o.index(0), &[0]);
            let first = first_column(o, both, [lo, hi], step);
            let made = o.repeat_while(
                &[lo, both],
                |o, v| o.compare("LT", v[0], hi),
                |o, v| vec![o.add(v[0], o.index(1)), chase(o, v[1], [v[0], lo], first)],
            );
            let both = drop_small(o, made[1]);
            vec![o.add(step, o.index(1)), last_coupled(o, both), both]
        },
    );
    let failed = o.convert(o.compare("GT", carried[1], o.index(0)), ElementType::I32);
    let rotated = o.counted(n - 1, &[carried[2]], |o, k, v| vec![standard(o, v[0], k)]);
    (rotated[0], o.reshape(failed, &[1]))
}

/// Of each row 1 where it is coupled to the row above, `[N + 1] i32`.
fn live(o: &Ops, both: ValueId) -> ValueId {
    let m = o.shape(both)[2];
    let h = o.part(both, 1, 0, m);
    let (r, c) = positions(o, &o.shape(h));
    let subdiagonal = o.compare("EQ", r, o.add(c, o.int(c, 1)));
    let some = o.and(subdiagonal, o.compare("NE", h, o.float(h, 0.0)));
    let ones = o.convert(some, ElementType::I32);
    o.reduce(OpKind::Maximum, ones, o.index(0), &[0, 2])
}

/// The last row of the lowest block of three rows or more; 0 without one.
fn last_coupled(o: &Ops, both: ValueId) -> ValueId {
    let live = live(o, both);
    let m = o.shape(live)[0];
    let before = o.pad(o.part(live, 0, 0, m - 1), o.index(0), [&[1], &[0], &[0]]);
    let three = o.compare("EQ", o.mul(live, before), o.int(live, 1));
    let rows = o.iota(&[m], 0);
    o.reduce(OpKind::Maximum, o.select(three, rows, o.int(rows, 0)), o.index(0), &[0])
}

/// The first column of the double shift's polynomial in the block, its three elements `[1, 3, 1]`.
fn first_column(o: &Ops, both: ValueId, [lo, hi]: [ValueId; 2], step: ValueId) -> ValueId {
    let one = o.index(1);
    let (m, next) = (o.sub(hi, one), o.add(lo, one));
    let (a, b) = (entry(o, both, m, m), entry(o, both, m, hi));
    let (c, d) = (entry(o, both, hi, m), entry(o, both, hi, hi));
    let (sum, det) = (o.add(a, d), o.sub(o.mul(a, d), o.mul(b, c)));
    let above = entry(o, both, m, o.sub(m, one));
    let other = o.add(o.size(c), o.size(above));
    let ten = o.index(10);
    let turn = o.compare("EQ", o.binary(OpKind::Remainder, step, ten), o.index(9));
    let turn = o.broadcast(turn, &[], &[1, 1, 1]);
    let sum = o.select(turn, o.mul(other, o.float(other, 1.5)), sum);
    let det = o.select(turn, o.mul(other, other), det);
    let (h00, h01) = (entry(o, both, lo, lo), entry(o, both, lo, next));
    let (h10, h11) = (entry(o, both, next, lo), entry(o, both, next, next));
    let h21 = entry(o, both, o.add(next, one), next);
    let x = o.add(o.add(o.mul(h00, o.sub(h00, sum)), o.mul(h01, h10)), det);
    let y = o.mul(h10, o.sub(o.add(h00, h11), sum));
    o.concatenate(&[x, y, o.mul(h10, h21)], 1)
}

/// The reflection of rows and columns k, k + 1, k + 2.
fn chase(o: &Ops, both: ValueId, [k, lo]: [ValueId; 2], first: ValueId) -> ValueId {
    let (rows, m) = (o.shape(both)[1], o.shape(both)[2]);
    let zero = o.index(0);
    let starts = o.compare("EQ", k, lo);
    let before = o.select(starts, k, o.sub(k, o.index(1)));
    let bulge = o.slice_at(both, &[zero, k, before], &[1, 3, 1]);
    let v = o.select(o.broadcast(starts, &[], &[1, 3, 1]), first, bulge);
    let by = reflection(o, v);
    let own = o.matmul(by, o.slice_at(both, &[zero, k, zero], &[1, 3, m]));
    let both = o.put_at(both, own, &[zero, k, zero]);
    let columns = o.matmul(o.slice_at(both, &[zero, zero, k], &[1, rows, 3]), by);
    o.put_at(both, columns, &[zero, zero, k])
}

/// The symmetric matrix that turns `[1, 3, 1]` onto its first axis; the identity for zeros.
fn reflection(o: &Ops, v: ValueId) -> ValueId {
    let zero = o.splat(&[], R, Scalar::Float(0.0));
    let top = o.reshape(o.reduce(OpKind::Maximum, o.size(v), zero, &[0, 1, 2]), &[1, 1, 1]);
    let some = o.compare("GT", top, o.float(top, 0.0));
    let v = o.div(v, o.spread(o.select(some, top, o.float(top, 1.0)), &[1, 3, 1]));
    let x = o.part(v, 1, 0, 1);
    let length = o.sqrt(o.matmul(o.transposed(v), v));
    let away = o.select(o.compare("LT", x, o.float(x, 0.0)), o.neg(length), length);
    let w = o.concatenate(&[o.add(x, away), o.part(v, 1, 1, 3)], 1);
    let square = o.matmul(o.transposed(w), w);
    let factor = o.div(o.float(square, 2.0), o.select(some, square, o.float(square, 1.0)));
    let factor = o.select(some, factor, o.float(factor, 0.0));
    let outer = o.matmul(w, o.transposed(w));
    o.sub(identity(o, &[1, 3, 3], R), o.mul(outer, o.spread(factor, &[1, 3, 3])))
}

/// Turns the block of rows k and k + 1, if they are coupled.
fn standard(o: &Ops, both: ValueId, k: ValueId) -> ValueId {
    let (rows, m) = (o.shape(both)[1], o.shape(both)[2]);
    let (zero, next) = (o.index(0), o.add(k, o.index(1)));
    let corner = |both: ValueId| {
        [(k, k), (k, next), (next, k), (next, next)].map(|(i, j)| entry(o, both, i, j))
    };
    let [a, b, c, d] = corner(both);
    let none = o.float(a, 0.0);
    let coupled = o.compare("NE", c, none);
    let half = o.float(a, 0.5);
    let p = o.mul(o.sub(a, d), half);
    let inside = o.add(o.mul(p, p), o.mul(b, c));
    let is_real = o.compare("GE", inside, none);
    let negative = |v: ValueId| o.compare("LT", v, none);
    // Real eigenvalues: onto the vector of the one away from d.
    let root = o.sqrt(o.binary(OpKind::Maximum, inside, none));
    let far = o.add(p, o.select(negative(p), o.neg(root), root));
    let tau = length(o, c, far, coupled);
    let (real_cos, real_sin) = (o.div(far, tau), o.div(c, tau));
    // A pair: equal diagonal elements.
    let sigma = o.add(b, c);
    let tau = length(o, sigma, o.sub(a, d), coupled);
    let equal = o.and(o.compare("EQ", sigma, none), o.compare("EQ", a, d));
    let share = o.select(equal, o.float(a, 1.0), o.div(o.unary(OpKind::Abs, sigma), tau));
    let half_turn = o.mul(half, o.add(o.float(a, 1.0), share));
    let pair_cos = o.sqrt(half_turn);
    let sine = o.div(p, o.mul(tau, pair_cos));
    let pair_sin = o.select(negative(sigma), sine, o.neg(sine));
    let pick = |real: ValueId, pair: ValueId, idle: f64| {
        o.select(coupled, o.select(is_real, real, pair), o.float(real, idle))
    };
    let (cosine, sine) = (pick(real_cos, pair_cos, 1.0), pick(real_sin, pair_sin, 0.0));
    let top = o.concatenate(&[cosine, sine], 2);
    let g = o.concatenate(&[top, o.concatenate(&[o.neg(sine), cosine], 2)], 1);
    let own = o.matmul(g, o.slice_at(both, &[zero, k, zero], &[1, 2, m]));
    let both = o.put_at(both, own, &[zero, k, zero]);
    let columns = o.matmul(o.slice_at(both, &[zero, zero, k], &[1, rows, 2]), o.transposed(g));
    let both = o.put_at(both, columns, &[zero, zero, k]);
    let [a, b, c, d] = corner(both);
    let middle = o.mul(o.add(a, d), half);
    let is_pair = o.and(coupled, o.unary(OpKind::Not, is_real));
    let (a, d) = (o.select(is_pair, middle, a), o.select(is_pair, middle, d));
    let c = o.select(o.and(coupled, is_real), none, c);
    let made = o.concatenate(&[o.concatenate(&[a, b], 2), o.concatenate(&[c, d], 2)], 1);
    o.put_at(both, made, &[zero, k, k])
}

/// `√(x² + y²)`; 1 where it is 0 or not wanted.
fn length(o: &Ops, x: ValueId, y: ValueId, wanted: ValueId) -> ValueId {
    let length = o.sqrt(o.add(o.mul(x, x), o.mul(y, y)));
    let some = o.and(wanted, o.compare("GT", length, o.float(length, 0.0)));
    o.select(some, length, o.float(length, 1.0))
}

/// Diagonal elements, and `±√|b·c|` of each block, the positive one first.
fn eigenvalues(o: &Ops, t: ValueId) -> (ValueId, ValueId) {
    let shape = o.shape(t);
    let (batch, n) = (shape[0], shape[1]);
    let (r, c) = positions(o, &shape);
    let along = |a: ValueId, b: ValueId, over: i64| {
        let own = o.select(o.compare("EQ", a, b), t, o.float(t, 0.0));
        o.sum(own, &[over as usize])
    };
    let real = along(r, c, 1);
    let below = o.sqrt(o.unary(OpKind::Abs, along(r, o.add(c, o.int(c, 1)), 2)));
    let above = o.sqrt(o.unary(OpKind::Abs, along(c, o.add(r, o.int(r, 1)), 1)));
    let second = o.mul(below, above);
    if n < 2 {
        return (real, o.float(real, 0.0));
    }
    let zero = o.splat(&[], R, Scalar::Float(0.0));
    let first = o.pad(o.part(second, 1, 1, n), zero, [&[0, 0], &[0, 1], &[0, 0]]);
    debug_assert_eq!(o.shape(first), [batch, n]);
    (real, o.sub(first, second))
}

#[cfg(test)]
mod tests {
    use fornax_graph::ElementType;
    use fornax_reference::{Scalar, Tensor, evaluate};

    use crate::example::import;
    use crate::simplify::{Options, simplify};

    type Matrix = Vec<Vec<f64>>;

    fn decomposed(a: &Matrix) -> (Matrix, Matrix, Vec<(f64, f64)>) {
        let n = a.len();
        let (m, v) = (format!("tensor<{n}x{n}xf64>"), format!("tensor<{n}xf64>"));
        let mut graph = import(&format!(
            "func.func @main(%a: {m}) -> ({m}, {m}, {v}, {v}, tensor<i32>) {{
               %0:6 = stablehlo.custom_call @lapack_dgees_ffi(%a) {{mhlo.backend_config = {{mode = 86 : ui8, \
                   sort = 78 : ui8}}}} : ({m}) -> ({m}, {m}, {v}, {v}, tensor<i32>, tensor<i32>)
               return %0#0, %0#1, %0#2, %0#3, %0#5 : {m}, {m}, {v}, {v}, tensor<i32>
             }}"
        ));
        simplify(&mut graph, &Options::default()).unwrap();
        let input = Tensor::from_scalars(&[n, n], ElementType::F64, a.concat().into_iter().map(Scalar::Float));
        let found = evaluate(&graph, "main", &[input], &Default::default()).unwrap();
        let list = |at: usize| found[at].scalars().iter().map(|x| x.as_f64()).collect::<Vec<f64>>();
        let rows = |at: usize| list(at).chunks(n).map(<[f64]>::to_vec).collect::<Matrix>();
        assert_eq!(list(4), [0.0]);
        (rows(0), rows(1), list(2).into_iter().zip(list(3)).collect())
    }

    fn product(a: &Matrix, b: &Matrix) -> Matrix {
        let cell = |row: &[f64], j: usize| row.iter().zip(b).map(|(x, other)| x * other[j]).sum();
        a.iter().map(|row| (0..b[0].len()).map(|j| cell(row, j)).collect()).collect()
    }

    fn transposed(a: &Matrix) -> Matrix {
        (0..a[0].len()).map(|j| a.iter().map(|row| row[j]).collect()).collect()
    }

    fn distance(a: &Matrix, b: &Matrix) -> f64 {
        a.iter().flatten().zip(b.iter().flatten()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn forms_are_quasi_triangular_and_give_the_matrix_back() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let mut cases: Vec<Matrix> =
            [1, 2, 3, 5, 8].iter().map(|&n| (0..n).map(|_| (0..n).map(|_| next()).collect()).collect()).collect();
        // A rotation, one with b = 0, a cycle, equal eigenvalues, zeros.
        cases.push(vec![vec![0.0, 1.0], vec![-1.0, 0.0]]);
        cases.push(vec![vec![2.0, 0.0], vec![3.0, 5.0]]);
        cases.push((0..4).map(|i| (0..4).map(|j| if (i + 1) % 4 == j { 1.0 } else { 0.0 }).collect()).collect());
        cases.push(vec![vec![1.0, 1.0, 0.0], vec![0.0, 1.0, 1.0], vec![0.0, 0.0, 1.0]]);
        cases.push(vec![vec![0.0; 3]; 3]);
        for a in cases {
            let n = a.len();
            let (t, z, values) = decomposed(&a);
            let identity: Matrix = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
            assert!(distance(&product(&product(&z, &t), &transposed(&z)), &a) < 1e-13, "{a:?} {t:?}");
            assert!(distance(&product(&z, &transposed(&z)), &identity) < 1e-13, "{a:?}");
            for i in 0..n {
                assert!((0..n).all(|j| i <= j + 1 || t[i][j] == 0.0), "{t:?}");
                if i + 1 < n && t[i + 1][i] != 0.0 {
                    assert!(t[i][i] == t[i + 1][i + 1] && t[i][i + 1] * t[i + 1][i] < 0.0, "{t:?}");
                    assert!(i + 2 >= n || t[i + 2][i + 1] == 0.0, "{t:?}");
                    assert!(values[i].1 > 0.0 && values[i + 1].1 == -values[i].1, "{values:?}");
                }
            }
            let trace: f64 = (0..n).map(|i| a[i][i]).sum();
            assert!((values.iter().map(|v| v.0).sum::<f64>() - trace).abs() < 1e-12);
        }
    }
}

//! Eigenvalues of Hermitian matrices and singular values where the size is known only at run time, by Jacobi rotations.
//!
//! As [`jacobi`](super::jacobi) and [`singular`](super::singular) do it, but columns stay where they are: which column
//! meets which in a round is computed. With N columns, M = N − 1 for even N and N for odd, column i < M meets (r − i)
//! mod M in round r; who would meet itself meets the last column (N even) or rests. After M rounds each pair has met
//! once. All matrices are `[B, M, N]`, B known. Limits: a round is a few passes over the whole matrix; wide matrices
//! take as many rounds as they have columns.
//!
//! Worked example, N = 4, M = 3: round 0 has the pairs 1–2 and 0–3, round 1 0–1 and 2–3, round 2 0–2 and 1–3.

use fornax_graph::{Dim, OpKind, ValueId};
use fornax_reference::Scalar;

use super::householder::{identity_to, product, qr};
use super::jacobi::{Rotation, SWEEPS, epsilon, hermitian, orthonormal, poisoned, rotation, scaled, sorted, unsettled};
use super::positions_to;
use crate::simplify::ops::Ops;

const ONE: Dim = Dim::Static(1);

/// The tournament of the columns.
struct Pairs {
    columns: Dim,
    /// N and M, rank 0.
    count: ValueId,
    rounds: ValueId,
}

/// Who meets whom in a round.
struct Round {
    /// `[N] i32`: whom a column meets; itself where it rests.
    other: ValueId,
    /// `[1, 1, N] i1`: a column comes before the one that it meets.
    first: ValueId,
    /// `[1, 1, N] i1`: a column meets another.
    meets: ValueId,
}

impl Pairs {
    fn new(o: &Ops, columns: Dim) -> Pairs {
        let count = o.size_of(columns);
        let odd = o.binary(OpKind::Remainder, count, o.index(2));
        Pairs { columns, count, rounds: o.add(o.sub(count, o.index(1)), odd) }
    }

    fn round(&self, o: &Ops, number: ValueId) -> Round {
        let list = [self.columns];
        let all = |scalar: ValueId| o.broadcast_to(scalar, &[], &list);
        let (at, rounds) = (o.iota_to(&list, 0), all(self.rounds));
        let met = o.binary(OpKind::Remainder, o.sub(all(o.add(number, self.rounds)), at), rounds);
        // The last column of an even number meets i where 2·i = r modulo M; (M + 1) / 2 is half of one there.
        let half = o.div(o.add(self.rounds, o.index(1)), o.index(2));
        let of_last = o.binary(OpKind::Remainder, o.mul(number, half), self.rounds);
        let rests = o.compare("EQ", rounds, all(self.count));
        let last = all(o.sub(self.count, o.index(1)));
        let met = o.select(o.compare("EQ", met, at), o.select(rests, at, last), met);
        let other = o.select(o.compare("LT", at, rounds), met, all(of_last));
        let row = |flags: ValueId| o.reshape_to(flags, &[ONE, ONE, self.columns]);
        Round { other, first: row(o.compare("LT", at, other)), meets: row(o.compare("NE", at, other)) }
    }

    /// `body` for every round of a sweep.
    fn sweep(
        &self,
        o: &Ops,
        carried: &[ValueId],
        body: impl FnOnce(&Ops, &Round, &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        o.counted_below(|_| self.rounds, carried, |o, number, carried| body(o, &self.round(o, number), carried))
    }
}

impl Round {
    /// `values: [B, 1, N]` of the first and of the second column of each pair.
    fn both(&self, o: &Ops, values: ValueId) -> (ValueId, ValueId) {
        let other = o.taken(values, self.other, 2);
        let first = o.spread_to(self.first, &o.sizes(values));
        (o.select(first, values, other), o.select(first, other, values))
    }

    /// The second column's values for both of a pair.
    fn second(&self, o: &Ops, values: ValueId) -> ValueId {
        self.both(o, values).1
    }

    /// The columns of `[B, M, N]` rotated.
    fn turn(&self, o: &Ops, a: ValueId, by: &Rotation) -> ValueId {
        let (sizes, row, element) = (o.sizes(a), o.sizes(by.c), o.element(a));
        let first = o.spread_to(self.first, &row);
        let number = |real: ValueId| o.number(real, None, element);
        let own = o.select(first, by.cw, number(by.c));
        let others = o.select(first, number(o.neg(by.s)), by.sw);
        let other = o.taken(a, self.other, 2);
        o.add(o.mul(a, o.spread_to(own, &sizes)), o.mul(other, o.spread_to(others, &sizes)))
    }
}

/// Eigenvalues `[B, N]`, ascending, and unit vectors as columns of `[B, N, N]`. Reads the lower triangle where `lower`,
/// else the upper.
pub fn eigenvalues(o: &Ops, a: ValueId, lower: bool) -> (ValueId, ValueId) {
    let sizes = o.sizes(a);
    let (whole, scale, poison) = scaled(o, hermitian(o, a, lower));
    let pairs = Pairs::new(o, sizes[2]);
    let start = identity_to(o, &sizes, o.element(a));
    let carried = o.repeat_while(
        &[o.index(0), whole, start],
        |o, carried| {
            let more = o.compare("LT", carried[0], o.index(SWEEPS));
            o.and(more, unsettled(o, carried[1]))
        },
        |o, carried| {
            let made = pairs.sweep(o, &carried[1..], |o, round, c| two_sided(o, round, c[0], c[1]));
            [vec![o.add(carried[0], o.index(1))], made].concat()
        },
    );
    let vectors = orthonormal(o, carried[2]);
    let products = o.mul(o.conj(vectors), o.matmul(whole, vectors));
    let values = o.real(o.sum(products, &[1]));
    let values = o.mul(values, o.broadcast_to(scale, &[0], &sizes[..2]));
    let (values, vectors) = sorted(o, values, vectors, "LT");
    (poisoned(o, values, poison), poisoned(o, vectors, poison))
}

/// One rotation of each pair: A from both sides, V from the right.
fn two_sided(o: &Ops, round: &Round, a: ValueId, v: ValueId) -> Vec<ValueId> {
    let sizes = o.sizes(a);
    let line = [sizes[0], ONE, sizes[2]];
    let (row, column) = positions_to(o, &sizes);
    let partner = o.broadcast_to(round.other, &[2], &sizes);
    let (diagonal, meeting) = (o.compare("EQ", row, column), o.compare("EQ", row, partner));
    let entry = |own: ValueId| o.sum_keep(o.select(own, a, o.float(a, 0.0)), 1);
    let (p, q) = round.both(o, o.real(entry(diagonal)));
    let r = round.second(o, entry(meeting));
    let meets = o.spread_to(round.meets, &line);
    let needed = o.and(meets, o.compare("GT", o.size(r), o.float(p, 0.0)));
    let by = rotation(o, [p, q, r], needed);
    let columns = round.turn(o, a, &by);
    // Rows turn as the columns of the adjoint do.
    let both = o.adjoint(round.turn(o, o.adjoint(columns), &by));
    // What the rotation makes exactly: the new diagonal, and zeros next to it.
    let exact = o.select(o.spread_to(round.first, &line), o.sub(p, by.gain), o.add(q, by.gain));
    let exact = o.spread_to(o.number(exact, None, o.element(a)), &sizes);
    let cleared = o.select(meeting, o.float(a, 0.0), both);
    vec![o.select(diagonal, exact, cleared), round.turn(o, v, &by)]
}

/// `A·V = G` with orthogonal columns in descending order of length.
pub struct Columns {
    /// `[B, M, N]`
    g: ValueId,
    /// The lengths of all columns, `[B, N]`; the first min(M, N) are the singular values.
    pub values: ValueId,
    /// `[B, N, N]`
    pub v: ValueId,
    poison: ValueId,
}

/// Singular values and right vectors of `[B, M, N]`.
pub fn svd(o: &Ops, a: ValueId) -> Columns {
    let sizes = o.sizes(a);
    let (batch, n, element) = (sizes[0], sizes[2], o.element(a));
    let (a, scale, poison) = scaled(o, a);
    let pairs = Pairs::new(o, n);
    let start = identity_to(o, &[batch, n, n], element);
    let part = element.complex_part();
    let worst = o.splat(&[], part, Scalar::Float(f64::INFINITY));
    // What rounding leaves of the product of two columns of some hundred rows.
    let tolerance = epsilon(element) * 16.0;
    let carried = o.repeat_while(
        &[o.index(0), a, start, worst],
        |o, carried| {
            let more = o.compare("LT", carried[0], o.index(SWEEPS));
            o.and(more, o.compare("GT", carried[3], o.float(carried[3], tolerance)))
        },
        |o, carried| {
            let none = o.splat(&[], part, Scalar::Float(0.0));
            let made = pairs.sweep(o, &[carried[1], carried[2], none], |o, round, c| {
                let (by, worst) = one_sided(o, round, c[0], tolerance);
                vec![round.turn(o, c[0], &by), round.turn(o, c[1], &by), o.binary(OpKind::Maximum, c[2], worst)]
            });
            [vec![o.add(carried[0], o.index(1))], made].concat()
        },
    );
    let v = orthonormal(o, carried[2]);
    let g = o.matmul(a, v);
    let lengths = o.sqrt(o.sum(o.square(g), &[1]));
    let [values, order] = o.sort_pairs(lengths, "GT");
    let in_order = |columns: ValueId| o.transposed(o.rows(o.transposed(columns), order));
    let values = o.mul(values, o.broadcast_to(scale, &[0], &[batch, n]));
    let v = poisoned(o, in_order(v), poison);
    Columns { g: in_order(g), values: poisoned(o, values, poison), v, poison }
}

/// The first `columns` left vectors, of M at most: columns of a QR factorisation of G, which is diagonal up to signs.
pub fn left_vectors(o: &Ops, made: &Columns, columns: Dim) -> ValueId {
    let sizes = o.sizes(made.g);
    let factors = qr(o, made.g, false);
    let q = product(o, factors.packed, factors.tau, columns);
    let (row, column) = positions_to(o, &sizes);
    let real = o.real(factors.packed);
    let heads = o.sum_keep(o.select(o.compare("EQ", row, column), real, o.float(real, 0.0)), 1);
    // Columns behind the last one of G are what they are.
    let more = o.splat_to(&[sizes[0], ONE, columns], o.element(heads), Scalar::Float(0.0));
    let heads = o.first_to(o.concatenate(&[heads, more], 2), 2, columns);
    let one = o.float(heads, 1.0);
    let signs = o.select(o.compare("LT", heads, o.float(heads, 0.0)), o.neg(one), one);
    let u = o.scale(q, o.spread_to(signs, &o.sizes(q)));
    poisoned(o, u, made.poison)
}

/// The rotations of a round, and the largest cosine between two columns that meet (rank 0).
fn one_sided(o: &Ops, round: &Round, g: ValueId, tolerance: f64) -> (Rotation, ValueId) {
    let other = o.taken(g, round.other, 2);
    let (p, q) = round.both(o, o.sum_keep(o.square(g), 1));
    let r = round.second(o, o.sum_keep(o.mul(o.conj(other), g), 1));
    let zero = o.float(p, 0.0);
    let lengths = o.mul(o.sqrt(p), o.sqrt(q));
    let some = o.and(o.spread_to(round.meets, &o.sizes(p)), o.compare("GT", lengths, zero));
    let cosine = o.div(o.size(r), o.select(some, lengths, o.float(p, 1.0)));
    let cosine = o.select(some, cosine, zero);
    let needed = o.compare("GT", cosine, o.float(cosine, tolerance));
    let by = rotation(o, [p, q, r], needed);
    let none = o.splat(&[], o.element(cosine), Scalar::Float(0.0));
    (by, o.reduce(OpKind::Maximum, cosine, none, &[0, 1, 2]))
}

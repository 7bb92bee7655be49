//! Weights in blocks by matrix instructions, each lane with a block of its own.
//!
//! Lane (g, t) of a subgroup, g = l / 4, t = l mod 4, is a thread like any other of `unpacked`: it has its block of
//! steps, number t of four neighbours, and the rows of its quad g. An instruction of 16 × 8 outputs × 16 steps takes 4
//! steps of two of its rows: they are g and g + 8 of the first multiplicand. The second one has x of block t in columns
//! 2·t and 2·t + 1, for two short outputs, and nothing elsewhere, though its rows belong to all four blocks: so output
//! (g, 2·t), which lane (g, t) holds, is the lane's own row times its own block, and scales meet it there.
//!
//! Bytes below 2⁷ become 16-bit floats by a permutation of bytes for two of them (`fornax_emit::bytes::Halves`), as
//! 128 + 8·v in bf16: what is more than v goes by Σ x, which is an instruction with ones. Products are exact, sums f32.
//!
//! Worked example: Q4_0, 2 rows, bf16: 32 elements of a row take 16 operations to extract, 16 permutations and 4
//! instructions, where they took 16, 32 permutations and 32 products.

use fornax_emit::bytes::Halves;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};
use fornax_graph::ElementType;

use super::affine::Affine;
use super::emit::{Gemv, Start};
use super::matrix;
use super::products::Space;
use super::staged::Staged;
use super::unpacked::{ByUnpacking, Raw, Scaled};

/// Registers of an instruction's second multiplicand: four steps of a lane.
const STEP_WORDS: usize = 2;
/// Short outputs of an instruction.
const ROWS: u64 = 2;
/// Rows of a lane that an instruction multiplies.
const POINTS: usize = 2;
const F32: Ty = Ty::scalar(Scalar::F32);

/// Registers of two rows of a long operand.
type Words = Vec<Vec<Value>>;

/// Terms whose products have the same scale and the same sum.
struct Group {
    sum: usize,
    /// Numbers of the long and the short operands.
    terms: Vec<(usize, usize)>,
}

fn groups(space: &Space) -> Vec<Group> {
    let mut all: Vec<Group> = Vec::new();
    let alike = |a: &Affine, b: &Affine| a.steps == b.steps && a.mantissa == b.mantissa;
    for term in &space.terms {
        let own = (term.long, term.short);
        let fits = |group: &&mut Group| {
            group.sum == term.sum && alike(&space.affine[group.terms[0].0], &space.affine[term.long])
        };
        match all.iter_mut().find(fits) {
            Some(group) => group.terms.push(own),
            None => all.push(Group { sum: term.sum, terms: vec![own] }),
        }
    }
    all
}

impl ByUnpacking<'_, '_> {
    /// Adds the products of a block to sums; `staged` has the short operands of a space by its number there.
    pub(super) fn add_by_quads(
        &self,
        e: &mut Emitter<'_>,
        (start, long): (&Start, &[Vec<Raw>]),
        (staged, number): (&Staged, usize),
        sums: &mut [Value],
    ) -> Result<(), EmitError> {
        let &ByUnpacking { gemv, space, points, .. } = self;
        let Some(element) = gemv.half else { return Err(e.malformed("quads of another type")) };
        let groups = groups(space);
        let rows = gemv.rows as u64;
        for first in (0..rows).step_by(ROWS as usize) {
            let short: Vec<Vec<Value>> =
                (0..space.short.len()).map(|at| staged.read_pair(e, (number, at, first), start.number)).collect();
            let totals: Vec<[Value; 2]> = short.iter().map(|x| total(e, element, x)).collect();
            for (pair, two) in points.chunks(POINTS).enumerate() {
                let place = pair * POINTS;
                let mut unpacked = Vec::new();
                for (own, affine) in long.iter().zip(&space.affine) {
                    let halves = affine.halves(e, element)?;
                    let mut lanes = Vec::new();
                    for (at, point) in two.iter().enumerate() {
                        self.bind(e, start, point);
                        self.provide(e, &own[place + at]);
                        lanes.push(gemv.halves_of(e, affine, halves)?);
                    }
                    unpacked.push(lanes);
                }
                for group in &groups {
                    let made = products(e, element, &group.terms, (&unpacked, &short));
                    let affine = &space.affine[group.terms[0].0];
                    let halves = affine.halves(e, element)?;
                    for (at, point) in two.iter().enumerate() {
                        self.bind(e, start, point);
                        for &(long_at, _) in &group.terms {
                            self.provide(e, &long[long_at][place + at]);
                        }
                        let common = gemv.common(e, affine)?;
                        for row in first..rows.min(first + ROWS) {
                            let of_row = (row - first) as usize;
                            let total = group.terms.iter().map(|&(_, short)| totals[short][of_row]);
                            let total = added(e, total.collect());
                            let below = e.code.float(F32, -halves.above - affine.minus() * halves.unit());
                            let product = e.code.fma(total, below, made[POINTS * at + of_row]);
                            let of_sum = group.sum * rows as usize + row as usize;
                            let sum = &mut sums[of_sum * points.len() + place + at];
                            *sum = affine.add_scaled(
                                e,
                                Scaled { products: product, total, unit: halves.unit().recip() },
                                &common,
                                *sum,
                            );
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Affine {
    /// How its elements are floats beside some of 16 bits.
    fn halves(&self, e: &Emitter<'_>, element: ElementType) -> Result<Halves, EmitError> {
        let halves = self.mantissa.and_then(|mantissa| Halves::of(element, mantissa.bits));
        halves.ok_or_else(|| e.malformed("quads of another type"))
    }
}

impl Gemv<'_> {
    /// The elements of a row of a block as pairs of 16-bit floats.
    fn halves_of(&self, e: &mut Emitter<'_>, affine: &Affine, halves: Halves) -> Result<Vec<Value>, EmitError> {
        let value = e.eval(affine.source)?;
        let value = e.code.spread(value, self.schedule.lanes);
        e.bytes_as_halves(value, halves).ok_or_else(|| e.unfit("bytes of a GEMV"))
    }
}

/// Σ x of a lane's block, for two short outputs.
fn total(e: &mut Emitter<'_>, element: ElementType, x: &[Value]) -> [Value; 2] {
    let ones = if element == ElementType::Bf16 { 0x3f80_3f80 } else { 0x3c00_3c00 };
    let ones = e.code.int(Ty::scalar(Scalar::I32), ones);
    let zero = e.code.bits(F32, 0);
    let mut sums = [zero; 4];
    for step in x.chunks(STEP_WORDS) {
        matrix::multiply(e, element, &[ones; 4], step, &mut sums);
    }
    [sums[0], sums[1]]
}

/// Sums of products of two rows and two short outputs, those of the first row first.
fn products(
    e: &mut Emitter<'_>,
    element: ElementType,
    terms: &[(usize, usize)],
    (long, short): (&[Words], &[Vec<Value>]),
) -> Vec<Value> {
    let zero = e.code.bits(F32, 0);
    // Each term has sums of its own, since an instruction waits for the one before it on the same sums.
    let mut sums = vec![vec![zero; 2 * POINTS]; terms.len()];
    let steps = short.first().map_or(0, |x| x.len() / STEP_WORDS);
    for step in 0..steps {
        let words = STEP_WORDS * step..STEP_WORDS * (step + 1);
        for (&(long_at, short_at), sums) in terms.iter().zip(&mut sums) {
            let [first, second] = [0, 1].map(|row| &long[long_at][row][words.clone()]);
            let a = [first[0], second[0], first[1], second[1]];
            matrix::multiply(e, element, &a, &short[short_at][words.clone()], sums);
        }
    }
    (0..2 * POINTS).map(|at| added(e, sums.iter().map(|sums| sums[at]).collect())).collect()
}

fn added(e: &mut Emitter<'_>, values: Vec<Value>) -> Value {
    let mut values = values.into_iter();
    let first = values.next();
    let sum = values.fold(first, |sum, value| sum.map(|sum| e.code.add_f(sum, value)));
    sum.unwrap_or_else(|| e.code.bits(F32, 0))
}

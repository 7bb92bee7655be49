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

/// What a lane multiplies a block of its rows by: x of its block, for two short outputs.
struct Words {
    /// By short operand.
    short: Vec<Vec<Value>>,
    /// Σ x by short operand, of both outputs.
    totals: Vec<[Value; 2]>,
}

impl Words {
    /// Of the registers of each short operand.
    fn of(e: &mut Emitter<'_>, element: ElementType, short: Vec<Vec<Value>>) -> Words {
        let totals = short.iter().map(|x| total(e, element, x)).collect();
        Words { short, totals }
    }
}

/// Terms whose products have the same scale and the same sum.
pub(super) struct Group {
    pub sum: usize,
    /// Numbers of the long and the short operands.
    pub terms: Vec<(usize, usize)>,
}

pub(super) fn groups(space: &Space) -> Vec<Group> {
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

/// A row of a lane, and the group of terms that it is multiplied by.
pub(super) type Slot = (usize, usize);

/// The rows that an instruction multiplies each, at most two: they meet the same short operands.
pub(super) fn instructions(groups: &[Group], rows: usize) -> Vec<Vec<Slot>> {
    let meets = |slot: &Slot| groups[slot.0].terms.iter().map(|term| term.1);
    let mut all: Vec<Vec<Slot>> = Vec::new();
    for first in (0..rows).step_by(POINTS) {
        for group in 0..groups.len() {
            for row in first..rows.min(first + POINTS) {
                let slot = (group, row);
                let fits = |other: &&mut Vec<Slot>| other.len() < POINTS && meets(&other[0]).eq(meets(&slot));
                match all.iter_mut().find(fits) {
                    Some(other) => other.push(slot),
                    None => all.push(vec![slot]),
                }
            }
        }
    }
    all
}

impl ByUnpacking<'_, '_> {
    /// Adds the products of a block to sums; `staged` has the short operands of a space by its number there.
    pub(super) fn add_by_quads(
        &self,
        e: &mut Emitter<'_>,
        block: (&Start, &[Vec<Raw>]),
        (staged, number): (&Staged, usize),
        sums: &mut [Value],
    ) -> Result<(), EmitError> {
        let Some(element) = self.gemv.half else { return Err(e.malformed("quads of another type")) };
        for first in (0..self.gemv.rows as u64).step_by(ROWS as usize) {
            let count = self.space.short.len();
            let short = (0..count).map(|at| staged.read_pair(e, (number, at, first), block.0.number)).collect();
            let words = Words::of(e, element, short);
            self.add_pair(e, block, (&words, first), sums)?;
        }
        Ok(())
    }

    /// The same of two short outputs, from number `first` on.
    fn add_pair(
        &self,
        e: &mut Emitter<'_>,
        (start, long): (&Start, &[Vec<Raw>]),
        (words, first): (&Words, u64),
        sums: &mut [Value],
    ) -> Result<(), EmitError> {
        let &ByUnpacking { gemv, space, points, .. } = self;
        let Some(element) = gemv.half else { return Err(e.malformed("quads of another type")) };
        let groups = groups(space);
        let rows = gemv.rows as u64;
        for slots in instructions(&groups, points.len()) {
            let mut unpacked = Vec::new();
            for &(group, point) in &slots {
                let mut terms = Vec::new();
                for &(at, _) in &groups[group].terms {
                    let affine = &space.affine[at];
                    let halves = affine.halves(e, element)?;
                    self.bind(e, start, &points[point]);
                    self.provide(e, &long[at][point]);
                    terms.push(gemv.halves_of(e, affine, halves)?);
                }
                unpacked.push(terms);
            }
            let shorts: Vec<usize> = groups[slots[0].0].terms.iter().map(|term| term.1).collect();
            let made = products(e, element, &unpacked, (&shorts, &words.short));
            for (at, &(group, point)) in slots.iter().enumerate() {
                let group = &groups[group];
                let affine = &space.affine[group.terms[0].0];
                let halves = affine.halves(e, element)?;
                self.bind(e, start, &points[point]);
                for &(long_at, _) in &group.terms {
                    self.provide(e, &long[long_at][point]);
                }
                let common = gemv.common(e, affine)?;
                for row in first..rows.min(first + ROWS) {
                    let of_row = (row - first) as usize;
                    let total = shorts.iter().map(|&short| words.totals[short][of_row]);
                    let total = added(e, total.collect());
                    let below = e.code.float(F32, -halves.above - affine.minus() * halves.unit());
                    let product = e.code.fma(total, below, made[POINTS * at + of_row]);
                    let of_sum = group.sum * rows as usize + row as usize;
                    let sum = &mut sums[of_sum * points.len() + point];
                    let scaled = Scaled { products: product, total, unit: halves.unit().recip() };
                    *sum = affine.add_scaled(e, scaled, &common, *sum);
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

/// Sums of products of one or two rows, whose terms' registers are `long`, and two short outputs, those of the first
/// row first.
fn products(
    e: &mut Emitter<'_>,
    element: ElementType,
    long: &[Vec<Vec<Value>>],
    (shorts, words): (&[usize], &[Vec<Value>]),
) -> Vec<Value> {
    let zero = e.code.bits(F32, 0);
    // Each term has sums of its own, since an instruction waits for the one before it on the same sums.
    let mut sums = vec![vec![zero; 2 * POINTS]; shorts.len()];
    let steps = words.first().map_or(0, |x| x.len() / STEP_WORDS);
    // Where there is one row it stands for both.
    let (first, second) = (&long[0], &long[long.len() - 1]);
    for step in 0..steps {
        let own = STEP_WORDS * step..STEP_WORDS * (step + 1);
        for (term, sums) in sums.iter_mut().enumerate() {
            let [first, second] = [first, second].map(|row| &row[term][own.clone()]);
            let a = [first[0], second[0], first[1], second[1]];
            matrix::multiply(e, element, &a, &words[shorts[term]][own.clone()], sums);
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

//! From a block's scores to its weights, lane by lane: the maximum so far, powers of two against it, their sum.
//!
//! exp(scale·(x − m)) is 2^t with t = (x − m)·scale·log2 e, the difference first, so that a large m costs no accuracy.
//! 2^t = 2^n · 2^f with n the nearest integer and a polynomial for 2^f (1e-7). A row of which all scores are −inf so
//! far is held against 0, so that nothing is −inf − (−inf); if it stays so, its sum is 0 and 0 / 0 makes the NaN that
//! the plain ops make.
//!
//! Worked example: maximum 3, then a block with maximum 5: its weights are against 5, sum and results so far are
//! multiplied by e^(3 − 5).

use super::{Block, Lanes, State};
use fornax_emit::emitter::Emitter;
use fornax_emit::text::{Scalar, Value};

/// 2^f for −½ ≤ f ≤ ½, highest power first; relative error 9.2e-8.
const POWER: [f64; 6] =
    [0.0013264726907892786, 0.009671512660415549, 0.05550733744213765, 0.24022242084922416, 0.6931469775984948, 1.0];
/// 1.5·2^23: adding it rounds to an integer, which is then in the low bits.
const ROUNDING: f64 = 12_582_912.0;
/// 2^t below is 0 where an instruction scales by a power: no result is subnormal, which would take it long.
const LEAST_SCALED: f64 = -125.0;
/// 2^t below is 0 where the exponent field is made by a shift: 0 in it.
const LEAST: f64 = -127.0;

impl Lanes<'_> {
    /// The larger one; NaN in `new` is passed over, its weight will be NaN.
    pub(super) fn larger(&self, e: &mut Emitter<'_>, new: Value, old: Value) -> Value {
        let above = e.code.cmp_f("ogt", new, old);
        e.code.select(above, new, old)
    }

    /// Makes weights of the scores of a block: the state after it, and what results so far must be multiplied by.
    pub(super) fn weights(
        &self,
        e: &mut Emitter<'_>,
        block: Block,
        before: &State,
        largest: &[Value],
    ) -> (State, Vec<Value>) {
        let (mut maxima, mut against, mut factors) = (Vec::new(), Vec::new(), Vec::new());
        for (&old, &new) in before.maxima.iter().zip(largest) {
            let maximum = self.larger(e, new, old);
            let empty = e.code.cmp_fk("oeq", maximum, f64::NEG_INFINITY);
            let held = e.code.select_k(empty, 0.0, maximum);
            factors.push(self.weight(e, old, held));
            maxima.push(maximum);
            against.push(held);
        }
        let zero = e.code.float(self.vector(), 0.0);
        let (low, one) = (e.code.int(block.count.ty, 0), e.code.int(block.count.ty, 1));
        let open = e.code.begin_for(low, block.count, one, &vec![zero; self.vectors]);
        let mut next = Vec::with_capacity(self.vectors);
        for (vector, &held) in against.iter().enumerate() {
            let score = self.load_vector(e, self.scratch.scores, open.iv, vector);
            let weight = self.weight(e, score, held);
            self.store_vector(e, self.scratch.scores, open.iv, vector, weight);
            next.push(e.code.add_f(open.carried[vector], weight));
        }
        let added = e.code.end_for(open, &next);
        let sums = before.sums.iter().zip(&factors).zip(added);
        let sums = sums.map(|((&sum, &factor), added)| e.code.fma(sum, factor, added)).collect();
        (State { maxima, sums }, factors)
    }

    fn weight(&self, e: &mut Emitter<'_>, score: Value, against: Value) -> Value {
        let below = e.code.sub_f(score, against);
        let power = e.code.mul_k(below, self.exponent());
        power_of_two(e, power)
    }
}

/// 2^t for t up to 0; NaN stays.
fn power_of_two(e: &mut Emitter<'_>, t: Value) -> Value {
    if e.code.scales_by_power(t.ty) {
        let kept = e.code.cmp_fk("uge", t, LEAST_SCALED);
        let whole = e.code.round_even(t);
        let power = fraction_power(e, t, whole);
        if let Some(scaled) = e.code.scale_by_power(power, whole, Some(kept)) {
            return scaled;
        }
    }
    let least = e.code.float(t.ty, LEAST);
    let below = e.code.cmp_f("olt", t, least);
    let t = e.code.select(below, least, t);
    let shifted = e.code.add_k(t, ROUNDING);
    let whole = e.code.add_k(shifted, -ROUNDING);
    let power = fraction_power(e, t, whole);
    let bits = e.code.to_bits(shifted);
    let bits = e.code.shl_k(bits, 23);
    let bits = e.code.add_ik(bits, 127 << 23);
    let scale = e.code.bitcast(bits, Scalar::F32);
    e.code.mul_f(power, scale)
}

/// 2^(t − whole).
fn fraction_power(e: &mut Emitter<'_>, t: Value, whole: Value) -> Value {
    let rest = e.code.sub_f(t, whole);
    let mut power = e.code.float(t.ty, POWER[0]);
    for &coefficient in &POWER[1..] {
        let coefficient = e.code.float(t.ty, coefficient);
        power = e.code.fma(power, rest, coefficient);
    }
    power
}

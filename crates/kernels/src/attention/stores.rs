//! From the accumulators of the result to what the plan stores.
//!
//! A lane holds pairs of neighbouring features. The four lanes of a row exchange pairs, two rounds of shuffles, until
//! each has eight neighbours, stored as one vector; what is no multiple of eight is stored in pairs or one by one. A
//! part of the columns stores its sums as they are. Largest scores and sums of weights are stored once a row.
//!
//! Worked example: 128 features as bf16: 16 pairs a row become 4 vectors of 8, 16 bytes each; a row's four lanes write
//! 64 bytes at once.

use fornax_plan::Store;

use super::{F32, Kernel, State};
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

impl Kernel<'_> {
    /// Divides by the sums of weights and stores; a part stores what it has.
    pub(super) fn finish(&self, e: &mut Emitter<'_>, state: State) -> Result<(), EmitError> {
        let per_fragment = state.out.len() / self.s.row_tiles as usize;
        let one = e.code.float(F32, 1.0);
        for slot in 0..self.row_slots() {
            let mut sum = state.sums[slot];
            for mask in [1, 2] {
                let other = e.abi.shuffle_xor(&mut e.code, sum, mask);
                sum = e.code.add_f(sum, other);
            }
            let whole = self.a.part.is_none();
            let inverse = if whole { self.inverse(e, sum) } else { one };
            let fragment = &state.out[slot / 2 * per_fragment..][..per_fragment];
            let mut pairs = Vec::new();
            for four in fragment.chunks(4) {
                let pair = [four[2 * (slot % 2)], four[2 * (slot % 2) + 1]];
                pairs.push(if whole { pair.map(|v| e.code.mul_f(v, inverse)) } else { pair });
            }
            let wide = if self.features % 8 == 0 { pairs.len() / 4 * 4 } else { 0 };
            for four in pairs[..wide].chunks_mut(4) {
                self.exchange(e, four);
            }
            let row = self.row(e, slot);
            let inside = self.has_row_tail().then(|| self.row_end().is_above(e, "ult", row));
            if let Some(inside) = inside {
                e.code.begin_if(inside, &[]);
            }
            self.use_row(e, slot);
            if self.stores_rows {
                self.store_sums(e, state.maxima[slot], sum)?;
            }
            for (at, four) in pairs[..wide].chunks(4).enumerate() {
                self.store_blocks(e, 32 * at as i64, four)?;
            }
            for (at, &pair) in pairs.iter().enumerate().skip(wide) {
                self.store_pair(e, 8 * at as i64, pair)?;
            }
            if inside.is_some() {
                e.code.end_if(&[]);
            }
        }
        Ok(())
    }

    /// What sums of weights times values are multiplied by.
    pub(super) fn inverse(&self, e: &mut Emitter<'_>, sum: Value) -> Value {
        let one = e.code.float(F32, 1.0);
        let inverse = e.code.div_f(one, sum);
        if !self.a.empty_is_zero {
            return inverse;
        }
        let empty = e.code.cmp_fk("oeq", sum, 0.0);
        e.code.select_k(empty, 0.0, inverse)
    }

    /// Four lanes exchange their pairs of four blocks of eight features: each gets all pairs of the block of its
    /// number. All lanes take part.
    fn exchange(&self, e: &mut Emitter<'_>, pairs: &mut [[Value; 2]]) {
        for step in [1usize, 2] {
            let bit = e.code.and_k(self.lane, step as i64);
            let odd = e.code.cmp_ik("ne", bit, 0);
            for low in (0..4).filter(|at| at & step == 0) {
                for half in [0usize, 1] {
                    let (a, b) = (pairs[low][half], pairs[low | step][half]);
                    let sent = e.code.select(odd, a, b);
                    let got = e.abi.shuffle_xor(&mut e.code, sent, step as u32);
                    pairs[low][half] = e.code.select(odd, got, a);
                    pairs[low | step][half] = e.code.select(odd, b, got);
                }
            }
        }
    }

    /// Stores this lane's block of four from `first` on, as one vector.
    fn store_blocks(&self, e: &mut Emitter<'_>, first: i64, pairs: &[[Value; 2]]) -> Result<(), EmitError> {
        if first >= self.features {
            return Ok(());
        }
        // The lane's place in its four is the number of its block.
        let start = e.code.shl_k(self.run_start, 2);
        let partial = first + 32 > self.features;
        if partial {
            let inside = e.code.cmp_ik("slt", start, self.features - first);
            e.code.begin_if(inside, &[]);
        }
        e.lanes = 8;
        e.bind_lanes(self.a.feature, Some(start), 8, first);
        let all = e.code.assemble(&pairs.concat());
        let done = self.store(e, all);
        e.lanes = 1;
        done?;
        if partial {
            e.code.end_if(&[]);
        }
        Ok(())
    }

    /// Stores this thread's two features of the eight from `first` on, those that there are.
    fn store_pair(&self, e: &mut Emitter<'_>, first: i64, values: [Value; 2]) -> Result<(), EmitError> {
        if first >= self.features {
            return Ok(());
        }
        if self.features % 2 == 0 {
            let partial = first + 8 > self.features;
            if partial {
                let inside = e.code.cmp_ik("slt", self.run_start, self.features - first);
                e.code.begin_if(inside, &[]);
            }
            e.lanes = 2;
            e.bind_lanes(self.a.feature, Some(self.run_start), 2, first);
            let pair = e.code.assemble(&values);
            let done = self.store(e, pair);
            e.lanes = 1;
            done?;
            if partial {
                e.code.end_if(&[]);
            }
            return Ok(());
        }
        for (at, value) in values.into_iter().enumerate() {
            let inside = e.code.cmp_ik("slt", self.run_start, self.features - first - at as i64);
            e.code.begin_if(inside, &[]);
            e.bind(self.a.feature, Some(self.run_start), 2, first + at as i64);
            self.store(e, value)?;
            e.code.end_if(&[]);
        }
        Ok(())
    }

    /// Whether a store is one a feature, not one a row.
    fn has_feature(&self, e: &Emitter<'_>, store: &Store) -> bool {
        !self.stores_rows || !self.a.is_of_row(e.exprs, store)
    }

    /// The stores that are one a row, by the first lane that holds the row.
    pub(super) fn store_sums(&self, e: &mut Emitter<'_>, maximum: Value, sum: Value) -> Result<(), EmitError> {
        let first = e.code.cmp_ik("eq", self.run_start, 0);
        e.code.begin_if(first, &[]);
        self.store_row(e, maximum, sum)?;
        e.code.end_if(&[]);
        Ok(())
    }

    /// The stores that are one a row.
    pub(super) fn store_row(&self, e: &mut Emitter<'_>, maximum: Value, sum: Value) -> Result<(), EmitError> {
        let scale = e.code.float(F32, f64::from(self.a.scale()));
        let (mut maximum, mut sum) = (e.code.mul_f(maximum, scale), sum);
        if self.a.part.is_none() {
            (maximum, sum) = self.as_of_ops(e, maximum, sum);
        }
        e.set_slot(Slot::Reduced(2), maximum);
        e.set_slot(Slot::Reduced(3), sum);
        for store in &self.a.stores {
            if !self.has_feature(e, store) {
                let value = e.eval(store.value)?;
                e.store(store.buffer, store.offset, value)?;
            }
        }
        Ok(())
    }

    /// Largest score and sum of weights as reductions give them: of a row of −∞ the sum is NaN, and of one with a NaN
    /// both are.
    fn as_of_ops(&self, e: &mut Emitter<'_>, maximum: Value, sum: Value) -> (Value, Value) {
        let lowered = if self.lift() == 0.0 { sum } else { e.code.mul_k(sum, (-self.lift()).exp2()) };
        let lost = e.code.cmp_f("uno", sum, sum);
        let finite = e.code.cmp_fk("olt", maximum, f64::INFINITY);
        let lost = e.code.and(lost, finite);
        let empty = e.code.cmp_fk("oeq", maximum, f64::NEG_INFINITY);
        (e.code.select_k(lost, f64::NAN, maximum), e.code.select_k(empty, f64::NAN, lowered))
    }

    pub(super) fn store(&self, e: &mut Emitter<'_>, value: Value) -> Result<(), EmitError> {
        e.set_slot(Slot::Reduced(1), value);
        for store in self.a.stores.iter().filter(|s| self.has_feature(e, s)).collect::<Vec<_>>() {
            let value = e.eval(store.value)?;
            e.store(store.buffer, store.offset, value)?;
        }
        Ok(())
    }
}
